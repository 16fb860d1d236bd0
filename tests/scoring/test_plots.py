"""Charts fit for a page under a strict policy: no inline style, no data, text as text."""

import dataclasses
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import numpy as np
import pytest

from annotation.ratings import NOTHING, AnswerTable, RatedItem, Rater, Screens
from scoring.analysis.asked import AskedQuestion, Subjects
from scoring.analysis.columns import fact_columns
from scoring.analysis.compute import analyse_data
from scoring.analysis.gather import StudyData, with_answers
from scoring.analysis.likert import EMPTY_TABLE
from scoring.analysis.selection import WHOLE
from scoring.analysis.series import NO_SCORES, Unit
from scoring.reports.palette import COLOURS, TOKENS, point_tokens
from scoring.reports.plots import draw_plots
from scoring.reports.plots.canvas import axis_number, label
from scoring.reports.plots.svg import convert
from studies.models import Study

pytestmark = pytest.mark.django_db

NASTY = 'Model <b>"$x_1$"</b> & Söhne'


def _question(number, key, direction, n_points):
    return AskedQuestion(
        id=number,
        key=key,
        label=key.capitalize(),
        kind="likert",
        level="ordinal",
        direction=direction,
        points=tuple((value, f"point {value}") for value in range(1, n_points + 1)),
        scale=(),
        of_probes=False,
        tier=1,
        allow_na=False,
    )


QUESTIONS = (
    _question(1, "faithfulness", "higher", 5),
    _question(2, "hallucination", "lower", 5),
    _question(3, "seven", "higher", 7),
)


def _items():
    names = [NASTY if number % 2 else "گل" for number in range(6)]
    generated = [
        RatedItem(
            id=n,
            external_id=f"n{n}",
            system=name,
            origin="generated",
            country="NP",
            cluster=f"p{n}",
        )
        for n, name in enumerate(names)
    ]
    photo = RatedItem(
        id=6, external_id="photo", system="", origin="real", country="NP", cluster="photo"
    )
    return (*generated, photo)


@pytest.fixture(scope="module")
def report(django_db_setup, django_db_blocker):
    """Three raters in Nepal, seven items, three questions; a panel of Iran without ratings."""
    answers = [
        (item, rater, question, value)
        for item in range(6)
        for rater in range(3)
        for question, value in enumerate(
            (1 + (item + rater % 2) % 5, 5 - (item + rater % 2) % 5, 3 + (item + rater % 2) % 5)
        )
    ]
    answers += [(6, 0, question, value) for question, value in enumerate((5, 1, 7))]
    items = {item.id: item for item in _items()}
    given = _table(answers)
    subjects = Subjects(members={item: (item,) for item in items}, probes={}, descriptors={})
    nobody = given.only(np.zeros(given.size, dtype=bool))
    data = StudyData(
        study=_study(),
        selection=WHOLE,
        chosen=(),
        asked=QUESTIONS,
        subjects=subjects,
        every=given,
        given=given,
        answers=given,
        not_applicable=(),
        facts=fact_columns(given, items, subjects),
        table=EMPTY_TABLE,
        pilot=nobody,
        repeats=nobody,
        surplus=0,
        items=items,
        known=items,
        shown_to={"NP": frozenset(range(7)), "IR": frozenset()},
        names={"NP": "Nepal", "IR": "Iran"},
        groupings={},
        plan=None,
        runs=(),
        rules=(),
        exclusions=(),
        read_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        scored=dataclasses.replace(NO_SCORES, items={item: _unit(items[item]) for item in items}),
    )
    with django_db_blocker.unblock():
        return analyse_data(with_answers(data, given), replicates=100)


def _unit(item: RatedItem) -> Unit:
    return Unit(
        key=item.id,
        name=item.external_id,
        system=item.system,
        real=item.origin == "real",
        country=item.country,
        category="",
        aspect="",
        variant="",
        scenario="",
        origin=item.origin,
        cluster=item.cluster,
    )


def _study():
    """A study that is nowhere stored: it has no panels and no models of its own."""
    return Study(pk=0, title="Weddings", slug="weddings", seed=3, state="live")


def _table(answers) -> AnswerTable:
    item, rater, question, value = np.array(answers).T
    shown = item * 3 + rater
    screens, screen = np.unique(shown, return_inverse=True)
    nothing = np.full(item.size, NOTHING)
    return AnswerTable(
        screen=screen,
        question=question + 1,
        item=item,
        probe=nothing,
        descriptor=nothing,
        value=value,
        not_applicable=np.zeros(item.size, dtype=bool),
        has_text=np.zeros(item.size, dtype=bool),
        screens=Screens(
            id=screens,
            unit=screens // 3,
            rater=screens % 3,
            at=1_767_322_800.0 + screens * 60.0,
            out=np.zeros(screens.size, dtype=np.int64),
            counted=np.ones(screens.size, dtype=bool),
        ),
        units=np.arange(7),
        raters=tuple(Rater(code=f"NP-{n}", country="NP", simulated=False) for n in (1, 2, 3)),
    )


@pytest.fixture(scope="module")
def plots(report):
    return draw_plots(report)


def drawings(plots):
    return [(key, width, plots[key][width]) for key in plots for width in ("wide", "narrow")]


