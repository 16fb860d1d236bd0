"""Export a study's prompts for the generators, with the names that the files shall have."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from studies.importing import book
from studies.management.shell import find_study


class Command(BaseCommand):
    help = (
        "Print a CSV with one row for each prompt, model and replicate and the name of the file "
        "that is expected. Files of these names come back with import_items STUDY --media DIR."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="short address (slug) of the study")
        parser.add_argument(
            "--system", action="append", metavar="NAME", help="a model; may be given several times"
        )
        parser.add_argument("--replicates", type=int, default=1, help="files a prompt and model")

    def handle(self, *, study: str, system=None, replicates: int = 1, **options):
        chosen = find_study(study)
        systems = system or book.systems_of(chosen)
        if not systems:
            raise CommandError("Name the models: --system NAME, once for each.")
        if replicates < 1:
            raise CommandError("--replicates is 1 or more.")
        try:
            text = book.prompt_table(chosen, systems=systems, replicates=replicates)
        except book.EmptyBook as empty:
            raise CommandError(str(empty)) from empty
        self.stdout.write(text.removeprefix("\ufeff"), ending="")
