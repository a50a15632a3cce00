"""Estimates from samples: weights that undo a sampler's bias; means, distributions, totals and errors."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling.literature.view import View, rates

if TYPE_CHECKING:
    from clgraph.sampling.request import Request
    from clgraph.sampling.selection import Selection

Reals = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """An estimate and its standard error (nan where one sample does not tell it)."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class Distribution:
    """Estimated shares.

    Attributes
    ----------
    values : array
        The values that occur, ascending.
    share, standard_error : float64 array
        Of each value.
    """

    values: npt.NDArray[Any]
    share: Reals
    standard_error: Reals


def by_vertex(graph: Graph, f: Any, *, numbers: bool = True) -> npt.NDArray[Any]:
    """f as an array in the original's index order, shape (n,).

    Parameters
    ----------
    graph : Graph
        The original.
    f : array of shape (n,), pandas Series (its index: ids), mapping of id to value, two Arrow or pandas
        columns (id, value), "degree", or the name of a vertex attribute of the graph
    numbers : bool
        Whether the values have to be numbers.

    Raises
    ------
    InputError
        If it is none of these, or says nothing of a vertex.
    """
    values = _column(graph, f)
    if values.shape != (graph.num_vertices,):
        raise InputError(
            f"f has shape {values.shape}: one value for each vertex of the original is needed, "
            f"in index order, shape ({graph.num_vertices},)"
        )
    if not numbers:
        return values
    try:
        made = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"f holds {shown(values.flat[0])}: numbers are needed ({error})") from None
    if not np.all(np.isfinite(made)):
        at = int(np.argmin(np.isfinite(made)))
        raise InputError(f"f is {made[at]} at vertex {graph.ids[at]}: finite numbers are needed")
    return made


def _column(graph: Graph, f: Any) -> npt.NDArray[Any]:
    if isinstance(f, str):
        return graph.undirected.without_self_loops.degrees if f == "degree" else _attribute(graph, f)
    if isinstance(f, dict):
        return _keyed(graph, [list(f), list(f.values())])
    if hasattr(f, "column_names"):  # an Arrow table
        return _keyed(graph, [f.column(i).to_pylist() for i in range(f.num_columns)])
    if hasattr(f, "iloc"):  # a Series or a data frame of pandas
        frame = f.to_frame() if f.ndim == 1 else f
        columns = [frame.iloc[:, i].tolist() for i in range(frame.shape[1])]
        return _keyed(graph, [frame.index.tolist(), *columns] if len(columns) == 1 else columns)
    try:
        return np.asarray(f)
    except ValueError as error:
        raise InputError(f"f: {error}; one value for each vertex is needed") from None


def _attribute(graph: Graph, name: str) -> npt.NDArray[Any]:
    """The values of a vertex attribute that came with the graph."""
    known = {} if graph.attributes is None else graph.attributes.vertices
    if name not in known:
        names = ", ".join(["degree", *known])
        raise InputError(f"the graph has no vertex attribute {shown(name)}; use one of: {names}")
    values = [known[name].value(each) for each in graph.ids.tolist()]
    if None in values:
        raise InputError(
            f"attribute {shown(name)}: vertex {graph.ids[values.index(None)]} has none; give a mapping or a "
            "column with a value for each vertex"
        )
    return np.array(values)


def _keyed(graph: Graph, columns: list[list[Any]]) -> npt.NDArray[Any]:
    if len(columns) != 2:
        raise InputError(f"f has {len(columns)} columns: two are needed, ids and values")
    ids, column = columns[0], np.asarray(columns[1])
    made = np.empty(graph.num_vertices, column.dtype)
    given = np.zeros(graph.num_vertices, bool)
    place = graph.indices_of(ids) if ids else np.zeros(0, np.int64)
    made[place], given[place] = column, True
    if not np.all(given):
        missing = graph.ids[int(np.argmin(given))]
        raise InputError(f"f has no value for vertex {missing}: give one for each vertex of the original")
    return made


def horvitz_thompson(values: Reals, p: Reals) -> Estimate:
    """Estimate the total of f over all vertices, from f and the probability of each vertex drawn."""
    variance = float(np.sum(values**2 * (1 - p) / p**2))
    return Estimate(float(np.sum(values / p)), variance**0.5)


def ratio(values: Reals, weight: Reals, p: Reals | None) -> Estimate:
    """Estimate the mean of f as sum f w / sum w; its error by linearization where `p` is known."""
    whole = float(weight.sum())
    if whole == 0:
        return Estimate(float("nan"), float("nan"))
    mean = float(np.sum(values * weight)) / whole
    if p is None:
        return Estimate(mean, float("nan"))
    variance = float(np.sum(((values - mean) / p) ** 2 * (1 - p)))
    return Estimate(mean, variance**0.5 / whole)


