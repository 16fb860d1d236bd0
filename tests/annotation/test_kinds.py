"""Each question kind: what a form may say to it, what it refuses in words, and the way back."""

import dataclasses

import pytest

from annotation.kinds import KINDS, Asked, Fields, Given
from annotation.unit_facts import UnitFacts
from studies.design import Point, QuestionSpec
from studies.models import Descriptor, Item, Probe

SCALE = tuple(Point(value, label, "") for value, label in ((1, "Low"), (2, "Mid"), (3, "High")))
VIDEOS = tuple(Item(pk=pk, public_id=f"id-{pk}_x", kind="video") for pk in (7, 8, 9))
PICTURE = Item(pk=7, public_id="id-7_x", kind="image")
TOKENS = tuple(
    Descriptor(pk=pk, token=token, dimension=dimension)
    for pk, token, dimension in ((1, "sari", "attire"), (2, "ring", "attire"), (3, "fire", ""))
)


def asked(kind: str, *, items=(PICTURE,), probe=None, **fields) -> Asked:
    question = QuestionSpec(
        id=5,
        key="q",
        kind=kind,
        text="",
        help="",
        required=True,
        direction="higher",
        label="",
        min_length=fields.pop("min_length", 0),
        required_when=None,
        required_from=None,
        required_to=None,
        points=fields.pop("points", SCALE),
        **fields,
    )
    facts = UnitFacts(tuple(items), descriptors=TOKENS, seed="1")
    name = f"q_5_p{probe.pk}" if probe else "q_5"
    return Asked(question, name, facts, probe)


def read(row: Asked, *, required: bool = True, **data):
    fields = Fields({name: [v] if isinstance(v, str) else v for name, v in data.items()})
    return KINDS[row.question.kind].read(row, fields, required=required)


def given(**answer) -> Given:
    return Given(question=5, item=7, **answer)


# kind, fields of the question, form, answers
GOOD = [
    ("likert", {}, {"q_5": "2"}, [given(value=2)]),
    ("likert", {"allow_na": True}, {"q_5": "na"}, [given(not_applicable=True)]),
    ("choice", {}, {"q_5": "3"}, [given(value=3)]),
    ("yes_no", {"points": ()}, {"q_5": "0"}, [given(value=0)]),
    ("yes_no", {"points": (), "allow_na": True}, {"q_5": "na"}, [given(not_applicable=True)]),
    ("slider", {}, {"q_5": "0"}, [given(value=0)]),
    ("slider", {}, {"q_5": "100"}, [given(value=100)]),
    ("slider", {"allow_na": True}, {"q_5": ["", "na"]}, [given(not_applicable=True)]),
    ("text", {"min_length": 3}, {"q_5": " abc "}, [given(text="abc")]),
    (
        "descriptors",
        {},
        {"q_5_d1": "1", "q_5_d2": "0", "q_5_d3": "1", "q_5_coverage": "3", "q_5_missing": "lamp"},
        [
            given(descriptor=1, value=1),
            given(descriptor=2, value=0),
            given(descriptor=3, value=1),
            given(value=3, text="lamp"),
        ],
    ),
]
# kind, fields of the question, form, the sentence about q_5 (or about the field named)
BAD = [
    ("likert", {}, {}, "Choose a point."),
    ("likert", {}, {"q_5": "4"}, "Choose a point."),
    ("likert", {}, {"q_5": "2\x00"}, "Choose a point."),
    ("likert", {}, {"q_5": "na"}, "Choose a point."),
    ("choice", {}, {"q_5": "9"}, "Choose one."),
    ("yes_no", {"points": ()}, {"q_5": "2"}, "Choose yes or no."),
    ("slider", {}, {}, "Give a whole number from 0 to 100."),
    ("slider", {}, {"q_5": "101"}, "Give a whole number from 0 to 100."),
    ("slider", {}, {"q_5": "-1"}, "Give a whole number from 0 to 100."),
    ("slider", {}, {"q_5": "5.5"}, "Give a whole number from 0 to 100."),
    ("slider", {}, {"q_5": "٥"}, "Give a whole number from 0 to 100."),
    ("slider", {}, {"q_5": "9" * 5000}, "Give a whole number from 0 to 100."),
    (
        "slider",
        {"allow_na": True},
        {"q_5": ["50", "na"]},
        "Give a number or “Does not apply”, not both.",
    ),
    ("text", {"min_length": 5}, {"q_5": "abc\x00"}, "2 more letters."),
    ("text", {}, {"q_5": "x" * 10_001}, "At most 10000 letters."),
    ("descriptors", {}, {"q_5_d1": "1", "q_5_coverage": "1"}, "2 are not marked yet."),
]


