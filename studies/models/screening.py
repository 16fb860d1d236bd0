"""Questions of a study's own that decide who fits, beside nationality, residence and language."""

from django.core.exceptions import ValidationError
from django.db import models

from studies.models.option_question import OptionQuestion


class ScreeningQuestion(OptionQuestion):
    """A question before the study, and which of its answers fit. A misfit is asked to return."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="screening_questions"
    )
    text = models.CharField("question", max_length=300)
    options = models.TextField("answers", help_text="One a line, at least two.")
    accepted = models.CharField(
        "lines that fit",
        max_length=60,
        blank=True,
        help_text="E.g. 1, 3. Empty: every answer fits, and it is kept.",
    )
    active = models.BooleanField(
        "in use", default=True, help_text="Off: kept in the design, asked of nobody."
    )

    @property
    def accepted_lines(self) -> list[int]:
        """Numbers of the answers that fit, from 1; 0, which no answer has, for what is none."""
        parts = [part.strip() for part in self.accepted.replace(";", ",").split(",")]
        return [int(part) if part.isdecimal() else 0 for part in parts if part]

    def clean(self):
        super().clean()
        lines = self.accepted_lines
        if 0 in lines:
            raise ValidationError({"accepted": "Write numbers of lines, from 1, e.g. 1, 3."})
        n = len(self.option_list)
        if any(line > n for line in lines):
            raise ValidationError({"accepted": f"There are {n} answers."})
