"""Helpers that references and verifiers share: keyed numbers, edge lists, results, readings of arguments.

Nothing here comes from the code that is checked: numbers, logarithms and race keys are computed one by one in
plain Python from their definitions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from functools import cache
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import shown
from clgraph.errors import ClgraphError, InputError
from clgraph.graph import Graph, as_graph

# --- checks ---

# arcs looked at in one go: what is made of them takes hundreds of megabytes
SLICE = 1 << 24


def expect(right: Any, message: str, error: type[Exception] = AssertionError) -> None:
    """Raise an error with a message unless `right` is true."""
    if not right:
        raise error(message)


def require(right: Any, message: str) -> None:
    """Raise a ClgraphError with a message unless `right` is true."""
    expect(right, message, ClgraphError)


def check_result(graph: Any, result: Any, of: str, **arrays: tuple[str, int]) -> Graph:
    """Return the graph; raise an InputError if the graph or the result cannot be checked.

    Parameters
    ----------
    graph, result
        Arguments as the caller passed them.
    of : str
        Name of the function that returns such results.
    **arrays : (str, int)
        The result's arrays: their kind (letters as in NumPy, any one of which will do; ``"?"`` allows None)
        and their number of dimensions.
    """
    whole = as_graph(graph)
    for name, (kinds, dimensions) in arrays.items():
        value = getattr(result, name, result)
        if value is None and "?" in kinds:
            continue
        if value is result:
            raise InputError(f"a result of {of} is needed, not {shown(result)}")
        if not isinstance(value, np.ndarray):
            raise InputError(f'{name} is {shown(value)}: a result with arrays="host" is needed')
        if value.ndim != dimensions or value.dtype.kind not in kinds:
            raise InputError(
                f"{name} is an array of {value.dtype} with {value.ndim} dimensions: no result of {of}"
            )
    return whole


def arc_slices(graph: Graph) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Tails (ascending) and heads of all arcs, `SLICE` of them at a time."""
    for begin in range(0, graph.num_arcs, SLICE):
        end = min(begin + SLICE, graph.num_arcs)
        first, last = np.searchsorted(graph.row_ptr, [begin, end - 1], side="right") - 1
        rows = np.arange(first, last + 1, dtype=np.int32)
        arcs = np.minimum(graph.row_ptr[rows + 1], end) - np.maximum(graph.row_ptr[rows], begin)
        yield np.repeat(rows, arcs), graph.col_idx[begin:end]


# --- numbers of the definitions ---

NEVER = 2**64 - 1


def words(seed: int, i: int, j: int, k: int, tag: int) -> tuple[int, int]:
    """Words a and b of the number that belongs to (seed; i, j, k; tag): ten rounds of Philox4x32."""
    low32 = 2**32 - 1
    x, y, z, w = int(i), int(j), int(k), int(tag)
    key, other = seed & low32, seed >> 32
    for _ in range(10):
        first, second = x * 0xD2511F53, z * 0xCD9E8D57
        x, y = second >> 32 ^ y ^ key, second & low32
        z, w = first >> 32 ^ w ^ other, first & low32
        key, other = key + 0x9E3779B9 & low32, other + 0xBB67AE85 & low32
    return x | y << 32, z | w << 32


def below(x: int, k: int) -> int:
    """A number 0 .. k-1 from 64 random bits."""
    return x * k >> 64


def by_priority(vertices: Iterable[int], seed: int, tag: int = keyed.TAG_VERTEX) -> list[int]:
    """Vertices in the order of their keyed numbers, then of their indices."""
    return sorted(vertices, key=lambda v: (words(seed, v, 0, 0, tag)[0], v))


