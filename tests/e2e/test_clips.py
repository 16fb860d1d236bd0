"""Clips in a real browser: the bar, the watching rule, what is counted, clips that do not play."""

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Place
from studies.lifecycle import launch_study
from studies.models import Study
from tests.e2e.conftest import Seat
from tests.e2e.filmed import clip_bytes, sound_study, triplet_study, video_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NOTE = "Published without a check."
MEDIA = re.compile(r"/media/[\w-]+(\?|$)")
BROKEN = r"Failed to load resource|ERR_"


def launched(study: Study, by) -> Study:
    launch_study(study=study, by=by, note=NOTE)
    study.refresh_from_db()
    return study


@pytest.fixture
def before_a_clip(seat, researcher):
    """``before_a_clip(**study)``: somebody who sits before one clip."""

    def sit(*, data: bytes | None = None, width: int = 1440, height: int = 900, **fields) -> Seat:
        study = launched(video_study(researcher, data=data, **fields), researcher)
        return seat(study, width, height).sit_down()

    return sit


@pytest.fixture
def at(before_a_clip) -> Seat:
    return before_a_clip()


def play(page: Page, name: str = "Video") -> None:
    page.get_by_role("button", name=f"Play: {name}").click()


def media(page: Page, script: str, nth: int = 0):
    return page.locator("[data-clip]").nth(nth).evaluate(script)


def locked(page: Page):
    return page.locator("fieldset.lock:disabled")


def clip_timing(page: Page, nth: int = 0) -> dict:
    page.wait_for_timeout(1100)  # the record is written once a second
    record = json.loads(page.locator("[name=timing]").input_value())
    section = page.locator(".stimulus").nth(nth)
    return record["clips"][section.get_attribute("data-medium")]


class TestTheBar:
    def test_stands_below_the_clip_and_takes_the_place_of_the_browsers_controls(self, at):
        clip = at.page.locator("video")
        expect(at.page.locator(".player")).to_be_visible()
        assert not clip.evaluate("clip => clip.controls || clip.loop || clip.autoplay")
        assert clip.evaluate("clip => clip.disablePictureInPicture")
        bar, stimulus = at.page.locator(".player").bounding_box(), clip.bounding_box()
        assert bar["y"] >= stimulus["y"] + stimulus["height"] - 0.5

    def test_nothing_lies_over_the_clip(self, at):
        covered = """clip => {
          const box = clip.getBoundingClientRect();
          const points = [[0.05, 0.05], [0.5, 0.5], [0.95, 0.95], [0.5, 0.95], [0.5, 0.05]];
          return points.filter(([x, y]) => document.elementFromPoint(
            box.x + x * box.width, box.y + y * box.height) !== clip).length;
        }"""
        play(at.page)
        at.page.wait_for_timeout(300)
        assert at.page.locator("video").evaluate(covered) == 0

    def test_play_and_pause_are_named_by_what_they_do(self, at):
        play(at.page)
        at.page.get_by_role("button", name="Pause: Video").click()
        expect(at.page.get_by_role("button", name="Play: Video")).to_be_visible()
        assert media(at.page, "clip => clip.paused")

    def test_the_seek_bar_tells_its_place_in_seconds(self, at):
        seek = at.page.get_by_role("slider", name="Position in Video")
        expect(seek).to_have_attribute("aria-valuetext", "0 of 2 seconds")
        seek.focus()
        at.page.keyboard.press("End")
        expect(seek).to_have_attribute("aria-valuetext", "2 of 2 seconds")

    def test_speed_goes_back_to_1_and_sound_stays_off(self, at):
        media(at.page, "clip => { clip.playbackRate = 4; clip.muted = false; clip.volume = 1; }")
        at.page.wait_for_function(
            "() => { const clip = document.querySelector('video');"
            " return clip.playbackRate === 1 && clip.muted; }"
        )
        expect(at.page.get_by_role("img", name="Sound is off")).to_be_visible()

    def test_where_sound_belongs_to_the_task_it_is_not_muted(self, before_a_clip):
        at = before_a_clip(sound=Study.Sound.JUDGED)
        assert not media(at.page, "clip => clip.muted")
        expect(at.page.locator(".mute-sign")).to_have_count(0)

    def test_k_plays_and_z_enlarges_and_escape_goes_back(self, at):
        keys = at.page.keyboard
        keys.press("k")
        expect(at.page.get_by_role("button", name="Pause: Video")).to_be_visible()
        keys.press("k")
        expect(at.page.get_by_role("button", name="Play: Video")).to_be_visible()
        keys.press("z")
        larger = at.page.locator(".stimulus.larger")
        expect(larger).to_be_visible()
        assert larger.bounding_box()["height"] == 900
        assert at.page.locator(".questions").evaluate("part => Boolean(part.closest('[inert]'))")
        play(at.page)
        at.page.wait_for_function("() => document.querySelector('video').ended")
        keys.press("Digit4")  # nobody answers what is out of sight
        expect(at.page.locator("input:checked")).to_have_count(0)
        keys.press("Escape")
        expect(larger).to_have_count(0)
        assert not at.page.locator(".questions").evaluate("q => Boolean(q.closest('[inert]'))")

    def test_a_hidden_page_pauses_the_clip_and_says_so(self, at):
        play(at.page)
        at.page.evaluate(
            """() => {
              const hidden = { value: "hidden", configurable: true };
              Object.defineProperty(document, "visibilityState", hidden);
              document.dispatchEvent(new Event("visibilitychange"));
              delete document.visibilityState;
            }"""
        )
        expect(at.page.locator("[data-clip-note]")).to_have_text("Paused while you were away.")
        assert media(at.page, "clip => clip.paused")

    def test_a_clip_comes_in_ranges(self, seat, researcher):
        at = seat(launched(video_study(researcher), researcher))
        statuses = set()

        def note(reply):
            if MEDIA.search(reply.url):
                statuses.add(reply.status)

        at.page.on("response", note)
        at.sit_down()
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        assert statuses == {206}

    def test_the_next_clip_is_fetched_while_this_one_is_on_screen(self, at):
        def wanted():
            asked = at.page.evaluate(
                "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
            )
            return len({url.split("?")[0] for url in asked if re.search(r"/media/[\w-]+\?", url)})

        at.wait_until(lambda: wanted() >= 2)
        assert wanted() == 2, "the next clip, and none beyond it"


