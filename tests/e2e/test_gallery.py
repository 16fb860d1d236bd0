"""Every screen of every kind, wide and narrow, light and dark, in English and in Persian.

Run with SCREENSHOTS set to a folder: each of them is pictured there, to be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from studies.models import Study
from tests.e2e.conftest import SCREENSHOTS, Seat
from tests.e2e.gallery import MAKERS, gallery_study
from tests.e2e.test_pages import PROVOKED, violations

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not SCREENSHOTS, reason="minutes of drawing: set SCREENSHOTS to a folder to run it"
    ),
]

DRESSES = [
    (1440, 900, "light"),
    (390, 844, "dark"),
]
MORE = [(1440, 900, "dark"), (390, 844, "light")]  # only to be looked at


def press(page: Page, selector: str) -> None:
    page.locator(selector).first.click()


def choose(page: Page, card: str, nth: int = 0) -> None:
    """The nth point, pill or option of every open card of this kind."""
    for each in page.locator(f"[data-card={card}]").all():
        if each.is_visible():
            each.locator("label:not(.point-na, .pill-apart)").nth(nth).click()


def entry_pages(page: Page, server: str, study: Study) -> Iterator[str]:
    page.goto(server + study.entry_path)
    yield "consent"
    press(page, "button[value=agree]")
    expect(page.locator("select[name=nationality]")).to_be_visible()
    yield "about-you"
    page.locator("select[name=nationality]").select_option("NP")
    page.locator("select[name=residence]").select_option("NP")
    page.locator("select[name=first_language]").select_option("ne")
    press(page, ".btn-go")
    expect(page.locator("select")).to_have_count(0)
    yield "instructions"
    press(page, ".btn-go")
    expect(page.locator("#place")).to_be_visible()


def likert_screens(page: Page) -> Iterator[str]:
    yield "new"
    press(page, "[data-next]")
    expect(page.locator(".foot .error")).to_be_visible()
    yield "gaps"
    choose(page, "likert", 3)
    expect(page.locator("[data-needed]")).to_be_visible()
    yield "answered"
    page.locator("textarea").fill("The clothes are from another region.")
    press(page, "[data-next]")
    expect(page.locator("a[data-back]")).to_be_visible()
    page.locator("a[data-back]").click()
    expect(page.locator("[data-sent]")).to_be_visible()
    yield "sent"
    page.locator("[data-go-on]").click()
    expect(page.locator("[data-sent]")).to_have_count(0)
    page.locator(".picture-bar a[href$='/problem/']").click()
    yield "problem"
    page.go_back()
    page.locator("[data-help]").click()
    yield "help"
    press(page, "a[href$='/withdraw/']")
    yield "withdraw"
    page.go_back()
    page.go_back()
    for _ in range(2):
        expect(page.locator("[data-sent]")).to_have_count(0)
        heading = page.locator("#place").text_content()
        choose(page, "likert", 0)
        press(page, "[data-next]")
        expect(page.locator("#place").filter(has_text=re.compile(f"^{heading}$"))).to_have_count(0)
    expect(page.locator("[data-forget]")).to_be_visible()
    yield "end"


def kinds_screens(page: Page) -> Iterator[str]:
    yield "new"
    choose(page, "likert", 3)
    choose(page, "yes_no")
    choose(page, "choice", 1)
    page.locator("input[type=range].slider").press("End")
    for row in page.locator(".checklist-row").all()[:5]:
        row.locator("label").first.click()
    yield "half-answered"
    press(page, "[data-next]")
    expect(page.locator(".foot .error")).to_be_visible()
    yield "gaps"


def pair_screens(page: Page) -> Iterator[str]:
    yield "new"
    choose(page, "likert", 1)
    choose(page, "multi")
    yield "answered"


def watched(page: Page, count: int) -> None:
    expect(page.locator("fieldset.lock:disabled")).to_have_count(0, timeout=20_000)


def video_screens(page: Page) -> Iterator[str]:
    yield "locked"
    press(page, "[data-play]")
    watched(page, 1)
    choose(page, "likert", 3)
    yield "answered"


def sound_screens(page: Page) -> Iterator[str]:
    yield from video_screens(page)


def triplet_screens(page: Page) -> Iterator[str]:
    yield "step-1"
    choose(page, "yes_no")
    press(page, "[data-next]")
    expect(page.locator("[data-card=multi]")).to_have_count(3)
    yield "step-2-locked"
    press(page, "[data-turns]")
    watched(page, 3)
    choose(page, "multi")
    yield "step-2"
    press(page, "[data-next]")
    expect(page.locator(".tile")).to_have_count(3)
    yield "step-3"
    page.locator(".tray .tile").nth(1).click()
    yield "step-3-one-placed"
    page.locator(".tray .tile").first.click()
    expect(page.locator(".tray .tile")).to_have_count(0)
    yield "step-3-all-placed"


SCREENS = {kind: globals()[f"{kind}_screens"] for kind in MAKERS}


def look_at(page: Page, console, name: str) -> list[str]:
    """What is wrong with this screen in any dress; the page is left as it was."""
    found = []
    for width, height, colours in DRESSES + (MORE if SCREENSHOTS else []):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        if SCREENSHOTS:
            page.screenshot(path=f"{SCREENSHOTS}/{name}-{width}-{colours}.png", caret="initial")
            if page.evaluate("document.documentElement.scrollHeight > innerHeight + 40"):
                path = f"{SCREENSHOTS}/{name}-{width}-{colours}-whole.png"
                page.screenshot(path=path, full_page=True, caret="initial")
        if (width, height, colours) in DRESSES:
            at = page.evaluate("scrollY")
            page.evaluate("scrollTo(0, 0)")  # what lies half under a pinned deck is no small target
            found += [f"{name}, {width} px: {line}" for line in violations(page, console)]
            page.evaluate("at => scrollTo(0, at)", at)
    for width in (320, 640):  # 640 px: a laptop's window at 200 %
        page.set_viewport_size({"width": width, "height": 568})
        over = page.evaluate("document.documentElement.scrollWidth") - width
        if over > 0:
            found.append(f"{name} scrolls {over} px sideways at {width} px")
    page.set_viewport_size({"width": 1440, "height": 900})
    return found


@pytest.mark.parametrize("language", ["en", "fa"])
@pytest.mark.parametrize("kind", MAKERS)
def test_no_screen_has_a_fault_that_a_machine_can_find(
    live_server, seat, researcher, console, kind, language
):
    console.expect(PROVOKED)
    study = gallery_study(researcher, kind, language=language)
    at: Seat = seat(study)
    found = []
    if kind == "likert":
        for name in entry_pages(at.page, live_server.url, study):
            found += look_at(at.page, console, f"entry-{name}-{language}")
    else:
        at.sit_down()
    for name in SCREENS[kind](at.page):
        found += look_at(at.page, console, f"{kind}-{name}-{language}")
    assert not found, "\n".join(found)


SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) {
    if (!each.hadRecentInput) shifts.push(...each.sources.map(({ node }) => node?.outerHTML ?? ""));
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("kind", MAKERS)
def test_nothing_moves_while_a_screen_arrives_on_a_slow_line(seat, researcher, kind):
    at = seat(gallery_study(researcher, kind), 390, 844, has_touch=True, is_mobile=True)
    line = at.page.context.new_cdp_session(at.page)
    line.send("Network.enable")
    slow = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 1e5}
    line.send("Network.emulateNetworkConditions", slow)
    at.page.add_init_script(SHIFTS)
    at.page.goto(at.link)
    at.page.wait_for_load_state("networkidle")
    expect(at.page.locator("p[data-answered]")).not_to_be_empty()
    assert [html[:200] for html in at.page.evaluate("shifts")] == []


def test_a_set_in_three_steps_takes_thirteen_inputs_at_most(seat, researcher):
    at = seat(gallery_study(researcher, "triplet")).sit_down()
    page = at.page
    page.evaluate("addEventListener('pointerdown', () => { window.n = (window.n ?? 0) + 1; })")
    for name in triplet_screens(page):
        if name == "step-3-all-placed":
            at.press_next()
    expect(page.locator("#place")).to_contain_text("2")
    at.wait_until(lambda: at.n_sent() == 1)
    assert page.evaluate("n") <= 13


def test_a_picture_with_three_scales_takes_four_keys(seat, researcher):
    at = seat(gallery_study(researcher, "likert")).sit_down()
    for key in ("Digit1", "Digit1", "Digit1", "Enter"):
        at.page.keyboard.press(key)
    at.wait_until(lambda: at.n_sent() == 1)
    assert at.values(1) == [1, 1, 1]
