"""A panel: the annotators of one country."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from studies.names import country_choices, country_name, language_choices, language_name


class Panel(models.Model):
    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="panels")
    country = models.CharField(max_length=2, choices=country_choices)
    language = models.CharField(max_length=12, choices=language_choices, default="en")
    more_languages = models.JSONField(
        "further languages",
        default=list,
        blank=True,
        help_text="Codes; people choose on their first screen.",
    )
    ratings_per_unit = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    seats = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How many people may take part. Empty: as many as the ratings need.",
    )
    screen_nationality = models.BooleanField("nationality", default=True)
    screen_residence = models.BooleanField("residence", default=True)
    screen_language = models.BooleanField("first language", default=False)

    class Meta:
        ordering = ["country", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "country"],
                name="one_panel_a_country",
                violation_error_message="This study already has a panel for that country.",
            )
        ]

    def __str__(self):
        return country_name(self.country)

    def clean(self):
        if self.seats == 0:
            raise ValidationError({"seats": "Leave it empty for no limit; 0 would let nobody in."})

    @property
    def languages(self) -> list[str]:
        """The languages people of this panel may choose, the main one first."""
        return list(dict.fromkeys([self.language, *self.more_languages]))

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def criteria(self) -> list[str]:
        """What a person is screened on, in words."""
        return [
            label
            for label, wanted in (
                ("nationality", self.screen_nationality),
                ("residence", self.screen_residence),
                ("first language", self.screen_language),
            )
            if wanted
        ]

    def units(self):
        """The units rated by this panel: its country's, and those that belong to all."""
        from studies.models.unit import Purpose, Unit

        return Unit.objects.filter(
            study_id=self.study_id,
            country__in=[self.country, ""],
            purpose=Purpose.RATED,
        )
