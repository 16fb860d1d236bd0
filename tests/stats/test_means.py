"""Means from shared draws of clusters: estimate, interval, and every case without one."""

import numpy as np
import pytest

from scoring.stats.means import Column, clustered_means

VALUES = np.array([1.0, 2.0, 4.0, 7.0])
EACH = np.arange(4)


def means(*columns, n=4, **more):
    return clustered_means(columns=columns, n_clusters=n, **more)


def test_replicates_are_ratios_of_drawn_sums_and_sizes():
    cluster = np.array([0, 0, 1, 2])
    (found,) = means(Column(VALUES, cluster), n=3, replicates=500, seed=3)
    rng = np.random.default_rng(3)
    drawn = []
    for _ in range(500):
        times = np.bincount(rng.integers(3, size=3), minlength=3)
        weights = times[cluster]
        drawn.append(weights @ VALUES / weights.sum())
    assert found.interval.low == pytest.approx(np.quantile(drawn, 0.025))
    assert found.interval.high == pytest.approx(np.quantile(drawn, 0.975))
    assert found.se == pytest.approx(np.std(drawn, ddof=1))
    assert found.n_drawn == 3


def test_a_columns_interval_does_not_depend_on_what_is_asked_beside_it():
    column = Column(VALUES, EACH)
    (alone,) = means(column, replicates=200, seed=1)
    _, beside = means(Column(VALUES[:2], EACH[:2]), column, replicates=200, seed=1)
    assert alone == beside


def test_strata_stay_as_they_are():
    # Each stratum's clusters are alike, so a mean over both cannot vary.
    values = np.array([1.0, 1.0, 5.0, 5.0])
    (found,) = means(Column(values, EACH), strata=[0, 0, 1, 1], replicates=100, seed=2)
    assert (found.interval.low, found.interval.high) == (3.0, 3.0)


def test_without_replicates_there_is_an_estimate_and_no_interval():
    (found,) = means(Column(VALUES, EACH))
    assert (found.value, found.interval, found.se) == (3.5, None, None)


@pytest.mark.parametrize(
    ("column", "strata", "value", "reason"),
    [
        (Column(VALUES[:0], EACH[:0]), None, None, "no_values"),
        (Column(VALUES[:1], EACH[:1]), None, 1.0, "one_item"),
        (Column(VALUES[:2], np.array([1, 1])), None, 1.5, "one_cluster"),
        (Column(VALUES, EACH), [0, 1, 2, 3], 3.5, "one_per_stratum"),
    ],
)
def test_what_cannot_be_drawn_anew_has_no_interval_and_says_why(column, strata, value, reason):
    (found,) = means(column, strata=strata, replicates=50, seed=0)
    assert found.value == value
    assert (found.interval.low, found.interval.reason) == (None, reason)


def test_a_column_that_is_often_not_drawn_has_no_interval():
    column = Column(VALUES[:2], np.array([0, 1]))
    (found,) = means(column, n=40, replicates=200, seed=0)
    assert found.interval.reason == "undefined_replicates"


def test_a_spread_needs_two_values():
    (found,) = means(Column(VALUES[:1], EACH[:1]))
    assert (found.sd, found.sd_reason) == (None, "one_item")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (Column(np.array([np.nan]), np.array([0])), "missing or infinite"),
        (Column(np.array([1.0]), np.array([9])), "outside 0 to 3"),
        (Column(np.array([1.0, 2.0]), np.array([0])), "one cluster a value"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(column, message):
    with pytest.raises(ValueError, match=message):
        means(column)
