"""What exact drv leaves after each deletion, found for all vertices together.

Host half of ``cl/sampling/departures.cl``. `clgraph.sampling.merge_tree.whole_tree` gives the same rows in
one serial pass, which suits CPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clgraph.components.kept import graph_components
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import upload_csr
from clgraph.device.shapes import Shapes
from clgraph.graph import Graph
from clgraph.sampling.merge_tree import Rows
from clgraph.sampling.result import Progress
from clgraph.sampling.threshold_search import ExactRun

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    run : int
        Arcs per work-item.
    pays : bool
        Whether it is faster than one serial pass.
    """

    run: int
    pays: bool


SHAPES = Shapes(gpu=Shape(16, pays=True), cpu=Shape(4096, pays=False), simulator=Shape(8, pays=False))


def departures(
    device: Device, graph: Graph, seed: int, target: int, progress: Progress | None = None
) -> Rows:
    """The rows of the curve, down to the first with at most `target` vertices.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    seed, target : int
    progress : callable, optional

    Returns
    -------
    deletions, vertices, edges : int64 arrays
        As `whole_tree` gives them.
    """
    run = ExactRun(device, graph, seed, edges=False)
    whole = run.start()
    run.shrink_to(target)
    live = run.download().live
    csr, components = upload_csr(device, graph), graph_components(device, graph).largest()
    shape, items = SHAPES.of(device), device.tuning.items
    program = device.program("sampling/departures", RUN=shape.run, ITEMS=items, **csr.defines)
    n, arcs, passes, runs = np.int32(csr.n), np.int64(csr.arcs), -(-csr.n // items), -(-csr.arcs // shape.run)
    device.reserve({"turns": 60 * csr.n})
    order = None
    for high in (0, 1):
        key = device.empty(csr.n, np.uint32)
        program.departures_words(passes, n, np.uint64(seed), order, np.int32(high), key)
        _, order = sort_by_key(device, key, csr.n, 32, order)
    turn, prefix, label, flag = (device.empty(csr.n, np.int32) for _ in range(4))
    program.departures_turns(passes, n, order, live, turn, prefix)
    rounds = max(1, (csr.n - 1).bit_length())
    for bit in reversed(range(rounds)):
        program.departures_begin(passes, n, label, flag)
        program.departures_join(
            runs, n, arcs, np.int32(bit), csr.row_ptr, csr.col_idx, turn, prefix, label, flag
        )
        program.departures_compress(passes, n, label, flag)
        program.departures_narrow(passes, n, np.int32(bit), turn, label, flag, prefix)
        if progress:
            device.finish()
            progress(rounds - bit, rounds)
    gone, cut = device.zeros(csr.n, np.uint32), device.zeros(csr.n, np.uint32)
    left, some = device.zeros(1, np.uint64), device.empty(csr.n, np.uint8)
    root = np.int32(components.root)
    program.departures_count(passes, n, root, components.label, prefix, gone)
    program.departures_edges(
        runs, n, arcs, root, csr.row_ptr, csr.col_idx, components.label, prefix, cut, left
    )
    program.departures_flags(passes, n, gone, some)
    before, edges_before = (running_sums(device, each, csr.n, of=np.uint32) for each in (gone, cut))
    place = running_sums(device, some, csr.n, of=np.uint8, into=np.int32)
    rows = int(device.download(place, np.int32, 1, offset=csr.n)[0])
    edges = int(device.download(left, np.uint64, 1)[0])
    edges += int(device.download(edges_before, np.int64, 1, offset=csr.n)[0])
    vertices_left, edges_left = device.output(rows, np.int64), device.output(rows, np.int64)
    program.departures_rows(
        passes,
        n,
        np.int64(whole),
        np.int64(edges),
        some,
        place,
        before,
        edges_before,
        vertices_left,
        edges_left,
    )
    return (
        np.arange(rows + 1),
        np.append(np.int64(whole), device.take(vertices_left, np.int64, rows)),
        np.append(np.int64(edges), device.take(edges_left, np.int64, rows)),
    )
