"""The size rule: exact decimals, shares and counts."""

from fractions import Fraction

import pytest

from clgraph import Graph, InputError
from clgraph.sampling.request import check_request
from clgraph.sizes import number_given, parse_size, real_number, target_size, whole_number


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


@pytest.mark.parametrize(
    "size",
    [
        "1e99999999",
        "1e-99999999",
        "1e99999999%",
        "9" * 5000,
        "0." + "3" * 5000,
        "\u00b2",
        "\u0663",
        "1_000",
        "3_0%",
    ],
)
def test_numbers_that_only_python_takes(size):
    with pytest.raises(InputError, match=r"size .*: give a share .*, or a count") as caught:
        parse_size(size)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("name", ["mix", "tolerance"])
@pytest.mark.parametrize(
    "value", ["1e99999999", "1e-99999999", "-1", "1_0", "\u0661", "1/0", "9" * 5000, "x"]
)
def test_options_that_are_no_numbers(name, value):
    graph = Graph.from_edges([0], [1])
    with pytest.raises(InputError, match=r"give a (number|probability)"):
        check_request(graph, "dhyb", {name: value})


def test_options_are_exact_numbers():
    graph = Graph.from_edges([0], [1])
    for value in ("4/5", " 0.8 ", 0.8, Fraction(4, 5), "8e-1"):
        assert check_request(graph, "dhyb", {"mix": value}).mix == Fraction(4, 5)


def test_whole_and_real_numbers():
    assert [whole_number(text) for text in ("7", "+07", "-3")] == [7, 7, -3]
    assert [real_number(text) for text in ("7", ".5", "-1e-3", "5.", "1e999")] == [
        7,
        0.5,
        -1e-3,
        5,
        float("inf"),
    ]
    for text in ("", "1_0", "\u0661", "\u00b2", "nan", "inf", "0x1", " 1", "1\n", "1e", "nan(0x1)"):
        assert whole_number(text) is None and real_number(text) is None


def test_numbers_that_python_does_not_print() -> None:
    huge = 10**5000
    assert number_given(huge) is None and number_given(" 0.25 ") == Fraction(1, 4)
    for size in (huge, -huge, 2**63):
        with pytest.raises(InputError, match="size"):
            parse_size(size)
    assert parse_size(2**63 - 1) == 2**63 - 1
