"""What each kind of import is: how it is checked, what its preview shows, how it is written.

A check gives a plain dictionary for ``check.json`` and all its problems; writing checks once more,
because the study may have changed since, and refuses where the check no longer holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, Protocol

from django.conf import settings

from studies.importing import bank_rows, book
from studies.importing.archives import MediaLibrary
from studies.importing.descriptor_rows import descriptor_counts, list_problems, write_descriptors
from studies.importing.descriptors import parse_descriptors
from studies.importing.elements import check_elements, write_elements
from studies.importing.gold import parse_gold
from studies.importing.growing import open_to_annotators
from studies.importing.known import KnownItem, answered_items, known_items, placed_items
from studies.importing.media_files import Handling, check_media
from studies.importing.planning import (
    ItemPlan,
    PlannedItem,
    Standing,
    at_hand,
    parse_for_study,
    plan_items,
)
from studies.importing.probes import parse_probes
from studies.importing.problems import Problem
from studies.importing.scenarios import parse_scenarios
from studies.importing.uploads import media_sources
from studies.importing.writing import ImportRefused, write_items
from studies.models import ImportUpload, Study
from studies.unit_probes import sample_probes

SHOWN_FIRST = 12
Progress = Callable[[str, int, int], None]
"""Called with the phase ("rows", "files", "writing"), what is done and how much there is."""

Checked = tuple[dict[str, Any], list[Problem]]


class Importer(Protocol):
    def check(self, upload: ImportUpload, on_progress: Progress) -> Checked: ...

    def write(self, upload: ImportUpload, on_progress: Progress) -> dict[str, int]: ...


class NoTable(Exception):
    """Media came without a table, and no prompt book says what they are."""


def table_of(upload: ImportUpload) -> bytes | None:
    path = upload.folder / "table"
    return path.read_bytes() if path.exists() else None


# ---- items


def standing_of(study: Study) -> Standing:
    """What an import of items is held against."""
    texts = [("prompt", study.show_prompt), ("cultural_element", study.show_element)]
    panels = None if study.is_draft else frozenset(study.panels.values_list("country", flat=True))
    return Standing(
        known=known_items(study),
        answered=answered_items(study),
        placed=placed_items(study),
        shown_texts=tuple(name for name, shown in texts if shown),
        panels=panels,
    )


_EMPTY: dict[str, Any] = {
    "counts": {"new": 0, "changed": 0, "same": 0, "refused": 0},
    "warnings": [],
    "columns": [],
    "delimiter": "",
    "n_rows": 0,
    "n_files": 0,
    "first": [],
}


class ItemsImporter:
    def check(self, upload: ImportUpload, on_progress: Progress) -> Checked:
        try:
            with ExitStack() as opened:
                plan, problems, n_files = self._planned(upload, on_progress, opened)
        except NoTable as missing:
            return _EMPTY, [Problem(0, "table", "", "There is no table of items", str(missing))]
        found = [*problems, *plan.problems]
        result = {
            "counts": plan.counts,
            "warnings": list(plan.warnings),
            "columns": [asdict(column) for column in plan.parsed.columns],
            "delimiter": plan.parsed.delimiter,
            "n_rows": plan.parsed.n_rows,
            "n_files": n_files,
            "first": [_first(number, row) for number, row in enumerate(plan.rows[:SHOWN_FIRST])],
        }
        return result, found

    def write(self, upload: ImportUpload, on_progress: Progress) -> dict[str, int]:
        with ExitStack() as opened:
            plan, problems, _ = self._planned(upload, on_progress, opened)
        if problems or plan.problems:
            raise ImportRefused([*problems, *plan.problems])
        counts = write_items(
            study=upload.study,
            plan=plan,
            staging=upload.folder / "staging",
            on_progress=lambda done, total: on_progress("writing", done, total),
        )
        write_elements(study=upload.study, check=plan.elements, staging=upload.folder / "staging")
        open_to_annotators(upload.study)
        return counts

    def _planned(
        self, upload: ImportUpload, on_progress: Progress, opened: ExitStack
    ) -> tuple[ItemPlan, list[Problem], int]:
        standing = standing_of(upload.study)
        sources, problems = media_sources(upload, opened)
        library = MediaLibrary(sources)
        table, missing = table_of(upload), ()
        if table is None:
            try:
                returned = book.items_from_files(upload.study, library.paths())
            except book.EmptyBook as empty:
                raise NoTable(str(empty)) from empty
            table, missing = returned.table, returned.missing
        on_progress("rows", 0, 0)
        parsed = parse_for_study(table, standing.known)
        on_progress("rows", parsed.n_rows, parsed.n_rows)
        media = check_media(
            parsed.files,
            library=library,
            staging=upload.folder / "staging",
            at_hand=at_hand(standing.known),
            handling=Handling(
                convert=upload.transcode,
                private_allowed=settings.IMPORT_FROM_PRIVATE_ADDRESSES,
            ),
            on_progress=lambda done, total: on_progress("files", done, total),
        )
        elements = check_elements(
            upload.study, parsed.records, library=library, staging=upload.folder / "staging"
        )
        media = elements.left_over(media)
        plan = plan_items(
            parsed=parsed, media=media, standing=standing, missing=missing, elements=elements
        )
        return plan, problems, len(library)


def _first(number: int, row: PlannedItem) -> dict[str, Any]:
    medium, known = row.medium, row.known
    kind = medium.kind if medium else known["kind"]
    thumbnail, thumbnail_type = "", ""
    if medium is not None:
        thumbnail = medium.poster or (medium.stored if kind == "image" else "")
        thumbnail_type = "image/jpeg" if medium.poster else medium.content_type
    return {
        "number": number,
        "item_id": row.record.item_id,
        "file": row.record.source,
        "kind": kind,
        "thumbnail": thumbnail,
        "thumbnail_type": thumbnail_type,
        "width": medium.width if medium else known["width"],
        "height": medium.height if medium else known["height"],
        "duration": medium.duration if medium else known["duration"],
        "has_audio": medium.has_audio if medium else known["has_audio"],
        "media_url": "" if medium or known is None else _known_picture(known),
    }


def _known_picture(known: KnownItem) -> str:
    """The address of a picture, or of a clip's first frame, that the study has already."""
    if known["kind"] == "image":
        return f"/media/{known.public_id}?{known['sha256'][:8]}"
    return f"/media/{known.public_id}/poster" if known["poster"] else ""


