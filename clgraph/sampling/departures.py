"""What exact drv and dre leave after each deletion, found for all vertices together.

Host half of ``cl/sampling/departures.cl`` and ``departures_edges.cl``.
`clgraph.sampling.merge_tree.whole_tree` gives the same rows in one serial pass, which suits CPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.kept import graph_components
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.shapes import Shapes
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.merge_tree import Rows
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
    device: Device, graph: Graph, seed: int, target: int, progress: Tell | None = None, *, edges: bool = False
) -> Rows:
    """The rows of the curve, down to the first with at most `target` vertices.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops, of fewer than 2**31 edges.
    seed, target : int
    progress : callable, optional
    edges : bool
        Whether edges are deleted (dre), not vertices (drv).

    Returns
    -------
    deletions, vertices, edges : int64 arrays
        As `whole_tree` gives them.
    """
    run = ExactRun(device, graph, seed, edges=edges)
    whole = run.start()
    run.shrink_to(target)
    live = run.download().live
    csr, components = upload_csr(device, graph), graph_components(device, graph).largest()
    order = (_Edges if edges else _Vertices)(device, csr, seed, live)
    program, n, passes = order.program, np.int32(csr.n), -(-csr.n // device.tuning.items)
    label, flag = (device.empty(csr.n, np.int32) for _ in range(2))
    rounds = max(1, (order.turns - 1).bit_length())
    for bit in reversed(range(rounds)):
        program.departures_begin(passes, n=n, label=label, flag=flag)
        order.join(np.int32(bit), label, flag)
        program.departures_compress(passes, n=n, label=label, flag=flag)
        program.departures_narrow(
            passes, n=n, bit=bit, turn=order.turn, label=label, flag=flag, prefix=order.prefix
        )
        if progress:
            device.finish()
            progress(rounds - bit, rounds)
    turns, launch = np.int32(order.turns), -(-order.turns // device.tuning.items)
    gone, cut = device.zeros(order.turns, np.uint32), device.zeros(order.turns, np.uint32)
    some = device.empty(order.turns, np.uint8)
    root = np.int32(components.root)
    program.departures_count(passes, n=n, root=root, inside=components.label, prefix=order.prefix, gone=gone)
    remaining = order.cut(root, components.label, cut)
    program.departures_flags(launch, n=turns, gone=gone, some=some)
    before, edges_before = (running_sums(device, each, order.turns, of=np.uint32) for each in (gone, cut))
    place = running_sums(device, some, order.turns, of=np.uint8, into=np.int32)
    rows = int(device.download(place, np.int32, 1, offset=order.turns)[0])
    whole_edges = remaining + int(device.download(edges_before, np.int64, 1, offset=order.turns)[0])
    vertices_left, edges_left = device.output(rows, np.int64), device.output(rows, np.int64)
    program.departures_rows(
        launch,
        n=turns,
        whole=whole,
        whole_edges=whole_edges,
        some=some,
        place=place,
        before=before,
        edges_before=edges_before,
        vertices=vertices_left,
        edges=edges_left,
    )
    return (
        np.append(np.int64(0), order.deletions(rows, some, place)),
        np.append(np.int64(whole), device.take(vertices_left, np.int64, rows)),
        np.append(np.int64(whole_edges), device.take(edges_left, np.int64, rows)),
    )


class _Vertices:
    """The order in which vertices are deleted.

    Attributes
    ----------
    turns : int
        How many deletions there are.
    turn : int32 device buffer or None
        The turn of each vertex that has one of its own.
    prefix : int32 device buffer, shape (n,)
        See ``departures.cl``.
    """

    def __init__(self, device: Device, csr: DeviceCSR, seed: int, live: Any) -> None:
        shape, items = SHAPES.of(device), device.tuning.items
        self.program = device.program("sampling/departures", RUN=shape.run, ITEMS=items, **csr.defines)
        self.turns, self._device, self._csr = csr.n, device, csr
        self._over = -(-csr.arcs // shape.run), np.int32(csr.n), np.int64(csr.arcs)
        n, passes = np.int32(csr.n), -(-csr.n // items)
        device.reserve({"turns": 60 * csr.n})
        order = None
        for high in (0, 1):
            key = device.empty(csr.n, np.uint32)
            self.program.departures_words(passes, n=n, seed=seed, order=order, high=high, key=key)
            _, order = sort_by_key(device, key, csr.n, 32, order)
        self.turn, self.prefix = device.empty(csr.n, np.int32), device.empty(csr.n, np.int32)
        self.program.departures_turns(passes, n=n, order=order, live=live, turn=self.turn, prefix=self.prefix)

    def join(self, bit: np.int32, label: Any, flag: Any) -> None:
        """Join the vertices that a path of late enough turns connects."""
        launch, n, arcs = self._over
        rows = self._csr.row_ptr, self._csr.col_idx
        self.program.departures_join(launch, n, arcs, bit, *rows, self.turn, self.prefix, label, flag)

    def cut(self, root: np.int32, inside: Any, cut: Any) -> int:
        """Count the edges that each turn takes away; how many are left."""
        launch, n, arcs = self._over
        left, rows = self._device.zeros(1, np.uint64), (self._csr.row_ptr, self._csr.col_idx)
        self.program.departures_edges(launch, n, arcs, root, *rows, inside, self.prefix, cut, left)
        return int(self._device.download(left, np.uint64, 1)[0])

    def deletions(self, rows: int, some: Any, place: Any) -> npt.NDArray[np.int64]:
        """The deletions up to each row: every one takes a vertex away."""
        return np.arange(1, rows + 1)


class _Edges:
    """The order in which edges are deleted; attributes as those of `_Vertices`."""

    turn = None

    def __init__(self, device: Device, csr: DeviceCSR, seed: int, live: Any) -> None:
        shape, items = SHAPES.of(device), device.tuning.items
        defines: dict[str, Any] = {"RUN": shape.run, "ITEMS": items, **csr.defines}
        self.program = device.program("sampling/departures", **defines)
        self._edges = program = device.program("sampling/departures_edges", **defines)
        self.turns, self._device = csr.arcs // 2, device
        device.reserve({"turns": 60 * self.turns, "arcs": 5 * csr.arcs, "labels": 12 * csr.n})
        over = -(-csr.arcs // shape.run), np.int32(csr.n), np.int64(csr.arcs)
        upper = device.empty(csr.arcs, np.uint8)
        program.departures_upper(*over, csr.row_ptr, csr.col_idx, upper)
        number = running_sums(device, upper, csr.arcs, of=np.uint8, into=np.int32)
        self._m, self._launch = np.int32(self.turns), -(-self.turns // items)
        low, high = device.empty(self.turns, np.int32), device.empty(self.turns, np.int32)
        priority = device.empty(self.turns, np.uint64)
        rows = np.uint64(seed), csr.row_ptr, csr.col_idx
        program.departures_list(*over, *rows, number, low, high, priority)
        del upper, number
        order = None
        for word in (0, 1):
            key = device.empty(self.turns, np.uint32)
            program.departures_keys(
                self._launch, m=self._m, priority=priority, order=order, upper_word=word, key=key
            )
            _, order = sort_by_key(device, key, self.turns, 32, order)
        self._low, self._high = device.empty(self.turns, np.int32), device.empty(self.turns, np.int32)
        program.departures_sorted(
            self._launch,
            m=self._m,
            order=order,
            low=low,
            high=high,
            sorted_low=self._low,
            sorted_high=self._high,
        )
        self.prefix = device.empty(csr.n, np.int32)
        program.departures_live(-(-csr.n // items), n=csr.n, live=live, prefix=self.prefix)

    def join(self, bit: np.int32, label: Any, flag: Any) -> None:
        """Join the vertices that a path of late enough turns connects."""
        ends = self._low, self._high, self.prefix
        self._edges.departures_join_edges(self._launch, self._m, bit, *ends, label, flag)

    def cut(self, root: np.int32, inside: Any, cut: Any) -> int:
        """Count the edges that each turn takes away: none is left at the end of all."""
        self._died = self._device.empty(self.turns, np.uint8)
        ends = self._low, self._high, inside, self.prefix
        self._edges.departures_ends(self._launch, self._m, root, *ends, cut, self._died)
        return 0

    def deletions(self, rows: int, some: Any, place: Any) -> npt.NDArray[np.int64]:
        """The deletions up to each row, of edges whose ends were both still there."""
        device = self._device
        before = running_sums(device, self._died, self.turns, of=np.uint8, into=np.int32)
        found = device.output(rows, np.int64)
        self._edges.departures_deletions(
            self._launch, m=self._m, some=some, place=place, before=before, deletions=found
        )
        return device.take(found, np.int64, rows)
