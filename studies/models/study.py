"""A study: what is asked of whom, and where it stands in its life."""

import secrets

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


def new_token() -> str:
    """An address nobody can guess: 128 bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def new_seed() -> int:
    return secrets.randbits(31)


def new_completion_code() -> str:
    """Eight characters without those that are mistaken for each other (0 O, 1 I L)."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))


class StudyQuerySet(models.QuerySet):
    def visible_to(self, user):
        """The studies this person may open: their own, or all for a superuser."""
        return self if user.is_superuser else self.filter(owner=user)


class Study(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        LIVE = "live", "Live"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="studies"
    )
    title = models.CharField(
        "name", max_length=200, help_text="For you and your colleagues. Annotators do not see it."
    )
    slug = models.SlugField(
        "short address", max_length=80, unique=True, help_text="Used in the addresses of its pages."
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
        return self.state == self.State.LIVE

    @property
    def takes_answers(self) -> bool:
        """People in the middle of a paused study finish and are paid."""
        return self.state in {self.State.LIVE, self.State.PAUSED}

    @property
    def entry_path(self) -> str:
        return f"/a/{self.entry_token}/"

    @property
    def entry_link(self) -> str:
        return f"{settings.SITE_URL}{self.entry_path}"
