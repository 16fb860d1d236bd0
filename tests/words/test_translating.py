"""What there is to translate, what may stand for it, and how a frozen design carries it."""

from dataclasses import replace

import pytest
from django.utils import translation

from annotation.cards import wording
from annotation.kinds import Asked
from annotation.unit_facts import load_facts
from studies.design import Design, current_design
from studies.lifecycle import launch_checks
from studies.models import AttentionCheck, Descriptor, Item, Probe, Question, UnitProbe
from studies.words.design_language import in_language
from studies.words.texts import study_texts
from studies.words.translating import (
    entries,
    missing_texts,
    refusal_of,
    save_translations,
    wanted_languages,
)

pytestmark = pytest.mark.django_db


def by_key(study):
    return {text.key: text for text in study_texts(study)}


def test_every_text_an_annotator_reads_is_listed_once_and_empty_ones_are_not(two_languages):
    texts = study_texts(two_languages)
    keys = [text.key for text in texts]
    assert len(keys) == len(set(keys))
    assert {
        "study.public_title",
        "study.consent_summary",
        "study.instructions",
        "study.instruction_points",
        "question.faithfulness.text",
        "question.faithfulness.point.1.label",
        "question.faithfulness.point.5.label",
        "question.rationale.text",
        "check.1.text",
        "activity.wedding",
    } <= set(keys)
    assert "study.consent_text" not in keys
    assert "question.faithfulness.help" not in keys


def test_does_not_apply_and_its_meaning_are_listed_where_it_can_be_chosen(two_languages):
    question = two_languages.questions.get(key="faithfulness")
    question.na_label, question.na_description = "No text visible", "Nothing is written."
    question.save()
    assert "question.faithfulness.na_label" not in by_key(two_languages)
    question.allow_na = True
    question.save()
    texts = by_key(two_languages)
    assert texts["question.faithfulness.na_label"].needed
    assert not texts["question.faithfulness.na_description"].needed


def test_probes_and_descriptors_are_listed_where_a_question_shows_them(two_languages):
    unit = two_languages.units.first()
    probe = Probe.objects.create(
        study=two_languages, external_id="pr-1", scenario="x", dimension="Identity", text="A sari?"
    )
    Descriptor.objects.create(
        study=two_languages, kind="reference", activity="wedding", country="NP", token="red sari"
    )
    assert not {"probe.pr-1", "descriptor.red sari"} & set(by_key(two_languages))
    UnitProbe.objects.create(unit=unit, probe=probe)
    Question.objects.create(
        study=two_languages, key="useful", kind="yes_no", text="{probe}?", asked_of="probe"
    )
    Question.objects.create(
        study=two_languages, key="list", kind="descriptors", text="Which belong?"
    )
    texts = by_key(two_languages)
    assert texts["probe.pr-1"].source == "A sari?"
    assert texts["descriptor.red sari"].source == "red sari"


def test_retired_questions_and_inactive_checks_need_no_words(two_languages):
    two_languages.questions.filter(key="rationale").update(retired=True)
    AttentionCheck.objects.filter(study=two_languages).update(active=False)
    assert not {"question.rationale.text", "check.1.text"} & set(by_key(two_languages))


def test_wanted_are_the_panels_languages_but_not_the_one_the_study_is_written_in(two_languages):
    assert wanted_languages(two_languages) == ["fa", "prs"]
    two_languages.base_language = "fa"
    assert wanted_languages(two_languages) == ["prs", "en"]


@pytest.mark.parametrize(
    ("translation", "why"),
    [
        ("بدون کشور {activity}", "{country} is missing"),
        ("{activity} {country} {probe}", "{probe} is not in the text"),
        ("{activity} {country} " + "x" * 400, "at most 400"),
        ("{activity} {country} \x00", "NUL"),
    ],
)
def test_a_translation_that_would_lose_or_invent_something_is_refused(
    two_languages, researcher, translation, why
):
    texts = {"question.faithfulness.text": translation, "study.public_title": "عروسی‌ها"}
    changed, refusals = save_translations(
        study=two_languages, language="fa", texts=texts, by=researcher
    )
    assert changed == 1  # the other one is saved
    assert [refusal.key for refusal in refusals] == ["question.faithfulness.text"]
    assert why in refusals[0].sentence


def test_a_good_translation_is_not_refused(two_languages):
    text = by_key(two_languages)["question.faithfulness.text"]
    assert refusal_of(text, "{country} {activity} چقدر؟") == ""


