"""Units from items by rule, and the probes that units are given."""

from __future__ import annotations

import pytest

from studies import presets, unit_probes, units
from studies.importing import bulk
from studies.lifecycle import launch_study
from studies.models import Item, Panel, Study, UnitItem, UnitProbe
from studies.refusals import DesignFrozen
from tests.conftest import add_likert, add_question
from tests.studies.generated import add_bank, add_items, add_triplets
from tests.studies.people import study_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(researcher) -> Study:
    return Study.objects.create(owner=researcher, title="Sets", slug="sets", seed=7)


def triplets(study: Study, scenarios=("np-01", "np-02"), systems=("luma", "sora", "wan")) -> Study:
    study.items_per_unit = 3
    study.save()
    add_triplets(study, "NP", list(scenarios), systems)
    return study


def members(study: Study) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = UnitItem.objects.filter(unit__study=study).order_by("unit__key", "position")
    for key, item in rows.values_list("unit__key", "item__external_id"):
        found.setdefault(key, []).append(item)
    return found


def test_single_items_are_units_under_their_ids_for_the_panel_of_their_country(study):
    add_items(study, [{"external_id": "a", "country": "NP"}, {"external_id": "b", "country": "IR"}])
    plan = units.rebuild(study)
    assert dict(study.units.values_list("key", "country")) == {"a": "NP", "b": "IR"}
    assert plan.problems == ()


def test_where_every_panel_rates_all_a_unit_belongs_to_no_country(study):
    study.every_panel_rates_all = True
    study.save()
    add_items(study, [{"external_id": "a", "country": "NP"}])
    units.rebuild(study)
    assert study.units.get().country == ""
    panels = [Panel.objects.create(study=study, country=code) for code in ("NP", "IR")]
    assert [panel.units().count() for panel in panels] == [1, 1]


def test_a_triplet_holds_one_item_a_system_in_the_order_of_systems(study):
    units.rebuild(triplets(study))
    assert members(study) == {
        "NP/np-01": ["NP-np-01-luma", "NP-np-01-sora", "NP-np-01-wan"],
        "NP/np-02": ["NP-np-02-luma", "NP-np-02-sora", "NP-np-02-wan"],
    }


def test_variants_and_replicates_are_triplets_of_their_own(study):
    triplets(study, ["np-01"])
    Item.objects.filter(study=study).update(variant="base", replicate="1")
    add_items(
        study,
        [
            {
                "external_id": f"extended-{system}",
                "country": "NP",
                "scenario": "np-01",
                "variant": "extended",
                "replicate": "1",
                "system": system,
            }
            for system in ("luma", "sora", "wan")
        ],
    )
    plan = units.rebuild(study)
    assert set(members(study)) == {"NP/np-01/base/1", "NP/np-01/extended/1"}
    assert plan.problems == ()


def test_a_missing_member_is_named_with_how_many_are_complete(study):
    triplets(study, [f"np-{n:02d}" for n in range(1, 33)])
    Item.objects.get(external_id="NP-np-07-wan").delete()
    plan = units.rebuild(study)
    assert plan.problems == (
        "Prompt np-07: no video of model wan.",
        "31 of 32 triplets are complete.",
    )
    assert study.units.count() == 31


def test_two_items_of_one_system_and_prompt_are_named(study):
    triplets(study, ["np-01"])
    twin = {"external_id": "twin", "country": "NP", "scenario": "np-01", "kind": "video"}
    add_items(study, [twin | {"system": "wan"}])
    problems = units.rebuild(study).problems
    assert problems[0] == (
        "Prompt np-01: 2 videos of model wan (NP-np-01-wan and twin); NP-np-01-wan is shown. "
        "Give them replicates."
    )
    assert members(study) == {"NP/np-01": ["NP-np-01-luma", "NP-np-01-sora", "NP-np-01-wan"]}


def test_items_without_a_system_are_on_no_screen_and_are_named(study):
    triplets(study, ["np-01"])
    add_items(study, [{"external_id": "photo", "country": "NP", "scenario": "np-01"}])
    assert units.rebuild(study).problems == (
        "Items without a model are on no screen: photo.",
        "1 of 1 triplets are complete.",
    )


