"""Matrix Market, METIS and LDBC files read on a device: as the host reads them, or left to the host."""

import itertools
import random

import numpy as np
import pytest
from file_reading import agree
from fuzz.edge_lists import compare, parsed_case
from graph_files import BANNER, put, unreadable
from graphs import random_graph, tangle

from clgraph import get_device
from clgraph.files import write
from clgraph.files.read_ahead import LaunchConfig
from clgraph.files.summary import read_with_summary
from clgraph.formats.table import FORMATS

PATTERN, REAL, INTEGER = (f"{BANNER}{field} general\n" for field in ("pattern", "real", "integer"))
ENTRIES = "3 1\n2 1\n3 2\n3 3\n"
MATRICES = {
    "pattern": PATTERN + "3 3 4\n" + ENTRIES,
    "symmetric": BANNER + "pattern symmetric\n% c\n\n3 3 4\n" + ENTRIES,
    "blanks": PATTERN + "3 3 4\n\n  3\t1 \r\n\r\n2 1\r\n03 2\n  \n3 3",
    "real": BANNER + "real symmetric\n3 3 3\n2 1 .5\n3 1 -1e-3\n3 3 5.\n",
    "a hard weight": REAL + "3 3 3\n2 1 1e-310\n3 1 0.1\n2 3 9007199254740992.5\n",
    "integer": BANNER + "integer symmetric\n3 3 3\n2 1 -0\n3 1 -7\n3 3 9223372036854775807\n",
    "copies": INTEGER + "3 3 4\n2 1 1\n2 1 5\n1 2 7\n3 1 2\n",
}
LEFT_MATRICES = {
    "a comment": PATTERN + "3 3 2\n3 1\n% c\n2 1\n",
    "a plus": PATTERN + "3 3 2\n3 1\n+2 1\n",
    "a plus on a weight": REAL + "3 3 2\n3 1 1\n2 1 +5\n",
    "more columns": PATTERN + "3 3 2\n3 1\n2 1 x\n",
    "a word": REAL + "3 3 2\n3 1 1\n2 1 x\n",
    "zero": PATTERN + "3 3 2\n3 1\n2 0\n",
    "beyond": PATTERN + "3 3 2\n3 1\n2 4\n",
    "far beyond": PATTERN + "3 3 2\n3 1\n2 99999999999\n",
    "a fraction": INTEGER + "3 3 2\n3 1 1\n2 1 1.5\n",
    "beyond 64 bits": INTEGER + "3 3 2\n3 1 1\n2 1 9223372036854775808\n",
    "an infinity": REAL + "3 3 2\n3 1 1\n2 1 inf\n",
    "fewer rows": PATTERN + "3 3 3\n3 1\n2 1\n",
    "more rows": PATTERN + "3 3 1\n3 1\n2 1\n",
    "none": PATTERN + "3 3 0\n",
    "above the diagonal": BANNER + "real symmetric\n3 3 2\n3 1 1\n1 2 2\n",
    "skew": BANNER + "real skew-symmetric\n3 3 2\n3 1 1\n2 1 2\n",
    "unsigned": BANNER + "unsigned-integer general\n3 3 2\n3 1 1\n2 1 99999999999999999999\n",
    "pairs of numbers": BANNER + "complex general\n3 3 1\n3 1 1 0\n",
}
LISTS = {
    "plain": "4 3\n2 3\n1 3\n2 1\n\n",
    "blanks": "% c\n\n4 3 000\n  2\t3 \r\n01 3\r\n2 1\n \n",
    "weights": "4 3 1\n2 9 3 8\n1 9 3 7\n2 7 1 8\n\n",
    "loops": "2 2\n1 2\n1\n",
    "copies": "3 4\n2 2 3\n1 1 3\n1 2\n",
    "more lines": "2 1\n2\n1\n\n \n",
}
LEFT_LISTS = {
    "sizes of vertices": "2 1 10\n5 2\n5 1\n",
    "a comment": "2 1\n2\n% c\n1\n",
    "a plus": "2 1\n+2\n1\n",
    "a word": "2 1\n2\nx\n",
    "an odd blank": "2 1\n2\x0c\n1\n",
    "a carriage return": "2 1\n2\r1\n1\n",
    "outside": "2 1\n3\n1\n",
    "zero": "2 1\n0\n1\n",
    "too large": "2 1\n2\n99999999999999999999999999999999\n",
    "no twin": "3 2\n2 3\n1\n\n",
    "another weight": "2 1 1\n2 5\n1 6\n",
    "no weight": "2 2 1\n2 5 1\n1 5\n",
    "a weight that is missing, and one on the next line": "2 1 1\n2\n5 1 5\n",
    "as many lines": "2 1\n2\n1\n1\n",
    "fewer lines": "4 1\n2\n1\n",
    "another count": "2 2\n2\n1\n",
    "nobody": "2 0\n\n\n",
    "copies with weights": "2 2 1\n2 5 2 6\n1 5 1 6\n",
}
VERTICES = "7\n1\n30\n4\n"
EDGES = {
    "plain": (VERTICES, "1 7\n30 1\n", "true"),
    "weights": (VERTICES, "1 7 .5\n30 1 2\n7 1 3\n1 1 0\n", "false"),
    "0 to n - 1": ("2\n0\n1\n", "0 1\n", "true"),
    "wide": ("5000000000\n1\n3\n", "1 3\n", "true"),
    "wide edges": ("5000000000\n1\n3\n", "1 5000000000\n", "true"),
}
LEFT_EDGES = {
    "not listed": (VERTICES, "1 7\n30 2\n", "true"),
    "listed twice": (VERTICES + "7\n", "1 7\n", "true"),
    "no rows": (VERTICES, "", "true"),
    "no vertices": ("", "1 7\n", "true"),
    "a word": (VERTICES, "1 7\n30 x\n", "true"),
}


