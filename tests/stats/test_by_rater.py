"""Coefficients that know who rated what: against the textbook forms, and under weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from scoring.stats.agreement import estimate_agreement
from scoring.stats.anova import ICC_FORMS, UnknownIccFormError, icc_form
from scoring.stats.anova_intervals import icc_interval
from scoring.stats.by_rater import statistic_of
from scoring.stats.coefficients import BY_RATER, Coefficient
from scoring.stats.counts import code_ratings
from scoring.stats.rater_margins import TooManyPairsError
from scoring.stats.scale import declare_scale
from scoring.stats.weights import WithoutOrderError

WANTED = [
    *[Coefficient(name) for name in BY_RATER if name != "icc"],
    *[
        Coefficient(name, weights="quadratic")
        for name in ("cohen_kappa", "scott_pi", "conger_kappa")
    ],
    *[Coefficient("icc", form=form) for form in ICC_FORMS],
]


def likert(*, n_items=30, n_raters=4, missing=0.0, seed=5):
    """Items x raters of codes 0-4, -1 missing."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(2, 1, (n_items, 1)) + rng.normal(0, 0.4, n_raters)
    codes = np.clip(np.round(latent + rng.normal(0, 0.7, (n_items, n_raters))), 0, 4).astype(int)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def coded(matrix, level="interval"):
    unit, rater = np.indices(matrix.shape)
    return code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=matrix.ravel(),
        scale=declare_scale(level=level, categories=[1, 2, 3, 4, 5]),
    )


def value(ratings, coefficient):
    return estimate_agreement(ratings=ratings, coefficients=[coefficient])[0].value


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_kappa_is_that_of_an_independent_package(weights):
    matrix = likert(n_raters=2)
    theirs = cohen_kappa_score(matrix[:, 0], matrix[:, 1], weights=weights, labels=range(5))
    assert value(coded(matrix), Coefficient("cohen_kappa", weights=weights)) == pytest.approx(
        theirs, abs=1e-12
    )


