"""Files parsed, numbered and written by a device."""

import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from file_reading import agree, same_as
from graph_files import patched, with_sums
from graphs import tangle

from clgraph import Graph, InputError, read, write
from clgraph.files import columns, write_edges
from clgraph.files.clg import Sums
from clgraph.formats import edges

ONE, OTHER = Path("one.txt"), Path("other.txt")  # in the folder that a case runs in


def _read(device, text, form="edges", **how):
    ONE.write_bytes(text)
    assert agree(ONE, device, form, **how) == "taken"


def case_files_parse(device):
    """Rows with comments, blanks, loops and copies; ids with gaps, by a bitmap."""
    rows = b"".join(b"%d\t%d\r\n" % (7 * k % 50, 3 * k * k % 400) for k in range(40))
    _read(device, b"# head\n" + rows + b"  # in\n\n+3  4 x\n" + rows[:60] + b"\n5 5")


def case_files_weights(device):
    """Weights, one of which is left to the host."""
    rows = b"".join(b"%d %d %r\n" % (k, k + 1, 0.1 * k) for k in range(20)) + b"7 7 1\n3 40 1e-310\n"
    _read(device, rows, weights=True)


def case_files_wide(device):
    """Ids that are sorted."""
    _read(device, b"".join(b"%d %d\n" % (2**40 + 977 * k % 31, 10**12 * (k % 7)) for k in range(30)))


def case_files_matrix(device):
    """A Matrix Market file of whole numbers."""
    rows = b"".join(b"%d %d %d\n" % (k + 1, k // 2 + 1, k - 9) for k in range(30))
    head = b"%%MatrixMarket matrix coordinate integer symmetric\n30 30 30\n"
    _read(device, head + rows, "mtx", weights=True)


def case_files_lists(device):
    """METIS graphs: a ring with weights, and without."""
    pairs = [((v - 1) % 20 + 1, (v + 1) % 20 + 1) for v in range(20)]
    _read(device, b"20 20\n" + b"".join(b"%d %d\n" % pair for pair in pairs), "metis")
    _read(device, b"20 20 1\n" + b"".join(b"%d 7 %d 7\n" % pair for pair in pairs), "metis", weights=True)


def _spelt(device, graph):
    """An edge list as the device writes it."""
    spelling = write_edges.Spelling.of(graph, device, ONE)
    assert spelling is not None
    write_edges.write_edge_list(spelling, ONE)
    return ONE.read_bytes()


def case_files_spell_weights(device):
    """Weights written: short, long, whole, and with exponents."""
    weights = [0.1, -3.0, 0.0, 1e-5, 12345678901234567.0, 1 / 3, 1e300, 5e-324, 1e22, 0.00012]
    graph = Graph.from_edges(range(10), range(1, 11), weights=weights, directed=True)
    lines = [f"{k}\t{k + 1}\t{w!r}\n" for k, w in enumerate(weights)]
    assert _spelt(device, graph).decode() == "".join(lines)


def case_files_columns(device):
    """Columns written: whole numbers, floats and doubles."""
    whole = np.array([0, -1, 2**63 - 1, -(2**63), 12])
    three = whole, np.array([0.5, 1e-4, 3e-9, 0, 7], np.float32), np.array([0.1, 1e-5, 1 / 3, 5e-324, -2])
    for some in (three, (whole.astype(np.int32), *three[1:]), three[:2]):
        with tempfile.TemporaryFile() as file:
            columns.Spelling(device, some).write(file)
            file.seek(0)
            rows = ["\t".join(map(str, row)) + "\n" for row in zip(*some, strict=True)]
            assert file.read().decode() == "".join(rows)


def case_files_spell(device):
    """Edges written, with ids of one word, two and three."""
    ends = np.random.default_rng(3).integers(0, 30, (2, 50))
    for factor, directed in ((1, False), (10**9, True), (10**16, False)):
        graph = Graph.from_edges(*ends * factor, directed=directed)
        edges.write_edges(graph, OTHER)
        assert _spelt(device, graph) == OTHER.read_bytes()
    OTHER.write_bytes(b"0 70\n0 105\n70 2000000000\n")
    write(read(OTHER, device=device), ONE, device=device)  # ids that only the device has
    assert ONE.read_bytes() == OTHER.read_bytes().replace(b" ", b"\t")


def case_files_binary(device):
    """The binary form with weights, copies counted and ids; checksums by the device; a missing mirror."""
    graph = tangle(5, n=40, edges=120, weights=np.random.default_rng(1).random(120))
    graph, path = graph.with_ids(np.arange(40) * 3), Path("g.clg")
    write(graph, path)
    made = read(path, device=device, weights=True)
    assert made._residence is not None
    same_as(made, graph)
    path.write_bytes(with_sums(patched(path.read_bytes(), 8192, "<i", 1)))
    with pytest.raises(InputError):
        read(path, device=device)
    data = np.arange(1003, dtype=np.uint8)
    sums = Sums(device, 1003, here=False)
    sums.loaded(device.upload(data), 0, 1003)
    assert sums.all() == [zlib.crc32(data)]


def case_files_table(device):
    """An edge table, with ids of 32 bits and of 64."""
    import pyarrow as pa

    ends = np.random.default_rng(2).integers(0, 20, (2, 50))
    for factor in (1, 10**12):
        rows = pa.table({"source": ends[0] * factor, "target": ends[1] * factor, "weight": np.arange(50.0)})
        with pa.ipc.new_file("t.arrow", rows.schema) as writer:
            writer.write_table(rows, 20)
        how = {"weights": factor == 1, "duplicates": "keep"}
        same_as(read("t.arrow", device=device, **how), read("t.arrow", device="host", **how))
