"""DIMACS .gr files of the 9th implementation challenge (shortest paths): arcs with weights.

``c`` lines are comments, ``p sp n m`` says how many vertices and arcs there are, ``a u v w`` is the arc from
u to v of weight w; vertices are numbered from 1. Large plain files take NumPy's parser; `_scan` defines what
is valid.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real_number, whole_number
from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import (
    Loaded,
    Options,
    cells,
    check_vertex_count,
    counted,
    each_once,
    edges_in_pieces,
    merged_note,
    natural,
    numbered_graph,
    numbered_lines,
    only_int_ids,
    only_whole_weights,
    reading,
    renumbered,
    unpacked_size,
    write_cells,
    writing,
)
from clgraph.graph.io.edges import numpy_table

ROW = 8  # bytes of the shortest arc: "a 1 1 1" and a line feed

_Arcs = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]  # source, target, weight


def read_dimacs(path: Path, options: Options) -> Loaded:
    """Read a shortest-path graph of DIMACS (see `clgraph.read`)."""
    only_int_ids(path, options, "DIMACS")
    with reading(path):
        size = unpacked_size(path, options.max_ratio)
        n, m, skip = _problem(path, options, size)
        source, target, weight = _parse(path, n, m, skip, options) or _scan(path, n, m, skip, options)
    directed = options.direction(True)
    arcs = (source - 1).astype(np.int32), (target - 1).astype(np.int32), weight if options.weights else None
    tail, head, weights = arcs if directed else each_once(arcs)
    graph = numbered_graph(tail, head, n, options, weights=weights, directed=directed)
    return Loaded(graph, counted(m, "arc"), [] if options.weights else ["arc weights"])


def _problem(path: Path, options: Options, size: int) -> tuple[int, int, int]:
    """Vertices, arcs, and the number of the line that says so."""
    for number, line in numbered_lines(path, "latin-1", options.max_ratio):
        fields = line.split()
        if not fields or fields[0] == "c":
            continue
        shown = line.strip()[:80]
        if fields[0] != "p" or len(fields) != 4 or fields[1] != "sp":
            raise InputError(
                f"{path}, line {number}: {shown!r} where 'p sp vertices arcs' should be; is this a graph of "
                "DIMACS's shortest-path challenge?"
            )
        n, m = map(natural, fields[2:])
        if n is None or m is None:
            raise InputError(f"{path}, line {number}: {shown!r} should hold two counts, of vertices and arcs")
        check_vertex_count(path, n, options)
        if m > size // ROW + 1:
            raise InputError(
                f"{path}, line {number}: announces {m} arcs in only {size} bytes; download it again"
            )
        return n, m, number
    raise InputError(f"{path}: has no line 'p sp vertices arcs'; download it again")


def _parse(path: Path, n: int, m: int, skip: int, options: Options) -> _Arcs | None:
    """All arcs by NumPy's parser; None if anything but m valid arcs follows the first `skip` lines."""
    if m == 0:
        return None
    # two characters, so that no longer word is taken for an a
    kinds = [("kind", "S2"), ("source", np.int64), ("target", np.int64), ("weight", np.float64)]
    table = numpy_table(path, options, dtype=kinds, comments=None, skiprows=skip, ndmin=1)
    if table is None or len(table) != m:
        return None
    source, target, weight = table["source"], table["target"], table["weight"]
    ends_right = min(source.min(), target.min()) >= 1 and max(source.max(), target.max()) <= n
    right = ends_right and np.all(table["kind"] == b"a") and np.all(np.isfinite(weight))
    return (source, target, weight) if right else None


def _scan(path: Path, n: int, m: int, skip: int, options: Options) -> _Arcs:
    """Line by line; the first bad one raises an InputError that names it."""
    arcs: tuple[list[int], list[int], list[float]] = ([], [], [])
    for number, line in numbered_lines(path, "latin-1", options.max_ratio):
        fields = line.split()
        if number <= skip or not fields or fields[0] == "c":
            continue
        where, shown = f"{path}, line {number}", line.strip()[:80]
        if fields[0] != "a" or len(fields) != 4:
            raise InputError(f"{where}: {shown!r} where an arc 'a source target weight' should be")
        for end, word in zip(arcs[:2], fields[1:3], strict=True):
            v = whole_number(word)
            if v is None or not 1 <= v <= n:
                raise InputError(f"{where}: {word[:80]!r} is not a vertex: they are 1 .. {n}")
            end.append(v)
        weight = real_number(fields[3])
        if weight is None or not math.isfinite(weight):
            raise InputError(f"{where}: weight {fields[3][:80]!r} is not a finite number; correct it")
        arcs[2].append(weight)
    if len(arcs[2]) != m:
        raise InputError(
            f"{path}, line {skip}: says {m} arcs, but {len(arcs[2])} follow; download it again or correct "
            "the line"
        )
    return np.array(arcs[0], np.int64), np.array(arcs[1], np.int64), np.array(arcs[2], np.float64)


def write_dimacs(graph: Graph, path: Path) -> list[str]:
    """Write a shortest-path graph of DIMACS; weights must be whole numbers."""
    only_whole_weights(graph, path, "DIMACS")
    n = graph.num_vertices
    names = cells(np.arange(1, n + 1), b" ")
    kind = cells(np.array([b"a"]), b" ")
    one = cells(np.array([1]), b"\n")
    with writing(path) as file:
        file.write(f"p sp {n} {graph.num_arcs}\n".encode())
        for tail, head, weight in edges_in_pieces(graph, both_arcs=True):
            last = one[np.zeros(len(tail), np.int8)] if weight is None else _whole_cells(weight)
            write_cells(file, kind[np.zeros(len(tail), np.int8)], names[tail], names[head], last)
    notes = renumbered(graph)
    if graph.weights is None:
        notes.append("arcs written with weight 1, which the format needs")
    if not graph.directed:
        notes.append("each edge written as two arcs (the format is directed)")
    return notes + merged_note(graph)


def _whole_cells(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    if len(weights) and weights.min() < 0:
        values, place = np.unique(weights, return_inverse=True)
        return cells(np.array([b"%d" % value for value in values.tolist()], dtype="S"), b"\n")[place]
    return cells(weights.astype(np.int64), b"\n")
