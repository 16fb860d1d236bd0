"""Checks of understanding and attention beside the instructed response, and what they accept."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from studies.models.option_question import OptionQuestion
from studies.models.question import SCALES_OF_CHECKS, Question
from studies.ranges import RangeError, read_combinations


class ComprehensionQuestion(OptionQuestion):
    """A question on the instructions page: whether the task was understood. Two chances."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="comprehension_questions"
    )
    text = models.CharField("question", max_length=300)
    options = models.TextField(help_text="One a line, at least two.")
    correct = models.PositiveSmallIntegerField(
        "line that is right", default=1, validators=[MinValueValidator(1)]
    )
    hint = models.CharField(
        max_length=300,
        blank=True,
        help_text="After a first miss, e.g. Read the second point again.",
    )
    active = models.BooleanField(
        "in use", default=True, help_text="Off: kept in the design, asked of nobody."
    )

    def clean(self):
        super().clean()
        n = len(self.option_list)
        if self.correct is not None and not 1 <= self.correct <= n:
            raise ValidationError({"correct": f"There are {n} answers."})


class Contradiction(models.Model):
    """Two questions whose answers cannot all stand together, e.g. one is the reverse of the other.

    On one screen, or, with units named, on the screens of two units.
    """

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="contradictions"
    )
    question = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="+", verbose_name="first question"
    )
    other = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="+", verbose_name="second question"
    )
    allowed = models.CharField(
        "what may stand together",
        max_length=300,
        help_text="E.g. 1-2: 4-5; 4-5: 1-2. Where the first answer is 1 or 2, the second is 4 or "
        "5. A first answer that is not named goes with any second one.",
    )
    unit = models.ForeignKey(
        "studies.Unit",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        verbose_name="first unit",
        help_text="Empty: every screen that asks both questions.",
    )
    other_unit = models.ForeignKey(
        "studies.Unit",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        verbose_name="second unit",
    )
    active = models.BooleanField("in use", default=True)

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return f"{self.question} / {self.other}"

    def clean(self):
        for name in ("question", "other"):
            row = getattr(self, name, None)
            if row is not None and row.kind not in SCALES_OF_CHECKS:
                raise ValidationError({name: "Choose a Likert, choice or yes/no question."})
            if row is not None and row.study_id != self.study_id:
                raise ValidationError({name: "Choose a question of the same study."})
        if (self.unit_id is None) != (self.other_unit_id is None):
            raise ValidationError({"other_unit": "Name both units, or none."})
        if self.unit_id is None and self.question_id == self.other_id:
            raise ValidationError({"other": "On one screen it takes two different questions."})
        if self.unit_id is not None and self.unit_id == self.other_unit_id:
            raise ValidationError({"other_unit": "Name two different units."})
        try:
            read_combinations(self.allowed)
        except RangeError as error:
            raise ValidationError({"allowed": str(error)}) from error


class CheckRules(models.Model):
    """How many gold units a session holds, and what follows where answers are excluded."""

    study = models.OneToOneField(
        "studies.Study", on_delete=models.CASCADE, related_name="check_rules"
    )
    gold_per_session = models.PositiveSmallIntegerField(
        "gold units a session", default=2, validators=[MaxValueValidator(20)]
    )
    plain_gold = models.BooleanField(
        "gold units are plain to everybody",
        default=False,
        help_text="Whoever looks sees the answer, without special knowledge, as with plain "
        "nonsense. Only then do they count where Prolific allows a rejection.",
    )
    reopen_excluded = models.BooleanField(
        "open the places of excluded answers again",
        default=True,
        help_text="Others fill them. Off: units stay short of what is left out.",
    )

    class Meta:
        verbose_name_plural = "rules of checks"

    def __str__(self):
        return f"{self.gold_per_session} gold units a session"