# ---- tables without media


class TableImporter:
    """A kind whose rows stand for themselves."""

    headings: tuple[str, ...] = ()

    def plan(self, study: Study, table: bytes) -> tuple[Any, Any, list[Problem], dict[str, int]]:
        """What was parsed, the plan, every problem, and counts without "refused"."""
        raise NotImplementedError

    def save(self, study: Study, plan: Any, on_progress: Progress) -> dict[str, int]:
        raise NotImplementedError

    def cells(self, record: Any) -> list[str]:
        """What the preview shows of a record, under ``headings``."""
        raise NotImplementedError

    def check(self, upload: ImportUpload, on_progress: Progress) -> Checked:
        on_progress("rows", 0, 0)
        parsed, _, problems, counts = self.plan(upload.study, table_of(upload) or b"")
        refused = len({problem.line for problem in problems if problem.line})
        records: Sequence[Any] = parsed.records
        result = {
            "counts": {**counts, "refused": refused},
            "warnings": [],
            "columns": [asdict(column) for column in getattr(parsed, "columns", ())],
            "delimiter": getattr(parsed, "delimiter", ""),
            "n_rows": getattr(parsed, "n_rows", len(records) + refused),
            "headings": list(self.headings),
            "first": [{"cells": self.cells(record)} for record in records[:SHOWN_FIRST]],
        }
        return result, problems

    def write(self, upload: ImportUpload, on_progress: Progress) -> dict[str, int]:
        _, plan, problems, _ = self.plan(upload.study, table_of(upload) or b"")
        if problems:
            raise ImportRefused(problems)
        return self.save(upload.study, plan, on_progress)


def _writing(on_progress: Progress) -> Callable[[int, int], None]:
    return lambda done, total: on_progress("writing", done, total)


class DescriptorsImporter(TableImporter):
    headings = ("Token", "Kind", "Dimension", "Belongs to", "Source")

    def plan(self, study, table):
        ids = set(study.items.values_list("external_id", flat=True))
        parsed = parse_descriptors(table, item_ids=ids)
        counts = descriptor_counts(study, parsed.records)
        problems = [*parsed.problems, *list_problems(study, parsed.records)]
        return parsed, parsed.records, problems, counts

    def save(self, study, plan, on_progress):
        return write_descriptors(study=study, records=plan)

    def cells(self, record):
        belongs = record.item_id or ", ".join(filter(None, (record.activity, record.country)))
        return [record.token, record.kind, record.dimension, belongs, record.source]


class ProbesImporter(TableImporter):
    headings = ("Probe", "Scenario", "Country", "Dimension", "Question", "Verified")

    def plan(self, study, table):
        parsed = parse_probes(table)
        plan = bank_rows.plan_probes(study, parsed.records)
        return parsed, plan, [*parsed.problems, *plan.problems], plan.counts

    def save(self, study, plan, on_progress):
        counts = bank_rows.write_probes(plan, _writing(on_progress))
        sample_probes(study)
        return counts

    def cells(self, record):
        verified = "yes" if record.verified else "no"
        return [
            record.probe_id,
            record.scenario,
            record.country,
            record.dimension,
            record.text,
            verified,
        ]


class GoldImporter(TableImporter):
    headings = ("Item", "Label set", "Label", "Value")

    def plan(self, study, table):
        ids = set(study.items.values_list("external_id", flat=True))
        parsed = parse_gold(table, item_ids=ids)
        plan = bank_rows.plan_gold(study, parsed.records)
        return parsed, plan, list(parsed.problems), plan.counts

    def save(self, study, plan, on_progress):
        return bank_rows.write_gold(plan, _writing(on_progress))

    def cells(self, record):
        return [record.item_id, record.label_set, record.label, f"{record.value:g}"]


class ScenariosImporter(TableImporter):
    headings = ("Scenario", "Country", "Category", "Variants", "First prompt")

    def plan(self, study, table):
        parsed = parse_scenarios(table)
        plan = bank_rows.plan_book(study, parsed.records)
        return parsed, plan, list(parsed.problems), plan.counts

    def save(self, study, plan, on_progress):
        return bank_rows.write_book(study, plan, _writing(on_progress))

    def cells(self, record):
        first = next(iter(record.prompts.values()), "")
        return [
            record.scenario,
            record.country,
            record.category,
            ", ".join(record.prompts),
            first,
        ]


IMPORTERS: dict[str, Importer] = {
    ImportUpload.Kind.ITEMS: ItemsImporter(),
    ImportUpload.Kind.DESCRIPTORS: DescriptorsImporter(),
    ImportUpload.Kind.PROBES: ProbesImporter(),
    ImportUpload.Kind.GOLD: GoldImporter(),
    ImportUpload.Kind.SCENARIOS: ScenariosImporter(),
}
