"""Edge lists read on a device: what the host's reader makes of them, to the bit, or left to it."""

import gzip
import os
import random
import threading
from dataclasses import replace

import numpy as np
import pytest
from file_reading import agree, same_as
from fuzz.edge_lists import compare, edge_list_case
from graph_files import put, raising, unreadable

import clgraph.files.edge_list
from clgraph import get_device
from clgraph.csr.device_csr import SelectedIds
from clgraph.files import read
from clgraph.files.edge_list import number_vertices
from clgraph.files.parse import POWERS, Columns, Parser, powers_of_five
from clgraph.files.read_ahead import HEAD, LaunchConfig, Plain
from clgraph.files.summary import read_with_summary
from clgraph.formats.table import FORMATS
from clgraph.graph import building

TAKEN = {
    "plain": "1 2\n3 10\n2 3\n",
    "tabs": "1\t2\n3\t10\n2\t3\n",
    "commas": "1,2\n3,10\n2,3\n",
    "commas and blanks": "1, 2\n3 , 10\n \t2,3\t\n",
    "many blanks": "  1   2\n3 \t 10  \n\n2 3\n",
    "carriage returns": "1 2\r\n\r\n3 10\r\n# c\r\n2 3\r\n",
    "comments": "# a\n% b\n1 2\n% in\n# between\n3 10 # behind\n2 3% behind\n  # in\n",
    "comments of any bytes": b"1 2 # \xff\x00\x85\xa0\n#\x0c\x1c\n2 3\n",
    "no last line feed": "1 2\n3 10",
    "a carriage return at the end": "1 2\n3 10\r",
    "blank lines at the end": "1 2\n3 10\n\n \n\t",
    "more columns": "1 2 9 x\n3 10 \xff.;\n2 3\n",
    "words between": "x source y target\na 1 b-c 2\na 3 d 10\n",
    "header": "source,target\n1,2\n3,10\n",
    "columns of a header": "weight,Target,SOURCE\n5,2,1\n.5,10,3\n",
    "a byte order mark": "\ufeff1 2\n3 4\n",
    "a byte order mark and a header": "\ufefffrom,to\n1,2\n3,4\n",
    "signs": "+1 2\n+3 +10\n",
    "zeros in front": "0000000000000000000000001 2\n00 0003\n",
    "loops and copies": "1 1\n1 2\n2 1\n1 2\n3 3\n3 3\n0 2\n",
    "0 to n - 1": "0 1\n1 2\n2 0\n",
    "32 bits": "2147483647 2147483646\n0 7\n",
    "64 bits": "2147483648 1\n9223372036854775807 0\n1 0\n4294967297 1\n",
    "64 bits later": "1 2\n" * 60 + "3 2147483648\n",
    "wide gaps": "1 2000000000\n30 7\n2000000000 30\n",
    "one row": "5 5",
    "digits of all lengths": "".join(f"{10**k} {10**k + 7}\n" for k in range(19)),
}
LEFT = {
    "too few fields": "1 2\n3\n",
    "a word": "1 2\n3 x\n",
    "a negative id": "1 2\n3 -4\n",
    "beyond 64 bits": "1 2\n3 9223372036854775808\n",
    "20 digits": "1 2\n3 18446744073709551616\n",
    "many digits": "1 2\n3 " + "9" * 40 + "\n",
    "a fraction": "1 2\n3 4.0\n",
    "a NUL": b"1 2\n3 \x004\n",
    "a NUL behind": b"1 2\n3 4\x00\n",
    "an odd blank": "1 2\n3\x0c4\n",
    "an odd blank in front": b"1 2\n\xa03 4\n",
    "an odd blank between": b"x 1 2\nx\x853 4 5\n",
    "quotes": '"1","2"\n3,4\n',
    "quotes behind": '1,2\n3,4,"5\n',
    "an empty field": "1,2\n3,\n",
    "two numbers in a field": "1,2\n3 4,5\n",
    "a carriage return alone": "1 2\n3 4\r5 6\n",
    "a carriage return in a comment": "1 2\n# c\r3 4\n",
    "two carriage returns": "1 2\r\r\n3 4\n",
    "a comma after blanks": "1 2\n3,4\n",
    "half a comment": "1 2\n3 # 4\n",
}


