"""The page that holds our list of people against Prolific's."""

import csv
import io

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.models import Attempt, Identity, Participation, Reconciliation
from annotation.prolific.polling import poll_study
from annotation.prolific.reconciling import rows_of
from studies.lifecycle import move_study
from studies.models import OutcomeCode, Recruitment
from tests.prolific.conftest import attempt_of, came, finish, hear, rate

URL = "/studies/weddings/arrivals/"


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return lambda query="": client.get(URL + query)


def many_people(study, first, last):
    """People who finished here and handed in without a code, made in bulk."""
    numbers = range(first, last)
    panel = study.panels.get()
    people = Participation.objects.bulk_create(
        Participation(study=study, panel=panel, state="complete", code=f"X-{i}") for i in numbers
    )
    identities = Identity.objects.bulk_create(
        Identity(study=study, source="prolific", external_id=f"x{i}", participation=person)
        for i, person in zip(numbers, people, strict=True)
    )
    Attempt.objects.bulk_create(
        Attempt(identity=one, study=study, session_id=one.external_id, status="AWAITING REVIEW")
        for one in identities
    )


def test_mismatches_stand_on_top_with_what_is_wrong_and_what_to_do(page, prolific, study):
    fine, odd = came(study, "p1", "s1"), came(study, "p2", "s2")
    finish(study, fine)
    finish(study, odd)
    prolific.add("s1", pid="p1", study="st1", status="AWAITING REVIEW", code="DONE42")
    prolific.add("s2", pid="p2", study="st1", status="AWAITING REVIEW", code="NOCODE")
    poll_study(study=study)
    html = page().content.decode()
    assert "1 of 2 do not fit together" in html
    assert html.index(odd.code) < html.index("handed in without a code") < html.index(fine.code)
    assert [row.mismatch and row.mismatch.kind for row in rows_of(study)] == ["no-code", None]


def test_the_code_of_another_outcome_is_named(study):
    OutcomeCode.objects.create(study=study, outcome="does-not-fit", code="NOFIT1")
    person = came(study)
    finish(study, person)
    hear(person, "AWAITING REVIEW", entered_code="nofit1")
    (row,) = rows_of(study)
    assert "the code for “Does not fit”" in row.mismatch.what


def test_who_arrived_and_is_not_in_the_list_is_named_once_the_list_was_read_later(prolific, study):
    person = came(study)
    assert rows_of(study)[0].mismatch is None
    poll_study(study=study)
    assert rows_of(study)[0].mismatch is None, "they may have come while the list was read"
    Attempt.objects.update(arrived_at=timezone.now() - timezone.timedelta(minutes=10))
    poll_study(study=study)
    assert rows_of(study)[0].mismatch.kind == "unknown-there"
    assert person.code


def test_no_id_of_prolific_is_shown_unless_asked_for(page, study):
    came(study, "5f3c9d0a1b2c3d4e5f6a7b8c", "61aabbccddeeff0011223344")
    ids = b"5f3c9d0a1b2c3d4e5f6a7b8c", b"61aabbccddeeff0011223344"
    assert not any(one in page().content for one in ids)
    assert ids[0] in page("?ids=yes").content


def test_nobody_is_looked_for_by_an_id_in_an_address(page, study):
    came(study, "5f3c9d0a1b2c3d4e5f6a7b8c", "s1")
    shown = page("?ids=yes").content.decode()
    assert 'href="/studies/weddings/ids/">Find by Prolific id' in shown
    assert "NP-01" not in page("?ids=yes&code=5f3c9d0a1b2c3d4e5f6a7b8c").content.decode()
    assert "NP-01" in page("?ids=yes&code=np-0").content.decode()


def test_who_may_not_see_ids_does_not_by_asking(client, colleague, study):
    came(study, "5f3c9d0a1b2c3d4e5f6a7b8c", "s1")
    type(study).objects.update(owner=colleague)
    client.force_login(colleague)
    answer = client.get(f"{URL}?ids=yes").content
    assert b"5f3c9d0a1b2c3d4e5f6a7b8c" not in answer and b"Show Prolific ids" not in answer
    assert b"5f3c9d0a" not in client.get("/studies/weddings/arrivals.csv?ids=yes").content
    colleague.user_permissions.add(Permission.objects.get(codename="see_prolific_ids"))
    assert b"5f3c9d0a1b2c3d4e5f6a7b8c" in client.get(f"{URL}?ids=yes").content


def test_a_colleague_finds_no_such_page(client, colleague, study):
    person = came(study)
    client.force_login(colleague)
    pk = Identity.objects.get(participation=person).pk
    assert client.get(URL).status_code == 404
    assert client.get(f"{URL}{pk}/").status_code == 404
    assert client.post(f"{URL}{pk}/act/").status_code == 404
    assert client.post(f"{URL}upload/").status_code == 404


def test_two_hundred_rows_take_as_many_queries_as_two(page, study, django_assert_max_num_queries):
    many_people(study, 0, 2)
    page()
    with django_assert_max_num_queries(20) as few:
        page()
    many_people(study, 2, 200)
    with django_assert_max_num_queries(20) as many:
        assert page().content.count(b"<tr") == 201
    assert len(many) == len(few)


