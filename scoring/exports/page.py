"""The Export page of a study: every file, what is in it, how much, and how far a made one is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone

from scoring.exports.catalogue import FILES, ExportFile, table_of
from scoring.exports.jobs import UNHEARD_AFTER, is_current, newest_jobs
from scoring.exports.options import Options
from scoring.models import ExportJob, WorkState
from scoring.reports.moments import moment
from scoring.snapshots import finished_report
from studies.models import Study

TITLES = {
    "ratings": ("Ratings", "One answer a row: who said what of which item, when, and what counts."),
    "scores": ("Automatic scores", "One item, one output of a metric a row."),
    "items": ("Items", "What was rated: system, country, prompt, file and its checksum."),
    "report": ("Report", "Every table with its intervals, for papers and colleagues."),
    "bundle": (
        "Reproducibility bundle",
        "Everything the report rests on in one file that computes it again.",
    ),
}
_TAGS = {
    WorkState.RUNNING: "on",
    WorkState.DONE: "ok",
    WorkState.FAILED: "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One file. ``job`` is the newest that made it, ``outdated``: from data that have changed, or
    with other options than are chosen. ``query``: the options chosen; ``api`` its address there."""

    file: ExportFile
    address: str
    query: str
    api: str
    job: ExportJob | None
    tag: str
    size: str
    facts: str
    outdated: bool
    waits_long: bool

    @property
    def progress(self) -> str:
        """ "812,345 of 1,240,000 rows", where it is known."""
        if self.job is None or not self.job.n_total:
            return ""
        return f"{self.job.n_done:,} of {self.job.n_total:,} rows"

    @property
    def is_at_work(self) -> bool:
        return self.job is not None and not self.job.is_over

    @property
    def id(self) -> str:
        return self.file.key.replace(".", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRows:
    """``rows`` says how much there is; ``missing`` why there is nothing yet."""

    key: str
    title: str
    about: str
    rows: str
    missing: str
    files: tuple[FileRow, ...]


def parts_of(study: Study, options: Options) -> tuple[PartRows, ...]:
    jobs = newest_jobs(study)
    has_report = finished_report(study) is not None
    return tuple(
        PartRows(
            key=key,
            title=title,
            about=about,
            rows=_rows(study, key, options),
            missing=_missing(key, has_report),
            files=tuple(
                file_row(study, file, options, jobs.get(file.key))
                for file in FILES.values()
                if file.part == key
            ),
        )
        for key, (title, about) in TITLES.items()
    )


def file_row(study: Study, file: ExportFile, options: Options, job: ExportJob | None) -> FileRow:
    chosen = options.chosen(file.options)
    done = job is not None and job.state == WorkState.DONE
    same_options = job is None or job.options == chosen
    return FileRow(
        file=file,
        address=reverse("scoring:export_file", args=[study.slug, file.key]),
        query=urlencode(chosen),
        api=api_address(study, file, chosen),
        job=job,
        tag=_TAGS.get(job.state, "") if job else "",
        size=filesizeformat(job.size) if done and job else "",
        facts=_facts(job) if done and job else "",
        outdated=bool(done and job and not (same_options and is_current(job))),
        waits_long=_waits_long(job),
    )


def _rows(study: Study, part: str, options: Options) -> str:
    if part not in ("ratings", "scores", "items"):
        return ""
    n = table_of(study, part, options).count()
    return f"{n:,} row" if n == 1 else f"{n:,} rows"


def _missing(part: str, has_report: bool) -> str:
    if part == "report" and not has_report:
        return "No report is finished yet. Open the report’s page, which makes one."
    return ""


def _facts(job: ExportJob) -> str:
    """ "made 30 Nov 2026, 09:12 UTC by Ana, kept until 7 Dec" with the options, if any."""
    return ", ".join(_told(job))


def _told(job: ExportJob) -> Iterator[str]:
    by = f" by {job.requested_by.get_full_name() or job.requested_by}" if job.requested_by else ""
    if job.finished_at:
        yield f"made {moment(job.finished_at.isoformat())}{by}"
    for name, value in job.options.items():
        yield f"{name}: {value}"
    if job.expires_at:
        yield f"kept until {job.expires_at:%-d %b}"


def _waits_long(job: ExportJob | None) -> bool:
    if job is None or job.state != WorkState.QUEUED:
        return False
    return timezone.now() - job.requested_at > max(UNHEARD_AFTER, timedelta(seconds=15))


def api_address(study: Study, file: ExportFile, chosen: dict[str, str]) -> str:
    """Where a program gets the file; of one that a worker makes, where it asks for it."""
    exports = f"{settings.SITE_URL}/api/v1/studies/{study.slug}/exports/"
    if file.by_worker:
        return exports
    address = f"{exports}{file.key}"
    return f"{address}?{urlencode(chosen)}" if chosen else address
