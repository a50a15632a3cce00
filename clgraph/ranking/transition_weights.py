"""Transition weights: the share of its source that each arc carries, w(u, v) / W(u); and W on a device.

Host half of ``cl/ranking/transition_weights.cl``, which computes the same bytes from multiplicities that only
a device has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import device_graph
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.ranking.problem import Reals, arc_weights

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

    Attributes
    ----------
    long : int
        Arcs of a row from which on a work-group divides them together.
    """

    long: int
    EACH: ClassVar[int] = 8


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=64, long=256),
    cpu=LaunchConfig(local=1, long=1),
    simulator=LaunchConfig(local=4, long=6),
)
RUN = LaunchTable(gpu=16, cpu=4096, simulator=8)  # consecutive arcs of a work-item


def arc_shares(weights: Reals, out: Reals, tails: npt.NDArray[Any]) -> Reals:
    """w(u, v) / W(u) of each arc; 0 where W(u) is.

    Parameters
    ----------
    weights : float64 array, shape (arcs,)
        w, in any order of the arcs.
    out : float64 array, shape (n,)
        W.
    tails : int array, shape (arcs,)
        u of each arc, in the same order: ``graph.tails``, or ``graph.reverse.col_idx``.
    """
    whole = out[tails]
    return np.divide(weights, whole, out=np.zeros_like(whole), where=whole > 0)


def graph_shares(graph: Graph, problem: Problem) -> Reals | None:
    """Return the shares of the graph's arcs in its own order; None if the problem is not weighted."""
    return arc_shares(problem.weights, problem.out, graph.tails) if problem.weighing.weighted else None


def upload_shares(
    device: Device,
    graph: Graph,
    problem: Problem,
    real: type[np.floating[Any]],
    weight: bool,
    *,
    by_tail: bool = False,
) -> Any:
    """Return the shares of the arcs that arrive at each vertex, on the device; cached with these rows.

    Parameters
    ----------
    device : Device
    graph : Graph
    problem : Problem
        If it is not weighted, its arcs have no transition weights: None.
    real : type
        np.float32 or np.float64.
    weight : bool
        Whether the graph's weights count; else its multiplicities do.
    by_tail : bool
        The shares of the graph's own arcs, in its order; else of ``graph.reverse``.
    """
    if not problem.weighing.weighted:
        return None
    rows = graph if by_tail else graph.reverse

    def make() -> Any:
        device.reserve({"share": rows.num_arcs * np.dtype(real).itemsize})
        largest, arcs = problem.weighing.largest, rows.num_arcs
        # without float64 a device would round W otherwise than the host does
        if largest is None or "HAVE_FP64" not in device.features or device.kernels != "ndrange":
            weights = arc_weights(rows, weight)
            assert weights is not None
            tails = rows.tails if by_tail else rows.col_idx
            return device.upload(arc_shares(weights, problem.out, tails).astype(real))
        own, target = device_graph(device, graph).rows, device_graph(device, rows).rows
        out = sums_of_rows(device, own, own.values.get("multiplicity"), largest)
        share = device.output(arcs, real)
        # the two graphs' buffers, and which of them an arc's source is in
        given = {
            "counts": target.values.get("multiplicity"),
            "largest": largest,
            "by_tail": by_tail,
            "arcs": arcs,
        }
        kernel = _program(device, own, real).shares_arcs
        passes = -(-arcs // RUN.of(device))
        kernel(passes, n=own.n, **target.buffers, **given, out=out, share=share)
        return share

    return device.cached(rows, ("arc-shares", real, bool(weight), by_tail), make)


def sums_of_rows(
    device: Device, rows: DeviceCSR, values: Any, largest: int = 1, dtype: type[Any] = np.int32
) -> Any:
    """Sum what leaves each vertex: the values of its row over `largest`, added in order.

    Parameters
    ----------
    device : Device
        With float64.
    rows : DeviceCSR
        Without `col_idx` will do.
    values : device buffer, shape (arcs,)
    largest : int
    dtype : type
        Of the values: np.int32 or np.float64.

    Returns
    -------
    float64 device buffer, shape (n,)
    """
    config, out = LAUNCH.of(device), device.empty(rows.n, np.float64)
    groups = -(-rows.n // (config.local * device.tuning.items))
    kernel = _program(device, rows, np.float64, dtype).shares_out
    given = {"largest": largest, "counts": values, "out": out}
    kernel.launch(rows, groups * config.local, local=config.local, **given)
    return out


def _program(device: Device, rows: DeviceCSR, real: type[Any], dtype: type[Any] = np.int32) -> Any:
    config = LAUNCH.of(device)
    names: dict[Any, str] = {np.int32: "int", np.float32: "float", np.float64: "double"}
    fixed = {"LOCAL": config.local, "LONG": config.long, "RUN": RUN.of(device), "ITEMS": device.tuning.items}
    return device.program(
        "ranking/transition_weights", **fixed, REAL=names[real], COUNT=names[dtype], **rows.defines
    )
