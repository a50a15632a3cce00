"""Edges of a stream that are held: host half of ``stream_pies.cl``, ``stream_gsh.cl``, ``stream_gps.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.errors import CapacityError
from clgraph.sampling.literature.held import Held

if TYPE_CHECKING:
    from clgraph.device import Device

MOST = 1 << 26  # edges that a run may hold: their numbers, and areas of int, stay within 31 bits


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    acts : int
        Edges that one launch takes, one after the other.
    room : int
        Edges that a run has room for in the beginning, where their number is not given.
    """

    acts: int
    room: int


SHAPES = Shapes(
    gpu=Shape(acts=1 << 12, room=4096), cpu=Shape(acts=1 << 20, room=4096), simulator=Shape(acts=7, room=4)
)


@dataclass(frozen=True)
class Rule:
    """What is held of a stream.

    Attributes
    ----------
    method : {"pies", "gsh", "gps"}
    target : int
        Of pies: vertices; of gps: edges.
    p, q : Fraction
        Of gsh.
    closing : bool
        Of gsh: edges that close triangles are held.
    triangles : int
        Of gps: the weight of a triangle.
    weighted : bool
        Of gps: weights are given.
    """

    method: str
    target: int = 0
    p: Fraction = Fraction(3, 10)
    q: Fraction = Fraction(7, 10)
    closing: bool = False
    triangles: int = 9
    weighted: bool = False


def power_of_two(least: int) -> int:
    """The smallest power of two that is at least this, and at least 2."""
    return 1 << max(1, (least - 1).bit_length())


