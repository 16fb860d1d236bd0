"""Celery's entry point for reports; imported by `scoring.tasks`, where Celery looks."""

from celery import shared_task

from scoring import snapshots


@shared_task(name="scoring.compute_report")
def compute_report(snapshot_id: int) -> None:
    snapshots.execute_report(snapshot_id)
