"""A study's own screening questions: asked with the three, kept, and who does not fit is told."""

import pytest

from annotation import entry
from annotation.models import Participation
from studies import presets
from studies.copying import duplicate_study
from studies.design import Design, current_design
from studies.design_changes import changes
from studies.launch_checks import launch_checks
from studies.lifecycle import launch_study
from studies.models import ScreeningQuestion, Translation
from studies.presets import PresetRefused, parse_preset, preset_text
from studies.words.design_language import in_language
from studies.words.texts import study_texts

pytestmark = pytest.mark.django_db
FITS = {
    "nationality": "NP",
    "second_nationality": "",
    "residence": "NP",
    "first_language": "ne",
}


@pytest.fixture
def asking(draft_study, researcher):
    """A study that takes only who has been to a wedding there, and asks for an age besides."""
    draft_study.screening_questions.create(
        text="How many weddings in Nepal have you been to?",
        options="None\nOne to three\nMore than three",
        accepted="2, 3",
    )
    draft_study.screening_questions.create(text="How old are you?", options="Under 40\n40 or over")
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def at_screening(client, study) -> Participation:
    client.get(study.entry_link, follow=True)
    person = Participation.objects.latest("pk")
    if study.consent_first:
        client.post(f"/a/{person.token}/consent/", {"answer": "agree"})
    return person


def send(client, person, **more):
    return client.post(f"/a/{person.token}/about-you/", FITS | more)


def test_they_stand_on_the_page_in_the_order_they_were_written(client, asking):
    person = at_screening(client, asking)
    page = client.get(f"/a/{person.token}/about-you/").content.decode()
    assert page.index("How many weddings") < page.index("How old are you?")
    assert "A few short questions" in page
    assert "One to three" in page


def test_an_answer_that_fits_lets_in_and_is_kept(client, asking):
    person = at_screening(client, asking)
    send(client, person, **{"screening.1": "3", "screening.2": "1"})
    person.refresh_from_db()
    assert person.screening_answers == {"screening.1": 3, "screening.2": 1}
    assert person.panel is not None
    assert person.state == Participation.State.ARRIVED


def test_an_answer_that_does_not_fit_ends_it_kindly_and_is_kept(client, asking):
    person = at_screening(client, asking)
    reply = client.post(
        f"/a/{person.token}/about-you/",
        FITS | {"screening.1": "1", "screening.2": "1"},
        follow=True,
    )
    person.refresh_from_db()
    assert (person.state, person.outcome) == ("out", "does-not-fit")
    assert person.screening_answers["screening.1"] == 1
    assert person.panel is None and person.seated_at is None
    assert "does not fit" in reply.content.decode()


@pytest.mark.parametrize("given", [{}, {"screening.1": "9", "screening.2": "1"}])
def test_a_gap_or_what_is_no_answer_is_named_and_nothing_is_kept(client, asking, given):
    person = at_screening(client, asking)
    reply = send(client, person, **given)
    assert reply.status_code == 422
    person.refresh_from_db()
    assert person.screened_at is None
    assert "Choose one from the list." in reply.content.decode()


def test_a_study_without_them_asks_three_questions(client, live_study):
    person = at_screening(client, live_study)
    page = client.get(f"/a/{person.token}/about-you/").content.decode()
    assert "Three short questions" in page
    assert page.count("<select") == 4, "the second nationality is folded away"


def test_who_asks_to_be_forgotten_takes_these_answers_along(client, asking):
    person = at_screening(client, asking)
    send(client, person, **{"screening.1": "3", "screening.2": "1"})
    entry.withdraw(participation=person, remove=True)
    person.refresh_from_db()
    assert person.screening_answers == {}


def test_they_are_frozen_translated_and_named_when_changed(asking):
    design = current_design(asking)
    assert Design.from_json(design.to_json()) == design
    keys = {text.key for text in study_texts(asking)}
    assert {"screening.1.text", "screening.1.option.3", "screening.2.option.1"} <= keys
    words = {"ne": {"screening.1.text": "कति?", "screening.1.option.1": "छैन"}}
    (first, _) = in_language(Design(**{**vars(design), "translations": words}), "ne").screening
    assert (first.text, first.options[0], first.options[1]) == ("कति?", "छैन", "One to three")
    assert first.accepted == (2, 3)
    asking.screening_questions.filter(accepted="").update(active=False)
    assert "Screening question “How old are you?”: no longer asked." in changes(
        design, current_design(asking)
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"accepted": "4"}, "There are 3 answers"),
        ({"accepted": "many"}, "numbers of lines"),
        ({"options": "Yes"}, "at least two answers"),
        ({"options": "Yes\nYes"}, "the same"),
    ],
)
def test_a_faulty_question_stops_the_launch(draft_study, changed, sentence):
    fields = {"text": "How many?", "options": "0\n1\n2", "accepted": "1"} | changed
    draft_study.screening_questions.create(**fields)
    stops = [check.sentence for check in launch_checks(draft_study) if check.mark == "stop"]
    assert any(sentence in one for one in stops), stops


def test_copies_and_presets_hold_them(asking, researcher):
    copy = duplicate_study(study=asking, owner=researcher, title="Again", with_items=False)
    assert [row.text for row in copy.screening_questions.all()] == [
        row.text for row in asking.screening_questions.all()
    ]
    preset = parse_preset(preset_text(presets.preset_of(asking)))
    made = presets.create_study(preset=preset, owner=researcher, title="From it")
    assert [row.accepted for row in made.screening_questions.all()] == ["2, 3", ""]
    text = preset_text(presets.preset_of(asking)).replace('accepted = "2, 3"', 'accepted = "7"')
    with pytest.raises(PresetRefused, match="There are 3 answers"):
        parse_preset(text)


def test_the_study_page_has_them(client, asking):
    client.force_login(asking.owner)
    page = client.get(f"/admin/studies/study/{asking.pk}/change/").content.decode()
    assert "Screening questions of your own" in page
    assert ScreeningQuestion.objects.count() == 2
    assert not Translation.objects.filter(study=asking, key__startswith="screening").exists()
