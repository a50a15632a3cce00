"""Properties of rows on a device: loops, parallel arcs, lengths of rows, weights.

Host half of ``cl/csr/facts.cl``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.graph.building import INT32_MAX

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program

# arcs that one work-item looks up the twins of: long serial runs on a CPU core, many work-items on a GPU
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=3)
# work-items that look through weights at most: the host adds up what they met
SURVEYORS = 1 << 16


def _program(device: Device, rows: DeviceCSR) -> Program:
    return device.program("csr/facts", ITEMS=device.tuning.items, RUN=LAUNCH.of(device), **rows.defines)


def _over(device: Device, count: int) -> int:
    return -(-count // device.tuning.items)


def count_loops_and_copies(device: Device, rows: DeviceCSR) -> tuple[int, int]:
    """Count arcs from a vertex to itself, and arcs that repeat the one before them in their row."""
    with device.alone():
        found = device.zeros(2, np.uint32)
        _program(device, rows).facts_count.launch(rows, _over(device, rows.n), found=found)
        loops, copies = device.download(found, np.uint32, 2).tolist()
    return loops, copies


def count_nonisolated(device: Device, rows: DeviceCSR) -> int:
    """Count the vertices that have arcs."""
    with device.alone():
        found = device.zeros(1, np.uint32)
        _program(device, rows).facts_linked.launch(rows, _over(device, rows.n), found=found)
        return int(device.download(found, np.uint32, 1)[0])


def distinct_arcs(device: Device, rows: DeviceCSR) -> Any:
    """Return which arcs do not repeat the one before them in their row: uint8 buffer; does not wait."""
    distinct = device.empty(max(rows.arcs, 1), np.uint8)
    _program(device, rows).facts_distinct.launch(rows, _over(device, rows.n), distinct=distinct)
    return distinct


def find_hub(device: Device, rows: DeviceCSR) -> int:
    """Return the first of the vertices with the most arcs."""
    hub = device.upload(np.array([0, rows.n], np.int32), writable=True)
    program, passes = _program(device, rows), _over(device, rows.n)
    program.facts_longest.launch(rows, passes, hub=hub)
    program.facts_first.launch(rows, passes, hub=hub)
    return int(device.download(hub, np.int32, 2)[1])


def longest_row(device: Device, rows: DeviceCSR) -> int:
    """Count the arcs of the longest row."""
    found = device.zeros(1, np.int32)
    _program(device, rows).facts_longest.launch(rows, _over(device, rows.n), hub=found)
    return int(device.download(found, np.int32, 1)[0])


def list_lengths(device: Device, rows: DeviceCSR, listed: Any, count: int) -> Any:
    """Return the number of arcs of the vertices in an int32 buffer, in another one; does not wait."""
    length = device.empty(count, np.int32)
    given = {"count": count, "listed": listed, "length": length}
    _program(device, rows).facts_lengths.launch(rows, _over(device, count), **given)
    return length


def lengths_of(device: Device, rows: DeviceCSR, vertices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the number of arcs of some vertices."""
    count = len(vertices)
    listed = device.upload(np.ascontiguousarray(vertices))
    return device.download(list_lengths(device, rows, listed, count), np.int32, count)


def count_single_arcs(device: Device, rows: DeviceCSR, weights: Any) -> int:
    """Count arcs without one of the same weight in the other direction; none may have a copy."""
    found = device.zeros(1, np.uint32)
    runs = -(-rows.arcs // LAUNCH.of(device))
    _program(device, rows).facts_twins.launch(rows, runs, weight=weights, found=found)
    return int(device.download(found, np.uint32, 1)[0])


def count_range(device: Device, rows: DeviceCSR, counts: Any) -> tuple[int, int]:
    """Return the smallest and the largest of int32 values beside the arcs, of which there are some."""
    found = device.upload(np.array([INT32_MAX, -INT32_MAX], np.int32), writable=True)
    runs = -(-rows.arcs // LAUNCH.of(device))
    _program(device, rows).facts_range(runs, count=rows.arcs, values=counts, found=found)
    low, high = device.download(found, np.int32, 2).tolist()
    return low, high


class Weights(NamedTuple):
    """What the weights of a graph's arcs are like; `whole`: all are whole numbers."""

    least: float
    largest: float
    mean: float
    whole: bool


def survey_weights(device: Device, rows: DeviceCSR, weights: Any) -> Weights:
    """Look through float64 values beside the arcs, of which there are some; all is NaN if one is."""
    items = min(-(-rows.arcs // LAUNCH.of(device)), SURVEYORS)
    met = device.empty(4 * items, np.float64)
    given = {"count": rows.arcs, "items": items, "values": weights, "met": met}
    _program(device, rows).facts_weights(items, **given)
    least, largest, total, odd = device.download(met, np.float64, 4 * items).reshape(items, 4).T
    if (most := odd.max()) == 2:
        return Weights(np.nan, np.nan, np.nan, False)
    with np.errstate(over="ignore"):
        mean = float(total.sum()) / rows.arcs
    return Weights(float(least.min()), float(largest.max()), mean, bool(most == 0))


def cast_weights(device: Device, rows: DeviceCSR, weights: Any, kind: type[Any]) -> Any:
    """Return float64 values beside the arcs as np.uint32 or np.float32, in a buffer; does not wait."""
    result, program = device.empty(rows.arcs, kind), _program(device, rows)
    kernel = program.facts_to_uint if kind is np.uint32 else program.facts_to_float
    kernel(-(-rows.arcs // LAUNCH.of(device)), count=rows.arcs, values=weights, result=result)
    return result


def differ(device: Device, rows: DeviceCSR, *pairs: tuple[Any, Any, int]) -> bool:
    """True if two arrays of 32-bit words (each pair with their count) differ anywhere."""
    found = device.zeros(1, np.uint32)
    program = _program(device, rows)
    for one, other, count in pairs:
        program.facts_differ(_over(device, count), count=count, one=one, other=other, found=found)
    return bool(device.download(found, np.uint32, 1)[0])
