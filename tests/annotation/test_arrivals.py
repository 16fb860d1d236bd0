"""Arriving from Prolific, by invitation, with an account: who is let in, and as whom."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation import arrivals, invitations
from annotation.arrivals import ArrivalRefused, FromProlific, Reason
from annotation.invitations import Invited, UnreadableList
from annotation.models import Attempt, Identity, Invitation, Participation
from studies.lifecycle import move_study
from studies.models import Panel, Recruitment, Study
from tests.annotation.people import form, send, somebody
from tests.annotation.threads import in_threads

pytestmark = pytest.mark.django_db
ANA, BEN = "5f0a000000000000000000a1", "5f0a000000000000000000b2"
ON_PROLIFIC = "60d0000000000000000000ff"


def link(study: Study, pid: str = ANA, session: str = "s1", at: str = ON_PROLIFIC) -> str:
    return f"{study.entry_path}?PROLIFIC_PID={pid}&STUDY_ID={at}&SESSION_ID={session}"


def came(pid: str = ANA, session: str = "s1", at: str = ON_PROLIFIC) -> FromProlific:
    return FromProlific(pid=pid, study_id=at, session_id=session)


def begin(client: Client, url: str) -> tuple[Participation, str]:
    """Open the link and go as far as the first picture: the person, and its address."""
    where = client.get(url, follow=True).request["PATH_INFO"]
    person = Participation.objects.get(token=where.split("/")[2])
    client.post(where, {"answer": "agree"})
    answers = {"nationality": "NP", "residence": "NP", "first_language": "ne"}
    client.post(f"/a/{person.token}/about-you/", answers)
    response = client.post(f"/a/{person.token}/instructions/", follow=True)
    person.refresh_from_db()
    return person, response.request["PATH_INFO"]


def rate_one(client: Client, study: Study, person: Participation, value: int = 2) -> None:
    assignment = person.assignments.get(submitted_at=None)
    url = f"/a/{person.token}/{assignment.n}/"
    assert client.post(url, form(study, assignment, value)).status_code == 302


def recruit(study: Study, **fields) -> None:
    Recruitment.objects.update_or_create(study=study, defaults=fields)


class TestFromProlific:
    def test_the_id_leaves_the_address_bar_at_once(self, client, live_study):
        response = client.get(link(live_study))
        assert response.status_code == 303
        assert ANA not in response["Location"]
        identity = Identity.objects.get()
        assert (identity.source, identity.external_id) == ("prolific", ANA)
        assert response["Location"].startswith(f"/a/{identity.participation.token}/")

    def test_the_attempt_is_kept_with_its_study(self, client, live_study):
        client.get(link(live_study))
        attempt = Attempt.objects.get()
        assert (attempt.session_id, attempt.prolific_study_id) == ("s1", ON_PROLIFIC)
        assert attempt.arrived_at is not None
        assert attempt.status == ""

    def test_the_same_browser_goes_on_with_the_same_participation(self, client, live_study):
        _, url = begin(client, link(live_study))
        assert client.get(link(live_study), follow=True).request["PATH_INFO"] == url
        assert Participation.objects.count() == Attempt.objects.count() == 1

    def test_a_second_browser_goes_on(self, client, live_study):
        _, url = begin(client, link(live_study))
        assert Client().get(link(live_study), follow=True).request["PATH_INFO"] == url
        assert Participation.objects.count() == 1

    def test_a_new_attempt_goes_on_and_is_kept_beside_the_first(self, client, live_study):
        _, url = begin(client, link(live_study))
        again = Client().get(link(live_study, session="s2"), follow=True)
        assert again.request["PATH_INFO"] == url
        assert list(Attempt.objects.values_list("session_id", flat=True)) == ["s1", "s2"]
        assert Participation.objects.count() == 1

    def test_who_has_finished_sees_the_code_again_in_any_browser(self, client, live_study):
        person, _ = begin(client, link(live_study))
        for _ in range(6):
            rate_one(client, live_study, person)
        page = Client().get(link(live_study, session="s9"), follow=True)
        assert page.request["PATH_INFO"].endswith("/end/")
        assert "DONE42" in page.content.decode()
        assert "app.prolific.com/submissions/complete?cc=DONE42" in page.content.decode()

    def test_what_prolific_reported_before_the_arrival_is_the_same_attempt(
        self, client, live_study
    ):
        ana = Identity.objects.create(study=live_study, source="prolific", external_id=ANA)
        Attempt.objects.create(
            identity=ana, study=live_study, session_id="s1", status="ACTIVE", arrived_at=None
        )
        client.get(link(live_study))
        attempt = Attempt.objects.get()
        assert attempt.status == "ACTIVE"
        assert attempt.arrived_at is not None
        assert attempt.identity.participation is not None

    @pytest.mark.parametrize(
        "query",
        [
            "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D&STUDY_ID=a&SESSION_ID=b",
            f"PROLIFIC_PID={ANA}",
            f"PROLIFIC_PID={ANA}&STUDY_ID=a&SESSION_ID=",
            "PROLIFIC_PID=&STUDY_ID=a&SESSION_ID=b",
            "PROLIFIC_PID=a%20b&STUDY_ID=a&SESSION_ID=b",
            f"PROLIFIC_PID={'a' * 65}&STUDY_ID=a&SESSION_ID=b",
            "PROLIFIC_PID=a%00&STUDY_ID=a&SESSION_ID=b",
        ],
    )
    def test_a_link_that_was_not_filled_in_is_said_clearly(self, client, live_study, query):
        response = client.get(f"{live_study.entry_path}?{query}")
        assert response.status_code == 403
        page = response.content.decode()
        assert "Your Prolific id did not come with it." in page
        assert "ana@example.org" in page
        assert not Participation.objects.exists()

    def test_people_of_another_study_on_prolific_are_sent_back(self, client, live_study):
        recruit(live_study, uses_prolific=True, prolific_study_id=f"aa {ON_PROLIFIC}")
        refused = client.get(link(live_study, at="zz"))
        assert refused.status_code == 403
        assert "another study on Prolific" in refused.content.decode()
        assert client.get(link(live_study)).status_code == 303

    def test_is_needed_where_the_study_says_so(self, client, live_study):
        recruit(live_study, uses_prolific=True, open_link=False)
        refused = client.get(live_study.entry_path)
        assert refused.status_code == 403
        assert "This study takes people from Prolific." in refused.content.decode()
        assert not Participation.objects.exists()
        assert client.get(link(live_study)).status_code == 303

    def test_does_not_let_in_where_the_study_is_by_invitation(self, client, live_study):
        recruit(live_study, uses_prolific=False, open_link=False)
        assert "by invitation" in client.get(link(live_study)).content.decode()

    def test_who_came_in_a_pause_is_let_in_when_it_is_over(self, client, live_study):
        move_study(study=live_study, move="pause")
        assert "takes nobody new" in client.get(link(live_study), follow=True).content.decode()
        move_study(study=live_study, move="resume")
        url = Client().get(link(live_study), follow=True).request["PATH_INFO"]
        assert url.endswith("/consent/")
        assert Participation.objects.count() == 1


class TestNobodyElsesRecord:
    def test_a_browser_with_another_pid_does_not_get_it(self, client, live_study):
        """Ben changes the id in his address to Ana's."""
        ana, _ = begin(client, link(live_study))
        bens = Client()
        begin(bens, link(live_study, BEN, "s2"))
        for session in ("s1", "s2", "s3"):
            refused = bens.get(link(live_study, ANA, session))
            assert refused.status_code == 403
            assert ana.token not in refused.content.decode()
        assert Attempt.objects.count() == 2

    def test_a_new_browser_needs_the_study_that_the_person_came_with(self, client, live_study):
        begin(client, link(live_study))
        assert Client().get(link(live_study, session="s2", at="other")).status_code == 403

    def test_a_session_of_somebody_else_opens_nothing(self, client, live_study):
        begin(client, link(live_study))
        begin(Client(), link(live_study, BEN, "s2"))
        assert Client().get(link(live_study, ANA, "s2")).status_code == 403
        assert Client().get(link(live_study, "new-person", "s2")).status_code == 403
        assert Identity.objects.count() == 2

    def test_somebody_new_may_use_the_same_computer(self, client, live_study):
        ana, _ = begin(client, link(live_study))
        ben, _ = begin(client, link(live_study, BEN, "s2"))
        assert ana != ben
        assert Participation.objects.count() == 2

    def test_a_forged_cookie_is_no_cookie(self, client, live_study):
        ana, _ = begin(client, link(live_study))
        other = Client()
        other.cookies[f"concord_{live_study.pk}"] = ana.token
        assert (
            other.get(live_study.entry_path, follow=True).request["PATH_INFO"].endswith("/consent/")
        )

    def test_one_pid_in_two_studies_is_two_people(self, client, live_study, live_triplets):
        client.get(link(live_study))
        client.get(link(live_triplets))
        assert Identity.objects.count() == Participation.objects.count() == 2


