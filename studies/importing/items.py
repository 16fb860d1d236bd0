"""Items from a table: bytes in, validated records and named problems out. Django-free.

The row is the whole statement about its item: an empty cell, and a column that is not there, mean
"nothing". What the file itself shows (kind, sound, length) is taken from the file; where the table
says otherwise, the preview says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from studies.importing.columns import Column, Schema
from studies.importing.parents import parent_problems
from studies.importing.problems import Problem
from studies.importing.rows import (
    RowCheck,
    check_table,
    choice,
    double_ids,
    number,
    read_country,
    read_flag,
    read_list,
)
from studies.importing.tables import visible
from studies.importing.wording import listed
from studies.ranges import RangeError, expected_text, read_expected

ITEMS = Schema(
    noun="item",
    headings={
        "item_id": ("id", "item", "external_id", "image_id", "picture_id", "video_id", "clip_id"),
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
            "video",
            "video_file",
            "video_path",
            "clip",
            "path",
        ),
        "url": ("media_url", "image_url", "video_url", "address", "link"),
        "kind": ("type", "media_type", "media_kind"),
        "prompt": ("prompt_text", "text", "caption"),
        "country": ("country_code", "country_name", "nation"),
        "category": ("activity_category",),
        "system": ("model", "generator", "t2i_model", "t2v_model"),
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
        "purpose": ("practice", "role", "use"),
        "expected": ("accepted", "accepted_answers", "expected_answers"),
        "feedback": ("practice_feedback",),
    },
    required=("item_id",),
    either=(("file", "url"),),
    max_lengths={
        "item_id": 200,
        "file": 300,
        "url": 1000,
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
        "expected": 1000,
        "feedback": 400,
    },
    multiline=frozenset(("prompt", "sub_activities", "metadata")),
)
KINDS = {
    **dict.fromkeys(("image", "picture", "photo", "photograph"), "image"),
    **dict.fromkeys(("video", "clip", "movie"), "video"),
    **dict.fromkeys(("audio", "sound", "music"), "audio"),
}
PURPOSES = {
    **dict.fromkeys(("", "rated", "rate", "no", "false", "0", "n"), "rated"),
    **dict.fromkeys(("practice", "yes", "true", "1", "y"), "practice"),
    **dict.fromkeys(("gold", "check"), "gold"),
    "example": "example",
}
"""A column that is called practice may say yes or no."""
ORIGINS = ("generated", "real", "edited")
VARIANTS = ("base", "extended", "country-removed", "free")
# 1E+05 for 100000 or 1e5; 01-Mar for mar-1.
_CHANGED_ID = re.compile(
    r"\d([.,]\d+)?[eE]\+\d+|\d{1,2}-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
_SPELT_ALIKE = ("system", "category", "scenario")


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One valid row. ``country`` is alpha-2 or ''; ``parent`` an item id or ''; ``file`` or
    ``url`` says where the media come from. What a row leaves open is '' or None."""

    line: int
    item_id: str
    file: str = ""
    url: str = ""
    kind: str = ""
    prompt: str = ""
    country: str = ""
    category: str = ""
    system: str = ""
    scenario: str = ""
    variant: str = ""
    replicate: str = ""
    origin: str = "generated"
    parent: str = ""
    aspect: str = ""
    cultural_element: str = ""
    element_picture: str = ""
    sub_activities: tuple[str, ...] = ()
    has_audio: bool | None = None
    duration: float | None = None
    purpose: str = "rated"
    expected: Mapping[str, list[int]] = field(default_factory=dict)
    feedback: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The file's name or its address, as the table has it."""
        return self.file or self.url


@dataclass(frozen=True, slots=True)
class NamedFile:
    """Media that a row names, whether the rest of the row is right or not."""

    line: int
    item_id: str
    field: str
    file: str
    is_url: bool = False


