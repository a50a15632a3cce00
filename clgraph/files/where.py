"""Where a file is read or written: on a device, or by the host's reader and writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clgraph.errors import CapacityError, DeviceError
from clgraph.graph import Graph
from clgraph.graph.io.binary import read_binary
from clgraph.graph.io.common import Loaded, Options, Progress
from clgraph.graph.io.edges import read_edges, write_edges
from clgraph.graph.io.packed import GZIP, unpacker

if TYPE_CHECKING:
    from clgraph.device import Device

HOST = "host"
SMALL = 1_000_000  # bytes of a file that the host reads sooner than a device is opened
SMALL_ARCS = 200_000  # arcs of a graph that the host writes sooner


def read_edges_somewhere(
    path: Path, options: Options, device: Device | str | None, progress: Progress = None
) -> Loaded:
    """Read an edge list where `device` says (see `clgraph.read`), else on the host."""
    if device is None and path.stat().st_size < SMALL:
        device = HOST
    found = None if options.ids != "int" else _found(device)
    if found is None:
        return read_edges(path, options)
    from clgraph.files.edge_list import read_edge_list

    def read_there() -> Loaded:
        return read_edge_list(path, options, found, progress=progress)

    by = f", unpacked by {unpacker()[0]}" if path.suffix == GZIP else ""
    return _either(read_there, lambda: read_edges(path, options), found, device is not None, by)


def read_binary_somewhere(
    path: Path, options: Options, device: Device | str | None, progress: Progress = None
) -> Loaded:
    """Read a .clg file to the device that is asked for (see `clgraph.read`), else to the host."""
    found = None if device is None else _found(device)
    if found is None:
        return read_binary(path, options)
    from clgraph.files.binary import read_binary_there

    def read_there() -> Loaded:
        return read_binary_there(path, options, found, progress=progress)

    return _either(read_there, lambda: read_binary(path, options), found, True)


def _either(
    there: Callable[[], Loaded], here: Callable[[], Loaded], device: Device, asked: bool, by: str = ""
) -> Loaded:
    """What a device reads, or the host where that leaves the file to it; `asked`: for this device."""
    from clgraph.files.parse import NotTaken

    try:
        return replace(there(), where=f"read on {device.hardware}{by}")
    except NotTaken as error:
        why = f"{error}"
    except CapacityError:
        why = f"no room on {device.hardware}"
    except DeviceError as error:
        if asked:
            raise  # who asks for a device hears of its faults
        why = str(error).split("\n", 1)[0]
    return replace(here(), where=f"read on the host: {why}")


def write_edges_somewhere(
    graph: Graph, path: Path, device: Device | str | None, progress: Progress = None
) -> list[str]:
    """Write an edge list where `device` says (see `clgraph.write`), else on the host."""
    if device is None and graph.num_arcs < SMALL_ARCS:
        device = HOST
    found = _found(getattr(graph.home, "device", None) if device is None else device)
    if found is None:
        return write_edges(graph, path)
    from clgraph.files.spell import Spelling, write_edge_list

    try:
        spelling = Spelling.of(graph, found, path)
    except DeviceError as error:
        if device is not None and not isinstance(error, CapacityError):
            raise
        spelling = None
    if spelling is None:
        return write_edges(graph, path)
    return write_edge_list(spelling, path, progress=progress)


def _found(device: Device | str | None) -> Device | None:
    """The device that is meant (for one that has no such kernels, an FPGA, the CPU); None means the host."""
    if device == HOST:
        return None
    assert not isinstance(device, str)
    if device is not None and device.has_compiler and not device.is_fpga:
        return device
    from clgraph.device import get_device

    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError:  # there is none that works, or this process was forked from one that uses it
        return None
