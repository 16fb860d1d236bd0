"""Bootstrap replicates are what they claim to be, and intervals are honest about their limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scoring.stats import bootstrap, item_sums, pair_sums, resampling
from scoring.stats.agreement import (
    Coefficient,
    estimate_agreement,
    totals_of_counts,
)
from scoring.stats.bootstrap import bootstrap_agreement, replicate_values, two_way_totals
from scoring.stats.coefficients import coefficient_values
from scoring.stats.counts import code_ratings
from scoring.stats.scale import LEVELS, declare_scale

WANTED = [Coefficient("krippendorff_alpha", level) for level in LEVELS] + [
    Coefficient(name)
    for name in ("percent_agreement", "gwet_ac1", "gwet_ac2", "fleiss_kappa", "brennan_prediger")
]


def likert(*, n_items=60, n_raters=6, bias=0.0, share_missing=0.3, seed=7, cluster_of=None):
    """Ratings 1-5 of items that differ, by raters who may have biases."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(0, 1, n_items)[:, None] + bias * rng.normal(0, 1, n_raters)
    noisy = latent + rng.normal(0, 0.7, (n_items, n_raters))
    category = np.clip(np.round(noisy + 2), 0, 4).astype(int)
    category[rng.random(category.shape) < share_missing] = -1
    unit, rater = np.indices(category.shape)
    return code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=declare_scale(level="ratio", categories=[1, 2, 3, 4, 5]),
        cluster=None if cluster_of is None else np.asarray(cluster_of)[unit.ravel()],
    )


def totals(counts, coefficient, ratings):
    return totals_of_counts(counts, coefficients=[coefficient], scale=ratings.scale)


def plain_item_replicates(ratings, coefficient, replicates, seed):
    """The item bootstrap written out: draw items, stack their count rows, estimate."""
    rng = np.random.default_rng(seed)
    counts = ratings.count_matrix()
    draws = rng.integers(len(counts), size=(replicates, len(counts)))
    return np.array(
        [
            coefficient_values(
                totals(counts[drawn], coefficient, ratings), coefficient, ratings.scale
            )[0]
            for drawn in draws
        ]
    )


def pairwise_totals(ratings, item_weights, rater_weights):
    """Coincidences, agreement and category shares of a two-way replicate, pair by pair."""
    q = len(ratings.scale.labels)
    coincidences = np.zeros((q, q))
    agreeing = 0.0
    shares = np.zeros(q)
    for item in range(ratings.n_units):
        rows = np.flatnonzero(ratings.unit == item)
        raters, given = ratings.rater[rows], ratings.category[rows]
        pairs = np.zeros((q, q))
        for a in range(rows.size):
            for b in range(rows.size):
                if raters[a] != raters[b]:
                    weight = rater_weights[raters[a]] * rater_weights[raters[b]]
                    pairs[given[a], given[b]] += weight
        if pairs.sum():
            size = rater_weights[raters].sum()
            coincidences += item_weights[item] * pairs * size / pairs.sum()
            agreeing += item_weights[item] * np.trace(pairs) / pairs.sum()
            shares += item_weights[item] * pairs.sum(axis=1) / pairs.sum()
        elif rater_weights[raters].any():
            (alone,) = given[rater_weights[raters] > 0]
            shares[alone] += item_weights[item]
    return coincidences, agreeing, shares


@pytest.mark.parametrize("coefficient", WANTED, ids=str)
def test_drawing_distinct_rows_is_the_plain_item_bootstrap(coefficient):
    ratings = likert(n_items=40)
    compressed = replicate_values(
        ratings=ratings,
        coefficients=[coefficient],
        replicates=1500,
        rng=np.random.default_rng(11),
        resample="items",
    )[:, 0]
    plain = plain_item_replicates(ratings, coefficient, 1500, seed=12)
    assert stats.ks_2samp(compressed, plain).pvalue > 0.01
    assert compressed.std() == pytest.approx(plain.std(), rel=0.1)


def test_clusters_of_one_item_each_are_the_item_bootstrap():
    alone = likert(n_items=40, cluster_of=range(40))
    drawn = replicate_values(
        ratings=alone,
        coefficients=WANTED[:1],
        replicates=1500,
        rng=np.random.default_rng(3),
        resample="items",
    )[:, 0]
    plain = plain_item_replicates(likert(n_items=40), WANTED[0], 1500, seed=4)
    assert stats.ks_2samp(drawn, plain).pvalue > 0.01


