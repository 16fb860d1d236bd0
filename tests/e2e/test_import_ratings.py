"""Ratings of another tool come in by the page: a preview, wrong rows, and a worker's import."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.external import jobs, looking
from annotation.models import RatingsImport
from studies.models import Study
from tests.e2e.test_pages import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROWS = "".join(f"p-{n},{who},{1 + n % 5},M{n % 2}\n" for n in range(40) for who in ("ana", "ben"))
FIELDS = {
    "Name of the study": "Brought along",
    "Item": "picture",
    "Rater": "who",
    "Rating": "score",
    "Facts of items": "system=model",
    "Scale": "1-4",
}


@pytest.fixture(autouse=True)
def _many_for_a_page(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(looking, "HEAD", 8)
    monkeypatch.setattr(jobs, "send_off", lambda pk: None)  # the test itself is the worker


@pytest.mark.parametrize("width", [1440, 390])
def test_many_ratings_come_in_and_the_page_says_how_it_goes(
    live_server, open_page, client, researcher, look, width
):
    page = open_page(width, 900)
    sign_in(page, live_server.url, client, researcher)
    page.goto(f"{live_server.url}/studies/import/")
    look(page, f"import-{width}-1-files")
    content = f"picture,who,score,model\n{ROWS}".encode()
    table = {"name": "ratings.csv", "mimeType": "text/csv", "buffer": content}
    page.set_input_files("#id_files", table)
    page.get_by_role("button", name="Look at the files").click()
    expect(page.get_by_text("81 lines")).to_be_visible()
    look(page, f"import-{width}-2-columns")
    for label, said in FIELDS.items():
        page.get_by_label(label, exact=True).fill(said)
    page.get_by_role("button", name="Show a preview").click()
    expect(page.get_by_text("The first 8 ratings of 4 items by 2 raters")).to_be_visible()
    look(page, f"import-{width}-3-preview")
    page.get_by_role("button", name="Import all ratings").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    look(page, f"import-{width}-4-waiting")
    brought = RatingsImport.objects.get()
    jobs.execute_import(brought.pk)
    expect(page.get_by_text("ratings.csv, line 10: '5' is no point of rating")).to_be_visible()
    look(page, f"import-{width}-5-refused")
    assert not Study.objects.exists()
    page.get_by_label("Scale", exact=True).fill("1-5")
    page.get_by_role("button", name="Show a preview").click()
    page.get_by_role("button", name="Import all ratings").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    RatingsImport.objects.update(state="writing", n_done=32, n_total=80)
    expect(page.get_by_text("Writing: 32 of 80 ratings")).to_be_visible()
    look(page, f"import-{width}-6-writing")
    RatingsImport.objects.update(state="queued", heartbeat_at=None)
    jobs.execute_import(brought.pk)
    expect(page.get_by_text("Imported. 80 ratings")).to_be_visible()
    look(page, f"import-{width}-7-done")
    page.get_by_role("link", name="See the report").click()
    expect(page.get_by_role("heading", name="Brought along")).to_be_visible()
