"""What a launch asks of each question: that its kind has all it needs, and can be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.urls import reverse

from studies.models import Descriptor, Question, Study
from studies.models.question import WITH_NOT_APPLICABLE
from studies.scenes import is_among, is_shown_for, plain, scenes_of
from studies.unit_probes import asks_probes, missing_probes
from studies.units import unit_sizes

Kind = Question.Kind
NEEDS_POINTS = {
    Kind.LIKERT: "a scale needs at least two points",
    Kind.CHOICE: "a choice needs at least two options",
    Kind.DESCRIPTORS: "its coverage scale needs at least two points",
}
OF_SEVERAL = {Kind.MULTI, Kind.RANKING}
WITH_NUMBERS = {Kind.LIKERT, Kind.YES_NO, Kind.CHOICE, Kind.SLIDER}
SHOWN_FAULTS = 8

Fault = tuple[str, str]
"""A sentence, and the address of what is to be mended; '' for the questions as a whole."""


def question_faults(study: Study, rows: list[Question]) -> tuple[list[Fault], list[Fault]]:
    """What stops a launch, and what to think about. ``rows`` are asked, with points fetched."""
    if not rows:
        return [("no question yet", "")], []
    stops, warnings = [], []
    for row in rows:
        place = reverse("admin:studies_question_change", args=[row.pk])
        faults = [*_points(row), *_not_applicable(row), *_subject(row), *_dependencies(row, rows)]
        stops += [(f"{row.label}: {fault}", place) for fault in faults]
        doubts = [*_doubts(study, row), *_placeholders(row), *_never_together(study, row, rows)]
        warnings += [(f"{row.label}: {doubt}", place) for doubt in doubts]
    stops += [(fault, "") for fault in [*_items_a_unit(study, rows), *_probes(study)]]
    stops += [(fault, "") for fault in _descriptors(study, rows)]
    if all(row.kind == Kind.TEXT for row in rows):
        warnings.append(("only free texts: nothing can be counted", ""))
    elif not any(row.kind == Kind.TEXT for row in rows):
        warnings.append(("no rationale is asked", ""))
    return stops, warnings


# ---- one question


def _points(row: Question) -> Iterator[str]:
    points = list(row.points.all())
    if row.kind in NEEDS_POINTS and len(points) < 2:
        yield NEEDS_POINTS[row.kind]
    if row.kind == Kind.SLIDER and {point.value for point in points} != {0, 100}:
        yield "a slider needs words at 0 and at 100, its ends"
    for point in points:
        if not point.label:
            yield f"point {point.value} has no label"


def _not_applicable(row: Question) -> Iterator[str]:
    if row.allow_na and row.kind not in WITH_NOT_APPLICABLE:
        yield "this kind has no “does not apply”"
    elif row.allow_na and not row.na_label:
        yield "“does not apply” has no label"


def _subject(row: Question) -> Iterator[str]:
    if not row.text.strip():
        yield "it has no text"
    of_probe = row.asked_of == Question.AskedOf.PROBE
    if of_probe and "{probe}" not in row.text:
        yield "it is asked of probes, and its text has no {probe}"
    if not of_probe and "{probe}" in row.text:
        yield "its text has {probe}, and it is not asked of probes"


def _dependencies(row: Question, rows: list[Question]) -> Iterator[str]:
    order = {
        other.pk: n for n, other in enumerate(sorted(rows, key=lambda q: (q.tier, q.position)))
    }
    for other, start, end, needs in (
        (row.shown_if_id, row.shown_from, row.shown_to, "shown"),
        (row.required_when_id, row.required_from, row.required_to, "required"),
    ):
        if other is None:
            continue
        if start is None or end is None:
            yield f"give the range of answers that make it {needs}"
        if other == row.pk:
            yield f"it is {needs} by the answer to itself"
        elif other not in order:
            yield f"it is {needs} by the answer to a question that is no longer asked"
        elif order[other] > order[row.pk]:
            yield f"it is {needs} by the answer to a question that comes after it"
        else:
            yield from _range(next(q for q in rows if q.pk == other), start, end, needs)


def _range(other: Question, start: int | None, end: int | None, needs: str) -> Iterator[str]:
    if other.kind not in WITH_NUMBERS:
        yield f"it is {needs} by {other.label}, whose answers are no numbers"
    elif start is not None and end is not None:
        values = {Kind.YES_NO: [0, 1], Kind.SLIDER: range(101)}.get(other.kind)
        if values is None:
            values = [point.value for point in other.points.all()]
        if not any(start <= value <= end for value in values):
            yield f"{other.label} has no answer from {start} to {end}"


def _doubts(study: Study, row: Question) -> Iterator[str]:
    if row.allow_na and row.na_label and not row.na_description:
        yield f"“{row.na_label}” is not explained"
    for name, wanted in (("category", row.shown_categories), ("aspect", row.shown_aspects)):
        have = study.items.order_by().values_list(name, flat=True).distinct() if wanted else ()
        if wanted and not any(is_among(value, wanted) for value in have):
            yield f"no item has the {name} {' or '.join(wanted[:3])}, so nobody is asked"
    if row.needs_sound and study.sound == Study.Sound.OFF:
        yield "it needs sound, and sound is off for everybody"
    elif row.needs_sound and not study.items.filter(has_audio=True).exists():
        yield "no item has sound, so nobody is asked"


_PLACEHOLDER = re.compile(r"\{[^{}]{1,40}\}")
_FILLED_IN = {"{activity}", "{country}", "{probe}"}


def _placeholders(row: Question) -> Iterator[str]:
    """Braces that people would read: only a question and its hint are filled in."""
    words = set(_PLACEHOLDER.findall(f"{row.text} {row.help}")) - _FILLED_IN
    if words:
        yield f"nothing fills in {' and '.join(sorted(words))}: people read it as it stands"
    points = [part for point in row.points.all() for part in (point.label, point.description)]
    labels = " ".join([*points, row.na_label, row.na_description])
    if found := sorted(set(_PLACEHOLDER.findall(labels))):
        yield f"{' and '.join(found)} is not filled in within an answer: people read it so"


def _never_together(study: Study, row: Question, rows: list[Question]) -> Iterator[str]:
    """A condition on a question that is never on the same screen. Of a set any item will do."""
    other = next((q for q in rows if q.pk == row.shown_if_id), None)
    if other is None or study.items_per_unit > 1 or not (_is_bound(row) and _is_bound(other)):
        return
    traits = ("category", "aspect", "has_audio")
    items = study.items.order_by().values_list(*traits, named=True).distinct()
    mine = [item for item in items if _stands_with(row, item)]
    if mine and not any(_stands_with(other, item) for item in mine):
        yield f"no screen that has it asks {other.label}, so nobody is asked"


def _is_bound(row: Question) -> bool:
    return bool(row.shown_categories or row.shown_aspects or row.needs_sound)


def _stands_with(row: Question, item: Any) -> bool:
    return is_shown_for(row, item) and (item.has_audio or not row.needs_sound)


# ---- questions and what they are asked about


def _items_a_unit(study: Study, rows: list[Question]) -> Iterator[str]:
    several = [row.label for row in rows if row.kind in OF_SEVERAL]
    if several and (alone := unit_sizes(study)[1]):
        noun = "screen shows" if alone == 1 else "screens show"
        yield f"{', '.join(several)}: {alone} {noun} a single item; at least 2 are needed"


def _probes(study: Study) -> Iterator[str]:
    if not asks_probes(study):
        return
    if not study.probes.filter(verified=True).exists():
        yield "questions are asked of probes, and no verified probe is imported"
        return
    missing = missing_probes(study)
    yield from missing[:SHOWN_FAULTS]
    if len(missing) > SHOWN_FAULTS:
        yield f"and {len(missing) - SHOWN_FAULTS} screens more without a probe"


def _descriptors(study: Study, rows: list[Question]) -> Iterator[str]:
    """A descriptor check shows the references of the item's scenario, else of its category."""
    checks = [row for row in rows if row.kind == Kind.DESCRIPTORS]
    if not checks:
        return
    references = study.descriptors.filter(kind=Descriptor.Kind.REFERENCE).order_by()
    described = {
        (plain(activity), country)
        for activity, country in references.values_list("activity", "country").distinct()
    }
    bare: dict[tuple[str, str], int] = {}
    for item in study.items.only("scenario", "category", "country", "aspect"):
        scenes = set(scenes_of(item))
        if any(is_shown_for(row, item) for row in checks) and not scenes & described:
            cell = (item.category or item.scenario or "items without category", item.country)
            bare[cell] = bare.get(cell, 0) + 1
    labels = ", ".join(row.label for row in checks)
    for (activity, country), n in sorted(bare.items())[:SHOWN_FAULTS]:
        items = "1 item" if n == 1 else f"{n} items"
        yield f"{labels}: no reference descriptors for {activity}, {country} ({items})"
    if len(bare) > SHOWN_FAULTS:
        yield f"{labels}: and {len(bare) - SHOWN_FAULTS} cells more without reference descriptors"
