"""How far workers are within the chunks that they hold: told now and then, for pages and bars.

Scores are written chunk by chunk; a chunk whose items ask a slow model takes minutes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import DatabaseError, connection

from scoring.chunks import note_share
from scoring.models import MetricRun, RunChunk
from scoring.run_errors import ChunkLostError

logger = logging.getLogger("concord.runs")

EVERY = 2.0  # seconds between two writes, at the least


class ChunkProgress:
    """Takes in the share of a chunk that is done, as often as it changes, and writes it at times.

    A metric may count one thing and then another: what was shown is never taken back.
    """

    def __init__(self, run: MetricRun, chunk: RunChunk, written: Callable[[], None]) -> None:
        self._run = run
        self._chunk = chunk
        self._tell = written
        self._share = 0.0
        self._written_at = time.monotonic()

    def saw(self, share: float) -> None:
        """Raises ``ChunkLostError`` where the chunk, or its run, is no longer this worker's."""
        self._share = max(self._share, share)
        now = time.monotonic()
        if now - self._written_at < EVERY:
            return
        self._written_at = now
        try:
            is_ours = note_share(self._run, self._chunk, self._share)
        except DatabaseError:  # the work itself needs no database; its end will tell
            logger.warning("How far run %s is was not written", self._run.pk)
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
            return
        if not is_ours:
            raise ChunkLostError("The chunk is no longer this worker's.")
        self._tell()


@dataclass(frozen=True, slots=True)
class UnderWay:
    """Items and cells in chunks of which a part is done, and how many of them that part makes."""

    n: int = 0
    done: float = 0.0

    @property
    def percent(self) -> int:
        return int(100 * self.done / self.n) if self.n else 0


def under_way(run: MetricRun) -> UnderWay:
    """What is done of a run beside ``run.n_done``: counted, and not yet written."""
    begun = RunChunk.objects.filter(run=run.pk, share__gt=0).exclude(worker="")
    sizes = [
        (share, len(items) + len(cells))
        for share, items, cells in begun.values_list("share", "items", "cells")
    ]
    return UnderWay(n=sum(n for _, n in sizes), done=sum(share * n for share, n in sizes))
