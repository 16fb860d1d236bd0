"""Where the ratings of a study came from, if another tool gathered them, and those on their way."""

import shutil
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from studies.models.study import new_token

WAITS_LONG = timedelta(seconds=20)


class ExternalSource(models.Model):
    """One import of ratings: its files, and the columns as they were read, to be used again."""

    study = models.OneToOneField(
        "studies.Study", on_delete=models.CASCADE, related_name="external_source"
    )
    files = models.JSONField(help_text="Name, SHA-256 and ratings of each file.")
    columns = models.JSONField(help_text="Which columns said what.")
    scales = models.JSONField(help_text="Each question's points as they were declared.")
    n_ratings = models.PositiveIntegerField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    imported_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return f"ratings of {self.study} from elsewhere"


class RatingsImport(models.Model):
    """Uploaded files of ratings on their way into a study of their own.

    They wait in a folder that only the server reads, and go as soon as the study is there. The row
    is the truth about the work: a worker's message carries its key only.
    """

    class State(models.TextChoices):
        OPEN = "open", "Not asked for"
        QUEUED = "queued", "Waiting for a worker"
        READING = "reading", "Being read"
        WRITING = "writing", "Being written"
        DONE = "done", "Done"
        REFUSED = "refused", "Refused"
        FAILED = "failed", "Failed"

    AT_WORK = (State.QUEUED, State.READING, State.WRITING)

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    tool = models.CharField(max_length=20, blank=True, help_text="Whose export; empty: a table.")
    files = models.JSONField(default=list, help_text="Name and size of each file.")
    asked = models.JSONField(default=dict, blank=True, help_text="The form as it was sent.")
    problems = models.JSONField(default=list, blank=True, help_text="Why it was refused.")
    left_out = models.JSONField(default=dict, blank=True, help_text="Passed over: why, how often.")
    n_done = models.PositiveBigIntegerField("ratings done", default=0)
    n_total = models.PositiveBigIntegerField("ratings", null=True, blank=True)
    study = models.ForeignKey(
        "studies.Study",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The study that it has become, or that is being written.",
    )
    error = models.TextField(blank=True, help_text="Why it broke off.")
    created_at = models.DateTimeField(auto_now_add=True)
    requested_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(
        null=True, blank=True, help_text="The worker's last sign of life; empty while it waits."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self):
        return f"import of {', '.join(self.names)}"

    @property
    def names(self) -> list[str]:
        return [file["name"] for file in self.files]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file["size"] for file in self.files)

    @property
    def folder(self) -> Path:
        return settings.VAR_DIR / "ratings" / self.token

    @property
    def is_at_work(self) -> bool:
        return self.state in self.AT_WORK

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def waits_long(self) -> bool:
        """No worker has taken it up for so long that people should be told."""
        return (
            self.state == self.State.QUEUED
            and self.heartbeat_at is None
            and self.requested_at is not None
            and self.requested_at < timezone.now() - WAITS_LONG
        )

    def discard_files(self) -> None:
        """Remove the folder; one that is gone already is fine."""
        shutil.rmtree(self.folder, ignore_errors=True)
