"""Files that a worker makes for download."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models

from scoring.work_state import WorkState
from studies.models.study import new_token


class ExportJob(models.Model):
    """A file that a worker makes for download. The row is the truth about the work.

    The same file of the same state of the data is made once: a second click finds this row.
    """

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="export_jobs")
    file = models.CharField(max_length=40, help_text="Which file: see scoring.exports.catalogue.")
    options = models.JSONField(default=dict, blank=True)
    mark = models.CharField(
        max_length=64, help_text="Digest of the options and of the data it was asked for."
    )
    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.QUEUED)
    n_done = models.PositiveBigIntegerField("rows done", default=0)
    n_total = models.PositiveBigIntegerField("rows", null=True, blank=True)
    error = models.TextField(blank=True, help_text="A sentence for people.")
    traceback = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(
        null=True, blank=True, help_text="When the file is removed; it can be made again."
    )
    folder_name = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    size = models.PositiveBigIntegerField("bytes", null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "file", "mark"],
                condition=models.Q(state__in=["queued", "running", "done"]),
                name="one_file_a_state_of_the_data",
            )
        ]

    def __str__(self):
        return f"{self.file} of {self.study}, {self.requested_at:%Y-%m-%d %H:%M}"

    @property
    def folder(self) -> Path:
        return settings.VAR_DIR / "exports" / self.folder_name

    @property
    def is_over(self) -> bool:
        return self.state in {WorkState.DONE, WorkState.FAILED, WorkState.CANCELLED}
