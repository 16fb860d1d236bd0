"""A text of a study in another language."""

from django.conf import settings
from django.db import models


class Translation(models.Model):
    """``source`` is the text it was made from: where that has changed since, it is stale."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="translations"
    )
    language = models.CharField(max_length=12)
    key = models.CharField(max_length=240, help_text="Which text: see studies.words.texts.")
    text = models.TextField()
    source = models.TextField()
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["language", "key"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "language", "key"], name="one_translation_a_text"
            )
        ]

    def __str__(self):
        return f"{self.key} ({self.language})"
