"""Triangles at every vertex, and local clustering.

Host half of ``cl/measures/triangle_count.cl`` and ``directed_triangles.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import word
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.building import INT32_MAX
from clgraph.measures.pack import measured_view
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program

Definition = Literal["undirected", "ldbc", "networkx"]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    run : int
        Consecutive arcs per work-item, below 2^16.
    skew : int
        How many times longer than the other a list must be to be searched rather than walked.
    core, least : int
        Vertices of the core at most, and the least degree there, 8 or more.
    """

    run: int
    skew: int
    core: int
    least: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=2, skew=16, core=16384, least=64),
    cpu=LaunchConfig(run=512, skew=16, core=8192, least=64),
    simulator=LaunchConfig(run=8, skew=2, core=32, least=8),
)
BINS = 256  # of degrees, eight for each power of two


def triangles(
    graph: Any, device: Device | str | None = None, *, arrays: Arrays = "host"
) -> npt.NDArray[np.int64]:
    """Count the triangles that contain each vertex.

    Directions of arcs, self-loops and parallel edges are ignored. The forward algorithm [1]_ intersects lists
    of neighbours, in time O(m^1.5) at most for m edges. Where two corners of a triangle are among some
    thousands of vertices of large degree, a matrix of bits takes the place of their lists.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    device : Device or str, optional
        As in `clgraph.get_device`.
    arrays : {"host", "device"}
        "device": the result stays there, as ``pyopencl.array.Array``.

    Returns
    -------
    int64 array, shape (n,)
        In index order; the same on every device. A third of its sum is the number of triangles.

    Raises
    ------
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] T. Schank, D. Wagner, "Finding, Counting and Listing all Triangles in Large Graphs", WEA 2005.

    Examples
    --------
    >>> from clgraph import Graph, triangles
    >>> triangles(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    array([1, 1, 1, 0])
    """
    stays = on_device(arrays)
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        view = measured_view(dev, whole)
        found, n = count_triangles(dev, view), view.num_vertices
        return dev.array(found, np.int64, n) if stays else dev.download(found, np.int64, n)


