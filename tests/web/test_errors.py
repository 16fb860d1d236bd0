"""Error pages wear our skin, say what is safe and show a way on."""

import pytest
from django.test import Client

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
