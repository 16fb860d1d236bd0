"""Ratings: what a person answered, one row per question and item."""

from django.db import models


class Rating(models.Model):
    """A human value. ``value`` holds a scale point, ``text`` a rationale; one of them is set."""

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="ratings"
    )
    question = models.ForeignKey(
        "studies.Question", on_delete=models.PROTECT, related_name="ratings"
    )
    item = models.ForeignKey("studies.Item", on_delete=models.PROTECT, related_name="ratings")
    value = models.SmallIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question", "item"], name="one_rating_a_question_and_item"
            )
        ]

    def __str__(self):
        return f"{self.assignment}: {self.question} {self.value if self.value is not None else ''}"


class CheckAnswer(models.Model):
    """The answer to an attention check."""

    assignment = models.OneToOneField(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="check_answer"
    )
    value = models.SmallIntegerField()
    passed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return f"{self.assignment}: {'passed' if self.passed else 'failed'}"
