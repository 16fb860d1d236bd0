"""`manage.py agreement` gives the published numbers of every coefficient, by its name."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scoring.stats.anova import ICC_FORMS
from scoring.stats.bootstrap import INTERVAL_KINDS, RESAMPLES
from scoring.stats.coefficients import COEFFICIENTS
from tests.stats.published import DATA, NOT_RATERS, expected

COLUMNS = {"unit": "item", "rater": "rater", "value": "answer"}

# One row for each coefficient, weighting, level, form and aggregate there is.
ROWS = list(
    {
        (row["coefficient"], str(row["options"])): row
        for row in expected(*COEFFICIENTS)
        if row["format"] != "counts"
    }.values()
)


@pytest.fixture
def long_file(write):
    """Writes a published table with one rating a row."""

    def writer(row):
        with (DATA / row["file"]).open(encoding="utf-8") as file:
            header, *lines = csv.reader(file)
        if row["format"] == "table":
            long = []
            for first, line in enumerate(lines, start=1):
                for second, count in enumerate(line[1:], start=1):
                    for _ in range(int(count)):
                        unit = len(long) // 2
                        long += [(unit, "r1", first), (unit, "r2", second)]
        else:
            raters = [i for i, name in enumerate(header) if name.lower() not in NOT_RATERS]
            long = [(u, header[i], line[i]) for u, line in enumerate(lines) for i in raters]
        return write("r.csv", "item,rater,answer", *(",".join(map(str, one)) for one in long))

    return writer


def options_of(row):
    options = dict(row["options"])
    given = {}
    if "type" in options:
        given["icc_form"] = options["type"]
    if "aggregate" in options:
        given["aggregate"] = "pairs" if options["aggregate"] == "mean over all pairs" else "items"
    if "distance" in options:
        given["distance"] = options["distance"]
    for name in ("weights", "level"):
        if name in options:
            given[name] = options[name]
    return given


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_command_gives_the_published_value(results, long_file, row):
    (found,) = results(
        "agreement",
        long_file(row),
        **COLUMNS,
        **options_of(row),
        coefficient=row["coefficient"],
        bootstrap=0,
    )
    assert found["value"] == pytest.approx(row["value"], abs=1e-9)
    assert found["icc_form"] == row["options"].get("type")
    if "se" in row and row["format"] == "wide":
        assert found["se_gwet"] == pytest.approx(row["se"], abs=1e-9)
        assert found["se_kind"] == "linearised"


def test_these_rows_have_every_coefficient_but_congers():
    assert {row["coefficient"] for row in ROWS} == set(COEFFICIENTS) - {"conger_kappa"}


def test_one_call_gives_all_coefficients_their_weightings_and_forms(results, ratings):
    rows = results(
        "agreement",
        ratings,
        **COLUMNS,
        coefficient=["krippendorff_alpha", "gwet_ac2", "icc", "kendall_w", "conger_kappa"],
        level="interval",
        weights="linear,quadratic",
        icc_form=["ICC(A,1),ICC(C,1)", "ICC1k"],
        bootstrap=40,
        resample="items",
    )
    assert [(row["coefficient"], row["weights"] or row["icc_form"]) for row in rows] == [
        ("krippendorff_alpha", None),
        ("gwet_ac2", "linear"),
        ("gwet_ac2", "quadratic"),
        ("icc", "ICC2"),
        ("icc", "ICC3"),
        ("icc", "ICC1k"),
        ("kendall_w", None),
        ("conger_kappa", "linear"),
        ("conger_kappa", "quadratic"),
    ]
    assert rows[0]["level"] == "interval"
    assert {row["n_units_used"] for row in rows} == {5}
    assert rows[3]["f_low"] < rows[3]["value"] < rows[3]["f_high"]
    assert 0 < rows[6]["p_value"] <= 1


def test_alpha_goes_by_its_level_where_one_is_given_and_by_the_weights_where_not(results, ratings):
    def alpha(**options):
        (row,) = results(
            "agreement",
            ratings,
            **COLUMNS,
            coefficient="krippendorff_alpha",
            bootstrap=0,
            **options,
        )
        return row

    ordinal = alpha(level="ordinal", weights="linear")
    assert (ordinal["level"], ordinal["weights"]) == ("ordinal", None)
    assert ordinal["value"] == alpha()["value"]
    linear = alpha(weights="linear")
    assert linear["weights"] == "linear"
    assert linear["value"] != ordinal["value"]
    assert alpha(weights="unweighted")["value"] == alpha(level="nominal")["value"]


def test_words_need_no_level_where_nothing_needs_their_order(results, write):
    path = write("r.csv", "item,rater,answer", "a,x,cat", "a,y,cat", "b,x,dog", "b,y,cat")
    (row,) = results("agreement", path, **COLUMNS, coefficient="gwet_ac1", bootstrap=0)
    assert (row["level"], row["categories_used"]) == ("nominal", ["cat", "dog"])
    for name in ("gwet_ac2", "krippendorff_alpha", "icc", "kendall_w"):
        with pytest.raises(CommandError, match="'cat' is not a number"):
            call_command("agreement", path, **COLUMNS, coefficient=name)
    with pytest.raises(CommandError, match="This needs categories in order"):
        call_command("agreement", path, **COLUMNS, coefficient="icc", level="nominal")


def test_sets_are_read_with_another_separator_and_declared_options(results, write):
    path = write(
        "r.csv", "item,rater,answer", "a,x,red;blue", "a,y,blue", "b,x,none", "b,y,none", "c,x,"
    )
    options = {
        **COLUMNS,
        "coefficient": "average_pairwise_jaccard,krippendorff_alpha,percent_agreement",
        "separator": ";",
        "nothing": "none",
        "bootstrap": 0,
    }
    jaccard, alpha, percent = results("agreement", path, **options, categories="red,blue,green")
    assert jaccard["value"] == pytest.approx((0.5 + 1) / 2)
    assert (alpha["weights"], percent["weights"]) == ("jaccard", "identity")
    assert percent["value"] == 0.5
    assert jaccard["categories_used"] == ["none", "red;blue", "blue"]
    assert jaccard["n_missing"] == 1
    (skipped,) = results(
        "agreement", path, **{**options, "coefficient": "average_pairwise_masi"}, skip_empty=True
    )
    assert skipped["value"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": "red"}, "line 3, column answer: 'blue' is not among --categories"),
        ({"level": "ordinal"}, "--level ordinal makes no sense of sets"),
        ({"separator": " "}, "--separator and --nothing need a text"),
        ({"aggregate": "raters"}, "--aggregate raters is unknown"),
        ({"coefficient": "icc", "icc_form": "ICC9"}, "--icc-form: The form 'ICC9' is unknown"),
        ({"weights": "cubic"}, "--weights cubic is unknown"),
        ({"interval": "bc"}, "--interval bc is unknown. Did you mean 'BCa'?"),
    ],
)
def test_what_makes_no_sense_is_refused(write, options, message):
    path = write("r.csv", "item,rater,answer", "a,x,red", "a,y,blue")
    asked = {"coefficient": "average_pairwise_jaccard", **options}
    with pytest.raises(CommandError, match=message.replace("(", r"\(")):
        call_command("agreement", path, **COLUMNS, **asked)


def test_a_set_that_names_an_option_twice_is_refused_by_its_line(write):
    path = write("r.csv", "item,rater,answer", "a,x,red", "a,y,red|red")
    with pytest.raises(
        CommandError, match="line 3, column answer: 'red|red' names an option twice"
    ):
        call_command("agreement", path, **COLUMNS, coefficient="average_pairwise_masi")


def test_pairs_of_raters_without_a_common_item_are_counted_and_said(results, output, write):
    path = write(
        "r.csv",
        "item,rater,answer",
        *(f"{i},x,{v}" for i, v in zip("abcd", "1212", strict=True)),
        *(f"{i},y,{v}" for i, v in zip("abef", "1212", strict=True)),
        *(f"{i},z,{v}" for i, v in zip("cdgh", "1221", strict=True)),
    )
    options = {**COLUMNS, "coefficient": "cohen_kappa", "bootstrap": 0}
    (row,) = results("agreement", path, **options)
    assert (row["value"], row["n_rater_pairs_left_out"]) == (1.0, 1)
    assert "1 of 3 pairs are left out" in output("agreement", path, **options)


def test_the_table_says_what_analytic_numbers_are(output, ratings):
    text = output(
        "agreement",
        ratings,
        **COLUMNS,
        coefficient="icc,kendall_w,gwet_ac2,krippendorff_alpha",
        bootstrap=0,
        self_check=True,
    )
    assert "(all), ICC2: 95 % interval by F" in text
    assert "(all), kendall_w: chi-squared" in text
    assert "SE: linearised, items as the sample and raters as given." in text
    assert "krippendorff 0.9.0 gives 0.8" in text


def test_the_self_check_is_in_the_json(results, ratings):
    rows = results(
        "agreement",
        ratings,
        **COLUMNS,
        coefficient="krippendorff_alpha,gwet_ac1",
        bootstrap=0,
        self_check=True,
    )
    assert rows[0]["self_check"]["difference"] < 1e-12
    assert rows[0]["self_check"]["package"].startswith("krippendorff ")
    assert rows[1]["self_check"] is None
    (row,) = results(
        "agreement", ratings, **COLUMNS, weights="linear", bootstrap=0, self_check=True
    )
    assert row["self_check"]["difference"] < 1e-12


@pytest.mark.parametrize("kind", ["percentile", "BCa", "jackknife-t"])
@pytest.mark.parametrize("resample", ["items", "raters", "two-way"])
def test_every_kind_of_interval_can_be_asked_for(results, write, kind, resample):
    lines = [f"i{i},r{r},{1 + (i * 7 + r * (i % 3)) % 5}" for i in range(24) for r in range(4)]
    path = write("r.csv", "item,rater,answer", *lines)
    rows = results(
        "agreement",
        path,
        **COLUMNS,
        coefficient="krippendorff_alpha,icc",
        bootstrap=60,
        resample=resample,
        interval=kind.lower(),
    )
    for row in rows:
        assert row["ci_kind"] == kind
        assert row["ci_reason"] or row["ci_low"] < row["ci_high"]


@pytest.mark.parametrize(
    "declared", ['"No, not at all",So so,Yes', ["No, not at all", "So so", "Yes"]]
)
def test_declared_categories_may_hold_commas(results, write, declared):
    rows = ["a,r1,Yes", "a,r2,So so", 'b,r1,"No, not at all"', 'b,r2,"No, not at all"']
    path = write("ratings.csv", "item,rater,answer", *rows)
    (row,) = results("agreement", path, **COLUMNS, categories=declared, bootstrap=0)
    assert row["categories_declared"] == ["No, not at all", "So so", "Yes"]
    assert row["level"] == "ordinal"


def test_options_given_from_python_may_be_numbers(results, ratings):
    from_shell = results("agreement", ratings, "--bootstrap=0", "--categories=1,2,3,4,5", **COLUMNS)
    from_python = results(
        "agreement", ratings, bootstrap=0, seed=0, categories=[1, 2, 3, 4, 5], **COLUMNS
    )
    assert from_python == from_shell


def test_tiny_data_never_print_what_is_not_a_number(results, write):
    names = [name for name in COEFFICIENTS if not name.startswith("average")]
    options = {"coefficient": names, "icc_form": list(ICC_FORMS), "categories": "1,2,3,4,5"}
    rng = np.random.default_rng(5)
    undefined = 0
    for interval, resample in product(INTERVAL_KINDS, RESAMPLES):
        for _ in range(4):
            n, m, q = rng.integers(2, 5, 3)
            rows = [
                f"{item},r{rater},{rng.integers(1, q + 1)}"
                for item, rater in product(range(n), range(m))
                if rng.random() < 0.85
            ]
            path = write("ratings.csv", "item,rater,answer", *rows)
            drawn = {"interval": interval, "resample": resample, "bootstrap": 10}
            # JSON is written without nan: a number that is none would be refused.
            found = results("agreement", path, **COLUMNS, **options, **drawn)
            for row in found:
                assert (row["value"] is None) == (row["reason"] is not None)
                undefined += row["value"] is None
    assert undefined > 20
