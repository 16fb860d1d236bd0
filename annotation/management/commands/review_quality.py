"""Hold a study's answers against its rules of quality, as the worker does every few minutes."""

from django.core.management.base import BaseCommand

from annotation.quality.review import review
from studies.management.shell import find_study


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("study", help="its short address, e.g. weddings")

    def handle(self, *args, study: str, **options):
        seen = review(find_study(study))
        self.stdout.write(
            f"{seen.people} annotators: {seen.flagged} new flags, {seen.unflagged} gone, "
            f"{seen.excluded} excluded by rules."
        )
