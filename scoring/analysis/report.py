"""A report: every number of a study with what it rests on. Page, plots and export read this."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoring.stats.result import AgreementResult, CorrelationResult

POOLED = "all"
"""Key of the group that holds everybody; other groups are panels, by country code."""

REAL = "Real photographs"
UNNAMED = "No model named"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    title: str
    slug: str
    revision: int
    state: str


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
class Summary:
    """Answers to one question: mean and spread over single answers, not over items.

    `sd` is the sample standard deviation (n - 1). `counts` has one number for each declared point
    of the scale, in order. `reason` and `sd_reason` say why a number is None.
    """

    mean: float | None
    reason: str | None
    sd: float | None
    sd_reason: str | None
    counts: tuple[int, ...]
    n_items: int
    n_raters: int
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAnswers:
    group: str
    summary: Summary
    alpha: AgreementResult
    agreement: AgreementResult


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
    """One Likert question. `groups` follow the report's groups; `systems` go best mean first."""

    key: str
    label: str
    direction: str
    points: tuple[Point, ...]
    groups: tuple[GroupAnswers, ...]
    systems: tuple[SystemAnswers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    reason: str
    sentence: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One output of a metric against one question, in one group, over items.

    `left_out` says for each reason how many of the group's items could not be paired.
    """

    question: str
    group: str
    correlation: CorrelationResult
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputReport:
    """`better` is "higher", "lower", or "" where this software does not know the output."""

    key: str
    name: str
    better: str
    pairings: tuple[Pairing, ...]


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
    """One output of a metric against one question, everybody pooled."""

    metric: str
    output: str
    question: str
    correlation: CorrelationResult


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
class Report:
    """`selection` is the key of what was chosen of the data ("": all), `chosen` the same in words.

    `layers` are empty where nothing is excluded: all three would be the same.
    """

    selection: str
    chosen: tuple[str, ...]
    study: StudyFacts
    method: Method
    data: DataFacts
    groups: tuple[Group, ...]
    questions: tuple[QuestionReport, ...]
    metrics: tuple[MetricReport, ...]
    self_check: tuple[AlphaCheck, ...]
    rules: tuple[Rule, ...]
    exclusions: tuple[Exclusion, ...]
    layers: tuple[LayerReport, ...]

    def group(self, key: str) -> Group:
        """The group with this key; raises KeyError."""
        for group in self.groups:
            if group.key == key:
                return group
        raise KeyError(key)