class TestEarlierAnswers:
    """A new browser goes on, and never shows what was sent before it came."""

    @pytest.fixture
    def ana(self, client, live_study):
        person, _ = begin(client, link(live_study))
        rate_one(client, live_study, person)
        rate_one(client, live_study, person)
        return person

    def test_are_shown_to_the_browser_that_sent_them(self, client, ana):
        page = client.get(f"/a/{ana.token}/1/")
        assert page.status_code == 200
        assert " checked" in page.content.decode()

    def test_are_not_shown_to_a_new_browser(self, live_study, ana):
        new = Client()
        assert new.get(link(live_study), follow=True).request["PATH_INFO"].endswith("/3/")
        for n in (1, 2):
            assert new.get(f"/a/{ana.token}/{n}/")["Location"].endswith("/3/")
        assert f"/a/{ana.token}/2/" not in new.get(f"/a/{ana.token}/3/").content.decode()

    def test_are_not_shown_without_any_cookie(self, live_study, ana):
        new = Client()
        new.get(link(live_study))
        new.cookies.clear()
        assert new.get(f"/a/{ana.token}/1/")["Location"].endswith("/3/")

    def test_cannot_be_changed_by_a_new_browser(self, live_study, ana):
        new = Client()
        new.get(link(live_study))
        sent = ana.assignments.get(n=1)
        before = list(sent.ratings.values_list("value", flat=True))
        new.post(f"/a/{ana.token}/1/", form(live_study, sent, 1) | {"change": "1"})
        assert list(sent.ratings.values_list("value", flat=True)) == before

    def test_of_its_own_a_new_browser_may_look_at(self, live_study, ana):
        new = Client()
        new.get(link(live_study))
        rate_one(new, live_study, ana)
        assert new.get(f"/a/{ana.token}/3/").status_code == 200
        assert f"/a/{ana.token}/2/" not in new.get(f"/a/{ana.token}/3/").content.decode()

    def test_on_another_device_by_the_personal_link_it_only_goes_on(self, ana):
        new = Client()
        assert new.get(f"/a/{ana.token}/", follow=True).request["PATH_INFO"].endswith("/3/")
        assert new.get(f"/a/{ana.token}/1/")["Location"].endswith("/3/")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_ten_arrivals_of_one_person_make_one_participation(self, live_study):
        def arrive(i):
            person = arrivals.arrive_from_prolific(study=live_study, came=came(), known=None)
            return person.pk

        assert len(set(in_threads(10, arrive))) == 1
        assert Participation.objects.count() == Identity.objects.count() == 1
        assert Attempt.objects.count() == 1

    def test_attempts_of_one_person_that_come_together_are_all_kept(self, live_study):
        def arrive(i):
            return arrivals.arrive_from_prolific(
                study=live_study, came=came(session=f"s{i}"), known=None
            ).pk

        assert len(set(in_threads(6, arrive))) == 1
        assert Attempt.objects.count() == 6

    def test_one_session_claimed_by_many_people_is_one_persons(self, live_study):
        def arrive(i):
            try:
                return arrivals.arrive_from_prolific(
                    study=live_study, came=came(pid=f"p{i}"), known=None
                ).pk
            except ArrivalRefused as refusal:
                assert refusal.reason is Reason.NOT_THEIRS
                return None

        let_in = [pk for pk in in_threads(6, arrive) if pk is not None]
        assert len(let_in) == Participation.objects.count() == Identity.objects.count() == 1

    def test_an_invitation_opened_in_many_windows_is_one_persons(self, live_study):
        made, _ = invitations.invite(study=live_study, people=[Invited("Ana")])

        def arrive(i):
            invitation = Invitation.objects.get(pk=made[0].pk)
            return arrivals.arrive_by_invitation(invitation=invitation).pk

        assert len(set(in_threads(6, arrive))) == 1
        assert Invitation.objects.get().identity == Identity.objects.get()


