"""WebGraph's ASCII graphs, NAME.graph-txt: the number of vertices, then a line of successors for each vertex.

Vertices are numbered from 0; the graph is directed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.adjacency_lines import read_lines, write_lines
from clgraph.formats.common import (
    Loaded,
    Options,
    check_vertex_count,
    counted,
    each_once,
    merged_note,
    no_weights_in,
    only_int_ids,
    reading,
    renumbered,
    writing,
)
from clgraph.graph.graph import Graph, build_csr


def read_webgraph(path: Path, options: Options) -> Loaded:
    """Read an ASCII graph (see `clgraph.read`)."""
    only_int_ids(path, options, "WebGraph")
    if options.weights:
        raise InputError(f"{path}: WebGraph's ASCII graphs hold no weights; leave weights=True out")
    with reading(path):
        n, lengths, numbers = read_lines(
            path,
            options,
            lambda fields: _vertices(path, fields, options),
            lambda n: f"is not a vertex: they are 0 .. {n - 1}",
        )
    if np.any(lengths[n:]):
        line = n + 2 + int(np.argmax(lengths[n:] > 0))
        raise InputError(f"{path}, line {line}: more lines than the {n} vertices of line 1")
    if len(numbers) and numbers.max() >= n:
        i = int(np.argmax(numbers >= n))
        line = int(np.searchsorted(np.cumsum(lengths), i, "right")) + 2
        raise InputError(f"{path}, line {line}: {numbers[i]} is not a vertex: they are 0 .. {n - 1}")
    if len(lengths) < n:
        raise InputError(
            f"{path}: line 1 says {n} vertices, but {counted(len(lengths), 'line')} follow; download it again"
        )
    head = numbers.astype(np.int32)
    directed = options.direction(True)
    arcs = np.repeat(np.arange(n, dtype=np.int32), lengths[:n]), head, None
    tail, head, _ = arcs if directed else each_once(arcs)
    graph = build_csr(tail, head, n, directed=directed, duplicates=options.duplicates)
    return Loaded(graph, counted(len(arcs[0]), "arc"))


def _vertices(path: Path, fields: list[bytes], options: Options) -> int:
    """How many vertices the first line says."""
    if len(fields) != 1 or not fields[0].isdigit() or len(fields[0]) > 99:
        shown = b" ".join(fields)[:80].decode(errors="replace")
        raise InputError(f"{path}, line 1: {shown!r} where the number of vertices should be")
    check_vertex_count(path, n := int(fields[0]), options)
    return n


def write_webgraph(graph: Graph, path: Path) -> list[str]:
    """Write an ASCII graph."""
    no_weights_in(graph, path, "WebGraph's ASCII")
    if graph.multiplicity is None and graph.num_duplicates:
        raise InputError(f"cannot write {path}: parallel edges, which the format cannot hold; merge them")
    n = graph.num_vertices
    with writing(path) as file:
        file.write(f"{n}\n".encode())
        write_lines(file, graph, first=0)
    notes = renumbered(graph, first=0)
    if not graph.directed:
        notes.append("each edge written as two arcs (the format is directed)")
    return notes + merged_note(graph)
