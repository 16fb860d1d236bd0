"""``manage.py add_researcher NAME``: an account that may design and run its own studies."""

import getpass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.roles import researchers_group


class Command(BaseCommand):
    help = "Make an account that may design and run studies of its own, and see no others."

    def add_arguments(self, parser):
        parser.add_argument("username")
        parser.add_argument("--email", default="")

    def handle(self, username, email, **options):
        if User.objects.filter(username=username).exists():
            raise CommandError(f"There is an account “{username}” already.")
        password = getpass.getpass("Password: ")
        try:
            validate_password(password, User(username=username, email=email))
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user = User.objects.create_user(username, email, password, is_staff=True)
        user.groups.add(researchers_group())
        self.stdout.write(f"{username} can sign in at /admin/.")
