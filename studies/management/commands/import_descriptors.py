"""Import descriptors from a JSONL file or a table."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand

from studies.importing.descriptor_rows import list_problems, write_descriptors
from studies.importing.descriptors import parse_descriptors
from studies.management.shell import find_study, read_file, refuse


class Command(BaseCommand):
    help = (
        "Add the descriptors of a file (JSONL, CSV, TSV, XLSX) to a study. All lines are checked "
        "first: where one is wrong, every problem is printed and nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("file", type=Path, help="one JSON object a line, or a table")

    def handle(self, *, study: str, file: Path, **options):
        chosen = find_study(study)
        ids = set(chosen.items.values_list("external_id", flat=True))
        parsed = parse_descriptors(read_file(file), item_ids=ids)
        refuse([*parsed.problems, *list_problems(chosen, parsed.records)], self.stderr)
        counts = write_descriptors(study=chosen, records=parsed.records)
        self.stdout.write(f"{counts['new']} new, {counts['same']} already there")
