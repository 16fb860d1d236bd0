"""Places (one row per wanted rating) and assignments (one row per screen shown).

A place makes "exactly k ratings a unit and panel" structural: there are k of them, a person can
hold at most one of a unit, and only a place that is done counts. A pilot has places of its own, so
that its people take nothing from those who come after the launch. An assignment is what one person
sees as the n-th screen. It outlives the lease of its place, so that a late answer is kept (as
surplus where others have filled the unit meanwhile); its place is the one of its unit that its
participation holds.
"""

from django.db import models

from studies.models.study import new_token


class Place(models.Model):
    class State(models.TextChoices):
        OPEN = "open", "Open"
        LEASED = "leased", "Being rated"
        DONE = "done", "Done"

    panel = models.ForeignKey("studies.Panel", on_delete=models.CASCADE, related_name="places")
    unit = models.ForeignKey("studies.Unit", on_delete=models.PROTECT, related_name="places")
    pilot = models.BooleanField(
        default=False, help_text="One of the pilot's own: filling it counts for nothing."
    )
    number = models.PositiveSmallIntegerField(help_text="1 to k within its unit and panel.")
    rank = models.BigIntegerField(help_text="Order of serving: number * 1e9 + random.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    holder = models.ForeignKey(
        "annotation.Participation",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="places",
    )
    leased_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["panel", "unit", "pilot", "number"], name="k_places_a_unit"
            ),
            models.UniqueConstraint(
                fields=["unit", "holder"],
                condition=models.Q(holder__isnull=False),
                name="a_person_once_a_unit",
            ),
            models.UniqueConstraint(
                fields=["holder"],
                condition=models.Q(state="leased"),
                name="one_lease_a_person",
            ),
            models.CheckConstraint(
                condition=models.Q(state="open", holder__isnull=True)
                | models.Q(state__in=["leased", "done"], holder__isnull=False),
                name="a_place_in_use_has_a_holder",
            ),
        ]
        indexes = [
            models.Index(fields=["panel", "pilot", "state", "rank"], name="place_next"),
            models.Index(
                fields=["panel", "leased_until"],
                condition=models.Q(state="leased"),
                name="place_leases",
            ),
        ]

    def __str__(self):
        return f"{self.unit}, place {self.number}"


class Pool(models.Model):
    """What the places of a panel, or of its pilot, were last made for."""

    panel = models.ForeignKey("studies.Panel", on_delete=models.CASCADE, related_name="pools")
    pilot = models.BooleanField(default=False)
    k = models.PositiveSmallIntegerField(default=0, help_text="Ratings wanted of each unit.")
    n_units = models.PositiveIntegerField("units", default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "pilot"], name="one_pool_a_phase")]

    def __str__(self):
        return f"{self.panel}: {self.n_units} units, {self.k} ratings each"


class Assignment(models.Model):
    class Excluded(models.TextChoices):
        RULE = "rule", "By a rule"
        PERSON = "person", "By a person"

    participation = models.ForeignKey(
        "annotation.Participation", on_delete=models.PROTECT, related_name="assignments"
    )
    n = models.PositiveSmallIntegerField(help_text="Its number in the session, from 1.")
    unit = models.ForeignKey("studies.Unit", on_delete=models.PROTECT, related_name="assignments")
    attention_check = models.ForeignKey(
        "studies.AttentionCheck",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    repeat_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="repeats",
        help_text="The earlier screen of the same unit; a repeat is never counted.",
    )
    gold = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A gold unit: its answers are judged, never counted.",
    )
    item_order = models.JSONField(
        default=list, blank=True, help_text="Ids of the unit's items in the order shown."
    )
    key = models.CharField(
        max_length=32, unique=True, default=new_token, help_text="Makes a repeated submit harmless."
    )
    served_at = models.DateTimeField(auto_now_add=True)
    first_action_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)
    timing = models.JSONField(
        default=dict, blank=True, help_text="Seconds visible and active, and what each clip did."
    )
    skipped_at = models.DateTimeField(null=True, blank=True)
    skip_reason = models.CharField(max_length=20, blank=True)
    counted = models.BooleanField(
        null=True,
        help_text="No: surplus, others filled the unit meanwhile. "
        "Empty: not sent, a repeat, gold, or of a pilot.",
    )
    set_aside = models.BooleanField(
        default=False, help_text="It counted until its place was given to others."
    )
    excluded = models.CharField(
        max_length=6,
        choices=Excluded.choices,
        blank=True,
        help_text="By what it is left out of results now; see Exclusion for why.",
    )
    draft = models.JSONField(default=dict, blank=True)
    draft_counter = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["participation", "n"]
        constraints = [
            models.UniqueConstraint(fields=["participation", "n"], name="one_screen_a_number"),
            models.UniqueConstraint(
                fields=["participation", "unit"],
                condition=models.Q(repeat_of__isnull=True),
                name="one_screen_a_unit",
            ),
            models.UniqueConstraint(
                fields=["repeat_of"],
                condition=models.Q(repeat_of__isnull=False),
                name="one_repeat_a_screen",
            ),
        ]
        indexes = [
            models.Index(
                fields=["participation"],
                condition=models.Q(counted=False),
                name="assignment_surplus",
            ),
        ]

    def __str__(self):
        return f"{self.participation}, screen {self.n}"

    @property
    def is_repeat(self) -> bool:
        return self.repeat_of_id is not None

    @property
    def is_open(self) -> bool:
        return self.submitted_at is None and self.skipped_at is None
