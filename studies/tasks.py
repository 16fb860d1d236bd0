"""Celery's entry points of studies. A message carries a primary key; the row says what to do."""

from celery import shared_task
from django.db import close_old_connections

from studies.importing import work
from studies.importing.growing import open_every_panel


@shared_task(name="studies.run_import")
def run_import(upload_id: int) -> None:
    work.run_import(upload_id)


@shared_task(name="studies.open_to_annotators")
def open_to_annotators(study_id: int) -> None:
    """After a launch: a message that is lost costs the first arrival a second or two."""
    open_every_panel(study_id=study_id)


def take_up(*, alone: bool = False) -> None:
    """Requeue what lost its worker or its message."""
    close_old_connections()
    try:
        work.requeue_stale_imports(alone=alone)
    finally:
        close_old_connections()
