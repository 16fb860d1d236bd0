"""Linearised standard errors are what leaving items out one by one gives."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.agreement import estimate_agreement
from scoring.stats.coefficients import Coefficient
from scoring.stats.counts import code_ratings
from scoring.stats.scale import LEVELS, declare_scale
from scoring.stats.sets import set_scale
from scoring.stats.standard_errors import standard_errors, t_p_value
from scoring.stats.weights import WEIGHTS

SCALE = declare_scale(level="ratio", categories=[1, 2, 3, 4, 5])
OF_COUNTS = [
    *[Coefficient("krippendorff_alpha", level) for level in LEVELS],
    *[Coefficient(name) for name in ("gwet_ac1", "fleiss_kappa", "brennan_prediger")],
    *[Coefficient("gwet_ac2", weights=weights) for weights in WEIGHTS],
    Coefficient("fleiss_kappa", weights="linear"),
    Coefficient("percent_agreement"),
    Coefficient("percent_agreement", weights="quadratic", aggregate="pairs"),
]
OF_TWO = [
    Coefficient("cohen_kappa"),
    Coefficient("cohen_kappa", weights="quadratic"),
    Coefficient("scott_pi"),
]


def likert(n_raters, missing, seed=0, n_items=200):
    rng = np.random.default_rng(seed)
    noisy = rng.normal(2, 1, (n_items, 1)) + rng.normal(0, 0.8, (n_items, n_raters))
    codes = np.clip(np.round(noisy), 0, 4).astype(int)
    codes[rng.random(codes.shape) < missing] = -1
    return codes[(codes >= 0).any(axis=1)]


def coded(matrix, scale=SCALE):
    unit, rater = np.indices(matrix.shape)
    return code_ratings(
        unit=unit.ravel(), rater=rater.ravel(), category=matrix.ravel(), scale=scale
    )


def jackknife(matrix, coefficient, scale=SCALE):
    n = len(matrix)
    left = np.array(
        [
            estimate_agreement(
                ratings=coded(np.delete(matrix, i, axis=0), scale), coefficients=[coefficient]
            )[0].value
            for i in range(n)
        ]
    )
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


@pytest.mark.parametrize("coefficient", OF_COUNTS, ids=str)
def test_the_linearised_error_is_near_the_jackknife(coefficient):
    matrix = likert(5, 0.5)
    errors = standard_errors(ratings=coded(matrix), coefficient=coefficient)
    assert errors.linearised == pytest.approx(jackknife(matrix, coefficient), rel=0.03)


@pytest.mark.parametrize("coefficient", OF_TWO, ids=str)
def test_so_is_that_of_two_raters(coefficient):
    matrix = likert(2, 0.2)
    both = matrix[(matrix >= 0).all(axis=1)]
    errors = standard_errors(ratings=coded(matrix), coefficient=coefficient)
    assert errors.linearised == pytest.approx(jackknife(both, coefficient), rel=0.03)


@pytest.mark.parametrize("skip_empty", [False, True])
@pytest.mark.parametrize("aggregate", ["items", "pairs"])
def test_so_is_that_of_sets(aggregate, skip_empty):
    members = [frozenset(), frozenset("a"), frozenset("ab"), frozenset("bc"), frozenset("abc")]
    scale = set_scale(found=members)
    coefficient = Coefficient(
        "average_pairwise_jaccard", aggregate=aggregate, skip_empty=skip_empty
    )
    matrix = likert(4, 0.4)
    errors = standard_errors(ratings=coded(matrix, scale), coefficient=coefficient)
    expected = jackknife(matrix, coefficient, scale)
    assert errors.linearised == pytest.approx(expected, rel=0.03)


def test_gwets_error_is_too_wide_where_most_items_have_one_rating():
    rng = np.random.default_rng(1)
    matrix = likert(2, 0.0, seed=2, n_items=400)
    matrix[rng.random(len(matrix)) < 0.8, 1] = -1
    ac2 = Coefficient("gwet_ac2")
    errors = standard_errors(ratings=coded(matrix), coefficient=ac2)
    assert errors.gwet > 1.5 * errors.linearised
    assert errors.linearised == pytest.approx(jackknife(matrix, ac2), rel=0.1)


def test_both_forms_are_the_same_where_every_item_has_two_ratings():
    errors = standard_errors(ratings=coded(likert(3, 0.0)), coefficient=Coefficient("gwet_ac1"))
    assert errors.gwet == pytest.approx(errors.linearised, abs=1e-12)


@pytest.mark.parametrize("coefficient", [*OF_COUNTS, *OF_TWO], ids=str)
def test_where_there_is_no_value_or_one_item_there_is_no_error(coefficient):
    for matrix in (np.full((5, 2), -1), np.array([[0, 1]]), np.array([[0, -1], [-1, 1]])):
        errors = standard_errors(ratings=coded(matrix), coefficient=coefficient)
        assert (errors.linearised, errors.gwet) == (None, None)


def test_what_has_no_analytic_error_says_so():
    ratings = coded(likert(4, 0.2))
    for name in ("icc", "kendall_w", "conger_kappa", "cohen_kappa"):
        errors = standard_errors(ratings=ratings, coefficient=Coefficient(name))
        assert (errors.linearised, errors.gwet) == (None, None)


def test_without_any_spread_there_is_no_p():
    assert t_p_value(1.0, 0.0, n_units=10) is None


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_items_in_blocks_and_items_of_one_pattern_give_the_same_error(monkeypatch, level):
    few = likert(4, 0.4)
    # The same ratings on a scale so long that no count rows are put together.
    many = declare_scale(level="ratio", categories=[*range(1, 6), *range(100, 140)])
    for name in ("krippendorff_alpha", "gwet_ac1"):
        coefficient = Coefficient(name, level)
        at_once = standard_errors(ratings=coded(few, many), coefficient=coefficient)
        with monkeypatch.context() as patched:
            patched.setattr("scoring.stats.standard_errors.BLOCK_CELLS", 500)
            in_blocks = standard_errors(ratings=coded(few, many), coefficient=coefficient)
        assert in_blocks.linearised == pytest.approx(at_once.linearised, rel=1e-12)
        if name == "krippendorff_alpha":
            by_pattern = standard_errors(ratings=coded(few), coefficient=coefficient)
            assert by_pattern.linearised == pytest.approx(at_once.linearised, rel=1e-12)
