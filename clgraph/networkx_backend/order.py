"""NetworkX's order of a breadth-first search, from its levels.

NetworkX visits a level in the order in which it was found: by the position of a vertex's predecessor, then
by the position of the arc in that predecessor's adjacency. A device gives the levels; here each level is
ordered at once, from the arcs that leave the level before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.graph import Graph

FEW = 12  # levels of fewer vertices are ordered one vertex at a time: NumPy's calls would take longer


def in_order(
    rows: Graph, distance: npt.NDArray[Any], first: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Vertices reached, in NetworkX's order, and the vertex that each was reached from.

    Parameters
    ----------
    rows : Graph
        Rows in the order of NetworkX's adjacency.
    distance : integer array, shape (k * n,)
        Levels of k searches, one after the other; -1 where not reached. Position ``s * n + v`` is vertex v
        of search s.
    first : integer array
        The positions of all sources, in their order.

    Returns
    -------
    reached, parents : int64 arrays
        Positions, level by level; the parent of a source is -1.
    """
    n = rows.num_vertices
    row_ptr, heads = rows.row_ptr, rows.col_idx
    last = int(distance.max(initial=0))
    rank = np.empty(len(distance), np.int32)  # only positions of reached vertices are touched
    front = first.astype(np.int64)
    reached, parents = [front], [np.full(len(front), -1)]
    level = 0
    while level < last and len(front):
        if len(front) < FEW:
            front, found, by, level = _one_by_one(rows, distance, front, level)
            reached.append(found)
            parents.append(by)
            continue
        vertex = front if n == len(distance) else front % n
        start = row_ptr[vertex].astype(np.int64)
        count = row_ptr[vertex + 1] - start
        end = np.cumsum(count)
        arc = np.arange(end[-1])
        arc += np.repeat(start - (end - count), count)
        head = heads[arc].astype(np.int64)
        if n != len(distance):
            head += np.repeat(front - vertex, count)
        level += 1
        kept = np.flatnonzero(distance[head] == level)
        head = head[kept]
        # a vertex is found by the first arc that leads to it: written in reverse, the first arc wins
        place = np.arange(len(head), dtype=np.int32)
        rank[head[::-1]] = place[::-1]
        new = np.flatnonzero(rank[head] == place)
        parents.append(front[np.searchsorted(end, kept[new], side="right")])
        front = head[new]
        reached.append(front)
    return np.concatenate(reached), np.concatenate(parents)


def _one_by_one(
    rows: Graph, distance: npt.NDArray[Any], front: npt.NDArray[Any], level: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], int]:
    """Levels of few vertices, until one has more or none: the last level, all found, their parents."""
    n = rows.num_vertices
    # memoryviews: NumPy takes three times as long to give a single number
    ends, heads, levels = (array.data for array in (rows.row_ptr, rows.col_idx, distance))
    here, found, by = front.tolist(), [], []
    while here and len(here) < FEW:
        level += 1
        there: list[int] = []
        known = set()
        for place in here:
            v = place % n
            base = place - v
            for arc in range(ends[v], ends[v + 1]):
                w = base + heads[arc]
                if levels[w] == level and w not in known:
                    known.add(w)
                    there.append(w)
                    by.append(place)
        found += there
        here = there
    return np.array(here, dtype=np.int64), np.array(found, np.int64), np.array(by, np.int64), level
