"""PageRank's variants that read rows in the graph's order, and the choice among all variants.

Host half of ``cl/ranking/contribution.cl`` and ``cl/fpga/ranking/partitions.cl``.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.partitions import Cut, upload_layout
from clgraph.csr.upload import upload_csr
from clgraph.errors import CapacityError
from clgraph.graph.building import INT32_MAX
from clgraph.lazy import Table
from clgraph.ranking import spmv_small
from clgraph.ranking.solver import Launch, Numbers, Solver, longest_row
from clgraph.ranking.spmv import BinSolver, RunSolver
from clgraph.ranking.transition_weights import upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch import Kernel
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.reproducible_solver import ReproducibleSolver

FLAT = "a pipeline: one flat loop over all arcs, row sums in fixed point of 62 bits"


class PlainSolver(Solver):
    """Base of solvers that read the reversed graph's rows as they are."""

    def prepare(self) -> None:
        self.reverse = self.graph.reverse
        self.flat = self.device.has_pipeline("ranking/solver")
        self.chain = self.longest = longest_row(self.device, self.reverse)
        # the error of fixed point (``cl/fpga/ranking/flat.h``), 2**-62 an arc, in units of 2**-53
        self.flat_chain = self.reverse.num_arcs // 512 + 1

    def upload(self) -> None:
        """Upload the rows, and what all solvers need."""
        csr = upload_csr(self.device, self.reverse)
        self.row_ptr, self.col_idx, self.offset = csr.row_ptr, csr.col_idx, csr.defines
        self.share = upload_shares(self.device, self.graph, self.problem, self.real, self.weight)
        super().upload()


class ContributionSolver(PlainSolver):
    """A work-item takes a vertex (on CPUs a run of vertices), with one division per vertex."""

    variant = "contribution"
    words = "one division a vertex (Parallel II)"
    _kernel: Kernel

    def prepare(self) -> None:
        super().prepare()
        self.tallies = -(-self.n // (self.local * self.items))
        # the tally of a group may be a longer chain than any row
        self.chain = max(self.chain, self.items + int(log2(self.local)))
        if self.flat:
            self.tallies, self.chain = 1, self.flat_chain

    def about(self) -> list[str]:
        each = f"{self.items} consecutive vertices" if self.items > 1 else "one vertex"
        return [f"{FLAT if self.flat else f'one work-item takes {each}'}; {self.words}"]

    def build(self, defines: dict[str, Any]) -> None:
        self._kernel = self.program("ranking/contribution", defines).pagerank_contribution

    def program(self, name: str, defines: dict[str, Any]) -> Program:
        """Build a program whose kernels take a vertex or a run of them."""
        return self.device.program(name, **defines, **self.offset, ITEMS=self.items, LOCAL=self.local)

    def launches(self) -> list[Launch]:
        size = self.tallies * self.local
        return [(self._kernel, size, self.local, self._kernel.arguments_of(self))]


# --- partitions that fit an FPGA's chip -----------------------------------------------------------------


def cut_for(device: Device, graph: Graph) -> Cut | None:
    """Return the partitions of a graph on a device with pipelines; None if it needs none."""
    size = device.pipeline_parameter("LOCAL_RANKS")
    return Cut.of(graph, size=size, room=size, burst=device.pipeline_parameter("UNROLL"))


class PartitionSolver(PlainSolver):
    """Move contributions from their vertex's partition to the blocks of arcs that need them."""

    variant = "partitions"

    def prepare(self) -> None:
        super().prepare()
        self.chain = self.flat_chain
        cut = cut_for(self.device, self.graph)
        assert cut is not None  # `choose` has looked
        self.cut = cut
        self.partitions, self.blocks, self.each = cut.partitions, cut.blocks, cut.each

    def upload(self) -> None:
        """Upload the partitions, too."""
        self.layout = upload_layout(self.device, self.reverse, self.cut)
        super().upload()

    def make_work(self) -> dict[str, Any]:
        # each arc's value once, in the order of partitions: as much memory as the arcs themselves
        self.device.reserve({"moved": self.layout.moved * np.dtype(self.real).itemsize})
        return {"moved": self.device.empty(self.layout.moved, self.real)}

    def about(self) -> list[str]:
        cut = self.cut
        return [
            f"{FLAT}; {cut.partitions} partitions of {cut.size} vertices and {cut.blocks} blocks of "
            f"{cut.each} arcs are on chip in turn"
        ]

    def build(self, defines: dict[str, Any]) -> None:
        program = self.device.program("ranking/partitions", **defines, **self.offset)
        self._kernels = program.pagerank_move, program.pagerank_sum

    def launches(self) -> list[Launch]:
        return [
            (each, 1, 1, each.arguments_of(self.layout) | each.arguments_of(self)) for each in self._kernels
        ]


# --- the choice ----------------------------------------------------------------------------------------

# `clgraph.theses` adds serial, pull and subgroup
KINDS: Table[type[Solver]] = Table(
    {
        kind.variant: kind
        for kind in (ContributionSolver, RunSolver, BinSolver, spmv_small.SmallSolver, PartitionSolver)
    }
)
LARGEST = INT32_MAX  # arcs that slices are made of: pieces and steps are counted in 32 bits


def choose(device: Device, graph: Graph, numbers: Numbers) -> str:
    """Choose the variant that "auto" takes on this device for this graph."""
    if device.has_pipeline("ranking/contribution"):
        # one flat loop over all arcs; where the vertices do not fit on chip, two
        return "contribution" if cut_for(device, graph) is None else "partitions"
    if graph.num_arcs > LARGEST:
        return "contribution"  # it takes rows as they are, with 64-bit offsets
    key = ("small-fits", numbers.dtype)
    if device.cached(graph, key, lambda: _fits_small(device, graph, numbers)):
        return "small"
    return "bins" if device.kind == "gpu" else "runs"


def _fits_small(device: Device, graph: Graph, numbers: Numbers) -> bool:
    """True if one work-group is enough for a graph, and has room for it."""
    config = spmv_small.LAUNCH.of(device)
    # the cheap test first: counting sources reads all rows
    if graph.num_arcs > spmv_small.ARCS:
        return False
    sources = int(np.count_nonzero(np.diff(graph.row_ptr)))
    pieces = graph.num_arcs // config.layout.long_row  # at most
    needed, _, _ = spmv_small.local_bytes(device, config, sources, pieces, np.dtype(numbers.real).itemsize)
    return sources <= spmv_small.SOURCES and (not config.in_local or needed <= device.local_memory)


def make_solver(
    variant: str, device: Device, graph: Graph, problem: Problem, stop: Stop, numbers: Numbers, weight: bool
) -> Solver | ReproducibleSolver:
    """Make the solver of a variant; "auto" chooses."""
    if variant == "auto":
        variant = choose(device, graph, numbers)
        # "contribution" leaves a hub's row to one work-item, and "fixed" shares it
        large = graph.num_arcs > LARGEST and device.kernels == "ndrange"
        if large and stop.norm == "l1" and "HAVE_FP64" in device.features:
            variant = "fixed"  # long rows in pieces
    if graph.num_arcs > LARGEST and variant in ("runs", "bins"):
        raise CapacityError(
            f"variant {variant!r} lays out at most {LARGEST} arcs, and there are {graph.num_arcs}: use "
            "'auto', which takes 'fixed' (with float64) or 'contribution'"
        )
    if variant == "fixed":
        from clgraph.ranking.reproducible_solver import ReproducibleSolver

        return ReproducibleSolver(device, graph, problem, stop, numbers.dtype, weight=weight)
    return KINDS[variant](device, graph, problem, stop, numbers, weight)
