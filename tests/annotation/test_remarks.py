"""How it was: asked below the code, kept apart from the answers, read by the researchers."""

import pytest
from django.test import Client

from annotation import entry
from annotation.erasure import erase_identity
from annotation.models import AnswerRevision, Identity, Rating, Remark
from studies.models import Recruitment
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db
SAID = "The third picture was very small on my phone."


@pytest.fixture
def finished(live_study):
    person = somebody(live_study)
    rate_all(live_study, person)
    return person


def test_it_is_asked_below_the_code_and_folded(client, finished):
    page = client.get(f"/a/{finished.token}/end/").content.decode()
    assert page.index("DONE42") < page.index("<summary>How was it?")
    assert '<details class="card fold">' in page


def test_what_is_said_is_kept_apart_and_the_code_stays(client, finished):
    ratings = Rating.objects.count()
    page = client.post(f"/a/{finished.token}/end/", {"remark": f" {SAID}\x00 "}, follow=True)
    text = page.content.decode()
    assert "DONE42" in text and "Thank you. What you wrote is saved." in text and SAID in text
    assert Remark.objects.get(participation=finished).text == SAID
    assert (Rating.objects.count(), AnswerRevision.objects.count()) == (ratings, 0)


def test_it_can_be_changed_and_taken_back(client, finished):
    for said, kept in (("Good.", ["Good."]), ("Better.", ["Better."]), ("  ", [])):
        client.post(f"/a/{finished.token}/end/", {"remark": said})
        assert list(Remark.objects.values_list("text", flat=True)) == kept


def test_a_very_long_one_is_cut_and_not_refused(client, finished):
    client.post(f"/a/{finished.token}/end/", {"remark": "x" * 5000})
    assert len(Remark.objects.get().text) == Remark.LONGEST


def test_nobody_is_asked_before_the_end(client, live_study):
    person = somebody(live_study)
    client.post(f"/a/{person.token}/end/", {"remark": SAID})
    assert not Remark.objects.exists()


def test_a_browser_that_knew_the_id_alone_neither_reads_nor_changes_it(live_study):
    Recruitment.objects.create(study=live_study, uses_prolific=True)
    link = f"{live_study.entry_path}?PROLIFIC_PID=p1&STUDY_ID=st1&SESSION_ID=s1"
    own, other = Client(), Client()
    own.get(link)
    person = Identity.objects.get().participation
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person, nationality="NP", residence="NP", first_language="ne"
    )
    entry.start_rating(participation=person)
    rate_all(live_study, person)
    own.post(f"/a/{person.token}/end/", {"remark": SAID})
    page = other.get(link, follow=True)
    assert "DONE42" in page.content.decode() and SAID not in page.content.decode()
    other.post(f"/a/{person.token}/end/", {"remark": ""})
    assert Remark.objects.get().text == SAID
    assert SAID in own.get(f"/a/{person.token}/end/").content.decode()
    own.post(f"/a/{person.token}/end/", {"remark": "Fine."})
    assert Remark.objects.get().text == "Fine."


def test_researchers_read_it_with_the_code_of_who_said_it(client, researcher, finished):
    client.post(f"/a/{finished.token}/end/", {"remark": "<b>Good</b>"})
    client.force_login(researcher)
    for address in ("people/", "people/NP-01/"):
        page = client.get(f"/studies/weddings/{address}").content.decode()
        assert "How it was for them" in page and "&lt;b&gt;Good&lt;/b&gt;" in page


def test_it_goes_with_the_answers(client, live_study, finished):
    client.post(f"/a/{finished.token}/end/", {"remark": SAID})
    identity = Identity.objects.create(
        study=live_study, source="invitation", external_id="k", participation=finished
    )
    erase_identity(identity=identity, ratings="removed")
    assert not Remark.objects.exists()


def test_who_withdrew_is_not_asked(client, live_study):
    person = somebody(live_study)
    entry.withdraw(participation=person)
    assert "How was it?" not in client.get(f"/a/{person.token}/", follow=True).content.decode()
