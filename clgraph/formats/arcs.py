"""Arcs as arrays of tails, heads and weights: compared in any order, and made into graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.formats.common import Options
from clgraph.graph.arrays import last_of_rows
from clgraph.graph.building import LOW_HALF, pack
from clgraph.graph.graph import Graph, build_csr

Arcs = tuple[npt.NDArray[Any], npt.NDArray[Any], "npt.NDArray[Any] | None"]  # tails, heads, weights


def difference(one: Arcs, other: Arcs) -> tuple[int, int] | None:
    """The first arc (by tail and head) that is not in both as often, or else not with the same weight."""
    keys: list[Any] = []
    weights: list[Any] = []
    for tail, head, weight in (one, other):
        key: Any = pack(tail, head)
        if weight is None:
            # most files are sorted already, and a look costs far less than a sort
            if np.any(key[1:] < key[:-1]):
                key.sort()
        else:
            # parallel arcs in the order of their weights, so that equal lists compare equal
            order = np.lexsort((weight, key))
            key, weight = key[order], weight[order]
        keys.append(key)
        weights.append(weight)
    shared = min(map(len, keys))
    different = keys[0][:shared] != keys[1][:shared]
    if weights[0] is not None and not different.any():
        different = weights[0][:shared] != weights[1][:shared]
    # both lists are sorted, so the smaller of two unequal keys is missing from the other one
    if different.any():
        i = int(np.argmax(different))
        first = min(int(keys[0][i]), int(keys[1][i]))
    elif len(keys[0]) != len(keys[1]):
        first = int(max(keys, key=len)[shared])
    else:
        return None
    return first >> 32, first & LOW_HALF


def without_twin(arcs: Arcs) -> tuple[int, int] | None:
    """The first pair (by its smaller end) whose arcs there and back are not as many, of the same weights."""
    tail, head, weight = arcs
    # turned round, the arcs that go down must be those that go up
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    there: Arcs = tail[up], head[up], None if weight is None else weight[up]
    back: Arcs = head[down], tail[down], None if weight is None else weight[down]
    return difference(there, back)


def each_once(arcs: Arcs) -> Arcs:
    """The arcs of an undirected graph, each edge once if both of its arcs are there, as they all must be."""
    if without_twin(arcs) is not None:
        return arcs
    tail, head, weight = arcs
    # of two twins the arc from the smaller end stays; a loop is one arc
    once = tail <= head
    return tail[once], head[once], None if weight is None else weight[once]


def distinct_rows(row_ptr: npt.NDArray[Any], heads: npt.NDArray[Any]) -> bool:
    """True if the heads of each row ascend and differ: such rows are a graph's as they are."""
    ascend = heads[1:] > heads[:-1]
    ascend[last_of_rows(row_ptr, len(heads))] = True  # from one row to the next they may fall
    return bool(ascend.all())


def graph_of_arcs(
    arcs: Arcs, n: int, options: Options, directed: bool, *, first: int = 0, twins: bool = False
) -> Graph:
    """Return the graph of arcs between vertices counted from 0, whose ids count from `first`.

    With `twins` the arcs of an undirected graph are both of each edge.
    """
    tail, head, weights = each_once(arcs) if twins and not directed else arcs
    return build_csr(
        tail,
        head,
        n,
        weights=weights.astype(np.float64, copy=False) if options.weights and weights is not None else None,
        ids=np.arange(first, n + first) if first else None,
        directed=directed,
        duplicates=options.duplicates,
    )
