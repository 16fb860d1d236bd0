"""Files that a worker makes: once a state of the data, by one worker, kept for a week."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from scoring import export_tasks
from scoring.exports import jobs, making
from scoring.exports.catalogue import UnknownFile
from scoring.exports.options import OptionRefused, Options, read_options
from scoring.models import ExportJob, WorkState
from studies.models import Study
from tests.exports.conftest import frozen, made
from tests.scoring.report_study import a_question, a_rater, a_study, an_item, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner) -> Study:
    study = a_study(owner=owner)
    question = a_question(study, "faithfulness")
    rate(a_rater(study, "NP-01", country="NP"), an_item(study, "n1", country="NP"), {question: 4})
    frozen(study)
    return study


def asked(study: Study, file: str = "ratings.parquet", **options: str) -> ExportJob:
    return jobs.request_export(study=study, file=file, options=Options(**options), by=study.owner)


def test_a_second_click_gives_the_same_job_and_the_same_file(study):
    first = asked(study)
    assert asked(study) == first
    jobs.execute_export(first.pk)
    assert asked(study) == first
    assert ExportJob.objects.count() == 1


def test_other_options_and_other_data_give_another_file(study):
    first = asked(study)
    assert asked(study, layer="all") != first
    assert asked(study, file="ratings.xlsx") != first
    question = study.questions.get(key="faithfulness")
    rate(a_rater(study, "NP-02", country="NP"), study.items.get(), {question: 2})
    assert not jobs.is_current(first)
    assert asked(study) != first


def test_an_option_that_a_file_has_not_makes_no_other_file(study):
    assert asked(study, file="items.parquet", layer="all") == asked(study, file="items.parquet")


def test_a_made_file_has_its_size_checksum_rows_and_last_day(study):
    job = made(study, "ratings.parquet")
    content = jobs.job_path(job).read_bytes()
    assert (job.state, job.size, job.n_total) == (WorkState.DONE, len(content), 1)
    assert job.sha256 == hashlib.sha256(content).hexdigest()
    assert job.expires_at - job.finished_at == jobs.KEPT_FOR
    assert job.requested_by == study.owner


def test_of_two_workers_one_makes_the_file(study):
    job = asked(study)
    work = jobs._Work.claim(job.pk)
    assert work is not None
    assert jobs._Work.claim(job.pk) is None


def test_a_cancelled_job_writes_nothing_any_more(study, monkeypatch):
    job = asked(study)

    def cancelled_meanwhile(job, path, work):
        path.write_bytes(b"half")
        jobs.cancel_export(job)
        work.update(n_done=1)

    monkeypatch.setattr(making, "make_file", cancelled_meanwhile)
    jobs.execute_export(job.pk)
    job.refresh_from_db()
    assert job.state == WorkState.CANCELLED
    assert list(job.folder.iterdir()) == []
    assert asked(study) != job


def test_what_breaks_off_is_told_and_can_be_made_again(study, monkeypatch):
    def broken(job, path, work):
        raise RuntimeError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(making, "make_file", broken)
        failed = made(study, "ratings.parquet")
    assert failed.state == WorkState.FAILED
    assert "disk full" in failed.error
    assert "Traceback" in failed.traceback
    assert made(study, "ratings.parquet").state == WorkState.DONE


def test_a_report_that_is_not_there_yet_is_said_so(study):
    job = made(study, "report.xlsx")
    assert job.state == WorkState.FAILED
    assert job.error.startswith("No report is finished yet.")
    assert job.traceback == ""


def test_a_file_that_is_gone_is_made_again(study):
    job = made(study, "ratings.parquet")
    jobs.job_path(job).unlink()
    again = made(study, "ratings.parquet")
    assert jobs.job_path(again).exists()


def test_expired_files_go_with_their_rows_and_orphaned_folders_too(study):
    old, kept = made(study, "ratings.parquet"), made(study, "items.parquet")
    ExportJob.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    export_tasks.take_up()
    assert not old.folder.exists()
    assert jobs.job_path(kept).exists()
    assert list(ExportJob.objects.all()) == [kept]


def test_work_that_lost_its_worker_or_its_message_is_sent_again(study, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(jobs, "_send_off", sent.append)
    waiting, running = asked(study), asked(study, file="ratings.xlsx")
    jobs._Work.claim(running.pk)
    assert jobs.requeue_stale_exports() == []
    long_ago = timezone.now() - timedelta(hours=1)
    ExportJob.objects.filter(pk=waiting.pk).update(requested_at=long_ago)
    ExportJob.objects.filter(pk=running.pk).update(heartbeat_at=long_ago)
    assert sorted(jobs.requeue_stale_exports()) == sorted(sent) == [waiting.pk, running.pk]
    assert jobs.requeue_stale_exports() == []


def test_a_worker_that_is_alone_takes_everything_up_at_once(study, monkeypatch):
    monkeypatch.setattr(jobs, "_send_off", lambda pk: None)
    job = asked(study)
    jobs._Work.claim(job.pk)
    assert jobs.requeue_stale_exports(alone=True) == [job.pk]


def test_what_is_given_at_once_needs_no_worker(study):
    with pytest.raises(UnknownFile):
        asked(study, file="ratings.csv")


def test_an_option_that_is_not_offered_is_refused_by_name():
    with pytest.raises(OptionRefused, match="after-all or after-rules or all") as refusal:
        read_options({"layer": "none"}, ("layer",))
    assert refusal.value.field == "layer"
    assert read_options({"layer": "none"}, ("rows",)) == Options()
