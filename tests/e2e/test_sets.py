"""Three clips and three steps on one screen: what opens when, the deck of a phone, keys alone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating
from studies.lifecycle import launch_study
from studies.models import Study
from tests.e2e.conftest import Seat
from tests.e2e.filmed import pair_study, triplet_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


@pytest.fixture
def study(researcher) -> Study:
    study = triplet_study(researcher)
    launch_study(study=study, by=researcher, note="Published without a check.")
    study.refresh_from_db()
    return study


@pytest.fixture
def at(seat, study) -> Seat:
    return seat(study).sit_down()


def say_yes_to_all(page: Page) -> None:
    for card in page.locator("[data-card=yes_no]").all():
        card.locator("label", has_text="Yes").click()


def watch_all(page: Page) -> None:
    page.get_by_role("button", name="Play all in turn").click()
    expect(page.locator("[data-watched].done")).to_have_count(3, timeout=15_000)


def step_state(page: Page) -> list[str]:
    return [part.get_attribute("data-state") for part in page.locator(".step").all()]


def to_step_2(page: Page) -> None:
    say_yes_to_all(page)
    page.get_by_role("button", name="Go to step 2").click()
    expect(page.locator("#step-2")).to_be_focused()


class TestSteps:
    def test_the_words_come_first_and_the_rest_waits_for_the_clips(self, at):
        page = at.page
        assert step_state(page) == ["now", "later", "later"]
        expect(page.locator("fieldset.lock:disabled")).to_have_count(0)
        to_step_2(page)
        assert step_state(page) == ["done", "now", "later"]
        line = page.locator(".lock-line")
        expect(line).to_have_text("Watch each video once to open this step. Left: A, B, C. Skip it")
        page.get_by_role("button", name="Play: Video B").click()
        expect(line).to_contain_text("Left: A, C.")
        watch_all(page)
        expect(page.locator("#said")).to_have_text("Step 2 is open.")
        expect(line).to_contain_text("Step 2 is open.")

    def test_a_clip_plays_on_while_a_step_opens(self, at):
        page = at.page
        page.get_by_role("button", name="Play: Video A").click()
        say_yes_to_all(page)
        before = page.evaluate("() => { window.kept = document.querySelector('video'); return 1; }")
        page.get_by_role("button", name="Go to step 2").click()
        expect(page.locator("#step-2")).to_be_focused()
        assert before == 1
        assert page.evaluate("() => window.kept === document.querySelector('video')")
        expect(page.locator("[data-watched].done")).to_have_count(1)  # nobody pressed Play again

    def test_a_gap_keeps_the_step_and_leads_to_it(self, at):
        page = at.page
        page.locator("[data-card=yes_no] label", has_text="No").first.click()
        page.get_by_role("button", name="Go to step 2").click()
        expect(page.locator(".gap")).to_have_count(2)
        assert step_state(page) == ["now", "later", "later"]
        expect(page.locator(".gap input").first).to_be_focused()

    def test_a_finished_step_can_be_changed_in_place(self, at):
        page = at.page
        to_step_2(page)
        done = page.locator("details.step")
        expect(done).to_contain_text("1: Yes")
        done.locator("summary").click()
        done.locator("label", has_text="No").first.click()
        expect(done.locator(".step-summary")).to_contain_text("1: No")
        name = done.locator("[data-card]").first.get_attribute("id")
        at.wait_until(lambda: at.screen(1).draft.get(name) in ("0", ["0"]))
        page.reload()
        at.settle()
        expect(page.locator("details.step")).to_contain_text("1: No")
        assert step_state(page) == ["done", "now", "later"]

    def test_an_answer_that_closes_a_later_question_says_what_is_left_out(self, seat, researcher):
        study = triplet_study(researcher)
        seen = study.questions.get(key="seen")
        seen.shown_if, seen.shown_from, seen.shown_to = study.questions.get(key="useful"), 1, 1
        seen.save()
        launch_study(study=study, by=researcher, note="Published without a check.")
        at = seat(Study.objects.get(pk=study.pk)).sit_down()
        page = at.page
        to_step_2(page)
        watch_all(page)
        page.locator("[data-card=multi] label").first.click()
        done = page.locator("details.step")
        done.locator("summary").click()
        done.locator("label", has_text="No").first.click()
        told = "Step 2 is kept. Question 4 is left out because of your answer to 1."
        expect(done.locator("[data-left-out]")).to_have_text(told)
        expect(page.locator("#said")).to_have_text(told)
        expect(page.locator("[data-card=multi]").first).to_be_hidden()
        done.locator("label", has_text="Yes").first.click()
        expect(done.locator("[data-left-out]")).to_have_count(0)

    def test_the_whole_set_is_sent_once_with_everybodys_own_letters(self, at):
        page = at.page
        to_step_2(page)
        watch_all(page)
        for card, letter in zip(page.locator("[data-card=multi]").all(), "AB", strict=False):
            card.get_by_label(f"Video {letter}").click(force=True)
        page.locator("[data-card=multi]").last.locator("[data-none]").click(force=True)
        page.get_by_role("button", name="Go to step 3").click()
        expect(page.locator(".tile")).to_have_count(3)
        page.get_by_role("button", name="Video B, not placed").click()
        page.get_by_role("button", name="Video C, not placed").click()
        page.get_by_role("button", name="Send and go on").click()
        expect(page.get_by_role("heading", name="Set 2 of 2")).to_be_visible()
        shown = at.screen(1).item_order
        ranks = Rating.objects.filter(assignment=at.screen(1), question__kind="ranking")
        assert list(ranks.order_by("value").values_list("item_id", flat=True)) == [
            shown[1],
            shown[2],
            shown[0],
        ]
        ticks = Rating.objects.filter(assignment=at.screen(1), question__kind="multi", value=1)
        assert sorted(ticks.values_list("item_id", flat=True)) == sorted(shown[:2])

    def test_the_set_and_the_open_step_need_no_scrolling_on_a_laptop(self, at):
        to_step_2(at.page)
        watch_all(at.page)
        assert at.page.evaluate("document.documentElement.scrollHeight") <= 900


class TestTicks:
    @pytest.fixture
    def ticks(self, at) -> Seat:
        to_step_2(at.page)
        watch_all(at.page)
        at.settle()
        return at

    def test_none_clears_the_others_and_they_clear_none(self, ticks):
        row = ticks.page.locator("[data-card=multi]").first
        keys = ticks.page.keyboard
        keys.press("Digit1")
        keys.press("Digit3")
        expect(row.locator("input:checked")).to_have_count(2)
        keys.press("Digit0")
        expect(row.locator("input:checked")).to_have_count(1)
        expect(row.locator("[data-none]")).to_be_checked()
        expect(ticks.page.locator("#said")).to_have_text("None. Cleared: Video A and Video C.")
        keys.press("Digit2")
        expect(row.locator("[data-none]")).not_to_be_checked()
        expect(row.get_by_label("Video B")).to_be_checked()

    def test_a_digit_toggles(self, ticks):
        ticks.page.keyboard.press("Digit2")
        ticks.page.keyboard.press("Digit2")
        expect(ticks.page.locator("[data-card=multi] input:checked")).to_have_count(0)

    def test_a_row_counts_only_when_something_is_marked(self, ticks):
        expect(ticks.page.locator("p[data-answered]")).to_have_text("0 of 3 answered")
        ticks.page.keyboard.press("Digit0")
        expect(ticks.page.locator("p[data-answered]")).to_have_text("1 of 3 answered")


def test_a_set_is_rated_by_keys_alone(at):
    page, keys = at.page, at.page.keyboard
    for _ in range(3):
        keys.press("Digit1")
    keys.press("Control+Enter")
    expect(page.locator("#step-2")).to_be_focused()
    at.settle()
    for name in "ABC":
        page.get_by_role("button", name=f"Play: Video {name}").focus()
        keys.press("Enter")
        watched = page.locator(f".stimulus[data-letter={name}] [data-watched].done")
        expect(watched).to_be_visible()
    for card in page.locator("[data-card=multi]").all():
        card.locator("input").first.focus()
        keys.press("Digit0")
    keys.press("Enter")
    expect(page.locator("#step-3")).to_be_focused()
    expect(page.locator(".tile")).to_have_count(3)
    at.settle()  # Enter does nothing in the first moment of a step
    for _ in range(12):
        keys.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('tile')"):
            break
    keys.press("Digit1")
    page.get_by_role("button", name="not placed").first.focus()
    keys.press("Enter")
    keys.press("Control+Enter")
    expect(page.get_by_role("heading", name="Set 2 of 2")).to_be_visible()


class TestTheDeck:
    @pytest.fixture
    def phone(self, seat, study) -> Seat:
        return seat(study, **PHONE).sit_down()

    def test_a_stack_while_watching_a_pinned_deck_while_answering(self, phone):
        page = phone.page
        expect(page.locator("video:visible")).to_have_count(3)
        to_step_2(page)
        expect(page.locator("video:visible")).to_have_count(3)
        watch_all(page)
        expect(page.locator("video:visible")).to_have_count(1)
        page.locator("[data-card=multi]").last.scroll_into_view_if_needed()
        page.mouse.wheel(0, 900)
        deck = page.locator(".deck").bounding_box()
        assert deck["y"] == pytest.approx(0, abs=1)
        foot = page.locator(".foot").bounding_box()
        room = foot["y"] - (deck["y"] + deck["height"])
        assert room >= 0.45 * 844
        assert page.locator("video:visible").bounding_box()["height"] <= 0.34 * 844 + 1

    def test_the_switch_shows_another_of_the_same_elements(self, phone):
        page = phone.page
        to_step_2(page)
        watch_all(page)
        page.evaluate("() => { window.kept = [...document.querySelectorAll('video')]; }")
        switch = page.get_by_role("group", name="Which one is shown")
        switch.get_by_role("button", name="Video C").tap()
        expect(page.locator(".stimulus:visible")).to_have_attribute("data-letter", "C")
        expect(switch.get_by_role("button", name="Video C")).to_have_attribute(
            "aria-pressed", "true"
        )
        switch.get_by_role("button", name="All").tap()
        expect(page.locator("video:visible")).to_have_count(3)
        same = "kept.every((clip, n) => clip === document.querySelectorAll('video')[n])"
        assert page.evaluate(f"() => {same}")

    def test_every_target_is_big_enough_and_nothing_goes_sideways(self, phone):
        page = phone.page
        to_step_2(page)
        watch_all(page)
        small = page.evaluate(
            """() => [...document.querySelectorAll(".btn, .pill, summary, .switch button")]
              .filter((part) => part.offsetParent !== null)
              .map((part) => [part.textContent.trim(), part.getBoundingClientRect()])
              .filter(([, box]) => box.width < 44 || box.height < 44)
              .map(([name, box]) => `${name} ${box.width} x ${box.height}`)"""
        )
        assert small == []
        for width in (390, 360, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") == width


class TestPictures:
    @pytest.fixture
    def pairs(self, researcher) -> Study:
        study = pair_study(researcher)
        launch_study(study=study, by=researcher, note="Published without a check.")
        study.refresh_from_db()
        return study

    def test_each_picture_of_a_set_can_be_enlarged(self, seat, pairs):
        page = seat(pairs).sit_down().page
        page.get_by_role("link", name="Zoom: Picture B").click()
        larger = page.locator("dialog.zoom img")
        expect(larger).to_have_attribute("alt", "Picture B, to be rated")
        page.keyboard.press("Escape")
        expect(page.locator("dialog.zoom")).to_be_hidden()

    def test_on_a_phone_one_is_pinned_from_the_start(self, seat, pairs):
        page = seat(pairs, **PHONE).sit_down().page
        expect(page.locator(".stimulus:visible")).to_have_count(1)
        page.get_by_role("button", name="Picture B").tap()
        expect(page.locator(".stimulus:visible")).to_have_attribute("data-letter", "B")
