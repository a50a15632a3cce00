"""The iterating methods for many sources: each lane takes a source to its own end, and then the next one.

Host half of ``cl/ranking/personalized/lanes.cl``. What sums the rows is a `Product`: of
`clgraph.ranking.personalized.product`, `clgraph.ranking.personalized.teams` or, for methods of the theses,
`clgraph.theses`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import CapacityError
from clgraph.lazy import Table
from clgraph.ranking.order import upload_out
from clgraph.ranking.personalized.engine import Outcome
from clgraph.ranking.personalized.product import Product, Runs
from clgraph.ranking.personalized.teams import SPAN, Teams
from clgraph.ranking.problem import noise
from clgraph.ranking.rows import TALLY
from clgraph.ranking.solver import LOOK, NORMS
from clgraph.ranking.top import Top

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.personalized.engine import Request

POLICIES = {"drop": 0, "uniform": 1, "personalization": 2, "given": 3}
LONG_WORK = 1 << 22  # arcs times lanes from which on an iteration is long
STOPPED, ITERATIONS, CONVERGED = range(3)
FAR = 4.0  # above any residual: the least before the first
EMPTY, KEPT = -1, -2  # instead of the vertex at which a lane starts: it gets no source; it goes on


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    widths : tuple of int
        How many lanes there may be, ascending; multiples of 4 for teams.
    teams : bool
        Method "power": a team of work-items takes a row, rather than a work-item a run of rows.
    local : int
        Work-items of the group that adds up a lane's parts, a power of two.
    """

    widths: tuple[int, ...]
    teams: bool
    local: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits; as on CPUs where a work-group is too small for any team."""
        local = fit_group(self.local, device, each=TALLY)
        if not self.teams:
            return replace(self, local=local)
        widths = tuple(w for w in self.widths if w // SPAN <= fit_group(256, device, each=8 * SPAN))
        return LaunchConfig(widths, True, local) if widths else LaunchConfig(LAUNCH.cpu.widths, False, local)


# A line of 64 bytes is 16 floats: on CPUs more lanes only take more cache. On GPUs a gather always brings a
# sector of 32 bytes, so that 8 lanes cost one source hardly more than one lane does; 64 that start together
# were faster than 32 that are refilled (H200: 0.54 against 0.75 ms a query).
LAUNCH = LaunchTable(
    gpu=LaunchConfig((8, 16, 32, 64), teams=True, local=256),
    cpu=LaunchConfig((1, 8, 16), teams=False, local=1),
    simulator=LaunchConfig((1, 8), teams=False, local=4),
)


# the iterating methods beside "power", which sum the rows of one source at a time: `clgraph.theses` adds them
PRODUCTS: Table[type[Product]] = Table()


def product_of(method: str, device: Device) -> type[Product]:
    """What sums a method's rows on a device."""
    if method == "power":
        return Teams if LAUNCH.of(device).teams else Runs
    return PRODUCTS[method]


