"""Background steps beside the runs: what is made for scores, and of them."""

from django.conf import settings
from django.db import models

from scoring.work_state import WorkState


class ScoringStep(models.Model):
    """One piece of background work that makes what metrics read (descriptors, tau, probes), or
    something of their scores (ablations, edit instructions).

    What it wrote is in other rows (descriptors, descriptions, calibrations ...), so that a step
    taken up again after a kill skips what is there; answers come from the stored exchanges.
    """

    class Kind(models.TextChoices):
        REFERENCES = "references", "Reference descriptors"
        STEREOTYPES = "stereotypes", "Stereotype candidates"
        PREDICTIONS = "predictions", "Predicted descriptors"
        REAL_IMAGES = "real_images", "The best real images"
        CALIBRATION = "calibration", "Calibration of tau"
        ABLATIONS = "ablations", "Ablations"
        EDITS = "edits", "Edit instructions"
        PROBES = "probes", "CultureScore\u2019s probes"

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="scoring_steps"
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    parameters = models.JSONField(default=dict)
    prompts = models.JSONField(
        default=dict, blank=True, help_text="Version and hash of every template it used, by key."
    )
    state = models.CharField(
        max_length=10, choices=WorkState.choices, default=WorkState.QUEUED, db_index=True
    )
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_skipped = models.PositiveIntegerField(default=0, help_text="There already.")
    n_refused = models.PositiveIntegerField(default=0)
    n_unreadable = models.PositiveIntegerField(default=0)
    n_calls = models.PositiveIntegerField(default=0, help_text="New calls of the chat model.")
    n_stored = models.PositiveIntegerField(default=0, help_text="Answers from the store.")
    n_tokens = models.PositiveBigIntegerField(default=0, help_text="In and out, of new calls.")
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    result = models.JSONField(default=dict, blank=True)
    error = models.TextField(blank=True, help_text="A sentence for people.")
    traceback = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "step"
        ordering = ["-requested_at", "-id"]

    def __str__(self):
        return f"{self.get_kind_display()} of {self.study}"

    @property
    def is_over(self) -> bool:
        return self.state in {WorkState.DONE, WorkState.FAILED, WorkState.CANCELLED}