def count_triangles(dev: Device, view: Graph) -> Any:
    """The triangles at each vertex of a simple graph: int64 device buffer, of which the first n count."""
    n, arcs = view.num_vertices, view.num_arcs
    if arcs == 0:
        return dev.zeros(n, np.int64)
    csr = upload_csr(dev, view)
    prog, core = _program(dev, csr), _find_core(dev, csr)
    upward = turned_arcs(dev, csr, core)
    found = dev.zeros(n + core.size, np.int64)
    rows, passes = core.rows(n), -(-arcs // 2 // LAUNCH.of(dev).run)
    prog.triangles_lists(passes, n=n, rows=rows, count=found, **upward)
    if core.size:
        bits = {"words": core.words, "place": core.place, "matrix": core.matrix}
        prog.triangles_bits(passes, n=n, count=found, **bits, **upward)
    prog.triangles_halve(-(-n // dev.tuning.items), n=n, rows=rows, place=core.place, count=found)
    return found


def _program(dev: Device, csr: DeviceCSR) -> Program:
    config = LAUNCH.of(dev)
    shape = {"RUN": config.run, "SKEW": config.skew, "CORE": config.core, "ITEMS": dev.tuning.items}
    return dev.program("measures/triangle_count", **shape, **csr.defines)


class Core(NamedTuple):
    """Vertices of large degree, with a matrix of bits that says which are neighbours.

    Attributes
    ----------
    size, least : int
        How many they are, and the least of their degrees.
    words : int
        Of a row of the matrix, 32 bits each.
    place, matrix : device buffers
        How many of them are before each vertex, int32, shape (n + 1,); uint32, shape (size, words).
    """

    size: int = 0
    least: int = INT32_MAX
    words: int = 0
    place: Any = None
    matrix: Any = None

    def rows(self, n: int) -> int:
        """Rows of the turned arcs: the arcs into the core have rows of their own."""
        return 2 * n if self.size else n


NO_CORE = Core()


def _find_core(dev: Device, csr: DeviceCSR) -> Core:
    """Choose the core: no vertex outside has the degree of one inside. Its matrix has no bits yet."""
    n, config = csr.n, LAUNCH.of(dev)
    if n >= 1 << 30:  # twice as many rows would not have numbers
        return NO_CORE
    prog, passes, bins = _program(dev, csr), -(-n // dev.tuning.items), dev.zeros(BINS, np.int32)
    prog.triangles_degrees(passes, n=n, least=config.least, row_ptr=csr.row_ptr, bins=bins)
    sizes = np.cumsum(dev.download(bins, np.int32, BINS)[::-1], dtype=np.int64)
    inside = int(np.searchsorted(sizes, config.core, "right"))  # bins
    size = int(sizes[inside - 1]) if inside else 0
    if not size:
        return NO_CORE
    power, eighth = divmod(BINS - inside, 8)
    least = max(config.least, (8 + eighth) << power >> 3)
    words = -(-size // 256) * 8
    dev.reserve({"core": n + 4 * (n + 1), "matrix": 4 * size * words})
    in_core = dev.empty(n, np.uint8)
    prog.triangles_core(passes, n=n, least=least, row_ptr=csr.row_ptr, in_core=in_core)
    place = running_sums(dev, in_core, n, of=np.uint8, into=np.int32)
    return Core(size, least, words, place, dev.zeros(size * words, np.uint32))


def turned_arcs(dev: Device, csr: DeviceCSR, core: Core = NO_CORE) -> dict[str, Any]:
    """The edges of a simple graph, each turned to its end of larger degree, as a CSR; does not wait.

    This bounds every row by sqrt(2 m). The arcs into the core come last, in rows of their own.
    """
    n, arcs = csr.n, csr.arcs
    run, rows, parts = LAUNCH.of(dev).run, core.rows(n), core.rows(n) // n
    prog = _program(dev, csr)
    runs = -(-arcs // run)
    size = np.dtype(csr.offset).itemsize
    dev.reserve({"runs": (4 + size) * parts * runs, "rows": (4 + size + 8) * rows, "turned arcs": 2 * arcs})
    in_run, in_row = dev.empty(parts * runs, np.int32), dev.zeros(rows, np.int32)
    whole = {"n": n, "rows": rows, "arcs": arcs, "least": core.least, "runs": runs, **csr.buffers}
    prog.triangles_turn_count(runs, **whole, in_run=in_run, in_row=in_row)
    before = running_sums(dev, in_run, parts * runs, into=csr.offset)
    up_ptr, up_idx = running_sums(dev, in_row, rows, into=csr.offset), dev.empty(arcs // 2, np.int32)
    given = {"place": core.place, "words": core.words, "matrix": core.matrix}
    prog.triangles_turn(runs, **whole, **given, before=before, up_idx=up_idx)
    return {"up_ptr": up_ptr, "up_idx": up_idx}


def directed_triangles(dev: Device, graph: Graph, view: Graph, definition: Definition) -> tuple[Ints, Ints]:
    """What a directed graph's triangles count for at each vertex, and its neighbours with arcs both ways.

    Parameters
    ----------
    dev : Device
    graph : Graph
        Directed.
    view : Graph
        The same without directions, loops and parallel arcs.
    definition : {"ldbc", "networkx"}
        What counts: the arcs between a vertex's neighbours, or its directed triangles.
    """
    n, edges = view.num_vertices, view.num_arcs // 2
    if not edges:
        return np.zeros(n, np.int64), np.zeros(n, np.int64)
    # both with offsets of the same type: parallel arcs may have made the longer ones necessary for one only
    wide = np.int64 in (upload_csr(dev, graph).offset, upload_csr(dev, view).offset)
    csr, arcs = upload_csr(dev, view, wide=wide), upload_csr(dev, graph, wide=wide)
    upward, config = turned_arcs(dev, csr), LAUNCH.of(dev)
    count = 1 if definition == "ldbc" else 2
    prog = dev.program(
        "measures/directed_triangles", RUN=config.run, SKEW=config.skew, COUNT=count, **csr.defines
    )
    dev.reserve({"ways": edges, "rows": 12 * n})
    ways, mutual, found = dev.empty(edges, np.uint8), dev.zeros(n, np.int32), dev.zeros(n, np.int64)
    given = {"n": n, "edges": edges, **upward, "ways": ways}
    prog.directed_ways(-(-edges // config.run), **given, **arcs.buffers, mutual=mutual)
    prog.directed_count(-(-edges // config.run), **given, count=found)
    return dev.download(found, np.int64, n), dev.download(mutual, np.int32, n).astype(np.int64)


def coefficients(dev: Device, graph: Graph, definition: Definition) -> tuple[Ints, Ints]:
    """Local clustering coefficients as fractions: numerators, and denominators (0 where there is none)."""
    view = measured_view(dev, graph)
    if definition == "undirected" or not graph.directed:
        corner_of = dev.download(count_triangles(dev, view), np.int64, view.num_vertices)
        degrees = view.degrees
        return corner_of, degrees * (degrees - 1) // 2
    found, mutual = directed_triangles(dev, graph, view, definition)
    degrees = view.degrees
    if definition == "ldbc":
        return found, degrees * (degrees - 1)
    total = degrees + mutual  # arcs in and arcs out
    return found, total * (total - 1) - 2 * mutual


def clustering(
    graph: Any, device: Device | str | None = None, *, definition: Definition = "undirected"
) -> npt.NDArray[np.float64]:
    """Return each vertex's local clustering coefficient: the share of adjacent pairs among its neighbours.

    Other parameters and errors are those of `triangles`.

    Parameters
    ----------
    definition : {"undirected", "ldbc", "networkx"}
        What counts in a directed graph; undirected graphs have the same coefficients by all three.
        "undirected": directions are ignored, a pair is adjacent or not. "ldbc": LDBC Graphalytics' LCC [1]_.
        Neighbours are those in either direction, d in number, and the arcs among them are counted, over
        d (d - 1). "networkx": NetworkX's `clustering` of DiGraphs, which is Fagiolo's [2]_. Directed
        triangles are counted (three pairs of neighbours, for each pair one of the arcs between them),
        over the number that the vertex's arcs allow. Loops and parallel arcs never count.

    Returns
    -------
    float64 array, shape (n,)
        0 for vertices with fewer than two neighbours; the same on every device.

    Raises
    ------
    InputError
        If the definition is another word, or it is no graph.

    References
    ----------
    .. [1] A. Iosup et al., "The LDBC Graphalytics Benchmark", arXiv:2011.15028.
    .. [2] G. Fagiolo, "Clustering in complex directed networks", Physical Review E 76, 026107, 2007.

    Examples
    --------
    >>> from clgraph import Graph, clustering
    >>> clustering(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    array([1.        , 1.        , 0.33333333, 0.        ])
    >>> cycle = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True)
    >>> clustering(cycle, definition="ldbc")
    array([0.5, 0.5, 0.5])
    """
    word(definition, "definition", get_args(Definition))
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        count, pairs = coefficients(run.device, whole, definition)
    return np.divide(count, pairs, out=np.zeros(len(pairs)), where=pairs > 0)


def average_clustering(
    graph: Any, device: Device | str | None = None, *, definition: Definition = "undirected"
) -> float:
    """Return the mean of all vertices' local clustering coefficients.

    Parameters and errors are those of `clustering`; an empty graph has no mean, which is an InputError.

    Examples
    --------
    >>> from clgraph import Graph, average_clustering
    >>> round(average_clustering(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])), 6)
    0.583333
    """
    local = clustering(graph, device, definition=definition)
    if not len(local):
        raise InputError("the graph is empty: it has no mean clustering coefficient")
    return float(local.mean())


def transitivity(graph: Any, device: Device | str | None = None) -> float:
    """Return the transitivity: three times the triangles over the pairs of edges that meet.

    Parameters and errors are those of `triangles`. Without two edges that meet it is 0.

    Examples
    --------
    >>> from clgraph import Graph, transitivity
    >>> transitivity(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    0.6
    """
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        corner_of, pairs = coefficients(run.device, whole, "undirected")
    found = int(corner_of.sum())
    return found / int(pairs.sum()) if found else 0.0
