"""What a statistic returns: a value or a reason, and everything needed to read it."""

from __future__ import annotations

from dataclasses import dataclass

REASONS: dict[str, str] = {
    "no_ratings": "There are no ratings here.",
    "no_values": "Nothing here has a value.",
    "no_pairs": (
        "No item has two ratings by different people; agreement needs at least two ratings of "
        "the same item."
    ),
    "no_repeats": "No unit was shown to this person more than once.",
    "no_shared_items": "No item has both a score and a rating.",
    "no_variation": (
        "The ratings do not vary, so agreement beyond chance or a correlation cannot be computed "
        "(0 divided by 0)."
    ),
    "no_item_variance": (
        "Items differ less from each other than ratings of one item do, so no variance between "
        "items is left and this form of the intraclass correlation cannot be computed."
    ),
    "only_empty_sets": "All pairs of answers are pairs of empty sets, which are left out.",
    "constant_metric": "The metric gives every item the same score, so nothing can correlate.",
    "no_complete_items": (
        "No item was rated by every rater, which this coefficient needs; ICC1, alpha and Gwet's "
        "coefficients do not."
    ),
    "one_item": "There is only one item.",
    "one_cluster": "All items belong to one cluster, so clusters cannot be drawn anew.",
    "one_per_stratum": (
        "Each stratum holds a single item (or cluster of items), so nothing can be drawn anew."
    ),
    "too_few_raters": (
        "Fewer than three raters (or one in each stratum) cannot be drawn anew; draw items instead."
    ),
    "too_few_items": "There are too few items for a correlation to mean anything.",
    "too_few_for_interval": "There are too few items for a dependable interval (fewer than 20).",
    "undefined_replicates": (
        "More than 5 % of the bootstrap replicates were undefined, so no interval is given."
    ),
    "one_sided_replicates": (
        "Nearly all bootstrap replicates lie on one side of the estimate, so a BCa interval does "
        "not exist; use another kind of interval."
    ),
    "one_system": "There is only one system.",
    "too_few_systems": "Two systems can only be ranked alike or the other way round.",
    "no_defined_group": "No group has four items or more and variation on both sides.",
    "one_group": "There is only one group, so nothing says how far groups lie apart.",
    "no_defined_pair": "No two people share four items or more and vary on them.",
    "no_defined_rater": "Nobody shares four items or more with others and varies on them.",
    "same_metric": "Both metrics rank the items in exactly the same way.",
    "perfect_correlation": "A correlation of exactly 1 or -1 has no Fisher transform.",
    "no_reliability": (
        "Ratings of one item differ as much as ratings of different items, so the mean rating is "
        "not reliable and sets no ceiling."
    ),
    "not_connected": (
        "Some items never lost, or were never compared, against the others, so no strengths can "
        "tell how far apart they are."
    ),
    "tied_ranks": "Some rankings have ties, which the Plackett-Luce model does not know.",
    "one_rating": "There is only one rating, so nothing says how far ratings spread.",
    "no_f_interval": (
        "The F distribution gives no bounds: the ratings agree exactly, or a bound is infinite."
    ),
    "unsettled_fit": "The strengths did not settle: some items nearly always win.",
    "no_order": "The answers have no order, so they have no mean.",
    "no_cases": "There is nothing to count: no item was marked, by people or by the score.",
}
"""Reason code -> a sentence for people."""

DEPENDABLE_UNITS = 20
"""Below this many usable units an interval is shown together with a warning."""


def describe(reason: str | None) -> str:
    """The sentence for a reason code, empty for None. Raises KeyError for an unknown code."""
    return "" if reason is None else REASONS[reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A bootstrap interval, or the reason why there is none (`low` and `high` are then None).

    `level` is the coverage aimed at (0.95), `kind` how the bounds were read off the replicates,
    `resampled` what was drawn anew ("items", "items and raters", "clusters", ...), `replicates`
    how many draws were made and `undefined_share` the share of them (0..1) without a value.
    """

    low: float | None
    high: float | None
    reason: str | None
    level: float
    kind: str
    resampled: str
    replicates: int
    seed: int
    undefined_share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult:
    """One agreement coefficient of one set of ratings.

    `value` is None exactly when `reason` is set. `level` is the level of measurement at which the
    coefficient was computed; coefficients with identity weights are always "nominal". `weights`
    names the weighting or set distance where there is a fixed one, `form` that of an intraclass
    correlation. `n_units` counts rated units, `n_units_paired` those with ratings by two or more
    people and `n_units_single` the rest; `n_units_used` those the coefficient rests on.
    `n_left_out` counts the pairs of raters that a mean over pairs could not use. `se` is the
    standard deviation of the bootstrap replicates, None without a bootstrap (see
    `standard_errors` for the analytic ones).
    """

    coefficient: str
    level: str
    value: float | None
    reason: str | None
    n_units: int
    n_units_paired: int
    n_units_single: int
    n_raters: int
    n_ratings: int
    categories_declared: tuple[str, ...]
    categories_used: tuple[str, ...]
    se: float | None = None
    interval: Interval | None = None
    unit_of_analysis: str = "item"
    aggregation: str = "pooled over items"
    weights: str | None = None
    form: str | None = None
    n_units_used: int | None = None
    n_left_out: int = 0

    @property
    def too_few_for_interval(self) -> bool:
        """Whether the units with two ratings are too few for a dependable interval."""
        return self.n_units_paired < DEPENDABLE_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationResult:
    """One correlation of a metric's scores with mean human ratings, over items.

    `method` is "spearman", "pearson" or "kendall" and `variant` names it fully. `n_units` counts
    the items with both sides; `n_without_score` and `n_without_rating` the items left out for
    want of one side (an item wanting both counts as without a rating). `p_value` is two-sided and
    takes items as independent; `p_kind` says how it was found.
    """

    method: str
    variant: str
    value: float | None
    reason: str | None
    n_units: int
    n_without_score: int
    n_without_rating: int
    p_value: float | None = None
    p_kind: str | None = None
    se: float | None = None
    interval: Interval | None = None
    unit_of_analysis: str = "item"
    aggregation: str = "mean rating of each item, pooled over items"

    @property
    def n_left_out(self) -> int:
        """How many items could not be paired."""
        return self.n_without_score + self.n_without_rating

    @property
    def too_few_for_interval(self) -> bool:
        """Whether the items are too few for a dependable interval."""
        return self.n_units < DEPENDABLE_UNITS
