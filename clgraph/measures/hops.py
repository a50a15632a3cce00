"""The hop plot, P(h) = pairs of vertices within h hops: host half of ``cl/measures/hops.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.measures.spread import work_groups

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.traversal.many import ManySearch

SOURCES = 1024  # searches of a graph that has more vertices
DEEP_SOURCES = 128  # searches are enough for a deep graph: they are done one by one, and it has no large hubs
LANES = 64
LEVELS = 16  # distances that one launch counts
STEP = 0x686F70  # keeps the draw of sources apart from a sampler's draws of the same seed


@dataclass(frozen=True)
class HopPlot:
    """Ordered pairs of vertices within h hops, each vertex with itself counted.

    Attributes
    ----------
    pairs : float64 array
        P(0), P(1), ... up to the longest distance found. P(0) and P(1) are exact always.
    sources : int
        Searches made.
    exact : bool
        Whether from every vertex; else P(2) and on are the mean over the sources times n.
    """

    pairs: npt.NDArray[np.float64]
    sources: int
    exact: bool


def hop_plot(dev: Device, graph: Graph, seed: int = 0, sources: int = SOURCES) -> HopPlot:
    """Search from all vertices; if there are more than `sources`, from a subset chosen by the seed.

    Parameters
    ----------
    dev : Device
    graph : Graph
        Undirected, without loops and parallel edges.
    seed : int
    sources : int
    """
    n = graph.num_vertices
    if n == 0:
        return HopPlot(np.zeros(0), 0, True)
    from clgraph.traversal.many import DEEP, ManySearch

    exact = n <= sources
    chosen = np.arange(n, dtype=np.int32) if exact else draw_sources(n, sources, seed)
    counts, done = np.zeros(1, np.int64), 0
    with ManySearch(dev, graph, LANES, len(chosen)) as search:
        counter = _Counter(search)
        while done < len(chosen):
            batch = chosen[done : done + LANES]
            more = counter.count(batch)
            if len(more) > len(counts):
                counts, more = more, counts
            counts[: len(more)] += more
            done += len(batch)
            # decided by what was found, not by how the device found it: the same sources on every device
            if not exact and len(counts) > DEEP and done >= DEEP_SOURCES:
                break
    pairs = np.cumsum(counts).astype(np.float64)
    if not exact:
        pairs *= n / done
        pairs[:1] = n
        pairs[1:2] = n + graph.num_arcs  # known: no need to estimate it from sources that may miss the hubs
        pairs = np.maximum.accumulate(pairs)
    return HopPlot(pairs, done, exact)


def check_hop_sources(hop_sources: Any) -> None:
    """Validate hop_sources."""
    if isinstance(hop_sources, bool) or not isinstance(hop_sources, int) or hop_sources < 1:
        raise InputError(f"hop_sources is {shown(hop_sources)}: give a count of vertices, 1 or more")


def draw_sources(n: int, count: int, seed: int) -> npt.NDArray[np.int32]:
    """`count` different vertices of n > count, ascending."""
    chosen: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    number = 0
    while len(chosen) < count:
        drawn = keyed.below(keyed.draw(seed, STEP, np.arange(number, number + 2 * count))[0], n)
        number += 2 * count
        together = np.concatenate((chosen, drawn))
        _, first = np.unique(together, return_index=True)
        chosen = together[np.sort(first)][:count]
    return np.sort(chosen).astype(np.int32)


class _Counter:
    """Counts pairs by distance, a batch of searches at a time."""

    def __init__(self, search: ManySearch) -> None:
        self.search = search
        self.kernel = search.dev.program("measures/hops", LANES=LANES, LEVELS=LEVELS).hops_count
        self.local = min(search.dev.tuning.local_size, self.kernel.limit)
        self.size = work_groups(search.dev) * self.local

    def count(self, sources: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Pairs at distance 0, 1, ... from these sources."""
        from clgraph.traversal.search import NO_LIMIT

        search = self.search
        dev, scratch = search.dev, search.scratch
        levels = search.search(sources, NO_LIMIT)
        if levels is None:  # too deep to go on together: one by one
            distance, levels = search.one_by_one(sources, NO_LIMIT, None)
            return np.bincount(distance[distance >= 0], minlength=levels).astype(np.int64)
        padded = -(-levels // LEVELS) * LEVELS
        count = dev.zeros(padded, np.int64)
        for first in range(0, levels, LEVELS):
            part = dev.zeros(LEVELS, np.int64)
            self.kernel.exact(
                self.size,
                np.int32(search.rows),
                np.uint32(scratch.bits),
                np.uint32(first),
                np.uint32(min(LEVELS, levels - first)),
                scratch.seen,
                scratch.planes,
                part,
                local=self.local,
            )
            if levels <= LEVELS:
                count = part
            else:
                dev.write(count, dev.download(part, np.int64, LEVELS), offset=first)
        found = dev.download(count, np.int64, levels)
        found[0] = len(sources)  # also vertices without arcs, which have no row here
        return found
