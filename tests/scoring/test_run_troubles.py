"""Errors that pass, memory that runs out, bad items, budgets: what a run does about each."""

from dataclasses import dataclass, replace

import pytest
from django.db import OperationalError

from scoring import backing, executing, run_errors, runs
from scoring.backends.chat import ChatBusyError, ChatRejectedError
from scoring.exchanges import Budget, BudgetReachedError, Estimate, Spent
from scoring.metrics import base
from scoring.metrics.base import Needs
from scoring.models import MetricRun, RunChunk
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "CHUNK", 6)
    monkeypatch.setattr(executing, "WAITS", (0.0, 0.0, 0.0))
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


def ask(study, by, **more) -> MetricRun:
    return runs.request_run(study=study, metric="letters", parameters={"times": 2}, by=by, **more)


def executed(run: MetricRun) -> MetricRun:
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def raise_times(letters, n: int, error: Exception) -> list:
    """The metric raises ``error`` at its first ``n`` items; what it has raised."""
    raised = []

    def fall(item):
        if len(raised) < n:
            raised.append(item.key)
            raise error

    letters.before_item = fall
    return raised


# ---- errors that pass


@pytest.mark.parametrize(
    "error",
    [ChatBusyError("busy"), OperationalError("locked"), TimeoutError(), ConnectionResetError()],
)
def test_an_error_that_passes_is_waited_out(letters, draft_study, researcher, error):
    raised = raise_times(letters, 3, error)
    run = executed(ask(draft_study, researcher))
    assert (run.state, run.n_done, run.n_failed) == ("done", 6, 0)
    assert len(raised) == 3
    assert len(letters.scored) == 6


def test_an_error_that_does_not_pass_leaves_the_run_stopped_and_it_goes_on_later(
    letters, draft_study, researcher
):
    raise_times(letters, 99, ChatBusyError("The server is busy. Start again later."))
    run = executed(ask(draft_study, researcher))
    assert (run.state, run.error) == ("stopped", "The server is busy. Start again later.")
    assert not run.scores.exists(), "no item is blamed for a busy server"
    letters.before_item = lambda item: None
    assert runs.resume_run(run=run)
    assert executed(run).state == "done"
    assert (run.error, run.finished_at is not None) == ("", True)


def test_a_save_that_meets_a_locked_database_is_done_again_without_scoring_again(
    letters, draft_study, researcher, monkeypatch
):
    save, refused = executing.save_chunk, []

    def refuse_once(*args):
        if not refused:
            refused.append(True)
            raise OperationalError("database is locked")
        return save(*args)

    monkeypatch.setattr(executing, "save_chunk", refuse_once)
    run = executed(ask(draft_study, researcher))
    assert (run.state, run.scores.count(), len(letters.scored)) == ("done", 6, 6)


def test_what_holds_for_every_item_fails_the_run_at_once(letters, draft_study, researcher):
    raised = raise_times(letters, 99, ChatRejectedError("The server refused the key (401)."))
    run = executed(ask(draft_study, researcher))
    assert (run.state, run.error) == ("failed", "The server refused the key (401).")
    assert len(raised) == 1


# ---- bad items and memory


def test_two_bad_items_of_a_chunk_are_marked_and_the_others_are_scored(
    letters, draft_study, researcher
):
    bad = set(map(str, draft_study.items.order_by("pk").values_list("pk", flat=True)[1:6:3]))

    def refuse(item):
        if item.key in bad:
            raise ValueError("a picture of nothing")

    letters.before_item = refuse
    run = executed(ask(draft_study, researcher))
    failed = run.scores.filter(reason="item_failed").values_list("item_id", flat=True)
    assert set(map(str, failed)) == bad
    assert (run.state, run.n_done, run.n_failed, run.n_undefined) == ("done", 6, 2, 0)


def test_failed_items_can_be_scored_again_without_the_others(letters, draft_study, researcher):
    raise_times(letters, 4, ValueError("no use"))  # the chunk, both halves, the first item
    run = executed(ask(draft_study, researcher))
    n_failed = run.n_failed
    assert n_failed
    letters.scored.clear()
    letters.before_item = lambda item: None
    assert runs.retry_failed_items(run=run) == n_failed
    executed(run)
    assert (run.state, run.n_done, run.n_failed, len(letters.scored)) == ("done", 6, 0, n_failed)
    assert runs.retry_failed_items(run=run) == 0
    assert run.state == "done"


