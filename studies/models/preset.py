"""A study's design that its researcher keeps as a preset of their own."""

from django.conf import settings
from django.db import models


class SavedPreset(models.Model):
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="presets"
    )
    name = models.CharField(max_length=120)
    text = models.TextField(help_text="The preset as a file; see studies/presets/data.")
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"],
                name="one_saved_preset_a_name",
                violation_error_message="You have a preset of that name already.",
            )
        ]

    def __str__(self):
        return self.name

    @property
    def key(self) -> str:
        """How it is named among the presets to choose from."""
        return f"saved-{self.pk}"
