"""Reservoirs of edges (pies, gsh, gps) from streams: files, or graphs in order of edge priority.

Host half of ``cl/sampling/literature/stream_pies.cl``, ``stream_gsh.cl``, ``stream_gps.cl``,
``stream_held.h`` and ``stream_order.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_words
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError, InputError
from clgraph.sampling.literature.engine import Engine
from clgraph.sampling.literature.reservoir import Reservoir
from clgraph.sampling.literature.selection import given
from clgraph.sampling.literature.smallest import Column
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.formats.arrivals import Chunk
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

# edges that a run may hold: their numbers, and areas of int, stay within 31 bits
MOST = 1 << 26


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    acts : int
        Edges that one launch takes, one after the other.
    room : int
        Edges that a run has room for in the beginning, where their number is not given.
    block : int
        Blocks of this many edges are weighed side by side.
    """

    acts: int
    room: int
    block: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(acts=1 << 12, room=4096, block=1 << 8),
    cpu=LaunchConfig(acts=1 << 20, room=4096, block=1 << 10),
    simulator=LaunchConfig(acts=7, room=4, block=16),
)


def power_of_two(least: int) -> int:
    """Return the smallest power of two that is at least this, and at least 2."""
    return 1 << max(1, (least - 1).bit_length())


class Stream:
    """Base of stream samplers: runs with the seeds `seed`, `seed` + 1, ... side by side over one stream.

    Attributes have the names of kernels' parameters. `most` edges come, if that is known.

    Attributes
    ----------
    arrivals : int
        Edges that came so far.
    room : int
        Edges that a run has room for.
    """

    # words of a run's state in the kernels' source, and those that are not 0 before the first edge
    WIDTH: ClassVar[int] = 8
    BEGIN: ClassVar[dict[int, int]] = {}
    # the word that has the next place in the chunk, which each chunk sets back
    PLACE: ClassVar[int] = 3
    # the word that has how many ids a run knows
    VERTICES: ClassVar[int] = 1

    def __init__(
        self, device: Device, request: Request, seed: int, runs: int, most: int | None = None
    ) -> None:
        self.device, self.request, self.seed, self.runs = device, request, seed, runs
        self.shape = shape = LAUNCH.of(device)
        self.acts, self.arrivals, self.slots = shape.acts, 0, 0
        self.room = max(1, shape.room if most is None else min(most, shape.room))
        self.program = device.program(f"sampling/literature/stream_{request.method}")
        self.waiting = device.empty(2, np.int32)
        self.prepare(most)
        state = np.zeros((runs, self.WIDTH), np.int64)
        state[:, list(self.BEGIN)] = list(self.BEGIN.values())
        self.state = device.upload(state, writable=True)
        self.step = getattr(self.program, f"{request.method}_step")
        self.allocate()

    def prepare(self, most: int | None) -> None:
        """Set what only this sampler needs, before memory is allocated; `most` edges come."""

    # --- memory -----------------------------------------------------------------------------------

    def areas(self) -> tuple[int, int, int]:
        """Return the buckets, ints and longs of a run."""
        buckets = power_of_two(2 * self.room)
        return buckets, 2 * buckets + 14 * self.room, 5 * self.room

    def allocate(self) -> None:
        """Allocate areas for `room` edges per run."""
        if self.room > MOST or self.slots > MOST:
            raise CapacityError(
                f"{self.request.method} would hold more than {MOST} edges or vertices: ask for fewer"
            )
        device, runs = self.device, self.runs
        self.buckets, ints, longs = self.areas()
        device.reserve({"edges held": runs * (4 * ints + 8 * longs)})
        self.ints = device.empty(runs * ints, np.int32)
        device.fill(self.ints, np.int32(-1), runs * ints)
        self.longs = device.empty(runs * longs, np.uint64)

    def grow(self) -> None:
        """Make room for more edges."""
        raise NotImplementedError

    def states(self) -> npt.NDArray[np.int64]:
        """Return the state of each run."""
        wide = self.WIDTH
        return self.device.download(self.state, np.int64, self.runs * wide).reshape(self.runs, wide)

    def ids(self) -> npt.NDArray[np.uint64]:
        """Return the ids of all vertices that a run holds, and perhaps of some that it dropped."""
        counts = self.states()[:, self.VERTICES]
        return np.unique(np.concatenate([row[:k] for row, k in zip(self.rows(), counts, strict=True)]))

    def rows(self) -> npt.NDArray[np.uint64]:
        """Return the longs of each run."""
        wide = self.areas()[2]
        return self.device.download(self.longs, np.uint64, self.runs * wide).reshape(self.runs, wide)

    # --- the pass ---------------------------------------------------------------------------------

    def feed(self, tail: Any, head: Any, weight: Any, count: int, *, stride: int = 0) -> None:
        """Take the next edges, without loops: uint64 buffers, of each run its own with stride = count."""
        self.tail, self.head, self.given, self.count, self.stride = tail, head, weight, count, stride
        self.before = self.arrivals
        self.take()
        self.arrivals += count

    def take(self) -> None:
        """Take the edges that were fed, a launch for some at a time."""
        device, states = self.device, self.states()
        states[:, self.PLACE] = 0
        device.write(self.state, states)
        going = self.count > 0
        while going:
            device.clear(self.waiting, 2, np.int32)
            self.step.launch(self, self.runs)
            more, full = device.download(self.waiting, np.int32, 2).tolist()
            if full:
                self.grow()
            going = bool(more or full)

    # --- after ------------------------------------------------------------------------------------

    def result(self) -> list[Reservoir]:
        """Return the reservoir of each run."""
        device, states = self.device, self.states()
        offset = np.concatenate(([0], np.cumsum(states[:, 0])))
        many = int(offset[-1])
        made = {name: device.empty(max(many, 1), np.uint64) for name in ("from_", "to", "time", "weight")}
        begins, heap = device.upload(offset, writable=True), self.request.method == "gps"
        self.program.held_ends.launch(self, self.runs, heap=heap, **made, offset=begins)
        columns = np.stack([device.download(each, np.uint64, many) for each in made.values()])
        reservoirs = []
        for state, first, last in zip(states, offset, offset[1:], strict=False):
            own = columns[:, first:last]
            source, target, time, weight = own[:, np.argsort(own[2])]
            vertices = np.unique(np.concatenate((source, target)))
            about = self.chances(weight, state)
            came = time.astype(np.int64)
            reservoirs.append(Reservoir(self.arrivals, vertices, source, target, came, *about))
        return reservoirs

    def chances(self, weight: npt.NDArray[np.uint64], state: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        """Return each edge's probability, the in-stream triangle count (or None), and completeness."""
        raise NotImplementedError


class Vertices(Stream):
    """Partially induced edge sampling (pies): vertices are held, and the edges among them."""

    VERTICES = 0
    BEGIN: ClassVar[dict[int, int]] = {2: -1}

    def prepare(self, most: int | None) -> None:
        self.slots = self.request.target or 0

    def areas(self) -> tuple[int, int, int]:
        buckets = power_of_two(2 * self.slots)
        return buckets, buckets + self.slots, 2 * self.slots + 3 * self.room

    def grow(self) -> None:
        """Drop what is lost; where that is not enough, make twice the room."""
        self.program.pies_settle.launch(self, self.runs)
        if int(self.states()[:, 1].max()) <= self.room // 2:
            return
        room, longs = self.room, self.longs
        self.room *= 2
        self.longs = self.device.empty(self.runs * self.areas()[2], np.uint64)
        wider = {"room": room, "longs": longs, "wider": self.room, "more": self.longs}
        self.program.pies_grow.launch(self, self.runs, **wider)

    def result(self) -> list[Reservoir]:
        # edges of which an end was replaced
        self.program.pies_settle.launch(self, self.runs)
        made = []
        for row, state in zip(self.rows(), self.states(), strict=True):
            held, noted, first = int(state[0]), int(state[1]), 2 * self.slots
            source, target, time = (row[first + k * self.room :][:noted].copy() for k in range(3))
            came, vertices, full = time.astype(np.int64), np.sort(row[:held]), bool(state[2] >= 0)
            made.append(Reservoir(self.arrivals, vertices, source, target, came, None, None, full))
        return made


class Coins(Stream):
    """Graph sample and hold (gsh): an edge is held by a coin, whose odds depend on what it touches."""

    PLACE = 2

    def prepare(self, most: int | None) -> None:
        p, q = self.request.p, self.request.q
        limits = np.array([min(floor(x * 2**64), 2**64 - 1) for x in (p, q)], np.uint64)
        self.limit = self.device.upload(limits, writable=True)
        self.sure, self.closing = (p >= 1) + 2 * (q >= 1), self.request.closing

    def grow(self) -> None:
        old = {"room": self.room, "buckets": self.buckets, "ints": self.ints, "longs": self.longs}
        self.room *= 2
        self.allocate()
        more = {"more_buckets": self.buckets, "more_ints": self.ints, "more_longs": self.longs}
        self.program.gsh_grow.launch(self, self.runs, **old, wider=self.room, **more)

    def chances(self, weight: npt.NDArray[np.uint64], state: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        # the kernel's weight says which coin was thrown; 2: none, as it closed a triangle
        known = np.array([float(self.request.p), float(self.request.q), 1.0])
        return known[weight.astype(np.int64)], None, True


class Priorities(Stream):
    """Graph priority sampling (gps): the edges of largest priority are held."""

    WIDTH = 16
    # the largest priority dropped is 0 / 1
    BEGIN: ClassVar[dict[int, int]] = {5: 1}

    def prepare(self, most: int | None) -> None:
        device, request = self.device, self.request
        self.block = request.block if most is None else max(1, min(request.block, most))
        self.triangles, self.room, self.sums = request.triangles, request.target_edges + self.block, None
        self.ends = False
        if self.block >= self.shape.block:
            self.blocks = device.program("sampling/literature/stream_gps_blocks")
            device.reserve({"sums of a block": 16 * self.runs * self.block})
            self.sums = device.empty(2 * self.runs * self.block, np.uint64)

    def take(self) -> None:
        if self.sums is None:
            super().take()
            return
        enter, at = self.blocks.gps_enter, 0
        while at < self.count:
            now = min(self.count - at, self.block - (self.before + at) % self.block)
            enter.launch(self, self.runs, first=at, count=now)
            at += now
            if (self.before + at) % self.block == 0:
                self.keep_block()

    def keep_block(self) -> None:
        """Weigh the edges of a block side by side, and keep the largest."""
        self.blocks.gps_weigh.launch(self, self.runs * self.block)
        self.blocks.gps_keep.launch(self, self.runs)

    def result(self) -> list[Reservoir]:
        # what came of the last block is a block
        if self.arrivals % self.block:
            if self.sums is not None:
                self.keep_block()
            else:
                nothing = self.device.empty(1, np.uint64)
                self.tail, self.head, self.given, self.count, self.stride = nothing, nothing, None, 0, 0
                self.before, self.ends = self.arrivals, True
                self.step.launch(self, self.runs)
        return super().result()

    def chances(self, weight: npt.NDArray[np.uint64], state: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        z = state[4:8].view(np.uint64)
        # in units of 2^64, as in the kernel: u is an integer there
        largest = float(z[0]) / float(z[1])
        chance = np.ones(len(weight))
        if z[0]:
            chance = np.minimum(1, weight.astype(float) / largest / 2**64)
        counted = (float(z[3]) * 2**64 + float(z[2])) / 2**32
        return chance, counted, len(weight) == self.request.target_edges


SAMPLERS = {"pies": Vertices, "gsh": Coins, "gps": Priorities}


def note_of(request: Request, reservoir: Reservoir) -> tuple[str, ...]:
    """Return a note if the sample is smaller than was asked for."""
    if request.method == "pies":
        what, size = f"{request.target} vertices", len(reservoir.vertices)
    else:
        what, size = f"{request.target_edges} edges", len(reservoir.source)
    if not reservoir.complete:
        return (f"the stream ended after {reservoir.arrivals} edges, with {size} of {what}: all are taken",)
    if request.method == "pies" and size < (request.target or 0):
        return (f"{size} vertices: the next edge would have brought two",)
    return ()


# --- A graph as a stream, in order of edge priority: host half of ``stream_order.cl`` ---

# words of `order_words`
LOW, HIGH, RUN = range(3)


class GraphStream(Engine):
    """The edges of a graph, and the order in which they come in each run."""

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        self.m = self.arcs // 2
        self.count = runs * self.m
        self.order = self.program("stream_order")
        self.low, self.high, self.copy, self.arc = device.cached(view.rows, "edge ends", self.edges)
        device.reserve({"order of edges": 28 * self.count})
        words = self.order.order_words
        widths = [(LOW, 32), (HIGH, 32), (RUN, (runs - 1).bit_length())]
        self.place = sort_by_words(device, words, self.count, widths, words.arguments_of(self))

    @classmethod
    def bytes_per_run(cls, view: View, request: Request) -> int:
        room = request.target or request.target_edges or min(view.rows.num_arcs, LAUNCH.cpu.room)
        return 20 * view.rows.num_arcs + 170 * (room + min(request.block, view.rows.num_arcs))

    def draw(self) -> Selection:
        """Draw all runs."""
        device, request = self.device, self.request
        run = SAMPLERS[request.method](device, request, self.seed, self.runs, self.m)
        if self.m:
            run.feed(*self.ends(), self.m, stride=self.m)
        arcs, made = self.places(run.result())
        vertices = given(device, Column.of_parts([each.vertices.astype(np.int32) for each in made]))
        notes: list[tuple[str, ...]] = [note_of(request, each) for each in made]
        return Selection(vertices, arcs=arcs, notes=notes, reservoirs=made)

    def edges(self) -> tuple[Any, ...]:
        """List the edges by their ends: low, high, copy and arc."""
        device, m = self.device, max(self.m, 1)
        none = dict.fromkeys(("low", "high", "copy", "arc"))
        many = device.empty(self.n, np.int32)
        size = self.flat(self.n)
        self.order.order_edges.launch(self, size, many=many, begin=None, **none)
        begin = running_sums(device, many, self.n)
        made = tuple(device.empty(m, kind) for kind in (np.int32, np.int32, np.uint32, np.int64))
        self.order.order_edges.launch(
            self, size, many=None, begin=begin, **dict(zip(none, made, strict=True))
        )
        return made

    def ends(self) -> tuple[Any, Any, Any]:
        """Return ends and weights (None: no weights) in order of arrival, run after run."""
        device, view = self.device, self.view
        tail, head = (device.empty(self.count, np.uint64) for _ in range(2))
        weight = view.on_device(device, "integers") if view.weighted else None
        own = device.empty(self.count, np.uint64) if view.weighted else None
        ends = {"tail": tail, "head": head, "given": own}
        self.order.order_ends.launch(self, self.flat(self.count), weight=weight, **ends)
        return tail, head, own

    def places(self, reservoirs: list[Reservoir]) -> tuple[Column, list[Reservoir]]:
        """Return the arcs of the edges held, ascending in each run, and the reservoirs in that order."""
        device = self.device
        lengths = [len(each.arrival) for each in reservoirs]
        offset = np.concatenate(([0], np.cumsum(lengths)))
        many = int(offset[-1])
        if many == 0:
            return Column.of_parts([np.zeros(0, np.int64) for _ in reservoirs]), reservoirs
        run = device.upload(np.repeat(np.arange(len(reservoirs), dtype=np.int32), lengths), writable=True)
        time = device.upload(np.concatenate([each.arrival for each in reservoirs]), writable=True)
        out = device.empty(many, np.int64)
        self.order.order_places.launch(self, self.flat(many), count=many, run=run, time=time, out=out)
        parts = np.split(device.download(out, np.int64, many), offset[1:-1])
        made = [each.taken(np.argsort(part)) for each, part in zip(reservoirs, parts, strict=True)]
        return Column.of_parts(
            [np.sort(part) for part in parts], Column.on(device, offset, out, np.int64)
        ), made


# --- Streams of which no graph exists: files, iterators, standard input ---

# weights of a stream are counted in units of 1 / SCALE, since the largest is not known
SCALE = 1 << 16
# 2^56 units: sums of 256 of them fit into 64 bits
LARGEST = 2.0**40


def feed_chunk(device: Device, passes: list[Stream], chunk: Chunk) -> None:
    """Let samplers take the edges of a chunk."""
    count = len(chunk.source)
    if count == 0:
        return
    source, target = (device.upload(each, writable=True) for each in (chunk.source, chunk.target))
    weight = None if chunk.weight is None else device.upload(in_units(chunk.weight), writable=True)
    for each in passes:
        each.feed(source, target, weight, count)


def in_units(weight: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Return weights in units of 1 / SCALE: at least 1 where they are not 0.

    Raises
    ------
    InputError
        If one is too large.
    """
    if weight.max(initial=0) > LARGEST:
        raise InputError(
            f"the weight {weight.max()}: those of a stream are at most 2**40, in units of 2**-16"
        )
    whole = np.floor(weight * SCALE + 0.5).astype(np.uint64)
    whole[(whole == 0) & (weight > 0)] = 1
    return whole
