"""The report as a workbook, as LaTeX, and as one HTML file."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from scoring.analysis import compute
from scoring.analysis.codec import from_json
from scoring.exports.jobs import job_path
from scoring.exports.latex import escape, latex_tables
from scoring.exports.latex_text import DEFINITION
from scoring.exports.report_html import report_html, unlinked
from scoring.models import ReportSnapshot
from scoring.reports.tables import flat, shown, tables
from scoring.snapshots import execute_report, request_report
from studies.models import Study
from tests.exports.conftest import frozen, made
from tests.scoring.report_study import a_question, a_rater, a_run, a_study, an_item, rate

pytestmark = pytest.mark.django_db
TITLE = "Weddings & feasts_100% <b>"


@pytest.fixture
def study(owner, monkeypatch) -> Study:
    """Two panels and a metric; names that HTML and LaTeX would trip over."""
    monkeypatch.setattr(compute, "REPLICATES", 50)
    study = a_study(owner=owner, title=TITLE)
    question = a_question(study, "faithfulness")
    items = [
        an_item(study, f"{country}-{n}", country=country, system=f"Model_{n % 2} & co <i>")
        for country in ("NP", "IR")
        for n in range(6)
    ]
    for country in ("NP", "IR"):
        for person in range(3):
            rater = a_rater(study, f"{country}-0{person + 1}", country=country)
            for n, item in enumerate(i for i in items if i.country == country):
                rate(rater, item, {question: 1 + (n + person) % 5})
    a_run(study, {"ALIGN": {item: n / 7 for n, item in enumerate(items)}})
    frozen(study)
    execute_report(request_report(study).pk)
    return study


@pytest.fixture
def snapshot(study) -> ReportSnapshot:
    return study.reports.get()


@pytest.fixture
def report(snapshot):
    return from_json(snapshot.report)


def test_every_table_of_the_report_is_a_sheet_with_its_raw_numbers(study, report):
    job = made(study, "report.xlsx")
    assert job.state == "done", job.error
    as_it_stands = {"dtype": object, "keep_default_na": False, "na_values": [""]}
    sheets = pd.read_excel(job_path(job), sheet_name=None, **as_it_stands)
    every = tables(report)
    assert len(sheets) == len(every) + 1
    about = sheets.pop("About").astype(str)
    assert about.value[about.about == "study"].tolist() == [TITLE]
    for sheet, table in zip(sheets.values(), every, strict=True):
        names, rows = flat(table)
        assert list(sheet.columns) == list(names)
        assert len(sheet) == len(rows)
        for n, row in enumerate(rows):
            read = [None if pd.isna(value) else value for value in sheet.iloc[n]]
            wanted = [None if value == "" else value for value in row]
            told = [str(v) if isinstance(w, str) else v for v, w in zip(read, wanted, strict=True)]
            assert told == [pytest.approx(w, abs=0) if isinstance(w, float) else w for w in wanted]


def test_latex_has_a_booktabs_table_for_every_table_with_its_label(report):
    text = latex_tables(report)
    for table in tables(report):
        assert f"\\label{{tab:{table.name}}}" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(tables(report))
    assert text.count("{") == text.count("}")
    for name in set(re.findall(r"\\begin\{(\w+)\}", text)):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}")


def test_every_row_of_a_latex_table_has_as_many_cells_as_its_head(report):
    body = re.findall(r"\\midrule\n(.*?)\\bottomrule", latex_tables(report), re.DOTALL)
    for rows, table in zip(body, tables(report), strict=True):
        lines = [line for line in rows.splitlines() if line.endswith(r"\\")]
        assert len(lines) == len(table.rows)
        for line in lines:
            assert len(re.findall(r"(?<!\\)&", line)) == len(table.columns) - 1


def test_names_are_escaped_for_latex_and_comments_stay_comments(report):
    text = latex_tables(report)
    assert r"Model\_0 \& co $<$i$>$" in text
    outside = [
        line for line in text.splitlines() if not line.startswith("%") and line != DEFINITION
    ]
    assert not [line for line in outside if re.search(r"(?<!\\)[#%]", line)]
    assert escape("\u22120.5\u00a0% [a]\n\\x{}") == r"$-$0.5~\% [a] \textbackslash{}x\{\}"


class Links(HTMLParser):
    """Everything an HTML file would fetch or run, and the text that it shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.shown: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster", "action") or name.startswith("on"):
                self.fetched.append(f"{name}={value}")
            if name in ("href", "xlink:href") and not value.startswith("#"):
                self.fetched.append(f"{name}={value}")

    def handle_data(self, data):
        self.shown.append(data)


def test_the_html_file_fetches_nothing_and_has_no_script(snapshot, report):
    page = Links(report_html(report, snapshot.plots))
    assert page.fetched == []
    assert not {"script", "link", "iframe", "img", "object"} & set(page.tags)
    text = report_html(report, snapshot.plots)
    assert "url(" not in text.replace("url(#", "")
    assert "@import" not in text


def test_the_html_file_shows_every_table_and_every_plot(snapshot, report):
    text = report_html(report, snapshot.plots)
    page = Links(text)
    said = " ".join("".join(page.shown).split())
    assert TITLE in said
    for table in tables(report):
        assert " ".join(table.title.split()) in said
        for row in shown(table).rows:
            assert " ".join(row.cells[0][0].text.split()) in said
    for key, drawn in snapshot.plots.items():
        assert unlinked(drawn["wide"]) in text, key
    assert snapshot.plots


def test_the_files_come_from_the_page_of_exports(client, study, owner):
    client.force_login(owner)
    html = client.get("/studies/weddings/export/report.html")
    assert html["Content-Disposition"] == 'attachment; filename="weddings-report.html"'
    assert client.get("/studies/weddings/export/report.tex").content.startswith(b"% Weddings")
    assert client.get("/studies/weddings/export/report.json").json() == study.reports.get().report
