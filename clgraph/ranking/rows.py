"""How an iteration's rows are summed: the interface, and the variants contribution and partitions.

Host half of ``cl/ranking/contribution.cl`` and ``cl/fpga/ranking/partitions.cl``. A `Rows` has the graph's
arrays on the device and enqueues the kernels that sum the rows; `clgraph.ranking.solver` does the rest of an
iteration.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clgraph.csr.partitions import Cut, upload_layout
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.ranking.order import RowOrder, row_order
from clgraph.ranking.transition_weights import upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch import Kernel
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


TALLY = 24  # bytes of local memory for each work-item whose tally is added to its group's


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch shape where a work-item takes a vertex, or a run of them.

    Attributes
    ----------
    items : int
        Consecutive vertices of a work-item.
    """

    items: int
    EACH: ClassVar[int] = TALLY


# on CPUs a group is one work-item with a long run of rows
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, items=1),
    cpu=LaunchConfig(local=1, items=2048),
    simulator=LaunchConfig(local=4, items=2),
)


@dataclass(frozen=True)
class Numbers:
    """The types of a run: of what is stored, and of sums.

    Attributes
    ----------
    dtype : {"float32", "float64"}
    compensated : bool
        Sums are pairs of floats, since the device has no float64.
    """

    dtype: str
    compensated: bool

    @property
    def real(self) -> type[np.floating[Any]]:
        """The type of what is stored."""
        return np.float64 if self.dtype == "float64" else np.float32

    @property
    def defines(self) -> dict[str, Any]:
        """Build options."""
        real = "double" if self.dtype == "float64" else "float"
        return {"REAL": real, "COMPENSATED": self.compensated}

    @property
    def words(self) -> str:
        """For a plan: how sums are kept."""
        return "pairs of float32 (compensated)" if self.compensated else "float64"


class Rows:
    """The arrays by which rows are summed, and the launches. Sub-classes do one variant each.

    Attributes
    ----------
    order, number : int32 buffers, shape (n,), or None
        The vertex at each position; None if the graph's own order is kept. And the position of each vertex,
        if it is known already.
    plan : hashable
        Names that order.
    parts : int
        Work-groups that tally, in all launches of an iteration.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    sends_rank : bool
        A vertex's contribution is its rank (each arc divides), not its rank over its out-degree.
    shift : int
        Zeros in front of the contributions.
    plain : bool
        Both distributions are uniform and the norm is L1: set by the solver before `compile`.
    """

    variant = ""
    order: Any = None
    number: Any = None
    plan: Hashable = "graph"
    parts = 1
    chain = 0
    sends_rank = False
    shift = 0
    plain = False

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        self.device, self.graph, self.problem, self.numbers = device, graph, problem, numbers
        self.n, self.weight = graph.num_vertices, weight
        self.weighted = problem.weighted
        self.prepare()

    def prepare(self) -> None:
        """Choose the launch shape, and look at the graph; a plan's own layout is made here."""

    def row_order(self) -> RowOrder:
        """The order of the vertices, and the arrays in that order on the device; made at the first call."""
        at = self.order, self.number
        return row_order(
            self.device, self.graph, self.plan, *at, self.problem, self.numbers.real, self.weight
        )

    def explain(self) -> list[str]:
        """What was chosen, in words: a line each."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def make_work(self) -> tuple[Any, ...]:
        """Buffers to work in, which later calls may have again."""
        return ()

    def take_work(self, work: tuple[Any, ...]) -> None:
        """Work in these buffers, which `make_work` has made, perhaps for another call."""

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the problem."""
        raise NotImplementedError

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        """Enqueue the kernels that sum all rows; `vectors` are VERTEX_ARGS of ``cl/ranking/pagerank.h``."""
        raise NotImplementedError


def longest_row(device: Device, graph: Graph) -> int:
    """Arcs of a graph's longest row; looked for once."""
    return device.cached(graph, "longest-row", lambda: int(np.diff(graph.row_ptr).max(initial=0)))


def leaving_chain(device: Device, graph: Graph, problem: Problem, numbers: Numbers) -> int:
    """The longest chain of additions in W, where the ranks are precise enough to tell, else 0."""
    return longest_row(device, graph) if problem.weighted and numbers.dtype == "float64" else 0


