"""What the two analysis commands share: options, groups, and the table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.management.base import CommandError, CommandParser

from scoring.stats.result import AgreementResult, CorrelationResult, describe
from scoring.tables import Table, nearest

Codes = npt.NDArray[np.intp]

POOLED = "all"
"""Name of the row over all groups; a group may be called the same, so rows carry `pooled` too."""

DEFAULT_REPLICATES = 2000


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are analysed together; `pooled` marks the row over everything.

    `units_within_groups`: the pooled row counts a unit once for each group it is rated in.
    """

    label: str
    pooled: bool
    positions: Codes
    units_within_groups: bool = False


def add_shared_options(parser: CommandParser) -> None:
    """The options both commands have."""
    parser.add_argument(
        "--unit", required=True, metavar="COL[,COL]", help="columns that together name a unit"
    )
    parser.add_argument("--value", required=True, metavar="COL", help="column of the rating")
    parser.add_argument("--by", metavar="COL", help="also a row for each value of this column")
    parser.add_argument(
        "--cluster",
        metavar="COL",
        help="column of clusters (for instance prompts) that are drawn as a whole",
    )
    parser.add_argument(
        "--bootstrap",
        default=str(DEFAULT_REPLICATES),
        metavar="N",
        help=f"bootstrap replicates, 0 for no interval (default {DEFAULT_REPLICATES})",
    )
    parser.add_argument(
        "--seed", default="0", metavar="N", help="seed of the bootstrap (default 0)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def names(value: str | Sequence[object] | None, default: Sequence[str] = ()) -> list[str]:
    """Names given once, several times, or separated by commas; each is kept once."""
    return list(dict.fromkeys(listed(value))) or list(default)


def listed(value: str | Sequence[object] | None) -> list[str]:
    """What an option lists, in order, repetitions kept."""
    given = [value or ""] if value is None or isinstance(value, str) else value
    return [part.strip() for item in given for part in str(item).split(",") if part.strip()]


def columns_of(value: str | Sequence[str], option: str) -> list[str]:
    """The columns an option names. Raises CommandError when it names none."""
    columns = names(value)
    if not columns:
        raise CommandError(f"{option} is empty; name a column.")
    return columns


def choose(given: Sequence[str], known: Sequence[str], option: str) -> None:
    """Raises CommandError for a name that is not known."""
    for name in given:
        if name not in known:
            raise CommandError(
                f"{option} {name} is unknown.{nearest(name, known)} Choose from: "
                f"{', '.join(known)}."
            )


def whole_number(value: str | int, option: str) -> int:
    """An option as a whole number of 0 or more. Raises CommandError otherwise."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise CommandError(f"{option} {value} is not a whole number of 0 or more.")
    return number


def groups_of(table: Table, by: str | None) -> list[Group]:
    """The pooled group first, then one for each value of the column, sorted as text."""
    if by is None:
        return [Group(POOLED, True, np.arange(len(table)))]
    codes, labels = table.codes(by)
    return groups_by_code(codes, labels, known=codes)


def groups_by_code(codes: Codes, labels: Sequence[str], *, known: Codes) -> list[Group]:
    """The same from a code for each row, one group for each code that `known` has.

    Rows with code -1 are in the pooled group only.
    """
    groups = [Group(POOLED, True, np.arange(codes.size))]
    for code in sorted(np.unique(known), key=lambda code: labels[code]):
        groups.append(Group(labels[code], False, np.flatnonzero(codes == code)))
    return groups


def interval_fields(result: AgreementResult | CorrelationResult) -> dict[str, Any]:
    """The interval part of a JSON row; bounds are null without an interval."""
    interval = result.interval
    return {
        "se": result.se,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
        "ci_reason": interval.reason if interval else None,
        "ci_level": interval.level if interval else None,
        "ci_kind": interval.kind if interval else None,
        "resampled": interval.resampled if interval else None,
        "replicates": interval.replicates if interval else 0,
        "seed": interval.seed if interval else None,
        "undefined_share": interval.undefined_share if interval else None,
        "too_few_for_interval": result.too_few_for_interval,
    }


def aggregation(group: Group, of_result: str) -> str:
    """How a row was pooled, in words."""
    if group.units_within_groups:
        return f"{of_result}, a unit counted once in each group"
    return of_result


def for_people(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """The table, what was resampled, and remarks on rows that need one; `name` labels a row."""
    lines = [text_table(columns, rows), "", resampling_line(rows)]
    pooled = rows[0]["aggregation"]
    if pooled != rows[-1]["aggregation"]:
        lines.append(f"(all): {pooled}.")
    return "\n".join([*lines, *remarks(rows, name)])


def text_table(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows aligned under headings; numbers to the right. `columns` maps row key -> heading."""
    cells = [[_cell(row, key) for key in columns] for row in rows]
    headings = list(columns.values())
    widths = [max(len(line[i]) for line in [headings, *cells]) for i in range(len(headings))]
    to_right = [all(isinstance(row.get(key), int | float) for row in rows) for key in columns]
    lines = []
    for line in [headings, *cells]:
        aligned = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, to_right, strict=True)
        ]
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def remarks(rows: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """A sentence for each row that has no value, no interval, or too few items for one."""
    lines = []
    for row in rows:
        who = f"{group_name(row)}, {row[name]}"
        if row["reason"]:
            lines.append(f"{who}: undefined. {describe(row['reason'])}")
        elif row["ci_reason"]:
            lines.append(f"{who}: no interval. {describe(row['ci_reason'])}")
        elif row["too_few_for_interval"] and row["replicates"]:
            lines.append(f"{who}: {describe('too_few_for_interval')}")
    return lines


def resampling_line(rows: Sequence[Mapping[str, Any]]) -> str:
    """Says what was drawn anew, how often and with which seed."""
    drawn = dict.fromkeys(row["resampled"] for row in rows if row["replicates"])
    if not drawn:
        return "No intervals were asked for."
    first = next(row for row in rows if row["replicates"])
    return (
        f"95 % {first['ci_kind']} intervals: {' or '.join(drawn)} resampled, "
        f"{first['replicates']} draws, seed {first['seed']}."
    )


def group_name(row: Mapping[str, Any]) -> str:
    """How a row's group is written for people; the pooled row cannot be taken for a group."""
    if row["pooled"]:
        return "(all)"
    return str(row["group"]) or "(empty)"


def _cell(row: Mapping[str, Any], key: str) -> str:
    if key == "group":
        return group_name(row)
    if key == "interval":
        if row["ci_low"] is None:
            return "none"
        return f"{row['ci_low']:.3f} to {row['ci_high']:.3f}"
    value = row[key]
    if value is None:
        return "undefined" if key == "value" else "none"
    if key == "p_value" and value < 0.001:
        return "< 0.001"
    # Adding 0.0 turns -0.0, a small negative number after rounding, into 0.0.
    return f"{round(value, 3) + 0.0:.3f}" if isinstance(value, float) else str(value)
