"""METIS graph files read by a device; what its kernels do not take is read by `clgraph.graph.io.metis`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.build import build_counted, place_weights
from clgraph.csr.facts import count_single_arcs, differ
from clgraph.csr.upload import DeviceCSR, Parts, graph_of
from clgraph.errors import InputError
from clgraph.files.edge_list import opened
from clgraph.files.lists import Arcs, Lists
from clgraph.files.number import from_one
from clgraph.files.parse import NotTaken
from clgraph.files.pieces import SHAPES, Shape, pieces
from clgraph.graph import Graph
from clgraph.graph.io import metis
from clgraph.graph.io.common import Loaded, Options, counted, reading
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device


def read_metis(
    path: Path,
    options: Options,
    device: Device,
    *,
    progress: Tell | None = None,
    shape: Shape | None = None,
    block: int | None = None,
) -> Loaded:
    """Read a METIS graph file on a device (see `clgraph.files.edge_list.read_edge_list`)."""
    with reading(path):
        try:
            found = metis.look(path, options)
        except InputError as error:  # of the faults of a file the host's reader names the first
            raise NotTaken("an unusual header") from error
        if found is None:
            raise NotTaken("no header")
        (n, m, sizes, ncon, weighted), skip = found
        if sizes or ncon:
            raise NotTaken("weights of vertices")
        if options.weights and not weighted:
            raise NotTaken("no weights")
        with device.alone(), opened(path, options) as source:
            lists = Lists(device, n, weighted, source.total, block)
            how = shape or SHAPES.of(device)
            with closing(pieces(device, source, skip, how, progress, words=True)) as text:
                arcs = lists.all(text)
            edges = (arcs.count + arcs.loops) // 2
            if m != edges and 2 * m != arcs.count:
                raise NotTaken(f"{counted(edges, 'edge')} instead of {m}")
            graph = _graph(device, n, arcs, options)
    # what the lazy value would count
    vars(graph)["num_duplicates"] = (arcs.count if graph.directed else edges) - graph.num_edges
    notes = ["edge weights"] if weighted and not options.weights else []
    return Loaded(graph, counted(arcs.count, "entry", "entries"), notes)


def _graph(device: Device, n: int, arcs: Arcs, options: Options) -> Graph:
    """The graph, if each arc has its twin."""
    of = n, arcs.tail, arcs.head
    rows, copies = build_counted(device, *of, arcs.count, mirror=False, duplicates="merge")
    if copies is not None and (arcs.weight is not None or options.duplicates == "keep"):
        raise NotTaken("parallel edges")
    weight = None
    if arcs.weight is not None:
        weight = place_weights(device, rows, *of[1:], arcs.weight, arcs.count, mirror=False)
        single = count_single_arcs(device, rows, weight) > 0
    else:
        back, again = build_counted(
            device, n, arcs.head, arcs.tail, arcs.count, mirror=False, duplicates="merge"
        )
        single = _differ(device, rows, copies, back, again)
    if single:
        raise NotTaken("neighbours without their twins")
    parts = Parts(
        rows,
        directed=options.direction(False),
        weights=weight if options.weights else None,
        multiplicity=copies,
        ids=from_one(device, n),
        num_self_loops=None if arcs.loops else 0,
        has_copies=False,
    )
    return graph_of(device, parts)


def _differ(device: Device, rows: DeviceCSR, copies: Any, other: DeviceCSR, again: Any) -> bool:
    """Whether two graphs, with the multiplicities of their arcs, differ."""
    if rows.arcs != other.arcs or (copies is None) != (again is None):
        return True
    words = (rows.n + 1) * np.dtype(rows.offset).itemsize // 4
    pairs = [(rows.row_ptr, other.row_ptr, words), (rows.col_idx, other.col_idx, rows.arcs)]
    if copies is not None:
        pairs.append((copies, again, rows.arcs))
    return differ(device, rows, *pairs)