FLAT = "a pipeline: one flat loop over all arcs, row sums in fixed point of 62 bits"


class PlainRows(Rows):
    """Rows in the order of the reversed graph."""

    csr: DeviceCSR
    share: Any = None

    def prepare(self) -> None:
        self.reverse = self.graph.reverse
        self.flat = self.device.has_pipeline("ranking/solver")
        self.chain = self.longest = longest_row(self.device, self.reverse)

    def flat_chain(self) -> int:
        """The error of fixed point (``cl/fpga/ranking/flat.h``), 2**-62 an arc, in units of 2**-53."""
        return self.reverse.num_arcs // 512 + 1

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        if self.weighted:
            self.share = upload_shares(self.device, self.graph, self.problem, self.numbers.real, self.weight)


class ContributionRows(PlainRows):
    """One work-item a vertex (on CPUs: a run of vertices), one division a vertex."""

    variant = "contribution"
    words = "one division a vertex (Parallel II)"
    _kernel: Kernel

    def prepare(self) -> None:
        super().prepare()
        self.shape = LAUNCH.of(self.device)
        self.groups = -(-self.n // (self.shape.local * self.shape.items))
        self.parts = self.groups
        self.chain = max(self.chain, self.shape.items + int(log2(self.shape.local)))
        if self.flat:
            self.groups = self.parts = 1
            self.chain = self.flat_chain()

    def explain(self) -> list[str]:
        each = f"{self.shape.items} consecutive vertices" if self.shape.items > 1 else "one vertex"
        return [f"{FLAT if self.flat else f'one work-item takes {each}'}; {self.words}"]

    def compile(self, defines: dict[str, Any]) -> None:
        self._kernel = self._program("ranking/contribution", defines).pagerank_contribution

    def _program(self, name: str, defines: dict[str, Any]) -> Program:
        shape = self.shape
        return self.device.program(name, **defines, **self.csr.defines, ITEMS=shape.items, LOCAL=shape.local)

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        local = self.shape.local
        self._kernel.exact(
            self.groups * local,
            n=self.n,
            **self.csr.buffers,
            share=self.share,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=local,
        )


# --- partitions that fit an FPGA's chip -----------------------------------------------------------------


def cut_for(device: Device, graph: Graph) -> Cut | None:
    """The partitions of a graph on a device with pipelines; None if it needs none."""
    size = device.pipeline_parameter("LOCAL_RANKS")
    return Cut.of(graph, size=size, room=size, burst=device.pipeline_parameter("UNROLL"))


class PartitionRows(PlainRows):
    """Contributions move from the partition of their vertex to the blocks of arcs that need them."""

    variant = "partitions"

    def prepare(self) -> None:
        super().prepare()
        self.chain = self.flat_chain()
        cut = cut_for(self.device, self.graph)
        if cut is None:
            raise ValueError("this graph needs no partitions (see `cut_for`)")
        self.cut = cut

    def upload(self) -> None:
        super().upload()
        dev = self.device
        self._layout = upload_layout(dev, self.reverse, self.cut)
        moved = self._layout.moved
        dev.reserve({"moved": moved * np.dtype(self.numbers.real).itemsize})
        self._moved = dev.empty(moved, self.numbers.real)

    def explain(self) -> list[str]:
        cut = self.cut
        return [
            f"{FLAT}; {cut.partitions} partitions of {cut.size} vertices and {cut.blocks} blocks of "
            f"{cut.each} arcs are on chip in turn"
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        program = self.device.program("ranking/partitions", **defines, **self.csr.defines)
        self._move, self._sum = program.pagerank_move, program.pagerank_sum

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        layout = self._layout
        common = {"n": self.n, "partitions": self.cut.partitions, "moved": self._moved, "state": state}
        self._move(1, **common, begin=layout.begin, source=layout.source, contribution=contribution)
        self._sum(
            1,
            **common,
            blocks=self.cut.blocks,
            each=self.cut.each,
            tile=layout.tile,
            ended=layout.ended,
            row_ptr=self.csr.row_ptr,
            place=layout.place,
            share=self.share,
            parts=parts,
            **vectors,
        )
