"""Exploration, slow and obviously right: vertices in the order in which a search first sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import shown, target_size
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.reference.checks import check_result
from clgraph.reference.components import in_largest_component
from clgraph.reference.numbers import below, words
from clgraph.reference.sampling import EdgeList, ReferenceSample, check_induced

if TYPE_CHECKING:
    from clgraph.sampling.result import Sample

METHODS = ("ebfs", "edfs")


def reference_explore(
    graph: Graph, method: str, *, sizes: Sequence[float | int | str], seed: int, start: Any = None
) -> list[ReferenceSample]:
    """Explore by the definition, on the host.

    Parameters
    ----------
    graph : Graph
    method : {"ebfs", "edfs"}
    sizes : sequence of float, int or str
    seed : int
    start : id, optional
        A vertex of the largest component; by default one that the seed draws.

    Returns
    -------
    list of ReferenceSample
    """
    if method not in METHODS:
        raise InputError(f"unknown method {shown(method)}: reference_explore knows {', '.join(METHODS)}")
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices")
    inside = np.flatnonzero(in_largest_component(graph.undirected))
    if start is None:
        first = int(inside[below(words(seed, 0, 0, 0, keyed.TAG_DRAW)[0], len(inside))])
    else:
        found = graph.indices_of(start)
        if found.size != 1:
            raise InputError(f"start is {shown(start)}: the id of one vertex is needed")
        first = int(found.flat[0])
        if first not in inside:
            raise InputError(f"start {start} is outside the largest component")
    order = (_breadth_first if method == "ebfs" else _depth_first)(graph.undirected, seed, first)
    edges = EdgeList.of(graph)
    made = []
    for size in sizes:
        target = target_size(size, graph.num_vertices)
        seen = np.isin(np.arange(graph.num_vertices), order[:target])
        ranks = edges.rank[seen[edges.low] & seen[edges.high]]
        made.append(ReferenceSample(graph.ids[seen], ranks, target, start=graph.ids[first]))
    return made


def _neighbours(view: Graph, v: int) -> list[int]:
    heads: list[int] = view.col_idx[view.row_ptr[v] : view.row_ptr[v + 1]].tolist()
    return [u for u in dict.fromkeys(heads) if u != v]


def _breadth_first(view: Graph, seed: int, start: int) -> list[int]:
    """Level by level, each by increasing (priority, index)."""
    order, seen, level = [], {start}, [start]
    while level:
        level.sort(key=lambda v: (words(seed, v, 0, 0, keyed.TAG_VERTEX)[0], v))
        order += level
        level = [u for u in dict.fromkeys(u for v in level for u in _neighbours(view, v)) if u not in seen]
        seen.update(level)
    return order


def _depth_first(view: Graph, seed: int, start: int) -> list[int]:
    """First visits; from v on to the unseen neighbour u of smallest (number(seed, v, u), u), else back."""
    order, seen, path = [start], {start}, [start]
    while path:
        v = path[-1]
        ways = [(words(seed, v, u, 0, keyed.TAG_ARC)[0], u) for u in _neighbours(view, v) if u not in seen]
        if not ways:
            path.pop()
            continue
        u = min(ways)[1]
        order.append(u)
        seen.add(u)
        path.append(u)
    return order


def verify_exploration(graph: Graph, sample: Sample) -> None:
    """Check an exploration: exactly `target` vertices (or the untouched component), and their induced edges.

    That it is connected, and its vertices and edges the original's, is for `verify_deletion` to check.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1))
    inside = np.isin(np.arange(graph.num_vertices), graph.indices_of(sample.vertices))
    component = in_largest_component(graph.undirected)
    wanted = min(sample.target, int(np.count_nonzero(component)))
    if int(np.count_nonzero(inside)) != wanted or np.any(inside & ~component):
        raise AssertionError(
            f"{np.count_nonzero(inside)} vertices instead of {wanted} of the largest component"
        )
    check_induced(EdgeList.of(graph), inside, sample)
