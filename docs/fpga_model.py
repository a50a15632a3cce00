"""How long the pipelines of ``cl/fpga`` should take on a board: cycles, bytes and random accesses by phase.

No board was available: this is arithmetic on the loops as they are written, under the assumptions below. They
are printed in ``docs/fpga.md``, whose tables are written by::

    python docs/fpga_model.py

A phase takes as long as the slower of two: its cycles (the iterations of its loops, and a latency for each
loop that starts) at the clock, and its memory accesses (bytes streamed at the usable bandwidth plus random
accesses at the rate of row activations).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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
    # 2 channels DDR3-1600 (12.8 GB/s each, tFAW 30 ns); 60 W by the thesis's wall meter; 5SGXA7: 2560 blocks
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
        Iterations of a pass over all rows in bursts: the sum of max(1, ceil(degree / UNROLL)).
    short : float
        Arcs among the first START_SLOTS (4) of their rows.
    rounds : float
        Bisection steps in a far row until UNROLL arcs are left, on average over arcs.
    longest : float
        The same for the longest of ROW_BLOCK rows, each chosen by a random arc.
    """

    n: float
    arcs: float
    bursts: float
    short: float
    rounds: float
    longest: float


def workload(n: float = 30e6, degree: float = 5.0, exponent: float = 2.71) -> Workload:
    """The workload of a graph whose degrees mix two power laws, from 2 and from 3 on, to have this mean."""
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


LATENCY = 250  # cycles that a loop takes besides its iterations: filling, waiting for memory, draining


@dataclass(frozen=True)
class Phase:
    """One loop, or several of the same kind.

    Attributes
    ----------
    name : str
    turns : float
        Iterations, one per cycle (initiation interval 1, for which the loops are written).
    stream : float
        Bytes read and written sequentially.
    random : float
        Scattered memory accesses.
    loops : float
        How often a loop starts; each start adds LATENCY cycles.
    """

    name: str
    turns: float
    stream: float
    random: float
    loops: float = 0.0

    @property
    def cycles(self) -> float:
        """Clock cycles of all iterations and loops."""
        return self.turns + LATENCY * self.loops

    def __mul__(self, times: float) -> Phase:
        return Phase(
            self.name, self.turns * times, self.stream * times, self.random * times, self.loops * times
        )

    def seconds(self, board: Board) -> float:
        """Predicted seconds on a board."""
        memory = self.stream / (board.bandwidth * board.usable) + self.random / board.random
        return max(self.cycles / board.clock, memory)

    def bound(self, board: Board) -> str:
        """What limits it on a board."""
        stream, random = self.stream / (board.bandwidth * board.usable), self.random / board.random
        if self.cycles / board.clock >= stream + random:
            return "clock"
        return "random accesses" if random > stream else "bandwidth"


def stream(name: str, words: float, nbytes: float) -> Phase:
    """A loop over words in order, UNROLL of them per cycle."""
    return Phase(name, words / parameters.defaults()["UNROLL"], nbytes, 0.0, 1)


def blocks(rows: float) -> float:
    """Number of blocks of ROW_BLOCK rows, arcs or draws."""
    return rows / parameters.defaults()["ROW_BLOCK"]


def together(name: str, phases: list[Phase]) -> Phase:
    """The sum of phases, as one."""
    fields = ("turns", "stream", "random", "loops")
    return Phase(name, *(sum(getattr(p, field) for p in phases) for field in fields))


# --- the loops, by run and phase ---------------------------------------------------------------------------

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


# --- the tables --------------------------------------------------------------------------------------------


def _figure(value: float) -> str:
    return "0" if value == 0 else f"{value / 1e6:.0f}" if value >= 1e8 else f"{value / 1e6:.3g}"


