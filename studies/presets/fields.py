"""Which fields of which rows a preset sets, and what their values may be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations

from studies.models import (
    AnalysisPlan,
    AttentionCheck,
    ComprehensionQuestion,
    Panel,
    QualityRule,
    Question,
    ScalePoint,
    ScreeningQuestion,
    Study,
)
from studies.models.plan import COEFFICIENTS, CORRELATION_LEVELS, CORRELATIONS

STUDY_FIELDS = (
    "public_title",
    "consent_first",
    "consent_summary",
    "consent_text",
    "instructions",
    "instruction_points",
    "estimated_minutes",
    "base_language",
    "pay_per_hour",
    "pay_currency",
    "items_per_unit",
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
    "units_per_session",
    "repeats",
    "repeat_gap",
    "lease_minutes",
    "pilot_people",
)
PANEL_FIELDS = (
    "ratings_per_unit",
    "seats",
    "screen_nationality",
    "screen_residence",
    "screen_language",
)
ROW_FIELDS = ("country", "language", "more_languages")
QUESTION_FIELDS = (
    "kind",
    "text",
    "help",
    "tier",
    "asked_of",
    "required",
    "min_length",
    "direction",
    "level",
    "reported_as",
    "allow_na",
    "na_label",
    "na_description",
    "shown_categories",
    "shown_aspects",
    "needs_sound",
)
DEPENDENCIES = {"shown_if": "shown", "required_when": "required"}
"""A field that names another question, and how its range's fields begin."""
POINT_FIELDS = ("value", "label", "description")
CHECK_FIELDS = ("text", "expected", "active")
QUICK_FIELDS = ("text", "options", "correct", "hint", "active")
SCREENING_FIELDS = ("text", "options", "accepted", "active")
RULE_FIELDS = ("threshold", "action")
PLAN_FIELDS = (
    "coefficients",
    "aggregation",
    "rescaled",
    "correlations",
    "correlation_level",
    "metrics",
    "targets",
    "exclusions",
    "notes",
)
MODELS = {
    "study": (Study, STUDY_FIELDS),
    "panel": (Panel, (*ROW_FIELDS, *PANEL_FIELDS)),
    "question": (Question, QUESTION_FIELDS),
    "point": (ScalePoint, POINT_FIELDS),
    "check": (AttentionCheck, CHECK_FIELDS),
    "quick": (ComprehensionQuestion, QUICK_FIELDS),
    "screening": (ScreeningQuestion, SCREENING_FIELDS),
    "rule": (QualityRule, RULE_FIELDS),
    "plan": (AnalysisPlan, PLAN_FIELDS),
}
KEPT = {"kind", "text", "value", "label", "country", "language", "expected", "options", "correct"}
"""Written even where they are as the model has them anyway."""


def model_field(part: str, name: str) -> models.Field:
    return MODELS[part][0]._meta.get_field(name)


def default_of(part: str, name: str) -> Any:
    field = model_field(part, name)
    if field.has_default():
        return field.get_default()
    return None if field.null else field.get_default()


def plain(value: Any) -> Any:
    """A model's value as JSON has it: money as a number."""
    return float(value) if hasattr(value, "as_tuple") else value


def told(part: str, values: dict[str, Any]) -> dict[str, Any]:
    """``values`` without those that say what the model has anyway."""
    return {
        name: value
        for name, value in values.items()
        if name in KEPT or value != plain(default_of(part, name))
    }


_TYPES: tuple[tuple[type[models.Field], type | tuple[type, ...], str], ...] = (
    (models.BooleanField, bool, "true or false"),
    (models.IntegerField, int, "a whole number"),
    (models.FloatField, (int, float), "a number"),
    (models.DecimalField, (int, float), "a number"),
    (models.CharField, str, "a text in quotes"),
    (models.TextField, str, "a text in quotes"),
)


def value_fault(part: str, name: str, value: Any) -> tuple[str, str] | None:
    """What is wrong with a value and how to mend it; None where it can be taken."""
    field = model_field(part, name)
    if value is None:
        return None if field.null else ("There is no value.", "Give one.")
    if isinstance(field, models.JSONField):
        return _json_fault(name, value)
    for kind, types, words in _TYPES:
        if isinstance(field, kind):
            fits = isinstance(value, types) and (types is bool or not isinstance(value, bool))
            if not fits:
                return f"{_shown(value)} is not {words}.", f"Write {words}."
            break
    return (
        _range_fault(field, value) or _choice_fault(field, value) or _validator_fault(field, value)
    )


def _range_fault(field: models.Field, value: Any) -> tuple[str, str] | None:
    """What one database holds and another does not: SQLite alone takes any number."""
    ends = BaseDatabaseOperations.integer_field_ranges.get(field.get_internal_type())
    if ends is None or ends[0] <= value <= ends[1]:
        return None
    return f"{_shown(value)} is not from {ends[0]} to {ends[1]}.", "Change the number."


def _json_fault(name: str, value: Any) -> tuple[str, str] | None:
    def is_texts(found: Any) -> bool:
        return isinstance(found, list) and all(isinstance(one, str) for one in found)

    if name == "targets":
        good = isinstance(value, dict) and all(is_texts(one) for one in value.values())
        words = 'a table of lists: ALIGN = ["faithfulness"]'
    else:
        good, words = is_texts(value), "a list of texts in quotes"
    if not good:
        return f"It is not {words.partition(':')[0]}.", f"Write {words}."
    known = _KNOWN_NAMES.get(name, value)
    unknown = [one for one in value if one not in known]
    return (f"{_shown(unknown[0])} is not known.", _choose(known)) if unknown else None


_KNOWN_NAMES = {"coefficients": COEFFICIENTS, "correlations": CORRELATIONS}


def _choose(names: Iterable[str]) -> str:
    return f"Choose one of {', '.join(names)}."


def _choice_fault(field: models.Field, value: Any) -> tuple[str, str] | None:
    allowed = [key for key, _ in field.flatchoices]
    if field.name == "correlation_level":
        allowed = list(CORRELATION_LEVELS)
    if not allowed or value in allowed or (value == "" and field.blank):
        return None
    if len(allowed) > 20:
        return f"{_shown(value)} is not known.", f"Give a code such as {allowed[0]}."
    return f"{_shown(value)} is not allowed.", _choose(allowed)


def _validator_fault(field: models.Field, value: Any) -> tuple[str, str] | None:
    if value == "":
        return None  # drafts may leave words out; the launch check list asks for them
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a number.", "Write a number."
    try:
        is_money = isinstance(field, models.DecimalField)
        field.run_validators(Decimal(str(value)) if is_money else value)
    except ValidationError as error:
        return " ".join(error.messages), "Change the value."
    return None


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"
