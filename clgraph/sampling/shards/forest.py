"""The priority forest: the maximum spanning forest of a graph's edges by the order of their deletion.

Host half of ``cl/sampling/shards/forest.cl`` and ``forest_rows.cl``. At every moment of the deletion order
the live edges of the forest and of the whole graph have the same components (Kruskal takes edges from the
latest on), so exact mode gives the same vertices on either. Forests of parts of a graph merge in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import DeviceCSR
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local

if TYPE_CHECKING:
    from clgraph.device import Device

Words = npt.NDArray[np.uint64]
FILTERED = 4  # times the vertices: a longer list is reduced from its latest edges on


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape of the forest's kernels.

    Attributes
    ----------
    chunk : int
        Edges that a work-group takes.
    lanes : int
        Work-items of that group.
    keep_times : bool
        Whether each edge's time is kept beside it, instead of computed again.
    """

    chunk: int
    lanes: int
    keep_times: bool

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: where several work-items share a chunk, it is in local memory."""
        lanes = fit_group(self.lanes, device)
        chunk = self.chunk if lanes == 1 else fit_local(self.chunk, 9 * self.chunk, device)
        return replace(self, lanes=lanes, chunk=chunk)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(chunk=1024, lanes=256, keep_times=False),
    cpu=LaunchConfig(chunk=4096, lanes=1, keep_times=True),
    simulator=LaunchConfig(chunk=16, lanes=8, keep_times=False),
)


class Forest:
    """The forest of all edges added so far; made once, grown batch by batch.

    Parameters
    ----------
    device : Device
    n : int
        Vertices, at least 1, below 2**31.
    seed : int
    edges : bool
        Edges have priorities (dre); else vertices (drv).
    room : int
        Edges held at a time, at least 1.
    shape : LaunchConfig, optional
        Default: by device, see `LAUNCH`.

    Attributes
    ----------
    rounds : int
        Rounds of Boruvka's algorithm so far.
    visits : int
        Chunks read in them, times their length: at most so many edge visits.
    """

    def __init__(
        self, device: Device, n: int, seed: int, *, edges: bool, room: int, shape: LaunchConfig | None = None
    ) -> None:
        shape = shape or LAUNCH.of(device)
        self._device, self._n, self._seed, self._edges = device, n, seed, edges
        self._chunk, self._keep = shape.chunk, shape.keep_times
        self._room = -(-max(room, 1) // shape.chunk) * shape.chunk
        places = n + self._room
        chunks = -(-places // shape.chunk)
        device.reserve(self.memory(n, self._room, shape))
        defines: dict[str, Any] = {
            "CHUNK": shape.chunk,
            "LANES": shape.lanes,
            "KEEP_TIMES": int(shape.keep_times),
            "BY_EDGE": int(edges),
            "ITEMS": device.tuning.items,
        }
        self._defines, self._lanes = defines, shape.lanes
        self._program = device.program("sampling/shards/forest", **defines)
        self._whole = "HAVE_INT64_ATOMICS" in device.features and device.kind != "simulator"
        self._passes = -(-n // device.tuning.items)
        self._label, self._up = device.empty(n, np.int32), device.empty(n, np.int32)
        self._best_t = device.empty(n, np.uint64)
        self._best_e = device.zeros(n, np.uint64)  # between two reductions: the forest
        # the forest so far lies in the list's first n places, the batch after it
        self._words = device.empty(places, np.uint64)
        self._times = device.empty(places if shape.keep_times else 1, np.uint64)
        self._begin, self._count = device.empty(chunks, np.int32), device.empty(chunks, np.int32)
        self._rest = device.empty(chunks, np.int32), device.empty(chunks, np.int32)
        self._left = device.empty(1, np.int32)
        self._held = 0
        self._reduced = True
        self._list()
        self.rounds = self.visits = 0

    @staticmethod
    def memory(n: int, room: int, shape: LaunchConfig) -> dict[str, int]:
        """Bytes by name that a forest of `n` vertices and `room` edges at a time takes."""
        places = n + room
        return {
            "labels": 4 * n,
            "hooks": 4 * n,
            "largest times": 8 * n,
            "largest edges": 8 * n,
            "edges": 8 * places,
            "times": 8 * places if shape.keep_times else 8,
            "chunks": 16 * (-(-places // shape.chunk)),
        }

    # --- edges in -----------------------------------------------------------------------------------

    def add(self, block: DeviceCSR, *, both_ways: bool = False) -> None:
        """Add the edges of rows, which hold each once, or both ways; loops are left out."""
        device, total = self._device, block.arcs
        program = device.program(
            "sampling/shards/forest_rows", BOTH_WAYS=both_ways, **block.defines, **self._defines
        )
        done = 0
        while done < total:
            if self._held == self._room:
                self.reduce()
            end = min(total, done + self._room - self._held)
            program.forest_rows.exact(
                -(-(end - done) // self._chunk) * self._lanes,
                rows=block.n,
                first_row=block.first_row,
                seed=self._seed,
                begin=done,
                end=end,
                **block.buffers,
                at=self._n + self._held,
                words=self._words,
                times=self._times,
                local=self._lanes,
            )
            self._held += end - done
            self._reduced = False
            done = end

    def add_rows(self, row_ptr: Any, col_idx: npt.NDArray[np.int32]) -> None:
        """Add the edges of rows that are on the host, from vertex 0 on, checked by who calls."""
        if len(col_idx):
            arrays = self._device.upload(row_ptr), self._device.upload(col_idx)
            self.add(DeviceCSR(len(row_ptr) - 1, len(col_idx), *arrays, row_ptr.dtype.type))

    def add_words(self, words: Words) -> None:
        """Add edges as words of ``forest.cl``, for instance another forest of the same seed."""
        done = 0
        while done < len(words):
            if self._held == self._room:
                self.reduce()
            part = words[done : done + self._room - self._held]
            data = part.view(np.uint8)

            def read(view: memoryview, offset: int, data: npt.NDArray[np.uint8] = data) -> None:
                np.frombuffer(view, np.uint8)[:] = data[offset : offset + len(view)]

            self._program.forest_words(
                -(-len(part) // self._device.tuning.items),
                count=len(part),
                at=self._n + self._held,
                seed=self._seed,
                from_=self._device.load(len(part), np.uint64, read),
                words=self._words,
                times=self._times,
            )
            self._held += len(part)
            done += len(part)
            self._reduced = False

    def _list(self) -> None:
        """Put the forest at the list's beginning."""
        self._program.forest_list(
            self._passes,
            n=self._n,
            seed=self._seed,
            forest=self._best_e,
            words=self._words,
            times=self._times,
        )

    # --- Boruvka's rounds ---------------------------------------------------------------------------

    def reduce(self) -> None:
        """Make the forest of what is held and of the forest so far."""
        if self._reduced:
            return
        device, program, n = self._device, self._program, self._n
        total = n + self._held
        chunks = -(-total // self._chunk)
        program.forest_start(
            self._passes, n=n, label=self._label, up=self._up, best_t=self._best_t, best_e=self._best_e
        )
        items = device.tuning.items
        program.forest_open(
            -(-chunks // items), chunks=chunks, total=total, begin=self._begin, count=self._count
        )
        parts = [(self._begin, self._count)]
        if total > FILTERED * n:
            program.forest_split.exact(
                chunks * self._lanes,
                local=self._lanes,
                least=self._least(total),
                seed=self._seed,
                words=self._words,
                times=self._times,
                begin=self._begin,
                count=self._count,
                rest_begin=self._rest[0],
                rest_count=self._rest[1],
            )
            parts.append(self._rest)
        for begin, count in parts:
            while self._round(begin, count, chunks):
                pass
        self._list()
        self._held, self._reduced = 0, True

    def _least(self, total: int) -> int:
        """A time that about 2 n edges of the list reach; any time gives the same forest."""
        n = self._n
        if self._edges:
            return (1 << 64) - (2 * n << 64) // total
        return (1 << 64) - isqrt((2 * n << 128) // total)  # both ends are that late

    def _round(self, begin: Any, count: Any, chunks: int) -> bool:
        """One round; whether there was an edge between trees."""
        device, program, n = self._device, self._program, self._n
        listed = {
            "seed": self._seed,
            "words": self._words,
            "times": self._times,
            "begin": begin,
            "count": count,
            "label": self._label,
            "best_t": self._best_t,
        }
        size, lanes = chunks * self._lanes, self._lanes
        device.clear(self._left, 1, np.int32)
        program.forest_propose.exact(size, local=lanes, **listed, left=self._left)
        self.rounds += 1
        self.visits += chunks * self._chunk
        if not device.download(self._left, np.int32, 1)[0]:
            return False
        for step in range(1 if self._whole else 3):
            program.forest_raise.exact(size, local=lanes, step=step, **listed, best_e=self._best_e)
        program.forest_hook(self._passes, n=n, label=self._label, best_e=self._best_e, up=self._up)
        program.forest_climb(self._passes, n=n, label=self._label, up=self._up)
        program.forest_label(
            self._passes, n=n, up=self._up, label=self._label, best_t=self._best_t, best_e=self._best_e
        )
        return True

    # --- the forest out -----------------------------------------------------------------------------

    def take(self) -> Any:
        """The forest's edges on the device: a buffer of n words in any order, with 0 for none in between.

        It is the forest's own until the next edge is added.
        """
        self.reduce()
        return self._best_e

    def words(self) -> Words:
        """The forest's edges, ascending words ``a << 32 | b``; shape (edges,).

        drv: a is deleted before b. dre: a < b.
        """
        found = self._device.download(self.take(), np.uint64, self._n)
        return np.sort(found[found != 0])
