"""Which questions stand on a screen: by tier, by probe, by what the unit is, by earlier answers."""

from dataclasses import replace

import pytest

from annotation.answers import read_answers
from annotation.asking import asked, chosen_values, is_open, next_tier, shown_rule
from annotation.kinds import Fields
from annotation.unit_facts import UnitFacts, shown_order
from studies.design import CheckSpec, Design, Point, QuestionSpec
from studies.models import Item, Probe

SCALE = (Point(1, "Low", ""), Point(2, "High", ""))
ITEM = Item(pk=7, public_id="id-7", kind="video", category="wedding", aspect="music")
SET = (ITEM, Item(pk=8, public_id="id-8", kind="video", category="greeting"))
PROBES = (Probe(pk=1, text="Who leads?"), Probe(pk=2, text="Where is it?"))


def question(id: int, kind: str = "likert", **fields) -> QuestionSpec:
    common = {
        "key": f"q{id}",
        "text": "",
        "help": "",
        "required": True,
        "direction": "none",
        "label": "",
        "min_length": 0,
        "required_when": None,
        "required_from": None,
        "required_to": None,
        "points": SCALE,
    }
    return QuestionSpec(id=id, kind=kind, **common | fields)


def design(*questions: QuestionSpec, **fields) -> Design:
    common = {
        "revision": 1,
        "public_title": "",
        "consent_lines": (),
        "consent_text": "",
        "paragraphs": (),
        "rules": (),
        "contact": "",
        "estimated_minutes": 1,
        "units_per_session": 1,
        "consent_first": True,
        "checks": (),
    }
    return Design(questions=questions, **common | fields)


def rows_of(*questions: QuestionSpec, items=(ITEM,), probes=(), check=None, after=1, **fields):
    facts = UnitFacts(tuple(items), probes=probes)
    return asked(design=design(*questions, **fields), facts=facts, check=check, check_after=after)


def names(*args, **fields) -> list[str]:
    return [row.name for row in rows_of(*args, **fields)]


def fields(**data: str) -> Fields:
    return Fields({name: [text] for name, text in data.items()})


def test_tiers_come_one_after_the_other_and_positions_within_them():
    rows = rows_of(question(1, tier=2), question(2), question(3, tier=2), question(4))
    assert [(row.name, row.number) for row in rows] == [
        ("q_2", 1),
        ("q_4", 2),
        ("q_1", 3),
        ("q_3", 4),
    ]


def test_a_question_of_probes_is_asked_once_a_probe():
    of_probe = question(5, "yes_no", asked_of="probe")
    assert names(question(1), of_probe, probes=PROBES) == ["q_1", "q_5_p1", "q_5_p2"]
    assert names(question(1), of_probe) == ["q_1"]


@pytest.mark.parametrize(
    ("rule", "item", "there"),
    [
        ({"shown_categories": ("wedding",)}, ITEM, True),
        ({"shown_categories": ("funeral",)}, ITEM, False),
        ({"shown_aspects": ("music", "food")}, ITEM, True),
        ({"shown_aspects": ("food",)}, ITEM, False),
        ({"shown_aspects": ("music",), "shown_categories": ("funeral",)}, ITEM, False),
        ({"needs_sound": True}, ITEM, False),
        ({"needs_sound": True}, Item(pk=1, has_audio=True), True),
    ],
)
def test_a_question_that_never_fits_the_unit_is_left_out(rule, item, there):
    assert (names(question(1, **rule), items=(item,)) == ["q_1"]) is there


def test_sound_is_not_asked_about_where_it_is_off():
    loud = Item(pk=1, has_audio=True)
    assert names(question(1, needs_sound=True), items=(loud,), sound="off") == []


def test_in_a_set_one_fitting_item_is_enough():
    assert names(question(1, shown_categories=("greeting",)), items=SET) == ["q_1"]


def test_what_waits_for_a_question_that_is_left_out_is_left_out_too():
    rows = (
        question(1, shown_categories=("funeral",)),
        question(2, shown_if=1, shown_from=2, shown_to=2),
        question(3, shown_if=2, shown_from=1, shown_to=1),
    )
    assert names(*rows) == []


