"""The size rule: exact decimals, shares and counts."""

from fractions import Fraction

import pytest

from clgraph import InputError
from clgraph.sizes import parse_size, target_size


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0.3, Fraction(3, 10)),
        ("0.3", Fraction(3, 10)),
        ("30%", Fraction(3, 10)),
        (" 12.5 % ", Fraction(1, 8)),
        (5000, 5000),
        ("5000", 5000),
        (1, 1),
        ("1", 1),
        (1.0, Fraction(1)),
        ("1.0", Fraction(1)),
        ("100%", Fraction(1)),
        ("1e-3", Fraction(1, 1000)),
    ],
)
def test_parse(size, expected):
    assert parse_size(size) == expected


def test_shares_are_rounded_half_up_exactly():
    assert target_size(0.1, 25) == 3  # 2.5 rounds up
    assert target_size("7%", 50) == 4
    assert target_size(0.29, 100) == 29  # 0.29 * 100 is 28.999999999999996 in binary
    assert target_size(1.0, 7) == 7
    assert target_size(1, 7) == 1
    assert target_size(99, 7) == 99


@pytest.mark.parametrize(
    "size", [0, -3, "0", "0%", 0.0, -0.5, "150%", 1.5, "nan", "inf", "many", "", None, True, "5 0"]
)
def test_bad_sizes(size):
    with pytest.raises(InputError):
        target_size(size, 100)


def test_less_than_one_vertex():
    with pytest.raises(InputError, match="less than one vertex"):
        target_size("1%", 10)
