"""Import items from a table and a folder or ZIP of media."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import ExitStack
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from studies.importing import book
from studies.importing.archives import (
    Files,
    MediaLibrary,
    MediaSource,
    UnsafeArchive,
    ZipArchive,
)
from studies.importing.checks import standing_of
from studies.importing.elements import check_elements, write_elements
from studies.importing.growing import open_to_annotators
from studies.importing.media_files import Handling, check_media
from studies.importing.planning import ItemPlan, at_hand, parse_for_study, plan_items
from studies.importing.writing import CLOSED, ItemsChanged, takes_items, write_items
from studies.management.shell import ProgressBar, counts_line, find_study, read_file, refuse
from studies.models import Study
from studies.refusals import DesignFrozen
from studies.units import TooManySets


class Command(BaseCommand):
    help = (
        "Import the items of a study from a table (CSV, TSV, XLSX, JSONL) and a folder or ZIP of "
        "media. All rows are checked first: where one is wrong, every problem is printed and "
        "nothing is written. Killed, it goes on where it stopped when it is started again."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument(
            "table",
            type=Path,
            nargs="?",
            help="table with headings; without one, files are matched to the prompt book",
        )
        parser.add_argument(
            "--media", type=Path, metavar="DIR_OR_ZIP", help="where the named files are"
        )
        parser.add_argument(
            "--transcode",
            action="store_true",
            help="convert clips that not every browser plays to near-lossless H.264",
        )
        parser.add_argument("--check", action="store_true", help="only check, write nothing")

    def handle(self, *, study, table=None, media=None, transcode=False, check=False, **options):
        chosen = find_study(study)
        if not takes_items(chosen):
            raise CommandError(CLOSED)
        if table is None and media is None:
            raise CommandError("Name a table, or files of the prompt book with --media.")
        content = read_file(table) if table is not None else None
        media = media and Path(media)
        staging = _staging(chosen, media)
        bar = ProgressBar(self.stderr)
        handling = Handling(
            convert=transcode, private_allowed=settings.IMPORT_FROM_PRIVATE_ADDRESSES
        )
        with ExitStack() as opened:
            library = MediaLibrary(_sources(media, opened))
            plan = _plan(chosen, content, library, staging, handling, bar)
        bar.close()
        for warning in plan.warnings:
            self.stderr.write(f"Worth a look: {warning}")
        refuse(plan.problems, self.stderr)
        if not check:
            self._write(chosen, plan, staging, bar)
        note = " (only checked, nothing was written)" if check else ""
        self.stdout.write(counts_line(plan.counts) + note)

    def _write(self, study: Study, plan: ItemPlan, staging: Path, bar: ProgressBar) -> None:
        try:
            write_items(
                study=study,
                plan=plan,
                staging=staging,
                on_progress=lambda done, total: bar("writing", done, total),
            )
        except (DesignFrozen, ItemsChanged, TooManySets) as refusal:
            raise CommandError(str(refusal)) from refusal
        write_elements(study=study, check=plan.elements, staging=staging)
        open_to_annotators(study)
        bar.close()
        shutil.rmtree(staging)


def _staging(study: Study, media: Path | None) -> Path:
    """The same folder for the same media, so that a second start finds what the first one did."""
    place = str(media.resolve()) if media is not None else ""
    name = hashlib.sha256(f"{study.pk} {place}".encode()).hexdigest()[:24]
    return settings.VAR_DIR / "imports" / name


def _sources(media: Path | None, opened: ExitStack) -> list[MediaSource]:
    if media is None:
        return []
    if media.is_dir():
        return [Files.under(media)]
    if not media.exists():
        raise CommandError(f"{media} does not exist. --media names a folder or a ZIP file.")
    try:
        archive = ZipArchive(media)
    except UnsafeArchive as refusal:
        raise CommandError(f"{media}: {refusal}") from refusal
    opened.callback(archive.close)
    return [archive]


def _plan(
    study: Study,
    content: bytes | None,
    library: MediaLibrary,
    staging: Path,
    handling: Handling,
    bar: ProgressBar,
) -> ItemPlan:
    standing = standing_of(study)
    missing: tuple[str, ...] = ()
    if content is None:
        try:
            returned = book.items_from_files(study, library.paths())
        except book.EmptyBook as empty:
            raise CommandError(str(empty)) from empty
        content, missing = returned.table, returned.missing
    parsed = parse_for_study(content, standing.known)
    media = check_media(
        parsed.files,
        library=library,
        staging=staging,
        at_hand=at_hand(standing.known),
        handling=handling,
        on_progress=lambda done, total: bar("files", done, total),
    )
    elements = check_elements(study, parsed.records, library=library, staging=staging)
    media = elements.left_over(media)
    return plan_items(
        parsed=parsed, media=media, standing=standing, missing=missing, elements=elements
    )
