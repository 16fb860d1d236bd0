"""The researcher's pages of arrivals: ways in and codes, invitations, ids and their erasure."""

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import invitations
from annotation.invitations import Invited
from annotation.models import Identity, Invitation
from studies.copying import duplicate_study
from studies.models import OutcomeCode, Recruitment
from tests.annotation.people import rate_all
from tests.annotation.test_erasure import PID, from_prolific

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client, researcher):
    client.force_login(researcher)
    return client


def invite(study, *names: str) -> list[Invitation]:
    return invitations.invite(study=study, people=[Invited(name) for name in names])[0]


class TestArrivalsAndCodes:
    def url(self, study) -> str:
        return reverse("admin:studies_study_recruitment", args=[study.pk])

    def test_stand_on_the_studys_page(self, desk, live_study):
        page = desk.get(reverse("admin:studies_study_change", args=[live_study.pk]))
        assert "anybody with the link" in page.content.decode()
        Recruitment.objects.create(study=live_study, uses_prolific=True, open_link=False)
        page = desk.get(reverse("admin:studies_study_change", args=[live_study.pk]))
        assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in page.content.decode()

    def test_are_saved_also_after_the_launch(self, desk, live_study):
        OutcomeCode.objects.create(study=live_study, outcome="full", code="OLD")
        assert desk.get(self.url(live_study)).status_code == 200
        form = {
            "uses_prolific": "on",
            "prolific_study_id": "60d0 60d1",
            "erase_after_days": "30",
            "code_no-consent": "NOCON",
            "address_no-consent": "https://app.prolific.com/submissions/complete?cc=NOCON",
        }
        assert desk.post(self.url(live_study), form).status_code == 302
        kept = Recruitment.objects.get()
        assert (kept.uses_prolific, kept.open_link, kept.erase_after_days) == (True, False, 30)
        assert kept.prolific_study_ids == ["60d0", "60d1"]
        row = OutcomeCode.objects.get()
        assert (row.outcome, row.code) == ("no-consent", "NOCON")

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("erase_after_days", "0"),
            ("code_full", "DONE42"),
            ("address_full", "https://app.prolific.com/submissions/complete?cc=OTHER"),
            ("prolific_study_id", "{{%STUDY_ID%}}"),
            ("address_full", "http://example.org/done"),
            ("address_full", "https://example.org/done"),
        ],
    )
    def test_are_refused_in_words(self, desk, live_study, field, value):
        response = desk.post(self.url(live_study), {"erase_after_days": "30"} | {field: value})
        assert response.status_code == 422
        assert not Recruitment.objects.exists()

    def test_go_into_a_copy_without_ids_and_codes(self, live_study, researcher):
        Recruitment.objects.create(
            study=live_study, uses_prolific=True, open_link=False, prolific_study_id="60d0"
        )
        OutcomeCode.objects.create(study=live_study, outcome="full", code="FULL")
        new = duplicate_study(study=live_study, owner=researcher, title="Again", with_items=False)
        assert (new.recruitment.uses_prolific, new.recruitment.prolific_study_id) == (True, "")
        assert not new.outcome_codes.exists()


