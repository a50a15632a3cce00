"""PageRank, also personalized, on the host: the references in float64, and the verifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.arguments import flag, flat_list, real, shown, whole, word
from clgraph.errors import ClgraphError, InputError
from clgraph.graph import as_graph
from clgraph.reference.common import check_result, require

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking import PageRankResult
    from clgraph.ranking.personalized import PersonalizedResult


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
    """Run the power method in float64.

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
    rounds = None if iterations is None else whole(iterations, "iterations")
    p = distribution(graph, personalization)[:, np.newaxis]
    step = make_recurrence(graph, p, damping=damping, dangling=dangling, weight=weight)
    return _power(step, distribution(graph, nstart)[:, np.newaxis], rounds, tol, norm=1)[:, 0]


def verify_pagerank(graph: Graph, result: PageRankResult, *, weight: bool = True) -> None:
    """Check scores against the definition: another step of the recurrence hardly changes them.

    The recurrence shrinks L1 distances by the damping factor, so the scores x are within
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
    graph = check_result(graph, result, "pagerank", scores=("f", 1))
    flag(weight, "weight")
    asked = getattr(result, "_problem", None)
    if asked is None:
        raise InputError(f"a result of pagerank is needed, not {shown(result)}")
    n, x = graph.num_vertices, result.scores.astype(np.float64)
    require(
        x.shape == (n,) and result.scores.dtype == np.dtype(result.dtype),
        f"scores are {result.scores.dtype} {result.scores.shape} for {n} vertices",
    )
    for v in np.flatnonzero(~(np.isfinite(x) & (x >= 0))):
        raise ClgraphError(f"the score of vertex {v} is {x[v]}")
    d, rho, total = asked.damping, result.round_off, float(x.sum())
    # each iteration may lose or gain rho, and the damping keeps what comes of that below rho / (1 - d)
    slack = rho / (1 - d) + 1e-12
    if result.dangling == "drop":
        require(total <= 1 + slack, f"the scores sum to {total!r}: more than 1")
    else:
        require(abs(total - 1) <= slack, f"the scores sum to {total!r}, not to 1 within {slack:.3g}")
    p = distribution(graph, asked.personalization)[:, np.newaxis]
    dangling = asked.dangling if result.dangling == "given" else result.dangling
    step = make_recurrence(graph, p, damping=d, dangling=dangling, weight=weight)
    moved = float(np.abs(step(x[:, np.newaxis])[:, 0] - x).sum())
    allowed = (1 - d) * result.error_bound + rho + 1e-14
    require(
        moved <= allowed,
        f"one more iteration moves the scores by {moved:.3g} (L1), more than the {allowed:.3g} that the "
        f"error bound {result.error_bound:.3g} allows",
    )
    tol = result.tol * n if result.norm == "nx" else result.tol
    require(
        not result.converged or result.residual < tol,
        f"converged with a residual of {result.residual:.3g} at tol {result.tol:.3g}",
    )


# --- PageRank's recurrence on the host, and the plain reading of what its callers ask for ---
#
# Nothing here comes from the code that it checks: weights, dangling vertices, distributions and sources are
# read independently from the graph and the arguments.


Reals = npt.NDArray[np.float64]


Step = Callable[[Reals], Reals]


def make_recurrence(graph: Graph, p: Reals, *, damping: float, dangling: Any, weight: bool) -> Step:
    """Return the function that applies the recurrence once to k vectors beside each other, shape (n, k).

    ``x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v))``: W(u) is the weight that leaves u, D the
    mass on the vertices that no weight leaves, q where it goes (nowhere if it is dropped).

    Parameters
    ----------
    graph : Graph
    p : float64 array, shape (n, k)
        Personalizations, each of sum 1.
    damping : float
        d.
    dangling : {"personalization", "uniform", "drop"}, dict, array or None
        None means "personalization".
    weight : bool
        Whether the graph's weights count.
    """
    n = graph.num_vertices
    d, weight = float(real(damping, "damping")), flag(weight, "weight")
    if not 0 <= d < 1:
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

    def step(x: Reals) -> Reals:
        after: Reals = (1 - d) * p + d * (matrix @ x + q * x[ends].sum(axis=0))
        return after

    return step


def _power(step: Step, x: Reals, iterations: int | None, tol: float, norm: int, most: int = 10_000) -> Reals:
    """Iterate: a number of times, or each vector until two iterates differ by `tol` in a norm at most."""
    live = np.ones(x.shape[1], dtype=bool)
    for _ in range(most if iterations is None else iterations):
        after = step(x)
        moved = (np.abs(after - x) ** norm).sum(axis=0) ** (1 / norm)
        x = np.where(live, after, x)
        if iterations is None:
            live &= moved > tol
            if not live.any():
                break
    return x


def arc_weights(graph: Graph, weight: bool) -> Reals:
    """Weights of the arcs, the largest 1; an undirected edge is two arcs, an undirected loop one.

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
    try:
        wanted = [sources] if _is_single(sources) else list(sources)
        whole = [isinstance(one, Mapping) or hasattr(one, "toarray") or np.ndim(one) > 0 for one in wanted]
    except (ValueError, TypeError) as error:
        raise InputError(f"sources are {shown(sources)}: {error}") from error
    if not wanted:
        raise InputError("no source is given")
    if all(whole):
        return np.stack([distribution(graph, one) for one in wanted], axis=1)
    if any(whole):
        raise InputError("sources are ids, or distributions, but not both")
    columns = np.zeros((graph.num_vertices, len(wanted)))
    columns[graph.indices_of(wanted), np.arange(len(wanted))] = 1
    return columns


