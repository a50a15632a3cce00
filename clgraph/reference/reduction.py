"""Reduction sampling, slow and obviously right: one deletion or contraction at a time, searches, forests.

After Krishnamurthy, Faloutsos et al., Computer Networks 51(15), 2007; the batched schedule after Tariq 2018.
Driven by the same keyed numbers (`clgraph.keyed`) as the devices, whose samples must equal these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

from clgraph import keyed
from clgraph.arguments import real, shown, target_size, word
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.reference.common import (
    EdgeList,
    ReferenceSample,
    by_priority,
    check_induced,
    check_result,
    expect,
    inside_of,
    words,
)
from clgraph.reference.traversal import first_start, in_largest_component, reference_components

if TYPE_CHECKING:
    from clgraph.sampling.result import Sample

DELETIONS = ("drv", "dre", "drve", "dhyb")
CONTRACTIONS = ("cre", "crve")
EXPLORATIONS = ("ebfs", "edfs")
Ends = npt.NDArray[np.int32]


def _check_method(method: str, known: Sequence[str], graph: Graph) -> None:
    if method not in known:
        raise InputError(f"unknown method {shown(method)}: known here are {', '.join(known)}")
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices")


def _batch(step: int, excess: int) -> Fraction:
    """Number of vertices that the schedule removes in a step: halves of the excess, later 3 per cent."""
    return max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100)) * excess


def _labels(n: int, tails: Any, heads: Any, *, strong: bool = False) -> npt.NDArray[np.int32]:
    """Components by SciPy of the graph that has these edges, or arcs."""
    adjacency = sp.coo_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(n, n))
    # SciPy ignores the kind of connection where the graph is undirected
    labels: npt.NDArray[np.int32] = csgraph.connected_components(
        adjacency, directed=strong, connection="strong"
    )[1]
    return labels


# --- deletions ---


class _Shrinking:
    """The current G: live vertices and live edges, always the largest component of what was left."""

    def __init__(self, graph: Graph, method: str, seed: int, weight: Fraction, strong: bool) -> None:
        self.n, self.seed = graph.num_vertices, seed
        self.edges = EdgeList.of(graph)
        self.directions = self.edges.directions(graph) if strong else None
        self.weight = Fraction(1) if method == "drve" else weight
        e = self.edges
        self.priority = (
            keyed.vertex_priority(seed, np.arange(self.n))
            if method == "drv"
            else keyed.edge_priority(seed, e.low, e.high, e.copy)
        )
        # both ends of every edge in the order of its rows: a vertex's slots, ascending, copies by rank
        place = np.arange(len(e.low))
        tail, head = np.append(e.low, e.high), np.append(e.high, e.low)
        edge = np.append(place, place)
        order = np.lexsort((edge, head, tail))
        self.slot_edge = edge[order]
        self.slot_ptr = np.searchsorted(tail[order], np.arange(self.n + 1))
        self.vertices = np.ones(self.n, dtype=bool)
        self.live = np.ones(len(place), dtype=bool)
        self.keep_largest_component()

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.vertices))

    @property
    def num_edges(self) -> int:
        return int(np.count_nonzero(self.live))

    def keep_largest_component(self) -> None:
        e, live = self.edges, self.live
        up, down = (live, live[:0]) if self.directions is None else (live & one for one in self.directions)
        tails, heads = np.append(e.low[up], e.high[down]), np.append(e.high[up], e.low[down])
        labels = _labels(self.n, tails, heads, strong=self.directions is not None)
        sizes = np.bincount(labels[self.vertices], minlength=self.n)
        # the smallest live vertex of any largest component settles a tie
        winner = labels[np.argmax(self.vertices & (sizes[labels] == sizes.max()))]
        self.vertices &= labels == winner
        self.live &= self.vertices[e.low] & self.vertices[e.high]

    def choose(self, method: str, step: int, count: int) -> npt.NDArray[np.int64]:
        """The first `count` vertices (drv) or edges (otherwise) to delete, in order."""
        if method not in ("drv", "dre"):
            return self._draw_edges(step, count)
        candidates = np.flatnonzero(self.vertices if method == "drv" else self.live)
        return candidates[np.argsort(self.priority[candidates], kind="stable")[:count]]

    def _draw_edges(self, step: int, count: int) -> npt.NDArray[np.int64]:
        if count == self.num_edges:
            return np.flatnonzero(self.live)  # all of them, in whatever order
        chosen: dict[int, None] = {}
        num_slots = 2 * self.n + len(self.slot_edge)
        # chances that a draw of a vertex and one of a slot hit something live: of the draws that do, a share
        # of `weight` shall be the former (a coin is below 2**64)
        vertex_hits = Fraction(self.size, self.n)
        slot_hits = Fraction(2 * self.num_edges, num_slots)
        drve, dre = self.weight * slot_hits, (1 - self.weight) * vertex_hits
        threshold = int(2**64 * drve / (drve + dre))
        # draws in blocks, as each is a call of NumPy; those after the last needed one are not used
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
        """Delete vertices (drv) or edges, and all but the largest component of the rest."""
        if method == "drv":
            self.vertices[things] = False
            self.live &= self.vertices[self.edges.low] & self.vertices[self.edges.high]
        else:
            self.live[things] = False
        self.keep_largest_component()


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
    """Delete by the definition, on the host.

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
    _check_method(method, DELETIONS, graph)
    target = target_size(size, graph.num_vertices)
    strong = options.get("connection") == "strong" and graph.directed
    tolerance = options.get("tolerance")
    state = _Shrinking(graph, method, seed, _exact(options.get("mix", Fraction(4, 5)), "mix"), strong)
    slack = Fraction(target, 1000) if tolerance is None else _exact(tolerance, "tolerance")
    iterations = _delete(state, method, target, slack, single=mode == "exact")
    return ReferenceSample(
        graph.ids[state.vertices], np.sort(state.edges.rank[state.live]), target, iterations=iterations
    )