def test_an_unknown_text_and_the_base_language_are_refused_in_words(two_languages, researcher):
    _, refusals = save_translations(
        study=two_languages, language="fa", texts={"question.gone.text": "x"}, by=researcher
    )
    assert refusals[0].sentence == "The study has no such text."
    changed, refusals = save_translations(
        study=two_languages, language="en", texts={"study.public_title": "x"}, by=researcher
    )
    assert changed == 0
    assert "written in English" in refusals[0].sentence


def test_saving_the_same_again_changes_nothing_and_an_empty_text_removes(two_languages, researcher):
    def save(text):
        return save_translations(
            study=two_languages, language="fa", texts={"study.public_title": text}, by=researcher
        )[0]

    assert [save("عروسی"), save("عروسی"), save("عروسی‌ها"), save(" "), save("")] == [1, 0, 1, 1, 0]


def test_a_translation_is_stale_once_its_original_changes_until_somebody_says_it_still_holds(
    two_languages, researcher
):
    def title():
        return next(e for e in entries(two_languages, "fa") if e.text.key == "study.public_title")

    texts = {"study.public_title": "عروسی"}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    assert not title().is_stale
    two_languages.public_title = "Pictures of weddings and funerals"
    two_languages.save()
    assert title().is_stale
    assert title().translation == "عروسی"
    assert title().made_from == "Pictures of weddings"
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    assert title().is_stale
    save_translations(study=two_languages, language="fa", texts={}, by=researcher, confirmed=texts)
    assert not title().is_stale


def test_missing_texts_are_named_per_language(two_languages, researcher):
    everything = {text.key: text.source for text in study_texts(two_languages)}
    save_translations(study=two_languages, language="fa", texts=everything, by=researcher)
    missing = dict(missing_texts(two_languages))
    assert missing["fa"] == []
    assert len(missing["prs"]) == len(everything.keys() - {"country.NP"})


def test_a_design_carries_its_translations_through_freezing_and_speaks_them(
    two_languages, researcher
):
    save_translations(
        study=two_languages,
        language="fa",
        texts={
            "study.public_title": "عروسی‌ها",
            "study.consent_summary": "یک\nدو",
            "question.faithfulness.text": "{activity} {country}؟",
            "question.faithfulness.point.1.label": "هیچ",
            "question.hallucination.point.2.label": "کمی",
            "check.1.text": "عدد ۲ را بزنید.",
            "activity.wedding": "عروسی",
        },
        by=researcher,
    )
    frozen = Design.from_json(current_design(two_languages).to_json())
    persian = in_language(frozen, "fa")
    assert persian.public_title == "عروسی‌ها"
    assert persian.consent_lines == ("یک", "دو")
    first, second = persian.questions[0], persian.questions[1]
    assert first.text == "{activity} {country}؟"
    assert [point.label for point in first.points][:2] == ["هیچ", "A little"]
    assert (first.language, second.language) == ("", "en")  # the second text falls back
    assert persian.checks[0].text == "عدد ۲ را بزنید."
    assert [point.label for point in persian.checks[0].points][1] == "کمی"
    assert persian.worded("activity.wedding", "wedding") == "عروسی"
    assert persian.worded("activity.funeral", "funeral") == "funeral"
    assert persian.language == "fa"
    # Ids, values and rules are those of the original.
    assert [q.id for q in persian.questions] == [q.id for q in frozen.questions]
    assert first.values == frozen.questions[0].values


def test_a_language_without_words_sees_the_original(two_languages):
    design = current_design(two_languages)
    seen = in_language(design, "prs")
    assert [question.text for question in seen.questions] == [
        question.text for question in design.questions
    ]
    assert {question.language for question in seen.questions} == {seen.language} == {"en"}


def test_a_regional_language_finds_the_words_of_its_language(two_languages, researcher):
    save_translations(
        study=two_languages, language="fa", texts={"study.public_title": "عروسی"}, by=researcher
    )
    assert in_language(current_design(two_languages), "fa-af").public_title == "عروسی"


# ---- what is held against an answer


