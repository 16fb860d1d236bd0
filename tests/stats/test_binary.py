"""Thresholds over label sets, majority votes, a judge against them, applicability, ranges."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.applicability import agreement_on_applicability, applicable_items
from scoring.stats.binary import judge_agreement, label_scores, majority_vote
from scoring.stats.normalisation import DeclaredRange, OutOfRangeError, composite

nan = np.nan

SCORES = [[5, 4, 1, 2], [3, 4, 4, 1], [1, 1, 1, nan], [1, 5, 2, 3]]
GOLD = [[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]


def at_four():
    return {one.averaging: one for one in label_scores(scores=SCORES, gold=GOLD, thresholds=[4])}


def test_f1_of_each_item_is_averaged_over_items():
    found = at_four()["items"]
    # Items: P 1/2, R 1/2, F1 1/2; P 1/2, R 1/2, F1 1/2; nothing given, nothing gold; all 1.
    assert found.f1.value == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert found.precision.value == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert (found.f1.n_defined, found.f1.n_undefined) == (3, 1)


def test_micro_takes_all_decisions_together():
    found = at_four()["micro"]
    assert (found.true_positives, found.false_positives, found.false_negatives) == (3, 2, 2)
    assert (found.n_decisions, found.n_unscored) == (15, 1)
    assert found.precision.value == pytest.approx(3 / 5)
    assert found.f1.value == pytest.approx(6 / 10)


def test_macro_by_label_is_another_number():
    found = at_four()["labels"]
    # Labels: TP FP FN = 1 0 1, 2 1 0, 0 1 0, 0 0 1.
    assert found.f1.value == pytest.approx((2 / 3 + 4 / 5 + 0 + 0) / 4)
    assert found.precision.value == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert (found.precision.n_undefined, found.recall.n_undefined) == (1, 1)
    assert len({one.aggregation for one in at_four().values()}) == 3


def test_a_threshold_that_nothing_reaches_has_no_precision():
    (found,) = label_scores(scores=SCORES, gold=GOLD, thresholds=[6], averagings=["micro"])
    assert (found.precision.value, found.precision.reason) == (None, "no_cases")
    assert (found.recall.value, found.f1.value) == (0.0, 0.0)


def test_scores_agree_with_an_independent_package():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    gold = rng.random((40, 6)) < 0.4
    scores = rng.integers(1, 6, (40, 6)).astype(float)
    names = {"items": "samples", "micro": "micro", "labels": "macro"}
    for one in label_scores(scores=scores, gold=gold, thresholds=[3, 4]):
        given = scores >= one.threshold
        keep = (given | gold).any(axis=1) if one.averaging == "items" else slice(None)
        theirs = metrics.f1_score(
            gold[keep], given[keep], average=names[one.averaging], zero_division=0
        )
        assert one.f1.value == pytest.approx(theirs)


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="items x labels"):
        label_scores(scores=[1, 2], gold=[1, 0], thresholds=[1])
    with pytest.raises(ValueError, match="infinite"):
        label_scores(scores=[[np.inf]], gold=[[1]], thresholds=[1])
    with pytest.raises(ValueError, match="'macro' is unknown"):
        label_scores(scores=[[1]], gold=[[1]], thresholds=[1], averagings=["macro"])


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("exclude", [1, -1, -1, 2]), ("lowest", [1, 0, -1, 2]), ("highest", [1, 2, -1, 2])],
)
def test_a_tied_majority_follows_the_declared_rule(ties, expected):
    vote = majority_vote(
        item=[0, 0, 0, 1, 1, 3],
        category=[1, 1, 0, 0, 2, 2],
        n_items=4,
        n_categories=3,
        ties=ties,
    )
    assert vote.category.tolist() == expected
    assert (vote.n_tied, vote.n_unrated, vote.tie_rule) == (1, 1, ties)


def test_votes_that_cannot_be_counted_are_refused():
    with pytest.raises(ValueError, match="outside 0 to 1"):
        majority_vote(item=[0], category=[2], n_items=1, n_categories=2)
    with pytest.raises(ValueError, match="'coin' is unknown"):
        majority_vote(item=[0], category=[0], n_items=1, n_categories=2, ties="coin")


def test_a_judge_is_held_against_the_majority_where_both_spoke():
    vote = majority_vote(
        item=np.repeat(np.arange(6), 3),
        category=[1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0],
        n_items=6,
        n_categories=2,
    )
    results = judge_agreement(judge=[1, 0, 0, 0, -1, 0], majority=vote, categories=["no", "yes"])
    found = {result.coefficient: result for result in results}
    assert set(found) == {"krippendorff_alpha", "gwet_ac1", "percent_agreement"}
    assert found["percent_agreement"].value == pytest.approx(4 / 5)
    assert found["percent_agreement"].n_units == 5
    with pytest.raises(ValueError, match="came for"):
        judge_agreement(judge=[1], majority=vote, categories=["no", "yes"])


def test_a_majority_of_not_applicable_takes_an_item_out_and_everything_is_counted():
    found = applicable_items(
        item=[0, 0, 0, 1, 1, 1, 2, 2, 3, 3],
        not_applicable=[1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
        n_items=5,
    )
    assert found.kept_items.tolist() == [False, True, True, True, False]
    assert found.kept_answers.tolist() == [False] * 4 + [True, True, False, True, True, True]
    assert (found.n_removed, found.n_tied, found.n_unanswered) == (1, 1, 1)
    assert (found.n_answers, found.n_not_applicable, found.n_applicable_removed) == (10, 4, 1)
    strict = applicable_items(item=[2, 2], not_applicable=[True, False], n_items=3, ties="remove")
    assert strict.kept_items.tolist() == [False, False, False]
    with pytest.raises(ValueError, match="'toss' is unknown"):
        applicable_items(item=[0], not_applicable=[True], n_items=1, ties="toss")


def test_agreement_on_applicability_is_nominal():
    results = agreement_on_applicability(
        item=[0, 0, 1, 1, 2, 2, 3, 3],
        rater=[0, 1, 0, 1, 0, 1, 0, 1],
        not_applicable=[1, 1, 0, 0, 0, 1, 0, 0],
    )
    found = {result.coefficient: result.value for result in results}
    assert found["percent_agreement"] == pytest.approx(3 / 4)
    # Of 8 answers 3 say not applicable: expected disagreement 2 * 3 * 5 / (8 * 7).
    assert found["krippendorff_alpha"] == pytest.approx(1 - (1 / 4) / (30 / 56))
    assert {result.level for result in results} == {"nominal"}


def test_ratings_are_rescaled_by_the_declared_range_and_reversed():
    faults = DeclaredRange(1, 5, "lower")
    assert faults.better_is_higher([1, 2, 5, nan])[:3].tolist() == [5, 4, 1]
    assert faults.to_unit([1, 3]).tolist() == [1.0, 0.5]
    assert DeclaredRange(1, 5).to_unit([2, 4]).tolist() == [0.25, 0.75]


def test_what_lies_outside_the_declared_range_is_refused():
    with pytest.raises(OutOfRangeError, match="7 lies outside the declared range 1 to 5"):
        DeclaredRange(1, 5).to_unit([1, 7])
    with pytest.raises(ValueError, match="no range"):
        DeclaredRange(5, 1)
    with pytest.raises(ValueError, match="no direction"):
        DeclaredRange(1, 5, "up")


def test_a_composite_is_the_mean_of_the_dimensions_an_item_has():
    found = composite(dimensions=[[1, 0.5, nan], [nan, nan, nan], [0.2, 0.4, 0.9]])
    assert found.value[[0, 2]].tolist() == [0.75, 0.5]
    assert np.isnan(found.value[1])
    assert found.n_available.tolist() == [2, 0, 3]
    with pytest.raises(ValueError, match="items x dimensions"):
        composite(dimensions=[1, 2])
