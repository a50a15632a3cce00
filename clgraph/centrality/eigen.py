"""Centralities that are fixed points of a graph's matrix: of eigenvectors, Katz's, hubs and authorities.

Host half of ``cl/centrality/power.cl``: products with the matrix, and vectors of float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, real, whole
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.errors import ConvergenceError, InputError
from clgraph.graph import as_graph
from clgraph.progress import Tell, with_progress
from clgraph.run import need_doubles, run_on

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

MOST = 2**31 - 1
STEPS = 20  # products with the matrix and its transpose between two restarts, as ARPACK has by default


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

    Attributes
    ----------
    chunk : int
        Vertices of a work-group.
    long : int
        Arcs from which on a work-group sums a row up together.
    """

    chunk: int
    long: int
    EACH: ClassVar[int] = 24 + 16  # sums, and the list of long rows


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, chunk=1024, long=256),
    cpu=LaunchConfig(local=1, chunk=1024, long=256),
    simulator=LaunchConfig(local=4, chunk=16, long=8),
)


class Sums(NamedTuple):
    """Sums over a combination y of itself and x: of y^2, |y - x| and x y."""

    squares: float
    moved: float
    product: float


class Vectors:
    """A graph's matrix and vectors on a device.

    Parameters
    ----------
    device : Device
        With float64.
    graph : Graph
    weight : bool
        Whether the graph's weights are the matrix's entries; else merged arcs count as often as they
        occurred.
    """

    def __init__(self, device: Device, graph: Graph, weight: bool) -> None:
        self.device, self.n = device, graph.num_vertices
        config = LAUNCH.of(device)
        self._local, self.groups = config.local, max(1, -(-self.n // config.chunk))
        tunables = {"LOCAL": config.local, "CHUNK": config.chunk, "LONG": config.long}
        self._sides: list[tuple[Any, dict[str, Any]]] = []  # the matrix and its transpose
        for rows in (graph, graph.reverse):
            csr = upload_csr(device, rows)
            entries = {**csr.buffers, "weight": self._entries(rows, weight)}
            self._sides.append((device.program("centrality/power", **tunables, **csr.defines), entries))
        # three vectors of float64: x, y and what is between them
        device.reserve({"vectors": 24 * self.n})
        self.part, self.sum = device.empty(3 * self.groups, np.float64), device.empty(3, np.float64)

    def _entries(self, rows: Graph, weight: bool) -> Any:
        """Return the entries of rows on the device; None if all are 1."""
        if weight and rows.weights is not None:
            check_weights(rows)
            return Residence.of(self.device, rows).column(rows, "weights")
        counts, device = rows.multiplicity, self.device
        if counts is None:
            return None
        key = "multiplicity as numbers"
        return device.cached(rows, key, lambda: device.upload(counts.astype(np.float64)))

    def vector(self, values: Floats | None = None) -> Any:
        """Allocate a vector on the device."""
        if values is None:
            return self.device.empty(self.n, np.float64)
        return self.device.upload(np.ascontiguousarray(values, np.float64), writable=True)

    def multiply(self, x: Any, y: Any, *, transpose: bool = False) -> None:
        """y = A x, or its transpose times x; does not wait."""
        program, entries = self._sides[transpose]
        local = self._local
        program.power_product.launch(self, self.groups * local, local=local, **entries, x=x, y=y)

    def combine(self, y: Any, a: float, x: Any, b: float = 0.0, c: float | Any = 0.0) -> Sums:
        """y = a y + b x + c, where c is a number or a vector; waits."""
        (program, _), local = self._sides[0], self._local
        added = {"one": c, "each": None} if isinstance(c, (int, float)) else {"one": 0, "each": c}
        program.power_combine.launch(self, self.groups * local, local=local, a=a, b=b, x=x, y=y, **added)
        program.power_sums.launch(self, 3 * local, local=local)
        return Sums(*self.device.download(self.sum, np.float64, 3).tolist())

    def take(self, x: Any) -> Floats:
        """Download a vector."""
        return self.device.download(x, np.float64, self.n)


@contextmanager
def vectors_on(device: Any, graph: Graph, weight: bool, what: str) -> Iterator[Vectors]:
    """Lock a device and upload a graph's matrix; an error without float64 names `what` needs it."""
    run = run_on(device)
    with run.lock, run:
        need_doubles(run.device, what)
        yield Vectors(run.device, graph, weight)


def check_weights(graph: Graph) -> None:
    """Raise an InputError if a weight is not finite."""
    assert graph.weights is not None
    bad = ~np.isfinite(graph.weights)
    if np.any(bad):
        at = int(np.argmax(bad))
        tail = int(np.searchsorted(graph.row_ptr, at, side="right")) - 1
        ends = f"{graph.ids[tail]} and {graph.ids[graph.col_idx[at]]}"
        raise InputError(f"the weight between {ends} is {graph.weights[at]}: finite weights are needed")


def numbers_of(graph: Graph, given: Any, name: str) -> Floats | None:
    """Return a number for each vertex from an array or a complete dict; None for None.

    Raises
    ------
    InputError
        If some are missing, or not finite.
    """
    if given is None:
        return None
    from clgraph.ranking.problem import vertex_values  # which loads PageRank's modules

    values = vertex_values(graph, given, name, np.nan)
    if not np.all(np.isfinite(values)):
        v = int(np.argmin(np.isfinite(values)))
        raise InputError(f"{name} has no finite number for vertex {graph.ids[v]}")
    return values


# --- the centralities -----------------------------------------------------------------------------------


@with_progress("eigenvector centrality")
def eigenvector_centrality(
    graph: Any,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Any = None,
    weight: bool = False,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Compute the eigenvector of the largest eigenvalue: vertices with central (in-)neighbours are central.

    The power method with the matrix A + I, as in NetworkX, until the L1 difference of two iterates is below
    n * tol.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    max_iter : int
    tol : float
    nstart : dict of ids or array, shape (n,), optional
        Numbers to start from; by default all alike.
    weight : bool
        Whether the graph's weights count. Without them merged parallel arcs count as often as they occurred.
    device : Device or str, optional
        As in `clgraph.get_device`; one with float64.
    progress : callable or True, optional
        Called with (iterations, None); True shows a bar.

    Returns
    -------
    float64 array, shape (n,)
        Of length 1 (the sum of squares).

    Raises
    ------
    InputError
        If the graph is empty, a weight is not finite, or an argument is not as above.
    ConvergenceError
        If `max_iter` iterations were not enough; its `result` is the last vector.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64, or the graph does not fit on it.

    References
    ----------
    P. Bonacich, "Power and Centrality: A Family of Measures", American Journal of Sociology 92(5), 1987.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.eigenvector_centrality(clgraph.Graph.from_edges([0, 1], [1, 2])).round(6)
    array([0.5     , 0.707107, 0.5     ])
    """
    whole_graph = as_graph(graph)
    last, tol = whole(max_iter, "max_iter", 0, MOST), real(tol, "tol")
    weight = flag(weight, "weight")
    n = whole_graph.num_vertices
    if n == 0:
        raise InputError("the graph is empty: it has no eigenvector")
    start = numbers_of(whole_graph, nstart, "nstart")
    start = np.ones(n) if start is None else start
    total = float(start.sum())
    if total == 0:
        raise InputError("nstart sums to 0; give numbers with another sum")
    with vectors_on(device, whole_graph, weight, "eigenvector centrality") as vectors:

        def step(x: Any, y: Any) -> Sums:
            length = sqrt(vectors.combine(y, 1.0, x, 1.0).squares) or 1.0
            return vectors.combine(y, 1 / length, x)

        x, _, _ = _iterate("eigenvector centrality", vectors, start / total, step, last, tol, progress)
        return vectors.take(x)


@with_progress("Katz centrality")
def katz_centrality(
    graph: Any,
    *,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: bool = False,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Compute Katz centrality: the solution of ``x(v) = alpha * (sum of x(u) over in-neighbours) + beta``.

    Iterated from 0, as in NetworkX, until the L1 difference of two iterates is below n * tol.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    alpha : float
        Below one over the largest eigenvalue; otherwise nothing converges.
    beta : float, dict of ids or array, shape (n,)
    max_iter : int
    tol : float
    nstart : dict of ids or array, shape (n,), optional
        Numbers to start from; by default 0.
    normalized : bool
        Whether the result is scaled to length 1 (the sum of squares).
    weight, device, progress
        As in `eigenvector_centrality`.

    Returns
    -------
    float64 array, shape (n,)

    Raises
    ------
    InputError
        If a weight is not finite, or an argument is not as above.
    ConvergenceError
        If `max_iter` iterations were not enough; its `result` is the last vector.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64, or the graph does not fit on it.

    References
    ----------
    L. Katz, "A New Status Index Derived from Sociometric Index", Psychometrika 18(1), 1953.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.katz_centrality(clgraph.Graph.from_edges([0, 1], [1, 2])).round(4)
    array([0.5599, 0.6108, 0.5599])
    """
    whole_graph = as_graph(graph)
    alpha, tol = real(alpha, "alpha"), real(tol, "tol")
    last = whole(max_iter, "max_iter", 0, MOST)
    normalized, weight = flag(normalized, "normalized"), flag(weight, "weight")
    added = real(beta, "beta") if isinstance(beta, (str, bytes)) or np.isscalar(beta) else None
    each = numbers_of(whole_graph, beta, "beta") if added is None else None
    start = numbers_of(whole_graph, nstart, "nstart")
    n = whole_graph.num_vertices
    if n == 0:
        return np.zeros(0)
    with vectors_on(device, whole_graph, weight, "Katz centrality") as vectors:
        c = vectors.vector(each) if added is None else added

        def step(x: Any, y: Any) -> Sums:
            return vectors.combine(y, alpha, x, 0.0, c)

        first = np.zeros(n) if start is None else start
        x, before, sums = _iterate("Katz centrality", vectors, first, step, last, tol, progress)
        if normalized and sums.squares:
            vectors.combine(x, 1 / sqrt(sums.squares), before)
        return vectors.take(x)


def _iterate(
    what: str,
    vectors: Vectors,
    start: Floats,
    step: Callable[[Any, Any], Sums],
    last: int,
    tol: float,
    progress: Tell | None,
) -> tuple[Any, Any, Sums]:
    """Iterate until the L1 difference is below n * tol; return the last two vectors and their sums.

    A step gets x and the transpose times x, of which it makes the next vector.
    """
    x, y = vectors.vector(start), vectors.vector()
    moved, limit = inf, vectors.n * tol
    for iteration in range(last):
        vectors.multiply(x, y, transpose=True)
        sums = step(x, y)
        moved = sums.moved
        x, y = y, x
        if progress:
            progress(iteration + 1, None)
        if moved < limit:
            return x, y, sums
    raise ConvergenceError(
        f"{what} did not converge on {vectors.device}: after {last} iterations two iterates differ by "
        f"{moved:.3g} (L1), not by less than n * tol = {limit:.3g}; a larger max_iter or tol may do (the "
        "error's `result` holds what was reached)",
        vectors.take(x),
    )


@with_progress("hubs and authorities")
def hits(
    graph: Any,
    *,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: Any = None,
    normalized: bool = True,
    weight: bool = True,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> tuple[Floats, Floats]:
    """Compute hubs and authorities: good hubs have arcs to good authorities, and the other way round.

    The singular vectors of the matrix's largest singular value, by Lanczos's method with restarts [1]_ (the
    power method of [2]_ may take thousands of products).

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    max_iter : int
        Restarts, of 20 steps each.
    tol : float
        How far the vectors may be from the exact ones, about (relative to their length).
    nstart : dict of ids or array, shape (n,), optional
        Authorities to start from; by default all alike.
    normalized : bool
        Whether both are scaled to sum 1. Else the authorities have length 1, and the hubs are the matrix
        times the authorities.
    weight : bool
        Whether the graph's weights count. Without them merged parallel arcs count as often as they occurred.
    device, progress
        As in `eigenvector_centrality`; progress counts restarts.

    Returns
    -------
    hubs, authorities : float64 arrays, shape (n,)
        Where the largest singular value has several vectors (components that are alike), those nearest to the
        start.

    Raises
    ------
    InputError
        If a weight is not finite, the graph has no arc (or no weight), or an argument is not as above.
    ConvergenceError
        If `max_iter` restarts were not enough; its `result` is the last pair.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64, or the graph does not fit on it.

    References
    ----------
    .. [1] G. Golub, C. Van Loan, "Matrix Computations", 4th edition, 2013, chapter 10.
    .. [2] J. Kleinberg, "Authoritative sources in a hyperlinked environment", J. ACM 46(5), 1999.

    Examples
    --------
    >>> import clgraph
    >>> hubs, authorities = clgraph.hits(clgraph.Graph.from_edges([0, 1, 1], [2, 2, 3], directed=True))
    >>> hubs.round(3), authorities.round(3)
    (array([0.382, 0.618, 0.   , 0.   ]), array([0.   , 0.   , 0.618, 0.382]))
    """
    whole_graph = as_graph(graph)
    tol, last = real(tol, "tol"), whole(max_iter, "max_iter", 0, MOST)
    normalized, weight = flag(normalized, "normalized"), flag(weight, "weight")
    start = numbers_of(whole_graph, nstart, "nstart")
    n = whole_graph.num_vertices
    if n == 0:
        return np.zeros(0), np.zeros(0)
    if start is not None and not start.any():
        raise InputError("nstart is 0 everywhere; give at least one vertex another number")

    with vectors_on(device, whole_graph, weight, "hubs and authorities") as vectors:
        first = np.ones(n) if start is None else start
        best, off = leading(vectors, first / np.linalg.norm(first), STEPS, last, tol, progress)
        hubs_on_device = vectors.vector()
        vectors.multiply(best, hubs_on_device)
        authorities, hubs = vectors.take(best), vectors.take(hubs_on_device)
    # a singular vector has no sign of its own
    if authorities.sum() < 0:
        authorities, hubs = -authorities, -hubs
    if not weight or whole_graph.weights is None or not np.any(whole_graph.weights < 0):
        hubs, authorities = np.abs(hubs), np.abs(authorities)  # less than 0 by roundings only
    if not hubs.any():
        raise InputError("the graph has no arc, or no weight: it has no hubs and authorities")
    if normalized:
        hubs, authorities = hubs / hubs.sum(), authorities / authorities.sum()
    if off > tol:
        raise ConvergenceError(
            f"hubs and authorities did not converge on {vectors.device}: after {last} restarts they are "
            f"about {off:.3g} from the exact ones, not {tol:.3g}; a larger max_iter or tol may do (the "
            "error's `result` holds what was reached)",
            (hubs, authorities),
        )
    return hubs, authorities


# --- The leading right singular vector of a graph's matrix, by Lanczos's method with restarts ---
#
# The vectors stay on the device; the host has the small projected matrices.


LITTLE = 1e-4  # of a vector's squares: with so few left, roundings are a part of them that matters
ROUND_OFF = 1e-14  # of the largest singular value's square: residuals do not get smaller


def leading(
    vectors: Vectors,
    start: Floats,
    steps: int,
    restarts: int,
    tol: float,
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[Any, float]:
    """Return the vector, on the device, and roughly how far it is from the exact one.

    Parameters
    ----------
    vectors : Vectors
    start : float64 array of length 1
    steps : int
        Of each cycle: products with the matrix and its transpose.
    restarts : int
        Cycles at most.
    tol : float
        Distance that is small enough.
    progress : callable, optional
        Called with (cycles, None).
    """
    first, half = vectors.vector(start), vectors.vector()
    off = inf
    basis = [first, *(vectors.vector() for _ in range(min(steps, vectors.n)))]
    for cycle in range(restarts):
        diagonal: list[float] = []
        off_diagonal: list[float] = []
        for j in range(len(basis) - 1):
            x, y = basis[j], basis[j + 1]
            vectors.multiply(x, half)
            vectors.multiply(half, y, transpose=True)
            length = _orthogonalise(vectors, basis, j, diagonal)
            # the next vector would be roundings alone
            if length <= ROUND_OFF * max(map(abs, diagonal)):
                off_diagonal.append(0.0)
                break  # the space is closed
            off_diagonal.append(length)
            vectors.combine(y, 1 / length, x)
        k = len(diagonal)
        if not np.all(np.isfinite(diagonal + off_diagonal)):
            raise InputError("weights are so large that their products overflow float64: scale them")
        values, small = np.linalg.eigh(
            np.diag(diagonal) + np.diag(off_diagonal[: k - 1], 1) + np.diag(off_diagonal[: k - 1], -1)
        )
        top = values[-1]
        residual = off_diagonal[k - 1] * abs(small[-1, -1])
        # the error of a vector is about its residual over the gap to the next eigenvalue
        gap = top - values[-2] if k > 1 else top
        off = 0.0 if residual <= ROUND_OFF * top else residual / gap if gap > 0 else inf
        for i, share in enumerate(small[:, -1].tolist()):
            if i == 0:
                vectors.combine(first, share, basis[1])
            else:
                vectors.combine(first, 1.0, basis[i], share)
        length = sqrt(vectors.combine(first, 1.0, basis[1]).squares)
        vectors.combine(first, 1 / (length or 1.0), basis[1])
        if progress:
            progress(cycle + 1, None)
        if off <= tol:
            break
    return first, off


def _orthogonalise(vectors: Vectors, basis: list[Any], j: int, diagonal: list[float]) -> float:
    """Orthogonalise vector j + 1 against those before it; return its length.

    What it has of vector j is the next number of the diagonal. Where little is left, roundings are much of
    it: then once more.
    """
    y, along = basis[j + 1], 0.0
    for attempt in range(2):
        whole = 0.0
        for i in range(j, -1, -1):
            sums = vectors.combine(y, 1.0, basis[i])
            if i == j:
                whole, along = sums.squares, sums.product
                if attempt == 0:
                    diagonal.append(along)
            length = sqrt(vectors.combine(y, 1.0, basis[i], -sums.product).squares)
        if length * length > LITTLE * whole:
            break
    return length
