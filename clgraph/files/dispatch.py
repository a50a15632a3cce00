"""Choice of where a file is read or written: on a device, or by the host's reader and writer."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from clgraph.arguments import file_name, flag, word
from clgraph.errors import CapacityError, DeviceError, InputError
from clgraph.formats import ldbc
from clgraph.formats.common import Ids, Loaded, Options, check_file, check_vertex_count
from clgraph.formats.edges import write_edges
from clgraph.formats.packed import GZIP, GZIP_MAGIC, ZSTD_MAGIC, unpacker
from clgraph.formats.table import Format, find_format
from clgraph.graph import Duplicates, Graph
from clgraph.progress import Tell, reporting

if TYPE_CHECKING:
    from clgraph.device import Device

HOST = "host"
#: formats that devices read: the module that has ``read_NAME``
ON_DEVICES = {
    "edges": "clgraph.files.edge_list",
    "mtx": "clgraph.files.edge_list",
    "metis": "clgraph.files.edge_list",
    "ldbc": "clgraph.files.edge_list",
    "clg": "clgraph.files.clg",
    "parquet": "clgraph.files.table",
    "arrow": "clgraph.files.table",
}
SMALL = 1_000_000  # bytes of a file that the host reads sooner than a device is opened
SMALL_ARCS = 200_000  # arcs of a graph that the host writes sooner than a device is opened
NAMED = ("graphml", "gexf")  # formats whose vertices may have names beside their ids


def load(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    attributes: str | os.PathLike[str] | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
    **options: Any,
) -> Loaded:
    """Read a graph where `device` says, else on the host; all as in `clgraph.read`."""
    if isinstance(device, str) and device != HOST:
        from clgraph.device import get_device

        device = get_device(device)
    given, file = _checked(Options(**options)), file_name(path)
    with ExitStack() as stack:
        if str(file) == STDIN:
            file, format = stack.enter_context(spooled(progress)), format or "edges"
        form = find_format(file, format)
        given = _options_for(form, file, given)
        try:
            loaded = _loaded(form, file, given, device, progress)
        except InputError as error:
            # errors raised by Graph itself do not name the file
            if str(error).startswith(str(file.with_suffix(""))):
                raise
            raise InputError(f"{file}: {error}") from error
        if given.max_vertices is not None:
            check_vertex_count(file, loaded.graph.num_vertices, given)
    if attributes is not None:
        from clgraph.formats.vertex_table import add_vertex_table

        add_vertex_table(loaded.graph, file_name(attributes), given.max_ratio)
    return loaded


def _checked(given: Options) -> Options:
    """Return the options, checked."""
    word(given.ids, "ids", get_args(Ids))
    word(given.duplicates, "duplicates", get_args(Duplicates))
    directed = None if given.directed is None else flag(given.directed, "directed")
    if given.max_vertices is not None and given.max_vertices < 0:
        raise InputError(f"max_vertices is {given.max_vertices}: give a count, 0 or more")
    if not given.max_ratio > 0:
        raise InputError(f"max_ratio is {given.max_ratio}: give a positive number, or inf")
    weights, most = flag(given.weights, "weights"), float(given.max_ratio)
    return replace(given, directed=directed, weights=weights, max_ratio=most)


def _options_for(form: Format, file: Path, options: Options) -> Options:
    """The options as a format takes them; InputError for a file that it cannot be, or for other options."""
    name = form.name
    if name != "ldbc":  # which looks for its two files itself
        check_file(file, may_be_empty=name == "graph500", packed=name == "jlg")
    if options.ids == "name" and name == "pajek":
        options = replace(options, ids="str")  # labels
    elif options.ids == "name" and name not in NAMED:
        raise InputError(
            f"{file}: vertices of {name} files have no names beside their ids; leave ids='name' out"
        )
    if options.header is not None and name != "edges":
        raise InputError(f"{file}: {name} files have no header row; leave header= out")
    return options


def _loaded(
    form: Format, path: Path, options: Options, device: Device | str | None, progress: Tell | None
) -> Loaded:
    name, why = form.name, ""
    # kernels take ids that are numbers; a .clg file says itself whether its ids are
    if device != HOST and name in ON_DEVICES and (name == "clg" or options.ids == "int"):
        edges = ldbc.find_files(path).edges if name == "ldbc" else path
        # of .clg files the host reads those for which nobody has asked for a device
        if device is not None or (name != "clg" and edges.stat().st_size >= SMALL):
            there = device_or_host(device)
            if there is not None:
                found = _on_device(name, path, options, there, progress, asked=device is not None)
                if isinstance(found, Loaded):
                    return found
                why = f"read on the host: {found}"
    if progress is None:
        loaded = form.read(path, options)
    else:
        with reporting(progress):
            loaded = form.read(path, options)
    return replace(loaded, where=why) if why else loaded


def _on_device(
    name: str, path: Path, options: Options, device: Device, progress: Tell | None, *, asked: bool
) -> Loaded | str:
    """The graph read on a device, or why that is left to the host."""
    from clgraph.files.read_ahead import NotTaken, ReadSettings

    by = f", unpacked by {unpacker()[0]}" if path.suffix == GZIP else ""
    try:
        loaded = reader_of(name)(path, options, device, ReadSettings(progress))
        return replace(loaded, where=f"read on {device}{by}")
    except NotTaken as error:
        return f"{error}"
    except CapacityError:
        return f"no room on {device}"
    except DeviceError as error:
        if asked:
            raise  # who asks for a device hears of its faults
        return str(error).split("\n", 1)[0]


def reader_of(name: str) -> Callable[..., Loaded]:
    """The reader of a format on devices."""
    found: Callable[..., Loaded] = getattr(import_module(ON_DEVICES[name]), f"read_{name}")
    return found


def write_edges_somewhere(
    graph: Graph, path: Path, device: Device | str | None, progress: Tell | None = None
) -> None:
    """Write an edge list where `device` says (see `clgraph.write`), else on the host."""
    if device is None and graph.num_arcs < SMALL_ARCS:
        device = HOST
    found = device_or_host(getattr(graph._residence, "device", None) if device is None else device)
    spelling = None
    if found is not None:
        from clgraph.files.write_edges import Spelling, write_edge_list

        try:
            spelling = Spelling.of(graph, found, path)
        except DeviceError as error:
            if device is not None and not isinstance(error, CapacityError):
                raise
        if spelling is not None:
            write_edge_list(spelling, path, progress=progress)
            return
    with reporting(progress):
        write_edges(graph, path)


def device_or_host(device: Device | str | None) -> Device | None:
    """The device that is meant (for one that has no such kernels, an FPGA, the CPU); None means the host."""
    if device == HOST:
        return None
    assert not isinstance(device, str)
    # FPGAs have no kernels for text, and without a compiler none can be built
    if device is not None and device.has_compiler and not device.is_fpga:
        return device
    from clgraph.device import get_device

    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError:  # there is none that works, or this process was forked from one that uses it
        return None


# --- standard input as a file: readers look at a file twice, which a pipe does not allow ---


STDIN = "-"
NAME = "standard input"
CHUNK = 1 << 20


@contextmanager
def spooled(progress: Tell | None = None) -> Iterator[Path]:
    """Keep standard input in a temporary file; messages that name the file name standard input instead."""
    folder = tempfile.gettempdir()
    descriptor, name = tempfile.mkstemp(prefix="clgraph-", dir=folder)
    path = Path(name)
    try:
        own = Path(f"/proc/self/fd/{descriptor}")
        if own.exists():  # then a process that is killed leaves nothing behind
            path.unlink()
            path = own
        done = 0
        try:
            while data := os.read(0, CHUNK):
                done += len(data)
                view = memoryview(data)
                # a write may take only a part of the data
                while view:
                    view = view[os.write(descriptor, view) :]
                if progress is not None:
                    progress(done, None)
        except OSError as error:
            raise InputError(
                f"{NAME} cannot be read, or kept in {folder}: {error.strerror or error}; TMPDIR names a "
                "folder with more room"
            ) from error
        with open(path, "rb") as file:
            begin = file.read(4)
        for magic, tool in ((GZIP_MAGIC, "gzip"), (ZSTD_MAGIC, "zstd")):
            if begin.startswith(magic):
                raise InputError(f"{NAME} is compressed by {tool}: unpack it ({tool} -dc FILE | clgraph ...)")
        try:
            yield path
        except InputError as error:
            if str(path) not in str(error):
                raise
            raise InputError(str(error).replace(str(path), NAME)) from error
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(name)
