"""What a personalized PageRank call asks for, checked: the sources, and how many walks an error bound needs.

Host only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.errors import InputError
from clgraph.ranking.problem import Reals, distribution

if TYPE_CHECKING:
    from clgraph.graph import Graph

DEFAULT_WALKS = 200_000


@dataclass(frozen=True)
class Queries:
    """The sources of a call.

    Attributes
    ----------
    n : int
        Vertices of the graph.
    vertices : int32 array, shape (distinct,), or None
        Source vertices (indices), each once.
    matrix : scipy.sparse.csr_array, shape (distinct, n), or None
        Distributions, each of sum 1, if the sources are no vertices.
    row : int64 array, shape (count,)
        Which of those each of the caller's sources is.
    names : list
        The caller's sources as they are to be called in messages and results.
    on_dangling : float64 array, shape (distinct,)
        The mass of each on vertices without out-arcs.
    """

    n: int
    vertices: npt.NDArray[np.int32] | None
    matrix: Any
    row: npt.NDArray[np.int64]
    names: list[Any]
    on_dangling: Reals

    @property
    def count(self) -> int:
        """How many sources the caller gave."""
        return len(self.row)

    @property
    def distinct(self) -> int:
        """How many different ones."""
        return len(self.on_dangling)

    def entries(self, i: int) -> tuple[npt.NDArray[np.int64], Reals]:
        """The vertices of distinct source i that bear weight, and how much."""
        if self.vertices is not None:
            return self.vertices[i : i + 1].astype(np.int64), np.ones(1)
        begin, end = self.matrix.indptr[i : i + 2]
        return self.matrix.indices[begin:end].astype(np.int64), self.matrix.data[begin:end]

    def vector(self, position: int) -> Reals:
        """p of the caller's source at a position, shape (n,)."""
        return self.distinct_vector(int(self.row[position]))

    def distinct_vector(self, i: int) -> Reals:
        """p of distinct source i, shape (n,)."""
        values = np.zeros(self.n)
        where, what = self.entries(i)
        values[where] = what
        return values


def make_queries(graph: Graph, sources: Any, out: Reals) -> Queries:
    """Check the sources.

    Parameters
    ----------
    graph : Graph
    sources : id, sequence of ids, dict, sequence of dicts, array or SciPy sparse array of shape (k, n)
    out : float64 array, shape (n,)
        The weight that leaves each vertex.

    Raises
    ------
    InputError
        Naming the source.
    """
    n = graph.num_vertices
    if isinstance(sources, Mapping):
        sources = [sources]
    is_sparse = sp.issparse(sources)
    if not is_sparse and (isinstance(sources, (str, bytes)) or np.ndim(_first(sources)) == 0):
        return _vertices(graph, sources, out)
    rows = _rows(sources, n, is_sparse)
    matrix = sp.csr_array(sp.vstack([_row(graph, row, i) for i, row in enumerate(rows)], format="csr"))
    on_dangling = np.asarray(matrix @ (out == 0)).ravel()
    k = len(rows)
    return Queries(n, None, matrix, np.arange(k), [f"distribution {i}" for i in range(k)], on_dangling)


def _first(sources: Any) -> Any:
    """One source of several, or the only one: its number of dimensions tells ids from distributions."""
    if isinstance(sources, np.ndarray):
        return sources[0] if sources.ndim > 1 and len(sources) else (sources if sources.ndim > 1 else 0)
    if isinstance(sources, Sequence) and len(sources):
        return [0] if isinstance(sources[0], Mapping) else sources[0]
    return 0


def _vertices(graph: Graph, sources: Any, out: Reals) -> Queries:
    if isinstance(sources, (str, bytes)) or np.ndim(sources) == 0:
        sources = [sources]
    wanted = list(sources)
    if not wanted:
        raise InputError("no source is given: personalized PageRank needs at least one vertex to start from")
    if any(isinstance(one, (bool, float, np.bool_, np.floating)) for one in wanted):
        raise InputError(
            f"source {wanted[0]!r}: sources are ids of vertices; distributions are dicts of ids, or an array "
            f"of shape (k, {graph.num_vertices})"
        )
    try:
        index = graph.index(wanted)
    except InputError as error:
        raise InputError(f"sources: {error}") from error
    except (ValueError, TypeError, OverflowError) as error:  # NumPy's word on ids of another type
        raise InputError(f"sources: {wanted[0]!r} is no id of this graph ({error})") from error
    distinct, row = np.unique(index, return_inverse=True)
    return Queries(
        graph.num_vertices,
        distinct.astype(np.int32),
        None,
        row.ravel(),
        graph.ids[index].tolist(),
        (out[distinct] == 0).astype(np.float64),
    )


def _rows(sources: Any, n: int, is_sparse: bool) -> list[Any]:
    if is_sparse:
        if sources.ndim != 2 or sources.shape[1] != n:
            raise InputError(f"sources have shape {sources.shape}: distributions are (k, {n})")
        matrix = sp.csr_array(sources)
        rows = [matrix[[i]] for i in range(matrix.shape[0])]
    else:
        rows = list(sources)
    if not rows:
        raise InputError("no source is given: personalized PageRank needs at least one distribution")
    return rows


