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


# a CPU takes a second for some ten million edges in one serial pass (`whole_tree`), which rounds over all
# edges, one for each bit of the number of deletions, do not beat
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
    program, n, passes = order.program, csr.n, -(-csr.n // device.tuning.items)
    label, flag = (device.empty(csr.n, np.int32) for _ in range(2))
    rounds = max(1, (order.turns - 1).bit_length())
    for bit in reversed(range(rounds)):
        program.departures_begin(passes, n=n, label=label, flag=flag)
        order.join(bit, label, flag)
        program.departures_compress(passes, n=n, label=label, flag=flag)
        program.departures_narrow(
            passes, n=n, bit=bit, turn=order.turn, label=label, flag=flag, prefix=order.prefix
        )
        if progress:
            device.finish()
            progress(rounds - bit, rounds)
    turns, launch = order.turns, -(-order.turns // device.tuning.items)
    gone, cut = device.zeros(order.turns, np.uint32), device.zeros(order.turns, np.uint32)
    some = device.empty(order.turns, np.uint8)
    root = components.root
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
        np.append(0, order.deletions(rows, some, place)),
        np.append(whole, device.take(vertices_left, np.int64, rows)),
        np.append(whole_edges, device.take(edges_left, np.int64, rows)),
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
        self._launch = -(-csr.arcs // shape.run)
        n, passes = csr.n, -(-csr.n // items)
        device.reserve({"turns": 60 * csr.n})
        order = None
        for high in (0, 1):
            key = device.empty(csr.n, np.uint32)
            self.program.departures_words(passes, n=n, seed=seed, order=order, high=high, key=key)
            _, order = sort_by_key(device, key, csr.n, 32, order)
        self.turn, self.prefix = device.empty(csr.n, np.int32), device.empty(csr.n, np.int32)
        self.program.departures_turns(passes, n=n, order=order, live=live, turn=self.turn, prefix=self.prefix)

    def join(self, bit: int, label: Any, flag: Any) -> None:
        """Join the vertices that a path of late enough turns connects."""
        csr = self._csr
        self.program.departures_join(
            self._launch,
            n=csr.n,
            arcs=csr.arcs,
            bit=bit,
            **csr.buffers,
            turn=self.turn,
            prefix=self.prefix,
            label=label,
            flag=flag,
        )

    def cut(self, root: int, inside: Any, cut: Any) -> int:
        """Count the edges that each turn takes away; how many are left."""
        csr, left = self._csr, self._device.zeros(1, np.uint64)
        self.program.departures_edges(
            self._launch,
            n=csr.n,
            arcs=csr.arcs,
            root=root,
            **csr.buffers,
            inside=inside,
            prefix=self.prefix,
            cut=cut,
            left=left,
        )
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
        over, rows = -(-csr.arcs // shape.run), {"n": csr.n, "arcs": csr.arcs, **csr.buffers}
        upper = device.empty(csr.arcs, np.uint8)
        program.departures_upper(over, **rows, upper=upper)
        number = running_sums(device, upper, csr.arcs, of=np.uint8, into=np.int32)
        self._launch = -(-self.turns // items)
        low, high = device.empty(self.turns, np.int32), device.empty(self.turns, np.int32)
        priority = device.empty(self.turns, np.uint64)
        program.departures_list(over, **rows, seed=seed, place=number, low=low, high=high, priority=priority)
        del upper, number
        order = None
        for word in (0, 1):
            key = device.empty(self.turns, np.uint32)
            program.departures_keys(
                self._launch, m=self.turns, priority=priority, order=order, upper_word=word, key=key
            )
            _, order = sort_by_key(device, key, self.turns, 32, order)
        self._low, self._high = device.empty(self.turns, np.int32), device.empty(self.turns, np.int32)
        program.departures_sorted(
            self._launch,
            m=self.turns,
            order=order,
            low=low,
            high=high,
            sorted_low=self._low,
            sorted_high=self._high,
        )
        self.prefix = device.empty(csr.n, np.int32)
        program.departures_live(-(-csr.n // items), n=csr.n, live=live, prefix=self.prefix)

    @property
    def _sorted(self) -> dict[str, Any]:
        return {"m": self.turns, "low": self._low, "high": self._high, "prefix": self.prefix}

    def join(self, bit: int, label: Any, flag: Any) -> None:
        """Join the vertices that a path of late enough turns connects."""
        self._edges.departures_join_edges(self._launch, **self._sorted, bit=bit, label=label, flag=flag)

    def cut(self, root: int, inside: Any, cut: Any) -> int:
        """Count the edges that each turn takes away: none is left at the end of all."""
        self._died = self._device.empty(self.turns, np.uint8)
        self._edges.departures_ends(
            self._launch, **self._sorted, root=root, inside=inside, cut=cut, died=self._died
        )
        return 0

    def deletions(self, rows: int, some: Any, place: Any) -> npt.NDArray[np.int64]:
        """The deletions up to each row, of edges whose ends were both still there."""
        device = self._device
        before = running_sums(device, self._died, self.turns, of=np.uint8, into=np.int32)
        found = device.output(rows, np.int64)
        self._edges.departures_deletions(
            self._launch, m=self.turns, some=some, place=place, before=before, deletions=found
        )
        return device.take(found, np.int64, rows)
