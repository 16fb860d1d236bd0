"""Which column of a table of items means which field, by its heading."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from studies.importing.problems import Problem

REQUIRED = ("item_id", "file")

# Longest text of each field, in characters. Those of the database; a test compares them.
MAX_LENGTHS = {
    "item_id": 200,
    "file": 300,
    "prompt": 20_000,
    "category": 120,
    "aspect": 120,
    "system": 120,
    "scenario": 200,
    "replicate": 40,
    "cultural_element": 200,
    "element_picture": 300,
    "sub_activities": 20_000,
    "metadata": 20_000,
}

_OTHER_HEADINGS = {
    "item_id": ("id", "item", "external_id", "image_id", "picture_id"),
    "file": (
        "media",
        "media_file",
        "media_path",
        "filename",
        "file_name",
        "image",
        "image_file",
        "image_path",
        "picture",
        "path",
    ),
    "kind": ("type", "media_type", "media_kind"),
    "prompt": ("prompt_text", "text", "caption"),
    "country": ("country_code", "country_name", "nation"),
    "category": ("activity_category",),
    "system": ("model", "generator", "t2i_model"),
    "scenario": ("activity", "concept"),
    "variant": ("prompt_variant",),
    "replicate": ("seed", "replica", "repetition"),
    "origin": ("source_kind",),
    "parent": ("parent_id", "parent_item", "parent_item_id", "edit_of", "edited_from"),
    "aspect": (),
    "cultural_element": ("element",),
    "element_picture": ("element_image", "reference_picture", "reference_image"),
    "sub_activities": ("sub_activity", "subactivities", "steps"),
    "has_audio": ("audio", "has_sound", "sound"),
    "duration": ("seconds", "duration_s", "length"),
}
FIELDS = tuple(_OTHER_HEADINGS)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading as typed, and the field it fills ('' : kept as metadata)."""

    position: int
    heading: str
    field: str


def field_of(heading: str) -> str:
    """The field that a heading names, '' where it names none."""
    return _FIELD_BY_HEADING.get(_normalised(heading), "")


def map_columns(header: Sequence[str]) -> tuple[tuple[Column, ...], list[Problem]]:
    """The columns of a header, and what is wrong with it.

    A heading that is a field's own name wins over another word for the same field; the other
    column is then kept as metadata. Columns without a heading are left out.
    """
    exact = {_normalised(heading) for heading in header} & set(FIELDS)
    columns: list[Column] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for position, heading in enumerate(header):
        heading = heading.strip()
        if not heading:
            continue
        field = field_of(heading)
        if field in exact and _normalised(heading) != field:
            field = ""
        meaning = field or f"metadata {heading}"
        if meaning in seen:
            problems.append(_double(heading, seen[meaning], field))
            continue
        seen[meaning] = heading
        columns.append(Column(position, heading, field))
    problems += [_missing(field, header) for field in REQUIRED if field not in seen]
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


def _missing(field: str, header: Sequence[str]) -> Problem:
    headings = ", ".join(heading.strip() for heading in header if heading.strip())
    others = ", ".join(_OTHER_HEADINGS[field][:4])
    return Problem(
        1,
        field,
        headings if len(headings) <= 120 else headings[:119] + "…",
        f"There is no column {field}",
        f"Add it, or rename the right one. {others} are understood too.",
    )


def _normalised(heading: str) -> str:
    plain = unicodedata.normalize("NFKC", heading).strip().casefold()
    return "_".join(plain.replace("-", " ").replace("_", " ").split())


_FIELD_BY_HEADING = {
    **{other: field for field, others in _OTHER_HEADINGS.items() for other in others},
    **{field: field for field in FIELDS},
}
