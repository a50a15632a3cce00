"""Betweenness centrality, many sources at once: host half of ``cl/centrality/betweenness.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import flag, whole
from clgraph.centrality.distances import chosen_of, refuse_weights
from clgraph.centrality.eigen import Floats
from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError, InputError
from clgraph.graph import Graph, as_graph, build_csr
from clgraph.progress import Tell, with_progress
from clgraph.run import need_doubles, run_on
from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch_config import DeviceLimits
    from clgraph.traversal.many import ManySearch

# searches side by side, at most: a vertex takes 17 bytes for each (number of paths, share, distance), so that
# twice as many would fill a device with half as large a graph
LANES = 32


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    split : bool
        Every lane of a vertex has a work-item of its own; else one has all.
    entries : int
        Vertices of a level that they take.
    arcs : int
        Arcs of a work-item, where sums are those of arcs.
    long_row : int or None
        A row with more arcs is summed up by a work-group; None: by a work-item, like any other.
    """

    split: bool
    entries: int
    arcs: int
    long_row: int | None

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: a work-group sums up one lane with each of its first work-items."""
        return replace(self, long_row=None) if device.max_work_group < LANES else self


# one work-item of a GPU alone on a hub's row would hold up its level
LAUNCH = LaunchTable(
    gpu=LaunchConfig(split=True, entries=1, arcs=1, long_row=32),
    cpu=LaunchConfig(split=False, entries=16, arcs=1024, long_row=None),
    simulator=LaunchConfig(split=True, entries=2, arcs=3, long_row=6),
)
CLASSES = 3  # lists of a level where rows differ: cl/centrality/betweenness.cl
WAYS, MOST_WAYS = 8, 64  # partial sums of a long row, and of a very long one: cl/centrality/betweenness.cl
GROUP = 256  # work-items on a very long row, at most
SMALL_GROUP = 64  # work-items of a group that has several long rows


class Brandes:
    """Sums of dependencies, a batch of sources at a time.

    Parameters
    ----------
    search : ManySearch
        Of a graph without parallel arcs.
    lanes : int
        Sources of a batch: a power of two, at most `LANES`.
    endpoints : bool
        The ends of a path count as on it.
    by_arc : bool
        The sums are those of arcs, not of vertices.
    """

    paths: Any
    share: Any
    total: Any
    room: dict[str, tuple[int, Any]]

    def __init__(self, search: ManySearch, lanes: int, endpoints: bool, by_arc: bool = False) -> None:
        from clgraph.csr.upload import upload_csr

        self.search, self.endpoints, self.by_arc = search, endpoints, by_arc
        self.dev, self.n = dev, n = search.dev, search.n
        if LANES * n >= 2**31:
            raise CapacityError(f"{dev}: betweenness takes graphs below {2**31 // LANES} vertices, not {n}")
        self.lanes = lanes
        self.leaving = upload_csr(dev, search.graph)
        self.arriving = upload_csr(dev, search.graph.reverse) if search.graph.directed else self.leaving
        self.config = LAUNCH.of(dev)
        self.split = lanes if self.config.split else 1
        sums = self.leaving.arcs if by_arc else n
        self._areas: Pool[dict[str, Any]] = dev.cached(search.graph, ("betweenness", lanes, by_arc), Pool)

        def make() -> dict[str, Any]:
            dev.reserve(
                {"paths": 8 * lanes * n, "shares": 8 * lanes * n, "distances": lanes * n, "sums": 8 * sums}
            )
            paths, share, total = (dev.empty(size, np.float64) for size in (lanes * n, lanes * n, sums))
            return {"paths": paths, "share": share, "total": total, "room": {}}

        self._area = self._areas.borrow(make)  # allocating takes as long as some levels
        vars(self).update(self._area)
        dev.fill(self.total, np.float64(0), sums)

    def add(self, sources: npt.NDArray[np.int32]) -> None:
        """Add what a batch of sources contributes."""
        from clgraph.traversal.results import DISTANCE_TYPES, NO_LIMIT, distance_type

        search, dev, n, self.count = self.search, self.dev, self.n, len(sources)
        levels = search.search(sources, NO_LIMIT, deep=NO_LIMIT)
        assert levels is not None
        kind, config, items = distance_type(levels, None), self.config, dev.tuning.items
        self.program = program = dev.program(
            "centrality/betweenness",
            LANES=self.lanes,
            DIST=DISTANCE_TYPES[kind],
            SPLIT=self.split,
            ENTRIES=config.entries,
            RUN=config.arcs,
            LONG_ROW=config.long_row,
            ITEMS=items,
            **self.leaving.defines,
        )
        passes = -(-n // items)
        self.distance = self._buffer("distances", self.lanes * n, kind)
        self.source = dev.upload(sources)
        begin = program.betweenness_begin
        searched = begin.arguments_of(search) | begin.arguments_of(search.scratch)
        rank = None if search.renumbered is None else search.renumbered.positions
        begin.launch(self, passes, **(searched | {"n": n, "rank": rank}))
        program.betweenness_sources.launch(self, self.count)
        bounds = self._list_levels(program, passes, levels)

        def level_of(name: str, level: int, csr: Any) -> None:
            *starts, others, end = bounds[level].tolist()
            for ways, begin, rows in zip((MOST_WAYS, WAYS), starts, np.diff([*starts, others]), strict=False):
                if rows:
                    long = getattr(program, f"{name}_long")
                    shift = min(ways * self.lanes, GROUP, long.limit).bit_length() - 1
                    per_row = 1 << shift
                    local = per_row if per_row < ways * self.lanes else max(per_row, SMALL_GROUP)
                    given = {"begin": begin, "rows": rows, "shift": shift, "max_ways": ways}
                    groups = -(-int(rows) * per_row // local)
                    long.launch(self, groups * local, local=local, level=level, **given, **csr.buffers)
            if end > others:
                size = -(-(end - others) // config.entries) * self.split
                kernel = getattr(program, name)
                kernel.launch(self, size, begin=others, end=end, level=level, **csr.buffers)

        for level in range(1, levels):
            level_of("betweenness_forward", level, self.arriving)
        # from the farthest level back: a vertex needs the shares of all behind it
        for level in range(levels - 1, 0, -1):
            level_of("betweenness_back", level, self.leaving)
        if self.by_arc:
            arcs = self.leaving.arcs
            program.betweenness_arcs.launch(self, -(-arcs // config.arcs), arcs=arcs, **self.leaving.buffers)
            return
        self.reached = dev.zeros(self.lanes, np.int32)
        program.betweenness_add.launch(self, passes)
        if self.endpoints:
            program.betweenness_ends.launch(self, 1)

    def scale(self, sources: npt.NDArray[np.int32], own: float, all_: float) -> None:
        """Multiply the sums of sources by a factor, and then those of all vertices by another."""
        for factor, count, vertices in ((own, len(sources), self.dev.upload(sources)), (all_, self.n, None)):
            if factor != 1:
                passes = -(-count // self.dev.tuning.items)
                self.program.betweenness_scale.launch(self, passes, count=count, factor=factor, list=vertices)

    def take(self, found: Floats) -> None:
        """Download the sums, and give the buffers back for the next call."""
        self.dev.fetch(self.total, found)
        self._areas.give_back(self._area)

    def _list_levels(self, program: Any, passes: int, levels: int) -> npt.NDArray[np.int64]:
        """List the vertices that some search has at each level.

        Returns where each level's list begins, its parts (see the kernel file), and where it ends.
        """
        dev, classes = self.dev, CLASSES if self.config.long_row else 1
        lists = classes * levels
        place = dev.zeros(lists, np.int32)
        rows = {"row_ptr": self.leaving.row_ptr, "back_ptr": self.arriving.row_ptr, "lists": lists}
        program.betweenness_lists.launch(self, passes, place=place, list=None, **rows)  # counts
        bounds = np.concatenate(([0], np.cumsum(dev.download(place, np.int32, lists))))
        dev.write(place, bounds[:-1].astype(np.int32))
        self.list = self._buffer("lists", int(bounds[-1]), np.dtype(np.int32))
        program.betweenness_lists.launch(self, passes, place=place, **rows)
        return np.column_stack((bounds[:-1].reshape(levels, classes), bounds[classes::classes]))

    def _buffer(self, name: str, count: int, kind: np.dtype[Any]) -> Any:
        """Return a buffer that later batches reuse, unless they need a larger one."""
        nbytes = count * kind.itemsize
        if name not in self.room or self.room[name][0] < nbytes:
            self.dev.reserve({name: nbytes})
            self.room[name] = nbytes, self.dev.empty(nbytes, np.uint8)
        return self.room[name][1]


def dependencies(
    dev: Device,
    graph: Graph,
    sources: npt.NDArray[np.int32],
    *,
    endpoints: bool = False,
    by_arc: bool = False,
    scale: tuple[float, float] = (1, 1),
    progress: Tell | None = None,
) -> Floats:
    """For each vertex the sum over sources and targets of the share of shortest paths that pass it.

    With `by_arc` for each arc instead; of parallel arcs for all of them together, in the order of the rows.
    Sources' sums are multiplied by the first factor of `scale`, then all by the second.
    """
    from clgraph.device.memory import LARGE, on_large_pages
    from clgraph.traversal.many import ManySearch

    # parallel arcs would count as paths of their own
    if graph.is_multigraph:
        graph = build_csr(graph.tails, graph.col_idx, graph.num_vertices, directed=True, duplicates="merge")
    count = graph.num_arcs if by_arc else graph.num_vertices
    if not len(sources) or not count:
        return np.zeros(count)
    lanes = 1 << (min(len(sources), LANES) - 1).bit_length()
    found = on_large_pages(count, np.dtype(np.float64))
    # a copy to new pages takes twice as long: a thread makes them while the device searches
    with thread_pool(1, "clgraph-pages") as pool, ManySearch(dev, graph, LANES, len(sources)) as search:
        if found.nbytes >= LARGE:
            pool.submit(found.fill, 0)
        brandes = Brandes(search, lanes, endpoints, by_arc)
        for first in range(0, len(sources), LANES):
            brandes.add(sources[first : first + LANES])
            if progress:
                dev.finish()
                progress(min(first + LANES, len(sources)), len(sources))
        brandes.scale(sources, *scale)
        pool.shutdown()
        brandes.take(found)
    return found


@keyed.takes_rng
@with_progress("betweenness")
def betweenness_centrality(
    graph: Any,
    *,
    k: int | None = None,
    sources: Any = None,
    normalized: bool = True,
    endpoints: bool = False,
    weights: bool = False,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Sum over all pairs of other vertices the share of their shortest paths that each vertex lies on [1]_.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Weights, loops and parallel edges play no part.
    k : int, optional
        Count the paths from this many vertices only, drawn by the seed, and scale up [2]_; by default all.
    sources : list of ids, optional
        The same, from these vertices.
    normalized : bool
        Whether the sums are divided by the number of pairs. Else they are sums over pairs (of an undirected
        graph: each pair once), scaled up to all pairs if only some sources count.
    endpoints : bool
        A path's ends count as on it.
    weights : False
        Paths are those of the fewest arcs; True is refused (`clgraph.shortest_paths` has paths by weight).
    seed : int
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    device : Device or str, optional
        As in `clgraph.get_device`; one with float64.
    progress : callable or True, optional
        Called with (done, of): sources. True shows a bar.

    Returns
    -------
    float64 array, shape (n,)
        As NetworkX 3.6 defines and scales it. Sums are made in a fixed order: the same bytes at each run on a
        device.

    Raises
    ------
    InputError
        If it is no graph, an id is not in it, or an argument is not as above.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64, or the graph does not fit on it (it takes up to 550
        bytes per vertex in addition to the graph).

    References
    ----------
    .. [1] U. Brandes, "A Faster Algorithm for Betweenness Centrality", J. Mathematical Sociology 25(2), 2001.
    .. [2] U. Brandes, C. Pich, "Centrality Estimation in Large Networks", Int. J. Bifurcation and Chaos
       17(7), 2007.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.betweenness_centrality(clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])).round(6)
    array([0.      , 0.666667, 0.666667, 0.      ])
    """
    whole_graph = as_graph(graph)
    n = whole_graph.num_vertices
    normalized, endpoints = flag(normalized, "normalized"), flag(endpoints, "endpoints")
    refuse_weights(weights, "betweenness")
    seed = keyed.check_seed(seed)
    chosen = _chosen(whole_graph, k, sources, seed)
    run = run_on(device)
    with run.lock, run:
        need_doubles(run.device, "betweenness centrality")
        if n == 0:
            return np.zeros(0)
        scale = scales(
            n, len(chosen), normalized=normalized, endpoints=endpoints, directed=whole_graph.directed
        )
        return dependencies(
            run.device, whole_graph, chosen, endpoints=endpoints, scale=scale, progress=progress
        )


