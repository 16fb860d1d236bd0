"""Studies made from presets, looked at, changed, launched and put away, by a program."""

from __future__ import annotations

import pytest

from annotation.assignment import claim_next_unit
from api.study_data import SETTINGS
from studies import presets
from studies.admin_study_form import FIELDS
from studies.lifecycle import launch_study
from studies.models import AnalysisPlan, Study
from tests.annotation.people import send, somebody
from tests.api.conftest import problem

pytestmark = pytest.mark.django_db
STUDIES = "/api/v1/studies/"
WEDDINGS = f"{STUDIES}weddings/"


def changed(api, values: dict, slug: str = "weddings"):
    return api.patch(f"{STUDIES}{slug}/", values, format="json")


def posted(api, address: str, body: dict | None = None):
    return api.post(WEDDINGS + address, body or {}, format="json")


# ---- presets


def test_presets_are_the_published_ones_and_ones_own(api, study, mira, researcher):
    presets.save_preset(study=study, owner=mira, name="My greetings")
    presets.save_preset(study=study, owner=researcher, name="Not mine")
    rows = api.get("/api/v1/presets/").json()
    assert [row["name"] for row in rows if row["is_saved"]] == ["My greetings"]
    assert [row["key"] for row in rows if not row["is_saved"]] == list(presets.published())


def test_a_preset_says_which_setting_is_published(api):
    data = api.get("/api/v1/presets/cultivate/").json()
    rows = {row["name"]: row for row in data["settings"]}
    assert set(data["questions"]) <= {name.removeprefix("questions.") for name in rows}
    assert {row["status"] for row in rows.values()} == {"published", "inferred", "ours"}
    problem(api.get("/api/v1/presets/saved-99/"), "not-found", 404)


# ---- making


@pytest.mark.parametrize("key", list(presets.published()))
def test_a_preset_makes_the_complete_study(api, mira, key):
    response = api.post(STUDIES, {"preset": key, "title": f"A {key}"}, format="json")
    assert response.status_code == 201
    data = response.json()
    assert response["Location"] == data["links"]["api"] == f"http://testserver{STUDIES}a-{key}/"
    made = Study.objects.get(slug=f"a-{key}")
    assert (made.owner, made.state, data["state"]) == (mira, "draft", "draft")
    wanted = presets.published()[key]
    assert data["counts"]["questions"] == len(wanted.questions)
    assert len(data["panels"]) == len(wanted.settings["panels"].value)


def test_the_short_address_may_be_chosen_once(api):
    body = {"preset": "blank", "title": "Weddings", "slug": "w26"}
    assert api.post(STUDIES, body, format="json").json()["slug"] == "w26"
    errors = problem(api.post(STUDIES, body, format="json"), "invalid", 422)["errors"]
    assert errors == [{"field": "slug", "wrong": "This short address is taken."}]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "preset"),
        ({"preset": "blank"}, "title"),
        ({"preset": "blank", "title": ""}, "title"),
        ({"preset": "blank", "title": "x" * 201}, "title"),
        ({"preset": "blank", "title": "a\0b"}, "title"),
        ({"preset": "blank", "title": ["a"]}, "title"),
        ({"preset": "blank", "title": "A", "slug": "no blanks"}, "slug"),
        ({"preset": "blank", "title": "A", "slug": "import"}, "slug"),
        ({"preset": "nothing", "title": "A"}, "preset"),
        ({"preset": "saved-1", "title": "A"}, "preset"),
        ({"preset": {"a": 1}, "title": "A"}, "preset"),
        ([], ""),
        ("text", ""),
        (3, ""),
        (None, "preset"),
    ],
)
def test_what_is_wrong_with_a_new_study_is_named(api, body, field):
    data = problem(api.post(STUDIES, body, format="json"), "invalid", 422)
    assert field in [row["field"] for row in data["errors"]]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"{", "not valid JSON"),
        (b"\xff", "not UTF-8"),
        (b'{"title": NaN}', "NaN is no JSON number"),
        (b'{"title": "a", "title": "b"}', "'title' stands twice"),
        (b'{"title": "\\ud800"}', "half of a character"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"title": ' + b"9" * 5000 + b"}", "not valid JSON"),
    ],
)
def test_a_body_that_is_no_plain_json_is_refused(api, body, wrong):
    response = api.post(STUDIES, body, content_type="application/json")
    assert wrong in problem(response, "malformed", 400)["detail"]