class TestInvitations:
    def invite(self, study, text: str) -> list[Invitation]:
        return invitations.invite(
            study=study, people=invitations.read_list(study=study, text=text)
        )[0]

    def test_a_list_becomes_personal_links(self, live_study):
        made = self.invite(live_study, "name,country,language\nAna,Nepal,ne\nBen,NP,\n")
        assert [invitation.label for invitation in made] == ["Ana", "Ben"]
        assert made[0].panel == made[1].panel == live_study.panels.get()
        links = {invitations.link_of(invitation) for invitation in made}
        assert len(links) == 2
        assert all(link.startswith("http://testserver/i/") for link in links)

    def test_a_list_without_a_head_is_names(self, live_study):
        assert [row.label for row in self.invite(live_study, "Ana\nBen\n\n")] == ["Ana", "Ben"]

    def test_somebody_is_invited_once(self, live_study):
        self.invite(live_study, "Ana\nAna\n")
        people = invitations.read_list(study=live_study, text="Ana\nBen")
        made, had = invitations.invite(study=live_study, people=people)
        assert ([row.label for row in made], had) == (["Ben"], 1)

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "empty"),
            ("name,country\nAna,PL", "Line 2: the study has no panel for “PL”."),
            ("name,language\nAna,gibberish", "Line 2: “gibberish” is no language"),
            ("country\nNP", "names no column"),
            ("name,language\n,ne", "Line 2: nobody is named."),
            ("x" * 201, "more than 200"),
        ],
    )
    def test_a_bad_list_is_refused_by_line(self, live_study, text, problem):
        with pytest.raises(UnreadableList, match=problem):
            invitations.read_list(study=live_study, text=text)

    def test_the_link_opens_one_participation_in_any_browser(self, client, live_study):
        (invitation,) = self.invite(live_study, "name,language\nAna,ne")
        url = f"/i/{invitations.token_of(invitation)}/"
        assert client.get(url).status_code == 303
        first = client.get(url, follow=True).request["PATH_INFO"]
        assert first.endswith("/consent/")
        assert Client().get(url, follow=True).request["PATH_INFO"] == first
        identity = Identity.objects.get()
        assert identity.source == "invitation"
        assert identity.participation.language == "ne"

    def test_nothing_that_opens_it_is_stored(self, live_study):
        (invitation,) = self.invite(live_study, "Ana")
        signature = invitations.token_of(invitation).partition(".")[2]
        stored = [str(value) for value in Invitation.objects.values_list().get()]
        assert not any(signature in value for value in stored)

    def test_a_forged_link_opens_nothing(self, client, live_study):
        (invitation,) = self.invite(live_study, "Ana")
        assert client.get("/i/nobody.knows/").status_code == 404
        assert client.get(f"/i/{invitation.key}.forged/").status_code == 403
        assert not Participation.objects.exists()

    def test_a_revoked_link_says_so_and_who_began_goes_on(self, client, live_study):
        (invitation,) = self.invite(live_study, "Ana")
        url = f"/i/{invitations.token_of(invitation)}/"
        person, where = begin(client, url)
        invitations.revoke(invitation=invitation)
        refused = Client().get(url)
        assert refused.status_code == 403
        assert "no longer valid" in refused.content.decode()
        assert client.get(where).status_code == 200

    def test_a_renewed_link_replaces_the_old_one_and_leads_to_the_same_person(
        self, client, live_study
    ):
        (invitation,) = self.invite(live_study, "Ana")
        old = f"/i/{invitations.token_of(invitation)}/"
        _, where = begin(client, old)
        invitation.refresh_from_db()
        invitations.renew(invitation=invitation)
        assert client.get(old).status_code == 403
        new = f"/i/{invitations.token_of(invitation)}/"
        assert Client().get(new, follow=True).request["PATH_INFO"] == where

    def test_lets_in_where_the_open_link_does_not(self, client, live_study):
        recruit(live_study, open_link=False)
        (invitation,) = self.invite(live_study, "Ana")
        assert client.get(live_study.entry_path).status_code == 403
        assert client.get(f"/i/{invitations.token_of(invitation)}/").status_code == 303

    def test_to_a_panel_fits_no_other(self, client, live_study):
        Panel.objects.create(study=live_study, country="IR", ratings_per_unit=1)
        (invitation,) = self.invite(live_study, "name,country\nAna,IR")
        person, _ = begin(client, f"/i/{invitations.token_of(invitation)}/")
        assert person.outcome == "does-not-fit"

    def test_of_a_draft_opens_nothing_yet(self, client, draft_study):
        (invitation,) = self.invite(draft_study, "Ana")
        assert client.get(f"/i/{invitations.token_of(invitation)}/").status_code == 404


