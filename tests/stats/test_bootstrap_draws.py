"""Items, clusters, strata and raters are drawn as such, and the same for every coefficient."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.anova import ICC_FORMS
from scoring.stats.bootstrap import RESAMPLES, bootstrap_agreement, two_way_totals
from scoring.stats.by_rater import statistic_of
from scoring.stats.coefficients import coefficient_values
from scoring.stats.counts import code_ratings
from scoring.stats.draws import ItemPool, Pool, StratumError, rater_pool
from scoring.stats.item_sums import Patterns, RowDraws
from scoring.stats.progress import BootstrapStopped
from scoring.stats.resampling import Resampling
from scoring.stats.scale import LEVELS, declare_scale, scale_of_sets
from scoring.stats.weights import WEIGHTS
from tests.stats.test_bootstrap_intervals import likert

ALPHA, ORDINAL = ALPHAS = [
    Coefficient("krippendorff_alpha"),
    Coefficient("krippendorff_alpha", "ordinal"),
]
COUNTED = [
    *(Coefficient("krippendorff_alpha", level) for level in LEVELS),
    *(Coefficient("gwet_ac2", weights=weights) for weights in WEIGHTS),
    *(Coefficient("fleiss_kappa", weights=weights) for weights in WEIGHTS),
    Coefficient("gwet_ac1"),
    Coefficient("brennan_prediger"),
    Coefficient("percent_agreement"),
]
OF_ANSWER_SETS = [
    Coefficient("krippendorff_alpha", weights="jaccard"),
    Coefficient("krippendorff_alpha", weights="masi"),
    Coefficient("average_pairwise_jaccard"),
    Coefficient("average_pairwise_masi", aggregate="pairs"),
    Coefficient("average_pairwise_jaccard", skip_empty=True),
]
WHO_RATED = [
    Coefficient("cohen_kappa"),
    Coefficient("scott_pi"),
    Coefficient("conger_kappa", weights="quadratic"),
    Coefficient("kendall_w"),
    *(Coefficient("icc", form=form) for form in ICC_FORMS),
]
AGREEMENT = Coefficient("percent_agreement")


def halves(*, n_items=12, n_raters=4, cluster_of=None):
    """Items on which everybody agrees, then as many on which nobody does."""
    category = np.tile(np.arange(n_raters), (n_items, 1))
    category[: n_items // 2] = 0
    unit, rater = np.indices(category.shape)
    return code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=declare_scale(level="nominal", categories=list("abcdefgh"[:n_raters])),
        cluster=None if cluster_of is None else np.asarray(cluster_of)[unit.ravel()],
    )


def sets():
    """Answers of four people that are sets of options, some of them empty."""
    members = [frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")]
    rng = np.random.default_rng(8)
    unit, rater = np.indices((40, 4))
    latent = rng.integers(4, size=40)[unit]
    category = np.where(rng.random(unit.shape) < 0.6, latent, rng.integers(4, size=unit.shape))
    return code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=scale_of_sets(labels=["none", "a", "b", "a and b"], members=members),
    )


def replicates(ratings, *, resample, coefficients=(AGREEMENT,), n=200, seed=3, **strata):
    resampling = Resampling(ratings=ratings, coefficients=coefficients, resample=resample, **strata)
    return resampling.replicates(n, np.random.default_rng(seed))


def value_of(ratings, coefficient, item_weights, rater_weights):
    """The coefficient of one weighting."""
    totals = two_way_totals(
        ratings=ratings,
        coefficients=[coefficient],
        item_weights=item_weights,
        rater_weights=rater_weights,
    )
    return coefficient_values(totals, coefficient, ratings.scale)[0]


@pytest.mark.parametrize("coefficient", COUNTED, ids=str)
def test_a_replicate_with_weights_one_is_the_estimate(coefficient):
    ratings = likert()
    (estimate,) = estimate_agreement(ratings=ratings, coefficients=[coefficient])
    value = value_of(ratings, coefficient, np.ones(60), np.ones(6))
    assert value == pytest.approx(estimate.value, abs=1e-12)


@pytest.mark.parametrize("coefficient", OF_ANSWER_SETS, ids=str)
def test_a_replicate_of_sets_with_weights_one_is_the_estimate(coefficient):
    (estimate,) = estimate_agreement(ratings=sets(), coefficients=[coefficient])
    value = value_of(sets(), coefficient, np.ones(40), np.ones(4))
    assert value == pytest.approx(estimate.value, abs=1e-12)


@pytest.mark.parametrize("coefficient", WHO_RATED, ids=str)
def test_a_replicate_by_rater_with_weights_one_is_the_estimate(coefficient):
    ratings = likert(share_missing=0)
    (estimate,) = estimate_agreement(ratings=ratings, coefficients=[coefficient])
    value = statistic_of(ratings, coefficient).value(np.ones(60), np.ones(6))
    assert value == pytest.approx(estimate.value, abs=1e-12)


@pytest.mark.parametrize("resample", RESAMPLES)
def test_every_coefficient_has_an_interval_around_it_from_the_same_draws(resample):
    results = bootstrap_agreement(
        ratings=likert(share_missing=0),
        coefficients=COUNTED + WHO_RATED,
        replicates=200,
        seed=4,
        resample=resample,
    )
    for result in results:
        assert result.interval.low < result.value < result.interval.high, result.coefficient


@pytest.mark.parametrize("resample", ["items", "two-way"])
def test_items_are_drawn_within_their_strata(resample):
    # Six items of each kind in every draw: the mean agreement never moves.
    strata = np.repeat([7, 3], 6)
    within = replicates(halves(), resample=resample, strata=strata)
    assert within == pytest.approx(0.5, abs=1e-12)
    over_all = replicates(halves(), resample=resample)
    assert over_all.std() > 0.1


@pytest.mark.parametrize("resample", ["items", "two-way"])
def test_clusters_are_drawn_within_their_strata(resample):
    ratings = halves(cluster_of=np.arange(12) // 2)
    within = replicates(ratings, resample=resample, strata=np.repeat([0, 1], 6))
    assert within == pytest.approx(0.5, abs=1e-12)
    over_all = replicates(ratings, resample=resample)
    assert set(np.round(6 * over_all[:, 0], 9)) <= set(range(7))
    assert over_all.std() > 0.1


@pytest.mark.parametrize("resample", ["items", "two-way"])
def test_items_of_one_cluster_come_together(resample):
    # Two clusters, one of each kind: all agreement, none, or half.
    ratings = halves(cluster_of=np.repeat([0, 1], 6))
    found = set(np.round(replicates(ratings, resample=resample)[:, 0], 9))
    assert found == {0.0, 0.5, 1.0}


def test_strata_of_one_kind_of_item_change_nothing_in_distribution():
    ratings = likert(n_items=40)
    plain = replicates(ratings, resample="items", coefficients=[ALPHA], n=1500)[:, 0]
    one = np.zeros(40, dtype=int)
    same = replicates(ratings, resample="items", coefficients=[ALPHA], n=1500, strata=one)[:, 0]
    assert np.array_equal(plain, same)


def test_stratified_patterns_are_the_plain_stratified_bootstrap():
    ratings = likert(n_items=40)
    strata = np.arange(40) % 3
    drawn = replicates(ratings, resample="items", coefficients=[ALPHA], n=1500, strata=strata)
    rng = np.random.default_rng(5)
    plain = []
    for _ in range(1500):
        parts = [np.flatnonzero(strata == stratum) for stratum in range(3)]
        units = np.concatenate([rng.choice(part, part.size) for part in parts])
        weights = np.bincount(units, minlength=40)
        plain.append(value_of(ratings, ALPHA, weights, np.ones(6)))
    assert stats.ks_2samp(drawn[:, 0], plain).pvalue > 0.01


def test_raters_alone_are_drawn_where_asked():
    ratings = likert(n_items=30, n_raters=5, bias=0.8)
    drawn = replicates(ratings, resample="raters", coefficients=[ALPHA], n=1500)[:, 0]
    rng = np.random.default_rng(9)
    plain = []
    while len(plain) < 1500:
        raters = np.bincount(rng.integers(5, size=5), minlength=5)
        if np.count_nonzero(raters) > 1:
            plain.append(value_of(ratings, ALPHA, np.ones(30), raters))
    assert stats.ks_2samp(drawn, plain).pvalue > 0.01


def test_raters_are_drawn_within_their_strata():
    pool = rater_pool(likert(n_raters=6), [0, 0, 5, 5, 5, 5])
    drawn = pool.draw_pairable(np.random.default_rng(1), 300)
    assert (drawn[:, :2].sum(axis=1) == 2).all()
    assert (drawn[:, 2:].sum(axis=1) == 4).all()
    assert drawn[:, 0].std() > 0
    (result,) = bootstrap_agreement(
        ratings=likert(n_raters=6),
        coefficients=[AGREEMENT],
        replicates=20,
        seed=1,
        rater_strata=[0, 0, 5, 5, 5, 5],
        strata=np.arange(60) % 2,
    )
    assert result.interval.resampled == "items within strata and raters within strata"


def test_a_draw_of_a_single_rater_is_drawn_again():
    drawn = Pool(3).draw_pairable(np.random.default_rng(0), 2000)
    assert (drawn.sum(axis=1) == 3).all()
    assert (np.count_nonzero(drawn, axis=1) >= 2).all()
    # Of the 27 draws of three raters 24 are kept, and 6 of those hold everybody.
    assert (np.count_nonzero(drawn, axis=1) == 3).mean() == pytest.approx(0.25, abs=0.03)


def test_units_get_their_share_of_their_patterns_draws():
    ratings = halves(n_items=10)
    patterns = Patterns.of(ratings, None)
    drawing = RowDraws(patterns, ItemPool(ratings), np.random.default_rng(2))
    drawn = drawing.draw(4000)
    units = drawing.of_units(drawn)
    assert (units.sum(axis=1) == 10).all()
    first_half = drawing.of_patterns(drawn)[:, patterns.of_unit[0]]
    assert np.array_equal(units[:, :5].sum(axis=1), first_half)
    assert units.mean(axis=0) == pytest.approx(np.ones(10), abs=0.06)
    assert units.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.1)


def test_a_coefficient_has_the_same_interval_whatever_else_is_asked():
    ratings = likert(n_items=30, share_missing=0)
    alpha, kappa = ORDINAL, Coefficient("cohen_kappa")
    for resample in RESAMPLES:
        together = replicates(ratings, resample=resample, coefficients=[alpha, kappa])
        for column, one in enumerate([alpha, kappa]):
            alone = replicates(ratings, resample=resample, coefficients=[one])
            assert together[:, column] == pytest.approx(alone[:, 0], abs=1e-12)


def test_kappa_by_rater_is_the_plain_item_bootstrap():
    ratings = likert(n_items=30, n_raters=3, share_missing=0)
    coefficient = Coefficient("cohen_kappa")
    drawn = replicates(ratings, resample="items", coefficients=[coefficient], n=800)[:, 0]
    rng = np.random.default_rng(11)
    statistic = statistic_of(ratings, coefficient)
    plain = [
        statistic.value(np.bincount(rng.integers(30, size=30), minlength=30), np.ones(3))
        for _ in range(800)
    ]
    assert stats.ks_2samp(drawn, plain).pvalue > 0.01


@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize("cluster_of", [None, np.arange(60) // 5], ids=["items", "clusters"])
def test_the_same_seed_gives_the_same_replicates_to_the_bit(resample, cluster_of):
    ratings = likert(cluster_of=cluster_of)
    coefficients = [*ALPHAS, Coefficient("scott_pi")]
    first, second = (
        replicates(ratings, resample=resample, coefficients=coefficients) for _ in range(2)
    )
    assert np.array_equal(first, second, equal_nan=True)


@pytest.mark.parametrize("resample", RESAMPLES)
def test_progress_rises_to_the_end(resample):
    calls = []
    bootstrap_agreement(
        ratings=likert(n_items=3000, share_missing=0.6),
        coefficients=[ALPHA],
        replicates=50,
        seed=1,
        resample=resample,
        progress=lambda done, total: calls.append((done, total)),
    )
    done = [call[0] for call in calls]
    assert done == sorted(set(done))
    assert calls[-1] == (50, 50)
    assert {call[1] for call in calls} == {50}


def test_a_bootstrap_stops_between_two_blocks_when_told():
    def start(**hooks):
        bootstrap_agreement(
            ratings=likert(n_items=3000, share_missing=0.6),
            coefficients=[ALPHA],
            replicates=500,
            seed=1,
            **hooks,
        )

    with pytest.raises(BootstrapStopped, match="stopped after 16 of 500 replicates") as stopped:
        start(should_stop=lambda: True)
    assert (stopped.value.done, stopped.value.total) == (16, 500)

    def cancelled(done, total):
        raise KeyError("cancelled")

    with pytest.raises(KeyError, match="cancelled"):
        start(progress=cancelled)


def test_passes_that_leave_something_out_are_progress_too():
    calls = []
    bootstrap_agreement(
        ratings=likert(n_items=20, n_raters=4, share_missing=0),
        coefficients=[Coefficient("cohen_kappa")],
        replicates=30,
        seed=1,
        interval="BCa",
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls[0] == (1, 20 + 4 + 30)
    assert calls[-1] == (54, 54)


def test_a_finished_bootstrap_is_not_stopped_any_more():
    (result,) = bootstrap_agreement(
        ratings=likert(), coefficients=[ALPHA], replicates=5, seed=1, should_stop=lambda: True
    )
    assert result.interval.low is not None


@pytest.mark.parametrize("resample", RESAMPLES)
def test_memory_does_not_grow_with_the_replicates(resample):
    ratings = likert(n_items=20_000, n_raters=8, share_missing=0.6)

    def peak(n):
        tracemalloc.start()
        replicates(ratings, resample=resample, coefficients=ALPHAS, n=n)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    replicates(ratings, resample=resample, coefficients=ALPHAS, n=1)
    assert peak(128) < 1.2 * peak(32) + 1e6


def test_strata_that_do_not_fit_are_refused_by_name():
    with pytest.raises(StratumError, match="one whole number for each of the 60 units"):
        replicates(likert(), resample="items", strata=[0, 1])
    with pytest.raises(StratumError, match="one whole number for each of the 6 raters"):
        replicates(likert(), resample="two-way", rater_strata=np.zeros(6))
    with pytest.raises(StratumError, match="Cluster 0 has items in two strata"):
        replicates(halves(cluster_of=np.arange(12) // 4), resample="items", strata=np.arange(12))


def test_what_cannot_be_drawn_anew_has_no_interval_and_a_reason():
    def reason(ratings, **options):
        (result,) = bootstrap_agreement(
            ratings=ratings, coefficients=[AGREEMENT], replicates=20, seed=1, **options
        )
        assert result.value is not None
        return result.interval.reason

    assert reason(likert(n_raters=2), resample="raters") == "too_few_raters"
    assert reason(likert(n_raters=3), rater_strata=[0, 1, 2]) == "too_few_raters"
    assert reason(likert(), strata=np.arange(60)) == "one_per_stratum"
