"""An upload on its way into a study: checked by a worker, previewed, confirmed, written."""

import shutil
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from studies.models.study import new_token

KEPT_FOR = timedelta(days=1)
WAITS_LONG = timedelta(seconds=20)


class ImportUpload(models.Model):
    """Uploaded files that wait in a folder of their own. Nothing is written before confirmation.

    The row is the truth about the work: a worker's message carries its key only.
    """

    class Kind(models.TextChoices):
        ITEMS = "items", "Items"
        DESCRIPTORS = "descriptors", "Descriptors"
        PROBES = "probes", "Probes"
        GOLD = "gold", "Gold labels"
        SCENARIOS = "scenarios", "Scenarios and prompts"

    class State(models.TextChoices):
        CHECKING = "checking", "Being checked"
        REFUSED = "refused", "Refused"
        READY = "ready", "Ready"
        WRITING = "writing", "Being written"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.REFUSED)
    folder_name = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    table_name = models.CharField("name of the table", max_length=200, blank=True)
    transcode = models.BooleanField(
        "convert clips that not every browser plays",
        default=False,
        help_text="Near-lossless H.264. It changes what a study of visual quality rates.",
    )
    by_index = models.BooleanField(
        default=False, help_text="Its table came as a JSON list: rows count from 0."
    )
    confirm_ahead = models.BooleanField(
        default=False, help_text="It is written as soon as a check refuses nothing."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    summary = models.JSONField(
        default=dict, blank=True, help_text="Counts of the check, and of what was written."
    )
    progress = models.JSONField(default=dict, blank=True, help_text="How far the worker is.")
    requested_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(
        null=True, blank=True, help_text="The worker's last sign of life; empty while it waits."
    )
    error = models.TextField(blank=True, help_text="Why the check or the writing broke off.")

    class Meta:
        ordering = ["-created_at"]

    def __str__(self):
        return f"{self.table_name or self.get_kind_display()} for {self.study}"

    @property
    def folder(self) -> Path:
        return settings.VAR_DIR / "uploads" / self.folder_name

    @property
    def is_refused(self) -> bool:
        return self.state == self.State.REFUSED

    @property
    def is_ready(self) -> bool:
        return self.state == self.State.READY

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def is_at_work(self) -> bool:
        return self.state in (self.State.CHECKING, self.State.WRITING)

    @property
    def waits_long(self) -> bool:
        """No worker has taken it up for so long that people should be told."""
        return (
            self.is_at_work
            and self.heartbeat_at is None
            and self.requested_at is not None
            and self.requested_at < timezone.now() - WAITS_LONG
        )

    def discard_files(self) -> None:
        """Remove the folder; one that is gone already is fine."""
        if self.folder.exists():
            shutil.rmtree(self.folder)
