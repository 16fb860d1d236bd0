"""Editing a study that was opened: what may change, what changed, and the next frozen design.

People in the middle keep the revision they began with; those who begin later get the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace

from django.db import transaction

from studies.blocks import make_blocks
from studies.design import Design, Point, QuestionSpec, current_design, frozen_design
from studies.launch_checks import design_stops
from studies.models import DesignRevision, Question, Study
from studies.refusals import EditRefused, WrongState, refuse_archived

FREE_AFTER_LAUNCH = frozenset(
    (
        "title",
        "public_title",
        "consent_first",
        "consent_summary",
        "consent_text",
        "instructions",
        "instruction_points",
        "contact",
        "estimated_minutes",
        "pay_per_hour",
        "pay_currency",
        "devices",
        "watch_share",
        "allow_changes",
        "shuffle_items",
        "policy",
        "avoid_same_prompt",
        "units_per_session",
        "repeats",
        "repeat_gap",
        "lease_minutes",
        "pilot_people",
        "completion_code",
        "completion_url",
    )
)
"""Fields of a study that may change once people have answered; questions have their own rules."""

FIXED_OF_DESIGN = ("items_per_unit", "show_prompt", "show_element", "sound", "base_language")
_FIXED_OF_QUESTION = {
    "key": "key",
    "kind": "kind",
    "level": "measurement level",
    "direction": "direction",
    "asked_of": "subject",
}


def freeze_design(*, study: Study, by, note: str = "") -> DesignRevision | None:
    """Store the design as the next revision; None where it is as the one in force.

    The caller holds the study's row and saves ``study.revision``.
    """
    design = replace(current_design(study), revision=study.revision + 1)
    if study.revision and _same(design, frozen_design(study.pk, study.revision)):
        return None
    study.revision += 1
    return DesignRevision.objects.create(
        study=study, number=study.revision, design=design.to_json(), created_by=by, note=note
    )


def _same(one: Design, other: Design) -> bool:
    return replace(one, revision=0) == replace(other, revision=0)


@transaction.atomic
def revise(*, study: Study, by, note: str = "") -> DesignRevision | None:
    """Make the current words the next revision; None where nothing differs.

    Raises WrongState for drafts and for what is in the archive, EditRefused with a sentence for
    every edit that answers forbid and for every fault that would have stopped the launch.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    if locked.is_draft:
        raise WrongState(f"“{locked.title}” is a draft: nothing is frozen yet.")
    refuse_wrong_edits(study=locked)
    if stops := design_stops(locked):
        raise EditRefused([f"{stop.name}: {stop.sentence}." for stop in stops])
    if locked.policy == Study.Policy.BLOCKS:
        make_blocks(locked)
    revision = freeze_design(study=locked, by=by, note=note)
    if revision is not None:
        locked.save(update_fields=["revision"])
        study.revision = locked.revision
    return revision


# ---- what may change


def refuse_wrong_edits(*, study: Study) -> None:
    """Raises EditRefused where the study's rows differ from what people may have answered."""
    if sentences := refused_edits(study=study):
        raise EditRefused(sentences)


def refused_edits(*, study: Study) -> list[str]:
    """What of the current design answers forbid, a sentence each; nothing for a draft."""
    if not study.revision:
        return []
    rows = {row.pk: row for row in study.questions.prefetch_related("points")}
    refused = []
    for spec in asked_questions(study).values():
        row = rows.get(spec.id)
        if row is None:
            refused.append(f"{spec.label} was asked already. Retire it instead of deleting it.")
        else:
            refused += question_faults(spec, row)
    frozen = frozen_design(study.pk, study.revision)
    for name in FIXED_OF_DESIGN:
        if getattr(study, name) != getattr(frozen, name):
            words = study._meta.get_field(name).verbose_name
            refused.append(f"“{words}” cannot change once the study was opened.")
    return refused


def asked_questions(study: Study) -> dict[int, QuestionSpec]:
    """Every question that a frozen design asks, as it was last asked, by id."""
    found: dict[int, QuestionSpec] = {}
    for number in range(1, study.revision + 1):
        found |= {spec.id: spec for spec in frozen_design(study.pk, number).questions}
    return found


def question_faults(spec: QuestionSpec, row: Question) -> list[str]:
    """What cannot change in a question that was asked, a sentence each."""
    retire = "Retire it and add a new question."
    now = {"level": row.measurement_level}
    faults = [
        f"{spec.label}: its {words} cannot change once it was asked. {retire}"
        for name, words in _FIXED_OF_QUESTION.items()
        if now.get(name, getattr(row, name)) != getattr(spec, name)
    ]
    if spec.values != {point.value for point in row.points.all()}:
        faults.append(
            f"{spec.label}: the numbers of its scale cannot change once it was asked. {retire}"
        )
    return faults


def is_asked(question: Question) -> bool:
    """Whether a frozen design asks it: its key, kind and scale then stay, and so does the row."""
    return question.pk in asked_questions(question.study)


