"""What a researcher may type: refused in words where it cannot work, shown as typed elsewhere."""

import pytest
from django.contrib.auth.models import Group
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

from accounts.models import User
from annotation.assignment import claim_next_unit
from studies.importing.uploads import start_upload
from studies.lifecycle import WrongState, delete_draft, launch_checks, launch_study
from studies.models import ImportUpload, Item, Panel, Question, ScalePoint, Study
from tests.annotation.people import somebody
from tests.conftest import add_item
from tests.studies.people import question_form, study_form

pytestmark = pytest.mark.django_db


def save(client, study, **changes) -> str:
    return client.post(
        f"/admin/studies/study/{study.pk}/change/", study_form(study) | changes
    ).content.decode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"title": ""}, "This field is required."),
        ({"title": "x" * 201}, "at most 200 characters"),
        ({"slug": "not a slug"}, "Enter a valid “slug”"),
        ({"slug": "import"}, "is the address of a page of this site"),
        ({"slug": "taken"}, "with this Short address already exists"),
        ({"units_per_session": "0"}, "greater than or equal to 1"),
        ({"units_per_session": "9" * 30}, "less than or equal to 1000"),
        ({"units_per_session": "many"}, "Enter a whole number."),
        ({"lease_minutes": "0"}, "greater than or equal to 1"),
        ({"completion_code": ""}, "This field is required."),
        ({"completion_url": "javascript:alert(1)"}, "Enter a valid URL."),
        ({"completion_url": "http://example.org/"}, "It starts with https://"),
        ({"panels-0-ratings_per_unit": "0"}, "greater than or equal to 1"),
        ({"panels-0-seats": "0"}, "0 would let nobody in"),
        ({"panels-0-seats": "9" * 40}, "less than or equal to"),
        ({"panels-0-country": "XX"}, "Select a valid choice"),
        ({"attention_checks-0-expected": "9"}, "That scale has no such point."),
        ({"attention_checks-0-expected": ""}, "This field is required."),
    ],
)
def test_a_study_that_cannot_work_is_refused_in_words(olga, study, changes, words):
    Study.objects.create(owner=study.owner, title="Other", slug="taken", public_title="Other")
    assert words in save(olga, study, **changes)
    study.refresh_from_db()
    assert study.title == "Weddings"


def test_a_second_panel_of_a_country_is_refused_in_words(olga, study):
    second = {
        "panels-TOTAL_FORMS": 2,
        "panels-1-country": "NP",
        "panels-1-language": "ne",
        "panels-1-ratings_per_unit": 3,
    }
    assert "duplicate" in save(olga, study, **second)
    assert study.panels.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"key": "Not A Key"}, "Small letters, digits and _"),
        ({"key": "exaggeration"}, "Another question of this study has that key."),
        ({"text": ""}, "This field is required."),
        ({"tier": "0"}, "greater than or equal to 1"),
        ({"allow_na": "on", "na_label": ""}, "Give it a label"),
        ({"points-0-value": "2"}, "duplicate"),
        ({"points-0-value": "one"}, "Enter a whole number."),
        ({"points-0-value": "9" * 40}, "less than or equal to"),
    ],
)
def test_a_question_that_cannot_work_is_refused_in_words(olga, study, changes, words):
    question = study.questions.get(key="faithfulness")
    form = question_form(question) | changes
    page = olga.post(f"/admin/studies/question/{question.pk}/change/", form).content.decode()
    assert words in page
    assert list(question.points.values_list("value", flat=True)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"required_from": "5", "required_to": "3"}, "The range is upside down."),
        ({"required_from": "", "required_to": ""}, "Give the range: from and to."),
        ({"min_length": "20000"}, "At most 1000 letters."),
    ],
)
def test_a_rationale_that_cannot_work_is_refused_in_words(olga, study, changes, words):
    question = study.questions.get(key="rationale")
    url = f"/admin/studies/question/{question.pk}/change/"
    assert words in olga.post(url, question_form(question) | changes).content.decode()


def test_a_rationale_takes_no_points(olga, study):
    form = {"study": study.pk, "kind": "text", "tier": 1, "text": "Why?", "key": "why"}
    form |= {"asked_of": "unit"}
    points = {"points-TOTAL_FORMS": 1, "points-INITIAL_FORMS": 0, "points-0-value": 1}
    url = f"/admin/studies/question/add/?study={study.pk}&kind=likert"
    olga.post(url, form | points | {"min_length": 0})
    assert study.questions.get(key="why").points.count() == 0


@pytest.mark.parametrize("address", ["?study=x", "", "?study=9999999999999999999999&kind=likert"])
def test_a_question_for_no_study_leads_back(olga, study, address):
    assert olga.get(f"/admin/studies/question/add/{address}").status_code in {302, 404}


def test_an_unknown_kind_of_question_is_not_made(olga, study):
    url = f"/admin/studies/question/add/?study={study.pk}&kind=colour"
    assert olga.get(url).status_code == 200
    form = {"study": study.pk, "kind": "colour", "tier": 1, "text": "Why?", "key": "why"}
    assert olga.post(url, form | {"min_length": 0}).status_code == 422
    assert study.questions.count() == 4


