"""What the API says of a study and of presets, and what of a study it takes."""

from __future__ import annotations

import math
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from studies.changing import PANEL_FIELDS
from studies.importing.countries import resolve_country
from studies.models import Item, Panel, Study
from studies.models.study import not_reserved
from studies.names import language_choices
from studies.presets import Preset

SETTINGS = (
    "title",
    "public_title",
    "slug",
    "base_language",
    "consent_summary",
    "consent_text",
    "consent_first",
    "instructions",
    "instruction_points",
    "contact",
    "items_per_unit",
    "shuffle_items",
    "show_prompt",
    "show_element",
    "sound",
    "watch_share",
    "devices",
    "units_per_session",
    "policy",
    "repeats",
    "repeat_gap",
    "every_panel_rates_all",
    "avoid_same_prompt",
    "lease_minutes",
    "allow_changes",
    "estimated_minutes",
    "pay_per_hour",
    "pay_currency",
    "completion_code",
    "completion_url",
    "pilot_people",
)
"""The fields of a study that its researcher sets, in the order of the study's page."""


class PresetFact(serializers.Serializer):
    label = serializers.CharField()
    value = serializers.CharField()


class PresetData(serializers.Serializer):
    key = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    source = serializers.CharField()
    facts = PresetFact(many=True)
    questions = serializers.ListField(child=serializers.CharField(), help_text="Keys, in order.")
    is_saved = serializers.BooleanField(help_text="One of your own.")


class PresetSetting(serializers.Serializer):
    name = serializers.CharField()
    value = serializers.JSONField()
    status = serializers.ChoiceField(choices=["published", "inferred", "ours"])
    note = serializers.CharField()


class PresetDetail(PresetData):
    settings = serializers.SerializerMethodField()

    @extend_schema_field(PresetSetting(many=True))
    def get_settings(self, preset: Preset) -> list[dict[str, Any]]:
        return [
            {"name": name, "value": row.value, "status": row.status, "note": row.note}
            for name, row in preset.settings.items()
        ]


class NewStudy(serializers.Serializer):
    preset = serializers.CharField(max_length=60, help_text="Key of a preset.")
    title = serializers.CharField(max_length=200)
    slug = serializers.SlugField(
        max_length=80,
        required=False,
        validators=[not_reserved],
        help_text="Short address; made of the title if left out.",
    )

    def validate_slug(self, slug: str) -> str:
        if Study.objects.filter(slug=slug).exists():
            raise serializers.ValidationError("This short address is taken.")
        return slug


class StudyLinks(serializers.Serializer):
    api = serializers.URLField()
    annotators = serializers.URLField(help_text="The link that people who rate are given.")
    preview = serializers.URLField()
    progress = serializers.URLField()
    report = serializers.URLField()
    design = serializers.URLField(help_text="Its page in the workshop.")


class StudySummary(serializers.ModelSerializer):
    links = serializers.SerializerMethodField()

    class Meta:
        model = Study
        fields = [
            "slug",
            "title",
            "state",
            "preset",
            "revision",
            "created_at",
            "launched_at",
            "archived_at",
            "links",
        ]
        read_only_fields = fields

    @extend_schema_field(StudyLinks)
    def get_links(self, study: Study) -> dict[str, str]:
        pages = {
            "api": reverse("api:study", args=[study.slug]),
            "annotators": study.entry_path,
            "preview": reverse("annotation:preview", args=[study.slug]),
            "progress": reverse("annotation:monitor", args=[study.slug]),
            "report": reverse("scoring:report", args=[study.slug]),
            "design": reverse("admin:studies_study_change", args=[study.pk]),
        }
        return {name: f"{settings.SITE_URL}{path}" for name, path in pages.items()}


class PanelData(serializers.ModelSerializer):
    units = serializers.IntegerField(source="n_units", help_text="Units that it rates.")
    ratings_wanted = serializers.IntegerField()
    ratings_done = serializers.IntegerField()
    pilot_done = serializers.IntegerField(help_text="Screens of the pilot; they never count.")

    class Meta:
        model = Panel
        fields = [
            "country",
            "language",
            "more_languages",
            "ratings_per_unit",
            "seats",
            "screen_nationality",
            "screen_residence",
            "screen_language",
            "units",
            "ratings_wanted",
            "ratings_done",
            "pilot_done",
        ]
        read_only_fields = fields


class PanelRow(serializers.ModelSerializer):
    """What is left out is as the panel has it; of a new panel, as the first panel had it."""

    country = serializers.CharField(help_text="Two-letter code or English name.")
    language = serializers.CharField(required=False, help_text="A code such as ne.")
    more_languages = serializers.ListField(child=serializers.CharField(), required=False)
    seats = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, allow_null=True, required=False
    )

    class Meta:
        model = Panel
        fields = ["country", *PANEL_FIELDS]

    def validate_country(self, text: str) -> str:
        if (code := resolve_country(text)) is None:
            raise serializers.ValidationError("Not a country. Write a code such as NP.")
        return code

    def validate_language(self, code: str) -> str:
        return a_language(code)

    def validate_more_languages(self, codes: list[str]) -> list[str]:
        return list(dict.fromkeys(a_language(code) for code in codes))


