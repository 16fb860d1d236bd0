"""Scores and people as yes or no: thresholds over label sets, majority votes, a judge against them.

An item has a set of gold labels out of those it was scored on; a label counts as given where its
score reaches the threshold. Precision, recall and F1 are for each item over its label set and then
averaged ("items"), from all decisions together ("micro"), and for each label and then averaged
("labels"): three different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.result import AgreementResult
from scoring.stats.scale import declare_scale

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

Averaging = Literal["items", "micro", "labels"]
AVERAGINGS: tuple[Averaging, ...] = get_args(Averaging)

AGGREGATIONS: dict[Averaging, str] = {
    "items": "of each item over its label set, mean over items",
    "micro": "over all decisions together",
    "labels": "of each label over its items, mean over labels",
}

VoteTie = Literal["exclude", "lowest", "highest"]
VOTE_TIES: tuple[VoteTie, ...] = get_args(VoteTie)

NO_CATEGORY = -1
"""The majority of an item that nobody rated, or whose tie is excluded."""

AGREEMENT = (
    Coefficient("krippendorff_alpha", "nominal"),
    Coefficient("gwet_ac1"),
    Coefficient("percent_agreement"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A mean over `n_defined` items or labels (1 for micro), 0..1; None with `reason`.

    `n_undefined` were 0 / 0 and left out: precision where nothing was given, recall where nothing
    is gold, F1 where neither.
    """

    value: float | None
    reason: str | None
    n_defined: int
    n_undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScores:
    """Precision, recall and F1 at one threshold by one averaging.

    Decisions are `true_positives` + `false_positives` + `false_negatives` + true negatives =
    `n_decisions`; `n_unscored` labels had no score and are no decision.
    """

    threshold: float
    averaging: Averaging
    aggregation: str
    precision: Share
    recall: Share
    f1: Share
    true_positives: int
    false_positives: int
    false_negatives: int
    n_decisions: int
    n_unscored: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MajorityVote:
    """The category most raters chose, shape (n_items,); -1 where there is none.

    `n_tied` items had no single most frequent category; `tie_rule` says what became of them.
    """

    category: Codes
    n_tied: int
    n_unrated: int
    tie_rule: VoteTie


def label_scores(
    *,
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    thresholds: Sequence[float],
    averagings: Sequence[Averaging] = AVERAGINGS,
) -> tuple[LabelScores, ...]:
    """Every averaging at every threshold; a label is given where its score >= the threshold.

    `scores` and `gold` have shape (n_items, n_labels); nan scores are missing.

    Raises ValueError for shapes that differ, infinite scores or an unknown averaging.
    """
    numbers = np.asarray(scores, dtype=np.float64)
    truth = np.asarray(gold, dtype=bool)
    if numbers.ndim != 2 or numbers.shape != truth.shape:
        raise ValueError(
            f"Scores {numbers.shape} and gold labels {truth.shape} came; items x labels on both "
            "sides is needed."
        )
    if np.isinf(numbers).any():
        raise ValueError("A score is infinite; only finite numbers can be compared.")
    for averaging in averagings:
        if averaging not in AVERAGINGS:
            raise ValueError(
                f"Averaging {averaging!r} is unknown; choose from {', '.join(AVERAGINGS)}."
            )
    scored = ~np.isnan(numbers)
    return tuple(
        _at_threshold(numbers >= threshold, truth, scored, threshold, averaging)
        for threshold in thresholds
        for averaging in averagings
    )


