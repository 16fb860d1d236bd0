"""The analysis plan: what will be computed, written down before the first rating."""

from collections.abc import Container, Mapping

from django.conf import settings
from django.db import models

COEFFICIENTS = {
    "krippendorff_alpha": "Krippendorff’s alpha",
    "percent_agreement": "percent agreement",
    "gwet_ac1": "Gwet’s AC1",
    "gwet_ac2": "Gwet’s AC2",
    "fleiss_kappa": "Fleiss’ kappa",
    "brennan_prediger": "Brennan and Prediger’s coefficient",
    "average_pairwise_jaccard": "average pairwise Jaccard",
    "average_pairwise_masi": "average pairwise MASI",
    "cohen_kappa": "Cohen’s kappa",
    "scott_pi": "Scott’s pi",
    "conger_kappa": "Conger’s kappa",
    "icc": "intraclass correlation",
    "icc_a1": "ICC(A,1)",
    "icc_ak": "ICC(A,k)",
    "kendall_w": "Kendall’s W",
}
CORRELATIONS = {
    "spearman": "Spearman",
    "pearson": "Pearson",
    "kendall_tau_b": "Kendall’s tau-b",
}
CORRELATION_LEVELS = {
    "pooled": "over all items",
    "items": "item by item, over all",
    "by-region": "over all items, and by region",
    "within-country": "within each country, averaged",
    "within-system": "within each model, averaged",
    "centred": "over all items, each country’s mean taken off",
    "system": "of the models’ means",
}
"""What a plan can name, with words: an analysis that does not know a name would pass it over."""


def targets_among(targets: Mapping[str, list[str]], asked: Container[str]) -> dict[str, list[str]]:
    """``targets`` without the questions that are not ``asked``, and metrics that have none left."""
    kept = {metric: [key for key in keys if key in asked] for metric, keys in targets.items()}
    return {metric: keys for metric, keys in kept.items() if keys}


class AnalysisPlan(models.Model):
    class Aggregation(models.TextChoices):
        MEAN = "mean", "Mean of the ratings of an item"
        MAJORITY = "majority", "Majority of the ratings of an item"
        MEAN_RANK = "mean-rank", "Mean rank of a system"

    study = models.OneToOneField("studies.Study", on_delete=models.CASCADE, related_name="plan")
    coefficients = models.JSONField(
        default=list, blank=True, help_text="Agreement coefficients by name, the primary one first."
    )
    aggregation = models.CharField(
        max_length=12, choices=Aggregation.choices, default=Aggregation.MEAN
    )
    rescaled = models.BooleanField(
        "rescaled to 0-1", default=False, help_text="(s - lowest) / (highest - lowest), declared."
    )
    correlations = models.JSONField(
        default=list, blank=True, help_text="Correlation methods by name, the primary one first."
    )
    correlation_level = models.CharField(
        max_length=24,
        default="pooled",
        help_text="pooled, within country and averaged, by system ...",
    )
    metrics = models.JSONField(default=list, blank=True, help_text="Metrics by name.")
    targets = models.JSONField(
        default=dict, blank=True, help_text="Metric -> keys of the questions it is held against."
    )
    exclusions = models.TextField(blank=True, help_text="Who is left out and why, one rule a line.")
    notes = models.TextField(blank=True)
    fixed_at = models.DateTimeField(null=True, blank=True, editable=False)
    fixed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    history = models.JSONField(
        default=list,
        blank=True,
        editable=False,
        help_text="What was changed once it was fixed: when, by whom, why.",
    )

    def __str__(self):
        return f"Plan of {self.study}"

    @property
    def is_fixed(self) -> bool:
        return self.fixed_at is not None

    @property
    def changed_after_opening(self) -> bool:
        """Whether a fixed plan was changed once people could answer."""
        return any(change["state"] != "draft" for change in self.history)
