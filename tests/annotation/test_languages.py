"""People read in their own language: guessed, switched, and their panel's once it is known."""

import pytest

from annotation.languages import guessed, interface_language
from annotation.models import Participation
from studies.lifecycle import launch_study
from studies.models import Panel
from studies.words.texts import study_texts
from studies.words.translating import save_translations

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(draft_study, researcher):
    """Panels that read English (Nepal) and Persian or Azerbaijani (Iran), all words translated."""
    Panel.objects.create(
        study=draft_study, country="IR", language="fa", more_languages=["az"], ratings_per_unit=1
    )
    draft_study.units.update(country="")
    for code in ("fa", "az"):
        texts = {text.key: text.source for text in study_texts(draft_study)}
        texts["study.public_title"] = f"عروسی {code}"
        save_translations(study=draft_study, language=code, texts=texts, by=researcher)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def arrive(client, study, accept="de,fa;q=0.8,en;q=0.5"):
    page = client.get(study.entry_path, follow=True, headers={"accept-language": accept})
    return Participation.objects.latest("pk"), page.content.decode()


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("fa-IR,fa;q=0.9,en;q=0.8", "fa"),
        ("de, az;q=0.5, en;q=0.4", "az"),
        ("de-DE", ""),
        ("", ""),
        ("en-GB;q=0.1, fa;q=0.2", "fa"),
        ("*, ;;;", ""),
    ],
)
def test_the_language_is_guessed_among_those_that_panels_read(study, header, language):
    assert guessed(study, header) == language


@pytest.mark.parametrize(
    ("code", "spoken"),
    [
        ("fa", "fa"),
        ("fa-AF", "fa"),
        ("pt", "pt-br"),
        ("zh", "zh-hans"),
        ("tl", "fil"),
        ("az", "en"),
        ("zh_Hans", "zh-hans"),
    ],
)
def test_the_interface_speaks_the_nearest_language_it_has(code, spoken):
    assert interface_language(code) == spoken


def test_the_first_page_speaks_the_guessed_language_and_offers_the_others(client, study):
    person, page = arrive(client, study)
    assert person.language == "fa"
    assert "عروسی fa" in page
    assert 'dir="rtl"' in page
    assert '<option value="az"' in page
    assert "فارسی" in page  # a language is offered under its own name


def test_another_language_is_chosen_at_the_same_step(client, study):
    person, _ = arrive(client, study)
    page = client.post(f"/a/{person.token}/language/", {"language": "en"}, follow=True)
    assert page.redirect_chain[-1][0] == f"/a/{person.token}/consent/"
    assert "Pictures of weddings" in page.content.decode()


def test_a_language_that_is_not_offered_changes_nothing(client, study):
    person, _ = arrive(client, study)
    client.post(f"/a/{person.token}/language/", {"language": "de"})
    person.refresh_from_db()
    assert person.language == "fa"


def test_a_panel_reads_its_own_languages_whatever_was_chosen_before(client, study):
    person, _ = arrive(client, study, accept="en")
    client.post(f"/a/{person.token}/consent/", {"answer": "agree"})
    answers = {"nationality": "IR", "residence": "IR", "first_language": "fa"}
    page = client.post(f"/a/{person.token}/about-you/", answers, follow=True).content.decode()
    assert "عروسی fa" in page
    client.post(f"/a/{person.token}/language/", {"language": "az"})
    page = client.get(f"/a/{person.token}/instructions/").content.decode()
    assert "عروسی az" in page


def test_a_study_in_one_language_offers_no_switch(client, live_study):
    _, page = arrive(client, live_study)
    assert "/language/" not in page


def test_somebody_who_speaks_any_language_of_the_panel_fits_it(client, study):
    Panel.objects.filter(study=study, country="IR").update(screen_language=True)
    person, _ = arrive(client, study)
    client.post(f"/a/{person.token}/consent/", {"answer": "agree"})
    answers = {"nationality": "IR", "residence": "IR", "first_language": "az"}
    client.post(f"/a/{person.token}/about-you/", answers)
    person.refresh_from_db()
    assert person.panel.country == "IR"
