"""Batched power iteration: many sources side by side, in lanes; each lane takes a source to its own end.

Host half of ``cl/ranking/personalized/lanes.cl`` and of what sums the rows: ``power.cl`` on CPUs,
``teams.cl`` and ``teams_order.cl`` on GPUs. (`clgraph.theses.coo` sums them as the theses do, in one lane.)
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import CapacityError
from clgraph.lazy import Table
from clgraph.ranking.personalized.result import Outcome
from clgraph.ranking.problem import noise
from clgraph.ranking.sell import SETTLE, balanced
from clgraph.ranking.solver import LOOK, NORMS, TALLY, leaving
from clgraph.ranking.top import Top
from clgraph.ranking.transition_weights import upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.personalized.request import Request

POLICIES = {"drop": 0, "uniform": 1, "personalization": 2, "given": 3}
LONG_WORK = 1 << 22  # arcs times lanes from which on an iteration is long
STOPPED, ITERATIONS, CONVERGED = range(3)
FAR = 4.0  # above any residual: the least before the first
EMPTY, KEPT = -1, -2  # instead of the vertex at which a lane starts: it gets no source; it goes on
SPAN = 4  # lanes of a work-item in a team
GROUPS = 4096  # work-groups at most: enough for them to be spread evenly, few enough parts to add up


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    widths : tuple of int
        Possible numbers of lanes, ascending; multiples of 4 for teams.
    teams : bool
        Method "power": a team of work-items takes a row, rather than a work-item a run of rows.
    local : int
        Work-items of the group that adds up a lane's parts, a power of two.
    runs : int
        Runs of rows, a work-item each: enough for balance on any number of cores.
    group : int
        Work-items of a group of teams.
    piece : int
        Rows that teams take are cut into pieces of this many arcs.
    """

    widths: tuple[int, ...]
    teams: bool
    local: int
    runs: int = 256
    group: int = 64
    piece: int = 16
    POWERS: ClassVar[tuple[str, ...]] = ("widths", "local", "group")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits; as on CPUs where a work-group is too small for any team."""
        local = fit_group(self.local, device, each=TALLY)
        group = fit_group(self.group, device, each=8 * SPAN)
        found = replace(self, local=local, group=group)
        if not self.teams:
            return found
        widths = tuple(w for w in self.widths if w // SPAN <= fit_group(256, device, each=8 * SPAN))
        return replace(found, widths=widths or LAUNCH.cpu.widths, teams=bool(widths))


# A line of 64 bytes is 16 floats: on CPUs more lanes only take more cache. On GPUs a gather always brings a
# sector of 32 bytes, so that 8 lanes cost one source hardly more than one lane does; 64 that start together
# were faster than 32 that are refilled (H200: 0.54 against 0.75 ms a query).
LAUNCH = LaunchTable(
    gpu=LaunchConfig((8, 16, 32, 64), teams=True, local=256, group=256, piece=128),
    cpu=LaunchConfig((1, 8, 16), teams=False, local=1),
    simulator=LaunchConfig((1, 8), teams=False, local=4, runs=3, group=16, piece=6),
)


class BatchedPower:
    """Lanes side by side on a device; each sub-class sums the rows in its own way.

    Kernels take arguments from its attributes of the same names; what they hold is described in
    ``cl/ranking/personalized/lanes.h``.

    Attributes
    ----------
    width : int
        Lanes.
    tallies : int
        Work-groups (or runs) that tally.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    """

    tallies = 1
    chain = 0

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs = request, jobs
        self.device, self.graph, self.problem = request.device, request.graph, request.problem
        self.queries, self.numbers, self.real = request.queries, request.numbers, request.numbers.real
        self.options, stop = request.options, request.options.stop
        self.weighted, self.by_vector = self.problem.weighing.weighted, request.queries.vertices is None
        self.n, self.even, self.damping = self.problem.n, 1 / self.problem.n, self.problem.damping
        self.last, self.noise = stop.max_iter, noise(stop, self.damping, self.numbers.dtype)
        self.threshold = stop.threshold**2 if self.options.squared else stop.threshold
        self.config = LAUNCH.of(self.device)
        self.local = self.config.local
        self.width = self._choose_width()
        self.prepare()
        chain = 4 if self.numbers.compensated else 0
        if self.numbers.dtype == "float64":
            chain = max(self.chain, self.tallies // self.local + int(log2(self.local)))
        self.round_off = request.checked_round_off(chain)

    def _vectors(self, width: int) -> dict[str, int]:
        """Bytes of the buffers that grow with the number of lanes."""
        one = self.n * width * np.dtype(self.real).itemsize
        needed = {"value": one, "next": one, "scale": one // width}
        if self.options.top is None:
            needed["scores"] = one
        if self.by_vector:
            needed |= {"p": one, "given": one}
        return needed

    def _choose_width(self) -> int:
        """Choose the number of lanes: at most one per source, as far as they fit on the device."""
        if self.options.method != "power":
            return 1
        # the smallest that holds all sources, less if the device has no room for it
        widths = self.config.widths
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

    # --- what sums the rows says -----------------------------------------------------------------------

    def prepare(self) -> None:
        """Divide the graph's rows among work-items."""
        raise NotImplementedError

    def about(self) -> list[str]:
        """Describe what is done, one line each."""
        raise NotImplementedError

    def bring(self) -> None:
        """Upload the arrays; they are cached with the graph."""
        raise NotImplementedError

    def build(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the run."""
        raise NotImplementedError

    def add(self, test: bool) -> None:
        """Enqueue the sums of an iteration; `test`: whether the difference of the iterates is needed."""
        raise NotImplementedError

    def shares(self, *, by_tail: bool = False) -> Any:
        """The transition weights of the graph's arcs; None where all arcs weigh the same."""
        weight = self.request.weight
        return upload_shares(self.device, self.graph, self.problem, self.real, weight, by_tail=by_tail)

    # --- preparation -----------------------------------------------------------------------------------

    def explain(self) -> tuple[str, ...]:
        """Explain what was chosen and why, one line each."""
        sources, lines = len(self.jobs), self.about()
        if sources > self.width:
            lines.append(
                f"{sources} sources, {self.width} at a time: one that has converged makes room for the next"
            )
        return (*lines, f"scores in {self.numbers.dtype}, sums in {self.numbers.words}")

    def upload(self) -> None:
        """Upload the graph, and allocate the vectors."""
        self.bring()
        dev, n, real, width, problem = self.device, self.n, self.real, self.width, self.problem
        dev.reserve(self._vectors(width))
        self.scale = leaving(dev, self.graph, problem, real, self.request.weight)
        given = problem.dangling if problem.policy == "given" else None
        self.q = None if given is None else dev.upload(given.astype(real))
        self.value, self.next = (dev.empty(n * width, real) for _ in range(2))
        self.p = dev.empty(n * width, real) if self.by_vector else None
        self.out = dev.empty(n * width, real) if self.options.top is None else None
        self.parts = dev.empty(3 * width * self.tallies, np.float64)  # an ACC has 8 bytes either way
        self.sums, self.state = dev.empty(4 * width, np.float64), dev.empty(4 * width, np.int32)
        self.source, self.lane, self.from_, self.given_row = (dev.empty(width, np.int32) for _ in range(4))

    def compile(self) -> None:
        """Build the kernels."""
        defines = {
            **self.numbers.defines,
            "LANES": self.width,
            "POLICY": POLICIES[self.problem.policy],
            "NORM": NORMS[self.options.stop.norm],
            "WEIGHTED": self.weighted,
            "P_VECTOR": self.by_vector,
        }
        self.build(defines)
        self._items = self.device.tuning.items
        own = {"LOCAL": self.local, "ITEMS": self._items, "SQUARED": self.options.squared}
        self._program = self.device.program("ranking/personalized/lanes", **defines, **own)
        self._top = None
        if self.options.top is not None:
            self._top = Top(self.device, self.n, self.options.top, self.width, self.real, scaled=True)

    # --- the loop --------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Take all sources to their ends."""
        found = Outcome(self.request, self.round_off, self.explain())
        pending = deque(self.jobs)
        self._job = np.full(self.width, -1)
        self._steady = np.zeros(self.width, np.int64)
        self._seen: list[frozenset[int] | None] = [None] * self.width
        self._start(list(range(self.width)), pending)
        every = self.options.check_every
        long_work = self.graph.num_arcs * self.width >= LONG_WORK
        # iterations between two looks of the host, which cost as much as some short iterations
        looks = every if long_work or self.options.stable_top else -(-LOOK // every) * every
        finish, group = self._program.ppr_finish, self.width * self.local
        end = finish.arguments_of(self) | {"count": self.tallies}
        while True:
            for i in range(looks):
                test = (i + 1) % every == 0
                self.add(test)
                finish(group, local=self.local, test=test, **end)
                self.value, self.next = self.next, self.value
            state = self.device.download(self.state, np.int32, 4 * self.width).reshape(4, self.width)
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

    def _start(self, lanes: list[int], pending: deque[int]) -> None:
        """Give these lanes the next sources, or nothing."""
        dev, queries, width, numbers = self.device, self.queries, self.width, self.numbers
        first = not np.any(self._job >= 0)
        state = np.zeros((4, width), np.int32)
        sums: npt.NDArray[Any] = np.zeros((4, width, numbers.accs), numbers.acc)
        source = np.full(width, EMPTY, np.int32)
        if first:
            state[STOPPED] = 1
        else:
            state[:] = dev.download(self.state, np.int32, state.size).reshape(state.shape)
            sums[:] = dev.download(self.sums, sums.dtype, sums.size).reshape(sums.shape)
            source[:] = dev.download(self.source, np.int32, width)
        begins, rows_of = np.full(width, KEPT, np.int32), np.zeros(width, np.int32)
        for j, lane in enumerate(lanes):
            job = pending.popleft() if pending else -1
            self._job[lane], self._steady[lane], self._seen[lane] = job, 0, None
            state[:, lane] = job < 0, 0, 0, 0
            source[lane] = begins[lane] = EMPTY
            rows_of[lane] = j
            sums[:, lane] = 0
            sums[3, lane, 0] = FAR
            if job < 0:
                continue
            if self.problem.policy != "drop":
                sums[0, lane, 0] = queries.on_dangling[job]
            begins[lane] = source[lane] = 0 if queries.vertices is None else queries.vertices[job]
        given = None
        if self.by_vector:
            rows = [
                queries.distinct_vector(self._job[lane]) if self._job[lane] >= 0 else np.zeros(self.n)
                for lane in lanes
            ]
            given = dev.upload(np.stack(rows).astype(self.real))
        filled = {"state": state, "sums": sums, "source": source, "from_": begins, "given_row": rows_of}
        for name, values in filled.items():
            dev.write(getattr(self, name), values)
        # on GPUs adjacent work-items take adjacent lanes: those of a vertex are written together
        count = self.n * width if self._items == 1 else -(-self.n // self._items)
        self._program.ppr_start.launch(self, count, given=given)

    def _take(self, lanes: list[int], state: npt.NDArray[np.int32], found: Outcome) -> None:
        """Fetch the results of lanes that have stopped."""
        dev, count = self.device, len(lanes)
        jobs = self._job[lanes]
        dev.write(self.lane, np.array(lanes, np.int32))
        if self._top is not None:
            self._top.enqueue(self.lane, count, self.value, self.scale)
            found.index[jobs], found.scores[jobs] = self._top.take(count)
        else:
            self._program.ppr_take.launch(self, -(-self.n // self._items), count=count)
            for j, job in enumerate(jobs):
                found.put_scores(job, self.out, j * self.n)
        count_of_sums = 4 * self.width * self.numbers.accs
        sums = dev.download(self.sums, self.numbers.acc, count_of_sums).astype(np.float64)
        sums = sums.reshape(4, self.width, -1).sum(axis=2)
        residuals = np.sqrt(sums[2][lanes]) if self.options.squared else sums[2][lanes]
        met = state[CONVERGED][lanes] != 0
        steady = found.ended[jobs] == "top"
        iterations, moved = state[ITERATIONS][lanes], sums[1][lanes]
        found.put_end(jobs, iterations, moved, residuals, met, steady)
        self._job[lanes] = -1

    def _stop_steady(self, state: npt.NDArray[np.int32], found: Outcome) -> None:
        """Stop the lanes whose top k set has not changed for long enough."""
        running = np.flatnonzero((self._job >= 0) & (state[STOPPED] == 0))
        if not len(running) or self._top is None:
            return
        self.device.write(self.lane, running.astype(np.int32))
        self._top.enqueue(self.lane, len(running), self.value, self.scale)
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
        # the device stops a lane only by its state
        if changed:
            self.device.write(self.state, np.ascontiguousarray(state))


# --- the rows on CPUs -------------------------------------------------------------------------------------


class RunBatch(BatchedPower):
    """One work-item takes a run of rows, and all lanes."""

    def prepare(self) -> None:
        self.reverse = reverse = self.graph.reverse
        runs, device = self.config.runs, self.device

        def make() -> tuple[int, int, Any]:
            longest = int(np.diff(reverse.row_ptr).max(initial=0))
            # a row's end costs about as much as a few arcs
            cost = reverse.row_ptr.astype(np.int64) + SETTLE * np.arange(len(reverse.row_ptr))
            bound = balanced(cost, runs)
            return len(bound) - 1, max(longest, int(np.diff(bound).max())), device.upload(bound)

        self.tallies, self.chain, self.bound = device.cached(reverse, ("ppr-runs", runs), make)

    def about(self) -> list[str]:
        return [f"{self.width} lanes: one work-item takes a run of rows and all lanes, {self.tallies} runs"]

    def bring(self) -> None:
        self.csr = csr = upload_csr(self.device, self.reverse)
        self.row_ptr, self.col_idx, self.share = csr.row_ptr, csr.col_idx, self.shares()

    def build(self, defines: dict[str, Any]) -> None:
        program = self.device.program("ranking/personalized/power", **defines, **self.csr.defines)
        self._runs = program.ppr_runs

    def add(self, test: bool) -> None:
        self._runs.launch(self, self.tallies, local=1, test=test)


# --- the rows on GPUs -------------------------------------------------------------------------------------


def make_places(device: Device, rows: DeviceCSR, piece: int) -> dict[str, Any]:
    """Sort the rows of the reversed graph by decreasing length, and cut the long ones.

    Returns
    -------
    dict with
        "order" (buffer of int32, n): the row at each place; "long_rows", "filled": how many are in pieces,
        how many have arcs; "first_piece", "piece_begin", "piece_end" (buffers): of each long row, and (in
        offsets) of each piece; "pieces", "longest_join": pieces of all rows, and the most of one.
    """
    n, items, row_ptr = rows.n, device.tuning.items, rows.row_ptr
    program = device.program("ranking/personalized/teams_order", **rows.defines, ITEMS=items)
    device.reserve({"order": 4 * n, "keys": 12 * n})
    key = device.empty(n, np.uint32)
    program.teams_keys(-(-n // items), n=n, row_ptr=row_ptr, key=key)
    key, order = sort_by_key(device, key, n, 16)
    bound, most = device.empty(2, np.int32), device.zeros(1, np.int32)
    program.teams_bounds(2, n=n, piece=piece, key=key, bound=bound)
    long_rows, filled = device.download(bound, np.int32, 2).tolist()
    count = device.empty(long_rows, np.int32)
    passes = -(-long_rows // items)
    cutting = {"long_rows": long_rows, "piece": piece, "order": order, "row_ptr": row_ptr}
    program.teams_counts(passes, **cutting, count=count, most=most)
    first = running_sums(device, count, long_rows, into=np.int32)
    pieces = int(device.download(first, np.int32, 1, offset=long_rows)[0])
    begin, end = (device.empty(pieces, rows.offset) for _ in range(2))
    program.teams_cut(passes, **cutting, first=first, piece_begin=begin, piece_end=end)
    longest_join = int(device.download(most, np.int32, 1)[0])
    cut = {"first_piece": first, "piece_begin": begin, "piece_end": end, "pieces": pieces}
    return {**cut, "order": order, "long_rows": long_rows, "filled": filled, "longest_join": longest_join}


class TeamBatch(BatchedPower):
    """Teams of work-items take a row each, four lanes to a work-item."""

    pieces: int

    def prepare(self) -> None:
        device, reverse, piece = self.device, self.graph.reverse, self.config.piece
        self.team = self.width // SPAN
        # a team never spans two groups
        self.group = max(self.config.group, self.team)
        teams = self.group // self.team
        self.tallies = min(GROUPS, -(-self.n // teams))
        self.csr = csr = upload_csr(device, reverse)
        self.row_ptr, self.col_idx = csr.row_ptr, csr.col_idx
        places = device.cached(reverse, ("ppr-places", piece), lambda: make_places(device, csr, piece))
        vars(self).update(places)
        each = self.n // (self.tallies * teams)
        self.chain = piece + places["longest_join"] + each + int(log2(self.group))

    def about(self) -> list[str]:
        return [
            f"{self.width} lanes: {self.team} work-items take a row, four lanes each; rows by decreasing "
            f"length, those of more than {self.config.piece} arcs in pieces"
        ]

    def bring(self) -> None:
        self.share = self.shares()
        self.piece_sum = self.device.empty(self.pieces * self.width, np.float64)

    def build(self, defines: dict[str, Any]) -> None:
        program = self.device.program(
            "ranking/personalized/teams", **defines, **self.csr.defines, LOCAL=self.group
        )
        self._pieces, self._teams = program.ppr_pieces, program.ppr_teams

    def add(self, test: bool) -> None:
        if self.pieces:
            self._pieces.launch(self, self.pieces * self.team, local=self.group)
        self._teams.launch(self, self.tallies * self.group, local=self.group, test=test)


# the iterating methods beside "power", which sum the rows of one source at a time: `clgraph.theses` adds them
BATCHES: Table[type[BatchedPower]] = Table()


def batch_of(method: str, device: Device) -> type[BatchedPower]:
    """Return the class that sums a method's rows on a device."""
    if method == "power":
        return TeamBatch if LAUNCH.of(device).teams else RunBatch
    return BATCHES[method]
