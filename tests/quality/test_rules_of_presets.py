"""Rules that a preset brings are declared with the study, before anybody can answer."""

from __future__ import annotations

import pytest

from annotation.quality.declaring import declare
from annotation.quality.rules import rules_of
from annotation.ratings import declared_rules
from scoring.analysis.compute import analyse
from studies import presets
from studies.copying import duplicate_study
from studies.lifecycle import launch_study
from studies.models import QualityRule, Study
from studies.presets import PresetRefused, SettingRefused, parse_preset, preset_text
from studies.presets.library import FOLDER, published
from studies.quality_rules import DEFAULTS, Action, Kind
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(researcher):
    def from_preset(key: str) -> Study:
        return presets.create_study(preset=published()[key], owner=researcher, title=f"My {key}")

    return from_preset


def actions(study: Study) -> dict[str, str]:
    return {kind: rule.action for kind, rule in rules_of(study).items()}


def test_culturevidbench_leaves_out_who_fails_a_check_and_only_flags_otherwise(made):
    study = made("culturevidbench")
    rules = rules_of(study)
    assert (rules[Kind.CHECKS].action, rules[Kind.CHECKS].threshold) == (Action.EXCLUDE, 1)
    assert list(actions(study).values()).count("exclude") == 1


def test_cultivate_flags_and_excludes_nobody(made):
    study = made("cultivate")
    assert set(actions(study).values()) == {"flag", "off"}
    assert rules_of(study)[Kind.REPEATS].action == Action.FLAG
    assert rules_of(study)[Kind.CHECKS].threshold == 1


@pytest.mark.parametrize("key", ["caire", "culturescore"])
def test_where_no_quality_control_is_reported_no_rule_is_on(made, key):
    assert set(actions(made(key)).values()) == {"off"}


def test_a_blank_study_declares_what_is_usual(made):
    study = made("blank")
    assert {kind: rule.threshold for kind, rule in rules_of(study).items()} == DEFAULTS
    assert set(actions(study).values()) == {"flag"}
    assert all(rule.row for rule in rules_of(study).values())


@pytest.mark.parametrize("key", ["cultivate", "caire", "culturevidbench", "culturescore"])
def test_rules_of_a_preset_are_declared_in_time_and_without_a_past(made, key):
    study = made(key)
    assert {row.kind for row in declared_rules(study) if row.in_time} == set(Kind.values)
    assert not any(row.changes for row in study.quality_rules.all())


def test_the_report_has_the_rules_and_that_they_stood_before_the_data(made, draft_study):
    for row in made("culturevidbench").quality_rules.all():
        row.pk, row.study, row._state.adding = None, draft_study, True
        row.save()
    launch_study(study=draft_study, by=draft_study.owner)
    draft_study.refresh_from_db()
    rate_all(draft_study, somebody(draft_study))
    rules = {rule.kind: rule for rule in analyse(draft_study, replicates=0).rules}
    assert (rules["checks"].action, rules["checks"].threshold) == ("exclude", 1)
    assert all(rule.in_time for rule in rules.values())


def test_a_changed_rule_is_told_from_the_preset_and_put_back(made, researcher):
    study = made("culturevidbench")
    declare(study=study, kind="checks", threshold=2, action="flag", by=researcher)
    (changed,) = [row for row in presets.differences(study) if row.changed]
    assert (changed.name, changed.published_words) == ("quality.checks", "exclude, threshold 1")
    assert changed.current_words == "flag, threshold 2"
    presets.reset_setting(study=study, name="quality.checks", by=researcher)
    rule = rules_of(study)[Kind.CHECKS]
    assert (rule.action, rule.threshold) == (Action.EXCLUDE, 1)
    assert [was["by"] for was in rule.row.changes] == ["ana", "ana"]


def test_an_opened_study_changes_its_rules_on_the_quality_page_only(made, researcher):
    study = made("culturevidbench")
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE)
    with pytest.raises(SettingRefused, match="quality page"):
        presets.reset_setting(study=study, name="quality.checks", by=researcher)


def test_a_saved_preset_and_a_copy_keep_the_rules(made, researcher):
    study = made("culturevidbench")
    declare(study=study, kind="fast", threshold=0.7, action="exclude", by=researcher)
    again = parse_preset(preset_text(presets.preset_of(study)))
    assert again.settings["quality.fast"].value == {"threshold": 0.7, "action": "exclude"}
    assert again.settings["quality.checks"].status == "inferred"
    copy = duplicate_study(study=study, owner=researcher, title="Again", with_items=False)
    assert actions(copy) == actions(study)
    assert not any(row.changes for row in copy.quality_rules.all())


OFF = 'value = {{ action = "off", threshold = {} }}'


@pytest.mark.parametrize(
    ("kind", "threshold", "new", "key", "wrong"),
    [
        ("checks", 2, 'value = { action = "often" }', "quality.checks.value.action", "not allowed"),
        ("checks", 2, 'value = { actoin = "off" }', "quality.checks.value.actoin", "not known"),
        ("fast", 0.5, "value = { threshold = 1.5 }", "quality.fast.value", "at most 100 %"),
        ("fast", 0.5, 'value = "off"', "quality.fast", "not a rule"),
        (
            *("consensus", 0.4, 'value = { action = "exclude" }'),
            *("quality.consensus.value", "minority view"),
        ),
    ],
)
def test_a_faulty_rule_in_a_file_is_named(kind, threshold, new, key, wrong):
    text = (FOLDER / "caire.toml").read_text("utf-8")
    old = f"[quality.{kind}]\n{OFF.format(threshold)}"
    assert old in text
    with pytest.raises(PresetRefused) as refusal:
        parse_preset(text.replace(old, f"[quality.{kind}]\n{new}"))
    (problem,) = refusal.value.problems
    assert problem.key == key
    assert wrong in problem.wrong


def test_a_rule_of_no_kind_is_named_with_the_one_that_was_meant():
    text = (FOLDER / "caire.toml").read_text("utf-8")
    with pytest.raises(PresetRefused, match="Did you mean checks"):
        parse_preset(text.replace("[quality.checks]", "[quality.chekcs]"))


def test_the_quality_page_says_where_a_rule_comes_from(client, made, researcher):
    study = made("culturevidbench")
    client.force_login(study.owner)
    url = f"/studies/{study.slug}/quality/"
    text = client.get(url).content.decode()
    assert "submissions that fail the attention checks are removed" in text
    assert "Declared before the first rating" in text
    client.post(f"{url}rules/", {"kind": "checks", "threshold": "2", "action": "flag"})
    text = client.get(url).content.decode()
    assert "changed, inferred: exclude, threshold 1" in text
    assert QualityRule.objects.get(study=study, kind="checks").threshold == 2
