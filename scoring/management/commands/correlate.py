"""Correlation of a metric's scores with mean human ratings, from two files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.management.commands import _analysis as analysis
from scoring.stats.correlation import (
    FEWEST_IN_GROUP,
    FEWEST_UNITS,
    METHODS,
    Method,
    correlate_scores,
    mean_by_unit,
)
from scoring.stats.result import CorrelationResult
from scoring.stats.scale import parse_finite, parse_number
from scoring.tables import (
    Codes,
    Floats,
    Table,
    TableError,
    first_repetition,
    has_column,
    numbers,
    read_table,
    unit_codes,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Both files as arrays: `unit`, `value` and `rater` (n_ratings,); the others (n_units,).

    `scored` says which units the scores' file has, even where their score is empty. Where that file
    has the column of `--by`, `group_of_scored` is each unit's group, None for one it does not have.
    """

    ratings: Table
    unit: Codes
    value: Floats
    rater: Codes | None
    score: Floats
    scored: npt.NDArray[np.bool_]
    cluster: Codes | None
    groups: list[analysis.Group]
    group_of_scored: npt.NDArray[np.object_] | None


class Command(BaseCommand):
    help = "Correlation of a metric's scores with the mean human rating of the same units."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ratings", metavar="RATINGS.csv")
        parser.add_argument("scores", metavar="SCORES.csv")
        parser.add_argument("--score", required=True, metavar="COL", help="column of the score")
        parser.add_argument("--rater", metavar="COL", help="column of the rater, to count raters")
        analysis.add_shared_options(parser)
        parser.add_argument(
            "--method",
            action="append",
            metavar="NAME",
            help=f"repeatable: {', '.join(METHODS)} (default {METHODS[0]})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        methods = analysis.names(options["method"], METHODS[:1])
        analysis.choose(methods, METHODS, "--method")
        replicates = analysis.whole_number(options["bootstrap"], "--bootstrap")
        seed = analysis.whole_number(options["seed"], "--seed")
        try:
            sides = _read_sides(options)
        except TableError as error:
            raise CommandError(str(error)) from error
        rows = []
        for group in sides.groups:
            rows += _rows_of_group(group, sides, cast(list[Method], methods), replicates, seed)
        if options["json"]:
            document = {
                "command": "correlate",
                "ratings": str(options["ratings"]),
                "scores": str(options["scores"]),
                "score": options["score"],
                "results": rows,
            }
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        else:
            text = _for_people(rows)
        self.stdout.write(text)


def _read_sides(options: dict[str, Any]) -> _Sides:
    """Both files, checked; raises TableError naming file, line and column."""
    columns = analysis.columns_of(options["unit"], "--unit")
    wanted = {"--unit": columns, "--value": [options["value"]]}
    wanted_scores = {"--unit": columns, "--score": [options["score"]]}
    for option in ("rater", "by", "cluster"):
        if options[option]:
            by_scores = option == "by" and _is_in_scores_only(options)
            (wanted_scores if by_scores else wanted)[f"--{option}"] = [options[option]]
    ratings = read_table(options["ratings"], wanted)
    scores = read_table(options["scores"], wanted_scores)
    (unit, scored_unit), n_units = unit_codes([ratings, scores], columns)
    _refuse_second_scores(scores, scored_unit, columns)
    score = np.full(n_units, np.nan)
    score[scored_unit] = numbers(scores, options["score"], parse_finite)
    scored = np.zeros(n_units, dtype=bool)
    scored[scored_unit] = True
    if "--by" in wanted_scores:
        group_of_scored, groups = _groups_of_scores(
            scores, options["by"], scored_unit, unit, n_units
        )
    else:
        group_of_scored, groups = None, analysis.groups_of(ratings, options["by"])
    cluster = None
    if options["cluster"]:
        cluster = _cluster_of_units(ratings, unit, options["cluster"], n_units)
    sides = _Sides(
        ratings=ratings,
        unit=unit,
        value=numbers(ratings, options["value"], parse_number),
        rater=ratings.codes(options["rater"])[0] if options["rater"] else None,
        score=score,
        scored=scored,
        cluster=cluster,
        groups=groups,
        group_of_scored=group_of_scored,
    )
    _refuse_second_ratings(sides, columns, options)
    return sides


def _is_in_scores_only(options: dict[str, Any]) -> bool:
    by = options["by"]
    return not has_column(options["ratings"], by) and has_column(options["scores"], by)


def _groups_of_scores(
    scores: Table, by: str, scored_unit: Codes, unit: Codes, n_units: int
) -> tuple[npt.NDArray[np.object_], list[analysis.Group]]:
    """(group of each unit, None where unscored; groups of the ratings in the scores' groups)."""
    codes, labels = scores.codes(by)
    of_unit = np.full(n_units, -1, dtype=np.intp)
    of_unit[scored_unit] = codes
    names = np.array([*labels, None], dtype=object)[of_unit]
    return names, analysis.groups_by_code(of_unit[unit], labels, known=codes)


def _refuse_second_scores(scores: Table, unit: Codes, columns: list[str]) -> None:
    repeated = first_repetition(unit)
    if repeated is None:
        return
    first, second = repeated
    raise TableError(
        f"{scores.path}, line {scores.line(second)}: unit {_unit_name(scores, columns, second)} "
        f"already has a score on line {scores.line(first)}. Keep one score for each unit, or name "
        "the column that tells them apart in --unit."
    )


def _refuse_second_ratings(sides: _Sides, columns: list[str], options: dict[str, Any]) -> None:
    """Where raters are named, one of them has one rating of a unit in each group."""
    if sides.rater is None:
        return
    rated = np.flatnonzero(~np.isnan(sides.value))
    who = [sides.unit, sides.rater]
    if options["by"] and sides.group_of_scored is None:
        who.append(sides.ratings.codes(options["by"])[0])
    key = np.zeros(rated.size, dtype=np.intp)
    for codes in who:
        key = np.unique(key * (int(codes.max(initial=0)) + 1) + codes[rated], return_inverse=True)[
            1
        ]
    repeated = first_repetition(key)
    if repeated is None:
        return
    first, second = (int(rated[position]) for position in repeated)
    table = sides.ratings
    raise TableError(
        f"{table.path}, line {table.line(second)}: rater "
        f"{table.frame[options['rater']].iloc[second]} has already rated unit "
        f"{_unit_name(table, columns, second)} on line {table.line(first)}. Keep one of them, or "
        "name the column that tells them apart in --unit or --by."
    )


def _unit_name(table: Table, columns: list[str], position: int) -> str:
    return ", ".join(str(table.frame[column].iloc[position]) for column in columns)


def _cluster_of_units(ratings: Table, unit: Codes, column: str, n_units: int) -> Codes:
    """Cluster of each unit; units that nobody rated get a cluster that is never drawn."""
    codes, labels = ratings.codes(column)
    cluster = np.full(n_units, len(labels), dtype=np.intp)
    first = np.full(n_units, -1, dtype=np.intp)
    first[unit[::-1]] = np.arange(unit.size)[::-1]
    cluster[unit] = codes[first[unit]]
    differs = np.flatnonzero(codes != cluster[unit])
    if differs.size:
        clash = int(differs[0])
        lines = ratings.line(int(first[unit[clash]])), ratings.line(clash)
        raise TableError(
            f"{ratings.path}, lines {lines[0]} and {lines[1]}: one unit with two values of "
            f"{column}; a unit belongs to one cluster."
        )
    return cluster


def _rows_of_group(
    group: analysis.Group, sides: _Sides, methods: list[Method], replicates: int, seed: int
) -> list[dict[str, Any]]:
    """JSON rows of one group. Its units are those with a row in it; pooled, scored ones too.

    Where the scores name the groups, a group's units are those scored in it, rated or not.
    """
    unit = sides.unit[group.positions]
    value = sides.value[group.positions]
    mean = mean_by_unit(unit=unit, values=value, n_units=sides.score.size)
    belongs = sides.scored.copy() if group.pooled else np.zeros(sides.score.size, dtype=bool)
    belongs[unit] = True
    if sides.group_of_scored is not None and not group.pooled:
        belongs |= sides.group_of_scored == group.label
    results = correlate_scores(
        scores=sides.score[belongs],
        mean_ratings=mean[belongs],
        methods=methods,
        replicates=replicates,
        seed=seed,
        clusters=None if sides.cluster is None else sides.cluster[belongs],
        fewest_units=FEWEST_UNITS if group.pooled else FEWEST_IN_GROUP,
    )
    paired = ~np.isnan(sides.score) & ~np.isnan(mean)
    used = paired[unit] & ~np.isnan(value)
    n_raters = None
    if sides.rater is not None:
        n_raters = int(np.unique(sides.rater[group.positions][used]).size)
    return [_row(group, result, int(used.sum()), n_raters) for result in results]


def _row(
    group: analysis.Group, result: CorrelationResult, n_ratings: int, n_raters: int | None
) -> dict[str, Any]:
    return {
        "group": group.label,
        "pooled": group.pooled,
        "coefficient": result.method,
        "method": result.method,
        "variant": result.variant,
        "value": result.value,
        "reason": result.reason,
        **analysis.interval_fields(result),
        "p_value": result.p_value,
        "p_kind": result.p_kind,
        "n_units": result.n_units,
        "n_left_out": result.n_left_out,
        "n_without_score": result.n_without_score,
        "n_without_rating": result.n_without_rating,
        "n_raters": n_raters,
        "n_ratings": n_ratings,
        "unit_of_analysis": result.unit_of_analysis,
        "aggregation": analysis.aggregation(group, result.aggregation),
    }


def _for_people(rows: list[dict[str, Any]]) -> str:
    columns = {
        "group": "group",
        "method": "method",
        "value": "value",
        "interval": "95 % interval",
        "p_value": "p",
        "n_units": "units",
        "n_without_score": "no score",
        "n_without_rating": "no rating",
        "n_ratings": "ratings",
    }
    return analysis.for_people(columns, rows, "method")
