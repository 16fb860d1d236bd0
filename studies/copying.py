"""Copies of a study: its design, and where wanted its items with files of their own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from django.core.files import File
from django.db import models, transaction

from studies.models import (
    AnalysisPlan,
    AttentionCheck,
    CheckRules,
    ComprehensionQuestion,
    CountryGroup,
    Description,
    Descriptor,
    ElementPicture,
    GoldLabel,
    Item,
    Panel,
    Probe,
    QualityRule,
    Question,
    ScalePoint,
    Scenario,
    ScenarioPrompt,
    ScreeningQuestion,
    Study,
    System,
    Unit,
    UnitItem,
    UnitProbe,
)
from studies.models.item import delete_media, media_path, new_public_id, poster_path, silent_path
from studies.models.plan import targets_among
from studies.models.study import new_completion_code, new_seed, new_token
from studies.models.translation import Translation
from studies.presets.creating import free_slug
from studies.recruiting import copy_recruitment
from studies.words.texts import check_keys

_BATCH = 500
_FILES = {"media": media_path, "silent_media": silent_path, "poster": poster_path}
_FRESH = {
    "state": Study.State.DRAFT,
    "revision": 0,
    "launched_at": None,
    "pilot_at": None,
    "archived_at": None,
    "launch_note": "",
    "previews": {},
    "units_by_hand": False,
}


def duplicate_study(*, study: Study, owner, title: str, with_items: bool) -> Study:
    """A new draft with the same design, and with the items where wanted.

    Questions (without retired ones), translations, panels, checks, plan, ways in, groups of
    countries, preset and provenance are copied, and with the items their prompt book, probes,
    descriptors and gold labels; the address, seed and completion code are new, and the plan is
    open and without history. Files are copied, so that either study can be deleted without the
    other.
    """
    written: list[str] = []
    study = Study.objects.get(pk=study.pk)  # as it is now, without what the caller's row remembers
    try:
        with transaction.atomic():
            new = _copy_study(study, owner, title)
            questions = _copy_questions(study, new)
            checks = _copy_checks(study, new, questions)
            _copy_panels(study, new)
            _copy_plan(study, new)
            _copy_rules(study, new)
            copy_recruitment(study, new)
            _copied(CountryGroup, study.country_groups.order_by("pk"), new)
            _copy_translations(study, new, checks)
            if with_items:
                _copy_items(study, new, written)
            return new
    except BaseException:
        # Whatever stopped it, the files of a half-made copy belong to nobody.
        delete_media(written)
        raise


def _columns(row: models.Model, *, leave_out: Iterable[str] = ()) -> dict:
    """The row's own columns by attribute, without its key and what is left out."""
    skipped = {"id", *leave_out}
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.name not in skipped
    }


def _copy_study(study: Study, owner, title: str) -> Study:
    own = ("owner", "title", "slug", "created_at", *_FRESH)
    new = Study(**_columns(study, leave_out=own), owner=owner, title=title, slug=free_slug(title))
    for name, value in _FRESH.items():
        setattr(new, name, value)
    new.entry_token, new.seed = new_token(), new_seed()
    new.completion_code, new.completion_url = new_completion_code(), ""
    new.save()
    return new


def _copy_questions(study: Study, new: Study) -> dict[int, Question]:
    """Old id -> its copy, of the questions that are asked."""
    olds = list(study.questions.filter(retired=False).prefetch_related("points"))
    links = ("shown_if", "required_when")
    copies: dict[int, Question] = {}
    for old in olds:
        copies[old.pk] = Question.objects.create(
            study=new, **_columns(old, leave_out=("study", *links))
        )
        ScalePoint.objects.bulk_create(
            ScalePoint(question=copies[old.pk], **_columns(point, leave_out=("question",)))
            for point in old.points.all()
        )
    for old in olds:
        for name in links:
            setattr(copies[old.pk], name, copies.get(getattr(old, f"{name}_id")))
        copies[old.pk].save(update_fields=links)
    return copies


def _copy_checks(
    study: Study, new: Study, copies: dict[int, Question]
) -> dict[int, AttentionCheck]:
    """What checks that people read, understand and agree with themselves, without what is of a
    question that is asked no more. Old id -> its copy, of the attention checks."""
    _copied(ComprehensionQuestion, study.comprehension_questions.order_by("pk"), new)
    _copied(ScreeningQuestion, study.screening_questions.order_by("pk"), new)
    _copied(CheckRules, CheckRules.objects.filter(study=study), new)
    for row in study.contradictions.filter(unit=None):
        if row.question_id in copies and row.other_id in copies:
            columns = _columns(row, leave_out=("study", "question", "other"))
            new.contradictions.create(
                question=copies[row.question_id], other=copies[row.other_id], **columns
            )
    found = {}
    for check in study.attention_checks.order_by("pk"):
        if check.scale_of_id in copies:
            row = _columns(check, leave_out=("study", "scale_of"))
            found[check.pk] = new.attention_checks.create(scale_of=copies[check.scale_of_id], **row)
    return found


def _copy_translations(study: Study, new: Study, checks: dict[int, AttentionCheck]) -> None:
    """Under the keys of the copies: checks are numbered, and some may have stayed behind."""
    before, after = check_keys(study), check_keys(new)
    stems = {before[pk]: after[copy.pk] for pk, copy in checks.items()}
    rows = []
    for old in study.translations.order_by("pk"):
        stem, _, part = old.key.rpartition(".")
        if stem.startswith("check."):
            if stem not in stems:
                continue
            stem = stems[stem]
        columns = _columns(old, leave_out=("study", "key"))
        rows.append(Translation(study=new, key=f"{stem}.{part}" if stem else part, **columns))
    Translation.objects.bulk_create(rows, batch_size=_BATCH)


