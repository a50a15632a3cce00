"""A NetworkX graph as the backend holds it, and conversion to and from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import pack, stable_argsort
from clgraph.graph.exchange.networkx import Adjacency, Nodes

# a class that overrides one of these has other neighbours than its adjacency says (as NetworkX's own
# complement graph has)
READ_AS_THEY_ARE = ("__iter__", "__getitem__", "__len__", "neighbors", "adj")
PLAIN = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
# most of a graph is read when it is first needed
CHANGED = (
    "the NetworkX graph was changed after it was converted: a ConvertedGraph is valid as long as its graph "
    "is unchanged; change it by its methods, which clear NetworkX's cache, or clear that yourself "
    "(G.__networkx_cache__.clear())"
)


@dataclass(eq=False, repr=False)
class ConvertedGraph:
    """A NetworkX graph in arrays; NetworkX keeps it in the graph's cache.

    Attributes
    ----------
    nodes : Nodes
        The nodes; vertex i of `rows` is node i.
    adjacency : Adjacency
        NetworkX's own rows; until `rows` is used, only their lengths are read.
    predecessors : mapping or None
        ``_pred`` of a directed graph.
    links : Graph or None
        Fewer arcs than `rows` that connect the same vertices (ignoring directions), if they were found.
    graph : dict
        The graph's own attributes.
    original : networkx.Graph or None
        All of the graph with its attributes, where they were to be kept: NetworkX's own dicts, not copied.
    """

    __networkx_backend__: ClassVar = "clgraph"

    adjacency: Adjacency
    _weights: dict[Any, npt.NDArray[np.float64]]
    graph: dict[Any, Any]
    predecessors: Mapping[Any, Any] | None
    original: Any
    links: Graph | None = None
    _weighted: dict[Any, Graph] = field(default_factory=dict)
    _lengths: dict[Any, tuple[Graph, npt.NDArray[np.bool_] | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = self.adjacency.nodes

    # --- what NetworkX's dispatcher and its decorators ask ----------------------------------------------

    def is_directed(self) -> bool:
        """True if the graph is directed."""
        return self.predecessors is not None

    def is_multigraph(self) -> bool:
        """True if there may be parallel edges."""
        return self.adjacency.multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes.objects)

    def __contains__(self, node: Any) -> bool:
        try:
            return self.nodes.find(node) is not None
        except TypeError:
            return False

    def by_node(self, values: npt.NDArray[Any]) -> dict[Any, Any]:
        """Return the vertices' values as a dict of nodes."""
        return dict(zip(self.nodes.objects, values.tolist(), strict=True))

    # --- what the algorithms ask -----------------------------------------------------------------------

    @property
    def num_arcs(self) -> int:
        """Number of pairs of neighbours."""
        return self.adjacency.num_arcs

    @property
    def is_read(self) -> bool:
        """True if `rows` have been read."""
        return "rows" in self.__dict__

    @cached_property
    def rows(self) -> Graph:
        """The arcs, each row in the order in which NetworkX iterates over it.

        They do not ascend; kernels for traversal, components and ranks do not need that. Of a multigraph,
        `multiplicity` counts parallel edges.
        """
        adjacency = self.adjacency
        heads = self.read(adjacency.rows, np.diff(adjacency.row_ptr))
        counts = adjacency.counts() if adjacency.multigraph else None
        return Graph._from_arrays(
            Arrays(
                adjacency.row_ptr,
                heads,
                directed=self.is_directed(),
                multiplicity=None if counts is None or counts.max(initial=1) == 1 else counts,
            )
        )

    def read(self, rows: list[Any], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Numbers of the neighbours in some of NetworkX's rows, which have these lengths."""
        try:
            if not np.array_equal(np.fromiter(map(len, rows), np.int64, len(rows)), lengths):
                raise InputError(CHANGED)
            return self.nodes.numbers(chain.from_iterable(rows), int(lengths.sum()))
        except KeyError as error:  # a node that was not there
            raise InputError(CHANGED) from error

    def weighted(self, name: Any) -> Graph:
        """`rows` with an edge attribute as weights; without it where every edge has 1."""
        if self.original is not None and name not in self._weights:  # converted with all, read when asked for
            self._weights |= _weights_of(self.adjacency, {name: 1})
        if name is None or name not in self._weights:
            return self.rows
        if name not in self._weighted:
            rows = self.rows
            self._weighted[name] = Graph._from_arrays(
                Arrays(rows.row_ptr, rows.col_idx, weights=self._weights[name], directed=rows.directed)
            )
        return self._weighted[name]

    def lengths(self, name: Any, *, reverse: bool = False) -> tuple[Graph, npt.NDArray[np.bool_] | None]:
        """`rows`, or `arriving`, with an edge attribute as lengths of paths, 1 where it is missing.

        Of parallel edges the least counts. Beside them, which lengths are floats in Python; None: none is.

        Raises
        ------
        NotImplementedError
            If a length is negative, or no number whose sums are those of float64.
        """
        back = self.predecessors if reverse else None
        if name is None:
            return (self.rows if back is None else self.arriving), None
        key = name, back is not None
        if key not in self._lengths:
            rows, adjacency = self.rows, self.adjacency
            if back is not None:
                rows, adjacency = self.arriving, Adjacency(self.nodes, back, adjacency.multigraph)
            self._lengths[key] = _lengths_of(rows, adjacency, name)
        return self._lengths[key]

    @cached_property
    def reversed(self) -> Graph:
        """The arcs reversed, for kernels."""
        reverse = self.rows.reverse
        reverse.__dict__["reverse"] = self.rows
        return reverse

    @cached_property
    def arriving(self) -> Graph:
        """The arcs reversed, each row in the order in which NetworkX iterates over predecessors."""
        if self.predecessors is None:
            return self.rows
        try:
            adjacency = Adjacency(self.nodes, self.predecessors, self.adjacency.multigraph)
            rows = Graph._from_arrays(Arrays(adjacency.row_ptr, adjacency.heads, directed=True))
            unchanged = np.array_equal(_arcs(rows), _arcs(self.reversed))
        except KeyError:  # a node that was not there, or is gone
            unchanged = False
        if not unchanged:
            raise InputError(CHANGED)
        return rows

    @cached_property
    def ascending(self) -> Graph:
        """`rows` with every row in ascending order, as clgraph's other methods need them."""
        # two stable sorts of 32-bit keys: heads within a row, then rows
        rows = self.rows
        by_head = stable_argsort(rows.col_idx)
        order = by_head[stable_argsort(rows.tails[by_head])]
        return Graph._from_arrays(Arrays(rows.row_ptr, rows.col_idx[order], directed=rows.directed))

    @cached_property
    def completion(self) -> npt.NDArray[np.int64]:
        """The order in which NetworkX's depth-first search leaves the vertices, shape (n,).

        NetworkX yields strong components in the order in which such a search completes them. It is
        inherently serial, so it is done here once per graph, without NetworkX's bookkeeping.
        """
        rows = self.rows
        heads, ends = rows.col_idx.tolist(), rows.row_ptr[1:].tolist()
        # numbers, not iterators, which Python's garbage collector would traverse
        at = rows.row_ptr[:-1].tolist()
        n = len(self)
        seen = bytearray(n)
        left: list[int] = []
        for v in range(n):
            if seen[v]:
                continue
            seen[v] = 1
            path = [v]
            while True:
                arc, end = at[v], ends[v]
                while arc < end:
                    head = heads[arc]
                    arc += 1
                    if not seen[head]:
                        seen[head] = 1
                        at[v] = arc
                        path.append(head)
                        v = head
                        break
                else:
                    left.append(path.pop())
                    if not path:
                        break
                    v = path[-1]
        place = np.empty(n, np.int64)
        place[np.array(left, dtype=np.int64)] = np.arange(n)
        return place


def _arcs(graph: Graph) -> npt.NDArray[np.int64]:
    key = pack(graph.tails, graph.col_idx)
    key.sort()
    return key


def unreadable(graph: Any) -> str | None:
    """Reason why a graph cannot be converted, or None."""
    if isinstance(graph, ConvertedGraph):
        return None
    if not isinstance(graph, nx.Graph):
        return f"it is a {type(graph).__name__}, not a NetworkX graph"
    for name in READ_AS_THEY_ARE:
        if not any(getattr(type(graph), name) is getattr(plain, name) for plain in PLAIN):
            return f"its class {type(graph).__name__} overrides {name}"
    return None


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[Any, Any] | None = None,
    node_attrs: dict[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> ConvertedGraph:
    """Convert a NetworkX graph (NetworkX's dispatcher calls this, and caches the result).

    Parameters
    ----------
    graph : networkx.Graph
    edge_attrs : dict, optional
        Edge attributes that are wanted as weights, with their default (only 1 is supported).
    preserve_edge_attrs, preserve_node_attrs, preserve_graph_attrs : bool
        Whether all attributes of edges and nodes, and the graph's own, are kept.

    Returns
    -------
    ConvertedGraph

    Raises
    ------
    NotImplementedError
        If the graph cannot be converted: NetworkX goes on to the next backend, or tells its user.
    """
    if isinstance(graph, ConvertedGraph):
        return graph
    if reason := unreadable(graph):
        raise NotImplementedError(f"clgraph cannot convert this graph: {reason}")
    if node_attrs:
        raise NotImplementedError("clgraph converts edge weights only, no attributes of nodes")
    if getattr(graph, "_graph", None) is not None:
        # a view has its own cache, which is not cleared when the underlying graph changes
        graph.__networkx_cache__ = None
    adjacency = Adjacency(Nodes(graph), graph._adj, graph.is_multigraph())
    keeps = preserve_edge_attrs or preserve_node_attrs
    return ConvertedGraph(
        adjacency,
        _weights_of(adjacency, edge_attrs or {}),
        dict(graph.graph) if preserve_graph_attrs else {},
        graph._pred if graph.is_directed() else None,
        _whole(graph) if keeps else None,
    )


def _weights_of(adjacency: Adjacency, attributes: dict[Any, Any]) -> dict[Any, npt.NDArray[np.float64]]:
    """Edge attributes as weights; those that are 1 everywhere are left out."""
    weights = {}
    for attribute, default in attributes.items():
        if default != 1:
            raise NotImplementedError(f"clgraph takes {attribute!r} as 1 where it is missing, not {default}")
        try:
            values = adjacency.weights(attribute)
        except InputError as error:
            raise NotImplementedError(f"clgraph cannot convert this graph: {error}") from error
        if adjacency.multigraph:  # the weights of parallel edges add up, 1 where missing
            weights[attribute] = (
                adjacency.counts().astype(np.float64) if values is None else adjacency.summed(values)
            )
        elif values is not None and np.any(values != 1):
            weights[attribute] = values
    return weights


def _lengths_of(rows: Graph, adjacency: Adjacency, name: Any) -> tuple[Graph, npt.NDArray[np.bool_] | None]:
    """See `ConvertedGraph.lengths`."""
    other = NotImplementedError(
        f"clgraph takes integers and floats from 0 on as lengths of paths, and sums of integers below 2^53: "
        f"values of {name!r} are others"
    )
    try:
        if adjacency.multigraph:
            given = [min([each.get(name, 1) for each in data.values()]) for data in adjacency.data()]
        else:
            given = [data.get(name, 1) for data in adjacency.data()]
        values = np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise other from error
    if len(given) != rows.num_arcs:
        raise InputError(CHANGED)
    kinds = set(map(type, given))
    floats = np.fromiter((type(each) is float for each in given), bool) if float in kinds else None
    whole = values if floats is None else values[~floats]
    # beyond 2^53 float64 rounds what Python does not
    if not kinds <= {int, float} or rows.num_vertices * whole.max(initial=0) >= 2**53:
        raise other
    if not (np.all(values >= 0) and np.all(values < np.inf)):
        raise other
    if np.all(values == 1):
        return rows, floats
    made = Arrays(rows.row_ptr, rows.col_idx, weights=values, directed=rows.directed)
    return Graph._from_arrays(made), floats


def _whole(graph: Any) -> Any:
    """Another NetworkX graph around the dicts of this one, whose cache has the converted graph."""
    made = graph.__class__()
    made.graph, made._node, made._adj = graph.graph, graph._node, graph._adj
    if graph.is_directed():
        made._pred = graph._pred
    return made


def convert_to_nx(obj: Any, *, name: str | None = None) -> Any:
    """A NetworkX graph of a converted one, without attributes of nodes and edges; anything else unchanged."""
    if not isinstance(obj, ConvertedGraph):
        return obj
    made = PLAIN[obj.is_directed() + 2 * obj.is_multigraph()]()
    made.graph.update(obj.graph)
    made.add_nodes_from(obj.nodes.objects)
    tail, head, _, counts = obj.rows.edge_indices()
    if counts is not None:
        tail, head = np.repeat(tail, counts), np.repeat(head, counts)
    made.add_edges_from(zip(obj.nodes.names(tail), obj.nodes.names(head), strict=True))
    return made
