"""Descriptors that no model made: added, changed and taken out by hand.

A text is never changed in place: the changed one is another row, so that what was scored with the
old one is known to be older. What people have judged stays as they saw it.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from scoring.ahead.scenes import closed_scenes
from scoring.coverage import plain
from studies.models import Descriptor, Study

BY_HAND = "by hand"
STYLES = ("", "traditional", "modern", "neutral")
Kind = Descriptor.Kind


class ListClosedError(Exception):
    """People have judged the list of this scene: everybody has to judge the same one."""


@transaction.atomic
def add_descriptor(
    *, study: Study, kind: str, activity: str, country: str, dimension: str, token: str, style: str
) -> Descriptor:
    """A reference or stereotype by hand. The same text again is the one that is there.

    Raises ``ListClosedError`` for a reference of a scene whose list people have judged.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    _refuse_if_closed(study, kind, activity, country)
    found, _ = Descriptor.objects.get_or_create(
        study=study,
        kind=kind,
        activity=activity.strip(),
        country=country,
        dimension=dimension if kind == Kind.REFERENCE else "",
        token=_plain_text(token),
        defaults={"style": style, "source": BY_HAND},
    )
    return found


@transaction.atomic
def change_descriptor(*, descriptor: Descriptor, token: str, style: str) -> Descriptor:
    """Another text or style, as a row of its own that keeps source and origins.

    Raises ``ListClosedError``.
    """
    study = Study.objects.select_for_update().get(pk=descriptor.study_id)
    _refuse_if_judged(study, descriptor)
    token = _plain_text(token)
    if (token, style) == (descriptor.token, descriptor.style):
        return descriptor
    fields: dict[str, Any] = {
        name: getattr(descriptor, name)
        for name in ("kind", "activity", "country", "dimension", "source", "origins")
    }
    descriptor.delete()
    return Descriptor.objects.create(study=study, token=token, style=style, **fields)


@transaction.atomic
def remove_descriptor(*, descriptor: Descriptor) -> None:
    """Raises ``ListClosedError``."""
    study = Study.objects.select_for_update().get(pk=descriptor.study_id)
    _refuse_if_judged(study, descriptor)
    descriptor.delete()


def _refuse_if_judged(study: Study, descriptor: Descriptor) -> None:
    """Also where a pilot's answers hold on to the descriptor."""
    _refuse_if_closed(study, descriptor.kind, descriptor.activity, descriptor.country)
    if descriptor.ratings.exists():
        raise ListClosedError("The pilot has judged this descriptor, so it stays.")


def _refuse_if_closed(study: Study, kind: str, activity: str, country: str) -> None:
    if kind == Kind.REFERENCE and (plain(activity), country) in closed_scenes(study):
        raise ListClosedError(
            "People have judged this list, so it stays as they saw it. Take wrong descriptors out "
            "of the scores with the cleaned set, or duplicate the study."
        )


def _plain_text(token: str) -> str:
    return " ".join(token.split())
