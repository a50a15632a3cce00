"""Reduction sampling, slow and obviously right: one deletion and one largest component at a time.

After Krishnamurthy, Faloutsos et al., Computer Networks 51(15), 2007; the batched schedule after Tariq 2018.
Driven by the same keyed numbers (`clgraph.keyed`) as the devices, whose samples must equal these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

from clgraph import keyed
from clgraph.arguments import real, target_size, word
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.reference.checks import check_result
from clgraph.reference.components import reference_components

if TYPE_CHECKING:
    from clgraph.sampling.result import Sample

METHODS = ("drv", "dre", "drve", "dhyb")
Ends = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ReferenceSample:
    """What the references of all samplers return; the fields mean what they mean in `clgraph.Sample`.

    Attributes
    ----------
    vertices : array, shape (k,)
        Ids, in index order.
    edges : int64 array
        Ranks.
    target : int
    order : int64 array, shape (k,), or None
        Rank of arrival.
    iterations : int
        Of deletions and contractions.
    group : int32 array, shape (n,), or None
        Of contractions.
    start : id or None
        Of explorations.
    more : dict
        What else a method has to say, by the name that it has in `clgraph.Sample`.
    """

    vertices: npt.NDArray[Any]
    edges: npt.NDArray[np.int64]
    target: int
    order: npt.NDArray[np.int64] | None = None
    iterations: int = 0
    group: Any = None
    start: Any = None
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EdgeList:
    """The edges u <= v of a graph's undirected view in index order, loops left out of the arrays.

    `rank` is an edge's place in the list with the loops; `copy` its rank among parallel edges.
    """

    low: npt.NDArray[np.int32]
    high: npt.NDArray[np.int32]
    copy: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]

    @classmethod
    def of(cls, graph: Graph) -> EdgeList:
        """The list of a graph."""
        view = graph.undirected
        tail, head = view.tails, view.col_idx
        upper = tail <= head
        rank = np.cumsum(upper) - 1
        proper = tail < head
        low, high = tail[proper], head[proper]
        place = np.arange(len(low))
        first = np.ones(len(low), dtype=bool)
        first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        copy = place - np.maximum.accumulate(np.where(first, place, 0))
        return cls(low, high, copy, rank[proper])

    def directions(self, graph: Graph) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Whether an edge represents an arc low -> high, and whether for one high -> low (directed graph).

        Where parallel arcs were kept, an edge represents one arc: the copies low -> high come first.
        """
        width = np.int64(graph.num_vertices)
        arcs = np.sort(graph.tails * width + graph.col_idx)
        up, down = (
            np.searchsorted(arcs, pair, side="right") - np.searchsorted(arcs, pair)
            for pair in (self.low * width + self.high, self.high * width + self.low)
        )
        if graph.multiplicity is None and graph.num_duplicates > 0:
            return self.copy < up, self.copy >= up
        return up > 0, down > 0


