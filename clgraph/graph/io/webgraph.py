"""WebGraph's ASCII graphs, NAME.graph-txt: the number of vertices, then a line of successors for each vertex.

Vertices are numbered from 0; the graph is directed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.common import (
    Loaded,
    Options,
    check_vertex_count,
    counted,
    each_once,
    merged_note,
    no_weights_in,
    only_int_ids,
    open_binary,
    reading,
    renumbered,
    write_lists,
    writing,
)

BLOCK = 1 << 22  # bytes of lines worked on at a time


def read_webgraph(path: Path, options: Options) -> Loaded:
    """Read an ASCII graph (see `clgraph.read`)."""
    only_int_ids(path, options, "WebGraph")
    if options.weights:
        raise InputError(f"{path}: WebGraph's ASCII graphs hold no weights; leave weights=True out")
    with reading(path):
        n, lengths, head = _rows(path, options)
    directed = options.direction(True)
    arcs = np.repeat(np.arange(n, dtype=np.int32), lengths), head, None
    tail, head, _ = arcs if directed else each_once(arcs)
    graph = build_csr(tail, head, n, directed=directed, duplicates=options.duplicates)
    return Loaded(graph, counted(len(arcs[0]), "arc"))


def _rows(path: Path, options: Options) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The number of vertices, how many successors each has, and the successors."""
    lengths: list[int] = []
    heads = [np.empty(0, np.int32)]
    with open_binary(path, options.max_ratio) as file:
        first = file.readline(100).strip()
        if not first.isdigit():
            shown = first[:80].decode(errors="replace")
            raise InputError(f"{path}, line 1: {shown!r} where the number of vertices should be")
        n = int(first)
        check_vertex_count(path, n, options)
        before = 1  # lines
        while lines := file.readlines(BLOCK):
            words: list[bytes] = []
            for number, line in enumerate(lines, before + 1):
                fields = line.split()
                if number > n + 1 and fields:
                    raise InputError(f"{path}, line {number}: more lines than the {n} vertices of line 1")
                if not all(map(bytes.isdigit, fields)) or max(map(len, fields), default=0) > 18:
                    word = next(word for word in fields if not word.isdigit() or len(word) > 18)
                    shown = word[:80].decode(errors="replace")
                    raise InputError(
                        f"{path}, line {number}: {shown!r} is not a vertex: they are 0 .. {n - 1}"
                    )
                if number <= n + 1:
                    lengths.append(len(fields))
                words += fields
            before += len(lines)
            block = np.fromiter(map(int, words), np.int64, len(words))
            if len(block) and block.max() >= n:
                i = int(np.argmax(block >= n))
                place = sum(map(len, heads)) + i
                at = int(np.searchsorted(np.cumsum(lengths), place, "right"))
                raise InputError(f"{path}, line {at + 2}: {block[i]} is not a vertex: they are 0 .. {n - 1}")
            heads.append(block.astype(np.int32))
    if len(lengths) < n:
        raise InputError(
            f"{path}: line 1 says {n} vertices, but {counted(len(lengths), 'line')} follow; download it again"
        )
    return n, np.array(lengths, np.int64), np.concatenate(heads)


def write_webgraph(graph: Graph, path: Path) -> list[str]:
    """Write an ASCII graph."""
    no_weights_in(graph, path, "WebGraph's ASCII")
    if graph.multiplicity is None and graph.num_duplicates:
        raise InputError(f"cannot write {path}: parallel edges, which the format cannot hold; merge them")
    n = graph.num_vertices
    with writing(path) as file:
        file.write(f"{n}\n".encode())
        write_lists(file, graph, first=0)
    notes = renumbered(graph, first=0)
    if not graph.directed:
        notes.append("each edge written as two arcs (the format is directed)")
    return notes + merged_note(graph)
