"""The order in which a plan keeps a graph's vertices, and the arrays kept in that order on the device.

Host half of ``cl/ranking/order.cl``.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Reals


@dataclass(frozen=True)
class RowOrder:
    """Order of a graph's vertices in a plan, cached with the graph on the device.

    (The shares of the arcs are kept beside the arcs: `upload_shares` of
    `clgraph.ranking.transition_weights`, or the slices.)

    Attributes
    ----------
    device : Device
    real : type
        np.float32 or np.float64: the type of stored values.
    n : int
    order : int32 buffer, shape (n,), or None
        The vertex at each position; None if the plan keeps the graph's own order.
    position : int32 buffer, shape (n,), or None
        The position of each vertex.
    inverse_out : buffer of n `real`
        By position: 1 / out-degree, or 1 in weighted graphs (whose transition weights have the division in
        them); 0 at dangling vertices.
    """

    device: Device
    real: type[np.floating[Any]]
    n: int
    order: Any
    position: Any
    inverse_out: Any

    def upload(self, values: Reals) -> Any:
        """Upload a vector given by vertex, by position."""
        there = self.device.upload(values.astype(self.real))
        return there if self.order is None else self.gather(self.order, there)

    def by_vertex(self, values: Any) -> Any:
        """Turn a vector by position into one by vertex: itself where that is the same."""
        return values if self.order is None else self.gather(self.position, values)

    def entries(self, vertices: npt.NDArray[Any], values: Reals) -> Any:
        """A vector by position on the device: these values at some vertices, 0 elsewhere."""
        # boards have no kernel that scatters a few entries
        if by_pipelines(self.device):
            dense = np.zeros(self.n)
            dense[vertices] = values
            return self.upload(dense)
        upload, count = self.device.upload, len(vertices)
        made = self.device.zeros(self.n, self.real)
        program, items = order_program(self.device, self.real)
        program.order_entries(
            -(-count // items),
            count=count,
            vertex=upload(vertices.astype(np.int32)),
            entry=upload(values.astype(self.real)),
            position=self.position,
            values=made,
        )
        return made

    def gather(self, at: Any, values: Any) -> Any:
        """``values[at]``, in a buffer that `Device.take` hands over."""
        out = self.device.output(self.n, self.real)
        program, items = order_program(self.device, self.real)
        program.order_gather(-(-self.n // items), n=self.n, at=at, values=values, out=out)
        return out


def order_program(
    device: Device, real: type[np.floating[Any]], csr: DeviceCSR | None = None
) -> tuple[Program, int]:
    """The program, and how many positions a work-item takes."""
    items = device.tuning.items
    offset = "int" if csr is None else csr.defines["OFFSET"]
    number = "float" if real is np.float32 else "double"
    return device.program("ranking/order", OFFSET=offset, REAL=number, ITEMS=items), items


def narrowed(device: Device, values: Any, n: int) -> Any:
    """Return a vector of float64 on the device as one of float32."""
    out = device.empty(n, np.float32)
    program, items = order_program(device, np.float32)
    program.order_narrow(-(-n // items), n=n, values=values, out=out)
    return out


def row_order(
    device: Device,
    graph: Graph,
    plan: Hashable,
    order: Any,
    position: Any,
    problem: Problem,
    real: type[np.floating[Any]],
    weight: bool,
) -> RowOrder:
    """Return the row order of a graph's plan, as kept on the device.

    Parameters
    ----------
    plan : hashable
        Names the order: the same plan gives the same order.
    order, position : buffers, or None
        As of `RowOrder`.
    weight : bool
        Whether the graph's weights count.
    """
    weighing = problem.weighing

    def make() -> RowOrder:
        n = graph.num_vertices
        device.reserve({"inverse_out": n * np.dtype(real).itemsize, "order": 8 * n})
        made = RowOrder(device, real, n, order, position, None)
        # the host's W where only the host has the weights, and where there are no kernels for rows
        if (weighing.weighted and weighing.largest is None) or by_pipelines(device):
            out = problem.out
            if weighing.weighted:
                inverse = made.upload((out > 0).astype(np.float64))
            else:
                # a third of the time that np.divide takes with `where`
                with np.errstate(divide="ignore"):
                    values = 1 / out
                values[out == 0] = 0
                inverse = made.upload(values)
        else:
            csr = upload_csr(device, graph)
            inverse = device.empty(n, real)
            program, items = order_program(device, real, csr)
            kernel = program.order_leaving if weighing.weighted else program.order_inverse_out
            kernel(-(-n // items), n=n, order=order, row_ptr=csr.row_ptr, inverse=inverse)
        return replace(made, inverse_out=inverse)

    key = "row-order", plan, real, bool(weight) if weighing.weighted else None
    return device.cached(graph, key, make)


def upload_out(
    device: Device, graph: Graph, problem: Problem, real: type[np.floating[Any]], weight: bool
) -> Any:
    """By vertex: the out-degree, or in weighted graphs 1; 0 at dangling vertices. Kept with the graph."""
    weighing = problem.weighing

    def make() -> Any:
        n = graph.num_vertices
        device.reserve({"out": n * np.dtype(real).itemsize})
        if not weighing.counts_arcs and weighing.largest is None:
            return device.upload((problem.out > 0 if weighing.weighted else problem.out).astype(real))
        csr = upload_csr(device, graph)
        out = device.empty(n, real)
        program, items = order_program(device, real, csr)
        if weighing.weighted:
            program.order_leaving(-(-n // items), n=n, order=None, row_ptr=csr.row_ptr, inverse=out)
        else:
            program.order_out(-(-n // items), n=n, row_ptr=csr.row_ptr, out=out)
        return out

    return device.cached(graph, ("out", real, bool(weight) if weighing.weighted else None), make)


def by_pipelines(device: Device) -> bool:
    """True if the solver is a pipeline: the device may be a board that has no other kernels."""
    return device.has_pipeline("ranking/solver")
