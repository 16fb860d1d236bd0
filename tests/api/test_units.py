"""Units as a list: what stands on one screen, whose it is, which probes it asks."""

from __future__ import annotations

import pytest

from annotation.models import Place
from studies import unit_probes, units
from studies.copying import duplicate_study
from studies.launch_checks import launch_checks
from studies.lifecycle import launch_study
from studies.models import Panel, Probe, Study
from tests.annotation.people import somebody
from tests.api.conftest import problem
from tests.studies.generated import add_items

pytestmark = pytest.mark.django_db
UNITS = "/api/v1/studies/greetings/units/"


@pytest.fixture
def triplets(triplet_study, mira) -> Study:
    """Three sets of three, with a bank of one probe a dimension."""
    triplet_study.owner = mira
    triplet_study.save()
    return triplet_study


def row(key: str, letters: str = "xyz", of: str = "set-1", **more) -> dict:
    return {"key": key, "items": [f"{of}-{letter}" for letter in letters]} | more


def post(api, *rows: dict):
    return api.post(UNITS, {"units": list(rows)}, format="json")


def listed(api) -> dict[str, dict]:
    return {unit["key"]: unit for unit in api.get(UNITS).json()["results"]}


def test_units_are_made_and_changed_by_their_key(api, triplets):
    made = post(api, row("new", country="NP"), row("set-1", "xyz"))
    assert made.json() == {"created": 1, "updated": 0, "unchanged": 1, "removed": 0}
    changed = post(api, row("new", "zyx"), row("set-2", of="set-2", country=""))
    assert changed.json() == {"created": 0, "updated": 2, "unchanged": 0, "removed": 0}
    found = listed(api)
    assert found["new"]["items"] == ["set-1-z", "set-1-y", "set-1-x"]
    assert (found["new"]["country"], found["set-2"]["country"]) == ("NP", "")
    assert post(api, row("new", "zyx")).json()["unchanged"] == 1


def test_putting_a_list_makes_the_units_exactly_that(api, triplets):
    response = api.put(UNITS, {"units": [row("only"), row("set-1")]}, format="json")
    assert response.json() == {"created": 1, "updated": 0, "unchanged": 1, "removed": 2}
    assert set(listed(api)) == {"only", "set-1"}


def test_probes_that_are_named_stay_and_the_others_are_drawn(api, triplets):
    Probe.objects.create(
        study=triplets, external_id="mine", scenario="else", dimension="Identity", text="Mine?"
    )
    post(api, row("named", probes=["mine"]), row("drawn"))
    unit_probes.sample_probes(triplets)
    found = listed(api)
    assert found["named"]["probes"] == ["mine"]
    assert len(found["drawn"]["probes"]) == 3
    post(api, row("named"))
    assert len(listed(api)["named"]["probes"]) == 3


def test_the_list_takes_the_place_of_the_rule_until_the_rule_is_asked_for(api, triplets, mira):
    api.put(UNITS, {"units": [row("mine")]}, format="json")
    triplets.refresh_from_db()
    assert triplets.units_by_hand
    units.rebuild(triplets)
    assert set(listed(api)) == {"mine"}
    api.patch("/api/v1/studies/greetings/", {"every_panel_rates_all": True}, format="json")
    assert set(listed(api)) == {"mine"}
    copy = duplicate_study(study=triplets, owner=mira, title="Copy", with_items=True)
    bare = duplicate_study(study=triplets, owner=mira, title="Bare", with_items=False)
    assert (copy.units_by_hand, bare.units_by_hand) == (True, False)

    data = api.post(f"{UNITS}rebuild/").json()
    # The sets of the fixture share a prompt: the rule sees one.
    assert data["units"] == 1
    assert any("Give them replicates" in sentence for sentence in data["problems"])
    assert "mine" not in listed(api)
    triplets.refresh_from_db()
    assert not triplets.units_by_hand


def test_items_that_come_later_make_no_units_of_their_own(api, mine, mira):
    address = "/api/v1/studies/weddings/units/"
    body = {"units": [{"key": "first", "items": ["np-1"]}]}
    api.put(address, body, format="json")
    add_items(mine, [{"external_id": "late", "country": "NP"}])
    mine.refresh_from_db()
    lines = [check.sentence for check in launch_checks(mine) if check.name == "Screens"]
    assert lines == ["6 items on no screen"]
    assert mine.units.get().key == "first"


def test_without_a_country_a_unit_has_that_of_its_items(api, triplets):
    add_items(triplets, [{"external_id": "in-1", "country": "IN"}])
    post(api, row("same"), {"key": "mixed", "items": ["set-1-x", "set-1-y", "in-1"]})
    found = listed(api)
    assert (found["same"]["country"], found["mixed"]["country"]) == ("NP", "")