def a_language(code: str) -> str:
    if code not in dict(language_choices()):
        raise serializers.ValidationError("Not a language. Write a code such as en or fa.")
    return code


class PanelRows(serializers.Serializer):
    panels = PanelRow(many=True, max_length=300)

    def validate_panels(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len({row["country"] for row in rows}) < len(rows):
            raise serializers.ValidationError("A country stands twice. It has one panel.")
        return rows


class StudyCounts(serializers.Serializer):
    items = serializers.IntegerField()
    units = serializers.IntegerField()
    questions = serializers.IntegerField()
    probes = serializers.IntegerField()
    descriptors = serializers.IntegerField()
    gold_labels = serializers.IntegerField()


class StudyProgress(serializers.Serializer):
    ratings_wanted = serializers.IntegerField()
    ratings_done = serializers.IntegerField()


class FiniteFloat(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if not math.isfinite(value):
            self.fail("invalid")
        return value


class StudySettings(serializers.ModelSerializer):
    """What a researcher sets; after the launch only what the design allows."""

    watch_share = FiniteFloat(min_value=0, max_value=1)
    base_language = serializers.CharField(max_length=12, help_text="A code such as en or fa.")

    class Meta:
        model = Study
        fields = list(SETTINGS)

    def validate_base_language(self, code: str) -> str:
        return a_language(code)

    def validate_completion_url(self, url: str) -> str:
        if url and not url.startswith("https://"):
            raise serializers.ValidationError("It starts with https://")
        return url

    def validate_consent_summary(self, text: str) -> str:
        if not text.strip() and not self.instance.is_draft:
            raise serializers.ValidationError("People must have one to agree to.")
        return text

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """A name that is no setting is refused: it would be passed over in silence."""
        values = super().to_internal_value(data)
        if unknown := sorted(set(data) - set(self.fields)):
            wrong = "There is no such setting, or it is not set here."
            raise serializers.ValidationError({name[:80]: [wrong] for name in unknown})
        return values


class ChangedSettings(StudySettings):
    note = serializers.CharField(
        max_length=1000,
        required=False,
        allow_blank=True,
        write_only=True,
        help_text="Why; kept with the revision of an opened study.",
    )

    class Meta(StudySettings.Meta):
        fields = [*SETTINGS, "note"]


class StudyDetail(StudySummary):
    settings = serializers.SerializerMethodField()
    panels = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()

    class Meta(StudySummary.Meta):
        fields = [
            *StudySummary.Meta.fields,
            "pilot_at",
            "launch_note",
            "units_by_hand",
            "settings",
            "panels",
            "counts",
            "progress",
        ]
        read_only_fields = fields

    @extend_schema_field(StudySettings)
    def get_settings(self, study: Study) -> dict[str, Any]:
        return StudySettings(study).data

    @extend_schema_field(PanelData(many=True))
    def get_panels(self, study: Study) -> list[dict[str, Any]]:
        return PanelData(self._panels(study), many=True).data

    @extend_schema_field(StudyCounts)
    def get_counts(self, study: Study) -> dict[str, int]:
        return {
            "items": study.items.count(),
            "units": study.units.count(),
            "questions": study.questions.filter(retired=False).count(),
            "probes": study.probes.count(),
            "descriptors": study.descriptors.count(),
            "gold_labels": study.gold_labels.count(),
        }

    @extend_schema_field(StudyProgress)
    def get_progress(self, study: Study) -> dict[str, int]:
        panels = self._panels(study)
        return {
            name: sum(getattr(panel, name) for panel in panels)
            for name in ("ratings_wanted", "ratings_done")
        }

    def _panels(self, study: Study) -> list[Panel]:
        """The panels with what they rate and rated, asked for once."""
        if "panels" not in self.context:
            done = Count("places", filter=Q(places__state="done", places__pilot=False))
            pilot = Count("places", filter=Q(places__state="done", places__pilot=True))
            rows = list(study.panels.annotate(ratings_done=done, pilot_done=pilot))
            rated = study.units.filter(purpose=Item.Purpose.RATED).order_by()
            by_country = dict(rated.values_list("country").annotate(n=Count("pk")))
            for panel in rows:
                panel.n_units = by_country.get(panel.country, 0) + by_country.get("", 0)
                panel.ratings_wanted = panel.n_units * panel.ratings_per_unit
            self.context["panels"] = rows
        return self.context["panels"]
