"""Duplicates, the archive, and that nothing with answers goes by accident."""

from __future__ import annotations

import pytest
from django.db.models import ProtectedError

from studies import presets
from studies.design import current_design
from studies.lifecycle import (
    WrongState,
    archive_study,
    delete_draft,
    duplicate_study,
    launch_checks,
    launch_study,
    move_study,
    unarchive_study,
)
from studies.models import (
    AnalysisPlan,
    CountryGroup,
    Descriptor,
    GoldLabel,
    Item,
    Question,
    Scenario,
    ScenarioPrompt,
    Study,
)
from studies.plans import change_plan, fix_plan
from studies.words.translating import save_translations
from tests.annotation.people import rate_all, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def copy_of(study: Study, *, with_items: bool = True) -> Study:
    return duplicate_study(study=study, owner=study.owner, title="Second", with_items=with_items)


def words(study: Study):
    """A design without the keys of its rows."""
    design = current_design(study).to_json()
    keys = {row["id"]: row["key"] for row in design["questions"]}
    for row in [*design["questions"], *design["checks"]]:
        row.pop("id")
        for name in ("required_when", "shown_if"):
            if name in row:
                row[name] = keys.get(row[name])
    return {name: value for name, value in design.items() if name != "revision"}


def test_a_duplicate_asks_the_same_and_is_a_draft_of_its_own(live_study):
    copy = copy_of(live_study)
    assert words(copy) == words(live_study)
    assert (copy.state, copy.revision, copy.launched_at, copy.slug) == ("draft", 0, None, "second")
    for name in ("entry_token", "seed", "completion_code"):
        assert getattr(copy, name) != getattr(live_study, name)
    assert copy.questions.get(key="rationale").required_when.study == copy
    assert copy.attention_checks.get().scale_of.study == copy


def test_a_duplicate_can_be_launched_at_once(live_study):
    copy = copy_of(live_study)
    assert [check for check in launch_checks(copy) if check.mark == "stop"] == []
    launch_study(study=copy, by=copy.owner)
    copy.refresh_from_db()
    assert rate_all(copy, somebody(copy)) == 6


def test_files_of_a_duplicate_are_its_own(draft_study):
    copy = copy_of(draft_study)
    item = copy.items.get(external_id="np-1")
    original = draft_study.items.get(external_id="np-1")
    assert item.media.name != original.media.name
    assert item.public_id != original.public_id
    assert item.media.read() == original.media.read()


def test_either_of_the_two_can_be_deleted(draft_study, django_capture_on_commit_callbacks):
    copy = copy_of(draft_study)
    with django_capture_on_commit_callbacks(execute=True):
        delete_draft(study=draft_study)
    item = copy.items.first()
    assert item.media.storage.exists(item.media.name)
    assert not Study.objects.filter(pk=draft_study.pk).exists()


def test_links_between_rows_are_copied(triplet_study):
    parent = triplet_study.items.first()
    edit = add_item(triplet_study, "edit", origin="edited", parent=parent, system=parent.system)
    Descriptor.objects.create(study=triplet_study, kind="predicted", item=edit, token="fire")
    copy = copy_of(triplet_study)
    again = copy.items.get(external_id="edit")
    assert (again.parent.study, again.parent.external_id) == (copy, parent.external_id)
    assert (again.system.study, again.system.name) == (copy, parent.system.name)
    assert copy.descriptors.get().item == again
    assert copy.probes.count() == triplet_study.probes.count()
    members = [list(unit.items.values_list("external_id")) for unit in copy.units.all()]
    assert members == [list(u.items.values_list("external_id")) for u in triplet_study.units.all()]


def test_prompt_book_gold_labels_and_own_groups_of_countries_are_copied(draft_study):
    scenario = Scenario.objects.create(study=draft_study, key="wedding", country="NP")
    ScenarioPrompt.objects.create(scenario=scenario, variant="base", text="A wedding in Nepal")
    first = draft_study.items.first()
    GoldLabel.objects.create(study=draft_study, item=first, label_set="states", label="Nepal")
    group = {"grouping": "Mine", "name": "Hills", "countries": ["NP"]}
    CountryGroup.objects.create(study=draft_study, **group)
    copy = copy_of(draft_study)
    prompt = ScenarioPrompt.objects.get(scenario__study=copy)
    assert (prompt.scenario.key, prompt.text) == ("wedding", "A wedding in Nepal")
    label = copy.gold_labels.get()
    assert (label.item.study, label.item.external_id) == (copy, first.external_id)
    assert copy.country_groups.get().countries == ["NP"]


