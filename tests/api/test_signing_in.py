"""Who may use the API, and with whose studies."""

from __future__ import annotations

import hashlib

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import ApiToken, User
from accounts.tokens import make_token, revoke_token
from tests.api.conftest import problem, signed_in
from tests.studies.people import a_researcher

pytestmark = pytest.mark.django_db
STUDIES = "/api/v1/studies/"


def bearer(text: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=text)
    return client


def test_nobody_is_told_to_sign_in(db):
    response = APIClient().get(STUDIES)
    assert "/account/tokens/" in problem(response, "not-signed-in", 401)["detail"]
    assert response["WWW-Authenticate"] == 'Bearer realm="Concord"'


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer concord_" + "x" * 43,
        "Bearer concord_short",
        "Bearer \x7f\x01",
        "Bearer a b c",
        "bearer concord_é" + "x" * 42,
    ],
)
def test_a_wrong_token_is_told_so_and_never_taken_for_a_session(db, header, mira):
    client = bearer(header)
    client.force_login(mira)
    data = problem(client.get(STUDIES), "not-signed-in", 401)
    assert "unknown or was revoked" in data["detail"]


def test_another_scheme_is_nobody(db):
    problem(bearer("Basic bWlyYTpjb3JyZWN0").get(STUDIES), "not-signed-in", 401)


def test_a_token_is_kept_as_a_digest_only(mira):
    token, text = make_token(user=mira, name="import script")
    assert text.startswith("concord_")
    assert len(text) == 51  # 256 bits
    assert token.digest == hashlib.sha256(text.encode()).hexdigest()
    kept = str(ApiToken.objects.filter(pk=token.pk).values().get())
    assert text not in kept
    assert text[len(token.prefix) :] not in kept
    assert bearer(f"Bearer {text}").get(STUDIES).status_code == 200


def test_a_revoked_token_opens_nothing(mira):
    token, text = make_token(user=mira, name="import script")
    revoke_token(token)
    problem(bearer(f"Bearer {text}").get(STUDIES), "not-signed-in", 401)


def test_a_person_who_may_no_longer_sign_in_has_no_token_either(mira):
    _, text = make_token(user=mira, name="import script")
    User.objects.filter(pk=mira.pk).update(is_active=False)
    problem(bearer(f"Bearer {text}").get(STUDIES), "not-signed-in", 401)


def test_use_is_noted_at_most_once_a_minute(api, mira, django_assert_num_queries):
    assert mira.api_tokens.get().last_used_at is None
    api.get("/api/v1/presets/")
    noted = mira.api_tokens.get().last_used_at
    assert noted is not None
    with django_assert_num_queries(2):  # token, count: nothing is written
        api.get(STUDIES)
    assert mira.api_tokens.get().last_used_at == noted


def test_a_person_without_the_workshop_is_refused(db):
    outsider = User.objects.create_user("otto", password="correct horse")
    problem(signed_in(outsider).get(STUDIES), "not-allowed", 403)


def test_a_colleague_looks_but_makes_and_changes_nothing(colleague):
    client = signed_in(colleague)
    assert client.get(STUDIES).json()["count"] == 0
    body = {"preset": "blank", "title": "Mine"}
    data = problem(client.post(STUDIES, body, format="json"), "not-allowed", 403)
    assert "may look" in data["detail"]


def test_the_studies_of_others_are_not_there(study, db):
    client = signed_in(a_researcher("noor"))
    assert client.get(STUDIES).json()["results"] == []
    base = f"{STUDIES}greetings/"
    for address in ("", "launch-checks/", "items/", "units/", "imports/", "imports/1/"):
        problem(client.get(base + address), "not-found", 404)
    problem(client.patch(base, {"title": "Ours"}, format="json"), "not-found", 404)
    for address in (
        *("launch/", "pilot/", "move/", "archive/", "duplicate/", "items/", "probes/"),
        *("descriptors/", "gold-labels/", "scenarios/", "units/", "units/rebuild/"),
        "imports/1/confirm/",
    ):
        problem(client.post(base + address, {}, format="json"), "not-found", 404)
    study.refresh_from_db()
    assert study.title == "Greetings"


def test_an_import_is_found_under_its_own_study_only(api, study, mira):
    other = type(study).objects.create(owner=mira, title="B", slug="b", public_title="B")
    rows = {"gold_labels": [{"item_id": "a", "label_set": "s", "label": "l"}]}
    made = api.post(f"{STUDIES}greetings/gold-labels/", rows, format="json").json()
    assert api.get(f"{STUDIES}greetings/imports/{made['id']}/").status_code == 200
    problem(api.get(f"{STUDIES}{other.slug}/imports/{made['id']}/"), "not-found", 404)


def test_a_superuser_sees_all(study, researcher):
    assert signed_in(researcher).get(STUDIES).json()["count"] == 1


