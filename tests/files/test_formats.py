"""Matrix Market, METIS and LDBC files read on a device: as the host reads them, or left to the host."""

import random

import numpy as np
import pytest
from file_reading import agree, in_every_way
from fuzz.edge_lists import compare, parsed_case
from graph_files import BANNER, put
from graphs import random_graph, tangle

from clgraph.files import write
from clgraph.files.read_ahead import LaunchConfig

ENTRIES = "3 1\n2 1\n3 2\n3 3\n"
MATRICES = {
    "pattern": BANNER + "pattern general\n3 3 4\n" + ENTRIES,
    "symmetric": BANNER + "pattern symmetric\n% c\n\n3 3 4\n" + ENTRIES,
    "blanks": BANNER + "pattern general\n3 3 4\n\n  3\t1 \r\n\r\n2 1\r\n03 2\n  \n3 3",
    "real": BANNER + "real symmetric\n3 3 3\n2 1 .5\n3 1 -1e-3\n3 3 5.\n",
    "a hard weight": BANNER + "real general\n3 3 3\n2 1 1e-310\n3 1 0.1\n2 3 9007199254740992.5\n",
    "integer": BANNER + "integer symmetric\n3 3 3\n2 1 -0\n3 1 -7\n3 3 9223372036854775807\n",
    "copies": BANNER + "integer general\n3 3 4\n2 1 1\n2 1 5\n1 2 7\n3 1 2\n",
}
LEFT_MATRICES = {
    "a comment": BANNER + "pattern general\n3 3 2\n3 1\n% c\n2 1\n",
    "a plus": BANNER + "pattern general\n3 3 2\n3 1\n+2 1\n",
    "a plus on a weight": BANNER + "real general\n3 3 2\n3 1 1\n2 1 +5\n",
    "more columns": BANNER + "pattern general\n3 3 2\n3 1\n2 1 x\n",
    "a word": BANNER + "real general\n3 3 2\n3 1 1\n2 1 x\n",
    "zero": BANNER + "pattern general\n3 3 2\n3 1\n2 0\n",
    "beyond": BANNER + "pattern general\n3 3 2\n3 1\n2 4\n",
    "far beyond": BANNER + "pattern general\n3 3 2\n3 1\n2 99999999999\n",
    "a fraction": BANNER + "integer general\n3 3 2\n3 1 1\n2 1 1.5\n",
    "beyond 64 bits": BANNER + "integer general\n3 3 2\n3 1 1\n2 1 9223372036854775808\n",
    "an infinity": BANNER + "real general\n3 3 2\n3 1 1\n2 1 inf\n",
    "fewer rows": BANNER + "pattern general\n3 3 3\n3 1\n2 1\n",
    "more rows": BANNER + "pattern general\n3 3 1\n3 1\n2 1\n",
    "none": BANNER + "pattern general\n3 3 0\n",
    "above the diagonal": BANNER + "real symmetric\n3 3 2\n3 1 1\n1 2 2\n",
    "skew": BANNER + "real skew-symmetric\n3 3 2\n3 1 1\n2 1 2\n",
    "unsigned": BANNER + "unsigned-integer general\n3 3 2\n3 1 1\n2 1 99999999999999999999\n",
    "pairs of numbers": BANNER + "complex general\n3 3 1\n3 1 1 0\n",
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


@pytest.mark.parametrize("taken", [True, False])
def test_matrix_market(device, tmp_path, taken):
    for name, text in (MATRICES if taken else LEFT_MATRICES).items():
        in_every_way(
            put(tmp_path / "g.mtx", text),
            device,
            "mtx",
            taken,
            name,
            weighted="pattern" not in text and "complex" not in text,
        )


@pytest.mark.parametrize("taken", [True, False])
def test_ldbc(device, tmp_path, taken):
    for name, (vertices, edges, directed) in (EDGES if taken else LEFT_EDGES).items():
        put(tmp_path / "g.v", vertices)
        put(tmp_path / "g.properties", f"graph.g.directed = {directed}\n")
        in_every_way(put(tmp_path / "g.e", edges), device, "ldbc", taken, name, weighted=name == "weights")


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