def _copy_panels(study: Study, new: Study) -> None:
    Panel.objects.bulk_create(
        Panel(study=new, **_columns(panel, leave_out=("study",)))
        for panel in study.panels.order_by("pk")
    )


def _copy_plan(study: Study, new: Study) -> None:
    with suppress(AnalysisPlan.DoesNotExist):
        plan = _columns(study.plan, leave_out=("study", "fixed_at", "fixed_by", "history"))
        asked = set(new.questions.values_list("key", flat=True))
        plan["targets"] = targets_among(plan["targets"], asked)
        AnalysisPlan.objects.create(study=new, **plan)


def _copy_rules(study: Study, new: Study) -> None:
    """As they are now, declared anew: what they were is the other study's."""
    QualityRule.objects.bulk_create(
        QualityRule(study=new, kind=row.kind, threshold=row.threshold, action=row.action)
        for row in study.quality_rules.all()
    )


# ---- items


def _copy_items(study: Study, new: Study, written: list[str]) -> None:
    systems = _copied(System, study.systems.all(), new)
    olds = list(study.items.order_by("pk"))
    items: dict[int, Item] = {}
    for old in olds:
        item = Item(
            study=new,
            **_columns(old, leave_out=("study", "system", "parent", "public_id", *_FILES)),
        )
        item.public_id = new_public_id()
        item.system = systems.get(old.system_id)
        _copy_files(old, item, written)
        items[old.pk] = item
    Item.objects.bulk_create(items.values(), batch_size=_BATCH)
    for old in olds:
        items[old.pk].parent = items.get(old.parent_id)
    Item.objects.bulk_update(items.values(), ["parent"], batch_size=_BATCH)
    descriptors = [
        Descriptor(
            study=new,
            item=items.get(row.item_id),
            **_columns(row, leave_out=("study", "item")),
        )
        for row in study.descriptors.order_by("pk")
    ]
    Descriptor.objects.bulk_create(descriptors, batch_size=_BATCH)
    labels = [
        GoldLabel(study=new, item=items[row.item_id], **_columns(row, leave_out=("study", "item")))
        for row in study.gold_labels.order_by("pk")
    ]
    GoldLabel.objects.bulk_create(labels, batch_size=_BATCH)
    _copy_book(study, new)
    looks = Description.objects.filter(item__study=study).order_by("pk")
    Description.objects.bulk_create(
        (
            Description(item=items[row.item_id], **_columns(row, leave_out=("item",)))
            for row in looks
        ),
        batch_size=_BATCH,
    )
    _copy_elements(study, new, written)
    probes = _copied(Probe, study.probes.order_by("pk"), new)
    _copy_units(study, new, items, probes)


def _copy_book(study: Study, new: Study) -> None:
    """The prompt book: media of the generators may still be under way."""
    scenarios = _copied(Scenario, study.scenarios.order_by("pk"), new)
    prompts = ScenarioPrompt.objects.filter(scenario__study=study).order_by("pk")
    ScenarioPrompt.objects.bulk_create(
        (
            ScenarioPrompt(
                scenario=scenarios[row.scenario_id], **_columns(row, leave_out=("scenario",))
            )
            for row in prompts
        ),
        batch_size=_BATCH,
    )


def _copy_elements(study: Study, new: Study, written: list[str]) -> None:
    """Reference pictures, with files of their own."""
    copies = []
    for old in study.element_pictures.all():
        copy = ElementPicture(study=new, **_columns(old, leave_out=("study", "public_id", "media")))
        with old.media.open("rb") as file:
            copy.media.save(old.media.name.rsplit("/", 1)[-1], File(file), save=False)
        written.append(copy.media.name)
        copies.append(copy)
    ElementPicture.objects.bulk_create(copies, batch_size=_BATCH)


def _copied(model: type[models.Model], rows, new: Study) -> dict[int, models.Model]:
    """Old id -> its copy in the new study."""
    copies = {row.pk: model(study=new, **_columns(row, leave_out=("study",))) for row in rows}
    model._default_manager.bulk_create(copies.values(), batch_size=_BATCH)
    return copies


def _copy_files(old: Item, item: Item, written: list[str]) -> None:
    for name, path in _FILES.items():
        file = getattr(old, name)
        if not file:
            continue
        with file.storage.open(file.name) as content:
            saved = file.storage.save(path(item, file.name), content)
        written.append(saved)
        setattr(item, name, saved)


def _copy_units(study: Study, new: Study, items: dict, probes: dict) -> None:
    units = _copied(Unit, study.units.order_by("pk"), new)
    members = [
        UnitItem(unit=units[row.unit_id], item=items[row.item_id], position=row.position)
        for row in UnitItem.objects.filter(unit__study=study)
    ]
    UnitItem.objects.bulk_create(members, batch_size=_BATCH)
    new.units_by_hand = study.units_by_hand
    new.save(update_fields=["units_by_hand"])
    given = [
        UnitProbe(
            unit=units[row.unit_id],
            probe=probes[row.probe_id],
            position=row.position,
            by_hand=row.by_hand,
        )
        for row in UnitProbe.objects.filter(unit__study=study)
    ]
    UnitProbe.objects.bulk_create(given, batch_size=_BATCH)
