"""Every page as a page: targets, widths, weight, accessibility, right to left."""

import gzip
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation import entry
from annotation.assignment import claim_next_unit
from annotation.models import Rating
from studies.lifecycle import launch_study
from studies.models import Panel, Question, ScalePoint, Study
from tests.annotation.people import send, somebody

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Tables that Django's admin makes for rows of a form: on a phone they scroll, and nothing in a
# frozen one takes the focus. That rule is not ours to keep there.
DJANGO_TABLES = tuple(
    start + name for name in ("panels", "attention_checks", "points") for start in ("#id_", "#")
)
RULES_DJANGO_BREAKS = {"scrollable-region-focusable"}
WIDTHS = [320, 360, 390, 720, 1440]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# What a finger aims at, with its size: of a point its face, of a choice its whole line.
TARGETS = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
  .filter((el) => el.type !== "hidden" && el.checkVisibility())
  .map((el) => {
    const face = el.closest(".point")?.querySelector(".point-face") ?? el.closest("label") ?? el;
    const { width, height } = face.getBoundingClientRect();
    const name = el.getAttribute("aria-label") ?? el.name ?? "";
    return { what: `${el.tagName} ${name || el.textContent.trim()}`, width, height };
  })"""


def booth_pages(page: Page, server: str, study: Study) -> Iterator[str]:
    """Lead one person through every page and state of the booth; the name of each on arrival."""
    page.goto(server + study.entry_path)
    yield "consent"
    page.get_by_text("Read the full information").click()
    yield "consent, unfolded"
    page.get_by_role("button", name="I agree and take part").click()
    yield "about you"
    page.get_by_label("nationality").select_option("NP")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Choose one from the list.").first).to_be_visible()
    yield "about you, with gaps"
    page.get_by_label("live now").select_option("NP")
    page.get_by_label("first at home").select_option("ne")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Your task")).to_be_visible()
    yield "instructions"
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Picture 1 of 6")).to_be_visible()
    yield "unit"
    yield from _rating_states(page)
    yield from _side_pages(page)
    yield from _last_pages(page, server, study)


def _rating_states(page: Page) -> Iterator[str]:
    page.locator("[data-next]").click()
    expect(page.get_by_text("4 answers are missing")).to_be_visible()
    yield "unit, with gaps"
    for card in page.locator("[data-card=likert]").all():
        card.locator("input[value='4']").check()
    expect(page.get_by_text("(needed because of your answer to 2)")).to_be_visible()
    expect(page.locator("[data-save-state]")).to_have_text("✓ Saved")
    page.reload()
    expect(page.locator("input:checked")).to_have_count(4)
    yield "unit, restored"
    page.evaluate("document.querySelector('[data-stimulus]').src = '/media/none'")
    expect(page.locator(".picture-failed")).to_be_visible()
    yield "unit, without its picture"
    page.route("**/1/", lambda route: route.abort())
    page.locator("[data-next]").click()
    expect(page.locator("[data-try-now]")).to_be_visible()
    yield "unit, not sent"
    page.unroute("**/1/")
    page.locator("[data-try-now]").click()
    expect(page.get_by_text("1 answer is missing")).to_be_visible()
    page.reload()
    page.locator("a[data-zoom]").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "unit, picture larger"
    page.get_by_role("button", name="Close").click()


def _side_pages(page: Page) -> Iterator[str]:
    page.get_by_role("link", name="Problem?").click()
    expect(page.get_by_role("heading", name="What is the problem?")).to_be_visible()
    yield "problem"
    page.get_by_role("link", name="Try again").click()
    page.get_by_role("link", name="Help").click()
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    yield "help"
    page.get_by_role("link", name="I want to stop").click()
    expect(page.get_by_role("heading", name="Do you want to stop?")).to_be_visible()
    yield "withdraw"


def _last_pages(page: Page, server: str, study: Study) -> Iterator[str]:
    person = study.participations.get()
    while assignment := claim_next_unit(participation=person):
        send(study, assignment)
    page.goto(f"{server}/a/{person.token}/")
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    yield "end"
    leaver = somebody(study)
    entry.withdraw(participation=leaver)
    page.goto(f"{server}/a/{leaver.token}/")
    expect(page.get_by_text("You have stopped.")).to_be_visible()
    yield "out"
    page.goto(f"{server}/a/no-such-token/")
    yield "broken link"


PROVOKED = r"Failed to load resource|^htmx:(sendError|afterRequest)"


def violations(page: Page, console) -> list[str]:
    """What axe finds. The console is judged before: axe itself trips over the page's policy."""
    assert console.verdict() == []
    console.turn_away(page)
    # Colours on their way from light to dark are nobody's colours.
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    page.wait_for_timeout(20)  # what axe left in the console arrives while nobody listens
    console.hear(page)
    return [
        f"{rule['id']}: {node['html'][:150]} ({node['failureSummary'][:200]})"
        for rule in found
        for node in rule["nodes"]
        if not (rule["id"] in RULES_DJANGO_BREAKS and node["target"][0].startswith(DJANGO_TABLES))
    ]


