"""Serialised graphs of the GAP Benchmark Suite: .sg, and .wsg with weights.

Little-endian, without gaps: one byte, 1 if directed; the number of arcs and of vertices (int64); n + 1
offsets (int64, of entries); the heads (int32), each followed by its weight (int32) in .wsg. Directed graphs
have offsets and tails of the arcs that enter each vertex behind that. Vertices are numbered from 0; an
undirected graph holds both arcs of an edge.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.cells import CHUNK, only_whole_weights
from clgraph.formats.common import Loaded, Options, check_vertex_count, counted, graph_of_arcs
from clgraph.graph.arrays import Arrays, aligned_empty, last_of_rows
from clgraph.graph.building import row_ptr_of
from clgraph.graph.checks import Arcs, difference, without_twin
from clgraph.graph.graph import Graph
from clgraph.progress import expect

HEADER = 17  # bytes
NODE = np.dtype("<i4")
WEIGHTED_NODE = np.dtype([("node", "<i4"), ("weight", "<i4")])


def _read(weighted: bool, path: Path, options: Options) -> Loaded:
    with open(path, "rb") as file:
        is_directed, n, count = _header(path, file, weighted, options)
        offsets, arcs = _rows(path, file, n, count, weighted)
        if is_directed:
            into, origin, weight = _rows(path, file, n, count, weighted)[1]
            found = difference(arcs, (origin, into, weight))
            what = "the arcs that leave the vertices are not those that enter them"
        else:
            found = without_twin(arcs)
            what = "the graph is undirected, but an arc has no twin of the same weight"
        if found:
            raise InputError(f"{path}: {what}: {found[0]} -> {found[1]}; make the file again")
    directed = options.direction(is_directed)
    # rows that are a graph's already need no sorting
    if (directed or not is_directed) and _distinct_rows(offsets, arcs[1]):
        weights = arcs[2].astype(np.float64) if arcs[2] is not None and options.weights else None
        graph = Graph._from_arrays(Arrays(row_ptr_of(np.diff(offsets)), arcs[1], weights, directed=directed))
    else:
        graph = graph_of_arcs(arcs, n, options, directed, twins=True)
    notes = ["edge weights"] if weighted and not options.weights else []
    return Loaded(graph, counted(count, "entry", "entries"), notes)


read_sg = partial(_read, False)
read_wsg = partial(_read, True)


def _distinct_rows(row_ptr: npt.NDArray[Any], heads: npt.NDArray[Any]) -> bool:
    """True if the heads of each row ascend and differ: such rows are a graph's as they are."""
    ascend = heads[1:] > heads[:-1]
    ascend[last_of_rows(row_ptr, len(heads))] = True  # from one row to the next they may fall
    return bool(ascend.all())


def _header(path: Path, file: IO[bytes], weighted: bool, options: Options) -> tuple[bool, int, int]:
    """Return direction, vertices and arcs from the header, after checking the file's length by them."""
    start = file.read(HEADER)
    size = os.fstat(file.fileno()).st_size
    if len(start) < HEADER:
        raise InputError(f"{path}: {size} bytes, too short for the header of {HEADER}; download it again")
    arcs, n = np.frombuffer(start, "<i8", 2, 1).tolist()
    if start[0] > 1:
        raise InputError(f"{path}: its first byte is {start[0]}, not 0 or 1: no serialised graph of GAPBS")
    if arcs < 0 or n < 0:
        raise InputError(f"{path}: announces {n} vertices and {arcs} arcs; download it again")
    check_vertex_count(path, n, options)
    node = (WEIGHTED_NODE if weighted else NODE).itemsize
    # the length is checked before the header's counts allocate anything
    right = HEADER + (1 + start[0]) * (8 * (n + 1) + node * arcs)
    if right != size:
        name, other = (".wsg", ".sg") if weighted else (".sg", ".wsg")
        raise InputError(
            f"{path}: a {name} file of {n} vertices and {arcs} arcs has {right} bytes, this one has {size}; "
            f"download it again, or say if it is a {other} file (format='{other[1:]}')"
        )
    return bool(start[0]), n, arcs


def _rows(
    path: Path, file: IO[bytes], n: int, arcs: int, weighted: bool
) -> tuple[npt.NDArray[np.int64], Arcs]:
    """One direction of the arcs: the offsets; the owner of each row, the other end, and the weight."""
    offsets = _array(path, file, np.dtype("<i8"), n + 1)
    falls = offsets[1:] < offsets[:-1]
    if offsets[0] != 0 or falls.any():
        v = 0 if offsets[0] else int(np.argmax(falls))
        raise InputError(f"{path}: the offsets of vertex {v} are wrong (they begin with 0 and never fall)")
    if offsets[-1] != arcs:
        raise InputError(f"{path}: the offsets end with {offsets[-1]}, but there are {arcs} arcs")
    nodes = _array(path, file, WEIGHTED_NODE if weighted else NODE, arcs)
    heads = np.ascontiguousarray(nodes["node"] if weighted else nodes, np.int32)
    outside = (heads < 0) | (heads >= n)
    if outside.any():
        i = int(np.argmax(outside))
        raise InputError(f"{path}: entry {i} is vertex {heads[i]}, but they are 0 .. {n - 1}")
    tail = np.repeat(np.arange(n, dtype=np.int32), np.diff(offsets))
    return offsets, (tail, heads, nodes["weight"] if weighted else None)


def _array(path: Path, file: IO[bytes], kind: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    data = aligned_empty(count, kind)
    if file.readinto(data.view(np.uint8)) < data.nbytes:  # type: ignore[attr-defined]
        raise InputError(f"{path}: ends too early; download it again")
    return data


def _write(weighted: bool, graph: Graph, path: Path) -> None:
    if weighted and graph.weights is None:
        raise InputError(f"cannot write {path}: the graph has no weights, which .wsg files need; use .sg")
    only_whole_weights(graph, path, ".wsg", -(2.0**31), 2.0**31)
    node = WEIGHTED_NODE if weighted else NODE
    expect(HEADER + (1 + graph.directed) * (8 * (graph.num_vertices + 1) + node.itemsize * graph.num_arcs))
    with atomic_write(path) as file:
        file.write(bytes([graph.directed]))
        file.write(np.array([graph.num_arcs, graph.num_vertices], "<i8").tobytes())
        for one in (graph, graph.reverse) if graph.directed else (graph,):
            file.write(one.row_ptr.astype("<i8").tobytes())
            for start in range(0, one.num_arcs, CHUNK):
                heads = one.col_idx[start : start + CHUNK]
                nodes: Any = np.empty(len(heads), node)
                if one.weights is None:
                    nodes[:] = heads
                else:
                    nodes["node"], nodes["weight"] = heads, one.weights[start : start + CHUNK]
                file.write(nodes.tobytes())


write_sg = partial(_write, False)
write_wsg = partial(_write, True)
