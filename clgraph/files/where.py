"""Where a file is read or written: on a device, or by the host's reader and writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from clgraph.errors import CapacityError, DeviceError
from clgraph.graph import Graph
from clgraph.graph.io import ldbc
from clgraph.graph.io.common import Loaded, Options
from clgraph.graph.io.edges import write_edges
from clgraph.graph.io.formats import Format
from clgraph.graph.io.packed import GZIP, unpacker
from clgraph.graph.io.progress import telling
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device

HOST = "host"
#: formats that devices read: the module and its reader
ON_DEVICES = {
    "edges": ("clgraph.files.edge_list", "read_edge_list"),
    "mtx": ("clgraph.files.edge_list", "read_mtx"),
    "metis": ("clgraph.files.metis", "read_metis"),
    "ldbc": ("clgraph.files.edge_list", "read_ldbc"),
    "clg": ("clgraph.files.binary", "read_binary_there"),
    "parquet": ("clgraph.files.table", "read_parquet_there"),
    "arrow": ("clgraph.files.table", "read_arrow_there"),
}
SMALL = 1_000_000  # bytes of a file that the host reads sooner than a device is opened
SMALL_ARCS = 200_000  # arcs of a graph that the host writes sooner than a device is opened


def read_somewhere(
    name: str,
    form: Format,
    path: Path,
    options: Options,
    device: Device | str | None,
    progress: Tell | None = None,
) -> Loaded:
    """Read a file where `device` says (see `clgraph.read`), else on the host."""
    asked = device is not None
    if name not in ON_DEVICES or (name != "clg" and options.ids != "int"):
        return _on_host(form, path, options, progress)
    if device is None and (name == "clg" or _size(name, path) < SMALL):
        device = HOST
    found = device_or_host(device)
    if found is None:
        return _on_host(form, path, options, progress)
    from clgraph.files.parse import NotTaken
    from clgraph.files.pieces import How

    by = f", unpacked by {unpacker()[0]}" if path.suffix == GZIP else ""
    try:
        loaded = reader_of(name)(path, options, found, How(progress))
        return replace(loaded, where=f"read on {found.hardware}{by}")
    except NotTaken as error:
        why = f"{error}"
    except CapacityError:
        why = f"no room on {found.hardware}"
    except DeviceError as error:
        if asked:
            raise  # who asks for a device hears of its faults
        why = str(error).split("\n", 1)[0]
    return replace(_on_host(form, path, options, progress), where=f"read on the host: {why}")


def _on_host(form: Format, path: Path, options: Options, progress: Tell | None) -> Loaded:
    with telling(progress):
        return form.read(path, options)


def reader_of(name: str) -> Callable[..., Loaded]:
    """The reader of a format on devices."""
    module, reader = ON_DEVICES[name]
    found: Callable[..., Loaded] = getattr(import_module(module), reader)
    return found


def _size(name: str, path: Path) -> int:
    """Bytes of the file that holds the edges."""
    return (ldbc.find_files(path).edges if name == "ldbc" else path).stat().st_size


def write_edges_somewhere(
    graph: Graph, path: Path, device: Device | str | None, progress: Tell | None = None
) -> list[str]:
    """Write an edge list where `device` says (see `clgraph.write`), else on the host."""
    if device is None and graph.num_arcs < SMALL_ARCS:
        device = HOST
    found = device_or_host(getattr(graph.home, "device", None) if device is None else device)
    if found is None:
        return _written_here(graph, path, progress)
    from clgraph.files.spell import Spelling, write_edge_list

    try:
        spelling = Spelling.of(graph, found, path)
    except DeviceError as error:
        if device is not None and not isinstance(error, CapacityError):
            raise
        spelling = None
    if spelling is None:
        return _written_here(graph, path, progress)
    return write_edge_list(spelling, path, progress=progress)


def _written_here(graph: Graph, path: Path, progress: Tell | None) -> list[str]:
    with telling(progress):
        return write_edges(graph, path)


def device_or_host(device: Device | str | None) -> Device | None:
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
