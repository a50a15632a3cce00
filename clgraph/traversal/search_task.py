"""What every way of searching works with: the launch table, the graph and the result on the device, programs.

The launch table's shapes are those of ``cl/traversal/search*.cl``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from clgraph.device.shapes import OfKind, Shapes, fewer, fitting

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


@dataclass(frozen=True)
class Shape:
    """Launch choices for a kind of device; the heads of ``cl/traversal/search*.cl`` say what each is.

    Attributes
    ----------
    team : bool
        Work-groups share the arcs of their vertices (GPUs); otherwise work-items go through runs of vertices.
    local : int
        Work-items of a group; `fused_local` of the one group of the fused kernel.
    alpha, beta : int
        Push becomes pull when the frontier has more than 1/alpha of the arcs not yet looked at; pull becomes
        push when a shrinking frontier has fewer than 1/beta of the vertices (Beamer's names).
    fuse_count, fuse_arcs : int
        A frontier of at most so many vertices and arcs is left to the fused kernel.
    """

    team: bool
    local: int = 1
    fused_local: int = 1
    items: int = 512
    rows: int = 64
    push_items: int = 64
    pull_short: int = 64
    long_row: int = 8192
    long_piece: int = 8192
    fuse_count: int = 1 << 30
    fuse_arcs: int = 32768
    alpha: int = 15
    beta: int = 18

    def defines(self) -> dict[str, Any]:
        """Build options."""
        return {
            "TEAM": self.team,
            "ITEMS": self.items,
            "LONG_ROW": self.long_row,
            "LONG_PIECE": self.long_piece,
            "ROWS": self.rows,
            "PUSH_ITEMS": self.push_items,
            "PULL_SHORT": self.pull_short,
            "FUSE_COUNT": self.fuse_count if self.team else None,
            "FUSE_ARCS": self.fuse_arcs,
            "FUSED_LOCAL": self.fused_local if self.team else None,
        }

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits."""
        if not self.team:
            return self
        if device.max_work_group < self.rows:
            return SERIAL  # its work-groups are too small to share a row
        count = fewer(self.fuse_count, 9 * self.fuse_count, device)  # two lists of them, and some words
        local, fused_local = (fitting(size, device) for size in (self.local, self.fused_local))
        return replace(self, local=local, fused_local=fused_local, fuse_count=count)


TEAM = Shape(
    team=True,
    local=256,
    fused_local=1024,
    items=1,
    long_row=512,
    long_piece=2048,
    fuse_count=4096,
    fuse_arcs=16384,
)
SERIAL = Shape(team=False)
SHAPES = Shapes(
    gpu=TEAM,
    cpu=SERIAL,
    simulator=replace(SERIAL, items=32, push_items=4, long_row=8, long_piece=4, fuse_arcs=24),
)


def shape_for(dev: Device) -> Shape:
    """The launch table's entry for a device, cut to the device's limits."""
    return SHAPES.of(dev)


def _no_time() -> dict[str, float]:
    return {"upload": 0.0, "compile": 0.0, "bfs": 0.0, "download": 0.0}


@dataclass
class Task:
    """A search to be done.

    Attributes
    ----------
    dev : Device
    graph : Graph
    csr : DeviceCSR
        The graph's arcs on the device.
    shape : Shape
    method : str
        "hybrid" or "frontier".
    predecessors, owners : bool
        Whether they are wanted.
    seconds : dict of float
        Time by phase.
    distance, predecessor, owner : pyopencl.Buffer or None
        The result, once the search is done.
    """

    dev: Device
    graph: Graph
    csr: DeviceCSR
    shape: Shape
    method: str
    predecessors: bool
    owners: bool
    seconds: dict[str, float] = field(default_factory=_no_time)
    distance: Any = None
    predecessor: Any = None
    owner: Any = None

    def __post_init__(self) -> None:
        self.n = self.graph.num_vertices
        #: arcs are counted in units of 2^shift, so that their number fits 32 bits
        self.shift = max(0, self.csr.arcs.bit_length() - 30)

    def program(self, name: str) -> Program:
        """A kernel file, built for these options; the time goes to "compile"."""
        start = time.perf_counter()
        made = self.dev.program(
            name,
            PREDECESSOR=self.predecessors,
            OWNER=self.owners,
            FRONTIER=self.method == "frontier",
            **self.shape.defines(),
            **self.csr.defines,
        )
        self.seconds["compile"] += time.perf_counter() - start
        return made

    def vertex_items(self) -> int:
        """Work-items of a pass over all vertices."""
        return -(-self.n // self.shape.items)
