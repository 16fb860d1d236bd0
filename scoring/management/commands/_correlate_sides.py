"""Both files of `correlate` as arrays: who rated which unit how, and what the metric gave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.management.commands import _analysis as analysis
from scoring.stats.rated_items import RatedItems, rate_items
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

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column of either file: `of_rating` (n_ratings,) where the ratings have it, else None.

    `of_unit` (n_units,) is the code of each unit, -1 where its file does not have the unit.
    `differs` is the position of the first rating whose code is not its unit's, None without one.
    """

    name: str
    labels: list[str]
    of_rating: Codes | None
    of_unit: Codes
    differs: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both files: `unit`, `value`, `rater` have shape (n_ratings,), everything else (n_units,).

    `scores` holds each column of scores by name. `scored` says which units the scores' file has,
    even where their score is empty.
    """

    ratings: Table
    unit: Codes
    value: Floats
    rater: Codes | None
    scores: dict[str, Floats]
    scored: npt.NDArray[np.bool_]
    by: Column | None
    group: Column | None
    cluster: Codes | None
    stratum: Codes | None

    @property
    def n_units(self) -> int:
        """Units of both files together."""
        return int(self.scored.size)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What one group of `--by` is computed from.

    `several`: a unit is an item in each of several groups of `--group`. Such items share their
    unit's score, so that the bootstrap draws them together.
    """

    items: RatedItems
    several: bool


def read_sides(options: dict[str, Any], columns: list[str], compared: list[str]) -> Sides:
    """Both files, checked; raises TableError naming file, line and column."""
    score_columns = list(dict.fromkeys([options["score"], *compared]))
    wanted = {"--unit": columns, "--value": [options["value"]]}
    wanted_scores = {"--unit": columns, "--score": [options["score"]], "--compare": compared}
    if options["rater"]:
        wanted["--rater"] = [options["rater"]]
    for option in ("by", "group", "cluster", "stratum"):
        if options[option]:
            side = wanted_scores if _is_in_scores_only(options, options[option]) else wanted
            side[f"--{option}"] = [options[option]]
    ratings = read_table(options["ratings"], wanted)
    scores = read_table(options["scores"], wanted_scores)
    (unit, scored_unit), n_units = unit_codes([ratings, scores], columns)
    _refuse_second_scores(scores, scored_unit, columns)
    of_units = {}
    for name in score_columns:
        of_units[name] = np.full(n_units, np.nan)
        of_units[name][scored_unit] = numbers(scores, name, parse_finite)
    scored = np.zeros(n_units, dtype=bool)
    scored[scored_unit] = True

    def column(option: str) -> Column | None:
        name = options[option]
        if not name:
            return None
        if f"--{option}" in wanted:
            return _column(name, ratings, unit, n_units, of_ratings=True)
        return _column(name, scores, scored_unit, n_units, of_ratings=False)

    sides = Sides(
        ratings=ratings,
        unit=unit,
        value=numbers(ratings, options["value"], parse_number),
        rater=ratings.codes(options["rater"])[0] if options["rater"] else None,
        scores=of_units,
        scored=scored,
        by=column("by"),
        group=column("group"),
        cluster=_of_units(ratings, unit, column("cluster"), "cluster"),
        stratum=_of_units(ratings, unit, column("stratum"), "stratum"),
    )
    _refuse_second_ratings(sides, columns, options)
    return sides


def groups_of(sides: Sides) -> list[analysis.Group]:
    """The pooled group, then one for each value of the column of `--by`."""
    by = sides.by
    if by is None:
        return [analysis.Group(analysis.POOLED, True, np.arange(len(sides.ratings)))]
    if by.of_rating is not None:
        return analysis.groups_by_code(by.of_rating, by.labels, known=by.of_rating)
    known = by.of_unit[by.of_unit != UNKNOWN]
    return analysis.groups_by_code(by.of_unit[sides.unit], by.labels, known=known)


def material_of(group: analysis.Group, sides: Sides, score: str, *, by_group: bool) -> Material:
    """The items of one group: its rated units and, pooled, the scored ones too.

    Where the scores name the groups of `--by`, a group's units are those scored in it, rated or
    not. `by_group`: items carry the group of `--group`; where the ratings name it, a unit rated in
    several groups is one item in each. Items of no group have the code after the last label.
    """
    unit = sides.unit[group.positions]
    unrated = _unrated(group, sides, unit)
    column = sides.group if by_group else None
    n_parts = 1 + (len(column.labels) if column is not None else 0)
    part = np.concatenate([_parts(column, unit, group.positions), _parts(column, unrated)])
    keys = np.concatenate([unit, unrated]) * n_parts + part
    distinct, item = np.unique(keys, return_inverse=True)
    of_item = distinct // n_parts
    several = np.unique(of_item).size < of_item.size
    cluster = of_item if several else None
    if sides.cluster is not None:
        cluster = sides.cluster[of_item]
    items = rate_items(
        score=sides.scores[score][of_item],
        item=item[: unit.size],
        value=sides.value[group.positions],
        rater=None if sides.rater is None else sides.rater[group.positions],
        group=distinct % n_parts if column is not None else None,
        cluster=cluster,
        stratum=None if sides.stratum is None else sides.stratum[of_item],
        repeats_allowed=group.pooled and sides.by is not None,
    )
    return Material(items=items, several=several)


