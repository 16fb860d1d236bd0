"""Import the probes of a study's scenarios from a table."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand

from studies.importing.bank_rows import plan_probes, write_probes
from studies.importing.probes import parse_probes
from studies.management.shell import counts_line, find_study, read_file, refuse
from studies.unit_probes import sample_probes


class Command(BaseCommand):
    help = (
        "Add or change the probes of a study from a table (CSV, TSV, XLSX, JSONL). All rows are "
        "checked first: where one is wrong, every problem is printed and nothing is written."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument("file", type=Path, help="probe_id, scenario, dimension, text and more")

    def handle(self, *, study: str, file: Path, **options):
        chosen = find_study(study)
        parsed = parse_probes(read_file(file))
        plan = plan_probes(chosen, parsed.records)
        refuse([*parsed.problems, *plan.problems], self.stderr)
        self.stdout.write(counts_line(write_probes(plan)))
        sample_probes(chosen)
