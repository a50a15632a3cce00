"""LDBC Graphalytics: NAME.v lists the vertices, NAME.e the edges (and weights).

NAME.properties, if it exists, says whether the graph is directed.

Three files cannot be renamed at once. So a write first puts in place a NAME.properties that says that it has
begun, and the final one last: what an interrupted write left behind is refused, not read as a mixture.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_files, open_descriptor
from clgraph.formats.cells import CHUNK, ended_by, id_cells, plain_name, write_cells, write_rows
from clgraph.formats.common import (
    Loaded,
    Options,
    check_file,
    counted,
    numbered_lines,
    open_binary,
    open_text,
    reading,
)
from clgraph.formats.edges import read_rows, skipped_lines
from clgraph.formats.packed import SUFFIXES, compressed
from clgraph.formats.text_table import Layout, listed_graph, listed_vertices, read_integers
from clgraph.graph.graph import Graph

SEPARATORS = re.compile(r"[\s,]")

UNFINISHED = "clgraph.unfinished"  # a key in .properties while the files are renamed


def stem_of(path: Path) -> tuple[Path, str]:
    """The common stem of the files, and ``.gz`` or ``.zst`` if the name ends so."""
    packed = path.suffix if path.suffix in SUFFIXES else ""
    plain = path.with_suffix("") if packed else path
    return (plain.with_suffix("") if plain.suffix in (".v", ".e") else plain), packed


def find(stem: Path, suffix: str) -> Path | None:
    """NAME.v, NAME.v.gz or NAME.v.zst, whichever is there."""
    return next((p for end in ("", *SUFFIXES) if os.path.exists(p := Path(f"{stem}{suffix}{end}"))), None)


@dataclass(frozen=True)
class Files:
    """The files of a graph, and whether they say that it is directed."""

    vertices: Path
    edges: Path
    directed: bool | None


def find_files(path: Path) -> Files:
    """The files of a graph, given either's name or their common stem; an InputError if one is missing."""
    stem, _ = stem_of(path)
    file_says = _is_directed(stem)
    files = {suffix: find(stem, suffix) for suffix in (".v", ".e")}
    vertex_file, edge_file = files[".v"], files[".e"]
    if vertex_file is None or edge_file is None:
        missing = " and ".join(f"{stem.name}{suffix}" for suffix, file in files.items() if file is None)
        raise InputError(f"{path}: an LDBC graph is NAME.v and NAME.e, but {missing} is not in {stem.parent}")
    check_file(vertex_file, may_be_empty=True)
    check_file(edge_file, may_be_empty=True)
    return Files(vertex_file, edge_file, file_says)


def read_ldbc(path: Path, options: Options) -> Loaded:
    """Read NAME.v and NAME.e, given either's name or NAME (see `clgraph.read`)."""
    files = find_files(path)
    vertices = read_vertices(files.vertices, options)
    # an empty file of edges is whole: NAME.v says which vertices there are
    with reading(files.edges), open_binary(files.edges, options.max_ratio) as file:
        edgeless = not file.read(1)
    source = target = np.empty(0, vertices.dtype)
    weights, note, skipped = np.empty(0) if options.weights else None, "", []
    if not edgeless:
        source, target, weights, layout = read_rows(files.edges, replace(options, header=False))
        note, skipped = layout.note, skipped_lines(layout)
    rows = source, target, weights
    directed = options.direction(files.directed)
    graph = listed_graph(files.edges, rows, vertices, options, directed, files.vertices.name)
    return Loaded(graph, counted(len(source), "row") + note, skipped)


def read_vertices(path: Path, options: Options) -> npt.NDArray[Any]:
    """Return the ids in NAME.v, in its order; an InputError if one is none, or listed twice."""
    with reading(path):
        plain = None
        if options.ids == "int":
            plain = read_integers(path, Layout((0,), 1, 0), options.max_ratio)
        if plain is not None:
            ids = plain[0].astype(np.int64, copy=False)
            if np.all(ids[1:] > ids[:-1]) or len(np.unique(ids)) == len(ids):
                return ids
        # one by one, which names the line of what is no id, or there twice
        found, _ = listed_vertices(numbered_lines(path, "utf-8", options.max_ratio), path, options)
    return np.array(list(found), np.int64 if options.ids == "int" else object)


def _is_directed(stem: Path) -> bool | None:
    path = Path(f"{stem}.properties")
    if not os.path.isfile(path):  # unlike Path.is_file also of a name that is too long
        return None
    with reading(path), open_text(path, "latin-1") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == UNFINISHED:
                raise InputError(
                    f"{path}: writing this graph was interrupted, so {stem.name}.v and {stem.name}.e may not "
                    "belong together; write it again"
                )
            if key.strip().endswith(".directed"):
                return value.strip().lower() == "true"
    return None


def check_place(path: Path) -> None:
    """Raise InputError where the three files could not be read back as one graph."""
    stem, packed = stem_of(path)
    if open_descriptor(path) is not None:
        raise InputError("an LDBC graph is three files, which do not fit into one stream; give a file name")
    others = [end for end in ("", *SUFFIXES) if end != packed]
    for suffix, other in product((".v", ".e"), others):
        if os.path.exists(old := Path(f"{stem}{suffix}{other}")):
            raise InputError(
                f"cannot write {stem}{suffix}{packed}: {old.name} is beside it, and a reader could not tell "
                f"which one counts; remove {old}"
            )


def write_ldbc(graph: Graph, path: Path) -> None:
    """Write NAME.v, NAME.e and NAME.properties, given any of these names."""
    stem, packed = stem_of(path)
    names = id_cells(graph, b"\n", partial(plain_name, path, separators=SEPARATORS))
    properties = f"{stem}.properties"
    vertex_path, edge_path = Path(f"{stem}.v{packed}"), Path(f"{stem}.e{packed}")
    with atomic_files() as create:
        # in the order in which they are renamed
        create(properties, "w").write(f"{UNFINISHED} = true\n")
        with (
            compressed(vertex_path, create(vertex_path)) as vertex_file,
            compressed(edge_path, create(edge_path)) as edge_file,
        ):
            for start in range(0, graph.num_vertices, CHUNK):
                write_cells(vertex_file, names[start : start + CHUNK])
            write_rows(edge_file, graph, ended_by(names, b" "))
        is_directed = "true" if graph.directed else "false"
        create(properties, "w").write(f"graph.{stem.name}.directed = {is_directed}\n")
