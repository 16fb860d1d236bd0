"""Stored reports: asked for by a page, computed by a worker, one row for each state of the data.

The page never computes. It asks for a report on the data as they are (`request_report`, harmless
when repeated) and shows the newest one there is. The row is the only truth about the work.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
import traceback
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from annotation.ratings import counted_ratings, left_out_mark, ratings_mark
from scoring.analysis.codec import shape
from scoring.analysis.gather import StudyData
from scoring.analysis.selection import WHOLE, Selection, stored_selection
from scoring.data_marks import gold_mark, items_mark, plan_mark, questions_mark, runs_mark
from scoring.models import ReportSnapshot, WorkState
from studies.models import Study
from studies.models.country_group import groupings_for

logger = logging.getLogger("concord.reports")

REQUEST_EVERY = timedelta(seconds=20)
"""A study's report is not computed more often than this, however fast ratings come in."""

TAKEN_UP_WITHIN = timedelta(seconds=15)
"""A page tells of a report that waits longer for a worker."""

MESSAGE_LOST_AFTER = timedelta(seconds=30)
"""A waiting report whose message is older is sent again: the embedded queue never redelivers."""

WORKER_LOST_AFTER = timedelta(minutes=5)
"""A running report without a sign of life for this long is given to another worker."""

KEPT = 10
"""Finished reports on all data kept for each study."""

KEPT_SELECTIONS = 20
"""Finished reports on parts of the data kept for each study."""

ANALYSIS_VERSION = 6
"""Raised when the same data give other numbers or charts; new fields (`codec.shape`) are seen."""