def violations_wide_and_narrow(page: Page, console) -> list[str]:
    """In light colours on a wide screen, in dark ones on a phone; the page is left as it was.

    Colours do not depend on the width, so that two of the four dresses cover both.
    """
    found = [f"light, 1440 px: {line}" for line in violations(page, console)]
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    found += [f"dark, 390 px: {line}" for line in violations(page, console)]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})
    return found


def sideways(page: Page) -> list[int]:
    """The widths at which the page scrolls sideways."""
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(width)
    page.set_viewport_size({"width": 390, "height": 844})
    return found


# ---- the booth


def test_everything_to_press_in_the_booth_is_at_least_44_px_and_no_page_scrolls_sideways(
    live_server, full_study, open_page, console, look
):
    console.expect(PROVOKED)
    page = open_page(390, 844, has_touch=True)
    found = []
    for name in booth_pages(page, live_server.url, full_study):
        look(page, f"390-{name}")
        targets = page.evaluate(TARGETS)
        found += [f"{name}: {t}" for t in targets if min(t["width"], t["height"]) < 43.99]
        found += [f"{name} scrolls sideways at {width} px" for width in sideways(page)]
    assert not found, "\n".join(found)


def test_axe_finds_nothing_in_the_booth(live_server, full_study, open_page, console):
    console.expect(PROVOKED)
    page = open_page(1440, 900, reduced_motion="reduce")
    found = []
    for name in booth_pages(page, live_server.url, full_study):
        found += [f"{name}, {line}" for line in violations_wide_and_narrow(page, console)]
    assert not found, "\n".join(found)


def test_four_questions_and_a_rationale_fit_on_a_small_laptop_without_scrolling(seat, long_study):
    at = seat(long_study, 1440, 800).sit_down()
    expect(at.page.locator("[data-card]")).to_have_count(5)
    assert at.page.evaluate("document.documentElement.scrollHeight") <= 800


def test_on_a_phone_the_picture_leaves_room_for_the_questions(seat, full_study):
    at = seat(full_study, 390, 844, has_touch=True).sit_down()
    at.page.evaluate("window.scrollTo(0, 600)")
    stage = at.page.locator(".stage").bounding_box()
    foot = at.page.locator(".foot").bounding_box()
    assert stage["y"] == 0  # pinned
    assert foot["y"] - stage["height"] >= 0.45 * 844


def test_the_first_rating_page_is_light(seat, full_study):
    """60 KB of HTML, CSS and scripts, 8 requests besides media, 3 scripts of our own.

    The test server sends static files as they are; a site sends them compressed. So each body is
    compressed here with gzip, as a web server would.
    """
    at = seat(full_study)
    replies = []
    at.page.on("response", lambda reply: replies.append(reply))
    at.page.goto(at.link)
    at.page.wait_for_load_state("networkidle")
    pages = [r for r in replies if r.status == 200 and "/media/" not in r.url]
    kinds = ("document", "stylesheet", "script")
    weights = {
        urlsplit(r.url).path: len(gzip.compress(r.body()))
        for r in pages
        if r.request.resource_type in kinds
    }
    own = [path for path in weights if path.endswith(".js") and "/vendor/" not in path]
    assert sum(weights.values()) <= 60_000, weights
    assert len(pages) <= 8, [r.url for r in pages]
    assert 1 <= len(own) <= 3


