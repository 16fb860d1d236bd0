"""Questions, the points of their scales, and attention checks."""

import re

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models

LEVEL_OF_KIND = {
    "likert": "ordinal",
    "yes_no": "nominal",
    "choice": "nominal",
    "multi": "nominal",
    "ranking": "ordinal",
    "descriptors": "nominal",
    "slider": "interval",
    "text": "nominal",
}
WITH_NOT_APPLICABLE = frozenset({"likert", "yes_no", "choice", "slider"})
"""Kinds that can offer "does not apply"; the others have answers of their own that say so."""
SCALES_OF_CHECKS = {"likert", "choice", "yes_no"}
NO_NOT_APPLICABLE = "This kind of question has no “does not apply”."
MAX_MIN_LENGTH = 1000  # nobody can be trapped by a text they cannot write


class Question(models.Model):
    class Kind(models.TextChoices):
        LIKERT = "likert", "Likert scale"
        YES_NO = "yes_no", "Yes or no"
        CHOICE = "choice", "Single choice"
        MULTI = "multi", "Multi-select over the items"
        RANKING = "ranking", "Ranking of the items"
        DESCRIPTORS = "descriptors", "Descriptor check"
        SLIDER = "slider", "Slider, 0 to 100"
        TEXT = "text", "Free text (rationale)"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "Nominal"
        ORDINAL = "ordinal", "Ordinal"
        INTERVAL = "interval", "Interval"
        RATIO = "ratio", "Ratio"

    class AskedOf(models.TextChoices):
        UNIT = "unit", "The unit as a whole"
        PROBE = "probe", "Each probe of the unit"

    class Direction(models.TextChoices):
        HIGHER = "higher", "Higher is better"
        LOWER = "lower", "Lower is better"
        NONE = "none", "Neither"

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField(default=1)
    key = models.CharField(
        max_length=40,
        validators=[
            RegexValidator(r"^[a-z][a-z0-9_]*\Z", "Small letters, digits and _, a letter first.")
        ],
        help_text="Its name in exports, e.g. faithfulness.",
    )
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.LIKERT)
    text = models.CharField(
        max_length=400, help_text="{activity} and {country} are filled in for each picture."
    )
    help = models.CharField("hint", max_length=400, blank=True)
    required = models.BooleanField(default=True)
    direction = models.CharField(max_length=10, choices=Direction.choices, default=Direction.HIGHER)
    reported_as = models.CharField(
        max_length=60, blank=True, help_text="Its name in reports, e.g. Faithfulness."
    )
    min_length = models.PositiveSmallIntegerField(
        "least letters", default=0, help_text="Free text only."
    )
    tier = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1)],
        help_text="Tiers come one after the other on a screen; each must be complete.",
    )
    level = models.CharField(
        "measurement level",
        max_length=10,
        blank=True,
        choices=Level.choices,
        help_text="Empty: as its kind has it.",
    )
    asked_of = models.CharField(
        "asked of",
        max_length=8,
        choices=AskedOf.choices,
        default=AskedOf.UNIT,
        help_text="{probe} in the text is replaced by the probe.",
    )
    allow_na = models.BooleanField("“does not apply” can be chosen", default=False)
    na_label = models.CharField("its label", max_length=60, blank=True)
    na_description = models.CharField("what it means", max_length=300, blank=True)
    shown_categories = models.JSONField(
        "only for these categories", default=list, blank=True, help_text="Empty: for all."
    )
    shown_aspects = models.JSONField(
        "only for these aspects", default=list, blank=True, help_text="Empty: for all."
    )
    needs_sound = models.BooleanField("only where an item has sound", default=False)
    shown_if = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Shown only once this question is answered in the range.",
    )
    shown_from = models.SmallIntegerField("from", null=True, blank=True)
    shown_to = models.SmallIntegerField("to", null=True, blank=True)
    retired = models.BooleanField(
        default=False, help_text="No longer asked. Its answers are kept and reported."
    )
    required_when = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Free text that is required only if this question is answered in the range.",
    )
    required_from = models.SmallIntegerField("from", null=True, blank=True)
    required_to = models.SmallIntegerField("to", null=True, blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"],
                name="one_question_a_key",
                violation_error_message="Another question of this study has that key.",
            )
        ]

    def __str__(self):
        return self.label

    @property
    def label(self) -> str:
        return self.reported_as or self.key.replace("_", " ").capitalize()

    @property
    def measurement_level(self) -> str:
        return self.level or LEVEL_OF_KIND[self.kind]

    def clean(self):
        if self.min_length > MAX_MIN_LENGTH:
            raise ValidationError({"min_length": f"At most {MAX_MIN_LENGTH} letters."})
        if self.allow_na and self.kind not in WITH_NOT_APPLICABLE:
            raise ValidationError(f"{NO_NOT_APPLICABLE} Make it another kind.")
        if self.required_when_id is None:
            return
        if self.kind != self.Kind.TEXT:
            raise ValidationError({"required_when": "Only a free text can depend on an answer."})
        if self.required_when_id == self.pk:
            raise ValidationError({"required_when": "A question cannot depend on itself."})
        if self.required_when.study_id != self.study_id:
            raise ValidationError({"required_when": "Choose a question of the same study."})
        if self.required_when.kind != self.Kind.LIKERT:
            raise ValidationError({"required_when": "Choose a Likert question."})
        if self.required_from is None or self.required_to is None:
            raise ValidationError({"required_from": "Give the range: from and to."})
        if self.required_from > self.required_to:
            raise ValidationError({"required_from": "The range is upside down."})


class ScalePoint(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="points")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=60, blank=True)
    description = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "value"],
                name="one_point_a_value",
                violation_error_message="Two points of one scale have the same value.",
            )
        ]

    def __str__(self):
        return f"{self.value} {self.label}".strip()


class AttentionCheck(models.Model):
    """An instructed response: a line that names the point to choose, shown like any question."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="attention_checks"
    )
    text = models.CharField(
        max_length=400, help_text="It says in plain words which number to choose."
    )
    scale_of = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="+", help_text="Whose scale it shows."
    )
    expected = models.SmallIntegerField("number to choose", validators=[MinValueValidator(0)])
    active = models.BooleanField(
        "in use", default=True, help_text="Off: kept in the design, shown to nobody."
    )

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return self.text

    @property
    def values(self) -> list[int]:
        """The numbers that can be chosen, lowest first; no and yes are 0 and 1."""
        if self.scale_of.kind == Question.Kind.YES_NO:
            return [0, 1]
        return sorted(point.value for point in self.scale_of.points.all())

    @property
    def names_its_answer(self) -> bool:
        """Whether the line says which point to choose, by its number or its label."""
        if self.scale_of.kind == Question.Kind.YES_NO:
            labels = ["yes" if self.expected else "no"]
        else:
            points = self.scale_of.points.all()
            labels = [point.label for point in points if point.value == self.expected]
        words = re.findall(r"\w+", self.text.casefold())
        said = f" {' '.join(words)} "
        wanted = [str(self.expected), *labels]
        named = (" ".join(re.findall(r"\w+", one.casefold())) for one in wanted)
        return any(f" {one} " in said for one in named if one)

    def clean(self):
        if self.scale_of_id is None:
            return
        if self.scale_of.kind not in SCALES_OF_CHECKS:
            raise ValidationError({"scale_of": "Choose a Likert, choice or yes/no question."})
        if self.scale_of.study_id != self.study_id:
            raise ValidationError({"scale_of": "Choose a question of the same study."})
        if self.expected not in self.values:
            raise ValidationError({"expected": "That scale has no such point."})
