"""Celery's entry points of annotation. A message carries a primary key."""

from celery import shared_task

from annotation.monitor import keeping


@shared_task(name="annotation.count_monitor_figures")
def count_monitor_figures(study_id: int) -> None:
    """A message that is lost is sent again by the next look at the page."""
    keeping.count_for_page(study_id=study_id)
