"""What a worker does with a run: plan it, or join it; score chunk after chunk; end it.

The one who takes a waiting run up plans it: pieces whose scores are in the store are copied, the
others become chunks. Everyone who finds a run with chunks left helps, and sends for one more as
long as there is more to do than he does himself. Whoever finds no chunk left ends the run.
"""

from __future__ import annotations

import logging
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from scoring.backing import Wanted, backend_of, each_backend
from scoring.cache import find_scores
from scoring.chunk_progress import ChunkProgress
from scoring.chunks import (
    claim_chunk,
    has_claimable,
    release_chunks,
    save_chunk,
    save_found,
    write_chunks,
)
from scoring.coverage import inputs_mark, marks_differ
from scoring.exchanges import Budget
from scoring.metrics import get_metric
from scoring.models import MetricRun, RunChunk, RunState
from scoring.pieces import Piece, Pieces
from scoring.pulse import Pulse
from scoring.run_errors import (
    EXPECTED,
    ITEM_FAILED,
    STOPPING,
    TRANSIENT,
    WAITS,
    ChunkLostError,
    NoItemScoredError,
    RunError,
    RunOutdatedError,
)
from scoring.run_rows import STALE_AFTER, claim_run, is_own, run_to_join, send_off, update_own
from scoring.scorer import Scorer, asks_chat

logger = logging.getLogger("concord.runs")

CHUNK = 50  # items of a chunk where the backend names no size
INTERRUPTED = "Interrupted in the terminal."
SLAB = 500  # pieces that are looked up in the store at once

Stop = Callable[[], bool]
Result = TypeVar("Result")


def execute_run(
    *,
    run_id: int,
    should_stop: Stop = lambda: False,
    on_progress: Callable[[MetricRun], None] = lambda run: None,
) -> None:
    """Take a waiting run up, or help with one under way; does nothing where neither is possible.

    ``should_stop`` is asked between chunks: if true, the run goes back to the queue as it stands.
    ``on_progress`` is called after each step, and at times within one. Errors that pass leave the
    run stopped, expected ones fail it with their sentence, unexpected ones with their traceback
    too; scores are kept.
    """
    claimed = claim_run(run_id=run_id)
    run = claimed or run_to_join(run_id=run_id)
    if run is None:
        return
    worker = _Worker(run, should_stop, on_progress)
    try:
        with Pulse(run, worker.name):
            if claimed is not None:
                worker.begin()
            else:
                worker.join()
    except NoItemScoredError as error:
        update_own(run, traceback=error.traceback)
        _end(run, RunState.FAILED, str(error))
    except STOPPING as error:
        _end(run, RunState.STOPPED, str(error))
    except (RunError, *EXPECTED) as error:
        _end(run, RunState.FAILED, str(error))
    except Exception as error:  # the boundary of a run
        logger.exception("Run %s stopped on an unexpected error", run.pk)
        sentence = f"The run stopped on an unexpected error ({type(error).__name__}: {error})."
        update_own(run, traceback=traceback.format_exc())
        _end(run, RunState.FAILED, f"{sentence} What it had scored is kept.")


