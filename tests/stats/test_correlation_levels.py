"""The same correlation pooled, within groups, centred and over systems."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import association, levels, rated_items
from scoring.stats.association import METHODS, row_midranks, row_values
from scoring.stats.level_values import LEVELS, at_level, fisher_mean
from scoring.stats.levels import correlate_at_level
from scoring.stats.progress import BootstrapStopped
from scoring.stats.rated_items import Redraw, rate_items
from tests.stats.correlation_vectors import correlation_rows, two_countries

SCIPY = {
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}
NAMES = {"kendall_tau_c": "kendall_c", "kendall_tau_b": "kendall"}


def of_file():
    rows = correlation_rows("pearson", "spearman", "kendall", "kendall_tau_c")
    return [row for row in rows if row.get("file")]


@pytest.mark.parametrize("row", of_file(), ids=lambda row: row["id"])
def test_a_level_has_its_published_value(row):
    options, metric = row["options"], row["id"].split("/")[1]
    pool = options.get("pool", "")
    level = "pooled"
    if options["level"] == "system":
        level = "system"
    elif "over countries" in pool:
        level = "within"
    elif pool == "country-centred":
        level = "centred"
    items = two_countries(metric, group="system" if level == "system" else "country")
    if "country" in options:
        items = items.only(items.group == "AB".index(options["country"]))
    method = NAMES.get(row["coefficient"], row["coefficient"])
    (result,) = correlate_at_level(items=items, level=level, methods=[method])
    value = result.fisher_mean if pool.startswith("tanh") else result.value
    assert value == pytest.approx(row["value"], abs=1e-9)


def test_one_data_set_gives_four_numbers_and_each_names_its_level():
    found = {}
    for level in LEVELS:
        items = two_countries("metric1", group="system" if level == "system" else "country")
        (found[level],) = correlate_at_level(items=items, level=level)
    assert {level: round(result.value, 3) for level, result in found.items()} == {
        "pooled": 0.453,
        "within": 0.887,
        "centred": 0.856,
        "system": 0.5,
    }
    assert len({result.aggregation for result in found.values()}) == 4
    assert (found["system"].n_points, found["system"].unit_of_analysis) == (3, "system")
    assert found["system"].p_value is None


def test_groups_that_are_constant_or_small_are_listed_as_undefined():
    items = rate_items(
        score=[1, 2, 3, 4, 1, 2, 3, 1, 2, 3, 4, 5, 5, 5, 5, np.nan],
        item=np.arange(16),
        value=[1, 2, 4, 3, 1, 2, 3, 3, 3, 3, 3, 1, 2, 3, 4, 5],
        group=[0] * 4 + [1] * 3 + [2] * 4 + [3] * 4 + [4],
    )
    (result,) = correlate_at_level(items=items, level="within")
    assert [group.reason for group in result.groups] == [
        None,
        "too_few_items",
        "no_variation",
        "constant_metric",
        "no_shared_items",
    ]
    assert (result.value, result.n_groups_undefined) == (pytest.approx(0.8), 4)
    assert [group.n_units for group in result.groups] == [4, 3, 4, 4, 0]
    assert (result.n_units, result.n_points) == (15, 4)


def test_items_alone_in_their_group_are_none_that_a_centred_coefficient_rests_on():
    items = rate_items(
        score=[1, 2, 3, 4, 9, 9],
        item=np.arange(6),
        value=[1, 3, 2, 4, 1, 5],
        group=[0, 0, 0, 0, 1, 2],
    )
    (result,) = correlate_at_level(items=items, level="centred")
    assert (result.n_units, result.n_points) == (6, 4)
    assert result.value == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("group", "level", "reason"),
    [
        ([0] * 6, "system", "one_system"),
        ([0, 0, 0, 1, 1, 1], "system", "too_few_systems"),
        ([0, 0, 1, 1, 2, 2], "within", "no_defined_group"),
        ([0, 1, 2, 3, 4, 5], "centred", "no_shared_items"),
    ],
)
def test_a_level_that_the_groups_cannot_give_has_a_reason(group, level, reason):
    items = rate_items(
        score=[1, 2, 3, 4, 5, 6], item=np.arange(6), value=[2, 1, 4, 3, 6, 5], group=group
    )
    (result,) = correlate_at_level(items=items, level=level, replicates=20)
    assert (result.value, result.reason, result.interval.reason) == (None, reason, reason)


def test_a_level_without_groups_is_refused():
    items = rate_items(score=[1, 2, 3], item=[0, 1, 2], value=[1, 2, 3])
    with pytest.raises(ValueError, match="'within' needs the group of each item"):
        correlate_at_level(items=items, level="within")
    with pytest.raises(ValueError, match="Level 'item' is unknown"):
        correlate_at_level(items=items, level="item")
    with pytest.raises(ValueError, match="who gave each rating"):
        correlate_at_level(items=items, level="pooled", raters="crossed")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", LEVELS)
def test_weights_of_one_give_the_estimate(level, method):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, (2, 60)) / 3
    values = at_level(level, x, y, np.repeat(np.arange(6), 10))
    one = np.ones((3, 60))
    fixed = values.values(method, one, y)
    redrawn = values.values(method, one, np.broadcast_to(y, one.shape))
    assert redrawn == pytest.approx(fixed, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_rows_with_their_own_values_have_the_coefficient_of_the_repeated_items(data):
    n = data.draw(st.integers(3, 12))
    grid = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    x, y = (np.array([data.draw(grid) for _ in range(2)]) / 3 for _ in range(2))
    weights = np.array([data.draw(grid) for _ in range(2)])
    for method in METHODS:
        ours = row_values(method, x, y, weights.astype(float))
        for row in range(2):
            again = np.repeat(np.arange(n), weights[row])
            a, b = x[row][again], y[row][again]
            if np.unique(a).size < 2 or np.unique(b).size < 2:
                assert np.isnan(ours[row])
            else:
                assert ours[row] == pytest.approx(SCIPY[method](a, b), abs=1e-10)


def test_many_items_are_ranked_row_by_row_with_the_same_tau(monkeypatch):
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 6, (2, 4, 30)).astype(float)
    weights = rng.integers(0, 3, (4, 30)).astype(float)
    tables = [row_values(method, x, y, weights) for method in ("kendall", "kendall_c")]
    monkeypatch.setattr(association, "MOST_FOR_TABLES", 5)
    for expected, method in zip(tables, ("kendall", "kendall_c"), strict=True):
        assert row_values(method, x, y, weights) == pytest.approx(expected, abs=1e-12)


def test_weighted_midranks_of_a_row_are_those_of_the_repeated_values():
    values, weights = np.array([[3.0, 1, 3, 2, 9]]), np.array([[2.0, 1, 1, 0, 3]])
    repeated = np.repeat(values[0], weights[0].astype(int))
    ranks = dict(zip(repeated, stats.rankdata(repeated), strict=True))
    ours = row_midranks(values, weights)[0]
    assert [ours[i] for i in (0, 1, 2, 4)] == [ranks[3], ranks[1], ranks[3], ranks[9]]


def test_the_fisher_mean_of_a_perfect_group_does_not_exist():
    rows = np.array([[0.5, 0.7], [1.0, 0.7], [np.nan, 0.2]])
    mean = fisher_mean(rows)
    assert mean[0] == pytest.approx(np.tanh(np.arctanh([0.5, 0.7]).mean()))
    assert np.isnan(mean[1:]).all()


def rated(n=60, per_item=3, seed=0, *, crossed=True):
    """Items of six prompts in three countries, each rated by some of nine people."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    item = np.repeat(np.arange(n), per_item)
    country = np.arange(n) % 3
    person = np.tile(np.arange(per_item), n) if crossed else np.arange(item.size)
    return rate_items(
        score=latent + rng.normal(size=n),
        item=item,
        value=np.clip(np.round(3 + latent[item] + rng.normal(size=item.size)), 1, 5),
        rater=person + per_item * country[item],
        group=country,
        cluster=(np.arange(n) // 3) % 8 + 8 * country,
    )


def test_clusters_are_drawn_within_the_groups_they_belong_to():
    items = rated().paired()
    redraw = Redraw(items, "fixed")
    assert redraw.what == "clusters of items within strata"
    for weights, _ in redraw.blocks(np.random.default_rng(0), 50):
        for group in range(3):
            of = items.group == group
            drawn = [
                weights[:, of & (items.cluster == c)][:, 0] for c in np.unique(items.cluster[of])
            ]
            assert (np.sum(drawn, axis=0) == 8).all()
        for cluster in range(24):
            alike = weights[:, items.cluster == cluster]
            assert (alike == alike[:, :1]).all()


def test_clusters_across_groups_are_drawn_over_all():
    items = rate_items(
        score=np.arange(12.0),
        item=np.arange(12),
        value=np.arange(12.0),
        group=np.arange(12) % 3,
        cluster=np.arange(12) // 3,
    )
    assert Redraw(items.paired(), "fixed").what == "clusters of items"


def test_prompts_that_are_the_groups_are_drawn_as_a_whole():
    rng = np.random.default_rng(5)
    prompt = np.repeat(np.arange(30), 5)
    y = rng.integers(1, 6, 150).astype(float)
    x = y + rng.normal(0, 2, 150)
    items = rate_items(score=x, item=np.arange(150), value=y, group=prompt, cluster=prompt)
    assert Redraw(items.paired(), "fixed").whole_groups
    (result,) = correlate_at_level(items=items, level="within", replicates=1000, seed=1)
    each = [group.value for group in result.groups if group.value is not None]
    assert result.value == pytest.approx(np.mean(each))
    assert result.se == pytest.approx(np.std(each) / np.sqrt(len(each)), rel=0.1)


def test_ratings_drawn_within_items_come_from_the_item_itself():
    items = rated(crossed=False).paired()
    low = np.minimum.reduceat(items.value, np.arange(0, 180, 3))
    high = np.maximum.reduceat(items.value, np.arange(0, 180, 3))
    for weights, means in Redraw(items, "within").blocks(np.random.default_rng(0), 40):
        assert weights.shape == means.shape == (40, 60)
        assert ((low <= means) & (means <= high)).all()
        assert np.unique(means[:, 0]).size > 1


def test_people_are_drawn_within_strata_and_items_without_any_drop_out():
    items = rated(per_item=2).paired()
    ((weights, means),) = Redraw(items, "crossed").blocks(np.random.default_rng(0), 400)
    first_of_zero, second_of_zero = items.value[0], items.value[1]
    possible = {first_of_zero, second_of_zero, (first_of_zero + second_of_zero) / 2}
    assert set(means[:, 0][weights[:, 0] > 0]) <= possible


def test_the_size_of_a_block_changes_no_replicate(monkeypatch):
    def bounds():
        results = correlate_at_level(
            items=rated(), level="within", methods=METHODS, replicates=60, raters="within", seed=4
        )
        return [(result.interval.low, result.interval.high) for result in results]

    at_once = bounds()
    monkeypatch.setattr(rated_items, "BLOCK_CELLS", 1500)
    assert bounds() == at_once


def test_redrawn_raters_give_a_recentred_interval_around_the_estimate():
    (fixed,) = correlate_at_level(items=rated(), level="pooled", replicates=400)
    (drawn,) = correlate_at_level(items=rated(), level="pooled", replicates=400, raters="crossed")
    assert fixed.interval.kind == "percentile"
    assert drawn.interval.kind == "recentred percentile"
    assert drawn.interval.resampled == "clusters of items within strata, and raters"
    assert drawn.interval.low < drawn.value < drawn.interval.high
    assert drawn.value == fixed.value


def test_progress_is_told_and_a_bootstrap_can_be_stopped(monkeypatch):
    monkeypatch.setattr(rated_items, "BLOCK_CELLS", 600)
    told = []
    correlate_at_level(
        items=rated(), level="pooled", replicates=20, progress=lambda *at: told.append(at)
    )
    assert told[-1] == (20, 20)
    assert len(told) > 1
    with pytest.raises(BootstrapStopped):
        correlate_at_level(items=rated(), level="pooled", replicates=20, should_stop=lambda: True)


def test_p_within_groups_is_uniform_where_nothing_is_related_and_groups_differ():
    # Countries differ on both sides: pooled, that alone would be a correlation.
    small = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        group = np.repeat([0, 1], 15)
        items = rate_items(
            score=rng.normal(size=30) + 3 * group,
            item=np.arange(30),
            value=rng.normal(size=30) + 3 * group,
            group=group,
        )
        (pooled,) = correlate_at_level(items=items, level="pooled")
        (centred,) = correlate_at_level(items=items, level="centred")
        small.append((pooled.p_value < 0.05, centred.p_value < 0.05))
    pooled_rate, centred_rate = np.mean(small, axis=0)
    assert pooled_rate > 0.9
    assert centred_rate < 0.2


def test_p_within_groups_agrees_with_all_orders(monkeypatch):
    items = rate_items(
        score=[1, 2, 3, 4, 4, 3, 2, 1],
        item=np.arange(8),
        value=[1, 2, 4, 3, 4, 2, 3, 1],
        group=[0, 0, 0, 0, 1, 1, 1, 1],
    )
    (result,) = correlate_at_level(items=items, level="within")
    one = [SCIPY["spearman"]([1, 2, 3, 4], order) for order in itertools.permutations([1, 2, 3, 4])]
    every = np.abs(np.add.outer(one, one) / 2)
    exact = (every >= result.value - 1e-12).mean()
    assert result.p_value == pytest.approx(exact, abs=0.01)
    assert "within groups" in result.p_kind
    monkeypatch.setattr(levels, "ORDERS_CELLS", 40)
    assert correlate_at_level(items=items, level="within")[0].p_value == pytest.approx(
        exact, abs=0.01
    )


def test_ratings_that_cannot_be_used_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        rate_items(score=[1.0], item=[0], value=[np.inf])
    with pytest.raises(ValueError, match="infinite"):
        rate_items(score=[np.inf], item=[0], value=[1])
    with pytest.raises(ValueError, match="rated an item twice"):
        rate_items(score=[1.0], item=[0, 0], value=[1, 2], rater=[3, 3])
    with pytest.raises(ValueError, match="not one of the 1"):
        rate_items(score=[1.0], item=[1], value=[1])
    with pytest.raises(ValueError, match="one whole number for each of the 1 items"):
        rate_items(score=[1.0], item=[0], value=[1], group=[1, 2])


def test_missing_sides_are_counted():
    nan = np.nan
    items = rate_items(
        score=[1, 2, 3, nan, 5, nan], item=[0, 0, 1, 2, 3, 4], value=[1, 2, 2, 3, 4, nan]
    )
    (result,) = correlate_at_level(items=items, level="pooled")
    assert (result.n_units, result.n_without_score, result.n_without_rating) == (3, 1, 2)
    assert (result.n_ratings, result.n_left_out) == (4, 3)


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_group_is_exactly_one_and_has_no_fisher_mean(method):
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=60)).reshape(12, 5)
    items = rate_items(
        score=x.ravel(),
        item=np.arange(60),
        value=2 * x.ravel() + 1,
        group=np.repeat(np.arange(12), 5),
    )
    (result,) = correlate_at_level(items=items, level="within", methods=[method])
    assert {group.value for group in result.groups} == {1.0}
    assert (result.value, result.fisher_mean) == (1.0, None)