class TestTheWatchingRule:
    def test_answers_open_when_the_clip_was_watched_and_not_before(self, at):
        page = at.page
        line = page.locator(".lock-line")
        expect(line).to_contain_text("Watch the video to the end to answer. 0 % so far.")
        assert page.locator("fieldset.lock").get_attribute("aria-describedby") == "lock-0"
        page.keyboard.press("Digit4")
        expect(page.locator("input:checked")).to_have_count(0)
        play(page)
        expect(locked(page)).to_have_count(0)
        expect(page.locator("#said")).to_have_text("You can answer now.")
        assert page.locator("fieldset.lock").get_attribute("aria-describedby") is None
        page.keyboard.press("Digit4")
        expect(at.point("faithfulness", 4)).to_be_checked()

    def test_nothing_moves_under_the_pointer_when_answers_open(self, at):
        before = at.card("faithfulness").bounding_box()
        play(at.page)
        expect(at.page.locator(".lock-line")).to_contain_text("You can answer now.")
        assert at.card("faithfulness").bounding_box() == before

    def test_a_whole_clip_counts_as_whole_though_browsers_count_to_the_last_frame(
        self, before_a_clip
    ):
        at = before_a_clip(watch_share=1)
        media(
            at.page,
            """clip => {
              const played = { length: 1, start: () => 0.04, end: () => 1.45 };
              Object.defineProperty(clip, "played", { get: () => played });
              clip.dispatchEvent(new Event("timeupdate"));
            }""",
        )
        expect(locked(at.page)).to_have_count(0)

    def test_a_clip_of_unknown_length_opens_the_answers_after_30_s_of_visible_play(self, at):
        media(
            at.page,
            """clip => {
              Object.defineProperty(clip, "duration", { get: () => Infinity });
              Object.defineProperty(clip, "paused", { get: () => false });
              Object.defineProperty(clip, "ended", { get: () => false });
              let now = performance.now();
              performance.now = () => now;
              window.pass = (seconds) => {
                for (let n = 0; n < seconds; n += 1) {
                  now += 1000;
                  clip.dispatchEvent(new Event("timeupdate"));
                }
              };
              clip.dispatchEvent(new Event("play"));
            }""",
        )
        at.page.evaluate("pass(29)")
        expect(locked(at.page)).to_have_count(1)
        at.page.evaluate("pass(2)")
        expect(locked(at.page)).to_have_count(0)

    def test_after_30_s_of_waiting_for_the_line_the_lock_offers_a_way_on(self, at):
        skip = at.page.locator(".lock-line").get_by_role("button", name="Skip it")
        expect(skip).to_be_hidden()
        media(
            at.page,
            """clip => {
              Object.defineProperty(clip, "paused", { get: () => false });
              const begun = performance.now();
              performance.now = () => begun;
              clip.dispatchEvent(new Event("waiting"));
              performance.now = () => begun + 31000;
              clip.dispatchEvent(new Event("durationchange"));
            }""",
        )
        skip.click()
        expect(at.page.get_by_role("heading", name="Video 2 of 2")).to_be_visible()
        assert Place.objects.filter(state=Place.State.OPEN, unit=at.screen(1).unit).exists()

    def test_jumping_to_the_end_does_not_count(self, at):
        media(at.page, "clip => { clip.currentTime = 1.3; }")
        play(at.page)
        at.page.wait_for_function("() => document.querySelector('video').ended")
        expect(locked(at.page)).to_have_count(1)
        assert clip_timing(at.page)["seen"] < 0.3

    def test_next_before_that_says_what_is_left_and_leads_to_the_clip(self, at):
        sent = []
        at.page.on("request", lambda r: sent.append(r.url) if r.method == "POST" else None)
        at.press_next()
        expect(at.page.locator("#alarm")).to_contain_text("Watch the video to the end")
        expect(at.page.get_by_role("button", name="Play: Video")).to_be_focused()
        assert [url for url in sent if url.endswith("/1/")] == []

    def test_without_a_rule_nothing_is_locked(self, before_a_clip):
        at = before_a_clip(watch_share=0)
        expect(locked(at.page)).to_have_count(0)
        at.answer(3)
        at.press_next()
        expect(at.page.get_by_role("heading", name="Video 2 of 2")).to_be_visible()

    def test_a_reload_keeps_what_was_watched_and_answered(self, at):
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        at.point("faithfulness", 4).check()
        expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")
        at.page.reload()
        at.settle()
        expect(locked(at.page)).to_have_count(0)
        expect(at.point("faithfulness", 4)).to_be_checked()
        record = clip_timing(at.page)
        assert record["seen"] >= 0.95
        assert record["starts"] == 1

    def test_a_reload_in_the_middle_of_a_clip_keeps_what_was_watched_of_it(self, before_a_clip):
        at = before_a_clip(data=clip_bytes(4))
        play(at.page)
        at.page.wait_for_timeout(1500)
        at.page.keyboard.press("k")
        seen = clip_timing(at.page)["seen"]
        assert 0.1 < seen < 0.95
        at.page.evaluate("() => booth.save.changed()")  # what an answer would do
        expect(at.page.locator("[data-save-state]")).to_have_text("✓ Saved")
        at.page.reload()
        at.settle()
        assert clip_timing(at.page)["seen"] == pytest.approx(seen, abs=0.05)

    def test_gaps_named_by_the_server_do_not_lose_what_was_watched(self, at):
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        at.press_next()
        expect(at.page.locator(".gap")).to_have_count(2)
        expect(locked(at.page)).to_have_count(0)
        assert media(at.page, "clip => clip.played.length") == 1

    def test_without_scripts_nothing_is_locked_and_the_browser_shows_its_controls(
        self, seat, researcher
    ):
        study = launched(video_study(researcher), researcher)
        at = seat(study, java_script_enabled=False)
        at.page.goto(at.link)
        assert at.page.locator("video").get_attribute("controls") is not None
        expect(at.page.locator(".player")).to_be_hidden()
        at.answer(2)
        at.press_next()
        expect(at.page.get_by_role("heading", name="Video 2 of 2")).to_be_visible()


