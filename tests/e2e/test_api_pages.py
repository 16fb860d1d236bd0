"""The page of tokens and the API's documentation in a browser, under the strict policy."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import expect

from studies.models import Study
from tests.studies.people import a_researcher

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(open_page, live_server):
    """A researcher's browser, signed in."""
    client = Client()
    client.force_login(a_researcher("mira"))
    page = open_page(1280, 900)
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([session | {"url": live_server.url}])
    return page


def test_a_token_is_made_seen_once_and_revoked(page, live_server, console):
    page.goto(f"{live_server.url}/")
    page.locator(".account > summary").click()
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name of the new token").fill("import script")
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_label("The new token", exact=True)).to_have_value(
        re.compile(r"^concord_[\w-]{43}$")
    )
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{live_server.url}/account/tokens/")
    expect(page.get_by_label("The new token", exact=True)).to_have_count(0)
    console.turn_away(page)  # axe itself breaks the policy
    found = Axe().run(page).response["violations"]
    assert [(row["id"], row["help"]) for row in found] == []
    page.get_by_role("button", name="Revoke import script").click()
    expect(page.locator("td .tag")).to_contain_text("Revoked")
    expect(page.get_by_role("button", name="Revoke import script")).to_have_count(0)


def test_the_documentation_runs_and_writes_with_the_session(page, live_server):
    page.goto(f"{live_server.url}/api/v1/docs/")
    endpoint = page.locator("#operations-studies-create_study")
    endpoint.locator(".opblock-summary-control").click()
    endpoint.get_by_role("button", name="Try it out").click()
    endpoint.get_by_role("button", name="Execute").click()
    expect(
        endpoint.locator(".live-responses-table td.response-col_status:not(.col_header)").first
    ).to_contain_text("201")
    assert Study.objects.get().preset == "cultivate"