def test_cohens_kappa_of_several_raters_is_the_mean_over_pairs():
    matrix = likert(n_raters=3)
    pairs = [
        cohen_kappa_score(matrix[:, a], matrix[:, b], labels=range(5))
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    assert value(coded(matrix), Coefficient("cohen_kappa")) == pytest.approx(np.mean(pairs))


def test_congers_kappa_of_two_raters_is_cohens_and_scotts_pi_is_fleiss():
    ratings = coded(likert(n_raters=2))
    for weights in ("identity", "linear"):
        cohen, conger, scott, fleiss = (
            value(ratings, Coefficient(name, weights=weights))
            for name in ("cohen_kappa", "conger_kappa", "scott_pi", "fleiss_kappa")
        )
        assert conger == pytest.approx(cohen, abs=1e-12)
        assert scott == pytest.approx(fleiss, abs=1e-12)


def textbook_icc(x, form):
    """Shrout and Fleiss 1979 from sums of squares."""
    n, k = x.shape
    grand = x.mean()
    rows = k * ((x.mean(axis=1) - grand) ** 2).sum()
    columns = n * ((x.mean(axis=0) - grand) ** 2).sum()
    total = ((x - grand) ** 2).sum()
    msr, msw = rows / (n - 1), (total - rows) / (n * (k - 1))
    msc, mse = columns / (k - 1), (total - rows - columns) / ((n - 1) * (k - 1))
    return {
        "ICC1": (msr - msw) / (msr + (k - 1) * msw),
        "ICC2": (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n),
        "ICC3": (msr - mse) / (msr + (k - 1) * mse),
        "ICC1k": (msr - msw) / msr,
        "ICC2k": (msr - mse) / (msr + (msc - mse) / n),
        "ICC3k": (msr - mse) / msr,
    }[form]


@pytest.mark.parametrize("form", ICC_FORMS)
def test_an_intraclass_correlation_is_that_of_the_sums_of_squares(form):
    matrix = likert()
    expected = textbook_icc(matrix.astype(float), form)
    assert value(coded(matrix), Coefficient("icc", form=form)) == pytest.approx(expected, abs=1e-12)


def test_two_way_forms_rest_on_the_items_that_all_rated_and_one_way_on_all_with_two():
    matrix = likert(missing=0.2)
    complete = (matrix >= 0).all(axis=1)
    two = Coefficient("icc", form="ICC2")
    (result,) = estimate_agreement(ratings=coded(matrix), coefficients=[two])
    assert result.value == pytest.approx(textbook_icc(matrix[complete].astype(float), "ICC2"))
    assert result.n_units_used == complete.sum() < result.n_units
    one = Coefficient("icc", form="ICC1")
    (result,) = estimate_agreement(ratings=coded(matrix), coefficients=[one])
    assert result.n_units_used == ((matrix >= 0).sum(axis=1) > 1).sum()


@pytest.mark.parametrize("coefficient", WANTED, ids=str)
def test_a_unit_that_counts_twice_is_that_unit_twice(coefficient):
    matrix = likert(n_items=12, missing=0.1)
    weights = np.random.default_rng(3).integers(0, 3, len(matrix))
    kept = (matrix >= 0).any(axis=1)
    weighted = statistic_of(coded(matrix), coefficient).value(
        weights[kept].astype(float), np.ones(matrix.shape[1])
    )
    assert weighted == pytest.approx(
        value(coded(np.repeat(matrix, weights, axis=0)), coefficient), abs=1e-12
    )


@pytest.mark.parametrize("coefficient", WANTED, ids=str)
def test_a_rater_who_counts_for_nothing_is_not_there(coefficient):
    matrix = likert()
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    weighted = statistic_of(coded(matrix), coefficient).value(np.ones(len(matrix)), weights)
    expected = value(coded(matrix[:, weights > 0]), coefficient)
    # Means of k ratings and W speak of as many ratings as there were raters, drawn or not.
    if coefficient.form.endswith("k") and coefficient.form != "ICC1k":
        single = value(
            coded(matrix[:, weights > 0]), Coefficient("icc", form=coefficient.form[:-1])
        )
        expected = 4 * single / (1 + 3 * single)
    if coefficient.name == "kendall_w":
        assert 0 < weighted < 1
        return
    assert weighted == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("coefficient", WANTED, ids=str)
def test_a_rater_drawn_twice_does_not_agree_with_himself(coefficient):
    # Two raters who are independent: drawing one of them twice adds no agreement.
    rng = np.random.default_rng(8)
    matrix = rng.integers(0, 5, (400, 2))
    statistic = statistic_of(coded(matrix), coefficient)
    once = statistic.value(np.ones(400), np.ones(2))
    twice = statistic.value(np.ones(400), np.array([2.0, 1.0]))
    assert abs(twice - once) < 0.12


@pytest.mark.parametrize("coefficient", WANTED, ids=str)
def test_perfect_agreement_is_one(coefficient):
    matrix = np.repeat(np.arange(5)[:, None], 3, axis=1)
    assert value(coded(matrix), coefficient) == pytest.approx(1.0, abs=1e-12)


def test_without_variation_in_any_rater_there_is_no_value():
    for coefficient in WANTED:
        (result,) = estimate_agreement(
            ratings=coded(np.full((6, 3), 2)), coefficients=[coefficient]
        )
        assert (result.value, result.reason) == (None, "no_variation")


def test_one_item_rated_by_all_is_too_little_for_means_and_ranks():
    wanted = [Coefficient("icc"), Coefficient("kendall_w"), Coefficient("icc", form="ICC1")]
    results = estimate_agreement(ratings=coded(np.array([[0, 1, 2]])), coefficients=wanted)
    assert [result.reason for result in results] == ["one_item"] * 3


def test_words_without_an_order_have_no_means_and_no_ranks():
    ratings = code_ratings(
        unit=[0, 0, 1, 1],
        rater=[0, 1, 0, 1],
        category=[0, 1, 1, 0],
        scale=declare_scale(level="nominal", categories=["cat", "dog"]),
    )
    for name in ("icc", "kendall_w"):
        with pytest.raises(WithoutOrderError):
            estimate_agreement(ratings=ratings, coefficients=[Coefficient(name)])


@pytest.mark.parametrize(
    ("name", "form"),
    [("icc2", "ICC2"), ("ICC(A, 1)", "ICC2"), ("ICC(C,k)", "ICC3k"), ("ICC(1,1)", "ICC1")],
)
def test_a_form_has_several_names(name, form):
    assert icc_form(name) == form


def test_an_unknown_form_is_refused():
    with pytest.raises(UnknownIccFormError, match="choose from ICC1"):
        icc_form("ICC4")


def test_an_interval_by_f_is_not_given_where_there_is_none():
    assert icc_interval(ratings=coded(np.full((6, 3), 2)), form="ICC1") is None
    assert icc_interval(ratings=coded(np.array([[0, 1, 2]])), form="ICC3") is None
    perfect = np.repeat(np.arange(5)[:, None], 3, axis=1)
    for form in ICC_FORMS:
        assert icc_interval(ratings=coded(perfect), form=form) is None


def test_pairs_of_raters_in_blocks_give_the_same_numbers(monkeypatch):
    ratings = coded(likert(n_raters=7, missing=0.4))
    wanted = [Coefficient("cohen_kappa"), Coefficient("scott_pi", weights="linear")]
    at_once = [value(ratings, one) for one in wanted]
    monkeypatch.setattr("scoring.stats.rater_margins.BLOCK_CELLS", 10)
    assert [value(ratings, one) for one in wanted] == at_once


def test_too_many_pairs_are_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr("scoring.stats.rater_margins.MOST_PAIRS", 10)
    with pytest.raises(TooManyPairsError, match="Use Fleiss' or Conger's kappa"):
        estimate_agreement(ratings=coded(likert()), coefficients=[Coefficient("cohen_kappa")])


@pytest.mark.parametrize(
    ("matrix", "undefined"),
    [
        # Items with one mean: nothing is left of the variance between them.
        ([[1, 0], [0, 1], [0, 1]], {"ICC1k", "ICC2k", "ICC3k"}),
        # Neither items nor raters differ.
        ([[1, 0], [0, 1]], {"ICC1k", "ICC2", "ICC2k", "ICC3k"}),
        # Items differ so little that the variances of ICC2k add up to less than nothing.
        ([[2, 1], [0, 2]], {"ICC2k"}),
        # Tenths leave crumbs of rounding where whole numbers leave zero.
        ([[3, 4, 3], [4, 0, 4]], {"ICC1k", "ICC2k", "ICC3k"}),
    ],
)
def test_a_mean_of_items_that_differ_less_than_by_chance_is_undefined(matrix, undefined):
    tenths = declare_scale(level="interval", categories=[0.1, 0.2, 0.3, 0.4, 0.7])
    codes = np.array(matrix)
    unit, rater = np.indices(codes.shape)
    ratings = code_ratings(
        unit=unit.ravel(), rater=rater.ravel(), category=codes.ravel(), scale=tenths
    )
    results = {
        form: estimate_agreement(ratings=ratings, coefficients=[Coefficient("icc", form=form)])[0]
        for form in ICC_FORMS
    }
    assert {form for form, one in results.items() if one.value is None} == undefined
    assert {one.reason for one in results.values()} <= {None, "no_item_variance"}
    assert all(one.value is None or abs(one.value) < 100 for one in results.values())


def test_bounds_by_f_are_finite_numbers_or_none_on_the_smallest_data():
    rng = np.random.default_rng(3)
    given = 0
    for _ in range(400):
        shape = rng.integers(2, 5, 2)
        codes = rng.integers(0, rng.integers(2, 6), shape)
        codes[rng.random(shape) < 0.15] = -1
        for form in ICC_FORMS:
            bounds = icc_interval(ratings=coded(codes), form=form)
            if bounds is not None:
                given += 1
                assert np.isfinite(bounds).all()
                assert bounds[0] <= bounds[1] <= 1.0
    assert given > 1000
