"""The report's tables as sheets of a workbook: raw numbers, and what each table rests on."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.analysis.codec import from_json
from scoring.analysis.report import Report
from scoring.exports.jobs import ExportRefused
from scoring.exports.table import Column, ExportTable, Kind, Row
from scoring.models import ReportSnapshot
from scoring.reports.tables import Table, flat, tables
from scoring.snapshots import finished_report
from studies.models import Study

NONE_YET = "No report is finished yet. Open the report's page, which makes one, and try again."


def stored_report(study: Study) -> tuple[Report, ReportSnapshot]:
    """The finished report on the data as they are, else the newest finished one.

    Raises ExportRefused where there is none; UnreadableReport where it is of another version.
    """
    snapshot = finished_report(study)
    if snapshot is None:
        raise ExportRefused(NONE_YET)
    return from_json(snapshot.report), snapshot


def report_sheets(study: Study) -> list[ExportTable]:
    """A first sheet that says what the numbers rest on and names the others, then every table."""
    report, _ = stored_report(study)
    every = tables(report)
    return [_about(report, every), *map(_sheet, every)]


def _sheet(table: Table) -> ExportTable:
    names, rows = flat(table)
    columns = tuple(Column(name, Kind.TEXT, "") for name in names)
    return ExportTable(table.name, columns, lambda: iter(rows), lambda: len(rows))


def _about(report: Report, every: tuple[Table, ...]) -> ExportTable:
    rows = list(_facts(report, every))
    columns = (Column("about", Kind.TEXT, ""), Column("value", Kind.TEXT, ""))
    return ExportTable("About", columns, lambda: iter(rows), lambda: len(rows))


def _facts(report: Report, every: tuple[Table, ...]) -> Iterator[Row]:
    yield "study", report.study.title
    yield "short address", report.study.slug
    yield "revision", report.study.revision
    yield "data as of", report.method.as_of
    yield "software", report.method.software
    yield "seed", report.method.seed
    yield "bootstrap replicates", report.method.replicates
    for name in ("items", "raters", "ratings", "answers", "surplus", "simulated"):
        yield name, getattr(report.data, name)
    for table in every:
        yield f"sheet {table.name}", table.title
        yield "  unit of analysis", table.unit
        yield "  aggregation", table.aggregation
        if table.interval:
            yield "  intervals", table.interval
        for note in table.notes:
            yield "  note", note
