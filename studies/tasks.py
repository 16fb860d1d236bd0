"""Celery's entry point for imports. A message carries a primary key; the row says what to do."""

from celery import shared_task
from django.db import close_old_connections

from studies.importing import work


@shared_task(name="studies.run_import")
def run_import(upload_id: int) -> None:
    work.run_import(upload_id)


def take_up(*, alone: bool = False) -> None:
    """Requeue what lost its worker or its message."""
    close_old_connections()
    try:
        work.requeue_stale_imports(alone=alone)
    finally:
        close_old_connections()
