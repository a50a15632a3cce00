"""Core numbers, slow and obviously right: one vertex after the other is removed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph


def _neighbours(graph: Graph) -> list[list[int]]:
    """Each vertex's neighbours without loops; of a directed graph by arcs out, then by arcs in."""
    out: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    back: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for u, v in zip(graph.rows.tolist(), graph.col_idx.tolist(), strict=True):
        if u != v:
            out[u].add(v)
            back[v].add(u)
    if not graph.directed:
        return [sorted(row) for row in out]
    return [[*sorted(a), *sorted(b)] for a, b in zip(out, back, strict=True)]


def reference_core_numbers(graph: Graph) -> npt.NDArray[np.int32]:
    """Core numbers by the definition, on the host, shape (n,)."""
    graph = as_graph(graph)
    near = _neighbours(graph)
    left = {v: len(row) for v, row in enumerate(near)}
    core = np.zeros(graph.num_vertices, np.int32)
    k = 0
    while left:
        v = min(left, key=lambda each: (left[each], each))
        k = max(k, left.pop(v))
        core[v] = k
        for u in near[v]:
            if u in left:
                left[u] -= 1
    return core


def verify_core_numbers(graph: Graph, core: Any) -> None:
    """Check core numbers: each vertex has that many neighbours of its number or more, and no larger one fits.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    core = np.asarray(core)
    if core.shape != (graph.num_vertices,):
        raise AssertionError(f"{core.shape} core numbers for {graph.num_vertices} vertices")
    near = _neighbours(graph)
    for v, row in enumerate(near):
        higher = sum(core[u] >= core[v] for u in row)
        if higher < core[v]:
            raise AssertionError(
                f"vertex {graph.ids[v]}: {higher} neighbours in its core, {core[v]} are needed"
            )
    # no larger numbers are possible: level by level everything above peels away
    for k in range(int(core.max(initial=0)) + 1):
        inside = {v for v in range(len(near)) if core[v] >= k}
        stays = {v for v in range(len(near)) if len(near[v]) > k}
        while gone := {v for v in stays if sum(u in stays for u in near[v]) <= k}:
            stays -= gone
        if not stays <= inside or any(core[v] <= k for v in stays):
            raise AssertionError(f"a vertex of the {k + 1}-core has the number {k}")
