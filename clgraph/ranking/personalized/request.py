"""The request of a personalized PageRank call, validated: its sources, options, and what is left out.

No OpenCL here, except through the device that a `Request` names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, exp, inf, sqrt
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.arguments import flag, flat_list, given_ids, is_word, real, shown, whole
from clgraph.errors import InputError
from clgraph.keyed import check_seed
from clgraph.ranking.problem import Reals, check_reachable, distribution, indices_of, make_stop, round_off

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.progress import Tell
    from clgraph.ranking.problem import Problem
    from clgraph.ranking.solver import Numbers

LARGEST = 2**31 - 1


# --- sources ---------------------------------------------------------------------------------------------


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
        Distributions, each of sum 1, if the sources are not vertices.
    row : int64 array, shape (count,)
        The distinct source of each of the caller's.
    names : list
        The caller's sources as messages and results name them.
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
    def distinct(self) -> int:
        """Number of distinct sources."""
        return len(self.on_dangling)

    def entries(self, i: int) -> tuple[npt.NDArray[np.int64], Reals]:
        """The vertices on which distinct source i has mass, and how much."""
        if self.vertices is not None:
            return self.vertices[i : i + 1].astype(np.int64), np.ones(1)
        begin, end = self.matrix.indptr[i : i + 2]
        return self.matrix.indices[begin:end].astype(np.int64), self.matrix.data[begin:end]

    def distinct_vector(self, i: int) -> Reals:
        """p of distinct source i, shape (n,)."""
        values = np.zeros(self.n)
        where, what = self.entries(i)
        values[where] = what
        return values


def make_queries(graph: Graph, sources: Any, problem: Problem) -> Queries:
    """Validate the sources.

    Parameters
    ----------
    graph : Graph
    sources : as `clgraph.personalized_pagerank` takes them
    problem : Problem
        It knows which vertices no weight leaves.

    Raises
    ------
    InputError
        Naming the source.
    """
    n = graph.num_vertices
    if (users := users_of(sources)) is not None:
        names, rows = users
        if not any(isinstance(row, Mapping) for row in rows):
            return _distributions(graph, items_matrix(graph, names, rows), names, problem)
        return _distributions(
            graph, _stacked(graph, rows, [f"user {shown(name)}" for name in names]), names, problem
        )
    if isinstance(sources, Mapping):
        sources = [sources]
    given: Any = sources
    if sp.issparse(sources):
        if given.ndim != 2 or given.shape[1] != n:
            raise InputError(f"sources have shape {given.shape}: distributions are (k, {n})")
        matrix: Any = sp.csr_array(given)
        sources = [matrix[[i]] for i in range(matrix.shape[0])]
    elif _are_vertices(sources):
        return _vertices(graph, sources, problem)
    rows = list(sources)
    if not rows:
        raise InputError("no source is given: personalized PageRank needs at least one distribution")
    matrix = _stacked(graph, rows, [f"source {i}" for i in range(len(rows))])
    return _distributions(graph, matrix, [f"distribution {i}" for i in range(len(rows))], problem)


def _distributions(graph: Graph, matrix: Any, names: list[Any], problem: Problem) -> Queries:
    """The queries of distributions, a row each."""
    k = len(names)
    of_row = np.repeat(np.arange(k), np.diff(matrix.indptr))
    mass = np.where(problem.dangles(graph, matrix.indices), matrix.data, 0)
    on_dangling: Reals = np.bincount(of_row, weights=mass, minlength=k).astype(np.float64)
    return Queries(graph.num_vertices, None, matrix, np.arange(k), names, on_dangling)


def _stacked(graph: Graph, rows: list[Any], names: list[str]) -> Any:
    parts = []
    for row, name in zip(rows, names, strict=True):
        given: Any = row
        if sp.issparse(row):
            given = given.toarray().ravel()
        parts.append(sp.csr_array(np.atleast_2d(distribution(graph, given, name))))
    return sp.csr_array(sp.vstack(parts, format="csr"))


def ids_of(graph: Graph, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The ids of some vertices."""
    naming = graph._id_lookup()
    return index.astype(np.int64) if naming is None else naming(index)