class TestAccounts:
    @pytest.fixture
    def rita(self, live_study):
        recruit(live_study, open_link=False, accounts=True)
        return User.objects.create_user("rita", password="correct horse")

    def test_somebody_unknown_is_asked_to_sign_in_and_comes_in(self, client, live_study, rita):
        page = client.get(live_study.entry_path, follow=True)
        assert page.request["PATH_INFO"].endswith("/sign-in/")
        url = page.request["PATH_INFO"]
        wrong = client.post(url, {"username": "rita", "password": "no"})
        assert "do not belong together" in wrong.content.decode()
        right = {"username": "rita", "password": "correct horse"}
        assert client.post(url, right, follow=True).request["PATH_INFO"].endswith("/consent/")
        identity = Identity.objects.get()
        assert (identity.source, identity.external_id) == ("account", str(rita.pk))

    def test_the_account_goes_on_in_another_browser(self, client, live_study, rita):
        client.force_login(rita)
        _, where = begin(client, live_study.entry_path)
        other = Client()
        other.force_login(rita)
        assert other.get(live_study.entry_path, follow=True).request["PATH_INFO"] == where
        assert Participation.objects.count() == 1

    def test_are_not_asked_for_where_the_study_takes_none(self, client, live_study):
        assert client.get(f"{live_study.entry_path}sign-in/").status_code == 404

    def test_are_not_used_where_the_study_takes_none(self, client, live_study, researcher):
        client.force_login(researcher)
        client.get(live_study.entry_path)
        assert not Identity.objects.exists()