@cache
def _tables() -> tuple[list[int], list[int], int]:
    with localcontext() as context:
        context.prec = 50
        two = Decimal(2).ln()
        inverse, logarithm = [], []
        for i in range(256):
            middle = 513 + 2 * i
            inverse.append((2**63 * 512) // middle)
            exact = (Decimal(middle) / 512).ln() / two * 2**40
            logarithm.append(int((exact + Decimal("0.5")).to_integral_value(rounding="ROUND_FLOOR")))
        return inverse, logarithm, round(2**31 / two)


def lg(x: int) -> int:
    """log2(x) in units of 2^-40 by the definition's integer steps."""
    inverse, logarithm, log2_e = _tables()
    z = 64 - len(bin(x)[2:])
    m = x * 2**z
    i = m // 2**55 % 256
    s = m * inverse[i] // 2**64 - 2**62
    r = s // 2**22
    r2 = r * r // 2**40
    r3 = r2 * r // 2**40
    r4 = r3 * r // 2**40
    p = r - r2 // 2 + 21845 * r3 // 2**16 - r4 // 4
    return (63 - z) * 2**40 + logarithm[i] + p * log2_e // 2**31


def clock(x: int) -> int:
    """An exponential time of rate ln 2 in units of 2^-40."""
    return max(1, 64 * 2**40 - lg(x | 1))


def race_key(a: int, b: int, lg_weight: int) -> int:
    """The key of an item whose weight has this logarithm."""
    return (lg(clock(a)) - lg_weight + 2**46) * 2**16 + b // 2**48


# --- graphs as lists, and samples of them ---


@dataclass(frozen=True)
class ReferenceSample:
    """Sample drawn by a reference; fields as in `clgraph.Sample`.

    Attributes
    ----------
    vertices : array, shape (k,)
        Ids, in index order.
    edges : int64 array
        Ranks.
    target_vertices : int
    order : int64 array, shape (k,), or None
        Rank of arrival.
    iterations : int
        Steps of deletions and contractions; else 0.
    contracted_to : int32 array, shape (n,), or None
        Only of contractions.
    start : id or None
        Only of explorations.
    more : dict
        Other results of the method, by their names in `clgraph.Sample`.
    """

    vertices: npt.NDArray[Any]
    edges: npt.NDArray[np.int64]
    target_vertices: int
    order: npt.NDArray[np.int64] | None = None
    iterations: int = 0
    contracted_to: Any = None
    start: Any = None
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EdgeList:
    """The edges u <= v of a graph's undirected view in index order, loops left out of the arrays.

    `rank` is an edge's position in the list with the loops; `copy` its index among parallel edges.
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
        rank = np.cumsum(tail <= head) - 1
        proper = tail < head
        low, high = tail[proper], head[proper]
        place = np.arange(len(low))
        first = np.ones(len(low), dtype=bool)
        first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        copy = place - np.maximum.accumulate(np.where(first, place, 0))
        return cls(low, high, copy, rank[proper])

    def directions(self, graph: Graph) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Masks of the edges that represent an arc low -> high, and an arc high -> low (directed graph).

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

    def among(self, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Ranks of the edges whose ends are both in a mask."""
        return self.rank[inside[self.low] & inside[self.high]]

    def weights(self, graph: Graph) -> list[int]:
        """The integer weight of each edge: the largest is 2**40."""
        view = graph.undirected
        assert view.weights is not None
        w = view.weights[view.tails <= view.col_idx][self.rank].tolist()
        top = max(w, default=0)
        return [0 if each == 0 else max(1, floor(each / top * 2**40 + 0.5)) for each in w]


class Rows:
    """The undirected rows of a graph without loops, as lists."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.edges = graph, EdgeList.of(graph)
        self.n, self.m = graph.num_vertices, len(self.edges.low)
        self.near: list[list[int]] = [[] for _ in range(self.n)]
        self.ends = list(zip(self.edges.low.tolist(), self.edges.high.tolist(), strict=True))
        for u, v in self.ends:
            self.near[u].append(v)
            self.near[v].append(u)
        for row in self.near:
            row.sort()

    def weights(self) -> list[int]:
        """The integer weight of each edge."""
        return self.edges.weights(self.graph)

    def arc_weights(self) -> dict[tuple[int, int], list[int]]:
        """The integer weights of the parallel arcs from one vertex to another."""
        found: dict[tuple[int, int], list[int]] = {}
        for (u, v), w in zip(self.ends, self.weights(), strict=True):
            found.setdefault((u, v), []).append(w)
            found.setdefault((v, u), []).append(w)
        return found

    def draw(
        self, chosen: Sequence[int], ranks: npt.NDArray[np.int64] | None, target: int
    ) -> ReferenceSample:
        """A result: vertices in order of arrival, and edges (None: all among the vertices)."""
        inside = np.isin(np.arange(self.n), chosen)
        order = np.full(self.n, -1, np.int64)
        order[chosen] = np.arange(len(chosen))
        ranks = self.edges.among(inside) if ranks is None else ranks
        return ReferenceSample(self.graph.ids[inside], ranks, target, order[inside])

    def draw_kept(
        self,
        order: list[int],
        keep: str,
        target: int,
        parent: dict[int, int],
        walked: set[tuple[int, int, int]] | None = None,
    ) -> ReferenceSample:
        """A result of a search: the edges that `keep` names stay.

        Parameters
        ----------
        order : list of int
            Vertices in order of arrival.
        keep : {"induced", "tree", "visited"}
        target : int
        parent : dict
            From where each vertex came; itself for a start.
        walked : set of (from, to, which of the parallel arcs), optional
            Where it is not given, the visited edges are those of the tree.
        """
        if keep == "induced":
            return self.draw(order, None, target)
        more = {}
        if keep == "tree" or walked is None:
            walked = {(v, parent[v], 0) for v in order if parent[v] != v}
            more["parent"] = [self.graph.ids[parent[v]] for v in sorted(order)]
        inside = set(order)
        edges = {(min(u, v), max(u, v), copy) for u, v, copy in walked if u in inside and v in inside}
        # edges are in order of (low, high, copy), so that their ranks are found by bisection
        names = [(*ends, copy) for ends, copy in zip(self.ends, self.edges.copy.tolist(), strict=True)]
        ranks = self.edges.rank[[bisect_left(names, edge) for edge in sorted(edges)]]
        return replace(self.draw(order, ranks.astype(np.int64), target), more=more)


def directed_rows(graph: Graph, direction: str) -> list[list[int]]:
    """The rows of a view without loops, each ascending."""
    if direction == "both" or not graph.directed:
        return Rows(graph).near
    rows = arc_rows(graph, reverse=direction == "in")
    return [sorted(u for u in row if u != v) for v, row in enumerate(rows)]


def arc_rows(graph: Graph, *, reverse: bool = False) -> list[list[int]]:
    """The heads of each vertex's arcs by index, or the tails of those that arrive."""
    graph = as_graph(graph)
    ends = graph.tails.tolist(), graph.col_idx.tolist()
    rows: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for tail, head in zip(*(ends[::-1] if reverse else ends), strict=True):
        rows[tail].append(head)
    return rows


def hops(rows: Sequence[Iterable[int]], source: int) -> dict[int, int]:
    """Distances of the vertices that one reaches, in the order in which a queue meets them."""
    found, waiting = {source: 0}, deque([source])
    while waiting:
        v = waiting.popleft()
        for w in rows[v]:
            if w not in found:
                found[w] = found[v] + 1
                waiting.append(w)
    return found


# --- starts ---


def start_order(n: int, seed: int) -> list[int]:
    """All vertices by start priority."""
    return by_priority(range(n), seed, keyed.TAG_START)


def given_starts(graph: Graph, options: dict[str, Any]) -> list[int]:
    """The vertices that a caller gave to start from; none if it gave no option `start`."""
    given = options.get("start")
    return [] if given is None else graph.indices_of(given).ravel().tolist()


# --- checks of samples ---


def inside_of(graph: Graph, sample: Any) -> npt.NDArray[np.bool_]:
    """Mask of the vertices that are in a sample, shape (n,)."""
    return np.isin(np.arange(graph.num_vertices), graph.indices_of(sample.vertices))


def check_induced(graph: Graph, sample: Any) -> None:
    """Check that a sample has all edges among its vertices, and no others."""
    induced = EdgeList.of(graph).among(inside_of(graph, sample))
    expect(
        np.array_equal(induced, sample.edges),
        f"{len(induced)} edges are induced by the sample's vertices, it has {len(sample.edges)}",
    )


def check_kept(graph: Graph, sample: Any, reach: int | None = None) -> None:
    """Check the edges of a sample that keeps all among its vertices, or a tree's.

    Also, with `reach`, that it has as many vertices as were asked for, of those that its method reaches.
    """
    request, found = sample.selection.request, len(sample.vertices)
    if reach is not None and request.target is not None:
        wanted = min(request.target, reach)
        expect(found == wanted, f"{found} vertices instead of {wanted}")
    if request.keep == "induced":
        check_induced(graph, sample)
    if request.keep == "tree":
        expect(
            len(sample.edges) == np.count_nonzero(sample.parent != sample.vertices),
            "a tree has one edge for each vertex that is no start",
        )


def came_from_nowhere(
    rows: Graph, sample: Any, index: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """When each vertex came (n: never), and which of the sample's have no neighbour that came before them."""
    n = rows.num_vertices
    when, earliest = np.full(n, n, np.int64), np.full(n, n, np.int64)
    when[index] = sample.order
    np.minimum.at(earliest, rows.col_idx, when[rows.tails])
    return when, earliest[index] >= when[index]


def num_starts(request: Any) -> int:
    """Return how many starts were given, or are to be drawn."""
    return len(set(request.start)) if request.start is not None else (request.starts or 1)


def check_arrivals(graph: Graph, sample: Any) -> None:
    """Check that all but starts have a neighbour before them, and that parents come before their children."""
    index, starts = graph.indices_of(sample.vertices), num_starts(sample.selection.request)
    when, lost = came_from_nowhere(graph.undirected.without_self_loops, sample, index)
    many = np.count_nonzero(lost)
    expect(
        many < starts + int(sample.iterations),
        f"{many} vertices came from nowhere, more than there were starts",
    )
    if sample.parent is not None:
        parent = graph.indices_of(sample.parent)
        expect(np.all((when[parent] < when[index]) | (parent == index)), "a parent came after its child")