def majority_vote(
    *,
    item: npt.ArrayLike,
    category: npt.ArrayLike,
    n_items: int,
    n_categories: int,
    ties: VoteTie = "exclude",
) -> MajorityVote:
    """The most frequent category of each item, from 0-based codes, shape (n_ratings,).

    `ties`: "exclude" (default) gives a tied item no category; "lowest" and "highest" take the tied
    category that comes first or last in the declared order.

    Raises ValueError for an unknown rule, unequal lengths or codes out of range.
    """
    if ties not in VOTE_TIES:
        raise ValueError(f"Tie rule {ties!r} is unknown; choose from {', '.join(VOTE_TIES)}.")
    items, codes = (np.asarray(side, dtype=np.intp) for side in (item, category))
    if items.shape != codes.shape or items.ndim != 1:
        raise ValueError(f"{items.shape} items and {codes.shape} categories came.")
    for side, n in ((items, n_items), (codes, n_categories)):
        if side.size and not 0 <= int(side.min()) <= int(side.max()) < n:
            raise ValueError(f"A code lies outside 0 to {n - 1}.")
    counts = np.bincount(items * n_categories + codes, minlength=n_items * n_categories)
    counts = counts.reshape(n_items, n_categories)
    top = counts == counts.max(axis=1, keepdims=True)
    rated = counts.sum(axis=1) > 0
    tied = rated & (top.sum(axis=1) > 1)
    lowest = top.argmax(axis=1)
    highest = n_categories - 1 - top[:, ::-1].argmax(axis=1)
    vote = np.where(rated, highest if ties == "highest" else lowest, NO_CATEGORY)
    if ties == "exclude":
        vote = np.where(tied, NO_CATEGORY, vote)
    return MajorityVote(
        category=np.asarray(vote, dtype=np.intp),
        n_tied=int(tied.sum()),
        n_unrated=int((~rated).sum()),
        tie_rule=ties,
    )


def judge_agreement(
    *, judge: npt.ArrayLike, majority: MajorityVote, categories: Sequence[str]
) -> tuple[AgreementResult, ...]:
    """Nominal alpha, AC1 and raw agreement of a judge with the majority, as two raters.

    `judge`: category codes (n_items,), -1 where it gave none. Items without a majority or without
    the judge's answer are left out.

    Raises ValueError for another number of items.
    """
    given = np.asarray(judge, dtype=np.intp)
    if given.shape != majority.category.shape:
        raise ValueError(
            f"{given.shape} answers of the judge came for {majority.category.shape} items."
        )
    both = (given >= 0) & (majority.category >= 0)
    n = int(both.sum())
    ratings = code_ratings(
        unit=np.tile(np.arange(n), 2),
        rater=np.repeat(np.array([0, 1]), n),
        category=np.concatenate([given[both], majority.category[both]]),
        scale=declare_scale(level="nominal", categories=list(categories)),
    )
    return estimate_agreement(ratings=ratings, coefficients=AGREEMENT)


def _at_threshold(
    given: Mask, truth: Mask, scored: Mask, threshold: float, averaging: Averaging
) -> LabelScores:
    hits, false_alarms, misses = (
        (scored & given & truth),
        (scored & given & ~truth),
        (scored & ~given & truth),
    )
    axis = {"items": 1, "labels": 0, "micro": None}[averaging]
    tp, fp, fn = (
        np.atleast_1d(cells.sum(axis=axis)).astype(np.float64)
        for cells in (hits, false_alarms, misses)
    )
    # Items and labels without a single decision are none that could be undefined.
    decided = np.atleast_1d(scored.sum(axis=axis)) > 0
    return LabelScores(
        threshold=float(threshold),
        averaging=averaging,
        aggregation=AGGREGATIONS[averaging],
        precision=_share(tp, tp + fp, decided),
        recall=_share(tp, tp + fn, decided),
        f1=_share(2 * tp, 2 * tp + fp + fn, decided),
        true_positives=int(hits.sum()),
        false_positives=int(false_alarms.sum()),
        false_negatives=int(misses.sum()),
        n_decisions=int(scored.sum()),
        n_unscored=int((~scored).sum()),
    )


def _share(above: Floats, below: Floats, decided: Mask) -> Share:
    defined = (below > 0) & decided
    n_defined = int(defined.sum())
    return Share(
        value=float((above[defined] / below[defined]).mean()) if n_defined else None,
        reason=None if n_defined else "no_cases",
        n_defined=n_defined,
        n_undefined=int((decided & ~defined).sum()),
    )
