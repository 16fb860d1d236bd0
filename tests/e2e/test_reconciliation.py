"""A researcher holds Prolific's list against ours, in a real browser, on a local API server."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import CheckAnswer, Identity, Place, ProlificAction
from studies.models import OutcomeCode
from tests.e2e.test_pages import sideways, sign_in, violations_wide_and_narrow
from tests.prolific.conftest import came, finish, hear, prolific, rate, study  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PIDS = [f"5f3c9d0a1b2c3d4e5f6a7b{i:02d}" for i in range(20)]


@pytest.fixture
def desk(live_server, client, researcher, open_page, monkeypatch):
    """A signed-in researcher's page; what is given to a worker is done at once."""
    monkeypatch.setattr("annotation.views_arrivals.send_off", lambda task, pk: task(pk))

    def opened(**options):
        page = open_page(**options)
        sign_in(page, live_server.url, client, researcher)
        return page

    return opened


@pytest.fixture
def people(study, prolific):  # noqa: F811
    """Some who fit, some who do not, one whom only Prolific knows."""
    study.panels.update(ratings_per_unit=40)
    OutcomeCode.objects.create(study=study, outcome="does-not-fit", code="NOFIT1")
    ends = [
        ("AWAITING REVIEW", "NOCODE", True),
        ("AWAITING REVIEW", "NOFIT1", True),
        ("AWAITING REVIEW", "DONE42", True),
        ("APPROVED", "DONE42", True),
        ("TIMED-OUT", "", True),
        ("ACTIVE", "", False),
        ("RETURNED", "", False),
        ("AWAITING REVIEW", "NOCODE", False),
    ]
    found = []
    for i, (status, code, finished) in enumerate(ends):
        person = came(study, PIDS[i], f"s{i}")
        finish(study, person) if finished else rate(study, person, 2)
        prolific.add(f"s{i}", pid=PIDS[i], study="st1", status=status, code=code)
        found.append(person)
    prolific.add("s99", pid=PIDS[19], study="st1", status="AWAITING REVIEW", code="DONE42")
    return found


def test_from_asking_prolific_to_a_return_and_its_event(
    desk,
    live_server,
    study,  # noqa: F811
    prolific,  # noqa: F811
    people,
    console,
    look,
):
    page = desk()
    page.goto(f"{live_server.url}/studies/weddings/arrivals/")
    look(page, "reconciliation-before")
    page.get_by_role("button", name="Ask Prolific now").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("5 of 9 do not fit together")
    look(page, "reconciliation-1440-light")
    assert sideways(page) == []
    assert violations_wide_and_narrow(page, console) == []
    assert PIDS[0] not in page.content()

    # Somebody handed in unfinished work: asked to return, in words long enough.
    unfinished = people[7]
    page.get_by_role("link", name=unfinished.code).click()
    text = page.get_by_label("What the person reads")
    text.fill("Please return it.")
    expect(page.get_by_text("17 of at least 100 characters")).to_be_visible()
    page.get_by_role("button", name="Ask this person to return").click()
    expect(page.get_by_role("alert")).to_contain_text("17 of at least 100")
    text.fill("You sent two of six tasks. Please return the submission, or write to us here. " * 2)
    expect(page.get_by_text(re.compile(r"^15\d characters$"))).to_be_visible()
    look(page, "submission-1440-light")
    assert violations_wide_and_narrow(page, console) == []
    page.get_by_role("button", name="Ask this person to return").dblclick()
    expect(page.get_by_text("Asked to return. Prolific has it.")).to_be_visible()
    assert len(prolific.return_requests) == 1 and ProlificAction.objects.count() == 1
    expect(page.get_by_role("heading", name="What was done")).to_be_visible()

    # They return, and Prolific's event gives their places to others at once.
    assert Place.objects.filter(holder=unfinished).count() == 3
    prolific.set("s7", status="RETURNED")
    assert prolific.post_event(f"{live_server.url}/hooks/prolific/", "s7") == 200
    assert not Place.objects.filter(holder=unfinished).exists()
    page.reload()
    expect(page.get_by_text("Set aside")).to_be_visible()
    expect(page.get_by_role("button", name="Ask this person to return")).to_have_count(0)

    # Finished work without a code is approved.
    page.goto(f"{live_server.url}/studies/weddings/arrivals/?show=no-code")
    page.get_by_role("link", name=people[0].code).click()
    page.get_by_role("button", name="Approve this submission").click()
    expect(page.get_by_text("Approved. Prolific has it.")).to_be_visible()
    assert prolific.submissions["s0"]["status"] == "APPROVED"


def test_a_rejection_is_absent_until_the_rule_allows_it_then_last(
    desk,
    live_server,
    study,  # noqa: F811
    prolific,  # noqa: F811
    people,
):
    person = people[2]
    hear(person, "AWAITING REVIEW", entered_code="DONE42")
    pk = Identity.objects.get(participation=person).pk
    page = desk()
    page.goto(f"{live_server.url}/studies/weddings/arrivals/{pk}/")
    reject = page.locator(".act summary", has_text="Reject")
    expect(reject).to_have_count(0)
    CheckAnswer.objects.filter(assignment__participation=person).delete()
    for screen in person.assignments.all()[:2]:
        CheckAnswer.objects.create(assignment=screen, value=1, passed=False)
    page.reload()
    expect(page.locator(".act summary").last).to_have_text("Reject")
    page.locator(".act summary").last.click()
    expect(page.get_by_text("This person failed 2.")).to_be_visible()
    page.get_by_role("button", name="Reject this submission").click()
    expect(page.get_by_text("Rejected. Prolific has it.")).to_be_visible()
    assert prolific.submissions["s2"]["status"] == "REJECTED"


def test_an_export_is_uploaded_and_ids_are_seen_on_choice_only(
    desk,
    live_server,
    study,  # noqa: F811
    people,
):
    page = desk(width=390, height=844)
    page.goto(f"{live_server.url}/studies/weddings/arrivals/")
    table = f"Submission id,Participant id,Status,Completion code\ns0,{PIDS[0]},AWAITING REVIEW,\n"
    file = {"name": "export.csv", "mimeType": "text/csv", "buffer": table.encode()}
    page.get_by_label("Prolific’s demographic export (CSV)").set_input_files(file)
    page.get_by_role("button", name="Take this file").click()
    expect(page.get_by_text("1 submission read, 1 changed.")).to_be_visible()
    assert PIDS[0] not in page.content()
    page.get_by_role("link", name="Show Prolific ids").click()
    expect(page.get_by_text(PIDS[0])).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
