"""LDBC graphs read by a device; what its kernels do not take is read by `clgraph.graph.io.ldbc`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clgraph.files.edge_list import bytes_before, graph_of_rows, read_columns
from clgraph.files.number import number_vertices
from clgraph.files.parse import NotTaken, Wanted
from clgraph.files.pieces import Shape
from clgraph.graph.building import INT32_MAX
from clgraph.graph.io import ldbc
from clgraph.graph.io.common import Loaded, Options, counted, reading
from clgraph.graph.io.edges import look, skipped_lines
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device


def read_ldbc(
    path: Path,
    options: Options,
    device: Device,
    *,
    progress: Tell | None = None,
    shape: Shape | None = None,
    block: int | None = None,
) -> Loaded:
    """Read NAME.v and NAME.e on a device (see `clgraph.files.edge_list.read_edge_list`)."""
    if options.ids != "int":
        raise NotTaken("ids that are text")
    files = ldbc.find_files(path)
    directed, options = options.direction(files.directed), replace(options, header=False)
    vertices = ldbc.read_vertices(files.vertices, options)
    listed, highest = len(vertices), int(vertices.max(initial=0))
    if not listed or not files.edges.stat().st_size:
        raise NotTaken("no rows")
    with reading(files.edges):
        layout = look(files.edges, options)
        wanted = Wanted(layout.columns, layout.delimiter == ",")
        skip = bytes_before(files.edges, layout, options)
        with device.alone():
            columns = read_columns(
                files.edges,
                wanted,
                options,
                device,
                skip,
                progress,
                shape,
                block,
                types=(np.int32, np.int64) if highest <= INT32_MAX else (np.int64,),
                more=listed,
            )
            # each vertex stands behind the rows, as one more of them, so that all are numbered
            for end in (columns.source, columns.target):
                device.write(end, vertices.astype(columns.id_type), columns.count)
            every = replace(columns, count=columns.count + listed, highest=max(columns.highest, highest))
            numbered = number_vertices(device, every)
            if numbered.n > listed:
                raise NotTaken("a vertex that is not listed")
            graph = graph_of_rows(device, columns, numbered, options, directed=directed)
    return Loaded(graph, counted(columns.count, "row") + layout.note, skipped_lines(layout))
