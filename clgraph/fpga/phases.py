"""The pipelines of ``cl/fpga`` as loops: cycles, bytes and random accesses by phase (`clgraph.fpga.costs`).

The tables of `clgraph.fpga.model` are made from `RUNS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clgraph.fpga import parameters
from clgraph.fpga.costs import Phase, Workload, blocks, stream, together

PROBES = 8  # in exact mode, which takes 5 to 11
BATCHES = 7  # of the schedule max(0.5 / 2^s, 0.03), down to one half
OUTSIDE = 0.1  # share of the live arcs outside the giant component when phase "rest" begins (a guess)
KEPT = 0.5  # size of the sample
SHRINKING = 0.7  # average share of live vertices during a run down to one half


def components(w: Workload, live: float, outside: float) -> list[Phase]:
    """Labels of the components.

    Parameters
    ----------
    w : Workload
    live : float
        Share of the vertices that are left. All arcs in their rows are read, wherever they lead.
    outside : float
        Share of the arcs in rows outside the giant component after phases "start" and "link".
    """
    n, arcs, short, lanes = w.n, w.arcs * live, w.short * live, parameters.defaults()["LANES"]
    return [
        stream("init", n, 12 * n),
        # a vertex without arcs takes an iteration too
        Phase("start", (2 - live) * n + short, 12 * n + 4 * short, short, 2 * blocks(n)),
        Phase("link", n / lanes, 12 * n, n * live, 1),
        # two passes each time: one that compresses, one that finds nothing to change
        Phase("compress (3 times)", 6 * n / lanes, 6 * 8 * n, 6 * n * live, 6),
        Phase(
            "rest (2 rounds)",
            2 * (n + arcs * outside),
            2 * (12 * n + 4 * arcs * outside),
            2 * arcs * outside,
            2 * 2 * blocks(n),
        ),
        Phase("count", n, 4 * n, 0.0, 1),
    ]


def drv_exact(w: Workload) -> list[Phase]:
    """Exact drv: keys once, then probes."""
    probe = together("components, all probes", components(w, SHRINKING, OUTSIDE)) * PROBES
    live = [stream("", w.n, 5 * w.n), Phase("", w.n + w.arcs, 5 * w.n + 5 * w.arcs, w.arcs, 2 * blocks(w.n))]
    return [
        Phase("keys", w.n, 4 * w.n, 0.0, 1),
        stream("mask, all probes", PROBES * w.n, PROBES * 16 * w.n),
        probe,
        together("live vertices and arcs", live),
    ]


def dre_exact(w: Workload) -> list[Phase]:
    """Exact dre: a key for every arc."""
    keys = Phase("", 0, 2 * 4 * w.arcs * OUTSIDE, 0)  # of the rows that are read: they stream along
    live = [stream("", w.n, 5 * w.n), Phase("", w.n + w.bursts, 8 * w.n + 5 * w.arcs, 0.0, 2 * blocks(w.n))]
    return [
        Phase("keys", w.n + w.arcs, 4 * w.n + 8 * w.arcs, 0.0, 2 * blocks(w.n)),
        stream("mask, all probes", PROBES * w.n, PROBES * 12 * w.n),
        together("components, all probes", [*components(w, 1.0, OUTSIDE), keys]) * PROBES,
        together("live vertices and arcs", live),
    ]


def build(w: Workload) -> Phase:
    """COPRA from a CSR."""
    return Phase("build", w.n + w.bursts, 20 * w.n + 8 * w.arcs, 0.0, 2 * blocks(w.n))


def far(w: Workload, arcs: float) -> Phase:
    """Finding the far slots of a number of arcs, in blocks, by bisection."""
    looks = 2 + w.rounds  # the row's bounds, bisection steps, the last burst
    return Phase("far slots found", arcs * looks, 0.0, arcs * looks, blocks(arcs) * (2 + w.longest))


def remove(w: Workload, vertices: float, arcs: float) -> list[Phase]:
    """Removing a number of vertices and their arcs from COPRA: near slots, far slots."""
    return [
        Phase("near slots", vertices + arcs, 0.0, 2 * (vertices + arcs), blocks(vertices) + blocks(arcs)),
        far(w, arcs),
        Phase("far slots blanked", arcs, 0.0, arcs, blocks(arcs)),
    ]


def keep(w: Workload, batches: int) -> Phase:
    """Removing what is outside the giant component after each batch; in the end half of the rows are gone."""
    turns = batches * w.n + (1 - KEPT) * w.bursts
    return Phase(
        "keep, all batches",
        turns,
        batches * 12 * w.n + 8 * (1 - KEPT) * w.arcs,
        0.0,
        batches * 2 * blocks(w.n),
    )


def drv_batched(w: Workload) -> list[Phase]:
    """Batched drv: the thesis's loop."""
    passes = 3 * BATCHES  # count, collect, list
    return [
        build(w),
        Phase("choose", passes * w.n, passes * 4 * w.n, 0.0, passes),
        *remove(w, w.n * (1 - KEPT), w.arcs * (1 - KEPT)),
        together("components, all batches", components(w, SHRINKING, OUTSIDE)) * BATCHES,
        keep(w, BATCHES),
    ]


