"""Submitted screens with their answers, read in lots of bounded size.

A lot is a handful of queries that end before it is handed on; the next has the next people.
Nothing stays open while somebody reads slowly.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Assignment, Flag, Rating
from annotation.ratings.counting import Layer, in_layer
from studies.models import Study, UnitItem
from studies.models.item import prompt_cluster

LOT = 1000  # screens
MOST_PEOPLE = 500  # in a lot

_SCREEN = (
    "pk",
    "participation_id",
    "n",
    "unit_id",
    "unit__key",
    "participation__code",
    "participation__panel__country",
    "participation__revision",
    "participation__simulated",
    "participation__taken_back",
    "item_order",
    "timing",
    "counted",
    "set_aside",
    "excluded",
    "repeat_of_id",
    "served_at",
    "submitted_at",
)
_REPEAT_OF = _SCREEN.index("repeat_of_id")
_ANSWER = (
    "assignment_id",
    "id",
    "question_id",
    "subject",
    "item__external_id",
    "item__system__name",
    "item__country",
    "item__category",
    "item__prompt",
    "item__scenario",
    "probe__external_id",
    "probe__text",
    "probe__dimension",
    "descriptor__token",
    "value",
    "not_applicable",
    "text",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, its item, probe and descriptor by their names; '' where there is none."""

    id: int
    question: int
    subject: str
    item: str
    system: str
    country: str
    category: str
    prompt: str
    scenario: str
    probe: str
    probe_text: str
    probe_dimension: str
    descriptor: str
    value: int | None
    not_applicable: bool
    text: str

    @property
    def prompt_id(self) -> str:
        """See `Item.prompt_cluster`; '' where the answer is about no single item."""
        if not self.item:
            return ""
        return prompt_cluster(self.country, self.scenario, self.prompt, self.item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One submitted screen. ``order`` are the unit's items in the order shown, by name."""

    n: int
    unit: str
    rater: str
    panel_country: str
    revision: int
    simulated: bool
    repeat: bool
    counted: bool
    excluded: str
    exclusion_layer: str
    order: tuple[str, ...]
    prompt_id: str
    flags: tuple[str, ...]
    seconds: float | None
    active_seconds: float | None
    seen: dict[str, float]
    served_at: datetime
    submitted_at: datetime | None
    answers: tuple[Answer, ...]

    def place_of(self, item: str) -> int | None:
        """Where an item stood on the screen, from 1."""
        return self.order.index(item) + 1 if item in self.order else None

    def watched_share(self, item: str) -> float | None:
        """The share of the item's clip that was played, 0 to 1; about the unit as a whole: of the
        clip that was watched least. None where nothing was measured."""
        return self.seen.get(item) if item else min(self.seen.values(), default=None)


def lots_of_screens(study: Study, layer: Layer | None) -> Iterator[Screen]:
    """The screens of a layer, person by person; without one, all that were sent, repeats too."""
    for people in _lots_of_people(study):
        wanted = _wanted(layer).filter(participation__in=people).order_by("participation_id", "n")
        # Of a screen shown again nothing is asked in SQL: an index on that leads through all rows.
        rows = wanted.values_list(*_SCREEN)
        yield from _screens([row for row in rows if layer is None or row[_REPEAT_OF] is None])


def count_answers(study: Study, layer: Layer | None) -> int:
    """How many answers `lots_of_screens` gives."""
    wanted = _wanted(layer).filter(participation__study=study, participation__pilot=False)
    if layer is not None:
        wanted = wanted.filter(repeat_of=None)
    return Rating.objects.filter(assignment__in=wanted).count()


def _lots_of_people(study: Study) -> Iterator[list[int]]:
    """Everybody who sent something, by lots whose screens are about `LOT`."""
    sent = Assignment.objects.filter(
        participation__study=study, participation__pilot=False, submitted_at__isnull=False
    )
    counts = sent.order_by("participation").values("participation").annotate(n=Count("pk"))
    people: list[int] = []
    held = 0
    for person, n in list(counts.values_list("participation", "n")):
        if people and (held + n > LOT or len(people) == MOST_PEOPLE):
            yield people
            people, held = [], 0
        people.append(person)
        held += n
    if people:
        yield people


def _wanted(layer: Layer | None) -> QuerySet[Assignment]:
    sent = Assignment.objects.filter(submitted_at__isnull=False)
    if layer is None:
        return sent.filter(Q(counted__isnull=False) | Q(repeat_of__isnull=False))
    return sent.filter(in_layer(layer, prefix=""))


def _screens(rows: Sequence[tuple[Any, ...]]) -> Iterator[Screen]:
    answers = _answers([row[0] for row in rows])
    members = _members({row[3] for row in rows})
    flags = _flags({row[1] for row in rows})
    for values in rows:
        row = dict(zip(_SCREEN, values, strict=True))
        items = _in_order_shown(members[row["unit_id"]], row["item_order"])
        clusters = {item.prompt_id for item in items}
        repeat = row["repeat_of_id"] is not None
        yield Screen(
            n=row["n"],
            unit=row["unit__key"],
            rater=row["participation__code"],
            panel_country=row["participation__panel__country"] or "",
            revision=row["participation__revision"],
            simulated=row["participation__simulated"],
            repeat=repeat,
            counted=bool(row["counted"]),
            excluded=row["excluded"],
            exclusion_layer="" if repeat else strictest_layer(row),
            order=tuple(item.name for item in items),
            prompt_id=clusters.pop() if len(clusters) == 1 else "",
            flags=tuple(
                kind for kind, on in flags[row["participation_id"]] if not on or row["n"] in on
            ),
            seconds=(row["submitted_at"] - row["served_at"]).total_seconds(),
            active_seconds=_measured(row["timing"], "active"),
            seen=_seen(row["timing"], items),
            served_at=row["served_at"],
            submitted_at=row["submitted_at"],
            answers=tuple(answers[row["pk"]]),
        )


def strictest_layer(row: dict[str, Any]) -> str:
    """The layer that heeds most exclusions among those in which a screen counts; '' for none."""
    replaced = row["set_aside"] and row["excluded"] and not row["participation__taken_back"]
    if not (row["counted"] or replaced):
        return ""
    return {
        "": Layer.AFTER_ALL,
        Assignment.Excluded.PERSON: Layer.AFTER_RULES,
        Assignment.Excluded.RULE: Layer.ALL,
    }[row["excluded"]].value


@dataclass(frozen=True, slots=True)
class _Member:
    id: int
    name: str
    public_id: str
    prompt_id: str


def _members(units: set[int]) -> dict[int, list[_Member]]:
    """The items of each unit in their own order."""
    found: dict[int, list[_Member]] = defaultdict(list)
    rows = UnitItem.objects.filter(unit__in=units).order_by("unit_id", "position", "id")
    for unit, pk, name, public_id, country, scenario, prompt in rows.values_list(
        "unit_id",
        "item_id",
        "item__external_id",
        "item__public_id",
        "item__country",
        "item__scenario",
        "item__prompt",
    ):
        cluster = prompt_cluster(country, scenario, prompt, name)
        found[unit].append(_Member(pk, name, public_id, cluster))
    return found


def _in_order_shown(members: list[_Member], order: list[int]) -> list[_Member]:
    """Shuffled units are shown in the screen's order, others in their own."""
    if not order:
        return members
    by_id = {member.id: member for member in members}
    return [by_id[pk] for pk in order if pk in by_id]


def _flags(people: set[int]) -> dict[int, list[tuple[str, tuple[int, ...]]]]:
    """What rules found in each person's answers, with the screens meant; none: all of them."""
    found: dict[int, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    rows = Flag.objects.filter(participation__in=people).order_by("kind")
    for person, kind, screens in rows.values_list("participation_id", "kind", "screens"):
        found[person].append((kind, tuple(screens)))
    return found


def _answers(screens: list[int]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = defaultdict(list)
    rows = Rating.objects.filter(assignment__in=screens).order_by()
    for screen, pk, question, subject, *texts, value, not_applicable, text in rows.values_list(
        *_ANSWER
    ):
        names = (name or "" for name in texts)
        found[screen].append(Answer(pk, question, subject, *names, value, not_applicable, text))
    return found


def _measured(record: Any, name: str) -> float | None:
    """A number of seconds, or a share, as the browser told it; None where it is no such number."""
    number = record.get(name) if isinstance(record, dict) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return float(number) if math.isfinite(number) and number >= 0 else None


def _seen(timing: Any, items: list[_Member]) -> dict[str, float]:
    """Item -> share of its clip that was played; only clips, and only what was measured."""
    clips = timing.get("clips") if isinstance(timing, dict) else None
    if not isinstance(clips, dict):
        return {}
    shares = {item.name: _measured(clips.get(item.public_id), "seen") for item in items}
    return {name: min(share, 1.0) for name, share in shares.items() if share is not None}


def sent_mark(study: Study) -> list[int | None]:
    """Differs as soon as something is sent, a repeat too, or a flag is raised."""
    sent = Assignment.objects.filter(participation__study=study, submitted_at__isnull=False)
    flags = Flag.objects.filter(participation__study=study)
    return [
        *sent.aggregate(n=Count("pk"), last=Max("pk")).values(),
        *flags.aggregate(n=Count("pk"), last=Max("pk")).values(),
    ]
