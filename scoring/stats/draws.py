"""What a bootstrap draws anew: items, clusters of items, raters; over all or within strata.

A draw is a list of multiplicities: how often each thing came. Draws of one generator do not depend
on how many are asked for at a time, so the size of a block of replicates changes no replicate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from scoring.stats.counts import CodedRatings, Codes

Multiplicities = npt.NDArray[np.int64]


class StratumError(ValueError):
    """Strata that do not fit the things they divide, or that cut through a cluster."""


class Pool:
    """`n` things to be drawn with replacement, within strata where `strata` (n,) names them."""

    def __init__(self, n: int, strata: Codes | None = None) -> None:
        self.n = n
        self.strata = np.zeros(n, dtype=np.intp) if strata is None else strata
        # Things sorted by stratum, and the range of places each place is drawn from.
        self._order = np.argsort(self.strata, kind="stable")
        sizes = np.bincount(self.strata)
        ends = np.cumsum(sizes)
        self._lowest = np.repeat(ends - sizes, sizes)
        self._beyond = np.repeat(ends, sizes)
        self.divided = sizes.size > 1

    def draw(self, rng: np.random.Generator, times: int) -> Multiplicities:
        """How often each thing came in each of `times` draws, shape (times, n)."""
        if self.divided:
            places = rng.integers(self._lowest, self._beyond, size=(times, self.n))
            things = self._order[places]
        else:
            things = rng.integers(self.n, size=(times, self.n))
        things += self.n * np.arange(times)[:, None]
        return np.bincount(things.ravel(), minlength=times * self.n).reshape(times, self.n)

    def draw_pairable(self, rng: np.random.Generator, times: int) -> Multiplicities:
        """The same, each draw with two different things at least (raters make pairs)."""
        drawn = np.empty((times, self.n), dtype=np.int64)
        for row in drawn:
            row[:] = self.draw(rng, 1)[0]
            while int(np.count_nonzero(row)) < 2:
                row[:] = self.draw(rng, 1)[0]
        return drawn

    @property
    def fixed(self) -> bool:
        """Whether every draw is the same, because each stratum has but one thing."""
        return int(np.bincount(self.strata, minlength=1).max()) < 2

    def samples(self) -> Iterator[Codes]:
        """The things of each stratum."""
        for stratum in np.unique(self.strata):
            yield np.flatnonzero(self.strata == stratum)


class ItemPool:
    """The items of some ratings: drawn one by one or, where they carry clusters, by cluster.

    `thing` (n_units,) is what has to be drawn for a unit to come; `strata` (n_units,) are dense
    codes, or None. Raises StratumError for strata of another shape, or where a cluster is in two
    of them.
    """

    def __init__(self, ratings: CodedRatings, strata: npt.ArrayLike | None = None) -> None:
        cluster = ratings.cluster
        self.clustered = cluster is not None
        self.thing: Codes = np.arange(ratings.n_units) if cluster is None else cluster
        n_things = int(self.thing.max()) + 1 if self.thing.size else 0
        self.strata = None if strata is None else checked_strata(strata, ratings.n_units, "units")
        of_things = None
        if self.strata is not None:
            self._refuse_cut_clusters(self.strata, n_things)
            of_things = self._of_things(self.strata, n_things)
        self.pool = Pool(n_things, of_things)

    def draw(self, rng: np.random.Generator, times: int) -> Multiplicities:
        """How often each unit came in each of `times` draws, shape (times, n_units)."""
        drawn = self.pool.draw(rng, times)
        return drawn[:, self.thing] if self.clustered else drawn

    def _of_things(self, codes: Codes, n_things: int) -> Codes:
        of_things = np.empty(n_things, dtype=np.intp)
        of_things[self.thing] = codes
        return of_things

    def _refuse_cut_clusters(self, codes: Codes, n_things: int) -> None:
        cut = np.flatnonzero(self._of_things(codes, n_things)[self.thing] != codes)
        if cut.size:
            raise StratumError(
                f"Cluster {int(self.thing[cut[0]])} has items in two strata; a cluster is drawn as "
                "a whole and belongs to one stratum."
            )


def rater_pool(ratings: CodedRatings, strata: npt.ArrayLike | None = None) -> Pool:
    """The raters of some ratings; `strata` (n_raters,) are codes. Raises StratumError."""
    codes = None if strata is None else checked_strata(strata, ratings.n_raters, "raters")
    return Pool(ratings.n_raters, codes)


def checked_strata(strata: npt.ArrayLike, n: int, what: str) -> Codes:
    """Strata as 0-based codes without gaps, shape (n,); raises StratumError."""
    codes = np.asarray(strata)
    if codes.shape != (n,) or not np.issubdtype(codes.dtype, np.integer):
        raise StratumError(
            f"Strata of shape {codes.shape} and type {codes.dtype} came; one whole number for each "
            f"of the {n} {what} is needed."
        )
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
