"""The order in which a plan keeps a graph's vertices, and the arrays kept in that order on the device."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem, Reals

Vertices = npt.NDArray[np.int32]


@dataclass(frozen=True)
class RowOrder:
    """What calls on the same graph by the same plan share; made once, kept with the graph on the device.

    (The shares of the arcs are kept beside the arcs: `clgraph.ranking.shares.upload_shares`, or the slices.)

    Attributes
    ----------
    device : Device
    real : type
        np.float32 or np.float64: the type of stored values.
    order : int32 array, shape (n,), or None
        The vertex at each position; None if the plan keeps the graph's own order.
    inverse_out : buffer of n `real`
        By position: 1 / out-degree, or 1 in weighted graphs (whose arcs' shares have the division in them);
        0 at dangling vertices.
    """

    device: Device
    real: type[np.floating[Any]]
    order: Vertices | None
    inverse_out: Any

    @lazy
    def position(self) -> Vertices | None:
        """The position of each vertex (the inverse permutation), shape (n,)."""
        return None if self.order is None else inverse_permutation(self.order)

    @lazy
    def order_buffer(self) -> Any:
        """`order` on the device."""
        return None if self.order is None else self.device.upload(self.order)

    @lazy
    def position_buffer(self) -> Any:
        """`position` on the device."""
        return None if self.position is None else self.device.upload(self.position)

    def upload(self, values: Reals | None) -> Any:
        """A vector given by vertex, by position on the device; None stays None."""
        return None if values is None else self.device.upload(_permuted(values, self.order, self.real))


def row_order(
    device: Device,
    graph: Graph,
    plan: Hashable,
    order: Vertices | None,
    problem: Problem,
    real: type[np.floating[Any]],
    weight: bool,
) -> RowOrder:
    """The row order of a graph's plan, as kept on the device.

    Parameters
    ----------
    plan : hashable
        Names the order: the same plan gives the same order.
    weight : bool
        Whether the graph's weights count.
    """

    def make() -> RowOrder:
        out = problem.out
        if problem.weights is None:
            # a third of the time that np.divide takes with `where`
            with np.errstate(divide="ignore"):
                inverse = 1 / out
            inverse[out == 0] = 0
        else:
            inverse = (out > 0).astype(np.float64)
        device.reserve({"inverse_out": len(out) * np.dtype(real).itemsize})
        return RowOrder(device, real, order, device.upload(_permuted(inverse, order, real)))

    return device.cached(
        graph, ("row-order", plan, real, None if problem.weights is None else bool(weight)), make
    )


def inverse_permutation(order: Vertices) -> Vertices:
    """The position of each element in a permutation."""
    position = np.empty_like(order)
    position[order] = np.arange(len(order), dtype=order.dtype)
    return position


def _permuted(values: Reals, order: Vertices | None, real: type[np.floating[Any]]) -> npt.NDArray[Any]:
    return (values if order is None else values[order]).astype(real)
