"""BCa and jackknife-t are what the literature says, by independent plain implementations."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from scoring.stats import left_out
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.bootstrap import INTERVAL_KINDS, agreement_intervals, bootstrap_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.intervals import (
    LeftOut,
    bca_bounds,
    bca_interval,
    jackknife_t_interval,
)
from scoring.stats.resampling import Resampling
from scoring.stats.scale import declare_scale
from tests.stats.test_bootstrap_intervals import likert

COUNTED = [
    Coefficient("krippendorff_alpha", "ordinal"),
    Coefficient("krippendorff_alpha", "nominal"),
    Coefficient("gwet_ac1"),
    Coefficient("gwet_ac2", weights="linear"),
    Coefficient("fleiss_kappa"),
    Coefficient("percent_agreement"),
]
BY_RATER = [
    Coefficient("cohen_kappa"),
    Coefficient("conger_kappa"),
    Coefficient("icc", form="ICC1"),
]


def estimates(ratings, coefficients):
    """The values of coefficients, nan where undefined."""
    results = estimate_agreement(ratings=ratings, coefficients=coefficients)
    return [np.nan if one.value is None else one.value for one in results]


def without(ratings, kept):
    """The ratings at these positions, coded anew."""
    return code_ratings(
        unit=ratings.unit[kept],
        rater=ratings.rater[kept],
        category=ratings.category[kept],
        scale=ratings.scale,
    )


def left_out_one_by_one(ratings, coefficients, codes):
    """Estimates without each code of `codes` (n_ratings,), recomputed from scratch."""
    return np.array(
        [
            estimates(without(ratings, codes != code), coefficients)
            for code in range(int(codes.max()) + 1)
        ]
    )


def expanded(samples, column):
    """All values of one coefficient's single sample, sorted."""
    (sample,) = samples[column]
    return np.sort(np.repeat(sample.values, sample.times.astype(int)))


@pytest.mark.parametrize("what", ["items", "clusters", "raters"])
@pytest.mark.parametrize("coefficients", [COUNTED, BY_RATER], ids=["counted", "by rater"])
def test_leaving_out_is_estimating_without(what, coefficients):
    cluster_of = np.arange(30) // 3 if what == "clusters" else None
    ratings = likert(n_items=30, n_raters=5, cluster_of=cluster_of)
    samples = Resampling(
        ratings=ratings,
        coefficients=coefficients,
        resample="raters" if what == "raters" else "items",
    ).left_out()
    codes = ratings.unit
    if what == "clusters":
        codes = ratings.cluster[ratings.unit]
    elif what == "raters":
        codes = ratings.rater
    plain = left_out_one_by_one(ratings, coefficients, codes)
    for column in range(len(coefficients)):
        assert expanded(samples, column) == pytest.approx(np.sort(plain[:, column]), abs=1e-10)


def test_leaving_out_values_of_a_slider_is_estimating_without():
    rng = np.random.default_rng(4)
    unit, rater = np.divmod(np.arange(60), 3)
    ratings = code_ratings(
        unit=unit,
        rater=rater,
        category=np.clip(rng.normal(50, 20, 20)[unit] + rng.normal(0, 9, 60), 0, 100).astype(int),
        scale=declare_scale(level="interval", categories=list(range(101))),
    )
    coefficients = [Coefficient("krippendorff_alpha", "interval"), Coefficient("gwet_ac1")]
    samples = Resampling(ratings=ratings, coefficients=coefficients, resample="items").left_out()
    plain = left_out_one_by_one(ratings, coefficients, ratings.unit)
    for column in range(2):
        assert expanded(samples, column) == pytest.approx(np.sort(plain[:, column]), abs=1e-10)


def test_leaving_out_the_only_item_that_varies_is_undefined_not_rounding_noise():
    # Three ratings an item: the sums hold thirds, which do not cancel exactly.
    category = np.zeros((7, 3), dtype=int)
    category[3] = [0, 0, 1]
    unit, rater = np.indices(category.shape)
    ratings = code_ratings(
        unit=unit.ravel(),
        rater=rater.ravel(),
        category=category.ravel(),
        scale=declare_scale(level="nominal", categories=["no", "yes"]),
    )
    by_kind = agreement_intervals(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha"), Coefficient("fleiss_kappa")],
        replicates=200,
        seed=1,
        kinds=INTERVAL_KINDS,
        resample="items",
    )
    for kind, results in by_kind.items():
        for result in results:
            assert result.interval.reason == "undefined_replicates", (kind, result.coefficient)
            assert (result.interval.low, result.se) == (None, None)


