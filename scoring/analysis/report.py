"""A report: every number of a study with what it rests on. Page, plots and export read this."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoring.analysis.parts.against import Against
from scoring.analysis.parts.agreement import Disputes
from scoring.analysis.parts.automatic import Automatic
from scoring.analysis.parts.culturescore import CultureScores
from scoring.analysis.parts.overview import Overview
from scoring.analysis.parts.scores import Scores
from scoring.analysis.parts.summary import Summary as Summary
from scoring.stats.levels import LevelCorrelation
from scoring.stats.result import AgreementResult

POOLED = "all"
"""Key of the group that holds everybody; other groups are panels, by country code."""

REAL = "Real photographs"
UNNAMED = "No model named"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    """`systems` are the models in the study's order, which fixes their colours in charts."""

    title: str
    slug: str
    revision: int
    state: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How the numbers were made. `as_of` is when the data were read (ISO 8601, UTC).

    `intervals_ready` is False in a report of point estimates whose intervals are being computed.
    """

    software: str
    as_of: str
    seed: int
    replicates: int
    intervals_ready: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """What everything rests on. A rating is one annotator's counted answers on one screen.

    `answers` are the values on scales within those ratings, `simulated` the ratings that no
    person gave, `surplus` the submitted ratings left out because their unit was already full.
    """

    items: int
    raters: int
    ratings: int
    answers: int
    surplus: int
    simulated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All annotators (`key` "all"), or those of one panel (`key` its country code)."""

    key: str
    name: str
    items: int
    raters: int
    ratings: int
    simulated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAnswers:
    """A group's answers to one question: `group` is a report's group, or a dimension.

    `coefficients` are those that go with the kind of question, the primary one first.
    """

    group: str
    summary: Summary
    coefficients: tuple[AgreementResult, ...]

    @property
    def alpha(self) -> AgreementResult:
        """The primary coefficient: alpha, of sets the mean Jaccard, of rankings Kendall's W."""
        return self.coefficients[0]

    @property
    def agreement(self) -> AgreementResult | None:
        """The share of pairs that agree exactly; None where that says nothing (sets, rankings)."""
        for one in self.coefficients:
            if one.coefficient == "percent_agreement":
                return one
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAnswers:
    """Answers about the items of one system, or about real items without one."""

    system: str
    real: bool
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    value: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReport:
    """One question of any kind but free text.

    `points` are the points of its scale, no and yes, marked and not, right and not, the places of a
    ranking, or the tenths of a slider: what `Summary.counts` counts. `groups` follow the report's
    groups; `dimensions` are everybody's answers by the dimension of what they are about, where
    probes or descriptors have one; `systems` go best mean first.
    """

    key: str
    label: str
    kind: str
    level: str
    direction: str
    of_probes: bool
    points: tuple[Point, ...]
    groups: tuple[GroupAnswers, ...]
    dimensions: tuple[GroupAnswers, ...]
    systems: tuple[SystemAnswers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputReport:
    """`better` is "higher", "lower", or "" where this software does not know the output."""

    key: str
    name: str
    better: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReport:
    """The latest finished run of one metric.

    `runs`: how many finished runs of it there are. `outdated`: the study's descriptors have changed
    since the scores were made.
    """

    run: int
    runs: int
    outdated: bool
    key: str
    name: str
    version: str
    parameters: dict[str, float | str | None] = field(hash=False)
    model_id: str
    model_revision: str
    finished_at: str
    outputs: tuple[OutputReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaCheck:
    """Alpha of one question and group by an independent package; None with the reason in `note`."""

    question: str
    group: str
    ours: float | None
    package: float | None
    difference: float | None
    package_version: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Answers of one annotator that are left out; `screen` None: all of them. `rule` empty: a
    person decided. `replaced`: their places were given to others. `made_at`: ISO 8601, UTC.
    """

    rater: str
    screen: int | None
    ratings: int
    rule: str
    reason: str
    replaced: bool
    made_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A declared rule of quality. `in_time`: before the first rating, and not changed since."""

    kind: str
    threshold: float
    action: str
    declared_at: str
    in_time: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerPairing:
    """One output of a metric against one question, everybody pooled, by the primary method."""

    metric: str
    output: str
    question: str
    correlation: LevelCorrelation


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """The pooled numbers under fewer exclusions, or all: `layer` "all", "after-rules", "after-all".

    `answers` follow the report's questions; each belongs to the group of everybody.
    """

    layer: str
    raters: int
    ratings: int
    answers: tuple[GroupAnswers, ...]
    pairings: tuple[LayerPairing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotReport:
    """The pilot's own answers, never mixed with the study's; `answers` follow the questions."""

    raters: int
    ratings: int
    answers: tuple[GroupAnswers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`selection` is the key of what was chosen of the data ("": all), `chosen` the same in words.

    `layers` are empty where nothing is excluded: all three would be the same. `pilot` is None
    where there was none.
    """

    selection: str
    chosen: tuple[str, ...]
    study: StudyFacts
    method: Method
    data: DataFacts
    groups: tuple[Group, ...]
    overview: Overview
    questions: tuple[QuestionReport, ...]
    scores: Scores
    disputes: Disputes
    metrics: tuple[MetricReport, ...]
    automatic: Automatic
    culturescore: CultureScores
    against: Against
    self_check: tuple[AlphaCheck, ...]
    rules: tuple[Rule, ...]
    exclusions: tuple[Exclusion, ...]
    layers: tuple[LayerReport, ...]
    pilot: PilotReport | None

    def group(self, key: str) -> Group:
        """The group with this key; raises KeyError."""
        for group in self.groups:
            if group.key == key:
                return group
        raise KeyError(key)
