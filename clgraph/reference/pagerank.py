"""PageRank on the host: the reference in float64, and the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.arguments import flag, flat_list, real, shown, whole
from clgraph.errors import ClgraphError, InputError
from clgraph.graph import as_graph
from clgraph.reference.checks import check_result

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


# --- PageRank's recurrence on the host, and the plain reading of what its callers ask for ---
#
# Nothing here comes from the code that it checks: weights, dangling vertices, distributions and sources are
# read independently from the graph and the arguments.


Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recurrence:
    """``x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v))`` for k vectors beside each other.

    Attributes
    ----------
    damping : float
        d.
    matrix : scipy.sparse.csr_array, shape (n, n)
        Row v, column u: w(u, v) / W(u), where W(u) is the weight that leaves u.
    dangling : bool array, shape (n,)
        The vertices that no weight leaves; D is the mass on them.
    p : float64 array, shape (n, k)
        Personalizations, each of sum 1.
    q : float64 array, shape (n, k) or (n, 1)
        Where D goes; all 0 if it is dropped.
    """

    damping: float
    matrix: Any
    dangling: npt.NDArray[np.bool_]
    p: Reals
    q: Reals

    def step(self, x: Reals) -> Reals:
        """Apply the recurrence once to vectors of shape (n, k)."""
        d = self.damping
        dangling_mass = x[self.dangling].sum(axis=0)
        after: Reals = (1 - d) * self.p + d * (self.matrix @ x + self.q * dangling_mass)
        return after


def make_recurrence(graph: Graph, p: Reals, *, damping: float, dangling: Any, weight: bool) -> Recurrence:
    """Put a recurrence together.

    Parameters
    ----------
    graph : Graph
    p : float64 array, shape (n, k)
    damping : float
    dangling : {"personalization", "uniform", "drop"}, dict, array or None
        None means "personalization".
    weight : bool
        Whether the graph's weights count.
    """
    n = graph.num_vertices
    damping, weight = real(damping, "damping"), flag(weight, "weight")
    if not 0 <= damping < 1:
        raise InputError(f"damping is {shown(damping)}: use a number of at least 0 and below 1")
    w = arc_weights(graph, weight)
    leaving = np.bincount(graph.tails, weights=w, minlength=n)
    ends = leaving == 0
    share = w / np.where(ends, 1.0, leaving)[graph.tails]
    matrix = sp.coo_array((share, (graph.col_idx, graph.tails)), shape=(n, n)).tocsr()
    if dangling is None or (isinstance(dangling, str) and dangling == "personalization"):
        q = p
    elif isinstance(dangling, str) and dangling == "drop":
        q = np.zeros((n, 1))
    else:
        uniform = isinstance(dangling, str) and dangling == "uniform"
        q = distribution(graph, None if uniform else dangling)[:, np.newaxis]
    return Recurrence(float(damping), matrix, ends, p, q)


def arc_weights(graph: Graph, weight: bool) -> Reals:
    """What each arc counts, the largest 1; an undirected edge is two arcs, an undirected loop one.

    Without weights an arc counts as often as it appears in the input.
    """
    given = graph.weights if weight and graph.weights is not None else graph.multiplicity
    w = np.ones(graph.num_arcs) if given is None else np.asarray(given, dtype=np.float64)
    if not np.all(np.isfinite(w) & (w >= 0)):
        raise InputError("a weight is negative or not finite")
    return w / (w.max(initial=0) or 1)  # so that no sum overflows


def distribution(graph: Graph, given: Any) -> Reals:
    """A dict of ids or an array as a vector of sum 1, shape (n,); None is the uniform distribution."""
    n = graph.num_vertices
    if n == 0:
        raise InputError("the graph has no vertices")
    if given is None:
        return np.full(n, 1 / n)
    try:
        if isinstance(given, Mapping):
            values = np.zeros(n)
            values[graph.indices_of(list(given))] = list(given.values())
        else:
            flat = given.toarray().ravel() if hasattr(given, "toarray") else given
            values = np.array(flat, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"no distribution over {n} vertices: {shown(given)} ({error})") from error
    if values.shape != (n,) or not np.all(np.isfinite(values) & (values >= 0)) or values.max() == 0:
        raise InputError(f"no distribution over {n} vertices: finite, not negative, not 0 everywhere")
    values = values / values.max()  # so that the sum does not overflow
    scaled: Reals = values / values.sum()
    return scaled


def one_or_several(sources: Any) -> list[Any]:
    """The sources as a list."""
    try:
        single = isinstance(sources, (str, bytes, Mapping)) or np.ndim(sources) == 0
        return [sources] if single else list(sources)
    except (ValueError, TypeError) as error:
        raise InputError(f"sources are {shown(sources)}: {error}") from error


def source_distributions(graph: Graph, sources: Any) -> Reals:
    """The sources of personalized PageRank, in any form, as columns of distributions, shape (n, k)."""
    if hasattr(sources, "toarray"):  # sparse
        sources = sources.toarray()
    if isinstance(sources, Mapping) and sources and not all(np.isscalar(one) for one in sources.values()):
        sources = list(sources.values())  # by user
    lists = (list, tuple, set, frozenset)
    if isinstance(sources, (list, tuple)) and all(isinstance(one, lists) for one in sources):
        items = [flat_list(one, "sources") for one in sources]
        if not any(isinstance(item, float) for one in items for item in one):  # of ids
            sources = [{item: one.count(item) for item in one} for one in items]
    wanted = one_or_several(sources)
    if not wanted:
        raise InputError("no source is given")
    if all(isinstance(one, Mapping) or hasattr(one, "toarray") or np.ndim(one) > 0 for one in wanted):
        return np.stack([distribution(graph, one) for one in wanted], axis=1)
    if any(isinstance(one, Mapping) or hasattr(one, "toarray") or np.ndim(one) > 0 for one in wanted):
        raise InputError("sources are ids, or distributions, but not both")
    columns = np.zeros((graph.num_vertices, len(wanted)))
    columns[graph.indices_of(wanted), np.arange(len(wanted))] = 1
    return columns
