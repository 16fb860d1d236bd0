"""Ratings become codes once; what cannot be right is refused and named."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import (
    ClusterError,
    DuplicateRatingError,
    code_ratings,
    ratings_from_counts,
    ratings_from_labels,
)
from scoring.stats.scale import (
    NotNumericError,
    UnknownCategoryError,
    declare_scale,
    scale_from_ratings,
)

LIKERT = declare_scale(level="ordinal", categories=["1", "2", "3", "4", "5"])


def test_counts_are_items_by_declared_categories():
    ratings = ratings_from_labels(
        units=["x", "x", "y", "y", "z"],
        raters=["a", "b", "a", "b", "a"],
        values=["1", "5", "5", "5", ""],
        scale=LIKERT,
    )
    assert ratings.count_matrix().tolist() == [[1, 0, 0, 0, 1], [0, 0, 0, 0, 2]]
    assert (ratings.n_units, ratings.n_raters, ratings.n_ratings) == (2, 2, 4)


def test_declared_and_used_categories_are_both_told():
    ratings = ratings_from_labels(units=[1, 1], raters=["a", "b"], values=["5", "2"], scale=LIKERT)
    (result,) = estimate_agreement(ratings=ratings, coefficients=[Coefficient("gwet_ac1")])
    assert result.categories_declared == ("1", "2", "3", "4", "5")
    assert result.categories_used == ("2", "5")


def test_units_with_one_rating_are_counted_apart():
    ratings = ratings_from_labels(
        units=[1, 1, 2, 3], raters=["a", "b", "a", "c"], values=["5", "2", "1", "1"], scale=LIKERT
    )
    (result,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "ordinal")]
    )
    assert (result.n_units, result.n_units_paired, result.n_units_single) == (3, 1, 2)


def test_two_ratings_of_one_unit_by_one_rater_are_refused_with_their_positions():
    with pytest.raises(DuplicateRatingError) as refused:
        ratings_from_labels(
            units=["x", "y", "x", "x"],
            raters=["a", "a", "b", "a"],
            values=["1", "1", "1", "2"],
            scale=LIKERT,
        )
    assert (refused.value.first, refused.value.second) == (0, 3)


def test_a_duplicate_is_found_in_sparse_codes_and_keeps_its_place_after_missing_rows():
    unit = np.arange(0, 3000, 30)
    rater = np.arange(0, 5000, 50)
    with pytest.raises(DuplicateRatingError) as refused:
        code_ratings(
            unit=[0, *unit, 30],
            rater=[0, *rater, 50],
            category=[-1, *([0] * 100), 1],
            scale=LIKERT,
        )
    assert (refused.value.first, refused.value.second) == (2, 101)


def test_a_missing_rating_is_no_duplicate():
    ratings = ratings_from_labels(
        units=["x", "x"], raters=["a", "a"], values=["1", None], scale=LIKERT
    )
    assert ratings.n_ratings == 1


def test_an_unknown_category_is_refused_by_name():
    with pytest.raises(UnknownCategoryError, match="'6' is not one of the categories 1, 2, 3"):
        LIKERT.code("6")
    with pytest.raises(ValueError, match="code 5 is unknown: the scale declares 5"):
        code_ratings(unit=[0], rater=[0], category=[5], scale=LIKERT)


def test_numbers_are_snapped_to_the_declared_scale():
    tenths = declare_scale(level="interval", categories=[0.1, 0.2, 0.3])
    assert tenths.code(0.1 + 0.2) == 2
    assert tenths.code("0.30") == 2
    assert tenths.code("") == -1
    with pytest.raises(UnknownCategoryError):
        tenths.code(0.25)


def test_nominal_labels_are_only_themselves():
    scale = scale_from_ratings(level="nominal", found=["nan", "1", "1.0", "NA", ""])
    assert scale.labels == ("1", "1.0", "NA", "nan")


def test_spellings_of_one_number_are_one_category():
    scale = scale_from_ratings(level="ordinal", found=["2", "10", "1.0", "1", "2.00"])
    assert scale.labels == ("1", "2", "10")
    assert scale.code("1.0") == 0


def test_ordinal_words_need_a_declared_order():
    with pytest.raises(NotNumericError, match="'high' is not a number"):
        scale_from_ratings(level="ordinal", found=["low", "high"])
    assert declare_scale(level="ordinal", categories=["low", "high"]).code("high") == 1
    with pytest.raises(NotNumericError):
        declare_scale(level="interval", categories=["low", "high"])


def test_a_level_that_needs_numbers_refuses_a_scale_of_words():
    words = declare_scale(level="nominal", categories=["yes", "no"])
    ratings = code_ratings(unit=[0, 0], rater=[0, 1], category=[0, 1], scale=words)
    with pytest.raises(ValueError, match="interval level needs numbers"):
        estimate_agreement(
            ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "interval")]
        )


def test_a_category_declared_twice_and_an_unknown_level_are_refused():
    with pytest.raises(ValueError, match="'1.0' is declared twice"):
        declare_scale(level="ordinal", categories=["1", "2", "1.0"])
    with pytest.raises(ValueError, match="'cardinal' is unknown"):
        declare_scale(level="cardinal", categories=["1"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rater": [0]}, "different lengths"),
        ({"unit": [0.0, 1.0]}, "whole numbers are needed"),
        ({"unit": [[0, 1]]}, "one dimension is needed"),
        ({"unit": [-1, 0]}, "unit code -1 is below 0"),
        ({"category": [-2, 0]}, "category code -2 is below -1"),
    ],
)
def test_codes_of_the_wrong_shape_or_kind_are_refused(change, message):
    codes = {"unit": [0, 1], "rater": [0, 1], "category": [0, 1], **change}
    with pytest.raises(ValueError, match=message):
        code_ratings(**codes, scale=LIKERT)


def test_a_unit_in_two_clusters_is_refused_with_the_positions():
    with pytest.raises(ClusterError) as refused:
        code_ratings(
            unit=[0, 1, 0], rater=[0, 0, 1], category=[0, 0, 0], scale=LIKERT, cluster=[0, 1, 1]
        )
    assert (refused.value.first, refused.value.second) == (0, 2)


def test_counts_without_raters_give_the_same_matrix_back():
    counts = [[2, 0, 0, 1, 0], [0, 0, 3, 0, 0]]
    ratings = ratings_from_counts(counts=counts, scale=LIKERT)
    assert ratings.count_matrix().tolist() == counts
    with pytest.raises(ValueError, match="one column for each of the 5 categories"):
        ratings_from_counts(counts=[[1, 2]], scale=LIKERT)
    with pytest.raises(ValueError, match="whole numbers of 0 or more"):
        ratings_from_counts(counts=[[1, 2, -1, 0, 0]], scale=LIKERT)


def test_more_cells_than_fit_are_refused_with_the_way_out():
    scale = declare_scale(level="interval", categories=range(100_001))
    codes = np.arange(1000)
    ratings = code_ratings(unit=codes, rater=codes, category=codes, scale=scale)
    with pytest.raises(ValueError, match="round the values to the steps of the scale"):
        ratings.count_matrix()
