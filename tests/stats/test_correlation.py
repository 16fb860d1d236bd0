"""Correlations of scores with mean ratings: published values, ties, intervals and p-values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import association, correlation, kendall, permutation
from scoring.stats.association import METHODS, Pairs
from scoring.stats.correlation import correlate_scores, mean_by_unit
from tests.stats.correlation_vectors import correlation_rows, two_countries

SCIPY = {
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}


@pytest.mark.parametrize(
    "row", correlation_rows("kendall_tau_b", "kendall_tau_c"), ids=lambda row: row["id"]
)
def test_kendall_has_its_published_value(row):
    if "x" not in row["options"]:
        items = two_countries(row["id"].split("/")[1])
        scores, ratings = items.score, items.mean
    else:
        scores, ratings = row["options"]["x"], row["options"]["y"]
    method = {"kendall_tau_b": "kendall", "kendall_tau_c": "kendall_c"}[row["coefficient"]]
    (result,) = correlate_scores(scores=scores, mean_ratings=ratings, methods=[method])
    assert result.value == pytest.approx(row["value"], abs=1e-9)
    if row.get("published") is not None:
        assert result.value == pytest.approx(row["published"], abs=row["published_tol"])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whole_weights_give_the_coefficient_of_the_repeated_items(data):
    n = data.draw(st.integers(3, 15))
    x = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))) / 3
    y = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))) / 7
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    again = np.repeat(np.arange(n), weights)
    assume(np.unique(x[again]).size > 1 and np.unique(y[again]).size > 1)
    weighted = Pairs(x, y)
    for method in METHODS:
        ours = weighted.values(method, weights[None].astype(float))[0]
        assert ours == pytest.approx(SCIPY[method](x[again], y[again]), abs=1e-10)


@pytest.mark.parametrize("most_for_product", [0, 1000])
@pytest.mark.parametrize(("x_levels", "y_levels"), [(2, 90), (90, 2), (40, 60), (900, 900)])
def test_kendall_of_weighted_items_counts_every_pair(
    monkeypatch, most_for_product, x_levels, y_levels
):
    monkeypatch.setattr(kendall, "MOST_FOR_PRODUCT", most_for_product)
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, x_levels, 90) / 1.0, rng.integers(0, y_levels, 90) / 1.0
    weights = rng.integers(0, 4, (5, 90))
    repeated = [np.repeat(np.arange(90), row) for row in weights]
    for method in ("kendall", "kendall_c"):
        ours = Pairs(x, y).values(method, weights.astype(float))
        theirs = [SCIPY[method](x[drawn], y[drawn]) for drawn in repeated]
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_kendall_of_many_items_needs_no_table_of_pairs():
    n = 60_000  # a table of all pairs of the draws would hold 3.6 thousand million signs
    x = np.random.default_rng(1).permutation(n).astype(float)
    y = np.arange(n) // 600 / 1.0
    ours = Pairs(x, y).value("kendall")
    assert ours == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("levels", [3, 60, 4000])
def test_spearman_of_many_levels_is_that_of_few(monkeypatch, levels):
    rng = np.random.default_rng(levels)
    x, y = rng.normal(size=500), rng.integers(0, levels, 500) / 1.0
    weights = rng.integers(0, 4, (4, 500)).astype(float)
    found = []
    for most in (0, 10_000):
        monkeypatch.setattr(association, "MOST_LEVELS", most)
        found.append(Pairs(x, y).values("spearman", weights))
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_pearson_survives_draws_without_the_only_extreme_value():
    # Without the first item the spread is a ten-millionth of what it was.
    x, y = np.array([1e7, 1, 2, 3, 5.0]), np.array([3.0, 2, 1, 5, 4])
    weights = np.array([[0.0, 1, 2, 1, 1], [0, 0, 2, 0, 0], [1, 1, 1, 1, 1]])
    again = [np.repeat(np.arange(5), row.astype(int)) for row in weights]
    ours = Pairs(x, y).values("pearson", weights)
    assert ours[0] == pytest.approx(stats.pearsonr(x[again[0]], y[again[0]]).statistic, abs=1e-12)
    assert np.isnan(ours[1])
    assert ours[2] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_is_that_of_a_plain_bootstrap_of_items(method):
    rng = np.random.default_rng(5)
    y = rng.integers(1, 6, 60).astype(float)
    x = y + rng.normal(0, 2, 60)
    (result,) = correlate_scores(
        scores=x, mean_ratings=y, methods=[method], replicates=2000, seed=1
    )
    draws = rng.integers(60, size=(600, 60))
    plain = [SCIPY[method](x[drawn], y[drawn]) for drawn in draws]
    assert result.se == pytest.approx(np.std(plain, ddof=1), rel=0.12)
    low, high = np.quantile(plain, [0.025, 0.975])
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=0.05)


def test_whole_clusters_are_drawn_and_widen_the_interval():
    # Every prompt has four items with nearly the same pair of values: four items are worth one.
    rng = np.random.default_rng(2)
    prompt = np.repeat(np.arange(30), 4)
    y = rng.normal(0, 1, 30)[prompt]
    x = y + rng.normal(0, 1, 30)[prompt]
    ends = []
    for clusters in (None, prompt):
        (result,) = correlate_scores(
            scores=x, mean_ratings=y, replicates=800, seed=1, clusters=clusters
        )
        ends.append((result.interval.resampled, result.se))
    assert [what for what, _ in ends] == ["items", "clusters of items"]
    assert ends[1][1] > 1.5 * ends[0][1]


def test_methods_share_the_draws_and_the_seed_decides_them():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))

    def bounds(seed, methods):
        results = correlate_scores(
            scores=x, mean_ratings=y, methods=methods, replicates=100, seed=seed
        )
        return {result.method: result.interval for result in results}

    assert bounds(1, METHODS)["kendall"] == bounds(1, ["kendall"])["kendall"]
    assert bounds(1, METHODS) != bounds(2, METHODS)


def test_the_size_of_a_block_does_not_change_the_interval(monkeypatch):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30))

    def results():
        return correlate_scores(scores=x, mean_ratings=y, methods=METHODS, replicates=50, seed=1)

    at_once = results()
    monkeypatch.setattr(correlation, "BLOCK_CELLS", 500)
    for one, other in zip(at_once, results(), strict=True):
        assert one.interval.low == pytest.approx(other.interval.low, abs=1e-12)


def test_items_without_a_score_or_a_rating_are_left_out_and_counted():
    nan = np.nan
    (result,) = correlate_scores(
        scores=[1, 2, 3, 4, nan, nan, 7], mean_ratings=[1, 2, 2, 3, 4, nan, nan]
    )
    assert (result.n_units, result.n_without_score, result.n_without_rating) == (4, 1, 2)
    assert result.n_left_out == 3


@pytest.mark.parametrize(
    ("scores", "ratings", "reason"),
    [
        ([], [], "no_shared_items"),
        ([1, np.nan], [np.nan, 2], "no_shared_items"),
        ([1], [1], "one_item"),
        ([1, 2], [1, 2], "too_few_items"),
        ([3, 3, 3, 3], [1, 2, 3, 4], "constant_metric"),
        ([1, 2, 3, 4], [2, 2, 2, 2], "no_variation"),
        ([3, 3, 3, 3], [2, 2, 2, 2], "no_variation"),
    ],
)
def test_an_undefined_correlation_is_none_with_a_reason(scores, ratings, reason):
    results = correlate_scores(scores=scores, mean_ratings=ratings, methods=METHODS, replicates=20)
    for result in results:
        assert (result.value, result.reason, result.p_value) == (None, reason, None)
        assert (result.interval.low, result.interval.reason) == (None, reason)


def test_mean_ratings_are_rounded_so_that_equal_means_tie():
    # 0.1 + 0.2 and 0.3 are different floats and the same mean.
    (noisy,) = correlate_scores(scores=[1, 2, 3, 4], mean_ratings=[0.1 + 0.2, 0.3, 0.4, 0.5])
    (clean,) = correlate_scores(scores=[1, 2, 3, 4], mean_ratings=[0.3, 0.3, 0.4, 0.5])
    assert noisy.value == clean.value


def test_scores_that_differ_by_the_noise_of_floats_tie():
    noisy = [(0.1 + 0.5) / 2, (0.2 + 0.4) / 2, 0.6, 0.9, 1e-300]
    clean = [0.3, 0.3, 0.6, 0.9, 1e-300]
    assert noisy[0] != noisy[1]
    ratings = [2.0, 1.0, 3.0, 5.0, 4.0]
    ours, expected = (
        correlate_scores(scores=scores, mean_ratings=ratings, methods=METHODS)
        for scores in (noisy, clean)
    )
    assert [one.value for one in ours] == [one.value for one in expected]
    (constant,) = correlate_scores(scores=noisy[:2] * 2, mean_ratings=ratings[:4])
    assert (constant.value, constant.reason) == (None, "constant_metric")


def test_small_scores_are_not_rounded_away():
    (result,) = correlate_scores(scores=[1e-30, 2e-30, 3e-30, 5.0], mean_ratings=[1, 2, 3, 4])
    assert result.value == pytest.approx(1.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [4, 7])
def test_the_exact_p_counts_every_order_of_tied_values(method, n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 4, n) / 3, rng.integers(1, 6, n).astype(float)
    (result,) = correlate_scores(scores=x, mean_ratings=y, methods=[method])
    orders = [np.array(order) for order in itertools.permutations(y)]
    every = np.abs([SCIPY[method](x, order) for order in orders])
    assert result.p_value == pytest.approx(np.mean(every >= abs(SCIPY[method](x, y)) - 1e-12))


def test_the_orders_of_nine_items_are_made_once():
    x, y = np.arange(9.0), np.array([1.0, 2, 3, 4, 5, 4, 3, 2, 1])
    permutation._orders.cache_clear()
    for _ in range(3):
        correlate_scores(scores=x, mean_ratings=y, methods=METHODS)
    assert permutation._orders.cache_info().misses == 1


def test_mean_by_unit_skips_missing_ratings_and_says_nan_where_there_are_none():
    means = mean_by_unit(unit=[0, 0, 1, 2], values=[1, 2, np.nan, 5], n_units=4)
    assert np.array_equal(means, [1.5, np.nan, 5, np.nan], equal_nan=True)


@pytest.mark.parametrize("method", METHODS)
def test_three_perfectly_ranked_items_get_a_value_and_no_p(method):
    (result,) = correlate_scores(scores=[1, 2, 3], mean_ratings=[2, 4, 6], methods=[method])
    assert result.value == pytest.approx(1)
    assert (result.p_value, result.p_kind) == (None, None)


@pytest.mark.parametrize("method", METHODS)
def test_four_perfectly_ranked_items_have_p_one_twelfth(method):
    (result,) = correlate_scores(scores=[1, 2, 3, 4], mean_ratings=[2, 4, 6, 8], methods=[method])
    assert result.p_value == pytest.approx(2 / 24)
    assert result.p_kind == "exact permutation, two-sided"


def test_the_exact_p_of_kendall_without_ties_is_scipys():
    rng = np.random.default_rng(3)
    for _ in range(5):
        x, y = rng.normal(size=(2, 7))
        (result,) = correlate_scores(scores=x, mean_ratings=y, methods=["kendall"])
        assert result.p_value == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)


def test_beyond_nine_items_p_is_scipys():
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    y = np.round(x + rng.normal(size=30))
    found = {
        result.method: result.p_value
        for result in correlate_scores(scores=x, mean_ratings=y, methods=METHODS)
    }
    assert found["pearson"] == pytest.approx(stats.pearsonr(x, y).pvalue)
    assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).pvalue)
    assert found["kendall"] == pytest.approx(stats.kendalltau(x, y, method="asymptotic").pvalue)


def test_what_cannot_be_correlated_is_refused():
    with pytest.raises(ValueError, match="infinite"):
        correlate_scores(scores=[1, np.inf], mean_ratings=[1, 2])
    with pytest.raises(ValueError, match="the same length"):
        correlate_scores(scores=[1, 2], mean_ratings=[1, 2, 3])
    with pytest.raises(ValueError, match="'tau' is unknown"):
        correlate_scores(scores=[1, 2], mean_ratings=[1, 2], methods=["tau"])
    with pytest.raises(ValueError, match="one whole number for each of the 2 items"):
        correlate_scores(scores=[1, 2], mean_ratings=[1, 2], clusters=[1])


def test_one_cluster_has_a_value_and_no_interval():
    (result,) = correlate_scores(
        scores=[1, 2, 3, 5], mean_ratings=[1, 2, 4, 3], replicates=10, clusters=[0, 0, 0, 0]
    )
    assert result.value == pytest.approx(0.8)
    assert result.interval.reason == "one_cluster"


@pytest.mark.parametrize("method", METHODS)
def test_the_p_of_random_orders_is_near_that_of_the_distribution(method):
    rng = np.random.default_rng(3)
    x = rng.normal(size=25)
    y = np.round(x + 2 * rng.normal(size=25))
    sides = {"scores": x, "mean_ratings": y, "methods": [method]}
    (asymptotic,) = correlate_scores(**sides)
    (random,) = correlate_scores(**sides, p_kind="permutation", seed=2)
    assert random.p_value == pytest.approx(asymptotic.p_value, abs=0.02)
    assert random.p_kind == "permutation, 9999 random orders, seed 2, two-sided"
    assert random == correlate_scores(**sides, p_kind="permutation", seed=2)[0]


def test_a_long_bootstrap_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(correlation, "BLOCK_CELLS", 60)
    told = []
    correlate_scores(
        scores=range(10),
        mean_ratings=[3, 1, 4, 1, 5, 9, 2, 6, 5, 3],
        replicates=15,
        progress=lambda *at: told.append(at),
    )
    assert told == [(6, 15), (12, 15), (15, 15)]
