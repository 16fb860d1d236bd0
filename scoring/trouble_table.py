"""The items and cells of a run that failed or lack a score, with what is known of the cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from django.db.models import Count

from scoring.cell_words import cell_words
from scoring.models import MetricRun, Score
from scoring.wording import reason_words


def reasons_of(run: MetricRun) -> list[dict[str, Any]]:
    """Every reason with its words and the number of scores without a value, the rarest first."""
    counted = run.scores.filter(value=None).order_by().values("reason").annotate(n=Count("id"))
    return [row | {"words": reason_words(row["reason"])} for row in counted.order_by("n", "reason")]


def troubles_of(run: MetricRun, reason: str) -> Sequence[dict[str, Any]]:
    """One row a score without a value, of one reason or, where it is empty, of all."""
    scores = run.scores.filter(value=None).select_related("item")
    if reason:
        scores = scores.filter(reason=reason)
    return _Troubles(scores.order_by("item__external_id", "cell", "output", "dimension"))


class _Troubles(Sequence[dict[str, Any]]):
    """Rows that are read a page at a time."""

    def __init__(self, scores: Any) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return self._scores.count()

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [_row(score) for score in self._scores[index]]
        return _row(self._scores[index])


def _row(score: Score) -> dict[str, Any]:
    told = score.evidence.get("error") or score.evidence.get("reason") or ""
    return {
        "place": score.item.external_id if score.item else cell_words(score.cell),
        "output": score.output,
        "dimension": score.dimension,
        "words": reason_words(score.reason),
        "told": told if isinstance(told, str) else "",
        "traceback": score.evidence.get("traceback", ""),
    }
