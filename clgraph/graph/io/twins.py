"""Whether two lists of arcs are the same in any order: a list and its reverse, or one and another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.building import LOW_HALF

Arcs = tuple[npt.NDArray[Any], npt.NDArray[Any], "npt.NDArray[Any] | None"]  # tails, heads, weights


def difference(one: Arcs, other: Arcs) -> tuple[int, int] | None:
    """The first arc (by tail and head) that is not in both as often and with the same weight."""
    keys: list[Any] = []
    weights: list[Any] = []
    for tail, head, weight in (one, other):
        key: Any = (tail.astype(np.int64) << 32) | head
        if weight is None:
            key.sort()
        else:
            order = np.lexsort((weight, key))
            key, weight = key[order], weight[order]
        keys.append(key)
        weights.append(weight)
    shared = min(map(len, keys))
    different = keys[0][:shared] != keys[1][:shared]
    if weights[0] is not None:
        different |= weights[0][:shared] != weights[1][:shared]
    if different.any():
        i = int(np.argmax(different))
        first = min(int(keys[0][i]), int(keys[1][i]))
    elif len(keys[0]) != len(keys[1]):
        first = int(max(keys, key=len)[shared])
    else:
        return None
    return first >> 32, first & LOW_HALF


def each_once(arcs: Arcs) -> Arcs:
    """The arcs of an undirected graph, each edge once if both of its arcs are there, as they all must be."""
    tail, head, weight = arcs
    if difference(arcs, (head, tail, weight)) is not None:
        return arcs
    once = tail <= head
    return tail[once], head[once], None if weight is None else weight[once]
