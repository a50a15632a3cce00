"""Where an edge list is read: on a device, or by the host's reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clgraph.errors import CapacityError, DeviceError
from clgraph.graph.io.common import Loaded, Options
from clgraph.graph.io.edges import read_edges

if TYPE_CHECKING:
    from clgraph.device import Device

HOST = "host"
SMALL = 1_000_000  # bytes of a file that the host reads sooner than a device is opened


def read_edges_somewhere(path: Path, options: Options, device: Device | str | None) -> Loaded:
    """Read an edge list where `device` says (see `clgraph.read`), else on the host; `rows` says where."""
    if device == HOST or options.ids != "int" or (device is None and path.stat().st_size < SMALL):
        return read_edges(path, options)
    from clgraph.files.edge_list import NotTaken, read_edge_list

    found = _cpu() if device is None else device
    if found is None:
        return read_edges(path, options)
    assert not isinstance(found, str)
    try:
        loaded = read_edge_list(path, options, found)
    except NotTaken as error:
        return _on_host(path, options, f"{error}")
    except CapacityError:
        return _on_host(path, options, f"no room on {found.hardware}")
    return replace(loaded, rows=f"{loaded.rows}, read on {found.hardware}")


def _on_host(path: Path, options: Options, why: str) -> Loaded:
    loaded = read_edges(path, options)
    return replace(loaded, rows=f"{loaded.rows}, read on the host: {why}")


def _cpu() -> Device | None:
    """The CPU as a device, if it has a driver that works."""
    from clgraph.device import get_device

    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError:
        return None
