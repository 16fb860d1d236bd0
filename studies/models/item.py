"""Items (one generated or real artefact each) and the systems that made them."""

import logging
import secrets
from collections.abc import Iterable

from django.db import models

from studies.names import country_choices, country_name

log = logging.getLogger("concord.media")


def new_public_id() -> str:
    return secrets.token_urlsafe(12)


def media_path(item: "Item", filename: str) -> str:
    """Where a file is kept: under its opaque id, never under the name it came with."""
    suffix = filename.rsplit(".", 1)[-1].lower()
    return f"items/{item.public_id[:2]}/{item.public_id}.{suffix}"


def silent_path(item: "Item", filename: str) -> str:
    return _beside(item, "silent", filename)


def poster_path(item: "Item", filename: str) -> str:
    return _beside(item, "poster", filename)


def _beside(item: "Item", what: str, filename: str) -> str:
    suffix = filename.rsplit(".", 1)[-1].lower()
    return f"items/{item.public_id[:2]}/{item.public_id}-{what}.{suffix}"


def delete_media(names: Iterable[str]) -> None:
    """Remove files that no item names any more."""
    storage = Item._meta.get_field("media").storage
    for name in names:
        try:
            storage.delete(name)
        except OSError:  # an orphan file harms nobody, and the data are as they should be
            log.exception("The media file %s could not be deleted", name)


class System(models.Model):
    """What generated an item; "model" in the interface. Its order fixes colours in charts."""

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="one_system_a_name")]

    def __str__(self):
        return self.name


class Purpose(models.TextChoices):
    """What an item is there for. Whatever is not rated is given no places and never counted."""

    RATED = "rated", "To be rated"
    PRACTICE = "practice", "Practice"
    GOLD = "gold", "Gold: a check with a known answer"
    EXAMPLE = "example", "Example on the instructions page"


class Item(models.Model):
    Purpose = Purpose

    class Kind(models.TextChoices):
        IMAGE = "image", "Picture"
        VIDEO = "video", "Video"
        AUDIO = "audio", "Sound"

    class Origin(models.TextChoices):
        GENERATED = "generated", "Generated"
        REAL = "real", "Real"
        EDITED = "edited", "Edited"

    class Variant(models.TextChoices):
        BASE = "base", "Base"
        EXTENDED = "extended", "Extended"
        COUNTRY_REMOVED = "country-removed", "Country removed"
        FREE = "free", "Free"

    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, related_name="items")
    external_id = models.CharField("item id", max_length=200)
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.IMAGE)
    media = models.FileField(upload_to=media_path, max_length=200)
    content_type = models.CharField(max_length=40, editable=False)
    sha256 = models.CharField(max_length=64, editable=False, db_index=True)
    source_sha256 = models.CharField(
        "hash of the file as it came", max_length=64, blank=True, editable=False
    )
    source_name = models.CharField("file name as imported", max_length=300, editable=False)
    width = models.PositiveIntegerField(null=True, editable=False)
    height = models.PositiveIntegerField(null=True, editable=False)
    silent_media = models.FileField(
        "rendition without sound", upload_to=silent_path, max_length=200, blank=True, editable=False
    )
    poster = models.FileField(
        "first frame", upload_to=poster_path, max_length=200, blank=True, editable=False
    )
    preparation = models.JSONField(
        default=list,
        blank=True,
        editable=False,
        help_text="What the import did to the file, in order: stripped, remuxed, transcoded ...",
    )
    source_url = models.URLField("fetched from", max_length=1000, blank=True, editable=False)

    prompt = models.TextField(blank=True)
    country = models.CharField(max_length=2, blank=True, choices=country_choices)
    category = models.CharField(max_length=120, blank=True)
    aspect = models.CharField(max_length=120, blank=True)
    system = models.ForeignKey(
        System, null=True, blank=True, on_delete=models.PROTECT, related_name="items"
    )
    scenario = models.CharField(max_length=200, blank=True)
    variant = models.CharField(max_length=20, blank=True, choices=Variant.choices)
    replicate = models.CharField("replicate (seed)", max_length=40, blank=True)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.GENERATED)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="edits"
    )
    cultural_element = models.CharField(max_length=200, blank=True)
    element_picture = models.CharField(
        "reference picture of the element", max_length=300, blank=True
    )
    sub_activities = models.JSONField(default=list, blank=True)
    has_audio = models.BooleanField(default=False)
    duration = models.FloatField("seconds", null=True, blank=True)
    purpose = models.CharField(
        max_length=10,
        choices=Purpose.choices,
        default=Purpose.RATED,
        db_default=Purpose.RATED,
    )
    expected = models.JSONField(
        "accepted answers",
        default=dict,
        blank=True,
        help_text="Of practice and gold items: question key -> [from, to].",
    )
    feedback = models.CharField(
        max_length=400, blank=True, help_text="Said after a practice screen, or beside an example."
    )
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["external_id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "external_id"], name="one_item_an_external_id")
        ]

    def __str__(self):
        return self.external_id

    @property
    def country_name(self) -> str:
        return country_name(self.country) if self.country else ""

    @property
    def media_url(self) -> str:
        """Opaque, and new for new content, so that browsers may keep it for good; '' without a
        file, as items are whose ratings came from elsewhere."""
        return f"/media/{self.public_id}?{self.sha256[:8]}" if self.sha256 else ""

    @property
    def poster_url(self) -> str:
        """As ``media_url``, of a clip's first frame; '' where there is none."""
        return f"/media/{self.public_id}/poster?{self.sha256[:8]}" if self.poster else ""

    @property
    def prompt_cluster(self) -> str:
        """Items that share it are not independent: intervals resample them together."""
        return prompt_cluster(self.country, self.scenario, self.prompt, self.external_id)


def prompt_cluster(country: str, scenario: str, prompt: str, external_id: str) -> str:
    """`Item.prompt_cluster` of an item that is known by these texts."""
    wanted = scenario or prompt
    return f"{country} {wanted}" if wanted else external_id
