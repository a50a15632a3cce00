"""The table of formats, each a module: suffixes and what it carries; and which one a file has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats.atomic import open_descriptor
from clgraph.formats.common import Loaded, Options, counted, reading
from clgraph.formats.packed import GZIP, SUFFIXES
from clgraph.graph.graph import Graph

DATASET = ".clgs"  # the suffix of datasets of shards, which are folders (clgraph.scale) and no format


@dataclass(frozen=True)
class Format:
    """A format of files; its module has ``read_NAME(path, options)`` and ``write_NAME(graph, path)``."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    # what a file holds besides edges: ``direction``, ``isolated`` vertices, ``ids`` (numbers as they are),
    # ``names`` (ids that are text), ``weights`` (where the graph has them; ``always`` needs them),
    # ``multiplicity``, ``attributes`` of vertices and edges or of ``edges`` alone, ``labels`` of vertices
    carries: str
    title: str = ""  # what messages call its files, if not by `name`
    text: bool = True  # whether it may be compressed
    first: int | None = None  # the number of the first vertex, where a file numbers them and holds no ids
    parallel: bool = True  # whether a file can hold parallel edges

    def has(self, what: str) -> bool:
        """True if a file of the format carries something."""
        return what in self.carries.split()

    def read(self, path: Path, options: Options) -> Loaded:
        """Return the graph in a file; its module need not look for what no file of the format holds."""
        title = self.title or self.name
        if options.ids == "str" and not self.has("names"):
            raise InputError(f"{path}: vertices of {title} files are numbers; leave ids='str' out")
        if options.weights and not self.has("weights"):
            raise InputError(f"{path}: {title} files hold no weights; leave weights=True out")
        with reading(path):
            loaded: Loaded = getattr(import_module(self.module), f"read_{self.name}")(path, options)
        return loaded

    def write(self, graph: Graph, path: Path) -> list[str]:
        """Write a file; returns notes on what it does not hold."""
        title = self.title or self.name
        if graph.weights is not None and not self.has("weights"):
            raise InputError(f"cannot write {path}: {title} files hold no weights; leave weights=True out")
        if not self.parallel and graph.multiplicity is None and graph.num_duplicates:
            raise InputError(
                f"cannot write {path}: {title} files hold no parallel edges; merge them, or use .clg"
            )
        own: list[str] | None = getattr(import_module(self.module), f"write_{self.name}")(graph, path)
        return self.lost(graph, own or [])

    def lost(self, graph: Graph, own: Iterable[str] = ()) -> list[str]:
        """Return notes on what a file does not hold, the writer's `own` among them."""
        notes = [] if self.has("isolated") else isolated_note(graph)
        if self.first is not None:
            last = graph.num_vertices + self.first - 1
            if not np.array_equal(graph.ids, np.arange(self.first, last + 1)):
                notes.append(
                    f"vertices numbered {self.first} .. {last} by ascending id (the format holds no ids)"
                )
        notes += own
        if graph.multiplicity is not None and not self.has("multiplicity"):
            notes.append(f"{counted(graph.num_duplicates, 'merged parallel edge')} written once")
        return notes


def isolated_note(graph: Graph) -> list[str]:
    """Return a note if vertices have no edges, which a list of edges does not hold."""
    touched = graph.degrees > 0
    if graph.directed:  # else every head is a tail as well
        touched[graph.col_idx] = True
    isolated = graph.num_vertices - int(np.count_nonzero(touched))
    return [f"{counted(isolated, 'vertex', 'vertices')} without edges left out"] if isolated else []


