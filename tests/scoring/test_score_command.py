"""`manage.py score`: the same run as the workers make, in the foreground."""

import os
import signal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scoring import executing, runs
from scoring.metrics import base
from scoring.models import MetricRun
from tests.conftest import add_item
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "CHUNK", 2)
    return metric


def score(*words: str, **options) -> str:
    out = StringIO()
    call_command("score", "weddings", *words, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_a_run_is_made_and_told(draft_study):
    said = score("letters", param=["times=2"])
    run = MetricRun.objects.get()
    assert (run.state, run.n_done, run.foreground) == ("done", 6, True)
    assert "6 of 6 done." in said
    assert "\r" not in said, "nobody looks on: no bar that moves"
    assert "6 cached" in score("letters", param=["times=2"])


def test_items_are_named_or_narrowed(draft_study, tmp_path):
    score("letters", param=["times=2"], items="np-1,np-3")
    assert MetricRun.objects.first().n_items == 2
    (tmp_path / "ids.txt").write_text("np-2\n\nnp-4\nnp-5\n")
    score("letters", param=["times=2"], items=f"@{tmp_path / 'ids.txt'}")
    assert MetricRun.objects.first().n_items == 3
    with pytest.raises(CommandError, match="has the id np-99"):
        score("letters", param=["times=2"], items="np-99")
    with pytest.raises(CommandError, match="has the country IR"):
        score("letters", param=["times=2"], country=["IR"])


@pytest.mark.parametrize(
    ("words", "options", "sentence"),
    [
        (("lettres",), {}, "Did you mean 'letters'"),
        ((), {}, "Name a metric"),
        (("letters",), {"param": ["times"]}, "write NAME=VALUE"),
        (("letters",), {"param": ["times=99"]}, "out of range"),
        (("letters",), {"resumed": 4711}, "has no run 4711"),
    ],
)
def test_what_is_wrong_is_said(draft_study, words, options, sentence):
    with pytest.raises(CommandError, match=sentence):
        score(*words, **options)
    assert not MetricRun.objects.exists()


def test_a_dry_run_says_what_would_be_scored_and_scores_nothing(draft_study, letters):
    said = score("letters", param=["times=2"], dry_run=True)
    assert "It would score 6 items and cells; 0 were computed before. No chat model is asked." in (
        said
    )
    run = MetricRun.objects.get()
    assert (run.state, letters.scored) == ("estimated", [])
    assert f"--continue {run.pk}" in said
    assert "It would score 6" in score(resumed=run.pk, dry_run=True)
    assert letters.scored == []
    assert "6 of 6 done" in score(resumed=run.pk)
    assert "0 items and cells; 6 were" in score("letters", param=["times=2"], dry_run=True)


def test_a_run_that_was_only_said_is_made_when_it_is_asked_for(draft_study, letters):
    score("letters", param=["times=2"], dry_run=True)
    assert "It would score 6" in score("letters", param=["times=2"], dry_run=True)
    add_item(draft_study, "np-9", prompt="Another")
    assert "It would score 7" in score("letters", param=["times=2"], dry_run=True)
    assert "7 of 7 done" in score("letters", param=["times=2"])
    assert MetricRun.objects.count() == 1


def test_a_dry_run_leaves_the_same_run_that_waits_for_a_worker(draft_study, letters):
    waiting = runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=draft_study.owner
    )
    for how in ({"param": ["times=2"]}, {"resumed": waiting.pk}):
        with pytest.raises(CommandError, match="said beforehand"):
            score(*([] if "resumed" in how else ["letters"]), dry_run=True, **how)
    waiting.refresh_from_db()
    assert (waiting.state, letters.scored) == ("queued", [])


def test_a_study_that_is_not_there_is_told_from_those_that_are(draft_study):
    with pytest.raises(CommandError, match="Studies: weddings"):
        call_command("score", "weding", "letters")


def test_an_interrupt_leaves_a_run_that_goes_on_where_it_stopped(draft_study, letters):
    def press_ctrl_c(item):
        if len(letters.scored) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    letters.before_item = press_ctrl_c
    with pytest.raises(CommandError, match="--continue") as stopped:
        score("letters", param=["times=2"])
    assert stopped.value.returncode == 130
    run = MetricRun.objects.get()
    assert (run.state, run.n_done, run.error) == ("stopped", 4, "Interrupted in the terminal.")
    assert runs.requeue_stale_runs(alone=True) == [], "workers leave it to whoever interrupted it"

    letters.before_item = lambda item: None
    letters.scored.clear()
    assert "6 of 6 done" in score(resumed=run.pk)
    assert len(letters.scored) == 2


def test_a_second_interrupt_stops_at_once(draft_study, letters):
    def press_twice(item):
        if len(letters.scored) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    letters.before_item = press_twice
    with pytest.raises(CommandError, match="Stopped"):
        score("letters", param=["times=2"])
    run = MetricRun.objects.get()
    assert (run.state, run.n_done) == ("stopped", 2)


def test_a_run_in_a_terminal_is_not_taken_from_it_by_a_worker_that_starts(draft_study, letters):
    def start_a_worker(item):
        assert runs.requeue_stale_runs(alone=True) == []

    letters.before_item = start_a_worker
    assert "6 of 6 done" in score("letters", param=["times=2"])


def test_the_list_says_what_each_metric_needs_and_what_is_there(draft_study):
    said = score(list=True)
    assert "letters: Letters" in said
    assert "--param times=..." in said
    assert "6 of 6 items have a prompt" in said
