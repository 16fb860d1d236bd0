"""A participation: one person in one study. No account, no name: a token and a pseudonym."""

from django.db import models

from studies.models.item import Purpose
from studies.models.study import new_seed, new_token
from studies.models.unit import Unit


class ParticipationQuerySet(models.QuerySet):
    def holding_a_seat(self, *, since):
        """Those who count against a panel's seats: finished, seen rating, or about to begin.

        Whoever was not seen ``since`` has left without a word, and their work is given to others;
        a seat they kept would be missing there. So would that of somebody whose work was set aside:
        Prolific gives the place of who returned to the next person at once.
        """
        at_work = models.Q(state=Participation.State.RATING, last_seen_at__gte=since)
        finished = models.Q(state=Participation.State.COMPLETE)
        about_to = models.Q(state=Participation.State.ARRIVED, seated_at__gte=since)
        return self.filter(at_work | finished | about_to, set_aside_at=None)

    def about_to_begin(self, *, since):
        """Those who took their seat ``since`` then and still read what is to do, or practise."""
        reading = models.Q(state=Participation.State.ARRIVED, seated_at__gte=since)
        practice = Unit.objects.filter(study=models.OuterRef("study"), purpose=Purpose.PRACTICE)
        practising = models.Q(
            models.Exists(practice),
            state=Participation.State.RATING,
            assignments=None,
            last_seen_at__gte=since,
        )
        return self.filter(reading | practising, set_aside_at=None)


class Participation(models.Model):
    class State(models.TextChoices):
        ARRIVED = "arrived", "Arrived"
        RATING = "rating", "Rating"
        COMPLETE = "complete", "Complete"
        OUT = "out", "Left"

    class Outcome(models.TextChoices):
        DOES_NOT_FIT = "does-not-fit", "Does not fit"
        NO_CONSENT = "no-consent", "No consent"
        FULL = "full", "Study full"
        CLOSED = "closed", "Study closed"
        FAILED_CHECKS = "failed-checks", "Failed the checks"
        WITHDREW = "withdrew", "Withdrew, answers kept"
        WITHDREW_REMOVED = "withdrew-removed", "Withdrew, answers removed"
        TAKEN_BACK = "taken-back", "Returned or rejected"

    class Hearing(models.TextChoices):
        HEARD = "heard", "Heard"
        NOT_HEARD = "not-heard", "Not heard"

    study = models.ForeignKey(
        "studies.Study", on_delete=models.PROTECT, related_name="participations"
    )
    panel = models.ForeignKey(
        "studies.Panel",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="participations",
    )
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    code = models.CharField(
        "annotator", max_length=24, blank=True, help_text="Pseudonym in exports, e.g. NP-07."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.ARRIVED)
    outcome = models.CharField(max_length=16, choices=Outcome.choices, blank=True)
    revision = models.PositiveIntegerField(
        default=0, help_text="The frozen design this person was shown."
    )

    nationality = models.CharField(max_length=2, blank=True)
    second_nationality = models.CharField(max_length=2, blank=True)
    residence = models.CharField(max_length=2, blank=True)
    first_language = models.CharField(max_length=12, blank=True)
    screening_answers = models.JSONField(
        default=dict, blank=True, help_text="Of the study's own questions: key -> line chosen."
    )

    arrived_at = models.DateTimeField(auto_now_add=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    screened_at = models.DateTimeField(null=True, blank=True)
    seated_at = models.DateTimeField(
        null=True, blank=True, help_text="A seat was taken: agreed, and found to fit a panel."
    )
    instructed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)

    n_units = models.PositiveSmallIntegerField(
        "session length", default=0, help_text="Screens planned for this person; set at the start."
    )
    n_repeats = models.PositiveSmallIntegerField(
        "repeats", default=0, help_text="How many of those screens show an earlier unit again."
    )
    hearing = models.CharField(
        "sound check",
        max_length=12,
        choices=Hearing.choices,
        blank=True,
        help_text="Empty: none was asked for.",
    )
    hearing_tries = models.PositiveSmallIntegerField("tries of the sound check", default=0)
    seed = models.BigIntegerField(default=new_seed, editable=False)
    shortcuts = models.BooleanField("keyboard shortcuts", default=True)
    n_removed = models.PositiveIntegerField(
        "answers removed", default=0, help_text="How many screens, at the person's wish."
    )
    pool_ran_dry = models.BooleanField(default=False)
    set_aside_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Returned or rejected on Prolific, or excluded: answers are kept, and count for "
        "nothing.",
    )
    taken_back = models.BooleanField(
        default=False,
        db_default=False,
        help_text="It was on Prolific: returned or rejected there, and not to count by the study's "
        "choice.",
    )
    pilot = models.BooleanField(
        default=False, help_text="Took part in the pilot: never mixed with live answers."
    )
    language = models.CharField(
        max_length=12, blank=True, help_text="Chosen on the first screen; empty: the panel's."
    )
    simulated = models.BooleanField(default=False, help_text="Made by the demo, not by a person.")

    objects = ParticipationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "code"],
                condition=~models.Q(code=""),
                name="one_participation_a_code",
            )
        ]
        indexes = [models.Index(fields=["panel", "state"], name="participation_panel_state")]

    def __str__(self):
        return self.code or f"arrival {self.pk}"

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.COMPLETE, self.State.OUT}
