"""Reading and writing for the commands, with a line that says what was read, merged, skipped or lost."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from clgraph.arguments import file_name, flag, word
from clgraph.errors import InputError
from clgraph.files.where import HOST, read_somewhere, write_edges_somewhere
from clgraph.graph import Duplicates, Graph, as_graph
from clgraph.graph.attributes import Attributes
from clgraph.graph.io.atomic import STDOUT, named
from clgraph.graph.io.common import Ids, Loaded, Options, check_file, check_vertex_count, counted, few
from clgraph.graph.io.formats import check_writable, find_format
from clgraph.graph.io.packed import GZIP_MAGIC, ZSTD_MAGIC
from clgraph.graph.io.progress import telling
from clgraph.graph.io.tables import add_vertex_table
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device


# --- standard input as a file: readers look at a file twice, which a pipe does not allow ---


STDIN = "-"
NAME = "standard input"
PIECE = 1 << 20


@contextmanager
def spooled(progress: Tell | None = None) -> Iterator[Path]:
    """A temporary file with all that comes from standard input; messages that name it name that instead.

    Raises
    ------
    InputError
        If it cannot be read or kept.
    """
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
            while data := os.read(0, PIECE):
                done += len(data)
                view = memoryview(data)
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


WITH_ATTRIBUTES = ("graphml", "gexf", "pajek")  # formats that hold attributes of vertices and edges
TABLES = ("parquet", "arrow")  # those of edges
NAMED = ("graphml", "gexf")


def read_with_summary(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    attributes: str | os.PathLike[str] | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
    **options: Any,
) -> tuple[Graph, str]:
    """`read`, and a line that says how the file was read and what was merged or skipped.

    Parameters
    ----------
    progress : callable, optional
        Called with (bytes read, bytes in all or None).
    **options
        As `Options` has them, not checked yet.

    Returns
    -------
    graph : Graph
    summary : str
        As ``read internet.txt: undirected, 22963 vertices, 48436 edges (48436 rows)``.
    """
    device = _opened(device)
    checked = _checked(Options(**options))
    file, name = file_name(path), None
    with ExitStack() as stack:
        if str(file) == STDIN:
            file, name, format = stack.enter_context(spooled(progress)), NAME, format or "edges"
        loaded = _loaded(file, format, checked, device, progress)
    if attributes is not None:
        kind: Ids = "str" if loaded.graph.ids.dtype == object else "int"
        add_vertex_table(loaded.graph, file_name(attributes), kind, checked.max_ratio)
    return loaded.graph, f"read {name or file.name}: {_describe(loaded)}"


def _checked(given: Options) -> Options:
    """What the user wants, as it may be."""
    word(given.ids, "ids", get_args(Ids))
    word(given.duplicates, "duplicates", get_args(Duplicates))
    directed = None if given.directed is None else flag(given.directed, "directed")
    if given.max_vertices is not None and given.max_vertices < 0:
        raise InputError(f"max_vertices is {given.max_vertices}: give a count, 0 or more")
    if not given.max_ratio > 0:
        raise InputError(f"max_ratio is {given.max_ratio}: give a positive number, or inf")
    weights, most = flag(given.weights, "weights"), float(given.max_ratio)
    return replace(given, directed=directed, weights=weights, max_ratio=most)


def _loaded(
    file: Path, format: str | None, options: Options, device: Device | str | None, progress: Tell | None
) -> Loaded:
    kind, form = find_format(file, format)
    if kind != "ldbc":  # which looks for its two files itself
        check_file(file, may_be_empty=kind == "graph500", packed=kind == "jlg")
    if options.ids == "name" and kind == "pajek":
        options = replace(options, ids="str")  # labels
    elif options.ids == "name" and kind not in NAMED:
        raise InputError(
            f"{file}: vertices of {kind} files have no names beside their ids; leave ids='name' out"
        )
    if options.header is not None and kind != "edges":
        raise InputError(f"{file}: {kind} files have no header row; leave header= out")
    try:
        loaded = read_somewhere(kind, form, file, options, device, progress)
    except InputError as error:
        # errors raised by Graph itself do not name the file
        if str(error).startswith(str(file.with_suffix(""))):
            raise
        raise InputError(f"{file}: {error}") from error
    if options.max_vertices is not None:
        check_vertex_count(file, loaded.graph.num_vertices, options)
    return loaded


def _opened(device: Device | str | None) -> Device | str | None:
    """The device that a text means; None and "host" as they are."""
    if device is None or device == HOST:
        return device
    from clgraph.device import get_device

    return get_device(device)


def write_with_summary(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> str:
    """`write`, and a line that says what was written and what the format could not hold."""
    device = _opened(device)
    graph = as_graph(graph)
    check_writable(path, format)
    file = file_name(path)
    if graph.weights is not None and not np.all(finite := np.isfinite(graph.weights)):
        arc = int(np.argmin(finite))
        raise InputError(
            f"cannot write {file}: the weight of arc {arc} is {graph.weights[arc]}, but weights are finite"
        )
    with naming_output(path):
        kind, form = find_format(file, format)
        if kind == "edges":
            notes = write_edges_somewhere(graph, file, device, progress)
        else:
            with telling(progress):
                notes = form.write(graph, file)
        if (known := graph.attributes) is not None and kind not in WITH_ATTRIBUTES:
            notes = [*notes, *left_out(Attributes(known.vertices) if kind in TABLES else known)]
    return told_written(path, _size(graph), notes)


def left_out(attributes: Attributes | None) -> list[str]:
    """What is to be said where attributes are not written."""
    names = ", ".join(few(attributes.names())) if attributes else ""
    return [f"left out: {names}; GraphML, GEXF and Pajek's .net hold them"] if names else []


@contextmanager
def naming_output(path: str | os.PathLike[str]) -> Iterator[None]:
    """An InputError of the block names the file that cannot be written."""
    file = file_name(path)
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(
            f"cannot write {file}: vertex id {error.object[:80]!r} holds a lone surrogate, which UTF-8 has "
            "not; rename it"
        ) from error
    except InputError as error:
        if str(path) in str(error):
            raise
        raise InputError(f"cannot write {file}: {error}") from error


def told_written(path: str | os.PathLike[str], size: str, notes: list[str]) -> str:
    """The line that says what was written, and what the format could not hold."""
    name = named(path) if os.fspath(path) == STDOUT else file_name(path).name
    return f"wrote {name}: {size}" + (f" ({'; '.join(notes)})" if notes else "")


def _describe(loaded: Loaded) -> str:
    graph = loaded.graph
    repeated = graph.num_duplicates
    facts = [loaded.rows]
    if repeated and graph.multiplicity is not None:
        facts.append(f"{repeated} merged as parallel")
    elif repeated:
        facts.append(f"{repeated} parallel copies kept")
    if graph.num_self_loops:
        facts.append(counted(graph.num_self_loops, "self-loop"))
    if graph.attributes is not None:
        facts.append("with " + ", ".join(few(graph.attributes.names())))
    if loaded.where:
        facts.append(loaded.where)
    if loaded.notes:
        facts.append("skipped: " + ", ".join(loaded.notes))
    return f"{_size(graph)} ({'; '.join(facts)})"


def _size(graph: Graph) -> str:
    return told_size(graph.directed, graph.is_weighted, graph.num_vertices, graph.num_edges)


def told_size(directed: bool, weighted: bool, vertices: int, edges: int) -> str:
    """What kind of graph it is, and how large."""
    kind, mark = "directed" if directed else "undirected", ", weighted" if weighted else ""
    return f"{kind}, {counted(vertices, 'vertex', 'vertices')}, {counted(edges, 'edge')}{mark}"
