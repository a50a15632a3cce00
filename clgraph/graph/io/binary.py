"""The binary form, .clg: the arrays of a Graph as they are in memory, ready to be mapped.

All numbers are little-endian. The header fills the first 4096 bytes:

    offset  bytes  what
    0       8      magic: 93 'C' 'L' 'G' 0D 0A 1A 0A (text-mode transfer would damage it)
    8       4      version, 1
    12      4      flags: 1 directed
    16      8      number of vertices, n
    24      8      number of arcs
    32      8      number of self-loops
    40      8      length of the file
    48      6*24   sections: offset, length in bytes, item type (8 characters, NumPy's); 0 0 '' if absent
                     row_ptr       <i4 or <i8, n + 1
                     col_idx       <i4, arcs
                     weights       <f8, arcs
                     multiplicity  <i4, arcs
                     ids           <i8, n; if ids are text: <i8, n + 1, offsets into the next section
                     text          |u1, the ids one after the other in UTF-8

Each section begins at a multiple of 4096 bytes, so that a mapped array is aligned for devices that share the
host's memory. The mapping is read-only.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.common import Loaded, Options, check_vertex_count, counted, reading

MAGIC = b"\x93CLG\r\n\x1a\n"
VERSION = 1
PAGE = 4096
HEAD = struct.Struct("<8sIIQQQQ")
SECTION = struct.Struct("<QQ8s")
SECTIONS = {  # and the item types that each section may have
    "row_ptr": ("<i4", "<i8"),
    "col_idx": ("<i4",),
    "weights": ("<f8",),
    "multiplicity": ("<i4",),
    "ids": ("<i8",),
    "text": ("|u1",),
}
DIRECTED = 1


def read_binary(path: Path, options: Options) -> Loaded:
    """Map a .clg file (see `clgraph.read`)."""
    with reading(path):
        graph = _map(path)
    if options.ids == "str" and graph.ids.dtype != object:
        raise InputError(f"{path}: its vertex ids are numbers; leave --ids str (ids='str') out")
    notes = []
    entries = counted(graph.num_arcs, "arc")
    if options.weights and graph.weights is None:
        raise InputError(f"{path}: holds no weights; leave --weights out")
    if not options.weights and graph.weights is not None:
        notes.append("weights (read them with --weights)")
        graph = Graph.of(replace(graph.arrays, weights=None))
    if options.directed is not None and options.directed != graph.directed:
        graph = graph.undirected if graph.directed else Graph.of(replace(graph.arrays, directed=True))
    if options.duplicates == "merge" and graph.multiplicity is None and graph.num_duplicates:
        graph = merged(graph)
    return Loaded(graph, entries, notes)


def merged(graph: Graph) -> Graph:
    """The graph with its parallel copies merged."""
    tail, head, weights, _ = graph.edge_indices()
    ids = graph.arrays.ids
    return build_csr(tail, head, graph.num_vertices, weights=weights, ids=ids, directed=graph.directed)


def _map(path: Path) -> Graph:
    whole = np.memmap(path, np.uint8, mode="r").view(np.ndarray)
    if len(whole) < PAGE or whole[:8].tobytes() != MAGIC:
        raise InputError(
            f"{path}: not a .clg file (its first bytes differ, or it is cut off); make it with clgraph "
            "convert"
        )
    _, version, flags, n, arcs, loops, length = HEAD.unpack(whole[: HEAD.size].tobytes())
    if version != VERSION:
        raise InputError(
            f"{path}: version {version} of the .clg form, but this clgraph reads version {VERSION}; convert "
            "the graph again"
        )
    if length != len(whole):
        raise InputError(
            f"{path}: {len(whole)} bytes long, but its header says {length}: cut off or damaged; convert "
            "the graph again"
        )
    check_vertex_count(path, n)
    found: dict[str, npt.NDArray[Any] | None] = {}
    table = SECTION.iter_unpack(whole[HEAD.size : HEAD.size + len(SECTIONS) * SECTION.size].tobytes())
    for (name, kinds), (offset, nbytes, code) in zip(SECTIONS.items(), table, strict=True):
        found[name] = None
        if not offset:
            continue
        kind = code.rstrip(b"\0").decode("ascii", "replace")
        items = {"row_ptr": (n + 1,), "ids": (n, n + 1), "text": (nbytes,)}.get(name, (arcs,))
        right = kind in kinds and offset % PAGE == 0 and offset + nbytes <= length
        if not right or nbytes not in [count * np.dtype(kind).itemsize for count in items]:
            raise InputError(f"{path}: its section {name} is damaged; convert the graph again")
        array = whole[offset : offset + nbytes].view(kind)
        found[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
    row_ptr, col_idx = found["row_ptr"], found["col_idx"]
    ids = found["ids"]
    damaged = row_ptr is None or (col_idx is None and arcs)
    if row_ptr is not None and not damaged:
        if col_idx is None:
            col_idx = np.empty(0, np.int32)
        # a file must not send readers of the arrays out of bounds
        damaged = row_ptr[0] != 0 or row_ptr[-1] != arcs or bool(np.any(row_ptr[1:] < row_ptr[:-1]))
        damaged = damaged or bool(arcs and (col_idx.min() < 0 or col_idx.max() >= n))
    if damaged or row_ptr is None or col_idx is None:
        raise InputError(
            f"{path}: its rows or columns are out of range, so it is damaged; convert the graph again"
        )
    if ids is not None and len(ids) == n + 1:
        text = b"" if found["text"] is None else found["text"].tobytes()
        try:
            ends = zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True)
            ids = np.array([text[start:end].decode() for start, end in ends], object)
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: its section text is damaged; convert the graph again") from error
    return Graph.of(
        Arrays(
            row_ptr,
            col_idx,
            weights=found["weights"],
            multiplicity=found["multiplicity"],
            ids=ids,
            directed=bool(flags & DIRECTED),
            num_self_loops=loops,
        )
    )


def write_binary(graph: Graph, path: Path) -> list[str]:
    """Write a .clg file."""
    arrays: dict[str, npt.NDArray[Any] | None] = {
        "row_ptr": graph.row_ptr,
        "col_idx": graph.col_idx,
        "weights": graph.weights,
        "multiplicity": graph.multiplicity,
    }
    if not graph.has_identity_ids:
        ids = graph.ids
        if ids.dtype == object:
            text = [name.encode() for name in ids.tolist()]
            ids = np.concatenate(([0], np.cumsum([len(name) for name in text], dtype=np.int64)))
            arrays["text"] = np.frombuffer(b"".join(text), np.uint8)
        arrays["ids"] = ids.astype(np.int64, copy=False)
    table, parts, end = b"", [], PAGE
    for name in SECTIONS:
        array = arrays.get(name)
        if array is None or not array.nbytes:
            table += SECTION.pack(0, 0, b"")
            continue
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        offset = -(-end // PAGE) * PAGE
        table += SECTION.pack(offset, array.nbytes, array.dtype.newbyteorder("<").str.encode())
        parts.append((offset - end, array))
        end = offset + array.nbytes
    flags = DIRECTED * graph.directed
    head = HEAD.pack(MAGIC, VERSION, flags, graph.num_vertices, graph.num_arcs, graph.num_self_loops, end)
    with atomic_write(path) as file:
        file.write((head + table).ljust(PAGE, b"\0"))
        for gap, array in parts:
            file.write(bytes(gap))
            file.write(array.data.cast("B"))
    return []
