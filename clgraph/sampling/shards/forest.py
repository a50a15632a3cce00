"""The priority forest: the maximum spanning forest of a graph's edges by the order of their deletion.

Host half of ``cl/sampling/shards/forest.cl``, ``forest_rows.cl`` and ``choose.cl``. At every moment of the
deletion order the live edges of the forest and of the whole graph have the same components (Kruskal takes
edges from the latest on), so exact mode gives the same vertices on either. Forests of parts of a graph merge
in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.build import build_rows
from clgraph.csr.device_csr import DeviceCSR, DeviceGraph
from clgraph.csr.scan import flag_positions
from clgraph.csr.upload import graph_of
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local
from clgraph.sampling.threshold_search import ExactRun

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Words = npt.NDArray[np.uint64]
# with this many times as many edges as vertices the latest edges come first: few others enter the forest
FILTERED = 4


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration of the forest's kernels.

    Attributes
    ----------
    chunk : int
        Edges that a work-group takes.
    lanes : int
        Work-items of that group.
    keep_times : bool
        True if each edge's time is kept beside it, instead of computed again.
    seekers : int
        Work-items that look for the cut; below 0: each over a run.
    """

    chunk: int
    lanes: int
    keep_times: bool
    seekers: int = 1
    POWERS: ClassVar[tuple[str, ...]] = ("lanes",)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: where several work-items share a chunk, it is in local memory."""
        lanes = fit_group(self.lanes, device)
        chunk = self.chunk if lanes == 1 else fit_local(self.chunk, 9 * self.chunk, device)
        return replace(self, lanes=lanes, chunk=chunk)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(chunk=1024, lanes=256, keep_times=False, seekers=1 << 16),
    cpu=LaunchConfig(chunk=4096, lanes=1, keep_times=True, seekers=-64),
    simulator=LaunchConfig(chunk=16, lanes=8, keep_times=False, seekers=5),
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
    """

    def __init__(
        self, device: Device, n: int, seed: int, *, edges: bool, room: int, shape: LaunchConfig | None = None
    ) -> None:
        self._shape = shape = shape or LAUNCH.of(device)
        self._device, self._n = device, n
        self._room = -(-max(room, 1) // shape.chunk) * shape.chunk
        places = n + self._room
        chunks = -(-places // shape.chunk)
        device.reserve(self.memory(n, self._room, shape))
        self._defines: dict[str, Any] = {
            "CHUNK": shape.chunk,
            "LANES": shape.lanes,
            "KEEP_TIMES": int(shape.keep_times),
            "BY_EDGE": int(edges),
            "ITEMS": device.tuning.items,
        }
        self._by_edge, self._program = edges, device.program("sampling/shards/forest", **self._defines)
        self._whole = "HAVE_INT64_ATOMICS" in device.features and device.kind != "simulator"
        self._passes = -(-n // device.tuning.items)
        # what kernels take by name; the forest so far lies in the list's first n places, the batch after it
        self._state = SimpleNamespace(
            n=n,
            seed=seed,
            label=device.empty(n, np.int32),
            up=device.empty(n, np.int32),
            best_t=device.empty(n, np.uint64),
            # between two reductions: the forest
            best_e=device.zeros(n, np.uint64),
            words=device.empty(places, np.uint64),
            times=device.empty(places if shape.keep_times else 1, np.uint64),
            left=device.empty(1, np.int32),
        )
        begin, count, *rest = (device.empty(chunks, np.int32) for _ in range(4))
        self._first, self._rest = {"begin": begin, "count": count}, rest
        self._waiting, self._reduced = 0, True
        self._list()

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

    def _batches(self, total: int) -> Iterator[tuple[int, int]]:
        """Give how many of `total` edges there is room for, and from which on, until all were added."""
        done = 0
        while done < total:
            if self._waiting == self._room:
                self.reduce()
            some = min(total - done, self._room - self._waiting)
            yield done, some
            self._waiting += some
            done += some
            self._reduced = False

    def add(self, block: DeviceCSR, *, both_ways: bool = False) -> None:
        """Add the edges of rows, which hold each once, or both ways; loops are left out."""
        program = self._device.program(
            "sampling/shards/forest_rows", BOTH_WAYS=both_ways, **block.defines, **self._defines
        )
        chunk, lanes = self._shape.chunk, self._shape.lanes
        rows = {"rows": block.n, "first_row": block.first_row, **block.buffers}
        for begin, some in self._batches(block.arcs):
            part = {"begin": begin, "end": begin + some, "at": self._n + self._waiting}
            size = -(-some // chunk) * lanes
            program.forest_rows.launch(self._state, size, local=lanes, **rows, **part)

    def add_rows(self, row_ptr: Any, col_idx: npt.NDArray[np.int32]) -> None:
        """Add the edges of rows that are on the host, from vertex 0 on, checked by who calls."""
        if len(col_idx):
            arrays = self._device.upload(row_ptr), self._device.upload(col_idx)
            self.add(DeviceCSR(len(row_ptr) - 1, len(col_idx), *arrays, row_ptr.dtype.type))

    def add_words(self, words: Words) -> None:
        """Add edges as words of ``forest.cl``, for instance another forest of the same seed."""
        for begin, some in self._batches(len(words)):
            data = words[begin : begin + some].view(np.uint8)

            def read(view: memoryview, offset: int, data: npt.NDArray[np.uint8] = data) -> None:
                np.frombuffer(view, np.uint8)[:] = data[offset : offset + len(view)]

            loaded = self._device.load(some, np.uint64, read)
            part = {"count": some, "at": self._n + self._waiting, "from_": loaded}
            self._program.forest_words.launch(self._state, -(-some // self._device.tuning.items), **part)

    def _list(self) -> None:
        """Put the forest at the list's beginning."""
        self._program.forest_list.launch(self._state, self._passes, forest=self._state.best_e)

    # --- Boruvka's rounds ---------------------------------------------------------------------------

    def reduce(self) -> None:
        """Make the forest of the edges added since, and of the forest so far."""
        if self._reduced:
            return
        program, n, state = self._program, self._n, self._state
        total = n + self._waiting
        chunks, lanes = -(-total // self._shape.chunk), self._shape.lanes
        program.forest_start.launch(state, self._passes)
        items = self._device.tuning.items
        program.forest_open(-(-chunks // items), chunks=chunks, total=total, **self._first)
        parts = [self._first]
        if total > FILTERED * n:
            rest = dict(zip(("begin", "count"), self._rest, strict=True))
            split = {f"rest_{name}": buffer for name, buffer in rest.items()}
            least = self._least(total)
            program.forest_split.launch(
                state, chunks * lanes, local=lanes, least=least, **self._first, **split
            )
            parts.append(rest)
        for part in parts:
            while self._round(part, chunks):
                pass
        self._list()
        self._waiting, self._reduced = 0, True

    def _least(self, total: int) -> int:
        """Return a time that about 2 n edges of the list reach; any time gives the same forest."""
        n = self._n
        if self._by_edge:
            return (1 << 64) - (2 * n << 64) // total
        # both ends are that late
        return (1 << 64) - isqrt((2 * n << 128) // total)

    def _round(self, part: dict[str, Any], chunks: int) -> bool:
        """Make one round; return whether there was an edge between trees."""
        device, program, state = self._device, self._program, self._state
        size, lanes = chunks * self._shape.lanes, self._shape.lanes
        device.clear(state.left, 1, np.int32)
        program.forest_propose.launch(state, size, local=lanes, **part)
        if not device.download(state.left, np.int32, 1)[0]:
            return False
        # without 64-bit atomics the halves of time and word are raised one after the other
        for step in range(1 if self._whole else 3):
            program.forest_raise.launch(state, size, local=lanes, step=step, **part)
        for kernel in (program.forest_hook, program.forest_climb, program.forest_label):
            kernel.launch(state, self._passes)
        return True

    # --- the forest out -----------------------------------------------------------------------------

    def take(self) -> Any:
        """Return the forest's edges on the device: n words in any order, with 0 for none in between.

        It is the forest's own until the next edge is added.
        """
        self.reduce()
        return self._state.best_e

    def words(self) -> Words:
        """Return the forest's edges, ascending words ``a << 32 | b``; shape (edges,).

        drv: a is deleted before b. dre: a < b.
        """
        found = self._device.download(self.take(), np.uint64, self._n)
        return np.sort(found[found != 0])


def default_room(device: Device, n: int, edges: int) -> int:
    """Edges to hold at a time: all, or as many as fit half of the device's memory beside the vertices."""
    shape = LAUNCH.of(device)
    fixed = sum(Forest.memory(n, 0, shape).values())
    free = max(device.global_memory // 2 - fixed, 0)
    most = max(2 * n, free // (16 if shape.keep_times else 8))
    return max(1, min(edges, most, device.max_buffer // 8 - n - shape.chunk))


def room_to_keep(device: Device, n: int, room: int) -> int:
    """Bytes that shards may take on the device from one pass to the next, beside the forest.

    Where memory is shared, the system keeps the files.
    """
    if device.shares_memory:
        return 0
    taken = sum(Forest.memory(n, room, LAUNCH.of(device)).values()) + 40 * n
    return max(0, device.global_memory * 7 // 8 - taken)


# --- What a sample of a size has, from the forest alone: host half of ``cl/sampling/shards/choose.cl`` ---

Bits = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Choice:
    """Vertices in a sample, and the last deletion: these decide which edges are in it.

    Attributes
    ----------
    bits : uint32 array
        A bit for each vertex of the graph, the lowest first.
    cut : (int, int), or None
        dre: (time, word) of the last deletion; only later edges are in the sample. None: drv.
    untouched : bool
        True if nothing was deleted.
    """

    bits: Bits
    cut: tuple[int, int] | None
    untouched: bool = False


def choose(
    device: Device, words: Any, n: int, method: str, seed: int, targets: Sequence[int]
) -> dict[int, Choice]:
    """Return for each target what is in the sample, from the forest's words as `Forest.take` gives them."""
    edges = method == "dre"
    graph = forest_graph(device, words, n)
    # what made the graph is freed
    device.finish()
    run = ExactRun(device, graph, seed, edges=edges)
    whole = run.start()
    program = device.program("sampling/shards/choose", ITEMS=device.tuning.items, BY_EDGE=int(edges))
    items = -(-n // 32)
    found: dict[int, Choice] = {}
    for target in sorted(set(targets), reverse=True):
        run.shrink_to(target)
        live = run.download().vertices.on(device)
        bits = device.empty(items, np.uint32)
        program.choose_bits(-(-items // device.tuning.items), words=items, n=n, live=live, member=bits)
        cut = _cut(device, program, words, n, seed, live) if edges else None
        found[target] = Choice(device.download(bits, np.uint32, items), cut, whole <= target)
    return found


def forest_graph(device: Device, words: Any, n: int) -> Graph:
    """Return the forest as an undirected graph, which stays on the device."""
    program = device.program("sampling/shards/choose", ITEMS=device.tuning.items)
    passes = -(-n // device.tuning.items)
    present = device.empty(n, np.uint8)
    program.choose_present(passes, n=n, words=words, present=present)
    before, count = flag_positions(device, present, n)
    tail, head = device.empty(count, np.int32), device.empty(count, np.int32)
    program.choose_ends(passes, n=n, words=words, before=before, tail=tail, head=head)
    del present, before
    # they are freed before the rows are made
    device.finish()
    rows = build_rows(device, n, tail, head, count, mirror=True, duplicates="keep")
    return graph_of(device, DeviceGraph(rows, directed=False, num_self_loops=0, is_multigraph=False))


def _cut(device: Device, program: Any, words: Any, n: int, seed: int, live: Any) -> tuple[int, int]:
    """(time, word) of the last edge with one end in the sample; (0, 0) if there is none."""
    seekers = LAUNCH.of(device).seekers
    lanes = min(abs(seekers), n)
    run = -(-n // lanes) if seekers < 0 else 0
    best = device.empty(2 * lanes, np.uint64)
    program.choose_cut(lanes, n=n, lanes=lanes, run=run, seed=seed, words=words, live=live, best=best)
    pairs = device.download(best, np.uint64, 2 * lanes).reshape(-1, 2)
    time, word = max(map(tuple, pairs.tolist()))
    return time, word
