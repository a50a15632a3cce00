"""Uniform spanning trees, slow and obviously right: Wilson's walks, one by one, with loops erased."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.reference.numbers import below, words
from clgraph.reference.races import Rows
from clgraph.reference.sampling import ReferenceSample
from clgraph.reference.walks import first_start, given_starts, made_of, start_order
from clgraph.sizes import target_size

METHODS = ("ust",)


def reference_tree(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Grow a tree by the definition, on the host; arguments as in `clgraph.sample`."""
    near = Rows(graph).near
    n = len(near)
    roots = given_starts(graph, options) or [first_start(graph, seed)]
    component = components(near)
    reached = {component[v] for v in roots}
    for v in start_order(n, seed):
        if component[v] not in reached:
            reached.add(component[v])
            roots.append(v)
    parent = wilson(near, roots, seed)
    order = sorted(range(n), key=lambda v: (words(seed, v, 0, 0, keyed.TAG_VERTEX)[0], v))
    size = options.get("size")
    target = n if size is None else min(target_size(size, n), n)
    came: list[int] = []
    inside: set[int] = set()
    for v in order:
        branch = []
        while v not in inside and v not in branch:
            branch.append(v)
            v = parent[v]
        came += branch[::-1]
        inside |= set(branch)
    keep = options.get("keep", "tree")
    return made_of(graph, came[:target], "tree" if keep == "visited" else keep, parent, set(), target)


def components(near: list[list[int]]) -> list[int]:
    """A number for each vertex, the same within a component."""
    found = [-1] * len(near)
    for v in range(len(near)):
        waiting = [v] if found[v] < 0 else []
        while waiting:
            u = waiting.pop()
            if found[u] < 0:
                found[u] = v
                waiting += near[u]
    return found


def wilson(near: list[list[int]], roots: list[int], seed: int) -> dict[int, int]:
    """The parent of each vertex; roots: themselves. The i-th walk out of v goes by v's i-th arrow."""
    parent = {v: v for v in roots}
    used = [0] * len(near)
    for v in range(len(near)):
        path = [v]
        while path[-1] not in parent:
            u = path[-1]
            a, _ = words(seed, u, used[u], 0, keyed.TAG_STEP)
            used[u] += 1
            u = near[u][below(a, len(near[u]))]
            path = path[: path.index(u) + 1] if u in path else [*path, u]
        parent |= dict(pairwise(path))
    return parent


def verify_tree(graph: Graph, sample: Any) -> None:
    """Check a spanning tree's sample: edges of the graph, no cycle, one root a component.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    wish, n = sample.wish, graph.num_vertices
    index = graph.index(sample.vertices)
    wanted = n if wish.target is None else min(wish.target, n)
    if len(index) != wanted:
        raise AssertionError(f"{len(index)} vertices instead of {wanted}")
    parent = graph.index(sample.parent)
    if not np.all(np.isin(parent, index)):
        raise AssertionError("a parent is not in the sample")
    up = np.arange(n)
    up[index] = parent
    far = up
    for _ in range(n.bit_length()):
        far = far[far]
    if np.any(up[far] != far):
        raise AssertionError("there is a cycle")
    pairs = set(zip(graph.undirected.rows.tolist(), graph.undirected.col_idx.tolist(), strict=True))
    if any(
        pair not in pairs for pair in zip(index.tolist(), parent.tolist(), strict=True) if pair[0] != pair[1]
    ):
        raise AssertionError("a parent is not a neighbour")
    component = np.array(components(Rows(graph).near))
    starts = len(set(wish.start)) if wish.start is not None else 1
    roots = index[parent == index]
    if len(roots) > len(np.unique(component[roots])) + starts - 1:
        raise AssertionError("a component has several roots")
    if wish.keep == "tree" and len(sample.edges) != np.count_nonzero(parent != index):
        raise AssertionError("a tree has one edge for each vertex that is no root")