def _delete(state: _Shrinking, method: str, target: int, slack: Fraction, *, single: bool) -> int:
    """Delete, one thing (`single`) or batch after the other, until few enough vertices are left."""
    start = state.size
    excess, step, deleted = start - target, 0, 0
    rate = Fraction(1) if method == "drv" else Fraction(state.num_edges, max(start, 1))
    while state.size > target:
        count = max(1, min(ceil(_batch(step, excess) * rate), ceil((state.size - target) * rate)))
        things_left = state.size if method == "drv" else state.num_edges
        before = state.vertices.copy(), state.live.copy()
        # a batch draws by the degrees at its start: larger ones come out too sparse
        count = min(count, max(1, things_left // 8) if method in ("drve", "dhyb") else things_left)
        if method != "drv" and count == things_left > 1:
            count = -(-count // 2)  # without any edge one vertex would be left
        count = 1 if single else count
        chosen = state.choose(method, step, count)
        state.delete(method, chosen)
        while state.size < target - slack and count > 1:
            state.vertices, state.live = (mask.copy() for mask in before)
            count = -(-count // 2)
            state.delete(method, chosen[:count])
        deleted += count
        step += 1
        if method != "drv" and state.size < start:
            rate = Fraction(deleted, start - state.size)
    return step


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
    inside, tails, heads = verify_parts(graph, sample)
    if sample.method == "drv":
        check_induced(graph, sample)
    strong, many = connection == "strong" and graph.directed, int(np.count_nonzero(inside))
    labels = _labels(graph.num_vertices, tails, heads, strong=strong)
    expect(len(np.unique(labels[inside])) == 1, f"the sample is not {'strongly ' if strong else ''}connected")
    if many > sample.target_vertices:
        _, sizes = reference_components(graph, connection="strong" if strong else "weak")
        expect(sizes[0] == many, f"{many} vertices, more than the target of {sample.target_vertices}")


def verify_parts(graph: Graph, sample: Sample) -> tuple[npt.NDArray[np.bool_], Ends, Ends]:
    """Check that a sample's vertices and edges are the original's, and `sample.graph` made of exactly them.

    Returns
    -------
    inside : bool array, shape (n,)
    tails, heads : arrays
        Of the arcs that `sample.graph` has, by index in the original.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    expect(len(sample.vertices), "the sample is empty")
    inside = inside_of(graph, sample)
    expect(np.count_nonzero(inside) == len(sample.vertices), "a vertex occurs twice in the sample")
    edges = EdgeList.of(graph)
    expect(
        np.all(np.diff(sample.edges) > 0) and np.all(np.isin(sample.edges, edges.rank)),
        "the sample's edges are not ascending ranks of edges (not loops) of the original",
    )
    place = np.searchsorted(edges.rank, sample.edges)
    low, high = edges.low[place], edges.high[place]
    expect(np.all(inside[low]) and np.all(inside[high]), "an edge of the sample leaves its vertices")
    tails, heads = np.append(low, high), np.append(high, low)
    if graph.directed:
        up, down = (each[place] for each in edges.directions(graph))
        tails, heads = np.append(low[up], high[down]), np.append(high[up], low[down])
    made = sample.graph
    # by id: the vertices of the sample's graph may be in another order
    expect(
        np.array_equal(np.sort(made.ids), np.sort(graph.ids[inside])),
        "sample.graph does not have the sample's vertices",
    )
    of = graph.indices_of(made.ids)
    expect(
        np.array_equal(_sorted(of[made.tails], of[made.col_idx]), _sorted(tails, heads)),
        f"sample.graph has {made.num_arcs} arcs, which are not the {len(tails)} of the sample's edges",
    )
    return inside, tails, heads


def _sorted(tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.sort((tails.astype(np.int64) << 32) | heads)


# --- contractions ---


class _Contracting:
    """The current simple graph: which vertex each original one has become, and the pairs that are joined."""

    def __init__(self, graph: Graph, method: str, seed: int) -> None:
        self.method, self.seed, self.step = method, seed, 0
        self.edges = EdgeList.of(graph)
        inside = in_largest_component(graph.undirected)
        self.group = np.where(inside, np.arange(graph.num_vertices), -1).astype(np.int32)

    @property
    def live(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.group == np.arange(len(self.group)))

    def draws(self) -> Iterator[tuple[int, int]]:
        """The edges drawn in this step, one after the other."""
        live, (pairs, _) = self.live, _joined(self.edges, self.group)
        arcs = np.concatenate((pairs, pairs[:, ::-1]))
        arcs = arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]  # a CSR: ascending rows, ascending in each
        begin = np.searchsorted(arcs[:, 0], live)
        end = np.searchsorted(arcs[:, 0], live, side="right")
        number = 0
        while True:
            first_bits, second_bits = keyed.draw(self.seed, self.step, np.arange(number, number + 256))
            if self.method == "cre":
                slots = keyed.below(first_bits, len(arcs))
            else:
                v = keyed.below(first_bits, len(live))
                slots = begin[v] + keyed.below(second_bits, end[v] - begin[v])
            yield from arcs[slots].tolist()
            number += 256

    def contract(self, count: int) -> None:
        """Contract drawn edges until this many vertices are gone."""
        above = {v: v for v in self.live.tolist()}
        for u, v in self.draws():
            a, b = _root(above, u), _root(above, v)
            if a != b:
                above[max(a, b)] = min(a, b)
                count -= 1
            if count == 0:
                break
        became = {v: _root(above, v) for v in above}
        self.group = np.array([became.get(g, -1) for g in self.group.tolist()], dtype=np.int32)
        self.step += 1


def _joined(edges: EdgeList, group: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Pairs of groups that an edge joins, as rows (low, high) in order, and the smallest rank for each."""
    a, b = group[edges.low], group[edges.high]
    apart = (a != b) & (a >= 0)
    both = np.stack((np.minimum(a, b), np.maximum(a, b)), axis=1)[apart]
    pairs, first = np.unique(both, axis=0, return_index=True)
    return pairs, edges.rank[apart][first]  # the first of equals, and ranks ascend


def _root(above: dict[int, int], v: int) -> int:
    while above[v] != v:
        above[v] = v = above[above[v]]
    return v


def reference_contract(
    graph: Graph, method: str, *, sizes: Sequence[float | int | str], seed: int, single: bool = False
) -> list[ReferenceSample]:
    """Contract by the definition, on the host.

    Parameters
    ----------
    graph : Graph
    method : {"cre", "crve"}
    sizes : sequence of float, int or str
        In decreasing order: samples of one run.
    seed : int
    single : bool
        One contraction at a time, each drawn in the graph that the one before it left (which is the law that
        batches come close to), instead of batches.

    Returns
    -------
    list of ReferenceSample
    """
    _check_method(method, CONTRACTIONS, graph)
    state = _Contracting(graph, method, seed)
    made = []
    for size in sizes:
        target = target_size(size, graph.num_vertices)
        excess, step = len(state.live) - target, 0
        while (left := len(state.live) - target) > 0:
            state.contract(1 if single else max(1, min(ceil(_batch(step, excess)), left)))
            step += 1
        ranks = np.sort(_joined(state.edges, state.group)[1])
        vertices = graph.ids[state.live]
        made.append(
            ReferenceSample(vertices, ranks, target, iterations=state.step, contracted_to=state.group)
        )
    return made


def verify_contraction(graph: Graph, sample: Sample) -> None:
    """Check a contraction against its definition.

    The groups partition the largest component and are connected; there are exactly `target` of them (or the
    component is untouched); two are joined iff an original edge joins them, by the smallest such edge; the
    sample's graph is made of exactly them, weights and counts summed.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(
        graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1), contracted_to=("i?", 1)
    )
    as_graph(sample.graph)
    n, group, made = graph.num_vertices, sample.contracted_to, sample.graph
    if group is None or group.shape != (n,):
        raise AssertionError("the sample has no group for every vertex")
    inside = in_largest_component(graph.undirected)
    expect(np.array_equal(group >= 0, inside), "the groups do not partition the largest component")
    member = np.flatnonzero(inside)
    most = group.max(initial=-1)
    expect(most < n, f"vertex {np.argmax(group) if n else None} is in group {most}, which no vertex is")
    smallest = np.full(n, n)
    np.minimum.at(smallest, group[member], member)
    expect(
        np.all(smallest[group[member]] == group[member]),
        "a group does not bear the number of its smallest vertex",
    )
    live = np.flatnonzero(group == np.arange(n))
    expect(
        len(live) == min(sample.target_vertices, len(member)),
        f"{len(live)} groups: the target is {sample.target_vertices}",
    )
    edges = EdgeList.of(graph)
    within = group[edges.low] == group[edges.high]
    labels = _labels(n, edges.low[within], edges.high[within])
    expect(np.all(labels[member] == labels[group[member]]), "a group is not connected")
    pairs, ranks = _joined(edges, group)
    expect(
        np.array_equal(np.sort(ranks), sample.edges),
        "the sample's edges are not the smallest ones that join two groups",
    )
    expect(np.array_equal(made.ids, graph.ids[live]), "sample.graph does not have the groups as its vertices")
    small = made.undirected
    expect(not small.num_self_loops and not small.is_multigraph, "sample.graph has a loop or parallel edges")
    up = small.tails < small.col_idx
    expect(
        np.array_equal(np.stack((live[small.tails[up]], live[small.col_idx[up]]), axis=1), pairs),
        "sample.graph does not join the groups that an original edge joins",
    )
    expect(
        made.is_weighted == graph.is_weighted, "sample.graph has weights, or the original has, but not both"
    )
    between = group[graph.tails] != group[graph.col_idx]
    for name in ("weights", "multiplicity") if graph.is_weighted else ("multiplicity",):
        whole, mine = getattr(graph, name), getattr(made, name)
        total = np.count_nonzero(between) if whole is None else whole[between].sum()
        here = made.num_arcs if mine is None else mine.sum()
        expect(
            np.isclose(here, total),
            f"the {name} of sample.graph come to {here}, between the groups they are {total}",
        )


# --- explorations ---


def reference_explore(
    graph: Graph, method: str, *, sizes: Sequence[float | int | str], seed: int, start: Any = None
) -> list[ReferenceSample]:
    """Explore by the definition, on the host.

    Parameters
    ----------
    graph : Graph
    method : {"ebfs", "edfs"}
    sizes : sequence of float, int or str
    seed : int
    start : id, optional
        A vertex of the largest component; by default one that the seed draws.

    Returns
    -------
    list of ReferenceSample
    """
    _check_method(method, EXPLORATIONS, graph)
    if start is None:
        first = first_start(graph, seed)
    else:
        found = graph.indices_of(start)
        if found.size != 1:
            raise InputError(f"start is {shown(start)}: the id of one vertex is needed")
        first = int(found.flat[0])
        if not in_largest_component(graph.undirected)[first]:
            raise InputError(f"start {start} is outside the largest component")
    order = (_breadth_first if method == "ebfs" else _depth_first)(graph.undirected, seed, first)
    edges = EdgeList.of(graph)
    made = []
    for size in sizes:
        target = target_size(size, graph.num_vertices)
        seen = np.isin(np.arange(graph.num_vertices), order[:target])
        made.append(ReferenceSample(graph.ids[seen], edges.among(seen), target, start=graph.ids[first]))
    return made


def _neighbours(view: Graph, v: int) -> list[int]:
    heads: list[int] = view.col_idx[view.row_ptr[v] : view.row_ptr[v + 1]].tolist()
    return [u for u in dict.fromkeys(heads) if u != v]


def _breadth_first(view: Graph, seed: int, start: int) -> list[int]:
    """Level by level, each by increasing (priority, index)."""
    order, seen, level = [], {start}, [start]
    while level:
        level = by_priority(level, seed)
        order += level
        level = [u for u in dict.fromkeys(u for v in level for u in _neighbours(view, v)) if u not in seen]
        seen.update(level)
    return order


def _depth_first(view: Graph, seed: int, start: int) -> list[int]:
    """First visits; from v on to the unseen neighbour u of smallest (number(seed, v, u), u), else back."""
    order, seen, path = [start], {start}, [start]
    while path:
        v = path[-1]
        unseen = [(words(seed, v, u, 0, keyed.TAG_ARC)[0], u) for u in _neighbours(view, v) if u not in seen]
        if not unseen:
            path.pop()
            continue
        u = min(unseen)[1]
        order.append(u)
        seen.add(u)
        path.append(u)
    return order


def verify_exploration(graph: Graph, sample: Sample) -> None:
    """Check an exploration: exactly `target` vertices (or the untouched component), and their induced edges.

    That it is connected, and its vertices and edges the original's, is for `verify_deletion` to check.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1))
    inside, component = inside_of(graph, sample), in_largest_component(graph.undirected)
    wanted, many = min(sample.target_vertices, np.count_nonzero(component)), np.count_nonzero(inside)
    expect(
        many == wanted and not np.any(inside & ~component),
        f"{many} vertices instead of {wanted} of the largest component",
    )
    check_induced(graph, sample)


# --- the priority forest, by Kruskal's algorithm (1956) ---

Edge = tuple[int, int]
Timed = tuple[int, int, int]


def _timed(edges: Iterable[Edge], seed: int, method: str) -> list[Timed]:
    """(time, a, b) of each edge that is no loop, each once."""
    found = set()
    for u, v in edges:
        if u == v:
            continue
        u, v = min(u, v), max(u, v)
        if method == "dre":
            found.add((words(seed, u, v, 0, keyed.TAG_EDGE)[0], u, v))
        elif method == "drv":
            ends = sorted((words(seed, w, 0, 0, keyed.TAG_VERTEX)[0], w) for w in (u, v))
            found.add((ends[0][0], ends[0][1], ends[1][1]))
        else:
            raise ValueError(f"{method}: drv or dre")
    return sorted(found)


def reference_forest(n: int, edges: Iterable[Edge], seed: int, method: str) -> npt.NDArray[np.uint64]:
    """The maximum spanning forest by (time, a, b), as ascending words ``a << 32 | b``.

    Parameters
    ----------
    n : int
        Vertices.
    edges : pairs of vertices
        In any order and direction, also several times; loops do not count.
    seed : int
    method : {"drv", "dre"}
    """
    above = {v: v for v in range(n)}
    kept = []
    for _, a, b in reversed(_timed(edges, seed, method)):
        if (root := _root(above, a)) != _root(above, b):
            above[root] = _root(above, b)
            kept.append(a << 32 | b)
    return np.array(sorted(kept), np.uint64)


def verify_forest(n: int, edges: Iterable[Edge], seed: int, method: str, words: Any) -> None:
    """Check a forest by its definition; an AssertionError says what is wrong.

    Its words are edges, without circles; every other edge closes a circle in which it is the first to go.
    """
    timed = {(a, b): (t, a, b) for t, a, b in _timed(edges, seed, method)}
    listed = [(int(word) >> 32, int(word) & 0xFFFFFFFF) for word in words]
    expect(listed == sorted(set(listed)), "the words do not ascend")
    near: dict[int, list[tuple[int, Timed]]] = {v: [] for v in range(n)}
    for a, b in listed:
        expect((a, b) in timed, f"({a}, {b}) is no edge of the graph in deletion order")
        near[a].append((b, timed[a, b]))
        near[b].append((a, timed[a, b]))
    latest = (2**64, n, n)  # later than any edge
    for start, own in groupby(sorted(timed.items()), key=lambda item: item[0][0]):
        # the time at which the way from `start` breaks, and from where each vertex was reached
        breaks, came, stack = {start: latest}, {start: start}, [start]
        while stack:
            v = stack.pop()
            for u, t in near[v]:
                if u == came[v]:
                    continue
                expect(u not in breaks, f"there is a circle in the tree of vertex {start}")
                breaks[u], came[u] = min(breaks[v], t), v
                stack.append(u)
        for (a, b), time in own:
            expect(b in breaks, f"({a}, {b}) joins two trees of the forest")
            expect(breaks[b] >= time, f"({a}, {b}) lives longer than an edge of the forest")
