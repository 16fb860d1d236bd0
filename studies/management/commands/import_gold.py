"""Import gold labels from a table."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand

from studies.importing.bank_rows import plan_gold, write_gold
from studies.importing.gold import parse_gold
from studies.management.shell import counts_line, find_study, read_file, refuse


class Command(BaseCommand):
    help = (
        "Add or change the gold labels of a study's items from a table (CSV, TSV, XLSX, JSONL). "
        "All rows are checked first: where one is wrong, nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("file", type=Path, help="item_id, label_set, label and value")

    def handle(self, *, study: str, file: Path, **options):
        chosen = find_study(study)
        ids = set(chosen.items.values_list("external_id", flat=True))
        parsed = parse_gold(read_file(file), item_ids=ids)
        refuse(parsed.problems, self.stderr)
        self.stdout.write(counts_line(write_gold(plan_gold(chosen, parsed.records))))
