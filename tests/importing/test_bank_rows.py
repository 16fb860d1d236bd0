"""Probes, gold labels and the prompt book: read, written once, changed by their keys."""

from __future__ import annotations

import csv
import io
from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from studies.importing.bank_rows import plan_gold, plan_probes, write_gold, write_probes
from studies.importing.gold import GOLD, parse_gold
from studies.importing.probes import PROBES, parse_probes
from studies.importing.scenarios import SCENARIOS, parse_scenarios
from studies.models import (
    CountryGroup,
    GoldLabel,
    Probe,
    Scenario,
    ScenarioPrompt,
    Study,
    Unit,
    UnitProbe,
)
from studies.models.country_group import groupings_for
from tests.importing.conftest import png

pytestmark = pytest.mark.django_db

PROBE_TABLE = (
    "probe_id,scenario,country,dimension,text,weight,verified,evidence,source,note\n"
    "p1,greeting,Nepal,Identity,Do they wear topis?,2,yes,,expert A,x\n"
    "p2,greeting,,Behavior,Are palms pressed together?,,no,seen,,\n"
)


@pytest.fixture
def shell(tmp_path, study):
    """Runs a command on a file's text; what it printed."""

    def shell(command: str, text: str | None = None, **options) -> str:
        out = io.StringIO()
        arguments = ["greetings"]
        if text is not None:
            (tmp_path / "table.csv").write_text(text)
            arguments.append(str(tmp_path / "table.csv"))
        call_command(command, *arguments, stdout=out, stderr=io.StringIO(), **options)
        return out.getvalue()

    return shell


# ---- probes


def test_probes_are_new_then_the_same_then_changed(shell, study):
    assert "2 new, 0 changed, 0 the same" in shell("import_probes", PROBE_TABLE)
    first, second = study.probes.order_by("external_id")
    assert (first.country, first.dimension, first.weight, first.verified) == (
        "NP",
        "Identity",
        2.0,
        True,
    )
    assert first.metadata == {"note": "x"}
    assert (second.country, second.weight, second.verified, second.evidence) == (
        "",
        1.0,
        False,
        "seen",
    )
    assert "0 new, 0 changed, 2 the same" in shell("import_probes", PROBE_TABLE)
    corrected = PROBE_TABLE.replace("topis", "caps")
    assert "0 new, 1 changed, 1 the same" in shell("import_probes", corrected)
    assert study.probes.get(external_id="p1").text == "Do they wear caps?"
    assert study.probes.count() == 2


@pytest.mark.parametrize(
    ("row", "field", "wrong"),
    [
        ("p1,,NP,Identity,Is it?,1", "scenario", "The cell is empty"),
        ("p1,greeting,Nepaal,Identity,Is it?,1", "country", "Not a country"),
        ("p1,greeting,NP,Identity,Is it?,-1", "weight", "Not a weight"),
        ("p1,greeting,NP,Identity,,1", "text", "The cell is empty"),
    ],
)
def test_a_wrong_probe_is_named(row, field, wrong):
    table = f"probe_id,scenario,country,dimension,text,weight\n{row}\n"
    (problem,) = parse_probes(table.encode()).problems
    assert (problem.line, problem.field, problem.wrong) == (2, field, wrong)


def test_a_probe_that_people_were_asked_keeps_its_words(study):
    write_probes(plan_probes(study, parse_probes(PROBE_TABLE.encode()).records))
    unit = Unit.objects.create(study=study, key="u")
    UnitProbe.objects.create(unit=unit, probe=study.probes.get(external_id="p1"))
    study.state = Study.State.LIVE
    changed = parse_probes(PROBE_TABLE.replace("topis", "caps").encode()).records
    plan = plan_probes(study, changed)
    assert [(p.line, p.field) for p in plan.problems] == [(2, "text")]
    reweighted = parse_probes(PROBE_TABLE.replace("topis?,2", "topis?,3").encode()).records
    assert plan_probes(study, reweighted).problems == []


def test_the_limits_of_texts_are_those_of_the_database():
    for schema, model, names in (
        (PROBES, Probe, {"probe_id": "external_id"}),
        (GOLD, GoldLabel, {}),
        (SCENARIOS, Scenario, {"scenario": "key"}),
    ):
        fields = {field.name: field for field in model._meta.get_fields()}
        for name, limit in schema.max_lengths.items():
            stored = getattr(fields.get(names.get(name, name)), "max_length", None)
            assert stored is None or stored == limit, (model, name)


# ---- gold labels


def test_gold_labels_belong_to_items_and_are_written_once(study):
    for name in ("a", "b"):
        study.items.create(external_id=name, sha256=name)
    table = (
        b"item_id,label_set,label,value\n"
        b"a,festivals,Dashain,1\na,festivals,Diwali,0\nb,cities,Patan,\n"
    )
    records = parse_gold(table, item_ids={"a", "b"}).records
    assert write_gold(plan_gold(study, records)) == {"new": 3, "changed": 0, "same": 0}
    assert plan_gold(study, records).counts == {"new": 0, "changed": 0, "same": 3}
    found = study.gold_labels.values_list("item__external_id", "label_set", "label", "value")
    assert list(found) == [
        ("a", "festivals", "Dashain", 1.0),
        ("a", "festivals", "Diwali", 0.0),
        ("b", "cities", "Patan", 1.0),
    ]
    regraded = parse_gold(table.replace(b"Diwali,0", b"Diwali,0.5"), item_ids={"a", "b"}).records
    assert write_gold(plan_gold(study, regraded)) == {"new": 0, "changed": 1, "same": 2}
    assert study.gold_labels.get(label="Diwali").value == 0.5


