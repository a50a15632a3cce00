"""Edges of the Graph500 benchmark: pairs of 64-bit vertex numbers, one after the other, little-endian.

Its generator writes them so where it is not told to pack them into 48 bits. The graph is undirected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.cells import edge_chunks
from clgraph.formats.common import Loaded, Options, counted
from clgraph.graph.graph import Graph

PAIR = 16  # bytes


def read_graph500(path: Path, options: Options) -> Loaded:
    """Read the edges of Graph500's generator (see `clgraph.read`)."""
    data = path.read_bytes()
    if len(data) % PAIR:
        raise InputError(
            f"{path}: {len(data)} bytes are not whole edges of {PAIR}, two 64-bit numbers each; it was cut "
            "off, or its numbers are packed into 48 bits, which clgraph does not read"
        )
    pairs: Any = np.frombuffer(data, "<i8").astype(np.int64, copy=False).reshape(-1, 2)
    wrong = np.any(pairs < 0, axis=1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(
            f"{path}, edge {i} (counted from 0, at byte {PAIR * i}): {pairs[i].min()} is negative, so it is "
            "no vertex; is this a file of 64-bit pairs?"
        )
    source, target = map(np.ascontiguousarray, pairs.T)
    graph = Graph.from_edges(source, target, directed=options.direction(False), duplicates=options.duplicates)
    return Loaded(graph, counted(len(pairs), "edge"))


def write_graph500(graph: Graph, path: Path) -> None:
    """Write pairs of 64-bit ids, each edge once."""
    if graph.ids.dtype == object:
        raise InputError(
            f"cannot write {path}: Graph500 files hold numbers, the graph's ids are text; use .clg"
        )
    with atomic_write(path) as file:
        for tail, head, _ in edge_chunks(graph):
            file.write(np.column_stack((graph.ids[tail], graph.ids[head])).astype("<i8").tobytes())
