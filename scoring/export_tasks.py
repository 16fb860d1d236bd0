"""Celery's entry point for exports; imported by `scoring.tasks`, where Celery looks."""

from celery import shared_task

from scoring.exports import jobs


@shared_task(name="scoring.make_export")
def make_export(job_id: int) -> None:
    jobs.execute_export(job_id)


def take_up(*, alone: bool = False) -> None:
    """Send off again what was left behind, and remove what has expired."""
    jobs.requeue_stale_exports(alone=alone)
    jobs.discard_expired_exports()
