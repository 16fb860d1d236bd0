"""Celery's entry points. A message carries a primary key; the row says what is to be done."""

from celery import shared_task
from django.db import close_old_connections

from scoring import export_tasks, runs, snapshots, step_tasks
from scoring.export_tasks import make_export
from scoring.report_tasks import compute_report
from scoring.step_tasks import execute_step

__all__ = ["compute_report", "execute_run", "execute_step", "make_export", "take_up"]


@shared_task(name="scoring.execute_run")
def execute_run(run_id: int) -> None:
    runs.execute_run(run_id=run_id, should_stop=_worker_is_stopping)


def take_up(*, alone: bool = False) -> None:
    """Requeue what lost its worker or its message. Called at a worker's start and every minute."""
    close_old_connections()
    try:
        runs.requeue_stale_runs(alone=alone)
        snapshots.requeue_stale_reports(alone=alone)
        export_tasks.take_up(alone=alone)
        step_tasks.take_up(alone=alone)
    finally:
        close_old_connections()


def _worker_is_stopping() -> bool:
    from celery.worker import state  # only a worker needs it

    return state.should_stop not in (None, False) or state.should_terminate not in (None, False)
