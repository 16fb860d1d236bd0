"""Rankings by people: mean ranks with honest errors, who beats whom, and how far people agree.

A ranking is one person's order of the items of one prompt; it may hold a part of the items, and
ties. Rank 1 is best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.association import row_midranks
from scoring.stats.clustered import clustered_error
from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]


class RankingError(ValueError):
    """Rows that do not make rankings."""


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Ranks, shape (n_rankings, n_items), nan where an item is not in a ranking; 1 is best.

    Ranks count from 1 within each ranking, ties share their mean. `rater` and `prompt`: 0-based
    codes (n_rankings,). `n_single` rankings of one item were left out. Build with `code_rankings`.
    """

    ranks: Floats
    rater: Codes
    prompt: Codes
    n_single: int

    @property
    def n_rankings(self) -> int:
        """How many rankings there are."""
        return int(self.ranks.shape[0])

    @property
    def n_items(self) -> int:
        """How many items are ranked."""
        return int(self.ranks.shape[1])

    @property
    def has_ties(self) -> bool:
        """Whether some ranking puts two items on one rank."""
        return bool((np.diff(np.sort(self.ranks, axis=1), axis=1) == 0).any())


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRank:
    """An item's mean rank over its `n` rankings.

    `se_naive` is SD / sqrt(n), as if rankings were independent; `se_clustered` allows rankings of
    one person and of one prompt to be alike (two-way; Cameron, Gelbach and Miller 2011). A reason
    stands where a number does not exist. `se_kind` says how the clustered one was found.
    """

    item: int
    value: float | None
    n: int
    sd: float | None
    se_naive: float | None
    se_clustered: float | None
    se_kind: str
    reason: str | None
    se_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wins:
    """`wins` (n, n): how often the row's item stood above the column's, half for a tie.

    `rates` (n, n) are shares of the comparisons, nan where two items were never compared.
    """

    wins: Floats
    rates: Floats

    def rate(self, first: int, second: int) -> float | None:
        """How often `first` beat `second`, 0..1; None where they were never compared."""
        found = float(self.rates[first, second])
        return None if np.isnan(found) else found


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptConcordance:
    """Kendall's W of one prompt's rankings over the items that all of them hold."""

    prompt: int
    value: float | None
    reason: str | None
    n_raters: int
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance:
    """W of each prompt, undefined ones listed too, and the mean over those defined."""

    mean: float | None
    reason: str | None
    prompts: tuple[PromptConcordance, ...]
    n_prompts_undefined: int
    aggregation: str = "Kendall's W of each prompt, tie-corrected, mean over prompts"


def code_rankings(
    *,
    rater: npt.ArrayLike,
    prompt: npt.ArrayLike,
    item: npt.ArrayLike,
    rank: npt.ArrayLike,
    n_items: int,
) -> Rankings:
    """Rankings from long rows, shape (n_rows,): who put which item of a prompt on which rank.

    `rater`, `prompt` and `item` are 0-based codes; nan ranks are missing. Any numbers do for
    ranks: only their order within a ranking counts, the lowest being best.

    Raises RankingError for infinite ranks, unequal lengths and an item twice in a ranking.
    """
    who, what, which = (np.asarray(codes, dtype=np.intp) for codes in (rater, prompt, item))
    place = np.asarray(rank, dtype=np.float64)
    if len({array.shape for array in (who, what, which, place)}) > 1 or place.ndim != 1:
        raise RankingError("Raters, prompts, items and ranks must be of one length.")
    if np.isinf(place).any():
        raise RankingError("A rank is infinite; ranks must be finite numbers.")
    if which.size and not 0 <= int(which.min()) <= int(which.max()) < n_items:
        raise RankingError(f"A rank is of an item that is not one of the {n_items}.")
    given = ~np.isnan(place)
    who, what, which, place = who[given], what[given], which[given], place[given]
    key = who * (int(what.max(initial=0)) + 1) + what
    first, ranking = np.unique(key, return_index=True, return_inverse=True)[1:]
    cells = ranking * n_items + which
    if np.unique(cells).size < cells.size:
        raise RankingError("An item comes twice in one person's ranking of a prompt.")
    ranks = np.full((first.size, n_items), np.nan)
    ranks[ranking, which] = place
    enough = (~np.isnan(ranks)).sum(axis=1) > 1
    return Rankings(
        ranks=_ranks_from_one(ranks[enough]),
        rater=_renumbered(who[first][enough]),
        prompt=_renumbered(what[first][enough]),
        n_single=int((~enough).sum()),
    )


