"""Agreement between raters, from a file of ratings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.management.commands import _analysis as analysis
from scoring.stats.agreement import COEFFICIENTS, Coefficient, CoefficientName
from scoring.stats.bootstrap import RESAMPLES, bootstrap_agreement
from scoring.stats.counts import (
    ClusterError,
    CodedRatings,
    Codes,
    DuplicateRatingError,
    code_ratings,
)
from scoring.stats.result import AgreementResult
from scoring.stats.scale import (
    LEVELS,
    MISSING,
    Level,
    NegativeRatioError,
    NotFiniteError,
    NotNumericError,
    Scale,
    UnknownCategoryError,
    declare_scale,
    scale_from_ratings,
)
from scoring.tables import Table, TableError, first_position, read_table, unit_codes


class Command(BaseCommand):
    help = (
        "Agreement between raters of the same units, from a CSV or TSV file with one rating a row."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ratings", metavar="RATINGS.csv")
        parser.add_argument("--rater", required=True, metavar="COL", help="column of the rater")
        analysis.add_shared_options(parser)
        parser.add_argument(
            "--level",
            default="ordinal",
            help=f"level of measurement: {', '.join(LEVELS)} (default ordinal)",
        )
        parser.add_argument(
            "--coefficient",
            action="append",
            metavar="NAME",
            help=f"repeatable: {', '.join(COEFFICIENTS)} (default {COEFFICIENTS[0]})",
        )
        parser.add_argument(
            "--resample",
            default="two-way",
            help="what the bootstrap draws: two-way (items and raters, the default) or items",
        )
        parser.add_argument(
            "--categories", metavar="A,B,C", help="the scale's categories, in order"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = _coefficients(options)
        replicates = analysis.whole_number(options["bootstrap"], "--bootstrap")
        seed = analysis.whole_number(options["seed"], "--seed")
        analysis.choose([options["resample"]], RESAMPLES, "--resample")
        try:
            table = read_table(options["ratings"], _columns(options))
            grouped = _grouped_ratings(table, options)
        except TableError as error:
            raise CommandError(str(error)) from error
        rows = []
        for group, ratings in grouped:
            try:
                results = bootstrap_agreement(
                    ratings=ratings,
                    coefficients=wanted,
                    replicates=replicates,
                    seed=seed,
                    resample=options["resample"],
                )
            except ValueError as error:
                raise CommandError(f"{table.path}, {options['value']}: {error}") from error
            n_missing = int(group.positions.size) - ratings.n_ratings
            rows += [_row(group, result, n_missing) for result in results]
        if options["json"]:
            document = {"command": "agreement", "file": str(table.path), "results": rows}
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        else:
            text = _for_people(rows, options["resample"])
        self.stdout.write(text)


def _coefficients(options: dict[str, Any]) -> list[Coefficient]:
    analysis.choose([options["level"]], LEVELS, "--level")
    asked = analysis.names(options["coefficient"], COEFFICIENTS[:1])
    analysis.choose(asked, COEFFICIENTS, "--coefficient")
    return [Coefficient(cast(CoefficientName, name), options["level"]) for name in asked]


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
    table: Table, options: dict[str, Any]
) -> list[tuple[analysis.Group, CodedRatings]]:
    """The coded ratings of every group, all checked before anything is computed."""
    (unit,), _ = unit_codes([table], _columns(options)["--unit"])
    scale, category = _categories(table, options)
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
                f"{table.path}, lines {first} and {second}: one unit with two values of "
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


def _categories(table: Table, options: dict[str, Any]) -> tuple[Scale, Codes]:
    """(scale, category code of each row); raises TableError naming the line of a bad value."""
    level: Level = options["level"]
    column = options["value"]
    codes, labels = table.codes(column)
    cleaned = ["" if not label.strip() else label for label in labels]
    declared = analysis.listed(options["categories"])
    try:
        if declared:
            scale = declare_scale(level=level, categories=declared)
        else:
            scale = scale_from_ratings(level=level, found=_numeric(level, table, column))
    except ValueError as error:
        raise CommandError(f"--categories: {error}") from error
    by_label = np.full(len(labels), MISSING, dtype=np.intp)
    for code, label in enumerate(cleaned):
        try:
            by_label[code] = scale.code(label)
        except (UnknownCategoryError, NotNumericError, NotFiniteError) as error:
            raise table.refuse(
                first_position(codes, code),
                column,
                f"{error} Correct it or add it to --categories.",
            ) from error
    return scale, by_label[codes]


def _numeric(level: Level, table: Table, column: str) -> list[str]:
    """The labels that occur; raises TableError for one that should be a number and is not."""
    codes, labels = table.codes(column)
    present = [label for label in labels if label.strip()]
    if level == "nominal":
        return present
    for code, label in enumerate(labels):
        if not label.strip():
            continue
        try:
            scale_from_ratings(level=level, found=[label])
        except NegativeRatioError as error:
            raise table.refuse(
                first_position(codes, code), column, f"{error} Use --level interval instead."
            ) from error
        except (NotNumericError, NotFiniteError) as error:
            hint = "Correct it, or leave the cell empty if it is missing"
            if level == "ordinal":
                hint += "; for words, give their order with --categories a,b,c"
            hint += ", or use --level nominal."
            raise table.refuse(first_position(codes, code), column, f"{error} {hint}") from error
    return present


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
    return TableError(
        f"{table.path}, line {table.line(second)}: rater {cells[options['rater']]} has already "
        f"rated unit {unit} on line {table.line(first)} ({options['value']} {values[0]} there, "
        f"{values[1]} here). Keep one of them, or name the column that tells them apart in --unit."
    )


def _row(group: analysis.Group, result: AgreementResult, n_missing: int) -> dict[str, Any]:
    return {
        "group": group.label,
        "pooled": group.pooled,
        "coefficient": result.coefficient,
        "level": result.level,
        "value": result.value,
        "reason": result.reason,
        **analysis.interval_fields(result),
        "n_units": result.n_units,
        "n_units_paired": result.n_units_paired,
        "n_units_single": result.n_units_single,
        "n_raters": result.n_raters,
        "n_ratings": result.n_ratings,
        "n_missing": n_missing,
        "categories_declared": list(result.categories_declared),
        "categories_used": list(result.categories_used),
        "unit_of_analysis": result.unit_of_analysis,
        "aggregation": analysis.aggregation(group, result.aggregation),
    }


def _for_people(rows: list[dict[str, Any]], resample: str) -> str:
    columns = {
        "group": "group",
        "coefficient": "coefficient",
        "level": "level",
        "value": "value",
        "interval": "95 % interval",
        "n_units": "units",
        "n_units_paired": "with 2+",
        "n_raters": "raters",
        "n_ratings": "ratings",
        "n_missing": "missing",
    }
    text = analysis.for_people(columns, rows, "coefficient")
    items_only = [row for row in rows if row["replicates"] and "raters" not in row["resampled"]]
    if resample == "two-way" and items_only:
        groups = ", ".join(dict.fromkeys(analysis.group_name(row) for row in items_only))
        text += f"\n{groups}: fewer than three raters cannot be resampled, so only items were."
    return text
