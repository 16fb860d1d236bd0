"""Celery's entry points of annotation. A message carries a primary key."""

import logging

from celery import shared_task
from django.db import close_old_connections

from annotation.erasure import erase_expired
from annotation.external import jobs
from annotation.external.uploads import discard_old
from annotation.models import ProlificEvent
from annotation.monitor import keeping
from annotation.prolific import polling, receiving
from annotation.prolific.client import NotThere, ProlificError
from annotation.quality.review import has_new_answers, review
from studies.models import Study

logger = logging.getLogger("concord.prolific")


@shared_task(name="annotation.count_monitor_figures")
def count_monitor_figures(study_id: int) -> None:
    """A message that is lost is sent again by the next look at the page."""
    keeping.count_for_page(study_id=study_id)


@shared_task(name="annotation.import_ratings")
def import_ratings(import_id: int) -> None:
    jobs.execute_import(import_id)


@shared_task(name="annotation.poll_prolific")
def poll_prolific(study_id: int) -> None:
    """Ask Prolific for a study's submissions. What goes wrong is kept for the page."""
    study = Study.objects.filter(pk=study_id).first()
    if study is None:
        return
    try:
        polling.poll_study(study=study)
    except ProlificError as error:
        logger.warning("Asking Prolific about study %s: %s", study_id, error)


@shared_task(name="annotation.place_prolific_event")
def place_prolific_event(event_id: int) -> None:
    """Find out whose an event is. One that Prolific does not explain now is asked about again."""
    event = ProlificEvent.objects.filter(pk=event_id, result=ProlificEvent.Result.WAITING).first()
    if event is None:
        return
    try:
        polling.place_event(event=event)
    except NotThere:
        event.result = ProlificEvent.Result.UNKNOWN
        event.save(update_fields=["result"])
    except ProlificError as error:
        logger.warning("Asking Prolific about event %s: %s", event_id, error)


def take_up(*, alone: bool = False) -> None:
    """Ask Prolific about studies that are due, and send again what lost its message; uploads that
    nobody imported go."""
    close_old_connections()
    try:
        jobs.requeue_stale_imports(alone=alone)
        discard_old()
        for study in [*polling.claim_due(), *polling.asked_for()]:
            receiving.send_off(poll_prolific, study.pk)
        for event in receiving.waiting_events():
            receiving.send_off(place_prolific_event, event.pk)
    finally:
        close_old_connections()


def forget_who_people_are() -> None:
    """Erase the identities whose days are over; quick where there are none."""
    close_old_connections()
    try:
        erase_expired()
    finally:
        close_old_connections()


def review_studies() -> None:
    """Hold new answers of studies under way against their rules."""
    close_old_connections()
    try:
        for study in Study.objects.in_use().exclude(state=Study.State.DRAFT):
            if has_new_answers(study):
                review(study)
    finally:
        close_old_connections()
