"""Descriptors: short visual phrases, expected of a scene or seen in an item; and who looked."""

from django.db import models

from studies.names import country_choices


class Descriptor(models.Model):
    class Kind(models.TextChoices):
        REFERENCE = "reference", "Reference"
        PREDICTED = "predicted", "Predicted"
        STEREOTYPE = "stereotype", "Stereotype"
        CANDIDATE = "candidate", "Candidate: one proposer's own list"

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
    origins = models.JSONField(
        default=list,
        blank=True,
        help_text="The candidates a refined one goes back to: a list of source and token.",
    )

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


class Description(models.Model):
    """One look at an item, in one dimension: it was described, even where nothing was seen.

    Without a row (and without predicted descriptors) an item was never described by that source,
    which says nothing about the picture. What was seen are the item's predicted descriptors of the
    same source.
    """

    class Outcome(models.TextChoices):
        DESCRIBED = "described", "Described"
        REFUSED = "refused", "The model refused"
        PARSE_FAILED = "parse_failed", "The answer could not be read"

    item = models.ForeignKey("studies.Item", on_delete=models.CASCADE, related_name="descriptions")
    source = models.CharField(max_length=120, blank=True, help_text="As its descriptors name it.")
    dimension = models.CharField(max_length=12, choices=Descriptor.Dimension.choices)
    outcome = models.CharField(max_length=12, choices=Outcome.choices, default=Outcome.DESCRIBED)
    prompt = models.CharField(max_length=120, blank=True, help_text="Template, version and hash.")
    exchange = models.CharField(max_length=64, blank=True, help_text="Key of the stored exchange.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["item", "source", "dimension"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "source", "dimension"], name="one_look_a_dimension_and_source"
            )
        ]

    def __str__(self):
        return f"{self.item}, {self.dimension}: {self.outcome}"
