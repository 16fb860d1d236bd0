"""The monitor in a browser: what it asks for by itself, when it waits, and what does not move."""

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import expect

from annotation.assignment import claim_next_unit
from annotation.models import Participation
from tests.annotation.people import rate_all, send, somebody

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "**/monitor/live/**"
HIDE = """state => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
}"""


@pytest.fixture
def rated(live_study):
    def by(n: int) -> Participation:
        person = somebody(live_study)
        for _ in range(n):
            send(live_study, claim_next_unit(participation=person))
        claim_next_unit(participation=person)
        return person

    return by


@pytest.fixture
def signed_in(live_server, open_page, client, researcher):
    """``signed_in("monitor/")``: that page of the study, its own clock in hand."""
    client.force_login(researcher)

    def opened(rest: str, width: int = 1440, height: int = 900, **options):
        page = open_page(width, height, **options)
        cookie = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        if options.get("java_script_enabled", True):
            page.clock.install()
        page.goto(f"{live_server.url}/studies/weddings/{rest}")
        return page

    return opened


def after_ten_seconds(page):
    """Let ten seconds pass, and the poll of that moment with them."""
    with page.expect_response(LIVE) as answer:
        page.clock.fast_forward(10_500)
    return answer.value


def asked_nothing(page) -> bool:
    """Let half a minute pass; whether nothing was asked meanwhile."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for _ in range(3):
        page.clock.fast_forward(10_500)
        page.wait_for_timeout(100)
    return not [url for url in asked if "/monitor/live/" in url]


def test_figures_come_in_by_themselves(signed_in, rated, look):
    rated(2)
    page = signed_in("monitor/")
    expect(page.get_by_role("cell", name="2 of 18")).to_be_visible()
    rated(1)
    assert after_ten_seconds(page).status == 200
    expect(page.get_by_role("cell", name="3 of 18")).to_be_visible()
    look(page, "monitor-live")


def test_nothing_is_drawn_anew_while_nothing_is_new(signed_in, rated):
    rated(2)
    page = signed_in("monitor/")
    page.evaluate("document.querySelector('.verdict').dataset.mine = 'yes'")
    answer = after_ten_seconds(page)
    assert answer.status == 204
    expect(page.locator("[data-updated]")).to_have_text(answer.headers["x-counted-at"])
    expect(page.locator(".verdict")).to_have_attribute("data-mine", "yes")


def test_pause_stops_it_and_go_on_asks_at_once(signed_in, rated):
    rated(2)
    page = signed_in("monitor/")
    page.get_by_role("button", name="Pause").click()
    assert asked_nothing(page)
    with page.expect_response(LIVE):
        page.get_by_role("button", name="Go on").click()


def test_it_waits_while_the_tab_is_hidden(signed_in, rated):
    rated(2)
    page = signed_in("monitor/")
    page.evaluate(HIDE, "hidden")
    assert asked_nothing(page)
    page.evaluate(HIDE, "visible")
    with page.expect_response(LIVE):
        page.clock.fast_forward(600)


def test_it_waits_while_a_row_menu_is_open(signed_in, rated):
    rated(2)
    page = signed_in("monitor/")
    menu = page.locator("#menu-NP-01")
    menu.locator("summary").click()
    expect(menu.get_by_role("link", name="See answers")).to_be_visible()
    assert asked_nothing(page)
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="See answers")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
    with page.expect_response(LIVE):
        page.clock.fast_forward(600)


def test_rows_stay_where_they_are_until_the_new_ones_are_asked_for(signed_in, rated):
    rated(1)
    rated(1)
    page = signed_in("monitor/")
    codes = page.locator(".monitor-people tbody th a")
    expect(codes).to_have_text(["NP-02", "NP-01"])
    page.locator("#person-NP-01").focus()
    rated(1)
    Participation.objects.filter(code="NP-01").update(
        last_seen_at=timezone.now() + timedelta(minutes=1)
    )
    after_ten_seconds(page)
    show = page.get_by_role("link", name="1 new, show")
    expect(show).to_be_visible()
    expect(codes).to_have_text(["NP-02", "NP-01"])
    expect(page.locator("#person-NP-01")).to_be_focused()
    show.click()
    expect(codes).to_have_text(["NP-01", "NP-03", "NP-02"])
    after_ten_seconds(page)
    expect(codes).to_have_text(["NP-01", "NP-03", "NP-02"])


def test_an_unfolded_table_stays_unfolded(signed_in, rated):
    rated(2)
    page = signed_in("monitor/")
    page.get_by_text("Table behind this chart").click()
    rated(1)
    after_ten_seconds(page)
    expect(page.get_by_role("cell", name="3 of 18")).to_be_visible()
    expect(page.locator("#behind-chart")).to_have_attribute("open", "")


def test_figures_stay_and_say_so_while_the_server_is_away(signed_in, rated, console):
    console.expect("Failed to load resource|ERR_FAILED|htmx:(afterRequest|sendError)")
    rated(2)
    page = signed_in("monitor/")
    page.route(LIVE, lambda route: route.abort())
    page.clock.fast_forward(10_500)
    expect(page.get_by_text("Live figures stopped at")).to_be_visible()
    expect(page.get_by_role("cell", name="2 of 18")).to_be_visible()
    page.unroute(LIVE)
    rated(1)
    after_ten_seconds(page)
    expect(page.get_by_text("Live figures stopped at")).to_be_hidden()
    expect(page.locator("[data-freshness]")).to_contain_text("Updated")


def test_without_scripts_there_is_a_link_that_loads_it_anew(signed_in, rated):
    rated(2)
    page = signed_in("monitor/", java_script_enabled=False)
    rated(1)
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_role("cell", name="3 of 18")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()


def test_arrow_keys_go_from_person_to_person(signed_in, rated, live_study):
    for _ in range(2):
        rate_all(live_study, somebody(live_study))
    page = signed_in("people/NP-01/")
    page.keyboard.press("ArrowLeft")  # nobody is before the first
    expect(page.get_by_role("heading", name="NP-01")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="NP-02")).to_be_visible()
    page.keyboard.press("Control+ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="NP-01")).to_be_visible()


def test_home_says_what_needs_you(signed_in, rated, live_server):
    person = rated(1)
    Participation.objects.filter(pk=person.pk).update(
        last_seen_at=timezone.now() - timedelta(minutes=42)
    )
    page = signed_in("monitor/")
    page.goto(live_server.url)
    expect(page.get_by_text("Nobody has come for 42 min; 16 places open.")).to_be_visible()


@pytest.mark.parametrize("page_name", ["monitor/", "people/", "people/NP-01/"])
def test_fits_every_width_and_is_accessible(signed_in, rated, live_study, page_name):
    rate_all(live_study, somebody(live_study))
    rated(2)
    page = signed_in(page_name)
    for width in (320, 390, 720, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, f"{page_name} is wider than {width} px by {over}"
    found = Axe().run(page).response["violations"]
    serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in serious] == []
