"""Runs of a metric: asked for, claimed by one worker, scored in chunks, stopped, taken up again.

The row is the truth. A worker owns a run while the row is RUNNING and carries the heartbeat that
this worker wrote last: every step of a run is an UPDATE under that condition, so that a worker
whose run was cancelled or given to another one writes nothing any more. Scores and progress of a
chunk are committed together: after a kill, the items that have scores are finished and the others
are not.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from scoring.backends.image_text import EncoderError
from scoring.backends.text_embedder import EmbedderError, default_text_embedder
from scoring.coverage import ItemFields, inputs_have_changed, inputs_mark, study_coverage
from scoring.encoders import image_text_encoder
from scoring.metrics import get_metric
from scoring.metrics.base import Descriptor, Metric, MetricError, MetricItem, ScoreRow
from scoring.models import MetricRun, Score, WorkState
from studies.models import Item, Study

logger = logging.getLogger("concord.runs")

CHUNK = 25  # items between two heartbeats; a chunk of slow metrics must stay far below STALE_AFTER
STALE_AFTER = timedelta(minutes=2)
UNHEARD_AFTER = timedelta(minutes=1)
ITEM_FAILED = "item_failed"  # a score's reason, beside those that metrics declare

BACKENDS: dict[str, Callable[[], Any]] = {
    "": lambda: None,
    "text_embedder": default_text_embedder,
    "clip": partial(image_text_encoder, "clip"),
    "pickscore": partial(image_text_encoder, "pickscore"),
}


class RunError(Exception):
    """A run cannot be made or continued; the message says why and what to do."""


class NothingToScoreError(RunError):
    """The study lacks what the metric reads."""


class RunOutdatedError(RunError):
    """A run that was interrupted can no longer be continued with the same method."""


class NoItemScoredError(RunError):
    """Every item failed."""


def request_run(
    *, study: Study, metric: str, parameters: Mapping[str, object], by: Any
) -> MetricRun:
    """A queued run, sent to the workers once the transaction is committed.

    The same run asked for again while it waits or runs is that run. Raises ``UnknownMetricError``,
    ``ParameterError``, or ``NothingToScoreError`` where no item has what the metric needs.
    """
    declaration = get_metric(metric).declaration
    cleaned = declaration.clean_parameters(parameters)
    _refuse_if_nothing_to_score(study, declaration.key)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # two clicks at once: one after another
        for run in unfinished_runs(study).filter(metric=metric):
            same = run.parameters == cleaned and run.metric_version == declaration.version
            if same and not inputs_have_changed(run):
                return run
        run = MetricRun.objects.create(
            study=study,
            metric=metric,
            metric_version=declaration.version,
            parameters=cleaned,
            n_items=study.items.count(),
            requested_by=by,
        )
        transaction.on_commit(lambda: _send_off(run.pk))
    return run


def unfinished_runs(study: Study):
    return study.metric_runs.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING])


def claim_run(*, run_id: int) -> MetricRun | None:
    """The run, now RUNNING and ours; None if it is not waiting. Of two claimers one wins."""
    run = MetricRun.objects.filter(pk=run_id, state=WorkState.QUEUED).first()
    if run is None:
        return None
    now = timezone.now()
    # started_at moves by the time in which nobody worked: heartbeat - start is time at work.
    worked = run.heartbeat_at - run.started_at if run.heartbeat_at else timedelta(0)
    claimed = MetricRun.objects.filter(pk=run_id, state=WorkState.QUEUED).update(
        state=WorkState.RUNNING, started_at=now - worked, heartbeat_at=now
    )
    if not claimed:
        return None
    run.refresh_from_db()
    return run


def execute_run(*, run_id: int, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Score what is left of a waiting run; does nothing if it is not waiting.

    ``should_stop`` is asked between chunks: if true, the run goes back to the queue as it stands.
    Expected errors fail the run with their sentence, unexpected ones with their traceback too;
    what was scored is kept.
    """
    run = claim_run(run_id=run_id)
    if run is None:
        return
    try:
        if _score_what_is_left(run, should_stop):
            _update_own(run, state=WorkState.DONE, finished_at=timezone.now())
    except (RunError, MetricError, EmbedderError, EncoderError) as error:
        _fail(run, str(error))
    except Exception as error:  # the boundary of a run
        logger.exception("Run %s stopped on an unexpected error", run.pk)
        sentence = f"The run stopped on an unexpected error ({type(error).__name__}: {error})."
        _update_own(run, traceback=traceback.format_exc())
        _fail(run, f"{sentence} What it had scored is kept.")


