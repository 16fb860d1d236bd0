"""manage.py make_invitations STUDY FILE: personal links for the people of a list, as CSV."""

import csv
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotation.invitations import UnreadableList, as_rows, decoded, invite, read_list
from studies.management.shell import find_study


class Command(BaseCommand):
    help = (
        "Makes a personal link for each person of a CSV file (name or email; country and language "
        "where wanted) and writes all links of the study as CSV. Who has one keeps it."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="its short address")
        parser.add_argument("file", type=Path, help="the CSV file, in UTF-8")

    def handle(self, *args, **options):
        study = find_study(options["study"])
        try:
            text = decoded(options["file"].read_bytes())
            people = read_list(study=study, text=text)
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        except UnreadableList as refusal:
            raise CommandError("\n".join(refusal.problems)) from refusal
        made, had = invite(study=study, people=people)
        csv.writer(self.stdout, lineterminator="\n").writerows(as_rows(study))
        self.stderr.write(f"New: {len(made)}. With a link already: {had}.")