WRONG = [
    ({}, "key", "No text"),
    ({"key": " ", "items": []}, "key", "No text"),
    (row(5), "key", "No text"),
    (row("x" * 201), "key", "201 characters long; 200 are allowed"),
    (row("a\0b"), "key", "Contains the character U+0000"),
    (row("a", country="Nepaal"), "country", "Not a country"),
    (row("a", country=["NP"]), "country", "No text"),
    (row("a", "xy"), "items", "2 items; a screen of this study shows 3"),
    (row("a", "xyzz"), "items", "An id stands twice"),
    (row("a", "xyq"), "items", "The study has no item of this id"),
    ({"key": "a", "items": "set-1-x"}, "items", "Not a list of ids"),
    ({"key": "a", "items": [1, 2, 3]}, "items", "Not a list of ids"),
    ({"key": "a", "items": None}, "items", "A unit needs items"),
    ({"key": "a", "items": ["b"] * 101}, "items", "101 ids"),
    (row("a", probes=["nothing"]), "probes", "The study has no probe of this id"),
    (row("a", probes={}), "probes", "Not a list of ids"),
    (row("a", seats=3), "seats", "There is no such field"),
]


@pytest.mark.parametrize(("wrong_row", "field", "wrong"), WRONG)
def test_a_wrong_row_is_named_and_nothing_is_written(api, triplets, wrong_row, field, wrong):
    rows = [row("good"), wrong_row or {"country": "NP"}]
    data = problem(api.post(UNITS, {"units": rows}, format="json"), "rows", 422)
    assert {"index": 1, "field": field, "wrong": wrong}.items() <= {
        **next(found for found in data["problems"] if found["field"] == field)
    }.items()
    assert "good" not in listed(api)
    triplets.refresh_from_db()
    assert not triplets.units_by_hand


def test_two_rows_of_one_key_are_both_clear(api, triplets):
    data = problem(post(api, row("a"), row("b"), row("a")), "rows", 422)
    assert [(found["index"], found["wrong"]) for found in data["problems"]] == [
        (2, "Also at index 0")
    ]


def test_an_unverified_probe_is_not_asked(api, triplets):
    triplets.probes.update(verified=False)
    name = triplets.probes.first().external_id
    data = problem(post(api, row("a", probes=[name])), "rows", 422)
    assert data["problems"][0]["wrong"] == "This probe is not verified"


def test_a_near_name_is_suggested(api, triplets):
    data = problem(post(api, {"key": "a", "items": ["set-1-x", "set-1-y", "set1-z"]}), "rows", 422)
    assert data["problems"][0]["fix"] == "Did you mean set-1-z?"


def test_an_opened_study_takes_new_units_with_places_and_keeps_the_others(api, mine, mira):
    launch_study(study=mine, by=mira)
    mine.refresh_from_db()
    somebody(mine)
    address = "/api/v1/studies/weddings/units/"
    new = {"key": "new", "items": ["np-1"]}
    same = {"key": "np-2", "items": ["np-2"]}
    response = api.post(address, {"units": [new, same]}, format="json")
    assert response.json() == {"created": 1, "updated": 0, "unchanged": 1, "removed": 0}
    assert Place.objects.filter(unit__key="new", pilot=False).count() == 3
    moved = {"key": "np-2", "items": ["np-3"]}
    response = api.post(address, {"units": [moved]}, format="json")
    data = problem(response, "rows", 422)
    assert "it stays as it is" in data["problems"][0]["wrong"]
    problem(api.put(address, {"units": [new]}, format="json"), "frozen", 409)
    problem(api.post(f"{address}rebuild/"), "frozen", 409)
    Study.objects.filter(pk=mine.pk).update(state="closed")
    problem(api.post(address, {"units": [new]}, format="json"), "frozen", 409)


def test_more_systems_than_anybody_could_rate_are_refused(api, triplets, monkeypatch):
    monkeypatch.setattr("studies.units.MAX_SETS", 0)
    data = problem(api.post(f"{UNITS}rebuild/"), "invalid", 422)
    assert "screens a prompt" in data["detail"]


def test_a_list_of_units_takes_few_queries(api, triplets, django_assert_max_num_queries):
    Panel.objects.create(study=triplets, country="IN")
    rows = [row(f"unit-{n}") for n in range(60)]
    with django_assert_max_num_queries(60):
        assert post(api, *rows).json()["created"] == 60
    with django_assert_max_num_queries(8):
        api.get(UNITS)
