"""Scores of another tool as runs of metrics of their own.

import_scores STUDY FILE --item COLUMN[,COLUMN] --better higher --source TEXT
    --metric NAME --value COLUMN [--dimension COLUMN]     a row a score
    --metrics COLUMN --value COLUMN [--dimension COLUMN]  a row a score, its metric in a column
    --columns A,B,C                                       a column a metric
    [--share yes]     the share of an item's rows with this value, as of questions answered
    [--absent 0]      the value of items that the file does not name; else they have none
    [--low 0 --high 1] [--records PATH] [--where COLUMN=VALUE] [--preview]
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from scoring.imported import ImportedRow, ImportedScoresError, import_metrics
from scoring.selection import scored_items
from studies.external.layouts import JOINT
from studies.external.numbers import NoNumberError, real
from studies.external.records import ImportRefusedError
from studies.external.sources import Row, conditions, matching, rows, text
from studies.importing.tables import visible
from studies.models import Study

ByMetric = dict[str, list[ImportedRow]]
PREVIEWED = 10


class Command(BaseCommand):
    help = "Import scores of another tool for the items of a study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="The study's slug.")
        parser.add_argument("file", help="CSV, TSV, JSON lines or JSON.")
        parser.add_argument("--item", required=True, help="Columns that name an item together.")
        parser.add_argument("--metric", default="", help="Its name, where it is one.")
        parser.add_argument("--metrics", default="", help="The column of each row's metric.")
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
        parser.add_argument("--preview", action="store_true", help="Read and check; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            every = rows(Path(options["file"]), records=options["records"])
            read = list(matching(every, conditions(options["where"])))
            self._import(study, _scores(read, options), options)
        except (ImportRefusedError, ImportedScoresError) as error:
            raise CommandError("Nothing was imported.\n" + "\n".join(error.problems)) from error

    def _import(self, study: Study, scores: ByMetric, options: dict[str, Any]) -> None:
        absent = {name: _absent(study, own, options["absent"]) for name, own in scores.items()}
        with transaction.atomic():
            runs = import_metrics(
                study=study,
                by_metric={name: [*own, *absent[name]] for name, own in scores.items()},
                better=options["better"],
                low=options["low"],
                high=options["high"],
                source=options["source"],
                by=None,
            )
            # Checked to the end, as far as the database; then nothing of it stays.
            transaction.set_rollback(options["preview"])
        for (name, own), run in zip(scores.items(), runs, strict=True):
            if options["preview"]:
                self._show(name, own)
            told = f"{name}: {sum(row.value is not None for row in own):,} scores of "
            told += f"{len(own):,} rows"
            if absent[name]:
                told += f", {len(absent[name]):,} items without a row given {options['absent']:g}"
            self.stdout.write(told if options["preview"] else f"{told} (run {run.pk})")
        if options["preview"]:
            self.stdout.write("Nothing was written: this was a preview.")

    def _show(self, metric: str, scores: list[ImportedRow]) -> None:
        for row in scores[:PREVIEWED]:
            said = "nothing" if row.value is None else f"{row.value!r}"
            on = f" on {row.dimension}" if row.dimension else ""
            self.stdout.write(f"{row.where}: {metric} gives {row.item}{on} {said}")


def _scores(read: list[Row], options: dict[str, Any]) -> ByMetric:
    """Rows by metric. Raises ``ImportRefusedError``."""
    columns, value = _list(options["columns"]), options["value"]
    ways = [bool(columns), bool(options["metric"] and value), bool(options["metrics"] and value)]
    if sum(ways) != 1:
        raise CommandError(
            "Give one of the three: --metric and --value, --metrics and --value, or --columns."
        )
    if not read:
        raise ImportRefusedError(["The file has no rows."])
    other = (value, options["metrics"], options["dimension"])
    _check(read, [*_list(options["item"]), *columns, *filter(None, other)])
    if options["share"]:
        return _shares(read, options)
    found: ByMetric = {}
    problems: list[str] = []
    metric_of = _metric_of(options)
    for column in columns or [value]:
        for where, row in read:
            try:
                one = _score(row, column, f"{where}, {column}", options)
                found.setdefault(metric_of(where, row, column), []).append(one)
            except NoNumberError as error:
                problems.append(f"{where}, {column}: {error}")
    if problems:
        raise ImportRefusedError(problems)
    return found


def _metric_of(options: dict[str, Any]) -> Callable[[str, dict[str, Any], str], str]:
    """The metric of a row and column. It raises ``ImportRefusedError`` where a row names none."""

    def named(where: str, row: dict[str, Any], column: str) -> str:
        if not options["metrics"]:
            return options["metric"] or column
        if name := text(row[options["metrics"]]):
            return name
        raise ImportRefusedError([f"{where}, {options['metrics']}: no metric."])

    return named


def _check(read: list[Row], needed: list[str]) -> None:
    """Every row, as in JSON each may have other columns. Raises ``ImportRefusedError``."""
    for where, row in read:
        if missing := [name for name in needed if name not in row]:
            there = ", ".join(list(row)[:30])
            raise ImportRefusedError(
                [f"No column {', '.join(missing)} in {where}. There are: {there}."]
            )


def _score(row: dict[str, Any], column: str, where: str, options: dict[str, Any]) -> ImportedRow:
    said = text(row[column])
    return ImportedRow(
        item=_item(row, options),
        value=real(said) if said else None,
        dimension=text(row[options["dimension"]]) if options["dimension"] else "",
        where=where,
    )


def _shares(read: list[Row], options: dict[str, Any]) -> ByMetric:
    """Of each item, the share of its rows with the wanted value; an empty one is no row, unless
    blanks count. Raises ``ImportRefusedError`` where no row has it: every share would be 0."""
    wanted = options["share"].casefold()
    values = dict.fromkeys(text(row[options["value"]]) for _, row in read)
    if wanted not in {said.casefold() for said in values}:
        there = ", ".join(map(visible, list(values)[:10]))
        raise ImportRefusedError(
            [f"No row has {options['share']!r} in {options['value']}. There are: {there}."]
        )
    metric_of = _metric_of(options)
    counts: dict[str, dict[tuple[str, str], list[int]]] = {}
    for where, row in read:
        said = text(row[options["value"]]).casefold()
        if said or options["blanks_count"]:
            dimension = text(row[options["dimension"]]) if options["dimension"] else ""
            of_metric = counts.setdefault(metric_of(where, row, options["value"]), {})
            own = of_metric.setdefault((_item(row, options), dimension), [0, 0])
            own[0] += said == wanted
            own[1] += 1
    return {
        metric: [
            ImportedRow(item=item, value=yes / n, dimension=dimension, where=f"Rows of {item}")
            for (item, dimension), (yes, n) in of_metric.items()
        ]
        for metric, of_metric in counts.items()
    }


def _absent(study: Study, scores: list[ImportedRow], value: float | None) -> list[ImportedRow]:
    if value is None:
        return []
    named = {row.item for row in scores}
    every = scored_items(study).values_list("external_id", flat=True)
    return list(_given(value, (item for item in every if item not in named)))


def _given(value: float, items: Iterator[str]) -> Iterator[ImportedRow]:
    for item in items:
        yield ImportedRow(item=item, value=value, where=f"Rows of {item}")


def _item(row: dict[str, Any], options: dict[str, Any]) -> str:
    return JOINT.join(text(row[name]) for name in _list(options["item"]))


def _list(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]
