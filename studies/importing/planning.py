"""What an import of items would do to a study: which rows are new, changed or the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studies.importing.elements import ElementCheck
from studies.importing.items import ItemRecord, ParsedItems, parse_items
from studies.importing.known import COPIED, KnownItem
from studies.importing.media_files import MediaCheck, Medium
from studies.importing.problems import Problem
from studies.importing.tables import visible
from studies.importing.wording import listed

_LISTED = 40  # warnings of one kind that are spelt out
_NEAR = 0.5  # seconds by which a stated length may differ from the real one


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One row to write. ``medium`` is None where the item keeps the one it has."""

    record: ItemRecord
    medium: Medium | None
    known: KnownItem | None
    is_changed: bool

    @property
    def is_new(self) -> bool:
        return self.known is None

    @property
    def keeps_media(self) -> bool:
        return self.known is not None and (
            self.medium is None or self.medium.sha256 == self.known["sha256"]
        )


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The whole import: it can be written when ``problems`` is empty."""

    rows: tuple[PlannedItem, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    parsed: ParsedItems
    elements: ElementCheck = field(default_factory=ElementCheck)

    @property
    def counts(self) -> dict[str, int]:
        """Rows that are new, changed, the same, and refused."""
        refused = len({problem.line for problem in self.problems if problem.line > 0})
        return {
            "new": sum(row.is_new for row in self.rows),
            "changed": sum(row.is_changed for row in self.rows),
            "same": sum(not row.is_new and not row.is_changed for row in self.rows),
            "refused": refused if self.parsed.n_rows else 0,
        }


@dataclass(frozen=True, slots=True)
class Standing:
    """What a study is when a plan is made: the items it has, those that people were shown
    (``answered``) or that a panel is to rate (``placed``), the texts people are shown besides, and,
    once it was launched, the countries of its panels."""

    known: Mapping[str, KnownItem]
    answered: frozenset[str] = frozenset()
    placed: frozenset[str] = frozenset()
    shown_texts: tuple[str, ...] = ()
    panels: frozenset[str] | None = None


def parse_for_study(table: bytes, known: Mapping[str, KnownItem]) -> ParsedItems:
    """The table, read against the items that the study has."""
    return parse_items(table, parents={key: item.parent for key, item in known.items()})


def at_hand(known: Mapping[str, KnownItem]) -> dict[tuple[str, str], str]:
    """(item id, file or address) of the media that the study has -> hash of the file as it came."""
    return {(key, item.source): item["source_sha256"] for key, item in known.items()}


def plan_items(
    *,
    parsed: ParsedItems,
    media: MediaCheck,
    standing: Standing,
    missing: Sequence[str] = (),
    elements: ElementCheck = ElementCheck(),  # noqa: B008 - frozen
) -> ItemPlan:
    """Hold checked rows and media against what the study has; ``missing`` are sentences about files
    of the prompt book that did not come."""
    problems = [*parsed.problems, *media.problems]
    refused = {problem.line for problem in problems}
    rows = []
    for record in parsed.records:
        if record.line in refused:
            continue
        medium = media.media.get(record.source)
        known = standing.known.get(record.item_id)
        if known is not None and record.item_id in standing.placed | standing.answered:
            found = _shown_changes(record, medium, known, standing)
            if found:
                problems += found
                continue
        is_changed = known is not None and _differs(known, record, medium)
        rows.append(PlannedItem(record, medium, known, is_changed))
    problems.sort(key=lambda problem: (problem.line, problem.field))
    warnings = (
        *missing,
        *parsed.warnings,
        *_same_media(rows, standing.known),
        *_contradictions(rows),
        *_media_warnings(rows),
        *_elsewhere_warnings(media.elsewhere),
        *_panel_warning(rows, standing),
        *elements.warnings,
        *_unused_warning(media.unused),
    )
    return ItemPlan(tuple(rows), tuple(problems), warnings, parsed, elements)


def _differs(known: KnownItem, record: ItemRecord, medium: Medium | None) -> bool:
    return (
        any(known[name] != getattr(record, name) for name in COPIED)
        or known.system != record.system
        or known.parent != record.parent
        or known.sub_activities != list(record.sub_activities)
        or known.metadata != dict(record.metadata)
        or known.source_name != record.file
        or known.source_url != record.url
        or (medium is not None and medium.sha256 != known["sha256"])
    )


def _shown_changes(
    record: ItemRecord, medium: Medium | None, known: KnownItem, standing: Standing
) -> list[Problem]:
    """Changes of what somebody was shown already."""
    fix = "Leave it as it is, or bring the new one under an id of its own."
    found = []
    if record.purpose != known["purpose"]:
        found.append(("purpose", record.purpose, "The item was given out already"))
    if record.item_id in standing.placed and record.country != known["country"]:
        found.append(("country", record.country, "The item is with a panel already"))
    if record.item_id in standing.answered:
        if medium is not None and medium.sha256 != known["sha256"]:
            found.append(("file", record.source, "The item has answers, and this is another file"))
        found += [
            (name, getattr(record, name), "The item has answers given to another text")
            for name in standing.shown_texts
            if getattr(record, name) != known[name]
        ]
    return [Problem(record.line, name, visible(value), wrong, fix) for name, value, wrong in found]


def _same_media(rows: Sequence[PlannedItem], known: Mapping[str, KnownItem]) -> tuple[str, ...]:
    """The same content under two ids."""
    holders: dict[str, list[str]] = {}
    planned = {row.record.item_id: row for row in rows}
    for item_id, item in known.items():
        if item_id not in planned:
            holders.setdefault(item["sha256"], []).append(item_id)
    for row in rows:
        sha256 = row.medium.sha256 if row.medium else _of(row, "sha256")
        holders.setdefault(sha256, []).append(row.record.item_id)
    same = [ids for ids in holders.values() if len(ids) > 1 and ids[-1] in planned]
    spelt = [f"{listed(ids)} are the same {_noun(planned[ids[-1]])}." for ids in same[:_LISTED]]
    if len(same) > _LISTED:
        spelt.append(f"{len(same) - _LISTED:,} more files stand under several ids.")
    return tuple(spelt)


def _noun(row: PlannedItem) -> str:
    kind = row.medium.kind if row.medium else _of(row, "kind")
    return {"image": "picture", "video": "clip", "audio": "sound"}.get(kind, "file")


def _of(row: PlannedItem, name: str) -> Any:
    return row.known[name] if row.known is not None else None


def _contradictions(rows: Sequence[PlannedItem]) -> list[str]:
    """What the table states and the file shows otherwise; the file counts."""
    kinds, sounds, lengths = [], [], []
    for row in rows:
        record, medium = row.record, row.medium
        if medium is None:
            continue
        if record.kind and record.kind != medium.kind:
            kinds.append(record.item_id)
        if record.has_audio is not None and record.has_audio != medium.has_audio:
            sounds.append(record.item_id)
        if record.duration is not None and (
            medium.duration is None or abs(record.duration - medium.duration) > _NEAR
        ):
            lengths.append(record.item_id)
    return [
        f"{listed(ids)}: {said}. The file counts."
        for ids, said in (
            (kinds, "the column kind says something else than the file is"),
            (sounds, "the column has_audio says something else than the file"),
            (lengths, "the column duration differs from the real length"),
        )
        if ids
    ]


def _media_warnings(rows: Sequence[PlannedItem]) -> list[str]:
    found = []
    moving = [row.record.item_id for row in rows if row.medium and row.medium.animated]
    if moving:
        verb = "is an animation" if len(moving) == 1 else "are animations"
        found.append(f"{listed(moving)} {verb}: people see moving pictures.")
    converted = [
        row.record.item_id
        for row in rows
        if row.medium and any(done.startswith("transcoded") for done in row.medium.preparation)
    ]
    if converted:
        verb = "clip is" if len(converted) == 1 else "clips are"
        found.append(
            f"{len(converted)} {verb} converted for browsers, which changes what is rated: "
            f"{listed(converted)}."
        )
    named = [
        f"{row.record.item_id}: {warning}."
        for row in rows
        if row.medium
        for warning in row.medium.warnings
    ]
    if len(named) > _LISTED:
        rest = f"{len(named) - _LISTED:,} more files are heavy, flash or are seen through."
        named = [*named[:_LISTED], rest]
    return found + named


def _elsewhere_warnings(elsewhere: Mapping[str, str]) -> list[str]:
    """A name without its folder may be another picture's: whoever imports should look."""
    spelt = [f"{name} is not there; {path} was taken for it." for name, path in elsewhere.items()]
    if len(spelt) > _LISTED:
        rest = f"{len(spelt) - _LISTED:,} more files were found in another folder."
        return [*spelt[:_LISTED], rest]
    return spelt


def _panel_warning(rows: Sequence[PlannedItem], standing: Standing) -> tuple[str, ...]:
    """In a study under way: items that nobody would rate."""
    if standing.panels is None:
        return ()
    codes = {row.record.country for row in rows if row.is_new} - standing.panels - {""}
    if not codes:
        return ()
    return (f"No panel rates items of {listed(sorted(codes))} yet.",)


def _unused_warning(unused: Sequence[str]) -> tuple[str, ...]:
    if not unused:
        return ()
    noun = "1 file is" if len(unused) == 1 else f"{len(unused):,} files are"
    return (f"{noun} named by no row and will not be imported: {listed(unused)}.",)
