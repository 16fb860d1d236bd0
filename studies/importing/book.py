"""The prompt book's way out and back: prompts to the generators, and their files to items.

A file's name says what it is: ``<scenario>__<variant>__<system>__<replicate>`` and any ending. The
table that goes out is a table of items already, so that what comes back needs no table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from studies.importing.file_names import cell_of, file_stem, plain_name
from studies.importing.wording import listed
from studies.models import ScenarioPrompt, Study, System

COLUMNS = (
    "item_id",
    "file",
    "prompt",
    "country",
    "category",
    "scenario",
    "variant",
    "system",
    "replicate",
    "aspect",
    "cultural_element",
    "sub_activities",
)


class EmptyBook(Exception):
    """The study has no scenarios. The text is for people."""


@dataclass(frozen=True, slots=True)
class Returned:
    """``table`` is a CSV of items for the files that came back; ``missing`` sentences name what did
    not, ``strangers`` are paths that belong to no prompt."""

    table: bytes
    missing: tuple[str, ...]
    strangers: tuple[str, ...]


def prompt_table(study: Study, *, systems: Sequence[str], replicates: int) -> str:
    """CSV for the generators: one row a prompt, system and replicate, with the file's name.

    Raises EmptyBook where there is nothing to depict.
    """
    prompts = list(_prompts(study))
    if not prompts:
        raise EmptyBook("The study has no scenarios yet. Import scenarios and prompts first.")
    rows = (
        _row(prompt, system, str(number))
        for prompt in prompts
        for system in systems
        for number in range(1, replicates + 1)
    )
    return "\ufeff" + _as_csv(rows)


def items_from_files(study: Study, paths: Iterable[str]) -> Returned:
    """Match files to prompts by their names. Raises EmptyBook."""
    prompts = {
        (plain_name(prompt.scenario.key), plain_name(prompt.variant)): prompt
        for prompt in _prompts(study)
    }
    if not prompts:
        raise EmptyBook(
            "Choose the table of items: the study has no prompt book to match files to."
        )
    names = {plain_name(name): name for name in study.systems.values_list("name", flat=True)}
    rows: list[dict[str, str]] = []
    strangers: list[str] = []
    seen: set[tuple[str, str, str, str]] = set()
    for path in paths:
        cell = cell_of(path)
        prompt = prompts.get(cell[:2]) if cell else None
        if cell is None or prompt is None or cell in seen:
            strangers.append(path)
            continue
        seen.add(cell)
        row = _row(prompt, names.get(cell[2], cell[2]), cell[3])
        rows.append(row | {"file": path})
    rows.sort(key=lambda row: row["item_id"])
    missing = tuple(_missing(prompts, seen, names))
    return Returned(_as_csv(rows).encode(), missing, tuple(strangers))


def _prompts(study: Study) -> Iterator[ScenarioPrompt]:
    rows = ScenarioPrompt.objects.filter(scenario__study=study).select_related("scenario")
    return iter(rows.order_by("scenario__key", "variant"))


def _row(prompt: ScenarioPrompt, system: str, replicate: str) -> dict[str, str]:
    scenario = prompt.scenario
    stem = file_stem(
        scenario=scenario.key, variant=prompt.variant, system=system, replicate=replicate
    )
    return {
        "item_id": stem,
        "file": stem,
        "prompt": prompt.text,
        "country": scenario.country,
        "category": scenario.category,
        "scenario": scenario.key,
        "variant": prompt.variant,
        "system": system,
        "replicate": replicate,
        "aspect": scenario.aspect,
        "cultural_element": scenario.cultural_element,
        "sub_activities": " | ".join(scenario.sub_activities),
    }


def _as_csv(rows: Iterable[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _missing(prompts, seen, names: dict[str, str]) -> Iterator[str]:
    """Every prompt by every system and replicate that came, or that the study knows."""
    systems = sorted({cell[2] for cell in seen} | set(names))
    replicates = sorted({cell[3] for cell in seen}) or ["1"]
    for system in systems:
        absent = [
            f"{key[0]} {key[1]} {replicate}"
            for key in prompts
            for replicate in replicates
            if (*key, system, replicate) not in seen
        ]
        wanted = len(prompts) * len(replicates)
        if absent:
            came = wanted - len(absent)
            label = names.get(system, system)
            yield f"{label}: {came:,} of {wanted:,} files came. Missing: {listed(absent)}."


def systems_of(study: Study) -> list[str]:
    return list(System.objects.filter(study=study).values_list("name", flat=True))