def test_wrong_gold_labels_are_named():
    table = b"item_id,label_set,label,value\nab,s,x,1\nabc1,s,x,1\nabc1,s,x,0\nabc1,s,y,much\n"
    problems = parse_gold(table, item_ids={"abc1"}).problems
    assert [(p.line, p.field, p.wrong) for p in problems] == [
        (2, "item_id", "No item of the study has this id"),
        (3, "label", "Also on line 4"),
        (4, "label", "Also on line 3"),
        (5, "value", "Not a number"),
    ]


# ---- the prompt book

LONG = (
    "scenario,country,category,variant,prompt\n"
    "greeting path,NP,greeting,base,Two people greet each other in Nepal\n"
    "greeting path,,,country-removed,Two people greet each other\n"
    "tea,JP,eating,base,A tea ceremony in Japan\n"
)
WIDE = (
    "scenario,country,category,base,country_removed\n"
    "greeting path,NP,greeting,Two people greet each other in Nepal,Two people greet each other\n"
    "tea,JP,eating,A tea ceremony in Japan,\n"
)


@pytest.mark.parametrize("table", [LONG, WIDE], ids=["long", "wide"])
def test_a_book_is_a_row_or_a_column_a_variant(shell, study, table):
    assert "3 new, 0 changed, 0 the same" in shell("import_scenarios", table)
    prompts = ScenarioPrompt.objects.values_list("scenario__key", "variant", "text")
    assert set(prompts) == {
        ("greeting path", "base", "Two people greet each other in Nepal"),
        ("greeting path", "country-removed", "Two people greet each other"),
        ("tea", "base", "A tea ceremony in Japan"),
    }
    assert study.scenarios.get(key="tea").country == "JP"
    assert "0 new, 0 changed, 3 the same" in shell("import_scenarios", table)
    assert "0 new, 1 changed, 2 the same" in shell(
        "import_scenarios", table.replace("A tea", "The tea")
    )
    assert study.scenarios.count() == 2


def test_rows_that_disagree_about_a_scenario_are_named():
    table = LONG.replace("greeting path,,,", "greeting path,IR,,")
    (problem,) = parse_scenarios(table.encode()).problems
    assert (problem.line, problem.field) == (3, "country")
    assert problem.wrong == "Line 2 says something else of this scenario"


def test_scenarios_whose_files_could_not_be_told_apart_are_named():
    table = b"scenario,base\ntea time,x\ntea-time,y\n"
    (problem,) = parse_scenarios(table).problems
    assert problem.wrong == "In the names of files it is the same as “tea time”"


def prompts_csv(shell, **options) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(shell("export_prompts", **options))))


def test_prompts_go_out_with_the_name_of_each_file(shell):
    shell("import_scenarios", LONG)
    rows = prompts_csv(shell, system=["Model A", "wan_2.1"], replicates=2)
    assert len(rows) == 3 * 2 * 2
    assert rows[0] == rows[0] | {
        "file": "greeting-path__base__Model-A__1",
        "prompt": "Two people greet each other in Nepal",
        "system": "Model A",
        "replicate": "1",
        "country": "NP",
    }
    assert rows[2]["file"] == "greeting-path__base__wan-2.1__1"
    with pytest.raises(CommandError, match="Name the models"):
        shell("export_prompts")


def test_files_come_back_by_their_names_and_missing_ones_are_named(shell, study, tmp_path):
    shell("import_scenarios", LONG)
    study.systems.create(name="Model A")
    folder = tmp_path / "back"
    folder.mkdir()
    rows = prompts_csv(shell, system=["Model A", "wan"], replicates=1)
    for n, row in enumerate(rows):
        if row["file"] != "tea__base__wan__1":
            (folder / f"{row['file']}.png").write_bytes(png(size=(30, 20 + n)))
    (folder / "holiday.png").write_bytes(png())
    err = io.StringIO()
    call_command("import_items", "greetings", media=folder, stdout=io.StringIO(), stderr=err)
    assert "wan: 2 of 3 files came. Missing: tea base 1." in err.getvalue()
    assert "holiday.png" in err.getvalue()
    assert study.items.count() == 5
    item = study.items.get(external_id="greeting-path__country-removed__Model-A__1")
    assert (item.scenario, item.variant, item.system.name, item.replicate, item.country) == (
        "greeting path",
        "country-removed",
        "Model A",
        "1",
        "NP",
    )
    assert item.prompt == "Two people greet each other"


def test_the_outgoing_table_is_a_table_of_items(shell, study, tmp_path):
    shell("import_scenarios", LONG)
    table = shell("export_prompts", system=["Model A"])
    folder = tmp_path / "back"
    folder.mkdir()
    for n, row in enumerate(csv.DictReader(io.StringIO(table))):
        (folder / f"{row['file']}.png").write_bytes(png(size=(30, 20 + n)))
    assert "3 new" in shell("import_items", table, media=folder)
    assert study.items.count() == 3


# ---- groups of countries


@pytest.fixture
def shipped_groups():
    """As the migration writes them; tests that commit empty every table for the next one."""
    CountryGroup.objects.all().delete()
    import_module("studies.migrations.0004_bulk_imports").add_groups(apps, None)


def test_groups_are_rows_and_a_study_may_have_its_own(study, shipped_groups):
    shared = groupings_for(study)
    assert shared["Global North and South"]["Global North"] == ["DE", "ES", "FR", "IT", "US"]
    assert len(shared["Global North and South"]["Global South"]) == 11
    assert len(shared["Cultural regions"]) == 8
    CountryGroup.objects.create(
        study=study, grouping="Global North and South", name="Rich", countries=["CH"]
    )
    own = groupings_for(study)
    assert own["Global North and South"] == {"Rich": ["CH"]}
    assert own["Cultural regions"] == shared["Cultural regions"]
