"""Two metrics against the same people, and families of tests."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from scoring.stats import comparison
from scoring.stats.comparison import compare_metrics
from scoring.stats.dependent_correlations import dependent_tests, zou_interval
from scoring.stats.multiplicity import adjust_p_values
from scoring.stats.rated_items import rate_items
from tests.stats.correlation_vectors import correlation_rows, two_countries


def parameters(row):
    return {key: row["options"][key] for key in ("r12", "r13", "r23", "n")}


@pytest.mark.parametrize(
    "row", correlation_rows("dependent_correlation_difference"), ids=lambda row: row["id"]
)
def test_a_dependent_test_has_its_published_value(row):
    found = {test.test: test for test in dependent_tests(**parameters(row))}
    test = found[row["options"]["test"]]
    assert test.statistic == pytest.approx(row["value"], abs=1e-9)
    assert test.p_value == pytest.approx(row["p_two_sided"], abs=1e-9)
    if row.get("published") is not None:
        assert test.statistic == pytest.approx(row["published"], abs=row["published_tol"])


@pytest.mark.parametrize(
    "row", correlation_rows("dependent_correlation_difference_ci"), ids=lambda row: row["id"]
)
def test_zous_interval_has_its_published_bounds(row):
    interval = zou_interval(**parameters(row))
    bound = interval.low if row["options"]["bound"] == "lower" else interval.high
    assert bound == pytest.approx(row["value"], abs=1e-9)
    if row.get("published") is not None:
        assert bound == pytest.approx(row["published"], abs=row["published_tol"])


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "reason"),
    [
        (0.5, 0.4, 0.3, 3, "too_few_items"),
        (0.5, 0.5, 1.0, 30, "same_metric"),
        (1.0, 0.4, 0.4, 30, "perfect_correlation"),
    ],
)
def test_a_dependent_test_without_a_value_says_why(r12, r13, r23, n, reason):
    of = {"r12": r12, "r13": r13, "r23": r23, "n": n}
    assert {(test.statistic, test.reason) for test in dependent_tests(**of)} == {(None, reason)}
    interval = zou_interval(**of)
    assert (interval.low, interval.reason) == (None, reason)


@pytest.mark.parametrize("row", correlation_rows("multiple_testing"), ids=lambda row: row["id"])
def test_adjusted_p_values_are_the_published_ones(row):
    method = {"fdr_bh": "benjamini-hochberg"}.get(
        row["options"]["method"], row["options"]["method"]
    )
    family = adjust_p_values(p_values=row["options"]["p"], method=method, family="one table")
    assert family.adjusted == pytest.approx(row["adjusted"], abs=1e-8)
    assert family.n_rejected(row["options"]["alpha"]) == row["value"]


def test_a_test_without_p_is_no_member_of_the_family():
    family = adjust_p_values(p_values=[0.02, None, 0.03], method="holm", family="two claims")
    assert family.adjusted == (pytest.approx(0.04), None, pytest.approx(0.04))
    assert (family.n_tests, family.family) == (2, "two claims")
    with pytest.raises(ValueError, match="outside 0 to 1"):
        adjust_p_values(p_values=[1.2], method="holm", family="none")


def related(n=40, seed=1, strength=1.0):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    good, poor = y + rng.normal(0, 0.6, n), strength * y + rng.normal(0, 2, n)
    return rate_items(score=good, item=np.arange(n), value=y), poor


def test_the_better_metric_is_found_by_every_way():
    items, poor = related(80, strength=0.3)
    found = compare_metrics(items=items, other=poor, method="pearson", replicates=500, seed=2)
    assert found.difference == pytest.approx(found.first - found.second)
    assert 0 < found.interval.low < found.difference < found.interval.high
    assert found.p_value < 0.01
    assert all(test.p_value < 0.01 for test in found.tests)
    assert 0 < found.zou.low < found.zou.high
    bounds = (found.interval.low, found.interval.high)
    assert bounds == pytest.approx((found.zou.low, found.zou.high), abs=0.1)


def test_a_metric_against_itself_differs_by_nothing():
    items, _ = related()
    found = compare_metrics(items=items, other=items.score, replicates=50)
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)
    assert {test.reason for test in found.tests} == {"same_metric"}


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
def test_the_exact_p_tries_every_exchange(method):
    rng = np.random.default_rng(7)
    n = 7
    y, x1, x2 = rng.normal(size=(3, n))
    found = compare_metrics(
        items=rate_items(score=x1, item=np.arange(n), value=y), other=x2, method=method
    )
    scale = stats.zscore if method == "pearson" else stats.rankdata
    one, two = scale(x1), scale(x2)
    measure = {
        "spearman": lambda a: stats.spearmanr(a, y).statistic,
        "pearson": lambda a: stats.pearsonr(a, y).statistic,
        "kendall": lambda a: stats.kendalltau(a, y).statistic,
    }[method]
    every = []
    for pattern in itertools.product([False, True], repeat=n):
        up, down = np.where(pattern, two, one), np.where(pattern, one, two)
        every.append(abs(measure(up) - measure(down)))
    assert found.p_value == pytest.approx(np.mean(np.array(every) >= abs(found.difference) - 1e-8))
    assert found.p_kind == "exact paired permutation of items, two-sided"


@pytest.mark.parametrize("level", ["within", "centred", "system", "pooled"])
def test_metrics_are_compared_at_every_level_by_whole_clusters(level):
    items = two_countries("metric1", group="system" if level == "system" else "country")
    other = two_countries("metric2").score
    found = compare_metrics(items=items, other=other, level=level, replicates=60, permutations=199)
    assert found.difference == pytest.approx(found.first - found.second)
    assert "of clusters" in found.p_kind
    assert 0 < found.p_value <= 1
    assert (found.tests == ()) == (level != "pooled")


def test_only_items_with_both_scores_count():
    items, poor = related()
    poor[:5] = np.nan
    found = compare_metrics(items=items, other=poor)
    assert (found.n_units, found.n_left_out) == (35, 5)
    alone = compare_metrics(items=items.only(~np.isnan(poor)), other=poor[5:])
    assert found.difference == alone.difference


def test_groups_where_one_metric_is_constant_count_for_neither():
    items = two_countries("metric1")
    other = two_countries("metric2").score.copy()
    other[items.group == 1] = 0.5
    found = compare_metrics(items=items, other=other, level="within")
    assert found.n_units == 12
    assert found.first == pytest.approx(0.9680201119, abs=1e-9)


def test_a_constant_metric_has_no_difference():
    items, _ = related()
    found = compare_metrics(items=items, other=np.ones(40), replicates=10)
    assert (found.difference, found.reason, found.interval.reason) == (
        None,
        "constant_metric",
        "constant_metric",
    )
    assert (found.p_value, found.tests, found.zou) == (None, (), None)


def test_p_is_uniform_where_both_metrics_are_as_good(monkeypatch):
    p = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=30)
        x1, x2 = y + rng.normal(0, 1, (2, 30))
        items = rate_items(score=x1, item=np.arange(30), value=y)
        p.append(compare_metrics(items=items, other=x2, permutations=199, seed=seed).p_value)
    assert np.mean(np.array(p) < 0.1) < 0.25
    assert 0.35 < np.mean(p) < 0.65


def test_the_size_of_a_block_changes_no_exact_p(monkeypatch):
    rng = np.random.default_rng(2)
    y, x1, x2 = rng.normal(size=(3, 9))
    items = rate_items(score=x1, item=np.arange(9), value=y)
    at_once = compare_metrics(items=items, other=x2).p_value
    monkeypatch.setattr(comparison, "BLOCK_CELLS", 100)
    assert compare_metrics(items=items, other=x2).p_value == at_once
