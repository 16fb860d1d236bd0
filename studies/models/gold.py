"""Gold labels: what is known to be true of an item, apart from any rating."""

from django.db import models


class GoldLabel(models.Model):
    """Whether, or how much, a label of a label set applies to an item."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="gold_labels")
    item = models.ForeignKey("studies.Item", on_delete=models.CASCADE, related_name="gold_labels")
    label_set = models.CharField(max_length=120)
    label = models.CharField(max_length=200)
    value = models.FloatField(default=1.0, help_text="1 applies, 0 does not; grades are allowed.")

    class Meta:
        ordering = ["item", "label_set", "label"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "label_set", "label"], name="a_gold_label_once_an_item"
            )
        ]
        indexes = [models.Index(fields=["study", "label_set"], name="gold_study_label_set")]

    def __str__(self):
        return f"{self.item}: {self.label}"
