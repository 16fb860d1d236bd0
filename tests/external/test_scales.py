"""Scales as they are declared, and the values that answers are stored as."""

import pytest

from annotation.external.scales import LARGEST, declared
from studies.external.records import ImportRefusedError


def stored(written: str) -> list[int]:
    return [value for value, _ in declared(written).points]


def test_points_with_decimals_are_found_by_their_number():
    scale = declared("0,0.5,1")
    assert [scale.value(said) for said in ("0.5", "0.50", "1.0", "5e-1", "0.25")] == [
        1, 1, 2, 1, None,
    ]  # fmt: skip
    spelled = declared("0.00,0.50,1.00")
    assert [spelled.value(said) for said in ("0", "0.5", "1", "0.51")] == [0, 1, 2, None]


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("1-5", [1, 2, 3, 4, 5]),
        ("-1,0,3", [-1, 0, 3]),
        ("1.0,2.0,3.0", [1, 2, 3]),
        ("0,0.5,1", [0, 1, 2]),
        ("0,0.3,1", [0, 3, 10]),
        ("0.5,1,1.5", [1, 2, 3]),
        ("1,1.5,3", [2, 3, 6]),
        ("-1,-0.5,0", [-2, -1, 0]),
        ("0,0.33,0.67,1", [0, 33, 67, 100]),
        ("0,0.3333333333333333,0.6666666666666666,1.0", [0, 1, 2, 3]),
        ("100000,200000,400000", [1, 2, 4]),
        ("0|0,3|1", [0, 3, 10]),
        ("no,partly,yes", [0, 1, 2]),
    ],
)
def test_distances_and_ratios_of_points_stay(written, values):
    """Interval and ratio coefficients, means and correlations rest on them."""
    assert stored(written) == values


def test_points_with_commas_stand_between_bars_and_come_back_as_they_were():
    scale = declared("no|yes, a little|yes")
    assert [scale.value(said) for said in ("no", "yes, a little", "yes")] == [0, 1, 2]
    assert declared(scale.words) == scale


def test_decimal_commas_count_where_the_scale_has_them():
    scale = declared("0|0,5|1")
    assert [scale.value(said) for said in ("0,5", "0,50", "1,0", "0.5", "1,5")] == [
        1, 1, 2, 1, None,
    ]  # fmt: skip
    assert declared("1-5").value("1,0") is None


@pytest.mark.parametrize(
    "said", ["nan", "inf", "-Infinity", "snan", "1_0", "1e999999999", "", "１"]
)
def test_what_is_no_number_is_no_point(said):
    assert declared("0.5,2,10").value(said) is None


@pytest.mark.parametrize("written", ["1-5", "0,0.5,1", "no,partly,yes", "1,3,5", "0|0,3|1"])
def test_a_scale_s_words_declare_it_again(written):
    scale = declared(written)
    assert [declared(scale.words).value(label) for label in scale.values] == [
        *scale.values.values()
    ]


@pytest.mark.parametrize(
    "written",
    [
        *("5-1", "1", "", "1,1", "1,01", "5,4", "a|", "1-500"),
        *("1,0.5,0", "0.5,0.50", "0,0.000001,1", "0,1e99999999,1", f"0,0.5,{LARGEST}"),
    ],
)
def test_what_is_no_scale_is_refused(written):
    with pytest.raises(ImportRefusedError):
        declared(written)