def _are_vertices(sources: Any) -> bool:
    """True for one id or several, rather than distributions."""
    if isinstance(sources, np.ndarray):
        return sources.ndim < 2
    if isinstance(sources, Sequence) and len(sources):
        return not isinstance(sources[0], Mapping) and np.ndim(sources[0]) == 0
    return True


def _vertices(graph: Graph, sources: Any, problem: Problem) -> Queries:
    ids = given_ids(sources, "sources")
    if not ids:
        raise InputError("no source is given: personalized PageRank needs at least one vertex to start from")
    if any(isinstance(one, (bool, float, np.bool_, np.floating)) for one in ids):
        raise InputError(
            f"source {shown(ids[0])}: sources are ids of vertices; distributions are dicts of ids, or an "
            f"array of shape (k, {graph.num_vertices})"
        )
    index = indices_of(graph, ids, "sources")
    distinct, row = np.unique(index, return_inverse=True)
    return Queries(
        graph.num_vertices,
        distinct.astype(np.int32),
        None,
        row.ravel(),
        ids_of(graph, index).tolist(),
        problem.dangles(graph, distinct).astype(np.float64),
    )


# --- lists of items, a list for each user ---------------------------------------------------------------


def users_of(sources: Any) -> tuple[list[Any], list[Any]] | None:
    """The users' names and what each has; None if the sources are of another form.

    A dict of users to lists of ids, or to dicts of ids to numbers; or a list of lists of ids, whose users are
    called by their positions. Rows of numbers with a fraction are distributions over all vertices instead.
    """
    if isinstance(sources, Mapping):
        if sources and all(_is_list(one) or isinstance(one, Mapping) for one in sources.values()):
            return list(sources), list(sources.values())
        return None
    if isinstance(sources, Sequence) and len(sources) and _is_list(sources[0]):
        if all(map(_is_list, sources)):
            return list(range(len(sources))), list(sources)
        other = next(one for one in sources if not _is_list(one))
        raise InputError(f"sources are lists of ids, but one of them is {shown(other)}")
    return None


