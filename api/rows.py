"""Many rows in one request: how they come in, and how what is wrong with them goes out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.problems import Refused, TooLarge
from studies.importing.problems import Problem

MAX_ROWS = 10_000
MAX_DEPTH = 8
PROBLEMS_SHOWN = 1000

_LINE = re.compile(r"\b(on )?line (\d+)")


def rows_of(body: Any, name: str) -> list[dict[str, Any]]:
    """The list of objects under ``name`` in a JSON body, or refusals that say where it is not."""
    if not isinstance(body, dict):
        raise Refused("invalid", f'Send an object with the rows in it: {{"{name}": [...]}}.')
    if unknown := sorted(body.keys() - {name}):
        fields = [{"field": field[:80], "wrong": "There is no such field."} for field in unknown]
        raise Refused("invalid", f"Send the rows under “{name}” and nothing else.", errors=fields)
    rows = body.get(name)
    if not isinstance(rows, list) or not rows:
        error = {"field": name, "wrong": "Send a list of at least one object."}
        raise Refused("invalid", f"“{name}” holds no rows.", errors=[error])
    if len(rows) > MAX_ROWS:
        raise TooLarge(
            f"{len(rows):,} rows; a request takes {MAX_ROWS:,}. Send them in several requests. "
            "Imports also take a table as multipart/form-data, which may have 100,000 rows."
        )
    _refuse_strange(rows)
    return rows


def _refuse_strange(rows: Sequence[Any]) -> None:
    """Rows that are no objects, or hold more than values and lists of values."""
    problems = []
    for line, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            problems.append(Problem(line, "", "", "Not an object", 'Write {"field": "value"}.'))
        elif not row:
            problems.append(Problem(line, "", "", "The object is empty", "Leave it out."))
        else:
            problems += [
                Problem(line, name[:80], "", "Nested too deeply", "Give a value or a list.")
                for name, value in row.items()
                if _is_deep(value, MAX_DEPTH)
            ]
    if problems:
        raise rows_refused(problems)


def _is_deep(value: Any, left: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_deep(part, left - 1) for part in inner)


def as_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as JSONL, which is what an import reads: row n is line n + 1."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def rows_refused(problems: Sequence[Problem]) -> Refused:
    n = len(problems)
    return Refused(
        "rows",
        f"{n:,} problem{'s'[: n != 1]}; nothing was written.",
        problems=[told(problem, by_index=True) for problem in problems[:PROBLEMS_SHOWN]],
        n_problems=n,
    )


def told(problem: Problem, *, by_index: bool) -> dict[str, Any]:
    """A problem with its place: an index of the JSON list, or a line of the table."""
    row = {
        "index": problem.line - 1 if by_index and problem.line else None,
        "line": problem.line or None if not by_index else None,
        "field": problem.field,
        "value": problem.value,
        "wrong": problem.wrong,
        "fix": problem.fix,
    }
    if by_index:
        row |= {name: _LINE.sub(_index, row[name]) for name in ("wrong", "fix")}
    return row


def _index(found: re.Match[str]) -> str:
    """ "on line 3" of the JSONL is "at index 2" of the list."""
    return f"{'at ' if found[1] else ''}index {int(found[2]) - 1}"
