"""Every published value of the coefficients that are built comes out."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.agreement import (
    Coefficient,
    estimate_agreement,
)
from scoring.stats.bootstrap import two_way_totals
from scoring.stats.coefficients import coefficient_values
from scoring.stats.many_values import SpreadRatings
from tests.stats.published import OF_CATEGORIES, expected, level_of, ratings_of

ROWS = expected(*OF_CATEGORIES)
# The ratio difference does not split into sums.
SPLITTING = [row for row in ROWS if level_of(row) != "ratio"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_coefficient_has_its_published_value(row):
    level = level_of(row)
    ratings = ratings_of(row, level)
    wanted = Coefficient(row["coefficient"], level)
    (result,) = estimate_agreement(ratings=ratings, coefficients=[wanted])
    assert result.value == pytest.approx(row["value"], abs=1e-9)
    if row.get("published") is not None:
        assert result.value == pytest.approx(row["published"], abs=row["published_tol"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_two_way_replicate_with_every_weight_one_is_the_estimate(row):
    level = level_of(row)
    ratings = ratings_of(row, level)
    wanted = Coefficient(row["coefficient"], level)
    totals = two_way_totals(
        ratings=ratings,
        coefficients=[wanted],
        item_weights=np.ones(ratings.n_units),
        rater_weights=np.ones(ratings.n_raters),
    )
    replicate = coefficient_values(totals, wanted, ratings.scale)
    (result,) = estimate_agreement(ratings=ratings, coefficients=[wanted])
    assert replicate == pytest.approx([result.value], abs=1e-12)


@pytest.mark.parametrize("row", SPLITTING, ids=lambda row: row["id"])
def test_passes_over_the_ratings_give_the_same_value_as_the_matrix(row):
    level = level_of(row)
    ratings = ratings_of(row, level)
    values = SpreadRatings.of(ratings).values(
        [Coefficient(row["coefficient"], level)],
        np.ones(ratings.n_units),
        np.ones(ratings.n_raters),
    )
    assert values == pytest.approx([row["value"]], abs=1e-9)


def test_every_coefficient_that_is_built_has_published_rows():
    assert {row["coefficient"] for row in ROWS} == set(OF_CATEGORIES)
    assert {level_of(row) for row in ROWS} == {"nominal", "ordinal", "interval", "ratio"}
