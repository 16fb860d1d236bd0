"""Probes: questions that belong to what a scenario should show, and the units they are asked of."""

from django.db import models

from studies.names import country_choices


class Probe(models.Model):
    """One question of a scenario's bank, such as CultureScore's Identity, Behavior and Context."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="probes")
    external_id = models.CharField("probe id", max_length=200)
    scenario = models.CharField(max_length=200)
    country = models.CharField(max_length=2, blank=True, choices=country_choices)
    dimension = models.CharField(max_length=60)
    text = models.CharField(max_length=400)
    weight = models.FloatField(default=1.0)
    verified = models.BooleanField(
        default=True, help_text="Only verified probes are asked; others stay in the bank."
    )
    evidence = models.TextField(blank=True)
    source = models.CharField(max_length=120, blank=True, help_text="Who or what wrote it.")
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["scenario", "country", "dimension", "external_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "external_id"], name="one_probe_an_external_id"
            )
        ]
        indexes = [models.Index(fields=["study", "scenario"], name="probe_study_scenario")]

    def __str__(self):
        return self.text


class UnitProbe(models.Model):
    """A probe that a unit was given; sampled before the launch and frozen with it."""

    unit = models.ForeignKey("studies.Unit", on_delete=models.CASCADE, related_name="unit_probes")
    probe = models.ForeignKey(Probe, on_delete=models.PROTECT, related_name="unit_probes")
    position = models.PositiveSmallIntegerField(default=0)
    by_hand = models.BooleanField(
        default=False, help_text="Named with the unit, not drawn: no draw replaces it."
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "probe"], name="a_probe_once_in_a_unit")
        ]

    def __str__(self):
        return f"{self.unit}: {self.probe}"
