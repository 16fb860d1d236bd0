"""Studies made from presets, and settings put back to what the preset had."""

from __future__ import annotations

from django.db import transaction
from django.utils.text import slugify

from studies import units
from studies.models import AnalysisPlan, Study
from studies.models.study import RESERVED_SLUGS
from studies.presets.comparison import label_of
from studies.presets.fields import DEPENDENCIES
from studies.presets.library import PRESET, study_settings
from studies.presets.preset import Preset
from studies.presets.rows import SettingRefused, write_question, write_setting
from studies.quality_rules import declare_all
from studies.refusals import refuse_archived
from studies.revisions import FREE_AFTER_LAUNCH, revise

SLUG_LENGTH = 80


@transaction.atomic
def create_study(*, preset: Preset, owner, title: str, slug: str | None = None) -> Study:
    """The complete study as the preset has it: a draft that only lacks its items."""
    study = Study(owner=owner, title=title, slug=slug or free_slug(title), preset=preset.key)
    for name, setting in study_settings(preset).items():
        setattr(study, name, setting.value)
    study.public_title = study.public_title or title
    study.provenance = _provenance(preset)
    study.save()
    AnalysisPlan.objects.create(study_id=study.pk)
    _write_questions(study, preset)
    rest = [name for name in preset.settings if name.partition(".")[0] in ("panels", "plan")]
    beside = {"screening", "attention_checks", "comprehension"} & preset.settings.keys()
    for name in [*rest, *sorted(beside)]:
        write_setting(study, name, preset.settings[name].value)
    declare_all(study, _rules_of(preset))
    return study


def _rules_of(preset: Preset) -> dict[str, dict]:
    """Kind -> the rule as the preset has it."""
    rules = [name for name in preset.settings if name.startswith("quality.")]
    return {name.partition(".")[2]: preset.settings[name].value for name in rules}


def _write_questions(study: Study, preset: Preset) -> None:
    """Twice where needed: a question may depend on one that comes after it."""
    values = {key: preset.settings[f"questions.{key}"].value for key in preset.questions}
    for key, value in values.items():
        write_question(study, key, {k: v for k, v in value.items() if k not in DEPENDENCIES})
    for key, value in values.items():
        if DEPENDENCIES.keys() & value.keys():
            write_question(study, key, value)


def _provenance(preset: Preset) -> dict[str, dict]:
    origin = {PRESET: {"value": preset.name, "status": "", "note": preset.source}}
    return origin | {
        name: {"value": setting.value, "status": setting.status, "note": setting.note}
        for name, setting in preset.settings.items()
    }


def free_slug(title: str) -> str:
    """A short address nobody has yet, made of the title."""
    base = slugify(title)[: SLUG_LENGTH - 5] or "study"
    there = Study.objects.filter(slug__startswith=base).values_list("slug", flat=True)
    taken = RESERVED_SLUGS | set(there)
    numbers = (f"{base}-{n}" for n in range(2, len(taken) + 3))
    return base if base not in taken else next(slug for slug in numbers if slug not in taken)


@transaction.atomic
def reset_setting(*, study: Study, name: str, by=None) -> None:
    """Put one setting back to what the preset had; of an opened study it is the next revision.

    Units follow what they rest on. Raises SettingRefused where the preset has no such setting or
    the study does not allow it, EditRefused where people may have answered what would change, and
    WrongState for what is in the archive.
    """
    if name == PRESET or name not in study.provenance:
        raise SettingRefused(f"The preset says nothing about “{name}”.")
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    _refuse_fixed(locked, name)
    write_setting(locked, name, locked.provenance[name]["value"], by)
    if not locked.is_draft:
        revise(study=locked, by=by, note=f"{label_of(name)}: as the preset had it.")
    elif name in units.RULES:
        units.rebuild(locked)
    study.refresh_from_db()


def _refuse_fixed(study: Study, name: str) -> None:
    """A fixed plan changes on its own page, with a reason; panels and screens stay once opened."""
    group = name.partition(".")[0]
    if (
        group == "plan"
        and AnalysisPlan.objects.filter(study=study, fixed_at__isnull=False).exists()
    ):
        raise SettingRefused("The plan is fixed. Change it on its own page, and say why.")
    if group == "quality" and not study.is_draft:
        raise SettingRefused("Rules of a study that was opened change on its quality page.")
    of_rows = ("plan", "questions", "screening", "attention_checks", "comprehension")
    may_change = group in of_rows or name in FREE_AFTER_LAUNCH
    if not study.is_draft and not may_change:
        raise SettingRefused(f"“{label_of(name)}” cannot change once the study was opened.")