def test_more_systems_than_places_give_every_combination(study):
    units.rebuild(triplets(study, ["np-01"], ("luma", "pika", "sora", "wan")))
    assert list(members(study)) == [
        "NP/np-01/luma+pika+sora",
        "NP/np-01/luma+pika+wan",
        "NP/np-01/luma+sora+wan",
        "NP/np-01/pika+sora+wan",
    ]


def test_combinations_that_nobody_could_rate_are_refused(study, monkeypatch):
    monkeypatch.setattr(units, "MAX_SETS", 7)
    triplets(study, ["np-01", "np-02"], ("luma", "pika", "sora", "wan"))
    with pytest.raises(units.TooManySets, match="4 models in sets of 3 give 4 screens a prompt"):
        units.rebuild(study)


def test_fewer_systems_than_places_are_told(study):
    plan = units.rebuild(triplets(study, ["np-01"], ("luma", "wan")))
    assert plan.units == ()
    assert plan.problems[0] == "The items are of 2 models; a screen shows 3."


def test_making_them_again_changes_no_row(study):
    units.rebuild(triplets(study))
    before = list(UnitItem.objects.order_by("pk").values())
    units.rebuild(study)
    assert list(UnitItem.objects.order_by("pk").values()) == before


def test_a_new_setting_makes_other_units_and_leaves_none_behind(study):
    units.rebuild(triplets(study))
    study.items_per_unit = 1
    study.save()
    units.rebuild(study)
    assert study.units.count() == study.items.count() == 6
    study.items_per_unit = 3
    study.save()
    units.rebuild(study)
    assert set(members(study)) == {"NP/np-01", "NP/np-02"}


def test_a_long_prompt_gives_a_key_that_fits_and_is_unique(study):
    study.items_per_unit = 2
    study.save()
    for tail in ("x", "y"):
        add_items(
            study,
            [
                {
                    "external_id": f"{tail}-{system}",
                    "country": "NP",
                    "prompt": "long " * 60 + tail,
                    "system": system,
                }
                for system in ("luma", "wan")
            ],
        )
    units.rebuild(study)
    keys = list(study.units.values_list("key", flat=True))
    assert len(set(keys)) == 2
    assert max(map(len, keys)) <= 200


def test_units_of_an_opened_study_are_never_touched(live_study):
    before = list(live_study.units.values())
    with pytest.raises(DesignFrozen, match="stay as they are"):
        units.rebuild(live_study)
    assert list(live_study.units.values()) == before


def test_units_follow_the_study_form(client, study):
    triplets(study)
    study.every_panel_rates_all = False
    study.save()
    units.rebuild(study)
    client.force_login(study.owner)
    address = f"/admin/studies/study/{study.pk}/change/"
    reply = client.post(address, study_form(study, items_per_unit=1, public_title="Sets"))
    assert reply.status_code == 302, reply.content.decode()
    assert study.units.count() == 6


def test_units_follow_a_setting_that_is_reset(researcher):
    preset = presets.get("culturescore", researcher)
    study = presets.create_study(preset=preset, owner=researcher, title="Reset")
    Study.objects.filter(pk=study.pk).update(items_per_unit=1)
    add_triplets(study, "BR", ["tea"])
    study.refresh_from_db()
    units.rebuild(study)
    assert study.units.count() == 3
    presets.reset_setting(study=study, name="items_per_unit")
    assert set(members(study)) == {"BR/tea"}


# ---- probes


def with_bank(study: Study, scenarios=("np-01", "np-02"), each: int = 9) -> Study:
    triplets(study, scenarios)
    add_bank(study, "NP", list(scenarios), each=each)
    add_question(study, "relevance", "yes_no", text="Ask {probe}?", asked_of="probe")
    units.rebuild(study)
    return study


def given(study: Study) -> dict[str, list[tuple[str, str]]]:
    rows = UnitProbe.objects.filter(unit__study=study).order_by("unit__key", "position")
    found: dict[str, list[tuple[str, str]]] = {}
    for key, dimension, probe in rows.values_list(
        "unit__key", "probe__dimension", "probe__external_id"
    ):
        found.setdefault(key, []).append((dimension, probe))
    return found


