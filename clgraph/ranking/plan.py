"""Which way of summing rows a PageRank call takes, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.ranking import small as pagerank_small
from clgraph.ranking.auto import BinRows, RunRows
from clgraph.ranking.partitions import PartitionRows, cut_for
from clgraph.ranking.rows import PLAIN, Numbers, Rows
from clgraph.ranking.small import SmallRows, SmallSolver
from clgraph.ranking.solver import Solver

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Stop

KINDS: dict[str, type[Rows]] = {
    **PLAIN,
    "runs": RunRows,
    "bins": BinRows,
    "small": SmallRows,
    "partitions": PartitionRows,
}


def choose(device: Device, graph: Graph, numbers: Numbers) -> str:
    """What "auto" is on this device for this graph."""
    if device.has_pipeline("ranking/rows_pull"):
        # one flat loop over all arcs; where the vertices do not fit on chip, two
        return "contribution" if cut_for(device, graph) is None else "partitions"
    how = pagerank_small.SHAPES[device.kind]
    sources = int(np.count_nonzero(np.diff(graph.row_ptr)))
    if graph.num_arcs <= how.arcs and sources <= pagerank_small.SOURCES:
        pieces = graph.num_arcs // how.long_row  # at most
        size = np.dtype(numbers.real).itemsize
        wanted, _, _ = pagerank_small.local_bytes(sources, pieces, size)
        if not how.in_local or wanted <= device.local_memory:
            return "small"
    return "bins" if device.kind == "gpu" else "runs"


def make_solver(
    variant: str, device: Device, graph: Graph, problem: Problem, stop: Stop, numbers: Numbers, weight: bool
) -> Solver:
    """The solver of a variant; "auto" chooses."""
    if variant == "auto":
        variant = choose(device, graph, numbers)
    rows = KINDS[variant](device, graph, problem, numbers, weight)
    if isinstance(rows, SmallRows):
        return SmallSolver(device, problem, stop, numbers, rows)
    return Solver(device, problem, stop, numbers, rows)
