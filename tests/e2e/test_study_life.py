"""A study after it was made: shared, copied, put away, edited while people are in the middle."""

import csv
import io
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Rating
from studies.models import Study
from tests.e2e.test_pages import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def workshop(live_server, client, researcher, open_page) -> Page:
    page = open_page()
    sign_in(page, live_server.url, client, researcher)
    return page


def address(server, study: Study, page: str = "change") -> str:
    return server.url + reverse(f"admin:studies_study_{page}", args=[study.pk])


def new_study(page: Page, server, protocol: str, title: str, file: Path | None = None) -> Study:
    page.goto(server.url + reverse("admin:studies_study_add"))
    page.get_by_role("radio", name=protocol).check()
    if file is not None:
        page.locator("input[name=file]").set_input_files(file)
    page.get_by_label("Name", exact=True).fill(title)
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_role("heading", name="Before you launch")).to_be_visible()
    return Study.objects.get(title=title)


def questions(study: Study) -> list:
    return list(study.questions.values_list("key", "kind", "text", "tier"))


def test_a_protocol_is_changed_saved_as_a_preset_shared_as_a_file_and_made_again(
    live_server, workshop, tmp_path, look, console
):
    # A page that is left while it fetches a part of itself breaks that request off.
    console.expect(r"^htmx:(sendError|afterRequest)")
    page = workshop
    first = new_study(page, live_server, "CultureScore", "Ours")
    page.get_by_role("link", name="Edit Preference").click()
    page.locator("textarea[name=text]").fill("Which is truest to life where you live?")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Question “Preference” is saved.")).to_be_visible()
    page.get_by_role("link", name="Save as a preset…").click()
    page.locator("[name=name]").fill("House style")
    look(page, "life-save-preset")
    page.get_by_role("button", name="Save the preset").click()
    expect(page.get_by_text("House style").first).to_be_visible()
    page.goto(address(live_server, first))
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a preset file").click()
    file = tmp_path / "shared.toml"
    download.value.save_as(file)
    by_card = new_study(page, live_server, "House style", "By its card")
    by_file = new_study(page, live_server, "From a file", "By its file", file)
    look(page, "life-from-file")
    assert questions(by_card) == questions(by_file) == questions(first)
    assert by_file.devices == "computer"
    assert {panel.country for panel in by_file.panels.all()} == {
        panel.country for panel in first.panels.all()
    }


def test_a_study_is_duplicated_and_put_into_the_archive_and_taken_out(
    live_server, workshop, live_study, look
):
    page = workshop
    page.goto(address(live_server, live_study))
    page.get_by_role("link", name="Duplicate…").click()
    page.locator("[name=title]").fill("Weddings again")
    page.get_by_role("button", name="Duplicate the study").click()
    expect(page.get_by_role("heading", name="Before you launch")).to_be_visible()
    copy = Study.objects.get(title="Weddings again")
    assert (copy.state, copy.items.count(), copy.revision) == ("draft", 6, 0)
    page.get_by_role("button", name="Archive this study").click()
    expect(page.get_by_text("“Weddings again” is in the archive.")).to_be_visible()
    expect(page.get_by_role("table", name="Your studies")).not_to_contain_text("Weddings again")
    look(page, "life-archived")
    page.get_by_role("link", name="1 in the archive").click()
    page.get_by_role("link", name="Weddings again").click()
    page.goto(address(live_server, copy))
    page.get_by_role("button", name="Take out of the archive").click()
    expect(page.get_by_role("button", name="Archive this study")).to_be_visible()


def test_what_has_answers_is_not_deleted_by_accident(
    live_server, workshop, seat, live_study, console
):
    console.expect("403")
    at = seat(live_study).sit_down()
    at.answer(2)
    at.press_next()
    at.wait_until(lambda: at.n_sent() == 1)
    page = workshop
    page.goto(address(live_server, live_study))
    expect(page.get_by_role("link", name="Delete…")).to_have_count(0)
    page.goto(address(live_server, live_study, "delete"))
    expect(page.get_by_role("button", name="Archive")).to_be_visible()
    expect(page.get_by_role("button", name="Yes, I’m sure")).to_have_count(0)
    assert Rating.objects.filter(assignment__participation__study=live_study).exists()


def test_an_edit_leaves_people_in_the_middle_their_words_and_the_export_tells(
    live_server, workshop, seat, live_study, look
):
    before = seat(live_study).sit_down()
    before.answer(2)
    before.press_next()
    before.wait_until(lambda: before.n_sent() == 1)
    page = workshop
    page.goto(address(live_server, live_study))
    page.get_by_role("link", name="Edit Faithfulness").click()
    page.locator("textarea[name=text]").fill("How true to life is this {activity}?")
    page.locator("input[name=points-1-label]").fill("Hardly")
    page.get_by_label("Why you change it").fill("Clearer.")
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_text("This is revision 2.")).to_be_visible()
    look(page, "life-revision-2")
    live_study.refresh_from_db()
    after = seat(live_study).sit_down()
    expect(after.card("faithfulness")).to_contain_text("How true to life is this wedding?")
    before.page.reload()
    expect(before.card("faithfulness")).to_contain_text("How much faithfulness has this wedding")
    for at, n in ((before, 2), (after, 1)):
        at.answer(2)
        at.press_next()
        at.wait_until(lambda at=at, n=n: at.n_sent() == n)
    assert quoted(page, live_server, live_study) == {("1", "A little"), ("2", "Hardly")}


def quoted(page: Page, server, study: Study) -> set[tuple[str, str]]:
    """(revision, label of the chosen point) of what the export has for faithfulness."""
    url = server.url + reverse("scoring:ratings_csv", args=[study.slug])
    text = page.request.get(url).text().lstrip("\ufeff")
    rows = csv.DictReader(io.StringIO(text))
    return {
        (row["revision"], row["value_label"]) for row in rows if row["question"] == "faithfulness"
    }