class _Shrinking:
    """The current G: live vertices and live edges, always the largest component of what was left."""

    def __init__(self, graph: Graph, method: str, seed: int, weight: Fraction, strong: bool) -> None:
        self.n, self.seed = graph.num_vertices, seed
        self.edges = EdgeList.of(graph)
        self.directions = self.edges.directions(graph) if strong else None
        self.weight = Fraction(1) if method == "drve" else weight
        self.vertex_priority = keyed.vertex_priority(seed, np.arange(self.n)) if method == "drv" else None
        self.edge_priority = (
            keyed.edge_priority(seed, self.edges.low, self.edges.high, self.edges.copy)
            if method == "dre"
            else None
        )
        # both ends of every edge in the order of its rows: a vertex's slots, ascending, copies by rank
        place = np.arange(len(self.edges.low))
        tail = np.concatenate((self.edges.low, self.edges.high))
        head = np.concatenate((self.edges.high, self.edges.low))
        edge = np.concatenate((place, place))
        order = np.lexsort((edge, head, tail))
        self.slot_edge = edge[order]
        self.slot_ptr = np.searchsorted(tail[order], np.arange(self.n + 1))
        self.vertices = np.ones(self.n, dtype=bool)
        self.live = np.ones(len(place), dtype=bool)
        self.keep_largest_component()

    def save(self) -> tuple[Any, Any]:
        return self.vertices.copy(), self.live.copy()

    def restore(self, saved: tuple[Any, Any]) -> None:
        self.vertices, self.live = saved[0].copy(), saved[1].copy()

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.vertices))

    def keep_largest_component(self) -> None:
        e, live = self.edges, self.live
        up, down = (live, live[:0]) if self.directions is None else (live & way for way in self.directions)
        tails, heads = np.append(e.low[up], e.high[down]), np.append(e.high[up], e.low[down])
        adjacency = sp.coo_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(self.n, self.n))
        count, labels = csgraph.connected_components(
            adjacency, directed=self.directions is not None, connection="strong"
        )
        sizes = np.bincount(labels[self.vertices], minlength=count)
        # the smallest live vertex of any largest component settles a tie
        winner = labels[np.argmax(self.vertices & (sizes[labels] == sizes.max()))]
        self.vertices &= labels == winner
        self.live &= self.vertices[e.low] & self.vertices[e.high]

    def choose(self, method: str, step: int, count: int) -> npt.NDArray[np.int64]:
        """The first `count` vertices (drv) or edges (otherwise) to delete, in order."""
        if method == "drv":
            assert self.vertex_priority is not None
            candidates = np.flatnonzero(self.vertices)
            return candidates[np.argsort(self.vertex_priority[candidates], kind="stable")[:count]]
        if method == "dre":
            assert self.edge_priority is not None
            candidates = np.flatnonzero(self.live)
            return candidates[np.argsort(self.edge_priority[candidates], kind="stable")[:count]]
        return self._draw_edges(step, count)

    def _draw_edges(self, step: int, count: int) -> npt.NDArray[np.int64]:
        if count == np.count_nonzero(self.live):
            return np.flatnonzero(self.live)  # all of them, in whatever order
        chosen: dict[int, None] = {}
        num_slots = 2 * self.n + len(self.slot_edge)
        # chances that a draw of a vertex and one of a slot hit something live: of the draws that do, a share
        # of `weight` shall be the former (a coin is below 2**64)
        vertex_hits = Fraction(self.size, self.n)
        slot_hits = Fraction(2 * int(np.count_nonzero(self.live)), num_slots)
        drve, dre = self.weight * slot_hits, (1 - self.weight) * vertex_hits
        threshold = int(2**64 * drve / (drve + dre))
        number, block = 0, max(64, 2 * count)
        while len(chosen) < count:
            numbers = np.arange(number, number + block)
            first_bits, second_bits = keyed.draw(self.seed, step, numbers)
            coins = keyed.coin(self.seed, step, numbers).tolist()
            vertices = keyed.below(first_bits, self.n).tolist()
            slots = keyed.below(first_bits, num_slots).tolist()
            for coin, v, bits, slot in zip(coins, vertices, second_bits, slots, strict=True):
                edge = self._edge_of_vertex(v, bits) if coin < threshold else self._edge_in_slot(slot)
                if edge is not None:
                    chosen.setdefault(edge)
                if len(chosen) == count:
                    break
            number += block
        return np.fromiter(chosen, dtype=np.int64)

    def _edge_of_vertex(self, v: int, bits: np.uint64) -> int | None:
        """A live edge of a vertex, uniform; None if it has none."""
        slots = self.slot_edge[self.slot_ptr[v] : self.slot_ptr[v + 1]]
        slots = slots[self.live[slots]]
        return int(slots[keyed.below(np.array([bits]), len(slots))[0]]) if len(slots) else None

    def _edge_in_slot(self, slot: int) -> int | None:
        """The live edge in a slot of COPRA: -2, v, v's neighbours, -2, v + 1, ...; None if there is none."""
        starts = self.slot_ptr[:-1] + 2 * np.arange(self.n)
        v = int(np.searchsorted(starts, slot, side="right")) - 1
        place = slot - 2 * (v + 1)
        if place < self.slot_ptr[v] or not self.live[self.slot_edge[place]]:
            return None
        return int(self.slot_edge[place])

    def delete(self, method: str, things: npt.NDArray[np.int64]) -> None:
        if method == "drv":
            self.vertices[things] = False
            self.live &= self.vertices[self.edges.low] & self.vertices[self.edges.high]
        else:
            self.live[things] = False


