"""The share of its source that each arc carries: w(u, v) / W(u)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking.problem import Reals, arc_weights

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


def arc_shares(weights: Reals, out: Reals, tails: npt.NDArray[Any]) -> Reals:
    """w(u, v) / W(u) of each arc; 0 where W(u) is.

    Parameters
    ----------
    weights : float64 array, shape (arcs,)
        w, in any order of the arcs.
    out : float64 array, shape (n,)
        W.
    tails : int array, shape (arcs,)
        u of each arc, in the same order: ``graph.rows``, or ``graph.reverse.col_idx``.
    """
    whole = out[tails]
    return np.divide(weights, whole, out=np.zeros_like(whole), where=whole > 0)


def graph_shares(graph: Graph, problem: Problem) -> Reals | None:
    """The shares of the graph's arcs in its own order; None if the problem is not weighted."""
    return None if problem.weights is None else arc_shares(problem.weights, problem.out, graph.rows)


def upload_shares(
    device: Device,
    rows: Graph,
    problem: Problem,
    real: type[np.floating[Any]],
    weight: bool,
    *,
    by_tail: bool = False,
) -> Any:
    """The shares beside a graph's arcs on the device; kept there as long as the graph lives.

    Parameters
    ----------
    device : Device
    rows : Graph
        The reversed graph, each row of which holds the arcs that arrive at a vertex; with `by_tail` the graph
        itself.
    problem : Problem
        A weighted one.
    real : type
        np.float32 or np.float64.
    weight : bool
        Whether the graph's weights count; else its multiplicities do.
    by_tail : bool
        Whether an arc's row is its tail.
    """

    def make() -> Any:
        weights = arc_weights(rows, weight)
        assert weights is not None
        shares = arc_shares(weights, problem.out, rows.rows if by_tail else rows.col_idx).astype(real)
        device.reserve({"share": shares.nbytes})
        return device.upload(shares)

    return device.cached(rows, ("arc-shares", real, bool(weight), by_tail), make)
