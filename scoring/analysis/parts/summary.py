"""Mean, spread and distribution of answers to one question."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.stats.result import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Answers to one question: mean and spread over single answers, not over items.

    `mean` is on the question's scale: a point, 0 to 1 for yes or no, marked and right, a place of a
    ranking, a slider's number; None for choices, which have no order. `se` and `interval` allow for
    answers of one person, and on one prompt, being alike. `sd` is the sample standard deviation
    (n - 1). `counts` has one number for each declared point, in order (of a ranking: each place; of
    a slider: ten equal steps). `rescaled` is the mean from 0 to 1 over the declared range, where
    the analysis plan asks for that. The reasons say why a number is None.
    """

    mean: float | None
    reason: str | None
    se: float | None
    interval: Interval
    sd: float | None
    sd_reason: str | None
    rescaled: float | None
    counts: tuple[int, ...]
    n_items: int
    n_raters: int
    n_ratings: int
