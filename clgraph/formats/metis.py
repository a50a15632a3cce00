"""METIS graph files: line i lists the neighbours of vertex i, from 1; undirected: every edge is listed twice.

The header is ``n m [fmt [ncon]]``; fmt's three digits say whether lines hold vertex sizes, `ncon` vertex
weights, and a weight after each neighbour. A blank line is a vertex without neighbours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.adjacency_lines import read_lines, write_lines
from clgraph.formats.common import (
    Loaded,
    Options,
    check_vertex_count,
    counted,
    merged_note,
    numbered_graph,
    only_int_ids,
    open_binary,
    reading,
    renumbered,
    without_twin,
    writing,
)
from clgraph.graph.graph import Graph

Header = tuple[int, int, int, int, bool]  # n, m, sizes and weights of a vertex, has edge weights
WANTED = "where the whole number of a neighbour (or its weight) should be; is this a METIS file?"
NCON_MAX = 1_000_000  # weights of one vertex, which a damaged header may promise


def read_metis(path: Path, options: Options) -> Loaded:
    """Read a METIS graph file (see `clgraph.read`)."""
    only_int_ids(path, options, "METIS")
    with reading(path):
        header, lengths, numbers = read_lines(
            path, options, lambda fields: _header(path, fields, options), lambda _: WANTED, b"%", signs=True
        )
    n, m, sizes, ncon, weighted = header
    if len(lengths) < n:
        raise InputError(
            f"{path}: the header says {n} vertices, but {counted(len(lengths), 'line')} follow; download "
            "the file again"
        )
    if np.any(lengths[n:]):
        raise InputError(
            f"{path}, line {_line_of(path, n)}: more lines than the {n} vertices of the header; correct the "
            "header"
        )
    lengths = lengths[:n]
    notes = []
    before = sizes + ncon
    if before:
        short = np.flatnonzero(lengths < before)
        if len(short):
            raise InputError(
                f"{path}, line {_line_of(path, short[0])}: fewer numbers than the {before} vertex weights "
                "that the header says"
            )
        start = np.cumsum(lengths) - lengths
        keep = np.arange(len(numbers)) - np.repeat(start, lengths) >= before
        numbers, lengths = numbers[keep], lengths - before
        notes.append("vertex weights")
    weights = None
    if weighted:
        odd = np.flatnonzero(lengths % 2)
        if len(odd):
            raise InputError(
                f"{path}, line {_line_of(path, odd[0])}: a neighbour without its weight, which the header "
                "says is there"
            )
        weights, numbers, lengths = numbers[1::2].astype(np.float64), numbers[::2], lengths // 2
        if not options.weights:
            weights = None
            notes.append("edge weights")
    elif options.weights:
        raise InputError(
            f"{path}, line 1: the header says that the file has no edge weights; leave weights=True out"
        )
    outside = np.flatnonzero((numbers < 1) | (numbers > n))
    tail = np.repeat(np.arange(n, dtype=np.int32), lengths)
    if len(outside):
        i = outside[0]
        raise InputError(
            f"{path}, line {_line_of(path, tail[i])}: neighbour {numbers[i]} of vertex {tail[i] + 1} is not "
            f"among 1 .. {n}"
        )
    head = (numbers - 1).astype(np.int32)
    _check_twins(path, tail, head, weights)
    once = tail <= head
    edges = int(np.count_nonzero(once))
    if m != edges and 2 * m != len(head):
        raise InputError(
            f"{path}: the header says {m} edges, but the lines hold {edges}; download the file again or "
            "correct the header"
        )
    directed = options.direction(False)
    if not directed:
        tail, head, weights = tail[once], head[once], None if weights is None else weights[once]
    graph = numbered_graph(tail, head, n, options, weights=weights, directed=directed)
    return Loaded(graph, counted(len(numbers), "entry", "entries"), notes)


def look(path: Path, options: Options) -> tuple[Header, int] | None:
    """The header, and how many bytes end with it; None where there is none."""
    only_int_ids(path, options, "METIS")
    skip = 0
    with open_binary(path, options.max_ratio) as file:
        for line in file:
            skip += len(line)
            if line.strip() and not line.lstrip().startswith(b"%"):
                return _header(path, line.split(), options), skip
    return None


def _header(path: Path, fields: list[bytes], options: Options) -> Header:
    if not fields:
        raise InputError(f"{path}: holds no header 'vertices edges', only blank lines or comments")
    shown = b" ".join(fields)[:80].decode(errors="replace")
    if not 2 <= len(fields) <= 4 or not all(field.isdigit() and len(field) < 20 for field in fields):
        raise InputError(
            f"{path}: the header {shown!r} should be 'vertices edges [fmt [ncon]]'; is this a METIS file?"
        )
    fmt = fields[2].decode().zfill(3) if len(fields) > 2 else "000"
    if len(fmt) > 3 or set(fmt) - {"0", "1"}:
        raise InputError(f"{path}: fmt {fmt!r} in the header {shown!r} should be three digits, each 0 or 1")
    n, m = int(fields[0]), int(fields[1])
    check_vertex_count(path, n, options)
    ncon = (int(fields[3]) if len(fields) > 3 else 1) if fmt[1] == "1" else 0
    if ncon > NCON_MAX:
        raise InputError(
            f"{path}: {ncon} weights of each vertex (ncon in the header {shown!r}); at most {NCON_MAX}"
        )
    return n, m, int(fmt[0]), ncon, fmt[2] == "1"


def _check_twins(
    path: Path, tail: npt.NDArray[Any], head: npt.NDArray[Any], weights: npt.NDArray[Any] | None
) -> None:
    """Raise InputError for an arc without its twin, or with a twin of another weight."""
    found = without_twin((tail, head, weights))
    if found is None:
        return
    u, v = found
    there, back = (np.count_nonzero((tail == one) & (head == other)) for one, other in ((u, v), (v, u)))
    if there < back:
        u, v = v, u
    what = "with the same weight" if there == back else "as often"
    raise InputError(
        f"{path}, line {_line_of(path, u)}: vertex {u + 1} lists {v + 1}, but vertex {v + 1} "
        f"(line {_line_of(path, v)}) does not list {u + 1} {what}; METIS files hold every edge twice: "
        "correct the line, or give directed graphs as edge lists"
    )


def _line_of(path: Path, vertex: int) -> int:
    """The number of the line of this vertex (counted from 0)."""
    left = int(vertex) + 1  # and the header
    header = False
    with open_binary(path) as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith(b"%") or (not header and not line.strip()):
                continue
            if left == 0:
                return number
            header, left = True, left - 1
    raise AssertionError(f"{path} has no line for vertex {vertex}")


def write_metis(graph: Graph, path: Path) -> list[str]:
    """Write a METIS graph file; weights must be positive whole numbers."""
    loops = counted(graph.num_self_loops, "self-loop")
    copies = graph.multiplicity is None and graph.num_duplicates > 0
    for wrong, why in (
        (graph.directed, "it is directed, METIS files are undirected (read it with directed=False)"),
        (graph.num_self_loops > 0, f"METIS files cannot hold its {loops}"),
        (copies, "METIS files cannot hold its parallel edges (merge them)"),
    ):
        if wrong:
            raise InputError(f"cannot write the graph to {path}: {why}; use another format")
    weights = graph.weights
    if weights is not None and not np.all((weights > 0) & (weights < 2**53) & (weights == np.floor(weights))):
        raise InputError(
            f"cannot write {path}: METIS edge weights are positive whole numbers; leave weights=True out"
        )
    n = graph.num_vertices
    with writing(path) as file:
        file.write(f"{n} {graph.num_edges}{' 001' if weights is not None else ''}\n".encode())
        write_lines(file, graph, first=1)
    return renumbered(graph) + merged_note(graph)