def test_whole_clusters_are_drawn():
    # Two clusters: a replicate holds one of them twice, or both; nothing else.
    ratings = likert(n_items=20, cluster_of=[0] * 10 + [1] * 10)
    drawn = replicate_values(
        ratings=ratings,
        coefficients=WANTED[:1],
        replicates=200,
        rng=np.random.default_rng(3),
        resample="items",
    )[:, 0]
    counts = ratings.count_matrix()
    possible = [
        coefficient_values(totals(rows, WANTED[0], ratings), WANTED[0], ratings.scale)[0]
        for rows in (counts, np.tile(counts[:10], (2, 1)), np.tile(counts[10:], (2, 1)))
    ]
    assert set(np.round(drawn, 10)) == set(np.round(possible, 10))


def test_a_two_way_replicate_pairs_distinct_original_raters_only():
    ratings = likert(n_items=15, n_raters=5)
    rng = np.random.default_rng(2)
    for _ in range(20):
        items = rng.integers(0, 3, ratings.n_units)
        raters = rng.integers(0, 3, ratings.n_raters)
        sums = two_way_totals(
            ratings=ratings, coefficients=WANTED, item_weights=items, rater_weights=raters
        )
        coincidences, agreeing, shares = pairwise_totals(ratings, items, raters)
        differing = sums.disagreements["identity"].per_item
        assert sums.coincidences[0] == pytest.approx(coincidences, abs=1e-10)
        assert sums.margins[0] == pytest.approx(coincidences.sum(axis=0), abs=1e-10)
        assert (sums.paired - differing)[0] == pytest.approx(agreeing, abs=1e-10)
        assert sums.shares[0] == pytest.approx(shares, abs=1e-10)


def test_a_rater_drawn_twice_does_not_agree_with_themselves():
    # Two raters who never agree: however they are weighted, they still never do.
    ratings = code_ratings(
        unit=[0, 0, 1, 1],
        rater=[0, 1, 0, 1],
        category=[0, 1, 1, 0],
        scale=declare_scale(level="ordinal", categories=["yes", "no"]),
    )
    sums = two_way_totals(
        ratings=ratings, coefficients=WANTED, item_weights=[1, 1], rater_weights=[3, 1]
    )
    assert sums.disagreements["identity"].per_item[0] == sums.paired[0] == 2
    assert sums.coincidences[0].trace() == pytest.approx(0, abs=1e-12)


def test_a_rater_drawn_twice_does_not_tilt_what_two_raters_expect():
    # One always says yes, the other mostly no: kappa is the same however often each is drawn.
    ratings = code_ratings(
        unit=np.repeat(np.arange(10), 2),
        rater=np.tile([0, 1], 10),
        category=np.column_stack([np.zeros(10, int), np.arange(10) > 1]).ravel(),
        scale=declare_scale(level="nominal", categories=["yes", "no"]),
    )
    for name in ("fleiss_kappa", "gwet_ac1"):
        coefficient = Coefficient(name)
        (estimate,) = estimate_agreement(ratings=ratings, coefficients=[coefficient])
        for weights in ([1, 2], [2, 1], [1, 1]):
            sums = two_way_totals(
                ratings=ratings,
                coefficients=[coefficient],
                item_weights=np.ones(10),
                rater_weights=weights,
            )
            replicate = coefficient_values(sums, coefficient, ratings.scale)[0]
            assert replicate == pytest.approx(estimate.value, abs=1e-12)


def test_every_coefficient_of_a_two_way_replicate_with_weights_one_is_the_estimate():
    ratings = likert()
    sums = two_way_totals(
        ratings=ratings,
        coefficients=WANTED,
        item_weights=np.ones(ratings.n_units),
        rater_weights=np.ones(ratings.n_raters),
    )
    for coefficient in WANTED:
        replicate = coefficient_values(sums, coefficient, ratings.scale)
        estimate = coefficient_values(
            totals(ratings.count_matrix(), coefficient, ratings), coefficient, ratings.scale
        )
        assert replicate == pytest.approx(estimate, abs=1e-12)


def test_biased_raters_widen_the_two_way_interval_and_not_the_item_interval():
    ratings = likert(n_items=200, bias=1.0, share_missing=0)
    width = {}
    for resample in bootstrap.RESAMPLES:
        (result,) = bootstrap_agreement(
            ratings=ratings,
            coefficients=[Coefficient("krippendorff_alpha", "interval")],
            replicates=500,
            seed=5,
            resample=resample,
        )
        width[resample] = result.interval.high - result.interval.low
        assert result.interval.low < result.value < result.interval.high
    assert width["two-way"] > 2 * width["items"]


