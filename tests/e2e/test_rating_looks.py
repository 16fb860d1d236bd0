"""Clips, sets and every kind as they look: axe, right to left, dark, zoomed, forced colours."""

import gzip
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from studies.lifecycle import launch_study
from studies.models import Panel, Study
from tests.e2e.conftest import Seat
from tests.e2e.filmed import kinds_study, pair_study, sound_study, triplet_study, video_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MAKERS = {
    "video": video_study,
    "triplet": triplet_study,
    "kinds": kinds_study,
    "sound": sound_study,
    "pair": pair_study,
}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@pytest.fixture
def sit(seat, researcher):
    """``sit("video", language, **page)``: somebody before such a screen."""

    def down(kind: str, language: str = "en", **page) -> Seat:
        study = MAKERS[kind](researcher, base_language=language)
        Panel.objects.filter(study=study).update(language=language)
        launch_study(study=study, by=researcher, note="Published without a check.")
        study.refresh_from_db()
        return seat(Study.objects.get(pk=study.pk), **page).sit_down()

    return down


def faults(at: Seat) -> list[str]:
    result = Axe().run(at.page, options=RULES)
    return [
        f"{v['id']}: {node['html'][:120]}"
        for v in result.response["violations"]
        for node in v["nodes"]
    ]


# The other dresses are those of test_gallery.
@pytest.mark.parametrize("kind", ["video", "triplet", "kinds"])
def test_axe_finds_nothing_where_the_device_forces_its_colours(sit, console, look, kind):
    console.expect("style-src|Content Security Policy")  # axe's own sheet
    at = sit(kind, forced_colors="active")
    look(at.page, f"{kind}-forced")
    assert faults(at) == []


class TestRightToLeft:
    def test_the_bar_is_mirrored_and_the_play_sign_is_not(self, sit, look):
        at = sit("video", "fa")
        look(at.page, "video-rtl", full_page=False)
        play = at.page.locator("[data-play]").bounding_box()
        larger = at.page.locator("[data-larger]").bounding_box()
        assert play["x"] > larger["x"]
        shape = at.page.locator(".play-sign").first.evaluate("e => getComputedStyle(e).clipPath")
        assert shape.startswith("polygon(12% 0")
        seek = at.page.locator("[data-seek]")
        seek.focus()
        at.page.keyboard.press("ArrowLeft")  # towards the end, as one reads
        assert float(seek.input_value()) > 0

    def test_the_watched_part_grows_from_the_right(self, sit):
        at = sit("video", "fa")
        at.page.locator("[data-play]").click()
        at.page.wait_for_timeout(700)
        at.page.keyboard.press("k")
        track = at.page.locator("[data-seen]").bounding_box()
        part = at.page.locator("[data-seen] > span").first.bounding_box()
        assert part["x"] + part["width"] == pytest.approx(track["x"] + track["width"], abs=2)
        assert part["width"] < track["width"]

    def test_places_of_a_ranking_go_from_right_to_left_and_arrows_with_them(self, sit, look):
        at = sit("triplet", "fa", width=390, height=844, has_touch=True, is_mobile=True)
        page = at.page
        for card in page.locator("[data-card=yes_no]").all():
            card.locator("label").first.click()
        page.locator("[data-next]").click()
        expect(page.locator("#step-2")).to_be_visible()
        expect(page.locator("[data-card=multi]")).to_have_count(3)
        page.locator("[data-turns]").click()
        expect(page.locator("[data-watched].done")).to_have_count(3, timeout=15_000)
        for card in page.locator("[data-card=multi]").all():
            card.locator("label").last.click()
        page.locator("[data-next]").click()
        expect(page.locator(".tile")).to_have_count(3)
        first, last = (
            page.locator(".slot").first.bounding_box(),
            page.locator(".slot").last.bounding_box(),
        )
        assert first["x"] > last["x"]
        page.locator(".tile").first.tap()
        look(page, "step-3-rtl-390", full_page=False)
        page.locator(".slot .tile").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".slot").nth(1).locator(".tile")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("kind", ["video", "triplet", "kinds"])
def test_the_first_page_is_light(seat, researcher, kind):
    """60 KB of HTML, CSS and scripts in 8 requests, 3 own scripts; each body gzipped here."""
    study = MAKERS[kind](researcher)
    launch_study(study=study, by=researcher, note="Published without a check.")
    at = seat(Study.objects.get(pk=study.pk))
    replies = []
    at.page.on("response", lambda reply: replies.append(reply))
    at.page.goto(at.link)
    at.page.wait_for_load_state("networkidle")
    files = [
        reply
        for reply in replies
        if reply.status == 200
        and reply.request.resource_type in ("document", "stylesheet", "script")
    ]
    weights = {urlsplit(reply.url).path: len(gzip.compress(reply.body())) for reply in files}
    own = [path for path in weights if path.endswith(".js") and "/vendor/" not in path]
    assert sum(weights.values()) <= 60_000, weights
    assert len(files) <= 8
    assert len(own) <= 3


def test_motion_stops_where_people_ask_for_less(sit):
    at = sit("kinds", reduced_motion="reduce")
    moved = at.page.locator(".pill > span").first.evaluate(
        "e => getComputedStyle(e).transitionDuration"
    )
    assert moved == "0s"
