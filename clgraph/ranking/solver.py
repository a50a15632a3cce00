"""The power method on a device: the vectors, the loop and its end. Host half of ``cl/ranking/solver.cl``.

The rows are summed by a `Rows` (`clgraph.ranking.rows` and its neighbours).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.problem import noise
from clgraph.ranking.rows import LaunchConfig, Numbers, leaving_chain

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.order import RowOrder
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.rows import Rows

# iterations enqueued before the host looks whether the device has stopped: a look empties the queue, and
# surplus launches are no-ops (8 us each on an H200, 20 us on PoCL)
LOOK = 8
NORMS = {"l1": 1, "nx": 1, "l2": 2, "linf": 3}  # as the kernels call them


# of the start, and of the end of an iteration
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, items=1),
    cpu=LaunchConfig(local=1, items=2048),
    simulator=LaunchConfig(local=4, items=4),
)


@dataclass(frozen=True)
class Vectors:
    """A problem's vectors in the rows' order on the device: 1 / out-degree, p, q and the start.

    All but the first may be None, which stands for 1/n everywhere.
    """

    inverse: Any
    p: Any
    q: Any
    start: Any


@dataclass(frozen=True)
class Area:
    """What a call works in; kept with the graph, and lent to one call at a time.

    `work` are buffers of the rows' own; the other names are as in ``cl/ranking/pagerank.h``.
    """

    rank: Any
    contribution: Any
    next: Any
    parts: Any
    sums: Any
    state: Any
    work: tuple[Any, ...]


class Solver:
    """Buffers and launches of one call.

    Parameters
    ----------
    device : Device
    problem : Problem
    stop : Stop
    numbers : Numbers
    rows : Rows
    """

    def __init__(self, device: Device, problem: Problem, stop: Stop, numbers: Numbers, rows: Rows) -> None:
        self.device, self.problem, self.stop, self.numbers, self.rows = device, problem, stop, numbers, rows
        self.n = problem.n
        self.noise = noise(stop, problem.damping, numbers.dtype)
        shape = LAUNCH.of(device)
        self.local = shape.local
        # the start has its own tally
        flat = device.has_pipeline("ranking/solver")  # one work-item takes all, and sums in fixed point
        self.start_items = self.n if flat else shape.items
        self.start_groups = -(-self.n // (self.start_items * self.local))
        self.parts = max(rows.parts, self.start_groups)
        chain = 1 if flat else self.start_items
        self.chain = max(rows.chain, chain, self.parts // self.local) + int(log2(self.local))

    @property
    def round_off_chain(self) -> int:
        """Longest chain of additions in the ranks' own precision; 0 where sums are kept more exactly."""
        if self.numbers.dtype == "float64":
            return self.chain
        # pairs of floats end in a float each: the row's sum, the mass, and their sum
        return 4 if self.numbers.compensated else 0

    @property
    def bound_chain(self) -> int:
        """The same for the error bound: W is added in float64, too, from left to right."""
        return self.round_off_chain + leaving_chain(self.device, self.rows.graph, self.problem, self.numbers)

    @property
    def variant(self) -> str:
        """What runs."""
        return self.rows.variant

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each; after `upload`."""
        kept = f"ranks in {self.numbers.dtype}, sums in {self.numbers.words}"
        return (f"variant {self.variant} on {self.device.name}", *self.rows.explain(), kept)

    def upload(self) -> None:
        """Bring the graph to the device, and allocate and fill the vectors."""
        self.rows.upload()
        dev, n, real, rows = self.device, self.n, self.numbers.real, self.rows
        self.order: RowOrder = rows.row_order()
        self.vectors = self.make_vectors()
        key = "ranking-work", rows.variant, rows.plan, real, self.parts
        self._areas: Pool[Area] = dev.cached(rows.graph, key, Pool)

        def make() -> Area:
            vectors = ("rank", "contribution", "next", "p", "q", "start")
            dev.reserve({name: n * np.dtype(real).itemsize for name in vectors})
            # `output` has large pages on CPUs, which gathers from all over a vector want
            contribution, following = (dev.output(n + rows.shift, real) for _ in range(2))
            for buffer in (contribution, following) if rows.shift else ():
                dev.fill(buffer, real(0), rows.shift)
            parts = dev.empty(3 * self.parts, np.float64)  # an ACC has 8 bytes either way
            sums, state = dev.empty(4, np.float64), dev.empty(4, np.int32)
            return Area(dev.output(n, real), contribution, following, parts, sums, state, rows.make_work())

        self.area = self._areas.borrow(make)
        rows.take_work(self.area.work)

    def give_back(self) -> None:
        """Let the next call have the buffers; after the last `take`, where nothing failed."""
        if self.order.order is not None:  # else the ranks were handed over as they are
            self._areas.give_back(self.area)

    def make_vectors(self) -> Vectors:
        """Upload the vectors that the caller gave (a sub-class may have them on the device already)."""
        problem, upload = self.problem, self.order.upload
        p = upload(problem.personalization)
        q = p if problem.dangling is problem.personalization else upload(problem.dangling)
        return Vectors(self.order.inverse_out, p, q, upload(problem.start))

    def compile(self) -> None:
        """Build the kernels."""
        defines = {
            **self.numbers.defines,
            "WEIGHTED": self.problem.weighted,
            "SEND_RANK": self.rows.sends_rank,
            "SHIFT": self.rows.shift,
        }
        uniform = self.vectors.p is None and self.vectors.q is None
        self.rows.plain = uniform and NORMS[self.stop.norm] == 1
        self.rows.compile(defines)
        self._program = self.device.program(
            "ranking/solver", **defines, LOCAL=self.local, ITEMS=self.start_items
        )

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        stop, rows, area, given = self.stop, self.rows, self.area, self.vectors
        vectors = {
            "rank": area.rank,
            "inverse": given.inverse,
            "p": given.p,
            "q": given.q,
            "damping": self.problem.damping,
            "even": 1 / self.n,
            "norm": NORMS[stop.norm],
            "sums": area.sums,
        }
        self.start()
        contribution, following = area.contribution, area.next
        done = 0
        while done < stop.max_iter:
            for _ in range(min(LOOK, stop.max_iter - done)):
                vectors["next"] = following
                rows.enqueue(contribution, area.parts, area.state, vectors)
                self._finish(rows.parts, counts=True)
                contribution, following = following, contribution
                done += 1
            if stop.tol > 0:
                if self.stopped():
                    break
            elif done % (8 * LOOK) == 0:
                self.device.finish()  # a queue should not grow without bounds
            if progress:
                progress(done, stop.max_iter)
        self.device.finish()

    def start(self) -> None:
        """Enqueue the start: ranks, contributions, and the mass on dangling vertices."""
        self._program.pagerank_start.exact(
            self.start_groups * self.local,
            n=self.n,
            even=1 / self.n,
            start=self.vectors.start,
            inverse=self.vectors.inverse,
            rank=self.area.rank,
            contribution=self.area.contribution,
            parts=self.area.parts,
            state=self.area.state,
            local=self.local,
        )
        self._finish(self.start_groups, counts=False)

    def stopped(self) -> bool:
        """Whether the device has stopped; waits."""
        return bool(self.device.download(self.area.state, np.int32, 1)[0])

    def _finish(self, count: int, *, counts: bool) -> None:
        stop = self.stop
        self._program.pagerank_finish.exact(
            self.local,
            count=count,
            counts=counts,
            last=stop.max_iter,
            threshold=stop.threshold,
            noise=self.noise,
            norm=NORMS[stop.norm],
            drop=self.problem.drop,
            parts=self.area.parts,
            sums=self.area.sums,
            state=self.area.state,
            local=self.local,
        )

    def end(self) -> tuple[int, bool, float, float]:
        """Iterations, whether the test was met, and the residuals (L1, norm); waits."""
        dev = self.device
        _, iterations, met = dev.download(self.area.state, np.int32, 3).tolist()
        if self.numbers.compensated:
            sums = dev.download(self.area.sums, np.float32, 6).astype(np.float64).reshape(3, 2).sum(axis=1)
        else:
            sums = dev.download(self.area.sums, np.float64, 3)
        return iterations, bool(met), float(sums[1]), float(sums[2])

    def take(self, *, on_device: bool = False) -> tuple[Any, int, bool, float, float]:
        """Ranks in the graph's order (or a ``pyopencl.array.Array`` of them), and what `end` gives."""
        ranks, real = self.order.by_vertex(self.area.rank), self.numbers.real
        if on_device:
            return self.device.array(ranks, real, self.n), *self.end()
        return self.device.take(ranks, real, self.n), *self.end()


def choose_numbers(device: Device, dtype: str) -> Numbers:
    """The types of a run on a device."""
    has_doubles = "HAVE_FP64" in device.features
    if dtype == "float64" and not has_doubles:
        raise InputError(
            f"{device.spec} ({device.name}) has no float64 arithmetic: use dtype='float32' (its sums are "
            "compensated there), or another device"
        )
    return Numbers(dtype, not has_doubles)