@pytest.mark.parametrize(("kind", "fields", "form", "answers"), GOOD)
def test_a_good_answer_is_read(kind, fields, form, answers):
    reading = read(asked(kind, **fields), **form)
    assert (list(reading.given), reading.errors) == (answers, {})


@pytest.mark.parametrize(("kind", "fields", "form", "answers"), GOOD)
def test_what_was_sent_fills_the_same_form_again(kind, fields, form, answers):
    row = asked(kind, **fields)
    again = Fields.kept(KINDS[kind].sent(row, answers))
    assert list(KINDS[kind].read(row, again, required=True).given) == answers


@pytest.mark.parametrize(("kind", "fields", "form", "answers"), GOOD)
def test_a_good_answer_has_a_summary(kind, fields, form, answers):
    row = asked(kind, **fields)
    assert KINDS[kind].summary(row, Fields.kept(form))


@pytest.mark.parametrize(("kind", "fields", "form", "sentence"), BAD)
def test_a_bad_answer_is_refused_in_words_and_nothing_is_read(kind, fields, form, sentence):
    reading = read(asked(kind, **fields), **form)
    assert reading.errors["q_5"] == sentence
    assert reading.given == ()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_gap_in_a_question_that_is_not_required_is_no_error(kind):
    reading = read(asked(kind, items=VIDEOS), required=False)
    assert (reading.given, reading.errors) == ((), {})


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_gap_in_a_required_question_is_an_error(kind):
    row = asked(kind, items=VIDEOS)
    assert row.name in read(row).errors


@pytest.mark.parametrize("kind", ["likert", "choice", "slider"])
def test_something_stray_is_refused_even_where_nothing_is_required(kind):
    assert read(asked(kind), required=False, q_5="stray").errors


class TestMulti:
    row = asked("multi", items=VIDEOS)

    def sets(self, *marks: str):
        return read(self.row, q_5=list(marks))

    def test_gives_a_row_an_item_and_says_which_were_marked(self):
        reading = self.sets("id-7_x", "id-9_x")
        marked = [(answer.item, answer.value) for answer in reading.given]
        assert marked == [(7, 1), (8, 0), (9, 1)]

    def test_none_of_these_is_an_answer(self):
        assert [answer.value for answer in self.sets("none").given] == [0, 0, 0]

    def test_none_and_an_item_together_are_refused(self):
        words = "Choose either videos or “None of these”, not both."
        assert self.sets("none", "id-7_x").errors == {"q_5": words}

    def test_another_units_item_is_refused(self):
        for stray in ("id-99_x", "7", "A", "id-7_x\x00"):
            assert self.sets(stray).errors == {"q_5": "Choose among the videos shown."}

    def test_the_same_mark_twice_is_one(self):
        assert self.sets("id-7_x", "id-7_x").given == self.sets("id-7_x").given

    def test_fills_its_form_again(self):
        kind = KINDS["multi"]
        for marks in (["id-7_x", "id-9_x"], ["none"]):
            answers = self.sets(*marks).given
            assert kind.sent(self.row, answers) == {"q_5": marks}

    def test_is_summed_up_in_letters_of_this_screen(self):
        fields = Fields({"q_5": ["id-9_x", "id-8_x"]})
        assert KINDS["multi"].summary(self.row, fields) == "B, C"

    def test_is_about_the_probe_and_the_item_where_it_is_asked_of_probes(self):
        row = asked("multi", items=VIDEOS, probe=Probe(pk=4))
        answers = KINDS["multi"].read(row, Fields({"q_5_p4": ["none"]}), required=True).given
        assert {(answer.probe, answer.item) for answer in answers} == {(4, 7), (4, 8), (4, 9)}


