"""Small rules about words: whose capitals count, how a check is worded, what an export quotes."""

import json

import pytest

from annotation.asking import asked
from annotation.assignment import claim_next_unit
from annotation.ratings import rating_rows
from annotation.unit_facts import load_facts
from studies.design import CheckSpec, Design, current_design
from studies.models import Item, Question, ScalePoint, Study
from studies.revisions import revise
from tests.annotation.people import send, somebody
from tests.conftest import add_question

pytestmark = pytest.mark.django_db


def on_screen(study: Study) -> list[str]:
    design = current_design(study)
    unit = study.units.order_by("key").first()
    rows = asked(design=design, facts=load_facts(unit=unit.pk, design=design))
    return [row.question.key for row in rows]


@pytest.mark.parametrize("field", ["category", "aspect"])
def test_capitals_and_blanks_make_no_other_aspect(draft_study, field):
    Item.objects.update(**{field: " Religious Practices"})
    question = draft_study.questions.filter(key="exaggeration")
    wanted = {"category": "shown_categories", "aspect": "shown_aspects"}[field]
    question.update(**{wanted: ["religious practices"]})
    assert "exaggeration" in on_screen(draft_study)
    question.update(**{wanted: ["weddings"]})
    assert "exaggeration" not in on_screen(draft_study)


def check_on_screen(study: Study, design: Design | None = None):
    design = design or current_design(study)
    unit = study.units.order_by("key").first()
    facts = load_facts(unit=unit.pk, design=design)
    (row,) = [
        row for row in asked(design=design, facts=facts, check=design.checks[0]) if row.is_check
    ]
    return row.question


def test_a_check_is_drawn_and_worded_as_the_question_whose_scale_it_has(draft_study):
    seen = add_question(draft_study, "seen", "yes_no", points={0: "Nobody there", 1: "Somebody"})
    draft_study.attention_checks.update(scale_of=seen, expected=0)
    question = check_on_screen(draft_study)
    assert question.kind == "yes_no"
    assert [point.label for point in question.points] == ["Nobody there", "Somebody"]


def test_a_plain_yes_or_no_is_left_to_the_readers_language(draft_study):
    seen = add_question(draft_study, "seen", "yes_no")
    draft_study.attention_checks.update(scale_of=seen, expected=0)
    question = check_on_screen(draft_study)
    assert (question.kind, question.points) == ("yes_no", ())


def test_a_scale_from_0_to_1_stays_a_scale(draft_study):
    scale = add_question(draft_study, "two", "likert", points={0: "None", 1: "Some"})
    draft_study.attention_checks.update(scale_of=scale, expected=0)
    assert check_on_screen(draft_study).kind == "likert"


def test_checks_that_older_releases_froze_are_read(draft_study):
    design = current_design(draft_study)
    data = json.loads(json.dumps(design.to_json()))
    data["checks"][0] |= {"points": [{"value": 0, "label": "No", "description": ""}] * 2}
    data["checks"][0]["points"][1] = {"value": 1, "label": "Yes", "description": ""}
    del data["checks"][0]["kind"]
    old = Design.from_json(data)
    assert isinstance(old.checks[0], CheckSpec)
    question = check_on_screen(draft_study, old)
    assert (question.kind, question.points) == ("yes_no", ())


def test_an_export_quotes_the_words_that_each_person_read(live_study, researcher):
    before = somebody(live_study)
    send(live_study, claim_next_unit(participation=before))
    question = Question.objects.get(study=live_study, key="faithfulness")
    ScalePoint.objects.filter(question=question, value=2).update(label="Hardly")
    revise(study=live_study, by=researcher)
    live_study.refresh_from_db()
    after = somebody(live_study)
    send(live_study, claim_next_unit(participation=after))
    quoted = {
        (row.revision, row.value_label)
        for row in rating_rows(live_study)
        if row.question == "faithfulness"
    }
    assert quoted == {(1, "A little"), (2, "Hardly")}
