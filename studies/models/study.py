"""A study: what is asked of whom, and where it stands in its life."""

import secrets

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from studies.names import language_choices

RESERVED_SLUGS = frozenset({"import"})
"""Words that stand where a study's short address does, in /studies/<here>/."""


def new_token() -> str:
    """An address nobody can guess: 128 bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def new_seed() -> int:
    return secrets.randbits(31)


def new_completion_code() -> str:
    """Eight characters without those that are mistaken for each other (0 O, 1 I L)."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))


def not_reserved(slug: str) -> None:
    """A study of such an address could not be opened: a page of the site stands there."""
    if slug in RESERVED_SLUGS:
        raise ValidationError(
            f"“{slug}” is the address of a page of this site. Choose another one.", code="reserved"
        )


class StudyQuerySet(models.QuerySet):
    def visible_to(self, user):
        """The studies this person may open: their own, or all for a superuser."""
        whole = self.filter(is_whole=True)
        return whole if user.is_superuser else whole.filter(owner=user)

    def in_use(self):
        return self.filter(archived_at=None, is_whole=True)

    def archived(self):
        return self.exclude(archived_at=None)


class Study(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        PILOT = "pilot", "Pilot"
        LIVE = "live", "Live"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    class Policy(models.TextChoices):
        LEAST_RATED = "least-rated", "Least-rated units first"
        RANDOM = "random", "At random"
        BLOCKS = "blocks", "In blocks: each person rates one fixed set"
        CROSSED = "crossed", "Every unit to everyone"

    class Sound(models.TextChoices):
        OFF = "off", "Picture only, sound off"
        FREE = "free", "As each clip is"
        JUDGED = "judged", "Sound is judged"

    class Devices(models.TextChoices):
        ANY = "any", "Phone, tablet or computer"
        COMPUTER = "computer", "Laptop or desktop only"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="studies"
    )
    title = models.CharField(
        "name", max_length=200, help_text="For you and your colleagues. Annotators do not see it."
    )
    slug = models.SlugField(
        "short address",
        max_length=80,
        unique=True,
        validators=[not_reserved],
        help_text="Used in the addresses of its pages.",
    )
    public_title = models.CharField(
        "title for annotators", max_length=200, help_text="At the top of every annotator page."
    )
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.DRAFT, editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, blank=True, editable=False)
    revision = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Number of the frozen design in force; 0 before launch.",
    )

    consent_summary = models.TextField(
        "consent, in short",
        blank=True,
        help_text="One point a line, at most 120 words: what they do, how long, pay, what is kept.",
    )
    consent_text = models.TextField(
        "consent, full information", blank=True, help_text="Shown unfolded on request."
    )
    instructions = models.TextField(
        blank=True, help_text="What to do, at most 150 words. An empty line starts a paragraph."
    )
    instruction_points = models.TextField(
        "standing rules", blank=True, help_text="One rule a line, shown as a list."
    )
    contact = models.CharField(
        max_length=200, blank=True, help_text="Name and e-mail address annotators may write to."
    )
    estimated_minutes = models.PositiveSmallIntegerField(
        "estimated minutes", default=15, validators=[MinValueValidator(1), MaxValueValidator(600)]
    )
    consent_first = models.BooleanField(
        "consent before screening",
        default=True,
        help_text="Off: the three screening questions come first.",
    )

    base_language = models.CharField(
        "language of the texts",
        max_length=12,
        choices=language_choices,
        default="en",
        help_text="In which the texts here are written; others are translations of it.",
    )
    pay_per_hour = models.DecimalField(
        max_digits=6, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    pay_currency = models.CharField("currency", max_length=3, default="GBP")

    items_per_unit = models.PositiveSmallIntegerField(
        "items on one screen",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(9)],
        help_text="3: triplets, one item a system of the same prompt.",
    )
    units_by_hand = models.BooleanField(
        default=False,
        editable=False,
        help_text="Units were brought as a list; the rule makes none and changes none.",
    )
    every_panel_rates_all = models.BooleanField(
        default=False,
        help_text="Every panel rates every unit. Off: a unit goes to the panel of its country.",
    )
    shuffle_items = models.BooleanField(
        "shuffle the items of a screen",
        default=True,
        help_text="A new order for each annotator and screen, stored with the answer.",
    )
    show_prompt = models.BooleanField(
        default=True, help_text="Show what the picture was asked for."
    )
    show_element = models.BooleanField(
        "show the cultural element", default=False, help_text="With its reference picture, if any."
    )
    sound = models.CharField(max_length=8, choices=Sound.choices, default=Sound.OFF)
    devices = models.CharField(max_length=10, choices=Devices.choices, default=Devices.ANY)
    watch_share = models.FloatField(
        "share of a clip to watch",
        default=0.95,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Before its questions open. 0: no rule.",
    )
    allow_changes = models.BooleanField(
        "sent answers can be changed", default=True, help_text="Until the session ends."
    )

    policy = models.CharField(
        "which units come first", max_length=12, choices=Policy.choices, default=Policy.LEAST_RATED
    )
    avoid_same_prompt = models.BooleanField(
        default=True, help_text="No two units of one prompt in a row, as far as the pool allows."
    )
    repeats = models.PositiveSmallIntegerField(
        "repeated units a session",
        default=0,
        validators=[MaxValueValidator(50)],
        help_text="Shown a second time to measure self-consistency; never counted twice.",
    )
    repeat_gap = models.PositiveSmallIntegerField(
        "units between a unit and its repeat",
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
    )
    units_per_session = models.PositiveSmallIntegerField(
        default=12, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    lease_minutes = models.PositiveSmallIntegerField(
        "minutes until abandoned work is given to others",
        default=45,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
    )

    completion_code = models.CharField(
        max_length=40, default=new_completion_code, help_text="Shown when everything is saved."
    )
    completion_url = models.URLField(
        "return address",
        blank=True,
        help_text="Optional, e.g. https://app.prolific.com/submissions/complete?cc=CODE",
    )

    preset = models.CharField(max_length=60, blank=True, editable=False)
    provenance = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Setting -> value, status (published, inferred, ours) and note of the preset.",
    )
    pilot_people = models.PositiveSmallIntegerField(
        "people of a pilot, each panel",
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    pilot_at = models.DateTimeField("pilot begun", null=True, blank=True, editable=False)
    previews = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Language -> when its preview was opened, and the fingerprint of what it showed.",
    )
    launch_note = models.TextField(
        blank=True, editable=False, help_text="Why it was launched in spite of warnings."
    )
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    is_whole = models.BooleanField(
        default=True,
        editable=False,
        help_text="Off while an import still writes it: nobody sees it.",
    )

    entry_token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    seed = models.BigIntegerField(default=new_seed, editable=False)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "studies"

    def __str__(self):
        return self.title

    def clean(self):
        if self.completion_url and not self.completion_url.startswith("https://"):
            raise ValidationError({"completion_url": "It starts with https://"})

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def takes_arrivals(self) -> bool:
        return self.state in {self.State.PILOT, self.State.LIVE}

    @property
    def takes_answers(self) -> bool:
        """People in the middle of a paused study finish and are paid."""
        return self.state in {self.State.PILOT, self.State.LIVE, self.State.PAUSED}

    @property
    def in_pilot(self) -> bool:
        """From the pilot's begin to the launch, in its pauses too."""
        return self.pilot_at is not None and self.launched_at is None

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def entry_path(self) -> str:
        return f"/a/{self.entry_token}/"

    @property
    def entry_link(self) -> str:
        return f"{settings.SITE_URL}{self.entry_path}"
