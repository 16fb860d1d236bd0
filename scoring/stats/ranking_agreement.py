"""Agreement of rankings as one result: the mean of Kendall's W over prompts, prompts drawn anew."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.stats.intervals import percentile_interval, standard_error
from scoring.stats.rankings import Rankings, concordance_by_prompt
from scoring.stats.result import AgreementResult

Floats = npt.NDArray[np.float64]

BLOCK_CELLS = 1_000_000


def concordance(*, rankings: Rankings, replicates: int, seed: int) -> AgreementResult:
    """W of each prompt (0 to 1, tie-corrected), mean over the prompts for which it exists.

    The 95 % percentile interval draws prompts anew; W of one prompt is 0 only where its rank sums
    are all alike. `replicates` 0: no interval. Raises ValueError for a negative number of them.
    """
    if replicates < 0:
        raise ValueError(f"{replicates} bootstrap replicates were asked for; 0 or more is needed.")
    found = concordance_by_prompt(rankings=rankings)
    defined = np.array([one.value for one in found.prompts if one.value is not None])
    sizes = [one.n_raters for one in found.prompts]
    reason = "no_ratings" if not found.prompts else found.reason
    interval = se = None
    if replicates:
        obstacle = reason or ("one_item" if defined.size < 2 else None)
        drawn = np.empty(0)
        if obstacle is None:
            drawn = _means_of_redraws(defined, replicates, seed)
            se = standard_error(drawn)
        interval = percentile_interval(
            drawn, resampled="prompts", replicates=replicates, seed=seed, reason=obstacle
        )
    places = tuple(str(place) for place in range(1, rankings.n_items + 1))
    return AgreementResult(
        coefficient="kendall_w",
        level="ordinal",
        value=found.mean,
        reason=reason,
        n_units=len(found.prompts),
        n_units_paired=sum(size > 1 for size in sizes),
        n_units_single=sum(size < 2 for size in sizes),
        n_raters=int(np.unique(rankings.rater).size),
        n_ratings=rankings.n_rankings,
        categories_declared=places,
        categories_used=places,
        se=se,
        interval=interval,
        unit_of_analysis="ranked set",
        aggregation=found.aggregation,
        n_units_used=int(defined.size),
        n_left_out=found.n_prompts_undefined,
    )


def _means_of_redraws(values: Floats, replicates: int, seed: int) -> Floats:
    """Means of values drawn with replacement, shape (replicates,), in blocks."""
    rng = np.random.default_rng(seed)
    at_once = max(1, BLOCK_CELLS // values.size)
    parts = []
    for start in range(0, replicates, at_once):
        size = min(at_once, replicates - start)
        parts.append(values[rng.integers(values.size, size=(size, values.size))].mean(axis=1))
    return np.concatenate(parts)