def test_more_ratings_than_a_panel_takes_stop_the_launch(study, monkeypatch):
    monkeypatch.setattr("studies.launch_checks.MAX_RATINGS", 17)
    stops = [check.sentence for check in launch_checks(study) if check.mark == "stop"]
    assert stops == ["Nepal: 18 ratings; a panel takes at most 17"]


HTML = "<script>alert(1)</script>{activity}{x}\"'&"


def test_markup_in_any_field_is_shown_as_it_was_typed(olga, study):
    texts = ("title", "public_title", "consent_summary", "consent_text", "instructions")
    for name in (*texts, "instruction_points", "contact", "completion_code"):
        setattr(study, name, HTML[:40])
    study.save()
    Question.objects.update(text=HTML, help=HTML, reported_as=HTML[:60])
    ScalePoint.objects.update(label=HTML, description=HTML)
    study.attention_checks.update(text=HTML)
    Item.objects.update(prompt=HTML, category=HTML, external_id=an_id_of_markup())
    launch_study(study=study, by=study.owner)
    study.refresh_from_db()
    question = study.questions.first()
    pages = [
        f"/admin/studies/study/{study.pk}/change/",
        f"/admin/studies/study/{study.pk}/items/",
        f"/admin/studies/question/{question.pk}/change/",
        "/admin/studies/study/",
        "/admin/studies/item/",
        "/",
        f"/studies/{study.slug}/preview/",
        f"/studies/{study.slug}/preview/2/",
        f"/studies/{study.slug}/monitor/",
        f"/studies/{study.slug}/report/",
        f"/studies/{study.slug}/metrics/",
        *booth_pages(study),
    ]
    for url in pages:
        page = olga.get(url).content.decode()
        assert "<script>alert" not in page, url
        assert "alert(1)" in page, url


def an_id_of_markup():
    return Concat(Value("<script>alert(1)</script>"), Cast(F("pk"), CharField()))


def booth_pages(study) -> list[str]:
    person = somebody(study)
    claim_next_unit(participation=person)
    token = person.token
    return [f"/a/{token}/{page}/" for page in ("1", "help", "withdraw")]


def test_long_texts_and_titles_from_right_to_left_are_kept_and_shown(olga, study):
    long, title = "consent " * 1250, "עברית ‮ فارسی"
    save(olga, study, consent_text=long, instructions=long, title=title)
    study.refresh_from_db()
    assert study.consent_text == long.strip() or study.consent_text == long
    page = olga.get("/").content.decode()
    assert f"<bdi>{title}</bdi>" in page
    assert olga.get(f"/studies/{study.slug}/preview/").status_code == 200


class TestDeleting:
    def test_a_draft_goes_with_all_its_parts_and_files(
        self, olga, study, settings, django_capture_on_commit_callbacks
    ):
        add_item(study, "edit", parent=study.items.first())
        study.items.update(system=study.systems.create(name="A system"))
        upload = start_upload(study=study, kind=ImportUpload.Kind.ITEMS, by=study.owner)
        url = f"/admin/studies/study/{study.pk}/delete/"
        page = olga.get(url).content.decode()
        assert "Delete this study?" in page
        assert "items: 7" in page
        with django_capture_on_commit_callbacks(execute=True):
            assert olga.post(url, {"post": "yes"}).status_code == 302
        assert not Study.objects.exists()
        assert not Item.objects.exists()
        assert [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()] == []
        assert not upload.folder.exists()

    def test_a_study_that_was_launched_stays(self, olga, study):
        launch_study(study=study, by=study.owner)
        url = f"/admin/studies/study/{study.pk}/delete/"
        assert olga.get(url).status_code == 403
        assert olga.post(url, {"post": "yes"}).status_code == 403
        with pytest.raises(WrongState, match="Close it instead"):
            delete_draft(study=study)
        assert Study.objects.count() == 1

    def test_a_study_with_a_run_of_a_metric_says_so(self, olga, study):
        study.metric_runs.create(metric="align")
        url = f"/admin/studies/study/{study.pk}/delete/"
        page = olga.get(url).content.decode()
        assert "This study cannot be deleted" in page
        assert "1 metric run" in page
        assert "still used" in olga.post(url, {"post": "yes"}).content.decode()

    def test_a_question_that_a_check_borrows_says_so(self, olga, study):
        question = study.questions.get(key="hallucination")
        url = f"/admin/studies/question/{question.pk}/delete/"
        assert "For this line choose 2." in olga.get(url).content.decode()
        assert olga.post(url, {"post": "yes"}).status_code == 200
        assert study.questions.count() == 4

    def test_a_question_goes_with_its_points_and_leads_back_to_its_study(self, olga, study):
        question = study.questions.get(key="exaggeration")
        url = f"/admin/studies/question/{question.pk}/delete/"
        response = olga.post(url, {"post": "yes"})
        assert response["Location"] == f"/admin/studies/study/{study.pk}/change/#questions"
        assert study.questions.count() == 3

    def test_an_account_that_owns_studies_says_so(self, client, study):
        client.force_login(User.objects.create_superuser("root", password="correct horse"))
        url = f"/admin/accounts/user/{study.owner.pk}/delete/"
        assert "Weddings" in client.get(url).content.decode()
        assert client.post(url, {"post": "yes"}).status_code == 200
        assert User.objects.filter(pk=study.owner.pk).exists()
        assert Group.objects.filter(name="Researchers").exists()
        assert Panel.objects.filter(study=study).exists()
