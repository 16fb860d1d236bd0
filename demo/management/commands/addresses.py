"""``manage.py addresses``: where the running site is, and the demo in it."""

from django.conf import settings
from django.core.management.base import BaseCommand
from django.urls import reverse

from demo import PASSWORD, SLUG
from studies.models import Study


class Command(BaseCommand):
    help = "Print the addresses of this site and of its demo study."

    def handle(self, **options):
        study = Study.objects.filter(slug=SLUG).first()
        self.stdout.write("")
        self.stdout.write(f"  Concord is running at  {settings.SITE_URL}/")
        self.stdout.write(f"  Admin                  {settings.SITE_URL}/admin/")
        if study is not None:
            report = reverse("scoring:report", args=[study.slug])
            self.stdout.write(f"  An annotator's link    {study.entry_link}")
            self.stdout.write(f"  The report             {settings.SITE_URL}{report}")
            self.stdout.write("")
            self.stdout.write("  Demo accounts          ana (researcher), admin (everything)")
            self.stdout.write(f"  Password of both       {PASSWORD}")
        self.stdout.write("")
        self.stdout.write("  Ctrl-C stops it; the data stay.")
        self.stdout.write("")
        self.stdout.flush()