def drve_batched(w: Workload) -> list[Phase]:
    """Batched drve: draws of a vertex's edge; at most an eighth of the edges per batch."""
    # edges until half of the vertices are left (thesis, table 4.2: the average degree rises)
    deleted = 0.6 * w.arcs / 2
    draws = 1.5 * deleted  # dead vertices and repeated edges do not count
    batches = 12
    row = w.bursts / w.n
    # a random number, the row's bounds, count and pick, the arc drawn; its rank and far slot; recording it
    own = Phase("", draws * (4 + 2 * row), 12 * draws, draws * (4 + 2 * row), 6 * blocks(draws))
    return [
        build(w),
        together("draw", [own, far(w, 2 * draws)]),
        # which draws are the first of their edge, their slots, and erasing the records
        Phase("blank", 3 * draws, 3 * 8 * draws, 2 * draws + 2 * deleted, 3),
        together("components, all batches", components(w, SHRINKING, OUTSIDE)) * batches,
        keep(w, batches),
    ]


PULLS = 3  # levels of a search in such a graph that are pulled


@dataclass(frozen=True)
class Tiles:
    """The tiles of a graph's arcs when its vertices are cut into partitions (`clgraph.csr.partitions`).

    Attributes
    ----------
    partitions, blocks, count : float
        Number of partitions of the vertices; of blocks of the arcs; of tiles.
    arcs : float
        Number of arcs including padding, half a burst per tile.
    """

    partitions: float
    blocks: float
    count: float
    arcs: float

    @staticmethod
    def of(w: Workload, size: int, room: int, burst: int) -> Tiles:
        """The tiles that `clgraph.csr.partitions.Cut.of` makes."""
        partitions = np.ceil(w.n / size)
        pieces = np.ceil(w.arcs / (room - burst * partitions))
        count = partitions * pieces
        return Tiles(partitions, pieces, count, w.arcs + count * (burst - 1) / 2)


def _search(w: Workload, *, in_partitions: bool) -> list[Phase]:
    values = parameters.defaults()
    unroll, words = values["UNROLL"], values["LOCAL_WORDS"]
    pushed, queued = 0.1 * w.arcs, 0.2 * w.n
    # on average over the levels half of the vertices are visited: their rows take one iteration each
    rows = Phase("", w.n / unroll + 0.5 * w.n + 0.5 * w.bursts, 4.5 * w.n + 2 * w.arcs, 0.0, 2 * blocks(w.n))
    found = Phase("", 0.0, 8 * w.n / PULLS, 0.0)  # distance and predecessor
    if in_partitions:
        tiles = Tiles.of(w, 32 * words, unroll * words, unroll * unroll)
        move = Phase("", tiles.arcs / unroll, (4 + 8 / unroll) * tiles.arcs, 0.0, 2 * tiles.partitions)
        tiled = Phase("", tiles.count / unroll, 8 * tiles.count, 0.0, 4 * tiles.blocks)
        heads = Phase("", 0.0, 64 * w.n / PULLS, 0.0)  # a burst for each vertex found
        pull = together(f"pull ({PULLS} levels)", [move, tiled, rows, heads, found]) * PULLS
    else:
        pull = together(f"pull ({PULLS} levels)", [rows, found, Phase("", 0.0, 0.0, 0.5 * w.arcs)]) * PULLS
    return [
        stream("fill", w.n, 8 * w.n),
        stream("bitmaps", w.n, 8.25 * w.n),
        pull,
        Phase(
            "push (the other levels)",
            pushed + queued,
            4 * pushed,
            2 * pushed + 3 * queued,
            2 * blocks(queued),
        ),
    ]


