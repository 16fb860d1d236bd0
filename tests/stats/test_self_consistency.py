"""How far annotators agree with themselves on units shown again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from scoring.stats.consistency import self_consistency
from scoring.stats.scale import declare_scale

LIKERT = declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5])


def test_answers_are_compared_in_the_order_they_came():
    # Rater 0: unit 0 answered 4, then 4, then 2; unit 1 once. Rater 1: unit 0 twice, missing once.
    everybody, zero, one = self_consistency(
        unit=[0, 1, 0, 0, 0, 0, 0],
        rater=[0, 0, 1, 0, 1, 1, 0],
        category=[4, 0, 1, 4, -1, 2, 2],
        scale=LIKERT,
    )
    assert (zero.rater, zero.n_units, zero.n_repeats) == (0, 1, 2)
    assert (zero.exact, zero.within_one) == (0.5, 0.5)
    assert (one.rater, one.n_units, one.n_repeats) == (1, 1, 1)
    assert (one.exact, one.within_one) == (0.0, 1.0)
    assert (everybody.rater, everybody.n_units, everybody.n_repeats) == (None, 2, 3)
    assert everybody.exact == pytest.approx(1 / 3)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_is_that_of_an_independent_package(weights):
    rng = np.random.default_rng(2)
    first = rng.integers(0, 5, 60)
    second = np.clip(first + rng.integers(-1, 2, 60), 0, 4)
    everybody, _ = self_consistency(
        unit=np.tile(np.arange(60), 2),
        rater=np.zeros(120, dtype=int),
        category=np.concatenate([first, second]),
        scale=LIKERT,
        weights=weights,
    )
    expected = cohen_kappa_score(first, second, weights=weights, labels=range(5))
    assert everybody.kappa == pytest.approx(expected, abs=1e-12)
    assert everybody.exact == pytest.approx((first == second).mean())


def test_without_repeats_or_variation_the_reason_is_said():
    everybody, zero, one = self_consistency(
        unit=[0, 1, 0, 0], rater=[0, 0, 1, 1], category=[1, 2, 3, 3], scale=LIKERT
    )
    assert (zero.exact, zero.within_one, zero.kappa, zero.reason) == (
        None,
        None,
        None,
        "no_repeats",
    )
    assert (one.exact, one.kappa, one.reason) == (1.0, None, "no_variation")
    assert (everybody.n_repeats, everybody.reason) == (1, "no_variation")


def test_a_nominal_scale_has_no_within_one():
    scale = declare_scale(level="nominal", categories=["yes", "no"])
    everybody, *_ = self_consistency(
        unit=[0, 0, 1, 1], rater=[0] * 4, category=[0, 0, 1, 0], scale=scale, weights="identity"
    )
    assert (everybody.exact, everybody.within_one) == (0.5, None)


def test_nobody_answered():
    (everybody,) = self_consistency(unit=[], rater=[], category=[], scale=LIKERT)
    assert (everybody.n_repeats, everybody.reason) == (0, "no_repeats")


def test_codes_out_of_range_and_uneven_columns_are_refused():
    with pytest.raises(ValueError, match="from 0 to 4"):
        self_consistency(unit=[0], rater=[0], category=[5], scale=LIKERT)
    with pytest.raises(ValueError, match="shapes"):
        self_consistency(unit=[0, 1], rater=[0], category=[1], scale=LIKERT)