def phase_table(w: Workload) -> str:
    """Cycles, bytes, accesses, and seconds on each board, by run and phase."""
    head = ["run", "phase", "cycles (M)", "streamed (MB)", "random (M)"]
    for board in BOARDS:
        head += [f"{board.name}, s", "bound by"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for run, phases_of in RUNS.items():
        for i, phase in enumerate(phases_of(w)):
            cells = [run if i == 0 else "", phase.name]
            cells += [_figure(x) for x in (phase.cycles, phase.stream, phase.random)]
            for board in BOARDS:
                cells += [f"{phase.seconds(board):.3g}", phase.bound(board)]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def total(run: str, w: Workload, board: Board) -> float:
    """Predicted seconds of a run."""
    return sum(phase.seconds(board) for phase in RUNS[run](w))


def total_table(w: Workload) -> str:
    """Predicted seconds and joules of each run."""
    head = ["run"]
    for board in BOARDS:
        head += [f"{board.name}, s", f"J at {board.watts:.0f} W"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for run in RUNS:
        cells = [run]
        for board in BOARDS:
            seconds = total(run, w, board)
            cells += [f"{seconds:.3g}", f"{seconds * board.watts:.3g}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def assumption_table(w: Workload) -> str:
    """The assumptions about the boards and the graph."""
    lines = [
        "| board | clock, MHz | bandwidth, GB/s | usable | random accesses, M/s | system, W |",
        "|---|---|---|---|---|---|",
    ]
    for b in BOARDS:
        lines.append(
            f"| {b.name} | {b.clock / 1e6:.0f} | {b.bandwidth / 1e9:.1f} | {b.usable:.0%} "
            f"| {b.random / 1e6:.0f} | {b.watts:.0f} |"
        )
    lines += [
        "",
        "| of the graph | |",
        "|---|---|",
        f"| vertices, arcs | {w.n / 1e6:.0f} M, {w.arcs / 1e6:.0f} M |",
        f"| turns of a walk in bursts of {parameters.defaults()['UNROLL']} | {w.bursts / 1e6:.1f} M |",
        f"| halvings of a far row: average over arcs, most in a block | {w.rounds:.2f}, {w.longest:.1f} |",
        f"| CSR, COPRA | {4 * (w.n + w.arcs) / 1e9:.2f} GB, {4 * (4 * w.n + w.arcs) / 1e9:.2f} GB |",
        f"| cycles of a loop besides its turns | {LATENCY} |",
        f"| probes, batches | {PROBES}, {BATCHES} |",
        f"| live share, arcs outside the giant | {SHRINKING:g}, {OUTSIDE:g} |",
    ]
    return "\n".join(lines)


def chip_table(_: Workload) -> str:
    """The share of a chip that state takes, with the copies that its reads per cycle need."""
    values = parameters.defaults()
    unroll, settles = values["UNROLL"], values["SETTLES"]
    states = {  # bits, reads
        "PageRank: serial, pull, contribution, move, sum": (5 * 32 * values["LOCAL_RANKS"], unroll),
        "the running totals of these, but move": (4 * 64 * values["ARC_BLOCK"], settles),
        "breadth-first search: pull, move, pull in partitions": (3 * 32 * values["LOCAL_WORDS"], unroll),
    }
    head = ["kernels", "state, Mbit", *(f"{board.name}: copies, share of the chip" for board in BOARDS)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, (bits, reads) in states.items():
        cells = [name, f"{bits / 1e6:.2f}"]
        for board in BOARDS:
            copies = -(-reads // board.reads)
            cells.append(f"{copies}, {copies * bits / board.chip:.0%}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


# measured on other devices, seconds for 30 million vertices: what the model is compared with
LOOP_SERIAL = 25.4 * 10  # the batched loop, compiled, serial search, 2-core machine: 25.4 s at 3 million
CPU_WATTS, GPU_WATTS, FPGA_WATTS = 70.0, 245.0, 60.0  # the thesis's wall meter


def claim_table(w: Workload) -> str:
    """What the thesis claims for its FPGA, and what the model predicts."""
    board = BOARDS[0]
    batched, exact = total("drv to 50 %, batched", w, board), total("drv to 50 %, exact", w, board)
    joules = batched * FPGA_WATTS
    rows = [
        (
            "2 times faster than a serial CPU",
            f"{LOOP_SERIAL / batched:.0f} times, against {LOOP_SERIAL:.0f} s of a compiled serial loop "
            "(25.4 s at 3 M vertices on 2 cores, times 10)",
        ),
        (
            "3 times less energy than a serial CPU (60 W against 70 W)",
            f"{LOOP_SERIAL * CPU_WATTS / joules:.0f} times less than that loop at {CPU_WATTS:.0f} W",
        ),
        (
            "10 times (abstract), more than 2 times (text) less energy than the GPU",
            f"{GPU_WATTS / FPGA_WATTS:.1f} times at equal time; no GPU of that time was at hand",
        ),
        (
            "drv in about the GPU's time",
            f"{batched:.1f} s batched, {exact:.1f} s exact; an H200 takes 0.025 s (exact)",
        ),
    ]
    lines = ["| the thesis, DE5-Net | the model, the same board |", "|---|---|"]
    return "\n".join(lines + [f"| {claim} | {found} |" for claim, found in rows])


TABLES: dict[str, Callable[[Workload], str]] = {
    "assumptions": assumption_table,
    "phases": phase_table,
    "totals": total_table,
    "chip": chip_table,
    "claims": claim_table,
}


def fill_in(page: str) -> str:
    """A page with the table NAME between each ``<!-- model: NAME -->`` and its ``<!-- end -->``."""
    w = workload()
    for name, make in TABLES.items():
        marks = re.compile(rf"(<!-- model: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, found = marks.subn(lambda m, make=make: f"{m[1]}{make(w)}\n{m[2]}", page)  # type: ignore[misc]
        if found != 1:
            raise ValueError(f"the page has {found} places for the table {name!r}, not one")
    return page


if __name__ == "__main__":
    path = Path(__file__).with_name("fpga.md")
    path.write_text(fill_in(path.read_text()))