def search(w: Workload) -> list[Phase]:
    """One breadth-first search: a few levels pull most arcs, the others push; the bitmap in partitions."""
    return _search(w, in_partitions=True)


def search_memory(w: Workload) -> list[Phase]:
    """The same with PULL_PARTITIONS=0: the frontier's bitmap is read from memory."""
    return _search(w, in_partitions=False)


def _rows(w: Workload, pieces: float) -> Phase:
    """Arcs in order, in a number of pieces, and the row ends within each ARC_BLOCK of them."""
    values = parameters.defaults()
    cut = np.ceil(w.n / pieces / values["ROW_BLOCK"]) * pieces  # blocks of rows
    looks = cut * np.ceil(w.arcs / cut / values["ARC_BLOCK"])
    return Phase(
        "",
        w.arcs / values["UNROLL"] + looks / cut * w.n / values["SETTLES"],
        20 * w.n + 4 * w.arcs,
        0.0,
        2 * looks,
    )


def pagerank(w: Workload) -> list[Phase]:
    """One iteration in partitions: values move, in order, to the blocks of arcs that need them."""
    values = parameters.defaults()
    unroll, size = values["UNROLL"], values["LOCAL_RANKS"]
    tiles = Tiles.of(w, size, size, unroll)
    move = Phase(
        "move, an iteration", (w.n + tiles.arcs) / unroll, 4 * w.n + 8 * tiles.arcs, 0.0, 2 * tiles.partitions
    )
    collect = Phase(
        "", (tiles.arcs + tiles.count) / unroll, 4 * tiles.arcs + 8 * tiles.count, 0.0, 2 * tiles.blocks
    )
    return [move, together("sum, an iteration", [collect, _rows(w, tiles.blocks)])]


def pagerank_memory(w: Workload) -> list[Phase]:
    """One iteration of `contribution`: heads are streamed, their values are read at random."""
    return [together("an iteration", [_rows(w, 1), Phase("", 0.0, 0.0, w.arcs)])]


WALKS, DAMPING = 1e6, 0.85


def walks(_: Workload) -> list[Phase]:
    """A million walks from one source."""
    values = parameters.defaults()
    lanes, block = values["WALKS"], values["ROW_BLOCK"]
    steps = 1 / (1 - DAMPING)
    # the last walks of a block: lanes without a walk idle until the longest ends
    longest = (np.log(lanes) + 0.58) / -np.log(DAMPING)
    turns = 2 * block + lanes + (block - lanes) * steps + lanes * (longest + 1)
    return [Phase("a million walks", blocks(WALKS) * turns, 0.0, WALKS * (5 * steps + 2), 4 * blocks(WALKS))]


RUNS: dict[str, Callable[[Workload], list[Phase]]] = {
    "drv to 50 %, exact": drv_exact,
    "dre to 50 %, exact": dre_exact,
    "drv to 50 %, batched": drv_batched,
    "drve to 50 %, batched": drve_batched,
    "breadth-first search": search,
    "the same, bitmap in memory": search_memory,
    "PageRank": pagerank,
    "the same, ranks in memory": pagerank_memory,
    "walks": walks,
}
