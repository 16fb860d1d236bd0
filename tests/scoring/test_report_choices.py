"""Level and coefficient on the page on metrics against people: in its address, charts on demand."""

import re

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
    a_run,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"
PAGE = f"{URL}metrics/"
CHOICE = "level=within-country&coefficient=pearson"
CHART = "against-faithfulness--within-country-pearson"
FRAGMENT = f"{URL}fragment/"


@pytest.fixture
def study(db):
    study = a_study(owner=a_researcher())
    asked = a_question(study, "faithfulness")
    scores = {}
    for country in ("NP", "IR"):
        people = [a_rater(study, f"{country}-{n}", country=country) for n in (1, 2)]
        for number in range(6):
            item = an_item(
                study, f"{country}{number}", country=country, system=("Lantern", "Moth")[number % 2]
            )
            scores[item] = (number * 3 % 7) / 7
            for place, person in enumerate(people):
                rate(person, item, {asked: 1 + (number + place * number) % 5})
    a_run(study, {"ahead_align": scores})
    return study


@pytest.fixture
def waiting(monkeypatch):
    """What the worker was asked for: reports, and charts as negative numbers."""
    keys = []
    monkeypatch.setattr("scoring.analysis.compute.REPLICATES", 20)
    monkeypatch.setattr(plots, "draw_plots", lambda report: {})
    monkeypatch.setattr(compute_report, "delay", keys.append)
    monkeypatch.setattr(draw_report_figure, "delay", lambda pk: keys.append(-pk))
    return keys


@pytest.fixture
def opened(client, study, django_capture_on_commit_callbacks):
    client.force_login(study.owner)

    def get(url, **more):
        with django_capture_on_commit_callbacks(execute=True):
            return client.get(url, **more)

    return get


@pytest.fixture
def work(waiting):
    def done():
        while waiting:
            pk = waiting.pop()
            draw_figure(-pk) if pk < 0 else execute_report(pk)

    return done


@pytest.fixture
def ready(opened, work):
    """The report is finished; every chart of a choice is still undrawn."""
    opened(PAGE)
    work()


def words(response) -> str:
    body = re.sub(r"<svg.*?</svg>", "", response.content.decode(), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).replace("\u00a0", " ").split())


def test_a_link_shows_the_level_and_the_coefficient_it_names(opened, ready):
    body = opened(f"{PAGE}?{CHOICE}").content.decode()
    assert '<option value="within-country" selected>' in body
    assert '<option value="pearson" selected>' in body
    assert "Faithfulness: Pearson\u2019s r, within each country, averaged" in body
    assert "Faithfulness: Spearman\u2019s rho, items pooled" not in body
    plain = opened(PAGE).content.decode()
    assert '<option value="pooled" selected>' in plain
    assert "Faithfulness: Spearman\u2019s rho, items pooled" in plain
    assert ReportSnapshot.objects.count() == 1


def test_the_number_on_the_page_is_the_stored_one(opened, ready):
    stored = ReportSnapshot.objects.get().report["against"]["questions"][0]["rows"][0]["levels"]
    (found,) = [
        one["correlation"]
        for one in stored
        if (one["correlation"]["level"], one["grouping"], one["correlation"]["method"])
        == ("within", "country", "pearson")
    ]
    shown = f"{found['value']:.2f}".replace("-", "\u2212")
    assert f"ALIGN {shown}" in words(opened(f"{PAGE}?{CHOICE}"))


def test_menus_are_in_the_form_of_the_filters_and_work_by_its_button(opened, ready):
    body = opened(f"{PAGE}?{CHOICE}").content.decode()
    (form,) = re.findall(r'<form class="report-filters".*?</form>', body, flags=re.S)
    assert 'method="get"' in form
    assert "<button" in form
    for name in ("panel", "system", "layer", "level", "coefficient"):
        assert f'<select name="{name}" ' in form
    fragment = opened(f"{PAGE}?{CHOICE}", headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div id="report_body"')


def test_the_menus_stay_chosen_while_a_filtered_report_is_computed(opened, ready, work):
    waits = opened(f"{PAGE}?panel=NP&{CHOICE}").content.decode()
    assert "being computed" in waits
    address = re.search(r'hx-get="([^"]*fragment/[^"]*)"', waits).group(1).replace("&amp;", "&")
    work()
    body = opened(address).content.decode()
    assert "Annotators in: Nepal" in body
    assert '<option value="within-country" selected>' in body


@pytest.mark.parametrize("query", ["level=country", "coefficient=kappa"])
def test_what_there_is_not_is_refused_with_a_sentence(opened, ready, query):
    response = opened(f"{PAGE}?{query}")
    assert response.status_code == 400
    assert "There is no" in words(response)
    assert opened(f"{FRAGMENT}?part=metrics&{query}").status_code == 404


def test_other_pages_have_no_such_menus(opened, ready):
    body = opened(f"{URL}agreement/?{CHOICE}").content.decode()
    assert 'name="level"' not in body


def test_a_chart_of_a_choice_is_drawn_when_it_is_looked_at_and_comes_by_itself(
    opened, ready, work, waiting
):
    first = opened(f"{PAGE}?{CHOICE}").content.decode()
    assert "This chart is being drawn." in first
    poll = re.search(r'hx-get="([^"]*fragment/[^"]*)"', first).group(1).replace("&amp;", "&")
    assert "drawn=0" in poll
    assert CHOICE in poll
    assert opened(poll).status_code == 204
    assert len(waiting) == ReportFigure.objects.count()
    work()
    body = opened(poll).content.decode()
    assert f'id="{CHART}"' in body
    assert "Pearson\u2019s r of 1\u00a0metric with mean Faithfulness" in body
    assert "This chart is being drawn." not in body
    assert "fragment/" not in body
    assert opened(f"{PAGE}?{CHOICE}").content.decode().count("<svg") == body.count("<svg")


def test_a_chart_of_a_choice_is_a_file_too_once_a_page_has_shown_it(opened, ready, work):
    assert opened(f"{URL}figures/{CHART}.pdf").status_code == 404
    opened(f"{PAGE}?{CHOICE}")
    work()
    assert opened(f"{URL}figures/{CHART}.pdf").status_code == 202
    work()
    file = opened(f"{URL}figures/{CHART}.pdf")
    assert file.content.startswith(b"%PDF")


def test_a_chart_that_cannot_be_drawn_leaves_its_table_and_ends_the_waiting(
    opened, ready, work, monkeypatch
):
    opened(f"{PAGE}?{CHOICE}")
    with monkeypatch.context() as broken:
        broken.setattr(plots, "draw_for_page", lambda report, key: 1 / 0)
        work()
    body = opened(f"{PAGE}?{CHOICE}").content.decode()
    assert "This chart is being drawn." not in body
    assert "fragment/" not in body
    assert "Faithfulness: Pearson\u2019s r, within each country, averaged" in body


def test_the_report_as_json_is_the_same_whatever_is_chosen(opened, ready):
    whole = opened(f"{URL}report.json").json()
    assert opened(f"{URL}report.json?{CHOICE}").json() == whole
    levels = whole["against"]["questions"][0]["rows"][0]["levels"]
    assert len({(one["correlation"]["level"], one["grouping"]) for one in levels}) == 5
