"""Celery's entry point for background steps; imported by `scoring.tasks`, where Celery looks."""

from celery import shared_task

from scoring import steps


@shared_task(name="scoring.execute_step")
def execute_step(step_id: int) -> None:
    steps.execute_step(step_id=step_id, should_stop=_worker_is_stopping)


def take_up(*, alone: bool = False) -> None:
    steps.requeue_stale_steps(alone=alone)


def _worker_is_stopping() -> bool:
    from celery.worker import state  # only a worker needs it

    return state.should_stop not in (None, False) or state.should_terminate not in (None, False)
