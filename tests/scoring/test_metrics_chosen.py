"""Metrics against people at the level and by the coefficient that a reader chooses."""

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


def test_menus_name_the_planned_choice_and_what_is_chosen(report):
    _, (level, at), (coefficient, by) = metrics_chosen.choices(report, {"level": "system"})
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