# ---- what changed


def changes(old: Design, new: Design) -> list[str]:
    """What differs between two designs, a sentence each, in the order people meet it."""
    return [
        *_changed_texts(old, new),
        *_changed_questions(old, new),
        *_changed_checks(old, new),
        *_changed_asked("Quick check", old.comprehension, new.comprehension),
        *_changed_asked("Screening question", old.screening, new.screening),
        *_changed_special(old, new),
    ]


_SHORT = 60
_OF_QUESTION = {"text": "question", "help": "hint", "label": "name in reports"}


def _changed_texts(old: Design, new: Design) -> Iterator[str]:
    for field in fields(Design):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if field.name in _TOLD_ELSEWHERE or before == after:
            continue
        yield _sentence(_NAMES.get(field.name) or _field_name(field.name), before, after)


_SPECIAL = {
    "examples": "Examples on the instructions page",
    "practice": "Practice screens",
    "gold": "Gold units",
    "contradictions": "Contradictions looked for",
}
_TOLD_ELSEWHERE = {
    *("revision", "questions", "checks", "language", "words", "comprehension", "screening"),
    *_SPECIAL,
}
_NAMES = {
    "translations": "Translations",
    "gold_per_session": "Gold units a session",
    "plain_gold": "Gold units plain to everybody",
    "consent_lines": "Consent, in short",
    "paragraphs": "Instructions",
    "rules": "Standing rules",
}


def _field_name(name: str) -> str:
    words = str(Study._meta.get_field(name).verbose_name)
    return f"{words[0].upper()}{words[1:]}"


def _sentence(name: str, before, after) -> str:
    """Short values are shown, long ones only named."""
    values = [_told(value) for value in (before, after)]
    if any(len(value) > _SHORT for value in values):
        return f"{name}: the words changed."
    return f"{name}: {values[0]} is now {values[1]}."


def _told(value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        value = "; ".join(value)
    if isinstance(value, Mapping):
        value = "; ".join(f"{code}: {dict(texts)}" for code, texts in value.items())
    return f"“{value}”" if isinstance(value, str) else str(value)


def _changed_questions(old: Design, new: Design) -> Iterator[str]:
    before = {spec.id: spec for spec in old.questions}
    after = {spec.id: spec for spec in new.questions}
    for id, spec in before.items():
        if id not in after:
            yield f"{spec.label}: no longer asked."
    for id, spec in after.items():
        if id not in before:
            yield f"{spec.label}: a new question."
        else:
            yield from _changed_question(before[id], spec)
    kept = [id for id in before if id in after]
    if kept != [id for id in after if id in before]:
        yield "The questions come in another order."


def _changed_question(old: QuestionSpec, new: QuestionSpec) -> Iterator[str]:
    for field in fields(QuestionSpec):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before == after or field.name == "points":
            continue
        if field.name in _OF_QUESTION:
            yield _sentence(f"{new.label}, {_OF_QUESTION[field.name]}", before, after)
        else:
            yield f"{new.label}: when or how it is asked changed ({field.name.replace('_', ' ')})."
    yield from _changed_points(new.label, old.points, new.points)


def _changed_points(label: str, old: tuple[Point, ...], new: tuple[Point, ...]) -> Iterator[str]:
    before = {point.value: point for point in old}
    for point in new:
        was = before.get(point.value)
        if was is None:
            yield f"{label}: point {point.value} is new."
        elif was.label != point.label:
            yield _sentence(f"{label}, point {point.value}", was.label, point.label)
        elif was.description != point.description:
            yield _sentence(
                f"{label}, point {point.value}, description", was.description, point.description
            )
    for value in before.keys() - {point.value for point in new}:
        yield f"{label}: point {value} is gone."


def _changed_checks(old: Design, new: Design) -> Iterator[str]:
    before = {check.id: check for check in old.checks}
    after = {check.id: check for check in new.checks}
    for id, check in before.items():
        if id not in after:
            yield f"Attention check “{check.text}”: no longer shown."
    for id, check in after.items():
        if id not in before:
            yield f"Attention check “{check.text}”: new."
        elif before[id] != check:
            yield f"Attention check “{check.text}”: changed."


def _changed_asked(name: str, old: Iterable, new: Iterable) -> Iterator[str]:
    """Questions before the rating, by their keys."""
    before, after = ({row.key: row for row in rows} for rows in (old, new))
    for key, row in before.items():
        if key not in after:
            yield f"{name} “{row.text}”: no longer asked."
    for key, row in after.items():
        if key not in before:
            yield f"{name} “{row.text}”: new."
        elif before[key] != row:
            yield f"{name} “{row.text}”: changed."


def _changed_special(old: Design, new: Design) -> Iterator[str]:
    for name, words in _SPECIAL.items():
        before, after = getattr(old, name), getattr(new, name)
        if len(before) != len(after):
            yield f"{words}: {len(before)} is now {len(after)}."
        elif before != after:
            yield f"{words}: changed."
