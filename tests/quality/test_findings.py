import numpy as np
import pytest

from annotation.quality.findings import (
    far_from_others,
    same_answer,
    same_position,
    unlike_themselves,
    very_fast,
)
from annotation.quality.texts import (
    Written,
    copied_texts,
    normalised,
    shared_texts,
    short_texts,
)


def test_screens_below_a_third_of_the_study_median_are_very_fast():
    person = [0] * 6 + [1] * 6 + [2] * 6
    active = [30.0] * 6 + [9.9, 9.9, 9.9, 10.1, 30.0, 30.0] + [30.0] * 6
    found = very_fast(person=person, screen=[*range(1, 7)] * 3, active=active, clip=[0.0] * 18)
    assert found[0].value == 0
    assert found[1].value == 0.5
    assert found[1].screens == (1, 2, 3)
    assert found[1].sentence == (
        "3 of 6 screens were very fast: median 10 s of work, 30 s in the study."
    )


def test_a_screen_shorter_than_its_clip_is_very_fast_however_fast_others_are():
    found = very_fast(person=[0] * 5, screen=[*range(5)], active=[4.0] * 5, clip=[5.0, 0, 0, 0, 4])
    assert found[0].screens == (0,)


def test_two_people_are_no_median_to_be_held_against():
    person = [0] * 6 + [1] * 6
    active = [60.0] * 6 + [9.0] * 6
    found = very_fast(person=person, screen=[*range(1, 7)] * 2, active=active, clip=[0.0] * 12)
    assert [found[one].value for one in (0, 1)] == [0, 0]
    assert found[1].sentence == "0 of 6 screens were very fast: median 9 s of work."
    assert found[1].numbers["study_median"] is None


def test_an_item_that_stands_alone_is_no_choice_of_a_position():
    alone = same_position(person=[0] * 12, position=[0] * 12, places=[1] * 12)
    assert alone == {}
    mixed = same_position(
        person=[0] * 20, position=[0] * 12 + [0, 1] * 4, places=[1] * 12 + [2] * 8
    )
    assert mixed[0].value == 0.5


def test_nothing_is_said_of_the_time_of_a_few_screens():
    assert very_fast(person=[0] * 4, screen=[1] * 4, active=[1.0] * 4, clip=[0.0] * 4) == {}


def test_nothing_comes_of_nothing():
    empty: list[int] = []
    assert very_fast(person=empty, screen=empty, active=empty, clip=empty) == {}
    assert same_answer(person=empty, question=empty, value=empty) == {}
    assert same_position(person=empty, position=empty, places=empty) == {}
    assert far_from_others(person=empty, group=empty, value=empty, span=empty) == {}
    assert (
        unlike_themselves(person=empty, about=empty, earlier=empty, later=empty, points=(1, 2))
        == {}
    )


def test_one_point_a_question_throughout_has_no_variance():
    found = same_answer(person=[0] * 12, question=[0] * 6 + [1] * 6, value=[3] * 6 + [5] * 6)
    assert found[0].value == 1
    assert found[0].numbers["same"] == 12


def test_questions_with_few_answers_say_nothing_of_variance():
    found = same_answer(person=[0] * 14, question=[0] * 10 + [1] * 4, value=[1, 2] * 5 + [5] * 4)
    assert found[0].value == 0.5


def test_the_same_answer_agrees_with_a_loop_over_people():
    random = np.random.default_rng(4)
    who, what, value = (random.integers(0, n, 3000) for n in (30, 4, 5))
    found = same_answer(person=who, question=what, value=value)
    for one in range(30):
        same = answers = 0
        for question in range(4):
            own = value[(who == one) & (what == question)]
            if own.size >= 5:
                answers += own.size
                same += max(np.count_nonzero(own == point) for point in range(5))
        assert found[one].value == pytest.approx(same / answers)


def test_choices_on_one_position_are_held_against_chance():
    found = same_position(person=[0] * 8, position=[0] * 6 + [1, 2], places=[4] * 8)
    assert found[0].value == 0.75
    assert found[0].numbers["by_chance"] == pytest.approx(0.25)
    assert "position 1" in found[0].sentence


def test_repeated_answers_have_exact_within_one_and_weighted_kappa():
    found = unlike_themselves(
        person=[0] * 4,
        about=[0, 1, 2, 3],
        earlier=[1, 2, 4, 5],
        later=[1, 3, 2, 5],
        points=(1, 2, 3, 4, 5),
    )
    # Disagreements (0, 1, 4, 0) / 16; by chance (12 pairs of each with each) 58 / 16 over 4.
    earlier, later = [1, 2, 4, 5], [1, 3, 2, 5]
    by_chance = sum((a - b) ** 2 for a in earlier for b in later) / 16
    assert found[0].value == 0.75
    assert found[0].numbers["exact"] == 0.5
    assert found[0].numbers["kappa"] == pytest.approx(1 - (5 / 4) / by_chance)


def test_kappa_of_answers_that_never_vary_is_not_defined():
    found = unlike_themselves(
        person=[0] * 4, about=[0, 1, 2, 3], earlier=[3] * 4, later=[3] * 4, points=(1, 2, 3)
    )
    assert found[0].numbers["kappa"] is None
    assert "weighted kappa not defined" in found[0].sentence


def test_nobody_is_compared_with_themselves():
    person = [0] * 10 + [1] * 10 + [2] * 10
    group = [*range(10)] * 3
    value = [1] * 10 + [1] * 10 + [5] * 10
    found = far_from_others(person=person, group=group, value=value, span=[4] * 30)
    assert found[2].value == 1.0
    assert found[0].value == 0.5


def test_answers_nobody_else_gave_are_left_out_of_the_distance():
    assert far_from_others(person=[0] * 12, group=[*range(12)], value=[1] * 12, span=[4] * 12) == {}


def _texts(person, *texts, units=None):
    units = units or range(len(texts))
    rows = zip(texts, units, strict=True)
    return [Written(person, n, unit, text) for n, (text, unit) in enumerate(rows, start=1)]


LONG = "The roof has the wrong shape for a house in Kathmandu"


def test_a_copied_text_is_found_through_case_space_and_punctuation():
    texts = _texts(0, LONG, LONG.upper() + "!", f"  {LONG} ", *(f"{LONG} {n}" for n in range(2)))
    found = copied_texts(texts)
    assert found[0].value == pytest.approx(0.4)
    assert found[0].screens == (2, 3)


def test_the_same_words_about_the_same_unit_are_no_copy():
    texts = _texts(0, LONG, LONG, *(f"{LONG} {n}" for n in range(3)), units=[7, 7, 1, 2, 3])
    assert copied_texts(texts)[0].value == 0


def test_short_texts_may_be_the_same():
    texts = _texts(0, *["Nothing wrong"] * 9)
    assert copied_texts(texts) == {}
    assert shared_texts([*texts, *_texts(1, "Nothing wrong")]) == {}


def test_texts_word_for_word_those_of_somebody_else_are_counted():
    found = shared_texts([*_texts(0, LONG, f"{LONG} too"), *_texts(1, f"{LONG}."), *_texts(2, "a")])
    assert found[0].value == found[1].value == 1
    assert found[0].sentence == "1 of 2 texts are word for word those of 1 other person."


def test_length_counts_letters_and_digits():
    assert normalised(" Ａ-b_ç 1! ") == "abç1"
    found = short_texts(_texts(0, "a...", "ab", "abc", "abcd", "abcde"))
    assert found[0].value == 3
