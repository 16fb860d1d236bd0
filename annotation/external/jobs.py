"""An import of ratings as work: asked for by a page, done by one worker, taken up again.

The row is the truth. A worker owns it while the row carries the heartbeat that this worker wrote
last; every step is an UPDATE under that condition. What an attempt that broke off had written of
the study is taken back, and the next one begins anew.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from annotation.external.collecting import Collected
from annotation.external.forms import RatingsForm
from annotation.external.gathering import Gathering
from annotation.external.taking_back import take_back
from annotation.external.uploads import paths_of
from annotation.external.writing import begin_study, fill_study, finish_study
from annotation.models import RatingsImport
from studies.external.reading import Source
from studies.external.records import ImportRefusedError, told

logger = logging.getLogger("concord.imports")

State = RatingsImport.State
BEFORE = (State.OPEN, State.REFUSED, State.FAILED)
STALE_AFTER = timedelta(minutes=30)
UNHEARD_AFTER = timedelta(minutes=1)
BEAT_EVERY = 0.5  # seconds


class Lost(Exception):
    """The import was stopped, or given to another worker."""


def request_import(*, brought: RatingsImport, asked: Mapping[str, str]) -> bool:
    """Have it done as the form says. False where an earlier click already did: then nothing is."""
    waiting = RatingsImport.objects.filter(pk=brought.pk, state__in=BEFORE)
    begun = waiting.update(
        state=State.QUEUED,
        asked=dict(asked),
        problems=[],
        left_out={},
        error="",
        n_done=0,
        n_total=None,
        requested_at=timezone.now(),
        heartbeat_at=None,
        finished_at=None,
    )
    brought.refresh_from_db()
    return bool(begun)


def send_off(import_id: int) -> None:
    from annotation.tasks import import_ratings  # it imports this module

    try:
        import_ratings.delay(import_id)
    except (OperationalError, ChannelError):
        # The row stays queued; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for import of ratings %s; it waits", import_id)


def stop_import(brought: RatingsImport) -> bool:
    """Whether it was waiting or at work, and is now to be asked for anew."""
    busy = RatingsImport.objects.filter(pk=brought.pk, state__in=RatingsImport.AT_WORK)
    return bool(busy.update(state=State.OPEN, heartbeat_at=None))


def execute_import(import_id: int) -> None:
    """Do an import that waits; nothing if it does not wait. Of two workers one does it."""
    work = _Work.claim(import_id)
    if work is None:
        return
    try:
        take_back(work.row.study_id)  # of an attempt that was killed
        _import(work)
    except Lost:
        logger.info("Import of ratings %s is no longer this worker's", import_id)
        take_back(work.row.study_id)
    except ImportRefusedError as error:
        work.give_up(state=State.REFUSED, problems=error.problems)
    except Exception as error:  # the boundary of an import
        logger.exception("Import of ratings %s broke off", import_id)
        what = f"It broke off unexpectedly ({type(error).__name__}: {error})."
        work.give_up(state=State.FAILED, error=f"{what} Nothing was written: import again.")


def requeue_stale_imports(*, alone: bool = False) -> list[int]:
    """Send off again what lost its worker or its message; primary keys.

    ``alone``: the caller is the only worker and has just started, so whatever is at work has lost
    its worker.
    """
    now = timezone.now()
    busy = RatingsImport.objects.filter(state__in=RatingsImport.AT_WORK)
    lost = busy.filter(heartbeat_at__isnull=False)
    if not alone:
        lost = lost.filter(heartbeat_at__lt=now - STALE_AFTER)
    lost.update(state=State.QUEUED, heartbeat_at=None, requested_at=now - UNHEARD_AFTER)
    waiting = busy.filter(heartbeat_at=None)
    if not alone:
        waiting = waiting.filter(requested_at__lte=now - UNHEARD_AFTER)
    pks = list(waiting.order_by("requested_at", "pk").values_list("pk", flat=True))
    for pk in pks:
        busy.filter(pk=pk).update(requested_at=now)
        send_off(pk)
    return pks


class _Work:
    """An import in the hands of this worker."""

    def __init__(self, row: RatingsImport, beat: datetime) -> None:
        self.row = row
        self._beat = beat
        self._last = time.monotonic()

    @classmethod
    def claim(cls, import_id: int) -> _Work | None:
        beat = timezone.now()
        waiting = RatingsImport.objects.filter(
            pk=import_id, state=State.QUEUED, heartbeat_at__isnull=True
        )
        if not waiting.update(state=State.READING, heartbeat_at=beat):
            return None
        return cls(RatingsImport.objects.select_related("created_by").get(pk=import_id), beat)

    def done(self, n: int) -> None:
        """How many ratings are done: a sign of life, now and then. Raises Lost."""
        if time.monotonic() - self._last > BEAT_EVERY:
            self._last = time.monotonic()
            self.update(n_done=n)

    def update(self, **values: Any) -> None:
        beat = timezone.now()
        mine = RatingsImport.objects.filter(
            pk=self.row.pk, state__in=RatingsImport.AT_WORK, heartbeat_at=self._beat
        )
        if not mine.update(heartbeat_at=beat, **values):
            raise Lost
        self._beat = beat

    def give_up(self, **values: Any) -> None:
        take_back(self.row.study_id)
        try:
            self.update(finished_at=timezone.now(), study=None, **values)
        except Lost:
            logger.info("Import of ratings %s ended after it was given up", self.row.pk)


def _import(work: _Work) -> None:
    row = work.row
    if row.created_by is None:
        raise ImportRefusedError(["The account whose study it would be is gone."])
    form = RatingsForm(row.asked, tool=row.tool, names=row.names)
    if not form.is_valid():
        raise ImportRefusedError([str(one) for ones in form.errors.values() for one in ones])
    source, files = form.source(paths_of(row))
    gathering = Gathering(
        source, form.cleaned_data["scales"], form.cleaned_data["default"], on_step=work.done
    )
    found = _read(gathering, files)
    _write(work, form, source, gathering, found)
    row.discard_files()


def _read(gathering: Gathering, files: list[Path]) -> Collected:
    for path in files:
        gathering.take(path)
    return gathering.finish()


def _write(
    work: _Work, form: RatingsForm, source: Source, gathering: Gathering, found: Collected
) -> None:
    row = work.row
    wanted = form.wanted(owner=row.created_by, texts=gathering.texts)
    left_out = {told(reason): n for reason, n in gathering.left_out.items()}
    with transaction.atomic():
        row.study = begin_study(wanted=wanted, files=gathering.files)
        work.update(
            state=State.WRITING,
            study=row.study,
            n_done=0,
            n_total=len(found),
            left_out=left_out,
        )
    fill_study(study=row.study, wanted=wanted, found=found, on_lot=work.done)
    with transaction.atomic():
        finish_study(
            study=row.study,
            wanted=wanted,
            found=found,
            files=gathering.files,
            columns=source.to_store(),
            by=row.created_by,
        )
        work.update(state=State.DONE, n_done=len(found), finished_at=timezone.now())