def test_a_translated_check_keeps_its_own_words_where_another_one_stays_behind(live_study):
    """Checks are numbered: the second one becomes the first of a copy without the first."""
    gone, kept = (live_study.questions.get(key=key) for key in ("hallucination", "exaggeration"))
    live_study.attention_checks.create(text="Now choose 4.", scale_of=kept, expected=4)
    texts = {"check.1.text": "۲ را بزنید", "check.2.text": "۴ را بزنید"}
    save_translations(study=live_study, language="fa", texts=texts, by=live_study.owner)
    Question.objects.filter(pk=gone.pk).update(retired=True)
    copy = copy_of(live_study)
    (check,) = current_design(copy).checks
    assert (check.expected, check.key) == (4, "check.1")
    assert current_design(copy).translations["fa"] == {"check.1.text": "۴ را بزنید"}


def test_the_plan_of_a_duplicate_names_no_question_that_stayed_behind(live_study):
    change_plan(
        study=live_study,
        by=live_study.owner,
        targets={"FAITH": ["faithfulness", "exaggeration"], "EXAG": ["exaggeration"]},
    )
    live_study.questions.filter(key="exaggeration").update(retired=True)
    assert AnalysisPlan.objects.get(study=copy_of(live_study)).targets == {
        "FAITH": ["faithfulness"]
    }


def test_a_duplicate_without_items_has_none_of_theirs(triplet_study):
    copy = copy_of(triplet_study, with_items=False)
    assert copy.questions.count() == 3
    for parts in (copy.items, copy.units, copy.probes, copy.systems, copy.descriptors):
        assert parts.count() == 0


def test_preset_plan_and_translations_are_copied_and_the_plan_is_open(researcher):
    preset = presets.get("cultivate", researcher)
    study = presets.create_study(preset=preset, owner=researcher, title="First")
    study.panels.filter(country="IR").update(language="fa")
    save_translations(
        study=study, language="fa", texts={"study.public_title": "عکس"}, by=researcher
    )
    fix_plan(study=study, by=researcher)
    change_plan(study=study, by=researcher, reason="Late.", rescaled=True)
    fix_plan(study=study, by=researcher)
    copy = copy_of(study)
    plan = AnalysisPlan.objects.get(study=copy)
    assert (plan.is_fixed, plan.history, plan.rescaled) == (False, [], True)
    assert plan.coefficients == study.plan.coefficients
    assert presets.preset_name(copy) == "CULTIVate"
    changed = [row.name for row in presets.differences(copy) if row.changed]
    assert changed == ["panels", "plan.rescaled"]
    assert copy.translations.get().text == "عکس"


def test_a_copy_that_fails_leaves_neither_rows_nor_files(draft_study, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError("disk full")

    before = {item.media.name for item in Item.objects.all()}
    monkeypatch.setattr("studies.copying._copy_units", broken)
    with pytest.raises(OSError, match="disk full"):
        copy_of(draft_study)
    assert Study.objects.count() == 1
    storage = draft_study.items.first().media.storage
    folders, _ = storage.listdir("items")
    found = {
        f"items/{folder}/{name}"
        for folder in folders
        for name in storage.listdir(f"items/{folder}")[1]
    }
    assert found == before


def test_retired_questions_are_not_copied(live_study):
    Question.objects.filter(study=live_study, key="exaggeration").update(retired=True)
    keys = copy_of(live_study).questions.values_list("key", flat=True)
    assert list(keys) == ["faithfulness", "hallucination", "rationale"]


# ---- the archive


def test_the_archive_hides_and_gives_back(draft_study):
    archive_study(study=draft_study)
    draft_study.refresh_from_db()
    assert draft_study.is_archived
    assert list(Study.objects.in_use()) == []
    assert list(Study.objects.archived()) == [draft_study]
    unarchive_study(study=draft_study)
    assert list(Study.objects.in_use()) == [draft_study]


def test_a_study_that_people_are_in_is_not_archived(live_study):
    for move in ("pause", "close"):
        with pytest.raises(WrongState, match="Close it first"):
            archive_study(study=live_study)
        move_study(study=live_study, move=move)
    archive_study(study=live_study)
    live_study.refresh_from_db()
    assert live_study.is_archived


def test_an_archived_draft_is_not_launched(draft_study, researcher):
    archive_study(study=draft_study)
    with pytest.raises(WrongState, match="Take it out of the archive first"):
        launch_study(study=draft_study, by=researcher)


# ---- nothing with answers goes by accident


def test_a_study_with_answers_cannot_be_deleted_by_any_way(live_study):
    rate_all(live_study, somebody(live_study))
    with pytest.raises(WrongState, match="its data are kept"):
        delete_draft(study=live_study)
    for row in (
        live_study,
        live_study.questions.get(key="faithfulness"),
        live_study.items.first(),
        live_study.units.first(),
        live_study.panels.first(),
    ):
        with pytest.raises(ProtectedError):
            row.delete()
    assert live_study.participations.count() == 1
