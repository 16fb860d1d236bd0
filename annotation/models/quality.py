"""What speaks against answers, and what was decided: flags, exclusions, conversations.

Nothing here deletes an answer. An exclusion is a layer over them that can be lifted.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from studies.models import QualityRule


class Measure(models.Model):
    """What a review measured of somebody by one kind of rule, met or not, on or off.

    To be read beside a person's answers. ``value`` is what a threshold is held against.
    """

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.CASCADE, related_name="measures"
    )
    kind = models.CharField(max_length=12, choices=QualityRule.Kind.choices)
    value = models.FloatField()
    sentence = models.CharField(max_length=300, help_text="What was found, with its numbers.")
    numbers = models.JSONField(default=dict, blank=True)
    measured_at = models.DateTimeField()

    class Meta:
        ordering = ["participation", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["participation", "kind"], name="one_measure_a_rule")
        ]

    def __str__(self):
        return f"{self.participation}: {self.get_kind_display()}"


class Flag(models.Model):
    """A rule that somebody's answers met. It only says so; what follows is decided by a person,
    or by a rule that was declared to exclude."""

    class Decision(models.TextChoices):
        KEPT = "kept", "Kept"
        EXCLUDED = "excluded", "Excluded"

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.CASCADE, related_name="flags"
    )
    kind = models.CharField(max_length=12, choices=QualityRule.Kind.choices)
    sentence = models.CharField(max_length=300, help_text="What was found, with its numbers.")
    numbers = models.JSONField(default=dict, blank=True)
    screens = models.JSONField(default=list, blank=True, help_text="Numbers of the screens.")
    made_at = models.DateTimeField(auto_now_add=True)
    decision = models.CharField(max_length=8, choices=Decision.choices, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["participation", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["participation", "kind"], name="one_flag_a_rule")
        ]

    def __str__(self):
        return f"{self.participation}: {self.get_kind_display()}"


class Exclusion(models.Model):
    """Answers left out of results: a person's all, or one screen. Lifted, it stays in the trail."""

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.CASCADE, related_name="exclusions"
    )
    assignment = models.ForeignKey(
        "annotation.Assignment",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="exclusions",
        help_text="The one screen; empty: all of the person's answers.",
    )
    reason = models.TextField()
    rule = models.CharField(
        max_length=12,
        choices=QualityRule.Kind.choices,
        blank=True,
        help_text="The rule that excluded; empty: a person did.",
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    reopened = models.BooleanField(default=False, help_text="Its places were given to others.")
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    lift_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["participation"],
                condition=Q(assignment=None, lifted_at=None),
                name="one_exclusion_a_person",
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(assignment__isnull=False, lifted_at=None),
                name="one_exclusion_a_screen",
            ),
        ]

    def __str__(self):
        what = self.participation if self.assignment is None else self.assignment
        return f"{what}: {self.reason}"


class Conversation(models.Model):
    """What an annotator was asked about one of their screens, and what came of it."""

    class Outcome(models.TextChoices):
        OPEN = "", "No answer yet"
        STANDS = "stands", "The answer stands"
        MISTAKE = "mistake", "It was a mistake"
        SILENT = "silent", "They did not answer"

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.CASCADE, related_name="conversations"
    )
    text = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True)
    note = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-asked_at", "-id"]

    def __str__(self):
        return f"{self.assignment}: {self.get_outcome_display()}"
