"""Bradley-Terry and Plackett-Luce strengths of ranked items, with bootstrap intervals.

The estimates are `choix`'s (iterative Luce spectral ranking, Maystre and Grossglauser 2015: the
maximum of the likelihood). Bradley-Terry takes every pair of a ranking as a comparison,
Plackett-Luce every ranking as a row of choices from what is left. Strengths are logarithms around
mean 0: exp(a - b) are the odds of a over b.

**Connectivity.** A maximum exists only where one can go from each item to each other along "lost
to" (Ford 1957). It is checked first and said: on data that are not connected, libraries raise, or
give zeros or a made-up value.

**Intervals.** People and prompts are drawn anew, independently; a ranking counts as often as its
person times its prompt. The fit of all replicates at once is the minorise-maximise iteration of
Hunter (2004), equation 30: a Bradley-Terry comparison is a choice from two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.draws import Pool
from scoring.stats.intervals import percentile_interval, standard_error
from scoring.stats.progress import Progress, ShouldStop, Watch
from scoring.stats.rankings import Rankings, win_matrix
from scoring.stats.result import Interval

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

Model = Literal["bradley-terry", "plackett-luce"]
MODELS: tuple[Model, ...] = get_args(Model)

MOST_STEPS = 20_000
CONVERGED = 1e-10
"""Largest change of a log strength at the last step."""

BLOCK_CELLS = 1_000_000


class UnsettledFit(ArithmeticError):
    """The estimate did not settle; strengths are too far apart to be told from these rankings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemStrength:
    """One item's log strength (mean 0 over items); None where the fit has a reason."""

    item: int
    value: float | None
    se: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """A fit. `components` are the strongly connected parts: one of them where a fit exists.

    With several, in order: nobody of a later part ever stood above anybody of an earlier one, or
    the two were never compared.
    """

    model: Model
    items: tuple[ItemStrength, ...]
    reason: str | None
    components: tuple[tuple[int, ...], ...]
    n_rankings: int
    n_raters: int
    n_prompts: int


