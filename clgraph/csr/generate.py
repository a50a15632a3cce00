"""Random graphs whose edges are drawn, the same on every machine and device.

`clgraph.graph.models` says which edge each draw of a power law or of R-MAT is; here the draws become a
`Graph`, on the host by NumPy or on a device (``cl/csr/generate.cl``, `clgraph.csr.build`). Devices alone draw
edges that are all different (``cl/csr/generate_distinct.cl``), and growth (``cl/csr/generate_attach.cl``).
"""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from clgraph import keyed
from clgraph.arguments import real, shown, whole, word
from clgraph.errors import InputError
from clgraph.graph import Duplicates, Graph
from clgraph.graph.building import INT32_MAX, sorted_rows
from clgraph.graph.models import GUIDE_BITS, PowerLaw, RMat, exact, number, rank_guide, rank_table, scatter
from clgraph.progress import Tell, with_progress

if TYPE_CHECKING:
    from clgraph.device import Device

CHUNK = 1 << 16  # draws made at a time on the host: their words stay in the cache


@keyed.takes_rng
@with_progress("generating")
def powerlaw_graph(
    num_vertices: int,
    *,
    average_degree: float = 5.0,
    exponent: float = 2.71,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
    report: dict[str, Any] | None = None,
) -> Graph:
    """Generate an undirected graph with power-law degrees (the model of Chung and Lu, 2002).

    ``round(num_vertices * average_degree / 2)`` edges are drawn, both ends independently with a probability
    in proportion to the expected degree ``(i + i0) ** (-1 / (exponent - 1))`` of rank i; i0 is to keep the
    largest one near ``sqrt(num_vertices * average_degree)``, where a simple graph can still have it. Its
    formula neglects i0 in the sum over all ranks, so that the largest one is above that at small exponents:
    with 10**5 vertices and average degree 5 it is 1.91 of it at exponent 2.1, 1.34 at 2.2, 1.16 at 2.3, 1.09
    at 2.4, 0.98 at 2.71, and 0.79 at 3. Loops are dropped and parallel edges merged (1.6 % of those edges at
    2.1, 0.2 % at 2.4, 0.06 % at 2.71), so the average degree comes out slightly lower. Ranks are scattered
    over the vertex numbers. About one vertex in twenty gets no edge at the default settings.

    Parameters
    ----------
    num_vertices : int
    average_degree : float
    exponent : float
        Of the degree distribution P(d) ~ d ** -exponent; above 2.
    seed : int, optional
        None draws one from the operating system.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    device : Device or str, optional
        Where the graph is made (as in `clgraph.get_device`); the arrays stay there for what comes next. None:
        by NumPy on the host. The graph is the same.
    progress : callable or bool, optional
        Called with (edges drawn, edges to draw); True shows a bar.
    report : dict, optional
        Filled with "seed", "device" (name, or "host") and "seconds": by phase "compile" (kernels, where they
        were not built yet), "draw", "rows", and "total".

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    CapacityError
        If the graph does not fit the device.

    Examples
    --------
    >>> from clgraph import powerlaw_graph
    >>> powerlaw_graph(1000, seed=1)
    <Graph: undirected, 1000 vertices, 2471 edges>
    """
    model = PowerLaw(num_vertices, average_degree, exponent, seed)
    return _make(model, "merge", device, progress, report)


