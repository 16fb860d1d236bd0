"""Two runs of one metric side by side: how far their scores agree, and where they do not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from scoring.models import MetricRun
from scoring.stats.association import Pairs
from scoring.stats.correlation import FEWEST_IN_GROUP, why_undefined

LARGEST = 6  # differences that are shown of each output

Place = int | str
"""An item's primary key, or a cell's key."""


@dataclass(frozen=True, slots=True)
class Difference:
    place: Place
    first: float
    second: float

    @property
    def value(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """One output in one dimension. ``n`` places have a value in both runs; the others lack it in
    the ``first``, in the ``second``, or in ``neither`` run. ``mean_difference`` is second minus
    first, None without pairs; ``reason`` says why there is no correlation. Differences are the
    largest in size, the largest first.
    """

    output: str
    dimension: str
    n: int
    only_first: int
    only_second: int
    neither: int
    pearson: float | None
    spearman: float | None
    reason: str
    mean_difference: float | None
    largest: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Every pair is of two equal values."""
        return self.n > 0 and not self.largest


def compare_runs(first: MetricRun, second: MetricRun) -> list[OutputComparison]:
    """Every (output, dimension) that both runs have scores of: items', then cells'."""
    ours, theirs = _values(first), _values(second)
    return [_compared(*key, ours[key], theirs[key]) for key in ours if key in theirs]


def _values(run: MetricRun) -> dict[tuple[str, str, bool], dict[Place, float | None]]:
    """Values by place, for each output, dimension, and whether places are cells."""
    found: dict[tuple[str, str, bool], dict[Place, float | None]] = defaultdict(dict)
    rows = run.scores.order_by("pk").values_list("output", "dimension", "item", "cell", "value")
    for output, dimension, item, cell, value in rows.iterator(chunk_size=5000):
        found[output, dimension, item is None][cell if item is None else item] = value
    return dict(found)


def _compared(
    output: str,
    dimension: str,
    of_cells: bool,
    first: dict[Place, float | None],
    second: dict[Place, float | None],
) -> OutputComparison:
    places = list(dict.fromkeys([*first, *second]))
    x = np.array([_number(first.get(place)) for place in places])
    y = np.array([_number(second.get(place)) for place in places])
    there, here = ~np.isnan(x), ~np.isnan(y)
    both = there & here
    paired = [place for place, has in zip(places, both, strict=True) if has]
    x, y = x[both], y[both]
    reason = why_undefined(x, y, FEWEST_IN_GROUP) or ""
    pairs = None if reason else Pairs(x, y)
    pearson = pairs.value("pearson") if pairs else None
    spearman = pairs.value("spearman") if pairs else None
    if pairs and None in (pearson, spearman):
        reason = "no_variation"
    difference = y - x
    order = np.argsort(-np.abs(difference), kind="stable")[:LARGEST]
    return OutputComparison(
        output=output,
        dimension=dimension,
        n=len(paired),
        only_first=int((there & ~here).sum()),
        only_second=int((here & ~there).sum()),
        neither=int((~there & ~here).sum()),
        pearson=pearson,
        spearman=spearman,
        reason=reason,
        mean_difference=float(difference.mean()) if paired else None,
        largest=tuple(
            Difference(paired[n], float(x[n]), float(y[n])) for n in order if difference[n]
        ),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value