def test_each_question_has_both_charts_in_both_widths(plots):
    assert set(plots) == {
        f"{kind}-{question}"
        for kind in ("likert", "forest")
        for question in ("faithfulness", "hallucination", "seven")
    } | {"timeline"}


def test_no_drawing_carries_style_data_or_script(plots):
    for key, width, svg in drawings(plots):
        assert "style=" not in svg, (key, width)
        assert "<style" not in svg
        assert "data:" not in svg
        assert "<script" not in svg
        assert not re.search(r"\son\w+=", svg)
        assert "http://www.w3.org/1999/xlink" not in svg


def test_every_drawing_is_an_image_with_the_finding_as_its_name(plots):
    for key, width, svg in drawings(plots):
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == plots[key]["alt"]
        assert root.get("class") == f"plot plot-{width}"
        assert root.get("width") is None
        assert root.get("viewBox")


def test_colours_are_the_pages_own(plots):
    for key, width, svg in drawings(plots):
        painted = re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]{6})"', svg)
        assert not painted, (key, width, painted)
        classes = set(re.findall(r'(?:fill|stroke)-([a-z0-9-]+?)[" ]', svg))
        assert classes - {"opacity", "width", "linejoin", "linecap", "dasharray"} <= set(
            TOKENS.values()
        ) | {"ink"}


def test_ids_are_unique_on_the_page(plots):
    ids = [found for _, _, svg in drawings(plots) for found in re.findall(r'\sid="([^"]+)"', svg)]
    assert ids
    assert len(ids) == len(set(ids))


def test_references_point_to_ids_of_the_same_drawing(plots):
    for _, _, svg in drawings(plots):
        ids = set(re.findall(r'\sid="([^"]+)"', svg))
        pointed = re.findall(r'href="#([^"]+)"', svg) + re.findall(r"url\(#([^)]+)\)", svg)
        assert set(pointed) <= ids


def test_names_stay_text_whatever_they_hold(plots):
    svg = plots["likert-faithfulness"]["wide"]
    texts = "".join("".join(element.itertext()) for element in ET.fromstring(svg).iter())
    assert "$x_1$" in texts
    assert "گل" in texts
    assert "<b>" not in svg


def test_the_same_report_gives_the_same_bytes(report, plots):
    again = draw_plots(dataclasses.replace(report, questions=report.questions[:1]))
    assert {"timeline", "likert-faithfulness", "forest-faithfulness"} <= set(again)
    assert again == {key: plots[key] for key in again}


def test_the_alternative_text_names_extremes_with_numbers(plots):
    alt = plots["likert-faithfulness"]["alt"]
    assert "3 models" in alt.replace("\u00a0", " ")
    assert "Real photographs, 5.00" in alt
    assert alt.endswith("Table follows.")
    assert len(alt.split()) < 60
    forest = plots["forest-faithfulness"]["alt"]
    assert "Pooled alpha" in forest
    assert "Iran is not defined: no ratings yet." in forest


def test_colour_says_better_or_worse_and_turns_where_lower_is_better():
    assert point_tokens(5, "higher") == ("v1", "v2", "v3", "v4", "v5")
    assert point_tokens(5, "lower") == ("v5", "v4", "v3", "v2", "v1")


@pytest.mark.parametrize("n", range(2, 10))
def test_every_length_of_scale_has_its_own_colours(n):
    tokens = point_tokens(n, "higher")
    assert len(set(tokens)) == n
    assert set(tokens) <= set(COLOURS)


def test_a_question_nobody_answered_has_no_charts(report):
    (first, *_) = report.questions
    nobody = dataclasses.replace(
        first, systems=(), groups=tuple(g for g in first.groups if g.group == "IR")
    )
    drawn = draw_plots(dataclasses.replace(report, questions=(nobody,)))
    assert not [key for key in drawn if "faithfulness" in key]


def test_long_names_are_wrapped_and_cut_and_control_characters_go():
    assert label("a " * 60, width=20).count("\n") == 1
    assert label("a\x00b\x1bc", width=20) == "a b c"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        (-0.75, "\u22120.75"),
        (0.5, "0.5"),
        (0.30000000000000004, "0.3"),
        (-0.0, "0"),
    ],
)
def test_a_number_of_an_axis_is_written_with_the_decimals_it_has(value, text):
    assert axis_number(value) == text


def test_declarations_become_attributes_and_classes():
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="10pt" height="5pt" viewBox="0 0 10 5">'
        "<metadata/><style>*{}</style>"
        '<path id="p" style="fill: #16191d; stroke: #D5D9DE; stroke-width: 2" clip-path="url(#c)"/>'
        "<text style=\"font: 700 9.5px 'Noto Sans', sans-serif; text-anchor: end\">x</text></svg>"
    )
    svg = convert(text, key="k", alt='a "b" & c', width="wide")
    path, words = ET.fromstring(svg)
    assert path.get("class") == "fill-ink stroke-line"
    assert path.get("stroke-width") == "2"
    assert path.get("clip-path") == "url(#k-c)"
    assert path.get("id") == "k-p"
    assert (words.get("font-size"), words.get("font-weight")) == ("9.5", "700")
    assert words.get("class") == "fill-ink"
    assert ET.fromstring(svg).get("aria-label") == 'a "b" & c'
