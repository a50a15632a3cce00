"""The pipelines of ``cl/fpga`` as loops: cycles, bytes and random accesses by phase; boards to run them on.

Assumptions stand here (`Board`, `Workload`, the constants); `clgraph.fpga.model` makes tables of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clgraph.fpga import parameters


@dataclass(frozen=True)
class Board:
    """Assumptions about a board.

    Attributes
    ----------
    name : str
    clock : float
        In Hz, of the kernels: assumed, not compiled.
    bandwidth : float
        Bytes per second of all memory banks together.
    usable : float
        Share of the bandwidth that streams reach.
    random : float
        Random accesses per second, all banks: 4 row activations in each window tFAW of each channel.
    watts : float
        Of the whole system under load.
    chip : float
        Bits of on-chip memory (M20K blocks).
    reads : int
        Random reads a cycle of one copy of on-chip memory, beside its write: blocks have two ports, and four
        where they run at twice the clock.
    """

    name: str
    clock: float
    bandwidth: float
    usable: float
    random: float
    watts: float
    chip: float
    reads: int


BOARDS = (
    # 2 channels DDR3-1600 (12.8 GB/s each, tFAW 30 ns); the thesis's wall meter: 60 W; 5SGXA7: 2560 blocks
    Board("Stratix V (DE5-Net)", 200e6, 25.6e9, 0.8, 2 * 4 / 30e-9, 60.0, 2560 * 20480, 3),
    # 4 channels DDR4-2400 (19.2 GB/s each, tFAW 21 ns); watts assumed; GX 2800: 11721 blocks
    Board("Stratix 10 (4 x DDR4)", 300e6, 76.8e9, 0.8, 4 * 4 / 21e-9, 120.0, 11721 * 20480, 1),
)


@dataclass(frozen=True)
class Workload:
    """The thesis's graph: a power law of exponent 2.71, average degree 5, 30 million vertices.

    Attributes
    ----------
    n, arcs : float
        Vertices, and arcs (two an edge).
    bursts : float
        Turns of a walk over all rows in bursts: the sum of max(1, ceil(degree / UNROLL)).
    short : float
        Arcs among the first START_SLOTS (4) of their rows.
    rounds : float
        Halvings of a far row until UNROLL arcs are left, on average over arcs.
    longest : float
        The same of the longest of ROW_BLOCK rows, as arcs lead to them.
    """

    n: float
    arcs: float
    bursts: float
    short: float
    rounds: float
    longest: float


def workload(n: float = 30e6, degree: float = 5.0, exponent: float = 2.71) -> Workload:
    """Sums over the degrees: a mixture of two power laws, from 2 and from 3 on, that has this mean."""
    values = parameters.defaults()
    unroll = values["UNROLL"]
    d = np.arange(1, int(n ** (1 / (exponent - 1))) + 1, dtype=np.float64)

    def law(first: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        weights = np.where(d >= first, d**-exponent, 0.0)
        share: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
        return share

    low, high = law(2), law(3)
    mix = (degree - low @ d) / (high @ d - low @ d)
    share = low + mix * (high - low)
    halvings = np.ceil(np.log2(np.maximum(d / unroll, 1.0)))
    of_arcs = share * d / float(share @ d)
    below = np.array([of_arcs[halvings < h].sum() for h in range(1, int(halvings.max()) + 1)])
    return Workload(
        n=n,
        arcs=n * float(share @ d),
        bursts=n * float(share @ np.maximum(1, np.ceil(d / unroll))),
        short=n * float(share @ np.minimum(d, 4)),
        rounds=float(of_arcs @ halvings),
        longest=float(np.sum(1 - below ** values["ROW_BLOCK"])),
    )


LATENCY = 250  # cycles that a loop takes besides its turns: it fills, waits for memory, and runs empty


@dataclass(frozen=True)
class Phase:
    """One loop, or several of a kind.

    Attributes
    ----------
    name : str
    turns : float
        One a cycle (II 1, as the loops are written for).
    stream : float
        Bytes read and written one after another.
    random : float
        Accesses all over memory.
    loops : float
        How often a loop begins: it is LATENCY cycles until its last turn has come through.
    """

    name: str
    turns: float
    stream: float
    random: float
    loops: float = 0.0

    @property
    def cycles(self) -> float:
        """Of all turns and loops."""
        return self.turns + LATENCY * self.loops

    def __mul__(self, times: float) -> Phase:
        return Phase(
            self.name, self.turns * times, self.stream * times, self.random * times, self.loops * times
        )

    def seconds(self, board: Board) -> float:
        """On a board."""
        memory = self.stream / (board.bandwidth * board.usable) + self.random / board.random
        return max(self.cycles / board.clock, memory)

    def bound(self, board: Board) -> str:
        """What bounds it there."""
        stream, random = self.stream / (board.bandwidth * board.usable), self.random / board.random
        if self.cycles / board.clock >= stream + random:
            return "clock"
        return "random accesses" if random > stream else "bandwidth"


def stream(name: str, words: float, nbytes: float) -> Phase:
    """A loop over words in order, UNROLL of them a cycle."""
    return Phase(name, words / parameters.defaults()["UNROLL"], nbytes, 0.0, 1)


def blocks(rows: float) -> float:
    """Of ROW_BLOCK rows, or of arcs or draws."""
    return rows / parameters.defaults()["ROW_BLOCK"]


def components(w: Workload, live: float, outside: float) -> list[Phase]:
    """Labels of the components of a graph with `live` vertices' share left.

    `outside` is the share of the arcs that stand in rows outside the giant after start and link. All arcs in
    the rows of live vertices are looked at, wherever they lead.
    """
    n, arcs, short, lanes = w.n, w.arcs * live, w.short * live, parameters.defaults()["LANES"]
    return [
        stream("init", n, 12 * n),
        # a vertex without arcs takes a turn too
        Phase("start", (2 - live) * n + short, 12 * n + 4 * short, short, 2 * blocks(n)),
        Phase("link", n / lanes, 12 * n, n * live, 1),
        # two passes each time: one that compresses, one that sees that nothing changes
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


def together(name: str, phases: list[Phase]) -> Phase:
    """The sum of phases, as one line."""
    fields = ("turns", "stream", "random", "loops")
    return Phase(name, *(sum(getattr(p, field) for p in phases) for field in fields))


PROBES = 8  # of exact mode, which takes 5 to 11
BATCHES = 7  # of the schedule max(0.5 / 2^s, 0.03) to one half
OUTSIDE = 0.1  # share of the live arcs outside the giant when the rest begins (a guess)
KEPT = 0.5  # size of the sample
SHRINKING = 0.7  # average share of the vertices that are live during a run to one half


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
    keys = Phase("", 0, 2 * 4 * w.arcs * OUTSIDE, 0)  # of the rows that are looked at: they stream along
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
    """The far slots of so many arcs, found in blocks by halving the open ones."""
    looks = 2 + w.rounds  # the row's bounds, halvings, the last burst
    return Phase("far slots found", arcs * looks, 0.0, arcs * looks, blocks(arcs) * (2 + w.longest))


def remove(w: Workload, vertices: float, arcs: float) -> list[Phase]:
    """Removing so many vertices with their arcs from COPRA: near slots, far slots."""
    return [
        Phase("near slots", vertices + arcs, 0.0, 2 * (vertices + arcs), blocks(vertices) + blocks(arcs)),
        far(w, arcs),
        Phase("far slots blanked", arcs, 0.0, arcs, blocks(arcs)),
    ]


def keep(w: Workload, batches: int) -> Phase:
    """Cutting off what is outside the giant, after each batch; half of the rows go in the end."""
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
    """Batched drve: draws of a vertex's edge; an eighth of the edges a batch at most."""
    deleted = (
        0.6 * w.arcs / 2
    )  # edges until half of the vertices are left (thesis, table 4.2: average degree up)
    draws = 1.5 * deleted  # dead vertices and repeated edges do not count
    batches = 12
    row = w.bursts / w.n
    # a random number, the row's bounds, count and pick, the arc drawn; its rank and its far slot; the note
    own = Phase("", draws * (4 + 2 * row), 12 * draws, draws * (4 + 2 * row), 6 * blocks(draws))
    return [
        build(w),
        together("draw", [own, far(w, 2 * draws)]),
        # which draws are the first of their edge, their slots, and forgetting the notes
        Phase("blank", 3 * draws, 3 * 8 * draws, 2 * draws + 2 * deleted, 3),
        together("components, all batches", components(w, SHRINKING, OUTSIDE)) * batches,
        keep(w, batches),
    ]


