"""Probes from a table: the questions of each scenario's bank. Django-free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studies.importing.columns import Schema
from studies.importing.rows import Parsed, check_table, double_ids, number, read_country, read_flag

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


def parse_probes(content: bytes) -> Parsed[ProbeRecord]:
    """Read a table of probes. Raises nothing for bad content."""
    readers = {
        "country": read_country,
        "verified": read_flag,
        "weight": number(0, 1e6, "Not a weight", "Write a plain number, 0 or above: 1.5."),
    }
    table = check_table(content, PROBES, readers)
    return table.parsed(
        lambda check: ProbeRecord(line=check.line, metadata=check.metadata, **check.given),
        more=double_ids(table.checks, "probe_id"),
    )
