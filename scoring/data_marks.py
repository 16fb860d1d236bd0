"""Marks of what a report rests on beside the ratings: each differs as soon as its data do.

A stored report is shown as that of the data as they are while its marks are the same, so whatever a
report reads and somebody can change belongs to one of them. Of what is changed in place a digest is
taken; of what is only added and removed, sums of keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, F, Max, Sum

from scoring.chosen import done_runs, read_of
from scoring.coverage import inputs_have_changed
from studies.models import AnalysisPlan, GoldLabel, Study, UnitItem

CHUNK = 10_000
ITEM = ("pk", "external_id", "purpose", "system_id", "country", "category", "aspect", "variant",
        "scenario", "prompt", "origin", "sha256")  # fmt: skip
QUESTION = (
    *("id", "key", "reported_as", "direction", "position", "level"),
    *("kind", "asked_of", "tier", "allow_na"),
)
RUN = ("pk", "n_done", "n_failed", "n_undefined", "finished_at")


def runs_mark(study: Study) -> list[object]:
    """The runs that reports read and whether what they were made from has changed; every finished
    run, since reports count them and hold answerers against each other. A run whose failed items
    were tried again has ended at another moment."""
    done = done_runs(study)
    return [
        [[run.pk, inputs_have_changed(run)] for run in read_of(done)],
        [[str(getattr(run, name)) for name in RUN] for run in done],
    ]


def items_mark(study: Study) -> list[object]:
    """What items are and belong to, the units that hold them, and which scenarios are unique
    without their country: an import may change any of these while people rate."""
    members = UnitItem.objects.filter(unit__study=study).order_by()
    judged = study.scenarios.exclude(unique_without_country=None).order_by("key", "country")
    return [
        _digest(study.items.order_by("pk").values_list(*ITEM)),
        *members.aggregate(n=Count("pk"), last=Max("pk")).values(),
        _digest(judged.values_list("key", "country", "unique_without_country")),
    ]


def questions_mark(study: Study) -> list[object]:
    """Differs when a question's scale, direction or level does."""
    questions = study.questions.order_by("id")
    return [
        list(questions.values_list(*QUESTION)),
        list(questions.values_list("points__value", "points__label")),
    ]


def gold_mark(study: Study) -> list[object]:
    """Differs when gold labels come, go or are given another value."""
    sums = GoldLabel.objects.filter(study=study).aggregate(
        n=Count("id"),
        last=Max("id"),
        sum=Sum("value"),
        # Two labels that change places leave the sum as it was.
        by_id=Sum(F("id") * F("value")),
    )
    return list(sums.values())


def plan_mark(study: Study) -> list[object]:
    """Differs when the analysis plan is changed, fixed or opened."""
    plan = AnalysisPlan.objects.filter(study=study).values().first() or {}
    return [str(plan[name]) for name in sorted(plan)]


def _digest(rows: Any) -> str:
    digest = hashlib.sha256()
    for row in _streamed(rows):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def _streamed(rows: Any) -> Iterable[tuple[Any, ...]]:
    return rows.iterator(chunk_size=CHUNK)
