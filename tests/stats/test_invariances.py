"""What must not change a coefficient does not; and alpha agrees with an independent package."""

from __future__ import annotations

from importlib.metadata import version

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.anova import ICC_FORMS
from scoring.stats.counts import code_ratings
from scoring.stats.scale import LEVELS, declare_scale
from scoring.stats.self_check import check_alpha
from scoring.stats.sets import set_scale
from scoring.stats.weights import SET_DISTANCES, WEIGHTS
from tests.stats.published import OF_CATEGORIES

CATEGORIES = [0.5, 1, 2, 4, 7]

BY_PAIR = ("cohen_kappa", "scott_pi", "conger_kappa")
NOMINAL = [Coefficient(name) for name in (*OF_CATEGORIES, *BY_PAIR)]
WEIGHTED = [
    Coefficient(name, weights=weights)
    for name in ("gwet_ac2", "fleiss_kappa", "krippendorff_alpha", *BY_PAIR)
    for weights in WEIGHTS
]
WANTED = [
    *NOMINAL,
    *WEIGHTED,
    *[Coefficient("krippendorff_alpha", level) for level in LEVELS],
    *[Coefficient("icc", form=form) for form in ICC_FORMS],
    Coefficient("kendall_w"),
]
LIKE_INTERVALS = [
    *[one for one in WEIGHTED if one.weights in ("linear", "quadratic", "radical", "ordinal")],
    *[one for one in WANTED if one.name in ("icc", "kendall_w")],
]
"""What depends on differences of values, up to a factor, or on their order alone."""


@st.composite
def rating_matrices(draw):
    """Raters x items of category codes; -1 is missing."""
    raters = draw(st.integers(2, 6))
    items = draw(st.integers(2, 12))
    cells = st.lists(st.integers(-1, len(CATEGORIES) - 1), min_size=items, max_size=items)
    return np.array(draw(st.lists(cells, min_size=raters, max_size=raters)))


def coded(matrix, level="nominal", categories=CATEGORIES):
    rater, unit = np.indices(matrix.shape)
    return code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=matrix.ravel(),
        scale=declare_scale(level=level, categories=categories),
    )


def estimate(ratings, wanted):
    return estimate_agreement(ratings=ratings, coefficients=[wanted])[0]


def value(ratings, name, level="nominal"):
    return estimate(ratings, Coefficient(name, level)).value


@settings(max_examples=150, deadline=None)
@given(rating_matrices(), st.sampled_from(LEVELS))
def test_alpha_equals_that_of_an_independent_package(matrix, level):
    ours = value(coded(matrix, level), "krippendorff_alpha", level)
    assume(ours is not None)
    numbers = np.array([*CATEGORIES, np.nan])[matrix]
    theirs = krippendorff.alpha(reliability_data=numbers, level_of_measurement=level)
    assert ours == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(rating_matrices(), st.randoms(use_true_random=False), st.sampled_from(WANTED))
def test_the_order_of_raters_and_items_does_not_matter(matrix, random, wanted):
    rows = random.sample(range(matrix.shape[0]), matrix.shape[0])
    columns = random.sample(range(matrix.shape[1]), matrix.shape[1])
    before = estimate(coded(matrix, "interval"), wanted)
    after = estimate(coded(matrix[rows][:, columns], "interval"), wanted)
    assert after.value == pytest.approx(before.value, abs=1e-9)
    assert after.reason == before.reason


