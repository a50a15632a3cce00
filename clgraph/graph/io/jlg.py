"""Graphs of Julia's Graphs.jl (LightGraphs.jl): .jlg as in SNAPDatasets.jl, .lg and .jgz.

The first line is ``vertices,edges,u,name`` (``d`` if directed; a version, a type and a word may follow), then
comes a line ``source,target`` for each edge. Vertices are numbered from 1. Lines that begin with ``#`` before
it are comments. Julia's tools compress such files with gzip whatever they are called.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import (
    Loaded,
    Options,
    cells,
    check_vertex_count,
    counted,
    merged_note,
    no_weights_in,
    numbered_graph,
    only_int_ids,
    open_binary,
    reading,
    renumbered,
    write_rows,
    writing,
)
from clgraph.graph.io.edges import integer_rows
from clgraph.graph.io.packed import GZIP, GZIP_MAGIC, Unpacked

BLOCK = 1 << 22  # bytes of lines worked on at a time
LINE = 1 << 16  # bytes of a line before the edges: of a file without line ends no more is looked at
ROW = 4  # bytes of the shortest edge: two digits, a comma and a line feed
EDGE = re.compile(rb"\s*([0-9]{1,18})\s*,\s*([0-9]{1,18})\s*")
DIRECTIONS = {b"u": False, b"d": True}


@dataclass(frozen=True)
class Head:
    """What the first line says."""

    n: int
    m: int
    directed: bool
    line: int  # its number


def read_jlg(path: Path, options: Options) -> Loaded:
    """Read a graph of Graphs.jl (see `clgraph.read`)."""
    only_int_ids(path, options, "JLG")
    if options.weights:
        raise InputError(f"{path}: graphs of Graphs.jl hold no weights; leave weights=True out")
    with reading(path), _opened(path, options) as file:
        head = _head(path, file)
        check_vertex_count(path, head.n, options)
        tail, head_ = _edges(path, file, head)
    directed = options.direction(head.directed)
    if directed and not head.directed:  # both arcs of each edge
        other = tail != head_
        tail, head_ = np.concatenate((tail, head_[other])), np.concatenate((head_, tail[other]))
    graph = numbered_graph(tail, head_, head.n, options, directed=directed)
    return Loaded(graph, counted(head.m, "edge"))


def _opened(path: Path, options: Options) -> IO[bytes]:
    """The bytes of a file; whether they are compressed, its first two tell, not its name."""
    with open(path, "rb") as plain:
        packed = plain.read(2) == GZIP_MAGIC
    if packed and path.suffix != GZIP:
        return io.BufferedReader(Unpacked(path, options.max_ratio), 1 << 20)
    return open_binary(path, options.max_ratio)


def _head(path: Path, file: IO[bytes]) -> Head:
    number, line = 1, file.readline(LINE)
    while line and (not line.strip() or line.lstrip().startswith(b"#")):
        number, line = number + 1, file.readline(LINE)
    fields = [field.strip() for field in line.split(b",")]
    counts = [field.isdigit() and len(field) < 19 for field in fields[:2]]
    if len(fields) < 4 or not all(counts) or fields[2] not in DIRECTIONS:
        shown = line.strip()[:80].decode(errors="replace")
        raise InputError(
            f"{path}, line {number}: {shown!r} should be 'vertices,edges,u,name' (d: directed); is this a "
            "graph of Graphs.jl?"
        )
    return Head(int(fields[0]), int(fields[1]), DIRECTIONS[fields[2]], number)


def _edges(path: Path, file: IO[bytes], head: Head) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Both ends of all edges, counted from 0."""
    parts: list[Any] = [np.empty((2, 0), np.int64)]
    done, number = 0, head.line
    while lines := file.readlines(BLOCK):
        plain = integer_rows(b"".join(lines), 2, (0, 1), True) if lines[-1].endswith(b"\n") else None
        block = np.array(_scan(path, lines, number) if plain is None else plain, np.int64).reshape(2, -1)
        number += len(lines)
        done += block.shape[1]
        if done > head.m:
            raise InputError(
                f"{path}: holds more than the {head.m} edges of line {head.line}, or a second graph; clgraph "
                "reads files of one"
            )
        parts.append(block)
    ends: npt.NDArray[np.int64] = np.concatenate(parts, axis=1)
    if done < head.m:
        raise InputError(
            f"{path}: line {head.line} says {head.m} edges, but {done} follow; download it again"
        )
    outside = (ends < 1) | (ends > head.n)
    if outside.any():
        raise InputError(f"{path}: {ends[outside][0]} is not a vertex: they are 1 .. {head.n}")
    tail, target = (ends - 1).astype(np.int32)
    return tail, target


def _scan(path: Path, lines: list[bytes], before: int) -> tuple[list[int], list[int]]:
    """Line by line; the first bad one raises an InputError that names it."""
    ends: tuple[list[int], list[int]] = ([], [])
    for number, line in enumerate(lines, before + 1):
        if not line.strip():
            continue
        found = EDGE.fullmatch(line)
        if found is None:
            shown = line.strip()[:80].decode(errors="replace")
            raise InputError(
                f"{path}, line {number}: {shown!r} where an edge 'source,target' should be (a file holds one "
                "graph)"
            )
        for end, word in zip(ends, found.groups(), strict=True):
            end.append(int(word))
    return ends


def write_jlg(graph: Graph, path: Path) -> list[str]:
    """Write a graph for Graphs.jl."""
    no_weights_in(graph, path, "Graphs.jl's")
    n = graph.num_vertices
    direction = "d" if graph.directed else "u"
    with writing(path) as file:
        file.write(f"{n},{graph.num_edges},{direction},graph,2,Int64,simplegraph\n".encode())
        write_rows(file, graph, cells(np.arange(1, n + 1), b","))
    return [*renumbered(graph), *merged_note(graph)]
