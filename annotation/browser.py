"""What a browser remembers: whose participation it holds, and how far back it may look.

Whoever came from Prolific is known by an id that other people can learn. A browser that knew only
that id goes on with the participation, and never shows what was sent before it came.
"""

from __future__ import annotations

import sys

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from annotation.models import Identity, Participation
from studies.models import Study

COOKIE_AGE = 60 * 60 * 24 * 90
_SALT = "participation"
NOTHING = sys.maxsize


def _name(study_id: int) -> str:
    return f"concord_{study_id}"


def remember(response: HttpResponse, person: Participation, *, first: int = 1) -> None:
    """Let this browser come back; it may look at the screens it sent, from ``first`` on."""
    response.set_cookie(
        _name(person.study_id),
        signing.dumps([person.token, first], salt=_SALT),
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE_SITE,
    )


def _read(request: HttpRequest, study_id: int) -> tuple[str, int]:
    """Token and first screen; an empty token where there is none, or somebody wrote it himself."""
    try:
        kept = signing.loads(request.COOKIES.get(_name(study_id), ""), salt=_SALT)
    except signing.BadSignature:
        return "", NOTHING
    # Before people came by ids from outside, the token stood alone.
    return (kept, 1) if isinstance(kept, str) else (kept[0], kept[1])


def remembered(request: HttpRequest, study: Study) -> Participation | None:
    """The participation that this browser holds in the study."""
    token, _ = _read(request, study.pk)
    return Participation.objects.filter(study=study, token=token).first() if token else None


def first_shown(request: HttpRequest, person: Participation) -> int:
    """The first screen whose answers this browser may see again."""
    token, first = _read(request, person.study_id)
    if token == person.token:
        return first
    return NOTHING if from_prolific(person) else 1


def from_prolific(person: Participation) -> bool:
    identity = getattr(person, "identity", None)  # none: they came by the open link
    return identity is not None and identity.source == Identity.Source.PROLIFIC


def next_screen(person: Participation) -> int:
    """The number of the screen the person is at, or will be served next."""
    last = person.assignments.order_by("-n").first()
    if last is None:
        return 1
    return last.n if last.is_open else last.n + 1
