"""Trivial Graph Format: lines ``id label`` of vertices, a line ``#``, lines ``from to label`` of edges.

Labels may be missing. Those of vertices are their attribute ``label``; those of edges are weights, if wanted.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np

from clgraph.formats.cells import id_cells, plain_name, write_rows, writing
from clgraph.formats.common import Loaded, Options, counted, numbered_lines
from clgraph.formats.text_table import Layout, encoding_of, listed_graph, listed_vertices, read_table
from clgraph.formats.vertex_table import kind_of
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph


def read_tgf(path: Path, options: Options) -> Loaded:
    """Read a file of the Trivial Graph Format (see `clgraph.read`)."""
    lines = numbered_lines(path, encoding_of(options), options.max_ratio)
    labels, number = listed_vertices(lines, path, options, end="#")
    further = len(next(lines, (0, ""))[1].split()) > 2
    columns = (0, 1, 2) if options.weights else (0, 1)
    rows = read_table(path, Layout(columns, len(columns), number), options)
    vertices = np.array(list(labels), object if options.ids == "str" else np.int64)
    graph = listed_graph(path, rows, vertices, options, options.direction(), "the list before '#'")
    if named := {vertex: label for vertex, label in labels.items() if label}:
        graph.attributes = Attributes({"label": Column(kind_of(named.values()), named)})
    skipped = ["edge labels"] if further and not options.weights else []
    return Loaded(graph, counted(len(rows[0]), "row"), skipped)


def write_tgf(graph: Graph, path: Path) -> None:
    """Write a file of the Trivial Graph Format."""
    names = id_cells(graph, b" ", partial(plain_name, path, separators=re.compile(r"\s")))
    label = graph.attributes.vertices.get("label", Column()) if graph.attributes else Column()
    with writing(path) as file:
        for vertex in graph.ids.tolist():
            said = " ".join((label.texts.get(vertex, label.default) or "").split())
            file.write(f"{vertex} {said}".rstrip().encode() + b"\n")
        file.write(b"#\n")
        write_rows(file, graph, names)