@keyed.takes_rng
@with_progress("generating")
def rmat_graph(
    scale: int,
    *,
    edge_factor: float = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    directed: bool = False,
    scramble: bool = True,
    duplicates: Duplicates = "merge",
    device: Device | str | None = None,
    progress: Any = None,
    report: dict[str, Any] | None = None,
) -> Graph:
    """Generate an R-MAT graph (Chakrabarti, Zhan, Faloutsos, 2004), by default with Graph500's parameters.

    ``round(edge_factor * 2**scale)`` edges are drawn: from the highest bit down, each picks one of the four
    quadrants of the adjacency matrix, with the same probabilities at every level (no noise). Loops are
    dropped, parallel edges merged.

    Parameters
    ----------
    scale : int
        Binary logarithm of the number of vertices, 1 to 30.
    edge_factor : float
        Edges to draw per vertex.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant; the rest is the lower right's.
    seed, rng, device, progress, report
        As in `powerlaw_graph`.
    directed : bool
        False (Graph500): an edge has arcs in both directions.
    scramble : bool
        Renumber the vertices by a bijection that the seed decides (as Graph500 does), so that a number says
        nothing about a degree. False keeps R-MAT's own numbers: small ones have many edges.
    duplicates : {"merge", "keep"}
        What becomes of parallel edges; how many were merged is not recorded.

    Returns
    -------
    Graph
        On vertices 0 .. 2**scale - 1, those without edges (a third or more) among them.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    CapacityError
        If the graph does not fit the device.

    Examples
    --------
    >>> from clgraph import rmat_graph
    >>> rmat_graph(10, seed=1)
    <Graph: undirected, 1024 vertices, 10500 edges>
    """
    word(duplicates, "duplicates", get_args(Duplicates))
    model = RMat(scale, edge_factor, (a, b, c), seed, directed, scramble)
    return _make(model, duplicates, device, progress, report)


def device_of(device: Device | str | None) -> Device:
    """Return what `clgraph.get_device` gives; drivers are loaded when the first graph is made."""
    from clgraph.device import get_device

    return get_device(device)


def finish_graph(
    device: Device, n: int, tail: Any, head: Any, count: int, duplicates: Duplicates = "keep"
) -> Graph:
    """Return the undirected graph of edges on a device without their loops; by default they all differ."""
    from clgraph.csr.build import build_rows
    from clgraph.csr.upload import DeviceGraph, graph_of

    rows = build_rows(device, n, tail, head, count, mirror=True, duplicates=duplicates)
    device.finish()
    return graph_of(device, DeviceGraph(rows, directed=False, num_self_loops=0, is_multigraph=False))


