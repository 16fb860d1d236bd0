"""Metrics against people at the level and by the coefficient that a reader chooses."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from scoring.analysis.selection import UnknownChoice
from scoring.analysis.series import Plan
from scoring.reports import metrics_chosen, metrics_page, plots
from scoring.reports.aggregation import (
    ASKS,
    LEVEL_KEYS,
    aggregation_asked,
    planned_aggregation,
)
from scoring.reports.parts import asked_of, part_named
from scoring.reports.plots import metrics as metrics_plots
from scoring.reports.tables import flat
from tests.scoring.series_study import a_human, a_metric, a_report, a_unit, score_data_of

COUNTRIES = ("NP", "IR", "BR")
SYSTEMS = ("Lantern", "Moth", "Quill", "Reed")
PLAN = Plan(
    methods=("pearson",),
    level="within-country",
    targets={"ALIGN": ("faithfulness",), "HAL": ("faithfulness",)},
)
COMPUTED = [
    (level, method)
    for level in LEVEL_KEYS
    for method in ("pearson", "spearman", "kendall")
    if method != "kendall" or level == "pooled"
]


def study_data(**more):
    rng = np.random.default_rng(4)
    n = 48
    quality = rng.normal(size=n)
    units = [
        a_unit(i, country=COUNTRIES[i % 3], system=SYSTEMS[(i // 3) % 4], scenario=f"s{i}")
        for i in range(n)
    ]
    answers = [
        (i, f"{COUNTRIES[i % 3]}{r}", COUNTRIES[i % 3], int(np.clip(round(3 + q + e), 1, 5)))
        for i, q in enumerate(quality)
        for r, e in enumerate(rng.normal(size=3))
    ]
    scores = {
        name: dict(enumerate((0.5 + 0.1 * sign * quality + 0.1 * rng.normal(size=n)).tolist()))
        for name, sign in (("ALIGN", 1), ("HAL", -1), ("EXTRA", 1))
    }
    values = {
        "metrics": [
            a_metric("ALIGN", scores["ALIGN"] | {3: "no_prediction"}),
            a_metric("HAL", scores["HAL"], better="lower"),
            a_metric("EXTRA", scores["EXTRA"], metric="extra"),
        ],
        "humans": [
            a_human("faithfulness", answers),
            a_human("realism", [(i, r, c, 6 - v) for i, r, c, v in answers]),
        ],
        "plan": PLAN,
    }
    return score_data_of(units, **(values | more))


@pytest.fixture(scope="module")
def data():
    return study_data()


@pytest.fixture(scope="module")
def report(data):
    return a_report(data, draws=30)


def shown_at(report, **asked):
    return {section.id: section for section in metrics_chosen.sections(report, asked)}


def main_table(section):
    (table,) = [one for one in section.tables if not one.folded]
    return table


def cell(table, row, column):
    place = [one.key for one in table.columns].index(column)
    (found,) = [one for one in table.rows if one.cells[0] == row]
    return found.cells[place]


def test_without_a_choice_the_page_shows_what_the_plan_declares(report):
    table = main_table(shown_at(report)["question-faithfulness"])
    assert table.title == "Faithfulness: Pearson\u2019s r, within each country, averaged"
    for row in report.against.question("faithfulness").targets:
        assert row.levels[0].as_planned
        assert cell(table, row.series.name, "value").value == row.levels[0].correlation.value
    assert shown_at(report) == shown_at(report, level="within-country", coefficient="pearson")


@pytest.mark.parametrize(("level", "method"), COMPUTED)
def test_every_choice_shows_the_stored_numbers_of_that_level_and_coefficient(report, level, method):
    table = main_table(shown_at(report, level=level, coefficient=method)["question-faithfulness"])
    at = LEVEL_KEYS[level]
    rows = [
        (row, found)
        for row in report.against.question("faithfulness").rows
        if (found := row.level(at[0], method, at[1])) is not None
    ]
    assert {row.cells[0] for row in table.rows} == {row.series.name for row, _ in rows}
    assert table.unit == ("model" if level == "system" else "item")
    for row, found in rows:
        stored, name = found.correlation, row.series.name
        value = cell(table, name, "value")
        assert (value.value, value.low, value.high) == (
            stored.value,
            stored.interval.low,
            stored.interval.high,
        )
        assert cell(table, name, "n") == stored.n_units
        if stored.p_value is not None:
            assert cell(table, name, "p").value == stored.p_value
            assert cell(table, name, "p_holm").value == found.adjusted.holm
            assert cell(table, name, "p_bh").value == found.adjusted.bh
        (shown,) = [one for one in table.rows if one.cells[0] == name]
        assert found.adjusted.family in dict(shown.card.facts)["Adjusted"]


def test_a_chosen_coefficient_is_what_scipy_gives(report, data):
    page = shown_at(report, level="pooled", coefficient="spearman")
    table = main_table(page["question-faithfulness"])
    human, metric = data.humans[0], data.facts.metrics[0]
    means = {i: human.value[human.item == i].mean() for i in set(human.item.tolist())}
    pairs = [(metric.values[i][0], means[i]) for i in means if metric.values[i][0] is not None]
    expected = spearmanr(*np.round(np.array(pairs), 9).T).statistic
    assert cell(table, "ALIGN", "value").value == pytest.approx(expected)
    assert cell(table, "ALIGN", "n") == 47
    assert cell(table, "ALIGN", "left_out").value == 1
    assert cell(table, "HAL", "left_out") == 0


def test_exploration_stands_beside_the_plan_where_items_are_pooled_and_nowhere_else(report):
    pooled = main_table(shown_at(report, level="pooled")["question-faithfulness"])
    assert [cell(pooled, name, "by") for name in ("ALIGN", "HAL", "EXTRA")] == [
        "the plan",
        "the plan",
        "exploration",
    ]
    within = main_table(shown_at(report)["question-faithfulness"])
    assert {row.cells[0] for row in within.rows} == {"ALIGN", "HAL"}
    realism = shown_at(report)["question-realism"]
    assert [one for one in realism.tables if not one.folded] == []
    assert any("holds no metric against Realism" in note.text for note in realism.notes)


def test_only_one_table_a_question_is_open_and_the_rest_is_folded(report):
    for section in metrics_chosen.sections(report, {"level": "pooled"}):
        if section.id.startswith("question-"):
            assert len([table for table in section.tables if not table.folded]) == 1
        elif not section.listed:
            assert section.folded


def test_countries_and_parts_follow_the_coefficient(report):
    parts = shown_at(report, coefficient="spearman")["parts-faithfulness"]
    (chart,) = parts.charts
    assert "Spearman" in chart.caption
    for table in (chart.table, *parts.tables):
        assert "pearson" not in [column.key for column in table.columns], table.name
    (slice_,) = [
        one
        for one in report.against.question("faithfulness").targets[0].slices
        if (one.kind, one.key, one.method) == ("country", "NP", "spearman")
    ]
    assert cell(chart.table, "ALIGN", "NP").value == slice_.value
    rows = [row.cells for row in parts.tables[0].rows if row.cells[:2] == ("ALIGN", "Nepal")]
    assert rows[0][2].value == slice_.value
    assert rows[0][6].value == slice_.p_value


def shown_names(table):
    return {row.cells[0] for row in table.rows}


def test_one_question_can_be_shown_alone(report):
    page = shown_at(report, question="realism", level="pooled")
    assert [one for one in page if one.startswith("question-")] == ["question-realism"]
    whole = shown_at(report, level="pooled")
    assert page["question-realism"] == whole["question-realism"]
    assert page["heat"] == whole["heat"]
    questions = {row.cells[1] for row in main_table(page["directions"]).rows}
    assert questions == {"Realism"}


def test_hidden_metrics_leave_forest_tables_and_heat_and_no_number_changes(report):
    whole = shown_at(report, level="pooled")
    page = shown_at(report, level="pooled", metrics="m-hal,extra-extra")
    section = page["question-faithfulness"]
    table, all_of_it = main_table(section), main_table(whole["question-faithfulness"])
    assert shown_names(table) == {"HAL", "EXTRA"}
    assert set(table.rows) < set(all_of_it.rows)
    assert table.notes == all_of_it.notes
    heat = page["heat"].charts[0].table
    assert [column.title for column in heat.columns[1:]] == ["Faithfulness", "Realism", "HAL"]
    for row in heat.rows:
        (same,) = [
            one for one in whole["heat"].charts[0].table.rows if one.cells[0] == row.cells[0]
        ]
        assert row.cells[1:3] == same.cells[1:3]
    countries = page["parts-faithfulness"].charts[0].table
    assert shown_names(countries) == {"HAL", "EXTRA"}
    assert {row.cells[0] for row in main_table(page["directions"]).rows} == {"HAL", "EXTRA"}


def test_adjusted_p_stay_those_of_the_whole_family_and_the_page_says_so(report):
    page = shown_at(report, level="pooled", metrics="m-hal")
    table = main_table(page["question-faithfulness"])
    (row,) = [
        one for one in report.against.question("faithfulness").rows if one.series.name == "HAL"
    ]
    stored = row.level("pooled", "pearson").adjusted
    assert stored.n_tests == 3
    assert cell(table, "HAL", "p_holm").value == stored.holm
    assert cell(table, "HAL", "p_bh").value == stored.bh
    assert "in the family of 3:" in table.notes[0]
    assert page["metrics"].notes[0].text == (
        "Shown: 1 of 3\u00a0metrics. Adjusted p stay those of the whole families, hidden metrics "
        "among them."
    )
    assert not any("hidden" in note.text for note in shown_at(report)["metrics"].notes)


def test_people_s_own_lines_stay_whatever_is_hidden(report):
    whole = shown_at(report)["question-faithfulness"]
    page = shown_at(report, metrics="m-hal")["question-faithfulness"]
    said = re.search(r"One person against the rest: \S+ the human ceiling: \S+", whole.finding)
    assert said.group() in page.finding
    people = [row for table in page.tables for row in table.rows if row.cells[0] == "Human ceiling"]
    assert people == [
        row for table in whole.tables for row in table.rows if row.cells[0] == "Human ceiling"
    ]
    assert len(people) == 1


def test_the_finding_speaks_of_the_metrics_that_are_shown(report):
    page = shown_at(report, level="pooled", metrics="m-align,m-hal")
    assert page["question-faithfulness"].finding.startswith("Of the metrics shown, furthest from 0")
    assert "2 of 3 metrics are shown." in page["question-faithfulness"].charts[0].caption


def test_all_metrics_marked_are_as_good_as_none(report):
    every = "m-align,m-hal,extra-extra"
    assert shown_at(report, metrics=every) == shown_at(report)
    assert metrics_chosen.kept(report, {"metrics": every, "level": "pooled"}) == {"level": "pooled"}
    (menu,) = metrics_chosen.marks(report, {"metrics": every})
    assert menu.summary == "All"
    assert [marked for _, _, marked in menu.options] == [False] * 3
    (menu,) = metrics_chosen.marks(report, {"metrics": "m-hal"})
    assert menu.summary == "1 of 3"
    assert [value for value, _, marked in menu.options if marked] == ["m-hal"]


def test_what_an_address_names_and_the_report_has_not_is_said(report):
    page = shown_at(report, metrics="m-hal,clip", question="colour")
    (note, *_) = page["metrics"].notes
    assert note.warns
    assert note.text.startswith("The address names \u201ccolour\u201d, \u201cclip\u201d, which")
    assert shown_names(main_table(page["question-faithfulness"])) == {"HAL"}
    kept = metrics_chosen.kept(report, {"metrics": "clip,m-hal", "question": "colour"})
    assert kept == {"metrics": "m-hal"}


def test_hidden_targets_are_not_said_to_be_missing_from_the_plan(report):
    page = shown_at(report, metrics="extra-extra")
    section = page["question-faithfulness"]
    assert not any("holds no metric" in note.text for note in section.notes)
    assert any("Choose other metrics" in note.text for note in page["metrics"].notes)


@pytest.mark.parametrize("level", ["pooled", "within-country"])
def test_charts_of_chosen_metrics_are_drawn_by_their_names(report, level):
    page = shown_at(report, level=level, metrics="m-hal,extra-extra")
    charts = [chart for section in page.values() for chart in section.charts]
    some = [chart for chart in charts if "--of-" in chart.key]
    assert {chart.key.split("-")[0] for chart in some} == {"against", "countries", "heat"}
    for chart in some:
        assert chart.on_demand
        (drawing,) = metrics_plots.of_chosen(report, chart.key)
        assert drawing.key == chart.key
        assert "ALIGN" not in drawing.alt
        drawing.draw("wide")
    assert list(metrics_plots.of_chosen(report, "heat-metrics")) == []
    assert list(metrics_plots.of_chosen(report, "heat-metrics--of-xyz")) == []


def test_behind_a_number_stands_the_pair_that_is_furthest_from_0_or_the_one_that_is_asked_for(
    report,
):
    first = shown_at(report)["behind"]
    best = max(
        report.against.question("faithfulness").targets,
        key=lambda row: abs(row.level("pooled", "pearson").correlation.value),
    )
    assert first.menu.chosen == f"faithfulness-m-{best.series.output.lower()}"
    (group,) = first.menu.groups
    assert group == (
        "against Faithfulness",
        (
            ("faithfulness-m-align", "ALIGN against Faithfulness"),
            ("faithfulness-m-hal", "HAL against Faithfulness"),
        ),
    )
    for name in ("align", "hal"):
        section = shown_at(report, behind=f"faithfulness-m-{name}")["behind"]
        (row,) = [
            one
            for one in report.against.question("faithfulness").targets
            if one.series.output.lower() == name
        ]
        assert section.charts[0].key == f"scatter-faithfulness-m-{name}"
        (table,) = section.tables
        points = row.scatter.furthest_points
        assert [line.cells[0].item for line in table.rows] == [point.item for point in points]
        assert [line.cells[3] for line in table.rows] == [point.score for point in points]
        assert len(table.rows) == 20
        assert [unit.items for unit in section.units] == [(point.item,) for point in points[:8]]


def test_scatters_beyond_the_first_few_are_drawn_when_somebody_looks(data):
    rng = np.random.default_rng(6)
    many = [a_metric(f"M{n}", dict(enumerate(rng.random(48).tolist()))) for n in range(6)]
    report = a_report(replace(data, facts=replace(data.facts, metrics=tuple(many), plan=Plan())))
    stored = {drawing.key for drawing in metrics_plots.drawings(report)}
    demanded = {drawing.key for drawing in metrics_plots.on_demand(report)}
    (menu, *_) = [section.menu for section in shown_at(report).values() if section.menu]
    names = [value for _, options in menu.groups for value, _ in options]
    assert len(names) == 12
    for name in names:
        (chart,) = shown_at(report, behind=name)["behind"].charts
        assert chart.key in (demanded if chart.on_demand else stored)
    assert len([key for key in stored if key.startswith("scatter-")]) == 8


def test_files_have_the_names_and_counts_without_where_they_lead(report):
    (table,) = shown_at(report)["behind"].tables
    keys, rows = flat(table)
    assert keys == ("item", "model", "people", "score")
    assert rows[0][0] == table.rows[0].cells[0].value
    keys, rows = flat(main_table(shown_at(report)["question-faithfulness"]))
    assert sorted(row[keys.index("left_out")] for row in rows) == [0, 1]


def test_a_pair_that_is_not_held_against_each_other_is_said(report):
    section = shown_at(report, behind="realism-m-align")["behind"]
    assert "the plan holds no such metric" in section.notes[0].text
    kept = metrics_chosen.kept(report, {"behind": "realism-m-align", "level": "pooled"})
    assert kept == {"level": "pooled"}


def test_a_question_without_targets_has_nothing_to_look_behind(report):
    assert "behind" not in shown_at(report, question="realism")


def test_a_hidden_metric_is_not_what_the_page_looks_behind_unasked(report):
    for name in ("align", "hal"):
        section = shown_at(report, metrics=f"m-{name}")["behind"]
        assert section.menu.chosen == f"faithfulness-m-{name}"


def test_menus_name_the_planned_choice_and_what_is_chosen(report):
    (question, asked), (level, at), (coefficient, by) = metrics_chosen.choices(
        report, {"level": "system"}
    )
    assert asked == ""
    assert question.options == (
        ("", "All questions"),
        ("faithfulness", "Faithfulness"),
        ("realism", "Realism"),
    )
    assert (at, by) == ("system", "pearson")
    assert dict(level.options)["within-country"] == "Within each country, averaged (planned)"
    assert dict(level.options)["pooled"] == "Items pooled"
    assert [value for value, _ in coefficient.options] == ["pearson", "spearman", "kendall"]
    assert coefficient.options[0][1] == "Pearson\u2019s r (planned)"


def test_another_choice_than_the_plans_is_said_on_the_page(report):
    (opening, *_) = metrics_chosen.sections(report, {"level": "pooled"})
    assert opening.notes[0].text == (
        "Shown: Pearson\u2019s r, items pooled. The plan correlates by Pearson\u2019s r, within "
        "each country, averaged."
    )
    (planned, *_) = metrics_chosen.sections(report, {})
    assert not any(note.text.startswith("Shown:") for note in planned.notes)


def test_what_is_not_computed_says_why(report):
    (opening, *_) = metrics_chosen.sections(
        report, {"level": "within-system", "coefficient": "kendall"}
    )
    said, warning, *_ = opening.notes
    assert said.text.startswith("Shown: Kendall\u2019s tau-b, within each model, averaged.")
    assert warning.warns
    assert warning.text.startswith("Kendall\u2019s tau-b is computed at this level only where")


def test_coefficients_that_follow_the_first_estimates_are_said_to_be_computed(data):
    early = a_report(data)
    (opening, *_) = metrics_chosen.sections(early, {"coefficient": "spearman"})
    assert any(note.text == "These coefficients are being computed." for note in opening.notes)


def test_a_level_that_the_data_have_no_groups_for_says_what_it_needs():
    rng = np.random.default_rng(2)
    scores = dict(enumerate(rng.random(12).tolist()))
    answers = [(i, f"r{r}", "NP", 1 + (i + r) % 5) for i in range(12) for r in range(3)]
    report = a_report(
        score_data_of(
            [a_unit(i) for i in range(12)],
            metrics=[a_metric("ALIGN", scores)],
            humans=[a_human("faithfulness", answers)],
            plan=Plan(methods=("spearman",), level="within-country"),
        )
    )
    assert planned_aggregation(report.against).level == "pooled"
    assert main_table(shown_at(report)["question-faithfulness"]).rows
    (opening, *_) = metrics_chosen.sections(report, {"level": "system"})
    assert any("needs two models or more" in note.text for note in opening.notes)
    (level, _), _ = metrics_chosen.choices(report, {})
    assert [value for value, _ in level.options] == ["pooled"]


def test_every_chart_of_every_choice_can_be_drawn_and_the_planned_ones_are_stored(report):
    stored = {drawing.key for drawing in metrics_plots.drawings(report)}
    demanded = {drawing.key: drawing for drawing in metrics_plots.on_demand(report)}
    assert not stored & demanded.keys()
    seen = set()
    for level in LEVEL_KEYS:
        for method in ASKS["coefficient"]:
            for section in metrics_chosen.sections(report, {"level": level, "coefficient": method}):
                for chart in section.charts:
                    assert chart.key in (demanded if chart.on_demand else stored), chart.key
                    seen.add(chart.key)
    assert seen >= demanded.keys()
    for drawing in demanded.values():
        assert len(drawing.alt.split()) < 60, drawing.key
        assert drawing.alt.endswith("Table follows.")
    for section in metrics_chosen.sections(report, {}):
        assert not any(chart.on_demand for chart in section.charts)


def test_a_chart_of_a_choice_says_its_level_its_coefficient_and_its_finding(report, monkeypatch):
    monkeypatch.setattr(plots, "DRAWN", ())
    key = "against-faithfulness--pooled-spearman"
    drawn = plots.draw_for_page(report, key)
    best = max(
        report.against.question("faithfulness").targets,
        key=lambda row: abs(row.level("pooled", "spearman").correlation.value),
    )
    value = best.level("pooled", "spearman").correlation.value
    assert "Spearman\u2019s rho of 2\u00a0metrics" in drawn["alt"]
    assert "items pooled" in drawn["alt"]
    assert (
        f"{best.series.name} is furthest from 0, {value:.2f}".replace("-", "\u2212")
        in (drawn["alt"])
    )
    assert drawn["wide"].startswith("<svg")
    assert "plot-narrow" in drawn["narrow"]
    assert plots.draw_file(report, key, "pdf").startswith(b"%PDF")


def test_peoples_lines_stand_only_beside_coefficients_they_can_be_held_against(report):
    planned = shown_at(report)["question-faithfulness"]
    assert "One person against the rest" in planned.finding
    assert "the human ceiling" in planned.finding
    other = shown_at(report, coefficient="spearman")["question-faithfulness"]
    assert "one person" not in other.finding.lower()
    assert "human ceiling" in other.finding
    assert "One person\u2019s line is by Pearson\u2019s r alone." in other.charts[0].caption
    systems = shown_at(report, level="system")["question-faithfulness"]
    assert "ceiling" not in systems.finding
    assert "none stands beside means of models" in systems.charts[0].caption


def test_a_files_tables_hold_every_level_whatever_a_page_shows(report):
    names = [
        table.name for section in metrics_page.sections(report, {}) for table in section.tables
    ]
    assert "against-faithfulness-levels" in names


def test_a_study_without_metrics_has_no_menus(report):
    without = replace_metrics(report)
    assert metrics_chosen.choices(without, {}) == ()
    (section,) = metrics_chosen.sections(without, {"level": "pooled"})
    assert section.finding.startswith("No metric has finished")


def replace_metrics(report):
    return type(report)(**{**vars(report), "metrics": ()})


@pytest.mark.parametrize("query", [{"level": "country"}, {"coefficient": "kappa"}])
def test_what_no_report_has_is_refused(query):
    with pytest.raises(UnknownChoice, match="There is no"):
        asked_of(part_named("metrics"), query)


def test_only_pages_with_menus_are_asked_for_anything():
    query = {"level": "pooled", "coefficient": "", "panel": "NP"}
    assert asked_of(part_named("metrics"), query) == {"level": "pooled"}
    assert asked_of(part_named("agreement"), query) == {}


def test_a_plan_that_names_taub_has_it_at_its_level():
    plan = replace(PLAN, methods=("kendall",), level="within-system")
    report = a_report(study_data(plan=plan), draws=20)
    assert aggregation_asked(report.against, {}).method == "kendall"
    table = main_table(shown_at(report)["question-faithfulness"])
    (row, *_) = report.against.question("faithfulness").targets
    assert cell(table, row.series.name, "value").value == row.levels[0].correlation.value
