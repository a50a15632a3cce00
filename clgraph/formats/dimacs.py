"""DIMACS .gr files of the 9th implementation challenge (shortest paths): arcs with weights.

``c`` lines are comments, ``p sp n m`` says how many vertices and arcs there are, ``a u v w`` is the arc from
u to v of weight w; vertices are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clgraph.errors import InputError
from clgraph.formats.common import natural, quoted
from clgraph.formats.text_table import Header, TextTable


def _parse_header(path: Path, lines: Iterator[tuple[int, str]]) -> Header:
    for number, line in lines:
        fields = line.split()
        if not fields or fields[0] == "c":
            continue
        shown = quoted(line.strip())
        if fields[0] != "p" or len(fields) != 4 or fields[1] != "sp":
            raise InputError(
                f"{path}, line {number}: {shown} where 'p sp vertices arcs' should be; is this a graph of "
                "DIMACS's shortest-path challenge?"
            )
        n, m = map(natural, fields[2:])
        if n is None or m is None:
            raise InputError(f"{path}, line {number}: {shown} should hold two counts, of vertices and arcs")
        return Header(n, m, True, number)
    raise InputError(f"{path}: has no line 'p sp vertices arcs'; download it again")


TABLE = TextTable(
    title="DIMACS",
    parse_header=_parse_header,
    header=lambda graph: f"p sp {graph.num_vertices} {graph.num_arcs}\n",
    row="an arc 'a source target weight' should be",
    mark="a",
    comment="c",
    weighted=True,
    twins=True,
)
read_dimacs, write_dimacs = TABLE.read, TABLE.write