class TestWhatIsCounted:
    def test_replays_and_starts_are_told_apart(self, at):
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        at.page.wait_for_function("() => document.querySelector('video').ended")
        play(at.page)
        record = clip_timing(at.page)
        assert (record["starts"], record["replays"], record["errors"]) == (2, 1, 0)
        assert record["played"] > 1
        assert record["parts"][0][0] == 0

    def test_the_measures_go_out_with_the_screen(self, at):
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        at.answer(3)
        at.press_next()
        expect(at.page.get_by_role("heading", name="Video 2 of 2")).to_be_visible()
        timing = at.screen(1).timing
        assert timing["v"] == 1
        assert timing["opened"] == 1
        assert timing["visible"] <= timing["wall"] + 0.1
        assert len(timing["clips"]) == 1


class TestAClipThatDoesNotPlay:
    def test_a_codec_the_browser_lacks_is_told_and_skipping_gives_the_unit_back(
        self, before_a_clip, console
    ):
        console.expect(BROKEN)
        at = before_a_clip(data=clip_bytes(codec="libx265"))
        panel = at.page.locator("[data-failed]")
        expect(panel).to_contain_text("This video does not play.")
        expect(panel).to_contain_text("Skipping does not count against you.")
        expect(at.page.locator(".player")).to_be_hidden()
        expect(at.page.locator(".lock-line")).to_contain_text("One does not play.")
        assert clip_timing(at.page)["errors"] == 2  # the silent retry too
        panel.get_by_role("button", name="Skip it").click()
        expect(at.page.get_by_role("heading", name="Video 2 of 2")).to_be_visible()
        assert at.screen(1).skipped_at is not None
        assert not Place.objects.filter(unit=at.screen(1).unit_id, holder=at.person).exists()

    def test_one_cut_line_is_tried_again_silently(self, seat, researcher, console):
        console.expect(BROKEN)
        at = seat(launched(video_study(researcher), researcher))
        cut = []

        def once(route: Route) -> None:
            if not cut:
                cut.append(route.request.url)
                route.abort()
            else:
                route.continue_()

        at.page.route(MEDIA, once)
        at.sit_down()
        play(at.page)
        expect(locked(at.page)).to_have_count(0)
        expect(at.page.locator("[data-failed]")).to_be_hidden()
        assert clip_timing(at.page)["errors"] == 1
        assert len(cut) == 1

    def test_try_again_brings_the_clip_back(self, seat, researcher, console):
        console.expect(BROKEN)
        at = seat(launched(video_study(researcher), researcher))
        at.page.route(MEDIA, lambda route: route.abort())
        at.sit_down()
        panel = at.page.locator("[data-failed]")
        expect(panel).to_be_visible()
        at.page.unroute(MEDIA)
        panel.get_by_role("button", name="Try again").click()
        expect(panel).to_be_hidden()
        play(at.page)
        expect(locked(at.page)).to_have_count(0)


class TestSeveral:
    @pytest.fixture
    def trio(self, seat, researcher) -> Seat:
        return seat(launched(triplet_study(researcher), researcher)).sit_down()

    def test_only_one_plays(self, trio):
        play(trio.page, "Video A")
        trio.page.wait_for_function("() => !document.querySelector('video').paused")
        play(trio.page, "Video B")
        trio.page.wait_for_function("() => document.querySelector('video').paused")
        assert not media(trio.page, "clip => clip.paused", 1)

    def test_all_are_watched_in_turn_with_one_press(self, trio):
        trio.page.get_by_role("button", name="Play all in turn").click()
        expect(trio.page.locator("[data-watched].done")).to_have_count(3)
        expect(trio.page.locator(".stimulus-head").nth(2)).to_contain_text("✓ watched")


class TestSounds:
    def test_a_sound_has_the_same_bar_and_rule(self, seat, researcher):
        at = seat(launched(sound_study(researcher), researcher)).sit_down()
        expect(at.page.locator(".lock-line")).to_contain_text("Listen to the end to answer.")
        play(at.page, "Sound")
        expect(locked(at.page)).to_have_count(0)
        assert not media(at.page, "clip => clip.muted")
        assert clip_timing(at.page)["seen"] >= 0.95
