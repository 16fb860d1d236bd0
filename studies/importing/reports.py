"""Problems as people read them: grouped by kind, and as a table to download. Django-free."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from studies.importing.problems import Problem


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """The same mistake on several lines. ``number`` counts groups from 1, the largest first;
    ``n`` counts all its problems, of which ``problems`` may be the first."""

    number: int
    label: str
    problems: tuple[Problem, ...]
    n: int


def group_problems(problems: Sequence[Problem]) -> list[ProblemGroup]:
    """Problems that differ only in line, value and figures, together."""
    by_label: dict[str, list[Problem]] = {}
    for problem in problems:
        by_label.setdefault(_label(problem), []).append(problem)
    ordered = sorted(by_label.items(), key=lambda pair: -len(pair[1]))
    return [
        ProblemGroup(number, label, tuple(same), len(same))
        for number, (label, same) in enumerate(ordered, start=1)
    ]


def problems_csv(problems: Sequence[Problem]) -> str:
    """All problems as CSV with a byte order mark, which spreadsheets need to see UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["line", "field", "in the file", "what is wrong", "what to do"])
    for problem in problems:
        line = problem.line or ""
        writer.writerow([line, problem.field, problem.value, problem.wrong, problem.fix])
    return "\ufeff" + text.getvalue()


_COUNTS = re.compile(r"(?<![\w.:])\d[\d,]*(?![\w:-]|\.\d)")


_ONLY_COUNTS = re.compile(r" \([…× ]+\)")  # a size, of which nothing is left


def _label(problem: Problem) -> str:
    """The problem without its own figures; those of a name (H.264, 10-bit, 4:4:4) belong to it."""
    general = _COUNTS.sub("…", problem.wrong.split(": ")[0])
    general = _ONLY_COUNTS.sub("", general)
    return f"{problem.field}: {general}" if problem.field else general