def _unrated(group: analysis.Group, sides: Sides, unit: Codes) -> Codes:
    """The scored units of a group without one of its ratings, which are of `unit`."""
    found = sides.scored.copy() if group.pooled else np.zeros(sides.n_units, dtype=bool)
    if sides.by is not None and sides.by.of_rating is None and not group.pooled:
        found |= sides.by.of_unit == sides.by.labels.index(group.label)
    found[unit] = False
    return np.flatnonzero(found)


def _parts(column: Column | None, unit: Codes, ratings: Codes | None = None) -> Codes:
    """The group of `--group` of ratings (by position), or of units without one."""
    if column is None:
        return np.zeros(unit.size, dtype=np.intp)
    none = len(column.labels)
    if column.of_rating is None:
        found = column.of_unit[unit]
    elif ratings is None:
        return np.full(unit.size, none, dtype=np.intp)
    else:
        found = column.of_rating[ratings]
    return np.where(found == UNKNOWN, none, found)


def _is_in_scores_only(options: dict[str, Any], column: str) -> bool:
    return not has_column(options["ratings"], column) and has_column(options["scores"], column)


def _column(name: str, table: Table, unit: Codes, n_units: int, *, of_ratings: bool) -> Column:
    codes, labels = table.codes(name)
    first = np.full(n_units, -1, dtype=np.intp)
    first[unit[::-1]] = np.arange(unit.size)[::-1]
    of_unit = np.full(n_units, UNKNOWN, dtype=np.intp)
    of_unit[unit] = codes[first[unit]]
    differs = np.flatnonzero(codes != of_unit[unit])
    return Column(
        name=name,
        labels=labels,
        of_rating=codes if of_ratings else None,
        of_unit=of_unit,
        differs=int(differs[0]) if differs.size else None,
    )


def _of_units(ratings: Table, unit: Codes, column: Column | None, what: str) -> Codes | None:
    """A code for each unit; units that the column's file does not have share one of their own."""
    if column is None:
        return None
    if column.differs is not None:
        first = int(np.argmax(unit == unit[column.differs]))
        raise TableError(
            f"{ratings.path}, {ratings.word}s {ratings.line(first)} and "
            f"{ratings.line(column.differs)}: one unit with two values of {column.name}; a unit "
            f"belongs to one {what}."
        )
    return np.where(column.of_unit == UNKNOWN, len(column.labels), column.of_unit)


def _refuse_second_scores(scores: Table, unit: Codes, columns: list[str]) -> None:
    repeated = first_repetition(unit)
    if repeated is None:
        return
    first, second = repeated
    raise TableError(
        f"{scores.path}, {scores.word} {scores.line(second)}: unit "
        f"{_unit_name(scores, columns, second)} already has a score on {scores.word} "
        f"{scores.line(first)}. Keep one score for each unit, or name the column that tells them "
        "apart in --unit."
    )


def _refuse_second_ratings(sides: Sides, columns: list[str], options: dict[str, Any]) -> None:
    """Where raters are named, one of them has one rating of a unit in each group."""
    if sides.rater is None:
        return
    rated = np.flatnonzero(~np.isnan(sides.value))
    who = [sides.unit, sides.rater]
    who += [
        column.of_rating
        for column in (sides.by, sides.group)
        if column is not None and column.of_rating is not None
    ]
    key = np.zeros(rated.size, dtype=np.intp)
    for codes in who:
        key = key * (int(codes.max(initial=0)) + 1) + codes[rated]
        # Renumbered after every column, so that the product cannot overflow.
        key = np.unique(key, return_inverse=True)[1]
    repeated = first_repetition(key)
    if repeated is None:
        return
    first, second = (int(rated[position]) for position in repeated)
    table = sides.ratings
    raise TableError(
        f"{table.path}, {table.word} {table.line(second)}: rater "
        f"{table.frame[options['rater']].iloc[second]} has already rated unit "
        f"{_unit_name(table, columns, second)} on {table.word} {table.line(first)}. Keep one of "
        "them, or name the column that tells them apart in --unit, --by or --group."
    )


def _unit_name(table: Table, columns: list[str], position: int) -> str:
    return ", ".join(str(table.frame[column].iloc[position]) for column in columns)
