"""PageRank on the host: the reference in float64, and the verifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.errors import ClgraphError
from clgraph.ranking.problem import Problem, make_problem

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking import PageRankResult


def _matrix(graph: Graph, problem: Problem) -> Any:
    """M with M[v, u] = w(u, v) / W(u), so that one step is M @ x."""
    n = graph.num_vertices
    weights = np.ones(graph.num_arcs) if problem.weights is None else problem.weights
    a = sp.csr_array((weights, graph.col_idx, graph.row_ptr), shape=(n, n))
    inverse = np.divide(1.0, problem.out, out=np.zeros(n), where=problem.out > 0)
    return (sp.diags_array(inverse) @ a).T.tocsr()


def _step(matrix: Any, problem: Problem, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """One application of the recurrence."""
    n, d = problem.n, problem.damping
    p = np.full(n, 1 / n) if problem.personalization is None else problem.personalization
    q = np.full(n, 1 / n) if problem.dangling is None else problem.dangling
    lost = 0.0 if problem.drop else float(x[problem.out == 0].sum())
    ranks: npt.NDArray[np.float64] = (1 - d) * p + d * (matrix @ x + lost * q)
    return ranks


def reference_pagerank(
    graph: Graph, *, iterations: int | None = None, tol: float = 1e-14, **options: Any
) -> npt.NDArray[np.float64]:
    """The power method in float64.

    Parameters
    ----------
    graph : Graph
    iterations : int, optional
        How often the recurrence is applied; if not given, until the L1 difference of two iterates is at
        most `tol`, at most 10000 times.
    tol : float
    **options
        damping, personalization, dangling, nstart, weight, as in `clgraph.pagerank`.

    Returns
    -------
    float64 array, shape (n,)
    """
    problem = make_problem(graph, **options)
    matrix = _matrix(graph, problem)
    x = np.full(problem.n, 1 / problem.n) if problem.start is None else problem.start
    for _ in range(10_000 if iterations is None else iterations):
        before, x = x, _step(matrix, problem, x)
        if iterations is None and np.abs(x - before).sum() <= tol:
            break
    return x


def verify_pagerank(graph: Graph, result: PageRankResult) -> None:
    """Check ranks from the definition: they nearly stay where they are when the recurrence is applied.

    The recurrence shrinks L1 distances by the damping, so the ranks x are within ``|F(x) - x| / (1 - d)`` of
    the exact ones; of the newest iterate that must not be more than the result's own `error_bound` says.
    (After a few iterations with tol=0 the bound is large, and so may be the distance.)

    Raises
    ------
    ClgraphError
        With what is wrong.
    """
    problem = result.problem
    x = result.ranks.astype(np.float64)
    if x.shape != (graph.num_vertices,) or result.ranks.dtype != np.dtype(result.dtype):
        raise ClgraphError(
            f"ranks are {result.ranks.dtype} {result.ranks.shape} for {graph.num_vertices} vertices"
        )
    bad = ~(np.isfinite(x) & (x >= 0))
    if np.any(bad):
        raise ClgraphError(f"the rank of vertex {int(np.argmax(bad))} is {x[np.argmax(bad)]}")
    d, rho = problem.damping, result.round_off
    total = float(x.sum())
    # each iteration may lose or gain rho, and the damping keeps what comes of that below rho / (1 - d)
    slack = rho / (1 - d) + 1e-12
    if problem.drop:
        if total > 1 + slack:
            raise ClgraphError(f"the ranks sum to {total!r}: more than 1")
    elif abs(total - 1) > slack:
        raise ClgraphError(f"the ranks sum to {total!r}, not to 1 within {slack:.3g}")
    moved = float(np.abs(_step(_matrix(graph, problem), problem, x) - x).sum())
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
