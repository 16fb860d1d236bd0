"""A researcher makes, edits, launches and revises a study in a real browser."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from studies import presets
from studies.lifecycle import launch_study
from studies.models import Question, ScalePoint, Study
from studies.plans import plan_of
from tests.e2e.test_pages import WIDTHS, sign_in, violations_wide_and_narrow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def address(study: Study, page: str = "change") -> str:
    return reverse(f"admin:studies_study_{page}", args=[study.pk])


@pytest.fixture
def workshop(live_server, client, researcher, open_page):
    """A signed-in researcher's page, and how it goes to an address."""

    def opened(width: int = 1440, height: int = 900, **options) -> Page:
        page = open_page(width, height, **options)
        sign_in(page, live_server.url, client, researcher)
        return page

    return opened


@pytest.fixture
def all_kinds(draft_study) -> Study:
    """The draft with a question of every kind, three items a screen."""
    draft_study.items_per_unit = 3
    draft_study.save()
    words = {
        "choice": [(1, "Today"), (2, "Long ago")],
        "descriptors": [(1, "Very incomplete"), (5, "Complete")],
        "slider": [(0, "Not at all"), (100, "Extremely")],
        "ranking": [(1, "best match"), (3, "weakest match")],
    }
    for n, kind in enumerate(("yes_no", "choice", "multi", "ranking", "descriptors", "slider")):
        question = Question.objects.create(
            study=draft_study, position=10 + n, key=kind, kind=kind, text=f"This is the {kind}."
        )
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=value, label=label)
            for value, label in words.get(kind, [])
        )
    return draft_study


def test_a_study_is_made_from_each_preset_by_one_choice_and_a_name(
    live_server, workshop, researcher, look
):
    page = workshop()
    for key, preset in presets.published().items():
        page.goto(live_server.url + reverse("studies:home"))
        page.get_by_role("link", name="New study").click()
        page.get_by_label("Name", exact=True).fill(f"{preset.name} at home")
        card = page.locator(".protocol", has=page.get_by_role("radio", name=preset.name)).first
        card.click(position={"x": 200, "y": 60})  # the whole card chooses
        expect(page.locator(f"input[value={key}]")).to_be_checked()
        look(page, f"workshop-new-{key}")
        page.get_by_role("button", name="Make the study").click()
        expect(
            page.get_by_role("heading", name=re.compile(f"{preset.name} at home"))
        ).to_be_visible()
        expect(page.get_by_role("heading", name="Before you launch")).to_be_visible()
        expect(page.locator(".study-from")).to_contain_text(f"From {preset.name}")
        expect(page.locator(".question-card")).to_have_count(len(preset.questions))
        look(page, f"workshop-study-{key}-1440")
        page.set_viewport_size({"width": 390, "height": 844})
        look(page, f"workshop-study-{key}-390")
        page.set_viewport_size({"width": 1440, "height": 900})
    made = Study.objects.filter(owner=researcher)
    assert {study.preset for study in made} == presets.published().keys()


def test_a_study_is_made_without_scripts(live_server, workshop, researcher):
    page = workshop(java_script_enabled=False)
    page.goto(live_server.url + reverse("admin:studies_study_add"))
    page.get_by_role("radio", name="CAIRe").check()
    page.get_by_label("Name", exact=True).fill("Plain")
    page.get_by_role("button", name="Make the study").click()
    expect(page.locator(".question-card")).to_have_count(1)
    assert Study.objects.get(title="Plain").preset == "caire"


def test_the_card_beside_the_form_follows_what_is_typed(live_server, workshop, draft_study, look):
    question = draft_study.questions.get(key="faithfulness")
    page = workshop()
    page.goto(live_server.url + reverse("admin:studies_question_change", args=[question.pk]))
    card = page.locator("#card-preview")
    expect(card).to_contain_text("How much faithfulness has this wedding in Nepal?")
    page.get_by_label("Text", exact=False).first.fill("How true is this {activity}?")
    expect(card).to_contain_text("How true is this wedding?")
    page.locator("input[name=points-0-label]").fill("Never")
    expect(card.locator(".point").first).to_contain_text("Never")
    page.locator("[name=allow_na]").check()
    page.locator("[name=na_label]").fill("Cannot be told")
    expect(card).to_contain_text("Cannot be told")
    page.get_by_text("Add another Point").click()
    page.locator("input[name=points-5-value]").fill("6")
    page.locator("input[name=points-5-label]").fill("More than fully")
    expect(card.locator(".point")).to_have_count(7)
    page.locator("input[name=points-1-DELETE]").check()
    expect(card.locator(".point")).to_have_count(6)
    look(page, "workshop-live-preview")
    question.refresh_from_db()
    assert question.text != "How true is this {activity}?"  # nothing is saved by looking
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Question “Faithfulness” is saved.")).to_be_visible()
    question.refresh_from_db()
    assert question.text == "How true is this {activity}?"
    assert list(question.points.values_list("value", flat=True)) == [1, 3, 4, 5, 6]


