"""Numbers of files: read to the last digit, or refused with how to write them."""

import math

import pytest

from studies.external.numbers import NoNumberError, exact, real


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("0.1", 0.1),
        ("-0", 0.0),
        ("0.00", 0.0),
        ("0e-999", 0.0),
        ("1e-310", 1e-310),
        ("5e-324", 5e-324),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("9007199254740993", 9007199254740992.0),
    ],
)
def test_a_number_is_the_nearest_there_is(said, number):
    assert real(said) == number


def test_nan_and_infinities_are_for_the_caller_to_refuse():
    assert math.isnan(real("nan"))
    assert real("-inf") == -math.inf
    assert exact("nan") is None and exact("inf") is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("1_0", "no number"),
        ("0,5", "Write decimals with a point"),
        ("high", "no number"),
        ("1e-400", "nearer to 0"),
        ("-1e-999999999", "nearer to 0"),
        ("1.2.3", "no number"),
    ],
)
def test_what_would_become_another_number_is_refused(said, why):
    with pytest.raises(NoNumberError, match=why):
        real(said)
