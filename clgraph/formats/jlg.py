"""Graphs of Julia's Graphs.jl (LightGraphs.jl): .jlg as in SNAPDatasets.jl, .lg and .jgz.

The first line is ``vertices,edges,u,name`` (``d`` if directed; a version, a type and a word may follow), then
comes a line ``source,target`` for each edge. Vertices are numbered from 1. Lines that begin with ``#`` before
it are comments. Julia's tools compress such files with gzip whatever they are called.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clgraph.errors import InputError
from clgraph.formats.common import natural, quoted
from clgraph.formats.text_table import Header, TextTable
from clgraph.graph.graph import Graph

DIRECTIONS = {"u": False, "d": True}


def _parse_header(path: Path, lines: Iterator[tuple[int, str]]) -> Header:
    number, line = 0, ""
    for here in lines:
        number, line = here
        if line.strip() and not line.lstrip().startswith("#"):
            break
    else:
        number, line = number + 1, ""
    fields = [field.strip() for field in line.split(",")]
    counts = [natural(field) for field in fields[:2]]
    if len(fields) < 4 or None in counts or fields[2] not in DIRECTIONS:
        raise InputError(
            f"{path}, line {number}: {quoted(line.strip())} should be 'vertices,edges,u,name' (d: directed); "
            "is this a graph of Graphs.jl?"
        )
    n, m = (count or 0 for count in counts)
    return Header(n, m, DIRECTIONS[fields[2]], number)


def _header(graph: Graph) -> str:
    direction = "d" if graph.directed else "u"
    return f"{graph.num_vertices},{graph.num_edges},{direction},graph,2,Int64,simplegraph\n"


TABLE = TextTable(
    title="Graphs.jl",
    parse_header=_parse_header,
    header=_header,
    row="an edge 'source,target' should be (a file holds one graph)",
    delimiter=",",
)
read_jlg, write_jlg = TABLE.read, TABLE.write
