"""Sliders: scales with many values are computed by passes over the ratings, to the same numbers."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats

from scoring.stats import many_values
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.bootstrap import bootstrap_agreement, replicate_values, two_way_totals
from scoring.stats.coefficients import coefficient_values
from scoring.stats.counts import code_ratings
from scoring.stats.many_values import SpreadRatings
from scoring.stats.scale import LEVELS, declare_scale
from scoring.stats.weights import WEIGHTS

WANTED = [
    *[Coefficient("krippendorff_alpha", level) for level in LEVELS],
    *[
        Coefficient(name)
        for name in ("percent_agreement", "gwet_ac1", "fleiss_kappa", "brennan_prediger")
    ],
    *[Coefficient("gwet_ac2", weights=weights) for weights in WEIGHTS],
]


def slider(*, n_items=40, n_raters=5, steps=101, seed=1):
    """Ratings 0..1 in steps, a third missing, and the raters x items matrix of them."""
    rng = np.random.default_rng(seed)
    latent = rng.uniform(0, 1, n_items)[:, None] + rng.normal(0, 0.1, (n_items, n_raters))
    category = np.clip(np.round(latent * (steps - 1)), 0, steps - 1).astype(int)
    category[rng.random(category.shape) < 0.3] = -1
    unit, rater = np.indices(category.shape)
    values = np.round(np.linspace(0, 1, steps), 4)
    ratings = code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=declare_scale(level="interval", categories=values.tolist()),
    )
    return ratings, np.append(values, np.nan)[category].T


@pytest.mark.parametrize("steps", [101, 2001])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_a_slider_equals_that_of_an_independent_package(level, steps):
    ratings, matrix = slider(steps=steps)
    (result,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", level)]
    )
    theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
    assert result.value == pytest.approx(theirs, abs=1e-9)


def test_a_weighted_replicate_is_that_of_the_matrix():
    ratings, _ = slider(steps=12)
    spread = SpreadRatings.of(ratings)
    rng = np.random.default_rng(4)
    for _ in range(20):
        items = rng.integers(0, 3, ratings.n_units).astype(float)
        raters = rng.integers(0, 3, ratings.n_raters).astype(float)
        totals = two_way_totals(
            ratings=ratings, coefficients=WANTED, item_weights=items, rater_weights=raters
        )
        expected = [coefficient_values(totals, one, ratings.scale)[0] for one in WANTED]
        found = spread.values(WANTED, items, raters)
        assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("resample", ["items", "two-way"])
def test_replicates_are_distributed_as_those_of_the_matrix(monkeypatch, resample):
    ratings, _ = slider(steps=12)

    def drawn(seed):
        return replicate_values(
            ratings=ratings,
            coefficients=WANTED[1:2],
            replicates=800,
            rng=np.random.default_rng(seed),
            resample=resample,
        )[:, 0]

    by_matrix = drawn(1)
    monkeypatch.setattr(many_values, "MANY", 1)
    by_passes = drawn(2)
    assert stats.ks_2samp(by_matrix, by_passes).pvalue > 0.01


def test_a_slider_has_an_interval_around_its_value():
    ratings, _ = slider()
    for result in bootstrap_agreement(
        ratings=ratings, coefficients=WANTED[:3], replicates=200, seed=3
    ):
        assert result.interval.low < result.value < result.interval.high
        assert result.interval.resampled == "items and raters"


@pytest.mark.parametrize(
    ("category", "reason"), [([7, 7, 7, 7], "no_variation"), ([7, -1, 9, -1], "no_pairs")]
)
def test_an_undefined_slider_has_a_reason(category, reason):
    ratings = code_ratings(
        unit=[0, 0, 1, 1],
        rater=[0, 1, 0, 1],
        category=category,
        scale=declare_scale(level="interval", categories=list(range(101))),
    )
    results = estimate_agreement(ratings=ratings, coefficients=WANTED[:3])
    assert [(result.value, result.reason) for result in results] == [(None, reason)] * 3


def test_the_ratio_level_on_many_values_is_that_of_the_package():
    ratings, wide = slider()
    (result,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "ratio")]
    )
    expected = krippendorff.alpha(reliability_data=wide, level_of_measurement="ratio")
    assert result.value == pytest.approx(expected, abs=1e-10)


def test_the_ratio_level_on_very_many_values_is_refused_with_the_way_out():
    ratings, _ = slider(steps=2001)
    with pytest.raises(ValueError, match="Round them, or use .* the interval level"):
        estimate_agreement(
            ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "ratio")]
        )
