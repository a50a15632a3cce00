"""Numbers as the kernels read them: to the bit those of Python."""

import numpy as np
import pytest
from file_reading import agree, same_as
from graph_files import put

from clgraph import InputError
from clgraph.files import read
from clgraph.files.parse import POWERS, powers_of_five
from clgraph.files.read_ahead import LaunchConfig

WEIGHTS = [
    "0",
    "-0",
    "1",
    "+1",
    ".5",
    "5.",
    "00.10",
    "1e3",
    "1E-3",
    "1e+3",
    "-2.5e-7",
    "0e99999",
    "0.1",
    "0.3",
    "3.141592653589793",
    "1e22",
    "1e23",
    "123456789012345678",
    "1234567890123456789",
    "12345678901234567890",
    "9007199254740993",
    "9007199254740992.5",
    "9007199254740993.0000000000000001",
    "1.7976931348623157e308",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "5e-324",
    "2e-324",
    "1e-400",
    "4.9406564584124654e-324",
    "0.000000000000000000000000000000000000000000001",
    "8.5e-310",
    "6929495644600919.5",
    "3.7455744005952583e15",
    "2.5e-05",
    "1e-27",
    "1000000000000000000000000000000000000000000000000",
    "0.00000000000000000000000000000000000000000000000001e60",
]
# halfway between two doubles, but for the last digit
WEIGHTS.append("9355950000000000000." + "0" * 38 + "18446744073709551616" * 2 + "1")


def test_weights_are_those_of_python(device, tmp_path):
    path = put(tmp_path / "g.txt", "".join(f"{k} {k + 1} {text}\n" for k, text in enumerate(WEIGHTS)))
    assert agree(path, device, weights=True, directed=True) == "taken"
    rng = np.random.default_rng(5)
    numbers = rng.integers(0, 2**63, 30_000).view(np.float64)
    texts = [repr(x) for x in numbers[np.isfinite(numbers)].tolist()]
    texts += [f"{x:.17g}" for x in rng.random(10_000)] + [f"{x:.15f}" for x in rng.normal(0, 1e4, 10_000)]
    halves = rng.integers(2**53, 2**54, 5_000) | 1  # halfway between two doubles
    texts += [f"{x}" for x in halves] + [f"{x}e5" for x in halves[:500]] + [f"{x}e-3" for x in halves[:500]]
    path = put(tmp_path / "w.txt", "".join(f"{k} {k + 1} {text}\n" for k, text in enumerate(texts)))
    assert agree(path, device, shape=LaunchConfig(1 << 16, 2, 2), weights=True, directed=True) == "taken"
    same_as(read(path, weights=True, device=device), read(path, weights=True, device="host"))


def test_weights_of_loops_and_parallel_edges(device, tmp_path):
    rows = [(u, v, 0.1 * u - v / 7) for u in range(12) for v in range(u + 1)]
    single = "".join(f"{u} {3 * v} {w}\n" for u, v, w in rows)
    path = put(tmp_path / "g.txt", single)
    for directed, duplicates in ((False, "merge"), (True, "merge"), (False, "keep")):
        how = {"directed": directed, "duplicates": duplicates, "weights": True}
        path.write_text(single)
        assert agree(path, device, **how) == "taken"
        path.write_text(single + single * 12 + "0 0 5\n")
        assert agree(path, device, **how) == "taken"


@pytest.mark.parametrize("text", ["1e999", "nan", "-inf", "1_0", "0x1", "1e", "e5", ".", "-", "1.2.3", ""])
def test_weights_that_are_none(device, tmp_path, text):
    path = put(tmp_path / "g.txt", f"1 2 0.5\n3 4 {text}\n")
    assert agree(path, device, weights=True) not in ("taken", "")
    with pytest.raises(InputError, match="line 2: "):
        read(path, weights=True, device=device)


def test_the_powers_are_the_leading_bits():
    halves = powers_of_five().tolist()
    for k, q in enumerate(range(POWERS[0], POWERS[1] + 1)):
        number = halves[2 * k] << 64 | halves[2 * k + 1]
        assert number >> 127 == 1
        if q >= 0:
            assert number == (5**q << 128) >> (5**q).bit_length()
        else:  # 2^e / 5^-q, rounded up
            power = 5**-q
            up = power.bit_length() + 127
            assert (number - 1) * power < 1 << up <= number * power
