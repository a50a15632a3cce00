"""The sources of a personalized PageRank call, checked. Host only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.arguments import flat_list, given_ids, shown
from clgraph.errors import InputError
from clgraph.ranking.problem import Reals, distribution, indices_of

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


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
        Which of those each of the caller's sources is.
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
    def count(self) -> int:
        """Number of sources that the caller gave."""
        return len(self.row)

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

    def vector(self, position: int) -> Reals:
        """p of the caller's source at a position, shape (n,)."""
        return self.distinct_vector(int(self.row[position]))

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
    is_sparse = sp.issparse(sources)
    if not is_sparse and (isinstance(sources, (str, bytes)) or np.ndim(_first(sources)) == 0):
        return _vertices(graph, sources, problem)
    rows = _rows(sources, n, is_sparse)
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
    parts = [_row(graph, row, name) for row, name in zip(rows, names, strict=True)]
    return sp.csr_array(sp.vstack(parts, format="csr"))


def ids_of(graph: Graph, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The ids of some vertices."""
    naming = graph._id_lookup()
    return index.astype(np.int64) if naming is None else naming(index)


def _first(sources: Any) -> Any:
    """One source of several, or the only one: its number of dimensions tells ids from distributions."""
    if isinstance(sources, np.ndarray):
        return sources[0] if sources.ndim > 1 and len(sources) else (sources if sources.ndim > 1 else 0)
    if isinstance(sources, Sequence) and len(sources):
        return [0] if isinstance(sources[0], Mapping) else sources[0]
    return 0


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


def _row(graph: Graph, row: Any, name: str) -> Any:
    given: Any = row
    if sp.issparse(row):
        given = given.toarray().ravel()
    return sp.csr_array(np.atleast_2d(distribution(graph, given, name)))


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