@pytest.mark.parametrize("resample", bootstrap.RESAMPLES)
def test_the_same_seed_gives_the_same_interval_and_another_seed_another(resample):
    def interval(seed):
        results = bootstrap_agreement(
            ratings=likert(),
            coefficients=WANTED,
            replicates=100,
            seed=seed,
            resample=resample,
        )
        return [(result.interval.low, result.interval.high) for result in results]

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


@pytest.mark.parametrize("resample", bootstrap.RESAMPLES)
@pytest.mark.parametrize("cluster_of", [None, np.arange(60) // 4], ids=["items", "clusters"])
def test_the_size_of_a_block_does_not_change_the_replicates(monkeypatch, resample, cluster_of):
    def drawn():
        return replicate_values(
            ratings=likert(cluster_of=cluster_of),
            coefficients=WANTED,
            replicates=60,
            rng=np.random.default_rng(9),
            resample=resample,
        )

    at_once = drawn()
    for module in (item_sums, resampling):
        monkeypatch.setattr(module, "BLOCK_CELLS", 300)
    monkeypatch.setattr(pair_sums, "TILE_CELLS", 150)
    assert at_once == pytest.approx(drawn(), abs=1e-12)


def test_the_interval_says_how_it_was_made():
    (result,) = bootstrap_agreement(
        ratings=likert(cluster_of=np.arange(60) // 4),
        coefficients=WANTED[:1],
        replicates=50,
        seed=8,
    )
    interval = result.interval
    assert (interval.kind, interval.level, interval.replicates) == ("percentile", 0.95, 50)
    assert (interval.resampled, interval.seed) == ("clusters of items and raters", 8)
    assert interval.undefined_share == 0
    assert result.se > 0


def test_no_replicates_means_no_interval():
    (result,) = bootstrap_agreement(ratings=likert(), coefficients=WANTED[:1], replicates=0, seed=8)
    assert result.interval is None
    assert result.se is None


def test_two_raters_cannot_be_resampled_so_items_are_and_the_result_says_so():
    (result,) = bootstrap_agreement(
        ratings=likert(n_raters=2, share_missing=0),
        coefficients=WANTED[:1],
        replicates=50,
        seed=8,
        resample="two-way",
    )
    assert result.interval.resampled == "items"
    assert result.interval.low is not None


def test_many_undefined_replicates_give_no_interval_and_a_reason():
    # One item of five differs: a third of the replicates miss it and have no variation.
    ratings = code_ratings(
        unit=np.repeat(np.arange(5), 2),
        rater=np.tile([0, 1], 5),
        category=[0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
        scale=declare_scale(level="nominal", categories=["no", "yes"]),
    )
    alpha, ac1 = bootstrap_agreement(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha"), Coefficient("gwet_ac1")],
        replicates=400,
        seed=1,
        resample="items",
    )
    assert alpha.value == 1.0
    assert alpha.interval.reason == "undefined_replicates"
    assert alpha.interval.undefined_share == pytest.approx(0.8**5, abs=0.06)
    assert (alpha.interval.low, alpha.interval.high) == (None, None)
    assert ac1.interval.reason is None


def test_few_items_give_an_interval_with_a_flag():
    few, enough = (
        bootstrap_agreement(
            ratings=likert(n_items=n, share_missing=0),
            coefficients=WANTED[:1],
            replicates=100,
            seed=1,
        )[0]
        for n in (19, 20)
    )
    assert few.too_few_for_interval
    assert few.interval.low is not None
    assert not enough.too_few_for_interval


def test_one_cluster_has_no_interval():
    (result,) = bootstrap_agreement(
        ratings=likert(cluster_of=[0] * 60), coefficients=WANTED[:1], replicates=50, seed=1
    )
    assert result.value is not None
    assert result.interval.reason == "one_cluster"


def test_a_wish_that_cannot_be_met_is_refused_by_name():
    with pytest.raises(
        ValueError, match="'prompts' is unknown; choose from two-way, items, raters"
    ):
        bootstrap_agreement(
            ratings=likert(), coefficients=WANTED, replicates=1, seed=1, resample="prompts"
        )
    with pytest.raises(ValueError, match="'basic' is unknown; choose from percentile, BCa"):
        bootstrap_agreement(
            ratings=likert(), coefficients=WANTED, replicates=1, seed=1, interval="basic"
        )
    with pytest.raises(ValueError, match="-1 bootstrap replicates"):
        bootstrap_agreement(ratings=likert(), coefficients=WANTED, replicates=-1, seed=1)
    with pytest.raises(ValueError, match="'alpha' is unknown"):
        Coefficient("alpha")
