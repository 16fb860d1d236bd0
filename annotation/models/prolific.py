"""What Prolific told us and what we told it. None of it holds an answer.

Who a submission belongs to stands in ``arrival.py``; rows here go with it, or lose their link to
the person, when it is erased.
"""

from django.conf import settings
from django.db import models


class Reconciliation(models.Model):
    """How a study takes Prolific's statuses, and when they were last asked for. One row a study."""

    class Work(models.TextChoices):
        REOPEN = "reopen", "Set it aside and give its places to others"
        KEEP = "keep", "Count what was sent"

    study = models.OneToOneField(
        "studies.Study", primary_key=True, on_delete=models.CASCADE, related_name="reconciliation"
    )
    returned_work = models.CharField(
        "work of returned submissions", max_length=8, choices=Work.choices, default=Work.REOPEN
    )
    rejected_work = models.CharField(
        "work of rejected submissions", max_length=8, choices=Work.choices, default=Work.REOPEN
    )
    poll_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    poll_began_at = models.DateTimeField(null=True, blank=True, editable=False)
    poll_done = models.PositiveIntegerField(default=0, editable=False)
    poll_total = models.PositiveIntegerField(default=0, editable=False)
    polled_at = models.DateTimeField(null=True, blank=True, editable=False)
    poll_error = models.TextField(blank=True, editable=False)
    poll_failed_at = models.DateTimeField(null=True, blank=True, editable=False)
    uploaded_at = models.DateTimeField(null=True, blank=True, editable=False)
    event_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        permissions = [("see_prolific_ids", "Can see people's Prolific ids")]

    def __str__(self):
        return f"reconciliation of {self.study}"


class ProlificEvent(models.Model):
    """A signed event, once however often it was sent."""

    class Result(models.TextChoices):
        WAITING = "waiting", "Not looked at yet"
        APPLIED = "applied", "Applied"
        KNOWN = "known", "Known already"
        OLDER = "older", "Older than what we know"
        UNKNOWN = "unknown", "Of no submission of ours"
        IGNORED = "ignored", "Of another kind"

    event_id = models.CharField(max_length=80, unique=True)
    type = models.CharField(max_length=60)
    submission_id = models.CharField(max_length=80, blank=True)
    status = models.CharField(max_length=20, blank=True)
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)
    attempt = models.ForeignKey(
        "annotation.Attempt",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="events",
    )
    result = models.CharField(max_length=8, choices=Result.choices, default=Result.WAITING)

    class Meta:
        ordering = ["-sent_at", "-id"]
        verbose_name = "event from Prolific"
        verbose_name_plural = "events from Prolific"
        indexes = [models.Index(fields=["submission_id"], name="prolific_event_submission")]

    def __str__(self):
        return f"{self.type} {self.status}".strip()


class ProlificAction(models.Model):
    """What a researcher did to a submission: written before it is sent, so it is sent once."""

    class Kind(models.TextChoices):
        ASK_TO_RETURN = "ask-to-return", "Asked to return"
        APPROVE = "approve", "Approved"
        MESSAGE = "message", "Message"
        REJECT = "reject", "Rejected"

    class State(models.TextChoices):
        SENDING = "sending", "Being sent"
        DONE = "done", "Sent"
        FAILED = "failed", "Not sent"
        UNCLEAR = "unclear", "Perhaps sent"

    key = models.CharField(max_length=32, unique=True, help_text="Of the form: makes it once.")
    study = models.ForeignKey(
        "studies.Study", on_delete=models.PROTECT, related_name="prolific_actions"
    )
    participation = models.ForeignKey(
        "annotation.Participation",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="prolific_actions",
    )
    attempt = models.ForeignKey(
        "annotation.Attempt",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="actions",
    )
    kind = models.CharField(max_length=16, choices=Kind.choices)
    text = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.SENDING)
    result = models.TextField(blank=True, help_text="What Prolific answered, where it refused.")

    class Meta:
        ordering = ["-made_at", "-id"]
        verbose_name = "action on Prolific"
        verbose_name_plural = "actions on Prolific"

    def __str__(self):
        return f"{self.get_kind_display()}, {self.get_state_display().lower()}"
