"""`manage.py agreement`: the contract of its output, its groups, and how it refuses files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

ROOT = Path(__file__).resolve().parents[2]
DSG = ROOT / ".." / "shared" / "reference" / "ratings" / "dsg" / "tifa160-likert-anns.csv"

COLUMNS = {"unit": "item", "rater": "rater", "value": "answer"}
PROMISED = {
    "group",
    "coefficient",
    "level",
    "value",
    "reason",
    "ci_low",
    "ci_high",
    "n_units",
    "n_raters",
    "n_ratings",
}


def refusal(path, **options):
    with pytest.raises(CommandError) as refused:
        call_command("agreement", path, **{**COLUMNS, **options})
    assert refused.value.returncode == 1
    return str(refused.value)


def test_a_row_carries_every_promised_key(results, ratings):
    (row,) = results("agreement", ratings, **COLUMNS, bootstrap=50)
    assert set(row) >= PROMISED
    assert (row["group"], row["pooled"]) == ("all", True)
    assert (row["coefficient"], row["level"]) == ("krippendorff_alpha", "ordinal")
    assert (row["n_units"], row["n_raters"], row["n_ratings"], row["n_missing"]) == (6, 2, 11, 1)
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert row["reason"] is None


def test_each_group_has_a_row_after_the_pooled_one_and_na_is_a_country(results, ratings):
    rows = results("agreement", ratings, **COLUMNS, by="country", bootstrap=0)
    assert [row["group"] for row in rows] == ["all", "DE", "NA"]
    assert [row["pooled"] for row in rows] == [True, False, False]
    assert [row["n_ratings"] for row in rows] == [11, 5, 6]
    assert {row["ci_low"] for row in rows} == {None}


def test_a_group_called_all_is_told_from_the_pooled_row(results, output, write):
    path = write("r.csv", "item,rater,answer,g", "a,x,1,all", "a,y,2,all", "b,x,1,no", "b,y,1,no")
    rows = results("agreement", path, **COLUMNS, by="g", bootstrap=0)
    assert [(row["group"], row["pooled"], row["n_units"]) for row in rows] == [
        ("all", True, 2),
        ("all", False, 1),
        ("no", False, 1),
    ]
    lines = output("agreement", path, **COLUMNS, by="g", bootstrap=0).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["(all)", "all", "no"]


def test_names_that_look_like_numbers_stay_as_they_stand(results, write):
    path = write("r.csv", "item,rater,answer", "007,1,1", "007,1.0,2", "7,1,3", "7,1.0,3")
    (row,) = results("agreement", path, **COLUMNS, bootstrap=0)
    assert (row["n_units"], row["n_raters"], row["n_ratings"]) == (2, 2, 4)


def test_worker_numbers_beyond_the_precision_of_floats_stay_apart(results, write):
    one, other = "100000000000000000000001", "100000000000000000000002"
    path = write("r.csv", "item,rater,answer", f"a,{one},1", f"a,{other},2")
    (row,) = results("agreement", path, **COLUMNS, bootstrap=0)
    assert row["n_raters"] == 2


def test_a_number_is_refused_as_it_was_written(write):
    path = write("r.csv", "item,rater,answer", "a,x,1e400", "a,y,2")
    assert "'1e400' is not a finite number" in refusal(path)


def test_coefficients_may_be_repeated_or_separated_by_commas(results, ratings):
    def names(coefficient):
        rows = results("agreement", ratings, **COLUMNS, coefficient=coefficient, bootstrap=0)
        return [(row["coefficient"], row["level"]) for row in rows]

    expected = [("krippendorff_alpha", "ordinal"), ("gwet_ac1", "nominal")]
    assert names(["krippendorff_alpha", "gwet_ac1"]) == expected
    assert names("krippendorff_alpha,gwet_ac1") == expected
    assert names("gwet_ac1") == expected[1:]


def test_an_undefined_coefficient_is_null_with_a_reason(results, output, write):
    path = write("r.csv", "item,rater,answer", "a,x,3", "a,y,3", "b,x,3", "b,y,3")
    options = {**COLUMNS, "coefficient": "krippendorff_alpha,percent_agreement", "bootstrap": 20}
    alpha, percent = results("agreement", path, **options)
    assert (alpha["value"], alpha["reason"], alpha["ci_low"]) == (None, "no_variation", None)
    assert percent["value"] == 1.0
    text = output("agreement", path, **options)
    assert "krippendorff_alpha: undefined. The ratings do not vary" in text
    assert "nan" not in text


def test_the_table_for_people_says_what_was_resampled_how_often_and_the_seed(output, ratings):
    text = output("agreement", ratings, **COLUMNS, by="country", bootstrap=60, seed=7)
    assert "95 % percentile intervals: items resampled, 60 draws, seed 7." in text
    assert "(all), krippendorff_alpha: There are too few items for a dependable interval" in text
    assert "NA, krippendorff_alpha: no interval. More than 5 % of the bootstrap" in text
    assert "(all), DE, NA: fewer than three raters cannot be resampled" in text
    lines = text.splitlines()
    assert lines[0].split()[:4] == ["group", "coefficient", "level", "value"]
    assert len({line.find("krippendorff_alpha") for line in lines[1:4]}) == 1


def test_the_same_seed_gives_the_same_numbers(results, ratings):
    once, again = (
        results("agreement", ratings, **COLUMNS, bootstrap=40, seed=3, resample="items")
        for _ in range(2)
    )
    assert once == again
    assert once[0]["seed"] == 3
    assert once[0]["resampled"] == "items"


def test_declared_categories_count_even_when_nobody_used_them(results, write):
    path = write("r.csv", "item,rater,answer", "a,x,low", "a,y,low", "b,x,low", "b,y,high")
    (row,) = results(
        "agreement",
        path,
        **COLUMNS,
        categories="low,middle,high",
        coefficient="brennan_prediger",
        bootstrap=0,
    )
    assert row["value"] == pytest.approx((0.5 - 1 / 3) / (1 - 1 / 3))
    assert row["categories_declared"] == ["low", "middle", "high"]
    assert row["categories_used"] == ["low", "high"]


def test_clusters_are_drawn_as_a_whole(results, ratings):
    (row,) = results("agreement", ratings, **COLUMNS, cluster="country", bootstrap=20)
    assert row["resampled"] == "clusters of items"


def test_a_rater_who_rates_a_unit_once_in_each_group_is_no_duplicate(results, output, write):
    path = write(
        "r.csv",
        "item,rater,question,answer",
        *(f"{i},{r},{q},{v}" for i in "ab" for r in "xy" for q, v in (("faith", 1), ("hal", 5))),
    )
    rows = results("agreement", path, **COLUMNS, by="question", bootstrap=0, level="nominal")
    assert [row["n_units"] for row in rows] == [4, 2, 2]
    # Answers to different questions are never compared: pooled agreement is perfect.
    assert rows[0]["value"] == 1.0
    assert rows[0]["aggregation"].endswith("a unit counted once in each group")
    assert "a unit counted once in each group" in output(
        "agreement", path, **COLUMNS, by="question", bootstrap=0
    )


def test_tabs_semicolons_a_byte_order_mark_and_blank_lines_are_read(results, write):
    rows = ["item,rater,answer", "", "a,x,1", "a,y,2", "", "b,x,2", "b,y,2", ""]
    expected = results("agreement", write("r.csv", *rows), **COLUMNS, bootstrap=0)
    for delimiter, end in (("\t", "\n"), (";", "\r\n")):
        lines = [row.replace(",", delimiter) for row in rows]
        lines[0] = "\ufeff" + lines[0]
        path = write("other.tsv", *lines, end=end)
        assert results("agreement", path, **COLUMNS, bootstrap=0) == expected


def test_a_duplicate_rating_is_refused_with_both_lines(write):
    path = write("r.csv", "item,rater,answer,note", 'a,x,1,"two', 'lines"', "", "b,x,2,", "a,x,3,")
    message = refusal(path)
    assert "line 6: rater x has already rated unit a on line 2" in message
    assert "(answer 1 there, 3 here)" in message
    assert "Keep one of them" in message


def test_an_unknown_column_is_refused_with_the_nearest_and_all_there_are(ratings):
    message = refusal(ratings, rater="ratter")
    assert "no column 'ratter' (named by --rater). Did you mean 'rater'?" in message
    assert "Its columns are: item, country, rater, answer, note." in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "ordinl"}, "--level ordinl is unknown. Did you mean 'ordinal'?"),
        ({"coefficient": "alpha"}, "--coefficient alpha is unknown."),
        ({"resample": "rater"}, "--resample rater is unknown. Did you mean 'raters'?"),
        ({"bootstrap": "many"}, "--bootstrap many is not a whole number of 0 or more."),
        ({"seed": -1}, "--seed -1 is not a whole number of 0 or more."),
        ({"unit": " , "}, "--unit is empty"),
        ({"categories": "1,2,2"}, "--categories: The category '2' is declared twice."),
        ({"categories": "low,high", "level": "interval"}, "'low' is not a number"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_right(ratings, options, message):
    assert message in refusal(ratings, **options)


@pytest.mark.parametrize(
    ("line", "options", "message"),
    [
        ("b,x,good", {}, "line 3, column answer: 'good' is not a number."),
        ("b,x,good", {}, "give their order with --categories"),
        ("b,x,inf", {"level": "interval"}, "line 3, column answer: 'inf' is not a finite number"),
        ("b,x,nan", {}, "line 3, column answer: 'nan' is not a finite number"),
        ("b,x,-1", {"level": "ratio"}, "line 3, column answer: A ratio scale needs a true zero"),
        ("b,x,6", {"categories": "1,2,3"}, "line 3, column answer: '6' is not one of the cat"),
        ("b,,2", {}, "line 3, column rater: the rater is empty"),
        (",x,2", {}, "line 3, column item: the unit is empty"),
        ("b,x,2,9", {}, "line 3: 4 fields where the header has 3"),
        ("b,x", {}, "line 3: 2 fields where the header has 3"),
        ('b,x,"2', {}, "cannot be read as a table"),
    ],
)
def test_a_bad_line_is_refused_by_its_number(write, line, options, message):
    path = write("r.csv", "item,rater,answer", "a,x,1", line, "c,x,1")
    assert message in refusal(path, **options)


def test_files_that_cannot_be_used_are_refused(write, tmp_path):
    assert "does not exist" in refusal(tmp_path / "none.csv")
    assert "is empty" in refusal(write("empty.csv"))
    assert "has a header but no rows" in refusal(write("header.csv", "item,rater,answer"))
    assert "comes 2 times" in refusal(write("twice.csv", "item,rater,answer,item", "a,b,1,a"))
    assert "cannot be opened" in refusal(tmp_path)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("item,rater,answer\ncaf\xe9,x,1\n".encode("latin-1"))
    assert "is not UTF-8" in refusal(latin)


def test_a_unit_in_two_clusters_is_refused_with_both_lines(write):
    path = write("r.csv", "item,rater,answer,prompt", "a,x,1,p", "b,x,1,q", "a,y,1,q")
    assert "lines 2 and 4: one unit with two values of prompt" in refusal(path, cluster="prompt")


def test_many_values_on_a_ratio_scale_are_refused_with_the_way_out(write):
    lines = [f"i{i},{r},{i * 3 + r}" for i in range(1001) for r in (0, 1)]
    path = write("r.csv", "item,rater,answer", *lines)
    way_out = "Round them, or use the quadratic weights or the interval level"
    assert way_out in refusal(path, level="ratio")


def test_nothing_is_printed_before_a_refusal_and_the_exit_code_is_one(write):
    path = write("r.csv", "item,rater,answer", "a,x,1", "a,x,2")
    arguments = ["--unit", "item", "--rater", "rater", "--value", "answer", "--json"]
    run = subprocess.run(
        [sys.executable, "manage.py", "agreement", str(path), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("CommandError: ")


@pytest.mark.skipif(
    not DSG.is_file(), reason="needs ../shared/reference/ratings, which is not in the project"
)
@pytest.mark.parametrize(("level", "alpha"), [(None, 0.6854), ("nominal", 0.3969)])
def test_real_ratings_give_their_published_alpha(output, level, alpha):
    options = {"unit": "t2i_model,item_id", "rater": "worker_id", "value": "answer"}
    chosen = {"level": level} if level else {}
    printed = json.loads(
        output("agreement", str(DSG), **options, **chosen, bootstrap=200, json=True)
    )
    (row,) = printed["results"]
    assert round(row["value"], 4) == alpha
    assert (row["n_units"], row["n_raters"], row["n_ratings"]) == (800, 5, 3995)
    assert row["resampled"] == "items and raters"
    assert row["ci_low"] < alpha < row["ci_high"]
