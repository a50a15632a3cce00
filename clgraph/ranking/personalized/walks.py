"""Personalized PageRank by random walks: host half of ``cl/ranking/personalized/walks.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.ranking.personalized.lanes import POLICIES
from clgraph.ranking.personalized.problem import start_thresholds
from clgraph.ranking.personalized.top import Top

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.problem import Queries
    from clgraph.ranking.problem import Problem
    from clgraph.ranking.rows import Numbers

# consecutive walks of a work-item: on GPUs a few, so that a long one does not leave the rest of a warp idle,
# on CPUs so many that a work-item's beginning costs nothing
WALKS_EACH: dict[Kind, int] = {"gpu": 2, "cpu": 512, "emulator": 512, "fpga": 512, "simulator": 5}
# of a group; the launch table's if not named. Small ones make room for the next sooner
WALKS_LOCAL: dict[Kind, int] = {"gpu": 64}
FULL = 1 << 62  # the end of a row's thresholds
STORE_TOL = 1e-10  # L1 difference at which the stored ranks are done (float64)


@dataclass(frozen=True)
class Store:
    """g_q on a device: the PageRank whose personalization and dangling distribution are both q.

    `order`: the vertices by descending rank, equal ones by index.
    """

    buffer: Any
    host: npt.NDArray[np.float64]
    order: npt.NDArray[np.int32]
    error_bound: float
    iterations: int


def stored_ranks(device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool) -> Store:
    """g_q, made once per graph, damping and q, and kept on the device as long as the graph lives.

    q is uniform or as given; to an L1 difference of 1e-10 where the device has float64.
    """
    given = problem.dangling if problem.policy == "given" else None
    mark = None if given is None else sha256(given.tobytes()).hexdigest()
    wide = not numbers.compensated

    def make() -> tuple[npt.NDArray[np.float64], float, int]:
        from clgraph.ranking import pagerank

        found = pagerank(
            graph,
            damping=problem.damping,
            personalization=given,
            dangling="personalization",
            weight=weight,
            tol=STORE_TOL if wide else 1e-6,
            max_iter=1_000_000,
            dtype="float64" if wide else "float32",
            device=device,
        )
        return found.ranks.astype(np.float64), found.error_bound, found.iterations

    key = ("ppr-store", problem.damping, mark, weight, wide)
    host, bound, iterations = device.cached(graph, key, make)
    buffer = device.cached(graph, (*key, numbers.real), lambda: device.upload(host.astype(numbers.real)))
    order = device.cached(graph, (*key, "order"), lambda: np.argsort(-host, kind="stable").astype(np.int32))
    return Store(buffer, host, order, bound, iterations)


def arc_limits(problem: Problem, row_ptr: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Where each arc's share of its row ends, as integers out of 2**62; 0 at the end of a dangling row."""
    weights = problem.weights
    assert weights is not None
    lengths = np.diff(row_ptr)
    whole = np.repeat(problem.out, lengths)
    shares = np.divide(weights, whole, out=np.zeros_like(whole), where=whole > 0)
    sums = np.zeros(len(weights) + 1, np.uint64)
    np.cumsum(np.rint(shares * FULL).astype(np.uint64), out=sums[1:])  # may run over; differences are right
    limits = sums[1:] - np.repeat(sums[:-1][row_ptr[:-1].clip(max=max(len(weights) - 1, 0))], lengths)
    # the roundings' remainder goes to the last arc that weighs something, and to those of weight 0 behind it
    some = np.flatnonzero(weights > 0)
    row_of = np.repeat(np.arange(len(lengths)), lengths)
    last = np.zeros(len(lengths), np.int64)
    last[row_of[some]] = some
    at_end = (np.arange(len(weights)) >= last[row_of]) & (whole > 0)
    limits[at_end] = FULL
    np.minimum(limits, np.uint64(FULL), out=limits)
    return limits