class TestRanking:
    row = asked("ranking", items=VIDEOS)

    def order(self, *places: str):
        names = [f"q_5_i{item.public_id}" for item in VIDEOS]
        return read(self.row, **dict(zip(names, places, strict=False)))

    def test_gives_each_item_its_place(self):
        placed = [(answer.item, answer.value) for answer in self.order("2", "3", "1").given]
        assert sorted(placed) == [(7, 2), (8, 3), (9, 1)]

    def test_two_on_one_place_are_refused_in_words(self):
        assert self.order("2", "2", "1").errors == {"q_5": "Two videos share place 2."}
        assert self.order("1", "1", "1").errors == {"q_5": "3 videos share place 1."}

    def test_gaps_are_refused_with_the_letters_that_are_left(self):
        assert self.order("1").errors == {"q_5": "Place every video. Left: B, C."}

    @pytest.mark.parametrize("stray", ["0", "4", "-1", "1.0", "١", "x", "1\x00"])
    def test_places_that_do_not_exist_are_refused(self, stray):
        assert self.order("1", "2", stray).errors == {"q_5": "Place every video. Left: C."}

    def test_half_an_order_is_refused_even_where_none_is_required(self):
        row = dataclasses.replace(self.row)
        fields = Fields({"q_5_iid-7_x": ["1"]})
        assert KINDS["ranking"].read(row, fields, required=False).errors

    def test_a_place_given_to_another_units_item_is_ignored(self):
        assert read(self.row, **{"q_5_iid-99_x": "1"}).errors == {
            "q_5": "Place every video. Left: A, B, C."
        }

    def test_fills_its_form_again(self):
        sent = KINDS["ranking"].sent(self.row, self.order("2", "3", "1").given)
        assert sent == {"q_5_iid-7_x": "2", "q_5_iid-8_x": "3", "q_5_iid-9_x": "1"}

    def test_words_its_ends_by_the_lowest_and_the_highest_point(self):
        ends = (Point(1, "best", ""), Point(3, "weakest", ""))
        view = KINDS["ranking"].view(asked("ranking", items=VIDEOS, points=ends), Fields({}), {})
        assert [place.end for place in view.places] == ["best", "", "weakest"]

    def test_does_not_make_sense_for_a_single_item(self):
        assert not KINDS["ranking"].applies(UnitFacts((PICTURE,)))


class TestDescriptors:
    row = asked("descriptors")

    def test_names_every_fault_at_once(self):
        missing = "x" * 10_001
        errors = read(self.row, q_5_d1="1", q_5_coverage="9", q_5_missing=missing).errors
        assert errors == {
            "q_5": "2 are not marked yet.",
            "q_5_coverage": "Choose a point.",
            "q_5_missing": "At most 10000 letters.",
        }

    def test_a_verdict_that_is_neither_right_nor_not_right_is_refused(self):
        marks = {"q_5_d1": "1", "q_5_d2": "yes", "q_5_d3": "0", "q_5_coverage": "1"}
        assert read(self.row, **marks).errors == {"q_5": "1 is not marked yet."}

    def test_needs_no_coverage_where_its_scale_has_no_points(self):
        row = asked("descriptors", points=())
        reading = read(row, q_5_d1="1", q_5_d2="1", q_5_d3="1")
        assert [answer.descriptor for answer in reading.given] == [1, 2, 3]

    def test_groups_by_dimension_in_an_order_of_the_persons_own(self):
        view = KINDS["descriptors"].view(self.row, Fields({}), {})
        assert [group.label for group in view.groups] == ["Clothes", "More"]
        orders = set()
        for seed in range(20):
            facts = dataclasses.replace(self.row.facts, seed=str(seed))
            row = dataclasses.replace(self.row, facts=facts)
            shown = KINDS["descriptors"].view(row, Fields({}), {}).groups[0].rows
            again = KINDS["descriptors"].view(row, Fields({}), {}).groups[0].rows
            assert shown == again
            orders.add(tuple(line.token for line in shown))
        assert orders == {("sari", "ring"), ("ring", "sari")}

    def test_does_not_make_sense_without_descriptors(self):
        assert not KINDS["descriptors"].applies(UnitFacts((PICTURE,)))


def test_digits_answer_by_value_on_a_scale_and_by_place_in_a_choice():
    points = (Point(0, "None", ""), Point(5, "Some", ""), Point(12, "All", ""))
    keys = {
        kind: [p.key for p in KINDS[kind].view(asked(kind, points=points), Fields({}), {}).points]
        for kind in ("likert", "choice")
    }
    assert keys == {"likert": ["0", "5", ""], "choice": ["1", "2", "3"]}


def test_zero_means_does_not_apply_unless_a_point_is_called_so():
    with_zero = (Point(0, "None", ""), Point(1, "Some", ""))
    for points, key in ((SCALE, "0"), (with_zero, "")):
        row = asked("likert", points=points, allow_na=True)
        assert KINDS["likert"].view(row, Fields({}), {}).not_applicable.key == key


def test_in_a_set_a_question_about_the_whole_names_no_item():
    row = asked("likert", items=VIDEOS)
    assert read(row, q_5="1").given == (Given(question=5, value=1),)
