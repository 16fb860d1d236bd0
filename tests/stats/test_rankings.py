"""Mean ranks, wins, Kendall's W, and Bradley-Terry and Plackett-Luce strengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.progress import BootstrapStopped
from scoring.stats.rankings import (
    RankingError,
    code_rankings,
    concordance_by_prompt,
    kendall_w,
    mean_ranks,
    win_matrix,
)
from scoring.stats.strengths import MODELS, Choices, UnsettledFit, connected, fit_strengths
from tests.stats.correlation_vectors import wide_values
from tests.stats.published import expected

nan = np.nan


def rankings_of(matrix, rater=None, prompt=None):
    """From rankings x items of ranks, nan = not in it; by default each by a person of its own."""
    matrix = np.asarray(matrix, dtype=float)
    m, n = matrix.shape
    rater = np.arange(m) if rater is None else np.asarray(rater)
    prompt = np.zeros(m, int) if prompt is None else np.asarray(prompt)
    return code_rankings(
        rater=np.repeat(rater, n),
        prompt=np.repeat(prompt, n),
        item=np.tile(np.arange(n), m),
        rank=matrix.ravel(),
        n_items=n,
    )


def triplets(n_raters=45, per_rater=3, seed=0, strength=(1.0, 0.6, 0.0), prompts=60):
    """Rankings of three systems, each person ranking three triplets, by Plackett-Luce."""
    rng = np.random.default_rng(seed)
    m = n_raters * per_rater
    noisy = np.array(strength) + rng.gumbel(size=(m, 3))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1
    rater = np.repeat(np.arange(n_raters), per_rater)
    prompt = np.concatenate(
        [rng.choice(prompts, size=per_rater, replace=False) for _ in range(n_raters)]
    )
    return rankings_of(ranks, rater, prompt)


def test_mean_ranks_of_whole_rankings_add_up_and_have_the_naive_error():
    rankings = triplets()
    ranks = mean_ranks(rankings=rankings)
    assert sum(rank.value for rank in ranks) == pytest.approx(6)
    assert [rank.n for rank in ranks] == [135] * 3
    assert ranks[0].se_naive == pytest.approx(rankings.ranks[:, 0].std(ddof=1) / np.sqrt(135))


def test_the_clustered_error_is_that_of_independent_rankings_where_they_are_independent():
    rankings = triplets(n_raters=400, per_rater=3, prompts=400)
    for rank in mean_ranks(rankings=rankings):
        assert rank.se_clustered == pytest.approx(rank.se_naive, rel=0.15)


def test_a_person_who_repeats_the_same_ranking_counts_once():
    rng = np.random.default_rng(1)
    one_each = np.array([rng.permutation(3) + 1 for _ in range(50)])
    rater = np.repeat(np.arange(50), 4)
    rankings = rankings_of(np.repeat(one_each, 4, axis=0), rater, np.arange(200))
    rank = mean_ranks(rankings=rankings)[0]
    single = one_each[:, 0].std(ddof=1) / np.sqrt(50)
    assert rank.se_clustered == pytest.approx(single, rel=0.02)
    assert rank.se_naive < 0.55 * rank.se_clustered
    assert rank.se_kind == "by rater and prompt"


def test_the_two_way_error_is_the_sum_of_the_one_way_variances_less_their_common_part():
    ranks = [[1, 2], [2, 1], [1, 2], [1, 2], [2, 1], [2, 1]]
    rater, prompt = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 2, 1, 2])
    rank = mean_ranks(rankings=rankings_of(ranks, rater, prompt))[0]
    away = np.array([1, 2, 1, 1, 2, 2]) - 1.5

    def variance(codes):
        sums = np.array([away[codes == code].sum() for code in np.unique(codes)])
        return sums.size / (sums.size - 1) * (sums**2).sum() / 36

    total = variance(rater) + variance(prompt) - variance(np.arange(6))
    assert total > 0
    assert rank.se_clustered == pytest.approx(np.sqrt(total))


@pytest.mark.parametrize(
    ("rater", "prompt", "kind"),
    [([0, 0, 0], [0, 1, 2], "by prompt"), ([0, 1, 2], [0, 0, 0], "by rater")],
)
def test_one_person_or_one_prompt_leaves_the_other_to_cluster_by(rater, prompt, kind):
    rank = mean_ranks(rankings=rankings_of([[1, 2], [2, 1], [1, 2]], rater, prompt))[0]
    assert (rank.se_kind, rank.se_reason) == (kind, None)
    assert rank.se_clustered == pytest.approx(rank.se_naive)


def test_one_ranking_has_no_error():
    rank = mean_ranks(rankings=rankings_of([[1, 2]]))[0]
    assert (rank.value, rank.sd, rank.se_naive) == (1.0, None, None)
    assert (rank.se_clustered, rank.se_reason) == (None, "one_rating")


def test_an_item_that_nobody_ranked_has_no_mean():
    rank = mean_ranks(rankings=rankings_of([[1, 2, nan], [2, 1, nan]]))[2]
    assert (rank.value, rank.reason, rank.n) == (None, "no_ratings", 0)


def test_wins_count_ties_half_and_rates_name_pairs_never_compared():
    wins = win_matrix(rankings=rankings_of([[1, 2, nan], [1, 1, nan], [3, nan, 7]]))
    assert wins.wins.tolist() == [[0, 1.5, 1], [0.5, 0, 0], [0, 0, 0]]
    assert wins.rate(0, 1) == 0.75
    assert wins.rate(1, 2) is None


def test_ranks_are_counted_within_a_ranking_and_rankings_of_one_item_left_out():
    rankings = rankings_of([[2, 9, nan], [nan, 4, nan], [5, 5, 1]])
    assert np.array_equal(rankings.ranks, [[1, 2, nan], [2.5, 2.5, 1]], equal_nan=True)
    assert (rankings.n_single, rankings.has_ties) == (1, True)
    assert not rankings_of([[2, 9, nan]]).has_ties


def test_rows_that_make_no_ranking_are_refused():
    with pytest.raises(RankingError, match="comes twice"):
        code_rankings(rater=[0, 0], prompt=[0, 0], item=[1, 1], rank=[1, 2], n_items=2)
    with pytest.raises(RankingError, match="infinite"):
        code_rankings(rater=[0], prompt=[0], item=[0], rank=[np.inf], n_items=2)
    with pytest.raises(RankingError, match="not one of the 2"):
        code_rankings(rater=[0], prompt=[0], item=[2], rank=[1], n_items=2)
    with pytest.raises(RankingError, match="one length"):
        code_rankings(rater=[0, 1], prompt=[0], item=[0], rank=[1], n_items=2)


@pytest.mark.parametrize("row", expected("kendall_w"), ids=lambda row: row["id"])
def test_kendalls_w_has_its_published_value(row):
    assert kendall_w(wide_values(row["file"]).T) == pytest.approx(row["value"], abs=1e-9)


def test_w_is_given_for_each_prompt_and_undefined_ones_are_listed():
    ranks = [[1, 2, 3], [1, 2, 3], [3, 2, 1], [1, 2, 3], [1, 1, 1], [1, 1, 1], [1, 2, nan]]
    prompt = [0, 0, 1, 2, 3, 3, 4]
    found = concordance_by_prompt(rankings=rankings_of(ranks, prompt=prompt))
    assert [one.reason for one in found.prompts] == [
        None, "no_pairs", "no_pairs", "no_variation", "no_pairs",
    ]  # fmt: skip
    assert (found.mean, found.n_prompts_undefined) == (pytest.approx(1.0), 4)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_items", [3, 4, 6])
def test_the_iteration_of_all_replicates_equals_choix(model, n_items):
    rng = np.random.default_rng(n_items)
    truth = np.linspace(1.5, 0, n_items)
    ranks = (-(truth + rng.gumbel(size=(80, n_items)))).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[:40, 0] = nan  # parts of rankings too
    rankings = rankings_of(ranks)
    estimate = [one.value for one in fit_strengths(rankings=rankings, model=model).items]
    choices = Choices.of(rankings, model)
    ours = choices.fit(np.ones((1, 80)) @ choices.of_ranking)[0]
    assert ours == pytest.approx(estimate, abs=1e-6)
    assert sum(estimate) == pytest.approx(0, abs=1e-9)


def test_a_pair_of_items_has_the_odds_of_its_wins():
    rankings = rankings_of([[1, 2]] * 30 + [[2, 1]] * 10)
    for model in MODELS:
        first, second = (one.value for one in fit_strengths(rankings=rankings, model=model).items)
        assert first - second == pytest.approx(np.log(3), abs=1e-7)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("ranks", "components"),
    [
        ([[1, 2, nan], [2, 1, nan]], ((0, 1), (2,))),
        ([[1, 2, 3], [1, 3, 2]], ((0,), (1, 2))),
        ([[1, 2, nan, nan], [2, 1, nan, nan], [nan, nan, 1, 2]], ((0, 1), (2,), (3,))),
    ],
)
def test_strengths_that_cannot_be_told_are_said_before_any_fit(model, ranks, components):
    fit = fit_strengths(rankings=rankings_of(ranks), model=model, replicates=20)
    assert fit.reason == "not_connected"
    assert set(fit.components) == set(components)
    assert {(one.value, one.interval.reason) for one in fit.items} == {(None, "not_connected")}


def test_parts_that_beat_others_come_first():
    fit = fit_strengths(rankings=rankings_of([[3, 1, 2], [3, 2, 1]]))
    assert fit.components == ((1, 2), (0,))


def test_ties_are_half_wins_for_bradley_terry_and_refused_by_plackett_luce():
    rankings = rankings_of([[1, 1], [1, 2], [2, 1]])
    assert [one.value for one in fit_strengths(rankings=rankings).items] == pytest.approx([0, 0])
    assert fit_strengths(rankings=rankings, model="plackett-luce").reason == "tied_ranks"


def test_no_rankings_have_no_strengths():
    fit = fit_strengths(rankings=rankings_of([[1, nan]]))
    assert (fit.reason, fit.n_rankings) == ("no_ratings", 0)


@pytest.mark.parametrize("model", MODELS)
def test_intervals_draw_people_and_prompts_and_widen_with_repetition(model):
    rankings = triplets()
    fit = fit_strengths(rankings=rankings, model=model, replicates=400, seed=3)
    for one in fit.items:
        assert one.interval.low < one.value < one.interval.high
        assert one.interval.resampled == "raters and prompts"
    assert fit == fit_strengths(rankings=rankings, model=model, replicates=400, seed=3)
    assert (fit.n_rankings, fit.n_raters) == (135, 45)
    # The same people once more: four times the rankings, not four times the knowledge.
    repeated = rankings_of(
        np.tile(rankings.ranks, (4, 1)),
        np.tile(rankings.rater, 4),
        np.concatenate([rankings.prompt + 1000 * times for times in range(4)]),
    )
    again = fit_strengths(rankings=repeated, model=model, replicates=400, seed=3)
    assert again.items[0].se > 0.6 * fit.items[0].se


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_connected_says_whether_choix_can_fit(data):
    choix = pytest.importorskip("choix")
    n = data.draw(st.integers(2, 5))
    cells = data.draw(st.lists(st.integers(0, 2), min_size=n * n, max_size=n * n))
    wins = np.array(cells, dtype=float).reshape(n, n)
    np.fill_diagonal(wins, 0)
    if connected(wins[None])[0]:
        assert np.isfinite(choix.ilsr_pairwise_dense(wins, max_iter=10_000)).all()
    else:
        upper = wins > 0
        for _ in range(n):
            upper = upper | (upper @ upper)
        assert not (upper | np.eye(n, dtype=bool)).all()


def test_a_long_fit_tells_how_far_it_is_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr("scoring.stats.strengths.BLOCK_CELLS", 2000)
    told = []
    fit_strengths(rankings=triplets(), replicates=40, progress=lambda *at: told.append(at))
    assert told[-1] == (40, 40)
    assert len(told) > 2
    with pytest.raises(BootstrapStopped):
        fit_strengths(rankings=triplets(), replicates=40, should_stop=lambda: True)


def test_an_unknown_model_is_refused():
    with pytest.raises(ValueError, match="'elo' is unknown"):
        fit_strengths(rankings=triplets(), model="elo")


def test_an_estimate_that_does_not_settle_says_what_to_show_instead(monkeypatch):
    import choix

    def never(*args, **options):
        raise RuntimeError("Did not converge after 100 iterations")

    monkeypatch.setattr(choix, "ilsr_pairwise_dense", never)
    with pytest.raises(UnsettledFit, match="Show win rates instead"):
        fit_strengths(rankings=triplets())