class TestInvitations:
    def test_are_made_from_a_file(self, desk, live_study):
        url = reverse("annotation:invitations", args=[live_study.slug])
        file = SimpleUploadedFile("people.csv", b"name,country\nAna,NP\nBen,NP\n")
        page = desk.post(url, {"file": file}, follow=True).content.decode()
        assert "2 links made." in page
        assert all(invitations.link_of(row) in page for row in Invitation.objects.all())

    def test_are_made_from_text_in_a_draft_too(self, desk, draft_study):
        url = reverse("annotation:invitations", args=[draft_study.slug])
        desk.post(url, {"text": "Ana\nBen"})
        assert Invitation.objects.count() == 2

    def test_are_refused_by_line(self, desk, live_study):
        url = reverse("annotation:invitations", args=[live_study.slug])
        response = desk.post(url, {"text": "name,country\nAna,XX"})
        assert response.status_code == 422
        assert "Line 2:" in response.content.decode()
        assert not Invitation.objects.exists()

    def test_can_be_revoked_and_renewed(self, desk, live_study):
        (row,) = invite(live_study, "Ana")
        before = invitations.link_of(row)
        url = reverse("annotation:change_invitation", args=[live_study.slug, row.pk])
        page = desk.post(url, {"act": "revoke"}, follow=True).content.decode()
        assert before not in page
        page = desk.post(url, {"act": "renew"}, follow=True).content.decode()
        row.refresh_from_db()
        assert row.revoked_at is None
        assert before not in page
        assert invitations.link_of(row) in page

    def test_leave_as_csv_that_runs_no_formula(self, desk, live_study):
        invite(live_study, "=1+1", "Ana")
        url = reverse("annotation:invitations_csv", args=[live_study.slug])
        lines = desk.get(url).content.decode("utf-8-sig").splitlines()
        assert lines[1].startswith("'=1+1,")
        assert lines[2].startswith("Ana,")

    def test_are_nobody_elses_business(self, client, colleague, live_study):
        (row,) = invite(live_study, "Ana")
        client.force_login(colleague)
        for name, args in (
            ("invitations", []),
            ("invitations_csv", []),
            ("identities", []),
        ):
            url = reverse(f"annotation:{name}", args=[live_study.slug, *args])
            assert client.get(url).status_code == 404
        url = reverse("annotation:change_invitation", args=[live_study.slug, row.pk])
        assert client.post(url, {"act": "revoke"}).status_code == 404

    def test_go_with_a_draft_that_is_deleted(self, draft_study):
        from studies.lifecycle import delete_draft

        invite(draft_study, "Ana")
        delete_draft(study=draft_study)
        assert not Invitation.objects.exists()


class TestIds:
    def test_are_found_by_id_and_by_code(self, desk, live_study):
        from_prolific(live_study)
        url = reverse("annotation:identities", args=[live_study.slug])
        assert PID in desk.get(url).content.decode()
        assert "NP-01" in desk.post(url, {"q": PID}).content.decode()
        assert PID in desk.post(url, {"q": "np-01"}).content.decode()
        assert "Nobody has that id" in desk.post(url, {"q": "zz"}).content.decode()

    def test_are_looked_for_by_no_address_which_stays_in_histories_and_logs(self, desk, live_study):
        url = reverse("annotation:identities", args=[live_study.slug])
        page = desk.get(url).content.decode()
        assert '<form class="filters" method="post"' in page

    def test_of_prolific_are_shown_to_people_who_may_see_them(
        self, client, colleague, live_study, researcher
    ):
        from_prolific(live_study)
        live_study.owner = colleague
        live_study.save(update_fields=["owner"])
        rights = Permission.objects.filter(content_type__app_label="studies")
        colleague.user_permissions.set(rights)
        client.force_login(colleague)
        url = reverse("annotation:identities", args=[live_study.slug])
        page = client.get(url).content.decode()
        assert "NP-01" in page and PID not in page and "not shown to you" in page
        colleague.user_permissions.add(Permission.objects.get(codename="see_prolific_ids"))
        assert PID in client.get(url).content.decode()

    def test_are_erased_with_or_without_the_answers(self, desk, live_study):
        person = from_prolific(live_study)
        rate_all(live_study, person)
        url = reverse("annotation:erase", args=[live_study.slug, Identity.objects.get().pk])
        assert "6 answered screens are deleted" in desk.get(url).content.decode()
        assert desk.post(url, {}).status_code == 422
        page = desk.post(url, {"ratings": "anonymous"}, follow=True).content.decode()
        assert PID not in page
        assert person.assignments.count() == 6
        desk.post(url, {"ratings": "removed"})
        assert person.assignments.count() == 0

    def test_of_another_study_are_not_reached(self, desk, live_study, live_triplets):
        from_prolific(live_study)
        url = reverse("annotation:erase", args=[live_triplets.slug, Identity.objects.get().pk])
        assert desk.post(url, {"ratings": "anonymous"}).status_code == 404
