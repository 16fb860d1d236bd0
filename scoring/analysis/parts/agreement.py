"""Agreement beside the coefficients: who disagrees, where, and with themselves."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.stats.result import AgreementResult, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """What one person answered, as people read it."""

    rater: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedUnit:
    """A unit on which people disagree. `figure` is the mean disagreement of two of its answers: the
    squared difference on scales, the share of differing pairs without an order, 1 - Jaccard of
    sets. `about` names a probe or descriptor; `words` are rationales on the same screens.
    """

    name: str
    about: str
    items: tuple[int, ...]
    figure: float
    answers: tuple[GivenAnswer, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOrder:
    """Units with two answers or more, the most disputed first, as columns: the i-th entries of all
    are one unit.

    `name`, `about`, `items` and `figure` are as in `DisputedUnit`; `said` are the different answers
    and how many people gave each, `n_answers` how many answers there are. Of very many units the
    first are listed; `n_units` counts all of them, `n_alone` the units with a single answer, about
    which nobody can disagree.
    """

    n_units: int
    n_alone: int
    name: tuple[str, ...]
    about: tuple[str, ...]
    items: tuple[tuple[int, ...], ...]
    figure: tuple[float, ...]
    said: tuple[tuple[str, ...], ...]
    n_answers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two people over the units both judged. `same` is the share of equal answers, `apart` the mean
    absolute difference on scales with numbers (else None)."""

    first: str
    second: str
    n_units: int
    same: float
    apart: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """All pairs of people who share units, summed up; `lowest` and `highest` by `same`, those that
    share `fewest_units` or more."""

    n_pairs: int
    fewest_units: int
    n_pairs_with_enough: int
    mean_same: float | None
    lowest: tuple[RaterPair, ...]
    highest: tuple[RaterPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    """One person against the rest.

    `without` is the primary coefficient when this person's answers are left out. `others` is
    Spearman of their answers with the mean of the others' on the same units (scales), `matches` the
    share of their answers that are the majority of the others (without an order).
    """

    rater: str
    group: str
    n_units: int
    without: float | None
    others: float | None
    others_reason: str | None
    matches: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfLine:
    """Answers to units shown again, held against the first time; `rater` "": everybody's."""

    rater: str
    n_units: int
    n_repeats: int
    exact: float | None
    within_one: float | None
    kappa: float | None
    interval: Interval | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicabilityAgreement:
    """Nominal agreement on whether a question applies, and what the rule took out in one panel."""

    group: str
    results: tuple[AgreementResult, ...]
    n_units: int
    n_removed: int
    n_tied: int
    n_answers: int
    n_not_applicable: int
    n_removed_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDisputes:
    """One question. `units` are the most disputed with what each person said, `order` is all of
    them. `n_raters` lines there are in all; `raters` holds those furthest from the rest first, at
    most as many as a page takes."""

    question: str
    applicability: tuple[ApplicabilityAgreement, ...]
    units: tuple[DisputedUnit, ...]
    order: UnitOrder
    pairs: PairSummary
    raters: tuple[RaterLine, ...]
    n_raters: int
    consistency: tuple[SelfLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """The part `disputes` of a report: one entry for each question, in order."""

    questions: tuple[QuestionDisputes, ...]
