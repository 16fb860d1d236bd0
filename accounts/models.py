"""The people who run studies. Annotators have no account: see ``annotation.models``."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """Ours from the first migration on, so that it can grow without a migration of every key."""
