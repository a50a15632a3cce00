"""Graphs read from files and written to them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from clgraph.files.dispatch import load
from clgraph.files.summary import write_with_summary
from clgraph.formats.common import MAX_RATIO, Ids
from clgraph.graph import Duplicates, Graph
from clgraph.progress import with_progress

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = ["read", "write"]


@with_progress("reading", data=True)
def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    directed: bool | None = None,
    ids: Ids = "int",
    weights: bool = False,
    duplicates: Duplicates = "merge",
    verify: bool | None = None,
    header: bool | None = None,
    max_vertices: int | None = None,
    max_ratio: float = MAX_RATIO,
    attributes: str | os.PathLike[str] | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or path
        ``-`` is standard input, an edge list unless `format` says otherwise. Plain or with ``.gz`` or
        ``.zst``: ``.txt .tsv .csv .edges .edgelist .el .wel`` (edge lists), ``.mtx`` (Matrix Market),
        ``.graph .metis`` (METIS), ``.v .e`` or their common stem (LDBC Graphalytics), ``out.*`` (KONECT),
        ``.gr`` (DIMACS), ``.jlg .lg .jgz`` (Graphs.jl), ``.tgf`` (Trivial Graph Format), ``.graphml``,
        ``.gexf``, ``.net`` (Pajek), ``.graph-txt`` (WebGraph). Also ``.npz`` (scipy.sparse, PyTorch
        Geometric), ``.sg .wsg`` (GAPBS), ``.g500`` (Graph500), ``.clg`` (clgraph's own, the fastest),
        ``.parquet .pq`` and ``.arrow .feather`` (edge tables; extra ``arrow``). ``docs/files.md`` says what
        each holds.
    format : str, optional
        ``"edges"``, ``"mtx"``, ``"metis"``, ``"ldbc"``, ``"konect"``, ``"dimacs"``, ``"jlg"``, ``"tgf"``,
        ``"graphml"``, ``"gexf"``, ``"pajek"``, ``"webgraph"``, ``"npz"``, ``"edge_index"``, ``"sg"``,
        ``"wsg"``, ``"graph500"``, ``"clg"``, ``"parquet"`` or ``"arrow"``. Default: by the suffix.
    directed : bool, optional
        Default: what the file says (Matrix Market general is directed, symmetric and METIS undirected, .clg
        knows), else undirected.
    ids : {"int", "str", "name"}
        What vertex ids of edge lists, edge tables, LDBC and Pajek files are: non-negative integers, or text.
        Those of GraphML and GEXF files are text unless all are such integers; "str" keeps these text, and
        "name" takes the nodes' attribute ``name``, else ``label``, for ids (of Pajek the labels).
    weights : bool
        Take the third column, or the entries of a matrix, as float64 weights.
    duplicates : {"merge", "keep"}
        Parallel edges become one (weights summed, the count in `Graph.multiplicity`), or stay copies.
    verify : bool, optional
        Whether a ``.clg`` file is checked in full: checksums, rows in ascending order, an undirected graph
        symmetric, weights finite, ids distinct. Default: up to 64 MiB, where it takes about half a second.
        That nothing points outside the file or the graph is always checked, and so are checksums by a
        `device`, unless `verify` is False. Files of other formats are always checked in full.
    header : bool, optional
        Whether the first row of an edge list names its columns. Default: if it has words where ids are
        integers; if ids are text, only names such as ``source`` and ``target`` with rows of numbers below, or
        the line ``source,target`` that `write` puts into ``.csv``.
    max_vertices : int, optional
        Most vertices that the graph may have. Default: more than 2**22 vertices must not be announced by a
        file that has less than one byte for 16 of them.
    max_ratio : float
        How many times its own size a compressed file (of any format) may unpack to, beyond 64 MiB.
    attributes : str or path, optional
        A table of the vertices' attributes: ``.csv`` or tabs, with a header and a row for each vertex, its id
        in the column ``id``, ``node``, ``vertex`` or ``name``, else in the first. They become
        ``Graph.attributes``, as those in GraphML and GEXF files do; samples carry them along.
    device : Device or str, optional
        Where edge lists, Matrix Market, METIS and LDBC files and edge tables are made into graphs, and
        ``.clg`` files are checked (as in `clgraph.get_device`, or ``"host"``); the graph stays there for what
        comes next, and is the same wherever that is. Default: the CPU, through OpenCL where it has a driver
        and the file has 1 MB or more; of ``.clg`` the host. What its kernels do not take is read on the host:
        ids that are text, and whatever is unusual. Other formats are always read on the host.
    progress : callable or bool, optional
        Called with (bytes read, bytes in all or None); True shows a bar.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If the file does not exist or is not valid; it names the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "small.txt")
    >>> _ = path.write_text("# a comment\\n10 20\\n20 30\\n")
    >>> read(path)
    <Graph: undirected, 3 vertices, 2 edges>
    """
    return load(
        path,
        format=format,
        directed=directed,
        ids=ids,
        weights=weights,
        duplicates=duplicates,
        verify=verify,
        header=header,
        max_vertices=max_vertices,
        max_ratio=max_ratio,
        attributes=attributes,
        device=device,
        progress=progress,
    ).graph


@with_progress("writing", data=True)
def write(
    graph: Graph | Any,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> None:
    """Write a graph to a file, completely or not at all, even if the power fails.

    Pipes, devices and ``/dev/stdout`` are written straight through.

    Edge lists hold the original ids, separated by one tab (or commas, with a header, for ``.csv``), in index
    order, u <= v if undirected, one row per edge; merged parallel edges are written once. Isolated vertices
    are kept by every format but edge lists (of Graph500, too) and edge tables, ids by all that do not number
    their vertices: Matrix Market, METIS, KONECT, DIMACS, WebGraph and GAPBS. An id
    that would not be read again as it is (with a tab in it, say) is refused; ``.csv`` puts ids in quotes
    where they need it.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    path : str or path
        ``-`` is standard output.
    format : str, optional
        As for `read`. Default: by the suffix; of ``-`` an edge list.
    device : Device or str, optional
        Where the text of an edge list is made (as in `clgraph.get_device`, or ``"host"``); it is the same
        wherever that is. Default, from 200 000 arcs on: the device that the graph was made on, else the CPU,
        through OpenCL where it has a driver. Ids that are text are always the host's.
    progress : callable or bool, optional
        Called with (bytes written, bytes in all or None); True shows a bar.

    Raises
    ------
    InputError
        If the file cannot be written, or the format cannot hold this graph.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "triangle.txt")
    >>> write(Graph.from_edges([30, 10, 20], [10, 20, 30]), path)
    >>> path.read_text()
    '10\\t20\\n10\\t30\\n20\\t30\\n'
    """
    write_with_summary(graph, path, format=format, device=device, progress=progress)