# ---- right to left

PERSIAN_POINTS = ["اصلاً", "کمی", "تا حدی", "بیشتر", "کاملاً"]


@pytest.fixture
def persian_study(draft_study, researcher) -> Study:
    Panel.objects.filter(study=draft_study).update(language="fa")
    draft_study.public_title = "تصویرهای عروسی"
    draft_study.base_language = "fa"
    draft_study.save()
    Question.objects.filter(study=draft_study, kind="likert").update(
        text="این تصویر چقدر درست است؟"
    )
    for point in ScalePoint.objects.filter(question__study=draft_study):
        point.label = PERSIAN_POINTS[point.value - 1]
        point.save()
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


class TestRightToLeft:
    def test_point_1_stands_on_the_right_and_is_saved_as_1(self, seat, persian_study, look):
        at = seat(persian_study).sit_down()
        html = at.page.locator("html")
        expect(html).to_have_attribute("dir", "rtl")
        expect(html).to_have_attribute("lang", "fa")
        first, last = (at.point("faithfulness", n).bounding_box() for n in (1, 5))
        assert first["x"] > last["x"]
        look(at.page, "fa-1440")
        at.page.mouse.click(first["x"] + first["width"] / 2, first["y"] + 10)
        expect(at.point("faithfulness", 1)).to_be_checked()
        for key in ("hallucination", "exaggeration"):
            at.point(key, 1).check()
        at.press_next()
        at.wait_until(lambda: at.n_sent() == 1)
        assert set(Rating.objects.values_list("value", flat=True)) == {1}

    def test_the_left_arrow_goes_up_and_persian_digits_answer(self, seat, persian_study):
        at = seat(persian_study).sit_down()
        at.point("faithfulness", 1).check()
        at.page.keyboard.press("ArrowLeft")
        expect(at.point("faithfulness", 2)).to_be_checked()
        at.page.evaluate(
            """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
              { key: "۳", code: "Digit3", bubbles: true, cancelable: true }))"""
        )
        expect(at.point("faithfulness", 3)).to_be_checked()

    def test_no_width_scrolls_sideways_and_axe_finds_nothing(
        self, seat, persian_study, console, look
    ):
        at = seat(persian_study, 390, 844, has_touch=True, reduced_motion="reduce").sit_down()
        look(at.page, "fa-390")
        assert sideways(at.page) == []
        assert violations(at.page, console) == []


# ---- the researcher's pages


def sign_in(page: Page, server: str, client, user) -> None:
    client.force_login(user)
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": server}]
    )


def researcher_pages(study: Study) -> dict[str, str]:
    in_admin = {
        "study": reverse("admin:studies_study_change", args=[study.pk]),
        "items": reverse("admin:studies_study_items", args=[study.pk]),
        "import": reverse("admin:studies_study_import", args=[study.pk]),
        "question": reverse("admin:studies_question_change", args=[study.questions.first().pk]),
    }
    own = ("home", "preview", "monitor", "metrics", "report")
    addresses = {"home": reverse("studies:home")}
    apps = {"preview": "annotation", "monitor": "annotation"}
    for name in own[1:]:
        addresses[name] = reverse(f"{apps.get(name, 'scoring')}:{name}", args=[study.slug])
    return in_admin | addresses


LAUNCH_CHANGES = {"home", "study", "import", "monitor", "report"}


@pytest.mark.parametrize("state", ["draft", "live"])
def test_axe_finds_nothing_in_the_researchers_pages(
    live_server, client, researcher, draft_study, open_page, console, state
):
    if state == "live":
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        claim_next_unit(participation=somebody(draft_study))
    page = open_page(1440, 900, reduced_motion="reduce")
    sign_in(page, live_server.url, client, researcher)
    found = []
    for name, address in researcher_pages(draft_study).items():
        if state == "live" and name not in LAUNCH_CHANGES:
            continue
        page.goto(live_server.url + address)
        found += [f"{name}, {line}" for line in violations_wide_and_narrow(page, console)]
    assert not found, "\n".join(found)
