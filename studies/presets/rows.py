"""A study's rows read as settings, and one setting written to its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from studies.models import (
    AnalysisPlan,
    AttentionCheck,
    ComprehensionQuestion,
    Panel,
    Question,
    ScalePoint,
    ScreeningQuestion,
    Study,
)
from studies.presets.fields import (
    CHECK_FIELDS,
    DEPENDENCIES,
    PANEL_FIELDS,
    PLAN_FIELDS,
    POINT_FIELDS,
    QUESTION_FIELDS,
    QUICK_FIELDS,
    ROW_FIELDS,
    SCREENING_FIELDS,
    STUDY_FIELDS,
    default_of,
    plain,
    told,
)
from studies.quality_rules import declared, write_rule


class SettingRefused(Exception):
    """The setting cannot be written to this study as it is now. The text is for people."""


# ---- reading


def settings_of(study: Study) -> dict[str, Any]:
    """The study as it stands, as values by flat name; see ``preset``."""
    found: dict[str, Any] = {name: plain(getattr(study, name)) for name in STUDY_FIELDS}
    found |= _panels_of(study)
    asked = study.questions.filter(retired=False).prefetch_related("points")
    questions = list(asked.select_related("shown_if", "required_when"))
    found["questions"] = [question.key for question in questions]
    for question in questions:
        found[f"questions.{question.key}"] = question_value(question)
    found["screening"] = [
        told("screening", {name: getattr(row, name) for name in SCREENING_FIELDS})
        for row in study.screening_questions.all()
    ]
    found["attention_checks"] = [
        told("check", {name: getattr(check, name) for name in CHECK_FIELDS})
        | {"scale_of": check.scale_of.key}
        for check in study.attention_checks.select_related("scale_of")
    ]
    found["comprehension"] = [
        told("quick", {name: getattr(row, name) for name in QUICK_FIELDS})
        for row in study.comprehension_questions.all()
    ]
    found |= {f"quality.{kind}": rule for kind, rule in declared(study).items()}
    plan = AnalysisPlan.objects.filter(study=study).first() or AnalysisPlan()
    return found | {f"plan.{name}": getattr(plan, name) for name in PLAN_FIELDS}


def _panels_of(study: Study) -> dict[str, Any]:
    """What all panels share is said once; a row says only what is its own."""
    panels = list(study.panels.order_by("pk"))
    shared = {
        name: plain(getattr(panels[0], name)) if panels else plain(default_of("panel", name))
        for name in PANEL_FIELDS
        if len({getattr(panel, name) for panel in panels}) <= 1
    }
    rows = []
    for panel in panels:
        own = {name: getattr(panel, name) for name in PANEL_FIELDS if name not in shared}
        common = told("panel", {name: getattr(panel, name) for name in ROW_FIELDS})
        rows.append(common | own)
    return {"panels": rows} | {f"panels.{name}": value for name, value in shared.items()}


def question_value(question: Question) -> dict[str, Any]:
    """One question as its setting's value: what differs from the model's defaults."""
    value = told("question", {name: getattr(question, name) for name in QUESTION_FIELDS})
    for name, start in DEPENDENCIES.items():
        if (other := getattr(question, name)) is not None:
            value[name] = {
                "question": other.key,
                "from": getattr(question, f"{start}_from"),
                "to": getattr(question, f"{start}_to"),
            }
    points = [
        told("point", {name: getattr(point, name) for name in POINT_FIELDS})
        for point in question.points.all()
    ]
    return value | ({"points": points} if points else {})


# ---- writing


def write_setting(study: Study, name: str, value: Any, by: Any = None) -> None:
    """Write one setting; ``by`` is kept where a rule changes.

    Raises SettingRefused where the study's rows do not allow it.
    """
    group, _, key = name.partition(".")
    if group == "questions":
        write_question(study, key, value) if key else _write_order(study, value)
    elif group == "panels":
        study.panels.update(**{key: value}) if key else _write_panels(study, value)
    elif group == "attention_checks":
        _write_checks(study, value)
    elif group in _BEFORE_RATING:
        _write_before_rating(study, group, value)
    elif group == "quality":
        write_rule(study=study, kind=key, by=by, **value)
    elif group == "plan":
        AnalysisPlan.objects.update_or_create(study=study, defaults={key: value})
    else:
        setattr(study, name, value)
        study.save(update_fields=[name])


def write_question(study: Study, key: str, value: Mapping[str, Any]) -> Question:
    """Make the question, or set it to what the value says; what it does not say is as usual."""
    question = study.questions.filter(key=key).first()
    if question is None:
        question = Question(study=study, key=key, position=study.questions.count() + 1)
    for name in QUESTION_FIELDS:
        setattr(question, name, value.get(name, default_of("question", name)))
    question.retired = False
    for name, start in DEPENDENCIES.items():
        told_of = value.get(name) or {}
        setattr(question, name, _named(study, told_of["question"]) if told_of else None)
        setattr(question, f"{start}_from", told_of.get("from"))
        setattr(question, f"{start}_to", told_of.get("to"))
    question.save()
    _write_points(question, value.get("points", []))
    return question


def _named(study: Study, key: str) -> Question:
    question = study.questions.filter(key=key).first()
    if question is None:
        raise SettingRefused(f"It depends on the question “{key}”, which this study has not.")
    return question


def _write_points(question: Question, points: list[Mapping[str, Any]]) -> None:
    question.points.exclude(value__in=[point["value"] for point in points]).delete()
    ScalePoint.objects.bulk_create(
        [
            ScalePoint(
                question=question,
                **{name: point.get(name, default_of("point", name)) for name in POINT_FIELDS},
            )
            for point in points
        ],
        update_conflicts=True,
        unique_fields=["question", "value"],
        update_fields=["label", "description"],
    )


def _write_order(study: Study, keys: list[str]) -> None:
    """Put the questions in this order; others follow as they stood."""
    rows = list(study.questions.all())
    place = {key: n for n, key in enumerate(keys)}
    rows.sort(key=lambda row: place.get(row.key, len(keys)))
    for position, row in enumerate(rows, 1):
        row.position = position
    Question.objects.bulk_update(rows, ["position"])


def _write_panels(study: Study, rows: list[Mapping[str, Any]]) -> None:
    countries = [row["country"] for row in rows]
    surplus = study.panels.exclude(country__in=countries)
    if surplus and not study.is_draft:
        names = ", ".join(str(panel) for panel in surplus)
        raise SettingRefused(f"The study was opened: its panels stay ({names}).")
    surplus.delete()
    shared = {name: default_of("panel", name) for name in PANEL_FIELDS}
    if first := study.panels.first():
        shared = {name: getattr(first, name) for name in PANEL_FIELDS}
    for row in rows:
        new = shared | {name: default_of("panel", name) for name in ROW_FIELDS} | row
        old = {name: default_of("panel", name) for name in ROW_FIELDS} | row
        Panel.objects.update_or_create(
            study=study, country=row["country"], defaults=old, create_defaults=new
        )


def _write_checks(study: Study, rows: list[Mapping[str, Any]]) -> None:
    """Set the checks one by one; those beyond are deleted from a draft, else switched off."""
    have = list(study.attention_checks.all())
    for n, row in enumerate(rows):
        check = have[n] if n < len(have) else AttentionCheck(study=study)
        for name in CHECK_FIELDS:
            setattr(check, name, row.get(name, default_of("check", name)))
        check.scale_of = _named(study, row["scale_of"])
        check.save()
    _beyond(study, have[len(rows) :])


_BEFORE_RATING = {
    "screening": (ScreeningQuestion, SCREENING_FIELDS, "screening"),
    "comprehension": (ComprehensionQuestion, QUICK_FIELDS, "quick"),
}


def _write_before_rating(study: Study, group: str, rows: list[Mapping[str, Any]]) -> None:
    """Screening questions, and those on the instructions page, as the checks are set."""
    model, names, part = _BEFORE_RATING[group]
    have = list(model.objects.filter(study=study))
    for n, row in enumerate(rows):
        question = have[n] if n < len(have) else model(study=study)
        for name in names:
            setattr(question, name, row.get(name, default_of(part, name)))
        question.save()
    _beyond(study, have[len(rows) :])


def _beyond(study: Study, rows: Iterable[models.Model]) -> None:
    for row in rows:
        if study.is_draft:
            row.delete()
        else:
            row.active = False
            row.save(update_fields=["active"])
