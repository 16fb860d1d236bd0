"""Leaving with one's answers removed, and being forgotten: what goes and what stays."""

import io
from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation import entry, invitations, ratings
from annotation.arrivals import FromProlific, arrive_by_invitation, arrive_from_prolific
from annotation.assignment import claim_next_unit
from annotation.erasure import erase_expired, erase_identity
from annotation.invitations import Invited
from annotation.models import Attempt, Identity, Invitation, Participation, Place, Rating
from annotation.tasks import forget_who_people_are
from scoring.exports.catalogue import export_file
from scoring.exports.options import Options
from scoring.exports.streaming import text_of
from studies.models import Recruitment, Study
from tests.annotation.people import rate_all, send, somebody
from tests.annotation.threads import in_threads

pytestmark = pytest.mark.django_db
PID = "5f0a000000000000000000a1"
DONE, OPEN = Place.State.DONE, Place.State.OPEN


def from_prolific(study, pid: str = PID, session: str = "s1") -> Participation:
    came = FromProlific(pid=pid, study_id="60d0", session_id=session)
    person = arrive_from_prolific(study=study, came=came, known=None)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person, nationality="NP", residence="NP", first_language="ne"
    )
    entry.start_rating(participation=person)
    return person


class TestLeaving:
    def test_with_the_answers_kept_changes_none_of_them(self, live_study):
        person = somebody(live_study)
        send(live_study, claim_next_unit(participation=person))
        entry.withdraw(participation=person)
        assert person.outcome == "withdrew"
        assert Rating.objects.count() == 3
        assert Place.objects.filter(state=DONE).count() == 1

    def test_with_the_answers_removed_deletes_them_and_opens_their_places(self, live_study):
        person = somebody(live_study)
        send(live_study, claim_next_unit(participation=person))
        send(live_study, claim_next_unit(participation=person))
        claim_next_unit(participation=person)
        entry.withdraw(participation=person, remove=True)
        assert (person.outcome, person.n_removed) == ("withdrew-removed", 2)
        assert not Rating.objects.exists()
        assert not person.assignments.exists()
        assert not Place.objects.exclude(state=OPEN).exists()
        assert (person.nationality, person.code) == ("", "NP-01")

    def test_touches_nobody_elses_answers(self, live_study):
        rate_all(live_study, somebody(live_study))
        before = set(Rating.objects.values_list("pk", flat=True))
        leaver = somebody(live_study)
        send(live_study, claim_next_unit(participation=leaver))
        entry.withdraw(participation=leaver, remove=True)
        assert set(Rating.objects.values_list("pk", flat=True)) == before

    def test_the_study_gets_its_ratings_from_others(self, live_study):
        leaver = somebody(live_study)
        for _ in range(3):
            send(live_study, claim_next_unit(participation=leaver))
        entry.withdraw(participation=leaver, remove=True)
        for _ in range(3):
            assert rate_all(live_study, somebody(live_study)) == 6
        done = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
        assert set(done.values()) == {3}
        assert ratings.counted_ratings(live_study).count() == 6 * 3 * 3

    def test_a_surplus_answer_takes_a_place_that_comes_free(self, live_study):
        live_study.panels.update(ratings_per_unit=1)
        first, second = somebody(live_study), somebody(live_study)
        late = claim_next_unit(participation=first)
        Place.objects.filter(holder=first).update(state=OPEN, holder=None, leased_until=None)
        while (screen := claim_next_unit(participation=second)) is not None:
            send(live_study, screen)
        assert send(live_study, late).counted is False
        identity = Identity.objects.create(
            study=live_study, source="account", external_id="1", participation=second
        )
        erase_identity(identity=identity, ratings="removed")
        late.refresh_from_db()
        assert late.counted is True
        assert Place.objects.get(unit=late.unit).holder == first


class TestErasing:
    def test_the_id_goes_and_the_answers_stay_under_the_pseudonym(self, live_study):
        person = from_prolific(live_study)
        rate_all(live_study, person)
        erase_identity(identity=Identity.objects.get())
        identity, attempt = Identity.objects.get(), Attempt.objects.get()
        assert PID not in (identity.external_id, attempt.session_id)
        assert attempt.session_id != "s1"
        assert identity.erased_at is not None
        person.refresh_from_db()
        assert (person.code, person.state) == ("NP-01", "complete")
        assert Rating.objects.count() == 18

    def test_the_answers_go_too_where_that_is_wanted(self, live_study):
        person = from_prolific(live_study)
        rate_all(live_study, person)
        erase_identity(identity=Identity.objects.get(), ratings="removed")
        person.refresh_from_db()
        assert (person.outcome, person.n_removed) == ("withdrew-removed", 6)
        assert not Rating.objects.exists()
        assert not Place.objects.filter(state=DONE).exists()

    def test_first_the_id_and_later_the_answers(self, live_study):
        rate_all(live_study, from_prolific(live_study))
        identity = Identity.objects.get()
        erase_identity(identity=identity)
        erased_at = Identity.objects.get().erased_at
        erase_identity(identity=identity, ratings="removed")
        assert Identity.objects.get().erased_at == erased_at
        assert not Rating.objects.exists()

    def test_why_somebody_was_sent_away_stays(self, live_study):
        came = FromProlific(pid=PID, study_id="60d0", session_id="s1")
        person = arrive_from_prolific(study=live_study, came=came, known=None)
        entry.record_consent(participation=person, agreed=False)
        erase_identity(identity=Identity.objects.get(), ratings="removed")
        person.refresh_from_db()
        assert person.outcome == "no-consent"

    def test_no_other_way_of_erasing_is_known(self, live_study):
        from_prolific(live_study)
        with pytest.raises(ValueError, match="neither"):
            erase_identity(identity=Identity.objects.get(), ratings="perhaps")

    def test_who_comes_again_is_somebody_new(self, live_study):
        first = from_prolific(live_study)
        erase_identity(identity=Identity.objects.get())
        assert from_prolific(live_study) != first
        assert Identity.objects.count() == 2

    def test_an_invitation_loses_its_name_and_its_link(self, live_study):
        made, _ = invitations.invite(study=live_study, people=[Invited("Ana A.")])
        arrive_by_invitation(invitation=made[0])
        erase_identity(identity=Identity.objects.get())
        made[0].refresh_from_db()
        assert made[0].label == "(erased)"
        assert made[0].revoked_at is not None

    def test_ids_are_in_no_export_of_ratings(self, live_study):
        rate_all(live_study, from_prolific(live_study))
        everything = Options(layer="all", rows="everything")
        pieces = text_of(live_study, export_file("ratings.csv"), everything)
        rows = b"".join(pieces).decode()
        assert "NP-01" in rows
        assert PID not in rows


