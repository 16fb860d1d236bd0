"""A unit: what one screen shows. It is what places, assignments and agreement count."""

from django.db import models

from studies.models.item import Purpose


class Unit(models.Model):
    """``purpose`` is that of its items; only rated units are given places and counted."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="units")
    key = models.CharField(max_length=200)
    country = models.CharField(
        max_length=2, blank=True, help_text="Whose panel rates it; empty: every panel."
    )
    purpose = models.CharField(
        max_length=10,
        choices=Purpose.choices,
        default=Purpose.RATED,
        db_default=Purpose.RATED,
        editable=False,
    )
    block = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="The fixed set it belongs to, where sets are served.",
    )
    items = models.ManyToManyField("studies.Item", through="UnitItem", related_name="units")

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_unit_a_key")]
        indexes = [
            models.Index(fields=["study", "country", "purpose"], name="unit_country_purpose"),
            models.Index(fields=["study", "block"], name="unit_study_block"),
        ]

    def __str__(self):
        return self.key


class UnitItem(models.Model):
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="members")
    item = models.ForeignKey("studies.Item", on_delete=models.PROTECT, related_name="memberships")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "item"], name="an_item_once_in_a_unit")
        ]

    def __str__(self):
        return f"{self.unit}: {self.item}"
