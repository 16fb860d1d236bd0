"""Several workers and several clicks at the same moment, on real connections."""

import threading

import pytest
from django.db import connection

from scoring import executing, run_rows, runs
from scoring.metrics import base
from scoring.models import MetricRun
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
