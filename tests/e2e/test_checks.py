"""The quick check, practice with feedback, and gold units, as somebody meets them in Chromium."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from annotation.models import CheckOutcome, Participation, PracticeAnswer, Rating
from studies.lifecycle import launch_study
from studies.models import CheckRules, ComprehensionQuestion, Panel, Study
from studies.models.item import Purpose
from studies.units import rebuild
from tests.annotation.people import screened
from tests.conftest import add_item, picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def special(study: Study, name: str, colour: str, purpose: str, span, words: str = "") -> None:
    item = add_item(study, name)
    item.media.save("large.png", ContentFile(picture(colour, (640, 480))), save=False)
    item.width, item.height = 640, 480
    item.purpose, item.expected, item.feedback = purpose, {"faithfulness": list(span)}, words
    item.save()


def with_everything(study: Study, researcher, *, words: dict[str, str] | None = None) -> Study:
    said = {
        "question": "What do you judge?",
        "options": "How sharp the picture is\nHow well it fits the culture",
        "hint": "Read the second point again.",
        "example": "Right clothes, right objects, right place.",
        "practice": "All of the dress is as it is worn here.",
    } | (words or {})
    study.units_per_session = 3
    study.instruction_points += "\nJudge the culture, not how pretty the picture is."
    study.save()
    ComprehensionQuestion.objects.create(
        study=study,
        text=said["question"],
        options=said["options"],
        correct=2,
        hint=said["hint"],
    )
    special(study, "example-5", "seagreen", Purpose.EXAMPLE, (5, 5), said["example"])
    special(study, "example-1", "indianred", Purpose.EXAMPLE, (1, 1), said["example"])
    special(study, "practice-1", "steelblue", Purpose.PRACTICE, (4, 5), said["practice"])
    special(study, "practice-2", "goldenrod", Purpose.PRACTICE, (1, 1))
    special(study, "gold-1", "rebeccapurple", Purpose.GOLD, (4, 5))
    CheckRules.objects.create(study=study, gold_per_session=1)
    rebuild(study)
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    return study


@pytest.fixture
def checked(draft_study, researcher) -> Study:
    return with_everything(draft_study, researcher)


@pytest.fixture
def before_the_task(live_server, open_page):
    """``before_the_task(study, width)``: somebody at the instructions."""

    def at(study: Study, width: int = 1440) -> tuple[Page, Participation]:
        person = screened(study)
        page = open_page(width, 900)
        page.goto(f"{live_server.url}/a/{person.token}/")
        return page, person

    return at


def choose(page: Page, line: int) -> None:
    page.locator(f"input[name=quick_1][value='{line}']").check()
    page.locator("main button.btn-go").click()


def answer_all(page: Page, value: int) -> None:
    page.wait_for_timeout(400)  # keys and presses are taken after 300 ms
    for card in page.locator("[data-card=likert]").all():
        card.locator(f"input[value='{value}']").check()
    page.locator("[data-next]").click()


@pytest.mark.parametrize("width", [1440, 390])
def test_a_miss_a_second_chance_practice_and_gold_up_to_the_code(
    checked, before_the_task, look, width
):
    page, person = before_the_task(checked, width)
    expect(page.get_by_role("group", name="Quick check: What do you judge?")).to_be_visible()
    expect(page.get_by_role("img", name="Example 1")).to_be_visible()
    look(page, f"checks-1-instructions-{width}")
    choose(page, 1)
    expect(page.get_by_role("alert")).to_have_text("Not quite. Choose once more.")
    expect(page.get_by_text("Read the second point again.")).to_be_visible()
    look(page, f"checks-2-missed-{width}")
    choose(page, 2)
    expect(page.get_by_text("Practice: it counts for nothing")).to_be_visible()
    look(page, f"checks-3-practice-{width}")
    answer_all(page, 2)
    expect(page.get_by_role("heading", name="Here we expected another answer.")).to_be_visible()
    expect(
        page.get_by_text("You chose 2 A little. Expected here: 4 Mostly to 5 Fully.")
    ).to_be_visible()
    look(page, f"checks-4-otherwise-{width}")
    page.reload()
    expect(page.get_by_role("heading", name="Here we expected another answer.")).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    answer_all(page, 1)
    expect(page.get_by_role("heading", name="That is what we expected here.")).to_be_visible()
    look(page, f"checks-5-fits-{width}")
    page.get_by_role("link", name="Begin").click()
    for n in range(1, 5):
        expect(page.get_by_role("heading", name=f"Picture {n} of 4")).to_be_visible()
        answer_all(page, 2)
    expect(page.get_by_text("DONE42")).to_be_visible()
    assert [row.missed for row in PracticeAnswer.objects.order_by("n")] == [["faithfulness"], []]
    assert CheckOutcome.objects.get().passed is False
    assert Rating.objects.filter(assignment__counted=True, value=2).count() == 9


@pytest.mark.parametrize("width", [1440, 390])
def test_two_misses_end_kindly(checked, before_the_task, look, width):
    page, person = before_the_task(checked, width)
    choose(page, 1)
    choose(page, 1)
    expect(page.get_by_role("heading", name="The check was not passed.")).to_be_visible()
    look(page, f"checks-6-failed-twice-{width}")
    page.go_back()
    expect(page.get_by_role("heading", name="The check was not passed.")).to_be_visible()
    person.refresh_from_db()
    assert person.outcome == Participation.Outcome.FAILED_CHECKS


@pytest.mark.parametrize("width", [1440, 390])
def test_in_persian_all_of_it_is_mirrored(draft_study, researcher, before_the_task, look, width):
    Panel.objects.filter(study=draft_study).update(language="fa")
    draft_study.base_language = "fa"
    draft_study.save()
    words = {
        "question": "چه چیزی را می‌سنجید؟",
        "options": "واضح بودن تصویر\nهمخوانی با فرهنگ",
        "hint": "نکتهٔ دوم را دوباره بخوانید.",
        "example": "لباس، وسایل و مکان درست است.",
        "practice": "همهٔ لباس همان است که اینجا می‌پوشند.",
    }
    study = with_everything(draft_study, researcher, words=words)
    page, person = before_the_task(study, width)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    look(page, f"checks-fa-1-instructions-{width}")
    choose(page, 1)
    expect(page.get_by_role("alert")).not_to_contain_text("Not quite")
    look(page, f"checks-fa-2-missed-{width}")
    choose(page, 2)
    answer_all(page, 2)
    expect(page.locator("[data-feedback]")).to_contain_text("۴")
    expect(page.locator("[data-feedback]")).not_to_contain_text("Expected")
    look(page, f"checks-fa-3-feedback-{width}")


def test_the_workshop_takes_a_quick_check_and_a_gold_item(
    draft_study, researcher, live_server, open_page, look
):
    page = open_page(1440, 900)
    page.goto(f"{live_server.url}/admin/login/?next=/admin/studies/study/{draft_study.pk}/change/")
    page.get_by_label("Username").fill("ana")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.locator("#section-quality > summary").click()
    page.get_by_text("Add another Quick check").click()
    page.locator("[name=comprehension_questions-0-text]").fill("What do you judge?")
    page.locator("[name=comprehension_questions-0-options]").fill("The culture\nThe sharpness")
    look(page, "checks-7-workshop-1440")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("1 quick check")).to_be_attached()
    page.locator("#section-quality > summary").click()
    page.get_by_role("link", name="Practice, gold and examples").click()
    page.get_by_role("textbox", name="Item").fill("np-1")
    page.get_by_role("combobox", name="What it is for").select_option("gold")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("A gold item needs accepted answers")).to_be_visible()
    page.get_by_role("textbox", name="Accepted answers").fill("faithfulness: 4-5")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("row", name="np-1")).to_contain_text("faithfulness: 4-5")
    expect(page.get_by_text("has a middle, and 3 would fail")).to_be_visible()
    look(page, "checks-8-special-1440")
    assert draft_study.units.get(key="np-1").purpose == "gold"


def test_without_scripts_the_way_is_the_same(checked, browser, live_server):
    person = screened(checked)
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"{live_server.url}/a/{person.token}/")
    choose(page, 2)
    for card in page.locator("[data-card=likert]").all():
        card.locator("input[value='5']").check()
    for text in page.locator("textarea").all():
        text.fill("The clothes are from elsewhere.")
    page.locator("[data-next]").click()
    expect(page.get_by_role("heading", name="That is what we expected here.")).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    expect(page.locator("#place")).to_have_text("2 of 2")
    context.close()