@dataclass(frozen=True, slots=True)
class ParsedItems:
    """Every row is in ``records`` or named in ``problems``."""

    records: tuple[ItemRecord, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    files: tuple[NamedFile, ...] = ()
    n_rows: int = 0
    delimiter: str = "comma"


def parse_items(content: bytes, *, parents: Mapping[str, str] | None = None) -> ParsedItems:
    """Read a table of items (CSV, TSV, XLSX or JSONL).

    ``parents`` holds the items that the study has already, each with the id of its parent ('' for
    none): a row may name one of them as its parent. Raises nothing for bad content.
    """
    table = check_table(content, ITEMS, _READERS)
    problems = list(table.problems)
    for check in table.checks:
        if not check.row.ragged:
            _check_source(check)
            _check_purpose(check)
        problems += check.problems
    problems += double_ids(table.checks, "item_id")
    named = [
        (c.line, c.heading("parent"), c.text("item_id"), c.text("parent")) for c in table.checks
    ]
    problems += parent_problems(named, parents or {})
    places = {column.heading: column.position for column in table.columns}
    problems.sort(key=lambda problem: (problem.line, places.get(problem.field, -1)))
    refused = {problem.line for problem in problems}
    records = tuple(_record(c) for c in table.checks if c.line not in refused)
    files = (_named_file(check) for check in table.checks)
    return ParsedItems(
        records=records,
        problems=tuple(problems),
        warnings=_warnings(records),
        columns=table.columns,
        files=tuple(named for named in files if named is not None),
        n_rows=table.n_rows,
        delimiter=table.delimiter,
    )


def _check_source(check: RowCheck) -> None:
    """A row names a file or an address, and not both."""
    columns = {column.field: column for column in check.columns}
    if any(columns[f].position in check.row.broken for f in ("file", "url") if f in columns):
        return
    given = [name for name in ("file", "url") if check.values.get(name)]
    if len(given) == 2:
        check.add_at("url", "Both a file and an address are given", "Keep one of them.")
    elif not given and not any(p.field in _headings(check, "file", "url") for p in check.problems):
        name = "file" if "file" in columns else "url"
        check.add_at(name, "The cell is empty", "Name the item's file, or its address.")


def _check_purpose(check: RowCheck) -> None:
    """What is accepted belongs to what is not rated, and gold needs it."""
    purpose = check.values.get("purpose", "rated")
    expected = check.values.get("expected", {})
    if purpose == "gold" and expected == {}:
        name = "expected" if "expected" in {c.field for c in check.columns} else "purpose"
        check.add_at(name, "A gold item without accepted answers", "Give e.g. faithfulness: 4-5.")
    elif purpose == "rated" and expected:
        fix = "Say what it is for in the column purpose: practice, gold or example."
        wrong = "Accepted answers of an item that is to be rated"
        shown = visible(expected_text(expected))
        check.problems.append(Problem(check.line, check.heading("expected"), shown, wrong, fix))


def _headings(check: RowCheck, *names: str) -> set[str]:
    return {check.heading(name) for name in names}


def _named_file(check: RowCheck) -> NamedFile | None:
    name = "file" if check.text("file") else "url"
    given = check.text(name)
    if not given:
        return None
    return NamedFile(check.line, check.text("item_id"), check.heading(name), given, name == "url")


def _record(check: RowCheck) -> ItemRecord:
    values = {name: value for name, value in check.values.items() if value is not None}
    if not values.get("origin"):
        # An item with a parent is an edit of it; without one, generation is the rule.
        values["origin"] = "edited" if check.text("parent") else "generated"
    return ItemRecord(line=check.line, metadata=check.metadata, **values)


def _kind(check: RowCheck, column: Column, raw: str, value: str) -> str | None:
    kind = KINDS.get(value.casefold()) if value else ""
    if kind is None:
        check.add(column, raw, "Not a known kind", "Write image, video or audio.")
    return kind


def _purpose(check: RowCheck, column: Column, raw: str, value: str) -> str | None:
    purpose = PURPOSES.get(value.casefold())
    if purpose is None:
        check.add(column, raw, "Not a known purpose", "Write practice, gold, example or rated.")
    return purpose


def _expected(check: RowCheck, column: Column, raw: str, value: str) -> dict | None:
    try:
        return read_expected(value)
    except RangeError as error:
        check.add(column, raw, "Not a list of accepted answers", str(error))
        return None


def _url(check: RowCheck, column: Column, raw: str, value: str) -> str | None:
    if not value:
        return ""
    try:
        parts = urlsplit(value)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_right = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right:
        check.add(column, raw, "Not a web address", "Write it whole: https://example.org/a.png.")
        return None
    if parts.username or parts.password:
        check.add(column, raw, "The address holds a password", "Fetch the file yourself.")
        return None
    return value


_READERS = {
    "kind": _kind,
    "url": _url,
    "purpose": _purpose,
    "expected": _expected,
    "country": read_country,
    "origin": choice(ORIGINS),
    "variant": choice(VARIANTS),
    "sub_activities": read_list,
    "has_audio": read_flag,
    "duration": number(
        0,
        86_400,
        "Not a length in seconds",
        "Write seconds as a plain number above 0, with a point: 4.5.",
        low_open=True,
    ),
}


def _warnings(records: Sequence[ItemRecord]) -> tuple[str, ...]:
    found = []
    if changed := [r.item_id for r in records if _CHANGED_ID.fullmatch(r.item_id)]:
        found.append(
            f"item_id: {listed(changed)} may be a number or a date that a spreadsheet has changed."
        )
    for name in _SPELT_ALIKE:
        spellings: dict[str, Counter] = {}
        for record in records:
            value = getattr(record, name)
            if value:
                spellings.setdefault(value.casefold(), Counter())[value] += 1
        for counted in spellings.values():
            if len(counted) > 1:
                spelt = ", ".join(f"“{text}” ({n})" for text, n in counted.most_common())
                found.append(f"{name}: {spelt} differ in capitals only and count as different.")
    return tuple(found)
