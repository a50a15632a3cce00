"""Shares as integers, so that all devices take the same starts and arcs for one seed. Host only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clgraph.ranking.shares import graph_shares

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Reals

FULL = 1 << 62  # the end of a row's thresholds


def start_thresholds(weights: Reals | None, count: int, walks: int) -> npt.NDArray[np.uint64]:
    """Where, among positions 0 .. walks * 2**32 - 1, each start's share ends; shape (count,).

    Walk i is at position i * 2**32 + a keyed 32-bit number. Made of integers alone. `weights` None: all
    shares are equal.
    """
    if weights is None:
        ends = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(walks)
        whole, rest = ends // np.uint64(count), ends % np.uint64(count)
        part = ((rest << np.uint64(32)) + np.uint64(count - 1)) // np.uint64(count)
        return (whole << np.uint64(32)) + part
    parts = np.rint(weights / weights.max() * 2**52).astype(np.uint64).tolist()
    total, span, sofar, out = sum(parts), walks << 32, 0, []
    for part in parts:
        sofar += part
        out.append(-(-sofar * span // total))
    return np.array(out, dtype=np.uint64)


def arc_limits(graph: Graph, problem: Problem) -> npt.NDArray[np.uint64]:
    """Where each arc's share of its row ends, shape (arcs,), in units of 2**-62.

    0 at the end of a row that no weight leaves.
    """
    weights, shares = problem.weights, graph_shares(graph, problem)
    assert weights is not None and shares is not None
    lengths = np.diff(graph.row_ptr)
    sums = np.zeros(len(weights) + 1, np.uint64)
    # this may overflow; differences are right
    np.cumsum(np.rint(shares * FULL).astype(np.uint64), out=sums[1:])
    first = graph.row_ptr[:-1].clip(max=max(len(weights) - 1, 0))
    limits = sums[1:] - np.repeat(sums[:-1][first], lengths)
    # the remainder of rounding goes to the last arc that has a weight, and to those of weight 0 after it
    some = np.flatnonzero(weights > 0)
    row_of = np.repeat(np.arange(len(lengths)), lengths)
    last = np.zeros(len(lengths), np.int64)
    last[row_of[some]] = some
    at_end = (np.arange(len(weights)) >= last[row_of]) & (problem.out > 0)[row_of]
    limits[at_end] = FULL
    np.minimum(limits, np.uint64(FULL), out=limits)
    return limits