class Lanes:
    """The engine of all iterating methods: lanes side by side on a device."""

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs = request, jobs
        self.device, self.problem, self.queries = request.device, request.problem, request.queries
        self.numbers, self.options, self.stop = request.numbers, request.options, request.options.stop
        self.n = request.problem.n
        self.width = self._choose_width()
        self.product = product_of(request.options.method, request.device)(request, self.width)
        self.local = LAUNCH.of(request.device).local
        self.by_vector = request.queries.vertices is None
        self.round_off = request.checked_round_off(self._round_off_chain())

    def _vectors(self, width: int) -> dict[str, int]:
        """Bytes of the buffers that grow with the number of lanes."""
        one = self.n * width * np.dtype(self.numbers.real).itemsize
        needed = {"value": one, "next": one, "scale": one // width}
        if self.options.top is None:
            needed["ranks"] = one
        if self.queries.vertices is None:
            needed |= {"p": one, "given": one}
        return needed

    def _choose_width(self) -> int:
        """As many lanes as there are sources, and as fit on the device."""
        if self.options.method != "power":
            return 1
        widths = LAUNCH.of(self.device).widths
        wanted = next((w for w in widths if w >= len(self.jobs)), widths[-1])
        for width in reversed([w for w in widths if w <= wanted]):
            try:
                self.device.reserve(self._vectors(width))
            except CapacityError:
                if width == widths[0]:
                    raise
            else:
                return width
        return widths[0]

    def _round_off_chain(self) -> int:
        """Longest chain of additions in the ranks' own precision; 0 where sums are kept more exactly."""
        if self.numbers.dtype == "float64":
            return max(self.product.chain, self.product.parts // self.local + int(log2(self.local)))
        return 4 if self.numbers.compensated else 0

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        sources, lines = len(self.jobs), self.product.explain()
        if sources > self.width:
            lines.append(
                f"{sources} sources, {self.width} at a time: one that has converged makes room for the next"
            )
        return (*lines, f"ranks in {self.numbers.dtype}, sums in {self.numbers.words}")

    # --- preparation ----------------------------------------------------------------------------------

    def upload(self) -> None:
        """Bring the graph to the device, and allocate the vectors."""
        self.product.upload()
        dev, n, real, width, problem = self.device, self.n, self.numbers.real, self.width, self.problem
        dev.reserve(self._vectors(width))
        self._scale = upload_out(dev, self.request.graph, problem, real, self.request.weight)
        given = problem.dangling if problem.policy == "given" else None
        self._q = None if given is None else dev.upload(given.astype(real))
        self._value, self._next = (dev.empty(n * width, real) for _ in range(2))
        self._p = dev.empty(n * width, real) if self.by_vector else None
        self._out = dev.empty(n * width, real) if self.options.top is None else None
        self._parts = dev.empty(3 * width * self.product.parts, np.float64)  # an ACC has 8 bytes either way
        self._sums = dev.empty(4 * width, np.float64)
        self._state = dev.empty(4 * width, np.int32)
        self._source = dev.empty(width, np.int32)
        self._lane = dev.empty(width, np.int32)
        self._from = dev.empty(width, np.int32)
        self._given_row = dev.empty(width, np.int32)

    def compile(self) -> None:
        """Build the kernels."""
        policy = POLICIES[self.problem.policy]
        defines = {
            **self.numbers.defines,
            "LANES": self.width,
            "POLICY": policy,
            "NORM": NORMS[self.stop.norm],
            "WEIGHTED": self.problem.weighted,
            "P_VECTOR": self.by_vector,
        }
        self.product.compile(defines)
        squared = self.options.squared
        self._items = self.device.tuning.items
        self._program = self.device.program(
            "ranking/personalized/lanes", **defines, LOCAL=self.local, ITEMS=self._items, SQUARED=squared
        )
        self._top = None
        if self.options.top is not None:
            self._top = Top(self.device, self.n, self.options.top, self.width, self.numbers.real, scaled=True)

    # --- the loop -------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Take all sources to their ends."""
        found = Outcome.blank(self.request, self.round_off, self.explain())
        pending = deque(self.jobs)
        self._job = np.full(self.width, -1)
        self._steady = np.zeros(self.width, np.int64)
        self._seen: list[frozenset[int] | None] = [None] * self.width
        self._start(list(range(self.width)), pending)
        every = self.options.check_every
        long_work = self.request.graph.num_arcs * self.width >= LONG_WORK
        # iterations between two looks of the host, which cost as much as some short iterations
        looks = every if long_work or self.options.stable_top else -(-LOOK // every) * every
        while True:
            for i in range(looks):
                self._iterate((i + 1) % every == 0)
            state = self.device.download(self._state, np.int32, 4 * self.width).reshape(4, self.width)
            if self.options.stable_top:
                self._stop_steady(state, found)
            busy = self._job >= 0
            over = np.flatnonzero(busy & (state[STOPPED] != 0)).tolist()
            running = np.count_nonzero(busy) - len(over)
            # taking results and starting sources are passes over all vertices: several at a time
            if over and (running == 0 or (pending and len(over) >= max(1, self.width // 4))):
                self._take(over, state, found)
                self.request.tell(len(self.jobs) - len(pending) - int(running), len(self.jobs))
                if pending:
                    self._start(over, pending)
                elif running == 0:
                    break
        self.device.finish()
        return found

    def _iterate(self, test: bool) -> None:
        stop = self.stop
        vectors = {
            "value": self._value,
            "next": self._next,
            "scale": self._scale,
            "source": self._source,
            "p": self._p,
            "q": self._q,
            "damping": self.problem.damping,
            "even": 1 / self.n,
            "sums": self._sums,
        }
        self.product.enqueue(test, stop.max_iter, self._parts, self._state, vectors)
        threshold = stop.threshold**2 if self.options.squared else stop.threshold
        self._program.ppr_finish.exact(
            self.width * self.local,
            count=self.product.parts,
            test=test,
            last=stop.max_iter,
            threshold=threshold,
            noise=noise(stop, self.problem.damping, self.numbers.dtype),
            parts=self._parts,
            sums=self._sums,
            state=self._state,
            local=self.local,
        )
        self._value, self._next = self._next, self._value

    def _start(self, lanes: list[int], pending: deque[int]) -> None:
        """Give these lanes the next sources, or nothing."""
        dev, queries, width = self.device, self.queries, self.width
        first = not np.any(self._job >= 0)
        state = np.zeros((4, width), np.int32)
        sums = np.zeros((4, width, 2), np.float32) if self.numbers.compensated else np.zeros((4, width))
        source = np.full(width, EMPTY, np.int32)
        if first:
            state[STOPPED] = 1
        else:
            state[:] = dev.download(self._state, np.int32, state.size).reshape(state.shape)
            sums[:] = dev.download(self._sums, sums.dtype, sums.size).reshape(sums.shape)
            source[:] = dev.download(self._source, np.int32, width)
        begins, rows_of = np.full(width, KEPT, np.int32), np.zeros(width, np.int32)
        for j, lane in enumerate(lanes):
            job = pending.popleft() if pending else -1
            self._job[lane], self._steady[lane], self._seen[lane] = job, 0, None
            state[:, lane] = job < 0, 0, 0, 0
            source[lane] = begins[lane] = EMPTY
            rows_of[lane] = j
            sums[:, lane] = 0
            sums[3, lane] = FAR if sums.ndim == 2 else (FAR, 0)
            if job < 0:
                continue
            if self.problem.policy != "drop":
                sums[0, lane] = queries.on_dangling[job] if sums.ndim == 2 else (queries.on_dangling[job], 0)
            begins[lane] = source[lane] = 0 if queries.vertices is None else queries.vertices[job]
        given = None
        if self.by_vector:
            rows = [
                queries.distinct_vector(self._job[lane]) if self._job[lane] >= 0 else np.zeros(self.n)
                for lane in lanes
            ]
            given = dev.upload(np.stack(rows).astype(self.numbers.real))
        dev.write(self._state, state)
        dev.write(self._sums, sums)
        dev.write(self._source, source)
        dev.write(self._from, begins)
        dev.write(self._given_row, rows_of)
        count = self.n * width if self._items == 1 else -(-self.n // self._items)
        self._program.ppr_start(
            count,
            n=self.n,
            from_=self._from,
            given_row=self._given_row,
            given=given,
            scale=self._scale,
            value=self._value,
            p=self._p,
        )

    def _take(self, lanes: list[int], state: npt.NDArray[np.int32], found: Outcome) -> None:
        """Bring the results of lanes that have stopped."""
        dev, count = self.device, len(lanes)
        jobs = self._job[lanes]
        dev.write(self._lane, np.array(lanes, np.int32))
        if self._top is not None:
            assert found.index is not None
            self._top.enqueue(self._lane, count, self._value, self._scale)
            found.index[jobs], found.values[jobs] = self._top.take(count)
        else:
            self._program.ppr_take(
                -(-self.n // self._items),
                n=self.n,
                count=count,
                lane=self._lane,
                scale=self._scale,
                value=self._value,
                out=self._out,
            )
            for j, job in enumerate(jobs):
                found.put_ranks(self.request, job, self._out, j * self.n)
        if self.numbers.compensated:
            pairs = dev.download(self._sums, np.float32, 8 * self.width).astype(np.float64)
            sums = pairs.reshape(4, self.width, 2).sum(axis=2)
        else:
            sums = dev.download(self._sums, np.float64, 4 * self.width).reshape(4, self.width)
        residuals = np.sqrt(sums[2][lanes]) if self.options.squared else sums[2][lanes]
        met = state[CONVERGED][lanes] != 0
        steady = found.ended[jobs] == "top"
        iterations, moved = state[ITERATIONS][lanes], sums[1][lanes]
        found.put_end(self.request, jobs, iterations, moved, residuals, met, steady)
        self._job[lanes] = -1

    def _stop_steady(self, state: npt.NDArray[np.int32], found: Outcome) -> None:
        """Stop the lanes whose top k set has not changed for long enough."""
        running = np.flatnonzero((self._job >= 0) & (state[STOPPED] == 0))
        if not len(running) or self._top is None:
            return
        self.device.write(self._lane, running.astype(np.int32))
        self._top.enqueue(self._lane, len(running), self._value, self._scale)
        names, _ = self._top.take(len(running))
        changed = False
        for lane, row in zip(running.tolist(), names, strict=True):
            now = frozenset(row.tolist())
            self._steady[lane] = self._steady[lane] + 1 if now == self._seen[lane] else 0
            self._seen[lane] = now
            if self._steady[lane] >= self.options.stable_top:
                state[STOPPED, lane] = 1
                found.ended[self._job[lane]] = "top"
                changed = True
        if changed:
            self.device.write(self._state, np.ascontiguousarray(state))
