"""Hold a study's answers against its rules of quality, as the worker does every few minutes."""

from django.core.management.base import BaseCommand, CommandError

from annotation.quality.review import review
from studies.models import Study


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("study", help="its short address, e.g. weddings")

    def handle(self, *args, study: str, **options):
        found = Study.objects.filter(slug=study).first()
        if found is None:
            raise CommandError(f"There is no study {study!r}.")
        seen = review(found)
        self.stdout.write(
            f"{seen.people} annotators: {seen.flagged} new flags, {seen.unflagged} gone, "
            f"{seen.excluded} excluded by rules."
        )
