"""`manage.py correlate`: pairing of two files, groups, and how it refuses files."""

from __future__ import annotations

import json

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


LEVELS = {**COLUMNS, "bootstrap": 0}


@pytest.fixture
def two_countries(write):
    """Twelve units of three systems in two countries; two of a third; two metrics."""
    answers = [5, 4, 3, 2, 1, 2, 3, 3, 1, 4, 5, 2, 4, 4]
    lines = [f"u{i},{'AAAAAABBBBBBCC'[i]},S{i % 3},{answer}" for i, answer in enumerate(answers)]
    scores = [9, 8, 7, 4, 1, 3, 19, 18, 11, 16, 17, 12, 5, 6]
    others = [1, 5, 2, 4, 3, 6, 5, 1, 3, 2, 6, 4, 1, 2]
    pairs = zip(scores, others, strict=True)
    return (
        write("countries.csv", "item,country,system,answer", *lines),
        write("two.csv", "item,score,other", *(f"u{i},{a},{b}" for i, (a, b) in enumerate(pairs))),
    )


def test_every_level_is_a_row_that_names_itself(results, two_countries):
    rows = results(
        "correlate", *two_countries, **LEVELS, group="country", level=["pooled", "centred"]
    )
    assert [row["level"] for row in rows] == ["pooled", "centred"]
    assert [row["n_units"] for row in rows] == [14, 14]
    assert rows[0]["value"] < rows[1]["value"]
    assert "less the mean of its group" in rows[1]["aggregation"]


def test_the_mean_within_groups_is_followed_by_each_group(results, output, two_countries):
    options = {**LEVELS, "group": "country", "level": "within"}
    mean, *groups = results("correlate", *two_countries, **options)
    assert [row["group"] for row in groups] == ["A", "B", "C"]
    assert [row["reason"] for row in groups] == [None, None, "too_few_items"]
    assert mean["value"] == pytest.approx((groups[0]["value"] + groups[1]["value"]) / 2)
    assert mean["fisher_mean"] > mean["value"]
    assert [one["value"] for one in mean["groups"]] == [row["value"] for row in groups]
    assert groups[0]["n_ratings"] == 6
    text = output("correlate", *two_countries, **options)
    assert "arithmetic mean over groups (2 of 3 groups have a value)" in text
    assert "C, spearman: undefined. There are too few items" in text


def test_systems_are_correlated_by_their_means_and_three_have_no_p(results, two_countries):
    (row,) = results("correlate", *two_countries, **LEVELS, group="system", level="system")
    assert (row["n_points"], row["unit_of_analysis"], row["p_value"]) == (3, "system", None)
    assert row["value"] in (-1.0, -0.5, 0.5, 1.0)


def test_groups_of_levels_default_to_those_of_by(results, two_countries):
    rows = results("correlate", *two_countries, **LEVELS, by="country", level=["pooled", "within"])
    assert [(row["group"], row["level"]) for row in rows] == [
        ("all", "pooled"),
        ("all", "within"),
        ("A", "pooled"),
        ("B", "pooled"),
        ("C", "pooled"),
    ]


def test_a_unit_rated_in_two_countries_is_an_item_of_each(results, write):
    ratings = write(
        "r.csv", "item,country,answer",
        *(f"u{i},{'AB'[k - 1]},{(i * k) % 5 + 1}" for i in range(9) for k in (1, 2)),
    )  # fmt: skip
    scores = write("s.csv", "item,score", *(f"u{i},{i % 5}" for i in range(9)))
    mean, first, second = results(
        "correlate",
        ratings,
        scores,
        **{**COLUMNS, "bootstrap": 20},
        group="country",
        level="within",
    )
    assert (mean["n_units"], first["n_units"], second["n_units"]) == (18, 9, 9)
    assert mean["aggregation"].endswith("a unit counted once in each group")
    assert mean["resampled"] == "clusters of items"
    assert mean["n_drawn"] == 9
    assert first["value"] == pytest.approx(1.0)


def test_groups_of_levels_may_be_named_by_the_file_of_scores(results, write, two_countries):
    scores = write("g.csv", "item,score,model", *(f"u{i},{i * 7 % 13},{i % 2}" for i in range(15)))
    mean, *groups = results(
        "correlate", two_countries[0], scores, **LEVELS, group="model", level="within"
    )
    assert [row["group"] for row in groups] == ["0", "1"]
    assert [row["n_without_rating"] for row in groups] == [1, 0]
    assert mean["n_units"] == 14


