"""Reading and writing graphs: which format, which reader, and what is told about it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from clgraph.errors import InputError
from clgraph.graph.graph import Duplicates, Graph
from clgraph.graph.io import ldbc
from clgraph.graph.io.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from clgraph.graph.io.binary import read_binary, write_binary
from clgraph.graph.io.common import Ids, Loaded, Options, check_file, counted
from clgraph.graph.io.edges import read_edges, write_edges
from clgraph.graph.io.metis import read_metis, write_metis
from clgraph.graph.io.mtx import read_mtx, write_mtx
from clgraph.graph.io.npz import read_npz, write_npz


@dataclass(frozen=True)
class Format:
    """One format: how its files are called, its reader, its writer (which returns notes on what is lost)."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, Options], Loaded]
    write: Callable[[Graph, Path], list[str]]
    text: bool = True  # may be compressed


FORMATS = {
    "edges": Format((".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el"), read_edges, write_edges),
    "mtx": Format((".mtx",), read_mtx, write_mtx),
    "metis": Format((".graph", ".metis"), read_metis, write_metis),
    "ldbc": Format((".v", ".e"), ldbc.read_ldbc, ldbc.write_ldbc),
    "npz": Format((".npz",), read_npz, write_npz, text=False),
    "clg": Format((".clg",), read_binary, write_binary, text=False),
    "parquet": Format((".parquet", ".pq"), read_parquet, write_parquet, text=False),
    "arrow": Format((".arrow", ".feather"), read_arrow, write_arrow, text=False),
}


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    directed: bool | None = None,
    ids: Ids = "int",
    weights: bool = False,
    duplicates: Duplicates = "merge",
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or path
        ``.txt .tsv .csv .edges .edgelist .el`` (edge lists), ``.mtx`` (Matrix Market), ``.graph .metis``
        (METIS), ``.v .e`` or their common stem (LDBC Graphalytics), each plain or with ``.gz``; ``.npz``
        (scipy.sparse), ``.clg`` (clgraph's own, mapped into memory), ``.parquet .pq`` and ``.arrow .feather``
        (edge tables; extra ``arrow``).
    format : {"edges", "mtx", "metis", "ldbc", "npz", "clg", "parquet", "arrow"}, optional
        Default: by the suffix.
    directed : bool, optional
        Default: what the file says (Matrix Market general is directed, symmetric and METIS undirected, .clg
        knows), else undirected.
    ids : {"int", "str"}
        What vertex ids of edge lists, edge tables and LDBC files are: non-negative integers, or text.
    weights : bool
        Take the third column, or the entries of a matrix, as float64 weights.
    duplicates : {"merge", "keep"}
        Parallel edges become one (weights summed, the count in `Graph.multiplicity`), or stay copies.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If the file is not there or not right; it names the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "small.txt")
    >>> _ = path.write_text("# a comment\\n10 20\\n20 30\\n")
    >>> read(path)
    <Graph: undirected, 3 vertices, 2 edges>
    """
    return read_with_summary(
        path, format=format, directed=directed, ids=ids, weights=weights, duplicates=duplicates
    )[0]


def read_with_summary(
    path: str | os.PathLike[str],
    *,
    bare_is_directed: bool = False,
    format: str | None = None,
    directed: bool | None = None,
    ids: Ids = "int",
    weights: bool = False,
    duplicates: Duplicates = "merge",
) -> tuple[Graph, str]:
    """`read`, and a line that says how the file was read and what was merged or skipped.

    Parameters
    ----------
    bare_is_directed : bool
        How to read a file that does not say whether it is directed, if `directed` does not either.

    Returns
    -------
    graph : Graph
    summary : str
        As ``read internet.txt: undirected, 22963 vertices, 48436 edges (48436 rows)``.
    """
    for name, value, known in (("ids", ids, get_args(Ids)), ("duplicates", duplicates, get_args(Duplicates))):
        if value not in known:
            raise InputError(f"{name} is {value!r}: use {' or '.join(map(repr, known))}")
    file = Path(path)
    name, form = find_format(file, format)
    if name != "ldbc":  # which looks for its two files itself
        check_file(file)
    options = Options(directed, ids, weights, duplicates, bare_is_directed)
    try:
        loaded = form.read(file, options)
    except InputError as error:
        # what the graph floor finds wrong does not name the file
        if str(error).startswith(str(file.with_suffix(""))):
            raise
        raise InputError(f"{file}: {error}") from error
    return loaded.graph, f"read {file.name}: {_describe(loaded)}"


def _describe(loaded: Loaded) -> str:
    graph = loaded.graph
    repeated = graph.num_duplicates
    told = [loaded.rows]
    if repeated and graph.multiplicity is not None:
        told.append(f"{repeated} merged as parallel")
    elif repeated:
        told.append(f"{repeated} parallel copies kept")
    if graph.num_self_loops:
        told.append(counted(graph.num_self_loops, "self-loop"))
    if loaded.notes:
        told.append("skipped: " + ", ".join(loaded.notes))
    return f"{_size(graph)} ({'; '.join(told)})"


def _size(graph: Graph) -> str:
    kind = "directed" if graph.directed else "undirected"
    weighted = ", weighted" if graph.weights is not None else ""
    vertices = counted(graph.num_vertices, "vertex", "vertices")
    return f"{kind}, {vertices}, {counted(graph.num_edges, 'edge')}{weighted}"


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all.

    Edge lists hold the original ids, parted by one tab (or commas, with a header, for ``.csv``), in index
    order, u <= v if undirected, one row an edge; merged parallel edges are written once. Isolated vertices
    are kept by every format but edge lists and edge tables, ids by all but Matrix Market and METIS.

    Parameters
    ----------
    graph : Graph
    path : str or path
    format : {"edges", "mtx", "metis", "ldbc", "npz", "clg", "parquet", "arrow"}, optional
        Default: by the suffix.

    Raises
    ------
    InputError
        If the file cannot be written, or the format cannot hold this graph.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "triangle.txt")
    >>> write(Graph.from_edges([30, 10, 20], [10, 20, 30]), path)
    >>> path.read_text()
    '10\\t20\\n10\\t30\\n20\\t30\\n'
    """
    write_with_summary(graph, path, format=format)


