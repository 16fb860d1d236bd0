"""Metrics against people, as frozen values: page, plots and export read the same."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.parts.left_out import LeftOutUnits
from scoring.analysis.series import SeriesFacts
from scoring.stats.averages import GroupAverage
from scoring.stats.binary import LabelScores
from scoring.stats.ceiling import HumanCeiling, LeaveOneOut, PairwiseHumans
from scoring.stats.comparison import MetricComparison
from scoring.stats.levels import LevelCorrelation
from scoring.stats.result import AgreementResult, Interval
from scoring.stats.slots import SlotAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """A p-value adjusted in its family, by Holm (for claims) and Benjamini-Hochberg."""

    holm: float | None
    bh: float | None
    family: str
    n_tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelResult:
    """One coefficient at one level; `grouping` says what the groups are: "", country, system.

    `as_planned`: this is the aggregation that the analysis plan names, the first row of a table.
    """

    grouping: str
    as_planned: bool
    correlation: LevelCorrelation
    adjusted: Adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """One coefficient on a part of the items: a panel, a group of countries, a system, an origin.

    `kind` is country, region, system or origin; `key` the country's code or the name. A country is
    that of the annotators, over the items they are asked about.
    """

    kind: str
    key: str
    name: str
    method: str
    value: float | None
    reason: str | None
    n_units: int
    n_without_score: int
    n_without_rating: int
    n_raters: int | None
    n_ratings: int
    p_value: float | None
    p_kind: str | None
    interval: Interval | None
    too_few_for_interval: bool
    adjusted: Adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class CountryAverage:
    """The countries' coefficients averaged; `origin` is "" for all items, or one origin."""

    method: str
    origin: str
    average: GroupAverage
    countries: tuple[str, ...]
    values: tuple[float | None, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One item: people's mean and the metric's score. `link` is the address of its file."""

    item: int
    name: str
    link: str
    human: float
    score: float
    system: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Items with both sides. `furthest` are the ids of those whose two ranks lie furthest apart.

    `points` are empty above the number that a chart can show; then `furthest_points` alone remain.
    """

    n_points: int
    points: tuple[Point, ...]
    furthest_points: tuple[Point, ...]
    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One series of a metric against one question.

    `is_target`: the plan (or, without a plan, nothing else) holds it against this question; only
    then are there levels beyond the pooled one, parts beyond countries, the like-for-like lines and
    the items. `matched`: each panel was held against the score of its own country's label.
    """

    series: SeriesFacts
    is_target: bool
    matched: bool
    levels: tuple[LevelResult, ...]
    slices: tuple[SliceResult, ...]
    averages: tuple[CountryAverage, ...]
    left_out: tuple[LeftOutUnits, ...]
    leave_one_out: LeaveOneOut | None
    slots: SlotAgreement | None
    scatter: Scatter | None

    def level(self, level: str, method: str, grouping: str = "") -> LevelResult | None:
        for one in self.levels:
            found = one.correlation
            if (found.level, found.method, one.grouping) == (level, method, grouping):
                return one
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two metrics on the same items of one question: `first` less `second`, series keys.

    A metric whose lower scores go with higher ratings was reversed (`reversed` lists such keys).
    """

    first: str
    second: str
    reversed: tuple[str, ...]
    comparison: MetricComparison
    adjusted: Adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionCheck:
    """What the declared directions say a pair does, and what it does.

    `expected` is 1 (they rise together) or -1; `outcome` is "as declared", "contrary" (the whole
    interval on the other side of 0), "includes 0" or "not defined".
    """

    series: str
    question: str
    expected: int
    method: str
    value: float | None
    reason: str | None
    interval: Interval | None
    n_units: int
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTable:
    """A metric that gives points of the question's own scale, against the majority of raters.

    `counts[i][j]`: items whose majority is point i and the metric's point j.
    """

    series: str
    points: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    agreement: tuple[AgreementResult, ...]
    tie_rule: str
    n_tied: int
    n_unrated: int
    n_without_score: int
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAgainst:
    """One question: how well people predict people, and every metric held against it.

    `one_person` is one person against the rest, over the items that the first target scores; None
    where nobody has a line.
    """

    key: str
    label: str
    better: str
    low: float | None
    high: float | None
    ceiling: HumanCeiling
    pairwise: PairwiseHumans
    slots: SlotAgreement | None
    one_person: float | None
    exchangeable: bool
    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]
    judges: tuple[JudgeTable, ...]

    @property
    def targets(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_target)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """One pair of series; `row` and `column` are positions in the heat table's series."""

    row: int
    column: int
    value: float | None
    reason: str | None
    n_units: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """Questions first, then metrics; the lower triangle without the diagonal."""

    method: str
    series: tuple[SeriesFacts, ...]
    cells: tuple[HeatCell, ...]
    resampled: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTable:
    """A metric's scores of labels against gold labels, at several thresholds.

    `label_set` is "" for all sets together (each item over the labels of its own sets). `headline`
    is the threshold that the protocol names, None where it names none.
    """

    metric: str
    metric_name: str
    output: str
    label_set: str
    headline: float | None
    n_items: int
    n_labels: int
    scores: tuple[LabelScores, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCorrelation:
    """What the analysis plan says of correlations; the first of `methods` is the primary one.

    `asked` are the methods that the plan names itself.
    """

    methods: tuple[str, ...]
    asked: tuple[str, ...]
    level: str
    grouping: str
    named: str
    has_targets: bool
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """`methods` in the plan's order. `comparing` says in words which pairs were compared."""

    planned: PlannedCorrelation
    questions: tuple[QuestionAgainst, ...]
    heat: Heat
    directions: tuple[DirectionCheck, ...]
    labels: tuple[LabelTable, ...]
    comparing: str
    raters_drawn: str

    def question(self, key: str) -> QuestionAgainst:
        """The question with this key; raises KeyError."""
        for question in self.questions:
            if question.key == key:
                return question
        raise KeyError(key)