def test_every_unit_gets_one_probe_a_dimension_of_its_scenario(study):
    assert unit_probes.sample_probes(with_bank(study)) == 6
    for key, probes in given(study).items():
        assert [dimension for dimension, _ in probes] == ["Identity", "Behavior", "Context"]
        assert all(probe.startswith(key.replace("/", "-")) for _, probe in probes)


def test_the_seed_says_which_probes_and_other_units_do_not(study):
    with_bank(study)
    unit_probes.sample_probes(study)
    first = given(study)
    unit_probes.sample_probes(study)
    assert given(study) == first
    with_more = [f"np-{n:02d}" for n in range(3, 9)]
    add_triplets(study, "NP", with_more, ("luma", "sora", "wan"))
    add_bank(study, "NP", with_more, each=9)
    units.rebuild(study)
    unit_probes.sample_probes(study)
    assert {key: given(study)[key] for key in first} == first
    study.seed = 8
    study.save()
    unit_probes.sample_probes(study)
    assert {key: given(study)[key] for key in first} != first


def test_unverified_probes_stay_in_the_bank(study):
    with_bank(study)
    study.probes.exclude(external_id__endswith="-5").update(verified=False)
    unit_probes.sample_probes(study)
    chosen = {probe for probes in given(study).values() for _, probe in probes}
    assert chosen and all(probe.endswith("-5") for probe in chosen)


def test_a_unit_without_a_probe_of_a_dimension_is_named(study):
    with_bank(study)
    study.probes.filter(scenario="np-02", dimension="Context").update(verified=False)
    assert unit_probes.missing_probes(study) == ["NP/np-02: no verified probe of Context"]


def test_probes_of_any_country_serve_where_a_country_has_none(study):
    with_bank(study)
    study.probes.update(country="")
    assert unit_probes.sample_probes(study) == 6


def test_without_questions_of_probes_nothing_is_sampled(study):
    triplets(study)
    add_bank(study, "NP", ["np-01"])
    add_likert(study, "faithfulness")
    units.rebuild(study)
    assert unit_probes.sample_probes(study) == 0


def test_the_launch_freezes_the_probes(triplet_study, researcher):
    launch_study(study=triplet_study, by=researcher, note="As published.")
    triplet_study.refresh_from_db()
    before = list(UnitProbe.objects.values())
    assert len(before) == 9
    unit_probes.sample_probes(triplet_study)
    assert list(UnitProbe.objects.values()) == before


@pytest.fixture
def triplets_of_many(transactional_db, researcher) -> Study:
    study = Study.objects.create(owner=researcher, title="Sets", slug="many", seed=7)
    return triplets(study, [f"np-{n:02}" for n in range(10)])


def test_many_sets_are_made_in_several_short_transactions(triplets_of_many, monkeypatch):
    """Whoever rates in another study waits for one batch, not for all."""
    monkeypatch.setattr("studies.importing.bulk.BREATH", 0)
    monkeypatch.setattr(units, "AT_ONCE", 5)
    monkeypatch.setattr(bulk, "BATCH", 4)
    batches = []
    real = units._Work._write
    monkeypatch.setattr(
        units._Work, "_write", lambda work, part: (batches.append(len(part)), real(work, part))
    )
    study = triplets_of_many
    units.rebuild(study)
    assert batches == [4, 4, 2]
    assert units.unit_sizes(study) == {3: 10}
    before = list(study.units.order_by("pk").values_list("pk", "key"))
    units.rebuild(study)
    assert batches == [4, 4, 2]
    assert list(study.units.order_by("pk").values_list("pk", "key")) == before


def test_sets_whose_making_broke_off_are_finished_by_making_them_again(
    triplets_of_many, monkeypatch
):
    monkeypatch.setattr("studies.importing.bulk.BREATH", 0)
    monkeypatch.setattr(units, "AT_ONCE", 5)
    monkeypatch.setattr(bulk, "BATCH", 4)
    study, real = triplets_of_many, units._Work._write

    def breaks_off(work, part):
        real(work, part)
        if study.units.count() > 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as breaking, pytest.raises(KeyboardInterrupt):
        breaking.setattr(units._Work, "_write", breaks_off)
        units.rebuild(study)
    assert units.unit_sizes(study) == {3: 4}
    units.rebuild(study)
    assert units.unit_sizes(study) == {3: 10}