class StreamRun:
    """Runs with the seeds `seed`, `seed` + 1, ... over one stream, side by side.

    Parameters
    ----------
    device : Device
    rule : Rule
    seed, runs : int
    most : int, optional
        Edges that come, at most.
    """

    def __init__(self, device: Device, rule: Rule, seed: int, runs: int, most: int | None = None) -> None:
        self.device, self.rule, self.seed, self.runs = device, rule, seed, runs
        self.shape, self.arrivals = SHAPES.of(device), 0
        self.program = device.program(f"sampling/literature/stream_{rule.method}")
        self.ender = device.program("sampling/literature/stream_gps")
        self.waiting = device.empty(2, np.int32)
        self.slots = rule.target if rule.method == "pies" else 0
        first = self.shape.room if most is None else min(most, self.shape.room)
        self.room = rule.target if rule.method == "gps" else max(1, first)
        self.state = device.upload(self._first_state(), writable=True)
        self.allocate()

    def _first_state(self) -> npt.NDArray[np.int64]:
        if self.rule.method == "gps":
            state = np.zeros((self.runs, 16), np.int64)
            state[:, 5] = 1
            return state
        state = np.zeros((self.runs, 8), np.int64)
        if self.rule.method == "pies":
            state[:, 2] = -1
        return state

    # --- memory -----------------------------------------------------------------------------------

    def areas(self) -> tuple[int, int, int]:
        """Buckets, ints and longs of a run."""
        if self.rule.method == "pies":
            buckets = power_of_two(2 * self.slots)
            return buckets, buckets + self.slots, 2 * self.slots + 3 * self.room
        buckets = power_of_two(2 * self.room)
        return buckets, 2 * buckets + 14 * self.room, 5 * self.room

    def allocate(self) -> None:
        """Areas for `room` edges a run."""
        if self.room > MOST or self.slots > MOST:
            raise CapacityError(
                f"{self.rule.method} would hold more than {MOST} edges or vertices: ask for fewer"
            )
        device, runs = self.device, self.runs
        self.buckets, ints, longs = self.areas()
        device.reserve({"edges held": runs * (4 * ints + 8 * longs)})
        self.ints = device.empty(runs * ints, np.int32)
        device.fill(self.ints, np.int32(-1), runs * ints)
        self.longs = device.empty(runs * longs, np.uint64)

    def grow(self) -> None:
        """Make room: of pies drop what is lost; where that is not enough, twice the room."""
        device, runs = self.device, np.int32(self.runs)
        sizes = np.int32(self.room), np.int32(self.buckets)
        if self.rule.method == "pies":
            self.settle()
            if int(self.states()[:, 1].max()) <= self.room // 2:
                return
            before, wider, longs = self.room, 2 * self.room, self.longs
            self.room = wider
            self.longs = device.empty(self.runs * self.areas()[2], np.uint64)
            about = runs, np.int32(self.slots), np.int32(before), np.int32(wider)
            self.program.pies_grow(self.runs, *about, longs, self.state, self.longs)
            return
        old = self.ints, self.longs
        self.room *= 2
        self.allocate()
        new = np.int32(self.room), np.int32(self.buckets)
        self.program.gsh_grow(self.runs, runs, *sizes, *new, *old, self.ints, self.longs, self.state)

    def states(self) -> npt.NDArray[np.int64]:
        """The state of each run."""
        wide = 16 if self.rule.method == "gps" else 8
        return self.device.download(self.state, np.int64, self.runs * wide).reshape(self.runs, wide)

    # --- the pass ---------------------------------------------------------------------------------

    def feed(self, tail: Any, head: Any, weight: Any, count: int, *, stride: int = 0) -> None:
        """The next edges, without loops.

        Parameters
        ----------
        tail, head : uint64 device buffers, shape (count,), or (runs, count) with stride = count
        weight : uint64 device buffer of the same shape, or None
        count, stride : int
        """
        device = self.device
        states = self.states()
        states[:, 2 if self.rule.method == "gsh" else 3] = 0
        device.write(self.state, states)
        about = np.int64(count), np.int64(stride), np.uint64(self.arrivals), tail, head
        going = count > 0
        while going:
            device.fill(self.waiting, np.int32(0), 2)
            self.step(about, weight)
            more, full = device.download(self.waiting, np.int32, 2).tolist()
            if full:
                self.grow()
            going = bool(more or full)
        self.arrivals += count

    def step(self, about: tuple[Any, ...], weight: Any) -> None:
        """One launch."""
        rule, program = self.rule, self.program
        head = np.int32(self.runs), np.uint64(self.seed)
        sizes = np.int32(self.room), np.int32(self.buckets), np.int32(self.shape.acts)
        memory = self.ints, self.longs, self.state, self.waiting
        if rule.method == "pies":
            slots = np.int32(self.slots), np.int32(self.buckets), np.int32(self.room), sizes[2]
            program.pies_step(self.runs, *head, *slots, *about, *memory)
        elif rule.method == "gsh":
            sure = (rule.p >= 1) + 2 * (rule.q >= 1)
            limits = np.array([min(floor(x * 2**64), 2**64 - 1) for x in (rule.p, rule.q)], np.uint64)
            limit = self.device.upload(limits, writable=True)
            chances = limit, np.int32(sure), np.int32(rule.closing)
            program.gsh_step(self.runs, *head, *sizes, *about, *chances, *memory)
        else:
            rest = weight, np.uint64(rule.triangles)
            program.gps_step(self.runs, *head, *sizes, *about, *rest, *memory)

    def settle(self) -> None:
        """Of pies: drop edges of which an end was replaced."""
        sizes = np.int32(self.slots), np.int32(self.buckets), np.int32(self.room)
        self.program.pies_settle(self.runs, np.int32(self.runs), *sizes, self.ints, self.longs, self.state)

    # --- after ------------------------------------------------------------------------------------

    def result(self) -> list[Held]:
        """What each run holds."""
        if self.rule.method == "pies":
            self.settle()
        states = self.states()
        wide = self.areas()[2]
        longs = self.device.download(self.longs, np.uint64, self.runs * wide).reshape(self.runs, wide)
        if self.rule.method == "pies":
            return [self._of_pies(row, state) for row, state in zip(longs, states, strict=True)]
        offset = np.concatenate(([0], np.cumsum(states[:, 0])))
        many = int(offset[-1])
        ends = [self.device.empty(max(many, 1), np.uint64) for _ in range(2)]
        about = np.int32(self.runs), np.int32(self.room), np.int32(self.buckets)
        places = self.device.upload(offset, writable=True)
        self.ender.held_ends(self.runs, *about, self.ints, self.longs, *ends, places)
        source, target = (self.device.download(end, np.uint64, many) for end in ends)
        made = []
        for run in range(self.runs):
            here = slice(int(offset[run]), int(offset[run + 1]))
            made.append(self._held(longs[run], states[run], source[here], target[here]))
        return made

    def _of_pies(self, row: npt.NDArray[np.uint64], state: npt.NDArray[np.int64]) -> Held:
        held, noted, first = int(state[0]), int(state[1]), 2 * self.slots
        source, target, time = (row[first + k * self.room :][:noted].copy() for k in range(3))
        vertices = np.sort(row[:held])
        came = time.astype(np.int64)
        return Held(self.arrivals, vertices, source, target, came, None, None, bool(state[2] >= 0))

    def _held(
        self,
        row: npt.NDArray[np.uint64],
        state: npt.NDArray[np.int64],
        source: npt.NDArray[np.uint64],
        target: npt.NDArray[np.uint64],
    ) -> Held:
        rule, many = self.rule, int(state[0])
        time, weight = (row[(2 + k) * self.room :][:many] for k in range(2))
        order = np.argsort(time)
        source, target, time, weight = source[order], target[order], time[order], weight[order]
        told = None
        if rule.method == "gsh":
            known = np.array([float(rule.p), float(rule.q), 1.0])
            probability = known[weight.astype(np.int64)]
        else:
            z = state[4:8].view(np.uint64)
            largest = float(z[0]) / float(z[1])  # in units of 2^64, as in the kernel: u is an integer there
            probability = (
                np.ones(many) if z[0] == 0 else np.minimum(1, weight.astype(float) / largest / 2**64)
            )
            told = (float(z[3]) * 2**64 + float(z[2])) / 2**32
        vertices = np.unique(np.concatenate((source, target)))
        came, complete = time.astype(np.int64), rule.method == "gsh" or many == rule.target
        return Held(self.arrivals, vertices, source, target, came, probability, told, complete)