def test_the_list_is_narrowed_by_kind_status_and_code(page, study):
    one, other = came(study, "p1", "s1"), came(study, "p2", "s2")
    hear(one, "AWAITING REVIEW")
    hear(other, "ACTIVE")
    assert other.code not in page("?show=look").content.decode()
    assert one.code not in page("?status=ACTIVE").content.decode()
    assert one.code in page(f"?code={one.code.lower()}").content.decode()
    assert "Nobody matches" in page("?code=nobody").content.decode()


def test_the_download_has_pseudonyms_and_ids_only_on_choice(page, client, study):
    person = came(study, "=p1", "s1")
    hear(person, "AWAITING REVIEW", entered_code="=CODE()")
    page()
    plain = list(
        csv.DictReader(io.StringIO(client.get("/studies/weddings/arrivals.csv").content.decode()))
    )
    assert plain[0]["annotator"] == person.code and "participant_id" not in plain[0]
    assert plain[0]["entered_code"] == "'=CODE()", "a spreadsheet must not calculate it"
    assert plain[0]["mismatch"] == "wrong-code"
    with_ids = client.get("/studies/weddings/arrivals.csv?ids=yes").content.decode()
    assert "'=p1" in with_ids


def test_a_study_that_is_not_linked_says_where_to_link_it(page, study):
    Recruitment.objects.update(prolific_study_id="")
    html = page().content.decode()
    assert "No Prolific study is linked" in html and "Link a Prolific study" in html


def test_an_export_is_taken_and_what_came_of_it_said(page, client, study):
    person = came(study)
    rate(study, person, 1)
    page()
    table = b"Submission id,Participant id,Status\ns1,p1,TIMED-OUT\n"
    answer = client.post(
        f"{URL}upload/", {"export": SimpleUploadedFile("e.csv", table)}, follow=True
    )
    assert "1 submission read, 1 changed." in answer.content.decode()
    assert attempt_of(person).status == "TIMED-OUT"


def test_a_wrong_export_changes_nothing_and_its_lines_are_named(page, client, study):
    person = came(study)
    page()
    table = b"Submission id,Participant id,Status\ns1,p1,RETURNED\ns2,p2,GONE\n"
    answer = client.post(f"{URL}upload/", {"export": SimpleUploadedFile("e.csv", table)})
    assert answer.status_code == 422
    assert "Line 3: “GONE” is no status" in answer.content.decode()
    assert attempt_of(person).status == ""
    assert client.post(f"{URL}upload/").status_code == 422


def test_the_button_has_a_worker_ask_and_the_page_tells_how_far_it_is(
    page, client, prolific, study
):
    page()
    client.post(f"{URL}ask/")
    assert b"Asking Prolific" in client.get(f"{URL}news/").content
    Reconciliation.objects.update(poll_done=40, poll_total=120)
    assert b"40 of 120" in client.get(f"{URL}news/").content
    poll_study(study=study)
    done = client.get(f"{URL}news/").content
    assert b"hx-get" not in done and b"Show what was heard" in done


def test_what_went_wrong_with_asking_is_said_with_what_stays(page, client, prolific, study):
    page()
    prolific.fail_next(401)
    with pytest.raises(Exception, match="token"):
        poll_study(study=study)
    html = page().content.decode()
    assert "does not accept our token" in html and "as of before" in html


def test_without_a_token_the_button_is_absent_and_pressing_it_says_why(
    page, client, study, settings
):
    settings.PROLIFIC_TOKEN = ""
    assert "Ask Prolific now" not in page().content.decode()
    assert "nothing was asked" in client.post(f"{URL}ask/", follow=True).content.decode()


def test_the_rules_are_saved_and_applied(page, client, study):
    person = came(study)
    rate(study, person, 2)
    hear(person, "RETURNED")
    page()
    wanted = {"returned_work": "keep", "rejected_work": "reopen"}
    assert (
        "applied to 1 person" in client.post(f"{URL}rules/", wanted, follow=True).content.decode()
    )
    assert person.assignments.filter(counted=True).count() == 2
    assert client.post(f"{URL}rules/", {"returned_work": "x"}).status_code == 422


def test_the_events_address_is_shown_where_events_are_believed(page, prolific, study, settings):
    assert "/hooks/prolific/" in page().content.decode()
    settings.PROLIFIC_WEBHOOK_SECRETS = []
    assert "/hooks/prolific/" not in page().content.decode()


def test_the_code_of_who_was_in_the_middle_when_the_study_closed_is_theirs(study):
    """Their page shows it: to be asked for a return because of it would be our doing."""
    person = came(study)
    rate(study, person, 2)
    move_study(study=study, move="close")
    study.refresh_from_db()
    hear(person, "AWAITING REVIEW", entered_code="DONE42")
    (row,) = rows_of(study)
    assert row.mismatch is None
    OutcomeCode.objects.create(study=study, outcome="closed", code="CLO7")
    (row,) = rows_of(study)
    assert row.mismatch.kind == "submitted-unfinished"
    hear(person, "AWAITING REVIEW", minutes=1, entered_code="CLO7")
    (row,) = rows_of(study)
    assert row.mismatch is None
