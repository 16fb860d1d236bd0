"""Several workers and several clicks at the same moment, on real connections."""

import threading
import uuid

import pytest
from django.db import connection

from scoring import chunks, executing, run_rows, runs
from scoring.metrics import base
from scoring.models import MetricRun, RunChunk
from scoring.pieces import Pieces
from scoring.scorer import Scorer
from tests.scoring.fake_metric import LettersMetric

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(run_rows, "send_off", lambda run_id: None)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


def at_once(n: int, act) -> list:
    """The results of ``act`` in ``n`` threads that start together."""
    barrier = threading.Barrier(n)
    results: list = []

    def work():
        try:
            barrier.wait(timeout=30)
            results.append(act())
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results


def ask(study, by) -> MetricRun:
    return runs.request_run(study=study, metric="letters", parameters={"times": 2}, by=by)


def test_of_several_claimers_one_gets_the_run(draft_study, researcher):
    run = ask(draft_study, researcher)
    claims = at_once(6, lambda: run_rows.claim_run(run_id=run.pk))
    assert len(claims) == 6
    assert [claim.pk for claim in claims if claim is not None] == [run.pk]


def test_workers_that_get_the_same_message_score_each_item_once(draft_study, researcher, letters):
    run = ask(draft_study, researcher)
    assert at_once(4, lambda: runs.execute_run(run_id=run.pk)) == [None] * 4
    run.refresh_from_db()
    assert (run.state, run.scores.count(), len(letters.scored)) == ("done", 6, 6)


def test_identical_clicks_at_once_make_one_run(draft_study, researcher):
    made = at_once(6, lambda: ask(draft_study, researcher).pk)
    assert len(made) == 6
    assert len(set(made)) == 1
    assert MetricRun.objects.count() == 1


# ---- several workers at one run


@pytest.fixture
def planned(draft_study, researcher, monkeypatch) -> MetricRun:
    """Under way in six chunks of an item each, none of which is claimed."""
    monkeypatch.setattr(executing, "CHUNK", 1)
    run = run_rows.claim_run(run_id=ask(draft_study, researcher).pk)
    run_rows.update_own(run, model_id="", model_revision="")
    places = [(pk, 1) for pk in draft_study.items.values_list("pk", flat=True)]
    assert chunks.write_chunks(run, places, size=1)
    return run


def test_claimers_at_once_get_each_chunk_once(planned):
    def claim_all() -> list[int]:
        worker, got = uuid.uuid4().hex, []
        while (chunk := chunks.claim_chunk(planned, worker)) is not None:
            got.append(chunk.pk)
        return got

    got = [pk for of_one in at_once(6, claim_all) for pk in of_one]
    assert sorted(got) == sorted(RunChunk.objects.values_list("pk", flat=True))
    assert len(got) == 6


def test_workers_that_join_a_run_share_its_items_and_score_none_twice(planned, letters):
    side_by_side = threading.Barrier(2)  # broken where one worker has to do everything
    by_thread: dict[str, set[int]] = {}

    def note(item):
        name = threading.current_thread().name
        if not by_thread.get(name):
            side_by_side.wait(timeout=20)
        by_thread.setdefault(name, set()).add(int(item.key))

    letters.before_item = note
    at_once(2, lambda: runs.execute_run(run_id=planned.pk))
    planned.refresh_from_db()
    assert (planned.state, planned.n_done, planned.scores.count()) == ("done", 6, 6)
    assert sorted(letters.scored) == sorted(
        map(str, planned.study.items.values_list("pk", flat=True))
    )
    assert len(by_thread) == 2
    assert not RunChunk.objects.exists()


def test_two_workers_that_write_one_chunk_at_once_leave_one_set_of_scores(planned, letters):
    """As after a heartbeat that came too late: both have scored the chunk, one may write."""
    chunk = chunks.claim_chunk(planned, "first")
    metric = executing.get_metric("letters")
    pieces = Pieces(planned, metric.declaration, None)
    scorer = Scorer(planned, metric, None, pieces)
    scored = pieces.of_items(chunk.items)
    RunChunk.objects.filter(pk=chunk.pk).update(worker="second")
    other = RunChunk.objects.get(pk=chunk.pk)

    turns = iter([chunk, other])
    lock = threading.Lock()

    def write() -> bool:
        with lock:
            mine = next(turns)
        return chunks.save_chunk(planned, mine, scored, scorer.scores(scored))

    assert sorted(at_once(2, write)) == [False, True]
    planned.refresh_from_db()
    assert (planned.n_done, planned.scores.count()) == (1, 1)


def test_a_run_that_is_cancelled_takes_no_more_scores(planned, letters):
    letters.before_item = lambda item: runs.cancel_run(run=planned)
    runs.execute_run(run_id=planned.pk)
    planned.refresh_from_db()
    assert (planned.state, planned.scores.count()) == ("cancelled", 0)
