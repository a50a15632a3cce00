"""The table of formats, each a module: suffixes and what it carries; and which one a file has."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats.atomic import open_descriptor
from clgraph.formats.common import Loaded, Options
from clgraph.formats.packed import GZIP, SUFFIXES
from clgraph.graph.graph import Graph

DATASET = ".clgs"  # the suffix of datasets of shards, which are folders (clgraph.scale) and no format


@dataclass(frozen=True)
class Format:
    """A format of files; its module has ``read_NAME(path, options)`` and ``write_NAME(graph, path)``.

    Attributes
    ----------
    carries : str
        What a file holds besides edges: ``direction``, ``isolated`` vertices, ``ids`` (numbers as they are),
        ``names`` (ids that are text), ``weights`` (where the graph has them; ``always`` needs them),
        ``multiplicity``, ``attributes`` of vertices and edges or of ``edges`` alone.
    text : bool
        Whether it may be compressed.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    carries: str
    text: bool = True

    def has(self, what: str) -> bool:
        """Whether a file of the format carries something."""
        return what in self.carries.split()

    def read(self, path: Path, options: Options) -> Loaded:
        """The graph in a file."""
        loaded: Loaded = getattr(import_module(self.module), f"read_{self.name}")(path, options)
        return loaded

    def write(self, graph: Graph, path: Path) -> list[str]:
        """Write a file; returns notes on what it does not hold."""
        notes: list[str] = getattr(import_module(self.module), f"write_{self.name}")(graph, path)
        return notes


EDGES = (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel")
#: by name; the modules stand as they are, so that imports can be followed
FORMATS = {
    each.name: each
    for each in (
        Format("edges", EDGES, "clgraph.formats.edges", "ids names weights"),
        Format("mtx", (".mtx",), "clgraph.formats.mtx", "direction isolated weights"),
        Format("metis", (".graph", ".metis"), "clgraph.formats.metis", "isolated weights"),
        Format("ldbc", (".v", ".e"), "clgraph.formats.ldbc", "direction isolated ids names weights"),
        Format("konect", ("out.*",), "clgraph.formats.konect", "direction isolated weights"),
        Format("dimacs", (".gr",), "clgraph.formats.dimacs", "isolated weights"),
        Format("jlg", (".jlg", ".lg", ".jgz"), "clgraph.formats.jlg", "direction isolated"),
        Format("tgf", (".tgf",), "clgraph.formats.tgf", "isolated ids names weights labels"),
        Format("edge_index", ("*.npz",), "clgraph.formats.npz", "direction isolated weights", text=False),
        Format("sg", (".sg",), "clgraph.formats.gapbs", "direction isolated", text=False),
        Format("wsg", (".wsg",), "clgraph.formats.gapbs", "direction isolated weights always", text=False),
        Format("graph500", (".g500",), "clgraph.formats.graph500", "ids", text=False),
        Format(
            "graphml",
            (".graphml",),
            "clgraph.formats.graphml",
            "direction isolated ids names weights attributes",
        ),
        Format("gexf", (".gexf",), "clgraph.formats.gexf", "direction isolated ids names weights attributes"),
        Format("pajek", (".net",), "clgraph.formats.pajek", "direction isolated names weights attributes"),
        Format("webgraph", (".graph-txt",), "clgraph.formats.webgraph", "isolated"),
        Format("npz", (".npz",), "clgraph.formats.npz", "direction isolated ids names weights", text=False),
        Format(
            "clg",
            (".clg",),
            "clgraph.formats.clg",
            "direction isolated ids names weights multiplicity",
            text=False,
        ),
        Format(
            "parquet",
            (".parquet", ".pq"),
            "clgraph.formats.arrow",
            "direction ids names weights multiplicity edges",
            text=False,
        ),
        Format(
            "arrow",
            (".arrow", ".feather"),
            "clgraph.formats.arrow",
            "direction ids names weights multiplicity edges",
            text=False,
        ),
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
    from clgraph.formats.konect import is_konect

    if not path.exists() and any(ldbc.find(path, end) for end in (".v", ".e")):
        return "ldbc"
    return "konect" if is_konect(path) else None