@pytest.mark.smoke("3")
@pytest.mark.parametrize("block", [1, 2, 3, 64, None])
def test_rows_that_the_kernels_take(device, tmp_path, block):
    if block not in (None, 3) and device.kind == "emulator":
        pytest.skip("seconds for each build")
    for name, text in TAKEN.items():
        path = put(tmp_path / "g.txt", text)
        for directed, duplicates in ((False, "merge"), (True, "merge"), (False, "keep")):
            how = {"directed": directed, "duplicates": duplicates, "block": block}
            assert agree(path, device, **how) == "taken", name


@pytest.mark.parametrize("block", [1, 3, None])
def test_rows_that_are_left_to_the_host(device, tmp_path, block):
    if block not in (None, 3) and device.kind == "emulator":
        pytest.skip("seconds for each build")
    for name, text in LEFT.items():
        path = put(tmp_path / "g.txt", text)
        for more in ("", "7 8\n" * 100, "7,8\n" * 100):
            path.write_bytes(path.read_bytes() + more.encode())
            assert agree(path, device, block=block) not in ("taken", ""), name


def test_a_large_file(device, tmp_path):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 40_000, (120_000, 2))
    path = put(tmp_path / "g.txt", "".join(f"{u}\t{v}\n" for u, v in rows.tolist()))
    for shape in (None, LaunchConfig(chunk=70_000, ahead=3, threads=3)):
        assert agree(path, device, shape=shape) == "taken"
    sparse = put(tmp_path / "s.txt", "".join(f"{u * 99_999_999_977} {v}\n" for u, v in rows.tolist()))
    assert agree(sparse, device, shape=None, directed=True) == "taken"
    packed = put(tmp_path / "g.txt.gz", path.read_bytes())
    assert agree(packed, device, shape=LaunchConfig(chunk=70_000, ahead=3, threads=3)) == "taken"


def test_the_summary_says_where_it_was_read(device, tmp_path):
    path = put(tmp_path / "g.txt", "1 2\n2 1\n3 3\n")
    said = read_with_summary(path, device=device)[1]
    where = get_device("cpu") if device.is_fpga else device
    assert said.endswith(f"(3 rows; 1 merged as parallel; 1 self-loop; read on {where})")
    put(path, "1 2\n2 0x1\n" * 3 + "\n" * 4)
    unreadable(path, "line 2: '0x1'", device=device)
    put(path, "1 2\n2\x0c3\n")
    said = read_with_summary(path, device=device)[1]
    assert said.endswith("(2 rows; read on the host: 1 unusual row, the first is row 2)")
    assert "read on" not in read_with_summary(path)[1]  # a small one


def test_long_lines_are_left_to_the_host(device, tmp_path):
    for text in ("1 2 " + "x" * (HEAD + 200) + "\n3 4\n", "1 2\n" + " " * (HEAD + 300) + "3 4\n"):
        assert "long" in agree(put(tmp_path / "g.txt", text), device)
    assert agree(put(tmp_path / "g.txt", "1 2\n3 4" + " " * 9000 + "\n5 6\n"), device) == "taken"


def test_a_file_that_becomes_shorter(device, tmp_path, monkeypatch):
    path = put(tmp_path / "g.txt", "10 20\n" * 4000)
    parts = Plain.parts

    def cut(self, length):
        os.truncate(path, 9_000)
        return parts(self, length)

    monkeypatch.setattr(Plain, "parts", cut)
    unreadable(path, r"g\.txt: became shorter while it was read .* of 24000", device=device)


