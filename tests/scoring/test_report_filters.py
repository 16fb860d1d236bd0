"""Filters of the report: chosen in the address, computed by a worker, kept; and charts as files."""

import pytest

from scoring.figures import draw_figure
from scoring.models import ReportFigure, ReportSnapshot
from scoring.report_tasks import compute_report, draw_report_figure
from scoring.reports import plots
from scoring.snapshots import execute_report
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"


@pytest.fixture
def study(db):
    study = a_study(owner=a_researcher())
    asked = a_question(study, "faithfulness")
    for country in ("NP", "IR"):
        people = [a_rater(study, f"{country}-{n}", country=country) for n in (1, 2)]
        for number in range(3):
            item = an_item(
                study,
                f"{country}{number}",
                country=country,
                system=("Lantern", "Moth")[number % 2],
                category=("dance", "feast")[number % 2],
            )
            for place, person in enumerate(people):
                rate(person, item, {asked: 1 + (number + place) % 5})
    return study


@pytest.fixture
def page(client, study, monkeypatch, django_capture_on_commit_callbacks):
    """Opens an address as the owner; what it asks for is computed before the next one."""
    monkeypatch.setattr("scoring.analysis.compute.REPLICATES", 20)
    client.force_login(study.owner)
    waiting = []
    monkeypatch.setattr(compute_report, "delay", waiting.append)
    monkeypatch.setattr(draw_report_figure, "delay", lambda pk: waiting.append(-pk))

    def opened(url, **more):
        while waiting:
            pk = waiting.pop()
            draw_figure(-pk) if pk < 0 else execute_report(pk)
        with django_capture_on_commit_callbacks(execute=True):
            return client.get(url, **more)

    return opened


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr(plots, "draw_plots", lambda report: {})


def test_a_filter_has_a_report_of_its_own_that_is_kept(page, study, undrawn):
    page(URL)
    assert "12\u00a0ratings counted" in page(URL).content.decode()
    assert "being computed" in page(f"{URL}?panel=IR&system=Moth").content.decode()
    body = page(f"{URL}?panel=IR&system=Moth").content.decode()
    assert "2\u00a0ratings counted" in body
    assert "Annotators in: Iran" in body
    assert "Model: Moth" in body
    assert '<option value="IR" selected>' in body
    assert list(ReportSnapshot.objects.order_by("id").values_list("selection", flat=True)) == [
        "",
        "panel=IR&system=Moth",
    ]
    # Another spelling of the same choice is the same report; the whole one is still there.
    page(f"{URL}scores/?system=Moth&panel=IR&category=")
    assert "12\u00a0ratings counted" in page(URL).content.decode()
    assert ReportSnapshot.objects.count() == 2


@pytest.mark.parametrize("query", ["panel=DE", "system=Kite", "layer=none", "dimension=identity"])
def test_what_the_study_has_not_is_refused_with_a_sentence(page, query):
    response = page(f"{URL}?{query}")
    body = response.content.decode()
    assert response.status_code == 400
    assert "This study has no" in body
    assert "Show everything" in body
    assert ReportSnapshot.objects.count() == 0


def test_htmx_gets_the_body_alone_and_history_the_whole_page(page, undrawn):
    page(URL)
    fragment = page(f"{URL}agreement/", headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div id="report_body"')
    back = page(
        f"{URL}agreement/",
        headers={"HX-Request": "true", "HX-History-Restore-Request": "true"},
    ).content.decode()
    assert back.startswith("<!doctype html>")


def test_without_scripts_the_filters_are_a_form_with_a_button(page, undrawn):
    body = page(URL).content.decode()
    form = body[body.index('<form class="report-filters"') :]
    form = form[: form.index("</form>")]
    assert 'method="get"' in form
    assert "<button" in form
    for name in ("panel", "system", "category", "layer"):
        assert f'<select name="{name}" ' in form


def test_there_is_no_page_by_another_name(page):
    assert page(f"{URL}verdicts/").status_code == 404


@pytest.mark.parametrize(
    ("form", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_a_chart_is_drawn_as_a_file_when_it_is_asked_for(page, form, start):
    page(URL)
    page(URL)
    address = f"{URL}figures/forest-faithfulness.{form}"
    waiting = page(address)
    assert waiting.status_code == 202
    assert "The figure is being drawn" in waiting.content.decode()
    file = page(address)
    assert file.status_code == 200
    assert file.content.startswith(start)
    assert f"weddings-forest-faithfulness.{form}" in file["Content-Disposition"]
    assert ReportFigure.objects.count() == 1


def test_a_chart_that_is_not_there_and_a_form_that_is_none_are_not_found(page, undrawn):
    page(URL)
    assert page(f"{URL}figures/forest-nothing.png").status_code == 404
    assert page(f"{URL}figures/forest-faithfulness.gif").status_code == 404
