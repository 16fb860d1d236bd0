"""Import items from a table and a folder or ZIP of pictures."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from studies.importing.archives import (
    Files,
    MediaLibrary,
    MediaSource,
    UnsafeArchive,
    ZipArchive,
)
from studies.importing.pictures import check_pictures
from studies.importing.planning import ItemPlan, existing_items, parse_for_study, plan_items
from studies.importing.writing import FROZEN, ItemsChanged, write_items
from studies.lifecycle import DesignFrozen
from studies.models import Study


class Command(BaseCommand):
    help = (
        "Import the items of a study from a CSV table and a folder or ZIP of pictures. All rows "
        "are checked first: where one is wrong, every problem is printed and nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("table", type=Path, help="CSV file with a header, in UTF-8")
        parser.add_argument(
            "--media", type=Path, metavar="DIR_OR_ZIP", help="where the named pictures are"
        )
        parser.add_argument("--check", action="store_true", help="only check, write nothing")

    def handle(self, *, study, table, media=None, check=False, **options):
        chosen = find_study(study)
        if not chosen.is_draft:
            raise CommandError(FROZEN)
        content = read_file(table)
        media = media and Path(media)
        with ExitStack() as opened, tempfile.TemporaryDirectory() as staging:
            library = MediaLibrary(_sources(media, opened))
            plan = _plan(chosen, content, library, Path(staging))
            for warning in plan.warnings:
                self.stderr.write(f"Worth a look: {warning}")
            if plan.problems:
                for problem in plan.problems:
                    self.stderr.write(str(problem))
                raise CommandError(nothing_written(len(plan.problems)))
            if not check:
                try:
                    write_items(study=chosen, plan=plan, staging=Path(staging))
                except (DesignFrozen, ItemsChanged) as refusal:
                    raise CommandError(str(refusal)) from refusal
        counts = plan.counts
        self.stdout.write(
            f"{counts['new']} new, {counts['changed']} changed, {counts['same']} the same"
            + (" (only checked, nothing was written)" if check else "")
        )


def find_study(slug: str) -> Study:
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist as missing:
        slugs = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no study “{slug}”. Studies: {slugs}.") from missing


def read_file(path: Path | str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def nothing_written(n_problems: int) -> str:
    noun = "problem" if n_problems == 1 else "problems"
    return f"{n_problems} {noun}; nothing was written."


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


def _plan(study: Study, content: bytes, library: MediaLibrary, staging: Path) -> ItemPlan:
    existing = existing_items(study)
    parsed = parse_for_study(content, existing)
    pictures = check_pictures(
        parsed.files,
        library=library,
        staging=staging,
        at_hand={(item.external_id, item.source_name) for item in existing.values()},
    )
    return plan_items(parsed=parsed, pictures=pictures, existing=existing)
