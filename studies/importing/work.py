"""The worker's share of an import: asked for by a page, claimed by one worker, taken up again.

The row is the truth. A worker owns an upload while the row carries the heartbeat that this worker
wrote last. Checking and writing may both be begun again at any time: what was looked into is
remembered, and what was written is the same.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from studies.importing.checks import IMPORTERS
from studies.importing.problems import Problem
from studies.importing.reports import group_problems, problems_csv
from studies.importing.uploads import write_json
from studies.importing.writing import ImportRefused, ItemsChanged
from studies.models import ImportUpload
from studies.refusals import DesignFrozen
from studies.units import TooManySets

logger = logging.getLogger("concord.imports")

State = ImportUpload.State
STALE_AFTER = timedelta(minutes=30)
"""Above the longest single step: converting one long clip."""

UNHEARD_AFTER = timedelta(minutes=1)
BEAT_EVERY = 0.5  # seconds
PROBLEMS_SHOWN = 200
GROUPS_SHOWN = 50


class AlreadyConfirmed(Exception):
    """The upload is written, or being written, by an earlier click."""


class _Lost(Exception):
    """The upload was given to another worker, or its study is gone."""


def request_check(upload: ImportUpload) -> None:
    """Ask for a check of what lies in the folder. Harmless where a check is under way."""
    _request(upload, State.CHECKING, [State.REFUSED, State.READY, State.FAILED, State.CHECKING])


def request_write(upload: ImportUpload) -> None:
    """Ask for what the preview showed to be written. Raises AlreadyConfirmed for a second click."""
    _request(upload, State.WRITING, [State.READY])


def _request(upload: ImportUpload, state: str, from_states: list[str]) -> None:
    asked = ImportUpload.objects.filter(pk=upload.pk, state__in=from_states).update(
        state=state,
        progress={},
        error="",
        requested_at=timezone.now(),
        heartbeat_at=None,
    )
    upload.refresh_from_db()
    if not asked:
        raise AlreadyConfirmed
    _send_off(upload.pk)


def run_import(upload_id: int) -> None:
    """Do what the row waits for; nothing if it waits for nothing. Of two workers one does it."""
    work = _Work.claim(upload_id)
    if work is None:
        return
    try:
        if work.upload.state == State.CHECKING:
            _check(work)
        else:
            _write(work)
    except _Lost:
        logger.info("Import %s went to another worker", upload_id)
    except (DesignFrozen, ItemsChanged, TooManySets) as refusal:
        work.finish(state=State.FAILED, error=str(refusal))
    except Exception as error:  # the boundary of an import
        logger.exception("Import %s broke off", upload_id)
        what = f"It broke off unexpectedly ({type(error).__name__}: {error})."
        work.finish(state=State.FAILED, error=f"{what} Nothing is lost: start it again.")


def requeue_stale_imports(*, alone: bool = False) -> list[int]:
    """Send off again what lost its worker or its message; primary keys.

    ``alone``: the caller is the only worker and has just started, so whatever is at work has lost
    its worker.
    """
    now = timezone.now()
    busy = ImportUpload.objects.filter(state__in=[State.CHECKING, State.WRITING])
    lost = busy.filter(heartbeat_at__isnull=False)
    if not alone:
        lost = lost.filter(heartbeat_at__lt=now - STALE_AFTER)
    lost.update(heartbeat_at=None, requested_at=now - UNHEARD_AFTER)
    waiting = busy.filter(heartbeat_at=None, requested_at__lte=now - UNHEARD_AFTER)
    if alone:
        waiting = busy.filter(heartbeat_at=None)
    pks = list(waiting.order_by("requested_at", "pk").values_list("pk", flat=True))
    for pk in pks:
        logger.info("Import %s is sent to the workers again", pk)
        busy.filter(pk=pk).update(requested_at=now)
        _send_off(pk)
    return pks


class _Work:
    """An upload in the hands of this worker."""

    def __init__(self, upload: ImportUpload, beat: datetime) -> None:
        self.upload = upload
        self._beat = beat
        self._last = 0.0
        self._shown: dict[str, Any] = {}

    @classmethod
    def claim(cls, upload_id: int) -> _Work | None:
        beat = timezone.now()
        waiting = ImportUpload.objects.filter(
            pk=upload_id, state__in=[State.CHECKING, State.WRITING], heartbeat_at=None
        )
        if not waiting.update(heartbeat_at=beat):
            return None
        return cls(ImportUpload.objects.select_related("study").get(pk=upload_id), beat)

    def progress(self, phase: str, done: int, total: int) -> None:
        """Note how far the work is, now and then; a sign of life at the same time."""
        self._shown |= {"phase": phase, phase: [done, total]}
        now = time.monotonic()
        if now - self._last < BEAT_EVERY and done < total:
            return
        self._last = now
        self._update(progress=self._shown)

    def finish(self, **values: Any) -> None:
        try:
            self._update(**values)
        except _Lost:
            logger.info("Import %s had gone to another worker", self.upload.pk)

    def _update(self, **values: Any) -> None:
        beat = timezone.now()
        mine = ImportUpload.objects.filter(pk=self.upload.pk, heartbeat_at=self._beat)
        if not mine.update(heartbeat_at=beat, **values):
            raise _Lost
        self._beat = beat


def _check(work: _Work) -> None:
    upload = work.upload
    result, problems = IMPORTERS[upload.kind].check(upload, work.progress)
    _keep(upload, result, problems)
    work.finish(
        state=State.REFUSED if problems else State.READY, summary=result["counts"], progress={}
    )
    if upload.confirm_ahead and not problems:
        with suppress(AlreadyConfirmed):
            request_write(upload)


def _keep(upload: ImportUpload, result: dict[str, Any], problems: Sequence[Problem]) -> None:
    """What the preview shows, small, and every problem as a table."""
    groups = group_problems(problems)
    result["n_problems"] = len(problems)
    result["n_groups"] = len(groups)
    result["groups"] = [
        {
            "number": group.number,
            "label": group.label,
            "n": group.n,
            "problems": [asdict(problem) for problem in group.problems[:PROBLEMS_SHOWN]],
        }
        for group in groups[:GROUPS_SHOWN]
    ]
    (upload.folder / "problems.csv").write_text(problems_csv(problems), "utf-8")
    write_json(upload.folder / "check.json", result)


def _write(work: _Work) -> None:
    upload = work.upload
    try:
        counts = IMPORTERS[upload.kind].write(upload, work.progress)
    except ImportRefused:
        # The study has changed since the check: show what is wrong now.
        _check(work)
        work.finish(error="The study has changed since the check. Nothing was written.")
        return
    # What the check counted as new is new, also where a first attempt had written a part of it.
    counts = {**counts, **{name: upload.summary.get(name, counts[name]) for name in counts}}
    work.finish(state=State.DONE, summary=counts, progress={})
    upload.discard_files()


def _send_off(upload_id: int) -> None:
    from studies.tasks import run_import as task

    try:
        task.delay(upload_id)
    except (OperationalError, ChannelError):
        # The row stays as it is; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for import %s; it waits", upload_id)
