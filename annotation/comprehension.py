"""The quick check on the instructions page: two chances, never a ground for rejection.

What was missed is kept with its time. Whoever misses twice has taken no place from anybody: their
seat is free again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotation.assignment import lock_person
from annotation.models import ComprehensionTry, Participation
from studies.design import ComprehensionSpec, Design

TRIES = 2


@dataclass(frozen=True)
class Option:
    """An answer as it is shown; ``number`` is its place in the study's list, from 1."""

    number: int
    text: str
    chosen: bool


@dataclass(frozen=True)
class Quiz:
    """One question as it is shown now. ``missed``: in the last try; ``empty``: just now."""

    name: str
    text: str
    options: tuple[Option, ...]
    hint: str = ""
    missed: bool = False
    empty: bool = False


def tries_of(person: Participation) -> list[ComprehensionTry]:
    return list(person.comprehension_tries.order_by("number"))


def is_understood(design: Design, tries: list[ComprehensionTry]) -> bool:
    """Whether nothing is asked, or the last try missed nothing that is asked now."""
    asked = {spec.key for spec in design.comprehension}
    return not asked or (bool(tries) and not asked & set(tries[-1].missed))


def read_choices(design: Design, posted: Mapping[str, str]) -> dict[str, int]:
    """Key -> the option chosen, of the questions that were answered."""
    chosen = {}
    for spec in design.comprehension:
        raw = posted.get(field_name(spec), "")
        if raw.isdecimal() and raw.isascii() and 1 <= int(raw[:4]) <= len(spec.options):
            chosen[spec.key] = int(raw[:4])
    return chosen


def field_name(spec: ComprehensionSpec) -> str:
    return spec.key.replace(".", "_")


def quizzes(
    design: Design,
    *,
    seed: int,
    tries: list[ComprehensionTry],
    posted: Mapping[str, int] | None = None,
) -> tuple[Quiz, ...]:
    """The questions with what is chosen: of an incomplete form, else what was right before.

    Answers stand in an order of this person's own, the same at every draw.
    """
    last = tries[-1] if tries else None
    shown = []
    for spec in design.comprehension:
        missed = last is not None and spec.key in last.missed
        kept = last.chosen if last is not None and not missed else {}
        chosen = (kept if posted is None else posted).get(spec.key)
        options = [
            Option(number, text, number == chosen) for number, text in enumerate(spec.options, 1)
        ]
        random.Random(f"{seed}:{spec.key}").shuffle(options)
        shown.append(
            Quiz(
                name=field_name(spec),
                text=spec.text,
                options=tuple(options),
                hint=spec.hint,
                missed=missed,
                empty=posted is not None and spec.key not in posted,
            )
        )
    return tuple(shown)


@transaction.atomic
def record_try(
    *, participation: Participation, design: Design, number: int, chosen: Mapping[str, int]
) -> None:
    """Keep a try; the last one, if it misses, ends the participation.

    ``number`` is that of the form: one that was sent twice, or from an old tab, changes nothing.
    """
    person = lock_person(participation.pk)
    done = person.comprehension_tries.count()
    if person.state == Participation.State.ARRIVED and number == done + 1 <= TRIES:
        missed = [spec.key for spec in design.comprehension if chosen.get(spec.key) != spec.correct]
        ComprehensionTry.objects.create(
            participation=person, number=number, chosen=dict(chosen), missed=missed
        )
        if missed and number == TRIES:
            _leave(person)
    participation.refresh_from_db()


def _leave(person: Participation) -> None:
    person.state = Participation.State.OUT
    person.outcome = Participation.Outcome.FAILED_CHECKS
    person.finished_at = timezone.now()
    person.save(update_fields=["state", "outcome", "finished_at"])
