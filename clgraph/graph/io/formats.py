"""The table of formats: the suffixes, reader and writer of each, and which one a file has."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io import ldbc
from clgraph.graph.io.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from clgraph.graph.io.atomic import open_descriptor
from clgraph.graph.io.binary import read_binary, write_binary
from clgraph.graph.io.common import Loaded, Options
from clgraph.graph.io.dimacs import read_dimacs, write_dimacs
from clgraph.graph.io.edge_index import write_edge_index
from clgraph.graph.io.edges import read_edges, write_edges
from clgraph.graph.io.gapbs import read_sg, read_wsg, write_sg, write_wsg
from clgraph.graph.io.gexf import read_gexf, write_gexf
from clgraph.graph.io.graph500 import read_graph500, write_graph500
from clgraph.graph.io.graphml import read_graphml, write_graphml
from clgraph.graph.io.jlg import read_jlg, write_jlg
from clgraph.graph.io.konect import is_konect, read_konect, write_konect
from clgraph.graph.io.metis import read_metis, write_metis
from clgraph.graph.io.mtx import read_mtx, write_mtx
from clgraph.graph.io.npz import read_npz, write_npz
from clgraph.graph.io.packed import GZIP, SUFFIXES
from clgraph.graph.io.pajek import read_pajek, write_pajek
from clgraph.graph.io.webgraph import read_webgraph, write_webgraph

DATASET = ".clgs"  # the suffix of datasets of shards, which are folders (clgraph.scale) and no format


@dataclass(frozen=True)
class Format:
    """One format: the suffixes of its files, its reader, its writer (which returns notes on what is lost)."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, Options], Loaded]
    write: Callable[[Graph, Path], list[str]]
    text: bool = True  # may be compressed


FORMATS = {
    "edges": Format((".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel"), read_edges, write_edges),
    "mtx": Format((".mtx",), read_mtx, write_mtx),
    "metis": Format((".graph", ".metis"), read_metis, write_metis),
    "ldbc": Format((".v", ".e"), ldbc.read_ldbc, ldbc.write_ldbc),
    "konect": Format(("out.*",), read_konect, write_konect),
    "dimacs": Format((".gr",), read_dimacs, write_dimacs),
    "jlg": Format((".jlg", ".lg", ".jgz"), read_jlg, write_jlg),
    "edge_index": Format(("*.npz",), read_npz, write_edge_index, text=False),
    "sg": Format((".sg",), read_sg, write_sg, text=False),
    "wsg": Format((".wsg",), read_wsg, write_wsg, text=False),
    "graph500": Format((".g500",), read_graph500, write_graph500, text=False),
    "graphml": Format((".graphml",), read_graphml, write_graphml),
    "gexf": Format((".gexf",), read_gexf, write_gexf),
    "pajek": Format((".net",), read_pajek, write_pajek),
    "webgraph": Format((".graph-txt",), read_webgraph, write_webgraph),
    "npz": Format((".npz",), read_npz, write_npz, text=False),
    "clg": Format((".clg",), read_binary, write_binary, text=False),
    "parquet": Format((".parquet", ".pq"), read_parquet, write_parquet, text=False),
    "arrow": Format((".arrow", ".feather"), read_arrow, write_arrow, text=False),
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
        ldbc.check_place(file)
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
        if name is None and not path.exists() and any(ldbc.find(path, end) for end in (".v", ".e")):
            name = "ldbc"
        if name is None and is_konect(path):
            name = "konect"
        if name is None:
            if path.is_dir():
                raise InputError(f"{path}: a folder, not a file; name a graph file in it")
            what = f"the suffix {suffix!r} belongs to" if suffix else "without a suffix the name says"
            hint = "name one with --format (of an output: --to)"
            raise InputError(f"{path}: {what} no known format; {hint}: {known}")
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(f"{path}: unknown format {shown(name)}; the known ones are {known}")
    if packed and not FORMATS[name].text:
        raise InputError(
            f"{path}: {name} files are not compressed with {'gzip' if path.suffix == GZIP else 'zstd'}; "
            "unpack it or use another format"
        )
    return name, FORMATS[name]
