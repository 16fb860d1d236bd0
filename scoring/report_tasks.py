"""Celery's entry points for reports; imported by `scoring.tasks`, where Celery looks."""

from celery import shared_task

from scoring import figures, snapshots


@shared_task(name="scoring.compute_report")
def compute_report(snapshot_id: int) -> None:
    snapshots.execute_report(snapshot_id)


@shared_task(name="scoring.draw_report_figure")
def draw_report_figure(figure_id: int) -> None:
    figures.draw_figure(figure_id)
