"""A list of reference descriptors, each right or not right; how complete it is; what is missing."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds.base import (
    Asked,
    Fields,
    FormData,
    Given,
    Kind,
    PointView,
    Reading,
    ScaleView,
    plain_text,
)
from annotation.kinds.text import too_long
from annotation.unit_facts import UnitFacts
from studies.models import Descriptor

VERDICTS = {"1": 1, "0": 0}


@dataclass(frozen=True)
class RowView:
    """One descriptor; ``verdict`` is "1" right, "0" not right, "" not marked yet."""

    name: str
    token: str
    verdict: str
    unmarked: bool


@dataclass(frozen=True)
class GroupView:
    label: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True)
class DescriptorsView:
    groups: tuple[GroupView, ...]
    marked: int
    total: int
    coverage_name: str
    coverage: tuple[PointView, ...]
    coverage_error: str
    missing_name: str
    missing: str
    missing_error: str


class Descriptors(Kind):
    template = "annotation/_descriptors.html"
    names_what_is_shown = True

    def applies(self, facts: UnitFacts) -> bool:
        return bool(facts.descriptors)

    def names(self, asked: Asked) -> list[str]:
        rows = [_row(asked, descriptor) for descriptor in asked.facts.descriptors]
        return [*rows, _coverage(asked), _missing(asked)]

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        verdicts = _verdicts(asked, fields)
        errors = {}
        n_left = len(asked.facts.descriptors) - len(verdicts)
        if (required and n_left) or _has_stray_verdict(asked, fields):
            words = ngettext("%(n)d is not marked yet.", "%(n)d are not marked yet.", n_left)
            errors[asked.name] = words % {"n": n_left}
        raw = fields.one(_coverage(asked)).strip()
        points = {str(point.value): point.value for point in asked.question.points}
        if points and raw not in points and (required or raw):
            errors[_coverage(asked)] = _("Choose a point.")
        missing = plain_text(fields.one(_missing(asked)))
        if fault := too_long(missing):
            errors[_missing(asked)] = fault
        if errors:
            return Reading(errors=errors)
        given = [asked.given(descriptor=pk, value=value) for pk, value in verdicts.items()]
        if points.get(raw) is not None or missing:
            given.append(asked.given(value=points.get(raw), text=missing))
        return Reading(tuple(given))

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> DescriptorsView:
        verdicts = _verdicts(asked, fields)
        show_gaps = asked.name in errors
        chosen = fields.one(_coverage(asked))
        return DescriptorsView(
            groups=tuple(
                GroupView(
                    label,
                    tuple(
                        RowView(
                            name=_row(asked, row),
                            token=asked.facts.token(row),
                            verdict=str(verdicts.get(row.pk, "")),
                            unmarked=show_gaps and row.pk not in verdicts,
                        )
                        for row in rows
                    ),
                )
                for label, rows in _groups(asked)
            ),
            marked=len(verdicts),
            total=len(asked.facts.descriptors),
            coverage_name=_coverage(asked),
            coverage=_coverage_points(asked, chosen),
            coverage_error=errors.get(_coverage(asked), ""),
            missing_name=_missing(asked),
            missing=fields.one(_missing(asked)),
            missing_error=errors.get(_missing(asked), ""),
        )

    def scale(self, asked: Asked) -> ScaleView | None:
        points = _coverage_points(asked)
        return ScaleView(points) if points else None

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        data: FormData = {}
        for answer in given:
            if answer.descriptor is not None:
                data[f"{asked.name}_d{answer.descriptor}"] = str(answer.value)
                continue
            if answer.value is not None:
                data[_coverage(asked)] = str(answer.value)
            data[_missing(asked)] = answer.text
        return data

    def summary(self, asked: Asked, fields: Fields) -> str:
        verdicts = _verdicts(asked, fields)
        words = _("%(right)d right, %(not_right)d not right")
        right = sum(verdicts.values())
        return words % {"right": right, "not_right": len(verdicts) - right} if verdicts else ""


def _row(asked: Asked, descriptor: Descriptor) -> str:
    return f"{asked.name}_d{descriptor.pk}"


def _coverage(asked: Asked) -> str:
    return f"{asked.name}_coverage"


def _coverage_points(asked: Asked, chosen: str = "") -> tuple[PointView, ...]:
    return tuple(
        PointView(
            value=str(point.value),
            label=point.label,
            description=point.description,
            checked=str(point.value) == chosen,
            key=str(point.value) if 0 <= point.value <= 9 else "",
        )
        for point in asked.question.points
    )


def _missing(asked: Asked) -> str:
    return f"{asked.name}_missing"


def _verdicts(asked: Asked, fields: Fields) -> dict[int, int]:
    """Descriptor id -> 1 right, 0 not right, of those that are marked."""
    marks = {row.pk: fields.one(_row(asked, row)).strip() for row in asked.facts.descriptors}
    return {pk: VERDICTS[mark] for pk, mark in marks.items() if mark in VERDICTS}


def _has_stray_verdict(asked: Asked, fields: Fields) -> bool:
    marks = (fields.one(_row(asked, row)).strip() for row in asked.facts.descriptors)
    return any(mark and mark not in VERDICTS for mark in marks)


def _groups(asked: Asked) -> list[tuple[str, list[Descriptor]]]:
    """By dimension in its fixed order; within one in an order that is this person's own."""
    by_dimension: dict[str, list[Descriptor]] = {}
    for row in sorted(asked.facts.descriptors, key=lambda row: row.pk):
        by_dimension.setdefault(row.dimension, []).append(row)
    for dimension, rows in by_dimension.items():
        random.Random(f"{asked.facts.seed}:{asked.name}:{dimension}").shuffle(rows)
    labels = _dimension_labels()
    return [(label, by_dimension[key]) for key, label in labels.items() if key in by_dimension]


def _dimension_labels() -> dict[str, str]:
    """In an annotator's words."""
    return {
        "setting": _("Place"),
        "objects": _("Objects"),
        "attire": _("Clothes"),
        "interaction": _("What people do"),
        "layout": _("How things are arranged"),
        "": _("More"),
    }