class Walks:
    """Buffers and launches of one call of method "monte-carlo".

    Attributes
    ----------
    visits : uint32 array, shape (distinct, n or k)
        Of all vertices, or of the top ones.
    lost : int64 array, shape (distinct,)
        Walks that ended at a dangling vertex.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        problem: Problem,
        queries: Queries,
        numbers: Numbers,
        weight: bool,
        seed: int,
        walks: int,
        top: int | None,
    ) -> None:
        self.device, self.graph, self.problem, self.queries = device, graph, problem, queries
        self.numbers, self.weight, self.seed, self.walks, self.top = numbers, weight, seed, walks, top
        self.n = problem.n
        self.each = WALKS_EACH[device.kind]
        self.store: Store | None = None

    def explain(self) -> tuple[str, ...]:
        """What is done, a line each."""
        lines = [
            f"{self.walks} walks a source, {self.each} to a work-item; "
            "draws keyed by (seed, source, walk, step)"
        ]
        if self.store is not None:
            lines.append(
                f"what dangling vertices lose comes back as stored ranks ({self.store.iterations} "
                "iterations, once per graph, damping and dangling distribution)"
            )
        return tuple(lines)

    def upload(self) -> None:
        """Bring the graph and the stored ranks to the device, and allocate the counters."""
        dev, graph, n, real = self.device, self.graph, self.n, self.numbers.real
        self.csr = upload_csr(dev, graph)
        self._limit = None
        if self.problem.weights is not None:
            problem = self.problem

            def make() -> Any:
                limits = arc_limits(problem, graph.row_ptr)
                dev.reserve({"limit": limits.nbytes})
                return dev.upload(limits)

            self._limit = dev.cached(graph, ("ppr-limits", self.weight), make)
        if self.problem.policy in ("uniform", "given"):
            self.store = stored_ranks(dev, graph, self.problem, self.numbers, self.weight)
        dev.reserve({"visits": 4 * (n + 2), "score": n * np.dtype(real).itemsize})
        self._visits = dev.empty(n + 2, np.uint32)  # the totals stand behind the vertices
        self._score = dev.empty(n, real)
        if self.top is not None:
            sources = self.queries.distinct
            self._report = dev.empty(sources * (2 + 2 * self.top), np.uint32)
            self._scores = dev.empty(sources * self.top, real)
            self._lane = dev.zeros(1, np.int32)

    def compile(self) -> None:
        """Build the kernels."""
        self._items = self.device.tuning.items
        self._program = self.device.program(
            "ranking/personalized/walks",
            **self.numbers.defines,
            **self.csr.defines,
            ITEMS=self._items,
            WEIGHTED=self.problem.weights is not None,
            POLICY=POLICIES[self.problem.policy],
            P_VECTOR=self.queries.vertices is None,
            GROUPED=self.device.kind in WALKS_LOCAL,
        )
        self._select = None
        if self.top is not None:
            self._select = Top(self.device, self.n, self.top, 1, self.numbers.real)

    def run(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]:
        """Walk from every source; scores (distinct, n or k), and the indices of the top ones."""
        dev, n, real, k = self.device, self.n, self.numbers.real, self.queries.distinct
        if self._select is not None:
            return self._run_for_top(self._select)
        values = np.zeros((k, n), real)
        self.visits, self.lost = np.zeros((k, n), np.uint32), np.zeros(k, np.int64)
        for i in range(k):
            self._walk(i)
            values[i] = dev.download(self._score, real, n)
            counts = dev.download(self._visits, np.uint32, n + 2)
            self.visits[i], self.lost[i] = counts[:n], counts[n + 1]
        return values, None

    def _run_for_top(self, select: Top) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        """All sources one after the other, without a wait; what is brought back is brought at the end."""
        dev, k, top = self.device, self.queries.distinct, select.k
        for i in range(k):
            self._walk(i)
            select.enqueue(self._lane, 1, self._score)
            self._program.ppr_report(
                top,
                np.int32(self.n),
                np.int32(top),
                np.int32(i),
                select.names,
                select.scores,
                self._visits,
                self._report,
                self._scores,
            )
        values = dev.download(self._scores, self.numbers.real, k * top).reshape(k, top)
        report = dev.download(self._report, np.uint32, k * (2 + 2 * top)).reshape(k, -1)
        self.lost = report[:, 1].astype(np.int64)
        self.visits = report[:, 2 + top :].copy()
        return values, report[:, 2 : 2 + top].astype(np.int32)

    def _walk(self, i: int) -> None:
        """Counts and scores of distinct source i."""
        dev, problem, n, wide = self.device, self.problem, self.n, self.numbers.wide
        d, queries = problem.damping, self.queries
        dev.fill(self._visits, np.uint32(0), n + 2)
        on_dangling = float(queries.on_dangling[i])
        moving = 1.0 - on_dangling
        source = -1 if queries.vertices is None else int(queries.vertices[i])
        if on_dangling < 1:
            starts, base, until, start = self._starts(i)
            identity = source if source >= 0 else n + i
            self._program.ppr_first(
                -(-starts // self._items),
                np.uint32(self.walks),
                np.uint64(self.seed),
                np.uint32(identity),
                np.uint32(starts),
                np.int64(base),
                until,
                start,
                self._visits,
            )
            self._program.ppr_walk(
                -(-self.walks // self.each),
                np.int32(n),
                np.uint32(self.walks),
                np.uint32(self.each),
                np.uint64(self.seed),
                np.uint32(identity),
                np.uint64(min(int(d * 2**64), 2**64 - 1)),
                np.uint32(starts),
                np.int64(base),
                until,
                start,
                self.csr.row_ptr,
                self.csr.col_idx,
                self._limit,
                self._visits,
                local=WALKS_LOCAL.get(dev.kind),
            )
        p = None
        if queries.vertices is None:
            p = dev.upload(queries.distinct_vector(i).astype(self.numbers.real))
        store = None if self.store is None else self.store.buffer
        back = 0.0 if problem.policy == "drop" else d  # of what walks lose, so much comes back
        self._program.ppr_score(
            -(-n // self._items),
            np.int32(n),
            np.int32(source),
            wide(1 - d),
            wide((1 - d) * d * moving / self.walks),
            wide(back * on_dangling),
            wide(back * moving / self.walks),
            self._visits,
            p,
            store,
            self._score,
        )

    def _starts(self, i: int) -> tuple[int, int, Any, Any]:
        """Where walks from source i are after their first step: how many such vertices, where they stand in a
        buffer, up to which position each is taken (None: all alike), and the buffer.
        """
        graph, weights, dev = self.graph, self.problem.weights, self.device
        where, _ = self.queries.entries(i)
        if len(where) == 1 and weights is None:  # as they stand on the device
            begin, end = graph.row_ptr[where[0] : where[0] + 2].tolist()
            return end - begin, begin, None, self.csr.col_idx
        heads, share = self._weighted_starts(i)
        until = start_thresholds(share, len(heads), self.walks)
        return len(heads), 0, dev.upload(until), dev.upload(heads)

    def _weighted_starts(self, i: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The vertices, and with which weights."""
        graph, problem = self.graph, self.problem
        where, mass = self.queries.entries(i)
        if len(where) == 1 and problem.weights is not None:
            begin, end = graph.row_ptr[where[0] : where[0] + 2]
            return graph.col_idx[begin:end], problem.weights[begin:end]
        keep = problem.out[where] > 0
        where, mass = where[keep], mass[keep]
        lengths = (graph.row_ptr[where + 1] - graph.row_ptr[where]).astype(np.int64)
        first = np.repeat(graph.row_ptr[where].astype(np.int64), lengths)
        turn = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        arcs = first + turn
        share = np.repeat(mass / problem.out[where], lengths)
        if problem.weights is not None:
            share = share * problem.weights[arcs]
        heads, place = np.unique(graph.col_idx[arcs], return_inverse=True)
        return heads, np.asarray(np.bincount(place.ravel(), weights=share), dtype=np.float64)
