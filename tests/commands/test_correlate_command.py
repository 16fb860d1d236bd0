"""`manage.py correlate`: pairing of two files, groups, and how it refuses files."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from scipy import stats

COLUMNS = {"unit": "item", "value": "answer", "score": "score"}
PROMISED = {
    "group",
    "coefficient",
    "method",
    "value",
    "reason",
    "ci_low",
    "ci_high",
    "n_units",
    "n_raters",
    "n_ratings",
    "n_left_out",
}


@pytest.fixture
def scores(write):
    """Scores of five of the six rated items, and of one that nobody rated."""
    return write(
        "scores.csv", "item,score", "a,0.2", "b,0.5", "c,0.9", "d,0.6", "e,", "f,0.1", "z,0.4"
    )


def refusal(*paths, **options):
    with pytest.raises(CommandError) as refused:
        call_command("correlate", *paths, **{**COLUMNS, **options})
    return str(refused.value)


def test_a_row_carries_every_promised_key_and_the_right_numbers(results, ratings, scores):
    rows = results(
        "correlate",
        ratings,
        scores,
        **COLUMNS,
        method=["spearman", "pearson,kendall"],
        bootstrap=0,
    )
    assert [row["method"] for row in rows] == ["spearman", "pearson", "kendall"]
    means, score = [1, 3.5, 5, 3, 1.5], [0.2, 0.5, 0.9, 0.6, 0.1]
    expected = [
        stats.spearmanr(score, means).statistic,
        stats.pearsonr(score, means).statistic,
        stats.kendalltau(score, means).statistic,
    ]
    assert [row["value"] for row in rows] == pytest.approx(expected)
    for row in rows:
        assert set(row) >= PROMISED
        assert (row["n_units"], row["n_ratings"], row["n_raters"]) == (5, 10, None)
        assert (row["n_left_out"], row["n_without_score"], row["n_without_rating"]) == (2, 1, 1)
        assert row["p_kind"] == "exact permutation, two-sided"


def test_raters_are_counted_where_their_column_is_named(results, ratings, scores):
    (row,) = results("correlate", ratings, scores, **COLUMNS, rater="rater", bootstrap=0)
    assert row["n_raters"] == 2


def test_groups_follow_the_pooled_row_and_small_ones_are_listed_as_undefined(
    results, output, ratings, scores
):
    options = {**COLUMNS, "by": "country", "bootstrap": 30}
    rows = results("correlate", ratings, scores, **options)
    assert [row["group"] for row in rows] == ["all", "DE", "NA"]
    assert [row["n_units"] for row in rows] == [5, 2, 3]
    assert [row["reason"] for row in rows] == [None, "too_few_items", "too_few_items"]
    assert rows[1]["value"] is None
    assert rows[1]["n_left_out"] == 1
    text = output("correlate", ratings, scores, **options)
    assert "NA, spearman: undefined. There are too few items" in text
    assert "items resampled, 30 draws, seed 0." in text


def test_units_may_be_named_by_several_columns(results, write):
    ratings = write("r.csv", "sys,item,answer", "a,1,1", "a,2,2", "b,1,3", "b,2,4", "c,1,5")
    scores = write("s.csv", "item,sys,score", "1,a,1", "2,a,3", "1,b,2", "2,b,5", "1,c,4")
    (row,) = results("correlate", ratings, scores, **{**COLUMNS, "unit": "sys,item"}, bootstrap=0)
    assert row["value"] == pytest.approx(0.8)
    assert row["n_left_out"] == 0


def test_groups_may_be_named_by_the_file_of_scores(results, write):
    ratings = write("r.csv", "item,answer", "a,1", "b,2", "c,3", "d,5", "e,1", "f,4")
    scores = write(
        "s.csv", "item,model,score",
        "a,X,1", "b,X,2", "c,X,3", "d,X,4", "e,Y,7", "z,Y,9", "y,Z,1",
    )  # fmt: skip
    rows = results("correlate", ratings, scores, **COLUMNS, by="model", bootstrap=0)
    assert [row["group"] for row in rows] == ["all", "X", "Y", "Z"]
    assert [row["n_units"] for row in rows] == [5, 4, 1, 0]
    assert [row["n_without_score"] for row in rows] == [1, 0, 0, 0]
    assert [row["n_without_rating"] for row in rows] == [2, 0, 1, 1]
    assert rows[1]["value"] == pytest.approx(1.0)


def test_a_column_to_group_by_that_no_file_has_is_refused(ratings, scores):
    assert "no column 'model' (named by --by)" in refusal(ratings, scores, by="model")


def test_an_interval_from_the_same_seed_is_the_same(results, write):
    ratings = write("r.csv", "item,answer", *(f"{i},{i % 5 + 1}" for i in range(40)))
    scores = write("s.csv", "item,score", *(f"{i},{i % 7 + i % 5}" for i in range(40)))
    once, again = (
        results("correlate", ratings, scores, **COLUMNS, bootstrap=200, seed=5) for _ in range(2)
    )
    assert once == again
    assert once[0]["ci_low"] < once[0]["value"] < once[0]["ci_high"]


@pytest.mark.parametrize(
    ("answers", "score", "reason"),
    [("12345", "11111", "constant_metric"), ("33333", "12345", "no_variation")],
)
def test_a_constant_side_is_named(results, write, answers, score, reason):
    ratings = write("r.csv", "item,answer", *(f"{i},{v}" for i, v in enumerate(answers)))
    scores = write("s.csv", "item,score", *(f"{i},{v}" for i, v in enumerate(score)))
    (row,) = results("correlate", ratings, scores, **COLUMNS, bootstrap=20)
    assert (row["value"], row["reason"], row["ci_low"]) == (None, reason, None)


def test_files_without_a_common_unit_have_no_value(results, ratings, write):
    scores = write("s.csv", "item,score", "x,1", "y,2")
    (row,) = results("correlate", ratings, scores, **COLUMNS, bootstrap=20)
    assert (row["value"], row["reason"], row["n_left_out"]) == (None, "no_shared_items", 8)


def test_two_scores_of_one_unit_are_refused_with_both_lines(ratings, write):
    scores = write("s.csv", "item,score", "a,1", "b,2", "", "a,3")
    assert "line 5: unit a already has a score on line 2" in refusal(ratings, scores)


def test_two_ratings_of_one_unit_by_a_named_rater_are_refused_with_both_lines(scores, write):
    ratings = write("r.csv", "item,who,q,answer", "a,x,1,1", "a,y,1,2", "a,x,1,", "a,x,2,5")
    assert "line 5: rater x has already rated unit a on line 2" in refusal(
        ratings, scores, rater="who"
    )
    call_command("correlate", ratings, scores, **COLUMNS, rater="who", by="q", bootstrap=0)


def test_units_that_are_numbers_in_one_file_only_are_paired(results, write):
    ratings = write("r.csv", "item,answer", "007,1", "7,2", "8,5", "9,3")
    scores = write("s.csv", "item,score", "007,1", "7,2", "8,3", "9,4", "b1,5")
    (row,) = results("correlate", ratings, scores, **COLUMNS, bootstrap=0)
    assert (row["n_units"], row["n_without_rating"]) == (4, 1)
    assert row["value"] == pytest.approx(0.8)


def test_what_is_not_a_number_is_refused_by_file_line_and_column(ratings, scores, write):
    bad = write("bad.csv", "item,score", "a,1", "b,high")
    assert "bad.csv, line 3, column score: 'high' is not a number" in refusal(ratings, bad)
    words = write("words.csv", "item,answer", "a,1", "b,good")
    assert "words.csv, line 3, column answer: 'good' is not a number" in refusal(words, scores)


def test_an_unknown_column_or_method_is_refused(ratings, scores):
    message = refusal(ratings, scores, score="scores")
    assert "no column 'scores' (named by --score). Did you mean 'score'?" in message
    assert "--method tau is unknown" in refusal(ratings, scores, method="tau")
