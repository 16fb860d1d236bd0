"""What a worker does for each file. Loads the libraries that no web process may."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from scoring.exports.bundle.packing import pack_bundle
from scoring.exports.catalogue import table_of
from scoring.exports.jobs import job_options
from scoring.exports.report_files import report_sheets
from scoring.exports.writers.parquet import write_parquet
from scoring.exports.writers.workbook import write_workbook
from scoring.models import ExportJob


class Work(Protocol):
    """The worker's hand on a job: called with the rows that are done, and told what is known."""

    def __call__(self, n_done: int | None = None) -> None: ...

    def update(self, **changes: object) -> None: ...


def make_file(job: ExportJob, path: Path, work: Work) -> None:
    """Write the job's file to ``path``. Raises ExportRefused where it cannot be made."""
    part, _, ending = job.file.partition(".")
    if part == "bundle":
        pack_bundle(job.study, path, work)
        return
    if part == "report":
        sheets = report_sheets(job.study)
        write_workbook(path, sheets, work)
        return
    table = table_of(job.study, part, job_options(job))
    work.update(n_total=table.count())
    if ending == "parquet":
        write_parquet(path, table, work)
    else:
        write_workbook(path, [table], work)