def _exact(value: Any, name: str) -> Fraction:
    """A number as its decimals say it."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}(\.[0-9]{0,40})?|\.[0-9]{1,40}", value):
        return Fraction(value)
    return Fraction(str(real(value, name)))


def reference_deletion(
    graph: Graph, method: str, size: Any, seed: int, mode: str = "exact", **options: Any
) -> ReferenceSample:
    """Sample by the definition, on the host.

    Parameters
    ----------
    graph : Graph
    method : {"drv", "dre", "drve", "dhyb"}
    size, seed, tolerance, connection, mix
        As in `clgraph.sample`.
    mode : {"exact", "batched"}
        "exact" deletes one thing at a time and takes the largest component after each; "batched" follows
        the schedule of batches with undo.

    Returns
    -------
    ReferenceSample
    """
    target = target_size(size, graph.num_vertices)
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices")
    strong = options.get("connection") == "strong" and graph.directed
    tolerance = options.get("tolerance")
    state = _Shrinking(graph, method, seed, _exact(options.get("mix", Fraction(4, 5)), "mix"), strong)
    run = _one_at_a_time if mode == "exact" else _batched
    slack = Fraction(target, 1000) if tolerance is None else _exact(tolerance, "tolerance")
    iterations = run(state, method, target, slack)
    return ReferenceSample(
        graph.ids[state.vertices], np.sort(state.edges.rank[state.live]), target, iterations=iterations
    )


def _one_at_a_time(state: _Shrinking, method: str, target: int, slack: Fraction) -> int:
    step = 0
    while state.size > target:
        state.delete(method, state.choose(method, step, 1))
        state.keep_largest_component()
        step += 1
    return step


def _batched(state: _Shrinking, method: str, target: int, slack: Fraction) -> int:
    start = state.size
    excess, step, deleted = start - target, 0, 0
    rate = Fraction(1) if method == "drv" else Fraction(int(np.count_nonzero(state.live)), max(start, 1))
    while state.size > target:
        share = max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))
        count = max(1, min(ceil(share * excess * rate), ceil((state.size - target) * rate)))
        things_left = state.size if method == "drv" else int(np.count_nonzero(state.live))
        before = state.save()
        # a batch draws by the degrees at its start: larger ones come out too sparse
        count = min(count, max(1, things_left // 8) if method in ("drve", "dhyb") else things_left)
        if method != "drv" and count == things_left > 1:
            count = -(-count // 2)  # without any edge one vertex would be left
        chosen = state.choose(method, step, count)
        state.delete(method, chosen)
        state.keep_largest_component()
        while state.size < target - slack and count > 1:
            state.restore(before)
            count = -(-count // 2)
            state.delete(method, chosen[:count])
            state.keep_largest_component()
        deleted += count
        step += 1
        if method != "drv" and state.size < start:
            rate = Fraction(deleted, start - state.size)
    return step


def check_induced(edges: EdgeList, inside: npt.NDArray[np.bool_], sample: Sample) -> None:
    """Check that a sample has all edges among its vertices, and no others."""
    induced = edges.rank[inside[edges.low] & inside[edges.high]]
    if not np.array_equal(induced, sample.edges):
        raise AssertionError(
            f"{len(induced)} edges are induced by the sample's vertices, it has {len(sample.edges)}"
        )


def verify_deletion(graph: Graph, sample: Sample, *, connection: str = "weak") -> None:
    """Check a sample against the definition of what a sample is.

    Connected (strongly, if so asked of a directed graph); at most `target` vertices (or the untouched largest
    component); vertices and edges are the original's, all of the induced edges for drv; `sample.graph` is
    made of exactly them (all arcs of their pairs, if the graph is directed).

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1))
    as_graph(sample.graph)
    word(connection, "connection", ("weak", "strong"))
    edges, inside, tails, heads = verify_parts(graph, sample)
    if sample.method == "drv":
        check_induced(edges, inside, sample)

    strong, index = connection == "strong" and graph.directed, np.flatnonzero(inside)
    ones = np.ones(len(tails), dtype=np.int8)
    adjacency = sp.coo_array((ones, (tails, heads)), shape=(graph.num_vertices,) * 2)
    _, labels = csgraph.connected_components(adjacency, directed=strong, connection="strong")
    if len(np.unique(labels[index])) > 1:
        raise AssertionError(f"the sample is not {'strongly ' if strong else ''}connected")
    if len(index) > sample.target:
        _, sizes = reference_components(graph, connection="strong" if strong else "weak")
        if sizes[0] != len(index):
            raise AssertionError(f"{len(index)} vertices, more than the target of {sample.target}")


def verify_parts(graph: Graph, sample: Sample) -> tuple[EdgeList, npt.NDArray[np.bool_], Ends, Ends]:
    """Check that a sample's vertices and edges are the original's, and `sample.graph` made of exactly them.

    Returns
    -------
    edges : EdgeList
    inside : bool array, shape (n,)
    tails, heads : arrays
        Of the arcs that `sample.graph` has, by index in the original.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    index = graph.indices_of(sample.vertices) if len(sample.vertices) else np.empty(0, np.int64)
    inside = np.zeros(graph.num_vertices, dtype=bool)
    inside[index] = True
    if int(np.count_nonzero(inside)) != len(index):
        raise AssertionError("a vertex occurs twice in the sample")
    if len(index) == 0:
        raise AssertionError("the sample is empty")

    edges = EdgeList.of(graph)
    place = np.searchsorted(edges.rank, sample.edges)
    if len(sample.edges) and (
        np.any(np.diff(sample.edges) <= 0)
        or place[-1] >= len(edges.rank)
        or np.any(edges.rank[place] != sample.edges)
    ):
        raise AssertionError(
            "the sample's edges are not ascending ranks of edges (not loops) of the original"
        )
    low, high = edges.low[place], edges.high[place]
    if not (np.all(inside[low]) and np.all(inside[high])):
        raise AssertionError("an edge of the sample leaves its vertices")
    tails, heads = np.append(low, high), np.append(high, low)
    if graph.directed:
        up, down = (way[place] for way in edges.directions(graph))
        tails, heads = np.append(low[up], high[down]), np.append(high[up], low[down])
    made = sample.graph
    if not np.array_equal(np.sort(made.ids), np.sort(graph.ids[inside])):
        raise AssertionError("sample.graph does not have the sample's vertices")
    of = graph.indices_of(made.ids)
    if not np.array_equal(_sorted(of[made.tails], of[made.col_idx]), _sorted(tails, heads)):
        raise AssertionError(
            f"sample.graph has {made.num_arcs} arcs, which are not the {len(tails)} of the sample's edges"
        )
    return edges, inside, tails, heads


def _sorted(tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.sort((tails.astype(np.int64) << 32) | heads)
