"""NetworkX graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain, repeat
from operator import contains, methodcaller
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import LOW_HALF, Duplicates, check_count, pack, row_ptr_of
from clgraph.graph.exchange.common import library

# --- nodes and adjacencies as arrays: for `Graph.from_networkx` and the NetworkX backend ---


each_value: Callable[[Any], Any] = methodcaller("values")
# integer nodes are looked up in a table of at most this many entries per node, else by bisection
TABLE_SPAN = 16


class Nodes:
    """The nodes of a NetworkX graph, numbered in its order.

    Parameters
    ----------
    graph : networkx.Graph

    Attributes
    ----------
    objects : list
        The nodes themselves: whatever can be hashed.
    integers : int64 array or None
        The nodes in an array, if they are Python integers that fit 64 bits.
    counted : bool
        Whether they are just 0, 1, 2 and so on, in this order.
    """

    def __init__(self, graph: Any) -> None:
        self.objects: list[Any] = list(graph)
        check_count(len(self.objects))
        n = len(self.objects)
        self.integers: npt.NDArray[np.int64] | None = None
        # exactly int: True would be taken for 1
        if set(map(type, self.objects)) == {int}:
            with suppress(OverflowError):
                self.integers = np.fromiter(self.objects, np.int64, n)
        self.counted = self.integers is not None and np.array_equal(self.integers, np.arange(n))

    def __len__(self) -> int:
        return len(self.objects)

    @cached_property
    def index(self) -> dict[Any, int]:
        """Number of each node."""
        return {node: number for number, node in enumerate(self.objects)}

    @cached_property
    def every(self) -> frozenset[Any]:
        """The nodes as a set."""
        return frozenset(self.objects)

    @cached_property
    def ids(self) -> npt.NDArray[Any] | None:
        """The nodes as ids of a Graph; None if they are 0, 1, 2 and so on, or cannot be ids."""
        if self.counted:
            return None
        if self.integers is not None and self.integers.min() >= 0:
            return self.integers
        return np.array(self.objects, dtype=object) if set(map(type, self.objects)) == {str} else None

    def find(self, node: Any) -> int | None:
        """The number of a node; None if it is not in the graph. An unhashable node is a TypeError."""
        if self.counted and type(node) is int:
            return node if 0 <= node < len(self.objects) else None
        return self.index.get(node)

    def numbers(self, nodes: Iterable[Any], count: int = -1) -> npt.NDArray[np.int32]:
        """Numbers of nodes of this graph; KeyError for one that is not in it."""
        if self.integers is None:
            return np.fromiter(map(self.index.__getitem__, nodes), np.int32, count)
        wanted: npt.NDArray[Any]
        found: npt.NDArray[Any]
        try:
            wanted = np.fromiter(nodes, np.int32 if self.counted else np.int64, count)
        except (TypeError, ValueError, OverflowError) as error:
            raise KeyError("a node that is not a 64-bit integer") from error
        least, table = self._table
        if table is not None:
            found = wanted - least if least else wanted
            strange = (found < 0) | (found >= len(table))
            if not self.counted and not strange.any():
                found = table[found]
                strange = found < 0
        else:
            ascending, order = self._sorted
            place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
            found, strange = order[place], ascending[place] != wanted
        if strange.any():
            raise KeyError(int(wanted[np.argmax(strange)]))
        return found

    def names(self, numbers: npt.NDArray[Any]) -> list[Any]:
        """The nodes with these numbers."""
        return numbers.tolist() if self.counted else list(map(self.objects.__getitem__, numbers.tolist()))

    @cached_property
    def _table(self) -> tuple[int, npt.NDArray[np.int32] | None]:
        """The least of `integers`, and a table of numbers from there on; no table if they are far apart."""
        integers = cast("npt.NDArray[np.int64]", self.integers)
        least, highest, n = int(integers.min()), int(integers.max()), len(integers)
        if highest - least > TABLE_SPAN * n + 1024:
            return least, None
        table = np.full(highest - least + 1, -1, np.int32)
        table[integers - least] = np.arange(n, dtype=np.int32)
        return least, table

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """`integers` ascending, and their numbers."""
        integers = cast("npt.NDArray[np.int64]", self.integers)
        order = np.argsort(integers).astype(np.int32)
        return integers[order], order


class Adjacency:
    """One adjacency of a NetworkX graph (``_adj``, ``_succ``, ``_pred``), its rows in the order of the nodes.

    Parameters
    ----------
    nodes : Nodes
    rows : mapping of node to mapping of neighbour to data
    multigraph : bool
        Whether data is a mapping of key to data.
    """

    def __init__(self, nodes: Nodes, rows: Mapping[Any, Any], multigraph: bool) -> None:
        self.nodes = nodes
        self.multigraph = multigraph
        # always the same order, except in graphs that were put together by hand
        in_order = list(rows) == nodes.objects
        self.rows: list[Any] = list(rows.values()) if in_order else [rows[node] for node in nodes.objects]
        self.row_ptr = row_ptr_of(self.lengths())

    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of neighbours of each node."""
        return np.fromiter(map(len, self.rows), np.int64, len(self.rows))

    @property
    def num_arcs(self) -> int:
        """Number of pairs of neighbours."""
        return int(self.row_ptr[-1])

    @cached_property
    def heads(self) -> npt.NDArray[np.int32]:
        """Numbers of the neighbours, row by row, in the order in which NetworkX iterates."""
        return self.nodes.numbers(chain.from_iterable(self.rows), self.num_arcs)

    def data(self) -> Iterator[Any]:
        """The data of each arc: a dict, or for a multigraph a mapping of key to dict."""
        return chain.from_iterable(map(each_value, self.rows))

    def attributes(self) -> Iterator[Any]:
        """The dict of each arc; for a multigraph of each parallel edge."""
        return chain.from_iterable(map(each_value, self.data())) if self.multigraph else self.data()

    def counts(self) -> npt.NDArray[np.int32]:
        """Number of parallel edges that each arc of a multigraph stands for."""
        return np.fromiter(map(len, self.data()), np.int32, self.num_arcs)

    def weights(self, name: Any) -> npt.NDArray[np.float64] | None:
        """An edge attribute of each arc, of each parallel edge separately; None if no edge has it.

        It is 1 where it is missing, as in NetworkX.

        Raises
        ------
        InputError
            If a value is not a number: the edge is named.
        """
        if not any(map(contains, self.attributes(), repeat(name))):
            return None
        try:
            # a list first: np.fromiter takes half as long again with a generator
            return np.fromiter([data.get(name, 1) for data in self.attributes()], np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.no_number(name) from error

    def summed(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The sum over each arc's parallel edges, from a value of each of them."""
        if not self.multigraph:
            return values
        arc = np.repeat(np.arange(self.num_arcs), self.counts())
        found: npt.NDArray[Any] = np.bincount(arc, weights=values, minlength=self.num_arcs)
        return found

    def no_number(self, name: Any) -> InputError:
        """The error for the first edge whose attribute is no finite number."""
        for node, row in zip(self.nodes.objects, self.rows, strict=True):
            for neighbour, data in row.items():
                for value in [d.get(name, 1) for d in (data.values() if self.multigraph else [data])]:
                    number = np.array(np.nan)
                    with suppress(TypeError, ValueError, OverflowError):
                        number = np.fromiter([value], np.float64, 1)
                    if not np.isfinite(number):
                        return InputError(
                            f"the edge ({shown(node)}, {shown(neighbour)}) has {name} {shown(value)}: a "
                            "finite number is needed (weight=None, in Graph.from_networkx weight=False, "
                            "leaves weights out)"
                        )
        return InputError(f"values of {name} of parallel edges add up to more than a float64 holds")


def _check_networkx(graph: Any) -> Any:
    nx = library("networkx", "networkx")
    if not isinstance(graph, nx.Graph):
        raise InputError(f"a networkx.Graph is needed, not {type(graph).__name__}")
    return nx


def from_networkx(graph: Any, *, weight: Any, duplicates: Duplicates) -> Arrays:
    """See `clgraph.Graph.from_networkx`."""
    _check_networkx(graph)
    word(duplicates, "duplicates", get_args(Duplicates))
    nodes = Nodes(graph)
    adjacency = Adjacency(nodes, graph._adj, graph.is_multigraph())
    weights = _weights(adjacency, weight)
    counts = adjacency.counts() if adjacency.multigraph else None
    key = pack(np.repeat(np.arange(len(nodes), dtype=np.int32), np.diff(adjacency.row_ptr)), adjacency.heads)
    row_ptr = adjacency.row_ptr
    if counts is not None and duplicates == "keep" and counts.max(initial=1) > 1:
        key = np.repeat(key, counts)
        row_ptr = row_ptr_of(np.bincount(key >> 32, minlength=len(nodes)))
        counts = None
    elif weights is not None:
        weights = adjacency.summed(weights)
    if weights is None and counts is None:
        # with nothing to carry along, sorting keys is ten times as fast as an argsort
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key = key[order]
        if weights is not None and not np.all(np.isfinite(weights)):
            raise adjacency.no_number("weight" if weight is True else weight)
        weights = None if weights is None else weights[order]
        counts = None if counts is None or counts.max(initial=1) == 1 else counts[order]
    return Arrays(
        row_ptr,
        (key & LOW_HALF).astype(np.int32),
        weights=weights,
        multiplicity=counts,
        ids=nodes.ids,
        directed=graph.is_directed(),
    )


def _weights(adjacency: Adjacency, weight: Any) -> npt.NDArray[np.float64] | None:
    if weight is False or weight is None:
        return None
    try:
        hash(weight)
    except TypeError as error:
        raise InputError(f"weight is {shown(weight)}: an edge attribute's name, True or False") from error
    weights = adjacency.weights("weight" if weight is True else weight)
    if weights is None and weight is not True and adjacency.num_arcs:
        raise InputError(f"no edge of the NetworkX graph has the attribute {shown(weight)}")
    return weights


def to_networkx(graph: Arrays, attributes: Any, known: Attributes | None) -> Any:
    """See `clgraph.Graph.to_networkx`."""
    nx = library("networkx", "networkx")
    if attributes is not None:
        _check_networkx(attributes)
    tail, head, weights, multiplicity = graph.edges()
    first = np.ones(len(tail), bool)  # the first of parallel copies, which are adjacent
    first[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
    keyed = attributes is not None and attributes.is_multigraph()
    made = {
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
    }[graph.directed, keyed or not first.all()]()
    if keyed:  # the first of several copies brings the attributes of all
        tail, head = tail[first], head[first]
    ids = graph.all_ids()
    names = ids.tolist() if attributes is None else _names(graph, attributes)
    nodes: dict[str, list[Any]] = {}
    edges: dict[str, list[Any]] = {}
    if attributes is None:
        numbers = ("weight", weights), ("multiplicity", multiplicity)
        edges = {name: values.tolist() for name, values in numbers if values is not None}
    if known is not None:
        nodes = known.vertex_values(ids.tolist())
        edges |= known.edge_values(ids[tail], ids[head], graph.directed, edges)
    made.add_nodes_from(zip(names, _rows(nodes), strict=True) if nodes else names)
    ends = [map(names.__getitem__, end.tolist()) for end in (tail, head)]
    if attributes is None:
        made.add_edges_from(zip(*ends, _rows(edges), strict=True) if edges else zip(*ends, strict=True))
        return made
    made.graph.update(attributes.graph)
    made.add_nodes_from((name, attributes.nodes[name]) for name in names)
    own = _rows(edges) if edges else repeat({}, len(tail))
    made.add_edges_from(
        (u, v, *((key, mine | data) if keyed else (mine | data,)))
        for u, v, mine in zip(*ends, own, strict=True)
        for key, data in (_data(attributes, u, v).items() if keyed else ((0, _data(attributes, u, v)),))
    )
    return made


def _rows(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the attributes of each node or edge as a dict."""
    for row in zip(*columns.values(), strict=True):
        yield {name: value for name, value in zip(columns, row, strict=True) if value is not None}


def _data(attributes: Any, u: Any, v: Any) -> Any:
    """Data of an edge in either direction; empty for an edge that is not there (contracted, say)."""
    found = attributes.get_edge_data(u, v)
    found = attributes.get_edge_data(v, u) if found is None else found
    if found is None:
        return {0: {}} if attributes.is_multigraph() else {}
    return found


def _names(graph: Arrays, attributes: Any) -> list[Any]:
    """Our vertices as nodes of the NetworkX graph whose attributes they take over."""
    nodes = Nodes(attributes)
    ids = graph.all_ids().tolist()
    if nodes.ids is None:  # our ids are the positions of its nodes
        wrong = next((i for i in ids if not isinstance(i, int) or i >= len(nodes)), None)
    else:
        wrong = next((i for i in ids if i not in nodes.index), None)
    if wrong is not None:
        raise InputError(
            f"attributes: vertex {shown(wrong)} is not in that NetworkX graph ({len(nodes)} nodes)"
        )
    return [nodes.objects[i] for i in ids] if nodes.ids is None else ids