# ---- looking


def test_a_study_tells_its_state_numbers_and_links(api, mine, mira):
    launch_study(study=mine, by=mira)
    mine.refresh_from_db()
    person = somebody(mine)
    for _ in range(2):
        send(mine, claim_next_unit(participation=person))
    data = api.get(WEDDINGS).json()
    assert (data["state"], data["revision"]) == ("live", 1)
    assert data["counts"] | {"items": 6, "units": 6, "questions": 4} == data["counts"]
    assert data["progress"] == {"ratings_wanted": 18, "ratings_done": 2}
    panel = data["panels"][0]
    assert (panel["country"], panel["units"], panel["ratings_wanted"]) == ("NP", 6, 18)
    assert (panel["ratings_done"], panel["pilot_done"]) == (2, 0)
    mine.refresh_from_db()
    assert data["links"]["annotators"] == mine.entry_link
    assert set(data["settings"]) == set(SETTINGS)


def test_every_setting_of_the_studys_page_is_a_setting_here():
    assert set(SETTINGS) == set(FIELDS)


def test_one_study_takes_few_queries(api, mine, django_assert_max_num_queries):
    api.get(WEDDINGS)
    with django_assert_max_num_queries(11):
        api.get(WEDDINGS)


def test_the_list_is_paged_and_filtered(api, study, mine):
    assert api.get(STUDIES, {"limit": 1}).json()["next"].endswith("?limit=1&offset=1")
    posted(api, "archive/")
    assert [row["slug"] for row in api.get(STUDIES).json()["results"]] == ["greetings"]
    rows = api.get(STUDIES, {"archived": "yes"}).json()["results"]
    assert [row["slug"] for row in rows] == ["weddings"]
    assert api.get(STUDIES, {"archived": "all", "state": "live"}).json()["count"] == 0
    problem(api.get(STUDIES, {"state": "asleep"}), "invalid", 422)
    for strange in ({"limit": "-1"}, {"offset": "x"}, {"limit": "9" * 30}, {"offset": "9" * 30}):
        assert api.get(STUDIES, strange).status_code == 200


# ---- changing


def test_a_draft_takes_every_setting(api, mine):
    values = {
        "title": "Weddings 2026",
        "slug": "w26",
        "sound": "judged",
        "pay_per_hour": "12.50",
        "completion_url": "https://app.prolific.com/submissions/complete?cc=X",
        "watch_share": 0.5,
        "base_language": "fa",
    }
    data = changed(api, values).json()
    assert {name: data["settings"][name] for name in values} == values
    mine.refresh_from_db()
    assert (mine.slug, mine.revision) == ("w26", 0)


def test_screens_of_a_draft_follow_the_settings_they_rest_on(api, mine):
    changed(api, {"every_panel_rates_all": True})
    assert set(mine.units.values_list("country", flat=True)) == {""}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"state": "live"}, "state"),
        ({"owner": 1}, "owner"),
        ({"seed": 1}, "seed"),
        ({"title": None}, "title"),
        ({"units_per_session": 0}, "units_per_session"),
        ({"units_per_session": 10**30}, "units_per_session"),
        ({"units_per_session": "ten"}, "units_per_session"),
        ({"units_per_session": True}, "units_per_session"),
        ({"watch_share": "nan"}, "watch_share"),
        ({"watch_share": 1.5}, "watch_share"),
        ({"pay_per_hour": "NaN"}, "pay_per_hour"),
        ({"pay_per_hour": -1}, "pay_per_hour"),
        ({"pay_per_hour": "1e9"}, "pay_per_hour"),
        ({"completion_url": "http://example.org"}, "completion_url"),
        ({"completion_url": "javascript:alert(1)"}, "completion_url"),
        ({"base_language": "klingon"}, "base_language"),
        ({"sound": "loud"}, "sound"),
        ({"consent_summary": "a\0b"}, "consent_summary"),
        ({"slug": "greetings"}, "slug"),
        ({"slug": "import"}, "slug"),
        ({"note": "x" * 1001}, "note"),
    ],
)
def test_a_wrong_setting_is_named_and_nothing_changes(api, mine, study, values, field):
    before = Study.objects.filter(pk=mine.pk).values().get()
    errors = problem(changed(api, {"title": "New"} | values), "invalid", 422)["errors"]
    assert {row["field"] for row in errors} == {field}
    assert Study.objects.filter(pk=mine.pk).values().get() == before


