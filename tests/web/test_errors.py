"""Error pages wear our skin, say what is safe and show a way on."""

import logging
import re

import pytest
from django.test import Client, RequestFactory

from config import errors
from tests.annotation.people import somebody

pytestmark = pytest.mark.django_db


def test_a_form_that_was_open_for_long_says_what_to_do(live_study):
    browser = Client(enforce_csrf_checks=True)
    page = browser.get(live_study.entry_path, follow=True)
    response = browser.post(page.request["PATH_INFO"], {"answer": "agree"})
    assert response.status_code == 403
    assert "Nothing was changed." in response.content.decode()
    assert "cookies" not in response.content.decode()
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_a_browser_that_keeps_no_cookies_is_told_so(live_study):
    browser = Client(enforce_csrf_checks=True)
    page = browser.get(live_study.entry_path, follow=True)
    browser.cookies.clear()
    response = browser.post(page.request["PATH_INFO"], {"answer": "agree"})
    assert response.status_code == 403
    assert "your browser does not keep cookies" in response.content.decode()


def test_an_address_without_a_page_leads_back(client):
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert 'href="/"' in response.content.decode()
    assert "Content-Security-Policy" in response


@pytest.mark.parametrize(
    "address",
    ["/a/%00/", "/a/tok%00en/2/", "/i/%00/", "/studies/x/people/?code=%00", "/find/?q=a%00"],
)
def test_no_address_holds_a_nul(client, researcher, address):
    client.force_login(researcher)
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("address", ["/api/v1/studies/?page=%00", "/api/v2/"])
def test_programs_are_told_in_their_own_kind(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["type"] == "urn:concord:problem:not-found"


@pytest.mark.parametrize("n", [32_768, 2**63, 10**30])
@pytest.mark.parametrize("page", ["", "draft/", "problem/"])
def test_a_screen_beyond_any_session_is_nowhere(client, live_study, n, page):
    person = somebody(live_study)
    address = f"/a/{person.token}/{n}/{page}"
    for answer in (client.get(address), client.post(address)):
        assert answer.status_code in {404, 405}


@pytest.mark.parametrize("n", [2**63, 10**30])
def test_a_practice_screen_beyond_any_session_is_no_error(client, live_study, n):
    person = somebody(live_study)
    assert client.get(f"/a/{person.token}/practice/{n}/").status_code == 302


def reference_of(response) -> str:
    return re.search(r"<code>([0-9a-f]{8})</code>", response.content.decode()).group(1)


def test_what_was_not_found_is_found_in_the_log_by_its_reference(client, caplog):
    with caplog.at_level(logging.WARNING, logger="concord.errors"):
        response = client.get("/nothing/here/")
    assert f"Reference {reference_of(response)}: 404 at /nothing/here/" in caplog.text


def test_a_page_that_failed_has_a_way_on_and_a_reference_in_the_log(caplog):
    with caplog.at_level(logging.ERROR, logger="concord.errors"):
        response = errors.failed(RequestFactory().get("/studies/x/report/"))
    assert response.status_code == 500
    assert "Load the page again" in response.content.decode()
    assert "Go to the studies" in response.content.decode()
    assert f"Reference {reference_of(response)}: 500 at /studies/x/report/" in caplog.text


def test_an_annotator_whose_page_failed_is_sent_to_no_studies():
    response = errors.failed(RequestFactory().get("/a/token/3/"))
    assert "write to the researcher" in response.content.decode()
    assert "Go to the studies" not in response.content.decode()


def test_a_page_that_failed_asks_the_database_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        errors.failed(RequestFactory().get("/"))


def test_a_wrong_password_is_said_in_our_words(client):
    page = client.post("/admin/login/", {"username": "ana", "password": "no"}).content.decode()
    assert "Nobody was signed in." in page
    assert "Please" not in page
