"""The rules that a study's answers are held against: declared with the design, before the data."""

from django.db import models
from django.db.models import Q


class QualityRule(models.Model):
    """One declared rule of a study. A study without a row of a kind has that rule's default."""

    class Kind(models.TextChoices):
        CHECKS = "checks", "Checks failed"
        FAST = "fast", "Very fast"
        STRAIGHT = "straight", "Same answer throughout"
        POSITION = "position", "Same position throughout"
        SHORT_TEXT = "short-text", "Short rationales"
        COPIED_TEXT = "copied-text", "Same text on several units"
        SHARED_TEXT = "shared-text", "Same text as others"
        REPEATS = "repeats", "Unlike themselves"
        CONSENSUS = "consensus", "Far from the others"

    class Action(models.TextChoices):
        OFF = "off", "Not looked at"
        FLAG = "flag", "Flag; a person decides"
        EXCLUDE = "exclude", "Exclude"

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="quality_rules"
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    threshold = models.FloatField()
    action = models.CharField(max_length=8, choices=Action.choices, default=Action.FLAG)
    declared_at = models.DateTimeField(auto_now_add=True)
    changes = models.JSONField(
        default=list, blank=True, help_text="Earlier values: threshold, action, when, by whom."
    )
    changed_after_ratings = models.BooleanField(
        default=False, help_text="Changed when answers were there: no longer declared before them."
    )

    class Meta:
        ordering = ["study", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["study", "kind"], name="one_rule_a_kind"),
            # A minority view is no error: how far somebody is from the others never excludes.
            models.CheckConstraint(
                condition=~Q(kind="consensus", action="exclude"), name="consensus_never_excludes"
            ),
        ]

    def __str__(self):
        return self.get_kind_display()