def _row(graph: Graph, row: Any, i: int) -> Any:
    given: Any = row
    if sp.issparse(row):
        given = given.toarray().ravel()
    values = distribution(graph, given, f"source {i}")
    assert values is not None
    return sp.csr_array(np.atleast_2d(values))


# --- walks ----------------------------------------------------------------------------------------------


def check_walks(walks: Any, epsilon: Any, confidence: Any, damping: float, n: int, policy: str) -> int:
    """The number of walks: as given, by the error that is allowed, or the default."""
    if walks is not None and epsilon is not None:
        raise InputError("walks and epsilon are both given: epsilon is what the number of walks is made of")
    most = most_walks(damping)
    if epsilon is None:
        if walks is None:
            return min(DEFAULT_WALKS, most)
        if isinstance(walks, bool) or not isinstance(walks, (int, np.integer)) or walks < 1:
            raise InputError(f"walks is {walks!r}: use a whole number of at least 1")
        if walks > most:
            raise InputError(f"walks is {walks}: at most {most} fit 32-bit counters at damping {damping}")
        return int(walks)
    if isinstance(epsilon, (bool, str)) or not isinstance(epsilon, (int, float, np.number)):
        raise InputError(f"epsilon is {epsilon!r}: a number is needed")
    if not 0 < float(epsilon) < 1:
        raise InputError(f"epsilon is {epsilon!r}: an error of a rank is above 0 and below 1")
    if isinstance(confidence, (bool, str)) or not isinstance(confidence, (int, float, np.number)):
        raise InputError(f"confidence is {confidence!r}: a number is needed")
    if not 0 < float(confidence) < 1:
        raise InputError(f"confidence is {confidence!r}: use a probability above 0 and below 1")
    needed = walks_for(float(epsilon), float(confidence), damping, n, policy)
    if needed > most:
        raise InputError(
            f"epsilon {epsilon} at confidence {confidence} needs {needed} walks, and at most {most} fit "
            "32-bit counters: use a larger epsilon, or method='power'"
        )
    return needed


def most_walks(damping: float) -> int:
    """So many walks make fewer than 2**32 visits (their mean is walks / (1 - d); this leaves half of it)."""
    return min(2**31 - 1, int(2**31 * (1 - damping)))


def walks_for(epsilon: float, confidence: float, damping: float, n: int, policy: str = "uniform") -> int:
    """Walks after which, with probability `confidence`, no rank is off by more than `epsilon`.

    What a walk adds to the estimate of a rank x has a variance of at most (1+d) x, and an m-th moment of at
    most m! x. So Chebyshev bounds the chance that x is off by (1+d) x / (N eps^2), and Bernstein by
    2 exp(-N eps^2 / 2 ((1+d) x + 2 eps / (1+d))). Ranks sum to 1: summed over all vertices, Chebyshev gives
    (1+d) / (N eps^2). For Bernstein the n vertices below some x0 are taken at x0, and of those above, the sum
    is at most the largest bound / x. The smaller of both is used. Hoeffding's bound does not hold: a walk's
    number of visits has no limit.

    With "personalization", y / |y| is off by at most 2 / (1-d) times what y and |y| (one more vertex) are.
    """
    allowed = 1 - confidence
    if policy == "personalization":
        epsilon *= (1 - damping) / 2
        n += 1
    total = 2.0 if policy == "personalization" else 1.0  # of what the ranks (and their sum) add up to
    chebyshev = total * (1 + damping) / (epsilon**2 * allowed)
    low, high = 0.0, chebyshev
    for _ in range(100):
        middle = (low + high) / 2
        if _failure(middle, epsilon, damping, n) * total <= allowed:
            high = middle
        else:
            low = middle
    return max(1, ceil(high))


def _failure(walks: float, epsilon: float, damping: float, n: int) -> float:
    """Bernstein's bound of the chance that any of n ranks of sum 1 is off by epsilon."""
    a = walks * epsilon**2 / 2
    b, c = 1 + damping, 2 * epsilon / (1 + damping)

    def each(x: float) -> float:
        return 2 * exp(-a / (b * x + c))

    # each(x) / x rises between the roots of a b x = (b x + c)^2, and falls outside them
    root = (a * b - 2 * b * c) ** 2 - 4 * b * b * c * c
    top = min(1.0, (a * b - 2 * b * c + sqrt(root)) / (2 * b * b)) if root > 0 else 1.0
    best = inf
    for x0 in np.geomspace(epsilon * 1e-3, 1.0, 60).tolist():
        highest = max(each(x0) / x0, each(max(x0, top)) / max(x0, top), each(1.0))
        best = min(best, n * each(x0) + highest)
    return best


def start_thresholds(weights: Reals | None, count: int, walks: int) -> npt.NDArray[np.uint64]:
    """Where, among positions 0 .. walks * 2**32 - 1, each start's share ends; shape (count,).

    Walk i stands at a position of i * 2**32 + a keyed 32-bit number. Made here by integers alone, so that
    every device takes the same starts. `weights` None: all alike.
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
