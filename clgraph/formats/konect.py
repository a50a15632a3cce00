"""KONECT's out.NAME files: an edge list whose first line says what its edges are.

That is ``% sym`` (undirected), ``% asym`` (directed) or ``% bip`` (bipartite), and what their weights are. A
line ``% edges vertices vertices`` may follow. Vertices are numbered from 1; in a bipartite file each side is,
so the right side is numbered on from the left one here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.common import (
    Loaded,
    Options,
    cells,
    check_vertex_count,
    counted,
    merged_note,
    natural,
    numbered_lines,
    only_int_ids,
    reading,
    renumbered,
    write_rows,
    writing,
)
from clgraph.formats.edges import read_rows
from clgraph.graph.graph import Graph

LAUNCH = ("sym", "asym", "bip")


@dataclass(frozen=True)
class Head:
    """What the first lines say."""

    shape: str  # of `LAUNCH`
    weights: str  # "unweighted", "positive", "weighted", ...
    edges: int | None
    sides: tuple[int, int] | None  # vertices on the left and on the right
    empty: bool  # no row follows


def is_konect(path: Path) -> bool:
    """Whether a file is called as KONECT's are."""
    return path.name.startswith("out.") and path.is_file()


def read_konect(path: Path, options: Options) -> Loaded:
    """Read a file of KONECT (see `clgraph.read`)."""
    only_int_ids(path, options, "KONECT")
    with reading(path):
        head = _head(path, options)
    if options.weights and head.weights == "unweighted":
        raise InputError(f"{path}, line 1: says that the edges are unweighted; leave weights=True out")
    source: Any = np.empty(0, np.int64)
    target, weights, notes = source, None, []
    if not head.empty:
        source, target, weights, layout = read_rows(path, replace(options, header=False))
        if layout.width > 2 and not options.weights:
            notes.append("weights")
        if layout.width > 3:
            notes.append("times")
    elif options.weights:
        weights = np.empty(0)
    sides = _sides(path, head, source, target)
    n = sum(sides) if head.shape == "bip" else max(sides)
    check_vertex_count(path, n, options)
    if head.shape == "bip":
        target = target + sides[0]
    graph = Graph.from_edges(
        source,
        target,
        weights=weights,
        directed=options.direction(head.shape == "asym"),
        duplicates=options.duplicates,
        vertices=np.arange(1, n + 1),
    )
    rows = counted(len(source), "row")
    if head.shape == "bip":
        rows += f"; 1 .. {sides[0]} on the left side, {sides[0] + 1} .. {n} on the right"
    if head.edges is not None and head.edges != len(source):
        rows += f"; line 2 says {head.edges}"
    return Loaded(graph, rows, notes)


def _head(path: Path, options: Options) -> Head:
    words: list[list[str]] = []
    empty = True
    for _, line in numbered_lines(path, "latin-1", options.max_ratio):
        line = line.strip()
        if line and line[0] not in "#%":
            empty = False
            break
        if line:
            words.append(line[1:].split())
    first = words[0] if words else []
    if len(first) < 2 or first[0] not in LAUNCH:
        raise InputError(
            f"{path}, line 1: should say '% sym', '% asym' or '% bip' and what the weights are, as KONECT's "
            "files do; read other edge lists with format='edges'"
        )
    counts = [natural(word) for word in (words[1] if words[1:] else [])]
    if not counts or any(count is None for count in counts):
        counts = []
    edges = counts[0] if counts else None
    sides = (counts[1], counts[2] if len(counts) > 2 else counts[1]) if len(counts) > 1 else None
    return Head(first[0], first[1], edges, sides, empty)  # type: ignore[arg-type]


def _sides(path: Path, head: Head, source: Any, target: Any) -> tuple[int, int]:
    """How many vertices each side has: as line 2 says, else as the rows do."""
    found = int(source.max(initial=0)), int(target.max(initial=0))
    lowest = int(min(source.min(initial=1), target.min(initial=1)))
    if lowest < 1:
        raise InputError(f"{path}: vertex {lowest}: KONECT's files number them from 1")
    if head.sides is None:
        return found
    for here, said in zip(found, head.sides, strict=True):
        if here > said:
            raise InputError(
                f"{path}: vertex {here} is not among the {said} of line 2; correct it or download it again"
            )
    return head.sides


def write_konect(graph: Graph, path: Path) -> list[str]:
    """Write a file of KONECT."""
    n = graph.num_vertices
    weights = graph.weights
    kind = "unweighted"
    if weights is not None:
        kind = "posweighted" if np.all(weights > 0) else "weighted"
    with writing(path) as file:
        file.write(f"% {'asym' if graph.directed else 'sym'} {kind}\n% {graph.num_edges} {n} {n}\n".encode())
        write_rows(file, graph, cells(np.arange(1, n + 1), b"\t"))
    return [*renumbered(graph), *merged_note(graph)]
