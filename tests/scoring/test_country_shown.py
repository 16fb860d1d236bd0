"""The filter by the items' country, where panels rate items of other countries than their own."""

from statistics import fmean

import pytest

from annotation.models import Rating
from scoring.analysis.compute import analyse
from scoring.analysis.gather import gather
from scoring.analysis.selection import Selection, choices, selection_of, stored_selection
from scoring.metrics.base import Cell
from scoring.models import ReportSnapshot, Score
from scoring.report_tasks import compute_report
from scoring.reports import plots
from scoring.snapshots import execute_report
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import ratings_from_labels
from scoring.stats.scale import declare_scale
from studies.models import Unit
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"


@pytest.fixture
def study(db):
    """Two panels that both rate pictures of both countries; one answer is missing."""
    study = a_study(owner=a_researcher())
    asked = a_question(study, "faithfulness")
    people = [a_rater(study, f"{c}-{n}", country=c) for c in ("NP", "IR") for n in (1, 2)]
    scores = {}
    for country in ("NP", "IR"):
        for number in range(4):
            item = an_item(study, f"{country}{number}", country=country, system="Lantern")
            scores[item] = number / 4
            for place, person in enumerate(people):
                if (country, number, place) != ("IR", 2, 3):
                    rate(person, item, {asked: 1 + (number * 2 + place + len(scores)) % 5})
    Unit.objects.filter(study=study).update(country="")
    run = a_run(study, {"ahead_align": scores})
    for country in ("NP", "IR"):
        cell = Cell(activity="", country=country, system="Lantern").key
        Score.objects.create(run=run, cell=cell, output="ahead_ddiv", value=0.5)
    return study


def offered(study):
    return {choice.name: dict(choice.options) for choice in choices(study)}


def rows_of(study, **wanted):
    rows = Rating.objects.filter(assignment__participation__study=study, **wanted)
    return list(
        rows.order_by("id").values_list(
            "item__external_id", "assignment__participation__code", "value"
        )
    )


def test_it_is_offered_where_a_panel_rates_items_of_another_country(study):
    assert offered(study)["shown"] == {"IR": "Iran", "NP": "Nepal"}
    for country in ("NP", "IR"):
        Unit.objects.filter(study=study, key__startswith=country).update(country=country)
    assert "shown" not in offered(study)
    Unit.objects.filter(study=study, key="NP0").update(country="IR")
    assert "shown" in offered(study)


def test_one_panel_that_rates_several_countries_has_it_too(db):
    study = a_study(owner=a_researcher(), countries=("NP",))
    an_item(study, "home", country="NP")
    assert "shown" not in offered(study)
    away = an_item(study, "away", country="IR")
    assert "shown" not in offered(study)  # a unit of Iran, for whose panel nobody is asked
    away.units.update(country="")
    assert offered(study)["shown"] == {"IR": "Iran", "NP": "Nepal"}


def test_it_is_part_of_the_selections_one_spelling(study):
    chosen = selection_of({"shown": "IR", "panel": "NP"}, choices(study))
    assert chosen.key == "panel=NP&shown=IR"
    assert stored_selection(chosen.key) == chosen


def test_it_keeps_the_answers_about_items_of_that_country_by_every_panel(study):
    report = analyse(study, selection=Selection(shown="IR"), replicates=0)
    rows = rows_of(study, item__country="IR")
    assert report.chosen == ("Country shown: Iran",)
    assert (report.data.ratings, report.data.items) == (len(rows), 4) == (15, 4)
    pooled, iran, nepal = report.questions[0].groups
    assert pooled.summary.mean == pytest.approx(fmean(value for *_, value in rows))
    own = rows_of(study, item__country="IR", assignment__participation__panel__country="NP")
    assert nepal.summary.mean == pytest.approx(fmean(value for *_, value in own))
    assert nepal.summary.n_ratings == 8
    assert iran.summary.n_ratings == 7


def test_its_coefficients_are_the_engines_on_those_answers(study):
    report = analyse(study, selection=Selection(shown="IR"), replicates=0)
    item, rater, value = zip(*rows_of(study, item__country="IR"), strict=True)
    ratings = ratings_from_labels(
        units=list(item),
        raters=list(rater),
        values=list(value),
        scale=declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5]),
    )
    (expected,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "ordinal")]
    )
    assert report.questions[0].groups[0].alpha.value == pytest.approx(expected.value)


def test_panel_and_country_shown_narrow_each_other(study):
    report = analyse(study, selection=Selection(panel="NP", shown="IR"), replicates=0)
    rows = rows_of(study, item__country="IR", assignment__participation__panel__country="NP")
    assert report.data.ratings == len(rows) == 8
    assert report.questions[0].groups[0].summary.mean == pytest.approx(
        fmean(value for *_, value in rows)
    )


def test_scores_of_items_and_of_cells_are_those_of_the_country(study):
    scored = gather(study, Selection(shown="IR")).scored
    assert {unit.country for unit in scored.items.values()} == {"IR"}
    assert [unit.country for unit in scored.cells.values()] == ["IR"]
    (pairing,) = analyse(study, selection=Selection(shown="IR"), replicates=0).against.questions
    pooled = pairing.rows[0].level("pooled", "spearman")
    assert pooled.correlation.n_units == 4


def test_the_page_has_the_filter_and_a_worker_computes_what_it_asks_for(
    client, study, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr("scoring.analysis.compute.REPLICATES", 10)
    monkeypatch.setattr(plots, "draw_plots", lambda report: {})
    waiting = []
    monkeypatch.setattr(compute_report, "delay", waiting.append)
    client.force_login(study.owner)
    with django_capture_on_commit_callbacks(execute=True):
        waits = client.get(f"{URL}?shown=IR").content.decode()
    assert "being computed" in waits
    assert '<select name="shown" ' in waits
    assert '<option value="IR" selected>Iran</option>' in waits
    execute_report(waiting.pop())
    body = client.get(f"{URL}?shown=IR").content.decode()
    assert "15\u00a0ratings counted" in body
    assert "Country shown: Iran" in body
    assert ReportSnapshot.objects.get().selection == "shown=IR"


@pytest.mark.parametrize("query", ["shown=DE", "shown=ir"])
def test_a_country_that_is_not_shown_is_refused(client, study, query):
    client.force_login(study.owner)
    response = client.get(f"{URL}?{query}")
    assert response.status_code == 400
    assert "no country shown" in response.content.decode()
