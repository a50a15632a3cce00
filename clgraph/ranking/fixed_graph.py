"""The solver of variant "fixed" for a graph on one device (`clgraph.scale.pagerank` has that of shards)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import parts_of
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.fixed import BLOCK, FixedPower, Rows, iterate, normalised

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Reals, Stop


class FixedSolver:
    """Takes the same steps as `clgraph.ranking.solver.Solver`."""

    variant = "fixed"
    round_off_chain = 0

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, stop: Stop, dtype: str, *, weight: bool
    ) -> None:
        if stop.norm != "l1":
            raise InputError(f"variant 'fixed' stops by the L1 norm: norm {stop.norm!r} is of the others")
        self._device, self._graph, self._problem, self._stop = device, graph, problem, stop
        self._dtype = np.dtype(dtype)
        self._kind = "arcs"
        if weight and graph.weights is not None:
            self._kind = "weights"
        elif graph.multiplicity is not None:
            self._kind = "counts"

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        sums = "exact sums" if self._dtype == np.float32 else "sums in float64, of one shape"
        return (f"variant fixed on {self._device.name}: {sums} on every device",)

    def upload(self) -> None:
        """Bring the graph to the device, and allocate and fill the vectors."""
        problem, back = self._problem, parts_of(self._device, self._graph.reverse)
        self._power = FixedPower(
            self._device,
            self._leaving(),
            damping=problem.damping,
            p=normalised(problem.personalization),
            q=normalised(problem.dangling),
            drop=problem.drop,
            start=normalised(problem.start),
            dtype=self._dtype.name,
            kind=self._kind,
        )
        rows = back.rows
        self._rows = Rows(
            0, rows.n, rows.arcs, rows.offset, rows.row_ptr, rows.col_idx, back.weights, back.multiplicity
        )

    def _leaving(self) -> Reals:
        """The weight that leaves each vertex."""
        graph = self._graph
        if self._kind == "arcs":
            return np.diff(graph.row_ptr).astype(np.float64)
        values = graph.weights if self._kind == "weights" else graph.multiplicity
        return np.bincount(graph.rows, weights=values, minlength=graph.num_vertices).astype(np.float64)

    def compile(self) -> None:
        """Kernels are built where they are first launched."""

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met or `max_iter` iterations are done."""
        stop, blocks = self._stop, -(-self._power.n // BLOCK)
        prepared = self._power.prepare(self._rows)
        self._ended = iterate(
            self._power,
            lambda: [prepared],
            lambda: self._power.blocks(0, blocks),
            start_sums=self._power.blocks(0, blocks),
            threshold=stop.threshold if stop.tol else 0.0,
            max_iter=stop.max_iter,
            progress=progress,
        )

    def take(self, *, on_device: bool = False) -> tuple[Any, int, bool, float, float]:
        """Ranks, iterations, whether the test was met, and the residual (L1, norm)."""
        iterations, residual, met = self._ended
        ranks = self._power.on_device() if on_device else self._power.ranks()
        return ranks, iterations, met, residual, residual

    def give_back(self) -> None:
        """Nothing is kept for the next call."""
