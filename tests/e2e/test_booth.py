"""The rating screen in a real browser: keys, drafts, a line that is down, Back, two tabs."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import CheckAnswer, Place, Rating
from tests.annotation.people import somebody
from tests.e2e.conftest import Seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OFFLINE = r"ERR_INTERNET_DISCONNECTED|^htmx:(sendError|afterRequest)"
LOST = r"Failed to load resource|^htmx:(sendError|afterRequest)"
SCREEN = re.compile(r"/a/[\w-]+/1/$")  # where the first screen is shown and sent


def picture_heading(page: Page, n: int):
    return page.get_by_role("heading", name=f"Picture {n} of 6")


def posts_of(page: Page) -> list[str]:
    """Bodies of the submits that the page sends from now on."""
    bodies = []

    def note(request) -> None:
        if request.method == "POST" and SCREEN.search(request.url):
            bodies.append(request.post_data)

    page.on("request", note)
    return bodies


@pytest.fixture
def at(seat, live_study) -> Seat:
    """Somebody who sits before the first picture."""
    return seat(live_study).sit_down()


class TestKeys:
    def test_a_digit_answers_the_active_question_and_moves_on_and_enter_sends(self, at):
        keys = at.page.keyboard
        expect(at.card("faithfulness")).to_contain_class("now")
        keys.press("Digit4")
        expect(at.point("faithfulness", 4)).to_be_checked()
        expect(at.card("hallucination")).to_contain_class("now")
        expect(at.point("hallucination", 1)).to_be_focused()
        expect(at.card("hallucination").locator("input:checked")).to_have_count(0)
        keys.press("Digit2")
        keys.press("Digit1")
        expect(at.page.locator("p[data-answered]")).to_have_text("3 of 3 answered")
        keys.press("Enter")
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert at.values(1) == [4, 2, 1]

    def test_what_a_digit_did_is_told_to_those_who_hear_the_page(self, at):
        at.page.keyboard.press("Digit4")
        expect(at.page.locator("#said")).to_have_text("1: 4, Mostly")

    def test_all_keys_in_the_rationale_are_text_and_ctrl_enter_sends_from_there(self, at):
        keys = at.page.keyboard
        for key in ("Digit2", "Digit4", "Digit2"):
            keys.press(key)
        box = at.page.locator("textarea")
        expect(box).to_be_focused()  # 4 of 5 hallucinated: a rationale is needed
        keys.type("35 guests in zebra?")
        keys.press("Enter")
        keys.type("1 wears blue.")
        expect(box).to_have_value("35 guests in zebra?\n1 wears blue.")
        keys.press("Control+Enter")
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert at.values(1) == [2, 4, 2]
        assert Rating.objects.get(value=None).text == "35 guests in zebra?\n1 wears blue."

    def test_a_held_digit_answers_once(self, at):
        for _ in range(3):
            at.page.keyboard.down("Digit3")  # the second and third are repeats
        at.page.keyboard.up("Digit3")
        expect(at.point("faithfulness", 3)).to_be_checked()
        expect(at.page.locator("input:checked")).to_have_count(1)

    def test_a_digit_with_a_modifier_answers_nothing(self, at):
        for modifier in ("Control", "Alt", "Meta"):
            at.page.keyboard.press(f"{modifier}+Digit3")
        at.page.keyboard.press("Digit2")
        expect(at.point("faithfulness", 2)).to_be_checked()
        expect(at.page.locator("input:checked")).to_have_count(1)

    def test_keys_of_the_last_screen_do_not_answer_the_new_one(self, at):
        at.page.evaluate(
            """() => document.addEventListener("htmx:load", () => {
              for (const key of ["5", "Enter"]) {
                const code = key === "5" ? "Digit5" : key;
                const init = { key, code, ctrlKey: key === "Enter", bubbles: true };
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", init));
              }
            })"""
        )
        sent = []
        at.page.on("request", lambda r: sent.append(r.url) if r.method == "POST" else None)
        at.answer()
        at.press_next()
        expect(picture_heading(at.page, 2)).to_be_visible()
        expect(at.page.locator("input:checked")).to_have_count(0)
        at.settle()
        at.page.keyboard.press("Digit4")
        expect(at.point("faithfulness", 4)).to_be_checked()
        assert [url for url in sent if url.endswith("/2/")] == []

    def test_the_numeric_pad_answers_unless_its_keys_are_arrows(self, at):
        at.page.keyboard.press("Numpad4")  # Playwright's pad has NumLock off: an arrow
        expect(at.page.locator("input:checked")).to_have_count(0)
        at.page.keyboard.press("Shift+Numpad4")
        expect(at.point("faithfulness", 4)).to_be_checked()

    def test_shortcuts_can_be_switched_off_and_the_keys_of_the_browser_still_work(self, at):
        page = at.page
        page.keyboard.press("?")
        page.get_by_role("button", name="Switch shortcuts off").click()
        page.get_by_role("link", name="Go back to the pictures").click()
        at.settle()
        page.keyboard.press("Digit3")
        page.keyboard.press("Enter")
        expect(page.locator("input:checked")).to_have_count(0)
        expect(page.locator(".gap")).to_have_count(0)

        for _ in range(12):
            page.keyboard.press("Tab")
            if at.point("faithfulness", 1).evaluate("radio => radio === document.activeElement"):
                break
        page.keyboard.press("Space")
        expect(at.point("faithfulness", 1)).to_be_checked()
        page.keyboard.press("ArrowRight")
        expect(at.point("faithfulness", 2)).to_be_checked()
        page.keyboard.press("Digit5")
        expect(at.point("faithfulness", 2)).to_be_checked()
        page.keyboard.press("Tab")
        expect(at.point("hallucination", 1)).to_be_focused()


class TestDrafts:
    def test_a_reload_in_the_middle_gives_back_choices_and_half_typed_text(self, at):
        at.point("faithfulness", 4).check()
        at.page.locator("textarea").press_sequentially("half a sent")
        at.page.reload()
        expect(at.point("faithfulness", 4)).to_be_checked()
        expect(at.page.locator("textarea")).to_have_value("half a sent")
        expect(at.page.locator("input:checked")).to_have_count(1)
        expect(at.card("hallucination")).to_contain_class("now")

    def test_another_browser_with_the_personal_link_shows_them_too(self, at, open_page):
        at.point("exaggeration", 5).check()
        at.page.locator("textarea").fill("half a sentence")
        at.page.locator("textarea").blur()
        at.wait_until(lambda: "half a sentence" in at.screen(1).draft.values())
        expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")
        other = Seat(open_page(), at.person, at.link).sit_down()
        expect(other.point("exaggeration", 5)).to_be_checked()
        expect(other.page.locator("textarea")).to_have_value("half a sentence")

    def test_a_choice_made_offline_is_kept_and_sent_when_the_line_is_back(self, at, console):
        console.expect(OFFLINE)
        state = at.page.locator("[data-save-state]")
        at.page.context.set_offline(True)
        at.point("faithfulness", 5).check()
        expect(state).to_have_text("⚠ Kept on this device")
        expect(at.page.locator("#alarm")).to_contain_text("No connection.")
        expect(at.page.locator(".foot [data-trouble]")).to_contain_text("No connection.")
        expect(at.point("faithfulness", 5)).to_be_checked()
        assert at.screen(1).draft == {}
        at.page.context.set_offline(False)
        expect(state).to_have_text("Connected. All sent.")
        expect(at.page.locator("[data-trouble]")).to_be_hidden()
        assert at.screen(1).draft[f"q_{at.question('faithfulness').pk}"] == "5"

    def test_what_was_kept_offline_outlives_the_page(self, at, console, open_page):
        console.expect(LOST)
        at.page.route("**/draft/", lambda route: route.abort())
        at.point("faithfulness", 5).check()
        expect(at.page.locator("[data-save-state]")).to_have_text("⚠ Kept on this device")
        at.page.on("dialog", lambda dialog: dialog.accept())
        at.page.unroute("**/draft/")
        at.page.reload()
        expect(at.point("faithfulness", 5)).to_be_checked()
        at.wait_until(lambda: at.screen(1).draft)

    def test_a_page_drawn_before_the_last_draft_arrived_has_its_answer_too(self, at):
        held, drawn = [], []
        at.page.route("**/draft/", lambda r: r.continue_() if drawn else held.append(r))
        at.point("faithfulness", 5).check()
        at.wait_until(lambda: held)

        def late(route: Route) -> None:
            drawn.append(route.fetch())
            held.pop().continue_()
            at.wait_until(lambda: at.screen(1).draft)
            at.page.wait_for_timeout(200)  # the page that leaves is told that it is kept
            route.fulfill(response=drawn[0])

        at.page.route(re.compile(r"/1/(\?back=1)?$"), late)
        at.page.reload()
        expect(at.page.locator("form#answers")).to_have_attribute("data-counter", "0")
        expect(at.point("faithfulness", 5)).to_be_checked()
        at.point("hallucination", 2).check()
        at.wait_until(lambda: f"q_{at.question('hallucination').pk}" in at.screen(1).draft)


class TestGaps:
    def test_each_goes_when_it_is_filled(self, at):
        page = at.page
        at.press_next()
        expect(page.locator(".foot .error")).to_contain_text("3 answers are missing")
        expect(page).to_have_title(re.compile("^3 missing · "))
        at.point("faithfulness", 2).check()
        expect(page.locator(".gap")).to_have_count(2)
        expect(at.card("faithfulness").locator(".error")).to_have_count(0)
        assert at.card("faithfulness").get_attribute("aria-invalid") is None
        expect(page.locator(".foot .error")).to_have_text(re.compile(r"Still missing:\s+2\s+3"))
        at.answer()
        expect(page.locator(".error")).to_have_count(0)
        expect(page).to_have_title(re.compile("^1 of 6"))

    def test_a_text_that_is_too_short_stays_named_until_it_is_long_enough(self, at):
        at.answer()
        at.point("hallucination", 5).check()
        at.page.locator("textarea").fill("too short")
        at.press_next()
        error = at.card("rationale").locator(".error")
        expect(error).to_be_visible()
        at.page.locator("textarea").fill("still too short")
        expect(error).to_be_visible()
        at.page.locator("textarea").fill("this is long enough for the rule")
        expect(error).to_have_count(0)


class TestSending:
    def test_a_screen_sent_offline_stays_says_so_and_is_sent_once_on_return(self, at, console):
        console.expect(OFFLINE)
        at.answer()
        at.page.context.set_offline(True)
        at.press_next()
        trouble = at.page.locator("[data-trouble]")
        expect(trouble).to_contain_text("No connection. Your answers are kept on this device.")
        expect(trouble.get_by_role("button", name="Try now")).to_be_visible()
        expect(picture_heading(at.page, 1)).to_be_visible()
        expect(at.page.locator("input:checked")).to_have_count(3)
        assert at.n_sent() == 0
        at.page.context.set_offline(False)
        expect(picture_heading(at.page, 2)).to_be_visible()
        expect(at.page.locator("[data-save-state]")).to_have_text("Connected. All sent.")
        assert (at.n_sent(), at.values(1)) == (1, [2, 2, 2])

    def test_a_double_click_on_next_sends_once_and_leaves_the_new_screen_alone(self, at):
        sent = posts_of(at.page)
        at.answer()
        box = at.page.locator("[data-next]").bounding_box()
        mouse = at.page.mouse
        mouse.move(box["x"] + 20, box["y"] + 20)
        mouse.down(click_count=1)
        mouse.up(click_count=1)
        expect(picture_heading(at.page, 2)).to_be_visible()
        mouse.down(click_count=2)
        mouse.up(click_count=2)
        at.settle()
        expect(at.page.locator(".gap")).to_have_count(0)
        assert (len(sent), at.n_sent(), at.values(1)) == (1, 1, [2, 2, 2])

    def test_presses_while_a_screen_is_on_its_way_do_nothing(self, at):
        sent, held = posts_of(at.page), []
        at.page.route(SCREEN, lambda route: held.append(route))
        at.answer()
        at.page.keyboard.press("Enter")
        expect(at.page.locator("[data-next]")).to_have_text("Sending")
        expect(at.page.locator("[data-next]")).to_have_attribute("aria-disabled", "true")
        at.page.locator("[data-next]").click(force=True)
        at.page.locator("[data-next]").dblclick(force=True)
        at.page.keyboard.press("Control+Enter")
        held[0].continue_()
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert (len(held), len(sent), at.n_sent()) == (1, 1, 1)

    def test_an_answer_the_server_failed_on_is_sent_again_with_the_same_key(self, at, console):
        console.expect(r"500 \(Internal|^Response Status Error Code 500")
        sent = posts_of(at.page)
        at.page.route(SCREEN, lambda route: route.fulfill(status=500, body="down"), times=1)
        at.answer()
        at.press_next()
        expect(at.page.locator("[data-trouble]")).to_contain_text("It is kept here.")
        expect(picture_heading(at.page, 2)).to_be_visible()
        keys = {parse_qs(body)["key"][0] for body in sent}
        assert (len(sent), keys) == (2, {at.screen(1).key})
        assert (at.n_sent(), at.values(1)) == (1, [2, 2, 2])

    def test_an_answer_whose_reply_got_lost_is_not_saved_twice(self, at, console):
        console.expect(LOST)

        def lose_the_reply(route: Route) -> None:
            route.fetch()
            route.abort()

        sent = posts_of(at.page)
        at.page.route(SCREEN, lose_the_reply, times=1)
        at.answer()
        at.press_next()
        at.wait_until(lambda: at.n_sent() == 1)
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert (len(sent), at.n_sent(), at.values(1)) == (2, 1, [2, 2, 2])

    def test_after_an_expired_form_carry_on_leads_back_with_nothing_lost(self, at, console):
        console.expect(r"403 \(Forbidden|^Response Status Error Code 403")
        at.point("faithfulness", 4).check()
        at.wait_until(lambda: at.screen(1).draft)
        at.page.context.clear_cookies(name="csrftoken")
        # Not even a new token can be had.
        at.page.route(
            SCREEN,
            lambda route: (
                route.fallback()
                if route.request.method == "POST"
                else route.fulfill(status=403, body="")
            ),
        )
        at.point("hallucination", 3).check()
        at.point("exaggeration", 1).check()
        at.page.locator("textarea").fill("The clothes are from elsewhere.")
        at.press_next()
        trouble = at.page.locator("[data-trouble]")
        expect(trouble).to_contain_text("You were away for long. Your answers are kept.")
        at.page.unroute(SCREEN)
        trouble.get_by_role("link", name="Carry on").click()
        expect(trouble).to_be_hidden()
        expect(picture_heading(at.page, 1)).to_be_visible()
        for key, value in (("faithfulness", 4), ("hallucination", 3), ("exaggeration", 1)):
            expect(at.point(key, value)).to_be_checked()
        expect(at.page.locator("textarea")).to_have_value("The clothes are from elsewhere.")
        at.press_next()
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert at.values(1) == [4, 3, 1]


class TestThePicture:
    def test_one_that_does_not_load_can_be_tried_again(self, seat, live_study, console):
        console.expect(LOST)
        at = seat(live_study)
        at.page.route("**/media/**", lambda route: route.abort())
        at.sit_down()
        frame = at.page.locator(".picture-failed")
        expect(frame).to_contain_text("This picture does not load.")
        expect(at.page.locator("[data-stimulus]")).to_be_hidden()
        at.page.unroute("**/media/**")
        frame.get_by_role("button", name="Try again").click()
        expect(at.page.locator("[data-stimulus]")).to_be_visible()
        expect(frame).to_be_hidden()

    def test_one_that_does_not_load_can_be_skipped_and_goes_back_to_the_pool(
        self, seat, live_study, console
    ):
        console.expect(LOST)
        at = seat(live_study)
        at.page.route("**/media/**", lambda route: route.abort())
        at.sit_down()
        unit = at.screen(1).unit
        assert Place.objects.filter(unit=unit, state="leased").count() == 1
        at.point("faithfulness", 2).check()
        assert len(at.page.evaluate("Object.keys(localStorage)")) == 1
        at.page.get_by_role("button", name="Skip it").click()
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert at.page.evaluate("Object.keys(localStorage)") == []
        assert at.screen(1).skip_reason == "not_loading"
        assert Place.objects.filter(unit=unit, state="open").count() == 3

    def test_it_opens_larger_and_takes_no_digits_meanwhile(self, at):
        at.page.keyboard.press("z")
        larger = at.page.get_by_role("dialog", name="The picture, larger")
        expect(larger).to_be_visible()
        at.page.keyboard.press("Digit3")
        at.page.keyboard.press("Escape")
        expect(larger).to_be_hidden()
        expect(at.page.locator("input:checked")).to_have_count(0)


class TestGoingBack:
    def test_back_shows_the_screen_as_it_was_sent_and_leads_on_again(self, at):
        at.answer()
        at.press_next()
        expect(picture_heading(at.page, 2)).to_be_visible()
        sent = posts_of(at.page)
        at.page.go_back()
        expect(at.page).to_have_url(re.compile(r"/1/(\?back=1)?$"))
        expect(at.page.get_by_role("heading", name="Picture 1 of 6, sent")).to_be_visible()
        expect(at.page.locator("input[value='2']:checked")).to_have_count(3)
        at.page.get_by_role("link", name="Go to 2").click()
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert (sent, at.n_sent()) == ([], 1)
        at.answer(1)
        at.press_next()
        expect(picture_heading(at.page, 3)).to_be_visible()

    def test_a_change_of_a_sent_screen_is_saved_and_leads_on(self, at):
        at.answer()
        at.press_next()
        expect(picture_heading(at.page, 2)).to_be_visible()
        at.page.get_by_role("link", name="Back", exact=True).click()
        expect(at.page.get_by_role("heading", name="Picture 1 of 6, sent")).to_be_visible()
        at.point("faithfulness", 1).check()
        at.page.get_by_role("button", name="Save change").click()
        expect(picture_heading(at.page, 2)).to_be_visible()
        assert at.values(1) == [1, 2, 2]

    def test_the_older_of_two_tabs_leads_to_the_current_screen(self, at, console):
        console.expect(r"409 \(Conflict")  # the older tab's draft comes too late
        newer = Seat(at.page.context.new_page(), at.person, at.link).sit_down()
        newer.answer(2)
        newer.press_next()
        expect(picture_heading(newer.page, 2)).to_be_visible()
        at.page.bring_to_front()
        at.answer(1)
        at.press_next()
        expect(picture_heading(at.page, 2)).to_be_visible()
        expect(at.page.locator("input:checked")).to_have_count(0)
        assert (at.n_sent(), at.values(1)) == (1, [2, 2, 2])

    def test_back_from_the_code_leads_to_the_code(self, seat, live_study):
        at = seat(live_study).sit_down()
        for n in range(1, 7):
            expect(picture_heading(at.page, n)).to_be_visible()
            at.answer(2)
            at.press_next()
        expect(at.page.get_by_text(live_study.completion_code)).to_be_visible()
        at.page.go_back()
        expect(at.page.get_by_text(live_study.completion_code)).to_be_visible()
        assert at.page.evaluate("Object.keys(localStorage)") == []


def test_the_whole_session_works_without_javascript(live_server, live_study, open_page):
    page = open_page(java_script_enabled=False)
    page.goto(live_server.url + live_study.entry_path)
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_label("nationality").select_option("NP")
    page.get_by_label("live now").select_option("NP")
    page.get_by_label("first at home").select_option("ne")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("3 answers are missing")).to_be_visible()
    for n in range(1, 7):
        expect(picture_heading(page, n)).to_be_visible()
        for card in page.locator("[data-card=likert]").all():
            card.locator("input[value='2']").check()
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_text(live_study.completion_code)).to_be_visible()
    assert Rating.objects.filter(value=2).count() == 18
    assert CheckAnswer.objects.get().passed


def test_a_rationale_that_is_needed_is_asked_without_javascript(seat, live_study):
    at = seat(live_study, java_script_enabled=False).sit_down()
    at.answer(4)
    at.press_next()
    expect(at.page.get_by_text("1 answer is missing")).to_be_visible()
    expect(at.card("rationale")).to_contain_text("20 more letters.")
    expect(at.card("rationale")).to_contain_text("(needed because of your answer to 2)")
    expect(at.point("faithfulness", 4)).to_be_checked()
    at.page.locator("textarea").fill("The clothes are from elsewhere.")
    at.press_next()
    expect(picture_heading(at.page, 2)).to_be_visible()


def test_two_people_on_one_computer_never_see_each_others_answers(seat, live_study):
    first = seat(live_study).sit_down()
    first.point("faithfulness", 5).check()
    first.wait_until(lambda: first.screen(1).draft)
    stranger = somebody(live_study)
    link = first.link.replace(first.person.token, stranger.token)
    second = Seat(first.page.context.new_page(), stranger, link).sit_down()
    expect(second.page.locator("input:checked")).to_have_count(0)
