"""A study's own words for a prompt."""

from django.conf import settings
from django.db import models


class PromptEdit(models.Model):
    """One edit of a prompt, in force for a study until a later one; runs record which they used."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="prompt_edits"
    )
    prompt = models.CharField(max_length=80, help_text="Its key, e.g. culturescore/answer.")
    number = models.PositiveIntegerField(help_text="Counts the edits of this prompt from 1.")
    base_version = models.CharField(
        max_length=10, help_text="Version of the prompt that was edited."
    )
    system = models.TextField(blank=True)
    user = models.TextField(blank=True)
    back_to_ours = models.BooleanField(
        default=False, help_text="This edit took the study's words back."
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["prompt", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "prompt", "number"], name="one_prompt_edit_a_number"
            )
        ]

    def __str__(self):
        return f"{self.prompt}, edit {self.number}"
