"""The prompt book from a table: a row, or a column, for each variant. Django-free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studies.importing.columns import Schema
from studies.importing.file_names import plain_name
from studies.importing.problems import Problem
from studies.importing.rows import (
    Parsed,
    RowCheck,
    check_table,
    choice,
    double_ids,
    read_country,
    read_list,
)
from studies.importing.tables import visible

VARIANTS = ("base", "extended", "country-removed", "free")
_WIDE = {
    "base": "base",
    "extended": "extended",
    "country_removed": "country-removed",
    "free": "free",
}
SCENARIOS = Schema(
    noun="scenario",
    headings={
        "scenario": ("key", "scenario_id", "id", "activity", "concept"),
        "country": ("country_code", "country_name", "nation"),
        "category": ("activity_category",),
        "aspect": (),
        "cultural_element": ("element",),
        "sub_activities": ("sub_activity", "subactivities", "steps"),
        "variant": ("prompt_variant",),
        "prompt": ("text", "prompt_text", "caption"),
        "base": ("base_prompt",),
        "extended": ("extended_prompt",),
        "country_removed": ("country_removed_prompt",),
        "free": ("free_prompt",),
    },
    required=("scenario",),
    either=(("prompt", *_WIDE),),
    max_lengths={
        "scenario": 200,
        "category": 120,
        "aspect": 120,
        "cultural_element": 200,
        "sub_activities": 20_000,
        **dict.fromkeys(("prompt", *_WIDE), 20_000),
    },
    multiline=frozenset(("prompt", "sub_activities", "metadata", *_WIDE)),
    keeps_others=False,
)
_OF_SCENARIO = ("country", "category", "aspect", "cultural_element", "sub_activities")


@dataclass(frozen=True, slots=True)
class ScenarioRecord:
    """A scenario and its wordings, variant -> text. ``line`` is that of its first row."""

    line: int
    scenario: str
    country: str
    category: str
    aspect: str
    cultural_element: str
    sub_activities: tuple[str, ...]
    prompts: Mapping[str, str]


def parse_scenarios(content: bytes) -> Parsed[ScenarioRecord]:
    """Read scenarios and their prompts. Raises nothing for bad content."""
    readers = {
        "country": read_country,
        "variant": choice(VARIANTS),
        "sub_activities": read_list,
    }
    table = check_table(content, SCENARIOS, readers)
    problems = list(table.problems)
    long = any(column.field == "prompt" for column in table.columns)
    for check in table.checks:
        if long and not check.row.ragged and not check.problems:
            _check_long(check)
        problems += check.problems
    if long:
        problems += double_ids(table.checks, "scenario", "variant")
    else:
        problems += double_ids(table.checks, "scenario")
    grouped: dict[str, list[RowCheck]] = {}
    for check in table.checks:
        if check.text("scenario"):
            grouped.setdefault(check.text("scenario"), []).append(check)
    for rows in grouped.values():
        problems += _disagreements(rows)
    problems += _same_names(grouped)
    problems.sort(key=lambda problem: problem.line)
    refused = {problem.line for problem in problems}
    records = tuple(
        _record(rows) for rows in grouped.values() if refused.isdisjoint(r.line for r in rows)
    )
    return Parsed(records, tuple(problems), table.columns, table.n_rows, table.delimiter)


def _check_long(check: RowCheck) -> None:
    check.values["variant"] = check.text("variant") or "base"
    if not check.text("prompt"):
        check.add_at("prompt", "The cell is empty", "Write the prompt, or leave the row out.")


def _disagreements(rows: Sequence[RowCheck]) -> list[Problem]:
    """Rows of one scenario that say different things about it."""
    problems = []
    first = rows[0]
    for check in rows[1:]:
        for name in _OF_SCENARIO:
            given = check.values.get(name)
            if given and given != first.values.get(name):
                shown = given if isinstance(given, str) else " | ".join(given)
                problems.append(
                    Problem(
                        check.line,
                        check.heading(name),
                        visible(shown),
                        f"Line {first.line} says something else of this scenario",
                        "Write the same on both lines, or leave it empty after the first.",
                    )
                )
    return problems


def _same_names(grouped: Mapping[str, Sequence[RowCheck]]) -> list[Problem]:
    """Scenarios that could not be told apart by the names of their files."""
    holders: dict[str, str] = {}
    problems = []
    for key, rows in grouped.items():
        other = holders.setdefault(plain_name(key), key)
        if other != key:
            wrong = f"In the names of files it is the same as “{other}”"
            check = rows[0]
            problems.append(
                Problem(check.line, check.heading("scenario"), visible(key), wrong, "Rename one.")
            )
    return problems


def _record(rows: Sequence[RowCheck]) -> ScenarioRecord:
    first = rows[0]
    prompts = {}
    for check in rows:
        if check.text("prompt"):
            prompts[check.text("variant")] = check.text("prompt")
        for name, variant in _WIDE.items():
            if check.text(name):
                prompts[variant] = check.text(name)
    return ScenarioRecord(
        line=first.line,
        scenario=first.text("scenario"),
        country=first.text("country"),
        category=first.text("category"),
        aspect=first.text("aspect"),
        cultural_element=first.text("cultural_element"),
        sub_activities=first.values.get("sub_activities") or (),
        prompts=prompts,
    )