def test_an_old_translation_of_a_check_is_not_shown_and_stops_the_launch(two_languages, researcher):
    """ "Choose 2" below a check that now wants 4 would fail everybody who reads with care."""
    texts = {text.key: text.source for text in study_texts(two_languages)}
    texts["check.1.text"] = "عدد ۲ را بزنید."
    for language in ("fa", "prs"):
        save_translations(study=two_languages, language=language, texts=texts, by=researcher)
    assert in_language(current_design(two_languages), "fa").checks[0].text == "عدد ۲ را بزنید."
    two_languages.attention_checks.update(text="For this line choose 4.", expected=4)
    assert in_language(current_design(two_languages), "fa").checks[0].text == (
        "For this line choose 4."
    )
    words = next(check for check in launch_checks(two_languages) if check.name == "Words")
    assert words.mark == "stop"
    assert "Attention check 1 was changed since the Persian text" in words.sentence
    new = {"check.1.text": "عدد ۴ را بزنید."}
    for language in ("fa", "prs"):
        save_translations(study=two_languages, language=language, texts=new, by=researcher)
    assert in_language(current_design(two_languages), "fa").checks[0].text == "عدد ۴ را بزنید."
    assert not [c for c in launch_checks(two_languages) if c.name == "Words" and c.mark == "stop"]


def test_answers_of_a_quick_check_that_changed_places_are_not_shown_by_their_old_words(
    two_languages, researcher
):
    row = two_languages.comprehension_questions.create(
        text="What do you judge?", options="The picture\nThe frame", correct=1
    )
    texts = {"quick.1.option.1": "تصویر", "quick.1.option.2": "قاب"}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    assert in_language(current_design(two_languages), "fa").comprehension[0].options[0] == "تصویر"
    row.options, row.correct = "The frame\nThe picture", 2
    row.save()
    (quiz,) = in_language(current_design(two_languages), "fa").comprehension
    assert quiz.options == ("The frame", "The picture")


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("عدد ۲ را بزنید.", False),
        ("عدد 2 را بزنید.", False),
        ("请选择2。", False),
        ("«کمی» را بزنید.", False),
        ("عدد ۳ را بزنید.", True),
        ("عدد ۱۲ را بزنید.", True),
        ("بخوانید.", True),
    ],
)
def test_a_translated_check_that_does_not_name_its_answer_is_told(
    two_languages, researcher, text, is_told
):
    texts = {"check.1.text": text, "question.hallucination.point.2.label": "کمی"}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    (line,) = [check for check in launch_checks(two_languages) if check.name == "Attention checks"]
    assert ("the Persian text does not name 2" in line.sentence) is is_told


# ---- names of countries within a sentence


def test_a_country_is_called_as_the_translation_says_and_else_by_its_usual_name(
    two_languages, researcher
):
    text = by_key(two_languages)["country.NP"]
    assert (text.source, text.needed) == ("Nepal", False)
    assert "country.NP" not in [e.text.key for e in dict(missing_texts(two_languages))["fa"]]
    unit = two_languages.units.first()

    def asked_in(language: str) -> str:
        design = in_language(current_design(two_languages), language)
        facts = load_facts(unit=unit.pk, design=design)
        return wording("در {country}", Asked(design.questions[0], "q", facts))

    key = "question.faithfulness.text"
    texts = {key: "{activity} {country}"}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    assert asked_in("fa") == "در نپال"
    save_translations(
        study=two_languages, language="fa", texts={"country.NP": "کشور نپال"}, by=researcher
    )
    assert asked_in("fa") == "در کشور نپال"


def test_a_country_is_named_in_the_language_of_the_study_where_the_interface_has_another(
    two_languages, researcher
):
    """Azerbaijanis meet English buttons: their questions still name Nepal as they do."""
    texts = {"question.faithfulness.text": "{activity}: {country}"}
    save_translations(study=two_languages, language="az", texts=texts, by=researcher)
    design = in_language(current_design(two_languages), "az")
    facts = load_facts(unit=two_languages.units.first().pk, design=design)
    with translation.override("en"):
        assert wording("{country}", Asked(design.questions[0], "q", facts)) == "Nepal"
        iran = replace(facts, items=(Item(pk=1, country="DE"),))
        assert wording("{country}", Asked(design.questions[0], "q", iran)) == "Almaniya"
        assert wording("{country}", Asked(design.questions[1], "q", iran)) == "Germany"


def test_activities_are_listed_where_only_a_hint_names_them(two_languages):
    two_languages.questions.update(text="How well?", help="")
    assert "activity.wedding" not in by_key(two_languages)
    two_languages.questions.filter(key="faithfulness").update(help="Think of {activity}.")
    assert "activity.wedding" in by_key(two_languages)
