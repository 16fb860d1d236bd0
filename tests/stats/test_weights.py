"""Weights and set distances: symmetric, from 0 to 1, zero for the same category."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.agreement import estimate_agreement
from scoring.stats.coefficients import Coefficient
from scoring.stats.counts import code_ratings
from scoring.stats.scale import UnknownCategoryError, declare_scale
from scoring.stats.sets import (
    SetSyntaxError,
    jaccard_similarity,
    masi_similarity,
    parse_set,
    set_scale,
)
from scoring.stats.weights import (
    WEIGHTS,
    WithoutOrderError,
    disagreement_matrix,
    expected_disagreement,
    total_disagreement,
)
from tests.stats.published import ratings_of

NUMBERS = st.lists(st.integers(0, 60), min_size=1, max_size=9, unique=True).map(sorted)
SETS = st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=12, unique=True)


@settings(deadline=None)
@given(NUMBERS, st.sampled_from(WEIGHTS))
def test_weights_are_symmetric_and_run_from_nothing_to_one(numbers, name):
    apart = disagreement_matrix(name, declare_scale(level="interval", categories=numbers))
    assert (apart == apart.T).all()
    assert (np.diag(apart) == 0).all()
    off = apart[~np.eye(len(numbers), dtype=bool)]
    assert ((off > 0) & (off <= 1 + 1e-12)).all()
    if len(numbers) > 1:
        assert apart.max() == pytest.approx(1)


@settings(deadline=None)
@given(NUMBERS, st.sampled_from(WEIGHTS), st.randoms(use_true_random=False))
def test_sums_of_differences_in_closed_form_are_those_of_the_matrix(numbers, name, random):
    scale = declare_scale(level="interval", categories=numbers)
    parts = np.array([[random.randint(0, 9) for _ in numbers] for _ in range(4)], dtype=float)
    apart = disagreement_matrix(name, scale)
    expected = np.einsum("bc,ck,bk->b", parts, apart, parts)
    assert expected_disagreement(name, parts, scale) == pytest.approx(expected, abs=1e-9)
    assert total_disagreement(name, scale) == pytest.approx(apart.sum(), abs=1e-9)


@settings(deadline=None)
@given(SETS)
def test_the_matrices_of_sets_hold_the_similarities_of_every_two(members):
    scale = set_scale(found=members)
    for distance, similarity in (("jaccard", jaccard_similarity), ("masi", masi_similarity)):
        apart = disagreement_matrix(distance, scale)
        expected = [[1 - similarity(a, b) for b in scale.members] for a in scale.members]
        assert apart == pytest.approx(np.array(expected), abs=1e-12)
        assert (np.diag(apart) == 0).all()


@pytest.mark.parametrize("name", [name for name in WEIGHTS if name != "identity"])
def test_words_without_an_order_have_no_graded_weights(name):
    with pytest.raises(WithoutOrderError, match="Declare their order"):
        disagreement_matrix(name, declare_scale(level="nominal", categories=["cat", "dog"]))


@pytest.mark.parametrize("name", [name for name in WEIGHTS if name != "identity"])
def test_words_in_order_are_weighted_by_their_positions(name):
    words = disagreement_matrix(name, declare_scale(level="ordinal", categories=["a", "b", "c"]))
    places = disagreement_matrix(name, declare_scale(level="interval", categories=[1, 2, 3]))
    assert words == pytest.approx(places)


def test_what_cannot_be_weighted_is_refused():
    with pytest.raises(ValueError, match="not declared as sets"):
        disagreement_matrix("masi", declare_scale(level="nominal", categories=["a", "b"]))
    with pytest.raises(ValueError, match="no negative values"):
        disagreement_matrix("ratio", declare_scale(level="interval", categories=[-1, 0, 1]))
    with pytest.raises(ValueError, match="Round them"):
        disagreement_matrix("linear", declare_scale(level="interval", categories=range(2001)))


@pytest.mark.parametrize(
    ("cell", "chosen"),
    [("a|b", {"a", "b"}), (" b | a ", {"a", "b"}), ("∅", set()), ("", None), ("  ", None)],
)
def test_a_cell_names_a_set(cell, chosen):
    assert parse_set(cell) == chosen


def test_the_separator_and_the_sign_for_nothing_can_be_others():
    assert parse_set("a; b", separator=";") == {"a", "b"}
    assert parse_set("none", empty="none") == set()


@pytest.mark.parametrize("cell", ["a||b", "|a", "a|∅", "a|a"])
def test_a_cell_that_is_no_set_is_refused(cell):
    with pytest.raises(SetSyntaxError):
        parse_set(cell)


def test_a_scale_of_sets_keeps_the_declared_order_of_options_and_refuses_others():
    scale = set_scale(found=[frozenset("ba"), frozenset(), frozenset("c")], options=["c", "b", "a"])
    assert scale.labels == ("∅", "c", "b|a")
    assert scale.code_of_set(frozenset("ab")) == 2
    with pytest.raises(UnknownCategoryError):
        scale.code_of_set(frozenset("abc"))
    with pytest.raises(ValueError, match="'d' is not one of the options"):
        set_scale(found=[frozenset("d")], options=["c", "b", "a"])


def set_ratings(*items):
    """Items as lists of sets, one a rater, None = missing."""
    scale = set_scale(found=[one for item in items for one in item if one is not None])
    long = [
        (unit, rater, -1 if one is None else scale.code_of_set(one))
        for unit, item in enumerate(items)
        for rater, one in enumerate(item)
    ]
    unit, rater, category = zip(*long, strict=True)
    return code_ratings(unit=unit, rater=rater, category=category, scale=scale)


def test_pairs_of_empty_sets_count_as_one_or_are_left_out():
    nothing, a, b = frozenset(), frozenset("a"), frozenset("ab")
    ratings = set_ratings([nothing, nothing, a], [a, b, None], [nothing, nothing, nothing])

    def value(**options):
        wanted = [Coefficient("average_pairwise_jaccard", **options)]
        return estimate_agreement(ratings=ratings, coefficients=wanted)[0].value

    assert value() == pytest.approx(((1 + 0 + 0) / 3 + 0.5 + 1) / 3)
    assert value(aggregate="pairs") == pytest.approx((1 + 0.5 + 3) / 7)
    assert value(skip_empty=True) == pytest.approx((0 + 0.5) / 2)
    assert value(skip_empty=True, aggregate="pairs") == pytest.approx(0.5 / 3)


def test_only_empty_sets_leave_nothing_to_compare():
    ratings = set_ratings([frozenset(), frozenset()], [frozenset(), frozenset()])
    wanted = [
        Coefficient("average_pairwise_jaccard"),
        Coefficient("average_pairwise_jaccard", skip_empty=True),
        Coefficient("krippendorff_alpha", weights="jaccard"),
    ]
    counted, skipped, alpha = estimate_agreement(ratings=ratings, coefficients=wanted)
    assert counted.value == 1.0
    assert (skipped.value, skipped.reason) == (None, "only_empty_sets")
    assert (alpha.value, alpha.reason) == (None, "no_variation")


def test_many_distinct_sets_give_the_same_numbers_by_passes(monkeypatch):
    rng = np.random.default_rng(3)
    items = [
        [frozenset(np.flatnonzero(rng.random(4) < 0.4).astype(str).tolist()) for _ in range(4)]
        for _ in range(25)
    ]
    ratings = set_ratings(*items)
    wanted = [
        Coefficient("average_pairwise_jaccard"),
        Coefficient("average_pairwise_masi", aggregate="pairs"),
        Coefficient("average_pairwise_masi", skip_empty=True),
        Coefficient("krippendorff_alpha", weights="masi"),
        Coefficient("gwet_ac2", weights="jaccard"),
    ]

    def values():
        results = estimate_agreement(ratings=ratings, coefficients=wanted)
        return [result.value for result in results]

    by_matrix = values()
    monkeypatch.setattr("scoring.stats.many_values.MANY", 2)
    by_pairs = values()
    monkeypatch.setattr("scoring.stats.many_values.MOST_CELL_PAIRS", 1)
    assert by_pairs == pytest.approx(by_matrix, abs=1e-12)
    assert values() == pytest.approx(by_matrix, abs=1e-12)


def test_gwets_ordinal_weights_are_not_krippendorffs_ordinal_level():
    ratings = ratings_of({"file": "krippendorff2011_4obs12units.csv", "format": "wide"})
    wanted = [
        Coefficient("krippendorff_alpha", weights="ordinal"),
        Coefficient("krippendorff_alpha", "ordinal"),
    ]
    results = estimate_agreement(ratings=ratings, coefficients=wanted)
    assert [round(result.value, 3) for result in results] == [0.834, 0.815]
