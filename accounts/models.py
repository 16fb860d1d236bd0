"""The people who run studies. Annotators have no account: see ``annotation.models``."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """Ours from the first migration on, so that it can grow without a migration of every key."""


class ApiTokenQuerySet(models.QuerySet):
    def in_use(self):
        return self.filter(revoked_at=None)


class ApiToken(models.Model):
    """What a program signs in with in its researcher's place.

    Only a digest is kept: the token itself is shown once, when it is made.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80, help_text="What it is for, e.g. import script.")
    prefix = models.CharField(
        "begins with", max_length=16, editable=False, help_text="To tell tokens apart."
    )
    digest = models.CharField("SHA-256", max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField("made", auto_now_add=True)
    last_used_at = models.DateTimeField("last used", null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField("revoked", null=True, blank=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "API token"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name"],
                condition=models.Q(revoked_at=None),
                name="one_token_in_use_a_name",
                violation_error_message="You have a token of that name. Revoke it first.",
            )
        ]

    def __str__(self):
        return self.name

    @property
    def is_revoked(self) -> bool:
        return self.revoked_at is not None
