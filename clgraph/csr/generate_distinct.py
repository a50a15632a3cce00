"""Random graphs whose edges are all different: host half of ``cl/csr/generate_distinct.cl``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import hints, real, whole
from clgraph.csr.generate import finish_graph, on_device
from clgraph.errors import InputError
from clgraph.graph.models import GUIDE_BITS, exact, rank_guide, rank_table, scatter
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


MOST_VERTICES = 2**31 - 1
MOST_EDGES = 2**30  # the hash table has twice as many entries, whose numbers fit in 32 bits
ROUNDS = 1000  # each places a share of what is left: more are needed only where there is no room


def table_size(count: int) -> int:
    """Entries of a hash table of edges: of at most half of them in use, a search ends after a few."""
    return 1 << max(4, (2 * count - 1).bit_length())


def table_of(device: Device, count: int) -> tuple[Any, int]:
    """An empty hash table of edges, and its mask."""
    size = table_size(count)
    table = device.empty(size, np.int32)
    device.fill(table, np.int32(-1), size)
    return table, size - 1


def check_edges(count: int) -> int:
    """A number of edges that 32-bit numbers can name.

    Raises
    ------
    InputError
        If they cannot.
    """
    if count > MOST_EDGES:
        raise InputError(f"{count} edges: at most {MOST_EDGES} can be drawn; give fewer")
    return count


def share(value: float, name: str) -> float:
    """A number from 0 to 1."""
    value = real(value, name)
    if not 0 <= value <= 1:
        raise InputError(f"{name} {value}: give a number from 0 to 1")
    return value


def _draw(device: Device, n: int, count: int, kernel: str, progress: Tell | None, **given: Any) -> Any:
    """Draw edges in rounds until each has its place; returns tail, head, table, mask, and `without`."""
    table_bytes = 4 * table_size(count)
    device.reserve({"tails": 4 * count, "heads": 4 * count, "table of edges": table_bytes, "marks": count})
    over, program = -(-count // device.tuning.items), _program(device)
    propose = getattr(program, kernel)
    own = SimpleNamespace(n=n, count=count, placed=device.zeros(count, np.uint8), without=count, **given)
    own.tail, own.head = device.output(count, np.int32), device.output(count, np.int32)
    own.left = device.empty(1, np.int32)
    own.table, own.mask = table_of(device, count)
    for number in range(ROUNDS):
        if not own.without:
            break
        propose.launch(own, over, round=number)
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


@hints
def erdos_renyi_graph(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """One of the graphs of n vertices and m edges, all equally likely (Erdos and Renyi, 1959).

    Parameters
    ----------
    num_vertices : int
    num_edges : int
        At most ``n (n - 1) / 2``, all pairs.
    seed : int, optional
        None draws one from the operating system.
    device : Device or str, optional
        Where the graph is made (as in `clgraph.get_device`); the arrays stay there for what comes next. The
        graph is the same on every device.
    progress : callable, optional
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    m = whole(num_edges, "number of edges")
    pairs = n * (n - 1) // 2
    if m > pairs:
        raise InputError(f"{m} edges: {n} vertices have only {pairs} pairs; give at most {pairs} edges")
    check_edges(m)
    seed = keyed.check_seed(seed)
    # drawing more than half of all pairs would meet itself in most rounds
    drawn_edges = min(m, pairs - m)  # of a dense graph those that are missing

    def make(dev: Device) -> Graph:
        drawn = _draw(dev, n, drawn_edges, "distinct_uniform", progress, seed=seed)
        if drawn_edges == m:
            return finish_graph(dev, n, drawn.tail, drawn.head, m)
        dev.reserve({"tails": 4 * pairs, "heads": 4 * pairs})
        tail, head = dev.output(pairs, np.int32), dev.output(pairs, np.int32)
        ends = {"other_tail": tail, "other_head": head}
        _program(dev).distinct_others.launch(drawn, -(-pairs // dev.tuning.items), pairs=pairs, **ends)
        return finish_graph(dev, n, tail, head, pairs)

    return on_device(device, make)


@hints
def watts_strogatz_graph(
    num_vertices: int,
    degree: int,
    probability: float,
    *,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """A small world (Watts and Strogatz, 1998): a ring whose edges lead elsewhere with some probability.

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
    seed, device, progress
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    degree = whole(degree, "degree", 0, MOST_VERTICES)
    if degree % 2:
        raise InputError(f"degree {degree}: half of the neighbours are on each side; give an even number")
    if degree >= n:
        raise InputError(f"degree {degree}: {n} vertices allow at most {(n - 1) // 2 * 2}; give less")
    probability = share(probability, "probability")
    rewired = int(exact(probability) * 2**32)
    seed = keyed.check_seed(seed)
    m = check_edges(n * degree // 2)

    def make(dev: Device) -> Graph:
        ring = {"half_degree": degree // 2, "rewired": rewired}
        drawn = _draw(dev, n, m, "distinct_ring", progress, seed=seed, **ring)
        return finish_graph(dev, n, drawn.tail, drawn.head, m)

    return on_device(device, make)


@hints
def static_model_graph(
    num_vertices: int,
    *,
    average_degree: float = 5.0,
    alpha: float = 0.5,
    shift: float = 0.0,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """The static model (Goh, Kahng and Kim, 2001): both ends of an edge in proportion to weights.

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
    seed, device, progress
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    average_degree = real(average_degree, "average degree")
    if not 0 <= average_degree <= n - 1:
        raise InputError(f"average degree {average_degree}: {n} vertices allow 0 to {n - 1}")
    alpha, shift = real(alpha, "alpha"), real(shift, "shift")
    if not 0 <= alpha <= 2:
        raise InputError(f"alpha {alpha}: give a number from 0 to 2 (below 1 in the original model)")
    if not 0 <= shift <= 2**31:
        raise InputError(f"shift {shift}: give a number from 0 to {2**31}")
    m = check_edges(round(n * average_degree / 2))
    seed = keyed.check_seed(seed)
    tables = rank_guide(*rank_table(n, exact(alpha), exact(shift) + 1))

    def make(dev: Device) -> Graph:
        guide, thresholds, bounds = map(dev.upload, tables)
        by_rank = {"stride": scatter(n), "guide": guide, "thresholds": thresholds, "bounds": bounds}
        drawn = _draw(dev, n, m, "distinct_ranked", progress, seed=seed, **by_rank)
        if drawn.without:
            raise InputError(
                f"average degree {average_degree}: in {ROUNDS} rounds only {m - drawn.without} of {m} edges "
                "differed from all others; give a smaller average degree, a smaller alpha or a larger shift"
            )
        return finish_graph(dev, n, drawn.tail, drawn.head, m)

    return on_device(device, make)


# --- Graphs that grow by preferential attachment: host half of ``cl/csr/generate_attach.cl`` ---


@hints
def barabasi_albert_graph(
    num_vertices: int,
    edges_each: int,
    *,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """A graph that grows (Barabasi and Albert, 1999): new vertices prefer those that have many edges.

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
    seed, device, progress
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    k = whole(edges_each, "number of edges of each new vertex", 1, MOST_VERTICES)
    if n <= k:
        raise InputError(
            f"{n} vertices: a vertex with {k} edges needs {k} others; give at least {k + 1} vertices"
        )
    count = check_edges(k * (k + 1) // 2 + (n - k - 1) * k)
    seed = keyed.check_seed(seed)

    def make(dev: Device) -> Graph:
        dev.reserve({"tails": 4 * count, "heads": 4 * count})
        tail, head = dev.output(count, np.int32), dev.output(count, np.int32)
        items = dev.tuning.items
        program = dev.program("csr/generate_attach", ITEMS=items)
        program.attach_edges(-(-n // items), n=n, seed=seed, k=k, tail=tail, head=head)
        made = finish_graph(dev, n, tail, head, count)
        if progress:
            progress(count, count)
        return made

    return on_device(device, make)
