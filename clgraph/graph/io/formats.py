"""The table of formats: the suffixes, reader and writer of each, and which one a file has."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.atomic import open_descriptor
from clgraph.graph.io.common import Loaded, Options
from clgraph.graph.io.packed import GZIP, SUFFIXES

DATASET = ".clgs"  # the suffix of datasets of shards, which are folders (clgraph.scale) and no format


@dataclass(frozen=True)
class Format:
    """One format: the suffixes of its files, its reader, its writer (which returns notes on what is lost)."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, Options], Loaded]
    write: Callable[[Graph, Path], list[str]]
    text: bool = True  # may be compressed


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function that imports its module at the first call: a program reads and writes few formats."""

    def call(*args: Any) -> Any:
        return getattr(import_module(module), name)(*args)

    return call


def _format(suffixes: tuple[str, ...], module: str, name: str, *, text: bool = True) -> Format:
    """The format whose module has ``read_NAME`` and ``write_NAME``."""
    return Format(suffixes, _later(module, f"read_{name}"), _later(module, f"write_{name}"), text)


FORMATS = {
    "edges": _format(
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel"), "clgraph.graph.io.edges", "edges"
    ),
    "mtx": _format((".mtx",), "clgraph.graph.io.mtx", "mtx"),
    "metis": _format((".graph", ".metis"), "clgraph.graph.io.metis", "metis"),
    "ldbc": _format((".v", ".e"), "clgraph.graph.io.ldbc", "ldbc"),
    "konect": _format(("out.*",), "clgraph.graph.io.konect", "konect"),
    "dimacs": _format((".gr",), "clgraph.graph.io.dimacs", "dimacs"),
    "jlg": _format((".jlg", ".lg", ".jgz"), "clgraph.graph.io.jlg", "jlg"),
    "edge_index": Format(
        ("*.npz",),
        _later("clgraph.graph.io.npz", "read_npz"),
        _later("clgraph.graph.io.npz", "write_edge_index"),
        text=False,
    ),
    "sg": _format((".sg",), "clgraph.graph.io.gapbs", "sg", text=False),
    "wsg": _format((".wsg",), "clgraph.graph.io.gapbs", "wsg", text=False),
    "graph500": _format((".g500",), "clgraph.graph.io.graph500", "graph500", text=False),
    "graphml": _format((".graphml",), "clgraph.graph.io.graphml", "graphml"),
    "gexf": _format((".gexf",), "clgraph.graph.io.gexf", "gexf"),
    "pajek": _format((".net",), "clgraph.graph.io.pajek", "pajek"),
    "webgraph": _format((".graph-txt",), "clgraph.graph.io.webgraph", "webgraph"),
    "npz": _format((".npz",), "clgraph.graph.io.npz", "npz", text=False),
    "clg": _format((".clg",), "clgraph.graph.io.binary", "binary", text=False),
    "parquet": _format((".parquet", ".pq"), "clgraph.graph.io.arrow", "parquet", text=False),
    "arrow": _format((".arrow", ".feather"), "clgraph.graph.io.arrow", "arrow", text=False),
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
    if find_format(file, format)[0] == "ldbc":
        from clgraph.graph.io.ldbc import check_place

        check_place(file)
    if open_descriptor(file) is not None:
        return
    if not file.parent.is_dir():
        raise InputError(f"cannot write {file}: there is no folder {file.parent}; make it first")
    place: Any = file if file.exists() and not file.is_file() else file.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"cannot write {file}: no permission to write to {place}; choose another place")


def find_format(path: Path, name: str | None = None) -> tuple[str, Format]:
    """The format of a file: the one named, else by its suffix.

    Returns
    -------
    name : str
    format : Format
    """
    known = ", ".join(f"{key} ({' '.join(form.suffixes)})" for key, form in FORMATS.items())
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
            raise InputError(f"{path}: {what} no known format; name one (format=) of {known}")
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(f"{path}: unknown format {shown(name)}; the known ones are {known}")
    if packed and not FORMATS[name].text:
        raise InputError(
            f"{path}: {name} files are not compressed with {'gzip' if path.suffix == GZIP else 'zstd'}; "
            "unpack it or use another format"
        )
    return name, FORMATS[name]


def _by_neighbours(path: Path) -> str | None:
    """The format that the files beside a path, or the first word of its name, speak for."""
    from clgraph.graph.io import ldbc
    from clgraph.graph.io.konect import is_konect

    if not path.exists() and any(ldbc.find(path, end) for end in (".v", ".e")):
        return "ldbc"
    return "konect" if is_konect(path) else None
