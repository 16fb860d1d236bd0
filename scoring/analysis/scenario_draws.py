"""Intervals of CultureScore's shares and differences: whole scenarios are drawn anew."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from scoring.metrics.culturescore_tables import DIMENSIONS, NAMES, Answers
from scoring.stats.result import DEPENDABLE_UNITS, Interval

Floats = npt.NDArray[np.float64]
LEVEL = 0.95
MOST_UNDEFINED = 0.05


class ScenarioDraws:
    """Percentile intervals of a share, or of the difference of two, over the same scenarios."""

    def __init__(self, replicates: int, seed: int) -> None:
        self._replicates = replicates
        self._seed = seed

    def intervals(self, sides: Sequence[Sequence[Answers]]) -> dict[str, Interval | None]:
        """By name of the share, of ``sides[0]`` or of it less ``sides[1]``; None for all where
        intervals are for later (no replicates)."""
        if not self._replicates:
            return dict.fromkeys(NAMES)
        scenarios = sorted({video.scenario for side in sides for video in side}, key=str)
        n = len(scenarios)
        if n < DEPENDABLE_UNITS:
            return dict.fromkeys(NAMES, self._interval(reason="too_few_for_interval"))
        place = {scenario: number for number, scenario in enumerate(scenarios)}
        rng = np.random.default_rng(self._seed)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=self._replicates)
        drawn = [_shares(np.tensordot(weights, _counts(side, place), axes=1)) for side in sides]
        found = drawn[0]
        if len(drawn) == 2:
            found = {name: drawn[0][name] - drawn[1][name] for name in NAMES}
        return {name: self._of(found[name]) for name in NAMES}

    def _of(self, drawn: Floats) -> Interval:
        defined = drawn[np.isfinite(drawn)]
        lost = 1 - defined.size / drawn.size
        if lost > MOST_UNDEFINED:
            return self._interval(reason="undefined_replicates", lost=lost)
        low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return self._interval(low=float(low), high=float(high), lost=lost)

    def _interval(
        self,
        *,
        low: float | None = None,
        high: float | None = None,
        reason: str | None = None,
        lost: float | None = None,
    ) -> Interval:
        return Interval(
            low=low,
            high=high,
            reason=reason,
            level=LEVEL,
            kind="percentile",
            resampled="clusters",
            replicates=self._replicates,
            seed=self._seed,
            undefined_share=lost,
        )


def _counts(videos: Sequence[Answers], place: Mapping[Hashable, int]) -> Floats:
    """(scenarios, dimensions and all others together, 2): answered, and yes."""
    counts = np.zeros((len(place), len(DIMENSIONS) + 1, 2))
    column = {name: number for number, name in enumerate(DIMENSIONS)}
    for video in videos:
        for name, tally in video.tallies.items():
            at = column.get(name, len(DIMENSIONS))
            counts[place[video.scenario], at] += (tally.answered, tally.yes)
    return counts


def _shares(totals: Floats) -> dict[str, Floats]:
    """{name: (replicates,)} of such counts, summed; nan where nothing was drawn.

    The headline is of the three dimensions, the pooled share of all questions.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = totals[:, : len(DIMENSIONS), 1] / totals[:, : len(DIMENSIONS), 0]
        pooled = totals[:, :, 1].sum(axis=1) / totals[:, :, 0].sum(axis=1)
    named = {name: shares[:, number] for number, name in enumerate(DIMENSIONS)}
    return {**named, "headline": shares.mean(axis=1), "pooled": pooled}
