"""Exports in a scratch folder, texts that break careless writers, and a worker on demand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.db import transaction
from django.test import override_settings

from annotation.models import Participation
from scoring.analysis import compute
from scoring.exports import jobs
from scoring.exports.catalogue import export_file
from scoring.exports.jobs import job_path
from scoring.exports.options import read_options
from scoring.models import ExportJob, WorkState
from scoring.snapshots import execute_report, request_report
from studies.models import Study
from tests.exports.bundles import SECRET, Packed, a_rated_study
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


@pytest.fixture(scope="session")
def packed(django_db_setup, django_db_blocker, tmp_path_factory) -> Packed:
    """From a study that is gone afterwards: what follows rests on the bundle alone."""
    folder = tmp_path_factory.mktemp("bundle")
    with (
        django_db_blocker.unblock(),
        override_settings(VAR_DIR=folder),
        pytest.MonkeyPatch.context() as patched,
        transaction.atomic(),
    ):
        patched.setattr(compute, "REPLICATES", 50)  # intervals are not what is tested here
        study = a_rated_study()
        execute_report(request_report(study).pk)
        job = made(study, "bundle.zip")
        assert job.state == WorkState.DONE, job.error
        tokens = Participation.objects.values_list("token", flat=True)
        secrets = (SECRET, *tokens, study.entry_token, study.completion_code, study.owner.password)
        path = job_path(job)
        transaction.set_rollback(True)
    return Packed(path, study.seed, secrets)


@pytest.fixture
def bundle(packed, tmp_path) -> Path:
    return Path(shutil.copy(packed.path, tmp_path))
