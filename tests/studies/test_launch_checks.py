"""The launch check list, line by line."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Invitation
from studies import units
from studies.launch_checks import launch_checks
from studies.lifecycle import LaunchNoteMissing, LaunchRefused, launch_study, record_preview
from studies.models import Descriptor, Panel, Question, Recruitment, ScalePoint, Study
from studies.plans import change_plan, fix_plan
from tests.conftest import add_item, add_question
from tests.studies.generated import add_triplets, translate_all

pytestmark = pytest.mark.django_db

SCALE = {1: "No", 2: "Partly", 3: "Yes"}


def lines(study: Study, mark: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for check in launch_checks(study):
        if check.mark == mark:
            found.setdefault(check.name, []).append(check.sentence)
    return found


def stops(study: Study) -> list[str]:
    return [sentence for sentences in lines(study, "stop").values() for sentence in sentences]


def warnings(study: Study) -> list[str]:
    return [sentence for sentences in lines(study, "warn").values() for sentence in sentences]


def test_lines_come_worst_first_in_four_marks(draft_study):
    draft_study.questions.get(key="faithfulness").points.update(label="")
    marks = [check.mark for check in launch_checks(draft_study)]
    order = ["stop", "warn", "todo", "ok"]
    assert marks == sorted(marks, key=order.index)
    assert set(marks) == set(order)


# ---- questions by kind


@pytest.mark.parametrize(
    ("kind", "points", "fields", "sentence"),
    [
        ("likert", {1: "One"}, {}, "New: a scale needs at least two points"),
        ("likert", {}, {}, "New: a scale needs at least two points"),
        ("choice", {1: "Only"}, {}, "New: a choice needs at least two options"),
        ("slider", {}, {}, "New: a slider needs words at 0 and at 100, its ends"),
        ("slider", {0: "Low", 50: "Half"}, {}, "New: a slider needs words at 0 and at 100"),
        ("likert", {1: "One", 2: ""}, {}, "New: point 2 has no label"),
        ("likert", SCALE, {"allow_na": True}, "New: “does not apply” has no label"),
        (
            "slider",
            {0: "None", 100: "All"},
            {"allow_na": True},
            "New: “does not apply” has no label",
        ),
        (
            "text",
            {},
            {"allow_na": True, "na_label": "None"},
            "New: this kind has no “does not apply”",
        ),
        ("yes_no", {}, {"asked_of": "probe"}, "New: it is asked of probes, and its text has no"),
        ("yes_no", {}, {"text": "Is {probe}?"}, "New: its text has {probe}, and it is not asked"),
        ("ranking", {}, {}, "New: 6 screens show a single item; at least 2 are needed"),
        ("multi", {}, {}, "New: 6 screens show a single item"),
        ("descriptors", SCALE, {}, "New: no reference descriptors for wedding, NP (6 items)"),
        ("descriptors", {}, {}, "New: its coverage scale needs at least two points"),
    ],
)
def test_a_kind_without_what_it_needs_stops_the_launch(draft_study, kind, points, fields, sentence):
    add_question(draft_study, "new", kind, points=points, **fields)
    assert [one for one in stops(draft_study) if one.startswith(sentence)]


def test_a_study_without_questions_is_stopped(draft_study):
    draft_study.attention_checks.all().delete()
    draft_study.questions.all().delete()
    assert lines(draft_study, "stop") == {"Questions": ["no question yet"]}


def test_references_of_the_scenario_or_the_category_will_do(draft_study):
    add_question(draft_study, "list", "descriptors", points=SCALE)
    row = {"study": draft_study, "kind": "reference", "token": "fire", "country": "NP"}
    Descriptor.objects.create(**row, activity=" Wedding ")
    assert stops(draft_study) == []


def test_a_check_of_other_categories_needs_no_references(draft_study):
    add_question(draft_study, "list", "descriptors", points=SCALE, shown_categories=["dance"])
    assert stops(draft_study) == []
    assert "List: no item has the category dance, so nobody is asked" in warnings(draft_study)


def test_probes_that_a_unit_lacks_are_named(triplet_study):
    triplet_study.probes.filter(dimension="Context").update(verified=False)
    triplet_study.probes.create(
        external_id="far", scenario="elsewhere", country="NP", dimension="Context", text="?"
    )
    assert "set-1: no verified probe of Context" in stops(triplet_study)


def test_an_empty_bank_is_told_once(triplet_study):
    triplet_study.probes.all().delete()
    assert stops(triplet_study) == [
        "questions are asked of probes, and no verified probe is imported"
    ]


@pytest.mark.parametrize("needs", ["shown", "required"])
@pytest.mark.parametrize(
    ("fields", "range_", "sentence"),
    [
        ({"retired": True}, (1, 2), "by the answer to a question that is no longer asked"),
        ({"position": 99}, (1, 2), "by the answer to a question that comes after it"),
        ({"tier": 2}, (1, 2), "by the answer to a question that comes after it"),
        ({"kind": "text"}, (1, 2), "by Faithfulness, whose answers are no numbers"),
        ({}, (7, 9), "Faithfulness has no answer from 7 to 9"),
        ({}, (None, None), "give the range of answers that make it"),
    ],
)
def test_a_question_that_waits_in_vain_stops_the_launch(
    draft_study, needs, fields, range_, sentence
):
    other = draft_study.questions.get(key="faithfulness")
    Question.objects.filter(pk=other.pk).update(**fields)
    if fields.get("kind") == "text":
        other.points.all().delete()
    name = {"shown": "shown_if", "required": "required_when"}[needs]
    waiting = {name: other, f"{needs}_from": range_[0], f"{needs}_to": range_[1]}
    add_question(draft_study, "why", "text", **waiting)
    found = [one for one in stops(draft_study) if one.startswith("Why: ")]
    assert [one for one in found if sentence in one], found


def test_sound_that_nobody_hears_is_told(draft_study):
    add_question(draft_study, "audio", "likert", points=SCALE, needs_sound=True)
    assert "Audio: it needs sound, and sound is off for everybody" in warnings(draft_study)
    Study.objects.filter(pk=draft_study.pk).update(sound="judged")
    draft_study.refresh_from_db()
    assert "Audio: no item has sound, so nobody is asked" in warnings(draft_study)


def test_an_answer_that_does_not_apply_is_explained(draft_study):
    add_question(draft_study, "a", "likert", points=SCALE, allow_na=True, na_label="None")
    assert "A: “None” is not explained" in warnings(draft_study)


def test_free_texts_alone_are_told(draft_study):
    draft_study.attention_checks.all().delete()
    draft_study.questions.exclude(kind="text").delete()
    assert "only free texts: nothing can be counted" in warnings(draft_study)


def test_retired_questions_are_not_checked(draft_study):
    question = draft_study.questions.get(key="exaggeration")
    question.points.all().delete()
    Question.objects.filter(pk=question.pk).update(retired=True)
    assert stops(draft_study) == []


# ---- items and screens


def test_files_that_are_the_same_are_told(draft_study):
    draft_study.items.filter(external_id__in=("np-1", "np-2")).update(sha256="a" * 64)
    assert lines(draft_study, "warn")["Items"] == ["2 files are the same as another one"]


def test_screens_of_too_few_items_stop_the_launch(draft_study):
    Study.objects.filter(pk=draft_study.pk).update(items_per_unit=3)
    draft_study.refresh_from_db()
    assert "6 screens of fewer than 3 items" in stops(draft_study)


def test_incomplete_triplets_are_named_and_do_not_stop(researcher):
    study = Study.objects.create(owner=researcher, title="S", slug="s", items_per_unit=3)
    add_triplets(study, "NP", [f"np-{n:02d}" for n in range(1, 33)])
    study.items.get(external_id="NP-np-07-c").delete()
    units.rebuild(study)
    assert lines(study, "warn")["Screens"] == [
        "Prompt np-07: no video of model c",
        "31 of 32 triplets are complete",
    ]


def test_of_many_incomplete_triplets_a_few_are_named(researcher):
    study = Study.objects.create(owner=researcher, title="S", slug="s", items_per_unit=3)
    add_triplets(study, "NP", [f"np-{n:02d}" for n in range(1, 33)])
    study.items.filter(external_id__endswith="-c", external_id__gt="NP-np-02").delete()
    units.rebuild(study)
    told = lines(study, "warn")["Screens"]
    assert len(told) == 12
    assert told[-2:] == ["and 21 more", "1 of 32 triplets are complete"]


def test_screens_that_the_settings_have_left_behind_stop_the_launch(draft_study):
    Study.objects.filter(pk=draft_study.pk).update(every_panel_rates_all=True)
    draft_study.refresh_from_db()
    assert stops(draft_study) == ["6 screens of one panel, where every panel rates all"]


def test_an_item_on_no_screen_is_told(draft_study):
    draft_study.units.get(key="np-1").members.all().delete()
    draft_study.units.filter(key="np-1").delete()
    assert lines(draft_study, "warn")["Screens"] == ["1 item on no screen"]


# ---- people


def test_everybody_cannot_rate_all_in_a_session_that_is_too_short(draft_study):
    Study.objects.filter(pk=draft_study.pk).update(policy="crossed", units_per_session=5)
    draft_study.refresh_from_db()
    assert stops(draft_study) == ["Nepal: everyone is to rate all 6 units, and a session has 5"]


def test_seats_without_a_spare_are_told(draft_study):
    draft_study.panels.update(seats=3)
    assert "Nepal: no spare seats; plan 10 % more" in warnings(draft_study)
    draft_study.panels.update(seats=4)
    assert "Nepal: no spare seats; plan 10 % more" not in warnings(draft_study)


def test_texts_that_a_panel_cannot_read_stop_the_launch(draft_study):
    Panel.objects.filter(study=draft_study).update(language="ne")
    (sentence,) = lines(draft_study, "stop")["Words"]
    assert sentence.endswith("texts not in Nepali")
    translate_all(draft_study)
    assert lines(draft_study, "ok")["Words"][0].endswith("texts in 2 languages")
    draft_study.translations.filter(key="study.consent_summary").delete()
    assert lines(draft_study, "stop")["Words"] == ["Consent, in short has no Nepali text"]


def test_hints_and_old_translations_are_told(draft_study):
    Panel.objects.filter(study=draft_study).update(language="ne")
    draft_study.questions.filter(key="faithfulness").update(help="Look twice.")
    translate_all(draft_study)
    draft_study.translations.filter(key="question.faithfulness.help").delete()
    draft_study.questions.filter(key="faithfulness").update(text="How well?")
    assert lines(draft_study, "warn")["Words"] == [
        "1 hint not in Nepali: English will show",
        "Nepali: 1 text was changed since",
    ]


# ---- attention checks


def test_no_attention_check_is_overridden_by_a_note_only(draft_study, researcher):
    draft_study.attention_checks.update(active=False)
    with pytest.raises(LaunchNoteMissing, match="no attention check; 1 check switched off"):
        launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert draft_study.is_draft
    launch_study(study=draft_study, by=researcher, note=" The published study has none. ")
    draft_study.refresh_from_db()
    assert draft_study.launch_note == "The published study has none."
    assert draft_study.revisions.get().note == draft_study.launch_note


def test_a_note_does_not_override_a_stop(draft_study, researcher):
    draft_study.questions.get(key="faithfulness").points.update(label="")
    with pytest.raises(LaunchRefused):
        launch_study(study=draft_study, by=researcher, note="All the same.")


def test_plain_nonsense_on_a_scale_with_a_middle_point_is_told(draft_study):
    assert "Attention checks" not in lines(draft_study, "warn"), "it names the point to choose"
    draft_study.attention_checks.update(text="I swim across the ocean to work every day.")
    (sentence,) = lines(draft_study, "warn")["Attention checks"]
    assert "middle point; Prolific would not accept it" in sentence
    scale = draft_study.attention_checks.get().scale_of
    ScalePoint.objects.create(question=scale, value=6, label="Beyond")
    (sentence,) = lines(draft_study, "warn")["Attention checks"]
    assert "any answer but that one point fails" in sentence


def test_a_check_on_a_retired_scale_stops_the_launch(draft_study):
    draft_study.questions.filter(key="hallucination").update(retired=True)
    Question.objects.filter(study=draft_study, key="rationale").update(required_when=None)
    assert [one for one in stops(draft_study) if "Hallucination is no longer asked" in one]


def test_a_check_of_yes_or_no_shows_both(triplet_study):
    check = triplet_study.attention_checks.create(
        text="Choose No.", scale_of=triplet_study.questions.get(key="useful"), expected=0
    )
    check.full_clean()
    assert not [one for one in stops(triplet_study) if "Choose No" in one]
    check.expected = 2
    with pytest.raises(Exception, match="no such point"):
        check.full_clean()


# ---- the way out


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://app.prolific.com/submissions/complete?cc=DONE42", "does not start with https"),
        ("https://app.prolific.com/complete?cc=DONE42", "not of the form app.prolific.com"),
        ("https://app.prolific.com/submissions/complete", "not of the form app.prolific.com"),
        ("https://prolific.com/submissions/complete?cc=DONE42", "not of the form"),
        ("https://app.prolific.com/submissions/complete?cc=OTHER", "has the code OTHER"),
        ("https://nowhere", "no web address"),
    ],
)
def test_a_return_address_that_would_not_work_stops_the_launch(draft_study, url, sentence):
    draft_study.completion_url = url
    (stop,) = stops(draft_study)
    assert sentence in stop


@pytest.mark.parametrize(
    "url",
    [
        "https://app.prolific.com/submissions/complete?cc=DONE42",
        "https://APP.prolific.com/submissions/complete/?cc=DONE42",
        "https://lab.example.org/thanks?code=DONE42",
        "",
    ],
)
def test_a_return_address_that_works_passes(draft_study, url):
    draft_study.completion_url = url
    assert "Completion" in lines(draft_study, "ok")


def test_a_return_address_without_the_code_is_told(draft_study):
    draft_study.completion_url = "https://lab.example.org/thanks"
    assert "the return address does not carry the completion code" in warnings(draft_study)


# ---- preview, pilot, plan


def test_a_preview_counts_until_something_changes(draft_study):
    assert lines(draft_study, "todo")["Preview"] == ["not opened since the last change"]
    record_preview(study=draft_study)
    record_preview(study=draft_study, language="ne")
    assert lines(draft_study, "ok")["Preview"] == [
        "seen in Nepali and English since the last change"
    ]
    draft_study.questions.filter(key="faithfulness").update(text="How well?")
    assert "Preview" in lines(draft_study, "todo")


def test_a_pilot_that_was_not_made_is_told(draft_study):
    assert lines(draft_study, "todo")["Pilot"] == [
        "no pilot yet; 5 people a panel find most faults"
    ]


def test_the_plan_is_told_until_it_is_fixed(draft_study, researcher):
    assert "Plan" in lines(draft_study, "warn")
    change_plan(study=draft_study, by=researcher, coefficients=["gwet_ac2"])
    fix_plan(study=draft_study, by=researcher)
    assert lines(draft_study, "ok")["Plan"][0].startswith("fixed ")


def test_items_of_all_countries_need_no_panel_of_their_own(draft_study):
    add_item(draft_study, "ir-1", country="IR")
    assert "1 item without a panel (country IR)" in stops(draft_study)
    Study.objects.filter(pk=draft_study.pk).update(every_panel_rates_all=True)
    draft_study.refresh_from_db()
    units.rebuild(draft_study)
    assert stops(draft_study) == []


# ---- clips


def _clips(study: Study, **fields) -> None:
    study.items.update(kind="video", **fields)


def test_clips_that_would_be_heard_in_a_silent_study_stop_the_launch(draft_study):
    _clips(draft_study, has_audio=True)
    (sentence,) = lines(draft_study, "stop")["Media"]
    assert sentence.startswith("6 clips with sound, and sound is off")
    _clips(draft_study, silent_media="items/silent.mp4")
    assert lines(draft_study, "ok")["Media"] == ["all play in common browsers"]


def test_heavy_clips_are_told(draft_study, monkeypatch):
    monkeypatch.setattr("studies.item_checks.HEAVY_BYTES", 10)
    _clips(draft_study)
    assert lines(draft_study, "warn")["Media"] == ["6 clips over 8 MB: slow on phones"]


def test_pictures_need_no_line_about_media(draft_study):
    assert not [check for check in launch_checks(draft_study) if check.name == "Media"]


def test_invitations_only_and_nobody_invited_is_told(draft_study):
    assert "Invitations" not in lines(draft_study, "warn")
    Recruitment.objects.create(study=draft_study, open_link=False)
    assert lines(draft_study, "warn")["Invitations"] == [
        "by invitation only, and nobody is invited: nobody could come in"
    ]
    row = Invitation.objects.create(study=draft_study, label="Asha")
    assert lines(draft_study, "ok")["Invitations"] == ["1 person invited"]
    row.revoked_at = timezone.now()
    row.save()
    assert "Invitations" in lines(draft_study, "warn")
    Recruitment.objects.update(accounts=True)
    assert "Invitations" not in lines(draft_study, "warn")


# ---- words that are filled in


def test_a_question_that_waits_for_itself_stops_the_launch(draft_study):
    row = draft_study.questions.get(key="exaggeration")
    row.shown_if, row.shown_from, row.shown_to = row, 1, 5
    row.save()
    assert "Exaggeration: it is shown by the answer to itself" in stops(draft_study)


def test_a_condition_on_a_question_that_is_never_on_the_same_screen_is_told(draft_study):
    first, second = draft_study.items.all()[:2]
    draft_study.items.exclude(pk=first.pk).update(aspect="food")
    draft_study.items.filter(pk=first.pk).update(aspect="dancing")
    dancing = draft_study.questions.get(key="faithfulness")
    dancing.shown_aspects = ["dancing"]
    dancing.save()
    waiting = {"shown_if": dancing, "shown_from": 1, "shown_to": 2}
    add_question(draft_study, "why", "text", shown_aspects=["food"], **waiting)
    told = "Why: no screen that has it asks Faithfulness, so nobody is asked"
    assert told in warnings(draft_study)
    draft_study.items.filter(pk=second.pk).update(aspect="dancing")
    draft_study.questions.filter(key="why").update(shown_aspects=["dancing"])
    assert told not in warnings(draft_study)


@pytest.mark.parametrize(
    ("gap", "sentence"),
    [
        ({"country": ""}, "1 item has no country, and Faithfulness says {country}"),
        ({"category": ""}, "1 item has neither category nor scenario, and Faithfulness says"),
    ],
)
def test_a_gap_where_a_question_names_country_or_activity_stops_the_launch(
    draft_study, gap, sentence
):
    draft_study.items.filter(external_id="np-1").update(**gap)
    assert [one for one in stops(draft_study) if one.startswith(sentence)]
    draft_study.questions.update(text="How well does it fit?")
    assert stops(draft_study) == []


def test_braces_that_nothing_fills_in_are_told(draft_study):
    row = draft_study.questions.get(key="faithfulness")
    row.text, row.help = "How {activty} is it in {country}?", "Think of {activity}."
    row.save()
    row.points.filter(value=1).update(label="Not {activity}")
    told = [one for one in warnings(draft_study) if one.startswith("Faithfulness: ")]
    assert told == [
        "Faithfulness: nothing fills in {activty}: people read it as it stands",
        "Faithfulness: {activity} is not filled in within an answer: people read it so",
    ]
