"""Edge lists written from a device: host half of ``cl/files/write_edges.cl`` and ``write_weights.cl``.

Rows are spelt chunk by chunk; while the device spells the next chunk, a thread writes the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceGraph, SelectedIds, device_graph
from clgraph.device.launch_config import LaunchTable
from clgraph.device.memory import Staging
from clgraph.files.parse import powers_of_five
from clgraph.formats.atomic import atomic_write
from clgraph.formats.edges import has_commas, head_of
from clgraph.formats.packed import compressed
from clgraph.graph.building import INT32_MAX, exclusive_sums
from clgraph.progress import Tell
from clgraph.system import thread_pool
from clgraph.temporary import begin_sync

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

TENS = -292, 324  # powers of ten that a shortest decimal may need
WEIGHT_WORDS = 4
LONGEST_WEIGHT = 25  # bytes of "-2.2250738585072014e-308" and what ends it


@dataclass(frozen=True)
class LaunchConfig:
    """Tunables of ``cl/files/write_edges.cl`` and ``columns.cl``, and how a text is cut."""

    run: int  # arcs (or rows) that one work-item takes
    chunk: int  # bytes that a chunk has at most
    rooms: int  # chunks that exist at a time


# chunks as of `clgraph.files.read_ahead`: one is spelt while others are on their way and written
LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=64, chunk=1 << 25, rooms=4),
    cpu=LaunchConfig(run=4096, chunk=1 << 24, rooms=3),
    simulator=LaunchConfig(run=3, chunk=1 << 8, rooms=2),
)


def write_edge_list(spelling: Spelling, path: Path, *, progress: Tell | None = None) -> None:
    """Write an edge list: the same bytes as `clgraph.formats.edges.write_edges` writes."""
    graph, done = spelling.graph, 0

    def tell(last: int, nbytes: int) -> None:
        nonlocal done
        done += nbytes
        if progress is not None:
            progress(done, done * graph.num_arcs // last)

    with spelling.device.alone(), atomic_write(path, "wb") as plain, compressed(path, plain) as file:
        file.write(head_of(path, graph.is_weighted, graph.num_arcs))
        file.flush()
        spelling.write(file, tell)


class Spelt:
    """Rows of a text that a device spells, chunk by chunk."""

    device: Device
    rooms: list[Staging]  # what the chunks are spelt into, in turn
    count: int  # rows, or arcs
    run: int  # of those that one work-item takes
    step: int  # and those of a chunk
    lengths: Any  # room for one number more than a chunk has runs

    def cut(self, config: LaunchConfig, longest: int) -> None:
        """Cut the rows, of at most so many bytes, into chunks, and make room for some of these."""
        all_runs = -(-self.count // self.run)
        runs = max(1, min(config.chunk // (longest * self.run), all_runs))
        self.step, self.lengths = runs * self.run, self.device.empty(runs + 1, np.int32)
        # a short text needs no more rooms than it has chunks
        rooms = min(config.rooms, -(-all_runs // runs) + 1)
        self.rooms = [Staging(self.device, self.step * longest) for _ in range(rooms)]

    def measure(self, runs: int, first: int, last: int) -> None:
        """Set `lengths` to the bytes of each run of some rows."""
        raise NotImplementedError

    def place(self, runs: int, first: int, last: int, text: Any) -> None:
        """Spell the rows into a buffer, each run behind the sums that `lengths` has become."""
        raise NotImplementedError

    def spell(self, first: int, last: int, room: Staging) -> int:
        """Spell some rows; returns how many bytes they have."""
        runs = -(-(last - first) // self.run)
        self.measure(runs, first, last)
        before, nbytes = exclusive_sums(self.device.download(self.lengths, np.int32, runs))
        self.device.write(self.lengths, np.append(before, nbytes).astype(np.int32))
        room.give(0, 0)
        self.place(runs, first, last, room.buffer)
        return nbytes

    def write(self, file: IO[bytes], tell: Callable[[int, int], None] = lambda last, nbytes: None) -> None:
        """Write the chunks, each while the next ones are spelt; `tell` gets the rows done, and its bytes."""
        writing: list[Future[None]] = []
        with thread_pool(1, "clgraph-write") as pool:
            for k, first in enumerate(range(0, self.count, self.step)):
                if k >= len(self.rooms):
                    writing.pop(0).result()  # the room is free again
                last, room = min(first + self.step, self.count), self.rooms[k % len(self.rooms)]
                nbytes = self.spell(first, last, room)
                writing.append(pool.submit(_write, file, room.fetch(nbytes)))
                tell(last, nbytes)
            for each in writing:
                each.result()


def _write(file: IO[bytes], text: npt.NDArray[np.uint8]) -> None:
    file.write(text.data)
    file.flush()
    if file.seekable():  # not if it is compressed
        end = file.tell()
        begin_sync(file.fileno(), end - len(text), len(text))


class Spelling(Spelt):
    """The rows of a graph, spelt chunk by chunk; a CapacityError if they do not fit the device."""

    def __init__(
        self, graph: Graph, parts: DeviceGraph, device: Device, path: Path, config: LaunchConfig | None = None
    ) -> None:
        config = config or LAUNCH.of(device)
        self.graph, self.device, self.run = graph, device, config.run
        self.comma = has_commas(path)
        rows, ids = parts.rows, parts.ids
        n = self.n = rows.n
        self.count, self.directed = rows.arcs, parts.directed
        self.row_ptr, self.col_idx = rows.row_ptr, rows.col_idx
        if isinstance(ids, SelectedIds):
            highest, there = INT32_MAX, ids.place
        elif ids is None:
            highest, there = max(n - 1, 0), None
        else:
            highest, there = int(ids.max(initial=0)), device.upload(ids)
        words = (len(str(highest)) + 8) // 8
        items, weighted = device.tuning.items, "weights" in rows.values
        self._program = device.program(
            "files/write_edges",
            RUN=self.run,
            WORDS=words,
            WEIGHTED=int(weighted),
            ID="int" if isinstance(ids, SelectedIds) else "long",
            ITEMS=items,
            **rows.defines,
        )
        self.cells, self.sizes = device.empty(n * words, np.uint64), device.empty(n, np.uint8)
        separator = ord("," if self.comma else "\t")
        self._program.spell_ids.launch(self, -(-n // items), separator=separator, ids=there)
        longest = 2 * (len(str(highest)) + 1) + LONGEST_WEIGHT * weighted  # bytes of a row
        self.cut(config, longest)
        self.room = self.step
        self.weight_cells = self.weight_sizes = self._spell_weights = None
        if weighted:
            device.reserve({"weights as text": (8 * WEIGHT_WORDS + 1) * self.room})
            self.weight_cells = device.empty(WEIGHT_WORDS * self.room, np.uint64)
            self.weight_sizes = device.empty(self.room, np.uint8)
            kernel = device.program("files/write_weights", RUN=self.run, **rows.defines).spell_weights
            own = {"cells": self.weight_cells, "sizes": self.weight_sizes, "weight": rows.values["weights"]}
            powers = device.upload(powers_of_five(*TENS, up=True))
            self._spell_weights = kernel.bind(**kernel.arguments_of(self) | own, powers=powers)

    @staticmethod
    def of(graph: Graph, device: Device, path: Path, config: LaunchConfig | None = None) -> Spelling | None:
        """The rows of a graph whose ids are numbers; else None."""
        with device.alone():
            parts = device_graph(device, graph)
            if isinstance(parts.ids, SelectedIds) and (device.shares_memory or parts.ids.of is not None):
                parts = replace(parts, ids=graph.ids)
            text = isinstance(parts.ids, np.ndarray) and parts.ids.dtype == object
            return None if text else Spelling(graph, parts, device, path, config)

    def measure(self, runs: int, first: int, last: int) -> None:
        """Set `lengths` to the bytes of each run of some arcs, whose weights it spells."""
        if self._spell_weights is not None:
            self._spell_weights(runs, first=first, last=last)
        self._program.spell_lengths.launch(self, runs, first=first, last=last)

    def place(self, runs: int, first: int, last: int, text: Any) -> None:
        """Spell the arcs into a buffer."""
        self._program.spell_rows.launch(self, runs, first=first, last=last, before=self.lengths, text=text)
