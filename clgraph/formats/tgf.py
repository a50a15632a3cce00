"""Trivial Graph Format: lines ``id label`` of vertices, a line ``#``, lines ``from to label`` of edges.

Labels may be missing. Those of vertices are their attribute ``label``; those of edges are weights, if wanted.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.common import (
    Loaded,
    Options,
    counted,
    id_cells,
    merged_note,
    numbered_lines,
    plain_name,
    reading,
    vertex_id,
    write_rows,
    writing,
)
from clgraph.formats.text_table import Layout, encoding_of, listed_graph, read_table
from clgraph.formats.vertex_table import kind_of
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph


def read_tgf(path: Path, options: Options) -> Loaded:
    """Read a file of the Trivial Graph Format (see `clgraph.read`)."""
    labels: dict[Any, str] = {}
    text = options.ids == "str"
    with reading(path):
        lines = numbered_lines(path, encoding_of(options), options.max_ratio)
        for number, line in lines:
            name, label = [*line.split(None, 1), "", ""][:2]
            if name == "#":
                break
            vertex = name if text or not name else vertex_id(path, number, name)
            if vertex in labels:
                raise InputError(f"{path}, line {number}: vertex {name[:80]!r} a second time; keep it once")
            if name:
                labels[vertex] = label.strip()
        else:
            raise InputError(f"{path}: no line '#' between vertices and edges; is this a .tgf file?")
        further = len(next(lines, (0, ""))[1].split()) > 2
        columns = (0, 1, 2) if options.weights else (0, 1)
        rows = read_table(path, Layout(columns, len(columns), number), options)
    graph = listed_graph(
        rows,
        np.array(list(labels), object if text else np.int64),
        options,
        options.direction(),
        lambda row, v: f"{path}, row {row} behind '#': vertex {v} is not listed before it; add it there",
    )
    if named := {vertex: label for vertex, label in labels.items() if label}:
        graph.attributes = Attributes({"label": Column(kind_of(named.values()), named)})
    skipped = ["edge labels"] if further and not options.weights else []
    return Loaded(graph, counted(len(rows[0]), "row"), skipped)


def write_tgf(graph: Graph, path: Path) -> list[str]:
    """Write a file of the Trivial Graph Format."""
    names = id_cells(graph, b" ", partial(plain_name, path, separators=re.compile(r"\s")))
    label = graph.attributes.vertices.get("label", Column()) if graph.attributes else Column()
    with writing(path) as file:
        for vertex in graph.ids.tolist():
            said = " ".join((label.texts.get(vertex, label.default) or "").split())
            file.write(f"{vertex} {said}".rstrip().encode() + b"\n")
        file.write(b"#\n")
        write_rows(file, graph, names)
    return merged_note(graph)
