"""How well people predict people: ceiling, leave one out, pairs, and rater slots."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from scoring.stats.ceiling import human_ceiling, leave_one_out, mean_pairwise
from scoring.stats.rated_items import rate_items
from scoring.stats.slots import NotACategoryError, row_kappas, slot_agreement
from tests.stats.correlation_vectors import correlation_rows, wide_values

nan = np.nan


def crossed(matrix, score=None):
    """Items from a complete items x raters matrix."""
    n, k = np.shape(matrix)
    return rate_items(
        score=np.full(n, nan) if score is None else score,
        item=np.repeat(np.arange(n), k),
        rater=np.tile(np.arange(k), n),
        value=np.ravel(matrix),
    )


def of(row):
    return crossed(wide_values(row["file"]))


@pytest.mark.parametrize("row", correlation_rows("noise_ceiling"), ids=lambda row: row["id"])
def test_the_ceiling_has_its_published_value(row):
    ceiling = human_ceiling(items=of(row))
    assert ceiling.value == pytest.approx(row["value"], abs=1e-9)
    assert ceiling.form == row["options"]["reliability"]
    assert 0 <= ceiling.low < ceiling.value < ceiling.high < 1


@pytest.mark.parametrize(
    "row", correlation_rows("leave_one_out_ceiling"), ids=lambda row: row["id"]
)
def test_leave_one_out_has_its_published_value(row):
    found = leave_one_out(items=of(row), method="pearson")
    assert found.human == pytest.approx(row["value"], abs=1e-9)
    assert found.metric is None


@pytest.mark.parametrize(
    "row",
    correlation_rows(
        "mean_pairwise_pearson", "mean_pairwise_pearson_fisher", "mean_pairwise_spearman"
    ),
    ids=lambda row: row["id"],
)
def test_the_mean_over_pairs_has_its_published_value(row):
    method = "spearman" if row["coefficient"].endswith("spearman") else "pearson"
    found = mean_pairwise(items=of(row), method=method)
    value = found.fisher_mean if row["coefficient"].endswith("fisher") else found.value
    assert value == pytest.approx(row["value"], abs=1e-9)
    assert found.n_pairs_undefined == 0


def test_the_ceiling_of_own_raters_is_one_way_and_its_interval_exact():
    # Shrout and Fleiss 1979: ICC(1,4) is .44; their mean squares are 11.24 and 6.26.
    matrix = wide_values("shrout_fleiss1979_6x4.csv")
    n, k = matrix.shape
    items = rate_items(score=np.full(n, nan), item=np.repeat(np.arange(n), k), value=matrix.ravel())
    ceiling = human_ceiling(items=items)
    assert (ceiling.form, ceiling.k) == ("ICC(1,k)", pytest.approx(4))
    assert ceiling.reliability == pytest.approx(0.44, abs=0.005)
    f = (matrix.mean(axis=1).var(ddof=1) * k) / matrix.var(axis=1, ddof=1).mean()
    high = 1 - 1 / (f * stats.f.ppf(0.975, n * (k - 1), n - 1))
    assert ceiling.high == pytest.approx(np.sqrt(high))
    assert ceiling.low == 0.0
    assert ceiling.interval_kind == "F"


def test_a_metric_without_error_reaches_the_ceiling_and_the_interval_covers_it():
    rng = np.random.default_rng(4)
    covered, reached = [], []
    for _ in range(200):
        truth = rng.normal(size=40)
        items = crossed(truth[:, None] + rng.normal(size=(40, 3)), score=truth)
        ceiling = human_ceiling(items=items)
        covered.append(ceiling.low <= np.sqrt(0.75) <= ceiling.high)
        reached.append(np.corrcoef(truth, items.mean)[0, 1])
    assert np.mean(reached) == pytest.approx(np.sqrt(0.75), abs=0.02)
    assert np.mean(covered) > 0.9


@pytest.mark.parametrize(
    ("item", "value", "reason"),
    [
        ([0, 1, 2], [1, 2, 3], "no_pairs"),
        ([0, 0], [1, 2], "one_item"),
        ([0, 0, 1, 1], [2, 2, 2, 2], "no_variation"),
        ([0, 0, 1, 1], [1, 3, 3, 1], "no_reliability"),
        ([], [], "no_pairs"),
    ],
)
def test_a_ceiling_that_does_not_exist_has_a_reason(item, value, reason):
    items = rate_items(score=[nan] * 3, item=item, value=value)
    ceiling = human_ceiling(items=items)
    assert (ceiling.value, ceiling.low, ceiling.reason) == (None, None, reason)


def test_people_who_differ_in_their_levels_alone_set_no_ceiling():
    ceiling = human_ceiling(items=crossed([[1, 3], [1, 3], [1, 3], [1, 3]]))
    assert (ceiling.value, ceiling.low, ceiling.reason) == (None, None, "no_variation")


def test_full_agreement_is_a_ceiling_of_one():
    ceiling = human_ceiling(items=crossed([[1, 1], [2, 2], [5, 5]]))
    assert (ceiling.value, ceiling.low, ceiling.high) == (1.0, 1.0, 1.0)


def test_unequal_numbers_of_ratings_use_their_harmonic_mean():
    rng = np.random.default_rng(0)
    sizes = np.tile([2, 4], 300)
    item = np.repeat(np.arange(600), sizes)
    truth = rng.normal(size=600)
    items = rate_items(
        score=np.full(600, nan), item=item, value=truth[item] + rng.normal(size=item.size)
    )
    ceiling = human_ceiling(items=items)
    assert ceiling.k == pytest.approx(8 / 3)
    assert ceiling.interval_kind == "F, approximate"
    reached = np.corrcoef(truth, items.mean)[0, 1]
    assert ceiling.value == pytest.approx(reached, abs=0.03)


def test_the_metric_is_held_against_the_same_mean_of_the_others():
    rng = np.random.default_rng(1)
    matrix = rng.integers(1, 6, (12, 3)).astype(float)
    score = rng.normal(size=12)
    found = leave_one_out(items=crossed(matrix, score))
    human, metric = [], []
    for rater in range(3):
        others = np.round(np.delete(matrix, rater, axis=1).mean(axis=1), 9)
        human.append(stats.spearmanr(matrix[:, rater], others).statistic)
        metric.append(stats.spearmanr(score, others).statistic)
    assert [line.human for line in found.raters] == pytest.approx(human)
    assert [line.metric for line in found.raters] == pytest.approx(metric)
    assert (found.human, found.metric) == pytest.approx((np.mean(human), np.mean(metric)))


def test_raters_without_a_line_are_listed():
    matrix = np.array([[1, 2, 3], [2, 2, 3], [3, 4, 3], [4, 3, 3], [5, 5, 3.0]])
    items = crossed(matrix)
    few = rate_items(
        score=np.full(5, nan),
        item=[*items.item, 0],
        rater=[*items.rater, 9],
        value=[*items.value, 4],
    )
    found = leave_one_out(items=few)
    assert [line.reason for line in found.raters] == [None, None, "no_variation", "one_item"]
    assert found.n_raters_undefined == 2
    pairs = mean_pairwise(items=few)
    assert (pairs.n_pairs, pairs.n_pairs_undefined) == (1, 5)


def test_people_who_share_nothing_make_no_pair():
    items = rate_items(score=[nan] * 4, item=[0, 1, 2, 3], value=[1, 2, 3, 4], rater=[0, 0, 1, 1])
    assert mean_pairwise(items=items).reason == "no_pairs"
    assert leave_one_out(items=items).reason == "no_defined_rater"
    with pytest.raises(ValueError, match="who gave each rating"):
        leave_one_out(items=rate_items(score=[nan], item=[0], value=[1]))


def test_slots_are_averaged_over_every_way_to_fill_them():
    item = np.repeat(np.arange(4), 2)
    value = np.array([1, 2, 2, 4, 5, 3, 4, 4.0])
    found = slot_agreement(
        items=rate_items(score=[0.1, 0.5, 0.3, 0.9], item=item, value=value),
        categories=[1, 2, 3, 4, 5],
        assignments=6000,
        seed=3,
    )
    pairs = value.reshape(4, 2)
    rho, metric, kappa = [], [], []
    for swap in itertools.product([False, True], repeat=4):
        both = np.where(np.array(swap)[:, None], pairs[:, ::-1], pairs)
        rho.append(stats.spearmanr(both[:, 0], both[:, 1]).statistic)
        metric.append(stats.spearmanr([0.1, 0.5, 0.3, 0.9], both[:, 1]).statistic)
        kappa.append(weighted_kappa(both[:, 0], both[:, 1]))
    assert found.correlation == pytest.approx(np.mean(rho), abs=0.02)
    assert found.metric == pytest.approx(np.mean(metric), abs=0.02)
    assert found.kappa == pytest.approx(np.mean(kappa), abs=0.02)
    assert found.correlation_sd == pytest.approx(np.std(rho), abs=0.02)
    assert (found.n_units, found.kappa_weights, found.seed) == (4, "quadratic", 3)


def weighted_kappa(one, two):
    observed = np.mean((one - two) ** 2)
    expected = np.mean([(a - b) ** 2 for a in one for b in two])
    return 1 - observed / expected


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappa_of_a_row_is_that_of_an_independent_package(weights):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    one, two = rng.integers(0, 4, (2, 3, 30))
    named = None if weights == "identity" else weights
    expected = [
        metrics.cohen_kappa_score(a, b, weights=named, labels=range(4))
        for a, b in zip(one, two, strict=True)
    ]
    assert row_kappas(one, two, 4, weights) == pytest.approx(expected)


def test_slots_without_a_value_say_why():
    def reason(item, value):
        items = rate_items(score=[nan] * 6, item=item, value=value)
        return slot_agreement(items=items, categories=[1, 2, 3]).reason

    assert reason([0, 1], [1, 2]) == "no_pairs"
    assert reason([0, 0, 1, 1], [1, 2, 2, 2]) == "too_few_items"
    assert reason([0, 0, 1, 1, 2, 2, 3, 3], [2] * 8) == "no_variation"


def test_a_rating_that_is_no_declared_category_is_refused():
    items = rate_items(score=[nan], item=[0, 0], value=[1, 7])
    with pytest.raises(NotACategoryError, match="7 is not one of the categories 1, 2"):
        slot_agreement(items=items, categories=[1, 2])


def test_more_than_two_ratings_an_item_take_turns_in_the_slots():
    rng = np.random.default_rng(5)
    matrix = rng.integers(1, 6, (30, 4)).astype(float)
    found = slot_agreement(items=crossed(matrix), categories=[1, 2, 3, 4, 5], assignments=3000)
    again = slot_agreement(items=crossed(matrix), categories=[1, 2, 3, 4, 5], assignments=3000)
    assert found == again
    assert found.metric is None
    assert abs(found.correlation) < 0.2
