"""Edges of a stream that are held: host half of ``stream_pies.cl``, ``stream_gsh.cl``, ``stream_gps.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError
from clgraph.sampling.literature.held import Held

if TYPE_CHECKING:
    from clgraph.device import Device

MOST = 1 << 26  # edges that a run may hold: their numbers, and areas of int, stay within 31 bits


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

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
    block : int
        Of gps: edges that are weighed by the reservoir as it was before the first of them.
    """

    method: str
    target: int = 0
    p: Fraction = Fraction(3, 10)
    q: Fraction = Fraction(7, 10)
    closing: bool = False
    triangles: int = 9
    weighted: bool = False
    block: int = 1


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
        self.shape, self.arrivals = LAUNCH.of(device), 0
        self.program = device.program(f"sampling/literature/stream_{rule.method}")
        self.ender = device.program("sampling/literature/stream_ends")
        self.block = rule.block if most is None else max(1, min(rule.block, most))
        self.sums = None
        if rule.method == "gps" and self.block >= self.shape.block:
            self.blocks = device.program("sampling/literature/stream_gps_blocks")
            device.reserve({"sums of a block": 16 * runs * self.block})
            self.sums = device.empty(2 * runs * self.block, np.uint64)
        self.waiting = device.empty(2, np.int32)
        self.slots = rule.target if rule.method == "pies" else 0
        first = self.shape.room if most is None else min(most, self.shape.room)
        self.room = rule.target + self.block if rule.method == "gps" else max(1, first)
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
        device, runs, room = self.device, self.runs, self.room
        if self.rule.method == "pies":
            self.settle()
            if int(self.states()[:, 1].max()) <= room // 2:
                return
            longs = self.longs
            self.room *= 2
            self.longs = device.empty(runs * self.areas()[2], np.uint64)
            self.program.pies_grow(
                runs,
                runs=runs,
                slots=self.slots,
                room=room,
                wider=self.room,
                longs=longs,
                state=self.state,
                more=self.longs,
            )
            return
        old = {"room": room, "buckets": self.buckets, "ints": self.ints, "longs": self.longs}
        self.room *= 2
        self.allocate()
        self.program.gsh_grow(
            runs,
            runs=runs,
            **old,
            wider=self.room,
            more_buckets=self.buckets,
            more_ints=self.ints,
            more_longs=self.longs,
            state=self.state,
        )

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
        if self.sums is not None:
            self._feed_blocks(tail, head, count, stride)
        else:
            self._feed_steps(tail, head, weight, count, stride)
        self.arrivals += count

    def _feed_steps(self, tail: Any, head: Any, weight: Any, count: int, stride: int) -> None:
        device = self.device
        states = self.states()
        states[:, 2 if self.rule.method == "gsh" else 3] = 0
        device.write(self.state, states)
        arrivals = {"count": count, "stride": stride, "before": self.arrivals, "tail": tail, "head": head}
        going = count > 0
        while going:
            device.clear(self.waiting, 2, np.int32)
            self.step(arrivals, weight)
            more, full = device.download(self.waiting, np.int32, 2).tolist()
            if full:
                self.grow()
            going = bool(more or full)

    def _feed_blocks(self, tail: Any, head: Any, count: int, stride: int) -> None:
        enter = self.blocks.gps_enter.bind(
            **self.memory, seed=self.seed, stride=stride, before=self.arrivals, tail=tail, head=head
        )
        at = 0
        while at < count:
            now = min(count - at, self.block - (self.arrivals + at) % self.block)
            enter(self.runs, first=at, count=now)
            at += now
            if (self.arrivals + at) % self.block == 0:
                self._keep_block()

    def _keep_block(self) -> None:
        about = {**self.memory, "block": self.block, "sums": self.sums}
        self.blocks.gps_weigh(self.runs * self.block, **about, triangles=self.rule.triangles)
        self.blocks.gps_keep(self.runs, **about)

    def _end(self) -> None:
        """What came of the last block is a block."""
        if self.rule.method != "gps" or self.arrivals % self.block == 0:
            return
        if self.sums is not None:
            self._keep_block()
            return
        nothing = self.device.empty(1, np.uint64)
        none = {"count": 0, "stride": 0, "before": self.arrivals, "tail": nothing, "head": nothing}
        self.step(none, None, ends=True)

    @property
    def memory(self) -> dict[str, Any]:
        """What kernels take of the runs' memory."""
        return {
            "runs": self.runs,
            "room": self.room,
            "buckets": self.buckets,
            "ints": self.ints,
            "longs": self.longs,
            "state": self.state,
        }

    def step(self, arrivals: dict[str, Any], weight: Any, *, ends: bool = False) -> None:
        """One launch."""
        rule, program = self.rule, self.program
        about = {
            **self.memory,
            **arrivals,
            "seed": self.seed,
            "acts": self.shape.acts,
            "waiting": self.waiting,
        }
        if rule.method == "pies":
            program.pies_step(self.runs, **about, slots=self.slots)
        elif rule.method == "gsh":
            sure = (rule.p >= 1) + 2 * (rule.q >= 1)
            limits = np.array([min(floor(x * 2**64), 2**64 - 1) for x in (rule.p, rule.q)], np.uint64)
            limit = self.device.upload(limits, writable=True)
            program.gsh_step(self.runs, **about, limit=limit, sure=sure, closing=rule.closing)
        else:
            program.gps_step(
                self.runs, **about, block=self.block, ends=ends, given=weight, triangles=rule.triangles
            )

    def settle(self) -> None:
        """Of pies: drop edges of which an end was replaced."""
        self.program.pies_settle(self.runs, **self.memory, slots=self.slots)

    def ids(self) -> npt.NDArray[np.uint64]:
        """The ids of all vertices that a run holds, and perhaps of some that it does no longer."""
        wide = self.areas()[2]
        longs = self.device.download(self.longs, np.uint64, self.runs * wide).reshape(self.runs, wide)
        counts = self.states()[:, 0 if self.rule.method == "pies" else 1]
        return np.unique(np.concatenate([row[:k] for row, k in zip(longs, counts, strict=True)]))

    # --- after ------------------------------------------------------------------------------------

    def result(self) -> list[Held]:
        """What each run holds."""
        if self.rule.method == "pies":
            self.settle()
        self._end()
        states = self.states()
        if self.rule.method == "pies":
            wide = self.areas()[2]
            longs = self.device.download(self.longs, np.uint64, self.runs * wide).reshape(self.runs, wide)
            return [self._of_pies(row, state) for row, state in zip(longs, states, strict=True)]
        offset = np.concatenate(([0], np.cumsum(states[:, 0])))
        many = int(offset[-1])
        made = {
            name: self.device.empty(max(many, 1), np.uint64) for name in ("from_", "to", "time", "weight")
        }
        self.ender.held_ends(
            self.runs,
            runs=self.runs,
            room=self.room,
            buckets=self.buckets,
            heap=self.rule.method == "gps",
            ints=self.ints,
            longs=self.longs,
            **made,
            offset=self.device.upload(offset, writable=True),
        )
        columns = np.stack([self.device.download(each, np.uint64, many) for each in made.values()])
        return [
            self._held(state, columns[:, first:last])
            for state, first, last in zip(states, offset, offset[1:], strict=False)
        ]

    def _of_pies(self, row: npt.NDArray[np.uint64], state: npt.NDArray[np.int64]) -> Held:
        held, noted, first = int(state[0]), int(state[1]), 2 * self.slots
        source, target, time = (row[first + k * self.room :][:noted].copy() for k in range(3))
        vertices = np.sort(row[:held])
        came = time.astype(np.int64)
        return Held(self.arrivals, vertices, source, target, came, None, None, bool(state[2] >= 0))

    def _held(self, state: npt.NDArray[np.int64], columns: npt.NDArray[np.uint64]) -> Held:
        rule, many = self.rule, columns.shape[1]
        source, target, time, weight = columns[:, np.argsort(columns[2])]
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
