"""Runs of a metric: asked for, cancelled, continued, deleted, chosen, taken up after a loss.

``scoring.executing`` is what a worker does with them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from scoring import run_rows
from scoring.coverage import inputs_have_changed, study_coverage
from scoring.executing import INTERRUPTED, execute_run
from scoring.metric_hooks import resolved
from scoring.metrics import get_metric
from scoring.models import MetricRun, RunState
from scoring.run_errors import (
    ITEM_FAILED,
    NothingToScoreError,
    RunNotOverError,
    RunUnderWayError,
    SameRunError,
)
from scoring.scorer import asks_chat
from scoring.selection import Selection, check_selection
from studies.models import Study

__all__ = [
    "cancel_run",
    "choose_run",
    "delete_run",
    "execute_run",
    "request_run",
    "requeue_stale_runs",
    "resume_run",
    "retry_failed_items",
    "stop_run",
    "unchoose_run",
    "unfinished_runs",
]

logger = logging.getLogger("concord.runs")

UNHEARD_AFTER = timedelta(minutes=1)
CONTINUABLE = (RunState.ESTIMATED, RunState.STOPPED, RunState.FAILED, RunState.CANCELLED)


def request_run(
    *,
    study: Study,
    metric: str,
    parameters: Mapping[str, object],
    by: Any,
    selection: Selection = Selection(),  # noqa: B008 (frozen)
    budget: Mapping[str, int] | None = None,
    dry: bool = False,
    ask_first: bool = False,
    foreground: bool = False,
) -> MetricRun:
    """A queued run, sent to the workers once the transaction is committed.

    ``budget`` limits new calls and tokens of a chat model. A ``dry`` one only says what it would
    do, and waits; with ``ask_first`` so does one that asks a chat model. A run in the
    ``foreground`` is executed by who asks. The same run asked for again while it waits or runs is
    that run. Raises ``SameRunError`` where that one would spend what was not asked for,
    ``UnknownMetricError``, ``ParameterError``, ``UnknownItemsError``, or ``NothingToScoreError``
    where no item has what the metric needs.
    """
    found = get_metric(metric)
    limits = {name: limit for name, limit in (budget or {}).items() if limit is not None}
    given = resolved(study=study, metric=metric, parameters=parameters)
    cleaned = found.declaration.clean_parameters(given)
    _refuse_if_nothing_to_score(study, metric)
    check_selection(study, selection)
    asked = {
        "metric": metric,
        "metric_version": found.declaration.version,
        "parameters": cleaned,
        "selection": selection.to_store(),
    }
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # two clicks at once: one after another
        if same := _unfinished_same(study, asked):
            _refuse_if_it_spends_more(same, limits, dry)
            return same
        run = MetricRun.objects.create(
            study=study,
            **asked,
            budget=limits,
            dry=dry or (ask_first and asks_chat(found, cleaned)),
            foreground=foreground,
            n_items=n_pieces(study, selection),
            requested_by=by,
        )
        if not foreground:
            _send_when_committed(run)
    return run


def _unfinished_same(study: Study, asked: Mapping[str, object]) -> MetricRun | None:
    """The run of all this that waits or runs, on what a run would read now."""
    for run in unfinished_runs(study):
        same = all(getattr(run, name) == value for name, value in asked.items())
        if same and not inputs_have_changed(run):
            return run
    return None


def n_pieces(study: Study, selection: Selection) -> int:
    """The number of items, until the run is planned and its cells are counted."""
    from scoring.selection import selected_items

    return selected_items(study, selection).count()


def unfinished_runs(study: Study):
    waiting = [RunState.ESTIMATED, RunState.QUEUED, RunState.RUNNING]
    return study.metric_runs.filter(state__in=waiting)


def cancel_run(*, run: MetricRun) -> bool:
    """Whether the run was waiting or running and is now cancelled. Scores so far are kept."""
    waiting = [RunState.ESTIMATED, RunState.QUEUED, RunState.RUNNING]
    cancelled = MetricRun.objects.filter(pk=run.pk, state__in=waiting).update(
        state=RunState.CANCELLED, finished_at=timezone.now()
    )
    return bool(cancelled)


def stop_run(*, run: MetricRun) -> bool:
    """Whether the run, interrupted within a chunk, is now stopped. It can be continued."""
    stopped = MetricRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(
        state=RunState.STOPPED, finished_at=timezone.now(), error=INTERRUPTED
    )
    return bool(stopped)


def resume_run(
    *,
    run: MetricRun,
    budget: Mapping[str, int] | None = None,
    dry: bool = False,
    foreground: bool = False,
) -> bool:
    """Whether the run had ended before its time, or waited for this word, and is queued again.

    What it scored is kept and not scored again. ``budget`` replaces the run's; None leaves it. A
    ``dry`` one says what the rest would take, and waits.
    """
    changes: dict[str, Any] = {} if budget is None else {"budget": dict(budget)}
    with transaction.atomic():
        queued = MetricRun.objects.filter(pk=run.pk, state__in=CONTINUABLE).update(
            state=RunState.QUEUED, dry=dry, foreground=foreground, **changes
        )
        if queued and not foreground:
            _send_when_committed(run)
    return bool(queued)


def retry_failed_items(*, run: MetricRun) -> int:
    """The number of items and cells on which the metric failed, now queued to be scored again.

    Raises ``RunUnderWayError`` while the run waits or runs.
    """
    with transaction.atomic():
        row = MetricRun.objects.select_for_update().get(pk=run.pk)
        if not row.is_over:
            raise RunUnderWayError("This run is not over yet. Wait for its end, or cancel it.")
        failed = run.scores.filter(reason=ITEM_FAILED)
        items = set(failed.exclude(item=None).values_list("item_id", flat=True))
        cells = set(failed.filter(item=None).values_list("cell", flat=True))
        n = len(items) + len(cells)
        if n:
            lost = Q(item_id__in=failed.values("item_id")) | Q(item=None, cell__in=cells)
            run.scores.filter(lost).delete()
            row.state, row.n_failed, row.n_done = RunState.QUEUED, 0, row.n_done - n
            row.foreground = row.dry = False
            row.save(update_fields=["state", "n_failed", "n_done", "foreground", "dry"])
            _send_when_committed(run)
    return n


def delete_run(*, run: MetricRun) -> None:
    """Remove a run and its scores for good; stored copies of scores stay where they are.

    Raises ``RunUnderWayError`` while it waits or runs.
    """
    with transaction.atomic():
        row = MetricRun.objects.select_for_update().get(pk=run.pk)
        if row.is_under_way:
            raise RunUnderWayError(
                "This run is not over yet, and a worker may be writing its scores. Cancel it "
                "first, then delete it."
            )
        row.delete()


def choose_run(*, run: MetricRun) -> None:
    """Let reports read this run of its metric, whatever newer ones there are.

    Raises ``RunNotOverError`` for one that is not done.
    """
    if run.state != RunState.DONE:
        raise RunNotOverError("Only a run that is done can be read by reports.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=run.study_id)
        unchoose_run(study=run.study, metric=run.metric)
        MetricRun.objects.filter(pk=run.pk).update(chosen=True)


def unchoose_run(*, study: Study, metric: str) -> None:
    """Let reports read the newest run of a metric that is done."""
    study.metric_runs.filter(metric=metric, chosen=True).update(chosen=False)


def requeue_stale_runs(*, alone: bool = False) -> list[int]:
    """Send off the runs that lost their worker or their message; their primary keys.

    A running run is stale when its heartbeat is, or, for a worker that knows itself to be
    ``alone``, at once, unless it is made in a terminal. A queued one has lost its message when it
    waits although nothing runs. (A chunk whose worker was lost while others go on is taken by
    these.)
    """
    now = timezone.now()
    running = MetricRun.objects.filter(state=RunState.RUNNING)
    is_stale = Q(heartbeat_at__lt=now - run_rows.STALE_AFTER)
    if alone:
        is_stale |= Q(foreground=False)
    stale = list(running.filter(is_stale).values_list("pk", "heartbeat_at"))
    requeued = [
        pk
        for pk, heartbeat in stale
        if running.filter(pk=pk, heartbeat_at=heartbeat).update(state=RunState.QUEUED)
    ]
    waiting = MetricRun.objects.filter(state=RunState.QUEUED).exclude(pk__in=requeued)
    if not alone:
        waiting = waiting.filter(requested_at__lt=now - UNHEARD_AFTER)
    if alone or not running.exists():
        requeued += waiting.order_by("requested_at", "pk").values_list("pk", flat=True)
    for pk in requeued:
        logger.info("Run %s is sent to the workers again", pk)
        run_rows.send_off(pk)
    return requeued


def _refuse_if_nothing_to_score(study: Study, metric: str) -> None:
    declaration = get_metric(metric).declaration
    if not study.items.exists():
        raise NothingToScoreError("This study has no items yet. Import items first.")
    for need in study_coverage(study=study, declaration=declaration):
        if need.is_absent:
            raise NothingToScoreError(need.remedy)


def _refuse_if_it_spends_more(run: MetricRun, limits: Mapping[str, int], dry: bool) -> None:
    """Raises ``SameRunError`` where ``run``, which is asked for again, is on its way already and
    may ask for more than what is wanted now."""
    beyond = [name for name, limit in limits.items() if run.budget.get(name, limit + 1) > limit]
    if not run.is_under_way or run.dry or not (dry or beyond):
        return
    told = "only said beforehand" if dry else "held to this budget"
    raise SameRunError(
        f"The same run is under way as run {run.pk}, so what it asks can no longer be {told}. Wait "
        "for its end, or cancel it."
    )


def _send_when_committed(run: MetricRun) -> None:
    transaction.on_commit(lambda: run_rows.send_off(run.pk))
