"""Import a study's prompt book from a table."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand

from studies.importing.bank_rows import plan_book, write_book
from studies.importing.scenarios import parse_scenarios
from studies.management.shell import counts_line, find_study, read_file, refuse


class Command(BaseCommand):
    help = (
        "Add or change the scenarios and prompts of a study from a table (CSV, TSV, XLSX, JSONL). "
        "All rows are checked first: where one is wrong, nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("file", type=Path, help="scenario, variant and prompt, and more")

    def handle(self, *, study: str, file: Path, **options):
        chosen = find_study(study)
        parsed = parse_scenarios(read_file(file))
        refuse(parsed.problems, self.stderr)
        self.stdout.write(counts_line(write_book(chosen, plan_book(chosen, parsed.records))))
