"""Strongly connected components on a device.

Host half of ``cl/components/strong_trim.cl`` and ``cl/components/strong_color.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components import finder
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import DeviceError
from clgraph.graph import Graph

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Kernel

    Launch = tuple[Kernel, dict[str, Any]]  # a kernel and its arguments

CHANGED, LEFT = range(2)  # slots of the state


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape of the strong components kernels.

    Attributes
    ----------
    chase : int
        Steps that a work-item takes in a launch: few where thousands of others could do the work, many where
        a launch visits all vertices in series.
    block : int
        Vertices that a work-item looks through for the pivot.
    """

    chase: int
    block: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(chase=4096, block=64),
    cpu=LaunchConfig(chase=65536, block=2048),
    simulator=LaunchConfig(chase=65536, block=2048),
)


@dataclass(frozen=True)
class ArcRows:
    """The out-arcs and the in-arcs of n >= 1 vertices on a device.

    Attributes
    ----------
    n, arcs : int
        Vertices; length of the index arrays, which the rows need not cover.
    out, back : tuple of device buffers
        Starts of the rows, ends of the rows, heads (of in-arcs: tails).
    offset : type
        NumPy type of starts and ends.
    end_shift : int
        The end of row v is ``ends[v + end_shift]``: 1 where starts serve as ends too, 0 otherwise.
    """

    n: int
    arcs: int
    out: tuple[Any, Any, Any]
    back: tuple[Any, Any, Any]
    offset: type
    end_shift: int

    @classmethod
    def of_graph(cls, device: Device, graph: Graph) -> ArcRows:
        """The rows of a graph; its reverse is made on the host and kept."""
        out = upload_csr(device, graph)
        back = upload_csr(device, graph.reverse, wide=out.offset is np.int64)
        rows = [(csr.row_ptr, csr.row_ptr, csr.col_idx) for csr in (out, back)]
        return cls(out.n, out.arcs, rows[0], rows[1], out.offset, 1)

    @property
    def defines(self) -> dict[str, Any]:
        """Build options that tell the kernels of these rows."""
        return {"OFFSET": "int" if self.offset is np.int32 else "long", "END_SHIFT": self.end_shift}


