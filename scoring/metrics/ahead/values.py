"""One number of AHEaD before it is a score row: its value or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from scoring.metrics.base import Cell, ScoreRow

# Where dimensions are undefined for several reasons, the one that somebody can mend first.
_FIRST = ("no_prediction", "refused", "parse_failed", "no_reference", "not_applicable")


@dataclass(frozen=True, slots=True)
class Value:
    """``value`` is None exactly where ``reason`` holds a code of ``scoring.metrics.base.REASONS``.

    ``evidence`` is JSON-serialisable; its ``why`` says in a few words what a reason leaves open.
    """

    value: float | None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def undefined(cls, reason: str, why: str = "", **evidence: Any) -> Value:
        return cls(None, reason, {**evidence, **({"why": why} if why else {})})


ByDimension = Mapping[str, Value]
"""Values by dimension, the overall one under ''."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is scored: an item, or a cell."""

    item_key: str = ""
    cell: Cell | None = None

    def rows(self, metric: str, values: ByDimension) -> list[ScoreRow]:
        return [
            ScoreRow(
                item_key=self.item_key,
                metric=metric,
                dimension=dimension,
                value=one.value,
                reason=one.reason,
                evidence=one.evidence,
                cell=self.cell,
            )
            for dimension, one in values.items()
        ]


def mean_of_defined(values: ByDimension, **evidence: Any) -> Value:
    """The mean of the dimensions in which the value is defined, with their number and names.

    Without any: the reason that could be mended first.
    """
    defined = {d: v.value for d, v in values.items() if v.value is not None}
    evidence |= {"n_defined": len(defined), "defined": list(defined)}
    if defined:
        return Value(fmean(defined.values()), "", evidence)
    return Value(None, first_reason([v.reason for v in values.values()]), evidence)


def first_reason(reasons: Sequence[str]) -> str:
    return min(reasons, key=lambda code: _FIRST.index(code) if code in _FIRST else len(_FIRST))