def _is_list(one: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.ndim == 1 and one.dtype.kind in "iuUO"
    return isinstance(one, (list, tuple, set, frozenset)) and not any(
        isinstance(item, (float, np.floating)) for item in one
    )


def items_matrix(graph: Graph, names: list[Any], rows: list[Any]) -> Any:
    """Each user's distribution as a row, shape (users, n): even over the items, one given twice counts twice.

    Raises
    ------
    InputError
        If a user has no items, or one that is not in the graph; both are named.
    """
    for name, row in zip(names, rows, strict=True):
        if not flat_list(row, f"sources of user {shown(name)}"):
            raise InputError(
                f"sources: user {shown(name)} has no items: at least one is needed to start from"
            )
    where = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    try:
        index = graph.indices_of(list(chain.from_iterable(rows)))
    except InputError as error:
        raise InputError(f"sources: {_first_wrong(graph, names, rows) or error}") from error
    counts = sp.csr_array((np.ones(len(index)), (where, index)), shape=(len(rows), graph.num_vertices))
    counts.data /= np.repeat(np.asarray(counts.sum(axis=1)).ravel(), np.diff(counts.indptr))
    return counts


def _first_wrong(graph: Graph, names: list[Any], rows: list[Any]) -> str | None:
    for name, row in zip(names, rows, strict=True):
        for item in row:
            try:
                graph.indices_of([item])
            except InputError:
                return f"user {shown(name)} has the item {shown(item)}, which is not an id of this graph"
    return None


# --- options and the request ------------------------------------------------------------------------------


class Options(SimpleNamespace):
    """Options of a call, validated for a graph of `n` vertices.

    What is invalid for one vertex is invalid for any number: a caller may check before reading a graph.

    Parameters
    ----------
    n : int
    damping : float
    policy : str
        Where the mass on dangling vertices goes.
    **given
        What follows, as the caller has it.

    Attributes
    ----------
    method : str
    top : int or None
        Select this many highest scores.
    tol, norm, max_iter
        What `stop` is made of; unused by "monte-carlo".
    check_every : int
        Sum the difference only once in this many iterations.
    squared : bool
        Compare its square with the squared tolerance.
    stored : bool
        Answer sources without out-arcs from stored scores.
    stable_top : int
        Stop once the top k set was the same at this many checks in a row after the first; 0: never.
    walks : int
        Walks from each source; 0 unless the method is "monte-carlo".
    epsilon, confidence
        What their number follows from, or None.
    seed : int
        Of the walks; None draws one.
    stop : Stop
        When to stop.

    Raises
    ------
    InputError
        If a value is out of range, the method does not have an option, or two do not go together.
    """

    def __init__(self, n: int, damping: float, policy: str, **given: Any) -> None:
        super().__init__(**given)
        top, by_walks = given["top"], given["method"] == "monte-carlo"
        self.stop = make_stop(given["tol"], given["norm"], given["max_iter"], n)
        self.top: Any = None if top is None else whole(top, "top", 1, n)
        self.check_every = whole(given["check_every"], "check_every", 1, LARGEST)
        self.stable_top = whole(given["stable_top"], "stable_top", 0, LARGEST)
        self.squared, self.stored = (flag(given[name], name) for name in ("squared", "stored"))
        self.walks = check_walks(given, damping, n, policy) if by_walks else 0
        self.seed = check_seed(given["seed"]) if by_walks else 0
        usual = {"check_every": 1, "squared": False, "stored": False, "stable_top": 0}
        if by_walks and (other := next((x for x in usual if getattr(self, x) != usual[x]), None)):
            raise InputError(f"{other} is an option of the iterating methods, not of 'monte-carlo'")
        for name in () if by_walks else ("walks", "epsilon", "seed"):
            if (value := given[name]) is not None:
                raise InputError(
                    f"{name} is {shown(value)}: an option of method 'monte-carlo', not of {self.method!r}"
                )
        if self.squared and self.stop.norm != "l2":
            raise InputError(f"squared=True is a form of the test in norm 'l2', not {self.stop.norm!r}")
        if self.stable_top and self.top is None:
            raise InputError("stable_top requires top: the set of the top k is what must stay the same")
        if self.stable_top and self.stop.tol == 0:
            raise InputError("stable_top stops early, and tol=0 requests exactly max_iter iterations")


@dataclass(frozen=True)
class Request:
    """A validated call.

    Attributes
    ----------
    device : Device
    graph : Graph
    problem : Problem
    queries : Queries
    options : Options
    numbers : Numbers
        The types of scores and sums.
    weight : bool
        Whether the graph's weights count: what is cached on the device depends on it.
    progress : callable, optional
        Called with (distinct sources done, of how many).
    stays : bool
        The scores of all vertices stay on the device.
    """

    device: Device
    graph: Graph
    problem: Problem
    queries: Queries
    options: Options
    numbers: Numbers
    weight: bool
    progress: Tell | None = None
    stays: bool = False

    def tell(self, done: int, of: int) -> None:
        """Report how many of an engine's sources are done."""
        if self.progress:
            self.progress(done, of)

    def checked_round_off(self, chain: int) -> float:
        """rho for a longest chain of additions of that length; an InputError if `tol` is below it.

        The value returned is for the error bound: W has its own chain, which does not hinder convergence.
        """
        from clgraph.ranking.solver import longest_row  # which needs OpenCL

        rho = round_off(self.numbers.dtype, chain)
        check_reachable(self.options.stop, self.problem.n, self.numbers.dtype, rho)
        if self.problem.weighing.weighted and self.numbers.dtype == "float64":
            chain += longest_row(self.device, self.graph)
        return round_off(self.numbers.dtype, chain)


# --- how many walks: as given, or as many as an error bound needs ---------------------------------------


# they find 90 % of the best 20 vertices in a graph of 3.6 M vertices and 45 M arcs, and 20 000 find 81 %
DEFAULT_WALKS = 200_000


def check_walks(given: Mapping[str, Any], damping: float, n: int, policy: str) -> int:
    """Return the number of walks: as given, from the allowed error, or the default."""
    walks, epsilon, confidence = given["walks"], given["epsilon"], given["confidence"]
    if walks is not None and epsilon is not None:
        raise InputError("pass either walks or epsilon, not both: the number of walks follows from epsilon")
    most = most_walks(damping)
    if epsilon is None:
        if walks is None:
            return min(DEFAULT_WALKS, most)
        if (walks := whole(walks, "walks", 1)) > most:
            raise InputError(f"walks is {walks}: at most {most} fit 32-bit counters at damping {damping}")
        return walks
    if not 0 < real(epsilon, "epsilon") < 1:
        raise InputError(f"epsilon is {shown(epsilon)}: use an error above 0 and below 1")
    if not 0 < real(confidence, "confidence") < 1:
        raise InputError(f"confidence is {shown(confidence)}: use a probability above 0 and below 1")
    needed = walks_for(float(epsilon), float(confidence), damping, n, policy)
    if needed > most:
        raise InputError(
            f"epsilon {epsilon} at confidence {confidence} needs {needed} walks, and at most {most} fit "
            "32-bit counters: use a larger epsilon, or method='power'"
        )
    return needed


def most_walks(damping: float) -> int:
    """Return how many walks make fewer than 2**32 visits: walks / (1 - d) on average; half is margin."""
    return min(2**31 - 1, int(2**31 * (1 - damping)))


def walks_for(epsilon: float, confidence: float, damping: float, n: int, policy: str = "uniform") -> int:
    """Walks after which, with probability `confidence`, no score is off by more than `epsilon`.

    What a walk adds to the estimate of a score x has a variance of at most (1+d) x, and an m-th moment of at
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
    total = 2.0 if policy == "personalization" else 1.0  # of what the scores (and their sum) add up to
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
    """Bernstein's bound of the chance that any of n scores of sum 1 is off by epsilon."""
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


# --- vertices left out of the highest scores ---------------------------------------------------------------
#
# As many more are selected on the device as any source leaves out; then those left out are taken away.

WORDS = ("self", "neighbours", "neighbors")


def vertices_left_out(
    graph: Graph, exclude: Any, queries: Queries, top: int | None
) -> list[npt.NDArray[np.int64]] | None:
    """Return the vertices left out for each distinct source, ascending; None if `exclude` is not given.

    Raises
    ------
    InputError
        If it is neither a word nor ids of vertices, there is no `top`, or a source has too few vertices left.
    """
    if exclude is None:
        return None
    word, ids = _parts(exclude)
    if top is None:
        raise InputError("exclude requires top: it leaves vertices out of the highest scores")
    everywhere = np.zeros(0, np.int64)
    if ids is not None and any(isinstance(each, (list, tuple, np.ndarray)) for each in ids):
        raise InputError(
            f"exclude is {shown(exclude)}: use 'self', 'neighbours' (the source is one of them), a list of "
            "ids, or a pair of a word and such a list"
        )
    if ids is not None and len(ids):
        everywhere = indices_of(graph, ids, "exclude")
    left_out = []
    for i in range(queries.distinct):
        gone: list[npt.NDArray[Any]] = [everywhere]
        if word is not None:
            gone.append(queries.entries(i)[0])
        if word in WORDS[1:]:
            gone += [graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]] for v in gone[1].tolist()]
        left_out.append(np.unique(np.concatenate(gone).astype(np.int64)))
        # fewer than `top` left would fill it with vertices that are excluded
        left = queries.n - len(left_out[-1])
        if left < top:
            name = queries.names[int(np.flatnonzero(queries.row == i)[0])]
            raise InputError(
                f"source {shown(name)}: {left} of {queries.n} vertices are not excluded, and top asks for "
                f"{top}: use {left} at most"
                if left
                else f"source {shown(name)}: all vertices are excluded"
            )
    return left_out


def _parts(exclude: Any) -> tuple[str | None, list[Any] | None]:
    """Split `exclude` into its word and its ids."""
    if isinstance(exclude, tuple) and len(exclude) == 2 and isinstance(exclude[0], str):
        word, ids = exclude
        if np.ndim(ids):
            return _parts(word)[0], list(ids)
    if is_word(exclude, *WORDS):
        return exclude, None
    if isinstance(exclude, str) or not np.iterable(exclude):
        raise InputError(
            f"exclude is {shown(exclude)}: use 'self', 'neighbours', a list of ids, or a pair of both"
        )
    return None, list(exclude)
