"""Descriptors from JSONL (one JSON object a line) or a table, checked field by field.

``{"kind": "reference", "activity": "greeting", "country": "NP", "dimension": "attire",
"token": "woven cap", "style": "traditional", "source": "proposer A"}``

========== ============================ ============================
kind       needs                        must not have
========== ============================ ============================
reference  activity, country, dimension item_id
candidate  activity, country, dimension item_id
predicted  item_id, dimension           (nothing)
described  item_id, dimension           token
stereotype country                      item_id
========== ============================ ============================

A candidate is a descriptor of one proposer's own list. ``described`` says that somebody looked at
the item in this dimension, even where nothing was seen. Every other kind needs ``token``; ``style``
and ``source`` are optional everywhere.
"""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from studies.importing.columns import normalised
from studies.importing.countries import nearest_country, resolve_country
from studies.importing.formats import read_rows
from studies.importing.problems import Problem

KINDS = ("reference", "predicted", "stereotype", "candidate", "described")
DIMENSIONS = ("setting", "objects", "attire", "interaction", "layout")
STYLES = ("traditional", "modern", "neutral")
Pairs = list[tuple[str, object]]
KEYS = ("kind", "activity", "country", "item_id", "dimension", "token", "style", "source")
MAX_LENGTH = 200

_MAX_LINE = 20_000  # characters; far above eight fields of 200, far below what exhausts a parser
_MAX_SUGGESTIONS = 100  # distinct unknown item ids that are compared with all known ones
_SHOWN = 60

_REQUIRED = {
    "reference": ("activity", "country", "dimension"),
    "candidate": ("activity", "country", "dimension"),
    "predicted": ("item_id", "dimension"),
    "described": ("item_id", "dimension"),
    "stereotype": ("country",),
}
_WHY_REQUIRED = {
    ("reference", "activity"): "Say which activity the reference belongs to.",
    ("reference", "country"): "Say which country the reference belongs to.",
    ("stereotype", "country"): "Say which country the stereotype is about.",
    ("predicted", "item_id"): "Say which item the descriptor was seen in.",
    ("described", "item_id"): "Say which item was looked at.",
    ("candidate", "activity"): "Say which activity the candidate belongs to.",
    ("candidate", "country"): "Say which country the candidate belongs to.",
}


@dataclass(frozen=True, slots=True)
class DescriptorRecord:
    """One valid line. ``country`` is alpha-2 or ''; fields that were not given are ''."""

    line: int
    kind: str
    activity: str
    country: str
    item_id: str
    dimension: str
    token: str
    style: str
    source: str


@dataclass(frozen=True, slots=True)
class ParsedDescriptors:
    """Every line of the file that is not blank is in ``records`` or named in ``problems``."""

    records: tuple[DescriptorRecord, ...]
    problems: tuple[Problem, ...]


def parse_descriptors(content: bytes | str, *, item_ids: Set[str]) -> ParsedDescriptors:
    """Read descriptors for a study whose items are ``item_ids``: JSONL, CSV, TSV or XLSX.

    Bytes must be UTF-8, with or without a byte order mark. A line with several mistakes gives
    several problems and no record. Raises nothing for bad content.
    """
    suggest = _item_suggester(item_ids)
    records: list[DescriptorRecord] = []
    problems: list[Problem] = []
    first_lines: dict[tuple[str, ...], int] = {}
    if isinstance(content, bytes) and _is_table(content):
        table, problems = _table_lines(content)
    else:
        table = [(number, _line_pairs(number, raw)) for number, raw in _numbered_lines(content)]
    for number, pairs in table:
        parsed = _parse_pairs(number, pairs, item_ids, suggest)
        if isinstance(parsed, list):
            problems.extend(parsed)
            continue
        first = first_lines.setdefault(_content_of(parsed), number)
        if first == number:
            records.append(parsed)
        else:
            problems.append(
                Problem(
                    line=number,
                    field="",
                    value=_shown(parsed.token),
                    wrong=f"This line says the same as line {first}",
                    fix="Delete one of the two lines.",
                )
            )
    if not records and not problems:
        problems.append(
            Problem(
                0, "", "", "The file holds no descriptors", "Write one JSON object on each line."
            )
        )
    return ParsedDescriptors(records=tuple(records), problems=tuple(problems))


def _numbered_lines(content: bytes | str) -> Iterator[tuple[int, bytes | str]]:
    """Lines that are not blank, from 1. Only a line feed ends one: a JSON text may hold others."""
    lines: list[bytes | str]
    if isinstance(content, bytes):
        lines = [*content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    else:
        lines = [*content.removeprefix("\ufeff").split("\n")]
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, line


def _is_table(content: bytes) -> bool:
    """Whether these are columns (CSV, TSV, XLSX) rather than one JSON object a line."""
    if content.startswith(b"PK\x03\x04"):
        return True
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].lower()
    return not first.startswith(b"{") and b"token" in first and b"kind" in first


