"""``manage.py poll_prolific [STUDY]``: ask Prolific how the submissions of a study stand."""

from django.core.management.base import BaseCommand, CommandError

from annotation.prolific.client import ProlificError
from annotation.prolific.polling import poll_study
from studies.models import Study


class Command(BaseCommand):
    help = "Ask Prolific for the submissions of one study, or of all that take people from there."

    def add_arguments(self, parser):
        parser.add_argument("study", nargs="?", help="The last part of its address, e.g. weddings.")

    def handle(self, study, **options):
        studies = Study.objects.filter(recruitment__uses_prolific=True).exclude(
            recruitment__prolific_study_id=""
        )
        if study is not None:
            studies = Study.objects.filter(slug=study)
            if not studies:
                raise CommandError(f"There is no study “{study}”.")
        failed = 0
        for row in studies:
            try:
                self.stdout.write(f"{row.slug}: {poll_study(study=row).sentence()}")
            except ProlificError as error:
                failed += 1
                self.stderr.write(f"{row.slug}: {error}")
        if failed:
            raise CommandError(f"{failed} of {len(studies)} studies could not be asked about.")
