"""Degrees of neighbours: host half of ``cl/centrality/neighbours.cl``."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import word
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError
from clgraph.graph import Graph, as_graph
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device

Direction = Literal["out", "in", "in+out"]
Ints = npt.NDArray[np.int64]
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=5)  # arcs of a work-item


def degrees_of(graph: Graph, direction: Direction = "out") -> Ints:
    """Return degrees as NetworkX counts them: parallel edges each, a loop of an undirected graph twice."""
    found = _over_rows(graph, direction, _row_sums)
    if not graph.directed and graph.num_self_loops:
        at = np.flatnonzero(graph.tails == graph.col_idx)
        np.add.at(found, graph.col_idx[at], 1 if graph.multiplicity is None else graph.multiplicity[at])
    return found


def _over_rows(graph: Graph, direction: Direction, sums: Callable[[Graph], Ints]) -> Ints:
    """Add up the sums over each vertex's arcs out, in, or both; an undirected graph has one kind of arc."""
    found = np.zeros(graph.num_vertices, np.int64)
    if "out" in direction or not graph.directed:
        found += sums(graph)
    if "in" in direction and graph.directed:
        found += sums(graph.reverse)
    return found


def _row_sums(graph: Graph) -> Ints:
    """Arcs of each row, merged ones one by one."""
    if graph.multiplicity is None:
        return graph.degrees
    before = np.zeros(graph.num_arcs + 1, np.int64)
    np.cumsum(graph.multiplicity, out=before[1:])
    found: Ints = np.diff(before[graph.row_ptr])
    return found


def neighbour_sums(dev: Device, graph: Graph, value: Ints, *, counted: bool) -> Ints:
    """Sum a value over each vertex's row, shape (n,); `counted`: merged arcs count as often as they occurred.

    Raises
    ------
    CapacityError
        If a sum might not fit 63 bits.
    """
    n, arcs = graph.num_vertices, graph.num_arcs
    if not arcs:
        return np.zeros(n, np.int64)
    times = graph.multiplicity if counted else None
    largest = int(value.max()) * (1 if times is None else int(times.max()))
    # a bound from the longest row: the sums themselves are known too late
    if largest * int(graph.degrees.max()) >= 2**63:
        raise CapacityError(f"{dev}: the degrees are too large for sums of 63 bits")
    csr = upload_csr(dev, graph)
    run = LAUNCH.of(dev)
    dev.reserve({"values": 8 * n, "sums": 8 * n})
    total = dev.zeros(n, np.uint64)
    program = dev.program("centrality/neighbours", RUN=run, COUNTED=times is not None, **csr.defines)
    counts = None if times is None else Residence.of(dev, graph).column(graph, "multiplicity")
    values = {"count": counts, "value": dev.upload(value.astype(np.uint64)), "sum": total}
    program.neighbours_sum(-(-arcs // run), n=n, arcs=arcs, **csr.buffers, **values)
    return dev.download(total, np.int64, n)


def average_neighbor_degree(
    graph: Any, *, source: Direction = "out", target: Direction = "out", device: Device | str | None = None
) -> npt.NDArray[np.float64]:
    """Return the mean degree of each vertex's neighbours, as NetworkX defines it.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    source : {"out", "in", "in+out"}
        Neighbours by which arcs of a directed graph.
    target : {"out", "in", "in+out"}
        Which of their degrees. Both play no part in an undirected graph.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    float64 array, shape (n,)
        The sum of the neighbours' degrees over the vertex's own degree; 0 without neighbours. Parallel edges
        count one by one in degrees, but make one neighbour if they were merged; an undirected loop counts
        twice in degrees. The same on every device.

    Raises
    ------
    InputError
        If it is no graph, or a word is another one.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    A. Barrat, M. Barthelemy, R. Pastor-Satorras, A. Vespignani, "The architecture of complex weighted
    networks", PNAS 101(11), 2004.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.average_neighbor_degree(clgraph.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    array([2.5       , 2.5       , 1.66666667, 3.        ])
    """
    whole = as_graph(graph)
    word(source, "source", get_args(Direction))
    word(target, "target", get_args(Direction))
    run = run_on(device)
    with run.lock, run:
        value, own = degrees_of(whole, target), degrees_of(whole, source)
        total = _over_rows(whole, source, lambda rows: neighbour_sums(run.device, rows, value, counted=False))
    return np.divide(total, own, out=np.zeros(len(own)), where=own > 0)


def degree_assortativity_coefficient(
    graph: Any,
    *,
    x: Literal["out", "in"] = "out",
    y: Literal["out", "in"] = "in",
    device: Device | str | None = None,
) -> float:
    """Return Pearson's correlation of the degrees at the ends of an arc, as NetworkX defines it.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    x, y : {"out", "in"}
        Which degree of an arc's tail, and which of its head; they play no part in an undirected graph.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    float
        Between -1 and 1; nan where it is not defined: no arcs, or one degree at all ends. It is computed from
        exact sums. Parallel edges count one by one, an undirected loop twice in its vertex's degree.

    Raises
    ------
    InputError
        If it is no graph, or a word is another one.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    M. E. J. Newman, "Mixing patterns in networks", Physical Review E 67, 026126, 2003.

    Examples
    --------
    >>> import clgraph
    >>> path = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> clgraph.degree_assortativity_coefficient(path)
    -0.5
    """
    whole = as_graph(graph)
    word(x, "x", ("out", "in"))
    word(y, "y", ("out", "in"))
    run = run_on(device)
    with run.lock, run:
        tail, head = degrees_of(whole, x), degrees_of(whole, y)
        sums = neighbour_sums(run.device, whole, head, counted=True)
        leaving, arriving = _row_sums(whole), _row_sums(whole.reverse)
    return correlation(
        int(leaving.sum()),
        (_dot(leaving, tail), _dot(arriving, head)),
        (_dot(leaving, tail, tail), _dot(arriving, head, head)),
        _dot(tail, sums),
    )


def _dot(*arrays: Ints) -> int:
    """Return the exact sum of products."""
    # in int64 where the bound fits, else in Python's whole numbers
    bound = len(arrays[0])
    for each in arrays:
        bound *= int(each.max(initial=0))
    found = arrays[0] if bound < 2**63 else arrays[0].astype(object)
    for each in arrays[1:]:
        found = found * each
    return int(found.sum())


def correlation(count: int, sums: tuple[int, int], squares: tuple[int, int], products: int) -> float:
    """Pearson's correlation from the sums over all pairs; nan if one side does not vary."""
    spreads = [count * square - total * total for total, square in zip(sums, squares, strict=True)]
    if not all(spreads):
        return float("nan")
    above = count * products - sums[0] * sums[1]
    return above / spreads[0] if spreads[0] == spreads[1] else above / (sqrt(spreads[0]) * sqrt(spreads[1]))