def _table_lines(content: bytes) -> tuple[list[tuple[int, Pairs]], list[Problem]]:
    """The rows of a table as the pairs that a line of JSON would hold."""
    table = read_rows(content, recognised=lambda heading: normalised(heading) in KEYS)
    headings = [normalised(heading) for heading in table.header]
    rows = [
        (row.line, [(key, cell) for key, cell in zip(headings, row.cells, strict=True) if cell])
        for row in table.rows
        if not row.ragged and not row.broken
    ]
    return rows, list(table.problems)


def _line_pairs(number: int, raw: bytes | str) -> Pairs | Problem:
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = f"Byte {error.start + 1} of the line is not UTF-8"
            return Problem(number, "", "", wrong, "Save the file with the encoding UTF-8.")
    return _decode(number, raw.rstrip())


def _parse_pairs(
    number: int, decoded: Pairs | Problem, item_ids: Set[str], suggest: Callable[[str], str]
) -> DescriptorRecord | list[Problem]:
    if isinstance(decoded, Problem):
        return [decoded]
    fields, problems = _texts(number, decoded)
    broken = {problem.field for problem in problems}
    problems += _check_kind(number, fields, broken)
    problems += _check_choices(number, fields, broken)
    problems += _check_token(number, fields, broken)
    problems += _check_country(number, fields)
    problems += _check_item(number, fields, item_ids, suggest, broken)
    if problems:
        order = {key: index for index, key in enumerate(KEYS)}
        return sorted(problems, key=lambda problem: order.get(problem.field, len(order)))
    return DescriptorRecord(line=number, **fields)


def _decode(number: int, text: str) -> list[tuple[str, object]] | Problem:
    """The key-value pairs of the line's object, repeated keys included."""
    if len(text) > _MAX_LINE:
        wrong = f"The line is {len(text)} characters long; {_MAX_LINE} are allowed"
        return Problem(number, "", _shown(text), wrong, "Write one descriptor on each line.")
    fix = 'Write one object a line, such as {"kind": "reference", "token": "woven cap", ...}.'
    try:
        # A dict would keep the last of two equal keys and lose the other.
        decoded = json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        wrong = f"Not valid JSON at column {error.colno}: {error.msg}"
        return Problem(number, "", _shown(text), wrong, fix)
    except (ValueError, RecursionError):  # an endless number, or brackets without end
        return Problem(number, "", _shown(text), "The JSON cannot be read", fix)
    if not isinstance(decoded, _Pairs):
        return Problem(number, "", _shown(text), "The line is not a JSON object", fix)
    return list(decoded)


class _Pairs(list[tuple[str, object]]):
    """A decoded JSON object as its pairs."""


def _texts(number: int, pairs: list[tuple[str, object]]) -> tuple[dict[str, str], list[Problem]]:
    """Every known key with its text ('' where absent or null), and what is wrong with the pairs."""
    fields = dict.fromkeys(KEYS, "")
    problems: list[Problem] = []
    seen: set[str] = set()
    for key, value in pairs:
        if key not in KEYS:
            problems.append(_unknown_key(number, key, value))
        elif key in seen:
            problems.append(
                Problem(number, key, _shown(value), "The key stands twice", "Keep one of the two.")
            )
        elif value is not None and not isinstance(value, str):
            problems.append(
                Problem(number, key, _shown(value), "Not a text", "Write the value in quotes.")
            )
        elif value is not None and (character := _unreadable(value)):
            wrong = f"Contains the control character {character}"
            problems.append(Problem(number, key, _shown(value), wrong, "Remove the character."))
        elif value is not None and len(value.strip()) > MAX_LENGTH and key != "item_id":
            wrong = f"{len(value.strip())} characters long; {MAX_LENGTH} are allowed"
            problems.append(Problem(number, key, _shown(value), wrong, "Shorten the text."))
        else:
            fields[key] = (value or "").strip()
        seen.add(key)
    return fields, problems


def _unknown_key(number: int, key: str, value: object) -> Problem:
    near = difflib.get_close_matches(key.strip().lower(), KEYS, n=1)
    known = f"Known keys: {', '.join(KEYS)}."
    fix = f"Did you mean “{near[0]}”?" if near else f"Remove it. {known}"
    return Problem(number, _shown(key), _shown(value), "Unknown key", fix)


