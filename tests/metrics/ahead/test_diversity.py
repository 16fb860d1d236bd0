"""DDIV and SDIV of cells, worked out by hand."""

from __future__ import annotations

import math

import pytest

from scoring.metrics.ahead.alignment import ALIGN, HAL
from scoring.metrics.ahead.diversity import DDIV, SDIV
from tests.metrics.ahead.plane import cell_rows, everywhere, item


def entropy(*shares: float) -> float:
    return -sum(share * math.log(share) for share in shares)


def cell(references, pictures, **how):
    return cell_rows(
        [item(str(n), references, everywhere(seen)) for n, seen in enumerate(pictures)], **how
    )


REFERENCES = {"attire": ["cap", "sari", "suit"]}


def test_ddiv_is_the_entropy_of_how_many_pictures_show_each_over_its_largest():
    # cap in two pictures, sari in one, suit in none: q = 2/3, 1/3, 0; largest log 3.
    rows = cell(REFERENCES, [{"attire": ["cap"]}, {"attire": ["cap"]}, {"attire": ["street"]}])
    assert rows[DDIV, "attire"].value == pytest.approx(entropy(2 / 3, 1 / 3) / math.log(3))
    assert rows[DDIV, "attire"].evidence == {"n_ref": 3, "pictures": {"cap": 2, "sari": 1}}


def test_ddiv_counts_pictures_and_not_the_descriptors_in_them():
    # The second picture names two things that match cap: it still is one picture.
    rows = cell(REFERENCES, [{"attire": ["cap"]}, {"attire": ["lamp", "cap"]}])
    assert rows[DDIV, "attire"].evidence["pictures"] == {"cap": 2}
    assert rows[DDIV, "attire"].value == 0.0


def test_ddiv_over_all_dimensions_is_that_of_the_union_and_not_the_mean():
    references = {"attire": ["cap", "suit"], "setting": ["street", "car"]}
    pictures = [
        {"attire": ["cap"], "setting": ["street"]},
        {"attire": ["cap"], "setting": ["car"]},
        {"attire": ["cap"]},
    ]
    rows = cell(references, pictures)
    assert rows[DDIV, "attire"].value == 0.0  # cap 3, suit 0
    assert rows[DDIV, "setting"].value == pytest.approx(1.0)  # 1 and 1
    union = entropy(3 / 5, 1 / 5, 1 / 5) / math.log(4)
    assert rows[DDIV, ""].value == pytest.approx(union)
    assert union != pytest.approx((0.0 + 1.0) / 2, abs=0.01)


def test_the_same_word_in_two_dimensions_is_two_expected_descriptors():
    rows = cell({"attire": ["cap"], "objects": ["cap"]}, [{"attire": ["cap"], "objects": ["cap"]}])
    assert rows[DDIV, ""].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("references", "seen", "reason"),
    [
        ({}, {"attire": ["cap"]}, "no_reference"),
        ({"attire": ["cap"]}, {"attire": ["cap"]}, "not_applicable"),
        ({"attire": ["cap", "lamp"]}, {"attire": ["suit"]}, "not_applicable"),
        ({"attire": ["cap", "lamp"]}, {}, "not_applicable"),
    ],
)
def test_ddiv_is_undefined_below_two_expected_descriptors_and_where_none_is_there(
    references, seen, reason
):
    rows = cell(references, [seen, seen])
    assert (rows[DDIV, ""].value, rows[DDIV, ""].reason) == (None, reason)


def test_pictures_that_were_never_described_have_no_ddiv_and_no_sdiv():
    rows = cell_rows([item("a", REFERENCES, {}), item("b", REFERENCES, {})])
    assert rows[DDIV, ""].reason == rows[SDIV, ""].reason == "no_prediction"


def test_sdiv_is_what_the_pictures_gain_by_being_seen_together():
    # Together cap and sari: 2/3. Alone 1/3 each.
    rows = cell(REFERENCES, [{"attire": ["cap"]}, {"attire": ["street"]}])
    assert rows[ALIGN, ""].value == pytest.approx(2 / 3)
    assert rows[SDIV, ""].value == pytest.approx(1 / 3)
    same = cell(REFERENCES, [{"attire": ["cap"]}, {"attire": ["cap"]}])
    assert same[SDIV, ""].value == pytest.approx(0.0)


def test_sdiv_of_one_picture_is_undefined():
    rows = cell(REFERENCES, [{"attire": ["cap"]}])
    assert (rows[SDIV, ""].value, rows[SDIV, ""].reason) == (None, "not_applicable")
    assert rows[SDIV, ""].evidence["why"] == "fewer than two pictures"


def test_a_picture_without_a_description_counts_neither_for_sdiv_nor_as_a_zero():
    described = [item(key, REFERENCES, everywhere({"attire": ["cap"]})) for key in "ab"]
    rows = cell_rows([*described, item("c", REFERENCES, {})])
    assert rows[SDIV, ""].evidence["n_pictures"] == 2
    assert rows[SDIV, ""].value == pytest.approx(0.0)
    assert rows[ALIGN, ""].evidence["n_pictures"] == 3
    assert rows[ALIGN, ""].evidence["n_described"] == 2


def test_align_and_hal_of_a_cell_are_those_of_the_union_with_exact_duplicates_once():
    rows = cell(REFERENCES, [{"attire": ["cap", "car"]}, {"attire": ["cap", "lamp"]}])
    # seen: cap, car, lamp; cap and lamp meet cap, car meets suit: nothing is hallucinated.
    assert rows[HAL, ""].value == 0.0
    assert rows[HAL, ""].evidence["n_pred"] == 3
    assert rows[ALIGN, ""].value == pytest.approx(2 / 3)  # cap and suit
