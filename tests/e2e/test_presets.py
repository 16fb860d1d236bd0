"""Each published protocol from its card in the workshop to the last annotator's code, and after it.

Panels are fewer and smaller than published; everything that is asked, and how, is as published.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.languages import language_of
from annotation.models import Assignment, Participation, Rating
from studies.models import DesignRevision, Study
from tests.e2e.protocols import Annotator, Workshop, bring, draw, film
from tests.e2e.test_pages import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
AS_PUBLISHED = "As published: fewer people, for a test."


@pytest.fixture
def workshop(live_server, client, researcher, open_page) -> Workshop:
    page = open_page()
    sign_in(page, live_server.url, client, researcher)
    return Workshop(page, live_server.url)


def sent_screens(study: Study) -> list[Assignment]:
    rows = Assignment.objects.filter(participation__study=study).order_by("participation", "n")
    assert all(row.submitted_at for row in rows)
    return list(rows)


def of(key: str, **wanted):
    return Rating.objects.filter(question__key=key, **wanted)


def holds_in_every_protocol(study: Study, preset: str) -> None:
    """What does not depend on what is asked."""
    assert study.preset == preset
    assert study.provenance["units_per_session"]["status"] in {"published", "inferred", "ours"}
    assert study.launch_note == AS_PUBLISHED
    assert [row.number for row in DesignRevision.objects.filter(study=study)] == [1]
    people = Participation.objects.filter(study=study)
    assert {(p.state, p.pilot, p.revision) for p in people} == {("complete", False, 1)}


def report_opens(workshop: Workshop, study: Study) -> None:
    """The report has its page before anything is computed."""
    page = workshop.page
    answer = page.goto(workshop.server + reverse("scoring:report", args=[study.slug]))
    assert answer.status == 200
    expect(page.get_by_role("heading", level=1)).to_be_visible()


# ---- CULTIVate

TOKENS = ["rows of marigolds", "a fire in the middle", "a white wedding cake"]
MISSING = "The knot that ties bride and groom together."


def cultivate_files(study: Study, folder: Path) -> None:
    names = [f"form-{n}.png" for n in range(5)]
    rows = [
        {
            "item_id": f"form-{n}",
            "file": name,
            "country": "India",
            "category": "wedding" if n % 2 else "greeting",
            "scenario": f"form {n}",
            "prompt": f"Form {n} in India",
            "system": f"t2i-{n % 3}",
        }
        for n, name in enumerate(names)
    ]
    bring(study, folder, "items", rows, media=draw(folder / "pictures", names))
    references = [
        {"kind": "reference", "activity": activity, "country": "IN", "dimension": "objects"}
        | {"token": token}
        for activity in ("wedding", "greeting")
        for token in TOKENS
    ]
    bring(study, folder, "descriptors", references)


def rate_a_form(annotator: Annotator, look, name: str) -> None:
    """Four scales (and a check), a reason; then the list of descriptors."""
    annotator.presses = 0
    cards = annotator.cards("likert")
    for card in cards:
        annotator.choose(card, 2 if "choose 2" in card.inner_text() else 4)
    annotator.page.locator("[data-card=text] textarea").fill("The clothes are of another country.")
    look(annotator.page, f"preset-cultivate-{name}-1")
    annotator.go_on()
    assert annotator.presses == len(cards) + 1
    expect(annotator.page.locator("#step-2")).to_be_focused()
    for row in annotator.page.locator("[data-card=descriptors] [data-row]").all():
        right = "marigold" in row.inner_text() or "fire" in row.inner_text()
        annotator.choose(row, 1 if right else 0)
    annotator.choose(annotator.page.locator(".checklist-coverage"), 4)
    annotator.page.locator(".checklist-missing textarea").fill(MISSING)
    look(annotator.page, f"preset-cultivate-{name}-2")
    annotator.go_on()


def test_cultivate_is_made_launched_and_rated_at_a_desk_and_on_a_phone(
    workshop, open_page, tmp_path, look, console
):
    # A draft that was under way when its step was sent comes too late, and nothing is lost.
    console.expect("409")
    study = workshop.make("CULTIVate", "Activities")
    workshop.reduce(keep={"IN": 2})
    cultivate_files(study, tmp_path)
    link = workshop.launch(study, AS_PUBLISHED)
    desk = Annotator(open_page())
    phone = Annotator(open_page(**PHONE), touch=True)
    for annotator, name in ((desk, "desk"), (phone, "phone")):
        annotator.enter(link, country="IN", language="hi")
        for n in range(1, 7):
            annotator.is_on(n, 6)
            rate_a_form(annotator, look, f"{name}-{n}")
        annotator.is_done(study)
    holds_in_every_protocol(study, "cultivate")
    cultivate_answers(study)
    report_opens(workshop, study)


def cultivate_answers(study: Study) -> None:
    """Five forms, two people: 10 counted annotations; the repeats are kept and not counted."""
    screens = sent_screens(study)
    assert len(screens) == 12
    repeats = [screen for screen in screens if screen.repeat_of_id]
    assert [screen.counted for screen in repeats] == [None, None]
    assert all(screen.n - screen.repeat_of.n > study.repeat_gap for screen in repeats)
    counted = [screen for screen in screens if screen.counted]
    assert set(Counter(screen.unit_id for screen in counted).values()) == {2}
    assert len(counted) == 10
    for key in ("faithfulness", "hallucination", "exaggeration", "realism"):
        rows = of(key, assignment__in=counted)
        assert [row.value for row in rows] == [4] * 10
        assert {row.subject for row in rows} == {f"i{i.pk}" for i in study.items.all()}
    assert {row.text for row in of("rationale")} == {"The clothes are of another country."}
    checks = [screen for screen in screens if screen.attention_check_id]
    assert len(checks) == 2
    assert all(1 < screen.n < 6 and screen.check_answer.passed for screen in checks)
    cultivate_descriptors(counted)


def cultivate_descriptors(counted: list[Assignment]) -> None:
    for screen in counted:
        rows = of("descriptor_check", assignment=screen)
        verdicts = {row.descriptor.token: row.value for row in rows if row.descriptor_id}
        assert verdicts == dict(zip(TOKENS, [1, 1, 0], strict=True))
        overall = rows.get(descriptor=None)
        assert (overall.value, overall.text) == (4, MISSING)


# ---- CAIRe


def caire_files(study: Study, folder: Path) -> None:
    rows = [
        {
            "item_id": f"{concept}-{country}-{origin}",
            "file": f"{concept}-{country}-{origin}.png",
            "country": country,
            "category": concept,
            "scenario": concept,
            "origin": origin,
        }
        for concept in ("breakfast", "music")
        for country in ("US", "BR")
        for origin in ("generated", "real")
    ]
    names = [row["file"] for row in rows]
    bring(study, folder, "items", rows, media=draw(folder / "pictures", names))


def test_caire_is_made_launched_and_rated_by_people_of_every_country(
    workshop, open_page, tmp_path, look
):
    study = workshop.make("CAIRe", "Relevance")
    workshop.reduce(keep={"US": 1, "BR": 1})
    caire_files(study, tmp_path)
    link = workshop.launch(study, AS_PUBLISHED)
    for country, language, value in (("US", "en", 5), ("BR", "pt", 1)):
        annotator = Annotator(open_page())
        annotator.enter(link, country=country, language=language)
        for n in range(1, 9):
            annotator.is_on(n, 8)
            annotator.presses = 0
            (card,) = annotator.cards("likert")
            annotator.choose(card, value)
            look(annotator.page, f"preset-caire-{country}-{n}")
            annotator.go_on()
            assert annotator.presses == 2
        annotator.is_done(study)
    holds_in_every_protocol(study, "caire")
    caire_answers(study)
    report_opens(workshop, study)


def caire_answers(study: Study) -> None:
    """Fully crossed: every picture has its ratings from every country."""
    assert not study.units.exclude(country="").exists()
    screens = sent_screens(study)
    assert len(screens) == 16
    assert {screen.attention_check_id for screen in screens} == {None}
    by_country = Counter(
        (row.assignment.participation.panel.country, row.item.origin, row.value)
        for row in of("relevance").select_related("assignment__participation__panel", "item")
    )
    assert by_country == {
        ("US", "generated", 5): 4,
        ("US", "real", 5): 4,
        ("BR", "generated", 1): 4,
        ("BR", "real", 1): 4,
    }
    # No two of one concept and country in a row, while the pool allows it: it does at the start.
    first = [s for s in screens if s.participation == screens[0].participation][:4]
    scenes = [screen.unit.items.get().prompt_cluster for screen in first]
    assert all(a != b for a, b in zip(scenes, scenes[1:], strict=False))


# ---- CultureVidBench

DIMENSIONS = {
    "element_alignment",
    "cultural_consistency",
    "text_rendering",
    "audio_alignment",
    "subject_alignment",
    "action_alignment",
    "realism",
    "visual_quality",
}
CLIPS = {  # (aspect, whether it has sound) -> whether the sound is rated
    "weddings-1": ("weddings", True),
    "weddings-2": ("weddings", False),
    "dancing-1": ("dancing", True),
    "food-1": ("food", True),
}
RATED_SOUND = {"weddings-1", "dancing-1"}


def vidbench_files(study: Study, folder: Path) -> None:
    files = {f"{key}.mp4": sound for key, (_, sound) in CLIPS.items()}
    rows = [
        {
            "item_id": key,
            "file": f"{key}.mp4",
            "country": "MX",
            "category": "ritual & ceremony",
            "aspect": aspect,
            "scenario": aspect,
            "prompt": f"Two people at {aspect} in Mexico",
            "cultural_element": f"the {aspect} element",
            "element_picture": "garland.png" if aspect == "weddings" else "",
            "system": f"t2v-{n}",
        }
        for n, (key, (aspect, _)) in enumerate(CLIPS.items())
    ]
    clips = draw(film(folder / "clips", files), ["garland.png"])
    bring(study, folder, "items", rows, media=clips)


def test_culturevidbench_is_made_translated_launched_and_rated_by_one_person_of_a_country(
    workshop, open_page, tmp_path, look
):
    study = workshop.make("CultureVidBench", "Eight scales")
    workshop.reduce(keep={"MX": 1})
    vidbench_files(study, tmp_path)
    assert any("not in Spanish" in stop for stop in workshop.stops(study))
    workshop.translate(study, "es")
    link = workshop.launch(study, AS_PUBLISHED)
    annotator = Annotator(open_page())
    annotator.enter(link, country="MX", language="es")
    n_pictures = 0
    for n in range(1, 5):
        annotator.is_on(n, 4)
        n_pictures += annotator.page.locator(".element-picture img").count()
        rate_a_video(annotator, look, n)
    annotator.is_done(study)
    assert n_pictures == 2
    holds_in_every_protocol(study, "culturevidbench")
    vidbench_answers(study)
    report_opens(workshop, study)


def rate_a_video(annotator: Annotator, look, n: int) -> None:
    """Play it, then up to eight scales; nothing written is to be read in it."""
    page = annotator.page
    expect(page.locator("[data-asked]")).to_contain_text("Two people at")
    expect(page.locator(".element")).to_contain_text("es: the")
    annotator.presses = 0
    annotator.watch()
    cards = annotator.cards("likert")
    n_checks = 0
    for card in cards:
        text = card.inner_text()
        named = next((v for v in (1, 2, 4) if f"choose {v}" in text), None)
        n_checks += named is not None
        annotator.choose(card, named or ("na" if "writing" in text else 3))
    look(page, f"preset-vidbench-{n}")
    annotator.go_on()
    assert annotator.presses == len(cards) + 2 <= 10 + n_checks
    assert len(cards) - n_checks in {7, 8}


def vidbench_answers(study: Study) -> None:
    screens = sent_screens(study)
    assert len(screens) == 4
    for screen in screens:
        item = screen.unit.items.get()
        asked = set(screen.ratings.values_list("question__key", flat=True))
        wanted = DIMENSIONS if item.external_id in RATED_SOUND else DIMENSIONS - {"audio_alignment"}
        assert asked == wanted, item
        assert set(screen.ratings.values_list("subject", flat=True)) == {f"i{item.pk}"}
        assert screen.timing["clips"][item.public_id]["seen"] >= 0.95
    none_visible = of("text_rendering").values_list("value", "not_applicable")
    assert list(none_visible) == [(None, True)] * 4
    assert set(of("audio_alignment").values_list("value", flat=True)) == {3}
    assert all(s.check_answer.passed for s in screens if s.attention_check_id)
    assert {language_of(s.participation) for s in screens} == {"es"}


# ---- CultureScore

LARGER = "This study needs a larger screen."
PROBED = ("Identity", "Behavior", "Context")


def culturescore_files(study: Study, folder: Path) -> None:
    scenarios = ("a visit", "new year", "tea")
    keys = [(scene, system) for scene in scenarios for system in ("ada", "bix", "cob")]
    files = {f"{scene[:3]}-{system}.mp4".replace(" ", ""): False for scene, system in keys}
    rows = [
        {
            "item_id": f"{scene}-{system}",
            "file": name,
            "country": "BR",
            "scenario": scene,
            "variant": "base",
            "prompt": f"A family has {scene} in Brazil",
            "system": system,
        }
        for (scene, system), name in zip(keys, files, strict=True)
    ]
    bring(study, folder, "items", rows, media=film(folder / "clips", files))
    probes = [
        {
            "probe_id": f"{scene}-{dimension}-{n}",
            "scenario": scene,
            "country": "BR",
            "dimension": dimension,
            "text": f"Is {dimension} {n} of {scene} there?",
            "verified": "yes" if n < 3 else "no",
        }
        for scene in scenarios
        for dimension in PROBED
        for n in (1, 2, 3)
    ]
    bring(study, folder, "probes", probes)


def test_culturescore_is_made_launched_and_three_triplets_are_rated_in_three_tiers(
    workshop, open_page, tmp_path, look
):
    study = workshop.make("CultureScore", "Side by side")
    workshop.reduce(keep={"BR": 5})
    culturescore_files(study, tmp_path)
    link = workshop.launch(study, AS_PUBLISHED)
    phone = open_page(**PHONE, user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)")
    phone.goto(link)
    expect(phone.get_by_role("heading", level=1)).to_have_text(LARGER)
    for number in (1, 2):
        annotator = Annotator(open_page())
        annotator.enter(link, country="BR", language="pt")
        for n in range(1, 4):
            annotator.is_on(n, 3)
            annotator.presses = 0
            rate_a_triplet(annotator, look, f"{number}-{n}")
            assert annotator.presses == 13
        annotator.is_done(study)
    holds_in_every_protocol(study, "culturescore")
    culturescore_answers(study)
    report_opens(workshop, study)


def rate_a_triplet(annotator: Annotator, look, name: str) -> None:
    """One play, three probes, two steps on, three rows of ticks, two places, send."""
    page = annotator.page
    for card, value in zip(annotator.cards("yes_no"), (1, 0, 1), strict=True):
        annotator.choose(card, value)
    annotator.go_on()
    expect(page.locator("#step-2")).to_be_focused()
    annotator.watch(3)
    rows = annotator.cards("multi")
    annotator.press(rows[0].locator("label", has_text="A"))
    annotator.press(rows[0].locator("label", has_text="B"))
    annotator.press(rows[1].locator("label", has_text="None of these"))
    annotator.press(rows[2].locator("label", has_text="C"))
    look(page, f"preset-culturescore-{name}-2")
    annotator.go_on()
    expect(page.locator("#step-3")).to_be_focused()
    annotator.press(page.get_by_role("button", name="Video B, not placed"))
    annotator.press(page.get_by_role("button", name="Video A, not placed"))
    look(page, f"preset-culturescore-{name}-3")
    annotator.go_on()


def culturescore_answers(study: Study) -> None:
    screens = sent_screens(study)
    assert len(screens) == 6
    asked = {}
    for screen in screens:
        a, b, c = screen.item_order
        assert {a, b, c} == set(screen.unit.items.values_list("pk", flat=True))
        probes = list(screen.unit.unit_probes.order_by("position"))
        assert tuple(given.probe.dimension for given in probes) == PROBED
        assert all(given.probe.verified for given in probes)
        subjects = {(row.question.key, row.subject): row.value for row in screen.ratings.all()}
        p, q, r = (given.probe_id for given in probes)
        wanted = {("question_relevance", f"p{p}"): 1, ("question_relevance", f"p{q}"): 0}
        wanted |= {("question_relevance", f"p{r}"): 1}
        ticked = {(p, a), (p, b), (r, c)}
        for probe in (p, q, r):
            for item in (a, b, c):
                key = ("perceptual_accuracy", f"p{probe}i{item}")
                wanted[key] = int((probe, item) in ticked)
        places = {b: 1, a: 2, c: 3}
        wanted |= {("preference", f"i{item}"): place for item, place in places.items()}
        assert subjects == wanted
        asked.setdefault(screen.unit_id, set()).add((p, q, r))
    assert all(len(sets) == 1 for sets in asked.values())  # everyone is asked the same probes
    orders = {(s.participation.seed, tuple(s.item_order)) for s in screens}
    assert len(orders) == 6