def cancel_run(*, run: MetricRun) -> bool:
    """Whether the run was waiting or running and is now cancelled. Scores so far are kept."""
    now = timezone.now()
    cancelled = MetricRun.objects.filter(
        pk=run.pk, state__in=[WorkState.QUEUED, WorkState.RUNNING]
    ).update(state=WorkState.CANCELLED, finished_at=now)
    return bool(cancelled)


def requeue_stale_runs(*, alone: bool = False) -> list[int]:
    """Send off the runs that lost their worker or their message; their primary keys.

    A running run is stale when its heartbeat is, or, for a worker that knows itself to be
    ``alone``, at once. A queued one has lost its message when it waits although nothing runs.
    """
    now = timezone.now()
    running = MetricRun.objects.filter(state=WorkState.RUNNING)
    lost = running if alone else running.filter(heartbeat_at__lt=now - STALE_AFTER)
    stale = list(lost.values_list("pk", "heartbeat_at"))
    requeued = [
        pk
        for pk, heartbeat in stale
        if running.filter(pk=pk, heartbeat_at=heartbeat).update(state=WorkState.QUEUED)
    ]
    waiting = MetricRun.objects.filter(state=WorkState.QUEUED).exclude(pk__in=requeued)
    if not alone:
        waiting = waiting.filter(requested_at__lt=now - UNHEARD_AFTER)
    if alone or not running.exists():
        requeued += waiting.order_by("requested_at", "pk").values_list("pk", flat=True)
    for pk in requeued:
        logger.info("Run %s is sent to the workers again", pk)
        _send_off(pk)
    return requeued


def _refuse_if_nothing_to_score(study: Study, metric: str) -> None:
    declaration = get_metric(metric).declaration
    if not study.items.exists():
        raise NothingToScoreError("This study has no items yet. Import items first.")
    for need in study_coverage(study=study, declaration=declaration):
        if need.is_absent:
            raise NothingToScoreError(need.remedy)


def _send_off(run_id: int) -> None:
    from scoring.tasks import execute_run as task

    try:
        task.delay(run_id)
    except (OperationalError, ChannelError):
        # The row stays queued; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for run %s; it stays queued", run_id)


def _score_what_is_left(run: MetricRun, should_stop: Callable[[], bool]) -> bool:
    """Whether all items are finished; False when the run is no longer ours or was put back."""
    metric = get_metric(run.metric)
    backend = BACKENDS[metric.declaration.needs.backend]()
    _note_the_method(run, metric, backend)
    items = list(run.study.items.order_by("pk"))
    finished = set(run.scores.order_by().values_list("item_id", flat=True).distinct())
    left = [item for item in items if item.pk not in finished]
    if not _update_own(run, n_items=len(items), n_done=len(items) - len(left)):
        return False
    inputs = _Inputs(run.study, metric.declaration.needs.descriptor_kinds)
    for start in range(0, len(left), CHUNK):
        if should_stop():
            _update_own(run, state=WorkState.QUEUED)
            return False
        chunk = left[start : start + CHUNK]
        rows = _score_chunk(metric, chunk, inputs, backend, run.parameters)
        if not _save_chunk(run, chunk, rows):
            return False
    _refuse_if_all_failed(run)
    return True


def _note_the_method(run: MetricRun, metric: Metric, backend: Any) -> None:
    """Store what the scores rest on; a run never mixes two versions of it."""
    model = {"model_id": "", "model_revision": ""}
    inputs = inputs_mark(run.study, metric.declaration)
    if backend is not None:
        model = {"model_id": backend.model_id, "model_revision": backend.revision}
    begun = run.scores.exists()
    same_model = (run.model_id, run.model_revision) == tuple(model.values())
    if run.metric_version != metric.declaration.version or (begun and not same_model):
        raise RunOutdatedError(
            "The metric or its model has changed since this run was asked for. Start a new run, so "
            "that all its scores are made in the same way."
        )
    if begun and run.inputs != inputs:
        raise RunOutdatedError(
            "The study's descriptors have changed since this run began. Start a new run, so that "
            "all its scores are made from the same descriptors."
        )
    _update_own(run, inputs=inputs, **model)


