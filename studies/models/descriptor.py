"""Descriptors: short visual phrases, expected of a scene or seen in an item."""

from django.db import models

from studies.names import country_choices


class Descriptor(models.Model):
    class Kind(models.TextChoices):
        REFERENCE = "reference", "Reference"
        PREDICTED = "predicted", "Predicted"
        STEREOTYPE = "stereotype", "Stereotype"

    class Dimension(models.TextChoices):
        SETTING = "setting", "Setting"
        OBJECTS = "objects", "Objects"
        ATTIRE = "attire", "Attire"
        INTERACTION = "interaction", "Interaction"
        LAYOUT = "layout", "Layout"

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="descriptors")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    activity = models.CharField(max_length=120, blank=True)
    country = models.CharField(max_length=2, blank=True, choices=country_choices)
    item = models.ForeignKey(
        "studies.Item",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="descriptors",
        help_text="The item a predicted descriptor was seen in.",
    )
    dimension = models.CharField(max_length=12, blank=True, choices=Dimension.choices)
    token = models.CharField(max_length=200)
    style = models.CharField(max_length=12, blank=True)
    source = models.CharField(max_length=120, blank=True, help_text="Who or what proposed it.")

    class Meta:
        ordering = ["kind", "country", "activity", "dimension", "id"]
        indexes = [models.Index(fields=["study", "kind"], name="descriptor_study_kind")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="predicted", item__isnull=False)
                | (~models.Q(kind="predicted") & models.Q(item__isnull=True)),
                name="only_predicted_descriptors_have_an_item",
            )
        ]

    def __str__(self):
        return self.token
