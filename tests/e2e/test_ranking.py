"""Ranking by tap, drag, keys and touch: places start empty, ids are stored, there are no ties."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating
from studies.lifecycle import launch_study
from studies.models import Study
from tests.e2e.conftest import Seat
from tests.e2e.filmed import add_clip, add_unit, ask, new_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


@pytest.fixture
def study(researcher) -> Study:
    """Three clips a screen, to be put in order; nothing has to be watched."""
    study = new_study(researcher, "order", items_per_unit=3, watch_share=0)
    ask(
        study,
        "order",
        "ranking",
        "Put the videos in order.",
        [(1, "best match"), (3, "weakest match")],
    )
    for n in range(2):
        clips = [add_clip(study, f"u{n}-{look}", look=look) for look in range(3)]
        add_unit(study, f"set-{n}", clips)
    launch_study(study=study, by=researcher, note="Published without a check.")
    study.refresh_from_db()
    return study


def ready(at: Seat) -> Seat:
    at.sit_down()
    expect(at.page.locator(".tile")).to_have_count(3)
    at.page.wait_for_function("() => window.Sortable")
    return at


@pytest.fixture
def at(seat, study) -> Seat:
    return ready(seat(study))


def tile(page: Page, letter: str):
    return page.locator(f".tile:has(.letter:text-is('{letter}'))")


def order(page: Page) -> str:
    """The letters on the places, "-" for a free one."""
    slots = page.locator("[data-slot]").all()
    return "".join(
        slot.locator(".letter").inner_text() if slot.locator(".tile").count() else "-"
        for slot in slots
    )


def stored(at: Seat) -> list[tuple[int, int]]:
    rows = Rating.objects.filter(assignment=at.screen(1)).order_by("value")
    return list(rows.values_list("item_id", "value"))


def said(at: Seat, text: str) -> None:
    expect(at.page.locator("#said")).to_have_text(text)


class TestByTap:
    def test_it_starts_with_empty_places_and_an_untouched_list_is_no_ranking(self, at):
        assert order(at.page) == "---"
        at.press_next()
        expect(at.page.locator(".gap .error")).to_have_text("Place every video. Left: A, B, C.")
        expect(at.page.locator(".tile")).to_have_count(3)
        assert at.n_sent() == 0

    def test_a_tap_gives_the_next_free_place_and_the_last_one_moves_by_itself(self, at):
        tile(at.page, "C").click()
        said(at, "Video C is 1st of 3.")
        tile(at.page, "A").click()
        said(at, "Video A is 2nd of 3. Video B is 3rd, the only one left.")
        assert order(at.page) == "CAB"
        expect(at.page.locator("p[data-answered]")).to_have_text("1 of 1 answered")

    def test_a_tap_on_a_place_takes_the_tile_back_and_start_again_takes_all(self, at):
        tile(at.page, "C").click()
        tile(at.page, "C").click()
        said(at, "Video C is not placed.")
        assert order(at.page) == "---"
        tile(at.page, "B").click()
        tile(at.page, "C").click()
        at.page.get_by_role("button", name="Start again").click()
        assert order(at.page) == "---"
        expect(at.page.locator("[data-rank-table] input:checked")).to_have_count(0)

    def test_ids_are_stored_with_their_places(self, at):
        shown = at.screen(1).item_order
        tile(at.page, "B").click()
        tile(at.page, "C").click()
        at.press_next()
        expect(at.page.get_by_role("heading", name="Set 2 of 2")).to_be_visible()
        assert stored(at) == [(shown[1], 1), (shown[2], 2), (shown[0], 3)]

    def test_a_draft_comes_back_as_it_was(self, at):
        tile(at.page, "B").click()
        expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")
        at.page.reload()
        expect(at.page.locator(".tile")).to_have_count(3)
        assert order(at.page) == "B--"

    def test_each_tile_names_its_place(self, at):
        tile(at.page, "B").click()
        expect(tile(at.page, "B")).to_have_accessible_name("Video B, 1st of 3")
        expect(tile(at.page, "A")).to_have_accessible_name("Video A, not placed")


class TestByKeys:
    def test_digits_place_and_swap(self, at):
        tile(at.page, "A").focus()
        at.page.keyboard.press("Digit3")
        assert order(at.page) == "--A"
        expect(tile(at.page, "A")).to_be_focused()
        tile(at.page, "B").focus()
        at.page.keyboard.press("Digit1")
        assert order(at.page) == "BCA"  # the last one moved by itself
        at.page.keyboard.press("Digit3")
        assert order(at.page) == "ACB"
        said(at, "Video B moved to 3rd, Video A is now 1st.")

    def test_arrows_move_one_place_and_backspace_takes_back(self, at):
        tile(at.page, "A").focus()
        at.page.keyboard.press("ArrowDown")
        assert order(at.page) == "A--"
        at.page.keyboard.press("ArrowDown")
        assert order(at.page) == "-A-"
        at.page.keyboard.press("ArrowRight")
        at.page.keyboard.press("ArrowUp")
        assert order(at.page) == "-A-"
        at.page.keyboard.press("Backspace")
        assert order(at.page) == "---"
        expect(tile(at.page, "A")).to_be_focused()

    def test_tab_and_enter_are_enough(self, at):
        page = at.page
        for _ in range(30):
            page.keyboard.press("Tab")
            if tile(page, "A").evaluate("tile => tile === document.activeElement"):
                break
        page.keyboard.press("Enter")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Shift+Tab")
        tile(page, "B").focus()
        page.keyboard.press("Space")
        assert order(page) == "ABC"
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="Set 2 of 2")).to_be_visible()
        assert [place for _, place in stored(at)] == [1, 2, 3]

    def test_a_digit_places_nothing_while_no_tile_has_focus(self, at):
        at.page.keyboard.press("Digit1")
        assert order(at.page) == "---"


class TestByDrag:
    def drag(self, page: Page, source, target) -> None:
        start, end = source.bounding_box(), target.bounding_box()
        page.mouse.move(start["x"] + 20, start["y"] + 20)
        page.mouse.down()
        page.mouse.move(start["x"] + 30, start["y"] + 30, steps=3)
        page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
        page.wait_for_timeout(80)
        page.mouse.up()
        page.wait_for_timeout(80)

    def slot(self, page: Page, place: int):
        return page.locator(f"[data-slot='{place}'] .slot-hold")

    def test_a_tile_goes_where_it_is_dropped(self, at):
        self.drag(at.page, tile(at.page, "C"), self.slot(at.page, 2))
        assert order(at.page) == "-C-"
        said(at, "Video C is 2nd of 3.")

    def test_on_a_taken_place_the_two_swap(self, at):
        for letter in "AB":
            tile(at.page, letter).click()
        assert order(at.page) == "ABC"
        self.drag(at.page, tile(at.page, "A"), self.slot(at.page, 3))
        assert order(at.page) == "CBA"
        checked = at.page.locator("[data-rank-table] input:checked")
        expect(checked).to_have_count(3)

    def test_escape_cancels_a_drag(self, at):
        end = self.slot(at.page, 2).bounding_box()
        start = tile(at.page, "C").bounding_box()
        at.page.mouse.move(start["x"] + 20, start["y"] + 20)
        at.page.mouse.down()
        at.page.mouse.move(end["x"] + 40, end["y"] + 20, steps=8)
        expect(at.page.locator(".slot.target")).to_have_count(1)
        at.page.keyboard.press("Escape")
        expect(at.page.locator(".slot.target, .sortable-fallback")).to_have_count(0)
        at.page.mouse.up()
        at.page.wait_for_timeout(80)
        assert order(at.page) == "---"
        tile(at.page, "C").click()  # the next press counts again
        assert order(at.page) == "C--"

    def test_dropped_beside_the_places_it_stays_where_it_was(self, at):
        tile(at.page, "A").click()
        self.drag(at.page, tile(at.page, "A"), at.page.locator("#place"))
        assert order(at.page) == "A--"


class TestOnAPhone:
    def test_taps_place_and_targets_are_big_enough(self, seat, study):
        at = ready(seat(study, **PHONE))
        for letter in "BA":
            box = tile(at.page, letter).bounding_box()
            assert box["width"] >= 44
            assert box["height"] >= 44
            tile(at.page, letter).tap()
        assert order(at.page) == "BAC"
        width = at.page.evaluate("document.documentElement.scrollWidth")
        assert width == 390

    def test_a_finger_that_scrolls_drags_nothing(self, seat, study):
        at = ready(seat(study, **PHONE))
        box = tile(at.page, "A").bounding_box()
        session = at.page.context.new_cdp_session(at.page)
        x, y = box["x"] + 20, box["y"] + 20

        def touch(kind: str, *points) -> None:
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        touch("touchStart", {"x": x, "y": y})
        for step in range(1, 8):
            touch("touchMove", {"x": x, "y": y - 20 * step})
        touch("touchEnd")
        assert order(at.page) == "---"

    def test_a_finger_that_rests_drags(self, seat, study):
        at = ready(seat(study, **PHONE))
        at.page.locator(".slots").scroll_into_view_if_needed()
        start = tile(at.page, "A").bounding_box()
        end = at.page.locator("[data-slot='2'] .slot-hold").bounding_box()
        session = at.page.context.new_cdp_session(at.page)

        def touch(kind: str, *points) -> None:
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        x, y = start["x"] + 20, start["y"] + 20
        to_x, to_y = end["x"] + end["width"] / 2, end["y"] + end["height"] / 2
        touch("touchStart", {"x": x, "y": y})
        at.page.wait_for_timeout(250)
        for step in range(1, 11):
            share = step / 10
            touch("touchMove", {"x": x + share * (to_x - x), "y": y + share * (to_y - y)})
            at.page.wait_for_timeout(20)
        touch("touchEnd")
        at.page.wait_for_timeout(100)
        assert order(at.page) == "-A-"


def test_without_scripts_the_same_form_is_a_table_of_radio_buttons(seat, study):
    at = seat(study, java_script_enabled=False)
    at.page.goto(at.link)
    expect(at.page.locator("[data-rank-table]")).to_be_visible()
    for row, place in zip(at.page.locator("[data-tile]").all(), (2, 3, 1), strict=True):
        row.locator(f"input[value='{place}']").check()
    at.press_next()
    expect(at.page.get_by_role("heading", name="Set 2 of 2")).to_be_visible()
    assert [place for _, place in stored(at)] == [1, 2, 3]


def test_the_library_comes_only_where_a_ranking_opens(seat, live_study, study):
    loaded = []
    at = seat(live_study)
    at.page.on("request", lambda request: loaded.append(request.url))
    at.sit_down()
    at.page.wait_for_load_state("networkidle")
    assert [url for url in loaded if "sortable" in url or "ranking" in url] == []
