"""Personalized PageRank by random walks: host half of ``cl/ranking/personalized/walks.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.ranking import PageRankResult, pagerank
from clgraph.ranking.personalized.batched_power import POLICIES
from clgraph.ranking.personalized.result import Outcome
from clgraph.ranking.solver import by_pipelines, narrowed
from clgraph.ranking.top import Top
from clgraph.ranking.transition_weights import graph_shares

if TYPE_CHECKING:
    from collections.abc import Hashable

    from clgraph.graph import Graph
    from clgraph.ranking.personalized.request import Request
    from clgraph.ranking.problem import Problem, Reals


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    each : int
        Consecutive walks of a work-item: on GPUs a few, so that a long one does not leave the rest of a warp
        idle, on CPUs enough to make the start of a work-item negligible.
    local : int or None
        Work-items of a group (at least 2), whose sums are joined first: small groups make room for the next
        sooner. None: whatever the driver takes, without joining.
    """

    each: int
    local: int | None = None
    POWERS: ClassVar[tuple[str, ...]] = ("local",)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local = fit_group(self.local or 1, device)
        return replace(self, local=local if local > 1 else None)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(each=2, local=64), cpu=LaunchConfig(each=512), simulator=LaunchConfig(each=5)
)


class Walks:
    """The engine of method "monte-carlo"."""

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs = request, jobs
        self.device, self.graph, self.problem = request.device, request.graph, request.problem
        self.queries, self.numbers, self.top = request.queries, request.numbers, request.options.top
        self.walks, self.seed = request.options.walks, request.options.seed
        self.n = request.problem.n
        self.config = LAUNCH.of(request.device)
        self.each = self.config.each
        # the chance to go on as a 64-bit threshold: the same draws decide alike on every device
        self.go_on = min(int(self.problem.damping * 2**64), 2**64 - 1)
        self.lost_scores: DanglingScores | None = None

    def explain(self) -> tuple[str, ...]:
        """Describe the run, a line each."""
        lines = [
            f"{self.walks} walks per source, {self.config.each} to a work-item; "
            "draws keyed by (seed, source, walk, step)"
        ]
        if self.lost_scores is not None:
            iterations = self.lost_scores.result.iterations
            lines.append(
                f"what dangling vertices lose comes back as stored scores ({iterations} iterations, once per "
                "graph, damping and dangling distribution)"
            )
        return tuple(lines)

    def upload(self) -> None:
        """Upload the graph and the stored scores, and allocate the counters."""
        dev, graph, n, real = self.device, self.graph, self.n, self.numbers.real
        problem = self.problem
        self.csr = csr = upload_csr(dev, graph)
        self.row_ptr, self.col_idx = csr.row_ptr, csr.col_idx
        self.limit = None
        if problem.weighing.weighted:

            def make() -> Any:
                limits = arc_limits(graph, problem)
                dev.reserve({"limit": limits.nbytes})
                return dev.upload(limits)

            self.limit = dev.cached(graph, ("ppr-limits", self.request.weight), make)
        self.lost_scores = found = dangling_scores(self.request)
        self.store = None if found is None else upload_scores(self.request, found)
        dev.reserve({"visits": 4 * (n + 2), "score": n * np.dtype(real).itemsize})
        self.visits = dev.empty(n + 2, np.uint32)  # the totals come after the vertices
        self.score = dev.empty(n, real)
        if self.top is not None:
            sources = self.queries.distinct
            self.report = dev.empty(sources * (2 + 2 * self.top), np.uint32)
            self.scores = dev.empty(sources * self.top, real)
            self._lane = dev.zeros(1, np.int32)

    def compile(self) -> None:
        """Build the kernels."""
        self._items = self.device.tuning.items
        self._program = self.device.program(
            "ranking/personalized/walks",
            **self.numbers.defines,
            **self.csr.defines,
            ITEMS=self._items,
            WEIGHTED=self.problem.weighing.weighted,
            POLICY=POLICIES[self.problem.policy],
            P_VECTOR=self.queries.vertices is None,
            GROUPED=self.config.local is not None,
        )
        self._select = None
        if self.top is not None:
            self._select = Top(self.device, self.n, self.top, 1, self.numbers.real)

    def run(self) -> Outcome:
        """Walk from every source."""
        found = Outcome(self.request, 0.0, self.explain())
        found.ended[:] = "walks"
        if self._select is not None:
            self._run_for_top(self._select, found)
        else:
            self._run_for_all(found)
        if not self.request.stays:
            variance = (1 + self.problem.damping) * found.scores.astype(np.float64) / self.walks
            found.standard_errors = np.sqrt(variance)
        return found

    def _run_for_all(self, found: Outcome) -> None:
        """Find the scores and visits of all vertices."""
        dev, n, k = self.device, self.n, self.queries.distinct
        found.visits, found.lost = np.zeros((k, n), np.uint32), np.zeros(k, np.int64)
        for done, i in enumerate(self.jobs, 1):
            self._walk(i)
            found.put_scores(i, self.score)
            counts = dev.download(self.visits, np.uint32, n + 2)
            found.visits[i], found.lost[i] = counts[:n], counts[n + 1]
            self.request.tell(done, len(self.jobs))

    def _run_for_top(self, select: Top, found: Outcome) -> None:
        """Enqueue all sources without waiting; fetch the results at the end."""
        dev, k, top = self.device, self.queries.distinct, select.k
        for done, i in enumerate(self.jobs, 1):
            self._walk(i)
            select.enqueue(self._lane, 1, self.score)
            named = {"place": i, "name": select.top_name, "found": select.top_score}
            self._program.ppr_report.launch(self, top, k=top, **named)
            self.request.tell(done, len(self.jobs))
        found.scores = dev.download(self.scores, self.numbers.real, k * top).reshape(k, top)
        report = dev.download(self.report, np.uint32, k * (2 + 2 * top)).reshape(k, -1)
        found.index, found.visits = report[:, 2 : 2 + top].astype(np.int32), report[:, 2 + top :].copy()
        found.lost = report[:, 1].astype(np.int64)

    def _walk(self, i: int) -> None:
        """Enqueue the walks and scores of distinct source i."""
        dev, problem, n = self.device, self.problem, self.n
        d, queries = problem.damping, self.queries
        # the two totals behind the vertices, too
        dev.fill(self.visits, np.uint32(0), n + 2)
        on_dangling = float(queries.on_dangling[i])
        # walks that start at dangling vertices are not walked: all of them are lost
        moving = 1.0 - on_dangling
        source = -1 if queries.vertices is None else int(queries.vertices[i])
        if on_dangling < 1:
            starts, base, until, start = self._starts(i)
            identity = source if source >= 0 else n + i
            begun = {"source": identity, "starts": starts, "base": base, "until": until, "start": start}
            self._program.ppr_first.launch(self, -(-starts // self._items), **begun)
            passes = -(-self.walks // self.each)
            self._program.ppr_walk.launch(self, passes, local=self.config.local, **begun)
        p = None
        if queries.vertices is None:
            p = dev.upload(queries.distinct_vector(i).astype(self.numbers.real))
        back = 0.0 if problem.policy == "drop" else d  # the share that comes back of what walks lose
        self._program.ppr_score.launch(
            self,
            -(-n // self._items),
            source=source,
            stay=1 - d,
            unit=(1 - d) * d * moving / self.walks,
            lost_before=back * on_dangling,
            lost_unit=back * moving / self.walks,
            p=p,
        )

    def _starts(self, i: int) -> tuple[int, int, Any, Any]:
        """Return where walks from source i are after their first step.

        Returns
        -------
        starts : int
            Number of such vertices.
        base : int
            Their offset in the buffer `start`.
        until : buffer or None
            The position at which the share of each ends; None if all shares are equal.
        start : buffer
        """
        graph, weights, dev = self.graph, self.problem.weights, self.device
        where, _ = self.queries.entries(i)
        if len(where) == 1 and weights is None:  # as they are on the device
            begin, end = graph.row_ptr[where[0] : where[0] + 2].tolist()
            return end - begin, begin, None, self.csr.col_idx
        heads, share = self._weighted_starts(i)
        until = start_thresholds(share, len(heads), self.walks)
        return len(heads), 0, dev.upload(until), dev.upload(heads)

    def _weighted_starts(self, i: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the vertices after the first step, and their weights."""
        graph, problem = self.graph, self.problem
        where, mass = self.queries.entries(i)
        if len(where) == 1 and problem.weighing.weighted:
            begin, end = graph.row_ptr[where[0] : where[0] + 2]
            return graph.col_idx[begin:end], problem.weights[begin:end]
        # a start that no weight leaves takes no first step
        keep = problem.out[where] > 0
        where, mass = where[keep], mass[keep]
        lengths = (graph.row_ptr[where + 1] - graph.row_ptr[where]).astype(np.int64)
        first = np.repeat(graph.row_ptr[where].astype(np.int64), lengths)
        within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        arcs = first + within
        share = np.repeat(mass / problem.out[where], lengths)
        if problem.weighing.weighted:
            share = share * problem.weights[arcs]
        heads, place = np.unique(graph.col_idx[arcs], return_inverse=True)
        return heads, np.asarray(np.bincount(place.ravel(), weights=share), dtype=np.float64)


# --- shares as integers, so that all devices take the same starts and arcs for one seed -----------------


FULL = 1 << 62  # the end of a row's thresholds


def start_thresholds(weights: Reals | None, count: int, walks: int) -> npt.NDArray[np.uint64]:
    """Where, among positions 0 .. walks * 2**32 - 1, each start's share ends; shape (count,).

    Walk i is at position i * 2**32 + a keyed 32-bit number. Made of integers alone. `weights` None: all
    shares are equal.
    """
    if weights is None:
        ends = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(walks)
        whole, rest = ends // np.uint64(count), ends % np.uint64(count)
        part = ((rest << np.uint64(32)) + np.uint64(count - 1)) // np.uint64(count)
        return (whole << np.uint64(32)) + part
    parts = np.rint(weights / weights.max() * 2**52).astype(np.uint64).tolist()
    total, span, sofar, out = sum(parts), walks << 32, 0, []
    for part in parts:
        sofar += part
        out.append(-(-sofar * span // total))
    return np.array(out, dtype=np.uint64)


def arc_limits(graph: Graph, problem: Problem) -> npt.NDArray[np.uint64]:
    """Where each arc's share of its row ends, shape (arcs,), in units of 2**-62.

    0 at the end of a row that no weight leaves.
    """
    weights, shares = problem.weights, graph_shares(graph, problem)
    assert weights is not None and shares is not None
    lengths = np.diff(graph.row_ptr)
    sums = np.zeros(len(weights) + 1, np.uint64)
    # this may overflow; differences are right
    np.cumsum(np.rint(shares * FULL).astype(np.uint64), out=sums[1:])
    first = graph.row_ptr[:-1].clip(max=max(len(weights) - 1, 0))
    limits = sums[1:] - np.repeat(sums[:-1][first], lengths)
    # the remainder of rounding goes to the last arc that has a weight, and to those of weight 0 after it
    some = np.flatnonzero(weights > 0)
    row_of = np.repeat(np.arange(len(lengths)), lengths)
    last = np.zeros(len(lengths), np.int64)
    last[row_of[some]] = some
    at_end = (np.arange(len(weights)) >= last[row_of]) & (problem.out > 0)[row_of]
    limits[at_end] = FULL
    np.minimum(limits, np.uint64(FULL), out=limits)
    return limits


# --- the scores of the dangling distribution, made once for a graph --------------------------------------
#
# They make up for walks that are lost at dangling vertices. Sources without out-arcs can be answered from
# them, too (`clgraph.theses.stored`).

# L1 difference at which these scores are done (float64): far below the usual 1e-6, as calls of all
# tolerances share them
TOL = 1e-10


class DanglingScores(NamedTuple):
    """The scores of the dangling distribution, and their device buffer; None if they are on the host."""

    result: PageRankResult
    buffer: Any  # named, so that it counts as the graph's device memory and can be dropped


def dangling_scores(request: Request) -> DanglingScores | None:
    """Return g, the PageRank whose personalization and dangling distribution are both q.

    Made once for a graph, damping and q, and cached as long as the graph lives; to an L1 difference of 1e-10
    where the device has float64. None unless q is uniform or was given.
    """
    graph, problem, device = request.graph, request.problem, request.device
    if problem.policy not in ("uniform", "given"):
        return None
    wide = not request.numbers.compensated

    def make() -> DanglingScores:
        found = pagerank(
            graph,
            damping=problem.damping,
            personalization=problem.dangling if problem.policy == "given" else None,
            dangling="personalization",
            weight=request.weight,
            tol=TOL if wide else 1e-6,
            # damping near 1 converges slowly, and a limit would only be a second tolerance
            max_iter=1_000_000,
            dtype="float64" if wide else "float32",
            arrays="host" if by_pipelines(device) else "device",
            device=device,
        )
        scores: Any = found.scores
        return DanglingScores(found, None if isinstance(scores, np.ndarray) else scores.base_data)

    return device.cached(graph, _key(request), make)


def upload_scores(request: Request, found: DanglingScores) -> Any:
    """Return them on the device, in the call's type; cached as long as the graph lives."""
    device, real, scores = request.device, request.numbers.real, found.result.scores

    def make() -> Any:
        if found.buffer is None:
            return device.upload(scores.astype(real))
        return found.buffer if scores.dtype == real else narrowed(device, found.buffer, len(scores))

    return device.cached(request.graph, (_key(request), real), make)


def _key(request: Request) -> Hashable:
    problem = request.problem
    given = problem.dangling if problem.policy == "given" else None
    mark = None if given is None else sha256(given.tobytes()).hexdigest()
    return "dangling-scores", problem.damping, mark, request.weight, request.numbers.compensated