def test_damaged_gzip(device, tmp_path):
    packed = gzip.compress(b"1 2\n3 4\n" * 1000)
    path = tmp_path / "g.txt.gz"
    for data in (
        packed[:-9],
        packed[: len(packed) // 2],
        packed + b"junk",
        packed[:30] + b"\0" + packed[31:],
    ):
        path.write_bytes(data)
        assert agree(path, device) in ("refused", "taken")
    path.write_bytes(packed + packed)
    assert agree(path, device, duplicates="keep") == "taken"


def test_an_interrupt_ends_the_threads(device, tmp_path, monkeypatch):
    monkeypatch.setattr(Parser, "_grow", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        read(put(tmp_path / "g.txt", "1 2\n" * 9), device=device)
    assert not [each for each in threading.enumerate() if each.name.startswith("clgraph-read")]


def test_fuzzed_rows(device, tmp_path):
    """A share of what ``python tests/fuzz --only 'device edges'`` makes."""
    for number in range(50):
        case = edge_list_case("device edges", random.Random(f"t/{number}"))
        case.write(tmp_path)
        compare(case, tmp_path, device)


def test_the_host_has_no_part_in_it(device, tmp_path, monkeypatch):
    path = put(tmp_path / "g.txt", "1 2\n2 3\n")
    wanted = read(path, device="host")
    monkeypatch.setitem(FORMATS, "edges", replace(FORMATS["edges"], module="none"))
    same_as(read(path, device=device), wanted)


# --- numbers: to the bit those of Python ------------------------------------------------------------------

WEIGHTS = """
0 -0 1 +1 .5 5. 00.10 1e3 1E-3 1e+3 -2.5e-7 0e99999 0.1 0.3 3.141592653589793 1e22 1e23
123456789012345678 1234567890123456789 12345678901234567890 9007199254740993 9007199254740992.5
9007199254740993.0000000000000001 1.7976931348623157e308 2.2250738585072014e-308
2.2250738585072011e-308 5e-324 2e-324 1e-400 4.9406564584124654e-324
0.000000000000000000000000000000000000000000001 8.5e-310 6929495644600919.5 3.7455744005952583e15
2.5e-05 1e-27 1000000000000000000000000000000000000000000000000
0.00000000000000000000000000000000000000000000000001e60
"""
# halfway between two doubles, but for the last digit
HALFWAY = "9355950000000000000." + "0" * 38 + "18446744073709551616" * 2 + "1"


def test_weights_are_those_of_python(device, tmp_path):
    def rows(texts):
        return "".join(f"{k} {k + 1} {text}\n" for k, text in enumerate(texts))

    path = put(tmp_path / "g.txt", rows([*WEIGHTS.split(), HALFWAY]))
    assert agree(path, device, weights=True, directed=True) == "taken"
    rng = np.random.default_rng(5)
    numbers = rng.integers(0, 2**63, 30_000).view(np.float64)
    texts = [repr(x) for x in numbers[np.isfinite(numbers)].tolist()]
    texts += [f"{x:.17g}" for x in rng.random(10_000)] + [f"{x:.15f}" for x in rng.normal(0, 1e4, 10_000)]
    halves = rng.integers(2**53, 2**54, 5_000) | 1  # halfway between two doubles
    texts += [f"{x}" for x in halves] + [f"{x}e5" for x in halves[:500]] + [f"{x}e-3" for x in halves[:500]]
    path = put(tmp_path / "w.txt", rows(texts))
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
    unreadable(path, "line 2: ", weights=True, device=device)


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


# --- vertices numbered: as the host numbers them ----------------------------------------------------------


@pytest.mark.parametrize("way", ["bitmap", "sorted", "either"])
@pytest.mark.parametrize(("rows", "top"), [(1, 1), (5, 3), (400, 300), (3000, 10**6), (70_000, 50_000)])
def test_numbers(device, monkeypatch, way, rows, top):
    if way != "either":
        most = 0 if way == "sorted" else 10**6
        monkeypatch.setattr(clgraph.files.edge_list, "BITS_PER_ROW", most)
        monkeypatch.setattr(clgraph.files.edge_list, "BITS_FLOOR", most)
    check(device, np.random.default_rng(rows).integers(0, top, (2, rows)).astype(np.int32))


def test_identity_and_one_gap(device):
    for ids in (range(64), range(1, 65), [*range(31), 95], [0, 32, 64, 2**31 - 1]):
        check(device, np.array([ids, ids], np.int32))


@pytest.mark.parametrize("top", [2**31 + 1, 2**40, 2**63 - 1])
def test_ids_of_64_bits(device, top):
    ends = np.random.default_rng(1).integers(0, top, (2, 5000))
    ends[:, 1000:3000] = ends[::-1, :2000]
    ends[0, 7] = top
    check(device, ends)


def check(device, ends):
    n, ids, tail, head = building.number_vertices(ends[0], ends[1])
    uploaded = [device.upload(end.copy(), writable=True) for end in ends]
    highest = int(ends.max())
    kind = ends.dtype.type
    columns = Columns(uploaded[0], uploaded[1], None, ends.shape[1], kind, highest, 0)
    found = number_vertices(device, columns)
    assert found.n == n
    assert device.download(found.source, np.int32, len(tail)).tolist() == tail.tolist()
    assert device.download(found.target, np.int32, len(head)).tolist() == head.tolist()
    assert found.ids is not None or ids is None
    if found.ids is not None:
        wanted = list(range(n)) if ids is None else ids.tolist()
        assert (found.ids.ids(device) if isinstance(found.ids, SelectedIds) else found.ids).tolist() == wanted
