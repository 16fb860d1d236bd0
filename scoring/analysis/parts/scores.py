"""What people said: by country, model, category; relevance, majorities, descriptors, rankings."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.parts.summary import Summary
from scoring.stats.result import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A share or mean with its interval; None with the reason. `n` values it rests on."""

    value: float | None
    reason: str | None
    se: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownRow:
    """Answers about one thing, or by the people of one group of countries; `real` for real items
    among models."""

    name: str
    real: bool
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One question by one thing. `by`: "category", "shown" (country of the item), or "grouping",
    with the grouping's name in `title`."""

    by: str
    title: str
    rows: tuple[BreakdownRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionScores:
    """Breakdowns of one question; by annotators' country and by model they are in the report's
    questions."""

    question: str
    breakdowns: tuple[Breakdown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceRow:
    """One question of relevance (yes or no about probes) in a dimension and group.

    `answers` is the share of answers that are yes. Of `n_probes` judged ones (a probe as asked of a
    unit) `n_relevant` have a majority of yes, `n_irrelevant` one of no, `n_tied` neither; a tie is
    no majority of no, so the probe stays. `probes` is the share that stays.
    """

    dimension: str
    group: str
    answers: Measured
    probes: Measured
    n_probes: int
    n_relevant: int
    n_irrelevant: int
    n_tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """`drops`: keys of the questions whose answers about irrelevant probes are left out."""

    question: str
    drops: tuple[str, ...]
    rows: tuple[RelevanceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityRow:
    """Rater-majority agreement in a dimension ("": all) and group.

    `of_all`: the share of answers that are the majority of all answers to the same thing, the own
    one among them. `of_others`: the majority of the others' answers. Ties are left out and counted.
    """

    dimension: str
    group: str
    of_all: Measured
    of_others: Measured
    n_tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterMajority:
    question: str
    rows: tuple[MajorityRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricMajorityRow:
    """Metric-majority agreement: the share of a metric's yes or no that are people's majority.

    It is about single probes of single items. `n_without_score` of those that people judged the
    metric did not answer, `n_tied` have no majority.
    """

    metric: str
    output: str
    dimension: str
    system: str
    agreement: Measured
    n_without_score: int
    n_tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricMajority:
    question: str
    rows: tuple[MetricMajorityRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRow:
    """Descriptor precision in a dimension ("": all) and group.

    `verdicts`: the share of verdicts that are "right". `descriptors`: the share of descriptors (of
    an item's list) that a majority calls right; `n_tied` are left out of it.
    """

    dimension: str
    group: str
    verdicts: Measured
    descriptors: Measured
    n_tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """How complete people called the lists; `n_with_gap` of `n_lists` answers, by `n_raters_gap`
    of `n_raters` people, name something that is missing."""

    group: str
    summary: Summary
    n_lists: int
    n_with_gap: int
    n_raters: int
    n_raters_gap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """`points` are the (value, label) of the coverage scale; empty where none is asked."""

    question: str
    points: tuple[str, ...]
    rows: tuple[PrecisionRow, ...]
    coverage: tuple[CoverageRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One model in the rankings: mean rank (1 is best) with both standard errors, the number of
    times on each place, and its Bradley-Terry log strength (mean 0 over models)."""

    name: str
    mean: float | None
    n: int
    sd: float | None
    se_naive: float | None
    se_clustered: float | None
    se_kind: str
    interval: Interval
    places: tuple[int, ...]
    strength: float | None
    strength_se: float | None
    strength_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRow:
    """How often `name` stood above each model, in their order; None where never compared."""

    name: str
    rates: tuple[float | None, ...]
    n: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingScores:
    """`reason` why there are no strengths, `components` the models that can be compared with each
    other, those that beat others first. `named_by_place`: units do not tell models apart, so places
    in the unit are ranked and nothing follows for models."""

    question: str
    group: str
    named_by_place: bool
    rows: tuple[RankRow, ...]
    wins: tuple[WinRow, ...]
    reason: str | None
    components: tuple[Names, ...]
    n_rankings: int
    n_raters: int
    n_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The part `scores` of a report."""

    rescaled: bool
    questions: tuple[QuestionScores, ...]
    relevance: tuple[Relevance, ...]
    rater_majority: tuple[RaterMajority, ...]
    metric_majority: tuple[MetricMajority, ...]
    precision: tuple[Precision, ...]
    rankings: tuple[RankingScores, ...]