@pytest.mark.parametrize("coefficient", COUNTED, ids=str)
def test_bca_of_items_is_scipys(coefficient):
    ratings = likert(n_items=35, n_raters=4)
    resampling = Resampling(ratings=ratings, coefficients=[coefficient], resample="items")
    # Rounded, because scipy takes replicates that differ from the estimate by noise as unequal.
    drawn = np.round(resampling.replicates(800, np.random.default_rng(6))[:, 0], 12)
    ours = bca_bounds(
        drawn,
        estimate=estimates(ratings, [coefficient])[0],
        left_out=resampling.left_out()[0],
        coverage=0.95,
    )

    def statistic(units):
        redone = redrawn(ratings, units, np.arange(ratings.n_raters))
        return round(estimates(redone, [coefficient])[0], 12)

    theirs = stats.bootstrap(
        (np.arange(ratings.n_units),),
        statistic,
        vectorized=False,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn),
        method="BCa",
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def redrawn(ratings, units, raters):
    """The ratings of these units, each time as another unit, and of these raters."""
    rows = [np.flatnonzero(ratings.unit == unit) for unit in units]
    rows = [row[np.isin(ratings.rater[row], raters)] for row in rows]
    positions = np.concatenate(rows)
    return code_ratings(
        unit=np.repeat(np.arange(len(rows)), [row.size for row in rows]),
        rater=ratings.rater[positions],
        category=ratings.category[positions],
        scale=ratings.scale,
    )


def test_bca_of_items_and_raters_is_scipys_for_two_samples():
    ratings = likert(n_items=25, n_raters=6, bias=0.6)
    coefficient = Coefficient("krippendorff_alpha", "ordinal")
    resampling = Resampling(ratings=ratings, coefficients=[coefficient], resample="two-way")
    drawn = resampling.replicates(600, np.random.default_rng(6))[:, 0]
    ours = bca_bounds(
        drawn,
        estimate=estimates(ratings, [coefficient])[0],
        left_out=resampling.left_out()[0],
        coverage=0.95,
    )
    theirs = stats.bootstrap(
        (np.arange(ratings.n_units), np.arange(ratings.n_raters)),
        lambda units, raters: estimates(redrawn(ratings, units, raters), [coefficient])[0],
        vectorized=False,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn),
        method="BCa",
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_jackknife_t_of_a_mean_is_students_interval():
    # Percent agreement is the mean of the items' shares of agreeing pairs.
    ratings = likert(n_items=40, n_raters=4, share_missing=0)
    (result,) = bootstrap_agreement(
        ratings=ratings,
        coefficients=[Coefficient("percent_agreement")],
        replicates=1,
        seed=0,
        resample="items",
        interval="jackknife-t",
    )
    counts = ratings.count_matrix()
    shares = (counts * (counts - 1)).sum(axis=1) / (4 * 3)
    expected = stats.ttest_1samp(shares, 0).confidence_interval(0.95)
    assert (result.interval.low, result.interval.high) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )
    assert result.se == pytest.approx(stats.sem(shares), abs=1e-12)
    assert result.interval.replicates == 40


def test_jackknife_t_of_items_and_raters_adds_variances_with_satterthwaites_freedom():
    ratings = likert(n_items=30, n_raters=5, bias=0.8, share_missing=0)
    coefficient = Coefficient("gwet_ac1")
    (result,) = bootstrap_agreement(
        ratings=ratings,
        coefficients=[coefficient],
        replicates=1,
        seed=0,
        resample="two-way",
        interval="jackknife-t",
    )
    variances, freedom = [], []
    for codes in (ratings.unit, ratings.rater):
        values = left_out_one_by_one(ratings, [coefficient], codes)[:, 0]
        n = values.size
        variances.append((n - 1) / n * ((values - values.mean()) ** 2).sum())
        freedom.append(n - 1)
    variance = sum(variances)
    df = variance**2 / sum(v**2 / f for v, f in zip(variances, freedom, strict=True))
    low, high = stats.t.interval(0.95, df, loc=result.value, scale=variance**0.5)
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=1e-9)
    assert result.se == pytest.approx(variance**0.5, abs=1e-12)