class _Inputs:
    """The descriptors of a study, read once a run and given out by item."""

    def __init__(self, study: Study, kinds: Sequence[str]) -> None:
        self.fields = ItemFields(study)
        self._shared: list[Descriptor] = []
        self._of_item: dict[int, list[Descriptor]] = {}
        rows = study.descriptors.filter(kind__in=kinds).order_by("pk")
        for row in rows.iterator(chunk_size=2000):
            descriptor = Descriptor(
                kind=row.kind,
                dimension=row.dimension,
                token=row.token,
                activity=row.activity,
                country=row.country,
                item_key=str(row.item_id or ""),
            )
            if row.item_id is None:
                self._shared.append(descriptor)
            else:
                self._of_item.setdefault(row.item_id, []).append(descriptor)

    def of(self, items: Iterable[Item]) -> list[Descriptor]:
        own = (descriptor for item in items for descriptor in self._of_item.get(item.pk, ()))
        return [*self._shared, *own]


def _score_chunk(
    metric: Metric,
    chunk: Sequence[Item],
    inputs: _Inputs,
    backend: Any,
    parameters: Mapping[str, object],
) -> list[ScoreRow | Score]:
    """Score rows of all items of the chunk; an item on which the metric breaks gets failed ones."""
    fields = metric.declaration.needs.item_fields
    try:
        return list(
            metric.score(
                items=[
                    MetricItem(
                        key=str(item.pk), fields={f: inputs.fields.text(item, f) for f in fields}
                    )
                    for item in chunk
                ],
                descriptors=inputs.of(chunk),
                backend=backend,
                parameters=parameters,
            )
        )
    except (MetricError, EmbedderError, EncoderError):
        raise  # they hold for every item
    except Exception as error:  # the boundary of an item
        if len(chunk) == 1:
            logger.warning("Item %s could not be scored", chunk[0].pk, exc_info=True)
            return _failed_scores(metric, chunk[0], error)
    return [
        row for item in chunk for row in _score_chunk(metric, [item], inputs, backend, parameters)
    ]


def _failed_scores(metric: Metric, item: Item, error: Exception) -> list[ScoreRow | Score]:
    evidence = {
        "error": f"{type(error).__name__}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }
    return [
        Score(item_id=item.pk, output=output.key, reason=ITEM_FAILED, evidence=evidence)
        for output in metric.declaration.outputs
    ]


def _save_chunk(run: MetricRun, chunk: Sequence[Item], rows: Iterable[ScoreRow | Score]) -> bool:
    """Scores and progress in one transaction; False, and nothing saved, if the run is not ours."""
    scores = [row if isinstance(row, Score) else _score(row) for row in rows]
    for score in scores:
        score.run = run
    with transaction.atomic():
        if not _update_own(run, n_done=run.n_done + len(chunk)):
            return False
        Score.objects.bulk_create(scores, batch_size=500)
    return True


def _score(row: ScoreRow) -> Score:
    return Score(
        item_id=int(row.item_key),
        output=row.metric,
        dimension=row.dimension,
        value=row.value,
        reason=row.reason,
        evidence=dict(row.evidence),
    )


def _refuse_if_all_failed(run: MetricRun) -> None:
    failed = run.scores.filter(reason=ITEM_FAILED)
    if run.scores.exclude(reason=ITEM_FAILED).exists() or not failed.exists():
        return
    evidence = failed[0].evidence
    _update_own(run, traceback=evidence["traceback"])
    raise NoItemScoredError(
        f"The metric failed on every item; the first time with {evidence['error']}."
    )


def _update_own(run: MetricRun, **changes: Any) -> bool:
    """Write to the row, with a new heartbeat, if the run is still ours; whether it was."""
    now = timezone.now()
    mine = MetricRun.objects.filter(
        pk=run.pk, state=WorkState.RUNNING, heartbeat_at=run.heartbeat_at
    )
    if not mine.update(heartbeat_at=now, **changes):
        return False
    for name, value in {"heartbeat_at": now, **changes}.items():
        setattr(run, name, value)
    return True


def _fail(run: MetricRun, sentence: str) -> None:
    _update_own(run, state=WorkState.FAILED, finished_at=timezone.now(), error=sentence)
