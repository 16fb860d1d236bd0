"""The row of a run: who may write to it, and how it reaches the workers.

The row is the truth. Taking up a waiting run begins a new *attempt*; every later write is an UPDATE
under the condition that the run is RUNNING in that attempt, so that a worker whose run was
cancelled, or taken up by others after it was lost, writes nothing any more.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from scoring.models import MetricRun, RunChunk, RunState

logger = logging.getLogger("concord.runs")

STALE_AFTER = timedelta(minutes=2)  # without a heartbeat; see scoring.pulse


def claim_run(*, run_id: int) -> MetricRun | None:
    """The waiting run, now RUNNING and ours to plan; None if it is not waiting. Of two one wins.

    Chunks of an earlier attempt are gone with it: what is left is planned anew.
    """
    run = MetricRun.objects.filter(pk=run_id, state=RunState.QUEUED).first()
    if run is None:
        return None
    now = timezone.now()
    # started_at moves by the time in which nobody worked: heartbeat - start is time at work.
    worked = run.heartbeat_at - run.started_at if run.heartbeat_at else timedelta(0)
    with transaction.atomic():
        claimed = MetricRun.objects.filter(pk=run_id, state=RunState.QUEUED).update(
            state=RunState.RUNNING,
            attempt=F("attempt") + 1,
            planned=False,
            started_at=now - worked,
            heartbeat_at=now,
            finished_at=None,
            error="",
            traceback="",
        )
        if not claimed:
            return None
        RunChunk.objects.filter(run=run_id).delete()
        run.refresh_from_db()
    return run


def run_to_join(*, run_id: int) -> MetricRun | None:
    """A run under way that others may help with; None where there is none.

    A run with a budget is the work of one: only so is the budget never exceeded.
    """
    run = MetricRun.objects.filter(pk=run_id, state=RunState.RUNNING, planned=True).first()
    return None if run is None or run.budget else run


def update_own(run: MetricRun, **changes: Any) -> bool:
    """Write to the row, with a new heartbeat, if this attempt is still under way; whether it is."""
    now = timezone.now()
    own = MetricRun.objects.filter(pk=run.pk, state=RunState.RUNNING, attempt=run.attempt)
    if not own.update(heartbeat_at=now, **changes):
        return False
    for name, value in {"heartbeat_at": now, **changes}.items():
        if not hasattr(value, "resolve_expression"):
            setattr(run, name, value)
    return True


def is_own(run: MetricRun) -> bool:
    own = MetricRun.objects.filter(pk=run.pk, state=RunState.RUNNING, attempt=run.attempt)
    return own.exists()


def send_off(run_id: int) -> None:
    """A message for one worker more."""
    from scoring.tasks import execute_run as task

    try:
        task.delay(run_id)
    except (OperationalError, ChannelError):
        # The row stays queued; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for run %s; it stays queued", run_id)
