"""Reading and writing for the commands, with a line that says what was read, merged, skipped or lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import file_name
from clgraph.errors import InputError
from clgraph.files.dispatch import HOST, NAME, STDIN, load, write_edges_somewhere
from clgraph.formats.atomic import STDOUT, named
from clgraph.formats.common import Loaded, counted, few
from clgraph.formats.table import Format, check_writable, find_format
from clgraph.graph import Graph, as_graph
from clgraph.graph.attributes import Attributes
from clgraph.progress import Tell, reporting

if TYPE_CHECKING:
    from clgraph.device import Device


def read_with_summary(path: str | os.PathLike[str], **options: Any) -> tuple[Graph, str]:
    """`read`, and a line that says how the file was read and what was merged or skipped.

    It looks like ``read internet.txt: undirected, 22963 vertices, 48436 edges (48436 rows)``.
    """
    loaded = load(path, **options)
    name = NAME if str(path) == STDIN else file_name(path).name
    return loaded.graph, f"read {name}: {_describe(loaded)}"


def write_with_summary(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> str:
    """`write`, and a line that says what was written and what the format could not hold."""
    if isinstance(device, str) and device != HOST:
        from clgraph.device import get_device

        device = get_device(device)
    graph = as_graph(graph)
    # before long work, not after it
    check_writable(path, format)
    file = file_name(path)
    if graph.weights is not None and not np.all(finite := np.isfinite(graph.weights)):
        arc = int(np.argmin(finite))
        raise InputError(
            f"cannot write {file}: the weight of arc {arc} is {graph.weights[arc]}, but weights are finite"
        )
    with naming_output(path):
        form = find_format(file, format)
        if form.name == "edges":
            write_edges_somewhere(graph, file, device, progress)
            notes = form.lost(graph)
        else:
            with reporting(progress):
                notes = form.write(graph, file)
        if (known := graph.attributes) is not None and not form.has("attributes"):
            notes = [*notes, *left_out(_not_carried(form, known))]
    return written_text(path, _size(graph), notes)


def left_out(attributes: Attributes | None) -> list[str]:
    """Return a note on attributes that are not written."""
    names = ", ".join(few(attributes.names())) if attributes else ""
    return [f"left out: {names}; GraphML, GEXF and Pajek's .net hold them"] if names else []


def _not_carried(form: Format, known: Attributes) -> Attributes:
    """Those attributes that a format does not hold."""
    if form.has("labels"):
        others = {name: column for name, column in known.vertices.items() if name != "label"}
        return Attributes(others, known.edges)
    return Attributes(known.vertices) if form.has("edges") else known


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


def written_text(path: str | os.PathLike[str], size: str, notes: list[str]) -> str:
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
    return size_text(graph.directed, graph.is_weighted, graph.num_vertices, graph.num_edges)


def size_text(directed: bool, weighted: bool, vertices: int, edges: int) -> str:
    """Return the kind and size of a graph, as summaries have it."""
    kind, mark = "directed" if directed else "undirected", ", weighted" if weighted else ""
    return f"{kind}, {counted(vertices, 'vertex', 'vertices')}, {counted(edges, 'edge')}{mark}"
