"""Files that a worker makes: asked for, claimed by one worker, made, kept for a week.

The row is the truth. The same file of the same state of the data is one row, so that a second
click finds the first one's file. A worker owns a job while the row carries the heartbeat that it
wrote last; every step is an UPDATE under that condition.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import time
import traceback
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from annotation.ratings.screens import sent_mark
from scoring.exports.catalogue import ExportFile, UnknownFile, export_file
from scoring.exports.options import Options
from scoring.models import ExportJob, WorkState
from scoring.snapshots import fingerprint
from studies.models import Study

logger = logging.getLogger("concord.exports")

KEPT_FOR = timedelta(days=7)
BEAT_EVERY = 1.0  # seconds
STALE_AFTER = timedelta(minutes=30)
"""Above the longest single step: a bundle's report whose intervals are computed."""

UNHEARD_AFTER = timedelta(minutes=1)
WORKING = (WorkState.QUEUED, WorkState.RUNNING)
ALIVE = (*WORKING, WorkState.DONE)


class ExportRefused(Exception):
    """A file cannot be made; the message says why and what to do."""


class Lost(Exception):
    """The job was cancelled, given to another worker, or its study is gone."""


def request_export(*, study: Study, file: str, options: Options, by: Any) -> ExportJob:
    """The job that makes the file from the data as they are, or has made it.

    Raises UnknownFile for a file that no worker makes.
    """
    entry = export_file(file)
    if not entry.by_worker:
        raise UnknownFile(f"{file} is made at once; nothing has to be asked for.")
    mark = _mark(study, entry, options)
    _forget_missing(study, file, mark)
    with transaction.atomic():
        job, is_new = ExportJob.objects.get_or_create(
            study=study,
            file=file,
            mark=mark,
            state__in=ALIVE,
            defaults={"requested_by": by, "options": options.chosen(entry.options)},
        )
        if is_new:
            transaction.on_commit(lambda: _send_off(job.pk))
    return job


def job_options(job: ExportJob) -> Options:
    return Options(**job.options)


def job_path(job: ExportJob) -> Path:
    """Where the finished file lies."""
    return job.folder / job.file


def newest_jobs(study: Study) -> dict[str, ExportJob]:
    """File -> the last job that was asked for."""
    newest: dict[str, ExportJob] = {}
    rows = study.export_jobs.defer("traceback").select_related("requested_by")
    for job in rows.order_by("requested_at", "pk"):
        newest[job.file] = job
    return newest


def is_current(job: ExportJob) -> bool:
    """Whether the study's data are as they were when the file was asked for."""
    return job.mark == _mark(job.study, export_file(job.file), job_options(job))


def cancel_export(job: ExportJob) -> bool:
    """Whether the job was waiting or running and is now cancelled."""
    waiting = ExportJob.objects.filter(pk=job.pk, state__in=WORKING)
    return bool(waiting.update(state=WorkState.CANCELLED, finished_at=timezone.now()))


def execute_export(job_id: int) -> None:
    """Make a waiting file; nothing if it does not wait. Of two workers one does it."""
    from scoring.exports.making import make_file  # the worker's share: pandas' kin are loaded there

    work = _Work.claim(job_id)
    if work is None:
        return
    job = work.job
    draft = job.folder / f"draft-{job.file}"
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        make_file(job, draft, work)
        digest, size = _digest(draft), draft.stat().st_size
        draft.replace(job_path(job))
        now = timezone.now()
        done = {"size": size, "sha256": digest, "finished_at": now, "expires_at": now + KEPT_FOR}
        work.update(state=WorkState.DONE, error="", traceback="", **done)
    except Lost:
        logger.info("Export %s is no longer this worker's", job_id)
        draft.unlink(missing_ok=True)
    except ExportRefused as error:
        work.fail(str(error), "")
    except Exception as error:  # the boundary of a job
        logger.exception("Export %s broke off", job_id)
        what = f"The file broke off unexpectedly ({type(error).__name__}: {error})."
        work.fail(f"{what} Nothing was lost: make it again.", traceback.format_exc())


