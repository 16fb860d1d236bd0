"""What every answer carries, what none may carry, and what nobody can make the site do."""

import gzip

import pytest
from django.test import Client

from annotation.assignment import claim_next_unit
from tests.annotation.people import form, somebody

pytestmark = pytest.mark.django_db
POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
)


@pytest.fixture
def person(live_study):
    who = somebody(live_study)
    claim_next_unit(participation=who)
    return who


def booth_addresses(person) -> list[str]:
    pages = ("", "1/", "help/", "withdraw/", "1/problem/", "now/", "end/", "consent/")
    return [f"/a/{person.token}/{page}" for page in pages]


def addresses(study, person) -> list[str]:
    return [
        *booth_addresses(person),
        study.entry_path,
        study.items.first().media_url,
        "/",
        "/robots.txt",
        "/account/tokens/",
        "/api/v1/studies/",
        "/api/v1/schema/",
        "/nothing/",
        "/a/nobody/",
        "/media/nothing",
        "/admin/login/",
        "/admin/",
        "/admin/jsi18n/",
        f"/admin/studies/study/{study.pk}/change/",
        f"/studies/{study.slug}/monitor/",
        f"/studies/{study.slug}/report/",
    ]


def test_every_answer_has_the_policy_and_is_not_framed_sniffed_or_told_on(
    live_study, person, researcher
):
    signed_in = Client()
    signed_in.force_login(researcher)
    for url in addresses(live_study, person):
        for client in (Client(), signed_in):
            response = client.get(url)
            policy = response["Content-Security-Policy"]
            assert [part for part in POLICY if part not in policy] == [], url
            assert "unsafe" not in policy
            assert response["X-Frame-Options"] == "DENY"
            assert response["X-Content-Type-Options"] == "nosniff"
            assert response["Referrer-Policy"] == "same-origin"


def test_a_failure_has_the_policy_too_and_tells_nothing(live_study, person, monkeypatch):
    def fail(**kwargs):
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("annotation.views_rating.claim_next_unit", fail)
    response = Client(raise_request_exception=False).get(f"/a/{person.token}/1/")
    assert response.status_code == 500
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "secret" not in response.content.decode()
    assert "What was saved before is safe." in response.content.decode()


@pytest.mark.parametrize("method", ["put", "patch", "delete", "trace", "options"])
def test_other_methods_do_nothing(live_study, person, method):
    for url in addresses(live_study, person):
        if not url.startswith(("/admin/", "/api/")) and url not in {"/nothing/"}:
            response = getattr(Client(), method)(url)
            assert response.status_code in {302, 404, 405}, url


def test_a_look_at_the_head_is_like_the_page_without_its_body(live_study, person):
    for url in (f"/a/{person.token}/1/", live_study.items.first().media_url, "/robots.txt"):
        response = Client().head(url)
        assert response.status_code == 200
        assert b"".join(response) == b""


def test_every_form_of_the_booth_needs_its_token(live_study, person):
    strict = Client(enforce_csrf_checks=True)
    for page in ("1/", "1/draft/", "1/problem/", "help/", "withdraw/", "consent/"):
        assert strict.post(f"/a/{person.token}/{page}", {"reason": "black"}).status_code == 403
    person.refresh_from_db()
    assert person.state == "rating"
    assert person.assignments.get().is_open


