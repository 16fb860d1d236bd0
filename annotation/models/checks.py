"""What came of checks: of understanding, of practice, of gold units and contradictions."""

from django.db import models
from django.utils import timezone


class ComprehensionTry(models.Model):
    """One try at the questions of the instructions page. The second miss ends the participation."""

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.CASCADE, related_name="comprehension_tries"
    )
    number = models.PositiveSmallIntegerField(help_text="1 or 2.")
    chosen = models.JSONField(help_text="Key of each question -> the line chosen, from 1.")
    missed = models.JSONField(help_text="Keys of the questions that were missed.")
    tried_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["participation", "number"]
        verbose_name_plural = "comprehension tries"
        constraints = [
            models.UniqueConstraint(
                fields=["participation", "number"], name="one_comprehension_try_a_number"
            )
        ]

    def __str__(self):
        return f"{self.participation}, try {self.number}"


class PracticeAnswer(models.Model):
    """A practice screen that was sent. Kept apart from ratings: it is never counted."""

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.CASCADE, related_name="practice_answers"
    )
    n = models.PositiveSmallIntegerField(help_text="Its number among the practice screens.")
    unit = models.ForeignKey("studies.Unit", on_delete=models.PROTECT, related_name="+")
    fields = models.JSONField(help_text="The form as it was sent.")
    missed = models.JSONField(help_text="Keys of the questions answered outside what is accepted.")
    sent_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["participation", "n"]
        constraints = [
            models.UniqueConstraint(
                fields=["participation", "n"], name="one_practice_answer_a_screen"
            )
        ]

    def __str__(self):
        return f"{self.participation}, practice {self.n}"


class CheckOutcome(models.Model):
    """The verdict on a gold screen, or on two answers that may contradict each other.

    One row a screen (a contradiction between two units: one row, on the later screen). ``passed``
    follows changes of sent answers, ``first_passed`` never does.
    """

    class Kind(models.TextChoices):
        GOLD = "gold", "Gold unit"
        CONTRADICTION = "contradiction", "Contradiction"

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.CASCADE, related_name="check_outcomes"
    )
    kind = models.CharField(max_length=14, choices=Kind.choices)
    check_id = models.PositiveBigIntegerField(
        default=0, help_text="Which contradiction; 0 for a gold unit."
    )
    passed = models.BooleanField()
    first_passed = models.BooleanField()
    details = models.JSONField(default=list, help_text="The questions whose answers failed it.")
    judged_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["assignment", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind", "check_id"], name="one_outcome_a_check_and_screen"
            )
        ]

    def __str__(self):
        verdict = "passed" if self.passed else "failed"
        return f"{self.assignment}: {self.get_kind_display()} {verdict}"


class BlockSeat(models.Model):
    """The fixed set of units that a person's session serves."""

    participation = models.OneToOneField(
        "annotation.Participation", on_delete=models.CASCADE, related_name="block_seat"
    )
    panel = models.ForeignKey("studies.Panel", on_delete=models.CASCADE, related_name="+")
    pilot = models.BooleanField(default=False)
    block = models.CharField(max_length=40)

    class Meta:
        indexes = [models.Index(fields=["panel", "pilot", "block"], name="block_seats")]

    def __str__(self):
        return f"{self.participation}: {self.block}"
