"""Every published value of an agreement coefficient comes out, and its standard error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.stats.agreement import COEFFICIENTS, estimate_agreement
from scoring.stats.anova import ICC_FORMS
from scoring.stats.anova_intervals import icc_interval
from scoring.stats.bootstrap import two_way_totals
from scoring.stats.by_rater import statistic_of
from scoring.stats.coefficients import coefficient_values
from scoring.stats.concordance import kendall_w_p_value
from scoring.stats.many_values import SpreadRatings
from scoring.stats.sets import jaccard_similarity, masi_similarity
from scoring.stats.standard_errors import standard_errors, t_interval, t_p_value
from scoring.stats.weights import WEIGHTS
from tests.stats.published import DATA, coefficient_of, expected, ratings_of

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "statistics"

ROWS = expected(*COEFFICIENTS)
OF_COUNTS = [row for row in ROWS if not coefficient_of(row).by_rater]
BY_RATER = [row for row in ROWS if coefficient_of(row).by_rater]
WITH_ERROR = [row for row in ROWS if "se" in row]
SIMILARITIES = {"jaccard_similarity": jaccard_similarity, "masi_similarity": masi_similarity}


def by_id(row):
    return row["id"]


def every_one(ratings):
    return np.ones(ratings.n_units), np.ones(ratings.n_raters)


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_a_coefficient_has_its_published_value(row):
    (result,) = estimate_agreement(ratings=ratings_of(row), coefficients=[coefficient_of(row)])
    assert result.value == pytest.approx(row["value"], abs=1e-9)
    if row.get("published") is not None:
        assert result.value == pytest.approx(row["published"], abs=row["published_tol"])


@pytest.mark.parametrize("row", WITH_ERROR, ids=by_id)
def test_a_coefficient_has_gwets_standard_error_interval_and_p(row):
    ratings = ratings_of(row)
    errors = standard_errors(ratings=ratings, coefficient=coefficient_of(row))
    assert errors.gwet == pytest.approx(row["se"], abs=1e-9)
    if "ci95_t_capped" in row:
        bounds = t_interval(row["value"], errors.gwet, n_units=ratings.n_units)
        assert bounds == pytest.approx(row["ci95_t_capped"], abs=1e-8)
    if row.get("p_two_sided") is not None:
        p = t_p_value(row["value"], errors.gwet, n_units=ratings.n_units)
        assert p == pytest.approx(row["p_two_sided"], rel=1e-6)


@pytest.mark.parametrize("row", expected(*SIMILARITIES), ids=by_id)
def test_the_similarity_of_two_sets_is_as_defined(row):
    similarity = SIMILARITIES[row["coefficient"]]
    sets = [frozenset(row["options"][side]) for side in "ab"]
    assert similarity(*sets) == pytest.approx(row["value"], abs=1e-9)
    assert similarity(*sets[::-1]) == similarity(*sets)


@pytest.mark.parametrize("row", expected("kendall_w"), ids=by_id)
def test_kendalls_w_has_its_chi_squared_and_p(row):
    ratings = ratings_of(row)
    found = kendall_w_p_value(row["value"], n_units=ratings.n_units, n_raters=ratings.n_raters)
    assert found == pytest.approx((row["chi2"], row["p_two_sided"]), rel=1e-8)


# The intervals that R's psych package prints for the data of Shrout and Fleiss 1979.
PSYCH = {
    "ICC1": (-0.133, 0.723),
    "ICC2": (0.019, 0.761),
    "ICC3": (0.342, 0.946),
    "ICC1k": (-0.884, 0.912),
    "ICC2k": (0.071, 0.927),
    "ICC3k": (0.676, 0.986),
}


@pytest.mark.parametrize("form", ICC_FORMS)
def test_an_intraclass_correlation_has_the_known_interval_by_f(form):
    ratings = ratings_of({"file": "shrout_fleiss1979_6x4.csv", "format": "wide"})
    assert icc_interval(ratings=ratings, form=form) == pytest.approx(PSYCH[form], abs=6e-4)


@pytest.mark.parametrize("row", OF_COUNTS, ids=by_id)
def test_a_two_way_replicate_with_every_weight_one_is_the_estimate(row):
    ratings, wanted = ratings_of(row), coefficient_of(row)
    items, raters = every_one(ratings)
    totals = two_way_totals(
        ratings=ratings, coefficients=[wanted], item_weights=items, rater_weights=raters
    )
    (result,) = estimate_agreement(ratings=ratings, coefficients=[wanted])
    replicate = coefficient_values(totals, wanted, ratings.scale)
    assert replicate == pytest.approx([result.value], abs=1e-12)


@pytest.mark.parametrize("row", BY_RATER, ids=by_id)
def test_a_coefficient_by_rater_is_the_estimate_with_every_weight_one(row):
    ratings, wanted = ratings_of(row), coefficient_of(row)
    (result,) = estimate_agreement(ratings=ratings, coefficients=[wanted])
    replicate = statistic_of(ratings, wanted).value(*every_one(ratings))
    assert replicate == pytest.approx(result.value, abs=1e-12)


@pytest.mark.parametrize("row", OF_COUNTS, ids=by_id)
def test_passes_over_the_ratings_give_the_same_value_as_the_matrix(row):
    ratings = ratings_of(row)
    values = SpreadRatings.of(ratings).values([coefficient_of(row)], *every_one(ratings))
    assert values == pytest.approx([row["value"]], abs=1e-9)


def test_every_coefficient_weighting_and_form_has_published_rows():
    # Conger's kappa has no published row here: the degenerate cases hold its values.
    assert {row["coefficient"] for row in ROWS} == set(COEFFICIENTS) - {"conger_kappa"}
    weights = {coefficient_of(row).weights for row in ROWS}
    assert weights >= {*WEIGHTS, "jaccard", "masi"}
    assert {coefficient_of(row).form for row in expected("icc")} == set(ICC_FORMS)


def test_all_630_published_rows_are_covered_by_these_tests_or_those_of_correlations():
    here = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
    there = json.loads((DATA / "expected_correlations.json").read_text(encoding="utf-8"))
    assert {row["coefficient"] for row in here} == {
        *(row["coefficient"] for row in ROWS),
        *SIMILARITIES,
    }
    ids = [row["id"] for row in here + there]
    assert (len(ROWS), len(WITH_ERROR), len(here), len(there)) == (543, 408, 554, 76)
    assert len(set(ids)) == len(ids) == 630


@pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="needs ../shared/reference/statistics, not part of the project"
)
def test_the_copied_rows_are_those_of_the_reference_collection():
    rows = json.loads((REFERENCE / "expected.json").read_text(encoding="utf-8"))
    published = {row["id"]: row for row in rows}
    for name in ("expected.json", "expected_correlations.json"):
        for row in json.loads((DATA / name).read_text(encoding="utf-8")):
            original = published.pop(row["id"])
            assert {key: original[key] for key in row} == row
    assert published == {}
