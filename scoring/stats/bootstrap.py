"""Bootstrap intervals for agreement: items, clusters of items, raters, and items x raters.

Raters are a sample of people as items are a sample of images, so the headline is items x raters;
`pair_sums` says how a rater who is drawn twice is kept from agreeing with himself. Items can be
drawn by cluster (all items of a prompt together) and within strata (each country's own).
`intervals` makes the interval: percentile, BCa or jackknife-t. With all weights 1 a replicate is
the estimate.

A draw of a single rater holds no pair whatever the items are; it is drawn again. With two raters
that leaves only both of them, so there items x raters resamples the items alone, and the result
says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scoring.stats.agreement import estimate_agreement
from scoring.stats.coefficients import Coefficient, needs_of
from scoring.stats.counts import CodedRatings
from scoring.stats.intervals import (
    INTERVAL_KINDS,
    IntervalKind,
    LeftOut,
    bca_interval,
    jackknife_error,
    jackknife_t_interval,
    percentile_interval,
    standard_error,
)
from scoring.stats.item_sums import BLOCK_CELLS
from scoring.stats.pair_sums import PairSums
from scoring.stats.progress import BootstrapStopped, Progress, ShouldStop, Watch
from scoring.stats.resampling import RESAMPLES, Resample, Resampling
from scoring.stats.result import AgreementResult, Interval
from scoring.stats.totals import Floats, Totals

__all__ = [
    "BLOCK_CELLS",
    "INTERVAL_KINDS",
    "RESAMPLES",
    "BootstrapStopped",
    "IntervalKind",
    "Resample",
    "agreement_intervals",
    "bootstrap_agreement",
    "percentile_interval",
    "replicate_values",
    "standard_error",
    "two_way_totals",
]


def bootstrap_agreement(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    seed: int,
    resample: Resample = "two-way",
    interval: IntervalKind = "percentile",
    strata: npt.ArrayLike | None = None,
    rater_strata: npt.ArrayLike | None = None,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[AgreementResult, ...]:
    """Each coefficient with a 95 % interval; all from the same draws.

    `replicates` 0 gives estimates without interval. Items are drawn by cluster where the ratings
    carry clusters, and within `strata` (n_units,), raters within `rater_strata` (n_raters,), where
    those codes are given. The same seed gives the same interval. `progress(done, total)` is called
    after each block of replicates (or pass that leaves something out); when `should_stop()` is
    true the next block is not computed.

    Raises ValueError for an unknown `resample` or `interval` or a negative number of replicates,
    StratumError for strata that do not fit, and BootstrapStopped.
    """
    by_kind = agreement_intervals(
        ratings=ratings,
        coefficients=coefficients,
        replicates=replicates,
        seed=seed,
        kinds=(interval,),
        resample=resample,
        strata=strata,
        rater_strata=rater_strata,
        progress=progress,
        should_stop=should_stop,
    )
    return by_kind[interval]


def agreement_intervals(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    seed: int,
    kinds: Sequence[IntervalKind],
    resample: Resample = "two-way",
    strata: npt.ArrayLike | None = None,
    rater_strata: npt.ArrayLike | None = None,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> dict[IntervalKind, tuple[AgreementResult, ...]]:
    """What `bootstrap_agreement` gives, for several kinds of interval from the same draws."""
    for kind in kinds:
        if kind not in INTERVAL_KINDS:
            known = ", ".join(INTERVAL_KINDS)
            raise ValueError(f"The interval {kind!r} is unknown; choose from {known}.")
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")
    if resample == "two-way" and ratings.n_raters <= 2:
        resample = "items"
    resampling = Resampling(
        ratings=ratings,
        coefficients=coefficients,
        resample=resample,
        strata=strata,
        rater_strata=rater_strata,
    )
    estimates = estimate_agreement(ratings=ratings, coefficients=coefficients)
    if replicates == 0 or not estimates:
        return dict.fromkeys(kinds, estimates)
    making = _Making(resampling, kinds, replicates, seed)
    making.draw(_obstacle(resampling, estimates[0]), progress, should_stop)
    return {
        kind: tuple(making.finished(kind, column, one) for column, one in enumerate(estimates))
        for kind in kinds
    }


def replicate_values(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    replicates: int,
    rng: np.random.Generator,
    resample: Resample,
) -> Floats:
    """Bootstrap replicates, shape (replicates, n_coefficients); nan where undefined."""
    resampling = Resampling(ratings=ratings, coefficients=coefficients, resample=resample)
    return resampling.replicates(replicates, rng)


def two_way_totals(
    *,
    ratings: CodedRatings,
    coefficients: Sequence[Coefficient],
    item_weights: npt.ArrayLike,
    rater_weights: npt.ArrayLike,
) -> Totals:
    """The sums of one items x raters replicate (see `pair_sums`) for some coefficients.

    `item_weights` (n_units,) and `rater_weights` (n_raters,) are multiplicities; all 1 gives the
    sums of the estimate.
    """
    sums = PairSums(ratings, needs_of(coefficients), memory_cells=BLOCK_CELLS)
    return sums.totals(np.asarray(item_weights)[None], np.asarray(rater_weights)[None])


class _Making:
    """Intervals in the making, all kinds from the same draws."""

    def __init__(
        self, resampling: Resampling, kinds: Sequence[IntervalKind], replicates: int, seed: int
    ) -> None:
        self.resampling = resampling
        self.kinds = kinds
        self.replicates = replicates
        self.seed = seed
        self.obstacle: str | None = None
        self.drawn: Floats = np.empty((0, len(resampling.coefficients)))
        self.left_out: list[list[LeftOut]] = [[] for _ in resampling.coefficients]

    def draw(
        self, obstacle: str | None, progress: Progress | None, should_stop: ShouldStop | None
    ) -> None:
        """Draws what the kinds rest on, unless there is an obstacle to all intervals."""
        self.obstacle = obstacle
        if obstacle is not None:
            return
        leaves_out = any(kind != "percentile" for kind in self.kinds)
        draws = any(kind != "jackknife-t" for kind in self.kinds)
        passes = self.resampling.n_passes if leaves_out else 0
        watch = Watch(
            total=passes + (self.replicates if draws else 0),
            progress=progress,
            should_stop=should_stop,
        )
        if leaves_out:
            self.left_out = self.resampling.left_out(watch)
        if draws:
            rng = np.random.default_rng(self.seed)
            self.drawn = self.resampling.replicates(self.replicates, rng, watch)

    def finished(
        self, kind: IntervalKind, column: int, estimate: AgreementResult
    ) -> AgreementResult:
        """The estimate with its interval and standard error."""
        made = self._interval(kind, column, estimate.value, estimate.reason or self.obstacle)
        se = None
        if made.reason is None and kind == "jackknife-t":
            se = jackknife_error(self.left_out[column])
        elif made.reason is None:
            se = standard_error(self.drawn[:, column])
        return replace(estimate, interval=made, se=se)

    def _interval(
        self, kind: IntervalKind, column: int, value: float | None, reason: str | None
    ) -> Interval:
        drawn, left_out = self.drawn[:, column], self.left_out[column]
        label = self.resampling.label
        if value is None:
            return replace(
                percentile_interval(
                    drawn,
                    resampled=label,
                    replicates=self.replicates,
                    seed=self.seed,
                    reason=reason,
                ),
                kind=kind,
            )
        if kind == "jackknife-t":
            return jackknife_t_interval(
                estimate=value, left_out=left_out, resampled=label, seed=self.seed, reason=reason
            )
        if kind == "percentile":
            return percentile_interval(
                drawn,
                resampled=label,
                replicates=self.replicates,
                seed=self.seed,
                reason=reason,
            )
        return bca_interval(
            drawn,
            estimate=value,
            left_out=left_out,
            resampled=label,
            replicates=self.replicates,
            seed=self.seed,
            reason=reason,
        )


def _obstacle(resampling: Resampling, estimate: AgreementResult) -> str | None:
    """Why no interval can be had of any coefficient, or None."""
    items, raters = resampling.items, resampling.raters
    if estimate.n_units_paired == 0:
        return "no_pairs"
    if items is not None:
        if estimate.n_units_paired < 2:
            return "one_item"
        if items.clustered and items.pool.n == 1:
            return "one_cluster"
        if items.pool.fixed:
            return "one_per_stratum"
    if raters is not None and (raters.n <= 2 or raters.fixed):
        return "too_few_raters"
    return None
