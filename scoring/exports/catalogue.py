"""Every file that a study can be taken out as: what is in it, its options, who makes it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.ratings import Layer
from scoring.exports.items import items_table
from scoring.exports.options import Options
from scoring.exports.ratings import ratings_table
from scoring.exports.scores import scores_table
from scoring.exports.table import ExportTable
from studies.models import Study


class UnknownFile(LookupError):
    """There is no such file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    """``part`` says what it is of: ratings, items, scores, report, bundle. What takes longer than
    a request should is made ``by_worker``."""

    key: str
    part: str
    format: str
    about: str
    media_type: str
    by_worker: bool
    options: tuple[str, ...] = ()

    def name_for(self, study: Study) -> str:
        """The name it is saved under."""
        return f"{study.slug}-{self.key}"


_TYPES = {
    "csv": ("CSV", "text/csv; charset=utf-8"),
    "jsonl": ("JSONL", "application/jsonl; charset=utf-8"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
    "xlsx": ("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "json": ("JSON", "application/json; charset=utf-8"),
    "tex": ("LaTeX", "application/x-tex; charset=utf-8"),
    "html": ("HTML", "text/html; charset=utf-8"),
    "zip": ("ZIP", "application/zip"),
}
_STREAMED = {"csv", "jsonl", "json", "tex", "html"}
_OF_PART = {"ratings": ("layer", "rows"), "scores": ("runs",)}
_ABOUT = {
    "csv": "Text that begins like a formula has an apostrophe in front.",
    "jsonl": "Every value as it was given, one object a line.",
    "parquet": "Typed columns, for pandas, R, DuckDB.",
    "xlsx": "A sheet each 1,048,576 rows.",
    "report.json": "Every number of the report with full precision.",
    "report.xlsx": "Every table of the report, a sheet each, with what it rests on.",
    "report.tex": "Every table of the report for LaTeX, with booktabs.",
    "report.html": "The report as one file with its plots: to send, to print, to read offline.",
    "bundle.zip": "Design, plan, ratings, scores, runs and report with checksums: "
    "manage.py reproduce computes the report again from it.",
}


def _file(part: str, ending: str) -> ExportFile:
    key = f"{part}.{ending}"
    name, media_type = _TYPES[ending]
    return ExportFile(
        key=key,
        part=part,
        format=name,
        about=_ABOUT.get(key) or _ABOUT[ending],
        media_type=media_type,
        by_worker=ending not in _STREAMED,
        options=(*_OF_PART.get(part, ()), *(("bom",) if ending == "csv" else ())),
    )


_TABLES = ("csv", "jsonl", "parquet", "xlsx")
FILES = {
    file.key: file
    for file in (
        *(_file("ratings", ending) for ending in _TABLES),
        *(_file("scores", ending) for ending in _TABLES),
        *(_file("items", ending) for ending in _TABLES),
        *(_file("report", ending) for ending in ("json", "xlsx", "tex", "html")),
        _file("bundle", "zip"),
    )
}


def export_file(key: str) -> ExportFile:
    """Raises UnknownFile."""
    try:
        return FILES[key]
    except KeyError:
        raise UnknownFile(f"There is no file {key!r}; files are {', '.join(FILES)}.") from None


def table_of(study: Study, part: str, options: Options) -> ExportTable:
    """What the tabular files of a part hold. Raises UnknownFile for a part that is no table."""
    if part == "ratings":
        everything = options.rows == "everything"
        return ratings_table(study, Layer(options.layer), everything=everything)
    if part == "scores":
        return scores_table(study, all_runs=options.runs == "all")
    if part == "items":
        return items_table(study)
    raise UnknownFile(f"The {part} of a study is no table.")
