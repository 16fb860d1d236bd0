"""Flags, exclusions, rules and conversations in a real browser, wide and narrow."""

import re

import pytest
from playwright.sync_api import expect

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Conversation, Exclusion, Place, Rating
from annotation.quality.review import review
from annotation.ratings import counted_ratings
from tests.annotation.people import send, somebody
from tests.e2e.test_pages import sideways, sign_in, violations_wide_and_narrow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
QUALITY = "/studies/weddings/quality/"
COPY = "The clothes are from another country, and the house is too."


@pytest.fixture
def rated(live_study):
    """Three people; the third was very fast, gave one answer and one text throughout."""
    people = []
    for who in range(3):
        person = somebody(live_study)
        while (screen := claim_next_unit(participation=person)) is not None:
            send(live_study, screen, 5 if who == 2 else 1 + (screen.n + who) % 5)
            seconds = 1.5 if who == 2 else 18 + screen.n
            Assignment.objects.filter(pk=screen.pk).update(
                timing={"active": seconds, "wall": seconds + 4}
            )
        people.append(person)
    Rating.objects.filter(assignment__participation=people[2], question__kind="text").update(
        text=COPY
    )
    review(live_study)
    return people


@pytest.fixture
def desk(live_server, client, researcher, open_page):
    page = open_page()
    sign_in(page, live_server.url, client, researcher)
    return page


def n_counted(study) -> int:
    return counted_ratings(study).values("assignment").distinct().count()


def in_four_dresses(page, look, name: str) -> None:
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            look(page, f"{name}-{width}-{scheme}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})


def fits(page, console) -> None:
    assert sideways(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    assert violations_wide_and_narrow(page, console) == []


def test_a_flagged_person_is_left_out_and_taken_in_again(
    desk, live_server, live_study, rated, console, look
):
    page, fast = desk, rated[2]
    page.goto(live_server.url + QUALITY)
    expect(page.get_by_text("6 of 6 screens were very fast")).to_be_visible()
    in_four_dresses(page, look, "quality")
    fits(page, console)

    page.get_by_role("link", name=f"Exclude {fast.code}…").click()
    in_four_dresses(page, look, "quality-exclude")
    fits(page, console)
    page.get_by_role("button", name=f"Exclude {fast.code}").click()
    expect(page.get_by_text(f"{fast.code} is left out of results")).to_be_visible()
    assert n_counted(live_study) == 12
    assert Place.objects.filter(state=Place.State.OPEN).count() == 6
    in_four_dresses(page, look, "quality-excluded")

    page.get_by_text("Lift…").click()
    page.get_by_label("Why these answers are taken in again").fill("They explained it.")
    page.get_by_role("button", name=f"Take {fast.code} in again").click()
    expect(page.get_by_text("Lifted", exact=True)).to_be_visible()
    assert n_counted(live_study) == 18


def test_one_unit_is_left_out_and_taken_in_on_the_annotators_page(
    desk, live_server, live_study, rated, console, look
):
    page, person = desk, rated[0]
    page.goto(f"{live_server.url}/studies/weddings/people/{person.code}/")
    page.get_by_text("What was measured of these answers").click()
    expect(page.get_by_text("0 of 6 screens were very fast")).to_be_visible()
    in_four_dresses(page, look, "annotator")
    page.get_by_role("link", name="Exclude unit 2…").click()
    page.get_by_label("Reason").fill("A slip of the finger.")
    page.get_by_role("button", name="Exclude unit 2").click()
    unit = page.locator("#unit-2")
    expect(unit.get_by_text("A slip of the finger.")).to_be_visible()
    assert n_counted(live_study) == 17
    in_four_dresses(page, look, "annotator-unit-excluded")
    fits(page, console)

    unit.get_by_text("Take in again…").click()
    unit.get_by_role("textbox").fill("They meant it.")
    unit.get_by_role("button", name="Take this unit in again").click()
    expect(page.get_by_role("link", name="Exclude unit 2…")).to_be_visible()
    assert n_counted(live_study) == 18
    assert Exclusion.objects.get().lift_reason == "They meant it."


def test_two_who_are_far_apart_are_asked_and_the_outcome_is_kept(
    desk, live_server, live_study, rated, console, look
):
    page = desk
    page.goto(f"{live_server.url}{QUALITY}disagreements/")
    row = page.get_by_role("row").nth(1)
    row.get_by_text("Ask…").first.click()
    in_four_dresses(page, look, "disagreements")
    fits(page, console)
    row.get_by_role("button", name="Keep this message").first.click()
    expect(page.get_by_role("heading", name="Asked, no outcome yet")).to_be_visible()
    page.get_by_label("What came of it").select_option(label="The answer stands")
    page.get_by_role("button", name="Keep the outcome").click()
    expect(page.get_by_text("the answer stands")).to_be_visible()
    assert Conversation.objects.get().outcome == "stands"


def test_the_current_tab_is_in_sight_in_a_narrow_window(
    live_server, client, researcher, open_page, rated
):
    page = open_page(700, 844)
    sign_in(page, live_server.url, client, researcher)
    for address in (QUALITY, "/studies/weddings/report/"):
        page.goto(live_server.url + address)
        tab = page.locator(".tabs [aria-current]").bounding_box()
        assert tab["x"] >= 0 and tab["x"] + tab["width"] <= 700, address
        expect(page.locator(".tabs-menu")).to_be_hidden()


@pytest.mark.parametrize("touch", [False, True], ids=["with keys", "with a finger"])
def test_on_a_phone_the_tabs_are_a_menu(live_server, client, researcher, open_page, rated, touch):
    page = open_page(390, 844, has_touch=touch, is_mobile=touch)
    sign_in(page, live_server.url, client, researcher)
    page.goto(live_server.url + QUALITY)
    expect(page.locator(".tabs")).to_be_hidden()
    menu = page.get_by_label("Page of this study")
    expect(menu).to_have_value("quality")
    menu.select_option("arrivals")
    if not touch:
        expect(page).to_have_url(re.compile("/quality/"))
        page.get_by_role("button", name="Go", exact=True).click()
    expect(page).to_have_url(re.compile("/studies/weddings/arrivals/"))
    expect(menu).to_have_value("arrivals")


def test_a_page_with_its_tabs_as_a_menu_fits(
    live_server, client, researcher, open_page, rated, console
):
    page = open_page(390, 844)
    sign_in(page, live_server.url, client, researcher)
    page.goto(live_server.url + "/studies/weddings/arrivals/")
    expect(page.locator(".tabs-menu")).to_be_visible()
    assert sideways(page) == []
    assert violations_wide_and_narrow(page, console) == []


def test_something_is_found_from_the_header(
    desk, live_server, client, researcher, open_page, rated, console, look
):
    page = desk
    page.goto(live_server.url + QUALITY)
    page.get_by_label("Find a study, an item or an annotator").fill("np-0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="NP-03")).to_be_visible()
    in_four_dresses(page, look, "find")
    fits(page, console)
    phone = open_page(390, 844)
    sign_in(phone, live_server.url, client, researcher)
    phone.goto(live_server.url + QUALITY)
    phone.get_by_role("link", name="Find").click()
    phone.get_by_label("Study, item or annotator").last.fill("wedd")
    phone.get_by_role("button", name="Find").last.click()
    expect(phone.get_by_role("link", name="Weddings").first).to_be_visible()
