"""manage.py erase_expired_identities: forget who people are, a study's days after they finished."""

from django.core.management.base import BaseCommand

from annotation.erasure import erase_expired


class Command(BaseCommand):
    help = "Erases Prolific ids, names of invitations and accounts whose days are over, by study."

    def handle(self, *args, **options):
        n = erase_expired()
        self.stdout.write(f"Erased: {n} {'identity' if n == 1 else 'identities'}.")
