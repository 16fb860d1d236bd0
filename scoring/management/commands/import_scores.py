"""Scores of another tool as runs of metrics of their own.

import_scores STUDY FILE --item COLUMN[,COLUMN] --better higher --source TEXT
    --metric NAME --value COLUMN [--dimension COLUMN]     a row a score
    --columns A,B,C                                       a column a metric
    [--share yes]     the share of an item's rows with this value, as of questions answered
    [--absent 0]      the value of items that the file does not name; else they have none
    [--low 0 --high 1] [--records PATH]
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.imported import ImportedRow, ImportedScoresError, import_scores
from scoring.selection import scored_items
from studies.external.layouts import JOINT, text
from studies.external.records import ImportRefusedError
from studies.external.sources import Row, conditions, matching, rows
from studies.models import Study


class Command(BaseCommand):
    help = "Import scores of another tool for the items of a study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="The study's slug.")
        parser.add_argument("file", help="CSV, TSV, JSON lines or JSON.")
        parser.add_argument("--item", required=True, help="Columns that name an item together.")
        parser.add_argument("--metric", default="", help="Its name, where it is one.")
        parser.add_argument("--value", default="", help="The column of its score.")
        parser.add_argument("--dimension", default="", help="The column of its dimension.")
        parser.add_argument("--columns", default="", help="Columns that are metrics.")
        parser.add_argument("--share", default="", help="Score the share of rows with this value.")
        parser.add_argument(
            "--blanks-count",
            action="store_true",
            help="With --share: a row without a value is a row, and not of this value.",
        )
        parser.add_argument("--absent", type=float, help="The value of items without a row.")
        parser.add_argument("--better", choices=["higher", "lower"], required=True)
        parser.add_argument("--low", type=float, help="The least value there can be.")
        parser.add_argument("--high", type=float, help="The greatest value there can be.")
        parser.add_argument("--source", required=True, help="What computed them, and from where.")
        parser.add_argument("--records", default="", help="Path in a JSON file, e.g. data.*")
        parser.add_argument("--where", action="append", default=[], help="COLUMN=VALUE of rows.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            every = rows(Path(options["file"]), records=options["records"])
            read = list(matching(every, conditions(options["where"])))
            for metric, scores in _scores(read, options).items():
                self._import(study, metric, scores, options)
        except ImportRefusedError as error:
            raise CommandError("\n".join(error.problems)) from error
        except ImportedScoresError as error:
            raise CommandError("\n".join(error.problems)) from error

    def _import(
        self, study: Study, metric: str, scores: list[ImportedRow], options: dict[str, Any]
    ) -> None:
        absent = _absent(study, scores, options["absent"])
        run = import_scores(
            study=study,
            rows=[*scores, *absent],
            name=metric,
            better=options["better"],
            low=options["low"],
            high=options["high"],
            source=options["source"],
            by=None,
        )
        defined = sum(row.value is not None for row in scores)
        self.stdout.write(
            f"{metric}: {defined:,} scores of {len(scores):,} rows"
            + (
                f", {len(absent):,} items without a row given {options['absent']:g}"
                if absent
                else ""
            )
            + f" (run {run.pk})"
        )


def _scores(read: list[Row], options: dict[str, Any]) -> dict[str, list[ImportedRow]]:
    """Rows by metric. Raises ``ImportRefusedError``."""
    items = _list(options["item"])
    metrics = _list(options["columns"])
    value = options["value"]
    if bool(metrics) == bool(options["metric"] and value):
        raise CommandError("Give either --metric and --value, or --columns.")
    needed = [*items, *metrics, *filter(None, (value, options["dimension"]))]
    if not read:
        raise ImportRefusedError(["The file has no rows."])
    _check(read, needed)
    if options["share"]:
        return {options["metric"]: _shares(read, items, options)}
    columns = metrics or [value]
    names = {column: column for column in metrics} or {value: options["metric"]}
    return {
        names[column]: list(_of_column(read, items, column, options["dimension"]))
        for column in columns
    }


def _check(read: list[Row], needed: list[str]) -> None:
    """Every row, as in JSON each may have other columns. Raises ``ImportRefusedError``."""
    for where, row in read:
        if missing := [name for name in needed if name not in row]:
            there = ", ".join(list(row)[:30])
            raise ImportRefusedError(
                [f"No column {', '.join(missing)} in {where}. There are: {there}."]
            )


def _of_column(
    read: list[Row], items: list[str], column: str, dimension: str
) -> Iterator[ImportedRow]:
    for where, row in read:
        yield ImportedRow(
            item=_item(row, items),
            value=_number(row[column], where, column),
            dimension=text(row[dimension]) if dimension else "",
            where=where,
        )


def _shares(read: list[Row], items: list[str], options: dict[str, Any]) -> list[ImportedRow]:
    """Of each item, the share of its rows with the wanted value; an empty one is no row, unless
    blanks count."""
    wanted = options["share"].casefold()
    counts: dict[str, list[int]] = {}
    for _, row in read:
        said = text(row[options["value"]]).casefold()
        if said or options["blanks_count"]:
            own = counts.setdefault(_item(row, items), [0, 0])
            own[0] += said == wanted
            own[1] += 1
    return [ImportedRow(item=item, value=yes / n, where=item) for item, (yes, n) in counts.items()]


def _absent(study: Study, scores: list[ImportedRow], value: float | None) -> list[ImportedRow]:
    if value is None:
        return []
    named = {row.item for row in scores}
    every = scored_items(study).values_list("external_id", flat=True)
    return [ImportedRow(item=item, value=value, where=item) for item in every if item not in named]


def _number(value: Any, where: str, column: str) -> float | None:
    said = text(value)
    if not said:
        return None
    try:
        return float(said)
    except ValueError as error:
        raise ImportRefusedError([f"{where}: {column} {said!r} is no number."]) from error


def _item(row: dict[str, Any], items: list[str]) -> str:
    return JOINT.join(text(row[name]) for name in items)


def _list(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]