class TestFollowUps:
    rows = rows_of(
        question(1),
        question(2, shown_if=1, shown_from=2, shown_to=2),
        question(3, shown_if=2, shown_from=1, shown_to=1),
    )

    def open_ones(self, **data):
        values = chosen_values(self.rows, fields(**data))
        return [row.name for row in self.rows if is_open(row, self.rows, values)]

    def test_open_once_the_answer_is_in_the_range(self):
        assert self.open_ones() == ["q_1"]
        assert self.open_ones(q_1="1") == ["q_1"]
        assert self.open_ones(q_1="2") == ["q_1", "q_2"]
        assert self.open_ones(q_1="2", q_2="1") == ["q_1", "q_2", "q_3"]

    def test_close_in_turn_when_the_first_one_closes(self):
        assert self.open_ones(q_1="1", q_2="1") == ["q_1"]

    def test_are_ignored_while_they_are_closed(self):
        answers = read_answers(self.rows, fields(q_1="1", q_2="1", q_3="stray"))
        assert [answer.question for answer in answers.given] == [1]
        assert answers.errors == {}

    def test_are_needed_once_they_are_open(self):
        assert read_answers(self.rows, fields(q_1="2")).errors == {"q_2": "Choose a point."}

    def test_tell_scripts_their_rule(self):
        assert str(shown_rule(self.rows[1], self.rows)) == "q_1:2-2"

    def test_of_probes_go_by_the_same_probe(self):
        of_probe = {"asked_of": "probe"}
        rows = rows_of(
            question(1, "yes_no", **of_probe),
            question(2, shown_if=1, shown_from=1, shown_to=1, **of_probe),
            probes=PROBES,
        )
        values = chosen_values(rows, fields(q_1_p1="0", q_1_p2="1"))
        assert [is_open(row, rows, values) for row in rows] == [True, True, False, True]

    def test_of_the_unit_open_with_any_probe(self):
        rows = rows_of(
            question(1, "yes_no", asked_of="probe"),
            question(2, shown_if=1, shown_from=1, shown_to=1),
            probes=PROBES,
        )
        assert str(shown_rule(rows[2], rows)) == "q_1_p1:1-1 q_1_p2:1-1"
        values = chosen_values(rows, fields(q_1_p1="0", q_1_p2="1"))
        assert is_open(rows[2], rows, values)


def test_a_rationale_is_needed_by_the_answer_of_its_own_probe():
    of_probe = {"asked_of": "probe"}
    rationale = question(
        2, "text", required_when=1, required_from=0, required_to=0, required=False, **of_probe
    )
    rows = rows_of(question(1, "yes_no", **of_probe), rationale, probes=PROBES)
    assert read_answers(rows, fields(q_1_p1="1", q_1_p2="0")).errors == {"q_2_p2": "1 more letter."}


def test_an_answer_outside_its_range_never_makes_a_rationale_needed():
    rationale = question(2, "text", required_when=1, required_from=2, required_to=2)
    rows = rows_of(question(1, allow_na=True), rationale)
    for harmless in ("1", "na"):
        assert read_answers(rows, fields(q_1=harmless)).errors == {}
    assert "q_2" in read_answers(rows, fields(q_1="2")).errors


class TestChecks:
    check = CheckSpec(id=1, text="Choose 2.", expected=2, points=SCALE)

    def test_stand_among_the_scales_and_take_their_tier(self):
        questions = (question(1, "text"), question(2), question(3, tier=2), question(4, tier=2))
        for after, place, tier in ((1, 2, 1), (2, 3, 2), (9, 4, 2)):
            rows = rows_of(*questions, check=self.check, after=after)
            assert rows[place].name == "c_1"
            assert rows[place].tier == tier
            assert [row.number for row in rows] == [1, 2, 3, 4, 5]

    def test_are_read_apart_even_with_the_id_of_a_question(self):
        rows = rows_of(question(1), check=self.check)
        answers = read_answers(rows, fields(q_1="1", c_1="2"))
        assert ([answer.value for answer in answers.given], answers.check_value) == ([1], 2)

    def test_cannot_be_left_out(self):
        rows = rows_of(question(1), check=self.check)
        assert read_answers(rows, fields(q_1="1")).errors == {"c_1": "Choose a point."}

    def test_on_yes_and_no_look_like_yes_and_no(self):
        yes_no = replace(self.check, points=(Point(0, "No", ""), Point(1, "Yes", "")))
        rows = rows_of(question(1), question(2, "yes_no", points=()), check=yes_no)
        assert (rows[2].name, rows[2].question.kind) == ("c_1", "yes_no")


def test_only_the_tiers_asked_for_are_read():
    rows = rows_of(question(1), question(2, tier=2))
    assert read_answers(rows, fields(q_1="1"), up_to=1).errors == {}
    assert set(read_answers(rows, fields(q_1="1")).errors) == {"q_2"}


def test_a_tier_with_nothing_to_answer_is_passed_over():
    rows = rows_of(
        question(1),
        question(2, tier=2, shown_if=1, shown_from=2, shown_to=2),
        question(3, tier=3),
    )
    assert next_tier(rows, fields(q_1="1"), after=1) == 3
    assert next_tier(rows, fields(q_1="2"), after=1) == 2
    assert next_tier(rows, fields(q_1="1"), after=3) is None


def test_the_order_of_items_is_a_persons_own_and_stays_the_same():
    orders = {tuple(shown_order(items=[3, 1, 2], seed=seed, unit=5)) for seed in range(60)}
    assert len(orders) == 6
    assert shown_order(items=[1, 2, 3], seed=1, unit=5) == shown_order(
        items=[3, 2, 1], seed=1, unit=5
    )