def _check_kind(number: int, fields: dict[str, str], broken: set[str]) -> list[Problem]:
    """The kind itself, and the fields that this kind needs."""
    problems = _check_choice(number, fields, "kind", KINDS, broken)
    kind = fields["kind"]
    if "kind" not in broken and not kind:
        problems.append(Problem(number, "kind", "", "Missing", f"Give one of {_listed(KINDS)}."))
    for field in _REQUIRED.get(kind, ()):
        if not fields[field] and field not in broken:
            fix = _WHY_REQUIRED.get((kind, field), f"Give one of {_listed(DIMENSIONS)}.")
            problems.append(
                Problem(number, field, "", f"Missing; a {kind} descriptor needs it", fix)
            )
    return problems


def _check_choices(number: int, fields: dict[str, str], broken: set[str]) -> list[Problem]:
    return [
        *_check_choice(number, fields, "dimension", DIMENSIONS, broken),
        *_check_choice(number, fields, "style", STYLES, broken),
    ]


def _check_choice(
    number: int, fields: dict[str, str], field: str, choices: tuple[str, ...], broken: set[str]
) -> list[Problem]:
    """Lower the case of a choice in ``fields``; a problem where it is none of ``choices``."""
    given = fields[field]
    fields[field] = given.lower()
    if field in broken or not given or fields[field] in choices:
        return []
    near = difflib.get_close_matches(fields[field], choices, n=1)
    fix = f"Did you mean “{near[0]}”? " if near else ""
    fix += f"Allowed: {_listed(choices)}."
    return [Problem(number, field, _shown(given), f"Not a known {field}", fix)]


def _check_token(number: int, fields: dict[str, str], broken: set[str]) -> list[Problem]:
    if fields["kind"] == "described" and fields["token"]:
        fix = "Make the kind “predicted”, or leave the token out."
        wrong = "A line that says somebody looked holds no descriptor"
        return [Problem(number, "token", _shown(fields["token"]), wrong, fix)]
    if fields["token"] or "token" in broken or fields["kind"] == "described":
        return []
    return [Problem(number, "token", "", "Missing", "Write what the descriptor says.")]


def _check_country(number: int, fields: dict[str, str]) -> list[Problem]:
    """Replace the country in ``fields`` by its alpha-2 code; a problem where it names none."""
    given = fields["country"]
    if not given:
        return []
    code = resolve_country(given)
    if code is not None:
        fields["country"] = code
        return []
    near = nearest_country(given)
    fix = f"Did you mean {near}? " if near else ""
    fix += "Give an ISO 3166 alpha-2 code or an English name."
    return [Problem(number, "country", _shown(given), "Not a known country", fix)]


def _check_item(
    number: int,
    fields: dict[str, str],
    item_ids: Set[str],
    suggest: Callable[[str], str],
    broken: set[str],
) -> list[Problem]:
    kind, given = fields["kind"], fields["item_id"]
    if not given or "item_id" in broken:
        return []
    if kind in ("reference", "stereotype", "candidate"):
        wrong = f"A {kind} descriptor belongs to no item"
        fix = "Remove item_id, or make the kind “predicted”."
        return [Problem(number, "item_id", _shown(given), wrong, fix)]
    if given in item_ids:
        return []
    return [
        Problem(
            number, "item_id", _shown(given), "No item of the study has this id", suggest(given)
        )
    ]


def _item_suggester(item_ids: Set[str]) -> Callable[[str], str]:
    """A function from an unknown item id to advice. Each id is compared with the others once."""
    known = sorted(item_ids)
    advice: dict[str, str] = {}

    def suggest(unknown: str) -> str:
        if unknown not in advice:
            near: list[str] = []
            if len(advice) < _MAX_SUGGESTIONS:
                near = difflib.get_close_matches(unknown[:MAX_LENGTH], known, n=1)
            advice[unknown] = (
                f"Did you mean “{near[0]}”?" if near else "Import the item first, or mend the id."
            )
        return advice[unknown]

    return suggest


def _unreadable(text: str) -> str:
    """The first control character or lone surrogate of ``text`` as U+XXXX, or ''."""
    for character in text.strip():
        if unicodedata.category(character) in ("Cc", "Cs"):
            return f"U+{ord(character):04X}"
    return ""


def _content_of(record: DescriptorRecord) -> tuple[str, ...]:
    return tuple(getattr(record, key) for key in KEYS)


def _listed(choices: tuple[str, ...]) -> str:
    return ", ".join(choices)


def _shown(value: object) -> str:
    """A value as the report of problems quotes it: short, printable, one line."""
    if isinstance(value, _Pairs):
        value = dict(value)
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    printable = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
    )
    return printable if len(printable) <= _SHOWN else printable[: _SHOWN - 1] + "…"
