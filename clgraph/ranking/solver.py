"""The power method on a device: the vectors, the loop and its end.

Host half of ``cl/ranking/solver.cl``, and of ``order.cl``: vectors in the order of a plan's rows.

Each variant is a `Solver` that sums the rows in its own way: `clgraph.ranking.plan`,
`clgraph.ranking.spmv`, `clgraph.ranking.spmv_small` and, for variants of the theses, `clgraph.theses.rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, log, log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.device.memory import Staging
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.problem import noise

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch import Kernel
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Reals, Stop
    from clgraph.results import Arrays

Real = type[np.floating[Any]]  # np.float32 or np.float64: the type of stored values
# iterations enqueued at most before the host looks whether the device has stopped: a look empties the queue,
# and surplus launches are no-ops (8 us each on an H200, 20 us on PoCL)
LOOK = 8
GLANCES = ("gpu",)  # kinds of devices that work on while the host looks, unless they share its memory
NORMS = {"l1": 1, "nx": 1, "l2": 2, "linf": 3}  # as the kernels call them
TALLY = 24  # bytes of local memory for each work-item whose tally is added to its group's
SUMS, STATE = 24, 16  # bytes of `sums` and `state` that the host looks at
Seen = tuple[bool, int, bool, float, float]  # has stopped, iterations, whether the test was met, residuals
Launch = tuple["Kernel", int, int | None, dict[str, Any]]  # kernel, work-items, work-group, arguments


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration where a work-item takes a vertex, or a run of them.

    Attributes
    ----------
    items : int
        Consecutive vertices of a work-item.
    """

    items: int
    EACH: ClassVar[int] = TALLY


# of the start, of the end of an iteration, and of variant contribution; on CPUs a group is one work-item with
# a long run of vertices
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, items=1),
    cpu=LaunchConfig(local=1, items=2048),
    simulator=LaunchConfig(local=4, items=4),
)


class Numbers:
    """The types of a run: of what is stored, and of sums.

    Parameters
    ----------
    device : Device
    dtype : {"float32", "float64"}

    Raises
    ------
    InputError
        If the device has no float64.

    Attributes
    ----------
    compensated : bool
        Sums are pairs of floats, since the device has no float64.
    real : type
        Of what is stored.
    defines : dict
        Build options.
    words : str
        The type of the sums, for a plan.
    acc, accs
        The type of the numbers that a sum is made of (an ACC of the kernels), and how many they are.
    """

    def __init__(self, device: Device, dtype: str) -> None:
        self.dtype, self.compensated = dtype, "HAVE_FP64" not in device.features
        if dtype == "float64" and self.compensated:
            raise InputError(
                f"{device.spec} ({device.name}) has no float64 arithmetic: use dtype='float32' (its sums are "
                "compensated there), or another device"
            )
        self.real: Real = np.float64 if dtype == "float64" else np.float32
        real = "double" if dtype == "float64" else "float"
        self.defines: dict[str, Any] = {"REAL": real, "COMPENSATED": self.compensated}
        self.acc: Real = np.float32 if self.compensated else np.float64
        self.accs = 2 if self.compensated else 1
        self.words = "pairs of float32 (compensated)" if self.compensated else "float64"


def longest_row(device: Device, graph: Graph) -> int:
    """Return the arcs of a graph's longest row; computed once."""
    return device.cached(graph, "longest-row", lambda: int(np.diff(graph.row_ptr).max(initial=0)))


def iterations_until(threshold: float, residual: float, rate: float) -> int:
    """Return after how many iterations a residual that shrinks at a rate is below a threshold: 1 to LOOK."""
    if not 0 < rate < 1:  # not known yet, or it grows
        return LOOK
    return min(max(ceil(log(threshold / residual) / log(rate)), 1), LOOK)


# --- vectors in the order of a plan's rows ---------------------------------------------------------------


