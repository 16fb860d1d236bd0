"""What AHEaD keeps beside its runs: tau, chosen real images, instructions to edit."""

from django.db import models


class Calibration(models.Model):
    """tau from real images, for one extractor, one embedder and one set of references."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="calibrations"
    )
    extractor = models.CharField(max_length=120, blank=True, help_text="Source of predictions.")
    references = models.CharField(max_length=140, help_text="Which reference descriptors.")
    embedder = models.CharField(max_length=200)
    embedder_revision = models.CharField(max_length=80)
    values_of = models.CharField(max_length=8, help_text="best: best matches; pairs: all pairs.")
    n_images = models.PositiveIntegerField()
    n_values = models.PositiveIntegerField()
    q1 = models.FloatField()
    median = models.FloatField()
    q3 = models.FloatField()
    n_unmatched = models.PositiveIntegerField(
        default=0, help_text="References in dimensions in which nothing was seen: no best match."
    )
    share_above_q3 = models.FloatField(help_text="Of the references' best matches.")
    align = models.FloatField(null=True, help_text="Mean ALIGN of the same images at Q3.")
    plots = models.JSONField(default=dict, blank=True, help_text="Inline SVG: wide, narrow, alt.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self):
        return f"tau {self.q3:.2f} for {self.extractor or 'imported descriptors'}"


class RealChoice(models.Model):
    """Whether a real image is among the best k of its activity and country, by a CLIPScore run."""

    item = models.OneToOneField(
        "studies.Item", on_delete=models.CASCADE, related_name="real_choice"
    )
    run = models.ForeignKey("scoring.MetricRun", null=True, on_delete=models.SET_NULL)
    score = models.FloatField(null=True, help_text="Empty: the run could not score it.")
    rank = models.PositiveIntegerField(help_text="From 1, within its activity and country.")
    kept = models.BooleanField()

    class Meta:
        ordering = ["rank", "item"]

    def __str__(self):
        return f"{self.item}, {'kept' if self.kept else 'left out'}"


class EditInstruction(models.Model):
    """What an image editor is told, from the feedback on one item in one run."""

    item = models.ForeignKey(
        "studies.Item", on_delete=models.CASCADE, related_name="edit_instructions"
    )
    run = models.ForeignKey(
        "scoring.MetricRun", on_delete=models.CASCADE, related_name="edit_instructions"
    )
    instruction = models.TextField(blank=True)
    remove = models.JSONField(default=list)
    reduce = models.JSONField(default=list)
    keep = models.JSONField(default=list)
    add = models.JSONField(default=list)
    reason = models.CharField(max_length=24, blank=True, help_text="Why there is none.")
    model = models.CharField(max_length=200)
    prompt = models.CharField(max_length=120, help_text="Template, version and hash.")
    exchange = models.CharField(max_length=64, blank=True, help_text="Key of the stored exchange.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "run", "model"], name="one_instruction_a_run_and_model"
            )
        ]

    def __str__(self):
        return f"edit of {self.item}"
