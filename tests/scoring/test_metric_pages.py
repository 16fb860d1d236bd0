"""The pages on automatic results and on metrics against people: what stands in them and how."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from scoring.analysis.series import Plan
from scoring.reports import automatic_page, metrics_page, plots
from scoring.reports.palette import BAND_EDGES, BANDS, TOKENS
from scoring.reports.plots import automatic as automatic_plots
from scoring.reports.plots import metrics as metrics_plots
from scoring.reports.plots.canvas import styled
from scoring.reports.plots.heat import token_of
from scoring.reports.plots.svg import inline_svg
from scoring.reports.tables import Estimate, flat, shown
from tests.scoring.series_study import a_human, a_metric, a_report, a_unit, score_data_of

SVG = "{http://www.w3.org/2000/svg}"
COUNTRIES = ("NP", "IR", "BR")
SYSTEMS = ("Lantern", "Moth", "Quill", "Reed")
VARIANTS = ("base", "extended", "country-removed")
REGIONS = {"Global North and South": {"Global South": ("NP", "IR"), "Global North": ("BR",)}}
TARGETS = {
    "ALIGN": ("faithfulness",),
    "HAL": ("faithfulness", "hallucination"),
    "FLAT": ("faithfulness",),
    "CONTRARY": ("faithfulness",),
    "judge": ("faithfulness",),
}
VERDICTS = re.compile(
    r"\b(good|bad|poor|strong|weak|moderate|excellent|fair|significant|significantly|reliable)\b",
    re.IGNORECASE,
)
NASTY = "<b>$x$</b>"


def scores_near(quality, weight, rng, sign=1):
    noise = rng.normal(size=quality.size)
    values = 0.5 + sign * 0.15 * (weight * quality + (1 - weight) * noise)
    return dict(enumerate(np.clip(values, 0, 1).tolist()))


@pytest.fixture(scope="module")
def data():
    """72 items; a question nobody answered, a constant metric, a score that is missing."""
    rng = np.random.default_rng(1)
    n = 72
    quality = rng.normal(size=n)
    units = [
        replace(
            a_unit(
                i,
                country=COUNTRIES[i % 3],
                system=SYSTEMS[(i // 3) % 4],
                category=f"c{i % 8}",
                variant=VARIANTS[(i // 12) % 3],
                scenario=f"s{i % 3}-{i // 36}",
            ),
            link=f"/media/item-{i}?abc",
            name=NASTY if i == 5 else f"item {i}",
        )
        for i in range(n)
    ]
    answers = [
        (i, f"{COUNTRIES[i % 3]}{r}", COUNTRIES[i % 3], int(np.clip(round(3 + q + e), 1, 5)))
        for i, q in enumerate(quality)
        for r, e in enumerate(rng.normal(size=3))
    ]
    return score_data_of(
        units,
        metrics=[
            a_metric("ALIGN", scores_near(quality, 0.8, rng) | {3: "no_prediction"}),
            a_metric("HAL", scores_near(quality, 0.7, rng, -1), better="lower"),
            a_metric("FLAT", dict.fromkeys(range(n), 0.5), metric="flat"),
            a_metric("CONTRARY", scores_near(quality, 0.9, rng, -1), metric="contrary"),
            a_metric("ALIGN", scores_near(quality, 0.6, rng), dimension="attire"),
            a_metric(
                "judge",
                {i: float(np.clip(round(3 + q), 1, 5)) for i, q in enumerate(quality)},
                metric="judge",
                low=1.0,
                high=5.0,
            ),
        ],
        humans=[
            a_human("faithfulness", answers),
            a_human("hallucination", [(i, r, c, 6 - v) for i, r, c, v in answers], better="lower"),
            a_human("never_asked", []),
        ],
        groupings=REGIONS,
        plan=Plan(methods=("pearson",), level="within-country", targets=TARGETS),
        shown_to={
            code: frozenset(i for i in range(n) if COUNTRIES[i % 3] == code) for code in COUNTRIES
        },
    )


@pytest.fixture(scope="module")
def report(data):
    return a_report(data, draws=40)


@pytest.fixture(scope="module")
def pages(report):
    return {
        "automatic": automatic_page.sections(report, {}),
        "metrics": metrics_page.sections(report, {}),
    }


@pytest.fixture(scope="module")
def drawings(report):
    return list(chain(automatic_plots.drawings(report), metrics_plots.drawings(report)))


@pytest.fixture(scope="module")
def drawn(drawings):
    found = {}
    for drawing in drawings:
        for width in ("wide", "narrow"):
            with styled():
                found[drawing.key, width] = inline_svg(
                    drawing.draw(width), key=f"{drawing.key}-{width}", alt=drawing.alt, width=width
                )
    return found


def every_table(pages):
    for section in chain.from_iterable(pages.values()):
        yield from section.tables
        yield from (chart.table for chart in section.charts if chart.table is not None)


def table_named(pages, name):
    (found,) = [table for table in every_table(pages) if table.name == name]
    return found


def cell(table, row, column):
    place = [one.key for one in table.columns].index(column)
    (found,) = [one for one in table.rows if one.cells[0] == row]
    return found.cells[place]


def test_names_of_tables_charts_and_sections_are_unique(pages):
    names = Counter(table.name for table in every_table(pages))
    assert [name for name, n in names.items() if n > 1] == []
    for sections in pages.values():
        ids = Counter(section.id for section in sections)
        assert [one for one, n in ids.items() if n > 1] == []
        cards = Counter(
            row.card.id
            for section in sections
            for table in (*section.tables, *(c.table for c in section.charts if c.table))
            for row in table.rows
            if row.card is not None
        )
        assert [one for one, n in cards.items() if n > 1] == []


def test_every_table_has_as_many_cells_as_columns_and_goes_into_a_file(pages):
    for table in every_table(pages):
        assert all(len(row.cells) == len(table.columns) for row in table.rows), table.name
        keys, rows = flat(table)
        assert len(set(keys)) == len(keys), table.name
        assert len(rows) == len(table.rows)
        assert table.unit and table.aggregation


def test_every_number_names_its_unit_and_how_it_was_made(pages):
    planned = table_named(pages, "against-faithfulness")
    (row,) = [row for row in planned.rows if row.cells[0] == "ALIGN"]
    facts = dict(row.card.facts)
    assert facts["Unit of analysis"] == "item"
    assert "Pearson" in facts["Coefficient"]
    assert "draws, seed 5" in facts["How"]
    assert "family of" in facts["Adjusted"]
    assert "1 item: There are no predicted descriptors" in facts["Left out"].replace("\u00a0", " ")
    assert "ALIGN against the mean rating of Faithfulness" in row.card.sentences[0]


def test_cells_are_the_reports_own_numbers(pages, report):
    planned = table_named(pages, "against-faithfulness")
    for row in report.against.question("faithfulness").targets:
        found = row.levels[0]
        shown_cell = cell(planned, row.series.name, "pearson")
        assert shown_cell.value == found.correlation.value
        if found.correlation.value is not None:
            assert shown_cell.low == found.correlation.interval.low
            assert cell(planned, row.series.name, "p_holm").value == found.adjusted.holm
            assert cell(planned, row.series.name, "p_bh").value == found.adjusted.bh
            assert cell(planned, row.series.name, "n") == found.correlation.n_units


def test_the_planned_aggregation_is_the_first_row_of_each_metric(pages):
    levels = table_named(pages, "against-faithfulness-levels")
    first = {}
    for row in levels.rows:
        first.setdefault(row.cells[0], row)
    assert {row.cells[1] for row in first.values()} == {
        "Within countries, planned",
        "Pooled",  # a dimension, which the plan does not name
    }
    assert first["ALIGN"].strong


def test_averages_over_countries_stand_beside_the_countries_by_every_rule(pages, report):
    table = table_named(pages, "against-faithfulness-countries-pearson")
    (row,) = [
        r for r in report.against.question("faithfulness").rows if r.series.key == "m/HAL//item"
    ]
    (average,) = [one.average for one in row.averages if one.method == "pearson"]
    assert cell(table, "HAL", "mean").value == average.arithmetic
    assert cell(table, "HAL", "fisher").value == average.fisher
    assert cell(table, "HAL", "weighted").value == average.weighted
    assert cell(table, "HAL", "NP").value == next(
        one.value
        for one in row.slices
        if (one.kind, one.key, one.method) == ("country", "NP", "pearson")
    )


def test_what_is_undefined_keeps_its_row_and_says_why(pages):
    undefined = cell(table_named(pages, "against-faithfulness"), "FLAT", "pearson")
    assert undefined.value is None
    assert undefined.why == "not defined: the metric gives every item the same value"
    levels = table_named(pages, "against-never_asked-levels")
    assert {row.cells[0] for row in levels.rows} == {"ALIGN", "HAL", "FLAT", "CONTRARY", "judge"}
    assert all(row.cells[2].why.startswith("not defined") for row in levels.rows)


def test_best_and_worst_are_marked_and_dispersion_sums_up(pages, report):
    table = table_named(pages, "automatic-system")
    breakdown = report.automatic.one("m/HAL//item").by("system")
    notes = {row.cells[0]: row.cells[2].note for row in table.rows if not row.strong}
    assert notes[breakdown.best[0]] == "best"
    assert notes[breakdown.worst[0]] == "worst"
    sd = next(row for row in table.rows if row.strong)
    assert sd.cells[2].value == breakdown.sd


def test_people_stand_beside_the_metrics(pages):
    table = table_named(pages, "automatic-country")
    assert [column.title for column in table.columns][-3:] == [
        "Faithfulness",
        "Hallucination",
        "Never_asked",
    ]


def test_contrasts_say_how_many_pairs_were_matched(pages):
    table = table_named(pages, "automatic-contrasts")
    (gain,) = [r for r in table.rows if r.cells[:2] == ("HAL", "Gain") and r.cells[3] == "All"]
    assert gain.cells[2] == "extended − base"
    assert gain.cells[7] > 0
    assert gain.cells[6].value == pytest.approx(gain.cells[4] - gain.cells[5])


def test_a_metric_that_goes_against_its_declaration_gets_a_note(pages):
    notes = [note for note in pages["metrics"][0].notes if note.warns]
    assert any(note.text.startswith("CONTRARY falls when Faithfulness rises") for note in notes)
    assert not any(note.text.startswith("ALIGN") for note in notes)


def test_directions_are_said_without_a_verdict(pages):
    table = table_named(pages, "against-directions")
    rows = {row.cells[:2]: row.cells for row in table.rows}
    assert rows["HAL", "Hallucination"][2] == "HAL rises when Hallucination rises"
    assert rows["HAL", "Hallucination"][3] == "rises"
    assert rows["CONTRARY", "Faithfulness"][2:4] == (
        "CONTRARY rises when Faithfulness rises",
        "falls",
    )
    assert rows["FLAT", "Faithfulness"][3].startswith("not defined")


def test_judges_stand_against_the_majority_with_counts(pages, report):
    table = table_named(pages, "judges-faithfulness")
    (judge,) = report.against.question("faithfulness").judges
    assert [row.cells[0] for row in table.rows] == ["judge"]
    counts = table_named(pages, "judges-faithfulness-judge-judge-item")
    assert sum(sum(row.cells[1:]) for row in counts.rows) == judge.n_items


def test_no_sentence_of_the_pages_or_charts_passes_a_verdict(pages, drawings):
    texts = [drawing.alt for drawing in drawings]
    for section in chain.from_iterable(pages.values()):
        texts += [section.title, section.finding, *section.points]
        texts += [note.text for note in section.notes]
        texts += [chart.caption for chart in section.charts]
    for table in every_table(pages):
        texts += [table.title, *table.notes]
    assert [text for text in texts if VERDICTS.search(text)] == []


def test_before_intervals_are_there_numbers_stand_and_say_that_they_follow(data):
    early = a_report(data)
    pages = {"metrics": metrics_page.sections(early, {})}
    found = cell(table_named(pages, "against-faithfulness"), "ALIGN", "pearson")
    assert found.value is not None
    assert found.pending
    text = shown(table_named(pages, "against-faithfulness")).rows[0].cells[1][0]
    assert text.pending


def test_without_metrics_both_pages_say_so():
    report = a_report(score_data_of([a_unit(1)], humans=[a_human("q", [(1, "r", "NP", 3)])]))
    for page in (automatic_page, metrics_page):
        (section,) = page.sections(report, {})
        assert section.finding.startswith("No metric has finished")
    assert list(automatic_plots.drawings(report)) == []
    assert list(metrics_plots.drawings(report)) == []


def test_every_chart_of_the_pages_is_drawn_and_none_is_drawn_for_nothing(pages, drawings):
    wanted = {
        chart.key for section in chain.from_iterable(pages.values()) for chart in section.charts
    }
    keys = [drawing.key for drawing in drawings]
    assert len(set(keys)) == len(keys)
    assert wanted == set(keys)


def test_no_drawing_carries_style_data_or_foreign_colours(drawn):
    for (key, width), svg in drawn.items():
        assert "style=" not in svg, (key, width)
        assert "data:" not in svg
        assert "<script" not in svg
        assert not re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]{6})"', svg), (key, width)
        classes = set(re.findall(r'(?:fill|stroke)-([a-z0-9-]+?)[" ]', svg))
        properties = {"opacity", "width", "linejoin", "linecap", "dasharray"}
        assert classes - properties <= set(TOKENS.values()), (key, width)


def test_alternative_texts_are_short_and_lead_to_the_table(drawings):
    for drawing in drawings:
        assert len(drawing.alt.split()) < 60, drawing.key
        assert drawing.alt.endswith("follows."), drawing.key


def test_alternative_texts_say_the_finding(drawings, report):
    alts = {drawing.key: drawing.alt for drawing in drawings}
    ceiling = report.against.question("faithfulness").ceiling.value
    assert f"The human ceiling is {ceiling:.2f}." in alts["against-faithfulness"]
    assert "Not defined: FLAT." in alts["against-faithfulness"]
    assert alts["auto-ranks-faithfulness"].startswith("Ranks of 4 models".replace(" m", "\u00a0m"))


def test_each_point_is_a_link_to_its_item_with_a_title_and_no_stop_for_the_keyboard(drawn):
    svg = drawn["scatter-faithfulness-m-align", "wide"]
    root = ET.fromstring(svg)
    assert root.get("role") == "group"
    links = list(root.iter(f"{SVG}a"))
    assert len(links) == 71  # one item has no score
    titles = {link.get("href"): link.find(f"{SVG}title").text for link in links}
    assert titles["/media/item-5?abc"].startswith(f"{NASTY}: people ")
    assert all(link.get("tabindex") == "-1" for link in links)
    assert all(set(link.keys()) == {"href", "tabindex"} for link in links)
    assert NASTY not in svg  # escaped


def test_undefined_cells_of_a_heat_table_say_so_in_the_drawing(drawn):
    texts = "".join(ET.fromstring(drawn["heat-metrics", "wide"]).itertext())
    assert "n/d" in texts
    assert "−" in texts


def test_a_narrow_heat_table_holds_metrics_against_questions_alone(drawn):
    wide = ET.fromstring(drawn["heat-metrics", "wide"])
    narrow = ET.fromstring(drawn["heat-metrics", "narrow"])
    count = [sum(1 for _ in root.iter(f"{SVG}text")) for root in (wide, narrow)]
    assert count[1] < count[0]
    names = {element.text for element in narrow.iter(f"{SVG}text")}
    assert {"Faithfulness", "ALIGN"} <= names


@pytest.mark.parametrize(
    ("value", "token"),
    [(-1.0, "v1"), (-0.7, "h2"), (-0.09, "h5"), (0.0, "h5"), (0.1, "h6"), (0.7, "v5"), (1.0, "v5")],
)
def test_bands_of_a_heat_table_are_those_that_are_declared(value, token):
    assert token_of(value) == token
    assert len(BANDS) == len(BAND_EDGES) + 1


def test_estimates_never_hide_a_missing_interval(pages):
    for table in every_table(pages):
        for row in table.rows:
            for found in row.cells:
                if isinstance(found, Estimate) and found.value is None:
                    assert found.why, table.name


def test_a_chart_as_a_file_leads_nowhere(drawings, report, monkeypatch):
    monkeypatch.setattr(plots, "DRAWN", (lambda _: drawings,))
    key = "scatter-faithfulness-m-align"
    file = plots.draw_file(report, key, "svg").decode()
    assert "/media/" not in file
    assert "<a " not in file