class TestTheOpenLink:
    def test_stays_without_an_identity(self, client, live_study):
        begin(client, live_study.entry_path)
        assert not Identity.objects.exists()

    def test_shows_sent_screens_in_any_browser_that_has_the_personal_link(self, live_study):
        person = somebody(live_study)
        from annotation.assignment import claim_next_unit

        send(live_study, claim_next_unit(participation=person))
        assert Client().get(f"/a/{person.token}/1/").status_code == 200


class TestWelcomeBack:
    """Said after ten minutes, from Prolific after five, and on another device; not otherwise."""

    LIMIT = "Prolific’s own time limit goes on"

    def gone_for(self, person: Participation, minutes: int) -> None:
        moment = timezone.now() - timedelta(minutes=minutes)
        Participation.objects.filter(pk=person.pk).update(last_seen_at=moment)

    def test_after_ten_minutes_by_any_address(self, client, live_study):
        person, url = begin(client, live_study.entry_path)
        for address in (live_study.entry_path, f"/a/{person.token}/", url):
            self.gone_for(person, 11)
            page = client.get(address, follow=True).content.decode()
            assert "Welcome back. You are at 1 of 6." in page
            assert self.LIMIT not in page

    def test_not_after_nine(self, client, live_study):
        person, url = begin(client, live_study.entry_path)
        self.gone_for(person, 9)
        assert "Welcome back" not in client.get(live_study.entry_path, follow=True).content.decode()
        assert "Welcome back" not in client.get(url).content.decode()

    def test_from_prolific_after_five_with_its_time_limit(self, client, live_study):
        person, _ = begin(client, link(live_study))
        assert "Welcome back" not in client.get(link(live_study), follow=True).content.decode()
        self.gone_for(person, 6)
        page = client.get(link(live_study), follow=True).content.decode()
        assert "Welcome back." in page and self.LIMIT in page

    def test_on_another_device(self, client, live_study):
        begin(client, link(live_study))
        assert "Welcome back." in Client().get(link(live_study), follow=True).content.decode()

    def test_not_in_the_answer_to_a_screen_that_took_long(self, client, live_study):
        person, url = begin(client, live_study.entry_path)
        self.gone_for(person, 30)
        sent = form(live_study, person.assignments.get())
        page = client.post(url, sent, headers={"HX-Request": "true"}).content.decode()
        assert "Welcome back" not in page

    def test_a_phone_where_a_computer_is_needed_shows_no_id(self, client, live_study):
        Study.objects.update(devices=Study.Devices.COMPUTER)
        frozen = live_study.revisions.get()
        frozen.design["devices"] = "computer"
        frozen.save()
        phone = {"User-Agent": "Mozilla/5.0 (iPhone) Mobile"}
        page = client.get(link(live_study), headers=phone, follow=True).content.decode()
        assert "This study needs a larger screen." in page
        assert ANA not in page
        assert f"/a/{Participation.objects.get().token}/" in page
