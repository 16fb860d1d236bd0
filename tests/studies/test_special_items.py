"""Practice, gold and example items: from a table, on their page, in the check list."""

import pytest

from studies.design import Design, current_design, frozen_design
from studies.importing.items import parse_items
from studies.launch_checks import launch_checks
from studies.lifecycle import launch_study
from studies.marking import MarkRefused, mark_item
from studies.models import ComprehensionQuestion, Contradiction, Item
from studies.ranges import (
    RangeError,
    expected_text,
    may_stand,
    read_combinations,
    read_expected,
    read_range,
)
from studies.words.texts import study_texts
from tests.studies.people import study_form


def test_ranges_are_read_as_people_write_them():
    assert read_range("4-5") == (4, 5)
    assert read_range(" 3 ") == (3, 3)
    assert read_range("1 to 2") == (1, 2)
    assert read_range("1–2") == (1, 2)


@pytest.mark.parametrize("text", ["", "x", "5-4", "1-2-3", "-1", "12345", "4,5"])
def test_what_is_no_range_is_refused_with_a_sentence(text):
    with pytest.raises(RangeError) as refusal:
        read_range(text)
    assert str(refusal.value).endswith(".")


def test_accepted_answers_go_there_and_back():
    expected = read_expected("faithfulness: 4-5;\nrealism: 1")
    assert expected == {"faithfulness": [4, 5], "realism": [1, 1]}
    assert read_expected(expected_text(expected)) == expected
    assert read_expected("") == {}


@pytest.mark.parametrize("text", ["4-5", ": 4", "a: 1; a: 2", "a: b"])
def test_accepted_answers_without_a_question_are_refused(text):
    with pytest.raises(RangeError):
        read_expected(text)


def test_only_what_is_named_is_bound():
    rows = read_combinations("1-2: 4-5; 2: 1")
    assert may_stand(rows, 1, 4)
    assert not may_stand(rows, 1, 1)
    assert may_stand(rows, 2, 1)
    assert may_stand(rows, 3, 1)


TABLE = """item_id,file,practice,expected,feedback
a,a.png,yes,faithfulness: 4-5,It fits.
b,b.png,no,,
c,c.png,gold,realism: 1,
d,d.png,example,,Words.
"""


def test_a_column_practice_says_what_an_item_is_for():
    parsed = parse_items(TABLE.encode())
    assert parsed.problems == ()
    assert [record.purpose for record in parsed.records] == ["practice", "rated", "gold", "example"]
    assert parsed.records[0].expected == {"faithfulness": [4, 5]}
    assert parsed.records[0].feedback == "It fits."


@pytest.mark.parametrize(
    ("old", "new", "field", "wrong"),
    [
        ("gold,realism: 1", "gold,", "expected", "A gold item without accepted answers"),
        ("no,,", "no,realism: 1,", "expected", "that is to be rated"),
        ("yes,", "maybe,", "practice", "Not a known purpose"),
        ("4-5", "five", "expected", "Not a list of accepted answers"),
    ],
)
def test_a_row_that_contradicts_itself_is_named(old, new, field, wrong):
    parsed = parse_items(TABLE.replace(old, new, 1).encode())
    (problem,) = parsed.problems
    assert problem.field == field
    assert wrong in problem.wrong


