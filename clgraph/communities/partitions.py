"""Modularity of a partition: host half of ``cl/communities/partitions.cl``."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, hints, real
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.checks import integers
from clgraph.run import need_doubles, run_on

if TYPE_CHECKING:
    from clgraph.device import Device

Sums = npt.NDArray[Any]
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=5)  # arcs of a work-item


@hints
def modularity(
    graph: Graph | Any,
    labels: Any,
    *,
    weight: bool = True,
    resolution: float = 1.0,
    device: Device | str | None = None,
) -> float:
    """Return the modularity of a partition into communities [1]_, as NetworkX defines it.

    It is the share of edges inside communities less the share that would be there if edges were drawn at
    random between the same degrees: the sum over communities of L / m - resolution (k / 2 m)^2, where L is
    the number of edges inside, k the sum of degrees, and m the number of all edges. In a directed graph
    [2]_ it is L / m - resolution k_out k_in / m^2.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    labels : array of whole numbers, shape (n,), or a result with `labels`
        The community of each vertex, in index order: two vertices are in one if their labels are equal.
    weight : bool
        Whether edges count by their weights, where there are some. Otherwise parallel edges count one by one.
    resolution : float
        Larger values favour smaller communities.
    device : Device or str, optional
        As in `clgraph.get_device`; one with float64, if weights count.

    Returns
    -------
    float
        At most 1. The same on every device: without weights it is the exact value, rounded once; weights are
        added up in a fixed order.

    Raises
    ------
    InputError
        If it is no graph, there is not one label for each vertex, an argument is not as above, the graph has
        no edges, or their weights have the sum 0 or one beyond float64.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64 where it is needed, or the graph does not fit on it.

    References
    ----------
    .. [1] M. E. J. Newman, M. Girvan, "Finding and evaluating community structure in networks", Physical
       Review E 69, 026113, 2004; the resolution: J. Reichardt, S. Bornholdt, Physical Review E 74, 016110,
       2006.
    .. [2] E. A. Leicht, M. E. J. Newman, "Community structure in directed networks", Physical Review Letters
       100, 118703, 2008.

    Examples
    --------
    >>> from clgraph import Graph, modularity
    >>> two_triangles = Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])
    >>> round(modularity(two_triangles, [0, 0, 0, 1, 1, 1]), 6)
    0.357143
    """
    weight, resolution = flag(weight, "weight"), real(resolution, "resolution")
    whole = as_graph(graph)
    community, count = _communities(labels, whole.num_vertices)
    weighed = weight and whole.is_weighted
    if not whole.num_arcs:
        raise InputError("the graph has no edges: its modularity is not defined; use a graph with edges")
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        if weighed:
            need_doubles(dev, "modularity with weights")
        placed = dev.upload(community)
        leaving, inside = sums_of_rows(dev, whole, placed, weighed)
        arriving = sums_of_rows(dev, whole.reverse, placed, weighed)[0] if whole.directed else leaving
    inner, out, into = (_by_community(each, community, count) for each in (inside, leaving, arriving))
    found = _weighed(inner, out, into, resolution) if weighed else _counted(inner, out, into, resolution)
    if not isfinite(found):
        raise InputError(
            "the sums of the weights are beyond float64: scale the weights down, or use weight=False"
        )
    return found


def _communities(labels: Any, n: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return the community of each vertex, numbered from 0, and their number."""
    labels = getattr(labels, "labels", labels)
    if hasattr(labels, "get") and type(labels).__module__.startswith("pyopencl"):
        labels = labels.get()
    given = integers(labels, "labels")
    if len(given) != n:
        raise InputError(
            f"labels has {len(given)} entries, but the graph has {n} vertices: give one for each"
        )
    names, place = np.unique(given, return_inverse=True)
    return place.reshape(-1).astype(np.int32), len(names)


def sums_of_rows(dev: Device, graph: Graph, community: Any, weighed: bool) -> tuple[Sums, Sums]:
    """What each vertex's arcs count, shape (n,), and those of them that stay in its community.

    Parameters
    ----------
    dev : Device
    graph : Graph
        With arcs.
    community : int32 device buffer, shape (n,)
    weighed : bool
        Whether arcs count by their weights (float64), or how often they occurred (int64).
    """
    csr, n, run = upload_csr(dev, graph), graph.num_vertices, LAUNCH.of(dev)
    loops = 1 if graph.directed else 2
    kind = np.float64 if weighed else np.int64
    counted = not weighed and graph._is_counted
    column = "weights" if weighed else "multiplicity" if counted else None
    value = None if column is None else Residence.of(dev, graph).column(graph, column)
    dev.reserve({"totals": 8 * n, "totals inside": 8 * n})
    total, inside = dev.zeros(n, kind), dev.zeros(n, kind)
    items = dev.tuning.items
    program = dev.program(
        "communities/partitions", RUN=run, ITEMS=items, WEIGHED=weighed, COUNTED=counted, **csr.defines
    )
    given = {"n": n, "loops": loops, **csr.buffers, "value": value, "community": community}
    if weighed:
        program.partitions_weigh(-(-n // items), **given, total=total, inside=inside)
    else:
        program.partitions_count(-(-csr.arcs // run), arcs=csr.arcs, **given, total=total, inside=inside)
    return dev.download(total, kind, n), dev.download(inside, kind, n)


def _by_community(values: Sums, community: npt.NDArray[np.int32], count: int) -> list[Any]:
    """Add up the vertices' values by community, in the order of the vertices."""
    found = np.zeros(count, values.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # reported at the end
        np.add.at(found, community, values)
    made: list[Any] = found.tolist()
    return made


def _counted(inner: list[int], out: list[int], into: list[int], resolution: float) -> float:
    whole = sum(out)
    expected = sum(a * b for a, b in zip(out, into, strict=True))
    return float(Fraction(sum(inner), whole) - Fraction(resolution) * Fraction(expected, whole * whole))


def _weighed(inner: list[float], out: list[float], into: list[float], resolution: float) -> float:
    if not all(map(isfinite, (*inner, *out, *into))):
        return float("nan")
    try:
        whole = fsum(out)
        if whole == 0:
            raise InputError("the weights have the sum 0: modularity is not defined; use weight=False")
        # shares first: products of large weights might be beyond float64
        expected = fsum((a / whole) * (b / whole) for a, b in zip(out, into, strict=True))
        return fsum(inner) / whole - resolution * expected
    except OverflowError:
        return float("nan")