class _Worker:
    """One worker at one run."""

    def __init__(
        self, run: MetricRun, should_stop: Stop, on_progress: Callable[[MetricRun], None]
    ) -> None:
        self.run = run
        self.name = uuid.uuid4().hex
        self._should_stop = should_stop
        self._on_progress = on_progress
        self._scorer: Scorer
        self._spent_before: dict[str, Any] = {}

    def begin(self) -> None:
        """The work of the one who took the run up."""
        self._open()
        _note_the_method(self.run, self._scorer)
        if self.run.dry:
            self._estimate()
        elif self._plan():
            self._work()

    def join(self) -> None:
        """Help with a run under way, if it is done here as there; else leave it alone."""
        try:
            self._open()
        except (RunError, *EXPECTED, *TRANSIENT) as error:
            logger.warning("This worker cannot help with run %s: %s", self.run.pk, error)
            return
        if _method(self._scorer) != _noted(self.run):
            logger.warning("This worker has another model or version for run %s", self.run.pk)
            return
        self._work()

    def _open(self) -> None:
        metric = get_metric(self.run.metric)
        wanted = Wanted(self.run.parameters, _budget_left(self.run))
        backend = backend_of(metric.declaration.needs.backend, wanted)
        pieces = Pieces(self.run, metric.declaration, backend)
        self._scorer = Scorer(self.run, metric, backend, pieces)

    def _estimate(self) -> None:
        """Say what the run would do, and wait for the person who asked for it."""
        scorer, calls = self._scorer, None
        told = {"pieces": 0, "found": 0, "stored": 0, "calls": 0}

        def found(slab: Sequence[Piece], known: dict[str, Any]) -> None:
            told["found"] += sum(piece.key in known for piece in slab)

        for pieces in self._looked_up(found=found):
            told["pieces"] += len(pieces)
            if pieces and asks_chat(scorer.metric, self.run.parameters):
                one = scorer.estimate(pieces)
                calls = one if calls is None else calls + one
        if calls is not None:
            told |= asdict(calls)
        update_own(self.run, estimate=told, state=RunState.ESTIMATED)

    def _plan(self) -> bool:
        """Copy what the store has and make chunks of the rest; whether the run is still ours."""
        pieces = self._scorer.pieces
        items, cells = self._left()
        n_all = len(pieces.items) + len(pieces.cells)
        if not update_own(self.run, n_items=n_all, n_done=n_all - len(items) - len(cells)):
            return False
        rest: list[tuple[int | str, int]] = []
        for missing in self._looked_up(found=self._copied):
            rest += [(piece.place, len(piece.members)) for piece in missing]
        return write_chunks(self.run, rest, size=_chunk_size(self._scorer.backend))

    def _copied(self, slab: Sequence[Piece], found: dict[str, Any]) -> None:
        stored = {piece.place: found[piece.key] for piece in slab if piece.key in found}
        if stored:
            save_found(self.run, stored)
            self._on_progress(self.run)

    def _looked_up(self, *, found: Callable[..., None]) -> Iterator[list[Piece]]:
        """The pieces left that the store does not have, a slab at a time; of each slab ``found``
        is told what the store has."""
        items, cells = self._left()
        for slab in _slabs(items):
            yield _missing(self._scorer.pieces.of_items(slab), found)
        for slab in _slabs(cells):
            yield _missing(self._scorer.pieces.of_cells(slab), found)

    def _left(self) -> tuple[list[int], list[str]]:
        """Items and cells without scores."""
        scores = self.run.scores.order_by()
        items = set(scores.exclude(item=None).values_list("item_id", flat=True).distinct())
        cells = set(scores.filter(item=None).values_list("cell", flat=True).distinct())
        pieces = self._scorer.pieces
        return (
            [pk for pk in pieces.items if pk not in items],
            [key for key in pieces.cells if key not in cells],
        )

    def _work(self) -> None:
        """Chunk after chunk until none is left, the run is no longer ours, or it is to stop."""
        ahead = self._claimed()
        self._send_for_help()
        while ahead is not None:
            if self._should_stop():
                self._put_back()
                return
            chunk, pieces = ahead
            ahead = None
            if hasattr(self._scorer.metric, "prefetch"):
                ahead = self._claimed()
                if ahead is not None:
                    self._scorer.prefetch(ahead[1])
            self._finish_chunk(chunk, pieces)
            self._on_progress(self.run)
            if not is_own(self.run):
                return
            ahead = ahead or self._claimed()
        _end_if_nothing_is_left(self.run)
        self._on_progress(self.run)

    def _claimed(self) -> tuple[RunChunk, list[Piece]] | None:
        chunk = claim_chunk(self.run, self.name)
        if chunk is None:
            return None
        pieces = self._scorer.pieces
        return chunk, pieces.of_items(chunk.items) if chunk.items else pieces.of_cells(chunk.cells)

    def _finish_chunk(self, chunk: RunChunk, pieces: list[Piece]) -> None:
        seen = ChunkProgress(self.run, chunk, lambda: self._on_progress(self.run)).saw
        try:
            scored = self._persistent(lambda: self._scorer.scores(pieces, seen)) if pieces else {}
            self._persistent(lambda: save_chunk(self.run, chunk, pieces, scored))
        except ChunkLostError:
            logger.info("Run %s: chunk %s is given up, it is not ours", self.run.pk, chunk.number)
        finally:
            self._spent_before = _note_spent(self.run, self._scorer, self._spent_before)

    def _persistent(self, act: Callable[[], Result]) -> Result:
        """``act``, again after a while where an error passes."""
        for wait in WAITS:
            try:
                return act()
            except TRANSIENT as error:
                logger.warning("Run %s waits %g s and tries again: %s", self.run.pk, wait, error)
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()
                if not self._slept(wait):
                    raise
        return act()

    def _slept(self, seconds: float) -> bool:
        """False where the worker is to stop meanwhile, or the run is no longer ours."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._should_stop() or not is_own(self.run):
                return False
            time.sleep(min(left, 1.0))
        return True

    def _send_for_help(self) -> None:
        if not self.run.foreground and not self.run.budget and has_claimable(self.run):
            send_off(self.run.pk)

    def _put_back(self) -> None:
        """Leave; the run goes back to the queue unless somebody else is still at it.

        One made in a terminal waits for whoever interrupted it.
        """
        with transaction.atomic():
            release_chunks(self.run, self.name)
            busy = RunChunk.objects.filter(
                run=self.run.pk, heartbeat_at__gte=timezone.now() - STALE_AFTER
            )
            if busy.exclude(worker="").exists():
                return
            if self.run.foreground:
                _end(self.run, RunState.STOPPED, INTERRUPTED)
            else:
                update_own(self.run, state=RunState.QUEUED)


def _missing(slab: list[Piece], found: Callable[..., None]) -> list[Piece]:
    known = find_scores([piece.key for piece in slab])
    found(slab, known)
    return [piece for piece in slab if piece.key not in known]


def _slabs(places: list[Any]) -> Iterator[list[Any]]:
    return (places[start : start + SLAB] for start in range(0, len(places), SLAB))


def _chunk_size(backend: Any) -> int:
    sizes = [getattr(one, "batch_size", CHUNK) for one in each_backend(backend)]
    return min(sizes, default=CHUNK)


def _method(scorer: Scorer) -> tuple[str, str, str]:
    models = each_backend(scorer.backend)
    return (
        scorer.metric.declaration.version,
        " + ".join(one.model_id for one in models)[:200],
        " + ".join(one.revision for one in models)[:80],
    )


def _noted(run: MetricRun) -> tuple[str, str, str]:
    return (run.metric_version, run.model_id, run.model_revision)


def _note_the_method(run: MetricRun, scorer: Scorer) -> None:
    """Store what the scores rest on; a run never mixes two versions of it."""
    version, model_id, revision = _method(scorer)
    inputs = inputs_mark(run.study, scorer.metric.declaration, run.parameters)
    begun = run.scores.exists()
    if run.metric_version != version or (begun and _noted(run) != _method(scorer)):
        raise RunOutdatedError(
            "The metric or its model has changed since this run was asked for. Start a new run, so "
            "that all its scores are made in the same way."
        )
    if begun and marks_differ(run.inputs, inputs):
        raise RunOutdatedError(
            "What this metric reads of the study has changed since the run began: descriptors, "
            "prompts, questions or the like. Start a new run, so that all its scores are made from "
            "the same."
        )
    update_own(run, inputs=inputs, model_id=model_id, model_revision=revision)


def _budget_left(run: MetricRun) -> Budget:
    spent = run.spent or {}
    used = {
        "calls": spent.get("calls", 0),
        "tokens": spent.get("tokens_in", 0) + spent.get("tokens_out", 0),
    }
    limits = {name: max(limit - used[name], 0) for name, limit in run.budget.items()}
    return Budget(calls=limits.get("calls"), tokens=limits.get("tokens"))


def _note_spent(run: MetricRun, scorer: Scorer, before: dict[str, Any]) -> dict[str, Any]:
    """Add what this worker's chat models have spent since ``before``; what they have spent now."""
    accounts = [asdict(one.spent) for one in each_backend(scorer.backend) if hasattr(one, "spent")]
    now = {name: sum(a[name] for a in accounts) for name in (accounts[0] if accounts else ())}
    if now == before or not now:
        return now
    with transaction.atomic():
        row = MetricRun.objects.select_for_update().only("spent").get(pk=run.pk)
        spent = {
            name: Decimal(row.spent.get(name, 0)) + value - before.get(name, 0)
            for name, value in now.items()
        }
        told = {n: str(value) if n == "cost" else int(value) for n, value in spent.items()}
        MetricRun.objects.filter(pk=run.pk).update(spent=told)
    run.spent = told
    return now


def _end_if_nothing_is_left(run: MetricRun) -> None:
    if RunChunk.objects.filter(run=run.pk).exists():
        return  # others are still at theirs, and one of them ends the run
    _refuse_if_all_failed(run)
    MetricRun.objects.filter(
        ~Exists(RunChunk.objects.filter(run=OuterRef("pk"))),
        Q(planned=True),
        pk=run.pk,
        state=RunState.RUNNING,
        attempt=run.attempt,
    ).update(state=RunState.DONE, finished_at=timezone.now(), heartbeat_at=timezone.now())


def _refuse_if_all_failed(run: MetricRun) -> None:
    failed = run.scores.filter(reason=ITEM_FAILED)
    if run.scores.exclude(reason=ITEM_FAILED).exists() or not failed.exists():
        return
    evidence = failed[0].evidence
    raise NoItemScoredError(
        f"The metric failed on every item; the first time with {evidence['error']}.",
        evidence["traceback"],
    )


def _end(run: MetricRun, state: RunState, sentence: str) -> None:
    update_own(run, state=state, finished_at=timezone.now(), error=sentence)