@settings(max_examples=150, deadline=None)
@given(rating_matrices(), st.permutations(range(5)), st.sampled_from(NOMINAL))
def test_renaming_nominal_categories_does_not_matter(matrix, order, wanted):
    renamed = np.array([*order, -1])[matrix]
    before, after = estimate(coded(matrix), wanted), estimate(coded(renamed), wanted)
    assert after.value == pytest.approx(before.value, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(rating_matrices(), st.sampled_from(LIKE_INTERVALS))
def test_a_shift_and_a_change_of_unit_do_not_matter(matrix, wanted):
    moved = [3.0 + 2.0 * category for category in CATEGORIES]
    before = estimate(coded(matrix, "interval"), wanted)
    after = estimate(coded(matrix, "interval", moved), wanted)
    assert after.value == pytest.approx(before.value, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(rating_matrices(), st.sampled_from(WANTED))
def test_perfect_agreement_is_one_wherever_it_is_defined(matrix, wanted):
    given = np.where(matrix >= 0, matrix.max(axis=0), -1)
    result = estimate(coded(given, "interval"), wanted)
    assert result.value is None or result.value == pytest.approx(1.0, abs=1e-9)
    assert (result.value is None) == (result.reason is not None)


@settings(max_examples=200, deadline=None)
@given(rating_matrices(), st.sampled_from(WANTED))
def test_no_coefficient_is_above_one_or_not_a_number(matrix, wanted):
    result = estimate(coded(matrix, "interval"), wanted)
    assert result.value is None or (np.isfinite(result.value) and result.value <= 1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(rating_matrices())
def test_interval_alpha_ignores_a_shift_and_a_change_of_unit(matrix):
    moved = [3.0 + 2.0 * category for category in CATEGORIES]
    before = value(coded(matrix, "interval"), "krippendorff_alpha", "interval")
    after = value(coded(matrix, "interval", moved), "krippendorff_alpha", "interval")
    assert after == pytest.approx(before, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(rating_matrices())
def test_ordinal_alpha_depends_on_the_order_of_categories_only(matrix):
    stretched = [1, 10, 11, 500, 501]
    before = value(coded(matrix, "ordinal"), "krippendorff_alpha", "ordinal")
    after = value(coded(matrix, "ordinal", stretched), "krippendorff_alpha", "ordinal")
    assert after == pytest.approx(before, abs=1e-12)


def test_the_self_check_reports_both_engines_and_their_difference():
    matrix = np.random.default_rng(4).integers(-1, 5, size=(6, 30))
    for level in LEVELS:
        check = check_alpha(ratings=coded(matrix, level), level=level)
        assert check.package == pytest.approx(check.ours, abs=1e-12)
        assert check.difference < 1e-12
        assert check.package_version == version("krippendorff")


def test_the_self_check_says_why_there_is_nothing_to_compare():
    check = check_alpha(ratings=coded(np.zeros((3, 4), dtype=int)), level="nominal")
    assert (check.ours, check.package, check.difference) == (None, None, None)
    assert "undefined" in check.note


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_self_check_takes_any_weights(weights):
    matrix = np.random.default_rng(4).integers(-1, 5, size=(6, 30))
    check = check_alpha(ratings=coded(matrix, "ratio"), level="ratio", weights=weights)
    assert check.difference < 1e-12


@pytest.mark.parametrize("distance", SET_DISTANCES)
def test_the_self_check_compares_sets_too(distance):
    members = [frozenset(), frozenset("a"), frozenset("ab"), frozenset("bc"), frozenset("abc")]
    unit, rater = np.indices((40, 4))
    category = np.random.default_rng(5).integers(-1, 5, size=(40, 4))
    ratings = code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=set_scale(found=members),
    )
    check = check_alpha(ratings=ratings, level="nominal", weights=distance)
    assert check.difference < 1e-12


def test_the_self_check_takes_counts_of_many_raters_and_leaves_long_scales_out(monkeypatch):
    ratings = coded(np.random.default_rng(4).integers(-1, 5, size=(30, 20)), "interval")
    monkeypatch.setattr("scoring.stats.self_check.MAX_CELLS", 20 * 5 * 5)
    assert check_alpha(ratings=ratings, level="interval").difference < 1e-12
    monkeypatch.setattr("scoring.stats.self_check.MAX_CELLS", 20 * 5 * 5 - 1)
    check = check_alpha(ratings=ratings, level="interval")
    assert (check.package, check.difference) == (None, None)
    assert "too many for the package" in check.note
