"""A frozen design: the words annotators saw. Never changed, never deleted."""

from django.conf import settings
from django.db import models


class DesignRevision(models.Model):
    study = models.ForeignKey("studies.Study", on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    design = models.JSONField(help_text="See studies.design for its shape.")
    note = models.TextField(blank=True, help_text="Why it was made.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_revision_a_number")
        ]

    def __str__(self):
        return f"{self.study}, revision {self.number}"
