"""A study that takes people from Prolific, and people who came from there."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation import entry
from annotation.arrivals import FromProlific, arrive_from_prolific
from annotation.assignment import claim_next_unit
from annotation.models import Attempt, Identity
from annotation.prolific.statuses import News, Source, apply_status
from studies.models import Recruitment
from tests.annotation.people import send
from tests.prolific_server import ProlificServer

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def prolific(settings):
    with ProlificServer() as server:
        settings.PROLIFIC_API, settings.PROLIFIC_TOKEN = server.api, server.token
        settings.PROLIFIC_WEBHOOK_SECRETS = [server.secret]
        yield server


@pytest.fixture
def study(live_study):
    Recruitment.objects.update_or_create(
        study=live_study, defaults={"uses_prolific": True, "prolific_study_id": "st1"}
    )
    return live_study


def came(study, pid="p1", session="s1"):
    """Somebody who opened the study's link from Prolific and has begun to rate."""
    link = FromProlific(pid=pid, study_id="st1", session_id=session)
    person = arrive_from_prolific(study=study, came=link, known=None)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person, nationality="NP", residence="NP", first_language="ne"
    )
    entry.start_rating(participation=person)
    return person


def rate(study, person, n):
    """Send the next n screens; the screen after them is then before the person."""
    for _ in range(n):
        send(study, claim_next_unit(participation=person))
    return claim_next_unit(participation=person)


def finish(study, person):
    while (screen := claim_next_unit(participation=person)) is not None:
        send(study, screen)
    person.refresh_from_db()


def attempt_of(person) -> Attempt:
    return Identity.objects.get(participation=person).attempts.latest("pk")


def hear(person_or_attempt, status, *, minutes=0, source=Source.WEBHOOK, **more):
    attempt = person_or_attempt
    if not isinstance(attempt, Attempt):
        attempt = attempt_of(attempt)
    news = News(status=status, source=source, at=NOON + timedelta(minutes=minutes), **more)
    return apply_status(attempt=attempt, news=news)
