"""By which ways people come into a study, and the codes they leave with."""

import re

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


class Recruitment(models.Model):
    """Who may come. A study without this row takes anybody who has its link."""

    study = models.OneToOneField(
        "studies.Study", primary_key=True, on_delete=models.CASCADE, related_name="recruitment"
    )
    open_link = models.BooleanField(
        "anybody with the link",
        default=True,
        help_text="Off: who comes without one of the ways below, or a personal invitation, "
        "is told how to come.",
    )
    uses_prolific = models.BooleanField(
        "people from Prolific", default=False, help_text="Their link carries who they are."
    )
    prolific_study_id = models.CharField(
        "study id on Prolific",
        max_length=400,
        blank=True,
        help_text="From the address of the study there. Several, separated by spaces, where each "
        "country has a study of its own. Then people of other studies are not let in.",
    )
    accounts = models.BooleanField(
        "people with an account here",
        default=False,
        help_text="Who is signed in takes part as that account, on any device.",
    )
    erase_after_days = models.PositiveSmallIntegerField(
        "days until ids are erased",
        default=90,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
        help_text="After somebody has finished: Prolific ids, names of invitations, accounts. "
        "Their answers stay under a pseudonym.",
    )

    class Meta:
        verbose_name_plural = "recruitment"

    def __str__(self):
        return f"recruitment of {self.study}"

    @property
    def prolific_study_ids(self) -> list[str]:
        return [word for word in re.split(r"[\s,;]+", self.prolific_study_id) if word]

    def clean(self):
        bad = [word for word in self.prolific_study_ids if not re.fullmatch(r"[\w-]+", word)]
        if bad:
            raise ValidationError({"prolific_study_id": f"{bad[0]} is no id of a Prolific study."})


class OutcomeCode(models.Model):
    """The code of one way a participation can end; the code of a finished one is the study's.

    An outcome without a row has no code: the person is asked to return the submission.
    """

    class Outcome(models.TextChoices):
        DOES_NOT_FIT = "does-not-fit", "Does not fit"
        NO_CONSENT = "no-consent", "No consent"
        FAILED_CHECKS = "failed-checks", "Failed the checks"
        WITHDREW = "withdrew", "Withdrew, answers kept"
        WITHDREW_REMOVED = "withdrew-removed", "Withdrew, answers removed"
        FULL = "full", "Study full"
        CLOSED = "closed", "Study closed"

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="outcome_codes"
    )
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    code = models.CharField(
        max_length=40, help_text="As entered on Prolific, with its own action there."
    )
    return_address = models.URLField(
        blank=True,
        help_text="Optional, e.g. https://app.prolific.com/submissions/complete?cc=CODE",
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "outcome"],
                name="one_code_an_outcome",
                violation_error_message="This outcome has a code already.",
            )
        ]

    def __str__(self):
        return f"{self.get_outcome_display()}: {self.code}"

    def clean(self):
        if self.return_address and not self.return_address.startswith("https://"):
            raise ValidationError({"return_address": "It starts with https://"})
