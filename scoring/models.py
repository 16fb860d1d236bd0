"""Runs of automatic metrics, their scores, stored reports, and files made for download."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from scoring.models_ahead import Calibration, EditInstruction, RealChoice
from scoring.models_caire import LabelSet
from scoring.models_exports import ExportJob
from scoring.models_prompts import PromptEdit
from scoring.models_steps import ScoringStep
from scoring.size_field import SizeField
from scoring.work_state import RunState, WorkState

__all__ = [
    "CachedScore",
    "Calibration",
    "ChatExchange",
    "EditInstruction",
    "ExportJob",
    "LabelSet",
    "MetricRun",
    "PromptEdit",
    "RealChoice",
    "ReportSnapshot",
    "RunChunk",
    "RunState",
    "Score",
    "ScoringStep",
    "StoredVector",
    "WorkState",
]


class MetricRun(models.Model):
    """One metric computed on a study's items with one set of parameters, or imported scores.

    ``n_done`` counts the items and cells that are finished; ``n_failed``, ``n_undefined`` and
    ``n_cached`` say how many of them failed, lack an overall score, were computed before.
    """

    study = models.ForeignKey("studies.Study", on_delete=models.PROTECT, related_name="metric_runs")
    metric = models.CharField(
        max_length=60, help_text="Key in the registry, e.g. ahead; imported:<name> where imported."
    )
    metric_version = models.CharField(max_length=20)
    parameters = models.JSONField(default=dict)
    declared = models.JSONField(
        default=dict, blank=True, help_text="Of imported scores: name, range, direction, source."
    )
    selection = models.JSONField(
        default=dict, blank=True, help_text="Which items; empty: all that are to be rated."
    )
    dry = models.BooleanField(default=False, help_text="First say what it would cost.")
    foreground = models.BooleanField(
        default=False, help_text="Made by a command in a terminal, not by the workers."
    )
    estimate = models.JSONField(null=True, blank=True, help_text="Calls and tokens, see exchanges.")
    budget = models.JSONField(default=dict, blank=True, help_text="Of new calls and tokens.")
    spent = models.JSONField(default=dict, blank=True, help_text="Calls, tokens and cost so far.")
    chosen = models.BooleanField(default=False, help_text="The run that reports read.")
    model_id = models.CharField(max_length=200, blank=True)
    model_revision = models.CharField(max_length=80, blank=True)
    inputs = models.CharField(
        max_length=80,
        blank=True,
        help_text="Mark of the descriptors that the scores are made from, see scoring.coverage.",
    )
    state = models.CharField(
        max_length=10, choices=RunState.choices, default=RunState.QUEUED, db_index=True
    )
    n_items = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_failed = models.PositiveIntegerField(default=0)
    n_undefined = models.PositiveIntegerField(default=0)
    n_cached = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(
        default=0, help_text="Grows when the run is taken up; what an older one writes is refused."
    )
    planned = models.BooleanField(default=False, help_text="This attempt's chunks are there.")
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
        constraints = [
            models.UniqueConstraint(
                fields=["study", "metric"],
                condition=models.Q(chosen=True),
                name="one_chosen_run_a_metric",
            )
        ]

    def __str__(self):
        return f"{self.metric} on {self.study}"

    @property
    def is_over(self) -> bool:
        return self.state in {
            RunState.DONE,
            RunState.STOPPED,
            RunState.FAILED,
            RunState.CANCELLED,
        }

    @property
    def is_under_way(self) -> bool:
        return self.state in {RunState.QUEUED, RunState.RUNNING}


class RunChunk(models.Model):
    """Items and cells of a run that are still to be scored; whoever claims it scores all of them.

    The row is deleted together with the writing of its scores, so that what is left of a run is
    what stands here.
    """

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    items = models.JSONField(default=list, help_text="Primary keys.")
    cells = models.JSONField(default=list, help_text="Keys, see Cell.")
    worker = models.CharField(max_length=32, blank=True)
    heartbeat_at = models.DateTimeField(null=True)
    share = models.FloatField(default=0, help_text="Of its work that is done, 0 to 1, for pages.")

    class Meta:
        ordering = ["run", "number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_chunk_a_number")]

    def __str__(self):
        return f"chunk {self.number} of run {self.run_id}"


class Score(models.Model):
    """One automatic value of an item or of a cell. Undefined is ``value`` empty and a reason."""

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="scores")
    item = models.ForeignKey(
        "studies.Item", null=True, blank=True, on_delete=models.PROTECT, related_name="scores"
    )
    cell = models.CharField(
        max_length=500, blank=True, help_text="Activity, country, system as JSON, see Cell."
    )
    output = models.CharField(max_length=40, help_text="Which number of the metric, e.g. ALIGN.")
    dimension = models.CharField(max_length=200, blank=True, help_text="Empty: the whole metric.")
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=24, blank=True)
    evidence = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "output", "dimension"], name="one_score_an_output"
            ),
            models.UniqueConstraint(
                fields=["run", "cell", "output", "dimension"],
                condition=models.Q(item__isnull=True),
                name="one_score_of_a_cell",
            ),
            models.CheckConstraint(
                condition=models.Q(item__isnull=False, cell="")
                | (models.Q(item__isnull=True) & ~models.Q(cell="")),
                name="of_an_item_or_of_a_cell",
            ),
            models.CheckConstraint(
                condition=models.Q(value__isnull=False, reason="")
                | (models.Q(value__isnull=True) & ~models.Q(reason="")),
                name="a_value_or_a_reason",
            ),
        ]

    def __str__(self):
        return f"{self.output} {self.dimension} of {self.item or self.cell}".replace("  ", " ")


class CachedScore(models.Model):
    """The score rows of one item or cell, found again by everything that they follow from.

    Rows belong to no run and no study; see ``scoring.cache`` for the key.
    """

    key = models.CharField(max_length=64, primary_key=True)
    metric = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=200, blank=True, help_text="As the run names it.")
    rows = models.JSONField(help_text="Output, dimension, value, reason, evidence of each.")
    created_at = models.DateTimeField(auto_now_add=True)
    size = SizeField(of=("rows",))

    class Meta:
        indexes = [
            models.Index(fields=["metric", "model", "created_at", "size"], name="stored_scores")
        ]

    def __str__(self):
        return self.key


class StoredVector(models.Model):
    """The embedding of one text or picture by one model; see ``scoring.embeddings`` for the key."""

    key = models.CharField(max_length=64, primary_key=True)
    model = models.CharField(max_length=200, blank=True)
    vector = models.BinaryField(help_text="Little-endian float32.")
    note = models.JSONField(default=dict, help_text="What came with it, e.g. the time of a frame.")
    created_at = models.DateTimeField(auto_now_add=True)
    size = SizeField(of=("vector",))

    class Meta:
        indexes = [models.Index(fields=["model", "created_at", "size"], name="stored_vectors")]

    def __str__(self):
        return self.key


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
    size = SizeField(of=("messages", "choices"))

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["model", "created_at", "size"], name="stored_exchanges")]

    def __str__(self):
        return f"{self.prompt or 'question'} to {self.model}"