def test_full_agreement_has_the_interval_from_one_to_one_by_every_kind():
    unit, rater = np.divmod(np.arange(120), 4)
    ratings = code_ratings(
        unit=unit,
        rater=rater,
        category=unit % 3,
        scale=declare_scale(level="nominal", categories=["a", "b", "c"]),
    )
    by_kind = agreement_intervals(
        ratings=ratings,
        coefficients=COUNTED[1:3],
        replicates=100,
        seed=1,
        kinds=INTERVAL_KINDS,
    )
    for results in by_kind.values():
        for result in results:
            assert (result.interval.low, result.interval.high) == (1.0, 1.0)


def test_jackknife_t_does_not_reach_beyond_full_agreement():
    made = jackknife_t_interval(
        estimate=0.95,
        left_out=[LeftOut(np.array([0.7, 0.99, 0.98]), np.ones(3))],
        resampled="items",
        seed=0,
        reason=None,
    )
    assert made.high == 1.0
    assert made.low < 0.5


def test_a_stratum_of_one_item_adds_nothing_to_bca_and_jackknife_t():
    # Without its only item a stratum has no value; but that item is in every draw.
    several = LeftOut(np.array([0.4, 0.5, 0.55]), np.array([1.0, 2.0, 2.0]))
    single = LeftOut(np.array([np.nan]), np.ones(1))
    drawn = np.linspace(0.2, 0.8, 200)
    shared = {"estimate": 0.5, "resampled": "items", "seed": 0, "reason": None}
    for make in (
        lambda left_out: bca_interval(drawn, left_out=left_out, replicates=200, **shared),
        lambda left_out: jackknife_t_interval(left_out=left_out, **shared),
    ):
        alone, beside = make([several]), make([several, single])
        assert alone.reason is None
        assert (beside.low, beside.high) == (alone.low, alone.high)


def test_a_large_sample_is_left_out_in_parts_where_each_takes_a_pass(monkeypatch):
    ratings = likert(n_items=120, share_missing=0)
    coefficient = Coefficient("cohen_kappa")

    def error():
        (result,) = bootstrap_agreement(
            ratings=ratings,
            coefficients=[coefficient],
            replicates=1,
            seed=0,
            resample="items",
            interval="jackknife-t",
        )
        return result.interval.replicates, result.se

    one_by_one = error()
    monkeypatch.setattr(left_out, "MOST_PASSES", 40)
    in_parts = error()
    assert (one_by_one[0], in_parts[0]) == (120, 40)
    assert in_parts[1] == pytest.approx(one_by_one[1], rel=0.25)


def test_one_sided_replicates_have_no_bca_interval():
    made = bca_interval(
        np.linspace(0.1, 0.4, 100),
        estimate=0.5,
        left_out=[LeftOut(np.array([0.4, 0.5, 0.6]), np.ones(3))],
        resampled="items",
        replicates=100,
        seed=3,
        reason=None,
    )
    assert (made.low, made.high, made.reason) == (None, None, "one_sided_replicates")
    assert (made.kind, made.seed, made.undefined_share) == ("BCa", 3, 0.0)


def test_all_kinds_rest_on_the_same_draws_and_say_their_names():
    ratings = likert()
    by_kind = agreement_intervals(
        ratings=ratings,
        coefficients=COUNTED + BY_RATER,
        replicates=60,
        seed=2,
        kinds=INTERVAL_KINDS,
    )
    for kind, results in by_kind.items():
        assert {result.interval.kind for result in results} == {kind}
        alone = bootstrap_agreement(
            ratings=ratings,
            coefficients=COUNTED + BY_RATER,
            replicates=60,
            seed=2,
            interval=kind,
        )
        assert alone == results


def test_an_undefined_estimate_has_its_reason_by_every_kind():
    ratings = code_ratings(
        unit=np.repeat(np.arange(30), 3),
        rater=np.tile([0, 1, 2], 30),
        category=np.zeros(90, dtype=int),
        scale=declare_scale(level="nominal", categories=["no", "yes"]),
    )
    for kind, (result,) in agreement_intervals(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha")],
        replicates=20,
        seed=0,
        kinds=INTERVAL_KINDS,
    ).items():
        assert result.value is None
        assert (result.interval.kind, result.interval.reason) == (kind, "no_variation")
