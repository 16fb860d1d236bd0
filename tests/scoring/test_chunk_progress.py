"""How far a run is shows while a chunk is under way, and a worker learns that it was cancelled."""

import re
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from scoring import chunk_progress, chunks, executing, run_rows, runs
from scoring.chunk_progress import ChunkProgress, UnderWay, under_way
from scoring.metrics import base
from scoring.models import MetricRun, RunChunk
from scoring.pieces import Pieces
from scoring.run_errors import ChunkLostError
from scoring.scorer import Scorer
from scoring.wording import time_left
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(chunk_progress, "time", clock)
    return clock


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "CHUNK", 4)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


@pytest.fixture
def run(letters, draft_study, researcher) -> MetricRun:
    """Asked for, on six items in a chunk of four and one of two."""
    return runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=researcher
    )


@pytest.fixture
def held(run) -> tuple[MetricRun, RunChunk]:
    """The run under way, and its first chunk of four items as its worker holds it."""
    claimed = run_rows.claim_run(run_id=run.pk)
    places = [(pk, 1) for pk in run.study.items.values_list("pk", flat=True)]
    assert chunks.write_chunks(claimed, places, size=4)
    return claimed, chunks.claim_chunk(claimed, "me")


def test_a_chunk_shows_its_share_before_it_is_finished(run, letters, clock):
    seen = []

    def look(item):
        clock.now += 2
        begun = under_way(run)
        seen.append((begun.n, begun.done, run.scores.count()))

    letters.before_item = look
    runs.execute_run(run_id=run.pk)
    assert seen == [(0, 0, 0), (4, 1, 0), (4, 2, 0), (4, 3, 0), (0, 0, 4), (2, 1, 4)]
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("done", 6)


def test_it_is_written_at_most_every_two_seconds(held, clock):
    run, chunk = held
    told = []
    progress = ChunkProgress(run, chunk, lambda: told.append(clock.now))
    for tenth in range(100):
        clock.now = tenth / 10
        progress.saw(tenth / 100)
    assert told == [2.0, 4.0, 6.0, 8.0]
    assert under_way(run) == UnderWay(n=4, done=pytest.approx(3.2))


def test_what_was_shown_is_not_taken_back_when_a_metric_counts_anew(held, clock):
    run, chunk = held
    progress = ChunkProgress(run, chunk, lambda: None)
    for share in (0.75, 0.25):
        clock.now += 3
        progress.saw(share)
    assert under_way(run).percent == 75


def test_a_write_renews_the_heartbeat_of_the_chunk(held, clock):
    run, chunk = held
    long_ago = timezone.now() - timedelta(minutes=1)
    RunChunk.objects.update(heartbeat_at=long_ago)
    progress = ChunkProgress(run, chunk, lambda: None)
    clock.now = 3
    progress.saw(0.5)
    assert RunChunk.objects.get(pk=chunk.pk).heartbeat_at > long_ago


@pytest.mark.parametrize(
    "lose",
    [
        lambda run, chunk: RunChunk.objects.filter(pk=chunk.pk).update(worker="another"),
        lambda run, chunk: RunChunk.objects.filter(pk=chunk.pk).delete(),
        lambda run, chunk: runs.cancel_run(run=run),
        lambda run, chunk: MetricRun.objects.filter(pk=run.pk).update(attempt=7),
    ],
    ids=["taken by another", "finished by another", "cancelled", "taken up anew"],
)
def test_who_has_lost_the_chunk_writes_nothing_and_gives_it_up(held, clock, lose):
    run, chunk = held
    progress = ChunkProgress(run, chunk, lambda: None)
    lose(run, chunk)
    clock.now = 3
    with pytest.raises(ChunkLostError):
        progress.saw(0.5)
    assert not RunChunk.objects.filter(share__gt=0).exists()


def test_a_database_that_is_away_for_a_moment_does_not_stop_the_work(held, clock, monkeypatch):
    def locked(*args):
        raise DatabaseError("database is locked")

    run, chunk = held
    told = []
    progress = ChunkProgress(run, chunk, lambda: told.append(1))
    with monkeypatch.context() as away:
        away.setattr(chunk_progress, "note_share", locked)
        clock.now = 3
        progress.saw(0.25)
    assert (told, under_way(run).n) == ([], 0)
    clock.now = 6
    progress.saw(0.5)
    assert (told, under_way(run).percent) == ([1], 50)


def test_a_chunk_that_another_takes_over_begins_at_nothing(held, clock):
    run, chunk = held
    assert chunks.note_share(run, chunk, 0.5)
    RunChunk.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    taken = chunks.claim_chunk(run, "another")
    assert taken.pk == chunk.pk
    assert under_way(run) == UnderWay()


def test_a_cancelled_run_asks_nothing_more_of_the_chunk_under_way(run, letters, clock):
    def cancel(item):
        clock.now += 3
        if len(letters.scored) == 1:
            runs.cancel_run(run=run)

    letters.before_item = cancel
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert len(letters.scored) == 2, "the item under way is the last one"
    assert not run.scores.exists()


def test_halves_of_a_chunk_add_up_to_it(held, letters):
    run, chunk = held
    scorer = Scorer(run, letters, None, Pieces(run, letters.declaration, None), limit=3)
    shares: list[float] = []
    scorer.scores(scorer.pieces.of_items(chunk.items), shares.append)
    assert shares == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_the_time_that_is_left_counts_in_what_is_under_way(run):
    now = timezone.now()
    run.state, run.n_items, run.n_done = "running", 100, 0
    run.started_at = now - timedelta(seconds=60)
    assert time_left(run, now=now) == ""
    assert time_left(run, now=now, under_way=0.5) == "about 3 h"
    run.n_done = 40
    assert time_left(run, now=now, under_way=20) == "about 40 s"


def test_the_page_says_how_much_of_what_is_under_way_is_done(held, client, researcher):
    run, chunk = held
    assert chunks.note_share(run, chunk, 0.4)
    client.force_login(researcher)
    html = client.get(f"/studies/weddings/metrics/{run.pk}/progress/").content.decode()
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "0 of 6 done 40 % of 4 under way" in words.replace("\u00a0", " ")
    assert 'value="1.60" max="6"' in html


def test_a_chunk_that_is_given_back_is_not_under_way(held):
    run, chunk = held
    chunks.note_share(run, chunk, 0.4)
    chunks.release_chunks(run, "me")
    assert under_way(run) == UnderWay()