@pytest.mark.django_db
class TestMarking:
    def mark(self, study, item="np-1", purpose="gold", expected=None, feedback=""):
        expected = {"faithfulness": [4, 5]} if expected is None else expected
        return mark_item(
            study=study, item=item, purpose=purpose, expected=expected, feedback=feedback
        )

    def test_the_unit_follows_and_no_panel_rates_it(self, draft_study):
        self.mark(draft_study)
        assert draft_study.units.get(key="np-1").purpose == "gold"
        assert draft_study.panels.get().units().count() == 5
        self.mark(draft_study, purpose="rated")
        assert draft_study.panels.get().units().count() == 6
        assert draft_study.items.get(external_id="np-1").expected == {}

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"item": "nobody"}, "item"),
            ({"expected": {}}, "expected"),
            ({"expected": {"beauty": [1, 2]}}, "expected"),
        ],
    )
    def test_what_cannot_be_is_refused(self, draft_study, changes, field):
        with pytest.raises(MarkRefused) as refusal:
            self.mark(draft_study, **changes)
        assert refusal.value.field == field

    def test_what_was_given_out_stays_what_it_is(self, live_study):
        from annotation.places import ensure_places

        ensure_places(panel=live_study.panels.get())
        with pytest.raises(MarkRefused) as refusal:
            self.mark(live_study)
        assert refusal.value.field == "purpose"
        assert live_study.units.get(key="np-1").purpose == "rated"

    def test_all_of_it_survives_being_frozen(self, draft_study, researcher):
        self.mark(draft_study)
        self.mark(draft_study, "np-2", "practice", feedback="Look at the dress.")
        self.mark(draft_study, "np-3", "example", {"faithfulness": [5, 5]}, "All fits.")
        keys = {row.key: row for row in draft_study.questions.all()}
        Contradiction.objects.create(
            study=draft_study,
            question=keys["faithfulness"],
            other=keys["hallucination"],
            allowed="1: 4-5",
        )
        ComprehensionQuestion.objects.create(study=draft_study, text="What?", options="a\nb")
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        frozen = frozen_design(draft_study.pk, 1)
        assert Design.from_json(frozen.to_json()) == frozen
        assert frozen == current_design(draft_study)
        assert [spec.value for spec in frozen.examples] == [5]
        assert frozen.practice[0].feedback == "Look at the dress."
        assert frozen.gold[0].expected == ((keys["faithfulness"].pk, 4, 5),)
        assert frozen.comprehension[0].options == ("a", "b")

    def test_its_words_are_to_be_translated(self, draft_study):
        self.mark(draft_study, "np-2", "practice", feedback="Look at the dress.")
        ComprehensionQuestion.objects.create(
            study=draft_study, text="What?", options="a\nb", hint="Again."
        )
        texts = {text.key: text.source for text in study_texts(draft_study)}
        assert texts["feedback.np-2"] == "Look at the dress."
        assert texts["quick.1.text"] == "What?"
        assert texts["quick.1.option.2"] == "b"
        assert texts["quick.1.hint"] == "Again."


@pytest.mark.django_db
class TestTheCheckList:
    def sentences(self, study, mark):
        return [check.sentence for check in launch_checks(study) if check.mark == mark]

    def test_gold_on_a_scale_with_a_middle_is_doubted(self, draft_study):
        Item.objects.filter(external_id="np-1").update(
            purpose="gold", expected={"faithfulness": [4, 5]}
        )
        assert any(
            "has a middle, and 3 would fail" in s for s in self.sentences(draft_study, "warn")
        )

    def test_gold_that_takes_the_middle_is_not(self, draft_study):
        Item.objects.filter(external_id="np-1").update(
            purpose="gold", expected={"faithfulness": [3, 5]}
        )
        assert not any("np-1" in s for s in self.sentences(draft_study, "warn"))

    @pytest.mark.parametrize(
        ("expected", "fault"),
        [
            ({}, "a gold item without accepted answers"),
            ({"beauty": [1, 1]}, "there is no question “beauty”"),
            ({"rationale": [1, 1]}, "Rationale has no numbers to accept"),
            ({"faithfulness": [7, 9]}, "Faithfulness has no point from 7 to 9"),
        ],
    )
    def test_what_nobody_could_pass_or_fail_stops_the_launch(self, draft_study, expected, fault):
        Item.objects.filter(external_id="np-1").update(purpose="gold", expected=expected)
        assert any(fault in sentence for sentence in self.sentences(draft_study, "stop"))

    def test_a_quick_check_without_a_right_answer_stops_the_launch(self, draft_study):
        ComprehensionQuestion.objects.create(
            study=draft_study, text="What?", options="a\nb", correct=3
        )
        assert any("There are 2 answers." in s for s in self.sentences(draft_study, "stop"))