EDGES = (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel")
NUMBERED = "direction isolated"  # all that some formats hold of vertices and direction
VALUED = NUMBERED + " weights"
WHOLE = "direction isolated ids names weights"
ALL = WHOLE + " attributes"
TABLE = "direction ids names weights multiplicity edges"
NEIGHBOURS = "clgraph.formats.adjacency_lines"
#: by name; the modules stand as they are, so that imports can be followed
FORMATS = {
    each.name: each
    for each in (
        Format("edges", EDGES, "clgraph.formats.edges", "ids names weights"),
        Format("mtx", (".mtx",), "clgraph.formats.mtx", VALUED, "Matrix Market", first=1),
        Format(
            "metis", (".graph", ".metis"), NEIGHBOURS, "isolated weights", "METIS", first=1, parallel=False
        ),
        Format("ldbc", (".v", ".e"), "clgraph.formats.ldbc", WHOLE),
        Format("konect", ("out.*",), "clgraph.formats.konect", VALUED, "KONECT", first=1),
        Format("dimacs", (".gr",), "clgraph.formats.dimacs", "isolated weights", "DIMACS", first=1),
        Format("jlg", (".jlg", ".lg", ".jgz"), "clgraph.formats.jlg", NUMBERED, "Graphs.jl", first=1),
        Format("tgf", (".tgf",), "clgraph.formats.tgf", "isolated ids names weights labels"),
        Format("edge_index", ("*.npz",), "clgraph.formats.npz", VALUED, ".npz", False, 0),
        Format("sg", (".sg",), "clgraph.formats.gapbs", NUMBERED, ".sg", False, 0),
        Format("wsg", (".wsg",), "clgraph.formats.gapbs", VALUED + " always", ".wsg", False, 0),
        Format("graph500", (".g500",), "clgraph.formats.graph500", "ids", "Graph500", False),
        Format("graphml", (".graphml",), "clgraph.formats.graphml", ALL),
        Format("gexf", (".gexf",), "clgraph.formats.gexf", ALL),
        Format("pajek", (".net",), "clgraph.formats.pajek", VALUED + " names attributes"),
        Format("webgraph", (".graph-txt",), NEIGHBOURS, "isolated", "WebGraph", first=0, parallel=False),
        Format("npz", (".npz",), "clgraph.formats.npz", WHOLE, ".npz", False, parallel=False),
        Format("clg", (".clg",), "clgraph.formats.clg", WHOLE + " multiplicity", text=False),
        Format("parquet", (".parquet", ".pq"), "clgraph.formats.arrow", TABLE, text=False),
        Format("arrow", (".arrow", ".feather"), "clgraph.formats.arrow", TABLE, text=False),
    )
}


def check_writable(path: str | os.PathLike[str], format: str | None = None) -> None:
    """Raise InputError if `path` has an unknown format or cannot be created: before long work, not after."""
    file = file_name(path)
    try:
        folder = file.is_dir()
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror or error}") from error
    if folder:
        raise InputError(f"cannot write {file}: it is a folder; give a file name")
    if find_format(file, format).name == "ldbc":
        from clgraph.formats.ldbc import check_place

        check_place(file)
    if open_descriptor(file) is not None:
        return
    if not file.parent.is_dir():
        raise InputError(f"cannot write {file}: there is no folder {file.parent}; make it first")
    place: Any = file if file.exists() and not file.is_file() else file.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"cannot write {file}: no permission to write to {place}; choose another place")


def find_format(path: Path, name: str | None = None) -> Format:
    """The format of a file: the one named, else by its suffix."""
    packed = path.suffix in SUFFIXES
    suffix = path.with_suffix("").suffix if packed else path.suffix
    if name is None:
        name = next((key for key, form in FORMATS.items() if suffix.lower() in form.suffixes), None)
        # /dev/stdin and its like have no suffix
        if name is None and not suffix and open_descriptor(path) is not None:
            name = "edges"
        name = name or _by_neighbours(path)
        if name is None:
            if path.is_dir():
                raise InputError(f"{path}: a folder, not a file; name a graph file in it")
            what = f"the suffix {suffix!r} belongs to" if suffix else "without a suffix the name says"
            raise InputError(f"{path}: {what} no known format; name one (format=) of {_known()}")
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(f"{path}: unknown format {shown(name)}; the known ones are {_known()}")
    if packed and not FORMATS[name].text:
        raise InputError(
            f"{path}: {name} files are not compressed with {'gzip' if path.suffix == GZIP else 'zstd'}; "
            "unpack it or use another format"
        )
    return FORMATS[name]


def _known() -> str:
    return ", ".join(f"{form.name} ({' '.join(form.suffixes)})" for form in FORMATS.values())


def _by_neighbours(path: Path) -> str | None:
    """The format that the files beside a path, or the first word of its name, speak for."""
    from clgraph.formats import ldbc

    if not path.exists() and any(ldbc.find(path, end) for end in (".v", ".e")):
        return "ldbc"
    return "konect" if path.name.startswith("out.") and path.is_file() else None