def test_a_launched_study_takes_what_may_change_as_the_next_revision(api, mine, mira):
    launch_study(study=mine, by=mira)
    data = changed(api, {"units_per_session": 4, "note": "People grew tired."}).json()
    assert (data["revision"], data["settings"]["units_per_session"]) == (2, 4)
    revision = mine.revisions.get(number=2)
    assert (revision.created_by, revision.note) == (mira, "People grew tired.")
    same = changed(api, {"units_per_session": 4})
    assert same.json()["revision"] == 2


def test_what_answers_rest_on_stays(api, mine, mira):
    launch_study(study=mine, by=mira)
    data = problem(changed(api, {"sound": "judged", "title": "New"}), "frozen", 409)
    assert data["sentences"] == [
        "“sound” (sound) cannot change once the study was opened. Duplicate the study."
    ]
    mine.refresh_from_db()
    assert (mine.title, mine.sound, mine.revision) == ("Weddings", "off", 1)
    errors = problem(changed(api, {"consent_summary": " "}), "invalid", 422)["errors"]
    assert errors[0]["field"] == "consent_summary"


def test_the_archive_is_read_only(api, mine):
    assert posted(api, "archive/").json()["archived_at"]
    problem(changed(api, {"title": "New"}), "wrong-state", 409)
    problem(posted(api, "launch/"), "wrong-state", 409)
    rows = {"items": [{"item_id": "a", "url": "https://example.org/a.png"}]}
    problem(posted(api, "items/", rows), "wrong-state", 409)
    problem(posted(api, "units/", {"units": [{"key": "a"}]}), "wrong-state", 409)
    problem(posted(api, "units/rebuild/"), "wrong-state", 409)
    assert posted(api, "archive/", {"archived": False}).json()["archived_at"] is None


# ---- panels


def put_panels(api, *rows):
    return api.put(f"{WEDDINGS}panels/", {"panels": list(rows)}, format="json")


def test_panels_of_a_draft_are_replaced_and_keep_what_is_not_said(api, mine):
    mine.panels.update(ratings_per_unit=5, seats=30)
    rows = [{"country": "Nepal", "more_languages": ["en", "ne", "en"]}, {"country": "IN"}]
    found = {row["country"]: row for row in put_panels(api, *rows).json()["panels"]}
    assert found.keys() == {"NP", "IN"}
    assert (found["NP"]["seats"], found["NP"]["more_languages"]) == (30, ["en", "ne"])
    assert found["IN"]["ratings_per_unit"] == 5
    only = put_panels(api, {"country": "IN", "seats": None}).json()["panels"]
    assert [(row["country"], row["seats"]) for row in only] == [("IN", None)]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "panels.0.country"),
        ({"country": "Nepaal"}, "panels.0.country"),
        ({"country": "NP", "language": "klingon"}, "panels.0.language"),
        ({"country": "NP", "more_languages": ["xx"]}, "panels.0.more_languages"),
        ({"country": "NP", "seats": 0}, "panels.0.seats"),
        ({"country": "NP", "seats": 2**31}, "panels.0.seats"),
        ({"country": "NP", "ratings_per_unit": 0}, "panels.0.ratings_per_unit"),
        ("NP", "panels.0"),
    ],
)
def test_a_wrong_panel_is_named_and_nothing_changes(api, mine, row, field):
    errors = problem(put_panels(api, row), "invalid", 422)["errors"]
    assert errors[0]["field"].startswith(field)
    assert mine.panels.get().country == "NP"


