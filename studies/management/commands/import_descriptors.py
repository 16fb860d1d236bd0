"""Import descriptors from a JSONL file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from studies.importing.descriptor_rows import write_descriptors
from studies.importing.descriptors import parse_descriptors
from studies.management.commands.import_items import find_study, nothing_written, read_file


class Command(BaseCommand):
    help = (
        "Add the descriptors of a JSONL file to a study. All lines are checked first: where one "
        "is wrong, every problem is printed and nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("file", type=Path, help="one JSON object a line, in UTF-8")

    def handle(self, *, study: str, file: Path, **options):
        chosen = find_study(study)
        ids = set(chosen.items.values_list("external_id", flat=True))
        parsed = parse_descriptors(read_file(file), item_ids=ids)
        if parsed.problems:
            for problem in parsed.problems:
                self.stderr.write(str(problem))
            raise CommandError(nothing_written(len(parsed.problems)))
        counts = write_descriptors(study=chosen, records=parsed.records)
        self.stdout.write(f"{counts['new']} new, {counts['same']} already there")
