"""When the figures are counted: at once while there are few ratings, else by a worker.

A page never waits for what takes long: it shows what was counted last, with its time. How often a
worker counts follows from how long it takes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from annotation.models import MonitorFigures
from annotation.monitor.counts import Collection, collection
from annotation.monitor.figures import Figures, count_figures
from studies.models import Study

logger = logging.getLogger("concord.monitor")

FEW = 1_000
"""Up to so many ratings counting takes no longer than a page may."""

ASK_EVERY = timedelta(seconds=10)
REST = 20
"""A worker rests for so many times as long as counting took."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Figures as counted ``at`` a time; None: not yet. ``current``: nothing has come since."""

    figures: Figures | None
    at: datetime | None
    current: bool


def figures_for(study: Study, now: Collection) -> Kept:
    """The figures that belong to these counts, or the last ones while a worker counts anew."""
    row, _ = MonitorFigures.objects.get_or_create(study=study)
    mark = mark_of(study, now)
    if row.mark == mark:
        return Kept(row.figures, row.counted_at, current=True)
    if now.done <= FEW:
        row = _count(study, now, mark)
        return Kept(row.figures, row.counted_at, current=True)
    _ask_worker(row)
    return Kept(row.figures or None, row.counted_at, current=False)


def mark_of(study: Study, now: Collection) -> str:
    """Differs as soon as another answer counts, somebody finishes, or the design is another.

    Another exclusion makes it differ too: agreement leaves out what results leave out. So does a
    decision on failed checks: who was decided on needs nobody.
    """
    panels = [[p.id, p.units, p.k, p.done, p.complete] for p in now.panels]
    content = json.dumps(
        [now.pilot, study.revision, now.surplus, now.exclusions, now.decided, panels]
    )
    return hashlib.sha256(content.encode()).hexdigest()


def count_for_page(*, study_id: int) -> None:
    """The worker's share. A study that is gone meanwhile needs no figures."""
    study = Study.objects.filter(pk=study_id).first()
    if study is not None:
        now = collection(study)
        _count(study, now, mark_of(study, now))


def _count(study: Study, now: Collection, mark: str) -> MonitorFigures:
    begun = time.monotonic()
    figures = count_figures(study=study, now=now)
    row, _ = MonitorFigures.objects.update_or_create(
        study=study,
        defaults={
            "mark": mark,
            "figures": figures,
            "counted_at": now.at,
            "seconds": time.monotonic() - begun,
        },
    )
    return row


def _ask_worker(row: MonitorFigures) -> None:
    """Once in a while: however many look at the page, one of them asks."""
    now = timezone.now()
    rest = max(ASK_EVERY, timedelta(seconds=REST * row.seconds))
    due = Q(asked_at=None) | Q(asked_at__lt=now - rest)
    if MonitorFigures.objects.filter(due, pk=row.pk).update(asked_at=now):
        transaction.on_commit(lambda: _send(row.study_id))


def _send(study_id: int) -> None:
    from annotation.tasks import count_monitor_figures  # it imports this module

    try:
        count_monitor_figures.delay(study_id)
    except (OperationalError, ChannelError):
        # Asked again after a rest; the page says from when its figures are.
        logger.error("The broker took no message to count the figures of study %s.", study_id)