class OutOfMemoryError(RuntimeError):
    """As torch names it."""


@pytest.mark.parametrize("error", [OutOfMemoryError("CUDA"), MemoryError()])
def test_where_memory_runs_out_the_run_goes_on_in_smaller_batches(
    letters, draft_study, researcher, monkeypatch, error
):
    sizes = []
    score = LettersMetric.score

    def of_at_most_two(self, *, items, **more):
        sizes.append(len(items))
        if len(items) > 2:
            raise error
        return score(self, items=items, **more)

    monkeypatch.setattr(LettersMetric, "score", of_at_most_two)
    monkeypatch.setattr(executing, "CHUNK", 4)
    run = executed(ask(draft_study, researcher))
    assert (run.state, run.n_done, run.n_failed) == ("done", 6, 0)
    assert sizes == [4, 2, 2, 2]


def test_rows_of_another_item_than_was_asked_for_are_not_stored(
    letters, draft_study, researcher, monkeypatch
):
    def confused(self, items, *more):
        for item in items:
            yield base.ScoreRow(str(int(item.key) + 1000), "letters", "", 1.0, "", {})

    monkeypatch.setattr(LettersMetric, "_rows", confused)
    run = executed(ask(draft_study, researcher))
    assert run.state == "failed"
    assert "which it was not asked for" in run.error


# ---- a chat model, its budget, and what it would cost


@dataclass
class Paid:
    """A backend that is paid by the call."""

    budget: Budget
    model_id: str = "paid"
    revision: str = "http://127.0.0.1"
    batch_size: int = 1

    def __post_init__(self):
        self.spent = Spent()

    def call(self):
        if self.budget.calls is not None and self.spent.calls >= self.budget.calls:
            raise BudgetReachedError("The budget is reached.")
        self.spent.calls += 1
        self.spent.tokens_in += 10


class PaidLetters(LettersMetric):
    declaration = replace(
        LettersMetric.declaration, needs=Needs(item_fields=("prompt",), backend="paid")
    )

    def score(self, *, items, backend, **more):
        for _ in items:
            backend.call()
        return super().score(items=items, backend=backend, **more)

    def estimate(self, *, items, cells, descriptors, backend, parameters):
        return Estimate(stored=0, calls=len(items), tokens_in=10 * len(items), tokens_out_at_most=5)


@pytest.fixture
def paid(letters, monkeypatch) -> PaidLetters:
    metric = PaidLetters()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setitem(backing.BACKENDS, "paid", lambda wanted: Paid(wanted.budget))
    return metric


def test_a_run_that_reaches_its_budget_is_stopped_and_goes_on_with_a_larger_one(
    paid, draft_study, researcher
):
    run = executed(ask(draft_study, researcher, budget={"calls": 4}))
    assert (run.state, run.n_done, run.error) == ("stopped", 4, "The budget is reached.")
    assert (run.spent["calls"], run.spent["tokens_in"]) == (4, 40)
    runs.resume_run(run=run, budget={"calls": 5})
    executed(run)
    assert (run.state, run.n_done, run.spent["calls"]) == ("stopped", 5, 5)
    runs.resume_run(run=run, budget={})
    executed(run)
    assert (run.state, run.n_done, run.spent["calls"]) == ("done", 6, 6)


def test_what_it_would_cost_is_said_before_anything_is_asked(paid, draft_study, researcher):
    run = executed(ask(draft_study, researcher, dry=True))
    assert run.state == "estimated"
    assert (run.estimate["calls"], run.estimate["tokens_in"]) == (6, 60)
    assert paid.scored == []
    assert not run.is_over
    runs.resume_run(run=run, budget={"calls": 6})
    assert executed(run).state == "done"


