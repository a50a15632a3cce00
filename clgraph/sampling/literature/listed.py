"""Columns of what runs have taken, on the device until they are looked at.

Host half of ``cl/sampling/literature/listed.cl`` and ``listed_edges.cl``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.lazy import lazy
from clgraph.sampling.literature.clock import NONE
from clgraph.sampling.literature.smallest import Cut, Smallest, Taken
from clgraph.sampling.selection import Marked

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


LAUNCH = LaunchTable(gpu=256, cpu=4096, simulator=8)  # vertices of a work-item that lists those visited


class Column:
    """Values of several runs, one after the other: run r's are ``values[offset[r]:offset[r + 1]]``.

    Parameters
    ----------
    offset : int64 array, shape (runs + 1,)
    values : array, or a function that gives it
        It is called when the values are first looked at: until then they stay on a device.
    there : Column, optional
        The values on the device, perhaps in another order; of edges perhaps both arcs of each.
    """

    device: Device
    buffer: Any
    dtype: npt.DTypeLike

    def __init__(
        self,
        offset: npt.NDArray[np.int64],
        values: npt.NDArray[Any] | Callable[[], npt.NDArray[Any]],
        there: Column | None = None,
    ) -> None:
        self.offset, self._source, self.there = offset, values, there

    @lazy
    def values(self) -> npt.NDArray[Any]:
        """The values of all runs."""
        source = self._source
        if callable(source):
            source = self._source = source()  # what it held on the device is free now
        return source

    def of(self, run: int) -> npt.NDArray[Any]:
        """Those of one run, not copied."""
        found: npt.NDArray[Any] = self.values[self.offset[run] : self.offset[run + 1]]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Column, (self.offset, self.values)

    @staticmethod
    def on(device: Device, offset: npt.NDArray[np.int64], buffer: Any, dtype: npt.DTypeLike) -> Column:
        """Values in a buffer: they stay on the device until they are looked at."""

        def fetch() -> npt.NDArray[Any]:
            with device.alone():
                return device.download(buffer, dtype, int(offset[-1]))

        made = Column(offset, fetch)
        made.device, made.buffer, made.dtype, made.there = device, buffer, dtype, made
        return made

    @staticmethod
    def of_parts(parts: list[npt.NDArray[Any]]) -> Column:
        """One part a run."""
        offset = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
        return Column(offset, np.concatenate(parts) if parts else np.zeros(0, np.int32))


# --- Vertices, and arcs, that runs have taken ---


def taken_of(device: Device, taken: Taken, item: npt.DTypeLike = np.int32) -> tuple[Column, Column]:
    """What was taken, and (if `taken` has them) the keys."""
    keys = Column.on(device, taken.offset, taken.keys, np.uint64)
    return Column.on(device, taken.offset, taken.items, item), keys


def smallest(
    device: Device, runs: int, n: int, key: Any, wanted: int, *, keys: bool = True
) -> tuple[Column, Column]:
    """The `wanted` vertices of smallest keys of each run; and their keys."""
    found = Smallest(device, runs, n)
    cut = found.cut(key, np.full(runs, wanted, np.int64))
    return taken_of(device, found.take(key, cut, equal=True, keys=keys))


def given(device: Device, vertices: Column) -> Column:
    """Vertices that are on the host, there and on the device."""
    items = device.upload(np.append(vertices.values, 0).astype(np.int32), writable=True)
    return Column(vertices.offset, vertices.values, Column.on(device, vertices.offset, items, np.int32))


def first_seen(device: Device, runs: int, n: int, first: Any) -> tuple[Column, Column]:
    """The vertices with a first visit; and its number, which is their key."""
    cut = Cut(device.upload(np.full(runs, NONE, np.uint64), writable=True), device.zeros(runs, np.int32))
    return taken_of(device, Smallest(device, runs, n).take(first, cut, equal=False, keys=True))


def visited(device: Device, runs: int, n: int, parts: int, visits: Any) -> Column:
    """The vertices with a visit in some part of the walk."""
    blocks = -(-n // LAUNCH.of(device))
    count = device.empty(runs * blocks, np.int32)
    local = min(device.tuning.local_size, 64), 1
    head = {"n": n, "blocks": blocks, "parts": parts, "visits": visits}
    program(device).listed_met((blocks, runs), local=local, **head, count=count)
    before = running_sums(device, count, runs * blocks)
    if runs == 1:
        offset = np.array([0, device.download(before, np.int64, 1, offset=blocks)[0]])
    else:
        offset = device.download(before, np.int64, runs * blocks + 1)[::blocks].copy()
    listed = device.empty(max(int(offset[-1]), 1), np.int32)
    program(device).listed_list((blocks, runs), local=local, **head, before=before, list=listed)
    return Column.on(device, offset, listed, np.int32)


def marked(vertices: Column, n: int, run: int) -> Any:
    """A byte for each of `n` vertices, 1 where this run has taken it: uint8 device buffer."""
    device, (first, end) = vertices.device, vertices.offset[run : run + 2].tolist()
    mark = device.zeros(n, np.uint8)
    passes = -(-(end - first) // device.tuning.items)
    program(device).listed_mark(passes, many=end - first, first=first, list=vertices.buffer, mark=mark)
    return mark


def gathered(vertices: Column, n: int, values: Any, parts: int = 1) -> Column:
    """A value of each vertex, int32; of several parts one part after the other, as of one run.

    Parameters
    ----------
    vertices : Column
    n : int
        Vertices of the graph.
    values : int32 device buffer, shape (parts * runs * n,)
    parts : int
    """
    device, offset = vertices.device, vertices.offset
    many, longest = int(offset[-1]), int(np.diff(offset).max(initial=0))
    out = device.empty(max(parts * many, 1), np.int32)
    program(device).listed_gather(
        (-(-longest // device.tuning.items), len(offset) - 1),
        n=n,
        parts=parts,
        longest=longest,
        many=many,
        offset=device.upload(offset, writable=True),
        list=vertices.buffer,
        value=values,
        out=out,
    )
    return Column.on(device, offset if parts == 1 else np.array([0, parts * many]), out, np.int32)


def visits_of(vertices: Column, n: int, visits: Any, parts: int) -> tuple[Column, Column | None]:
    """Visits to each vertex; and, where there are several, those in each part of the walk."""
    made = gathered(vertices, n, visits, parts)
    if parts == 1:
        return made, None

    def summed() -> npt.NDArray[np.int64]:
        total: npt.NDArray[np.int64] = made.values.reshape(parts, -1).sum(axis=0, dtype=np.int64)
        return total

    return Column(vertices.offset, summed), made


def marked_arcs(device: Device, runs: int, arcs: int, marks: Any) -> Column:
    """The places of the arcs that have a mark (int32, shape (runs * arcs,)), of each run."""
    if arcs < 1 << 30:
        return visited(device, runs, arcs, 1, marks)
    found = device.download(marks, np.int32, runs * arcs).reshape(runs, -1)
    return Column.of_parts([np.flatnonzero(row) for row in found])


def picked(device: Device, n: int, weight: Any, vertices: Column) -> Column:
    """The integer weights (uint64 device buffer, shape (n,)) of some vertices, when they are looked at."""

    def fetch() -> npt.NDArray[np.uint64]:
        with device.alone():
            values: npt.NDArray[np.uint64] = device.download(weight, np.uint64, n)
        return values[vertices.values]

    return Column(vertices.offset, fetch)


def program(device: Device) -> Program:
    """The kernels."""
    return device.program("sampling/literature/listed", ITEMS=device.tuning.items, BLOCK=LAUNCH.of(device))


# --- Marks of a sample's edges on the device: host half of ``cl/sampling/literature/listed_edges.cl`` ---


def left_of(
    simple: Graph,
    run: int,
    listed: Column | None,
    arcs: Column | None,
    parent: Column | None,
    *,
    whole: bool = False,
) -> Marked:
    """The vertices and edges of one run's sample.

    Parameters
    ----------
    simple : Graph
        Undirected, without loops.
    run : int
        Which of those that are listed.
    listed : Column, or None
        The vertices; None: the ends of the arcs.
    arcs : Column, or None
        Places of arcs, one or both of each edge.
    parent : Column, or None
        The parent of each vertex listed, instead of `arcs`.
    whole : bool
        All vertices are in the sample; `listed` is None.
    """
    source = arcs or parent
    assert source is not None
    device, csr = source.device, upload_csr(source.device, simple)
    device.reserve({"live": csr.n + csr.arcs})
    item = "long" if np.dtype(source.dtype).itemsize == 8 else "int"
    program = device.program(
        "sampling/literature/listed_edges", ITEMS=device.tuning.items, ITEM=item, **csr.defines
    )
    mark = device.zeros(-(-csr.arcs // 4) * 4, np.uint8)
    first, end = source.offset[run : run + 2].tolist()
    passes, part = -(-(end - first) // device.tuning.items), {"first": first, "many": end - first}
    if listed is not None:
        live = marked(listed, csr.n, run)
    else:
        live = device.zeros(-(-csr.n // 4) * 4, np.uint8)
        if whole:
            device.fill(live, np.uint8(1), csr.n)
        else:
            program.listed_ends(passes, n=csr.n, **part, list=source.buffer, **csr.buffers, live=live)
    part |= {**csr.buffers, "live": live, "mark": mark}
    if arcs is not None:
        program.listed_arcs(passes, n=csr.n, list=source.buffer, **part)
    else:
        assert listed is not None
        program.listed_tree(passes, list=listed.buffer, parent=source.buffer, **part)
    return Marked(device, csr, live, mark)
