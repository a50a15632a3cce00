"""Nodes and adjacencies of NetworkX graphs as arrays: for `Graph.from_networkx` and the NetworkX backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain, repeat
from operator import contains, methodcaller
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph.building import check_count, row_ptr_of

each_value: Callable[[Any], Any] = methodcaller("values")
TABLE_SPAN = 16  # integer nodes are looked up in a table of at most so many entries per node


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
        """How many neighbours each node has."""
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
        """How many parallel edges each arc of a multigraph stands for."""
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
            raise self._no_number(name) from error

    def summed(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The sum over each arc's parallel edges, from a value of each of them."""
        if not self.multigraph:
            return values
        arc = np.repeat(np.arange(self.num_arcs), self.counts())
        found: npt.NDArray[Any] = np.bincount(arc, weights=values, minlength=self.num_arcs)
        return found

    def _no_number(self, name: Any) -> InputError:
        for node, row in zip(self.nodes.objects, self.rows, strict=True):
            for neighbour, data in row.items():
                for value in [d.get(name, 1) for d in (data.values() if self.multigraph else [data])]:
                    try:
                        np.fromiter([value], np.float64, 1)
                    except (TypeError, ValueError, OverflowError):
                        return InputError(
                            f"the edge ({shown(node)}, {shown(neighbour)}) has {name} {shown(value)}: a real "
                            "number is needed (weight=None, in Graph.from_networkx weight=False, leaves "
                            "weights out)"
                        )
        raise AssertionError(f"the values of {name!r} changed while they were read")