FILES = {
    ("mtx", True): MATRICES,
    ("mtx", False): LEFT_MATRICES,
    ("metis", True): LISTS,
    ("metis", False): LEFT_LISTS,
    ("ldbc", True): EDGES,
    ("ldbc", False): LEFT_EDGES,
}
LEFT_HOW = ("a symmetric matrix as a directed graph", "parallel edges")  # which options leave to the host


@pytest.mark.parametrize(("form", "taken"), FILES)
def test_in_blocks_of_all_sizes_with_all_options(device, tmp_path, form, taken):
    for name, content in FILES[form, taken].items():
        text, weighted = content, "weight" in name
        if form == "ldbc":
            vertices, text, directed = content
            put(tmp_path / "g.v", vertices)
            put(tmp_path / "g.properties", f"graph.g.directed = {directed}\n")
        elif form == "mtx":
            weighted = "pattern" not in text and "complex" not in text
        path = put(tmp_path / f"g{FORMATS[form].suffixes[form == 'ldbc']}", text)  # .v, .e
        blocks = (3,) if device.kind == "emulator" else (1, 3, None)
        ways = (None, False, True), ("merge", "keep"), (False, True) if weighted else (False,)
        for block, directed, duplicates, weights in itertools.product(blocks, *ways):
            how = {"directed": directed, "duplicates": duplicates, "weights": weights}
            said = agree(path, device, form, block=block, **how)
            assert (said == "taken") == taken or (taken and said in LEFT_HOW), (name, how, said)


def test_larger_files(device, tmp_path):
    """Lines that are longer than a piece, ids with gaps; plain and by gzip."""
    ids = np.sort(np.random.default_rng(1).choice(10**6, 4000, replace=False))
    for graph in (
        random_graph(3, 4000, 30_000).with_ids(ids).without_self_loops,
        tangle(2).without_self_loops,
    ):
        for suffix in (".mtx", ".graph", ".e", ".mtx.gz", ".graph.gz"):
            path = tmp_path / f"g{suffix}"
            write(graph, path, device="host")
            form = {".mtx": "mtx", ".graph": "metis", ".e": "ldbc"}[suffix.removesuffix(".gz")]
            for shape in (LaunchConfig(chunk=5000, ahead=3, threads=3), None):
                assert agree(path, device, form, shape=shape) == "taken", suffix


def test_fuzzed_files(device, tmp_path):
    """A share of what ``python tests/fuzz --only 'device files'`` makes."""
    taken = 0
    for number in range(60):
        case = parsed_case("device files", random.Random(f"t/{number}"))
        folder = tmp_path / f"{number}"
        folder.mkdir()
        case.write(folder)
        taken += compare(case, folder, device)
    assert taken > 5


def test_lines_longer_than_a_piece(device, tmp_path):
    hub = "9001 9000\n" + " ".join(map(str, range(2, 9002))) + "\n" + "1\n" * 9000
    assert agree(put(tmp_path / "hub.graph", hub), device, "metis", shape=LaunchConfig(300, 2, 1)) == "taken"


def test_the_summary_says_where_lists_were_read(device, tmp_path):
    where = get_device("cpu") if device.is_fpga else device
    path = put(tmp_path / "g.graph", LISTS["weights"])
    said = read_with_summary(path, device=device)[1]
    assert said.endswith(f"3 edges (6 entries; read on {where}; skipped: edge weights)")
    put(path, LEFT_LISTS["sizes of vertices"])
    assert "read on the host: weights of vertices" in read_with_summary(path, device=device)[1]
    put(path, LEFT_LISTS["no twin"])
    unreadable(path, "line 2: vertex 1 lists 3, but vertex 3", device=device)