def test_one_country_has_one_panel_and_an_opened_study_keeps_its_own(api, mine, mira):
    twice = problem(put_panels(api, {"country": "NP"}, {"country": "Nepal"}), "invalid", 422)
    assert [error["field"] for error in twice["errors"]] == ["panels"]
    launch_study(study=mine, by=mira)
    problem(put_panels(api, {"country": "IN"}), "frozen", 409)
    assert mine.panels.get().country == "NP"


# ---- life


def test_the_check_list_names_what_stops(api, study):
    data = api.get(f"{STUDIES}greetings/launch-checks/").json()
    assert data["ready"] is False
    first = data["checks"][0]
    assert first["mark"] == "stop"
    assert first["url"].startswith("http://testserver/admin/studies/study/")


def test_stops_refuse_a_launch_by_name(api, study):
    response = api.post(f"{STUDIES}greetings/launch/", {}, format="json")
    data = problem(response, "stops", 422)
    assert {"Items", "Questions"} <= {row["name"] for row in data["stops"]}
    assert all(row["sentence"] and row["url"] for row in data["stops"])
    problem(api.post(f"{STUDIES}greetings/pilot/", {}, format="json"), "stops", 422)


def test_a_launch_is_one_and_a_second_is_told_so(api, mine):
    assert api.get(f"{WEDDINGS}launch-checks/").json()["ready"] is True
    assert posted(api, "launch/").json()["state"] == "live"
    assert "is live already" in problem(posted(api, "launch/"), "wrong-state", 409)["detail"]
    problem(posted(api, "pilot/"), "wrong-state", 409)
    assert mine.revisions.count() == 1


def test_the_plan_is_fixed_with_the_launch_or_neither(api, mine):
    with_plan = {"fix_plan": True}
    AnalysisPlan.objects.create(study=mine)
    data = problem(posted(api, "launch/", with_plan), "wrong-state", 409)
    assert "names no agreement coefficient" in data["detail"]
    mine.refresh_from_db()
    assert mine.is_draft
    AnalysisPlan.objects.filter(study=mine).update(coefficients=["alpha"])
    assert posted(api, "launch/", with_plan).json()["state"] == "live"
    assert AnalysisPlan.objects.get(study=mine).is_fixed


def test_without_attention_checks_a_note_says_why(api, mine):
    mine.attention_checks.all().delete()
    assert api.get(f"{WEDDINGS}launch-checks/").json()["needs_note"] is True
    data = problem(posted(api, "launch/"), "note-missing", 422)
    assert data["warnings"][0]["needs_note"] is True
    problem(posted(api, "launch/", {"note": " "}), "note-missing", 422)
    launched = posted(api, "launch/", {"note": "As published."}).json()
    assert (launched["state"], launched["launch_note"]) == ("live", "As published.")


def test_a_study_moves_as_it_does_in_the_workshop(api, mine):
    assert posted(api, "pilot/").json()["state"] == "pilot"
    problem(posted(api, "move/", {"move": "resume"}), "wrong-state", 409)
    for move, state in (
        ("pause", "paused"),
        ("resume", "pilot"),
        ("close", "closed"),
        ("reopen", "paused"),
    ):
        assert posted(api, "move/", {"move": move}).json()["state"] == state
    problem(posted(api, "move/", {"move": "delete"}), "invalid", 422)
    problem(posted(api, "archive/"), "wrong-state", 409)


def test_a_copy_is_a_draft_of_ones_own(api, mine):
    posted(api, "launch/")
    response = posted(api, "duplicate/", {"title": "Second round"})
    data = response.json()
    assert (response.status_code, data["state"], data["counts"]["items"]) == (201, "draft", 6)
    bare = posted(api, "duplicate/", {"title": "Bare", "with_items": False}).json()
    assert bare["counts"]["items"] == 0
    problem(posted(api, "duplicate/", {"title": ""}), "invalid", 422)
