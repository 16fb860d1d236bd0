"""The heartbeat of a worker at a run, beside the work: a long call must not look like a death."""

from __future__ import annotations

import logging
import threading
from types import TracebackType

from django.db import DatabaseError, connection
from django.utils import timezone

from scoring.models import MetricRun, RunChunk, RunState

logger = logging.getLogger("concord.runs")

EVERY = 20.0  # seconds; well below scoring.run_rows.STALE_AFTER


class Pulse:
    """Renews the heartbeats of a run and of the chunks that ``worker`` holds, in a thread."""

    def __init__(self, run: MetricRun, worker: str) -> None:
        self._run = run
        self._worker = worker
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._over.wait(EVERY):
                try:
                    beat(self._run, self._worker)
                except DatabaseError:
                    logger.warning("A heartbeat of run %s was not written", self._run.pk)
                    connection.close_if_unusable_or_obsolete()
        finally:
            connection.close()


def beat(run: MetricRun, worker: str) -> None:
    now = timezone.now()
    RunChunk.objects.filter(run=run.pk, worker=worker).update(heartbeat_at=now)
    own = MetricRun.objects.filter(pk=run.pk, state=RunState.RUNNING, attempt=run.attempt)
    own.update(heartbeat_at=now)
