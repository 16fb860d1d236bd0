"""The prompt book: what is to be depicted, and the wordings given to the generators."""

from django.db import models

from studies.models.item import Item
from studies.names import country_choices


class Scenario(models.Model):
    """What is to be depicted: an activity, a concept or a prompt in a country."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="scenarios")
    key = models.CharField("scenario", max_length=200)
    country = models.CharField(max_length=2, blank=True, choices=country_choices)
    category = models.CharField(max_length=120, blank=True)
    aspect = models.CharField(max_length=120, blank=True)
    cultural_element = models.CharField(max_length=200, blank=True)
    sub_activities = models.JSONField(default=list, blank=True)
    parts = models.JSONField(
        default=dict,
        blank=True,
        help_text="Identity, behavior and context of the base prompt, as a model took it apart.",
    )
    unique_without_country = models.BooleanField(
        null=True, help_text="Whether the wording without its country still tells which it is."
    )
    unique_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_scenario_a_key")]

    def __str__(self):
        return self.key


class ScenarioPrompt(models.Model):
    """One wording of a scenario: base, extended, country removed or free."""

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="prompts")
    variant = models.CharField(max_length=20, choices=Item.Variant.choices)
    text = models.TextField()

    class Meta:
        ordering = ["scenario", "variant"]
        constraints = [
            models.UniqueConstraint(
                fields=["scenario", "variant"], name="one_prompt_a_scenario_and_variant"
            )
        ]

    def __str__(self):
        return f"{self.scenario}, {self.get_variant_display().lower()}"
