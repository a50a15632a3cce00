"""What sums the rows of personalized PageRank: launch shapes, and the interface of the ways to do it.

A `Product` has the graph's arrays on the device and enqueues what sums and ends all rows for the lanes of a
run; `clgraph.ranking.personalized.lanes` does the rest. The ways are in `clgraph.ranking.personalized.rows` and `clgraph.ranking.personalized.teams`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph.ranking.rows import Numbers, upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


@dataclass(frozen=True)
class Shape:
    """Launch shape of the products.

    Attributes
    ----------
    widths : tuple of int
        How many lanes there may be, ascending; multiples of 4 for teams.
    runs : int
        Runs of rows, a work-item each; 0: a team of work-items takes a row.
    local, piece : int
        Work-items of a group, and how many arcs a piece of a long row has (teams).
    items : int
        Arcs or vertices of a work-item (coo).
    flat_local, flat_arcs : int
        Work-items of a group, and arcs of each (coo-flat).
    """

    widths: tuple[int, ...]
    runs: int
    local: int
    piece: int
    items: int
    flat_local: int
    flat_arcs: int


# a line of 64 bytes is 16 floats: on CPUs more lanes only take more cache. On GPUs a gather brings a sector
# of 32 bytes whatever it is wanted for, so 8 lanes cost one source hardly more than one lane does; 64 that
# start together were faster than 32 whose places are given anew (H200: 0.54 against 0.75 ms a query)
_CPU = Shape((1, 8, 16), runs=256, local=1, piece=0, items=2048, flat_local=2, flat_arcs=1024)
SHAPES: dict[Kind, Shape] = {
    "gpu": Shape((8, 16, 32, 64), 0, local=256, piece=128, items=1, flat_local=256, flat_arcs=8),
    "cpu": _CPU,
    "emulator": _CPU,
    "fpga": _CPU,
    "simulator": Shape((1, 8), 3, local=8, piece=6, items=3, flat_local=4, flat_arcs=3),
}


class Product:
    """The arrays by which rows are summed, and the launches. Sub-classes do one way each.

    Attributes
    ----------
    width : int
        Lanes.
    parts : int
        Work-groups (or runs) that tally.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    """

    parts = 1
    chain = 0
    width = 1

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool, width: int
    ) -> None:
        self.device, self.graph, self.problem, self.numbers = device, graph, problem, numbers
        self.n, self.width, self.weight = graph.num_vertices, width, weight
        self.weighted = problem.weights is not None
        self.shape = SHAPES[device.kind]

    def explain(self) -> list[str]:
        """What is done, in words."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the run."""
        raise NotImplementedError

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        """Enqueue an iteration's sums; `vertex` are PPR_VERTEX_ARGS of ``cl/ranking/personalized/lanes.h``."""
        raise NotImplementedError

    def _shares(self, graph: Graph) -> Any:
        if not self.weighted:
            return None
        return upload_shares(self.device, graph, self.problem, self.numbers.real, self.weight)
