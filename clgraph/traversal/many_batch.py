"""State of many breadth-first searches at once: what `ManySearch` and the search of shards share."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.traversal import search
from clgraph.traversal.arguments import DISTANCE_TYPES
from clgraph.traversal.search import COUNT, STATE_SIZE, read_state, slot_of

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program


PLANES = 4  # bits of a distance to begin with: levels up to 15
MANY_ARCS = 5  # where a slot has the arcs (cl/traversal/many.h)


@dataclass(frozen=True)
class ManyConfig:
    """Launch choices of many searches at once, beside those of one search (`search.LaunchConfig`).

    Attributes
    ----------
    run : int
        Queue entries per work-item.
    parts : int
        Work-groups per row, where work-groups share rows.
    pull_share, stay_share : int
        Begin to pull when more than one vertex in `pull_share` is in some frontier; go on while more than one
        in `stay_share` is: late pulls find most searches everywhere.
    fused_count, fused_arcs : int
        A frontier of at most so many vertices and arcs is left to the fused kernel.
    scatter_share : int
        Push without a queue when a frontier's arcs, times this, are more than the vertices.
    """

    run: int = 16
    parts: int = 4
    pull_share: int = 8
    stay_share: int = 64
    fused_count: int = 2048
    fused_arcs: int = 32768
    scatter_share: int = 4


# GPUs want a work-item for each entry, CPUs runs of them
LAUNCH = LaunchTable(gpu=ManyConfig(run=1), cpu=ManyConfig(), simulator=ManyConfig())


@dataclass
class ManyScratch:
    """For many searches at once: a word of bits a vertex in each array (cl/traversal/many.h).

    `planes` holds distances of `bits` bits; it is widened where they do not fit and stays so.
    """

    seen: Any
    front: Any
    next: Any
    planes: Any
    stamp: Any
    queue: Any
    next_queue: Any
    state: Any
    bits: int = PLANES

    @classmethod
    def make(cls, dev: Device, n: int, lanes: int) -> ManyScratch:
        """For a graph of `n` vertices and batches of `lanes` searches."""
        words = lanes // 8 * n
        sizes = {
            "seen": words,
            "front": words,
            "next": words,
            "planes": PLANES * words,
            "stamp": 4 * n,
            "queue": 4 * n,
            "next_queue": 4 * n,
            "state": 4 * STATE_SIZE,
        }
        dev.reserve({**sizes, "distance": lanes * n})
        # `output` memory is on large pages where it is the host's: gathers from 8 bytes a vertex want them
        return cls(**{name: dev.output(size, np.uint8) for name, size in sizes.items()})

    def swap_fronts(self) -> None:
        """The next frontier's bits become this one's."""
        self.front, self.next = self.next, self.front

    def swap_queues(self) -> None:
        """The same of the queues."""
        self.queue, self.next_queue = self.next_queue, self.queue


class ManyBatch:
    """Searches of one batch on one device, wherever their arcs come from.

    Attributes
    ----------
    n, rows : int
        Vertices; those with a row in the arrays.
    scratch : ManyScratch
        Which searches have seen a vertex, their frontiers, and the planes of the distances.
    defines : dict of str
        Build options that say what the rows look like.
    seconds : dict of float
        Time by phase; here "compile".
    """

    scratch: ManyScratch

    def __init__(self, dev: Device, n: int, lanes: int) -> None:
        self.dev, self.n, self.rows, self.lanes = dev, n, n, lanes
        self.launch, self.shape = search.LAUNCH.of(dev), LAUNCH.of(dev)
        self.seconds = {"compile": 0.0}
        self._pulling = False

    @property
    def defines(self) -> dict[str, Any]:
        """Build options that say what the rows look like."""
        return {}

    def _program(self, name: str, **defines: Any) -> Program:
        start = time.perf_counter()
        made = self.dev.program(name, LANES=self.lanes, ITEMS=self.launch.items, **defines)
        self.seconds["compile"] += time.perf_counter() - start
        return made

    def _searches(self, name: str = "traversal/many") -> Program:
        shape = self.shape
        return self._program(
            name,
            TEAM=self.launch.team,
            MANY_ITEMS=shape.run,
            PARTS=shape.parts,
            MANY_COUNT=shape.fused_count,
            MANY_ARCS=shape.fused_arcs,
            WIDE_ROW=min(self.launch.long_row, 256),
            **self.defines,
        )

    def _vertices(self) -> int:
        return -(-self.rows // self.launch.items)

    def _start(self, at: npt.NDArray[np.int32], lanes: npt.NDArray[np.uint32] | None = None) -> None:
        """Nothing is seen but the sources, at these places."""
        scratch, prog = self.scratch, self._searches()
        prog.bfs_many_fill(
            -(-self.n // self.launch.items),
            n=self.n,
            rows=self.rows,
            p=scratch.bits,
            seen=scratch.seen,
            front=scratch.front,
            next=scratch.next,
            planes=scratch.planes,
            stamp=scratch.stamp,
            state=scratch.state,
            local=self.launch.local,
        )
        prog.bfs_many_start(
            len(at),
            sources=len(at),
            source=self.dev.upload(at),
            lane=None if lanes is None else self.dev.upload(lanes),
            seen=scratch.seen,
            front=scratch.front,
            stamp=scratch.stamp,
            queue=scratch.queue,
            state=scratch.state,
        )
        self._pulling = False

    def _frontier(self, level: int) -> tuple[int, int]:
        """A level's vertices, and about how many arcs leave them; waits."""
        slot = slot_of(read_state(self.dev, self.scratch.state), level)
        return slot[COUNT], slot[MANY_ARCS]

    def _pulls(self, level: int, count: int) -> bool:
        share = self.shape.stay_share if self._pulling else self.shape.pull_share
        return count * share > self.n and level > 0

    def _arguments(self, level: int, rows: DeviceCSR | None) -> dict[str, Any]:
        scratch = self.scratch
        return {
            "n": self.rows,
            "level": level,
            **(rows.buffers if rows else {"row_ptr": None, "col_idx": None}),
            "seen": scratch.seen,
            "front": scratch.front,
            "next": scratch.next,
            "stamp": scratch.stamp,
            "queue": scratch.queue,
            "next_queue": scratch.next_queue,
            "planes": scratch.planes,
            "state": scratch.state,
        }

    def _more_planes(self) -> None:
        """Room for distances of twice as many bits."""
        dev, scratch = self.dev, self.scratch
        nbytes = scratch.bits * self.lanes // 8 * self.n
        dev.reserve({"planes": 2 * nbytes})
        wider = dev.output(2 * nbytes, np.uint8)
        self._searches().bfs_many_widen(
            self._vertices(),
            n=self.rows,
            p=scratch.bits,
            planes=scratch.planes,
            wider=wider,
            local=self.launch.local,
        )
        scratch.planes, scratch.bits = wider, 2 * scratch.bits

    def _expand(self, k: int, levels: int, kind: np.dtype[Any], ranks: Any = None) -> Any:
        """The planes as distances; `ranks`: places of the vertices in the arrays."""
        distance = self.dev.output(k * self.n, kind)
        planes = next(
            p for p in (2, 3, 4, 8, 16, 32) if p >= min(self.scratch.bits, max(1, (levels - 1).bit_length()))
        )
        options = {"TEAM": self.launch.team, "PLANES": planes, "DIST": DISTANCE_TYPES[kind]}
        self._program("traversal/many_expand", RANKED=ranks is not None, **options).bfs_many_expand(
            -(-self.n // self.launch.items),
            n=self.n,
            rows=self.rows,
            searches=k,
            rank=ranks,
            seen=self.scratch.seen,
            planes=self.scratch.planes,
            distance=distance,
            local=self.launch.local,
        )
        return distance
