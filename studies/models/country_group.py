"""Groups of countries over which reports average: Global North and South, regions of the world."""

from django.core.exceptions import ValidationError
from django.db import models

from studies.importing.countries import country_names


class CountryGroup(models.Model):
    """One group of a grouping. Without a study it is offered to all studies.

    A study that has groups of its own in a grouping uses those alone.
    """

    study = models.ForeignKey(
        "studies.Study",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="country_groups",
        help_text="Empty: for every study.",
    )
    grouping = models.CharField(max_length=80, help_text="Such as Global North and South.")
    name = models.CharField(max_length=80)
    countries = models.JSONField(default=list, help_text="Two-letter codes (ISO 3166).")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["grouping", "position", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "grouping", "name"], name="a_group_once_a_study"
            ),
            models.UniqueConstraint(
                fields=["grouping", "name"],
                condition=models.Q(study__isnull=True),
                name="a_group_once_for_all",
            ),
        ]

    def __str__(self):
        return f"{self.grouping}: {self.name}"

    def clean(self):
        listed = self.countries
        if not isinstance(listed, list) or not all(isinstance(code, str) for code in listed):
            raise ValidationError({"countries": 'Write a list of codes: ["BR", "MX"].'})
        if unknown := [code for code in listed if code not in country_names()]:
            raise ValidationError({"countries": f"Not a country: {', '.join(unknown)}."})
        if len(set(listed)) < len(listed):
            raise ValidationError({"countries": "A country stands twice."})


def groupings_for(study) -> dict[str, dict[str, list[str]]]:
    """Grouping -> group -> codes, for one study: its own rows before those for all."""
    rows = list(CountryGroup.objects.filter(models.Q(study=study) | models.Q(study=None)))
    own = {row.grouping for row in rows if row.study_id is not None}
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        if row.study_id is not None or row.grouping not in own:
            found.setdefault(row.grouping, {})[row.name] = list(row.countries)
    return found
