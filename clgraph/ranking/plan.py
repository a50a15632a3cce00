"""Choose the variant of a PageRank call: how rows are summed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.errors import CapacityError
from clgraph.graph.building import INT32_MAX
from clgraph.lazy import Table
from clgraph.ranking import spmv_small
from clgraph.ranking.contribution import ContributionSolver, PartitionSolver, cut_for
from clgraph.ranking.solver import Numbers, Solver
from clgraph.ranking.spmv import BinSolver, RunSolver

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.reproducible import ReproducibleSolver

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
        from clgraph.ranking.reproducible import ReproducibleSolver

        return ReproducibleSolver(device, graph, problem, stop, numbers.dtype, weight=weight)
    return KINDS[variant](device, graph, problem, stop, numbers, weight)