def test_a_dry_run_of_a_metric_that_asks_no_model_scores_nothing(letters, draft_study, researcher):
    run = executed(ask(draft_study, researcher, dry=True))
    assert (run.state, letters.scored, run.scores.count()) == ("estimated", [], 0)
    assert run.estimate == {"pieces": 6, "found": 0, "stored": 0, "calls": 0}
    runs.resume_run(run=run)
    assert executed(run).state == "done"
    again = executed(ask(draft_study, researcher, dry=True))
    assert (again.state, again.estimate["pieces"], again.estimate["found"]) == ("estimated", 0, 6)


def test_failed_items_of_a_run_whose_rest_was_only_estimated_are_scored_again(
    letters, draft_study, researcher
):
    raise_times(letters, 4, ValueError("no use"))
    run = executed(ask(draft_study, researcher))
    n_failed = run.n_failed
    MetricRun.objects.filter(pk=run.pk).update(state="cancelled", dry=True)
    letters.before_item = lambda item: None
    assert runs.retry_failed_items(run=run) == n_failed > 0
    assert (executed(run).state, run.n_failed) == ("done", 0)


def test_a_page_waits_only_where_a_model_is_asked(letters, draft_study, researcher):
    assert executed(ask(draft_study, researcher, ask_first=True)).state == "done"


def test_what_the_rest_of_a_stopped_run_takes_is_said_without_asking(paid, draft_study, researcher):
    run = executed(ask(draft_study, researcher, budget={"calls": 4}))
    n_scored = len(paid.scored)
    runs.resume_run(run=run, dry=True)
    executed(run)
    assert (run.state, run.estimate["calls"], run.spent["calls"]) == ("estimated", 2, 4)
    assert (len(paid.scored), run.n_done) == (n_scored, 4)
    runs.resume_run(run=run, budget={})
    assert executed(run).n_done == 6


def test_a_dry_run_is_not_the_same_run_that_waits_to_be_paid_for(paid, draft_study, researcher):
    waiting = ask(draft_study, researcher)
    with pytest.raises(run_errors.SameRunError, match=f"as run {waiting.pk}.*said beforehand"):
        ask(draft_study, researcher, dry=True)
    assert ask(draft_study, researcher, ask_first=True) == waiting
    assert paid.scored == []


def test_a_run_with_a_budget_is_not_the_same_run_that_has_a_larger_one(
    paid, draft_study, researcher
):
    waiting = ask(draft_study, researcher, budget={"calls": 5})
    assert ask(draft_study, researcher, budget={"calls": 5}) == waiting
    assert ask(draft_study, researcher) == waiting, "it spends less than is allowed now"
    with pytest.raises(run_errors.SameRunError, match="held to this budget"):
        ask(draft_study, researcher, budget={"calls": 4})
    with pytest.raises(run_errors.SameRunError, match="held to this budget"):
        ask(draft_study, researcher, budget={"tokens": 100})


def test_what_was_scored_before_is_not_in_the_estimate(paid, draft_study, researcher):
    executed(ask(draft_study, researcher))
    run = executed(ask(draft_study, researcher, dry=True))
    assert run.estimate["calls"] == 0


def test_a_run_with_a_budget_is_the_work_of_one(paid, draft_study, researcher):
    run = ask(draft_study, researcher, budget={"calls": 9})

    def look(item):
        calls = len(paid.scored)
        runs.execute_run(run_id=run.pk)  # another worker's message
        assert len(paid.scored) == calls

    paid.before_item = look
    assert executed(run).spent["calls"] == 6


def test_chunks_of_a_stopped_run_do_not_outlast_its_taking_up(paid, draft_study, researcher):
    run = executed(ask(draft_study, researcher, budget={"calls": 4}))
    assert RunChunk.objects.filter(run=run).count() == 2
    runs.resume_run(run=run, budget={})
    executed(run)
    assert not RunChunk.objects.exists()


# ---- deleting and choosing


def test_a_run_under_way_is_not_deleted(letters, draft_study, researcher):
    run = ask(draft_study, researcher)
    with pytest.raises(run_errors.RunUnderWayError, match="Cancel it first"):
        runs.delete_run(run=run)
    executed(run)
    runs.delete_run(run=run)
    assert not MetricRun.objects.exists()
    assert draft_study.items.count() == 6
