"""What was asked of whom, how much of it there is, and whether the plan came first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFacts:
    """`about`: "item", "unit" or "probe". `n_answers` counts values, `n_not_applicable` answers
    that it does not apply, `n_removed_answers` those that went with an item or probe for which a
    majority of a panel said so, `n_irrelevant` those about probes called irrelevant."""

    key: str
    label: str
    kind: str
    level: str
    about: str
    points: tuple[str, ...]
    n_answers: int
    n_not_applicable: int
    n_removed_answers: int
    n_irrelevant: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PerItem:
    """Ratings of an item in one group, over the items it is asked about; None without items."""

    group: str
    languages: tuple[str, ...]
    wanted: int | None
    n_items: int
    n_unrated: int
    least: int | None
    median: float | None
    most: int | None
    n_raters: int
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutFacts:
    """How many people and ratings are left out, by declared rules and by hand; `surplus` ratings
    came late, `pilot` ones are of the pilot, `repeats` were shown again."""

    raters_by_rule: int
    ratings_by_rule: int
    raters_by_hand: int
    ratings_by_hand: int
    surplus: int
    pilot: int
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """The analysis plan. `standing`: "none", "open", "in_time" (fixed before the first rating) or
    "late"; `changed_after_opening`: a fixed plan was changed once people could answer. Moments are
    ISO 8601, UTC."""

    standing: str
    fixed_at: str
    changed_after_opening: bool
    changes: int
    coefficients: tuple[str, ...]
    aggregation: str
    rescaled: bool
    correlations: tuple[str, ...]
    correlation_level: str
    metrics: tuple[str, ...]
    exclusions: str
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Ratings of one panel so far, at each moment of `Timeline.moments`; `wanted` in all, None
    where no number is set."""

    group: str
    counts: tuple[int, ...]
    wanted: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """`moments` are the ends of hours or days (`step`), ISO 8601, UTC; empty without ratings."""

    step: str
    moments: tuple[str, ...]
    lines: tuple[Collected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The part `overview` of a report."""

    questions: tuple[QuestionFacts, ...]
    per_item: tuple[PerItem, ...]
    left_out: LeftOutFacts
    plan: PlanFacts
    first_at: str
    last_at: str
    timeline: Timeline