def test_a_session_writes_with_its_form_token_only(study, mira):
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(mira)
    assert strict.get(STUDIES).status_code == 200
    change = {"title": "Changed by another site"}
    data = problem(strict.patch(f"{STUDIES}greetings/", change, format="json"), "not-allowed", 403)
    assert "CSRF" in data["detail"]
    study.refresh_from_db()
    assert study.title == "Greetings"
    strict.get("/account/tokens/")
    key = strict.cookies["csrftoken"].value
    allowed = strict.patch(
        f"{STUDIES}greetings/", {"title": "Mine"}, format="json", headers={"X-CSRFToken": key}
    )
    assert allowed.status_code == 200


def test_too_many_requests_are_told_to_wait(api, settings):
    settings.API_RATES = {"requests": "3/min", "imports": "1/min"}
    cache.clear()
    assert [api.get(STUDIES).status_code for _ in range(3)] == [200, 200, 200]
    response = api.get(STUDIES)
    problem(response, "too-many", 429)
    assert 0 < int(response["Retry-After"]) <= 61


def test_bulk_requests_have_a_brake_of_their_own(api, study, settings):
    settings.API_RATES = {"requests": "100/min", "imports": "1/min"}
    cache.clear()
    body = {"units": [{"key": "x"}]}
    problem(api.post(f"{STUDIES}greetings/units/", body, format="json"), "rows", 422)
    problem(api.post(f"{STUDIES}greetings/units/", body, format="json"), "too-many", 429)
    assert api.get(f"{STUDIES}greetings/units/").status_code == 200


@pytest.mark.parametrize("address", ["nothing/", "studies", "studies/../", "", "studies/a/b/c/"])
def test_unknown_addresses_answer_in_json(api, address):
    data = problem(api.get(f"/api/v1/{address}"), "not-found", 404)
    assert "end with a slash" in data["detail"]


def test_other_methods_and_types_are_refused_in_json(api, study):
    problem(api.delete(f"{STUDIES}greetings/"), "method", 405)
    problem(api.get(f"{STUDIES}greetings/launch/"), "method", 405)
    response = api.post(STUDIES, "title=x", content_type="application/x-www-form-urlencoded")
    problem(response, "media-type", 415)
    problem(api.get(STUDIES, headers={"Accept": "text/html"}), "not-acceptable", 406)


def test_words_are_english_whatever_is_preferred(api):
    response = api.post(STUDIES, {}, format="json", headers={"Accept-Language": "fa"})
    errors = problem(response, "invalid", 422)["errors"]
    assert {row["wrong"] for row in errors} == {"This field is required."}


def test_answers_are_private(api, study):
    response = api.get(STUDIES)
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert response["Cache-Control"] == "no-store"


# ---- the page of tokens


@pytest.fixture
def browser(mira) -> Client:
    client = Client()
    client.force_login(mira)
    return client


def test_a_token_is_made_and_shown_once(browser, mira):
    response = browser.post("/account/tokens/", {"name": "import script"})
    assert response.status_code == 201
    assert "no-store" in response["Cache-Control"]
    page = response.content.decode()
    text = page.split('value="concord_')[1].split('"')[0]
    assert bearer(f"Bearer concord_{text}").get(STUDIES).status_code == 200
    again = browser.get("/account/tokens/").content.decode()
    assert text not in again
    assert f"{mira.api_tokens.get().prefix}…" in again


def test_a_page_sent_twice_makes_one_token(browser, mira):
    browser.post("/account/tokens/", {"name": "import script"})
    response = browser.post("/account/tokens/", {"name": "import script"})
    assert response.status_code == 422
    assert "You have a token “import script”" in response.content.decode()
    assert mira.api_tokens.count() == 1


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "a\0b"])
def test_a_token_needs_a_name(browser, mira, name):
    assert browser.post("/account/tokens/", {"name": name}).status_code == 422
    assert mira.api_tokens.count() == 0


def test_a_name_is_free_again_once_its_token_is_revoked(browser, mira):
    browser.post("/account/tokens/", {"name": "import script"})
    token = mira.api_tokens.get()
    response = browser.post(f"/account/tokens/{token.pk}/revoke/", follow=True)
    assert "opens nothing any more" in response.content.decode()
    token.refresh_from_db()
    assert token.is_revoked
    assert browser.post("/account/tokens/", {"name": "import script"}).status_code == 201


def test_the_tokens_of_others_cannot_be_revoked(browser, colleague):
    token, _ = make_token(user=colleague, name="ben's")
    assert browser.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    token.refresh_from_db()
    assert not token.is_revoked


def test_the_page_of_tokens_is_for_researchers(client, db):
    assert client.get("/account/tokens/").status_code == 302
    client.force_login(User.objects.create_user("otto"))
    assert client.get("/account/tokens/").status_code == 403


def test_who_runs_the_site_can_revoke_any_token(client, researcher, mira):
    token, _ = make_token(user=mira, name="lost laptop")
    client.force_login(researcher)
    page = client.get("/admin/accounts/apitoken/").content.decode()
    assert token.prefix in page
    assert token.digest not in page
    form = {"action": "revoke", "_selected_action": [token.pk]}
    client.post("/admin/accounts/apitoken/", form)
    token.refresh_from_db()
    assert token.is_revoked