def test_every_kind_has_its_page_with_its_card(live_server, workshop, all_kinds, look):
    page = workshop()
    for question in all_kinds.questions.all():
        page.goto(live_server.url + reverse("admin:studies_question_change", args=[question.pk]))
        card = page.locator(f"#card-preview [data-card={question.kind}]")
        expect(card).to_be_visible()
        look(page, f"workshop-question-{question.kind}-1440")
        page.set_viewport_size({"width": 390, "height": 844})
        look(page, f"workshop-question-{question.kind}-390")
        page.set_viewport_size({"width": 1440, "height": 900})


def test_questions_move_by_their_buttons(live_server, workshop, draft_study):
    page = workshop()
    page.goto(live_server.url + address(draft_study))
    names = page.locator(".question-card b bdi")
    expect(names).to_have_text(["Faithfulness", "Hallucination", "Exaggeration", "Rationale"])
    expect(page.get_by_role("button", name="Move Faithfulness up")).to_be_disabled()
    page.get_by_role("button", name="Move Faithfulness down").click()
    expect(names).to_have_text(["Hallucination", "Faithfulness", "Exaggeration", "Rationale"])
    page.get_by_role("button", name="Move Rationale up").click()
    expect(names).to_have_text(["Hallucination", "Faithfulness", "Rationale", "Exaggeration"])


def test_a_study_goes_through_check_list_pilot_launch_and_a_revision(
    live_server, workshop, draft_study, look
):
    plan = plan_of(draft_study)
    plan.coefficients = ["krippendorff_alpha"]
    plan.save()
    page = workshop(permissions=["clipboard-read", "clipboard-write"])
    page.goto(live_server.url + address(draft_study))
    look(page, "workshop-check-list")
    page.get_by_role("link", name="Run a pilot…").click()
    look(page, "workshop-pilot")
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.get_by_text("The pilot runs.")).to_be_visible()
    expect(page.locator("[aria-label=Panels]")).to_contain_text("Nepal")  # came as a fragment
    look(page, "workshop-pilot-running")
    page.get_by_role("link", name="Launch…").click()
    page.locator("[data-copy='#put-link']").click()
    expect(page.locator("[data-copy='#put-link']")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("SESSION_ID={{%SESSION_ID%}}")
    look(page, "workshop-launch")
    page.get_by_role("button", name="Launch study").click()
    expect(page.get_by_text("The study is live.")).to_be_visible()
    look(page, "workshop-live")
    page.get_by_role("link", name="Edit Faithfulness").click()
    expect(page.get_by_text("An edit makes revision 2")).to_be_visible()
    expect(page.locator("[name=key]")).to_be_disabled()
    page.locator("textarea[name=text]").fill("How true is this {activity}?")
    page.get_by_label("Why you change it").fill("Clearer words.")
    look(page, "workshop-revision")
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_text("This is revision 2.")).to_be_visible()
    page.get_by_role("link", name="History").click()
    events = page.locator(".events")
    expect(events).to_contain_text("Revision 2")
    expect(events).to_contain_text("“How true is this {activity}?”")
    expect(events).to_contain_text("Clearer words.")
    look(page, "workshop-history")
    page.get_by_role("link", name="Design").click()
    page.get_by_role("button", name="Pause arrivals").click()
    expect(page.get_by_text("The study is paused.")).to_be_visible()


PAGES = ("launch", "pilot", "plan", "duplicate", "save_preset", "units", "probes", "history")


@pytest.mark.parametrize("state", ["draft", "live"])
def test_axe_finds_nothing_in_the_workshop_and_no_page_scrolls_sideways(
    live_server, workshop, all_kinds, researcher, console, state
):
    if state == "live":
        for item in all_kinds.items.all():
            item.system = all_kinds.systems.get_or_create(name=item.external_id)[0]
            item.save()
        all_kinds.questions.filter(kind__in=["ranking", "multi", "descriptors"]).delete()
        Study.objects.filter(pk=all_kinds.pk).update(items_per_unit=1)
        all_kinds.refresh_from_db()
        launch_study(study=all_kinds, by=researcher)
    pages = {name: address(all_kinds, name) for name in PAGES}
    pages["study"] = address(all_kinds)
    pages["new"] = reverse("admin:studies_study_add")
    asked = all_kinds.questions.all() if state == "draft" else all_kinds.questions.all()[:1]
    for question in asked:
        pages[question.key] = reverse("admin:studies_question_change", args=[question.pk])
    page = workshop(reduced_motion="reduce")
    found = []
    for name, url in pages.items():
        page.goto(live_server.url + url)
        page.wait_for_load_state("networkidle")
        # The account's menu lies over the header while it is open, as menus do.
        page.evaluate(
            "document.querySelectorAll('details:not(.account)')"
            ".forEach((part) => { part.open = true; })"
        )
        found += [f"{name}, {line}" for line in violations_wide_and_narrow(page, console)]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            if (now := page.evaluate("document.documentElement.scrollWidth")) > width:
                found.append(f"{name} scrolls sideways at {width} px: {now}")
        page.set_viewport_size({"width": 1440, "height": 900})
    assert not found, "\n".join(found)