def _is_single(sources: Any) -> bool:
    return isinstance(sources, (str, bytes, Mapping)) or np.ndim(sources) == 0


# --- personalized PageRank ---

Rule = Literal["exact", "contest"]
# what the roundings of an iteration can move a sum by, at most
SUM_SLACK = 1e-6
# this near (relative) to the k-th score, one vertex is as good as another
STAND_IN = 1e-9


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
    """Run the power method in float64, starting from p.

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
    step = make_recurrence(graph, p, damping=damping, dangling=dangling, weight=weight)
    if rule == "contest":
        x = _power(step, np.full(p.shape, 1 / len(p)), iterations, 1e-6, norm=2, most=100)
    else:
        x = _power(step, p, iterations, tol, norm=2)
    return np.ascontiguousarray(x.T)


def top_accuracy(
    found: npt.ArrayLike, scores: npt.NDArray[np.float64], k: int = 20, *, rule: Rule = "exact"
) -> float:
    """Return the share of the k best vertices that was found.

    Parameters
    ----------
    found : array of int
        Vertex indices; the first k count.
    scores : float64 array, shape (n,)
        Of the reference. Its k best with a score above 0, ties to the larger index, are to be found; a vertex
        within 1e-9 (relative) of the k-th score may replace it.
    k : int
    rule : {"exact", "contest"}
        "contest" divides by min(n, k), counts vertices of score 0 too and allows no replacements.

    Returns
    -------
    float
        From 0 to 1.
    """
    k = whole(k, "k", 1)
    word(rule, "rule", get_args(Rule))
    try:
        scores, index = np.asarray(scores), np.asarray(found).ravel()
    except ValueError as error:
        raise InputError(f"found, scores: {error}; indices, and numbers of shape (n,), are needed") from error
    if scores.ndim != 1 or scores.dtype.kind not in "iuf":
        raise InputError(
            f"scores of type {scores.dtype} and shape {scores.shape}: numbers of shape (n,) are needed"
        )
    n = len(scores)
    if index.size and (index.dtype.kind not in "iu" or index.min() < 0 or index.max() >= n):
        raise InputError(f"found: vertex indices from 0 to {n - 1} are needed")
    got = set(index[:k].tolist())
    some = np.arange(n) if k >= n else np.flatnonzero(scores >= np.partition(scores, n - k)[n - k])
    best = some[np.lexsort((-some, -scores[some]))[:k]]  # by score, ties to the larger index
    if rule == "contest":
        return len(got & set(best.tolist())) / max(1, min(n, k))
    best = best[scores[best] > 0]
    if len(best) == 0:
        return 1.0
    least = scores[best[-1]]
    near = np.abs(scores - least) <= STAND_IN * least
    sure = set(best[~near[best]].tolist())
    others = sum(bool(near[v]) for v in got)
    return (len(got & sure) + min(len(best) - len(sure), others)) / len(best)


def verify_ppr(graph: Graph, result: PersonalizedResult, sources: Any, *, weight: bool = True) -> None:
    """Check a result against the definition.

    Deterministic methods: the whole vectors are within the result's own `error_bounds` (L1) of the reference,
    and a top k holds what the reference has there, within that bound. Monte Carlo: no score of the top is
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
        graph, result, "personalized_pagerank", ids=("iuUO?", 2), scores=("f", 2), error_bounds=("f?", 1)
    )
    dangling = result.dangling if result.dangling_vector is None else result.dangling_vector
    want = reference_ppr(graph, sources, damping=result.damping, dangling=dangling, weight=weight, tol=1e-14)
    k, n = want.shape
    whole_vectors = result.ids is None
    for name, width in (("ids", 0), ("scores", n if whole_vectors else 0)):
        array = getattr(result, name)
        require(
            array is None or (len(array) == k and width in (0, array.shape[1])),
            f"{name} are {getattr(array, 'shape', None)} for {k} sources and {n} vertices",
        )
    for i in range(k):
        name = f"source {i} ({result.sources[i]!r})" if i < len(result.sources) else f"source {i}"
        excluded: Any = [] if result.excluded is None else result.excluded[i]
        if result.ids is None:
            index, values = np.arange(n), result.scores[i].astype(np.float64)
        else:
            index, values = graph.indices_of(result.ids[i]), result.scores[i].astype(np.float64)
            down, back = values[1:] - values[:-1], index[1:] < index[:-1]
            require(
                not np.any((down > 0) | ((down == 0) & back)),
                f"{name}: the top is not in order (equal scores: smaller index first)",
            )
            require(not np.isin(index, excluded).any(), f"{name}: a vertex that is left out is in the top")
            require(len(set(index.tolist())) == len(index), f"{name}: a vertex occurs twice in the top")
        require(np.all(np.isfinite(values) & (values >= 0)), f"{name}: a score is negative or not finite")
        off = np.abs(values - want[i][index])
        if result.method == "monte-carlo":
            assert result.walks is not None
            # a variance of at most (1 + d) score per walk, and what few visits of a rarely visited one weigh
            spread = 1.0 if result.dangling != "personalization" else 2 / (1 - result.damping)
            deviation = np.sqrt((1 + result.damping) * want[i][index] / result.walks)
            over = off - spread * (8 * deviation + 32 / result.walks) - 1e-6
            for v in np.flatnonzero(over > 0):
                raise ClgraphError(
                    f"{name}: the score of vertex {graph.ids[index[v]]} is {values[v]:.6g}, "
                    f"{want[i][index[v]]:.6g} in the reference: too far for {result.walks} walks"
                )
            continue
        # up to round-off the sum is 1 after any number of iterations, also where the error bound says little
        slack, total = SUM_SLACK / (1 - result.damping), float(values.sum())
        complete = whole_vectors and result.dangling != "drop"
        require(
            total <= 1 + slack and (total >= 1 - slack or not complete),
            f"{name}: the scores sum to {total!r}",
        )
        bound = float(result.error_bounds[i]) + 1e-12
        require(
            off.sum() <= bound,
            f"{name}: the scores are {off.sum():.3g} (L1) from the reference, more than the error "
            f"bound {bound:.3g}",
        )
        if not whole_vectors and 0 < len(index) < n:
            rest = want[i].copy()
            rest[index], rest[excluded] = -1, -1
            require(
                rest.max() <= values[-1] + bound,
                f"{name}: vertex {graph.ids[int(rest.argmax())]} belongs in the top",
            )