def of_batches(tops: Reals, bottoms: Reals) -> Estimate:
    """sum of tops / sum of bottoms, with the error estimated from the spread of the batches' ratios.

    By linearization: the batches' residuals top - mean bottom vary as the sum does.
    """
    whole = float(bottoms.sum())
    if whole == 0:
        return Estimate(float("nan"), float("nan"))
    mean = float(tops.sum()) / whole
    some = bottoms > 0
    b = int(np.count_nonzero(some))
    if b < 2:
        return Estimate(mean, float("nan"))
    residual = (tops - mean * bottoms)[some]
    variance = b / (b - 1) * float(np.sum((residual - residual.mean()) ** 2))
    return Estimate(mean, variance**0.5 / whole)


def recruitment_shares(
    groups: npt.NDArray[Any], degrees: Reals, recruiter: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[Any], Reals]:
    """RDS-I (Salganik, Heckathorn 2004): the shares of two groups from who recruited whom.

    Parameters
    ----------
    groups : array, shape (k,)
        Group of each vertex of the sample.
    degrees : float64 array, shape (k,)
    recruiter : int64 array, shape (k,)
        Position of each vertex's recruiter in the sample; its own for starts.

    Raises
    ------
    InputError
        If there are not two groups, or nobody was recruited across them.
    """
    names = np.unique(groups)
    if len(names) != 2:
        raise InputError(f"RDS-I compares two groups, and f has {len(names)} values in the sample")
    second = groups == names[1]
    recruited = recruiter != np.arange(len(groups))
    by, of = second[recruiter[recruited]], second[recruited]
    ab = float(of[~by].mean()) if np.any(~by) else 0.0
    ba = float((~of[by]).mean()) if np.any(by) else 0.0
    d_a = np.count_nonzero(~second) / np.sum(1 / degrees[~second])
    d_b = np.count_nonzero(second) / np.sum(1 / degrees[second])
    whole = ab * d_a + ba * d_b
    if whole == 0:
        raise InputError("nobody was recruited across the two groups: RDS-I does not tell their shares")
    share = float(ba * d_b / whole)
    return names, np.array([share, 1 - share])


# --- The weights that undo the bias of a sampler ---


def weights_of(
    request: Request, drawn: Any, run: int, vertices: npt.NDArray[Any]
) -> tuple[Reals, Reals | None]:
    """Return the weights of one run's vertices, and their probabilities where these are known.

    A weight is 1/p with the probability p by which a vertex comes in, for a stationary distribution up to a
    factor; 1 where nothing is known (`Request.weighting`).
    """
    kind = request.kind
    if request.weighting == "none":
        return np.ones(len(vertices)), None
    if request.weighting == "stationary":
        share = drawn.more.get("share")
        return stationary(request, vertices, None if share is None else share.of(run)), None
    if kind == "vertices":
        p = chance(_vertex_rates(request, drawn, run, vertices))
    elif kind == "near":
        p = _near(request, drawn, run, vertices)
    elif kind in ("edges", "ties"):
        p = chance(float(rates(drawn.cut[run : run + 1])[0]) * _pull(request, vertices))
    else:
        p = successive_p(view_degrees(request, vertices), request.view.n)
    return 1 / p, p


def view_degrees(request: Request, vertices: npt.NDArray[Any]) -> Reals:
    """Degrees, 1 where there are no edges."""
    return np.maximum(request.view.degrees[vertices], 1).astype(np.float64)


def successive_p(d: Reals, n: int) -> Reals:
    """The probability of each vertex of a sample by successive sampling (Gile 2011), from their degrees."""
    k, place = np.unique(d, return_inverse=True)
    v, size = np.bincount(place).astype(np.float64), float(len(d))
    pi = k.copy()
    if size >= n:
        return np.ones(len(d))
    for _ in range(30):
        population = n * (v / pi) / np.sum(v / pi)
        low, high = 0.0, 1.0
        while np.sum(population * -np.expm1(-k * high)) < size:
            high *= 2
        # more halvings than float64 has bits: tau is as exact as it can be
        for _ in range(100):
            tau = (low + high) / 2
            low, high = (tau, high) if np.sum(population * -np.expm1(-k * tau)) < size else (low, tau)
        pi = -np.expm1(-k * tau)
    return pi[place]


def stationary(
    request: Request, vertices: npt.NDArray[Any], share: npt.NDArray[np.uint64] | None = None
) -> Reals:
    """1 over what a walk's time at each vertex is in proportion to; of cnarw the sums of their shares."""
    view, method = request.view, request.method
    if share is not None:
        return 2.0**32 / np.maximum(share, 1)
    if method in ("rwr", "rj"):
        # PageRank, which rwr personalizes by the starts
        return 1 / power_ranks(view, float(request.p), None if method == "rj" else request.start)[vertices]
    d = (view.strengths if view.weighted else view.degrees)[vertices].astype(np.float64)
    if method == "rwj":
        d = d + float(request.alpha)
    elif method == "mhrw":
        d = np.maximum(d, 1) ** (1 - float(request.alpha))
    elif method == "mhda":
        d = np.ones(len(d))
    elif method == "gmd":
        d = np.maximum(d, request.c)
    return 1 / np.maximum(d, 1)


