"""Graphs and files that the tests of formats share."""

import gzip
import struct
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from clgraph import Graph, InputError
from clgraph.files import read

PAGE = 4096
BANNER = "%%MatrixMarket matrix coordinate "
PATTERN = BANNER + "pattern general\n"
JLG = "4,3,u,small\n1,2\n2,3\n2,2\n"

GRAPHS = {
    "plain": Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0]),
    "directed": Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True),
    "gaps": Graph.from_edges([7, 1000000, 30], [10, 7, 10]),
    "large ids": Graph.from_edges([2**62, 5], [5, 2**63 - 1], directed=True),
    "strings": Graph.from_edges(["b", "a"], ["a", "zo\u00eb"]),
    "loops": Graph.from_edges([1, 2, 2], [1, 2, 3]),
    "weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[1.0, 3.0, 12.0]),
    "odd weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[0.1, -1e-300, 1 / 3], directed=True),
    "isolated": Graph.from_edges([4], [2], vertices=[1, 2, 3, 4, 5]),
    "no edges": Graph.from_edges([], [], vertices=[1, 2, 3]),
    "weights of no edges": Graph.from_edges([], [], weights=[], vertices=[1, 2, 3]),
    "one vertex": Graph.from_edges([], [], vertices=[1]),
    "empty": Graph.from_edges([], []),
}


# ways to read a file, by the words that tables of files have for them
HOW = {
    "": {},
    "weights": {"weights": True},
    "names": {"ids": "str"},
    "names and weights": {"weights": True, "ids": "str"},
    "arcs": {"directed": True},
    "edges": {"directed": False},
    "weights of arcs": {"weights": True, "directed": True},
    "weights of edges": {"weights": True, "directed": False},
    "header": {"header": True},
    "no header": {"header": False},
    "few vertices": {"max_vertices": 4_999_999},
}


def arcs_of(graph):
    return list(zip(graph.ids[graph.tails].tolist(), graph.ids[graph.col_idx].tolist(), strict=True))


def put(path, text):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def refused(path, text, said, **how):
    """Reading a file of this text is refused."""
    unreadable(put(path, text), said, **how)


def unreadable(path, said, **how):
    """Reading a file is refused: the message begins with the file, and says this."""
    with pytest.raises(InputError, match=said) as caught:
        read(path, **how)
    assert str(caught.value).startswith(str(path))


def seen(graph):
    """A small graph in words: ``directed 1 2 3: 1-2 2-3``; its weights and multiplicities if it has some."""
    ids, arcs = " ".join(map(str, graph.ids)), " ".join(f"{u}-{v}" for u, v in arcs_of(graph))
    weights = ""
    if graph.weights is not None:
        weights = f", weights {' '.join(repr(w).removesuffix('.0') for w in graph.weights.tolist())}"
    counts = "" if graph.multiplicity is None else f", times {graph.multiplicity.tolist()}"
    return f"{'directed' if graph.directed else 'undirected'} {ids}: {arcs}{weights}{counts}"


def raising(error):
    """A function that raises an error, whatever it is called with."""

    def raises(*_, **__):
        raise error

    return raises


@contextmanager
def limited_memory(more):
    """No more than `more` bytes of address space beyond what the process has (Linux; elsewhere no limit)."""
    status = Path("/proc/self/statm")
    if not status.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(status.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def as_version_1(graph):
    """The bytes of a file of version 1, put together as its description said."""
    sections = [graph.row_ptr, graph.col_idx, graph.weights, graph.multiplicity, None, None]
    if not graph._has_identity_ids:
        sections[4] = graph.ids
        if graph.ids.dtype == object:
            text = [name.encode() for name in graph.ids.tolist()]
            sections[4] = np.cumsum([0, *map(len, text)])
            sections[5] = np.frombuffer(b"".join(text), np.uint8)
    table, data = b"", b""
    for array in sections:
        if array is None or not array.nbytes:
            table += bytes(24)
            continue
        data = data.ljust(-(-len(data) // PAGE) * PAGE, b"\0")
        table += struct.pack("<QQ8s", PAGE + len(data), array.nbytes, array.dtype.str.encode())
        data += array.tobytes()
    counts = graph.num_vertices, graph.num_arcs, graph.num_self_loops, PAGE + len(data)
    head = struct.pack("<8sIIQQQQ", b"\x93CLG\r\n\x1a\n", 1, graph.directed, *counts)
    return (head + table).ljust(PAGE, b"\0") + data


def patched(whole, offset, form, *values):
    """The bytes with some of them replaced, and the header's checksum made right again."""
    made = bytearray(whole)
    struct.pack_into(form, made, offset, *values)
    if made[8] == 2:
        struct.pack_into("<I", made, 4092, zlib.crc32(made[:4092]))
    return bytes(made)


def with_sums(whole):
    """The bytes of a small file of version 2 with the checksum of its data made right."""
    (at,) = struct.unpack_from("<Q", whole, 240)
    return whole[:at] + struct.pack("<I", zlib.crc32(whole[PAGE:at]))
