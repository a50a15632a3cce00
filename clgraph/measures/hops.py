"""The hop plot, P(h) = pairs of vertices within h hops: host half of ``cl/measures/hops*.cl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.device.launch_config import LaunchTable
from clgraph.measures.pack import Pack, spread
from clgraph.traversal.results import NO_LIMIT

if TYPE_CHECKING:
    from clgraph.traversal.many import ManySearch

# searches in a graph with more vertices than this
SOURCES = 1024
# enough for a deep graph: its searches run one by one, and it has no large hubs
DEEP_SOURCES = 128
# searches in a batch: one bit of a word each
LANES = 64
# distances counted by one launch: each work-item has a private sum for each
LEVELS = 16
# words of 64 searches that a work-item makes at once in a graph, at most; 0: work-items share all graphs
LAUNCH = LaunchTable(gpu=0, cpu=8, simulator=1, fpga=0)
# what it keeps of them for each vertex
WORDS = ("seen", "bits", "more")
# distances in such a graph; deeper ones are searched together
DEEPEST = 256
# keeps the draw of sources apart from a sampler's draws of the same seed
STEP = 0x686F70


@dataclass(frozen=True)
class HopPlot:
    """Ordered pairs of vertices within h hops, each vertex with itself counted.

    Attributes
    ----------
    pairs : float64 array
        P(0), P(1), ... up to the longest distance found. P(0) and P(1) are always exact.
    sources : int
        Searches made.
    exact : bool
        Whether every vertex was searched from; otherwise P(2) and up are n times the mean over the sources.
    without : float64 array, shape (batches, len(pairs))
        Unless it is exact: `pairs` from all but one of the batches of sources, for each batch.
    """

    pairs: npt.NDArray[np.float64]
    sources: int
    exact: bool
    without: npt.NDArray[np.float64]


def hop_plots(pack: Pack, seed: int = 0, sources: int = SOURCES) -> list[HopPlot]:
    """Search each graph from all vertices; if it has more than `sources`, from a subset chosen by the seed.

    Searches of several graphs share the lanes of a batch, or each graph has a core to itself.
    """
    from clgraph.traversal.many import ManySearch

    sizes, arcs = np.diff(pack.begin).tolist(), np.diff(pack.arc_begin).tolist()
    of_size = {
        n: np.arange(n, dtype=np.int32) if n <= sources else draw_sources(n, sources, seed)
        for n in set(sizes)
    }
    chosen = [of_size[n] for n in sizes]
    apart = pack.count == 1 or pack.count > pack.device.compute_units
    if apart and (found := _graph_by_graph(pack, chosen)) is not None:
        by_batch = found.swapaxes(0, 1)
        counted = _sum_up(sizes, sources, chosen, lambda number, _: by_batch[number])
    else:
        # renumbering would lose the lanes of several graphs: passing 0 searches prevents it
        searches = len(chosen[0]) if pack.count == 1 else 0
        with ManySearch(pack.device, pack.graph, LANES, searches) as search:
            counted = _sum_up(sizes, sources, chosen, lambda _, batch: _count(search, pack, batch))
    return [_plot(*each, n, m, exact=n <= sources) for each, n, m in zip(counted, sizes, arcs, strict=True)]


Batch = list[npt.NDArray[np.int32]]
Ints = npt.NDArray[np.int64]


def _sum_up(
    sizes: list[int], sources: int, chosen: Batch, count: Callable[[int, Batch], npt.NDArray[np.int64]]
) -> list[tuple[list[Ints], list[int]]]:
    """Collect the pairs that batches of searches found: each graph's by distance, and searches, by batch.

    Parameters
    ----------
    sizes : list of int
        Vertices of each graph.
    sources : int
        Most searches in a graph.
    chosen : list of int32 array
        Where those in each graph start.
    count : callable
        Returns a batch's pairs at distance 0, 1, ..., by its number and sources: an array, one row per graph.
    """
    from clgraph.traversal.many import DEEP

    counts: list[list[Ints]] = [[] for _ in sizes]
    searches: list[list[int]] = [[] for _ in sizes]
    done, number = [0] * len(sizes), 0
    while any(map(len, batch := [each[at : at + LANES] for each, at in zip(chosen, done, strict=True)])):
        more = count(number, batch)
        number += 1
        for i, part in enumerate(batch):
            if not len(part):
                continue
            counts[i].append(more[i, : int(np.flatnonzero(more[i])[-1]) + 1])
            searches[i].append(len(part))
            done[i] += len(part)
            # decided by what was found, not by how the device found it: the same sources on every device
            if sizes[i] > sources and max(map(len, counts[i])) > DEEP and done[i] >= DEEP_SOURCES:
                chosen[i] = chosen[i][: done[i]]
    return list(zip(counts, searches, strict=True))


def _graph_by_graph(pack: Pack, chosen: Batch) -> npt.NDArray[np.int64] | None:
    """Count pairs at distance 0, 1, ... from each LANES sources of each graph, a work-item a graph.

    Of a graph that is alone each core takes some of the sources. Returns an int64 array (graphs, batches,
    distances); None where the device is better off with all searches together, or distances are too long.
    """
    from clgraph.traversal.many import DEEP, MEMORY_SHARE

    dev, csr, words, deepest = pack.device, pack.csr, LAUNCH.of(pack.device), DEEPEST
    alone = csr.n if pack.count == 1 else 0
    if alone and words:
        batches, cores = -(-len(chosen[0]) // LANES), dev.compute_units

        def fits(each: int) -> bool:
            """True if none of the cores is without sources, and each has memory of its own."""
            room = min(dev.max_buffer // (8 * each), dev.global_memory // (MEMORY_SHARE * (24 * each + 8)))
            return batches >= each * cores and csr.n * cores <= room

        words = next((each for each in (words, words // 2, words // 4, 1) if each and fits(each)), 0)
        part = max(words, -(-batches // cores)) * LANES
        chosen, deepest = [chosen[0][at : at + part] for at in range(0, len(chosen[0]), part)], DEEP
    graphs, most = len(chosen), max(map(len, chosen), default=0)
    n = csr.n * (graphs if alone else 1)
    if not words or not most:
        return None
    most = -(-most // LANES) * LANES
    source = np.zeros((graphs, most), np.int32)
    for row, each, base in zip(source, chosen, [0] * graphs if alone else pack.begin.tolist(), strict=False):
        row[: len(each)] = each + np.int32(base)
    size = graphs * (most // LANES) * deepest
    dev.reserve({**dict.fromkeys(WORDS, 8 * words * n), "queue": 4 * n, "other": 4 * n, "count": 8 * size})
    count, deep = dev.zeros(size, np.uint64), dev.zeros(1, np.int32)
    program = dev.program("measures/hops_graphs", WORDS=words, LEVELS=deepest, **csr.defines)
    program.hops_graphs.launch(
        csr,
        graphs,
        local=1,
        graphs=graphs,
        most=most,
        alone=alone,
        begin=pack.begins,
        source=dev.upload(source),
        sources=dev.upload(np.array([len(each) for each in chosen], np.int32)),
        # `output` memory is on large pages where it is the host's, as gathers want them
        **{name: dev.output(words * n, np.uint64) for name in WORDS},
        queue=dev.empty(n, np.int32),
        other=dev.empty(n, np.int32),
        count=count,
        deep=deep,
    )
    if dev.download(deep, np.int32, 1)[0]:
        return None
    found = dev.download(count, np.int64, size).reshape(graphs, most // LANES, deepest)
    return found.reshape(1, -1, deepest) if alone else found


def _plot(counts: list[Ints], searches: list[int], n: int, arcs: int, *, exact: bool) -> HopPlot:
    if n == 0:
        return HopPlot(np.zeros(0), 0, True, np.zeros((0, 0)))
    table = np.zeros((len(counts), max(map(len, counts))), np.int64)
    for row, each in zip(table, counts, strict=True):
        row[: len(each)] = each
    total, done = table.sum(axis=0), sum(searches)
    if exact:
        return HopPlot(np.cumsum(total).astype(np.float64), done, True, np.zeros((0, len(total))))

    # all searches, and all but those of each batch, if any are left
    own = np.array(searches)
    found = np.concatenate((total[None], (total - table)[own < done]))
    made = np.append(done, (done - own)[own < done])
    pairs = np.cumsum(found, axis=1) * (n / made)[:, None]
    # known: no need to estimate it from sources that may miss the hubs
    pairs[:, :1] = n
    pairs[:, 1:2] = n + arcs
    pairs = np.maximum.accumulate(pairs, axis=1)
    return HopPlot(pairs[0], done, False, pairs[1:])


def draw_sources(n: int, count: int, seed: int) -> npt.NDArray[np.int32]:
    """Draw `count` distinct vertices of n > count, ascending."""
    chosen: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    number = 0
    while len(chosen) < count:
        drawn = keyed.below(keyed.draw(seed, STEP, np.arange(number, number + 2 * count))[0], n)
        number += 2 * count
        together = np.concatenate((chosen, drawn))
        _, first = np.unique(together, return_index=True)
        chosen = together[np.sort(first)][:count]
    return np.sort(chosen).astype(np.int32)


def _count(search: ManySearch, pack: Pack, batch: Batch) -> npt.NDArray[np.int64]:
    """Count pairs at distance 0, 1, ... from some sources of each graph: an array with one row per graph."""
    dev, graphs, alone = pack.device, pack.count, pack.count == 1
    if alone:
        levels = search.search(batch[0], NO_LIMIT)
        if levels is None:  # too deep for a batch
            distance, levels = search.one_by_one(batch[0], NO_LIMIT, None)
            return np.bincount(distance[distance >= 0], minlength=levels).astype(np.int64)[None]
        # vertices may be numbered by degree here, and those without arcs have no row
        begin = dev.upload(np.array([0, search.rows], np.int32))
    else:
        at = [part + np.int32(base) for part, base in zip(batch, pack.begin.tolist(), strict=False)]
        lanes = np.concatenate([np.arange(len(part), dtype=np.uint32) for part in batch])
        levels = search.search(np.concatenate(at), NO_LIMIT, lanes=lanes, deep=NO_LIMIT)
        assert levels is not None
        begin = pack.begins
    kernel = dev.program("measures/hops", LANES=LANES, LEVELS=LEVELS).hops_count
    size, local = spread(dev, kernel, graphs)
    scratch, parts = search.scratch, []
    planes = {"bits": scratch.bits, "seen": scratch.seen, "planes": scratch.planes, "rows": search.rows}
    for first in range(0, levels, LEVELS):
        part = dev.zeros(graphs * LEVELS, np.int64)
        some = {"first": first, "levels": min(LEVELS, levels - first), "count": part}
        kernel.exact(size, local=local, begin=begin, **planes, **some)
        parts.append(part)
    counts = [dev.download(part, np.int64, graphs * LEVELS).reshape(graphs, LEVELS) for part in parts]
    found = np.concatenate(counts, axis=1)[:, :levels]
    if alone:
        found[0, 0] = len(batch[0])
    return found
