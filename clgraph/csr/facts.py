"""What is asked of rows on a device before anybody works on them: host half of ``cl/csr/facts.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.graph.building import INT32_MAX

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program

# arcs that one work-item looks up the twins of: long serial runs on a CPU core, many work-items on a GPU
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=3)


def _program(device: Device, rows: DeviceCSR) -> Program:
    return device.program("csr/facts", ITEMS=device.tuning.items, **rows.defines)


def _over(device: Device, count: int) -> int:
    return -(-count // device.tuning.items)


def count_loops_and_copies(device: Device, rows: DeviceCSR) -> tuple[int, int]:
    """Arcs from a vertex to itself, and arcs that repeat the one before them in their row."""
    with device.alone():
        found = device.zeros(2, np.uint32)
        _program(device, rows).facts_count(
            _over(device, rows.n), n=rows.n, row_ptr=rows.row_ptr, col_idx=rows.col_idx, found=found
        )
        loops, copies = device.download(found, np.uint32, 2).tolist()
    return loops, copies


def count_nonisolated(device: Device, rows: DeviceCSR) -> int:
    """Vertices that have arcs."""
    with device.alone():
        found = device.zeros(1, np.uint32)
        _program(device, rows).facts_linked(
            _over(device, rows.n), n=rows.n, row_ptr=rows.row_ptr, found=found
        )
        return int(device.download(found, np.uint32, 1)[0])


def distinct_arcs(device: Device, rows: DeviceCSR) -> Any:
    """Which arcs do not repeat the one before them in their row: uint8 device buffer; does not wait."""
    distinct = device.empty(max(rows.arcs, 1), np.uint8)
    _program(device, rows).facts_distinct(
        _over(device, rows.n), n=rows.n, row_ptr=rows.row_ptr, col_idx=rows.col_idx, distinct=distinct
    )
    return distinct


def find_hub(device: Device, rows: DeviceCSR) -> int:
    """The first of the vertices with the most arcs."""
    hub = device.upload(np.array([0, rows.n], np.int32), writable=True)
    program, passes = _program(device, rows), _over(device, rows.n)
    program.facts_longest(passes, n=rows.n, row_ptr=rows.row_ptr, hub=hub)
    program.facts_first(passes, n=rows.n, row_ptr=rows.row_ptr, hub=hub)
    return int(device.download(hub, np.int32, 2)[1])


def longest_row(device: Device, rows: DeviceCSR) -> int:
    """Arcs of the longest row."""
    found = device.upload(np.array([0, rows.n], np.int32), writable=True)
    _program(device, rows).facts_longest(_over(device, rows.n), n=rows.n, row_ptr=rows.row_ptr, hub=found)
    return int(device.download(found, np.int32, 1)[0])


def list_lengths(device: Device, rows: DeviceCSR, listed: Any, count: int) -> Any:
    """Number of arcs of the vertices in an int32 device buffer: another one; does not wait."""
    length = device.empty(count, np.int32)
    _program(device, rows).facts_lengths(
        _over(device, count), count=count, listed=listed, row_ptr=rows.row_ptr, length=length
    )
    return length


def lengths_of(device: Device, rows: DeviceCSR, vertices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Number of arcs of some vertices."""
    count = len(vertices)
    listed = device.upload(np.ascontiguousarray(vertices))
    return device.download(list_lengths(device, rows, listed, count), np.int32, count)


def count_single_arcs(device: Device, rows: DeviceCSR, weights: Any) -> int:
    """Arcs without one of the same weight in the other direction; none may have a copy."""
    run = LAUNCH.of(device)
    found = device.zeros(1, np.uint32)
    program = device.program("csr/facts", ITEMS=device.tuning.items, RUN=run, **rows.defines)
    program.facts_twins(
        -(-rows.arcs // run),
        n=rows.n,
        arcs=rows.arcs,
        row_ptr=rows.row_ptr,
        col_idx=rows.col_idx,
        weight=weights,
        found=found,
    )
    return int(device.download(found, np.uint32, 1)[0])


def count_range(device: Device, rows: DeviceCSR, counts: Any) -> tuple[int, int]:
    """The smallest and the largest of int32 values beside the arcs, of which there are some."""
    run = LAUNCH.of(device)
    found = device.upload(np.array([INT32_MAX, -INT32_MAX], np.int32), writable=True)
    program = device.program("csr/facts", ITEMS=device.tuning.items, RUN=run, **rows.defines)
    program.facts_range(-(-rows.arcs // run), count=rows.arcs, values=counts, found=found)
    low, high = device.download(found, np.int32, 2).tolist()
    return low, high


def differ(device: Device, rows: DeviceCSR, *pairs: tuple[Any, Any, int]) -> bool:
    """Whether two arrays of 32-bit words (each pair with their count) differ anywhere."""
    found = device.zeros(1, np.uint32)
    program = _program(device, rows)
    for one, other, count in pairs:
        program.facts_differ(_over(device, count), count=count, one=one, other=other, found=found)
    return bool(device.download(found, np.uint32, 1)[0])