class TestTheDaysOfAStudy:
    def finish(self, study, days_ago: int, pid: str) -> Identity:
        person = from_prolific(study, pid, session=pid)
        moment = timezone.now() - timedelta(days=days_ago)
        Participation.objects.filter(pk=person.pk).update(finished_at=moment, last_seen_at=moment)
        return Identity.objects.get(external_id=pid)

    def test_only_those_whose_days_are_over_are_erased(self, live_study):
        Recruitment.objects.create(study=live_study, erase_after_days=30)
        old = self.finish(live_study, 31, "old")
        new = self.finish(live_study, 29, "new")
        assert erase_expired() == 1
        old.refresh_from_db(), new.refresh_from_db()
        assert old.erased_at is not None
        assert new.erased_at is None
        assert erase_expired() == 0

    def test_ninety_where_the_study_says_nothing(self, live_study):
        self.finish(live_study, 89, "new")
        assert erase_expired() == 0
        assert erase_expired(now=timezone.now() + timedelta(days=2)) == 1

    def test_who_never_finished_counts_from_when_they_were_last_seen(self, live_study):
        identity = self.finish(live_study, 91, "gone")
        Participation.objects.update(finished_at=None)
        assert erase_expired() == 1
        identity.refresh_from_db()
        assert identity.erased_at is not None

    def test_who_was_invited_and_never_came_is_forgotten_after_the_study(self, live_study):
        came, stayed = invitations.invite(
            study=live_study, people=[Invited("Ana"), Invited("Ben")]
        )[0]
        arrive_by_invitation(invitation=came)
        later = timezone.now() + timedelta(days=91)
        Participation.objects.update(last_seen_at=later)
        assert erase_expired(now=later) == 0
        Study.objects.update(state=Study.State.CLOSED)
        assert erase_expired(now=timezone.now()) == 0
        assert erase_expired(now=later) == 1
        assert Invitation.objects.get().label == "Ana"

    def test_the_command_says_how_many(self, live_study):
        self.finish(live_study, 91, "old")
        out = io.StringIO()
        call_command("erase_expired_identities", stdout=out)
        assert out.getvalue() == "Erased: 1 identity.\n"


class TestInvitingByCommand:
    def test_writes_all_links_as_csv(self, live_study, tmp_path):
        (tmp_path / "people.csv").write_text("\ufeffname,country\nAna,NP\nBen,\n", "utf-8")
        out, said = io.StringIO(), io.StringIO()
        call_command(
            "make_invitations", "weddings", str(tmp_path / "people.csv"), stdout=out, stderr=said
        )
        lines = out.getvalue().splitlines()
        assert lines[0] == "name,country,language,link,state"
        assert lines[1].startswith("Ana,NP,,http://testserver/i/")
        assert len(lines) == 3
        assert "New: 2." in said.getvalue()

    @pytest.mark.parametrize(
        ("study", "data", "problem"),
        [
            ("weddings", b"name\n\xff", "UTF-8"),
            ("weddings", None, "cannot be read"),
            ("nothing", b"name\nAna", "no study"),
        ],
    )
    def test_says_what_is_wrong(self, live_study, tmp_path, study, data, problem):
        if data is not None:
            (tmp_path / "people.csv").write_bytes(data)
        with pytest.raises(CommandError, match=problem):
            call_command("make_invitations", study, str(tmp_path / "people.csv"))


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_answers_that_are_removed_while_others_rate_leave_every_unit_exactly_full(live_study):
    leaver = somebody(live_study)
    for _ in range(4):
        send(live_study, claim_next_unit(participation=leaver))
    others = [somebody(live_study) for _ in range(5)]

    def work(i):
        if i == 0:
            return entry.withdraw(participation=leaver, remove=True)
        return rate_all(live_study, others[i - 1])

    in_threads(6, work)
    late = somebody(live_study)
    if late.state == Participation.State.RATING:
        rate_all(live_study, late)
    done = Counter(Place.objects.filter(state=DONE).values_list("unit", flat=True))
    assert max(done.values()) <= 3
    assert not Rating.objects.filter(assignment__participation=leaver).exists()
    assert not Place.objects.filter(holder=leaver).exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_erases_by_itself_on_a_connection_of_its_own(live_study):
    old = TestTheDaysOfAStudy().finish(live_study, 91, "old")
    forget_who_people_are()
    old.refresh_from_db()
    assert old.erased_at is not None