LEVELS, PULLS = 12, 3  # of a search in such a graph


@dataclass(frozen=True)
class Tiles:
    """How the arcs of a graph stand where its vertices are cut into partitions (clgraph/partitions.py).

    Attributes
    ----------
    partitions, blocks, count : float
        Of the vertices; of the arcs; tiles.
    arcs : float
        With what tiles are filled up by: half a burst each.
    """

    partitions: float
    blocks: float
    count: float
    arcs: float

    @staticmethod
    def of(w: Workload, size: int, room: int, burst: int) -> Tiles:
        """As `clgraph.csr.partitions.Cut.of` cuts it."""
        partitions = np.ceil(w.n / size)
        pieces = np.ceil(w.arcs / (room - burst * partitions))
        count = partitions * pieces
        return Tiles(partitions, pieces, count, w.arcs + count * (burst - 1) / 2)


def _search(w: Workload, *, in_partitions: bool) -> list[Phase]:
    values = parameters.defaults()
    unroll, words = values["UNROLL"], values["LOCAL_WORDS"]
    pushed, queued = 0.1 * w.arcs, 0.2 * w.n
    # half of the vertices are visited, on average over the levels: their rows are a turn each
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
    """One breadth-first search: most arcs by a few pulls, the rest pushed; the bitmap in partitions."""
    return _search(w, in_partitions=True)


def search_memory(w: Workload) -> list[Phase]:
    """The same with PULL_PARTITIONS=0: the frontier's bitmap is read from memory."""
    return _search(w, in_partitions=False)


def _rows(w: Workload, pieces: float) -> Phase:
    """Arcs in order, in so many pieces, and the ends of the rows among each ARC_BLOCK of them."""
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
    """One iteration in partitions: values move to the blocks of arcs that take them, all in order."""
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
    """One iteration of `contribution`: heads stream by, their values come from all over memory."""
    return [together("an iteration", [_rows(w, 1), Phase("", 0.0, 0.0, w.arcs)])]


WALKS, DAMPING = 1e6, 0.85


def walks(_: Workload) -> list[Phase]:
    """A million walks from one source."""
    values = parameters.defaults()
    lanes, block = values["WALKS"], values["ROW_BLOCK"]
    steps = 1 / (1 - DAMPING)
    # the last walks of a block: lanes without a walk take their turns until the longest ends
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