def write_with_summary(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> str:
    """`write`, and a line that says what was written and what the format could not hold."""
    check_writable(path, format)
    file = Path(path)
    notes = find_format(file, format)[1].write(graph, file)
    return f"wrote {file.name}: {_size(graph)}" + (f" ({'; '.join(notes)})" if notes else "")


def check_writable(path: str | os.PathLike[str], format: str | None = None) -> None:
    """Raise InputError if `path` has an unknown format or cannot be created: before long work, not after."""
    file = Path(path)
    if file.is_dir():
        raise InputError(f"cannot write {file}: it is a folder; give a file name")
    find_format(file, format)
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
    packed = path.suffix == ".gz"
    suffix = path.with_suffix("").suffix if packed else path.suffix
    if name is None:
        name = next((key for key, form in FORMATS.items() if suffix.lower() in form.suffixes), None)
        if name is None and not path.exists() and any(ldbc.find(path, end) for end in (".v", ".e")):
            name = "ldbc"
        if name is None:
            if path.is_dir():
                raise InputError(f"{path}: a folder, not a file; name a graph file in it")
            what = f"the suffix {suffix!r} belongs to" if suffix else "without a suffix the name says"
            hint = "name one with --format (of an output: --to)"
            raise InputError(f"{path}: {what} no known format; {hint}: {known}")
    if name not in FORMATS:
        raise InputError(f"{path}: unknown format {name!r}; the known ones are {known}")
    if packed and not FORMATS[name].text:
        raise InputError(
            f"{path}: {name} files are not compressed with gzip; unpack it or use another format"
        )
    return name, FORMATS[name]
