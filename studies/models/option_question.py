"""What questions asked before the rating share: answers to choose from, one a line."""

from django.core.exceptions import ValidationError
from django.db import models


class OptionQuestion(models.Model):
    """A question ``text`` with its answers in the field ``options``."""

    class Meta:
        abstract = True
        ordering = ["id"]

    def __str__(self):
        return self.text

    @property
    def option_list(self) -> list[str]:
        return [line.strip() for line in self.options.splitlines() if line.strip()]

    def clean(self):
        options = self.option_list
        if len(options) < 2:
            raise ValidationError({"options": "Give at least two answers, one a line."})
        if len(set(options)) < len(options):
            raise ValidationError({"options": "Two answers are the same."})
