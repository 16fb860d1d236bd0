"""People from Prolific in a real browser: in by its link, out to its completion page, every way."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation import entry
from annotation.arrivals import FromProlific, arrive_from_prolific
from annotation.assignment import claim_next_unit
from annotation.models import Attempt, Identity, Participation
from studies.lifecycle import launch_study, move_study
from studies.models import ComprehensionQuestion, OutcomeCode, Recruitment, Study
from tests.annotation.people import rate_all, send, somebody
from tests.e2e.test_loop import sign_in
from tests.prolific_server import ProlificServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PID, AT = "5f0a000000000000000000a1", "60d0000000000000000000ff"
CODES = {
    "does-not-fit": "FIT1",
    "no-consent": "CON2",
    "failed-checks": "CHK3",
    "withdrew": "KEP4",
    "withdrew-removed": "REM5",
    "full": "FUL6",
    "closed": "CLO7",
}
HEADLINES = {
    "does-not-fit": "This study does not fit you",
    "no-consent": "That is fine.",
    "failed-checks": "You have reached the end.",
    "withdrew": "Your answers so far are kept.",
    "withdrew-removed": "Your answers are removed.",
    "full": "All places in this study are taken.",
    "closed": "The study has closed. What you sent is saved.",
}


@pytest.fixture
def prolific(console):
    console.expect("401")  # the browser asks for an icon of the completion page's site
    with ProlificServer() as server:
        server.add("s1", pid=PID, study=AT)
        server.signed_in = "s1"
        yield server


@pytest.fixture
def study(draft_study, researcher, prolific) -> Study:
    """Three pictures a person, from Prolific only."""
    draft_study.units_per_session = 3
    draft_study.save()
    draft_study.attention_checks.all().delete()
    launch_study(study=draft_study, by=researcher, note="A test.")
    Study.objects.filter(pk=draft_study.pk).update(
        completion_url=prolific.complete_url("DONE42")  # of this machine, so without https
    )
    Recruitment.objects.create(
        study=draft_study, uses_prolific=True, open_link=False, prolific_study_id=AT
    )
    draft_study.refresh_from_db()
    return draft_study


@pytest.fixture
def arrive(live_server, open_page):
    """``arrive(study, width)``: open the link as Prolific fills it in, in a browser of its own."""

    def arrived(study: Study, width: int = 1440, session: str = "s1", pid: str = PID) -> Page:
        page = open_page(width, 900)
        ids = f"PROLIFIC_PID={pid}&STUDY_ID={AT}&SESSION_ID={session}"
        page.goto(f"{live_server.url}{study.entry_path}?{ids}")
        return page

    return arrived


def agree(page: Page) -> None:
    page.get_by_role("button", name="I agree and take part").click()


def tell(page: Page, residence: str = "NP") -> None:
    page.get_by_label("nationality").select_option("NP")
    page.get_by_label("live now").select_option(residence)
    page.get_by_label("first at home").select_option("ne")
    page.get_by_role("button", name="Continue").click()


def begin(page: Page) -> None:
    agree(page)
    tell(page)
    page.get_by_role("button", name="Start").click()


def rate(page: Page, n: int, total: int = 3) -> None:
    expect(page.get_by_role("heading", name=f"Picture {n} of {total}")).to_be_visible()
    page.wait_for_timeout(400)  # keys of the last screen must not answer this one
    for card in page.locator("[data-card=likert]").all():
        card.locator("input[value='2']").check()
    page.get_by_role("button", name="Next").click()


def stop(page: Page, button: str, look) -> None:
    expect(page.get_by_role("heading", name="Picture 2 of 3")).to_be_visible()
    page.get_by_role("link", name="Help").click()
    page.get_by_role("link", name="I want to stop").click()
    expect(page.get_by_text("You have rated 1 picture so far.")).to_be_visible()
    look(page, f"arrivals-stop-{page.viewport_size['width']}")
    page.get_by_role("button", name=button).click()


def leave_as(outcome: str, page: Page, study: Study, look) -> None:
    """Go the way that ends so, through the pages."""
    match outcome:
        case "no-consent":
            page.get_by_role("button", name="I do not agree").click()
        case "does-not-fit":
            agree(page)
            tell(page, residence="PL")
        case "failed-checks":
            agree(page)
            tell(page)
            for _ in range(2):
                page.get_by_label("How sharp it is").check()
                page.get_by_role("button", name=re.compile("Start|Choose again")).click()
        case "withdrew":
            begin(page)
            rate(page, 1)
            stop(page, "Stop and keep my answers", look)
        case "withdrew-removed":
            begin(page)
            rate(page, 1)
            stop(page, "Stop and remove my answers", look)
        case "full":
            for _ in range(6):
                rate_all(study, somebody(study))
            agree(page)
            tell(page)
        case "closed":
            begin(page)
            rate(page, 1)
            expect(page.get_by_role("heading", name="Picture 2 of 3")).to_be_visible()
            move_study(study=study, move="close")
            page.reload()


def quick_check(study: Study) -> None:
    """Before the launch: a question about the instructions."""
    ComprehensionQuestion.objects.create(
        study=study,
        text="What do you judge?",
        options="How sharp it is\nHow well it fits the culture",
        correct=2,
        hint="Read the second point again.",
    )


class TestComplete:
    def test_from_the_link_to_the_completion_page_with_the_code(
        self, arrive, study, prolific, look
    ):
        page = arrive(study)
        assert PID not in page.url
        assert re.search(r"/a/[\w-]+/consent/$", page.url)
        begin(page)
        for n in (1, 2, 3):
            rate(page, n)
        expect(page.get_by_role("heading", name="Done. Everything is saved.")).to_be_visible()
        assert page.locator("#code").inner_text() == "DONE42"
        look(page, "arrivals-complete-1440")
        page.get_by_role("link", name="Finish on Prolific").click()
        expect(page.get_by_text("Completed with DONE42")).to_be_visible()
        submission = prolific.submissions["s1"]
        assert (submission["status"], submission["study_code"]) == ("AWAITING REVIEW", "DONE42")
        attempt = Attempt.objects.get()
        assert (attempt.session_id, attempt.identity.external_id) == ("s1", PID)

    def test_the_code_is_there_again_in_another_browser(self, arrive, study):
        page = arrive(study, 390)
        begin(page)
        for n in (1, 2, 3):
            rate(page, n)
        expect(page.locator("#code")).to_have_text("DONE42")
        other = arrive(study, session="s2")
        expect(other.locator("#code")).to_have_text("DONE42")
        assert Participation.objects.count() == 1


class TestOnTwoDevices:
    def test_begun_on_the_laptop_and_finished_on_the_phone(self, arrive, study, look):
        laptop = arrive(study)
        begin(laptop)
        rate(laptop, 1)
        expect(laptop.get_by_role("heading", name="Picture 2 of 3")).to_be_visible()
        phone = arrive(study, 390)
        expect(phone.get_by_role("heading", name="Picture 2 of 3")).to_be_visible()
        expect(phone.get_by_text("Welcome back. You are at 2 of 3.")).to_be_visible()
        expect(phone.get_by_role("link", name="Back")).to_have_count(0)
        look(phone, "arrivals-welcome-back-390")
        rate(phone, 2)
        expect(phone.get_by_role("heading", name="Picture 3 of 3")).to_be_visible()
        phone.get_by_role("link", name="Back").click()
        expect(phone.get_by_role("heading", name="Picture 2 of 3")).to_be_visible()
        expect(phone.locator("input:checked").first).to_be_attached()

    def test_another_persons_id_in_the_address_opens_nothing(self, arrive, study, console, look):
        console.expect("403")
        ana = arrive(study)
        begin(ana)
        ben = arrive(study, 390, session="s2", pid="5f0a000000000000000000b2")
        begin(ben)
        address = ben.url
        ids = f"PROLIFIC_PID={PID}&STUDY_ID={AT}&SESSION_ID=s3"
        root = address.split("/a/")[0]
        ben.goto(f"{root}{study.entry_path}?{ids}")
        expect(ben.get_by_role("heading", name="We cannot open this here.")).to_be_visible()
        look(ben, "arrivals-not-theirs-390")
        ben.goto(address)
        expect(ben.get_by_role("heading", name="Picture 1 of 3")).to_be_visible()
        assert Identity.objects.count() == 2


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("outcome", CODES)
def test_every_other_way_out_ends_at_the_completion_page_with_its_code(
    outcome, width, arrive, study, prolific, look
):
    if width == 390 and outcome not in {"does-not-fit", "withdrew-removed"}:
        pytest.skip("two of them are walked on a phone too")
    if outcome == "failed-checks":
        study = relaunched(study)
    OutcomeCode.objects.create(
        study=study,
        outcome=outcome,
        code=CODES[outcome],
        return_address=prolific.complete_url(CODES[outcome]),
    )
    page = arrive(study, width)
    leave_as(outcome, page, study, look)
    expect(page.get_by_role("heading", name=HEADLINES[outcome])).to_be_visible()
    assert page.locator("#code").inner_text() == CODES[outcome]
    assert "DONE42" not in page.content()
    look(page, f"arrivals-code-{outcome}-{width}")
    page.reload()
    page.get_by_role("link", name="Finish on Prolific").click()
    expect(page.get_by_text(f"Completed with {CODES[outcome]}")).to_be_visible()
    assert prolific.submissions["s1"]["study_code"] == CODES[outcome]


def relaunched(study: Study) -> Study:
    """The live study with a quick check on its instructions."""
    from studies.revisions import revise

    quick_check(study)
    revise(study=study, by=study.owner, note="A quick check.")
    study.refresh_from_db()
    return study


@pytest.mark.parametrize("outcome", [name for name in CODES if name != "closed"])
def test_without_a_code_the_page_asks_to_return_the_submission(outcome, arrive, study, look):
    page = arrive(study, 390)
    if outcome == "failed-checks":
        entry.leave(participation=Participation.objects.get(), outcome=outcome)
        page.reload()
    else:
        leave_as(outcome, page, study, look)
    expect(page.get_by_text("Please return the submission on Prolific.")).to_be_visible()
    home = page.get_by_role("link", name="Back to Prolific")
    assert home.get_attribute("href") == "https://app.prolific.com/"
    assert page.locator("#code").count() == 0
    look(page, f"arrivals-return-{outcome}-390")


@pytest.mark.parametrize("width", [1440, 390])
def test_ways_out_read_from_right_to_left_in_persian(width, live_server, open_page, study, look):
    study.panels.update(language="fa")
    came = FromProlific(pid=PID, study_id=AT, session_id="s1")
    person = arrive_from_prolific(study=study, came=came, known=None)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person, nationality="NP", residence="NP", first_language="fa"
    )
    entry.start_rating(participation=person)
    send(study, claim_next_unit(participation=person))
    page = open_page(width, 844)
    page.goto(f"{live_server.url}/a/{person.token}/withdraw/")
    look(page, f"arrivals-stop-fa-{width}")
    entry.withdraw(participation=person, remove=True)
    page.reload()
    assert page.locator("html").get_attribute("dir") == "rtl"
    expect(page.get_by_text("لطفاً مشارکت خود را در Prolific پس بدهید (Return).")).to_be_visible()
    look(page, f"arrivals-return-fa-{width}")


class TestNotLetIn:
    def test_a_link_whose_placeholders_were_not_filled_in(
        self, live_server, open_page, study, console, look
    ):
        console.expect("403")
        page = open_page(390, 844)
        ids = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
        page.goto(f"{live_server.url}{study.entry_path}?{ids}")
        expect(page.get_by_role("heading", name="This link is not complete.")).to_be_visible()
        expect(page.get_by_text("Open the study again from Prolific.")).to_be_visible()
        look(page, "arrivals-not-filled-in-390")

    def test_without_an_id_where_the_study_needs_one(
        self, live_server, open_page, study, console, look
    ):
        console.expect("403")
        page = open_page(1440, 900)
        page.goto(f"{live_server.url}{study.entry_path}")
        expect(page.get_by_text("This study takes people from Prolific.")).to_be_visible()
        look(page, "arrivals-needs-prolific-1440")


class TestTheResearcher:
    """From the study's page to a personal link, and to the erasure of who came by it."""

    def test_recruits_invites_and_erases(self, live_server, open_page, live_study, look):
        page = open_page(1440, 900)
        sign_in(page, live_server.url)
        page.goto(f"{live_server.url}/admin/studies/study/{live_study.pk}/change/")
        page.locator("#section-recruitment > summary").click()
        page.get_by_role("link", name="Edit arrivals and codes").click()
        page.get_by_label("People from Prolific").check()
        page.get_by_label("Code: no consent").fill("NOCON")
        look(page, "arrivals-recruitment-1440")
        page.get_by_role("button", name="Save").click()
        page.locator("#section-recruitment > summary").click()
        expect(page.get_by_label("Link for Prolific")).to_have_value(
            re.compile(re.escape("PROLIFIC_PID={{%PROLIFIC_PID%}}"))
        )
        look(page, "arrivals-section-1440")
        page.get_by_role("link", name="Personal invitations").click()
        page.get_by_label("Or write them here").fill("name,country\nAna Rai,NP\nBen,")
        page.get_by_role("button", name="Make links").click()
        expect(page.get_by_text("2 links made.")).to_be_visible()
        look(page, "arrivals-invitations-1440")
        link = page.get_by_role("textbox", name="Link of Ana Rai").input_value()
        guest = open_page(390, 844)
        guest.goto(f"{live_server.url}/i/{link.split('/i/')[1]}")
        agree(guest)
        look(guest, "arrivals-about-you-390")
        guest.get_by_text("Add another").click()
        guest.get_by_label("Also a citizen of").select_option("NP")
        guest.get_by_label("nationality").select_option("IN")
        look(guest, "arrivals-two-nationalities-390")
        guest.get_by_label("live now").select_option("NP")
        guest.get_by_label("first at home").select_option("ne")
        guest.get_by_role("button", name="Continue").click()
        guest.get_by_role("button", name="Start").click()
        rate(guest, 1, total=6)
        expect(guest.get_by_role("heading", name="Picture 2 of 6")).to_be_visible()
        page.goto(f"{live_server.url}/studies/{live_study.slug}/ids/")
        expect(page.get_by_text("Ana Rai")).to_be_visible()
        look(page, "arrivals-ids-1440")
        page.get_by_role("link", name="Erase").click()
        look(page, "arrivals-erase-1440")
        page.get_by_role("button", name="Erase the id and 1 answered screen").click()
        expect(page.get_by_text("the id is erased, with the answers")).to_be_visible()
        expect(page.get_by_text("Ana Rai")).to_have_count(0)
        guest.reload()
        expect(guest.get_by_role("heading", name="Your answers are removed.")).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        look(page, "arrivals-ids-390")
        page.goto(f"{live_server.url}/studies/{live_study.slug}/invitations/")
        look(page, "arrivals-invitations-390")
