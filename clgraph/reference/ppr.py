"""Personalized PageRank on the host: the reference in float64, the accuracy of a top k, and the verifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real, whole, word
from clgraph.errors import ClgraphError, InputError
from clgraph.graph import as_graph
from clgraph.reference.checks import check_result
from clgraph.reference.pagerank import make_recurrence, source_distributions

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.personalized import PersonalizedResult

Rule = Literal["exact", "contest"]
SUM_SLACK = 1e-6  # what the roundings of an iteration can move a sum by, at most
STAND_IN = 1e-9  # so near (relative) to the k-th rank, one vertex is as good as another


def reference_ppr(
    graph: Graph,
    sources: Any,
    *,
    damping: float = 0.85,
    dangling: Any = "uniform",
    weight: bool = True,
    iterations: int | None = None,
    tol: float = 1e-12,
    rule: Rule = "exact",
) -> npt.NDArray[np.float64]:
    """The power method in float64, from p.

    Parameters
    ----------
    graph : Graph
    sources, damping, dangling, weight
        As in `clgraph.personalized_pagerank`.
    iterations : int, optional
        How often the recurrence is applied; if not given, until the L2 difference of two iterates is at most
        `tol`, at most 10000 times.
    tol : float
    rule : {"exact", "contest"}
        "contest" is the contest slides' rule: from 1/n, to an L2 difference of 1e-6, at most 100 iterations.

    Returns
    -------
    float64 array, shape (k, n)

    Raises
    ------
    InputError
        If a source, a distribution, a weight or the damping factor makes no sense.
    """
    graph = as_graph(graph)
    tol = real(tol, "tol")
    if iterations is not None:
        iterations = whole(iterations, "iterations")
    word(rule, "rule", get_args(Rule))
    p = source_distributions(graph, sources)
    n, k = p.shape
    recurrence = make_recurrence(graph, p, damping=damping, dangling=dangling, weight=weight)
    last = 10_000
    x = p.copy()
    if rule == "contest":
        x, tol, last = np.full((n, k), 1 / n), 1e-6, 100
    live = np.ones(k, dtype=bool)
    for _ in range(last if iterations is None else iterations):
        after = recurrence.step(x)
        moved = np.sqrt(((after - x) ** 2).sum(axis=0))
        x[:, live] = after[:, live]
        if iterations is None:
            live &= moved > tol
            if not live.any():
                break
    return np.ascontiguousarray(x.T)


def _indices(found: npt.ArrayLike, n: int) -> npt.NDArray[Any]:
    """Vertex indices as one row."""
    try:
        given = np.asarray(found).ravel()
    except ValueError as error:
        raise InputError(f"found: {error}; vertex indices are needed") from error
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= n):
        raise InputError(f"found: vertex indices from 0 to {n - 1} are needed")
    return given


def top_accuracy(
    found: npt.ArrayLike, ranks: npt.NDArray[np.float64], k: int = 20, *, rule: Rule = "exact"
) -> float:
    """The share of the k best vertices that was found.

    Parameters
    ----------
    found : array of int
        Vertex indices; the first k count.
    ranks : float64 array, shape (n,)
        Of the reference. Its k best with a rank above 0, ties to the larger index, are to be found; a vertex
        within 1e-9 (relative) of the k-th rank may replace it.
    k : int
    rule : {"exact", "contest"}
        "contest" divides by min(n, k), counts vertices of rank 0 too and allows no replacements.

    Returns
    -------
    float
        From 0 to 1.
    """
    k = whole(k, "k", 1)
    word(rule, "rule", get_args(Rule))
    try:
        ranks = np.asarray(ranks)
    except ValueError as error:
        raise InputError(f"ranks: {error}; numbers of shape (n,) are needed") from error
    if ranks.ndim != 1 or ranks.dtype.kind not in "iuf":
        raise InputError(
            f"ranks of type {ranks.dtype} and shape {ranks.shape}: numbers of shape (n,) are needed"
        )
    n = len(ranks)
    best_found = _indices(found, n)[:k]
    some = np.arange(n) if k >= n else np.flatnonzero(ranks >= np.partition(ranks, n - k)[n - k])
    best = some[np.lexsort((-some, -ranks[some]))[:k]]  # by rank, ties to the larger index
    got = set(best_found.tolist())
    if rule == "contest":
        return len(got & set(best.tolist())) / max(1, min(n, k))
    best = best[ranks[best] > 0]
    if len(best) == 0:
        return 1.0
    least = ranks[best[-1]]
    near = np.abs(ranks - least) <= STAND_IN * least
    sure = set(best[~near[best]].tolist())
    others = sum(bool(near[v]) for v in got)
    return (len(got & sure) + min(len(best) - len(sure), others)) / len(best)


def verify_ppr(graph: Graph, result: PersonalizedResult, sources: Any, *, weight: bool = True) -> None:
    """Check a result from the definition.

    Deterministic methods: the whole vectors are within the result's own `error_bounds` (L1) of the reference,
    and a top k holds what the reference has there, within that bound. Monte Carlo: no rank of the top is
    farther from the reference than 8 of its standard errors allow. Order, ties and counts are checked too.

    Parameters
    ----------
    graph : Graph
    result : PersonalizedResult
    sources, weight
        What the call was given.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    ClgraphError
        With what is wrong.
    """
    graph = check_result(
        graph,
        result,
        "personalized_pagerank",
        ranks=("f?", 2),
        ids=("iuUO?", 2),
        scores=("f?", 2),
        error_bounds=("f?", 1),
    )
    dangling = result.dangling if result.dangling_vector is None else result.dangling_vector
    want = reference_ppr(graph, sources, damping=result.damping, dangling=dangling, weight=weight, tol=1e-14)
    k, n = want.shape
    if result.ranks is None and (result.ids is None or result.scores is None):
        raise ClgraphError("the result has neither ranks nor a top k")
    shapes = [(name, getattr(result, name), w) for name, w in (("ranks", n), ("ids", 0), ("scores", 0))]
    for name, array, width in shapes:
        if array is not None and (len(array) != k or (width and array.shape[1] != width)):
            raise ClgraphError(f"{name} are {array.shape} for {k} sources and {n} vertices")
    for i in range(k):
        name = f"source {i} ({result.sources[i]!r})" if i < len(result.sources) else f"source {i}"
        if result.ranks is not None:
            index, values = np.arange(n), result.ranks[i].astype(np.float64)
        else:
            assert result.ids is not None and result.scores is not None
            index, values = graph.indices_of(result.ids[i]), result.scores[i].astype(np.float64)
            down = values[1:] - values[:-1]
            if np.any(down > 0) or np.any((down == 0) & (index[1:] < index[:-1])):
                raise ClgraphError(f"{name}: the top is not in order (equal ranks: smaller index first)")
            if result.excluded is not None and np.isin(index, result.excluded[i]).any():
                raise ClgraphError(f"{name}: a vertex that is left out is in the top")
            if len(set(index.tolist())) != len(index):
                raise ClgraphError(f"{name}: a vertex occurs twice in the top")
        if not np.all(np.isfinite(values) & (values >= 0)):
            raise ClgraphError(f"{name}: a rank is negative or not finite")
        # up to round-off the sum is 1 after any number of iterations, also where the error bound says little
        slack, total = SUM_SLACK / (1 - result.damping), float(values.sum())
        incomplete = result.ranks is None or result.dangling == "drop"
        if result.method != "monte-carlo" and (total > 1 + slack or (total < 1 - slack and not incomplete)):
            raise ClgraphError(f"{name}: the ranks sum to {total!r}")
        off = np.abs(values - want[i][index])
        if result.method == "monte-carlo":
            assert result.walks is not None
            # a variance of at most (1 + d) rank a walk, and what a few visits of a hardly visited one weigh
            spread = 1.0 if result.dangling != "personalization" else 2 / (1 - result.damping)
            allowed = (
                spread
                * (8 * np.sqrt((1 + result.damping) * want[i][index] / result.walks) + 32 / result.walks)
                + 1e-6
            )
            if np.any(off > allowed):
                v = int(np.argmax(off - allowed))
                raise ClgraphError(
                    f"{name}: the rank of vertex {graph.ids[index[v]]} is {values[v]:.6g}, "
                    f"{want[i][index[v]]:.6g} in the reference: too far for {result.walks} walks"
                )
        else:
            bound = float(result.error_bounds[i]) + 1e-12
            if off.sum() > bound:
                raise ClgraphError(
                    f"{name}: the ranks are {off.sum():.3g} (L1) from the reference, more than the error "
                    f"bound {bound:.3g}"
                )
            if result.ranks is None and len(index) and len(index) < n:
                rest = want[i].copy()
                rest[index] = -1
                if result.excluded is not None:
                    rest[result.excluded[i]] = -1
                if rest.max() > values[-1] + bound:
                    raise ClgraphError(f"{name}: vertex {graph.ids[int(rest.argmax())]} belongs in the top")
