"""Who somebody is outside Concord, kept apart from what they answered.

A participation knows nobody by name: a token and a pseudonym. Where it came from (an id of
Prolific's, an invitation, an account; nothing for the open link) stands here, so that it can be
erased while the answers stay, and so that no export that starts from answers can reach it by
accident.
"""

import secrets

from django.db import models


def new_key() -> str:
    return secrets.token_hex(6)


def new_nonce() -> str:
    return secrets.token_hex(8)


class Identity(models.Model):
    """One person in one study by an id from outside. Personal data: erased on a day."""

    class Source(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        INVITATION = "invitation", "Invitation"
        ACCOUNT = "account", "Account"

    study = models.ForeignKey("studies.Study", on_delete=models.PROTECT, related_name="identities")
    source = models.CharField(max_length=12, choices=Source.choices)
    external_id = models.CharField(
        max_length=80,
        help_text="The Prolific id, the invitation's key, the account's number; "
        "a mark without meaning once erased.",
    )
    participation = models.OneToOneField(
        "annotation.Participation",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="identity",
        help_text="Empty: known to Prolific, but never arrived here.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "source", "external_id"], name="one_identity_a_person_and_study"
            )
        ]

    def __str__(self):
        # Never the external id: this text gets into pages and logs.
        return f"{self.get_source_display()} identity {self.pk}"


class Attempt(models.Model):
    """One submission on Prolific (its SESSION_ID), with what Prolific says about it."""

    class Status(models.TextChoices):
        RESERVED = "RESERVED", "Reserved"
        ACTIVE = "ACTIVE", "Active"
        AWAITING_REVIEW = "AWAITING REVIEW", "Awaiting review"
        APPROVED = "APPROVED", "Approved"
        PARTIALLY_APPROVED = "PARTIALLY APPROVED", "Partially approved"
        RETURNED = "RETURNED", "Returned"
        TIMED_OUT = "TIMED-OUT", "Timed out"
        REJECTED = "REJECTED", "Rejected"
        SCREENED_OUT = "SCREENED OUT", "Screened out"

    class StatusSource(models.TextChoices):
        WEBHOOK = "webhook", "Webhook"
        POLL = "poll", "Asked by us"
        CSV = "csv", "Uploaded file"

    identity = models.ForeignKey(Identity, on_delete=models.CASCADE, related_name="attempts")
    study = models.ForeignKey("studies.Study", on_delete=models.PROTECT, related_name="attempts")
    session_id = models.CharField(max_length=80)
    prolific_study_id = models.CharField(max_length=80, blank=True)
    arrived_at = models.DateTimeField(
        null=True, blank=True, help_text="When it opened our link; empty: it never did."
    )
    status = models.CharField(max_length=20, choices=Status.choices, blank=True)
    entered_code = models.CharField(max_length=80, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    returned_at = models.DateTimeField(null=True, blank=True)
    status_at = models.DateTimeField(null=True, blank=True, help_text="When we learnt the status.")
    status_source = models.CharField(max_length=8, choices=StatusSource.choices, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "session_id"], name="one_attempt_a_session_and_study"
            )
        ]

    def __str__(self):
        return f"attempt {self.pk}"


class InvitationQuerySet(models.QuerySet):
    def in_force(self):
        return self.filter(revoked_at=None)


class Invitation(models.Model):
    """A personal link. It is derived from key and nonce, so nothing secret is stored."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="invitations")
    label = models.CharField(
        "name or e-mail address", max_length=200, help_text="As you gave it; only you see it."
    )
    panel = models.ForeignKey(
        "studies.Panel",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="invitations",
        help_text="Empty: whichever panel the person fits.",
    )
    language = models.CharField(max_length=12, blank=True)
    key = models.CharField(max_length=12, unique=True, default=new_key, editable=False)
    nonce = models.CharField(max_length=16, default=new_nonce, editable=False)
    identity = models.OneToOneField(
        Identity, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitation"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return f"invitation {self.key}"
