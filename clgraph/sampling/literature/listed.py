"""What runs have taken, listed on the device until it is looked at: host half of ``cl/.../listed.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.device.shapes import Shapes
from clgraph.sampling.literature.clock import NONE
from clgraph.sampling.literature.drawn import Packed, There
from clgraph.sampling.literature.smallest import Cut, Smallest, Taken
from clgraph.sampling.marks import LeftThere

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


SHAPES = Shapes(gpu=256, cpu=4096, simulator=8)  # vertices of a work-item that lists those visited


class Listed:
    """The vertices taken of each run.

    Parameters
    ----------
    device : Device
    n : int
        Vertices of the graph.
    taken : Taken
        Vertices; with keys, if `keys` is to be asked for.
    """

    def __init__(self, device: Device, n: int, taken: Taken) -> None:
        self.device, self.n, self.taken = device, n, taken
        self.offset, self.many = taken.offset, int(taken.offset[-1])

    @staticmethod
    def smallest(device: Device, runs: int, n: int, key: Any, wanted: int, *, keys: bool = True) -> Listed:
        """The `wanted` vertices of smallest keys of each run."""
        smallest = Smallest(device, runs, n)
        cut = smallest.cut(key, np.full(runs, wanted, np.int64))
        return Listed(device, n, smallest.take(key, cut, equal=True, keys=keys))

    @staticmethod
    def given(device: Device, n: int, vertices: Packed) -> Listed:
        """Vertices that are on the host."""
        items = device.upload(np.append(vertices.values, 0).astype(np.int32), writable=True)
        return Listed(device, n, Taken(np.diff(vertices.offset), vertices.offset, items, None))

    @staticmethod
    def first_seen(device: Device, runs: int, n: int, first: Any) -> Listed:
        """The vertices with a first visit, whose number is their key."""
        cut = Cut(device.upload(np.full(runs, NONE, np.uint64), writable=True), device.zeros(runs, np.int32))
        return Listed(device, n, Smallest(device, runs, n).take(first, cut, equal=False, keys=True))

    @staticmethod
    def visited(device: Device, runs: int, n: int, parts: int, visits: Any) -> Listed:
        """The vertices with a visit in some part of the walk."""
        blocks = -(-n // SHAPES.of(device))
        count = device.empty(runs * blocks, np.int32)
        local = min(device.tuning.local_size, 64), 1
        head = {"n": n, "blocks": blocks, "parts": parts, "visits": visits}
        program(device).listed_met((blocks, runs), local=local, **head, count=count)
        before = running_sums(device, count, runs * blocks)
        if runs == 1:
            offset = np.array([0, device.download(before, np.int64, 1, offset=blocks)[0]])
        else:
            offset = device.download(before, np.int64, runs * blocks + 1)[::blocks].copy()
        listed = device.empty(max(int(offset[-1]), 1), np.int32)
        program(device).listed_list((blocks, runs), local=local, **head, before=before, list=listed)
        return Listed(device, n, Taken(np.diff(offset), offset, listed, None))

    @property
    def vertices(self) -> Packed:
        """The vertices, int32."""
        return Packed.on(self.device, self.offset, self.taken.items, np.int32)

    @property
    def keys(self) -> Packed:
        """Their keys, uint64."""
        return Packed.on(self.device, self.offset, self.taken.keys, np.uint64)

    def marked(self, run: int) -> Any:
        """A byte for each vertex of the graph, 1 where this run has taken it: uint8 device buffer."""
        device, many = self.device, int(self.taken.total[run])
        mark = device.zeros(self.n, np.uint8)
        first = int(self.offset[run])
        passes = -(-many // device.tuning.items)
        program(device).listed_mark(passes, many=many, first=first, list=self.taken.items, mark=mark)
        return mark

    def gathered(self, values: Any, parts: int = 1) -> Packed:
        """A value of each vertex, int32; of several parts one part after the other, as of one run.

        Parameters
        ----------
        values : int32 device buffer, shape (parts * runs * n,)
        parts : int
        """
        device, longest = self.device, int(self.taken.total.max(initial=0))
        out = device.empty(max(parts * self.many, 1), np.int32)
        program(device).listed_gather(
            (-(-longest // device.tuning.items), len(self.taken.total)),
            n=self.n,
            parts=parts,
            longest=longest,
            many=self.many,
            offset=device.upload(self.offset, writable=True),
            list=self.taken.items,
            value=values,
            out=out,
        )
        offset = self.offset if parts == 1 else np.array([0, parts * self.many])
        return Packed.on(device, offset, out, np.int32)


def visits_of(listed: Listed, visits: Any, parts: int) -> tuple[Packed, Packed | None]:
    """Visits to each vertex; and, where there are several, those in each part of the walk."""
    made = listed.gathered(visits, parts)
    if parts == 1:
        return made, None

    def summed() -> npt.NDArray[np.int64]:
        total: npt.NDArray[np.int64] = made.values.reshape(parts, -1).sum(axis=0, dtype=np.int64)
        return total

    return Packed(listed.offset, summed), made


def marked_arcs(device: Device, runs: int, arcs: int, marks: Any) -> Packed:
    """The places of the arcs that have a mark (int32, shape (runs * arcs,)), of each run."""
    if arcs < 1 << 30:
        return Listed.visited(device, runs, arcs, 1, marks).vertices
    found = device.download(marks, np.int32, runs * arcs).reshape(runs, -1)
    return Packed.of_parts([np.flatnonzero(row) for row in found])


def picked(device: Device, n: int, weight: Any, vertices: Packed) -> Packed:
    """The integer weights (uint64 device buffer, shape (n,)) of some vertices, when they are looked at."""

    def fetch() -> npt.NDArray[np.uint64]:
        with device.alone():
            values: npt.NDArray[np.uint64] = device.download(weight, np.uint64, n)
        return values[vertices.values]

    return Packed(vertices.offset, fetch)


def program(device: Device) -> Program:
    """The kernels."""
    return device.program("sampling/literature/listed", ITEMS=device.tuning.items, BLOCK=SHAPES.of(device))


# --- Marks of a sample's edges on the device: host half of ``cl/sampling/literature/listed_edges.cl`` ---


def left_of(
    simple: Graph,
    run: int,
    listed: Listed | None,
    arcs: There | None,
    parent: There | None,
    *,
    whole: bool = False,
) -> LeftThere:
    """The vertices and edges of one run's sample.

    Parameters
    ----------
    simple : Graph
        Undirected, without loops.
    run : int
        Which of those that are listed.
    listed : Listed, or None
        The vertices; None: the ends of the arcs.
    arcs : There, or None
        Places of arcs, one or both of each edge.
    parent : There, or None
        The parent of each vertex listed, instead of `arcs`.
    whole : bool
        All vertices are in the sample; `listed` is None.
    """
    source = arcs or parent
    assert source is not None
    device, csr = source.device, upload_csr(source.device, simple)
    device.reserve({"live": csr.n + csr.arcs})
    item = "long" if np.dtype(source.dtype).itemsize == 8 else "int"
    program = device.program(
        "sampling/literature/listed_edges", ITEMS=device.tuning.items, ITEM=item, **csr.defines
    )
    mark = device.zeros(-(-csr.arcs // 4) * 4, np.uint8)
    first, end = source.offset[run : run + 2].tolist()
    passes, part = -(-(end - first) // device.tuning.items), {"first": first, "many": end - first}
    if listed is not None:
        live = listed.marked(run)
    else:
        live = device.zeros(-(-csr.n // 4) * 4, np.uint8)
        if whole:
            device.fill(live, np.uint8(1), csr.n)
        else:
            program.listed_ends(passes, n=csr.n, **part, list=source.buffer, **csr.buffers, live=live)
    part |= {**csr.buffers, "live": live, "mark": mark}
    if arcs is not None:
        program.listed_arcs(passes, n=csr.n, list=source.buffer, **part)
    else:
        assert listed is not None
        program.listed_tree(passes, list=listed.taken.items, parent=source.buffer, **part)
    return LeftThere(device, csr, live, mark)
