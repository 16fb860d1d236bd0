"""Degenerate ratings give the right number, or None and a reason; never nan, never a guess."""

from __future__ import annotations

import json
import math

import pytest

from scoring.stats.agreement import COEFFICIENTS, Coefficient, estimate_agreement
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.coefficients import BY_RATER, OF_SETS
from scoring.stats.counts import ratings_from_labels
from scoring.stats.result import REASONS
from scoring.stats.scale import LEVELS, NegativeRatioError, NotFiniteError
from scoring.stats.sets import set_scale
from tests.stats.published import DATA, matrix_ratings

CASES = json.loads((DATA / "edge_cases.json").read_text(encoding="utf-8"))
BY_NAME = {case["case"]: case for case in CASES}
NAMES = {
    "alpha": ("krippendorff_alpha",),
    "percent_agreement": ("percent_agreement",),
    "ac1": ("gwet_ac1",),
    "brennan_prediger": ("brennan_prediger",),
    "fleiss": ("fleiss_kappa",),
    "cohen": ("cohen_kappa",),
    "cohen/fleiss/conger": ("cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa"),
    "icc": ("icc",),
    "all": tuple(name for name in COEFFICIENTS if name not in OF_SETS),
}
ELSEWHERE = {"say", "ci", "cohen for the non-overlapping pair", "mean pairwise cohen"}
"""Right outcomes that tests of their own below are about."""

UNDEFINED = ("krippendorff_alpha", "fleiss_kappa")
"""Coefficients of counts that are 0/0 where ratings do not vary."""

REFUSED = "refuse"

# Conger's kappa of the same cases, by irrCAC.
CONGER = {
    "two raters never overlap + third bridges": 0.357143,
    "one disagreement among 5 (skew)": 0.0,
    "systematic swap AB/BA": -1.0,
    "string labels, complete": 0.6,
    "string labels, None missing": 0.727273,
    "string label 'nan' is a real category": 0.636364,
    "floats 0.1 steps": 0.666667,
    "bool labels": 0.4,
    "negative & zero values": 0.555556,
    "an item rated by nobody": 0.4,
}


def outcomes():
    for case in CASES:
        for key, right in case["right"].items():
            if key in ELSEWHERE or str(right).startswith(REFUSED):
                continue
            words = key.split(" (")[0].split()
            level = words[1] if words[1:] and words[1] in LEVELS else "nominal"
            for name in NAMES[words[0]]:
                yield pytest.param(case, name, level, right, id=f"{case['case']}: {name}, {key}")


def estimate(case, name, level):
    matrix = case["input_raters_by_items"]
    declared = "declared q" in str(case["right"]) and level == "nominal"
    graded = name in ("icc", "kendall_w", "gwet_ac2")
    ratings = matrix_ratings(
        matrix, "interval" if graded else level, [1, 2] if declared and not graded else None
    )
    return estimate_agreement(ratings=ratings, coefficients=[Coefficient(name, level)])[0]


@pytest.mark.parametrize(("case", "name", "level", "right"), list(outcomes()))
def test_an_edge_case_has_the_right_outcome(case, name, level, right):
    result = estimate(case, name, level)
    if isinstance(right, str):
        assert (result.value, result.reason) == (None, right.removeprefix("undefined:"))
    else:
        assert result.reason is None
        assert result.value == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("case", CONGER)
def test_congers_kappa_of_an_edge_case_is_that_of_another_program(case):
    result = estimate(BY_NAME[case], "conger_kappa", "nominal")
    assert result.value == pytest.approx(CONGER[case], abs=1e-6)


def test_every_edge_case_is_looked_at():
    assert len(CASES) == 21
    looked_at = {case.values[0]["case"] for case in outcomes()}
    assert set(BY_NAME) - looked_at == {"infinite rating"}


def test_cohens_kappa_of_raters_without_a_common_item_is_left_out_of_the_mean_and_counted():
    matrix = BY_NAME["two raters never overlap + third bridges"]["input_raters_by_items"]
    cohen = [Coefficient("cohen_kappa")]
    pairs = {
        (a, b): estimate_agreement(
            ratings=matrix_ratings([matrix[a], matrix[b]], "nominal"), coefficients=cohen
        )[0]
        for a, b in ((0, 1), (0, 2), (1, 2))
    }
    assert (pairs[0, 1].value, pairs[0, 1].reason) == (None, "no_pairs")
    (mean,) = estimate_agreement(ratings=matrix_ratings(matrix, "nominal"), coefficients=cohen)
    assert mean.value == pytest.approx((pairs[0, 2].value + pairs[1, 2].value) / 2, abs=1e-12)
    assert (mean.n_left_out, mean.aggregation) == (1, "mean over pairs of raters")


