"""Matrix Market files read by a device; what its kernels do not take is read by `clgraph.graph.io.mtx`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clgraph.files.edge_list import graph_of_rows, read_columns
from clgraph.files.number import number_from_one
from clgraph.files.parse import NotTaken, Wanted
from clgraph.files.pieces import Shape
from clgraph.graph.io import mtx
from clgraph.graph.io.common import Loaded, Options, counted, open_binary, reading
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device

FIELDS = ("pattern", "real", "integer")
LINE = 1 << 16  # bytes of a line before the entries


def read_mtx(
    path: Path,
    options: Options,
    device: Device,
    *,
    progress: Tell | None = None,
    shape: Shape | None = None,
    block: int | None = None,
) -> Loaded:
    """Read a Matrix Market file on a device (see `clgraph.files.edge_list.read_edge_list`)."""
    with reading(path):
        head = mtx.look(path, options)
        symmetric = head.symmetry == "symmetric"
        directed = options.direction(not symmetric)
        if head.field not in FIELDS or not (symmetric or head.symmetry == "general"):
            raise NotTaken(f"a {head.symmetry} matrix of {head.field} entries")
        if symmetric and directed:
            raise NotTaken("a symmetric matrix as a directed graph")
        valued = head.field != "pattern"
        wanted = Wanted(
            (0, 1, 2) if valued else (0, 1), comma=False, exact=True, whole=head.field == "integer"
        )
        skip = _bytes_before(path, head, options)
        with device.alone():
            columns = read_columns(
                path, wanted, options, device, skip, progress, shape, block, types=(np.int32,)
            )
            if columns.count != head.entries:
                raise NotTaken(f"{counted(columns.count, 'row')} instead of {head.entries}")
            if not options.weights:  # they were looked through all the same
                columns = replace(columns, weight=None)
            numbered, upper = number_from_one(device, columns, head.n)
            if symmetric and upper:
                raise NotTaken("a symmetric matrix with entries above the diagonal")
            graph = graph_of_rows(device, columns, numbered, options, directed=directed)
    return Loaded(graph, counted(head.entries, "entry", "entries"), head.skipped(options))


def _bytes_before(path: Path, head: mtx.Head, options: Options) -> int:
    """How many bytes come before the first entry."""
    with open_binary(path, options.max_ratio) as file:
        skip, line = len(file.readline(LINE)), b"%"
        while line.startswith(b"%") or (line and not line.strip()):
            line = file.readline(LINE)
            skip += len(line)
    if line.split() != [b"%d" % count for count in (head.n, head.n, head.entries)] or line[-1:] != b"\n":
        raise NotTaken("an unusual header")
    return skip
