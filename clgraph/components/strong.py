"""Strongly connected components on a device.

Host half of ``cl/components/strong.cl``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components import finder
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import DeviceError

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Kernel

CHANGED, LEFT = range(2)  # slots of the state


# steps that a work-item takes in a launch: few where thousands of others could do the work, many where a
# launch visits all vertices in series
LAUNCH = LaunchTable(gpu=4096, cpu=65536, simulator=65536)


class StrongFinder:
    """Strong components of a directed graph on a device.

    Parameters
    ----------
    device : Device
    out, back : DeviceCSR
        The out-arcs and the in-arcs of at least one vertex, with offsets of one type.
    ends : pair of device buffers, optional
        Where the rows of each end, if not where the next one begins.
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
        out: DeviceCSR,
        back: DeviceCSR,
        *,
        ends: tuple[Any, Any] | None = None,
        long_row: int | None = None,
        piece: int = finder.PIECE,
        chase: int | None = None,
    ) -> None:
        self.device = device
        self.n = n = out.n
        config = finder.LAUNCH.of(device)
        long_row = long_row or config.long_row
        defines: dict[str, Any] = {"ITEMS": device.tuning.items, "CHASE": chase or LAUNCH.of(device)}
        defines |= out.defines
        defines["END_SHIFT"] = int(ends is None)  # a row ends where the next one begins
        self.capacity = 0
        if long_row is not None:
            defines |= {"LONG_ROW": long_row, "PIECE": piece}
            # a launch queues each row once in each direction; see GiantFinder
            self.capacity = 2 * (out.arcs // long_row + out.arcs // piece + 1)
        sizes = dict.fromkeys(("region", "color", "done", "in_left", "out_left"), 4 * n)
        device.reserve({**sizes, "queue": 8 * self.capacity})
        self._program = device.program("components/strong", **defines)
        # what follows has the names of the kernels' arguments
        self.region, self.color, self.done = (device.empty(n, np.uint32) for _ in range(3))
        self.in_left, self.out_left = device.empty(n, np.int32), device.empty(n, np.int32)
        self.row_ptr, self.col_idx, self.in_ptr, self.in_idx = *out.buffers.values(), *back.buffers.values()
        self.row_end, self.in_end = ends or (self.row_ptr, self.in_ptr)
        self.state, self.label = device.empty(3, np.int32), None
        self.block, self.blocks = config.block, -(-n // config.block)
        self.best = device.empty(2 * self.blocks, np.int32)
        self.queue = device.empty(max(2 * self.capacity, 1), np.int32)
        self.rounds = 0
        self.launches = 0

    def labels_into(self, label: Any) -> None:
        """Fill `label`, int32 (n,): the smallest vertex of each vertex's strong component."""
        dev, n, program = self.device, self.n, self._program
        self.label = label
        dev.fill(label, np.int32(-1), n)
        dev.fill(self.region, np.uint32(1), n)
        dev.fill(self.color, np.uint32(0), n)
        self.rounds = self.launches = 0
        while True:
            # only arcs between vertices of one region count: others cannot close a cycle
            self._scan(program.strong_degrees, program.strong_degrees_long, whole=self.rounds == 0)
            self._until_settled(program.strong_trim, program.strong_trim_long)
            self._pass(program.strong_seed, pivot=self._pivot() if self.rounds == 0 else -1)
            self._until_settled(program.strong_forward, program.strong_forward_long)
            self._pass(program.strong_roots)
            self._until_settled(program.strong_backward, program.strong_backward_long)
            dev.fill(self.state, np.int32(0), 3)
            self._pass(program.strong_settle)
            self.rounds += 1
            if not dev.download(self.state, np.int32, 3)[LEFT]:
                break
            if self.rounds > self.n:  # every round that starts with unassigned vertices assigns at least one
                raise DeviceError(
                    f"{dev.spec} ({dev.name}): the search for strong components does not end, so the driver "
                    "computes wrong results; try another device, and run `clgraph doctor`"
                )
        least = self.in_left
        dev.fill(least, np.int32(n), n)
        self._pass(program.strong_least, least=least)
        self._pass(program.strong_relabel, least=least)
        self.label = None

    def _pass(self, kernel: Kernel, **more: Any) -> None:
        kernel.launch(self, -(-self.n // self.device.tuning.items), **more)
        self.launches += 1

    def _scan(self, kernel: Kernel, long_rows: Kernel, **more: Any) -> None:
        """Launch over all vertices, then over the long rows that were queued."""
        self.device.fill(self.state, np.int32(0), 3)
        self._pass(kernel, **more)
        if self.capacity:
            width = min(self.device.tuning.local_size, long_rows.limit)
            groups = min(self.capacity, 16 * self.device.compute_units)
            long_rows.launch(self, groups * width, local=width, **more)

    def _until_settled(self, kernel: Kernel, long_rows: Kernel) -> None:
        while True:
            self._scan(kernel, long_rows)
            if not self.device.download(self.state, np.int32, 3)[CHANGED]:
                return

    def _pivot(self) -> int:
        """Return the unassigned vertex with the largest product of degrees; n (none) if all are assigned."""
        self._program.strong_pivot.launch(self, self.blocks)
        vertex, product = self.device.download(self.best, np.int32, 2 * self.blocks).reshape(-1, 2).T
        pivot = int(vertex[np.argmax(product)])
        return pivot if pivot >= 0 else self.n
