"""Degenerate ratings give the right number, or None and a reason; never nan, never a guess."""

from __future__ import annotations

import json
import math

import pytest

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.result import REASONS
from scoring.stats.scale import NegativeRatioError, NotFiniteError
from tests.stats.published import DATA, OF_CATEGORIES, matrix_ratings

CASES = json.loads((DATA / "edge_cases.json").read_text(encoding="utf-8"))
BY_NAME = {case["case"]: case for case in CASES}
SHORT = {
    "alpha": ("krippendorff_alpha", "nominal"),
    "alpha nominal": ("krippendorff_alpha", "nominal"),
    "alpha nominal after snapping to the declared scale": ("krippendorff_alpha", "nominal"),
    "alpha interval": ("krippendorff_alpha", "interval"),
    "percent_agreement": ("percent_agreement", "nominal"),
    "ac1": ("gwet_ac1", "nominal"),
    "ac1 (declared q>=2)": ("gwet_ac1", "nominal"),
    "ac1 (pe from all rated items, Gwet)": ("gwet_ac1", "nominal"),
    "brennan_prediger (declared q>=2)": ("brennan_prediger", "nominal"),
    "fleiss": ("fleiss_kappa", "nominal"),
    "cohen/fleiss/conger": ("fleiss_kappa", "nominal"),
}
RIGHT = [
    pytest.param(case, key, id=f"{case['case']}: {key}")
    for case in CASES
    for key in case["right"]
    if key in SHORT
]


def estimate(case, name, level):
    matrix = case["input_raters_by_items"]
    categories = [1, 2] if "declared" in str(case["right"]) and level == "nominal" else None
    ratings = matrix_ratings(matrix, level, categories)
    return estimate_agreement(ratings=ratings, coefficients=[Coefficient(name, level)])[0]


@pytest.mark.parametrize(("case", "key"), RIGHT)
def test_an_edge_case_has_the_right_outcome(case, key):
    if "snapping" in key:
        case = {**case, "right": {}}
    result = estimate(case, *SHORT[key])
    right = BY_NAME[case["case"]]["right"][key]
    if isinstance(right, str):
        assert (result.value, result.reason) == (None, right.removeprefix("undefined:"))
    else:
        assert result.reason is None
        assert result.value == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("name", OF_CATEGORIES)
@pytest.mark.parametrize("case", ["one rater only", "no item with two ratings"])
def test_without_a_pair_every_coefficient_is_undefined(case, name):
    result = estimate(BY_NAME[case], name, "nominal")
    assert (result.value, result.reason) == (None, "no_pairs")


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
    ratings = matrix_ratings([[3] * 40] * 49, "nominal", [1, 2, 3])
    for resample in ("items", "two-way"):
        results = bootstrap_agreement(
            ratings=ratings,
            coefficients=[Coefficient(name) for name in OF_CATEGORIES],
            replicates=30,
            seed=1,
            resample=resample,
        )
        found = {result.coefficient: result for result in results}
        assert found["percent_agreement"].value == 1.0
        assert found["percent_agreement"].interval.low == 1.0
        assert found["percent_agreement"].interval.high == 1.0
        for name in ("krippendorff_alpha", "fleiss_kappa"):
            assert (found[name].value, found[name].reason) == (None, "no_variation")
