"""A run of a metric from the request to its scores, and everything that may come between."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from scoring import executing, run_rows, runs, tasks
from scoring.backends.text_embedder import ModelMissingError
from scoring.metrics import base
from scoring.metrics.base import ParameterError, UnknownMetricError
from scoring.models import MetricRun, Score
from studies.models import Descriptor, Study
from tests.conftest import add_item
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "CHUNK", 2)
    return metric


@pytest.fixture
def run(letters, draft_study, researcher) -> MetricRun:
    """Asked for, on six items in three chunks."""
    return ask(draft_study, researcher)


def ask(study, by, **parameters) -> MetricRun:
    return runs.request_run(
        study=study, metric="letters", parameters={"times": 2} | parameters, by=by
    )


def bring_down_at(letters, nth: int, error: BaseException) -> None:
    def fall(item):
        if len(letters.scored) == nth:
            raise error

    letters.before_item = fall


# ---- asking


def test_a_run_is_stored_and_sent_when_the_transaction_is_committed(
    letters, draft_study, researcher, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(tasks.execute_run, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        run = ask(draft_study, researcher)
        assert sent == []
    assert sent == [run.pk]
    assert (run.state, run.n_items, run.parameters) == ("queued", 6, {"times": 2.0})
    assert run.requested_by == researcher


def test_the_same_run_asked_for_again_is_the_one_that_waits(run, draft_study, researcher):
    assert ask(draft_study, researcher) == run
    assert ask(draft_study, researcher, times="2.0") == run
    assert ask(draft_study, researcher, times=3) != run


def test_the_same_run_may_be_made_again_when_the_first_is_over(run, draft_study, researcher):
    runs.execute_run(run_id=run.pk)
    assert ask(draft_study, researcher) != run


def test_wrong_parameters_are_refused_by_the_metric(letters, draft_study, researcher):
    with pytest.raises(ParameterError, match="out of range: 99"):
        ask(draft_study, researcher, times=99)
    with pytest.raises(UnknownMetricError):
        runs.request_run(study=draft_study, metric="lettres", parameters={}, by=researcher)
    assert not MetricRun.objects.exists()


def test_a_study_without_items_is_refused_with_a_sentence(letters, researcher):
    study = Study.objects.create(owner=researcher, title="E", slug="e", public_title="E")
    with pytest.raises(runs.NothingToScoreError, match="no items yet"):
        ask(study, researcher)


def test_a_run_whose_message_cannot_be_sent_stays_in_the_queue(
    letters, draft_study, researcher, monkeypatch, django_capture_on_commit_callbacks
):
    def refuse(run_id):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.execute_run, "delay", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        run = ask(draft_study, researcher)
    run.refresh_from_db()
    assert run.state == "queued"


# ---- executing


def test_a_run_scores_every_item_once_and_notes_its_method(run, letters):
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, run.n_items) == ("done", 6, 6)
    assert (run.error, run.traceback, run.metric_version) == ("", "", "1")
    assert run.started_at <= run.heartbeat_at
    assert run.finished_at is not None
    scores = Score.objects.filter(run=run).order_by("item__external_id")
    assert [score.value for score in scores] == [2.0 * len("A wedding, np-1")] * 6
    assert len(letters.scored) == 6


def test_a_message_that_comes_twice_does_nothing_the_second_time(run, letters):
    runs.execute_run(run_id=run.pk)
    tasks.execute_run(run.pk)
    assert len(letters.scored) == 6


def test_a_message_for_a_run_that_is_gone_does_nothing(letters):
    runs.execute_run(run_id=4711)
    assert letters.scored == []


def test_a_killed_run_is_finished_without_scoring_an_item_again(run, letters):
    bring_down_at(letters, 3, KeyboardInterrupt())  # within the second chunk of two
    with pytest.raises(KeyboardInterrupt):
        runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, run.scores.count()) == ("running", 2, 2)
    finished = set(run.scores.values_list("item_id", flat=True))

    letters.scored.clear()
    letters.before_item = lambda item: None
    assert runs.requeue_stale_runs(alone=True) == [run.pk]
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, run.scores.count()) == ("done", 6, 6)
    assert finished.isdisjoint(map(int, letters.scored))
    assert len(letters.scored) == 4


def test_a_worker_that_is_stopped_puts_the_run_back_as_it_stands(run, letters):
    runs.execute_run(run_id=run.pk, should_stop=lambda: len(letters.scored) >= 2)
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("queued", 2)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, len(letters.scored)) == ("done", 6, 6)


def test_the_time_in_which_nobody_worked_is_not_counted(run, letters):
    now = timezone.now()
    MetricRun.objects.filter(pk=run.pk).update(
        started_at=now - timedelta(hours=9), heartbeat_at=now - timedelta(hours=8, minutes=59)
    )
    claimed = run_rows.claim_run(run_id=run.pk)
    assert timedelta(seconds=59) < timezone.now() - claimed.started_at < timedelta(minutes=3)


def test_one_bad_item_is_marked_and_the_others_are_scored(run, letters, draft_study):
    bad = draft_study.items.get(external_id="np-3")

    def refuse(item):
        if item.key == str(bad.pk):
            raise ValueError("a picture of nothing")

    letters.before_item = refuse
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("done", 6)
    score = run.scores.get(item=bad)
    assert (score.value, score.reason) == (None, "item_failed")
    assert score.evidence["error"] == "ValueError: a picture of nothing"
    assert run.scores.filter(value__isnull=False).count() == 5


def test_a_run_in_which_every_item_fails_has_failed(run, letters):
    def refuse(item):
        raise ValueError("no use")

    letters.before_item = refuse
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert run.error == "The metric failed on every item; the first time with ValueError: no use."
    assert "in refuse" in run.traceback


def test_an_expected_error_fails_the_run_with_its_sentence(run, letters):
    bring_down_at(letters, 2, ModelMissingError("The model is not installed. Install it."))
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.traceback) == ("failed", "")
    assert run.error == "The model is not installed. Install it."
    assert run.n_done == 2, "what was scored is kept"
    assert run.finished_at is not None


def test_an_unexpected_error_fails_the_run_and_keeps_the_traceback(run, letters, monkeypatch):
    def tear(*args):
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(executing, "save_chunk", tear)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "ZeroDivisionError: nobody thought of this" in run.error
    assert "in tear" in run.traceback


def test_a_run_is_not_continued_with_another_version_of_the_metric(run, letters):
    MetricRun.objects.filter(pk=run.pk).update(metric_version="0")
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "Start a new run" in run.error


def test_items_imported_while_a_run_was_interrupted_are_scored_too(run, letters, draft_study):
    runs.execute_run(run_id=run.pk, should_stop=lambda: len(letters.scored) >= 2)
    add_item(draft_study, "np-7")
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.n_done, run.n_items) == (7, 7)


@pytest.fixture
def reads_descriptors(letters, monkeypatch):
    """The letters metric as if it read reference descriptors, of which the study has one."""
    needs = replace(letters.declaration.needs, descriptor_kinds=("reference",))
    declared = replace(letters.declaration, needs=needs)
    monkeypatch.setattr(LettersMetric, "declaration", declared)


def a_reference(study, token):
    item = study.items.first()
    Descriptor.objects.create(
        study=study, kind="reference", activity=item.category, country=item.country,
        dimension="objects", token=token,
    )  # fmt: skip


def test_a_run_is_not_continued_with_other_descriptors(
    letters, reads_descriptors, draft_study, researcher
):
    a_reference(draft_study, "brass lamp")
    run = ask(draft_study, researcher)
    runs.execute_run(run_id=run.pk, should_stop=lambda: len(letters.scored) >= 2)
    a_reference(draft_study, "clay bowl")
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "has changed since the run began" in run.error
    assert run.scores.count() == 2


def test_a_run_on_older_descriptors_is_not_taken_for_the_one_that_is_asked_for(
    letters, reads_descriptors, draft_study, researcher
):
    a_reference(draft_study, "brass lamp")
    first = ask(draft_study, researcher)
    runs.execute_run(run_id=first.pk, should_stop=lambda: len(letters.scored) >= 2)
    assert ask(draft_study, researcher) == first
    a_reference(draft_study, "clay bowl")
    assert ask(draft_study, researcher) != first


# ---- cancelling


def test_cancelling_stops_a_run_between_two_chunks(run, letters):
    def cancel(item):
        if len(letters.scored) == 3:
            assert runs.cancel_run(run=run)

    letters.before_item = cancel
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert (run.n_done, run.scores.count()) == (2, 2), "the chunk under way is not written"
    assert len(letters.scored) == 4
    assert run.finished_at is not None


def test_a_cancelled_run_is_never_started(run, letters):
    assert runs.cancel_run(run=run)
    runs.execute_run(run_id=run.pk)
    assert letters.scored == []


def test_a_run_that_is_over_cannot_be_cancelled(run):
    runs.execute_run(run_id=run.pk)
    assert not runs.cancel_run(run=run)
    run.refresh_from_db()
    assert run.state == "done"


# ---- taking up again


def set_running(run, *, heard: timedelta) -> None:
    now = timezone.now()
    MetricRun.objects.filter(pk=run.pk).update(
        state="running", started_at=now - heard, heartbeat_at=now - heard
    )


def test_a_running_run_is_stale_two_minutes_after_its_last_heartbeat(run):
    set_running(run, heard=timedelta(seconds=110))
    assert runs.requeue_stale_runs() == []
    set_running(run, heard=timedelta(seconds=130))
    assert runs.requeue_stale_runs() == [run.pk]
    run.refresh_from_db()
    assert run.state == "queued"


def test_a_worker_that_is_alone_takes_up_running_and_waiting_runs_at_once(
    run, draft_study, researcher
):
    waiting = ask(draft_study, researcher, times=3)
    set_running(run, heard=timedelta(seconds=1))
    assert runs.requeue_stale_runs(alone=True) == [run.pk, waiting.pk]


def test_a_waiting_run_is_sent_again_when_nothing_runs_for_a_minute(run, draft_study, researcher):
    assert runs.requeue_stale_runs() == [], "its message may be on its way"
    MetricRun.objects.update(requested_at=timezone.now() - timedelta(minutes=2))
    assert runs.requeue_stale_runs() == [run.pk]
    other = ask(draft_study, researcher, times=3)
    set_running(other, heard=timedelta(seconds=1))
    assert runs.requeue_stale_runs() == [], "it waits for the one that runs"


def test_a_worker_that_lost_its_run_writes_nothing_any_more(run, letters):
    def give_to_another(item):
        if len(letters.scored) == 3:
            set_running(run, heard=timedelta(minutes=3))
            assert runs.requeue_stale_runs() == [run.pk]
            assert run_rows.claim_run(run_id=run.pk).attempt == 2

    letters.before_item = give_to_another
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.scores.count()) == ("running", 2)