def launch_order(
    device: Device, real: Real, kernel: str, n: int, *, offset: str = "int", **named: Any
) -> None:
    """Launch a kernel of ``cl/ranking/order.cl`` over `n` entries of vectors of this type."""
    items, number = device.tuning.items, "float" if real is np.float32 else "double"
    program = device.program("ranking/order", OFFSET=offset, REAL=number, ITEMS=items)
    getattr(program, f"order_{kernel}")(-(-n // items), n=n, **named)


def gather(device: Device, real: Real, n: int, at: Any, values: Any, out: Any = None) -> Any:
    """Return ``values[at]`` in `out`, or a new buffer that `Device.take` hands over."""
    out = device.output(n, real) if out is None else out
    launch_order(device, real, "gather", n, at=at, values=values, out=out)
    return out


def upload_in_order(device: Device, real: Real, order: Any, values: Reals) -> Any:
    """Upload a vector given by vertex, by position; `order` None: as it is."""
    by_vertex = device.upload(values.astype(real))
    return by_vertex if order is None else gather(device, real, len(values), order, by_vertex)


def narrowed(device: Device, values: Any, n: int) -> Any:
    """Return a vector of float64 on the device as one of float32."""
    out = device.empty(n, np.float32)
    launch_order(device, np.float32, "narrow", n, values=values, out=out)
    return out


def leaving(
    device: Device,
    graph: Graph,
    problem: Problem,
    real: Real,
    weight: bool,
    *,
    plan: Hashable = "graph",
    order: Any = None,
    inverse: bool = False,
) -> Any:
    """Out-degrees on the device, or their inverses; 0 at dangling vertices. Cached with the graph.

    1 instead where the graph is weighted: transition weights have the division in them (`upload_shares`).

    Parameters
    ----------
    weight : bool
        Whether the graph's weights count.
    plan : hashable
        Names the order: the same plan gives the same order.
    order : int32 buffer or None
        The vertex at each position.
    """
    weighing, n = problem.weighing, graph.num_vertices

    def make() -> Any:
        device.reserve({"out-degrees": n * np.dtype(real).itemsize, "order": 8 * n})
        # the host's W where only the host has the weights, and where there are no kernels for rows
        if (weighing.weighted and weighing.largest is None) or by_pipelines(device):
            out = problem.out
            if weighing.weighted:
                out = (out > 0).astype(np.float64)
            elif inverse:
                # a third of the time that np.divide takes with `where`
                with np.errstate(divide="ignore"):
                    out = 1 / out
                out[problem.out == 0] = 0
            return upload_in_order(device, real, order, out)
        csr, made = upload_csr(device, graph), device.empty(n, real)
        form = LEAVES if weighing.weighted else INVERSE if inverse else DEGREE
        given = {"form": form, "order": order, "row_ptr": csr.row_ptr, "out": made}
        launch_order(device, real, "leaving", n, offset=csr.defines["OFFSET"], **given)
        return made

    key = "leaving", plan, real, inverse, bool(weight) if weighing.weighted else None
    return device.cached(graph, key, make)


DEGREE, INVERSE, LEAVES = range(3)  # as in cl/ranking/order.cl


def by_pipelines(device: Device) -> bool:
    """True if the solver is a pipeline: the device may be a board that has no other kernels."""
    return device.has_pipeline("ranking/solver")


# --- the solver -----------------------------------------------------------------------------------------


class Solver:
    """Buffers and launches of one call. Kernels take arguments from its attributes of the same names.

    Parameters
    ----------
    device : Device
    graph : Graph
    problem : Problem
    stop : Stop
    numbers : Numbers
    weight : bool
        Whether the graph's weights count.

    Attributes
    ----------
    order, number : int32 buffers, shape (n,), or None
        The vertex at each position; None for the graph's own order. And the position of each vertex,
        if it is known already.
    plan : hashable
        Names that order.
    tallies : int
        Work-groups that tally, in all launches of an iteration.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    ends_before : bool
        The first launch takes a ``count`` of parts, and whether it ``counts``: it ends the iteration before.
    sends_rank : bool
        A vertex's contribution is its rank (each arc divides), not its rank over its out-degree.
    shift : int
        Zeros in front of the contributions.
    arrays : {"host", "device"} or None
        Where `take` leaves the scores; None where nobody takes them. To be set before `run`.
    rank, contribution, next, parts, sums, state : buffers
        As in ``cl/ranking/pagerank.h``; lent to one call at a time (`upload`), like what `make_work` adds.
    glance : Staging or None
        What `sums` and `state` are parts of, where the device works on while the host looks at them.
    inverse, p, q, start : buffers
        1 / out-degree, p, q and the start in the rows' order. All but the first may be None: 1/n everywhere.
    """

    variant = ""
    order: Any = None
    number: Any = None
    plan: Hashable = "graph"
    tallies = 1
    chain = 0
    ends_before = False
    sends_rank = False
    shift = 0
    arrays: Arrays | None = "host"
    rank: Any
    contribution: Any
    next: Any
    parts: Any
    sums: Any
    state: Any
    glance: Staging | None
    _seen: Seen | None = None
    _scores: Any = None  # the ranks in the graph's order, a buffer, and as an array there if it is to stay
    _ordered = False  # whether they are enqueued

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, stop: Stop, numbers: Numbers, weight: bool
    ) -> None:
        self.device, self.graph, self.problem, self.stop = device, graph, problem, stop
        self.numbers, self.real, self.weight = numbers, numbers.real, weight
        self.weighted, self.n, self.even = problem.weighing.weighted, problem.n, 1 / problem.n
        self.damping, self.drop, self.norm = problem.damping, problem.drop, NORMS[stop.norm]
        self.threshold, self.last = stop.threshold, stop.max_iter
        self.noise = noise(stop, problem.damping, numbers.dtype)
        # looked up once per graph: it takes as long as some launches
        config = device.cached(graph, "ranking-launch", lambda: LAUNCH.of(device))
        self.local, self.items = config.local, config.items
        # the variant says how many groups tally
        self.prepare()
        # the start has its own tally
        flat = device.has_pipeline("ranking/solver")  # one work-item takes all, and sums in fixed point
        self.start_items = self.n if flat else self.items
        self.start_groups = -(-self.n // (self.start_items * self.local))
        most = max(self.tallies, self.start_groups)
        own = 1 if flat else self.start_items
        self.chain = max(self.chain, own, most // self.local) + int(log2(self.local))
        self._room = most
        # longest chain of additions in the ranks' own precision; 0 where sums are kept more exactly. (Pairs
        # of floats end in a float each: the row's sum, the mass, and their sum.)
        self.round_off_chain = self.chain if numbers.dtype == "float64" else 4 if numbers.compensated else 0
        # W is added in float64, too, from left to right; only the error bound knows it
        self.bound_chain = self.round_off_chain
        if self.weighted and numbers.dtype == "float64":
            self.bound_chain += longest_row(device, graph)

    # --- what a variant says ---------------------------------------------------------------------------

    def prepare(self) -> None:
        """Choose the launch configuration, and build the plan's own layout of the graph."""

    def about(self) -> list[str]:
        """Describe what was chosen, one line each."""
        raise NotImplementedError

    def make_work(self) -> dict[str, Any]:
        """Allocate scratch buffers by the names of their attributes; later calls reuse them."""
        return {}

    def build(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the problem."""
        raise NotImplementedError

    def launches(self) -> Iterable[Launch]:
        """Return the launches that sum all rows from `contribution` into `next`, in order."""
        raise NotImplementedError

    # --- what all have in common -----------------------------------------------------------------------

    def explain(self) -> tuple[str, ...]:
        """Explain what was chosen and why, one line each; valid after `upload`."""
        types = f"ranks in {self.numbers.dtype}, sums in {self.numbers.words}"
        return (f"variant {self.variant} on {self.device.name}", *self.about(), types)

    def upload(self) -> None:
        """Upload the graph, and allocate and fill the vectors."""
        dev, n, real = self.device, self.n, self.real
        at: dict[str, Any] = {"plan": self.plan, "order": self.order, "inverse": True}
        self.inverse = leaving(dev, self.graph, self.problem, real, self.weight, **at)
        self.fill_vectors()
        # buffers are named by all that their sizes depend on
        key = "ranking-work", self.variant, self.plan, real, self._room
        self._areas: Pool[dict[str, Any]] = dev.cached(self.graph, key, Pool)

        def make() -> dict[str, Any]:
            vectors = ("rank", "contribution", "next", "p", "q", "start")
            dev.reserve({name: n * np.dtype(real).itemsize for name in vectors})
            # `output` has large pages on CPUs, which suit gathers from all over a vector
            contribution, following = (dev.output(n + self.shift, real) for _ in range(2))
            for buffer in (contribution, following) if self.shift else ():
                dev.fill(buffer, real(0), self.shift)
            parts = dev.empty(3 * self._room, np.float64)  # an ACC has 8 bytes either way
            area = {"rank": dev.output(n, real), "contribution": contribution, "next": following}
            return {**area, "parts": parts, **self.make_work()}

        self._area = self._areas.borrow(make)
        self._ends: Pool[dict[str, Any]] = dev.cached(self.graph, "ranking-ends", Pool)
        self._end = self._ends.borrow(self._make_end)
        vars(self).update(self._area | self._end)

    def _make_end(self) -> dict[str, Any]:
        """Allocate `sums` and `state`."""
        dev = self.device
        if dev.kind not in GLANCES or dev.shares_memory:
            return {"sums": dev.empty(4, np.float64), "state": dev.empty(4, np.int32), "glance": None}
        glance = Staging(dev, max(32, dev.raw.mem_base_addr_align // 8) + STATE)
        place = len(glance.array) - STATE
        return {"sums": glance.part(0, 32), "state": glance.part(place, STATE), "glance": glance}

    def fill_vectors(self) -> None:
        """Upload the vectors that the caller gave."""
        p, q, start = self.problem.personalization, self.problem.dangling, self.problem.start
        self.p, self.start = (None if each is None else self.to_rows(each) for each in (p, start))
        self.q = self.p if q is p else None if q is None else self.to_rows(q)

    def to_rows(self, values: Reals) -> Any:
        """Upload a vector given by vertex, in the order of the rows."""
        return upload_in_order(self.device, self.real, self.order, values)

    def entries(self, vertices: npt.NDArray[Any], values: Reals) -> Any:
        """A vector in the order of the rows on the device: these values at some vertices, 0 elsewhere."""
        # boards have no kernel that scatters a few entries
        if by_pipelines(self.device):
            dense = np.zeros(self.n)
            dense[vertices] = values
            return self.to_rows(dense)
        upload, made = self.device.upload, self.device.zeros(self.n, self.real)
        few = {"vertex": upload(vertices.astype(np.int32)), "entry": upload(values.astype(self.real))}
        given = {**few, "position": self.number, "values": made}
        launch_order(self.device, self.real, "entries", len(vertices), **given)
        return made

    def give_back(self) -> None:
        """Return the buffers for the next call; after the last `take`, if nothing failed."""
        self._ends.give_back(self._end)
        if self.order is not None:  # else the ranks were handed over as they are
            self._areas.give_back(self._area)

    def compile(self) -> None:
        """Build the kernels."""
        defines = {
            **self.numbers.defines,
            "WEIGHTED": self.weighted,
            "SEND_RANK": self.sends_rank,
            "SHIFT": self.shift,
        }
        self.build(defines)
        self._program = self.device.program(
            "ranking/solver", **defines, LOCAL=self.local, ITEMS=self.start_items
        )

    def begin(self) -> None:
        """Enqueue the start: ranks, contributions, and the mass on dangling vertices."""
        local, self._seen, self._scores, self._ordered = self.local, None, None, False
        self._program.pagerank_start.launch(self, self.start_groups * local, local=local)
        if not self.ends_before:
            parts = {"count": self.start_groups, "counts": False}
            self._program.pagerank_finish.launch(self, local, local=local, **parts)

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        self.begin()
        finish, done, last = self._program.pagerank_finish, 0, self.last
        end: dict[str, Any] = {}
        turns = self.contribution, self.next
        made: tuple[list[Launch], list[Launch]] = [], []
        tallied, none = {"count": self.tallies, "counts": True}, {"count": 0, "counts": True}
        # the parts of the iteration before, or of the start
        parts = {"count": self.start_groups, "counts": False}

        def launches(turn: int) -> Iterator[Launch]:
            """Yield an iteration's as soon as each is made: the device waits for the first of all."""
            if made[turn]:
                yield from made[turn]
                return
            # contributions change places after each iteration
            self.contribution, self.next = turns[::-1] if turn else turns
            for each in self.launches():
                made[turn].append(each)
                yield each

        def iterate(until: int) -> int:
            nonlocal parts, end
            for number in range(done, until):
                given = parts if self.ends_before else {}
                for kernel, size, local, named in launches(number % 2):
                    kernel(size, local=local, **named, **given)
                    given = {}
                parts = tallied
                if not self.ends_before or number + 1 == until:
                    end = end or finish.arguments_of(self) | tallied  # after the first launches
                    finish(self.local, local=self.local, **end)
                    parts = none
            return max(done, until)

        if self.stop.tol == 0:  # there is nothing to look at: the queue stays full
            while done < last:
                done = iterate(min(done + LOOK, last))
                if done % (8 * LOOK) == 0:
                    self.device.finish()  # a queue should not grow without bounds
                if progress:
                    progress(done, last)
            self.device.finish()
            return
        works_on = self.glance is not None
        looked, before, until, ahead = 0, inf, min(LOOK, last), LOOK
        while True:
            done = iterate(until)
            seen = self._start_look()
            if works_on and self.arrays and not looked:
                self._make_scores()  # while the device is busy: it takes the driver 0.2 ms on an H200
            if works_on and self.arrays and ahead < LOOK:  # probably the end
                self._put_in_order()
            elif works_on:  # one more, lest the device wait for the host; after the last it does nothing
                done = iterate(min(until + 1, last))
            stopped, *_, residual = seen()
            if stopped:
                break
            if progress:
                progress(until, last)
            if until >= last:
                break
            self._ordered = False
            rate = (residual / before) ** (1 / (until - looked))
            ahead = iterations_until(self.threshold, residual, rate)
            looked, before, until = until, residual, max(done, min(until + ahead, last))
        self.device.finish()

    def look(self) -> Seen:
        """Return what the device has come to; waits."""
        return self._start_look()()

    def _start_look(self) -> Callable[[], Seen]:
        """Ask what the device has come to; the function returned waits, and the device works on meanwhile."""
        if (known := self._seen) is not None and known[0]:  # what has stopped stays as it is
            return lambda: known
        dev, numbers = self.device, self.numbers
        found: Callable[[], npt.NDArray[np.uint8]]
        if self.glance is None:
            parts = [dev.download(self.sums, np.uint8, SUMS), dev.download(self.state, np.uint8, STATE)]
            found = partial(np.concatenate, parts)
        else:
            found = self.glance.start_fetch(len(self.glance.array))

        def seen() -> Seen:
            each = found()
            stopped, iterations, met, _ = each[-STATE:].view(np.int32).tolist()
            sums = each[:SUMS].view(numbers.acc).astype(np.float64)
            _, moved, residual = sums.reshape(3, -1).sum(axis=1).tolist()
            self._seen = bool(stopped), iterations, bool(met), moved, residual
            return self._seen

        return seen

    def end(self) -> tuple[int, bool, float, float]:
        """Return the iterations, whether the test was met, and the residuals (L1, norm); waits."""
        return self.look()[1:]

    def _make_scores(self) -> None:
        """Make the buffer for the ranks in the graph's order; a first use makes the driver allocate it."""
        buffer = self.rank
        if self.order is not None:
            buffer = self.device.output(self.n, self.real)
            self.device.copy(buffer, self.state, 4)
        self._scores = (
            buffer,
            self.device.array(buffer, self.real, self.n) if self.arrays == "device" else None,
        )

    def _put_in_order(self) -> None:
        """Enqueue the ranks in the graph's order."""
        if self._scores is None:
            self._make_scores()
        if self.order is not None:
            gather(self.device, self.real, self.n, self.number, self.rank, self._scores[0])
        self._ordered = True

    def take(self) -> tuple[Any, int, bool, float, float]:
        """Return the scores in the graph's order, and what `end` returns."""
        if not self._ordered:
            self._put_in_order()
        buffer, array = self._scores
        return self.device.take(buffer, self.real, self.n) if array is None else array, *self.end()
