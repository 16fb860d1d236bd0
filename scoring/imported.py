"""Scores that were computed elsewhere, as runs of a metric of their own: ``imported:<name>``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone

from scoring.declared import IMPORTED, VALUE
from scoring.metrics.base import REASONS
from scoring.models import MetricRun, RunState, Score
from scoring.selection import scored_items
from studies.importing.tables import control_character, visible
from studies.models import Study

LONGEST_NAME = 50
LONGEST_DIMENSION = 200
_SHOWN = 20  # problems that are told


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One score: the researcher's id of the item, and a value or none with a reason.

    ``reason`` is a code of ``scoring.metrics.base.REASONS`` or words of the other software; it may
    be empty. ``where`` names the place in a problem, e.g. ``Line 12``.
    """

    item: str
    value: float | None
    dimension: str = ""
    reason: str = ""
    where: str = ""


class ImportedScoresError(Exception):
    """Scores cannot be imported as they are. ``problems`` are sentences, the first of them."""

    def __init__(self, problems: Sequence[str]) -> None:
        more = len(problems) - _SHOWN
        self.problems = list(problems[:_SHOWN]) + ([f"And {more} more."] if more > 0 else [])
        super().__init__(" ".join(self.problems))


@transaction.atomic
def import_metrics(
    *, study: Study, by_metric: Mapping[str, Iterable[ImportedRow]], **declared: Any
) -> list[MetricRun]:
    """A run for each metric, as ``import_scores`` makes it of one; all of them or none."""
    spelled: dict[str, str] = {}
    for name in by_metric:
        other = spelled.setdefault(" ".join(name.split()), name)
        if other != name:
            raise ImportedScoresError([f"{other!r} and {name!r} are one name. Write it one way."])
    return [
        import_scores(study=study, name=name, rows=rows, **declared)
        for name, rows in by_metric.items()
    ]


def import_scores(
    *,
    study: Study,
    rows: Iterable[ImportedRow],
    name: str,
    better: Literal["higher", "lower"],
    low: float | None,
    high: float | None,
    source: str,
    by: Any,
    version: str = "1",
    model_id: str = "",
) -> MetricRun:
    """A run that is done, with these scores; all of them or none.

    ``name`` is the metric: a second import under the same name is another run of it. ``low`` and
    ``high`` are the ends of its range, None where it is open. Items that are not to be rated are
    left out and counted in the run's ``declared``. Raises ``ImportedScoresError`` for a wrong
    declaration, an unknown item, a value outside of the range, two scores of one item and
    dimension, and where nothing is left.
    """
    declared = _declared(name=name, better=better, low=low, high=high, source=source)
    rows = list(rows)
    known = dict(study.items.values_list("external_id", "pk"))
    problems = _problems(rows, known, low, high)
    if problems:
        raise ImportedScoresError(problems)
    kept, n_rated = _of_rated_items(study, rows, known)
    dimensions = list(dict.fromkeys(row.dimension for row in kept if row.dimension))
    declared |= {"dimensions": dimensions, "left_out": len(rows) - len(kept)}
    with transaction.atomic():
        now = timezone.now()
        run = MetricRun.objects.create(
            study=study,
            metric=f"{IMPORTED}{declared['name']}",
            metric_version=version[:20],
            model_id=model_id[:200],
            declared=declared,
            state=RunState.DONE,
            n_items=n_rated,
            **_counts(kept),
            requested_by=by,
            started_at=now,
            heartbeat_at=now,
            finished_at=now,
        )
        Score.objects.bulk_create(
            [_score(run, known[row.item], row) for row in kept], batch_size=500
        )
    return run


def _of_rated_items(
    study: Study, rows: Sequence[ImportedRow], known: Mapping[str, int]
) -> tuple[list[ImportedRow], int]:
    """(the rows of items that are to be rated, how many such items there are)."""
    rated = set(scored_items(study).values_list("pk", flat=True))
    kept = [row for row in rows if known[row.item] in rated]
    if not kept:
        raise ImportedScoresError(["There is no score of an item that is to be rated."])
    return kept, len(rated)


def _declared(**told: Any) -> dict[str, Any]:
    told["name"] = " ".join(told["name"].split())
    low, high = told["low"], told["high"]
    problems = []
    if not told["name"] or len(told["name"]) > LONGEST_NAME:
        problems.append(f"Give the metric a name of at most {LONGEST_NAME} characters.")
    if told["better"] not in {"higher", "lower"}:
        problems.append("Say whether higher or lower is better.")
    ends = [end for end in (low, high) if end is not None]
    if not all(math.isfinite(end) for end in ends) or (len(ends) == 2 and low >= high):
        problems.append("The lowest possible value must be below the highest.")
    if not told["source"].strip():
        problems.append("Say where the scores come from: a paper, a program and its version.")
    if problems:
        raise ImportedScoresError(problems)
    return told


def _problems(
    rows: Sequence[ImportedRow], known: dict[str, int], low: float | None, high: float | None
) -> list[str]:
    problems, seen = [], set()
    for number, row in enumerate(rows, start=1):
        place = (row.item, row.dimension)
        if row.item not in known:
            wrong = f"there is no item {visible(row.item)!r} in this study"
        elif place in seen:
            wrong = f"a second score of {row.item} {visible(row.dimension)}".rstrip()
        else:
            wrong = _wrong_words(row) or _wrong_value(row, low, high)
        seen.add(place)
        if wrong:
            problems.append(f"{row.where or f'Row {number}'}: {wrong}.")
    return problems


def _wrong_words(row: ImportedRow) -> str:
    if len(row.dimension) > LONGEST_DIMENSION:
        return f"the dimension is longer than {LONGEST_DIMENSION} characters"
    for what, said in (("dimension", row.dimension), ("reason", row.reason)):
        if control := control_character(said, lines=False):
            return f"the {what} {visible(said)!r} holds {control}, which is no text"
    return ""


def _wrong_value(row: ImportedRow, low: float | None, high: float | None) -> str:
    if row.value is None:
        return ""
    if row.reason:
        return "a score has a value or a reason, not both"
    if not math.isfinite(row.value):
        return f"{row.value} is not a finite number; leave it empty where there is no value"
    below = low is not None and row.value < low
    above = high is not None and row.value > high
    return f"{row.value:g} is outside of the declared range" if below or above else ""


def _counts(rows: Sequence[ImportedRow]) -> dict[str, int]:
    undefined = {row.item for row in rows if not row.dimension and row.value is None}
    return {"n_done": len({row.item for row in rows}), "n_undefined": len(undefined)}


def _score(run: MetricRun, item: int, row: ImportedRow) -> Score:
    reason, evidence = "", {}
    if row.value is None:
        reason = row.reason if row.reason in REASONS else "no_value"
        evidence = {"reason": row.reason} if row.reason and reason == "no_value" else {}
    return Score(
        run=run,
        item_id=item,
        output=VALUE,
        dimension=row.dimension,
        value=row.value,
        reason=reason,
        evidence=evidence,
    )
