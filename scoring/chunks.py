"""Chunks of a run: planned once, claimed by whoever is free, written and removed together.

A chunk row stands for work that is not finished. It is claimed by a conditional UPDATE, and its
scores are written in the transaction that deletes it under the condition that it is still the
writer's: nothing is written twice, and no two workers hold one chunk. A chunk whose holder has
given no heartbeat for long may be claimed by another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import Exists, F, Q
from django.utils import timezone

from scoring.cache import Stored, copy_scores, keep_scores, n_undefined
from scoring.models import MetricRun, RunChunk, RunState, Score
from scoring.pieces import Piece
from scoring.run_errors import ITEM_FAILED
from scoring.run_rows import STALE_AFTER, update_own

Scored = Mapping[int | str, Sequence[Score]]
"""The unsaved scores of pieces by their places."""


def write_chunks(run: MetricRun, pieces: Iterable[tuple[int | str, int]], *, size: int) -> bool:
    """Store (place, number of items behind it) as chunks of about ``size`` items; whether the run
    was still ours. Items and cells do not share a chunk."""
    chunks: list[RunChunk] = []
    weight = size
    for place, n_items in pieces:
        is_cell = isinstance(place, str)
        last = chunks[-1] if chunks else None
        if last is None or weight + n_items > size or bool(last.cells) != is_cell:
            last = RunChunk(run=run, number=len(chunks) + 1, items=[], cells=[])
            chunks.append(last)
            weight = 0
        (last.cells if is_cell else last.items).append(place)
        weight += n_items
    with transaction.atomic():
        if not update_own(run, planned=True):
            return False
        RunChunk.objects.bulk_create(chunks, batch_size=200)
    return True


def claim_chunk(run: MetricRun, worker: str) -> RunChunk | None:
    """The next chunk of this attempt that nobody works on, now ours; None where none is left."""
    while True:
        chunk = _claimable(run).order_by("number").first()
        if chunk is None:
            return None
        now = timezone.now()
        # Columns of the row itself: of two claimers the second one meets the first one's values.
        heard = Q(heartbeat_at=chunk.heartbeat_at) if chunk.heartbeat_at else Q(heartbeat_at=None)
        seen = RunChunk.objects.filter(heard, Exists(_own_run(run)), pk=chunk.pk)
        if seen.filter(worker=chunk.worker).update(worker=worker, heartbeat_at=now, share=0):
            chunk.worker, chunk.heartbeat_at = worker, now
            return chunk


def has_claimable(run: MetricRun) -> bool:
    return _claimable(run).exists()


def release_chunks(run: MetricRun, worker: str) -> None:
    """Give back what ``worker`` holds."""
    RunChunk.objects.filter(run=run.pk, worker=worker).update(worker="", heartbeat_at=None, share=0)


def note_share(run: MetricRun, chunk: RunChunk, share: float) -> bool:
    """Write how much of a chunk is done, with a heartbeat; False, and nothing written, where the
    chunk or the run is no longer ours."""
    own = RunChunk.objects.filter(Exists(_own_run(run)), pk=chunk.pk, worker=chunk.worker)
    return bool(own.update(share=share, heartbeat_at=timezone.now()))


def save_chunk(run: MetricRun, chunk: RunChunk, pieces: Sequence[Piece], scored: Scored) -> bool:
    """Scores, their stored copies and progress in one transaction; False, and nothing saved, where
    the chunk or the run is no longer ours."""
    keys = {piece.place: piece.key for piece in pieces}
    with transaction.atomic():
        if not update_own(run, **_counted(scored)):
            return False
        deleted, _ = RunChunk.objects.filter(pk=chunk.pk, worker=chunk.worker).delete()
        if not deleted:
            transaction.set_rollback(True)
            return False
        Score.objects.bulk_create(
            [score for scores in scored.values() for score in scores], batch_size=500
        )
        kept = {keys[place]: scores for place, scores in scored.items()}
        keep_scores(kept, metric=run.metric, model=run.model_id)
    return True


def save_found(run: MetricRun, found: Mapping[int | str, Stored]) -> bool:
    """Scores that were in the store, by place; False, and nothing saved, where the run is not
    ours."""
    counted = {
        "n_done": F("n_done") + len(found),
        "n_cached": F("n_cached") + len(found),
        "n_undefined": F("n_undefined") + n_undefined(found.values()),
    }
    with transaction.atomic():
        if not update_own(run, **counted):
            return False
        copy_scores(found, run_id=run.pk)
    return True


def _counted(scored: Scored) -> dict[str, F]:
    failed = sum(any(s.reason == ITEM_FAILED for s in scores) for scores in scored.values())
    undefined = sum(_is_undefined(scores) for scores in scored.values())
    return {
        "n_done": F("n_done") + len(scored),
        "n_failed": F("n_failed") + failed,
        "n_undefined": F("n_undefined") + undefined,
    }


def _is_undefined(scores: Sequence[Score]) -> bool:
    """Whether an overall score lacks its value, for another reason than a failure."""
    overall = [score for score in scores if score.dimension == ""]
    return any(s.value is None for s in overall) and all(s.reason != ITEM_FAILED for s in scores)


def _claimable(run: MetricRun):
    """Of this attempt only: chunks of an earlier one are deleted when the run is taken up."""
    lost = timezone.now() - STALE_AFTER
    return RunChunk.objects.filter(
        Exists(_own_run(run)), Q(worker="") | Q(heartbeat_at__lt=lost), run=run.pk
    )


def _own_run(run: MetricRun):
    return MetricRun.objects.filter(pk=run.pk, state=RunState.RUNNING, attempt=run.attempt)