def requeue_stale_exports(*, alone: bool = False) -> list[int]:
    """Send off again what lost its worker or its message; primary keys.

    ``alone``: the caller is the only worker and has just started, so whatever runs has lost its.
    """
    now = timezone.now()
    running = ExportJob.objects.filter(state=WorkState.RUNNING)
    lost = running if alone else running.filter(heartbeat_at__lt=now - STALE_AFTER)
    left = list(lost.values_list("pk", flat=True))
    lost.filter(pk__in=left).update(state=WorkState.QUEUED)
    waiting = ExportJob.objects.filter(state=WorkState.QUEUED)
    unheard = Q(heartbeat_at=None, requested_at__lt=now - UNHEARD_AFTER)
    unheard |= Q(heartbeat_at__lt=now - UNHEARD_AFTER) | Q(pk__in=left)
    wanted = waiting if alone else waiting.filter(unheard)
    pks = list(wanted.order_by("requested_at", "pk").values_list("pk", flat=True))
    for pk in pks:
        waiting.filter(pk=pk).update(heartbeat_at=now)
        _send_off(pk)
    return pks


def discard_expired_exports() -> int:
    """Remove files whose days are over, with their rows, and folders whose row is gone."""
    now = timezone.now()
    over = Q(state=WorkState.DONE, expires_at__lt=now)
    over |= Q(state__in=[WorkState.FAILED, WorkState.CANCELLED], finished_at__lt=now - KEPT_FOR)
    gone, _ = ExportJob.objects.filter(over).delete()
    root = settings.VAR_DIR / "exports"
    # Folders first: each has its row before it is there.
    folders = list(root.iterdir()) if root.exists() else []
    known = set(ExportJob.objects.values_list("folder_name", flat=True))
    for folder in folders:
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)
    return gone


class _Work:
    """A job in the hands of this worker. Called with the rows that are done, it shows progress."""

    def __init__(self, job: ExportJob) -> None:
        self.job = job
        self._last = time.monotonic()

    @classmethod
    def claim(cls, job_id: int) -> _Work | None:
        now = timezone.now()
        waiting = ExportJob.objects.filter(pk=job_id, state=WorkState.QUEUED)
        if not waiting.update(state=WorkState.RUNNING, heartbeat_at=now, n_done=0):
            return None
        job = ExportJob.objects.select_related("study").get(pk=job_id)
        return cls(job)

    def __call__(self, n_done: int | None = None) -> None:
        """A sign of life, at most one a second. Raises Lost once the job is somebody else's."""
        if time.monotonic() - self._last > BEAT_EVERY:
            self.update(**({} if n_done is None else {"n_done": n_done}))
            self._last = time.monotonic()

    def update(self, **changes: object) -> None:
        now = timezone.now()
        mine = ExportJob.objects.filter(
            pk=self.job.pk, state=WorkState.RUNNING, heartbeat_at=self.job.heartbeat_at
        )
        if not mine.update(heartbeat_at=now, **changes):
            raise Lost
        self.job.heartbeat_at = now

    def fail(self, sentence: str, trace: str) -> None:
        try:
            self.update(
                state=WorkState.FAILED,
                error=sentence,
                traceback=trace,
                finished_at=timezone.now(),
            )
        except Lost:
            logger.info("Export %s failed after it was given up", self.job.pk)


def _mark(study: Study, entry: ExportFile, options: Options) -> str:
    """A digest that changes with the file, its options, and all data that may go into it."""
    runs = study.metric_runs.filter(state=WorkState.DONE)
    content: list[Any] = [
        entry.key,
        options.chosen(entry.options),
        fingerprint(study),
        sent_mark(study),
        list(runs.aggregate(n=Count("pk"), last=Max("pk")).values()),
        list(study.items.aggregate(n=Count("pk"), last=Max("pk")).values()),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _forget_missing(study: Study, file: str, mark: str) -> None:
    """A finished row whose file somebody removed gives nothing: the file is made again."""
    done: Mapping[str, Any] = {"study": study, "file": file, "mark": mark, "state": WorkState.DONE}
    for job in ExportJob.objects.filter(**done):
        if not job_path(job).exists():
            job.delete()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _send_off(job_id: int) -> None:
    from scoring.export_tasks import make_export  # it imports this module

    try:
        make_export.delay(job_id)
    except (OperationalError, ChannelError):
        # The row stays queued; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for export %s; it stays queued", job_id)
