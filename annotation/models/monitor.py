"""Figures of the monitoring page that take too long to count for every look at it."""

from django.db import models


class MonitorFigures(models.Model):
    """One row a study, written over. ``mark`` says what the collection was like when counted."""

    study = models.OneToOneField(
        "studies.Study", on_delete=models.CASCADE, related_name="monitor_figures"
    )
    mark = models.CharField(max_length=64, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    counted_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(default=0.0, help_text="How long counting took.")
    asked_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker was last asked to count."
    )

    class Meta:
        verbose_name_plural = "monitor figures"

    def __str__(self):
        return f"{self.study}, counted {self.counted_at or 'never'}"