class StrongFinder:
    """Strong components of a directed graph on a device.

    Parameters
    ----------
    device : Device
    rows : Graph or ArcRows
        With at least one vertex.
    long_row, piece : int, optional
        Rows with more arcs are cut into pieces for work-groups (default: as in `clgraph.components.finder`).
    chase : int, optional
        Steps that a work-item takes in a launch (default: by device, see `LAUNCH`).

    Attributes
    ----------
    rounds, launches : int
        Of the last `labels_into`; launches over all vertices are counted, those over queued rows are not.
    """

    def __init__(
        self,
        device: Device,
        rows: Graph | ArcRows,
        *,
        long_row: int | None = None,
        piece: int = finder.PIECE,
        chase: int | None = None,
    ) -> None:
        self.device = device
        self.rows = rows = ArcRows.of_graph(device, rows) if isinstance(rows, Graph) else rows
        self.n = n = rows.n
        shape = LAUNCH.of(device)
        if chase is None:
            chase = shape.chase
        if long_row is None:
            long_row = finder.LAUNCH.of(device).long_row
        defines: dict[str, Any] = {"ITEMS": device.tuning.items, "CHASE": chase, **rows.defines}
        self._capacity = 0
        if long_row is not None:
            defines |= {"LONG_ROW": long_row, "PIECE": piece}
            # a launch queues each row once in each direction; see GiantFinder
            self._capacity = 2 * (rows.arcs // long_row + rows.arcs // piece + 1)
        sizes = dict.fromkeys(("region", "color", "done", "in_left", "out_left"), 4 * n)
        device.reserve({**sizes, "queue": 8 * self._capacity})
        self._trim = device.program("components/strong_trim", **defines)
        self._color = device.program("components/strong_color", **defines)
        self._region = device.empty(n, np.uint32)
        self._colors = device.empty(n, np.uint32)
        self._done = device.empty(n, np.uint32)
        self._in_left = device.empty(n, np.int32)
        self._out_left = device.empty(n, np.int32)
        self._state = device.empty(3, np.int32)
        self._block = shape.block
        self._blocks = -(-n // self._block)
        self._best = device.empty(2 * self._blocks, np.int32)
        queue = device.empty(max(2 * self._capacity, 1), np.int32)
        self._queue = {"state": self._state, "queue": queue, "capacity": self._capacity}
        self.rounds = 0
        self.launches = 0

    def labels_into(self, label: Any) -> None:
        """Fill `label`, int32 (n,): the smallest vertex of each vertex's strong component."""
        dev, n, color = self.device, self.n, self._color
        dev.fill(label, np.int32(-1), self.n)
        dev.fill(self._region, np.uint32(1), self.n)
        dev.fill(self._colors, np.uint32(0), self.n)
        out_rows = dict(zip(("row_ptr", "row_end", "col_idx"), self.rows.out, strict=True))
        in_rows = dict(zip(("in_ptr", "in_end", "in_idx"), self.rows.back, strict=True))
        region, colors = {"region": self._region}, {"color": self._colors}
        left = {"in_left": self._in_left, "out_left": self._out_left}
        done, labels = {"done": self._done}, {"label": label}
        self.rounds = self.launches = 0
        while True:
            counting = {**out_rows, **in_rows, "whole": self.rounds == 0, **region, **left}
            self._scan((self._trim.strong_degrees, counting), (self._trim.strong_degrees_long, counting))
            self._until_settled(
                (self._trim.strong_trim, {**out_rows, **in_rows, **region, **left, **labels}),
                (self._trim.strong_trim_long, {**out_rows, **in_rows, **region, **left}),
            )
            pivot = self._pivot(label) if self.rounds == 0 else -1
            self._pass(color.strong_seed, pivot=pivot, **labels, **region, **colors, **done)
            self._until_settled(
                (color.strong_forward, {**out_rows, **region, **colors, **done}),
                (color.strong_forward_long, {**out_rows, **region, **colors}),
            )
            self._pass(color.strong_roots, **region, **colors, **done, **labels)
            self._until_settled(
                (color.strong_backward, {**in_rows, **region, **colors, **done, **labels}),
                (color.strong_backward_long, {**in_rows, **colors, **labels}),
            )
            dev.fill(self._state, np.int32(0), 3)
            self._pass(color.strong_settle, **labels, **colors, **region, state=self._state)
            self.rounds += 1
            if not dev.download(self._state, np.int32, 3)[LEFT]:
                break
            if self.rounds > self.n:  # every round that starts with unassigned vertices assigns at least one
                raise DeviceError(
                    f"{dev.spec} ({dev.name}): the search for strong components does not end, so the driver "
                    "computes wrong results; try another device, and run `clgraph doctor`"
                )
        least = self._in_left
        dev.fill(least, np.int32(n), n)
        self._pass(color.strong_least, **labels, least=least)
        self._pass(color.strong_relabel, **labels, least=least)

    def _pass(self, kernel: Kernel, **named: Any) -> None:
        kernel(-(-self.n // self.device.tuning.items), n=self.n, **named)
        self.launches += 1

    def _scan(self, rows: Launch, long_rows: Launch) -> None:
        """Launch over all vertices, then over the long rows that this queued."""
        self.device.fill(self._state, np.int32(0), 3)
        self._pass(rows[0], **rows[1], **self._queue)
        if self._capacity:
            kernel, named = long_rows
            width = min(self.device.tuning.local_size, kernel.limit)
            groups = min(self._capacity, 16 * self.device.compute_units)
            kernel.exact(groups * width, local=width, **named, **self._queue)

    def _until_settled(self, rows: Launch, long_rows: Launch) -> None:
        while True:
            self._scan(rows, long_rows)
            if not self.device.download(self._state, np.int32, 3)[CHANGED]:
                return

    def _pivot(self, label: Any) -> int:
        """The unassigned vertex with the largest product of degrees; n (no vertex) if all are assigned."""
        self._color.strong_pivot(
            self._blocks,
            n=self.n,
            blocks=self._blocks,
            block=self._block,
            in_left=self._in_left,
            out_left=self._out_left,
            label=label,
            best=self._best,
        )
        vertex, product = self.device.download(self._best, np.int32, 2 * self._blocks).reshape(-1, 2).T
        pivot = int(vertex[np.argmax(product)])
        return pivot if pivot >= 0 else self.n
