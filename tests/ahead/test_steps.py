"""Steps: claimed once, cancelled, taken up again, told in words."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from scoring import steps
from scoring.models import Calibration, ScoringStep, WorkState
from tests.ahead.conftest import add_descriptor, add_item, done

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """Which steps went to the workers; nothing is sent to a broker."""
    sent: list[int] = []
    monkeypatch.setattr(steps, "_send_off", sent.append)
    return sent


def described(study, name, *tokens, source="eye"):
    item = study.items.get(external_id=name)
    for token in tokens:
        add_descriptor(study, "predicted", token, item=item, source=source)


@pytest.fixture
def ready(study):
    """Ready for a calibration."""
    for token in ("woven sari", "topi cap", "garland"):
        add_descriptor(study, "reference", token)
    described(study, "real-1", "a colourful sari", "cap")
    described(study, "real-2", "flower garland", "topi cap")
    return study


def test_the_same_step_asked_for_twice_is_one(ready, django_capture_on_commit_callbacks, sent):
    with django_capture_on_commit_callbacks(execute=True):
        first = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)
        again = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)
    assert first == again
    assert sent == [first.pk]


def test_of_two_claimers_one_wins(ready):
    step = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)
    assert steps.claim_step(step_id=step.pk) is not None
    assert steps.claim_step(step_id=step.pk) is None


def test_a_cancelled_step_writes_nothing_more(ready):
    step = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)

    def cancel(shown: ScoringStep) -> None:
        steps.cancel_step(step=shown)

    steps.execute_step(step_id=step.pk, on_progress=cancel)
    step.refresh_from_db()
    assert step.state == WorkState.CANCELLED
    assert not Calibration.objects.exists()


def test_a_worker_that_stops_puts_the_step_back_and_another_one_goes_on(study, server):
    server.answer = lambda body: json.dumps({"descriptors": []})
    for n in range(20):
        add_item(study, f"more-{n}")
    parameters = {"model": "eye"}
    step = steps.request_step(study=study, kind="predictions", parameters=parameters, by=None)
    steps.execute_step(step_id=step.pk, should_stop=lambda: True)
    step.refresh_from_db()
    assert step.state == WorkState.QUEUED
    steps.execute_step(step_id=step.pk, should_stop=lambda: len(server.requests) > 0)
    asked = len(server.requests)
    assert 0 < asked < 24 * 5
    steps.execute_step(step_id=step.pk)
    step.refresh_from_db()
    assert (step.state, step.n_done) == (WorkState.DONE, 24)
    assert len(server.requests) == 24 * 5


def test_a_step_that_lost_its_worker_is_sent_off_again(ready, sent):
    step = steps.request_step(study=ready, kind="calibration", parameters={}, by=None)
    steps.claim_step(step_id=step.pk)
    sent.clear()
    assert steps.requeue_stale_steps() == []
    ScoringStep.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert steps.requeue_stale_steps() == [step.pk]
    assert sent == [step.pk]


def test_a_step_that_is_gone_on_with_keeps_its_account(study, server):
    server.answer = lambda body: json.dumps({"descriptors": []})
    step = done(study, "predictions", model="eye", budget_calls=7)
    assert (step.state, step.n_calls) == (WorkState.FAILED, 7)
    steps.resume_step(step=step, budget_calls=13)
    steps.execute_step(step_id=step.pk)
    step.refresh_from_db()
    assert (step.state, step.n_calls, step.n_done) == (WorkState.DONE, 20, 4)


def test_an_unexpected_error_fails_the_step_with_its_traceback(ready, monkeypatch):
    def broken(work):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("scoring.ahead.calibrating.do", broken)
    step = done(ready, "calibration")
    assert step.state == WorkState.FAILED
    assert "the disk is full" in step.error
    assert "RuntimeError" in step.traceback


def test_only_a_step_that_failed_or_was_cancelled_can_be_gone_on_with(ready):
    step = done(ready, "calibration")
    with pytest.raises(steps.StepError, match="failed or was cancelled"):
        steps.resume_step(step=step, budget_calls=None)


# ---- calibration, on the real embedder


def test_a_calibration_is_stored_with_its_quartiles_and_chart(ready):
    step = done(ready, "calibration")
    assert (step.state, step.error) == (WorkState.DONE, "")
    row = Calibration.objects.get()
    assert (row.extractor, row.references, row.values_of) == ("eye", "all", "best")
    assert (row.n_images, row.n_values) == (2, 6)
    assert row.q1 <= row.median <= row.q3
    assert 0 < row.share_above_q3 <= 0.5
    assert row.embedder.endswith("MiniLM-L6-v2")
    assert set(row.plots) == {"wide", "narrow", "alt"}
    assert row.plots["wide"].startswith("<svg") and "style=" not in row.plots["wide"]


def test_generated_pictures_play_no_part_in_it(ready):
    described(ready, "gen-1", "space suit", "neon sign")
    done(ready, "calibration")
    assert Calibration.objects.get().n_images == 2


def test_all_pairs_are_a_calibration_of_their_own(ready):
    done(ready, "calibration")
    done(ready, "calibration", values_of="pairs")
    assert {row.values_of: row.n_values for row in Calibration.objects.all()} == {
        "best": 6,
        "pairs": 12,
    }


# ---- the command


def test_the_command_does_the_same_in_a_terminal(ready, capsys):
    call_command("describe", "weddings", "--calibrate")
    told = capsys.readouterr()
    row = Calibration.objects.get()
    assert f"Q3 {row.q3:.3f}" in told.out
    assert "1 of 1" in told.err


def test_the_command_asks_chat_models_within_a_budget(study, server):
    server.answer = lambda body: json.dumps({"descriptors": []})
    with pytest.raises(CommandError, match="budget"):
        call_command("describe", "weddings", "--predictions", "--model=eye", "--budget-calls=7")
    assert len(server.requests) == 7
    call_command("describe", "weddings", "--predictions", "--model=eye")
    assert len(server.requests) == 20


def test_the_command_says_what_is_wrong(study):
    with pytest.raises(CommandError, match="no study “x”"):
        call_command("describe", "x", "--calibrate")
    with pytest.raises(CommandError, match="reference descriptors"):
        call_command("describe", "weddings", "--calibrate")
