"""Vertices and arcs that runs of the literature's samplers have taken, in columns that stay on the device.

Host half of ``cl/sampling/literature/listed.cl`` and ``listed_edges.cl``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.sampling.literature.smallest import LAUNCH, Column, Cut, Smallest
from clgraph.sampling.literature.view import NONE

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

KERNELS = "sampling/literature/listed"


def given(device: Device, vertices: Column) -> Column:
    """Return vertices that are on the host as a column that is on the device, too."""
    items = device.upload(np.append(vertices.values, 0).astype(np.int32), writable=True)
    return Column(vertices.offset, vertices.values, Column.on(device, vertices.offset, items, np.int32))


def first_seen(device: Device, runs: int, n: int, first: Any) -> tuple[Column, Column]:
    """List the vertices with a first visit; and its number, which is their key."""
    cut = Cut(device.upload(np.full(runs, NONE, np.uint64), writable=True), device.zeros(runs, np.int32))
    return Smallest(device, runs, n).take(first, cut, equal=False, keys=True)


def visited(device: Device, runs: int, n: int, parts: int, visits: Any) -> Column:
    """List the vertices with a visit in some part of the walk."""
    blocks = -(-n // LAUNCH.of(device).met)
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
    """Return a byte for each of `n` vertices, 1 where this run has taken it: uint8 device buffer."""
    device, (first, end) = vertices.device, vertices.offset[run : run + 2].tolist()
    mark = device.zeros(n, np.uint8)
    passes = -(-(end - first) // device.tuning.items)
    program(device).listed_mark(passes, many=end - first, first=first, list=vertices.buffer, mark=mark)
    return mark


def gathered(vertices: Column, n: int, value: Any, parts: int = 1) -> Column:
    """Gather an int32 value of each vertex; of several parts one part after the other, as of one run."""
    device, offset = vertices.device, vertices.offset
    many, longest = int(offset[-1]), int(np.diff(offset).max(initial=0))
    out = device.empty(max(parts * many, 1), np.int32)
    sizes = {"n": n, "parts": parts, "longest": longest, "many": many}
    program(device).listed_gather(
        (-(-longest // device.tuning.items), len(offset) - 1),
        **sizes,
        offset=device.upload(offset, writable=True),
        list=vertices.buffer,
        value=value,
        out=out,
    )
    return Column.on(device, offset if parts == 1 else np.array([0, parts * many]), out, np.int32)


def marked_arcs(device: Device, runs: int, arcs: int, marks: Any) -> Column:
    """List the places of the arcs that have a mark (int32, shape (runs * arcs,)), of each run."""
    # the kernel's blocks of an arc's place are int
    if arcs < 1 << 30:
        return visited(device, runs, arcs, 1, marks)
    found = device.download(marks, np.int32, runs * arcs).reshape(runs, -1)
    return Column.of_parts([np.flatnonzero(row) for row in found])


def picked(device: Device, n: int, weight: Any, vertices: Column) -> Column:
    """Return the integer weights (uint64 device buffer, shape (n,)) of some vertices, fetched when needed."""

    def fetch() -> npt.NDArray[np.uint64]:
        with device.alone():
            values: npt.NDArray[np.uint64] = device.download(weight, np.uint64, n)
        return values[vertices.values]

    return Column(vertices.offset, fetch)


def program(device: Device) -> Program:
    """Return the kernels that list."""
    met = LAUNCH.of(device).met
    return device.program(KERNELS, ITEMS=device.tuning.items, BLOCK=met)
