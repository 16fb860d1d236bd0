"""Level and coefficient on the page on metrics against people: in its address, charts on demand."""

import re

import pytest

from scoring.figures import draw_figure
from scoring.models import ReportFigure, ReportSnapshot, Score
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


PART = "question=faithfulness&metrics=ahead-ahead_hal,ahead-ahead_align"


@pytest.fixture
def two_metrics(study):
    """A second metric and a second question beside the first."""
    other = a_question(study, "realism")
    scores = {item: number / 20 for number, item in enumerate(study.items.order_by("pk"))}
    run = study.metric_runs.get()
    for output in ("ahead_hal", "ahead_exag"):
        Score.objects.bulk_create(
            Score(run=run, item=item, output=output, value=value) for item, value in scores.items()
        )
    for item in scores:
        rate(a_rater(study, f"late-{item.pk}", country=item.country), item, {other: 3})


def test_a_link_shows_the_question_and_the_metrics_it_names(two_metrics, opened, ready):
    response = opened(f"{PAGE}?{PART}")
    body = response.content.decode()
    assert '<option value="faithfulness" selected>' in body
    assert 'id="question-faithfulness"' in body
    assert 'id="question-realism"' not in body
    (form,) = re.findall(r'<form class="report-filters".*?</form>', body, flags=re.S)
    marked = re.findall(r'type="checkbox" name="metrics" value="([^"]*)" checked', form)
    assert sorted(marked) == ["ahead-ahead_align", "ahead-ahead_hal"]
    assert "2 of 3" in form
    assert "Shown: 2 of 3 metrics. Adjusted p stay those of the whole families" in words(response)
    table = body[body.index("<caption>Faithfulness: Spearman") :]
    rows = re.findall(r'<th scope="row">\s*([^<]*?)\s*</th>', table[: table.index("</table>")])
    assert sorted(rows) == ["ALIGN", "HAL"]
    assert 'id="question-realism"' in opened(PAGE).content.decode()


def test_marks_of_the_form_are_the_same_as_the_link(two_metrics, opened, ready):
    sent = "panel=&layer=after-all&question=faithfulness&level=pooled&coefficient=spearman"
    marks = "metrics=ahead-ahead_hal&metrics=ahead-ahead_align&behind=realism-ahead-ahead_hal"
    response = opened(f"{PAGE}?{sent}&{marks}", headers={"HX-Request": "true"})
    assert response["HX-Push-Url"] == (
        f"{PAGE}?question=faithfulness&level=pooled&coefficient=spearman"
        "&metrics=ahead-ahead_align,ahead-ahead_hal"
    )
    plain = opened(f"{PAGE}?panel=&layer=after-all&question=", headers={"HX-Request": "true"})
    assert plain["HX-Push-Url"] == PAGE
    shown = words(opened(response["HX-Push-Url"]))
    assert "Shown: 2 of 3 metrics." in shown
    assert "HAL against Realism" not in shown


def test_charts_of_chosen_metrics_come_by_themselves(two_metrics, opened, ready, work):
    first = opened(f"{PAGE}?{PART}").content.decode()
    assert "This chart is being drawn." in first
    poll = re.search(r'hx-get="([^"]*fragment/[^"]*)"', first).group(1).replace("&amp;", "&")
    work()
    body = opened(poll).content.decode()
    assert "This chart is being drawn." not in body
    assert 'id="against-faithfulness--of-' in body
    assert "Spearman\u2019s rho of 2\u00a0metrics with mean Faithfulness" in body
    chart = re.search(r'id="(against-faithfulness--of-[0-9a-f]+)"', body).group(1)
    assert opened(f"{URL}figures/{chart}.pdf").status_code == 202


def test_any_pair_can_be_looked_behind_by_a_menu_that_works_without_scripts(
    two_metrics, opened, ready
):
    body = opened(f"{PAGE}?behind=realism-ahead-ahead_exag").content.decode()
    section = body[body.index('<section id="behind"') :]
    section = section[: section.index("</section>")]
    assert '<option value="realism-ahead-ahead_exag" selected>' in section
    assert section.count("<option") == 6
    assert 'form="report-filters"' in section
    assert f'formaction="{PAGE}#behind"' in section
    assert "EXAG and Realism" in section
    table = section[section.index("<tbody>") : section.index("</tbody>")]
    assert len(re.findall(r'<a href="/admin/studies/item/\d+/change/"', table)) == 12
    stored = ReportSnapshot.objects.get().report["against"]["questions"][1]["rows"]
    (row,) = [one for one in stored if one["series"]["output"] == "ahead_exag"]
    names = re.findall(r"<bdi>(.*?)</bdi>", table)
    assert names == [point["name"] for point in row["scatter"]["furthest_points"]]


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
    assert opened(f"{URL}report.json?{CHOICE}&question=faithfulness").json() == whole
    levels = whole["against"]["questions"][0]["rows"][0]["levels"]
    assert len({(one["correlation"]["level"], one["grouping"]) for one in levels}) == 5