def fit_strengths(
    *,
    rankings: Rankings,
    model: Model = "bradley-terry",
    replicates: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Strengths:
    """Strengths of all items, with 95 % percentile intervals where replicates are asked for.

    Raises ValueError for an unknown model or negative replicates, UnsettledFit, and
    BootstrapStopped where `should_stop` says so.
    """
    if model not in MODELS:
        raise ValueError(f"Model {model!r} is unknown; choose from {', '.join(MODELS)}.")
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")
    components = _components(win_matrix(rankings=rankings).wins)
    reason = _obstacle(rankings, model, components)
    values: list[float] | None = None if reason else _estimate(rankings, model).tolist()
    intervals: list[Interval | None] = [None] * rankings.n_items
    errors: list[float | None] = [None] * rankings.n_items
    if replicates:
        watch = Watch(total=replicates, progress=progress, should_stop=should_stop)
        intervals, errors = _intervals(rankings, model, values, reason, seed, watch)
    return Strengths(
        model=model,
        items=tuple(
            ItemStrength(
                item=item,
                value=None if values is None else values[item],
                se=errors[item],
                interval=intervals[item],
            )
            for item in range(rankings.n_items)
        ),
        reason=reason,
        components=components,
        n_rankings=rankings.n_rankings,
        n_raters=int(np.unique(rankings.rater).size),
        n_prompts=int(np.unique(rankings.prompt).size),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Distinct choices: `left` (s, n) what there was to choose from, `chosen` (s, n) one-hot.

    `of_ranking` (n_rankings, s): how often each ranking makes each choice.
    """

    left: Floats
    chosen: Floats
    of_ranking: Floats

    @classmethod
    def of(cls, rankings: Rankings, model: Model) -> Choices:
        """The choices of all rankings; a tie is half a choice either way."""
        rows = list(_choices(rankings, model))
        kinds = sorted({(left, best) for _, left, best, _ in rows})
        number = {kind: place for place, kind in enumerate(kinds)}
        n = rankings.n_items
        of_ranking = np.zeros((rankings.n_rankings, len(kinds)))
        for ranking, left, best, share in rows:
            of_ranking[ranking, number[left, best]] += share
        members = np.zeros((len(kinds), n))
        chosen = np.zeros((len(kinds), n))
        for place, (left, best) in enumerate(kinds):
            members[place, list(left)] = 1.0
            chosen[place, best] = 1.0
        return cls(members, chosen, of_ranking)

    def fit(self, weights: Floats) -> Floats:
        """Log strengths of each weighting of the choices, (b, s) -> (b, n).

        nan where the choices are not connected, or the fit did not settle because some item nearly
        always wins.
        """
        log = np.full((weights.shape[0], self.left.shape[1]), np.nan)
        open_rows = np.flatnonzero(connected(self._wins(weights)))
        strength = np.ones((open_rows.size, self.left.shape[1]))
        won = weights @ self.chosen
        for _ in range(MOST_STEPS):
            if open_rows.size == 0:
                return log
            share = weights[open_rows] / (strength @ self.left.T)
            after = won[open_rows] / (share @ self.left)
            after /= np.exp(np.log(after).mean(axis=1, keepdims=True))
            moved = np.abs(np.log(after / strength)).max(axis=1)
            settled = moved < CONVERGED
            log[open_rows[settled]] = np.log(after[settled])
            open_rows, strength = open_rows[~settled], after[~settled]
        return log

    def _wins(self, weights: Floats) -> Floats:
        """Pairwise wins of each weighting, shape (b, n, n)."""
        n = self.left.shape[1]
        beaten = self.chosen[:, :, None] * (self.left - self.chosen)[:, None, :]
        return np.asarray((weights @ beaten.reshape(-1, n * n)).reshape(-1, n, n))


def connected(wins: Floats) -> Mask:
    """Whether each win matrix, shape (b, n, n), is strongly connected, shape (b,)."""
    return np.asarray(_reach(wins).all(axis=(1, 2)))


def _reach(wins: Floats) -> Mask:
    """Whether one gets from the row's item to the column's along "beat", shape (..., n, n)."""
    n = wins.shape[-1]
    reach = (wins > 0) | np.eye(n, dtype=bool)
    for _ in range(max(n - 1, 1).bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return np.asarray(reach)


def _components(wins: Floats) -> tuple[tuple[int, ...], ...]:
    """Strongly connected parts, those that beat others first."""
    reach = _reach(wins)
    parts = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    return tuple(sorted(parts, key=lambda part: (-int(reach[part[0]].sum()), part)))


def _obstacle(
    rankings: Rankings, model: Model, components: tuple[tuple[int, ...], ...]
) -> str | None:
    if rankings.n_rankings == 0:
        return "no_ratings"
    if rankings.n_items < 2:
        return "one_item"
    if model == "plackett-luce" and rankings.has_ties:
        return "tied_ranks"
    return "not_connected" if len(components) > 1 else None


def _estimate(rankings: Rankings, model: Model) -> Floats:
    import choix  # loads scipy, so only where a fit is made

    try:
        if model == "bradley-terry":
            found = choix.ilsr_pairwise_dense(win_matrix(rankings=rankings).wins)
        else:
            sizes = (~np.isnan(rankings.ranks)).sum(axis=1)
            orders = np.argsort(rankings.ranks, axis=1)
            rows = [tuple(row[:n].tolist()) for row, n in zip(orders, sizes, strict=True)]
            found = choix.ilsr_rankings(rankings.n_items, rows)
    except RuntimeError as error:
        raise UnsettledFit(
            "The strengths did not settle: some items nearly always win. Show win rates instead, "
            "or collect more rankings."
        ) from error
    return np.asarray(found - found.mean())


def _choices(rankings: Rankings, model: Model) -> Iterator[tuple[int, tuple[int, ...], int, float]]:
    """(ranking, what was left, what was chosen, share of a choice)."""
    for ranking, row in enumerate(rankings.ranks):
        order = [int(item) for item in np.argsort(row, kind="stable") if not np.isnan(row[item])]
        for place, best in enumerate(order[:-1]):
            if model == "plackett-luce":
                yield ranking, tuple(sorted(order[place:])), best, 1.0
                continue
            for other in order[place + 1 :]:
                pair = (min(best, other), max(best, other))
                if row[best] == row[other]:
                    yield ranking, pair, best, 0.5
                    yield ranking, pair, other, 0.5
                else:
                    yield ranking, pair, best, 1.0


def _intervals(
    rankings: Rankings,
    model: Model,
    values: list[float] | None,
    reason: str | None,
    seed: int,
    watch: Watch,
) -> tuple[list[Interval | None], list[float | None]]:
    n_raters, n_prompts = (
        int(codes.max(initial=-1)) + 1 for codes in (rankings.rater, rankings.prompt)
    )
    several = [name for name, n in (("raters", n_raters), ("prompts", n_prompts)) if n > 1]
    obstacle = reason or (None if several else "one_cluster")
    drawn = np.empty((0, rankings.n_items))
    if obstacle is None:
        drawn = _replicates(rankings, model, n_raters, n_prompts, seed, watch)
    intervals: list[Interval | None] = [
        percentile_interval(
            drawn[:, item],
            resampled=" and ".join(several) or "raters and prompts",
            replicates=watch.total,
            seed=seed,
            reason=obstacle,
        )
        for item in range(rankings.n_items)
    ]
    errors = [
        standard_error(drawn[:, item]) if interval is not None and interval.reason is None else None
        for item, interval in enumerate(intervals)
    ]
    return intervals, errors


def _replicates(
    rankings: Rankings, model: Model, n_raters: int, n_prompts: int, seed: int, watch: Watch
) -> Floats:
    """Log strengths of bootstrap replicates, shape (replicates, n_items); nan unconnected."""
    choices = Choices.of(rankings, model)
    of_raters, of_prompts = np.random.default_rng(seed).spawn(2)
    raters, prompts = Pool(n_raters), Pool(n_prompts)
    cells = rankings.n_rankings + choices.left.shape[0] + rankings.n_items**2
    block = max(1, BLOCK_CELLS // cells)
    parts = []
    for start in range(0, watch.total, block):
        size = min(block, watch.total - start)
        times = raters.draw(of_raters, size)[:, rankings.rater]
        times = times * prompts.draw(of_prompts, size)[:, rankings.prompt]
        parts.append(choices.fit(times.astype(np.float64) @ choices.of_ranking))
        watch.add(size)
    return np.concatenate(parts)