class _Laps:
    """Seconds by phase since the first."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._began = self._last = time.perf_counter()

    def end(self, phase: str) -> None:
        """Note the time since the phase before."""
        now = time.perf_counter()
        self.seconds |= {phase: now - self._last, "total": now - self._began}
        self._last = now


def _make(
    model: PowerLaw | RMat,
    duplicates: Duplicates,
    device: Device | str | None,
    progress: Tell | None,
    report: dict[str, Any] | None,
) -> Graph:
    if report is not None and not isinstance(report, dict):
        raise InputError(f"report is {shown(report)}: give a dict, which is filled in")
    if device is None:
        laps, name = _Laps(), "host"
        graph = _make_on_host(model, duplicates, progress, laps)
    else:
        dev = device_of(device)
        with dev.alone():
            laps, name = _Laps(), dev.name
            graph = _make_on_device(model, duplicates, dev, progress, laps)
    if report is not None:
        report.update(seed=model.seed, device=name, seconds=laps.seconds)
    return graph


def _make_on_host(
    model: PowerLaw | RMat, duplicates: Duplicates, progress: Tell | None, laps: _Laps
) -> Graph:
    count = model.count
    ends = np.empty((2, count), dtype=np.int32)
    for begin in range(0, count, CHUNK):
        end = min(begin + CHUNK, count)
        ends[:, begin:end] = model.draw(begin, end)
        if progress:
            progress(end, count)
    laps.end("draw")
    tail, head = ends[:, ends[0] != ends[1]]
    rows = sorted_rows(tail, head, model.num_vertices, directed=model.directed, duplicates=duplicates)
    laps.end("rows")
    # how often the model drew an edge means nothing
    return Graph._from_arrays(replace(rows, multiplicity=None))


def model_args(device: Device, model: PowerLaw | RMat) -> dict[str, Any]:
    """Return a model as arguments of the kernels that draw, without its seed."""
    if isinstance(model, PowerLaw):
        return {"n": model.num_vertices, **_ranks(device, model.stride, model.bounds, model.thresholds)}
    limits = dict(zip("abc", model.thresholds, strict=True))
    keys = device.upload(model.scrambling)
    return {"scale": model.scale, **limits, "scramble": model.scramble, "keys": keys}


def _ranks(device: Device, stride: int, bounds: Any, thresholds: Any) -> dict[str, Any]:
    """Return a table of ranks as arguments of the kernels that draw by rank."""
    guide, thresholds, bounds = map(device.upload, rank_guide(bounds, thresholds))
    return {"stride": stride, "guide": guide, "thresholds": thresholds, "bounds": bounds}


def _make_on_device(
    model: PowerLaw | RMat, duplicates: Duplicates, device: Device, progress: Tell | None, laps: _Laps
) -> Graph:
    from clgraph.csr.build import build_rows, reserve_rows
    from clgraph.csr.upload import DeviceGraph, graph_of

    n, count, mirror = model.num_vertices, model.count, not model.directed
    program = device.program("csr/generate", ITEMS=device.tuning.items, GUIDE_SHIFT=32 - GUIDE_BITS)
    laps.end("compile")
    reserve_rows(device, n, count, mirror=mirror)  # before edges are drawn in vain
    tail, head = device.output(count, np.int32), device.output(count, np.int32)
    draw = program.generate_powerlaw if isinstance(model, PowerLaw) else program.generate_rmat
    passes = -(-count // device.tuning.items)
    draw(passes, count=count, seed=model.seed, **model_args(device, model), tail=tail, head=head)
    device.finish()
    laps.end("draw")
    if progress:
        progress(count, count)
    rows = build_rows(device, n, tail, head, count, mirror=mirror, duplicates=duplicates)
    del tail, head
    device.finish()
    laps.end("rows")
    copies = False if duplicates == "merge" else None
    return graph_of(
        device, DeviceGraph(rows, directed=model.directed, num_self_loops=0, is_multigraph=copies)
    )


# --- Graphs whose edges are all different: host half of ``cl/csr/generate_distinct.cl`` ---


MOST_EDGES = 2**30  # the hash table has twice as many entries, whose numbers fit in 32 bits
ROUNDS = 1000  # each places a share of what is left: more are needed only where there is no room


def table_size(count: int) -> int:
    """Return the size of a hash table of edges: at most half full, so that a search ends after a few."""
    return 1 << max(4, (2 * count - 1).bit_length())


def table_of(device: Device, count: int) -> tuple[Any, int]:
    """Return an empty hash table of edges, and its mask."""
    size = table_size(count)
    table = device.empty(size, np.int32)
    device.fill(table, np.int32(-1), size)
    return table, size - 1


def check_edges(count: int) -> int:
    """Return a number of edges if 32-bit numbers can count them.

    Raises
    ------
    InputError
        If they cannot.
    """
    if count > MOST_EDGES:
        raise InputError(f"{count} edges: at most {MOST_EDGES} can be drawn; give fewer")
    return count


def _draw(device: Device, n: int, count: int, kernel: str, progress: Tell | None, **given: Any) -> Any:
    """Draw edges in rounds until each has its place; return tail, head, table, mask, and `without`."""
    table_bytes = 4 * table_size(count)
    device.reserve({"tails": 4 * count, "heads": 4 * count, "table of edges": table_bytes, "marks": count})
    over, program = -(-count // device.tuning.items), _program(device)
    propose = getattr(program, kernel)
    own = SimpleNamespace(n=n, count=count, placed=device.zeros(count, np.uint8), without=count, **given)
    own.tail, own.head = device.output(count, np.int32), device.output(count, np.int32)
    own.left = device.empty(1, np.int32)
    own.table, own.mask = table_of(device, count)
    for attempt in range(ROUNDS):
        if not own.without:
            break
        propose.launch(own, over, round=attempt)
        program.distinct_enter.launch(own, over)
        device.fill(own.left, np.int32(0), 1)
        program.distinct_place.launch(own, over)
        own.without = int(device.download(own.left, np.int32, 1)[0])
        if progress:
            progress(count - own.without, count)
    if own.without:
        program.distinct_drop.launch(own, over)
    del own.placed  # the rows need the memory
    return own


def _program(device: Device) -> Any:
    return device.program("csr/generate_distinct", ITEMS=device.tuning.items, GUIDE_SHIFT=32 - GUIDE_BITS)


@keyed.takes_rng
@with_progress("generating")
def erdos_renyi_graph(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Generate a uniformly random graph of n vertices and m edges (Erdos and Renyi, 1959).

    Parameters
    ----------
    num_vertices : int
    num_edges : int
        At most ``n (n - 1) / 2``, all pairs.
    seed : int, optional
        None draws one from the operating system.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    device : Device or str, optional
        Where the graph is made (as in `clgraph.get_device`); the arrays stay there for what comes next. The
        graph is the same on every device.
    progress : callable or bool, optional
        Called with (edges placed, edges).

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1, with exactly `num_edges` edges.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import erdos_renyi_graph
    >>> erdos_renyi_graph(1000, 5000, seed=1)
    <Graph: undirected, 1000 vertices, 5000 edges>
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    m = whole(num_edges, "number of edges")
    pairs = n * (n - 1) // 2
    if m > pairs:
        raise InputError(f"{m} edges: {n} vertices have only {pairs} pairs; give at most {pairs} edges")
    check_edges(m)
    seed = keyed.check_seed(seed)
    # drawing more than half of all pairs would meet itself in most rounds
    drawn_edges = min(m, pairs - m)  # of a dense graph those that are missing

    dev = device_of(device)
    with dev.alone():
        drawn = _draw(dev, n, drawn_edges, "distinct_uniform", progress, seed=seed)
        if drawn_edges == m:
            return finish_graph(dev, n, drawn.tail, drawn.head, m)
        dev.reserve({"tails": 4 * pairs, "heads": 4 * pairs})
        tail, head = dev.output(pairs, np.int32), dev.output(pairs, np.int32)
        ends = {"other_tail": tail, "other_head": head}
        _program(dev).distinct_others.launch(drawn, -(-pairs // dev.tuning.items), pairs=pairs, **ends)
        return finish_graph(dev, n, tail, head, pairs)


@keyed.takes_rng
@with_progress("generating")
def watts_strogatz_graph(
    num_vertices: int,
    degree: int,
    probability: float,
    *,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Generate a small world (Watts and Strogatz, 1998): a ring lattice with edges rewired at random.

    Each vertex is joined to the ``degree / 2`` next ones in both directions. Then each edge keeps its first
    end and with `probability` gets another second one, uniform among the vertices with which no loop and no
    parallel edge arises: next to the edges that stay, and to those rewired before; one that meets another
    draws again after all others have drawn. (The original rewires one after the other, so that edges which
    will be rewired later are in the way as well.) An edge whose first
    end has all the others as neighbours is left out.

    Parameters
    ----------
    num_vertices : int
    degree : int
        Even, below the number of vertices.
    probability : float
        From 0 to 1.
    seed, rng, device, progress
        As in `erdos_renyi_graph`.

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1, with ``num_vertices * degree / 2`` edges.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import watts_strogatz_graph
    >>> watts_strogatz_graph(1000, 6, 0.1, seed=1)
    <Graph: undirected, 1000 vertices, 3000 edges>
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    degree = whole(degree, "degree", 0, INT32_MAX)
    if degree % 2:
        raise InputError(f"degree {degree}: half of the neighbours are on each side; give an even number")
    if degree >= n:
        raise InputError(f"degree {degree}: {n} vertices allow at most {(n - 1) // 2 * 2}; give less")
    rewired = int(exact(number(probability, "probability", 0, 1)) * 2**32)
    seed = keyed.check_seed(seed)
    m = check_edges(n * degree // 2)
    dev = device_of(device)
    with dev.alone():
        ring = {"half_degree": degree // 2, "rewired": rewired}
        drawn = _draw(dev, n, m, "distinct_ring", progress, seed=seed, **ring)
        return finish_graph(dev, n, drawn.tail, drawn.head, m)


@keyed.takes_rng
@with_progress("generating")
def static_model_graph(
    num_vertices: int,
    *,
    average_degree: float = 5.0,
    alpha: float = 0.5,
    shift: float = 0.0,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Generate a static model (Goh, Kahng, Kim, 2001): ends of edges are drawn in proportion to weights.

    Vertex i of 1 .. n has the weight ``(i + shift) ** -alpha``, and edges that are loops or stand there
    already are drawn again until there are ``round(n * average_degree / 2)``. Degrees follow a power law with
    the exponent ``1 + 1 / alpha``, which `shift` cuts off at large ones. Vertices are scattered over the
    numbers. From the 257th on, weights are those of classes that are 3 % wide.

    Parameters
    ----------
    num_vertices : int
    average_degree : float
        Of all vertices, those without edges among them.
    alpha : float
        From 0 (all equal) to 2; below 1 in the original.
    shift : float
        0 in the original.
    seed, rng, device, progress
        As in `erdos_renyi_graph`.

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1.

    Raises
    ------
    InputError
        If a parameter is out of its range, or so many different edges are not found.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import static_model_graph
    >>> static_model_graph(1000, average_degree=4, alpha=0.5, seed=1)
    <Graph: undirected, 1000 vertices, 2000 edges>
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    average_degree = real(average_degree, "average degree")
    if not 0 <= average_degree <= n - 1:
        raise InputError(f"average degree {average_degree}: {n} vertices allow 0 to {n - 1}")
    alpha = number(alpha, "alpha", 0, 2, " (below 1 in the original model)")
    shift = number(shift, "shift", 0, 2**31)
    m = check_edges(round(n * average_degree / 2))
    seed = keyed.check_seed(seed)
    table = rank_table(n, exact(alpha), exact(shift) + 1)
    dev = device_of(device)
    with dev.alone():
        drawn = _draw(dev, n, m, "distinct_ranked", progress, seed=seed, **_ranks(dev, scatter(n), *table))
        if drawn.without:
            raise InputError(
                f"average degree {average_degree}: in {ROUNDS} rounds only {m - drawn.without} of {m} edges "
                "differed from all others; give a smaller average degree, a smaller alpha or a larger shift"
            )
        return finish_graph(dev, n, drawn.tail, drawn.head, m)


# --- Graphs that grow by preferential attachment: host half of ``cl/csr/generate_attach.cl`` ---


@keyed.takes_rng
@with_progress("generating")
def barabasi_albert_graph(
    num_vertices: int,
    edges_each: int,
    *,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Generate a graph by preferential attachment: new vertices prefer high degrees (Barabasi, Albert, 1999).

    The first ``k + 1`` vertices are all joined to each other, k being `edges_each`. Each further one is
    joined to k different vertices of those before it, in proportion to their degrees: to what stands at
    random places in the list of all edges' ends. A place that leads to the same vertex again is drawn again,
    but counts in that list, which is what lets all vertices be worked on at once (Sanders and Schulz, 2016).

    Parameters
    ----------
    num_vertices : int
        At least ``edges_each + 1``.
    edges_each : int
        At least 1. The time for a vertex grows with its square.
    seed, rng, device, progress
        As in `clgraph.erdos_renyi_graph`.

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1, connected, with ``k (k + 1) / 2 + (num_vertices - k - 1) k`` edges.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import barabasi_albert_graph
    >>> barabasi_albert_graph(1000, 3, seed=1)
    <Graph: undirected, 1000 vertices, 2994 edges>
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    k = whole(edges_each, "number of edges of each new vertex", 1, INT32_MAX)
    if n <= k:
        raise InputError(
            f"{n} vertices: a vertex with {k} edges needs {k} others; give at least {k + 1} vertices"
        )
    count = check_edges(k * (k + 1) // 2 + (n - k - 1) * k)
    seed = keyed.check_seed(seed)
    dev = device_of(device)
    with dev.alone():
        dev.reserve({"tails": 4 * count, "heads": 4 * count})
        tail, head = dev.output(count, np.int32), dev.output(count, np.int32)
        items = dev.tuning.items
        program = dev.program("csr/generate_attach", ITEMS=items)
        program.attach_edges(-(-n // items), n=n, seed=seed, k=k, tail=tail, head=head)
        made = finish_graph(dev, n, tail, head, count)
        if progress:
            progress(count, count)
        return made
