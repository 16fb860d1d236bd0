"""Editing a study that was opened: new revisions, and what answers forbid."""

from __future__ import annotations

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Rating
from studies.design import current_design, frozen_design
from studies.design_changes import changes
from studies.lifecycle import archive_study, move_study
from studies.models import AttentionCheck, Question, Study
from studies.refusals import EditRefused, WrongState
from studies.revisions import FREE_AFTER_LAUNCH, is_asked, refused_edits, revise
from tests.annotation.people import rate_all, send, somebody
from tests.conftest import add_likert

pytestmark = pytest.mark.django_db


def reword(study: Study, **fields) -> None:
    study.questions.filter(key="faithfulness").update(**fields)


def told(study: Study) -> list[str]:
    return changes(frozen_design(study.pk, study.revision), current_design(study))


def test_nothing_changed_makes_no_revision(live_study, researcher):
    assert revise(study=live_study, by=researcher) is None
    assert live_study.revisions.count() == 1


def test_changed_words_make_the_next_revision_with_its_note(live_study, researcher):
    reword(live_study, text="How well does it fit?")
    revision = revise(study=live_study, by=researcher, note="Two people asked.")
    live_study.refresh_from_db()
    assert (revision.number, live_study.revision) == (2, 2)
    assert (revision.note, revision.created_by) == ("Two people asked.", researcher)
    assert frozen_design(live_study.pk, 2).revision == 2
    assert revise(study=live_study, by=researcher) is None


def test_answers_keep_the_revision_they_were_given_with(live_study, researcher):
    first = somebody(live_study)
    send(live_study, claim_next_unit(participation=first))
    reword(live_study, text="How well does it fit?")
    revise(study=live_study, by=researcher)
    live_study.refresh_from_db()
    second = somebody(live_study)
    rate_all(live_study, first)
    rate_all(live_study, second)
    first.refresh_from_db()
    assert (first.revision, second.revision) == (1, 2)
    by_revision = Rating.objects.values_list("assignment__participation__revision", flat=True)
    assert {n: list(by_revision).count(n) for n in (1, 2)} == {1: 18, 2: 18}


def test_a_draft_has_nothing_to_revise(draft_study, researcher):
    with pytest.raises(WrongState, match="nothing is frozen yet"):
        revise(study=draft_study, by=researcher)


def test_an_archived_study_is_read_only(live_study, researcher):
    move_study(study=live_study, move="close")
    archive_study(study=live_study)
    reword(live_study, text="How well does it fit?")
    with pytest.raises(WrongState, match="is in the archive"):
        revise(study=live_study, by=researcher)
    with pytest.raises(WrongState, match="is in the archive"):
        move_study(study=live_study, move="reopen")


# ---- what answers forbid


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "choice"}, "kind"),
        ({"key": "fidelity"}, "key"),
        ({"direction": "lower"}, "direction"),
        ({"level": "interval"}, "measurement level"),
        ({"asked_of": "probe"}, "subject"),
    ],
)
def test_what_an_answer_means_cannot_change(live_study, researcher, fields, words):
    reword(live_study, **fields)
    found = refused_edits(study=live_study)
    sentence = f"Faithfulness: its {words} cannot change once it was asked."
    assert [one for one in found if one.startswith(sentence)]
    with pytest.raises(EditRefused):
        revise(study=live_study, by=researcher)


@pytest.mark.parametrize("change", ["less", "more"])
def test_the_numbers_of_a_scale_stay(live_study, change):
    points = live_study.questions.get(key="faithfulness").points
    if change == "less":
        points.filter(value=3).delete()
    else:
        points.create(value=6, label="Beyond")
    assert refused_edits(study=live_study) == [
        "Faithfulness: the numbers of its scale cannot change once it was asked. "
        "Retire it and add a new question."
    ]


def test_the_words_of_two_points_cannot_change_places(live_study, researcher):
    points = live_study.questions.get(key="faithfulness").points
    points.filter(value=1).update(label="Fully")
    points.filter(value=5).update(label="not at all ")
    with pytest.raises(EditRefused, match="points 1 and 5 have exchanged their words"):
        revise(study=live_study, by=researcher)
    points.filter(value=1).update(label="Not at all, really")
    points.filter(value=5).update(label="Fully as it is")
    assert refused_edits(study=live_study) == []