@pytest.mark.django_db
class TestTheWorkshop:
    @pytest.fixture
    def admin(self, client, researcher):
        client.force_login(researcher)
        return client

    def page(self, study) -> str:
        return f"/admin/studies/study/{study.pk}/practice/"

    def test_an_item_is_marked_on_its_page(self, admin, draft_study):
        data = {
            "item": "np-1",
            "purpose": "practice",
            "expected": "faithfulness: 4-5",
            "feedback": "Look at the dress.",
        }
        assert admin.post(self.page(draft_study), data).status_code == 302
        html = admin.get(self.page(draft_study)).content.decode()
        assert "faithfulness: 4-5" in html
        assert "Look at the dress." in html

    def test_what_is_wrong_is_said_beside_its_field(self, admin, draft_study):
        data = {"item": "np-1", "purpose": "gold", "expected": "4-5", "feedback": ""}
        response = admin.post(self.page(draft_study), data)
        assert response.status_code == 422
        assert "Write each as question: from-to" in response.content.decode()

    def test_how_many_gold_units_a_session_holds_is_set_there(self, admin, draft_study):
        admin.post(self.page(draft_study), {"gold_per_session": "3"})
        assert draft_study.check_rules.gold_per_session == 3
        response = admin.post(self.page(draft_study), {"gold_per_session": "99"})
        assert response.status_code == 422

    def test_a_colleague_finds_nothing(self, client, colleague, draft_study):
        client.force_login(colleague)
        assert client.get(self.page(draft_study)).status_code == 404

    def test_a_quick_check_and_a_contradiction_are_kept_by_the_study_page(self, admin, draft_study):
        keys = {row.key: row for row in draft_study.questions.all()}
        units = list(draft_study.units.order_by("key")[:2])
        data = study_form(draft_study) | {
            "comprehension_questions-TOTAL_FORMS": 1,
            "comprehension_questions-0-text": "What do you judge?",
            "comprehension_questions-0-options": "a\nb",
            "comprehension_questions-0-correct": 2,
            "comprehension_questions-0-active": "on",
            "contradictions-TOTAL_FORMS": 1,
            "contradictions-0-question": keys["faithfulness"].pk,
            "contradictions-0-other": keys["faithfulness"].pk,
            "contradictions-0-allowed": "1-2: 4-5",
            "contradictions-0-unit": units[0].key,
            "contradictions-0-other_unit": units[1].key,
            "contradictions-0-active": "on",
        }
        url = f"/admin/studies/study/{draft_study.pk}/change/"
        assert admin.post(url, data).status_code == 302
        assert draft_study.comprehension_questions.get().option_list == ["a", "b"]
        row = draft_study.contradictions.get()
        assert (row.unit, row.other_unit) == (units[0], units[1])
        html = admin.get(url).content.decode()
        assert f'value="{units[0].key}"' in html
        assert "1 quick check" in html

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"allowed": "five"}, "which says: where 1 to 2"),
            ({"other_unit": "np-2"}, "Name both units, or none."),
            ({"unit": "nothing"}, "The study has no unit of this key."),
            ({"other": "same"}, "two different questions"),
        ],
    )
    def test_a_contradiction_that_cannot_be_judged_is_refused(
        self, admin, draft_study, changes, said
    ):
        keys = {row.key: row for row in draft_study.questions.all()}
        values = {
            "question": keys["faithfulness"].pk,
            "other": keys["hallucination"].pk,
            "allowed": "1: 5",
        } | changes
        if values["other"] == "same":
            values["other"] = keys["faithfulness"].pk
        rows = {f"contradictions-0-{name}": value for name, value in values.items()}
        data = study_form(draft_study) | {"contradictions-TOTAL_FORMS": 1} | rows
        response = admin.post(f"/admin/studies/study/{draft_study.pk}/change/", data)
        assert response.status_code == 422
        assert said in response.content.decode()
        assert not draft_study.contradictions.exists()