def test_two_metrics_are_compared_and_p_adjusted_over_what_is_shown(results, output, two_countries):
    import json

    options = {
        **COLUMNS,
        "group": "country",
        "level": ["pooled", "within"],
        "compare": "other",
        "bootstrap": 40,
    }
    rows = json.loads(output("correlate", *two_countries, **options, json=True))["comparisons"]
    assert [row["level"] for row in rows] == ["pooled", "within"]
    for row in rows:
        assert row["difference"] == pytest.approx(row["score_value"] - row["compare_value"])
        assert row["p_value"] <= row["p_benjamini_hochberg"] <= row["p_holm"] <= 1
        assert row["family"] == "the 2 comparisons shown"
    assert {test["test"] for test in rows[0]["tests"]} == {
        "williams1959", "steiger1980", "meng1992",
    }  # fmt: skip
    assert rows[0]["zou_low"] < rows[0]["difference"] < rows[0]["zou_high"]
    text = output("correlate", *two_countries, **options)
    assert "p Holm" in text
    assert "williams1959 t = " in text


def test_named_raters_are_drawn_within_items_unless_asked_otherwise(results, write):
    ratings = write(
        "r.csv", "item,who,answer",
        *(f"{i},{who},{(i + 2 * who) % 5 + 1}" for i in range(30) for who in range(3)),
    )  # fmt: skip
    scores = write("s.csv", "item,score", *(f"{i},{i % 5}" for i in range(30)))

    def drawn(**options):
        (row,) = results("correlate", ratings, scores, **COLUMNS, bootstrap=50, **options)
        return row["resampled"], row["ci_kind"]

    assert drawn() == ("items", "percentile")
    assert drawn(rater="who") == ("items, ratings within items", "recentred percentile")
    assert drawn(rater="who", raters="crossed") == ("items, and raters", "recentred percentile")
    assert drawn(rater="who", raters="fixed") == ("items", "percentile")


def test_how_well_people_predict_people_is_said_beside_the_metric(output, ratings, scores):
    options = {**COLUMNS, "rater": "rater", "ceiling": True, "bootstrap": 0}
    (people,) = json.loads(output("correlate", ratings, scores, **options, json=True))["people"]
    assert 0 < people["ceiling"] <= 1
    assert people["ceiling_low"] <= people["ceiling"] <= people["ceiling_high"]
    assert (people["n_pairs"], people["n_units_with_two"]) == (1, 5)
    assert people["leave_one_out"] == pytest.approx(people["pairwise"], abs=0.1)
    text = output("correlate", ratings, scores, **options, categories="1,2,3,4,5")
    assert "ceiling 0." in text
    assert "quadratic kappa" in text


def test_random_orders_give_p_where_asked(results, write):
    ratings = write("r.csv", "item,answer", *(f"{i},{i % 5 + 1}" for i in range(20)))
    scores = write("s.csv", "item,score", *(f"{i},{i * 3 % 7}" for i in range(20)))
    (row,) = results("correlate", ratings, scores, **LEVELS, permutation=True)
    assert "9999 random orders, seed 0" in row["p_kind"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "within"}, "--level within needs groups: name their column with --group"),
        ({"level": "item"}, "--level item is unknown"),
        ({"raters": "crossed"}, "name their column with --rater"),
        ({"compare": "score"}, "--compare score is the same column as --score"),
        (
            {"ceiling": True, "categories": "1,2"},
            "--categories: 3 is not one of the categories 1, 2",
        ),
        ({"categories": "good"}, "--categories: 'good' is not a number"),
        ({"level": "within", "group": "county"}, "Did you mean 'country'?"),
        ({"compare": "scroe"}, "(named by --compare). Did you mean 'score'?"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_right(ratings, scores, options, message):
    assert message in refusal(ratings, scores, **options)


def test_other_kinds_of_files_are_read_by_their_ending(results, write, ratings):
    scores = write(
        "s.jsonl", *(f'{{"item": "{item}", "score": {n}}}' for n, item in enumerate("abcdf"))
    )
    (row,) = results("correlate", ratings, scores, **LEVELS)
    assert row["n_units"] == 5