def mean_ranks(*, rankings: Rankings) -> tuple[MeanRank, ...]:
    """Each item's mean rank with naive and cluster-robust standard error, in the items' order."""
    found = []
    for item in range(rankings.n_items):
        ranked = ~np.isnan(rankings.ranks[:, item])
        ranks = rankings.ranks[ranked, item]
        n = int(ranks.size)
        sd = float(ranks.std(ddof=1)) if n > 1 else None
        clustered, kind, reason = clustered_error(
            ranks, rankings.rater[ranked], rankings.prompt[ranked]
        )
        found.append(
            MeanRank(
                item=item,
                value=float(ranks.mean()) if n else None,
                n=n,
                sd=sd,
                se_naive=None if sd is None else sd / n**0.5,
                se_clustered=clustered,
                se_kind=kind,
                reason=None if n else "no_ratings",
                se_reason=reason,
            )
        )
    return tuple(found)


def win_matrix(*, rankings: Rankings) -> Wins:
    """Pairwise wins and win rates over all rankings."""
    wins = np.zeros((rankings.n_items, rankings.n_items))
    ranks = rankings.ranks
    for item in range(rankings.n_items):
        # nan compares as False on both sides: items not in a ranking win and lose nothing.
        above = (ranks[:, [item]] < ranks).sum(axis=0)
        level = (ranks[:, [item]] == ranks).sum(axis=0)
        wins[item] = above + level / 2.0
    np.fill_diagonal(wins, 0.0)
    compared = wins + wins.T
    rates = np.divide(wins, compared, out=np.full(wins.shape, np.nan), where=compared > 0)
    return Wins(wins=wins, rates=rates)


def concordance_by_prompt(*, rankings: Rankings) -> Concordance:
    """Kendall's W within each prompt."""
    prompts = []
    for prompt in np.unique(rankings.prompt):
        ranks = rankings.ranks[rankings.prompt == prompt]
        ranks = ranks[:, ~np.isnan(ranks).any(axis=0)]
        m, n = ranks.shape
        value = None if m < 2 or n < 2 else kendall_w(ranks)
        reason = "no_pairs" if m < 2 or n < 2 else "no_variation" if value is None else None
        prompts.append(
            PromptConcordance(prompt=int(prompt), value=value, reason=reason, n_raters=m, n_items=n)
        )
    defined = [one.value for one in prompts if one.value is not None]
    return Concordance(
        mean=float(np.mean(defined)) if defined else None,
        reason=None if defined else "no_pairs",
        prompts=tuple(prompts),
        n_prompts_undefined=len(prompts) - len(defined),
    )


def kendall_w(ranks: Floats) -> float | None:
    """W = 12 S / (m^2 (n^3 - n) - m T), shape (m raters, n items); None where all is tied.

    S: squared deviations of the items' rank sums; T: sum of t^3 - t over ties (Siegel 1956).
    """
    own = row_midranks(ranks, np.ones(ranks.shape))
    m, n = own.shape
    spread = float(((own.sum(axis=0) - own.sum() / n) ** 2).sum())
    sizes = [np.unique(row, return_counts=True)[1].astype(float) for row in own]
    ties = sum(float((size**3 - size).sum()) for size in sizes)
    possible = m * m * (n**3 - n) - m * ties
    return 12.0 * spread / possible if possible > 0 else None


def _ranks_from_one(ranks: Floats) -> Floats:
    """Mid-ranks within each row, shape (n_rankings, n_items); nan stays."""
    if ranks.shape[0] == 0:
        return ranks
    held = ~np.isnan(ranks)
    found = row_midranks(np.where(held, ranks, np.inf), held.astype(np.float64))
    return np.where(held, found, np.nan)


def _renumbered(codes: Codes) -> Codes:
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
