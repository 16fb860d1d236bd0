"""Probes from a table: the questions of each scenario's bank. Django-free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studies.importing.columns import Column, Schema
from studies.importing.problems import Problem
from studies.importing.rows import check_table, double_ids, number, read_country, read_flag

PROBES = Schema(
    noun="probe",
    headings={
        "probe_id": ("id", "external_id", "probe", "question_id"),
        "scenario": ("activity", "concept", "scenario_id"),
        "country": ("country_code", "country_name", "nation"),
        "dimension": (),
        "text": ("question", "question_text", "probe_text"),
        "weight": (),
        "verified": ("is_verified",),
        "evidence": ("reference",),
        "source": ("author", "written_by"),
    },
    required=("probe_id", "scenario", "dimension", "text"),
    max_lengths={
        "probe_id": 200,
        "scenario": 200,
        "dimension": 60,
        "text": 400,
        "evidence": 20_000,
        "source": 120,
        "metadata": 20_000,
    },
    multiline=frozenset(("text", "evidence", "metadata")),
)


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """One valid row. ``country`` is alpha-2, or '' for every country."""

    line: int
    probe_id: str
    scenario: str
    dimension: str
    text: str
    country: str = ""
    weight: float = 1.0
    verified: bool = True
    evidence: str = ""
    source: str = ""
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ParsedProbes:
    records: tuple[ProbeRecord, ...]
    problems: tuple[Problem, ...]
    columns: tuple[Column, ...]
    n_rows: int
    delimiter: str


def parse_probes(content: bytes) -> ParsedProbes:
    """Read a table of probes. Raises nothing for bad content."""
    readers = {
        "country": read_country,
        "verified": read_flag,
        "weight": number(0, 1e6, "Not a weight", "Write a plain number, 0 or above: 1.5."),
    }
    table = check_table(content, PROBES, readers)
    problems = [*table.problems, *(p for check in table.checks for p in check.problems)]
    problems += double_ids(table.checks, "probe_id")
    problems.sort(key=lambda problem: problem.line)
    refused = {problem.line for problem in problems}
    records = []
    for check in table.checks:
        if check.line not in refused:
            values = {k: v for k, v in check.values.items() if v is not None}
            records.append(ProbeRecord(line=check.line, metadata=check.metadata, **values))
    return ParsedProbes(
        tuple(records), tuple(problems), table.columns, table.n_rows, table.delimiter
    )
