"""Which column of a table means which field, by its heading."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from studies.importing.problems import Problem
from studies.importing.tables import as_typed, control_character, visible

MAX_HEADING = 200


@dataclass(frozen=True)
class Schema:
    """What the rows of a table say. ``headings``: field -> other words for it.

    ``required`` columns must be there and filled; of each group in ``either`` one must be there.
    ``max_lengths`` are characters of each field; those of the database, which a test compares.
    ``multiline`` fields may hold line breaks. Other columns are kept under ``metadata``, or are
    ``ignored`` where the rows have no place for them.
    """

    noun: str
    headings: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    max_lengths: Mapping[str, int]
    either: tuple[tuple[str, ...], ...] = ()
    multiline: frozenset[str] = frozenset()
    keeps_others: bool = True

    @cached_property
    def by_heading(self) -> dict[str, str]:
        others = {word: field for field, words in self.headings.items() for word in words}
        return {**others, **{field: field for field in self.headings}}

    def field_of(self, heading: str) -> str:
        """The field that a heading names, '' where it names none."""
        return self.by_heading.get(normalised(heading), "")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading as typed, and the field it fills ('' : kept as metadata)."""

    position: int
    heading: str
    field: str


def map_columns(header: Sequence[str], schema: Schema) -> tuple[tuple[Column, ...], list[Problem]]:
    """The columns of a header, and what is wrong with it.

    A heading that is a field's own name wins over another word for the same field; the other
    column is then kept as metadata. Columns without a heading are left out.
    """
    exact = {normalised(heading) for heading in header} & set(schema.headings)
    columns: list[Column] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for position, heading in enumerate(header):
        heading = as_typed(heading)
        if not heading:
            continue
        if char := control_character(heading, lines=False):
            wrong = f"The heading contains the character {char}"
            problems.append(Problem(1, visible(heading), "", wrong, "Write the heading again."))
            continue
        if len(heading) > MAX_HEADING:
            wrong = f"The heading is {len(heading):,} characters long; {MAX_HEADING} are allowed"
            problems.append(Problem(1, visible(heading), "", wrong, "Shorten it."))
            continue
        field = schema.field_of(heading)
        if field in exact and normalised(heading) != field:
            field = ""
        meaning = field or f"metadata {heading}"
        if meaning in seen:
            problems.append(_double(heading, seen[meaning], field))
            continue
        seen[meaning] = heading
        columns.append(Column(position, heading, field))
    problems += [_missing(field, header, schema) for field in schema.required if field not in seen]
    for group in schema.either:
        if not any(field in seen for field in group):
            problems.append(_missing(group[0], header, schema))
    return tuple(columns), problems


def _double(heading: str, first: str, field: str) -> Problem:
    if heading == first:
        return Problem(
            1, heading, heading, "This heading stands twice", "Rename or delete one of the two."
        )
    return Problem(
        1,
        heading,
        heading,
        f"“{first}” and “{heading}” both mean {field}",
        f"Keep one, or call the right one {field}: the other is then kept as metadata.",
    )


def _missing(field: str, header: Sequence[str], schema: Schema) -> Problem:
    headings = ", ".join(heading.strip() for heading in header if heading.strip())
    others = ", ".join(schema.headings[field][:4])
    fix = "Add it, or rename the right one."
    return Problem(
        1,
        field,
        visible(headings),
        f"There is no column {field}",
        f"{fix} {others} are understood too." if others else fix,
    )


def normalised(heading: str) -> str:
    plain = unicodedata.normalize("NFKC", heading).strip().casefold()
    return "_".join(plain.replace("-", " ").replace("_", " ").split())
