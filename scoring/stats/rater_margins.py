"""Kappas whose chance term takes each rater's own use of the categories: Cohen, Scott, Conger.

With D from `weights`, for raters r and s who share items, p_r and p_s the shares of the categories
in their ratings of the items they share, and d(r, s) their mean disagreement there:

    cohen_kappa = 1 - d(r, s) / (p_r' D p_s)                                  (Cohen 1960, 1968)
    scott_pi    = 1 - d(r, s) / (t' D t),   t = (p_r + p_s) / 2               (Scott 1955)

With more than two raters the number is the mean over the pairs of raters for whom it is defined
(Light 1971), and the pairs left out are counted. Conger's kappa (Conger 1980; with missing ratings
Gwet 2014, chapter 2) compares the mean disagreement over items with what distinct raters expect:

    conger_kappa = 1 - (mean over items) / (mean over r != s of p_r' D p_s)

with p_r over all ratings of r. Every class here answers `value(unit_weights, rater_weights)`: the
coefficient where unit i counts w_i times and rater r v_r times. A rater drawn twice is no second
opinion: pairs run over distinct raters, weighted v_r v_s. With every weight 1 it is the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats.counts import CodedRatings, Codes, Floats
from scoring.stats.many_values import SpreadRatings
from scoring.stats.scale import Scale
from scoring.stats.totals import Needs
from scoring.stats.weights import Distance, disagreement_matrix

MOST_PAIRS = 50_000_000
"""Up to this many pairs of ratings of one unit are listed."""

BLOCK_CELLS = 2_000_000
"""Pairs of raters x categories held at once (16 MB an array)."""


class TooManyPairsError(ValueError):
    """So many ratings of the same units that their pairs cannot be listed."""


@dataclass(frozen=True, eq=False)
class PairwiseKappa:
    """Cohen's kappa or Scott's pi of every two raters; build it with `of`.

    Arrays over pairs of ratings of one unit: `unit`, `pair` (which two raters, ascending), `first`
    and `second` (their categories). Arrays over pairs of raters: `one` and `other`.
    """

    kind: Literal["cohen_kappa", "scott_pi"]
    distance: Distance
    scale: Scale
    unit: Codes
    pair: Codes
    first: Codes
    second: Codes
    one: Codes
    other: Codes
    n_units_used: int
    n_rater_pairs: int
    obstacle: str | None

    @classmethod
    def of(
        cls,
        ratings: CodedRatings,
        *,
        kind: Literal["cohen_kappa", "scott_pi"],
        distance: Distance,
    ) -> PairwiseKappa:
        """Lists the pairs of ratings. Raises TooManyPairsError."""
        a, b = rating_pairs(ratings)
        swapped = ratings.rater[a] > ratings.rater[b]
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        key = ratings.rater[a] * ratings.n_raters + ratings.rater[b]
        order = np.argsort(key, kind="stable")
        a, b = a[order], b[order]
        present, pair = np.unique(key[order], return_inverse=True)
        return cls(
            kind=kind,
            distance=distance,
            scale=ratings.scale,
            unit=ratings.unit[a],
            pair=pair,
            first=ratings.category[a],
            second=ratings.category[b],
            one=present // max(1, ratings.n_raters),
            other=present % max(1, ratings.n_raters),
            n_units_used=int(np.unique(ratings.unit[a]).size),
            n_rater_pairs=ratings.n_raters * (ratings.n_raters - 1) // 2,
            obstacle=None if a.size else "no_pairs",
        )

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """The mean over pairs of raters; nan where no pair has a value."""
        by_pair = self.by_pair(unit_weights)
        together = rater_weights[self.one] * rater_weights[self.other]
        defined = ~np.isnan(by_pair) & (together > 0)
        if not defined.any():
            return float("nan")
        together = together[defined]
        return float(together @ by_pair[defined]) / float(together.sum())

    def by_pair(self, unit_weights: Floats) -> Floats:
        """The coefficient of each pair of raters who share items, shape (n_pairs,); nan where 0/0.

        `one` and `other` say which raters they are.
        """
        q, n = len(self.scale.labels), self.one.size
        step = max(1, BLOCK_CELLS // max(1, q))
        blocks = [
            self._of_block(unit_weights, start, min(start + step, n)) for start in range(0, n, step)
        ]
        return np.concatenate([*blocks, np.empty(0)])

    def _of_block(self, unit_weights: Floats, start: int, stop: int) -> Floats:
        """The coefficient of the pairs of raters from `start` to `stop`."""
        low, high = np.searchsorted(self.pair, [start, stop])
        pair, n = self.pair[low:high] - start, stop - start
        weight = unit_weights[self.unit[low:high]]
        first, second = self.first[low:high], self.second[low:high]
        apart = disagreement_matrix(self.distance, self.scale)
        size = np.bincount(pair, weights=weight, minlength=n)
        differing = np.bincount(pair, weights=weight * apart[first, second], minlength=n)
        q = apart.shape[0]
        left, right = (
            np.bincount(pair * q + side, weights=weight, minlength=n * q).reshape(n, q)
            for side in (first, second)
        )
        if self.kind == "scott_pi":
            both = left + right
            expected = np.einsum("pq,pq->p", both @ apart, both) / 4.0
        else:
            expected = np.einsum("pq,pq->p", left @ apart, right)
        # Observed and expected are both sums: the sizes cancel but once.
        quotient = np.full(n, np.nan)
        np.divide(differing * size, expected, out=quotient, where=expected > 0)
        return np.asarray(1.0 - quotient)

    def n_left_out(self) -> int:
        """How many pairs of raters have no value: no shared item, or no variation."""
        n_units = int(self.unit.max(initial=-1)) + 1
        return self.n_rater_pairs - int((~np.isnan(self.by_pair(np.ones(n_units)))).sum())


@dataclass(frozen=True, eq=False)
class CongerKappa:
    """Conger's kappa; build it with `of`."""

    distance: Distance
    ratings: CodedRatings
    spread: SpreadRatings
    n_units_used: int
    obstacle: str | None

    @classmethod
    def of(cls, ratings: CodedRatings, *, distance: Distance) -> CongerKappa:
        """Finds the cells that occur."""
        sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
        paired = int((sizes > 1).sum())
        spread = SpreadRatings.of(ratings)
        return cls(distance, ratings, spread, paired, None if paired else "no_pairs")

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """Conger's kappa of weighted units and raters; nan where it is undefined."""
        needs = Needs(distances=(self.distance,))
        totals = self.spread.totals(needs, unit_weights, rater_weights)
        expected = self._expected(unit_weights, rater_weights)
        if totals.paired[0] == 0 or not expected > 0:
            return float("nan")
        observed = float(totals.disagreements[self.distance].per_item[0] / totals.paired[0])
        return 1.0 - observed / expected

    def _expected(self, w: Floats, v: Floats) -> float:
        """Mean over distinct raters r, s of p_r' D p_s, weighted v_r v_s."""
        ratings = self.ratings
        q = len(ratings.scale.labels)
        apart = disagreement_matrix(self.distance, ratings.scale)
        flat = np.bincount(
            ratings.rater * q + ratings.category,
            weights=w[ratings.unit],
            minlength=ratings.n_raters * q,
        )
        used = flat.reshape(ratings.n_raters, q)
        size = used.sum(axis=1, keepdims=True)
        # A rater none of whose units was drawn expects nothing.
        weight = np.where(size[:, 0] > 0, v, 0.0)
        share = np.divide(used, size, out=np.zeros((ratings.n_raters, q)), where=size > 0)
        share *= weight[:, None]
        total = share.sum(axis=0)
        alone = np.einsum("rq,rq->", share @ apart, share)
        pairs = float(weight.sum() ** 2 - weight @ weight)
        return float(total @ apart @ total - alone) / pairs if pairs > 0 else float("nan")


def rating_pairs(ratings: CodedRatings) -> tuple[Codes, Codes]:
    """Positions of every two ratings of one unit, each pair once. Raises TooManyPairsError."""
    order = np.argsort(ratings.unit, kind="stable")
    lengths = np.bincount(ratings.unit, minlength=ratings.n_units)
    total = int((lengths * (lengths - 1) // 2).sum())
    if total > MOST_PAIRS:
        raise TooManyPairsError(
            f"The units have {total} pairs of ratings; Cohen's kappa and Scott's pi list them all "
            f"and take up to {MOST_PAIRS}. Use Fleiss' or Conger's kappa instead."
        )
    position = np.arange(order.size)
    partners = np.repeat(np.cumsum(lengths), lengths) - position - 1
    first = np.repeat(position, partners)
    before = np.repeat(np.cumsum(partners) - partners, partners)
    second = first + 1 + np.arange(first.size) - before
    return order[first], order[second]
