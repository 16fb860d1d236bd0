"""Label sets: what pictures are held against by CAIRe, in the words of whoever writes them."""

from django.core.exceptions import ValidationError
from django.db import models

LONGEST_LABEL = 200


class LabelSet(models.Model):
    """Labels of one kind (countries, religions ...), one a line; a study may have several sets."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="label_sets")
    name = models.CharField(max_length=60)
    labels = models.TextField(help_text="One a line. They go to the model exactly as written.")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="one_label_set_a_name")
        ]

    def __str__(self):
        return self.name

    def clean(self):
        lines = self.lines
        if not lines:
            raise ValidationError({"labels": "Write at least one label."})
        if len(set(lines)) < len(lines):
            raise ValidationError({"labels": "Each label stands in a set once."})
        if too_long := [line for line in lines if len(line) > LONGEST_LABEL]:
            raise ValidationError(
                {"labels": f"A label has at most {LONGEST_LABEL} letters: {too_long[0][:60]} ..."}
            )

    @property
    def lines(self) -> list[str]:
        """The labels as written, without blanks around them."""
        return [line.strip() for line in self.labels.splitlines() if line.strip()]
