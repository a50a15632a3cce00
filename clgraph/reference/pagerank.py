"""PageRank on the host: the reference in float64, and the verifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, real, whole
from clgraph.errors import ClgraphError
from clgraph.graph import as_graph
from clgraph.reference.checks import check_result
from clgraph.reference.recurrence import distribution, make_recurrence

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking import PageRankResult


def reference_pagerank(
    graph: Graph,
    *,
    iterations: int | None = None,
    tol: float = 1e-14,
    damping: float = 0.85,
    personalization: Any = None,
    dangling: Any = "personalization",
    nstart: Any = None,
    weight: bool = True,
) -> npt.NDArray[np.float64]:
    """The power method in float64.

    Parameters
    ----------
    graph : Graph
    iterations : int, optional
        How often the recurrence is applied; if not given, until the L1 difference of two iterates is at
        most `tol`, at most 10000 times.
    tol : float
    damping, personalization, dangling, nstart, weight
        As in `clgraph.pagerank`.

    Returns
    -------
    float64 array, shape (n,)

    Raises
    ------
    InputError
        If a distribution, a weight or the damping factor makes no sense.
    """
    graph = as_graph(graph)
    tol = real(tol, "tol")
    rounds = 10_000 if iterations is None else whole(iterations, "iterations")
    p = distribution(graph, personalization)[:, np.newaxis]
    recurrence = make_recurrence(graph, p, damping=damping, dangling=dangling, weight=weight)
    x = distribution(graph, nstart)[:, np.newaxis]
    for _ in range(rounds):
        before, x = x, recurrence.step(x)
        if iterations is None and np.abs(x - before).sum() <= tol:
            break
    return x[:, 0]


def verify_pagerank(graph: Graph, result: PageRankResult, *, weight: bool = True) -> None:
    """Check ranks from the definition: applying the recurrence once more hardly moves them.

    The recurrence shrinks L1 distances by the damping factor, so the ranks x are within
    ``|F(x) - x| / (1 - d)`` of the exact ones; for the newest iterate that must not be more than the
    result's own `error_bound` says. (After a few iterations with tol=0 the bound is large, and so may be the
    distance.)

    Parameters
    ----------
    graph : Graph
    result : PageRankResult
        It records damping, distributions and dangling policy.
    weight : bool
        What the call was given.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    ClgraphError
        With what is wrong.
    """
    graph = check_result(graph, result, "pagerank", ranks=("f", 1))
    flag(weight, "weight")
    asked = result.problem
    x = result.ranks.astype(np.float64)
    if x.shape != (graph.num_vertices,) or result.ranks.dtype != np.dtype(result.dtype):
        raise ClgraphError(
            f"ranks are {result.ranks.dtype} {result.ranks.shape} for {graph.num_vertices} vertices"
        )
    bad = ~(np.isfinite(x) & (x >= 0))
    if np.any(bad):
        raise ClgraphError(f"the rank of vertex {int(np.argmax(bad))} is {x[np.argmax(bad)]}")
    d, rho = asked.damping, result.round_off
    total = float(x.sum())
    # each iteration may lose or gain rho, and the damping keeps what comes of that below rho / (1 - d)
    slack = rho / (1 - d) + 1e-12
    if result.dangling == "drop":
        if total > 1 + slack:
            raise ClgraphError(f"the ranks sum to {total!r}: more than 1")
    elif abs(total - 1) > slack:
        raise ClgraphError(f"the ranks sum to {total!r}, not to 1 within {slack:.3g}")
    p = distribution(graph, asked.personalization)[:, np.newaxis]
    dangling = asked.dangling if result.dangling == "given" else result.dangling
    recurrence = make_recurrence(graph, p, damping=d, dangling=dangling, weight=weight)
    moved = float(np.abs(recurrence.step(x[:, np.newaxis])[:, 0] - x).sum())
    allowed = (1 - d) * result.error_bound + rho + 1e-14
    if moved > allowed:
        raise ClgraphError(
            f"one more iteration moves the ranks by {moved:.3g} (L1), more than the {allowed:.3g} that the "
            f"error bound {result.error_bound:.3g} allows"
        )
    if result.converged and not result.residual < (
        result.tol * graph.num_vertices if result.norm == "nx" else result.tol
    ):
        raise ClgraphError(f"converged with a residual of {result.residual:.3g} at tol {result.tol:.3g}")
