"""Nobody sees or changes another's study by guessing addresses, and nothing after the launch."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from studies.importing.uploads import start_upload
from studies.lifecycle import launch_study
from studies.models import AttentionCheck, ImportUpload, Panel, Question, ScalePoint, Study
from tests.conftest import add_likert
from tests.studies.people import a_researcher, question_form, study_form

pytestmark = pytest.mark.django_db
SECRETS = ("Weddings", "weddings", "hallucination", "np-1")


@pytest.fixture
def owned(draft_study):
    """The study, owned by a researcher without any special power."""
    draft_study.owner = a_researcher("olga")
    draft_study.save()
    return draft_study


@pytest.fixture
def olga(client, owned):
    client.force_login(owned.owner)
    return client


@pytest.fixture
def mallory(owned):
    """Another researcher with all that the role gives, and a study of their own."""
    client = Client()
    client.user = a_researcher("mallory")
    client.force_login(client.user)
    client.study = Study.objects.create(
        owner=client.user, title="Mine", slug="mine", public_title="Mine"
    )
    return client


def addresses(study) -> list[str]:
    question, check = study.questions.first(), study.attention_checks.first()
    base, item = f"/admin/studies/study/{study.pk}", study.items.first()
    upload = start_upload(study=study, kind=ImportUpload.Kind.DESCRIPTORS, by=study.owner)
    kind = ContentType.objects.get_for_model
    return [
        *[f"{base}/{page}/" for page in ("change", "delete", "history", "launch", "move")],
        *[f"{base}/{page}/" for page in ("pilot", "duplicate", "archive", "reset", "plan")],
        *[f"{base}/{page}/" for page in ("preset", "preset/file", "plan/fix", "move-question")],
        *[f"{base}/{page}/" for page in ("units", "probes")],
        *[f"{base}/{page}/" for page in ("items", "import", "import/descriptors")],
        *[f"{base}/import/{upload.pk}/{page}" for page in ("", "problems.csv", "picture/0/")],
        f"{base}/import/{upload.pk}/confirm/",
        f"/admin/studies/question/{question.pk}/change/",
        f"/admin/studies/question/{question.pk}/delete/",
        f"/admin/studies/question/{question.pk}/history/",
        f"/admin/studies/question/add/?study={study.pk}",
        f"/admin/studies/item/{item.pk}/change/",
        f"/admin/r/{kind(Study).pk}/{study.pk}/",
        f"/admin/r/{kind(Question).pk}/{question.pk}/",
        f"/admin/r/{kind(AttentionCheck).pk}/{check.pk}/",
        "/admin/studies/study/",
        "/admin/studies/question/",
        "/admin/studies/item/",
        "/admin/studies/",
        "/admin/",
        "/admin/autocomplete/?app_label=studies&model_name=panel&field_name=study",
        "/admin/autocomplete/?app_label=studies&model_name=attentioncheck&field_name=scale_of",
        "/admin/autocomplete/?app_label=studies&model_name=study&field_name=owner",
        "/",
        *[f"/studies/{study.slug}/{page}" for page in ("", "preview/", "preview/1/", "monitor/")],
        *[f"/studies/{study.slug}/{page}/" for page in ("report", "metrics", "card")],
    ]


def everything(study) -> list:
    """The design as rows: equal before and after means that nothing was changed."""
    return [
        list(Study.objects.filter(pk=study.pk).values()),
        list(study.questions.order_by("pk").values()),
        list(ScalePoint.objects.filter(question__study=study).order_by("pk").values()),
        list(study.panels.order_by("pk").values()),
        list(study.attention_checks.order_by("pk").values()),
    ]


def test_another_researcher_sees_nothing_at_any_address(owned, mallory):
    for url in addresses(owned):
        response = mallory.get(url, follow=True)
        page = response.content.decode()
        if not response.redirect_chain and response.status_code != 200:
            assert response.status_code in {403, 404, 405}, url
        shown = [secret for secret in SECRETS if secret in page and secret not in url]
        assert shown == [], url


def test_another_researcher_changes_nothing_at_any_address(owned, mallory):
    before = everything(owned)
    for url in addresses(owned):
        mallory.post(url, study_form(owned, title="Taken", move="close", post="yes"))
        mallory.post(url, question_form(owned.questions.first(), text="Taken", post="yes"))
    assert everything(owned) == before
    assert owned.questions.count() == 4


def test_a_stranger_is_asked_to_sign_in_everywhere(owned):
    for url in addresses(owned):
        response = Client().get(url)
        assert response.status_code in {302, 405}, url
        if response.status_code == 302:
            assert "/login/" in response["Location"], url


def test_the_owner_reaches_every_page(olga, owned):
    pages = ("change", "delete", "history", "launch", "pilot", "items", "import", "units")
    for page in (*pages, "probes", "duplicate", "plan", "preset", "preset/file"):
        assert olga.get(f"/admin/studies/study/{owned.pk}/{page}/").status_code == 200, page
    question = owned.questions.first()
    for page in ("change", "delete", "history"):
        url = f"/admin/studies/question/{question.pk}/{page}/"
        assert olga.get(url).status_code == 200, url


def test_a_question_cannot_be_put_into_another_study(owned, mallory):
    mine = add_likert(mallory.study, "mine")
    form = question_form(mine, study=owned.pk)
    add = {**form, "key": "forged", "points-INITIAL_FORMS": 0}
    assert mallory.post(f"/admin/studies/question/add/?study={owned.pk}", add).status_code == 404
    add_url = f"/admin/studies/question/add/?study={mallory.study.pk}"
    assert mallory.post(add_url, add).status_code == 404
    mallory.post(f"/admin/studies/question/{mine.pk}/change/", form)
    mine.refresh_from_db()
    assert mine.study == mallory.study
    assert owned.questions.count() == 4


def test_a_question_keeps_its_kind(olga, owned):
    question = owned.questions.first()
    form = question_form(question, kind="text")
    olga.post(f"/admin/studies/question/{question.pk}/change/", form)
    question.refresh_from_db()
    assert question.kind == "likert"


def test_parts_of_another_study_cannot_be_borrowed(owned, mallory):
    mine = mallory.study
    foreign = owned.questions.get(key="hallucination")
    panel = owned.panels.get()
    check = AttentionCheck(study=mine, text="Choose 2.", scale_of=foreign, expected=2)
    form = study_form(mine) | {
        "attention_checks-TOTAL_FORMS": 1,
        "attention_checks-0-text": check.text,
        "attention_checks-0-scale_of": foreign.pk,
        "attention_checks-0-expected": 2,
    }
    url = f"/admin/studies/study/{mine.pk}/change/"
    assert "Select a valid choice" in mallory.post(url, form).content.decode()
    form = study_form(mine) | {
        "panels-TOTAL_FORMS": 1,
        "panels-INITIAL_FORMS": 1,
        "panels-0-id": panel.pk,
        "panels-0-study": mine.pk,
        "panels-0-country": "PL",
        "panels-0-language": "pl",
        "panels-0-ratings_per_unit": 1,
    }
    mallory.post(url, form)
    panel.refresh_from_db()
    assert (panel.study, panel.country) == (owned, "NP")
    text = {"study": mine.pk, "kind": "text", "position": 1, "text": "Why?", "key": "why"}
    when = {"min_length": 1, "required_when": foreign.pk, "required_from": 1, "required_to": 2}
    page = mallory.post(f"/admin/studies/question/add/?study={mine.pk}&kind=text", text | when)
    assert "Select a valid choice" in page.content.decode()
    assert not mine.attention_checks.exists()


def test_no_request_takes_back_what_was_frozen(olga, owned):
    """Fixed parts stay whatever is posted; the first revision is what people saw."""
    launch_study(study=owned, by=owned.owner)
    owned.refresh_from_db()
    before, frozen = everything(owned), owned.revisions.get().design
    question = owned.questions.first()
    base = f"/admin/studies/study/{owned.pk}"
    fixed = study_form(owned, slug="other", items_per_unit=3, sound="judged", base_language="fa")
    panels = {"panels-0-ratings_per_unit": 9, "panels-0-country": "PL", "panels-0-DELETE": "on"}
    more = {
        "panels-TOTAL_FORMS": 2,
        "panels-1-country": "PL",
        "panels-1-language": "pl",
        "panels-1-ratings_per_unit": 3,
        "attention_checks-0-DELETE": "on",
    }
    for form in (fixed, fixed | panels, fixed | more):
        olga.post(f"{base}/change/", form)
    assert olga.post(f"{base}/delete/", {"post": "yes"}).status_code == 403
    url = f"/admin/studies/question/{question.pk}"
    kept = {"key": "other", "direction": "lower", "level": "nominal", "asked_of": "probe"}
    points = {"points-0-value": 7, "points-1-DELETE": "on"}
    olga.post(f"{url}/change/", question_form(question, **kept) | points)
    assert olga.post(f"{url}/delete/", {"post": "yes"}).status_code == 403
    olga.post(
        "/admin/studies/question/",
        {"action": "delete_selected", "_selected_action": question.pk, "post": "yes"},
    )
    assert everything(owned) == before
    assert [row.design for row in owned.revisions.all()] == [frozen]


def test_what_may_change_after_the_launch_does(olga, owned):
    launch_study(study=owned, by=owned.owner)
    owned.refresh_from_db()
    form = study_form(owned, title="New name", completion_code="LATER")
    olga.post(f"/admin/studies/study/{owned.pk}/change/", form)
    owned.refresh_from_db()
    assert (owned.title, owned.completion_code) == ("New name", "LATER")
    assert (owned.state, owned.revision) == ("live", 1)


def test_a_form_that_is_saved_during_the_launch_does_not_take_it_back(olga, owned, monkeypatch):
    """The form was loaded as a draft; the launch happens before the lock is given."""
    from studies import admin

    waiting = admin.lock_study

    def launched_meanwhile(pk):
        launch_study(study=owned, by=owned.owner)
        return waiting(pk)

    monkeypatch.setattr(admin, "lock_study", launched_meanwhile)
    before = list(Panel.objects.values())
    form = study_form(owned, public_title="Too late") | {"panels-0-ratings_per_unit": 9}
    olga.post(f"/admin/studies/study/{owned.pk}/change/", form)
    owned.refresh_from_db()
    assert (owned.state, owned.revision) == ("live", 1)
    assert owned.public_title == "Pictures of weddings"
    assert list(Panel.objects.values()) == before
