"""Edges in parts with negatives, slow and obviously right: Kruskal's forest, sorted keys, pairs listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import floor
from typing import Any, NamedTuple

import numpy as np

from clgraph.graph import Graph, as_graph
from clgraph.keyed import TAG_EDGE
from clgraph.reference.common import below, check_result, expect, words

TAG_NEGATIVE = 42
Pair = tuple[int, int]


class Split(NamedTuple):
    """Edges and negatives of each part: training, validation, test."""

    edges: list[list[Pair]]
    negatives: list[list[Pair]]


def _forest(n: int, edges: list[Pair]) -> set[Pair]:
    """Edges that join two trees, taken in this order."""
    tree = [{v} for v in range(n)]
    found = set()
    for u, v in edges:
        if tree[u] is not tree[v]:
            tree[u] |= tree[v]
            for w in tree[v]:
                tree[w] = tree[u]
            found.add((u, v))
    return found


def reference_split_edges(
    graph: Graph,
    test: Any = 0.1,
    validation: Any = 0.05,
    *,
    keep_connected: bool = True,
    negatives: float = 1.0,
    negative_law: str = "uniform",
    seed: int = 0,
) -> Split:
    """Edges of a graph in parts, by vertex number; the shares are possible ones."""
    graph = as_graph(graph)
    n, arcs = graph.num_vertices, list(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
    edges = sorted({(min(arc), max(arc)) for arc in arcs if arc[0] != arc[1]})
    by_key = sorted(edges, key=lambda edge: words(seed, edge[0], edge[1], 0, TAG_EDGE)[0])
    kept = _forest(n, by_key[::-1]) if keep_connected else set()
    free = [edge for edge in by_key if edge not in kept]

    def rounded(share: Any, of: int) -> int:
        return share if isinstance(share, int) else floor(Fraction(str(share)) * of + Fraction(1, 2))

    some, more = rounded(test, len(edges)), rounded(validation, len(edges))
    part_of = dict.fromkeys(edges, 0) | dict.fromkeys(free[:some], 2)
    part_of |= dict.fromkeys(free[some : some + more], 1)
    proper = [arc for arc in arcs if arc[0] != arc[1] and (graph.directed or arc[0] < arc[1])]
    parts = [[arc for arc in proper if part_of[min(arc), max(arc)] == part] for part in range(3)]

    joined = set(arcs)
    without = [
        (u, v)
        for u in range(n)
        for v in range(0 if graph.directed else u + 1, n)
        if u != v and (u, v) not in joined
    ]
    wanted = [rounded(float(negatives), len(part)) for part in parts]
    found: dict[Pair, None] = {}
    for i in count():
        if len(found) == sum(wanted):
            break
        a, b = words(seed, i, 0, 0, TAG_NEGATIVE)
        if negative_law == "uniform":
            pair = without[below(a, len(without))]
        else:
            pair = arcs[below(a, len(arcs))][0], arcs[below(b, len(arcs))][1]
            if not graph.directed:
                pair = min(pair), max(pair)
            if pair[0] == pair[1] or pair in joined:
                continue
        found.setdefault(pair)
    drawn = iter(found)
    of_part = {part: [next(drawn) for _ in range(wanted[part])] for part in (2, 1, 0)}
    return Split(parts, [of_part[part] for part in range(3)])


def _components(graph: Graph) -> int:
    """Number of weakly connected components."""
    from scipy.sparse import csgraph

    found = csgraph.connected_components(graph.undirected.to_scipy(), directed=False)
    return int(found[0])


def verify_split_edges(graph: Any, found: Any, *, keep_connected: bool = True) -> None:
    """Check parts of a graph's edges against their definition, whatever was drawn.

    Raises
    ------
    AssertionError
        If something is wrong.
    """
    parts: dict[str, Any] = {name: getattr(found, name, None) for name in ("train", "validation", "test")}
    for part in parts.values():
        arrays = {"edges": ("i", 2), "arcs": ("i", 1), "negatives": ("i", 2)}
        whole = check_result(graph, part, "clgraph.split_edges", **arrays)
    tails, heads = whole.tails, whole.col_idx
    proper = tails != heads if whole.directed else tails < heads
    arcs = np.concatenate([part.arcs for part in parts.values()])
    expect(np.array_equal(np.sort(arcs), np.flatnonzero(proper)), "the parts are not all edges, each once")
    for name, part in parts.items():
        ends = np.stack([tails[part.arcs], heads[part.arcs]])
        expect(np.array_equal(ends, part.edges), f"{name}: an edge has other ends")
    names = [
        {(min(pair), max(pair)) for pair in zip(*part.edges.tolist(), strict=True)} for part in parts.values()
    ]
    expect(sum(map(len, names)) == len(set().union(*names)), "the arcs of a pair are in two parts")
    n = np.int64(whole.num_vertices)
    stays = np.sort(np.append(found.train.arcs, np.flatnonzero(tails == heads)))
    if not whole.directed:
        of_train = tails[stays] * n + heads[stays], heads[stays] * n + tails[stays]
        left = np.union1d(*of_train)
    else:
        left = np.sort(tails[stays] * n + heads[stays])
    training = found.graph
    expect(
        training.num_vertices == n and np.array_equal(training.tails * n + training.col_idx, left),
        "the training graph has other edges",
    )
    if keep_connected:
        expect(_components(training) == _components(whole), "the training graph has other components")
    pairs = np.concatenate([part.negatives for part in parts.values()], axis=1).astype(np.int64)
    u, v = pairs
    right = (u >= 0) & (u < n) & (v >= 0) & (v < n)
    expect(np.all(right), "a negative is no pair of vertices")
    expect(
        np.all(u != v if whole.directed else u < v), "a negative is a loop, or has its ends in another order"
    )
    key = u * n + v
    expect(len(np.unique(key)) == len(key), "a negative was drawn twice")
    expect(not np.isin(key, tails * n + heads).any(), "a negative is an edge")
