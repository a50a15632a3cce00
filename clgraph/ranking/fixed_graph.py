"""The solver of variant "fixed" for a graph on one device (`clgraph.ranking.shards` has that of shards)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.facts import longest_row
from clgraph.csr.upload import DeviceCSR, parts_of
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.fixed import (
    BLOCK,
    FixedPower,
    Leaving,
    Prepared,
    Rows,
    additions,
    check_doubles,
    check_leaving,
    exact_vectors,
    iterate,
    shape_of,
)
from clgraph.ranking.order import order_program
from clgraph.ranking.transition_weights import sums_of_rows

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Stop


class FixedSolver:
    """Takes the same steps as `clgraph.ranking.solver.Solver`."""

    variant = "fixed"
    round_off_chain = 0
    bound_chain = 0  # once uploaded: of the rows, and of W

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, stop: Stop, dtype: str, *, weight: bool
    ) -> None:
        if stop.norm != "l1":
            raise InputError(f"variant 'fixed' stops by the L1 norm: norm {stop.norm!r} is of the others")
        check_doubles(device)
        self._device, self._graph, self._problem, self._stop = device, graph, problem, stop
        self._dtype = np.dtype(dtype)
        self._kind = "arcs"
        if weight and graph.is_weighted:
            self._kind = "weights"
        elif graph.is_counted:
            self._kind = "counts"
        self._vectors = exact_vectors(problem)

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        sums = "exact sums" if self._dtype == np.float32 else "sums in float64, of one shape"
        return (f"variant fixed on {self._device.name}: {sums} on every device",)

    def upload(self) -> None:
        """Bring the graph to the device, and allocate and fill the vectors.

        What calls on the same graph have in common is kept with it.
        """
        device, graph, problem = self._device, self._graph, self._problem
        key, reverse = (self._kind, self._dtype.name), graph.reverse  # which the host may have to make
        leaving, out_chain = device.cached(graph, ("fixed-leaving", *key), self._leaving)
        self._power = power = FixedPower(
            device, leaving, **self._vectors, dtype=self._dtype.name, kind=self._kind
        )

        def prepare() -> tuple[Prepared, int]:
            back = parts_of(device, reverse)
            rows, values = back.rows, (back.weights, back.multiplicity)
            whole = Rows(0, rows.n, rows.arcs, rows.offset, rows.row_ptr, rows.col_idx, *values)
            return power.prepare(whole), longest_row(device, rows)

        self._prepared, longest = device.cached(graph, ("fixed-rows", *key), prepare)
        if self._dtype == np.float64:
            self.bound_chain = additions(problem.n, longest) + out_chain

    def _leaving(self) -> tuple[Leaving, int]:
        """The weight that leaves each vertex, and the longest chain of additions in it."""
        device, graph, kind = self._device, self._graph, self._kind
        if graph.directed and graph.is_on_host:  # its own heads are not wanted on the device
            row_ptr = device.upload(graph.row_ptr)
            rows = DeviceCSR(graph.num_vertices, graph.num_arcs, row_ptr, None, graph.offset)
            values = {"arcs": None, "weights": graph.weights, "counts": graph.multiplicity}[kind]
            there = None if values is None else device.upload(values)
        else:
            parts = parts_of(device, graph)
            rows, there = parts.rows, parts.weights if kind == "weights" else parts.multiplicity
        if kind == "arcs":
            out = device.empty(rows.n, np.float64)
            program, items = order_program(device, np.float64, rows)
            program.order_out(-(-rows.n // items), n=rows.n, row_ptr=rows.row_ptr, out=out)
        else:
            out = sums_of_rows(device, rows, there, dtype=np.float64 if kind == "weights" else np.int32)
        chain = 0  # counts add up exactly
        if kind == "weights":
            check_leaving(device.download(out, np.float64, rows.n))
            chain = longest_row(device, rows)
        return Leaving.of(device, rows.n, out, kind, shape_of(device, self._dtype.name)), chain

    def compile(self) -> None:
        """Kernels are built where they are first launched."""

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        blocks = -(-self._power.n // BLOCK)
        self._ended = iterate(
            self._power,
            lambda: [self._prepared],
            lambda: self._power.start_blocks(0, blocks),
            start_sums=self._power.blocks(0, blocks),
            stop=self._stop,
            progress=progress,
        )

    def take(self, *, on_device: bool = False) -> tuple[Any, int, bool, float, float]:
        """Ranks, iterations, whether the test was met, and the residual (L1, norm)."""
        iterations, residual, met = self._ended
        ranks = self._power.on_device() if on_device else self._power.ranks()
        return ranks, iterations, met, residual, residual

    def give_back(self) -> None:
        """The vectors are not lent."""
