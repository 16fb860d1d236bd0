"""An upload between its preview and its confirmation."""

import shutil
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models

from studies.models.study import new_token

KEPT_FOR = timedelta(days=1)


class ImportUpload(models.Model):
    """Uploaded files that wait in a folder of their own. Nothing is written before confirmation."""

    class Kind(models.TextChoices):
        ITEMS = "items", "Items"
        DESCRIPTORS = "descriptors", "Descriptors"

    class State(models.TextChoices):
        REFUSED = "refused", "Refused"
        READY = "ready", "Ready"
        WRITING = "writing", "Being written"
        DONE = "done", "Done"

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.REFUSED)
    folder_name = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    table_name = models.CharField("name of the table", max_length=200, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    summary = models.JSONField(
        default=dict, blank=True, help_text="Counts of the check, and of what was written."
    )

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

    def discard_files(self) -> None:
        """Remove the folder; one that is gone already is fine."""
        if self.folder.exists():
            shutil.rmtree(self.folder)