@keyed.takes_rng
@with_progress("edge betweenness")
def edge_betweenness_centrality(
    graph: Any,
    *,
    k: int | None = None,
    sources: Any = None,
    normalized: bool = True,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Sum over all pairs of vertices the share of their shortest paths that each edge lies on [1]_.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Weights play no part. Of parallel edges that were kept each has an equal part of the paths between its
        ends; those that were merged are one edge. Loops have 0.
    k : int, optional
        Count the paths from this many vertices only, drawn by the seed, and scale up; by default all.
    sources : list of ids, optional
        The same, from these vertices.
    normalized : bool
        Whether the sums are divided by the number of pairs. Else they are sums over pairs (of an undirected
        graph: each pair once), scaled up to all pairs if only some sources count.
    seed : int
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Gives the seed instead.
    device : Device or str, optional
        As in `clgraph.get_device`; one with float64.
    progress : callable or True, optional
        Called with (done, of): sources. True shows a bar.

    Returns
    -------
    float64 array, shape (num_edges,)
        In the order of `Graph.to_edges`, as NetworkX 3.6 defines and scales it. Sums are made in a fixed
        order: the same bytes at each run on a device.

    Raises
    ------
    InputError
        If it is no graph, an id is not in it, or an argument is not as above.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64, or the graph does not fit on it (it takes up to 550
        bytes per vertex and 8 per arc in addition to the graph).

    References
    ----------
    .. [1] U. Brandes, "On Variants of Shortest-Path Betweenness Centrality and their Generic Computation",
       Social Networks 30(2), 2008.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.edge_betweenness_centrality(clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])).round(6)
    array([0.5     , 0.666667, 0.5     ])
    """
    whole_graph = as_graph(graph)
    n = whole_graph.num_vertices
    normalized, seed = flag(normalized, "normalized"), keyed.check_seed(seed)
    chosen = _chosen(whole_graph, k, sources, seed)
    run = run_on(device)
    with run.lock, run:
        need_doubles(run.device, "edge betweenness centrality")
        if whole_graph.num_arcs == 0:
            return np.zeros(0)
        total = dependencies(run.device, whole_graph, chosen, by_arc=True, progress=progress)
    found = of_edges(whole_graph, total)
    if n < 2:
        return found
    if normalized:
        return found / (len(chosen) * (n - 1))
    return found * (n / (len(chosen) * (1 if whole_graph.directed else 2)))


def of_edges(graph: Graph, total: Floats) -> Floats:
    """Return the sums of a graph's edges, in the order of `Graph.to_edges`, from those of its arcs.

    Parameters
    ----------
    graph : Graph
        Rows need not ascend.
    total : float64 array
        One entry for each pair of vertices that an arc leads from and to, in the order of the arcs.
    """
    tail, head = graph.tails, graph.col_idx
    if graph.is_multigraph:
        # rows ascend, so that copies are side by side
        first = np.append(True, (tail[1:] != tail[:-1]) | (head[1:] != head[:-1]))
        pair = np.cumsum(first) - 1
        total = (total / np.bincount(pair))[pair]
    if graph.directed:
        return total
    # arcs by tail and head, and by head and tail: an arc and its twin are at the same place
    twin = np.empty(len(tail), np.int64)
    twin[np.lexsort((head, tail))] = np.lexsort((tail, head))
    return (total + total[twin])[tail <= head]


def _chosen(graph: Graph, k: Any, sources: Any, seed: int) -> npt.NDArray[np.int32]:
    """Return the vertices to search from, each once, ascending."""
    from clgraph.measures.hops import draw_sources

    n = graph.num_vertices
    if sources is not None:
        if k is not None:
            raise InputError("pass either k or sources, not both")
        return np.unique(chosen_of(graph, sources, "sources"))
    if k is None or whole(k, "k", 1, max(n, 1)) == n:
        return np.arange(n, dtype=np.int32)
    return draw_sources(n, int(k), seed)


def scales(n: int, count: int, *, normalized: bool, endpoints: bool, directed: bool) -> tuple[float, float]:
    """Return the factor of the sums of `count` sources, and then that of all sums.

    A source is no target of its own paths: where only some vertices are sources, these have one source less
    than the others.
    """
    others = n if endpoints else n - 1  # that may be the other end of a path
    if others < 2:
        return 1, 1
    every = count == n
    own: float = 1
    if not every and not endpoints:
        own = count / (count - 1) if count > 1 else np.nan  # of the only source nothing is known
    per_source = 1 / (others if every else count)
    return own, per_source / (others - 1) if normalized else per_source * others / (1 if directed else 2)