def test_a_two_way_form_without_an_item_that_all_rated_says_what_to_use():
    matrix = BY_NAME["two raters never overlap + third bridges"]["input_raters_by_items"]
    forms = [Coefficient("icc", form="ICC2"), Coefficient("icc", form="ICC1")]
    wanted = [*forms, Coefficient("kendall_w")]
    two, one, w = estimate_agreement(
        ratings=matrix_ratings(matrix, "interval"), coefficients=wanted
    )
    assert (two.value, two.reason, w.reason) == (None, "no_complete_items", "no_complete_items")
    assert "ICC1" in REASONS["no_complete_items"]
    assert one.reason is None


@pytest.mark.parametrize("case", ["one item, 3 raters, agree", "one item, 3 raters, 2:1"])
def test_one_item_has_no_interval(case):
    ratings = matrix_ratings(BY_NAME[case]["input_raters_by_items"], "nominal", [1, 2])
    results = bootstrap_agreement(
        ratings=ratings,
        coefficients=[Coefficient("gwet_ac1"), Coefficient("percent_agreement")],
        replicates=50,
        seed=1,
    )
    assert [r.interval.reason for r in results] == ["one_item", "one_item"]
    assert [r.interval.low for r in results] == [None, None]


def test_a_rating_that_is_infinite_or_not_a_number_is_refused():
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(NotFiniteError, match="not a finite number"):
            matrix_ratings([[1, 2, value], [1, 2, 2]], "interval")


def test_a_ratio_scale_refuses_negative_values():
    case = BY_NAME["negative & zero values"]
    with pytest.raises(NegativeRatioError, match="true zero"):
        matrix_ratings(case["input_raters_by_items"], "ratio")


def test_an_empty_table_has_no_ratings():
    ratings = matrix_ratings([[None, ""], [None, None]], "nominal", ["a", "b"])
    (result,) = bootstrap_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha")], replicates=10, seed=1
    )
    assert (result.value, result.reason) == (None, "no_ratings")
    assert (result.n_units, result.n_raters, result.n_ratings) == (0, 0, 0)


def test_every_undefined_outcome_has_a_sentence():
    reasons = {
        str(right).removeprefix("undefined:")
        for case in CASES
        for right in case["right"].values()
        if str(right).startswith("undefined:")
    }
    assert reasons <= set(REASONS)


def test_many_identical_ratings_are_no_variation_and_full_agreement_exactly():
    # 49 * (1 / 49) is not 1 in floating point: the outcome must not hang on such a sum.
    ratings = matrix_ratings([[3] * 40] * 49, "interval", [1, 2, 3])
    names = [name for name in COEFFICIENTS if name not in OF_SETS]
    for resample in ("items", "two-way"):
        results = bootstrap_agreement(
            ratings=ratings,
            coefficients=[Coefficient(name) for name in names],
            replicates=30,
            seed=1,
            resample=resample,
        )
        found = {result.coefficient: result for result in results}
        assert found["percent_agreement"].value == 1.0
        assert found["percent_agreement"].interval.low == 1.0
        assert found["percent_agreement"].interval.high == 1.0
        for name in (*UNDEFINED, *BY_RATER):
            assert (found[name].value, found[name].reason) == (None, "no_variation")


def test_numbers_too_large_to_square_are_refused():
    for value in (1e200, -1e300, "1" + "0" * 400, 10**400):
        with pytest.raises(NotFiniteError, match="too large|not a finite"):
            matrix_ratings([[1, 2, value], [1, 2, 2]], "interval")
    ratings = matrix_ratings([[1, 2, 1e100], [1, 3, 1e100]], "interval")
    alpha, icc = estimate_agreement(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha", "interval"), Coefficient("icc")],
    )
    assert (alpha.value, icc.value) == (pytest.approx(1.0), pytest.approx(1.0))


def test_without_pairs_of_empty_sets_there_may_be_nothing_to_average():
    nothing = frozenset()
    scale = set_scale(found=[nothing, frozenset("a")])
    ratings = ratings_from_labels(
        units=[1, 1, 2], raters=[1, 2, 1], values=["∅", "∅", "a"], scale=scale
    )
    (result,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("average_pairwise_jaccard", skip_empty=True)]
    )
    assert (result.value, result.reason) == (None, "only_empty_sets")
