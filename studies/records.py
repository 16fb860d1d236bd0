"""Which rows of a study leave as they are stored, for a bundle that is computed again elsewhere.

Everything a table holds may leave but links to accounts; where a table holds secrets or what is
about somebody, the fields that may leave are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Field, Model, Q


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Rows of one model. ``study`` is the look-up that leads from a row to its study; ``only``
    narrows them; ``kept`` are the fields that leave, all but links to accounts if none is named.
    """

    label: str
    study: str = "study"
    only: Q = field(default_factory=Q)
    kept: tuple[str, ...] = ()
    cleaned: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Field -> what of its value leaves."""
    shared: bool = False
    """Whether rows that belong to no study are every study's."""

    @property
    def model(self) -> type[Model]:
        return apps.get_model(self.label)

    def fields(self) -> list[Field]:
        """The key first, then what is kept, in the model's order."""
        meta = self.model._meta
        names = self.kept or [f.attname for f in meta.concrete_fields if not _is_account(f)]
        wanted = {meta.pk.attname, *names}
        return [f for f in meta.concrete_fields if f.attname in wanted]

    def of_study(self, study: Model):
        belongs = Q(**{self.study: study.pk})
        if self.shared:
            belongs |= Q(**{f"{self.study}__isnull": True})
        return self.model._default_manager.filter(belongs, self.only).order_by("pk")


def _is_account(field: Field) -> bool:
    return field.is_relation and field.related_model._meta.label == settings.AUTH_USER_MODEL


STUDY_FIELDS = (
    "title",
    "slug",
    "public_title",
    "state",
    "created_at",
    "launched_at",
    "revision",
    "consent_summary",
    "consent_text",
    "instructions",
    "instruction_points",
    "estimated_minutes",
    "consent_first",
    "base_language",
    "pay_per_hour",
    "pay_currency",
    "items_per_unit",
    "units_by_hand",
    "every_panel_rates_all",
    "shuffle_items",
    "show_prompt",
    "show_element",
    "sound",
    "devices",
    "watch_share",
    "allow_changes",
    "policy",
    "avoid_same_prompt",
    "repeats",
    "repeat_gap",
    "units_per_session",
    "lease_minutes",
    "preset",
    "provenance",
    "pilot_people",
    "pilot_at",
    "launch_note",
    "archived_at",
    "seed",
)

DESIGN_RECORDS = (
    Records(label="studies.Study", study="pk", kept=STUDY_FIELDS),
    Records(label="studies.DesignRevision"),
    Records(label="studies.Translation"),
    Records(label="studies.AnalysisPlan"),
    Records(label="studies.QualityRule"),
    Records(label="studies.Panel"),
    Records(label="studies.CountryGroup", shared=True),
    Records(label="studies.Question"),
    Records(label="studies.ScalePoint", study="question__study"),
    Records(label="studies.System"),
    Records(label="studies.Item"),
    Records(label="studies.Unit"),
    Records(label="studies.UnitItem", study="unit__study"),
    Records(label="studies.Scenario"),
    Records(label="studies.ScenarioPrompt", study="scenario__study"),
    Records(label="studies.Probe"),
    Records(label="studies.UnitProbe", study="unit__study"),
    Records(label="studies.Descriptor"),
    Records(label="studies.Description", study="item__study"),
    Records(label="studies.GoldLabel"),
)
