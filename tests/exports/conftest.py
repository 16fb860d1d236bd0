"""Exports in a scratch folder, texts that break careless writers, and a worker on demand."""

from __future__ import annotations

import pytest

from scoring.exports import jobs
from scoring.exports.catalogue import export_file
from scoring.exports.options import read_options
from scoring.models import ExportJob
from studies.models import Study
from tests.scoring.report_study import a_question, a_rater, a_researcher, a_study, an_item, rate

EVIL = [
    '=HYPERLINK("http://evil.example";"x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\tcmd",
    "\rcmd",
    "'=1+1",
    "'",
    "#N/A",
    "_x000D_ written out",
    'He said "no", twice',
    "two\r\nlines",
    "one\nmore",
    "🎏 carp 👩‍👩‍👧",
    "عروسی در یزد، ایران",
    "नेपाल ኢትዮጵያ 日本",
    "a,b;c\td",
    "NA",
    "nan",
    "null",
    "TRUE",
    "007",
    "1e5",
    " blanks around ",
    "<b>&amp;</b>",
    "\u2028line separator",
    "ten thousand letters " * 500,
]


@pytest.fixture(autouse=True)
def _files_in_a_scratch_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture
def owner(db):
    return a_researcher("ana")


@pytest.fixture
def evil_study(owner) -> Study:
    """Namibia's panel; one item an evil text, which stands in its prompt and in what is written."""
    study = a_study(owner=owner, countries=("NA",))
    question = a_question(study, "faithfulness")
    why = study.questions.create(key="why", kind="text", text="Why?", position=900)
    rater = a_rater(study, "NA-01", country="NA")
    for number, text in enumerate(EVIL):
        item = an_item(study, f"n{number:02}", country="NA", prompt=text, system="Model A")
        rate(rater, item, {question: 1 + number % 5}, texts={why: text})
    frozen(study)
    return study


def frozen(study: Study) -> None:
    from tests.scoring.report_study import freeze

    freeze(study)


def made(study: Study, file: str, **options: str) -> ExportJob:
    """A file that a worker has made."""
    chosen = read_options(options, export_file(file).options)
    job = jobs.request_export(study=study, file=file, options=chosen, by=study.owner)
    jobs.execute_export(job.pk)
    job.refresh_from_db()
    return job
