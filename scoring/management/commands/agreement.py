"""Agreement between raters, from a file of ratings."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.management.commands import _agreement_asked as asking
from scoring.management.commands import _agreement_rows as printing
from scoring.management.commands import _analysis as analysis
from scoring.stats.bootstrap import INTERVAL_KINDS, RESAMPLES, bootstrap_agreement
from scoring.stats.coefficients import Coefficient
from scoring.stats.counts import (
    ClusterError,
    CodedRatings,
    Codes,
    DuplicateRatingError,
    code_ratings,
)
from scoring.stats.scale import MISSING, Scale
from scoring.tables import Table, TableError, read_table, unit_codes


class Command(BaseCommand):
    help = (
        "Agreement between raters of the same units, from a table with one rating a row: CSV, TSV, "
        "JSON lines, Excel or Parquet, by the file's ending."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ratings", metavar="RATINGS.csv")
        parser.add_argument("--rater", required=True, metavar="COL", help="column of the rater")
        analysis.add_shared_options(parser)
        asking.add_options(parser)
        parser.add_argument(
            "--resample",
            default="two-way",
            help="what the bootstrap draws: two-way (items and raters, the default), items or "
            "raters",
        )
        parser.add_argument(
            "--interval",
            default=INTERVAL_KINDS[0],
            help=f"kind of bootstrap interval: {', '.join(INTERVAL_KINDS)}",
        )
        parser.add_argument(
            "--self-check",
            action="store_true",
            help="also compute alpha with the krippendorff package and say the difference",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        asked = asking.asked_for(options)
        for option in ("bootstrap", "seed"):
            options[option] = analysis.whole_number(options[option], f"--{option}")
        analysis.choose([options["resample"]], RESAMPLES, "--resample")
        by_lower = {kind.lower(): kind for kind in INTERVAL_KINDS}
        options["interval"] = by_lower.get(options["interval"].lower(), options["interval"])
        analysis.choose([options["interval"]], INTERVAL_KINDS, "--interval")
        try:
            table = read_table(options["ratings"], _columns(options))
            scale, category = asking.scale_and_codes(table, asked, options)
            grouped = _grouped_ratings(table, scale, category, options)
        except TableError as error:
            raise CommandError(str(error)) from error
        wanted = asked.coefficients(scale)
        rows = []
        for group, ratings in grouped:
            try:
                rows += self._rows(group, ratings, wanted, options)
            except ValueError as error:
                raise CommandError(f"{table.path}, {options['value']}: {error}") from error
        if options["json"]:
            document = {"command": "agreement", "file": str(table.path), "results": rows}
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        else:
            text = printing.for_people(rows, options["resample"])
        self.stdout.write(text)

    def _rows(
        self,
        group: analysis.Group,
        ratings: CodedRatings,
        wanted: list[Coefficient],
        options: dict[str, Any],
    ) -> list[dict[str, Any]]:
        results = bootstrap_agreement(
            ratings=ratings,
            coefficients=wanted,
            replicates=options["bootstrap"],
            seed=options["seed"],
            resample=options["resample"],
            interval=options["interval"],
            progress=self._show_progress if sys.stderr.isatty() else None,
        )
        return [
            printing.row_of(group, ratings, one, result, self_check=options["self_check"])
            for one, result in zip(wanted, results, strict=True)
        ]

    def _show_progress(self, done: int, total: int) -> None:
        self.stderr.write(f"\rbootstrap {done} of {total}", ending="\n" if done >= total else "")


def _columns(options: dict[str, Any]) -> dict[str, list[str]]:
    columns = {
        "--unit": analysis.columns_of(options["unit"], "--unit"),
        "--rater": [options["rater"]],
        "--value": [options["value"]],
    }
    for option in ("by", "cluster"):
        if options[option]:
            columns[f"--{option}"] = [options[option]]
    return columns


def _grouped_ratings(
    table: Table, scale: Scale, category: Codes, options: dict[str, Any]
) -> list[tuple[analysis.Group, CodedRatings]]:
    """The coded ratings of every group, all checked before anything is computed."""
    (unit,), _ = unit_codes([table], _columns(options)["--unit"])
    rater = _raters(table, options["rater"], category)
    cluster = table.codes(options["cluster"])[0] if options["cluster"] else None
    grouped = []
    for group in reversed(analysis.groups_of(table, options["by"])):
        # Groups come before the pooled row: what is wrong inside a group is named as such.
        rows = group.positions
        units = unit[rows]
        if group.pooled and options["by"] and _rated_in_several_groups(unit, rater, category):
            codes, labels = table.codes(options["by"])
            units = unit * len(labels) + codes
            group = replace(group, units_within_groups=True)
        try:
            ratings = code_ratings(
                unit=units,
                rater=rater[rows],
                category=category[rows],
                scale=scale,
                cluster=None if cluster is None else cluster[rows],
            )
        except DuplicateRatingError as error:
            raise _duplicate(table, options, rows, error) from error
        except ClusterError as error:
            first, second = (table.line(int(rows[p])) for p in (error.first, error.second))
            raise TableError(
                f"{table.path}, {table.word}s {first} and {second}: one unit with two values of "
                f"{options['cluster']}; a unit belongs to one cluster."
            ) from error
        grouped.append((group, ratings))
    return grouped[::-1]


def _rated_in_several_groups(unit: Codes, rater: Codes, category: Codes) -> bool:
    """Whether a rater rates the same unit in more than one group.

    Where `--by` names, say, the question, raters do, and ratings of different groups must not be
    compared: the pooled row then takes a unit within its group as the unit. Where it names the
    rater's country they do not, and ratings of a unit are pairs across groups.
    """
    rated = category != MISSING
    key = unit[rated] * (int(rater.max(initial=0)) + 1) + rater[rated]
    return bool(np.unique(key).size < key.size)


def _raters(table: Table, column: str, category: Codes) -> Codes:
    codes, labels = table.codes(column)
    nameless = np.array([not label.strip() for label in labels])[codes] & (category != MISSING)
    if nameless.any():
        raise table.refuse(
            int(np.argmax(nameless)), column, "the rater is empty. Say who gave the rating."
        )
    return codes


def _duplicate(
    table: Table, options: dict[str, Any], rows: Codes, error: DuplicateRatingError
) -> TableError:
    first, second = int(rows[error.first]), int(rows[error.second])
    cells = table.frame.iloc[second]
    unit = ", ".join(str(cells[column]) for column in analysis.names(options["unit"]))
    values = [str(table.frame[options["value"]].iloc[row]) for row in (first, second)]
    here, there = (f"{table.word} {table.line(row)}" for row in (second, first))
    return TableError(
        f"{table.path}, {here}: rater {cells[options['rater']]} has already rated unit {unit} on "
        f"{there} ({options['value']} {values[0]} there, {values[1]} here). Keep one of them, or "
        "name the column that tells them apart in --unit."
    )
