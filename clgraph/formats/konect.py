"""KONECT's out.NAME files: an edge list whose first line says what its edges are.

That is ``% sym`` (undirected), ``% asym`` (directed) or ``% bip`` (bipartite), and what their weights are. A
line ``% edges vertices vertices`` may follow. Vertices are numbered from 1; in a bipartite file each side is,
so the right side is numbered on from the left one here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.cells import cells, write_rows, writing
from clgraph.formats.common import Loaded, Options, check_vertex_count, counted, natural, numbered_lines
from clgraph.formats.edges import read_rows
from clgraph.graph.graph import Graph


def read_konect(path: Path, options: Options) -> Loaded:
    """Read a file of KONECT (see `clgraph.read`)."""
    kind, said, counts, empty = _head(path, options)
    if options.weights and said == "unweighted":
        raise InputError(f"{path}, line 1: says that the edges are unweighted; leave weights=True out")
    source: Any = np.empty(0, np.int64)
    target, weights, notes = source, np.empty(0) if options.weights else None, []
    if not empty:
        source, target, weights, layout = read_rows(path, replace(options, header=False))
        notes += ["weights"] if layout.width > 2 and not options.weights else []
        notes += ["times"] if layout.width > 3 else []
    left, right = _sides(path, counts, source, target)
    two_sides = kind == "bip"
    n = left + right if two_sides else max(left, right)
    check_vertex_count(path, n, options)
    graph = Graph.from_edges(
        source,
        target + left if two_sides else target,
        weights=weights,
        directed=options.direction(kind == "asym"),
        duplicates=options.duplicates,
        vertices=np.arange(1, n + 1),
    )
    rows = counted(len(source), "row")
    if two_sides:
        rows += f"; 1 .. {left} on the left side, {left + 1} .. {n} on the right"
    if counts and counts[0] != len(source):
        rows += f"; line 2 says {counts[0]}"
    return Loaded(graph, rows, notes)


def _head(path: Path, options: Options) -> tuple[str, str, list[int], bool]:
    """Return kind, weights ("unweighted", "positive", ...), the counts of line 2, and whether no row follows.

    The counts are those of edges and of vertices on the left and on the right, as far as line 2 says them.
    """
    words: list[list[str]] = []
    empty = True
    for _, line in numbered_lines(path, "latin-1", options.max_ratio):
        line = line.strip()
        if line and line[0] not in "#%":
            empty = False
            break
        if line:
            words.append(line[1:].split())
    first, second = [*words, [], []][:2]
    if len(first) < 2 or first[0] not in ("sym", "asym", "bip"):
        raise InputError(
            f"{path}, line 1: should say '% sym', '% asym' or '% bip' and what the weights are, as KONECT's "
            "files do; read other edge lists with format='edges'"
        )
    counts = [count for word in second if (count := natural(word)) is not None]
    # a second line with words in it is some other comment
    return first[0], first[1], counts if len(counts) == len(second) else [], empty


def _sides(path: Path, counts: list[int], source: Any, target: Any) -> tuple[int, int]:
    """Return how many vertices each side has: as line 2 says, else as the rows do."""
    found = int(source.max(initial=0)), int(target.max(initial=0))
    lowest = int(min(source.min(initial=1), target.min(initial=1)))
    if lowest < 1:
        raise InputError(f"{path}: vertex {lowest}: KONECT's files number them from 1")
    if len(counts) < 2:
        return found
    left, right = [*counts[1:3], counts[1]][:2]
    for here, said in zip(found, (left, right), strict=True):
        if here > said:
            raise InputError(
                f"{path}: vertex {here} is not among the {said} of line 2; correct it or download it again"
            )
    return left, right


def write_konect(graph: Graph, path: Path) -> None:
    """Write a file of KONECT."""
    n = graph.num_vertices
    kind = "unweighted"
    if graph.weights is not None:
        kind = "posweighted" if np.all(graph.weights > 0) else "weighted"
    with writing(path) as file:
        file.write(f"% {'asym' if graph.directed else 'sym'} {kind}\n% {graph.num_edges} {n} {n}\n".encode())
        write_rows(file, graph, cells(np.arange(1, n + 1), b"\t"))