def test_an_asked_question_is_retired_and_not_deleted(live_study, researcher):
    live_study.questions.get(key="exaggeration").delete()
    with pytest.raises(EditRefused, match="Exaggeration was asked already. Retire it"):
        revise(study=live_study, by=researcher)


def test_a_retired_question_is_asked_no_more_and_its_answers_stay(live_study, researcher):
    rate_all(live_study, somebody(live_study))
    live_study.questions.filter(key="exaggeration").update(retired=True)
    assert told(live_study) == ["Exaggeration: no longer asked."]
    revise(study=live_study, by=researcher)
    live_study.refresh_from_db()
    rate_all(live_study, somebody(live_study))
    answers = Rating.objects.filter(question__key="exaggeration")
    assert answers.count() == 6
    live_study.questions.filter(key="exaggeration").update(retired=False, kind="choice")
    assert refused_edits(study=live_study) != []


def test_a_new_question_is_free_until_it_was_asked(live_study, researcher):
    question = add_likert(live_study, "realism")
    assert not is_asked(question)
    question.points.filter(value=5).delete()
    revise(study=live_study, by=researcher)
    assert is_asked(question)
    live_study.refresh_from_db()
    question.points.filter(value=4).delete()
    assert refused_edits(study=live_study) != []


def test_a_revision_must_not_lose_what_the_launch_asked_for(live_study, researcher):
    live_study.questions.get(key="faithfulness").points.filter(value=2).update(label="")
    with pytest.raises(EditRefused, match="point 2 has no label"):
        revise(study=live_study, by=researcher)
    live_study.refresh_from_db()
    assert live_study.revision == 1


@pytest.mark.parametrize(
    ("field", "value"), [("items_per_unit", 3), ("sound", "judged"), ("show_prompt", False)]
)
def test_what_a_screen_shows_cannot_change(live_study, field, value):
    assert field not in FREE_AFTER_LAUNCH
    Study.objects.filter(pk=live_study.pk).update(**{field: value})
    live_study.refresh_from_db()
    (sentence,) = refused_edits(study=live_study)
    assert "cannot change once the study was opened" in sentence


def test_fields_that_may_change_are_fields_of_a_study():
    assert {field.name for field in Study._meta.get_fields()} >= FREE_AFTER_LAUNCH


# ---- what changed, in words


def test_every_kind_of_change_is_told_in_a_sentence(live_study):
    reword(live_study, text="How well?", help="Look twice.", reported_as="Fit")
    points = live_study.questions.get(key="hallucination").points
    points.filter(value=4).update(label="Nearly")
    points.filter(value=5).update(description="All of it.")
    live_study.units_per_session = 4
    live_study.shuffle_items = False
    live_study.instructions = "word " * 40
    live_study.save()
    AttentionCheck.objects.filter(study=live_study).update(active=False)
    add_likert(live_study, "realism")
    sentences = told(live_study)
    assert "Units per session: 6 is now 4." in sentences
    assert "Shuffle the items of a screen: yes is now no." in sentences
    assert "Instructions: the words changed." in sentences
    assert "Fit, hint: “” is now “Look twice.”." in sentences
    assert "Fit, name in reports: “Faithfulness” is now “Fit”." in sentences
    assert "Hallucination, point 4: “Mostly” is now “Nearly”." in sentences
    assert "Hallucination, point 5, description: “” is now “All of it.”." in sentences
    assert "Realism: a new question." in sentences
    assert "Attention check “For this line choose 2.”: no longer shown." in sentences
    assert len(sentences) == len(set(sentences)) == 10


def test_another_order_of_questions_is_told(live_study):
    reword(live_study, position=9)
    assert told(live_study) == ["The questions come in another order."]


def test_two_equal_designs_differ_in_nothing(live_study):
    assert told(live_study) == []


def test_a_rule_that_changed_is_named(live_study):
    Question.objects.filter(study=live_study, key="rationale").update(min_length=40)
    assert told(live_study) == ["Rationale: when or how it is asked changed (min length)."]