WORKING = (WorkState.QUEUED, WorkState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a page can show: the newest report there is, work under way, or why it failed.

    `outdated`: the data have changed since `shown` was asked for.
    """

    shown: ReportSnapshot | None
    working: ReportSnapshot | None
    failed: ReportSnapshot | None
    outdated: bool

    @property
    def is_finished(self) -> bool:
        """Whether what is shown is complete, intervals and all."""
        return self.shown is not None and self.shown.state == WorkState.DONE

    @property
    def waits_for_worker(self) -> bool:
        """Whether nobody has taken the work up for so long that people should be told."""
        if self.working is None or self.working.state != WorkState.QUEUED:
            return False
        return self.working.requested_at < timezone.now() - TAKEN_UP_WITHIN

    @property
    def steps(self) -> str:
        """How far the work is, "12 of 60"; empty while that is not known."""
        if self.working is None or not self.working.n_steps:
            return ""
        return f"{self.working.n_done:,} of {self.working.n_steps:,}"

    @property
    def mark(self) -> str:
        """Differs as soon as a page has something else to show."""
        shown = f"{self.shown.pk}-{self.shown.state}" if self.shown else "none"
        failed = f".{self.failed.pk}" if self.failed else ""
        return f"{shown}{failed}{'.waits' if self.waits_for_worker else ''}"


def has_results(study: Study) -> bool:
    """Whether there is anything to report on: a counted rating, or a metric's finished run."""
    done = study.metric_runs.filter(state=WorkState.DONE)
    return counted_ratings(study).exists() or done.exists()


def fingerprint(study: Study, selection: Selection = WHOLE) -> str:
    """A digest that changes with the counted ratings, the finished runs, the items, the design and
    what is chosen of them."""
    content = [
        ANALYSIS_VERSION,
        shape(),
        settings.VERSION,
        selection.key,
        [study.title, study.slug, study.revision, study.seed, study.state],
        ratings_mark(study),
        left_out_mark(study),
        runs_mark(study),
        items_mark(study),
        questions_mark(study),
        list(study.panels.order_by("id").values_list("country", "ratings_per_unit")),
        list(study.systems.order_by("id").values_list("name", "position")),
        groupings_for(study),
        plan_mark(study),
        gold_mark(study),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def request_report(
    study: Study, selection: Selection = WHOLE, *, mark: str = ""
) -> ReportSnapshot | None:
    """The report on the data as they are, asked for if nobody has; None if it is too early.

    Asking twice gives the same row. A new one is asked for only when no other on the same selection
    is under way and the last is old enough (`REQUEST_EVERY`). `mark` is the `fingerprint` where the
    caller has it already.
    """
    mark = mark or fingerprint(study, selection)
    known = ReportSnapshot.objects.filter(study=study, fingerprint=mark).first()
    if known is not None:
        return known
    now = timezone.now()
    busy = Q(state__in=WORKING) | Q(requested_at__gt=now - REQUEST_EVERY)
    if ReportSnapshot.objects.filter(busy, study=study, selection=selection.key).exists():
        return None
    snapshot, is_new = ReportSnapshot.objects.get_or_create(
        study=study,
        fingerprint=mark,
        defaults={"heartbeat_at": now, "selection": selection.key},
    )
    if is_new:
        _send(snapshot.pk)
    return snapshot


def retry_report(study: Study, selection: Selection = WHOLE) -> None:
    """Ask again for what failed."""
    retried = ReportSnapshot.objects.filter(
        study=study, selection=selection.key, state=WorkState.FAILED
    )
    for pk in list(retried.values_list("pk", flat=True)):
        changed = retried.filter(pk=pk).update(
            state=WorkState.QUEUED, error="", traceback="", heartbeat_at=timezone.now()
        )
        if changed:
            _send(pk)


def standing(study: Study, selection: Selection = WHOLE, *, mark: str = "") -> Standing:
    """Where the study's report on a selection stands; reads only.

    A report on the data as they are comes before a newer one on data that were changed back.
    `mark` is the `fingerprint` where the caller has it already.
    """
    mark = mark or fingerprint(study, selection)
    rows = ReportSnapshot.objects.filter(study=study, selection=selection.key)
    rows = rows.order_by("-requested_at", "-id")
    light = rows.defer("report", "plots", "traceback")
    latest = light.filter(fingerprint=mark).first() or light.first()
    written = rows.filter(report__isnull=False).defer("traceback")
    shown = written.filter(fingerprint=mark).first() or written.first()
    return Standing(
        shown=shown,
        working=light.filter(state__in=WORKING).first(),
        failed=latest if latest is not None and latest.state == WorkState.FAILED else None,
        outdated=shown is not None and shown.fingerprint != mark,
    )


def finished_report(study: Study, selection: Selection = WHOLE) -> ReportSnapshot | None:
    """The complete report on the data as they are; while there is none, the newest complete one."""
    done = ReportSnapshot.objects.filter(study=study, selection=selection.key, state=WorkState.DONE)
    newest = done.order_by("-requested_at", "-id")
    return newest.filter(fingerprint=fingerprint(study, selection)).first() or newest.first()


def requeue_stale_reports(*, study: Study | None = None, alone: bool = False) -> int:
    """Send again what lost its message or its worker; returns how many.

    `alone`: the caller is the only worker and has just started, so whatever runs has lost its.
    """
    now = timezone.now()
    running = Q(state=WorkState.RUNNING)
    if not alone:
        running &= Q(heartbeat_at__lt=now - WORKER_LOST_AFTER)
    waiting = Q(state=WorkState.QUEUED, heartbeat_at__lt=now - MESSAGE_LOST_AFTER)
    stale = ReportSnapshot.objects.filter(running | waiting)
    if study is not None:
        stale = stale.filter(study=study)
    sent = 0
    for pk, seen in list(stale.values_list("pk", "heartbeat_at")):
        claimed = ReportSnapshot.objects.filter(pk=pk, heartbeat_at=seen, state__in=WORKING).update(
            state=WorkState.QUEUED, heartbeat_at=now
        )
        if claimed:
            _send(pk)
            sent += 1
    return sent


def claim_report(snapshot_id: int) -> ReportSnapshot | None:
    """The row, now running under the caller; None when it is not waiting for anybody."""
    claimed = ReportSnapshot.objects.filter(pk=snapshot_id, state=WorkState.QUEUED).update(
        state=WorkState.RUNNING, heartbeat_at=timezone.now()
    )
    if not claimed:
        return None
    return ReportSnapshot.objects.select_related("study").get(pk=snapshot_id)


def execute_report(snapshot_id: int) -> None:
    """Compute a waiting report and store it: point estimates first, intervals and plots after."""
    snapshot = claim_report(snapshot_id)
    if snapshot is None:
        return
    try:
        _compute(snapshot)
    except Exception as error:  # the run boundary: whatever happened is kept and shown
        logger.exception("The report on study %s failed.", snapshot.study.slug)
        _store(
            snapshot,
            state=WorkState.FAILED,
            error=_sentence(error),
            traceback=traceback.format_exc(),
            finished_at=timezone.now(),
        )


def _compute(snapshot: ReportSnapshot) -> None:
    # The worker's share: these load scipy and matplotlib, which no web process may.
    from scoring.analysis.codec import to_json
    from scoring.analysis.compute import REPLICATES, analyse_data
    from scoring.reports.plots import draw_plots

    steps = _Steps(snapshot)
    data = _read(snapshot)
    estimates = analyse_data(data, replicates=0, on_step=steps)
    _store(snapshot, report=to_json(estimates))
    steps.begin_again()
    report = analyse_data(data, replicates=REPLICATES, on_step=steps)
    plots = draw_plots(report)
    _store(
        snapshot,
        state=WorkState.DONE,
        report=to_json(report),
        plots=plots,
        error="",
        traceback="",
        finished_at=timezone.now(),
    )
    _prune(snapshot.study)


def _read(snapshot: ReportSnapshot) -> StudyData:
    """The data as they are now, and the row's fingerprint made that of these.

    They may be others than when the report was asked for. Were it kept as that of those, it would
    be shown for them once they are so again: an exclusion made and lifted, a run chosen and not.
    """
    from scoring.analysis.gather import gather

    selection = stored_selection(snapshot.selection)
    before = fingerprint(snapshot.study, selection)
    data = gather(snapshot.study, selection)
    after = fingerprint(snapshot.study, selection)
    if before == after == snapshot.fingerprint:
        return data
    rows = ReportSnapshot.objects.filter(study=snapshot.study)
    # What was read while it changed is of no state, and a state has one row.
    is_of_none = before != after or rows.filter(fingerprint=after).exclude(pk=snapshot.pk).exists()
    mark = hashlib.sha256(f"{after} {snapshot.pk}".encode()).hexdigest() if is_of_none else after
    _store(snapshot, fingerprint=mark)
    return data


class _Steps:
    """Counts steps, and leaves a sign of life in the row at most every two seconds.

    The intervals take the same steps as the estimates did, so their number is known by then.
    """

    def __init__(self, snapshot: ReportSnapshot) -> None:
        self._row = ReportSnapshot.objects.filter(pk=snapshot.pk)
        self._last = time.monotonic()
        self._done = self._all = 0

    def __call__(self) -> None:
        self._done += 1
        self.alive()

    def alive(self) -> None:
        """A sign of life within a step."""
        if time.monotonic() - self._last > 2:
            self._row.update(
                heartbeat_at=timezone.now(), n_done=min(self._done, self._all), n_steps=self._all
            )
            self._last = time.monotonic()

    def begin_again(self) -> None:
        """The first round is over: the next has as many steps."""
        self._done, self._all = 0, self._done


def _store(snapshot: ReportSnapshot, **values: object) -> None:
    # Only while it is ours: a worker that was given up for lost must not overwrite its successor's.
    ReportSnapshot.objects.filter(pk=snapshot.pk, state=WorkState.RUNNING).update(
        heartbeat_at=timezone.now(), **values
    )


def _prune(study: Study) -> None:
    done = ReportSnapshot.objects.filter(study=study, state__in=[WorkState.DONE, WorkState.FAILED])
    kinds = ((done.filter(selection=""), KEPT), (done.exclude(selection=""), KEPT_SELECTIONS))
    for part, kept in kinds:
        newest = part.order_by("-requested_at", "-id").values_list("pk", flat=True)[:kept]
        part.exclude(pk__in=list(newest)).delete()


def _sentence(error: Exception) -> str:
    """Our own errors carry a sentence for people; others are named as what they are."""
    if isinstance(error, ValueError) and str(error):
        return str(error)
    return f"The computation broke off unexpectedly ({type(error).__name__})."


def _send(snapshot_id: int) -> None:
    transaction.on_commit(lambda: _send_off(snapshot_id))


def _send_off(snapshot_id: int) -> None:
    from scoring.report_tasks import compute_report  # it imports this module

    try:
        compute_report.delay(snapshot_id)
    except (OperationalError, ChannelError):
        # The row stays queued and is sent again: see `requeue_stale_reports`.
        logger.error("The broker took no message for report %s; it stays queued.", snapshot_id)