def power_ranks(view: View, p: float, starts: Any) -> Reals:
    """PageRank of damping 1 - p by the power method on the host; who restarts does so at `starts`."""
    import scipy.sparse as sp

    n, rows = view.n, view.rows
    back = np.full(n, 1 / n)
    if starts is not None:
        back = np.bincount(np.array(starts), minlength=n) / len(starts)
    out = (view.strengths if view.weighted else view.degrees).astype(np.float64)
    share = view.integers.astype(np.float64) if view.weighted else np.ones(rows.num_arcs)
    share /= np.repeat(np.maximum(out, 1), view.degrees)
    flow = sp.csr_array((share, rows.col_idx, rows.row_ptr), shape=(n, n)).T.tocsr()
    # a damping near 1 converges slowly: it ends by the count, others by the difference
    x = back
    for _ in range(10_000):
        new = (1 - p) * (flow @ x + x[out == 0].sum() * back) + p * back
        if np.abs(new - x).sum() < 1e-12:
            break
        x = new
    return new


def chance(rate: Reals) -> Reals:
    """P(an exponential of this rate, to base 2, is below 1): 1 - 2^-rate."""
    return -np.expm1(-np.log(2.0) * rate)


def _vertex_rates(request: Request, drawn: Selection, run: int, vertices: npt.NDArray[Any]) -> Reals:
    view = request.view
    if "cut" in drawn.more:
        limit = rates(drawn.more["cut"].of(run))
    else:
        assert drawn.cut is not None
        limit = np.repeat(rates(drawn.cut[run : run + 1]), len(vertices))
    if "integer weight" in drawn.more:
        return limit * drawn.more["integer weight"].of(run).astype(np.float64)
    return limit * view.degrees[vertices] if request.method == "rdn" else limit


def edge_pull(
    request: Request, tails: npt.NDArray[Any], heads: npt.NDArray[Any], arcs: npt.NDArray[Any]
) -> Reals:
    """The weight with which each edge races."""
    view, method = request.view, request.method
    if method in ("re", "ties"):
        return view.integers[arcs].astype(np.float64) if view.weighted else np.ones(len(arcs))
    d = view.degrees
    by_ends = 1 / d[tails] + 1 / d[heads]
    if method == "rne":
        return by_ends
    mix = request.mix_word / 2**32
    return mix / view.n * by_ends + (1 - mix) / max(view.rows.num_arcs // 2, 1)


def edge_chances(drawn: Any, run: int) -> Reals | None:
    """The probability of each edge of one run, given the others' keys; None where no edges were drawn."""
    request = drawn.request
    if request is None or request.kind != "edges" or request.keep != "visited":
        return None
    return chance(rates(drawn.cut[run : run + 1]) * edge_pull(request, *drawn.ends(run)))


def _pull(request: Request, vertices: npt.NDArray[Any]) -> Reals:
    """The sum of the weights of each vertex's edges."""
    view = request.view
    if request.method in ("re", "ties"):
        return (view.strengths if view.weighted else view.degrees)[vertices].astype(np.float64)
    row_ptr, d = view.rows.row_ptr, view.degrees
    lengths = d[vertices]
    tails = np.repeat(vertices.astype(np.int64), lengths)
    first = np.repeat(row_ptr[vertices].astype(np.int64) - (np.cumsum(lengths) - lengths), lengths)
    arcs = first + np.arange(len(tails))
    pull = edge_pull(request, tails, view.rows.col_idx[arcs], arcs)
    place = np.repeat(np.arange(len(vertices)), lengths)
    return np.bincount(place, weights=pull, minlength=len(vertices)).astype(np.float64)


def _near(request: Request, drawn: Selection, run: int, vertices: npt.NDArray[Any]) -> Reals:
    """1 - C(n - d - 1, s) / C(n, s): that one of the s centres is in the closed neighbourhood."""
    rows, n, centres = request.view.rows, request.view.n, request.starts
    if centres is None:
        assert drawn.came is not None
        centres = max(1, len(np.unique(drawn.came.of(run))))
    d = [len(set(rows.col_idx[rows.row_ptr[v] : rows.row_ptr[v + 1]].tolist())) for v in vertices.tolist()]
    return 1 - np.array([_ratio(n, each + 1, centres) for each in d])


def _ratio(n: int, near: int, centres: int) -> float:
    """C(n - near, centres) / C(n, centres)."""
    if centres > n - near:
        return 0.0
    log = lgamma(n - near + 1) + lgamma(n - centres + 1) - lgamma(n - near - centres + 1) - lgamma(n + 1)
    return float(np.exp(log))