def test_nothing_an_annotator_receives_names_what_they_must_not_know(live_study, person):
    """Systems, files, item ids, the study's name among researchers, other people and answers."""
    live_study.items.update(
        system=live_study.systems.create(name="SecretDiffusion"),
        source_name="secret_file.png",
        scenario="secret-scenario",
        metadata={"seed": "secret-seed"},
        replicate="secret-replicate",
        origin="edited",
        element_picture="secret_element.png",
    )
    live_study.title, live_study.slug = "Secret title", "secret-slug"
    live_study.save()
    client, received = Client(), []
    ids = [*live_study.items.values_list("external_id", flat=True), "NP-01"]
    screen = person.assignments.get()
    calls = [(client.get, url, {}) for url in booth_addresses(person)]
    calls += [
        (client.get, live_study.items.first().media_url, {}),
        (client.get, live_study.entry_path, {}),
        (client.post, f"/a/{person.token}/1/", {"key": "wrong"}),
        (client.post, f"/a/{person.token}/1/draft/", {"counter": "1"}),
        (client.post, f"/a/{person.token}/1/", form(live_study, screen)),
    ]
    for call, url, data in calls:
        response = call(url, data, follow=True)
        body = b"".join(response)
        received.append(f"{response.headers} {response.redirect_chain} {response.cookies}")
        if response["Content-Type"].startswith("text/"):
            received.append(body.decode())
    # The prompt is shown on purpose, and names the item in these tests.
    everything = " ".join(received).replace("A wedding, np-", "")
    assert "secret" not in everything.casefold().replace("secret study", "")
    assert [word for word in ids if word in everything] == []


def test_media_go_out_whole_unpacked_and_for_good(client, live_study):
    item = live_study.items.first()
    response = client.get(item.media_url, HTTP_ACCEPT_ENCODING="gzip, br")
    body = b"".join(response.streaming_content)
    assert "Content-Encoding" not in response
    assert response["Content-Length"] == str(len(body))
    assert response["Content-Type"] == "image/png"
    assert response["Content-Disposition"] == "inline"
    assert "immutable" in response["Cache-Control"]


def test_pages_are_packed(client, person):
    response = client.get(f"/a/{person.token}/1/", HTTP_ACCEPT_ENCODING="gzip")
    assert response["Content-Encoding"] == "gzip"
    assert b"<main" in gzip.decompress(response.content)


@pytest.mark.parametrize(
    "path", ["..%2f..%2fmanage.py", "%2e%2e/manage.py", "../secret_key", "items/x.png", "%00"]
)
def test_no_path_leads_out_of_the_media(client, live_study, path):
    assert client.get(f"/media/{path}").status_code == 404
    assert client.get(f"/no-direct-media/{path}").status_code == 404


def test_cookies_are_for_this_site_alone_and_for_no_script(client, live_study, settings):
    settings.SECURE_SITE = True
    cookie = client.get(live_study.entry_path).cookies[f"concord_{live_study.pk}"]
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")


def test_pages_of_the_booth_are_not_kept(client, person):
    for url in booth_addresses(person):
        assert "no-store" in client.get(url)["Cache-Control"], url


def test_another_host_name_is_refused(client, live_study):
    assert client.get(live_study.entry_path, HTTP_HOST="evil.example.org").status_code == 400


@pytest.mark.parametrize("target", ["//evil.example.org", "https://evil.example.org", "\\\\evil"])
def test_signing_in_leads_nowhere_else(client, researcher, target):
    form = {"username": "ana", "password": "correct horse", "next": target}
    response = client.post(f"/admin/login/?next={target}", form)
    assert response.status_code == 302
    assert "evil" not in response["Location"]


def test_signing_in_changes_the_session(client, researcher):
    client.get("/admin/login/")
    session = client.session
    session["planted"] = "yes"
    session.save()
    before = session.session_key
    client.post("/admin/login/", {"username": "ana", "password": "correct horse"})
    assert client.session.session_key != before


def test_behind_a_proxy_http_is_led_to_https_once(client, live_study, settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert client.get("/robots.txt")["Location"] == "https://testserver/robots.txt"
    assert client.get("/robots.txt", HTTP_X_FORWARDED_PROTO="https").status_code == 200


def test_tokens_are_long_and_never_alike(live_study):
    tokens = {somebody(live_study).token for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {22}  # 128 bits
    assert len(live_study.entry_token) == 22
    assert all(len(item.public_id) == 16 for item in live_study.items.all())  # 96 bits
