"""Runs of automatic metrics, their scores, and stored reports."""

from django.conf import settings
from django.db import models

from scoring.models_ahead import AheadStep, Calibration, EditInstruction, RealChoice
from scoring.work_state import WorkState
from django.utils import timezone

__all__ = [
    "AheadStep",
    "Calibration",
    "ChatExchange",
    "EditInstruction",
    "MetricRun",
    "RealChoice",
    "ReportSnapshot",
    "Score",
    "WorkState",
]


class MetricRun(models.Model):
    """One metric computed on a study's items with one set of parameters."""

    study = models.ForeignKey("studies.Study", on_delete=models.PROTECT, related_name="metric_runs")
    metric = models.CharField(max_length=40, help_text="Key in the registry, e.g. ahead.")
    metric_version = models.CharField(max_length=20)
    parameters = models.JSONField(default=dict)
    model_id = models.CharField(max_length=200, blank=True)
    model_revision = models.CharField(max_length=80, blank=True)
    inputs = models.CharField(
        max_length=80,
        blank=True,
        help_text="Mark of the descriptors that the scores are made from, see scoring.coverage.",
    )
    state = models.CharField(
        max_length=10, choices=WorkState.choices, default=WorkState.QUEUED, db_index=True
    )
    n_items = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
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
        ordering = ["-requested_at", "-id"]

    def __str__(self):
        return f"{self.metric} on {self.study}"

    @property
    def is_over(self) -> bool:
        return self.state in {WorkState.DONE, WorkState.FAILED, WorkState.CANCELLED}


class Score(models.Model):
    """One automatic value. Undefined is ``value`` empty and a reason, never 0."""

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="scores")
    item = models.ForeignKey("studies.Item", on_delete=models.PROTECT, related_name="scores")
    output = models.CharField(max_length=40, help_text="Which number of the metric, e.g. ALIGN.")
    dimension = models.CharField(max_length=40, blank=True, help_text="Empty: the whole metric.")
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=24, blank=True)
    evidence = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "output", "dimension"], name="one_score_an_output"
            ),
            models.CheckConstraint(
                condition=models.Q(value__isnull=False, reason="")
                | (models.Q(value__isnull=True) & ~models.Q(reason="")),
                name="a_value_or_a_reason",
            ),
        ]

    def __str__(self):
        return f"{self.output} {self.dimension} of {self.item}".replace("  ", " ")


class ReportSnapshot(models.Model):
    """A report as it was computed from one state of the data (its fingerprint)."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="reports")
    selection = models.TextField(
        blank=True, help_text="Which data, see scoring.analysis.selection. Empty: all of them."
    )
    fingerprint = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.QUEUED)
    report = models.JSONField(null=True, blank=True, help_text="See scoring.analysis.")
    plots = models.JSONField(default=dict, blank=True, help_text="Inline SVG by name.")
    n_done = models.PositiveIntegerField("steps done", default=0)
    n_steps = models.PositiveIntegerField(
        "steps", default=0, help_text="Of the intervals; 0 while the estimates are computed."
    )
    error = models.TextField(blank=True)
    traceback = models.TextField(blank=True)
    requested_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-requested_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "fingerprint"], name="one_report_a_state")
        ]

    def __str__(self):
        return f"report on {self.study}, {self.requested_at:%Y-%m-%d %H:%M}"


class ReportFigure(models.Model):
    """One chart of a report as a file to download, drawn by a worker when it is first asked for."""

    report = models.ForeignKey(ReportSnapshot, on_delete=models.CASCADE, related_name="figures")
    chart = models.CharField(max_length=120)
    form = models.CharField(max_length=4, help_text="svg, png or pdf.")
    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.QUEUED)
    content = models.BinaryField(default=bytes)
    error = models.TextField(blank=True, help_text="A sentence for people.")
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["chart", "form"]
        constraints = [
            models.UniqueConstraint(fields=["report", "chart", "form"], name="one_file_a_chart")
        ]

    def __str__(self):
        return f"{self.chart}.{self.form}"


class ChatExchange(models.Model):
    """One question to a chat model and its answer; the same question is answered from here.

    Rows belong to no study: the key is a hash of the server, the model, the parameters and the
    messages, in which pictures stand by their hash. Neither pictures nor keys are stored.
    """

    key = models.CharField(max_length=64, unique=True)
    server = models.CharField(max_length=300)
    model = models.CharField(max_length=200)
    answered_by = models.CharField(
        max_length=200, blank=True, help_text="The model as the server names it."
    )
    prompt = models.CharField(
        max_length=80, blank=True, help_text="The template and its version, e.g. ahead/extract@1."
    )
    parameters = models.JSONField()
    messages = models.JSONField(help_text="Pictures by their SHA-256.")
    choices = models.JSONField(help_text="Every answer: text, outcome, log-probabilities.")
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(
        max_digits=14,
        decimal_places=6,
        null=True,
        help_text="By the prices that were set then; empty where none were.",
    )
    tries = models.PositiveSmallIntegerField(default=1)
    seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self):
        return f"{self.prompt or 'question'} to {self.model}"
