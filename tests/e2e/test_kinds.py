"""Every kind of question about one picture: by keys, by hand, what opens and what stays a gap."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Rating
from studies.lifecycle import launch_study
from studies.models import Study
from tests.e2e.conftest import Seat
from tests.e2e.filmed import kinds_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


@pytest.fixture
def study(researcher) -> Study:
    study = kinds_study(researcher)
    launch_study(study=study, by=researcher, note="Published without a check.")
    study.refresh_from_db()
    return study


@pytest.fixture
def at(seat, study) -> Seat:
    return seat(study).sit_down()


def test_0_says_that_a_scale_does_not_apply(at):
    at.page.keyboard.press("Digit0")
    expect(at.card("faithfulness").locator("input[value=na]")).to_be_checked()
    expect(at.page.locator("#said")).to_have_text("1: 0, No activity visible")
    expect(at.card("people")).to_contain_class("now")


def test_1_is_yes_and_2_is_no(at):
    at.page.keyboard.press("Digit3")
    at.page.keyboard.press("Digit2")
    expect(at.point("people", 0)).to_be_checked()
    at.card("people").locator("input").first.focus()
    at.page.keyboard.press("Digit1")
    expect(at.point("people", 1)).to_be_checked()


def test_a_question_opens_with_the_answer_it_depends_on_and_closes_again(at):
    expect(at.card("who")).to_be_hidden()
    at.card("people").locator("label", has_text="Yes").click()
    expect(at.card("who")).to_be_visible()
    expect(at.page.locator("p[data-answered]")).to_have_text("1 of 5 answered")
    at.card("people").get_by_text("No", exact=True).click()
    expect(at.card("who")).to_be_hidden()
    expect(at.page.locator("p[data-answered]")).to_have_text("1 of 4 answered")


def test_digits_choose_among_options(at):
    at.card("people").locator("label", has_text="Yes").click()
    at.card("who").locator("input").first.focus()
    at.page.keyboard.press("Digit3")
    expect(at.point("who", 3)).to_be_checked()


class TestTheSlider:
    def number(self, at: Seat):
        return at.card("closeness").locator("[data-slider-number]")

    def test_has_no_value_until_it_is_touched(self, at):
        expect(at.card("closeness").locator("output")).to_have_text("Not set")
        expect(self.number(at)).to_have_value("")
        expect(self.number(at)).to_be_hidden()

    def test_a_press_in_the_middle_sets_the_middle(self, at):
        at.card("closeness").locator(".slider").click()
        expect(self.number(at)).to_have_value("50")
        expect(at.card("closeness").locator("output")).to_have_text("50")

    def test_arrows_move_it_and_does_not_apply_takes_its_place(self, at):
        slider = at.card("closeness").locator(".slider")
        slider.focus()
        at.page.keyboard.press("ArrowRight")
        expect(self.number(at)).to_have_value("51")
        at.card("closeness").locator("[data-na]").check()
        expect(self.number(at)).to_have_value("")
        slider.focus()
        at.page.keyboard.press("Home")
        expect(self.number(at)).to_have_value("0")
        expect(at.card("closeness").locator("[data-na]")).not_to_be_checked()

    def test_a_digit_pressed_on_it_changes_nothing_by_accident(self, at):
        at.card("closeness").locator(".slider").focus()
        at.page.keyboard.press("Digit7")
        expect(self.number(at)).to_have_value("")


class TestTheListOfDescriptors:
    def test_1_and_2_answer_and_move_down(self, at):
        card = at.card("tokens")
        card.locator("[data-row] input").first.focus()
        rows = card.locator("[data-row]")
        n = rows.count()
        for i in range(n):
            expect(rows.nth(i)).to_contain_class("now")
            at.page.keyboard.press("Digit1" if i % 2 else "Digit2")
        expect(card.locator("[data-marked]")).to_have_text(f"{n} of {n} marked")
        assert [row.locator("input:checked").input_value() for row in rows.all()] == [
            "1" if i % 2 else "0" for i in range(n)
        ]

    def test_a_pointer_leaves_focus_where_it_was_and_moves_the_mark(self, at):
        rows = at.card("tokens").locator("[data-row]")
        rows.nth(2).locator("label").first.click()
        expect(rows.nth(3)).to_contain_class("now")
        expect(rows.nth(2).locator("input").first).to_be_focused()


def test_everything_is_sent_as_it_was_answered(at):
    page = at.page
    at.card("faithfulness").locator("label", has_text="4").click()
    at.card("people").locator("label", has_text="Yes").click()
    at.card("who").locator("label", has_text="A grown-up").click()
    at.card("closeness").locator(".slider").click()
    for row in at.card("tokens").locator("[data-row]").all():
        row.locator("label", has_text=re.compile("^Right$")).click()
    at.card("tokens").locator(".scale label").nth(3).click()
    at.press_next()
    expect(page.get_by_role("heading", name="Picture 2 of 2")).to_be_visible()
    rows = Rating.objects.filter(assignment=at.screen(1))
    got = {r.question.key: r.value for r in rows if r.descriptor_id is None}
    assert got == {"faithfulness": 4, "people": 1, "who": 2, "closeness": 50, "tokens": 4}
    assert rows.filter(descriptor__isnull=False, value=1).count() == 9


def test_what_was_half_answered_comes_back_on_the_same_device_without_the_server(at, console):
    console.expect("ERR_INTERNET_DISCONNECTED|Failed to load")
    at.page.context.set_offline(True)
    at.card("people").locator("label", has_text="Yes").click()
    at.card("who").locator("label", has_text="A child").click()
    at.card("closeness").locator(".slider").click()
    expect(at.page.locator("[data-save-state]")).to_have_text("⚠ Kept on this device")
    at.page.context.set_offline(False)
    at.page.on("dialog", lambda dialog: dialog.accept())
    at.page.reload()
    expect(at.point("who", 1)).to_be_checked()
    expect(at.card("who")).to_be_visible()
    expect(at.card("closeness").locator("output")).to_have_text("50")
    expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")


def test_a_form_token_that_ran_out_is_renewed_quietly(at, console):
    console.expect("403")
    at.page.context.clear_cookies()
    at.card("people").locator("label", has_text="Yes").click()
    expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")
    at.page.context.clear_cookies()  # and once more, hours later
    at.press_next()
    expect(at.page.locator(".gap").first).to_be_visible()  # the server read it: gaps, no refusal
    expect(at.page.locator("[data-carry-on]")).to_be_hidden()


def test_a_window_left_behind_says_that_the_study_went_on(seat, live_study, console):
    console.expect("409")
    at = seat(live_study).sit_down()
    other = at.page.context.new_page()
    other.goto(at.link)
    at.answer(2)
    at.press_next()
    expect(at.page.get_by_role("heading", name="Picture 2 of 6")).to_be_visible()
    other.locator("[data-card=likert] label").first.click()
    expect(other.locator("[data-trouble]")).to_contain_text("This study went on in another window.")
    other.locator("[data-carry-on]").click()
    expect(other.locator("#place")).to_be_visible()


def test_a_phone_shows_all_kinds_without_going_sideways(seat, study):
    at = seat(study, **PHONE).sit_down()
    at.card("people").locator("label", has_text="Yes").tap()
    for width in (390, 360, 320):
        at.page.set_viewport_size({"width": width, "height": 844})
        assert at.page.evaluate("document.documentElement.scrollWidth") == width
    small = at.page.evaluate(
        """() => [...document.querySelectorAll(".btn, .point-face, .pill, .choice, .slider")]
          .filter((part) => part.offsetParent !== null)
          .map((part) => [part.textContent.trim(), part.getBoundingClientRect()])
          .filter(([, box]) => box.height < 44)
          .map(([name, box]) => `${name} ${box.width} x ${box.height}`)"""
    )
    assert small == []
