"""Editing a study that was opened: what may change, and the next frozen design.

People in the middle keep the revision they began with; those who begin later get the new one.
"""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from studies.blocks import make_blocks
from studies.design import Design, QuestionSpec, current_design, frozen_design
from studies.launch_checks import design_stops
from studies.models import DesignRevision, Question, Study
from studies.refusals import EditRefused, WrongState, refuse_archived
from studies.scenes import plain

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
    if numbers := exchanged_points(spec, row):
        faults.append(
            f"{spec.label}: points {' and '.join(map(str, numbers))} have exchanged their words: "
            f"earlier answers would mean something else. {retire}"
        )
    return faults


def exchanged_points(spec: QuestionSpec, row: Question) -> list[int]:
    """Points whose label is by now what another point of the scale was called, lowest first."""
    was = {point.value: plain(point.label) for point in spec.points}
    now = {point.value: plain(point.label) for point in row.points.all()}
    others = {n: {label for m, label in was.items() if m != n and label} for n in was}
    return [n for n in sorted(was) if now.get(n) in others[n] and now.get(n) != was[n]]


def is_asked(question: Question) -> bool:
    """Whether a frozen design asks it: its key, kind and scale then stay, and so does the row."""
    return question.pk in asked_questions(question.study)
