"""Ratings: what a person answered, one row per question and item."""

from django.db import models


class Rating(models.Model):
    """One answer of one person: to one question about one subject.

    The subject is the unit's only item, one of its items (multi-select, ranking), a probe, a probe
    and an item, a reference descriptor, or the unit as a whole. ``value`` holds a scale point, an
    option, 1 or 0 (yes or no, selected or not, correct or not), a place of a ranking from 1, or a
    slider's number; ``not_applicable`` stands instead of a value; ``text`` holds what was written.
    """

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="ratings"
    )
    question = models.ForeignKey(
        "studies.Question", on_delete=models.PROTECT, related_name="ratings"
    )
    item = models.ForeignKey(
        "studies.Item", null=True, blank=True, on_delete=models.PROTECT, related_name="ratings"
    )
    probe = models.ForeignKey(
        "studies.Probe", null=True, blank=True, on_delete=models.PROTECT, related_name="ratings"
    )
    descriptor = models.ForeignKey(
        "studies.Descriptor",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="ratings",
    )
    subject = models.CharField(
        max_length=40,
        blank=True,
        editable=False,
        help_text="What it is about, as a key: p5 a probe, i7 an item, p5i7 both, d3 a descriptor.",
    )
    value = models.SmallIntegerField(null=True, blank=True)
    not_applicable = models.BooleanField(default=False)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question", "subject"],
                name="one_rating_a_question_and_subject",
            )
        ]

    def __str__(self):
        return f"{self.assignment}: {self.question} {self.value if self.value is not None else ''}"


def subject_key(
    *, item: int | None = None, probe: int | None = None, descriptor: int | None = None
) -> str:
    """The key of what an answer is about; '' for the unit as a whole."""
    parts = (("p", probe), ("i", item), ("d", descriptor))
    return "".join(f"{letter}{pk}" for letter, pk in parts if pk is not None)


class AnswerRevision(models.Model):
    """What a screen's answers were before the person changed them."""

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="earlier_answers"
    )
    number = models.PositiveSmallIntegerField()
    answers = models.JSONField(
        help_text="A list of question, subject, value, not_applicable, text."
    )
    given_at = models.DateTimeField(help_text="When they were sent.")
    replaced_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["assignment", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "number"], name="one_answer_revision_a_number"
            )
        ]

    def __str__(self):
        return f"{self.assignment}, answers {self.number}"


class CheckAnswer(models.Model):
    """The answer to an attention check."""

    assignment = models.OneToOneField(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="check_answer"
    )
    value = models.SmallIntegerField()
    passed = models.BooleanField()
    first_passed = models.BooleanField(
        null=True, help_text="What was sent first. Empty: as it stands, nothing was changed."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return f"{self.assignment}: {'passed' if self.passed else 'failed'}"
