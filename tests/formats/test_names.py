"""Edge lists whose ids are text: Arrow's columns are those of the scanner, or the file is left to it."""

import random

import numpy as np
import pytest
from graph_files import put
from graphs import same

import clgraph.formats.text_table
from clgraph import InputError
from clgraph.formats.common import Options
from clgraph.formats.edges import read_edges
from clgraph.formats.text_table import Layout, read_integers, read_names

TAKEN = {
    "blanks": "b a\na c\nb a\n",
    "tabs": "b x\ta\r\na\tc d\r\n",
    "commas": "b,a\na,c\n\n\na,b",
    "quotes": '"b,1",a\r\na,"c ""d"""\n"é",a\n""""""""" q""",a\n',
    "a header": "source,target,w\nb,a,1\na,c,x\n",
    "columns of a header": "target,w,source\nb,1e-3,a\na,.5,c\n",
    "weights": "b a 1\na c 0.1\na b -2e5\n",
    "comments in front": "# c\n% d\n\nb a\na c\n",
    "order": "é a\nZ z\n\U0001f600 \uffff\n10 9\n",
}
LEFT = {
    "a comment": "b a\n# c\na c\n",
    "a comment of two words": "b a\n# c d e\na c\n",
    "one that looks like a row": "b a\n#c d\na c\n",
    "two blanks": "b  a\na c\n",
    "a blank in front": "b a\n a c\n",
    "another blank": "b a\na\tc\n",
    "an odd blank": "b\xa0 a\na c\n",
    "an empty field": "b,a\na,\n",
    "blanks around commas": "b, a\na,c\n",
    "rows of two lengths": "b a\na c d\n",
    "half a row": "b a\nc\n",
    "a carriage return": "b a\na c\rd e\n",
    "a NUL": "b a\na \0c\n",
    "a byte order mark": "\ufeffb a\na c\n",
    "no UTF-8": b"b a x\na c \xff\n",
    "no UTF-8 in a name": b"b a\na \xffc\n",
    "quotes that do not match": '"b,a\na",c\n',
    "quotes inside": 'b"c"d,a\na,c\n',
    "quotes that end early": '"b"d,a\na,c\n',
    "a comment in quotes": '"#b",a\na,c\n',
    "blanks in quotes": '" b",a\na,c\n',
}
WEIGHTED = ("weights", "columns of a header")


def agree(path, **how):
    """Whether Arrow takes a file; fails unless the scanner makes the same of it."""
    pytest.importorskip("pyarrow")
    results = []
    for small in (1 << 40, 0):
        clgraph.formats.text_table.SMALL = small
        try:
            results.append(read_edges(path, Options(ids="str", **how)))
        except InputError as error:
            results.append(str(error))
    scanned, made = results
    if isinstance(scanned, str) or isinstance(made, str):
        assert made == scanned
        return False
    same(made.graph, scanned.graph)
    assert made.graph.ids.tolist() == scanned.graph.ids.tolist()
    assert set(map(type, made.graph.ids)) == {str}
    if scanned.graph.weights is not None:
        assert made.graph.weights.tobytes() == scanned.graph.weights.tobytes()
    assert (made.rows, made.notes) == (scanned.rows, scanned.notes)
    return True


@pytest.fixture(autouse=True)
def _restored(monkeypatch):
    monkeypatch.setattr(clgraph.formats.text_table, "SMALL", clgraph.formats.text_table.SMALL)


@pytest.fixture
def taken(monkeypatch):
    """Whether each file so far was taken."""
    seen = []

    def noted(*given):
        found = read_names(*given)
        seen.append(found is not None)
        return found

    monkeypatch.setattr("clgraph.formats.edges.read_names", noted)
    return seen


def test_rows_that_arrow_takes(tmp_path, taken):
    for name, text in TAKEN.items():
        for suffix in (".txt", ".txt.gz"):
            path = put(tmp_path / f"g{suffix}", text)
            for directed, duplicates in ((False, "merge"), (True, "keep")):
                how = {"directed": directed, "duplicates": duplicates, "weights": name in WEIGHTED}
                assert agree(path, header="header" in name, **how), name
                assert taken[-1], name


def test_rows_that_are_left(tmp_path, taken):
    for name, text in LEFT.items():
        agree(put(tmp_path / "g.txt", text))
        assert not taken or not taken[-1], name
    for text in ("b a nan\n", "b a 1_0\n", "b a x\n", "b a 1\nc d\n", "b a NULL\n", "b a inf\n"):
        agree(put(tmp_path / "g.txt", text), weights=True)
        assert not taken[-1], text


def test_weights_of_all_forms(tmp_path):
    forms = "+1 1. .5 -0 1e400 1e-400 0x10 1e 1d3 -.5e-3 00012 1e+5 ++1 1,5 infinity 0.1e1"
    for form in (
        *forms.split(),
        "123456789012345678901234567",
        "9007199254740993",
        "2.2250738585072011e-308",
    ):
        agree(put(tmp_path / "g.txt", f"b a {form}\nb a 2\n"), weights=True, duplicates="keep")


def test_rows_of_random_pieces(tmp_path, taken):
    words = ["a", "b", "é", "10", "x y", "#", "%z", '"', '"q"', '""', '"a,b"', "", " ", "\t", "\xa0", "\r"]
    for number in range(600):
        rng = random.Random(f"n/{number}")
        mark = rng.choice((" ", "\t", ",", ","))
        few = words[: rng.choice((4, 5, 9, 15, 16, 16))]
        width = rng.choice((2, 2, 3))
        lines = [
            mark.join(rng.choice(few) for _ in range(width if rng.random() < 0.98 else rng.randrange(4)))
            for _ in range(rng.choice((1, 2, 4, 8)))
        ]
        end = rng.choice(("\n", "\n", "\r\n"))
        agree(put(tmp_path / "g.txt", end.join(lines) + rng.choice(("", end, end + end))))
    assert 60 < sum(taken) < 550


# --- the fast parser of plain integers ----------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 5, 7, 30, 1000])
def test_blocks_of_any_size_are_parsed_alike(tmp_path, size, monkeypatch):
    rng = np.random.default_rng(1)
    values = 10 ** rng.integers(0, 16, (200, 3)) + rng.integers(0, 10, (200, 3)) - 1
    path = put(tmp_path / "x.txt", "\n".join(f"{a}\t{b} {c}" for a, b, c in values.tolist()))
    monkeypatch.setattr("clgraph.formats.text_table.BLOCK", max(size, 48))
    found = read_integers(path, Layout((2, 0), 3, 0))
    assert found is not None
    assert np.array_equal(found[0], values[:, 2]) and np.array_equal(found[1], values[:, 0])


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n-3 4\n",
        "1 2\n3\n4\n5 6\n",
        "1 2\n#\n",
        "1 2\n\n3 4\n",
        "1  2\n",
        "1 2 \n",
        "1 x\n",
        "1 2 3\n4\n",
        "1 12345678901234567\n",
        "1,2\n",
        "1 \u00e9\n",
        "1 2\r3 4\r",
    ],
)
def test_what_is_not_plain_is_left_to_others(tmp_path, text):
    assert read_integers(put(tmp_path / "x.txt", text), Layout((0, 1), 2, 0)) is None
