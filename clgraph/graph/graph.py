"""The Graph: a sparse adjacency structure compressed by rows (CSR).

Rows ascend: the neighbours of a vertex are in ascending order of their index. An undirected edge is
stored as two arcs, an undirected self-loop as one. Vertices are numbered 0 .. n-1 by ascending original id.
Its arrays are on the host, on devices (see `clgraph.graph.residency`), or both. This module knows nothing of
OpenCL.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from clgraph.arguments import one_id, shown
from clgraph.errors import DeviceError, InputError
from clgraph.graph import views
from clgraph.graph.arrays import Arrays, Edges, last_of_rows
from clgraph.graph.building import Duplicates, rows_of_edges, sorted_rows
from clgraph.graph.checks import (
    check_mirrored,
    check_range,
    checked_arrays,
    checked_ids,
    checked_mask,
    integers,
)
from clgraph.graph.exchange import Exchange
from clgraph.graph.residency import NAMES, View
from clgraph.graph.views import largest_component_mask
from clgraph.lazy import lazy
from clgraph.results import Shown

P = ParamSpec("P")


class Graph(Exchange, Shown):
    """A graph in compressed sparse rows.

    Use the class methods (`from_edges`, `from_scipy`, `from_pandas` and so on) or `clgraph.read`; the
    constructor takes arrays that are rows already. It checks them in full, and shares those of the right
    type: do not change them afterwards, because kernels rely on what was checked.

    A graph is on the host, on devices, or both. One that was made on a device (generated, sampled, a view)
    stays there, and an array comes to the host at its first use. The graph's own arrays are read-only.
    `memory_usage` lists what is where, and `free` gives a device's part back. Pickles and copies have the
    host's form.

    Parameters
    ----------
    row_ptr : int32 or int64 array, shape (n + 1,)
        Row v's arcs are at ``row_ptr[v]:row_ptr[v + 1]``; int64 from 2**31 arcs on.
    col_idx : int32 array, shape (arcs,)
        Heads of the arcs, ascending within a row. Other types of whole numbers are converted.
    weights : float64 array, shape (arcs,), or None
        Finite numbers.
    multiplicity : int32 array, shape (arcs,), or None
        How many parallel edges of the input were merged into each arc, at least 1; None if none were.
    ids : array, shape (n,), or None
        Original vertex ids (non-negative int64, or str objects), no two alike; None where they are 0 .. n-1.
    directed : bool
        An undirected graph has the arc v -> u for each u -> v, with the same weight and multiplicity.

    Raises
    ------
    InputError
        If the arrays are not like that; the first wrong entry is named.

    Attributes
    ----------
    num_vertices, num_edges, num_arcs : int
        An undirected edge counts once in `num_edges` and twice in `num_arcs` (a self-loop once in both).
    attributes : clgraph.graph.attributes.Attributes or None
        What a file or a table said of vertices and edges (GraphML, GEXF, Pajek, further columns of edge
        tables, tables of vertices), by id: ``value`` of ``attributes.vertices["age"]``, say. Views and parts
        of a graph and its samples have those of the graph that they were made from; `clgraph.write`,
        `to_networkx`, `to_igraph`, `to_pandas` and `to_arrow` put them where they fit.
    """

    def __init__(
        self,
        row_ptr: npt.ArrayLike,
        col_idx: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        multiplicity: npt.ArrayLike | None = None,
        ids: npt.ArrayLike | None = None,
        directed: bool = False,
    ) -> None:
        self._take(checked_arrays(row_ptr, col_idx, weights, multiplicity, ids, directed))

    # --- what it is -------------------------------------------------------------------------------

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self._n

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs."""
        return self._arcs

    def _counted(self, name: str) -> int | None:
        """Ask the device that alone has the rows; None if the host has them, or has to count itself."""
        if self._residence is None or {"row_ptr", "col_idx"} <= vars(self).keys():
            return None
        found: int | None = self._residence.count(name)
        return found

    @lazy
    def num_nonisolated(self) -> int:
        """Number of vertices with arcs (in a directed graph: with outgoing arcs)."""
        found = self._counted("nonisolated")
        return int(np.count_nonzero(self.degrees)) if found is None else found

    @lazy
    def num_self_loops(self) -> int:
        """Number of stored arcs from a vertex to itself."""
        found = self._counted("loops")
        return self._arrays.count_loops() if found is None else found

    @lazy
    def is_multigraph(self) -> bool:
        """True if parallel arcs were kept as copies."""
        found = self._counted("copies")
        return self._arrays.is_multigraph() if found is None else found > 0

    @lazy
    def num_edges(self) -> int:
        """Number of edges (undirected) or arcs (directed)."""
        if self.directed:
            return self.num_arcs
        return (self.num_arcs + self.num_self_loops) // 2

    @lazy
    def num_duplicates(self) -> int:
        """Number of edges that repeat another one: merged (`multiplicity`) or kept as copies."""
        if not self._is_counted and not self.is_multigraph:
            return 0
        if self.multiplicity is None:
            extra: npt.NDArray[Any] = np.zeros(self.num_arcs, bool)
            np.equal(self.col_idx[1:], self.col_idx[:-1], out=extra[1:])
            extra[last_of_rows(self.row_ptr, self.num_arcs) + 1] = False
        else:
            extra = self.multiplicity - 1
        total = int(extra.sum(dtype=np.int64))
        if self.directed:
            return total
        # a loop is one arc, any other edge two
        return (total + int(extra[self.tails == self.col_idx].sum(dtype=np.int64))) // 2

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Out-degree of each vertex, shape (n,)."""
        return np.diff(self.row_ptr).astype(np.int64, copy=False)

    @property
    def tails(self) -> npt.NDArray[np.int32]:
        """Tail of each stored arc, shape (arcs,); computed on each access."""
        return self._arrays.tails()

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.is_weighted else ""
        return f"<Graph: {kind}, {self.num_vertices} vertices, {self.num_edges} edges{weighted}>"

    def _facts(self) -> dict[str, Any]:
        return {
            "vertices": self.num_vertices,
            "edges": self.num_edges,
            "directed": self.directed,
            "weighted": self.is_weighted,
        }

    def _bars(self) -> tuple[str, Sequence[float]]:
        if self.num_vertices == 0:
            return "no vertices", []
        # frexp is exact where a logarithm of a power of 2 may fall short
        exponents = np.frexp(self.degrees.astype(np.float64))[1]  # 0 of 0, 1 of 1, 2 of 2 and 3, ...
        return "vertices of degree 0, 1, 2 to 3, 4 to 7, ...", np.bincount(exponents).tolist()

    def indices_of(self, ids: Any) -> npt.NDArray[np.int64]:
        """Return the vertex indices of original ids.

        Parameters
        ----------
        ids : one id or an array of ids

        Returns
        -------
        int64 array of the same shape (at least 1-d)

        Raises
        ------
        InputError
            If an id is not in the graph; it is named.
        """
        n = self.num_vertices
        textual = self._ids is not None and self._ids.dtype == object
        try:  # as objects, since NumPy's own strings lose zero characters at their ends
            wanted = np.atleast_1d(np.asarray(ids, object if textual else None))
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"vertex ids {shown(ids)}: use one id, or a flat list of them") from error
        if textual:
            strange = [name for name in wanted.flat if not isinstance(name, str)]
            if strange:
                raise InputError(f"vertex id {shown(strange[0])} is not in the graph: its ids are strings")
        elif wanted.size and wanted.dtype.kind not in "iu":
            raise InputError(f"vertex id {shown(wanted.flat[0])} is not in the graph: its ids are integers")
        if self._ids is None:
            position = wanted.astype(np.int64)
            found = (wanted >= 0) & (wanted < n)
        elif n == 0:
            position, found = np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, bool)
        else:
            ascending, order = self._sorted_ids
            rank = np.searchsorted(ascending, wanted)
            # past the end: any vertex will do, since the comparison below finds that its id is another
            rank[rank == n] = 0
            position = order[rank]
            found = np.asarray(self._ids[position] == wanted, dtype=bool)
        if not np.all(found):
            raise InputError(f"vertex {wanted[~found].flat[0]} is not in the graph ({n} vertices)")
        return position

    @lazy
    def _sorted_ids(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        assert self._ids is not None
        order = np.argsort(self._ids, kind="stable")
        return self._ids[order], order

    def neighbors(self, vertex: Any) -> npt.NDArray[Any]:
        """Ids of the heads of the arcs that leave the vertex with this id, in index order."""
        v = int(self.indices_of(one_id(vertex, "vertex"))[0])
        heads = self.col_idx[self.row_ptr[v] : self.row_ptr[v + 1]]
        return heads.astype(np.int64) if self._ids is None else self._ids[heads]

    # --- made from it -----------------------------------------------------------------------------

    @lazy
    def reverse(self) -> Graph:
        """The same graph with every arc reversed; an undirected graph is its own reverse."""
        return self._made("reverse") if self.directed else self

    @lazy
    def undirected(self) -> Graph:
        """The undirected view: arcs u->v and v->u become one edge (weights and counts summed).

        Where parallel arcs were kept as copies, each arc becomes an edge of its own.
        """
        return self._made("undirected") if self.directed else self

    @lazy
    def without_self_loops(self) -> Graph:
        """The graph without self-loops (itself if it has none)."""
        return self._made("without_self_loops") if self.num_self_loops else self

    def _made(self, view: View) -> Graph:
        """Build a view on a device that has the graph, or else on the host."""
        made: Graph | None = None
        for residence in self._residences():
            try:
                made = made or residence.view(self, view)
            except DeviceError:
                if not self.is_on_host:  # else it goes on without the device, which may be lost
                    raise
        made = made or self._made_on_host(view)
        # weakly: the graph already holds its view, and a circle would keep device memory until a collection
        made._origin, made._view = weakref.ref(self), view
        known = self.attributes
        made.attributes = known.reversed() if known is not None and view == "reverse" else known
        return made

    def _made_on_host(self, view: View) -> Graph:
        if view == "reverse":
            return Graph._from_arrays(views.reversed_arcs(self._arrays))
        if view == "without_self_loops":
            return Graph._from_arrays(views.some_arcs(self._arrays, self.tails != self.col_idx))
        kept = self.multiplicity is None and self.num_duplicates > 0
        return Graph._from_arrays(views.without_directions(self._arrays, keep_copies=kept))

    def edge_subgraph(self, arcs: npt.NDArray[np.bool_]) -> Graph:
        """Return a graph with the same vertices and some of the arcs.

        Parameters
        ----------
        arcs : bool array, shape (arcs,)
            Which arcs stay; of an undirected edge both or none.

        Raises
        ------
        InputError
            If the mask is not like that.
        """
        keep = checked_mask(arcs, self.num_arcs, "arcs", "arcs")
        return self._part(Graph._from_arrays(_mirrored(views.some_arcs(self._arrays, keep))))

    def _part(self, made: Graph) -> Graph:
        """Give a part of the graph the attributes of the whole."""
        made.attributes = self.attributes
        return made

    def with_ids(self, ids: npt.NDArray[Any] | None) -> Graph:
        """Return the same graph, sharing its arrays, with other ids in index order (None: 0 .. n-1).

        Raises
        ------
        InputError
            If there is not one id for each vertex, or two are alike, or one is no id; it is named.
        """
        made = Graph._from_arrays(
            replace(self._arrays, ids=None if ids is None else checked_ids(ids, self.num_vertices))
        )
        if self.attributes is not None:
            old, new = self.to_edges(), made.to_edges()
            names = dict(zip(self.ids.tolist(), made.ids.tolist(), strict=True))
            before, after = ((each.source.tolist(), each.target.tolist()) for each in (old, new))
            made.attributes = self.attributes.renamed(names, before, after, self.directed)
        return made

    def subgraph(self, vertices: npt.NDArray[Any], arcs: npt.NDArray[np.bool_] | None = None) -> Graph:
        """Return the subgraph on some vertices, with all arcs between them or those in a mask.

        Parameters
        ----------
        vertices : bool array, shape (n,), or an integer array of indices
            Which vertices stay; indices are vertex numbers, not ids, in any order.
        arcs : bool array, shape (arcs,), optional
            Which arcs may stay (both arcs of an undirected edge).

        Raises
        ------
        InputError
            If an index is not a vertex's, or a mask has another length; the first wrong one is named.
        """
        n = self.num_vertices
        try:
            mask = np.asarray(vertices)
        except ValueError as error:  # lists of different lengths
            raise InputError(
                f"vertices is {shown(vertices)}: a mask or an array of indices is needed"
            ) from error
        if mask.dtype != bool:
            chosen, mask = integers(vertices, "vertices"), np.zeros(n, dtype=bool)
            check_range(chosen, n, "vertices")
            mask[chosen] = True
        mask = checked_mask(mask, n, "vertices", "vertices")
        if arcs is None:  # a mask of arcs is on the host, where the rest then is done as well
            for residence in self._residences():
                if (made := residence.some(self, mask)) is not None:
                    return self._part(made)
        keep = np.repeat(mask, np.diff(self.row_ptr)) & mask[self.col_idx]
        if arcs is None:
            return self._part(Graph._from_arrays(views.some_vertices(self._arrays, mask, keep)))
        keep &= checked_mask(arcs, self.num_arcs, "arcs", "arcs")
        return self._part(Graph._from_arrays(_mirrored(views.some_vertices(self._arrays, mask, keep))))

    def largest_component(self) -> Graph:
        """Return the largest weakly connected component as a graph of its own.

        A tie goes to the component that holds the smallest vertex index. Computed on the host
        (SciPy); `clgraph.largest_component` does it on a device.
        """
        return self.subgraph(largest_component_mask(self._arrays))

    def to_edges(self) -> Edges:
        """Return each edge once, as arrays in index order (the smaller index first if undirected).

        Returns
        -------
        Edges
            Named tuple of `source` and `target` (ids), `weights` and `multiplicity` (or None).

        Examples
        --------
        >>> Graph.from_edges([10, 20, 30], [20, 30, 10]).to_edges()[:2]
        (array([10, 10, 20]), array([20, 30, 30]))
        """
        tail, head, weights, multiplicity = self.edge_indices()
        if self._ids is None:
            return Edges(tail.astype(np.int64), head.astype(np.int64), weights, multiplicity)
        return Edges(self._ids[tail], self._ids[head], weights, multiplicity)

    def edge_indices(self) -> Edges:
        """Like `to_edges`, with vertex indices (int32) in place of ids."""
        return self._arrays.edges()

    def __getstate__(self) -> dict[str, Any]:
        # the host's form, as another process has other devices; views are built again where they are needed
        return {name: getattr(self, name) for name in (*NAMES, "directed", "attributes")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        self.attributes = state.pop("attributes", None)
        self._take(Arrays(**{name.lstrip("_"): value for name, value in state.items()}))

    # --- made from edges -------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        multiplicity: npt.ArrayLike | None = None,
        directed: bool = False,
        duplicates: Duplicates = "merge",
        vertices: npt.ArrayLike | None = None,
    ) -> Graph:
        """Build a graph from two arrays of vertex ids.

        Parameters
        ----------
        source, target : array_like, shape (rows,)
            Ids of the ends: non-negative integers, or strings. Gaps are welcome.
        weights : array_like of float, shape (rows,), optional
            Finite numbers.
        multiplicity : array_like of int, shape (rows,), optional
            How many parallel edges each row stands for.
        directed : bool
            Whether the rows are arcs, from source to target. Default: edges, as in NetworkX.
        duplicates : {"merge", "keep"}
            Parallel edges become one (weights summed, the count in `multiplicity`), or stay copies.
        vertices : array_like, optional
            Ids that are in the graph even where no edge touches them.

        Examples
        --------
        >>> Graph.from_edges([10, 20, 30], [20, 30, 10])
        <Graph: undirected, 3 vertices, 3 edges>
        """
        rows = rows_of_edges(source, target, weights, multiplicity, directed, duplicates, vertices)
        return cls._from_arrays(rows)


def _mirrored(arrays: Arrays) -> Arrays:
    """The arrays themselves, checked to be symmetric if they have to be."""
    if not arrays.directed:
        check_mirrored(arrays)
    return arrays


def _graph_of(make: Callable[P, Arrays]) -> Callable[P, Graph]:
    """The function that makes a Graph where another one makes its arrays."""

    def build(*args: P.args, **options: P.kwargs) -> Graph:
        return Graph._from_arrays(make(*args, **options))

    return build


#: the Graph of edges given by vertex index: see `clgraph.graph.building.sorted_rows`
build_csr = _graph_of(sorted_rows)


# --- Graphs of other libraries, where a Graph is expected ---

# by the first part of the name of the class's module: the library itself need not be imported
_CONVERTERS: dict[str, Callable[[Any], Graph]] = {
    "networkx": lambda graph: Graph.from_networkx(graph),
    "igraph": lambda graph: Graph.from_igraph(graph),
    "pandas": lambda table: Graph.from_pandas(table),
    "pyarrow": lambda table: Graph.from_arrow(table),
}


def as_graph(graph: Any) -> Graph:
    """Return a Graph as it is; convert a graph of another library.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow table
        A SciPy array has a symmetric pattern and is an undirected graph without weights. A table has a row
        for each edge, in columns ``source`` and ``target``, and is undirected. `Graph.from_scipy`,
        `from_networkx`, `from_igraph`, `from_pandas`, `from_arrow` take over the same in other ways.

    Raises
    ------
    InputError
        If it is none of these, or cannot be taken over, as a SciPy array that is not symmetric: whether it
        is directed can be said to `Graph.from_scipy` only.
    """
    if isinstance(graph, Graph):
        return graph
    if why := getattr(type(graph), "no_graph", None):  # a dataset: of a class that this floor does not know
        raise InputError(why)
    if hasattr(graph, "tocsr"):
        from clgraph.graph.exchange.scipy import from_symmetric

        return Graph._from_arrays(from_symmetric(graph))
    for kind in type(graph).__mro__:
        convert = _CONVERTERS.get(kind.__module__.partition(".")[0])
        if convert is not None:
            return convert(graph)
    kind = type(graph)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    # a sample, or a graph with its communities: of classes that this floor does not know
    has_one = name.startswith("clgraph.") and "graph" in dir(graph)
    raise InputError(
        "a Graph is needed, or a SciPy sparse array, a NetworkX or igraph graph, or an edge table of pandas "
        f"or Arrow, not {name}" + (": pass its graph, as sample.graph" if has_one else "")
    )
