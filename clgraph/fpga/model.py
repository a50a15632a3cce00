"""What the pipelines of ``cl/fpga`` should take on a board: cycles, bytes and random accesses by phase.

No board was at hand: this is arithmetic on the loops as they are written, under assumptions that stand here
(`Board`, `Workload`) and are printed in ``docs/fpga.md``, whose tables this module writes::

    python -m clgraph.fpga.model docs/fpga.md

A phase's time is the longer of its cycles at the clock, and of what memory needs: bytes streamed at the
usable bandwidth plus random accesses at the rate of row activations.
"""

from __future__ import annotations

import re
import sys
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
    """

    name: str
    clock: float
    bandwidth: float
    usable: float
    random: float
    watts: float


BOARDS = (
    # 2 channels DDR3-1600 (12.8 GB/s each, tFAW 30 ns); the thesis's wall meter: 60 W
    Board("Stratix V (DE5-Net)", 200e6, 25.6e9, 0.8, 2 * 4 / 30e-9, 60.0),
    # 4 channels DDR4-2400 (19.2 GB/s each, tFAW 21 ns); watts assumed
    Board("Stratix 10 (4 x DDR4)", 300e6, 76.8e9, 0.8, 4 * 4 / 21e-9, 120.0),
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
    """

    n: float
    arcs: float
    bursts: float
    short: float
    rounds: float


def workload(n: float = 30e6, degree: float = 5.0, exponent: float = 2.71) -> Workload:
    """Sums over the degrees: a mixture of two power laws, from 2 and from 3 on, that has this mean."""
    unroll = parameters.defaults()["UNROLL"]
    d = np.arange(1, int(n ** (1 / (exponent - 1))) + 1, dtype=np.float64)

    def law(first: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        weights = np.where(d >= first, d**-exponent, 0.0)
        share: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
        return share

    low, high = law(2), law(3)
    mix = (degree - low @ d) / (high @ d - low @ d)
    share = low + mix * (high - low)
    halvings = np.ceil(np.log2(np.maximum(d / unroll, 1.0)))
    return Workload(
        n=n,
        arcs=n * float(share @ d),
        bursts=n * float(share @ np.maximum(1, np.ceil(d / unroll))),
        short=n * float(share @ np.minimum(d, 4)),
        rounds=float((share * d) @ halvings) / float(share @ d),
    )


@dataclass(frozen=True)
class Phase:
    """One loop, or several of a kind.

    Attributes
    ----------
    name : str
    cycles : float
        Turns, one a cycle (II 1, as the loops are written for).
    stream : float
        Bytes read and written one after another.
    random : float
        Accesses all over memory.
    """

    name: str
    cycles: float
    stream: float
    random: float

    def __mul__(self, times: float) -> Phase:
        return Phase(self.name, self.cycles * times, self.stream * times, self.random * times)

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
    return Phase(name, words / parameters.defaults()["UNROLL"], nbytes, 0.0)


def components(w: Workload, live: float, outside: float) -> list[Phase]:
    """Labels of the components of a graph with `live` vertices' share left.

    `outside` is the share of the arcs that stand in rows outside the giant after start and link.
    """
    n, arcs, short = w.n, w.arcs * live * live, w.short * live * live
    return [
        stream("init", n, 12 * n),
        Phase("start, link", 2 * n + short, (8 + 12) * n + 4 * short, short + n * live),
        # two passes each time: one that compresses, one that sees that nothing changes
        Phase("compress (3 times)", 6 * n, 6 * 8 * n, 6 * n * live),
        Phase(
            "rest (2 rounds)", 2 * (n + arcs * outside), 2 * 12 * n + 8 * arcs * outside, 2 * arcs * outside
        ),
        Phase("count", n, 4 * n, 0.0),
    ]


def together(name: str, phases: list[Phase]) -> Phase:
    """The sum of phases, as one line."""
    return Phase(
        name, sum(p.cycles for p in phases), sum(p.stream for p in phases), sum(p.random for p in phases)
    )


PROBES = 8  # of exact mode, which takes 5 to 8
BATCHES = 7  # of the schedule max(0.5 / 2^s, 0.03) to one half
OUTSIDE = 0.1  # share of the live arcs outside the giant when the rest begins (a guess)
KEPT = 0.5  # size of the sample
SHRINKING = 0.7  # average share of the vertices that are live during a run to one half


def drv_exact(w: Workload) -> list[Phase]:
    """Exact drv: keys once, then probes."""
    probe = together("components, all probes", components(w, SHRINKING, OUTSIDE)) * PROBES
    return [
        Phase("keys", w.n, 4 * w.n, 0.0),
        stream("mask, all probes", PROBES * w.n, PROBES * 16 * w.n),
        probe,
        Phase("live vertices and arcs", w.n + w.arcs, 5 * w.n + 9 * w.arcs, w.arcs),
    ]


def dre_exact(w: Workload) -> list[Phase]:
    """Exact dre: a key for every arc."""
    arcs = w.arcs * SHRINKING
    return [
        Phase("keys", w.n + w.arcs, 4 * w.n + 8 * w.arcs, 0.0),
        stream("mask, all probes", PROBES * w.n, PROBES * 12 * w.n),
        # the keys of the rows that are looked at stream along
        together(
            "components, all probes", [*components(w, 1.0, OUTSIDE), Phase("", 0, 4 * arcs * OUTSIDE * 2, 0)]
        )
        * PROBES,
        Phase("live vertices and arcs", w.n + w.bursts, 5 * w.n + 9 * w.arcs, 0.0),
    ]


def remove(w: Workload, arcs: float) -> list[Phase]:
    """Removing so many arcs from COPRA: near slots, rows of the far ends, far slots."""
    rounds = 1 + w.rounds
    return [
        Phase("near slots", arcs, 0.0, 2 * arcs),
        Phase("far slots found", arcs * (1 + rounds), 0.0, arcs * (1 + rounds)),
        Phase("far slots blanked", arcs, 0.0, arcs),
    ]


def drv_batched(w: Workload) -> list[Phase]:
    """Batched drv: the thesis's loop."""
    removed = w.arcs * (1 - KEPT)
    passes = 3 * BATCHES  # count, collect, list
    return [
        Phase("build", w.bursts, 8 * w.n + 8 * w.arcs, 0.0),
        Phase("choose", passes * w.n, passes * 4 * w.n, 0.0),
        *remove(w, removed),
        together("components, all batches", components(w, SHRINKING, OUTSIDE)) * BATCHES,
        Phase("keep, all batches", BATCHES * w.n, BATCHES * 12 * w.n, 0.0),
    ]


def drve_batched(w: Workload) -> list[Phase]:
    """Batched drve: draws of a vertex's edge; an eighth of the edges a batch at most."""
    deleted = (
        0.6 * w.arcs / 2
    )  # edges until half of the vertices are left (thesis, table 4.2: average degree up)
    draws = 1.5 * deleted  # dead vertices and repeated edges do not count
    batches = 12
    row = w.bursts / w.n
    return [
        Phase("build", w.bursts, 8 * w.n + 8 * w.arcs, 0.0),
        Phase(
            "draw",
            draws * (4 + 2 * row + 2 * (2 + w.rounds)),
            12 * draws,
            draws * (4 + 2 * row + 2 * w.rounds),
        ),
        Phase("blank", 2 * deleted, 16 * deleted, 3 * deleted),
        together("components, all batches", components(w, SHRINKING, OUTSIDE)) * batches,
        Phase("keep, all batches", batches * w.n, batches * 12 * w.n, 0.0),
    ]


LEVELS, PULLS = 12, 3  # of a search in such a graph


def search(w: Workload) -> list[Phase]:
    """One breadth-first search: most arcs by a few pulls through a bitmap on chip, the rest pushed."""
    words = w.n / 32
    fits = words <= parameters.defaults()["LOCAL_WORDS"]
    pushed = 0.1 * w.arcs
    return [
        stream("fill", w.n, 8 * w.n),
        Phase("bitmaps", w.n, 16 * w.n, 0.0),
        Phase(
            "pull (3 levels)", PULLS * (w.n + 0.5 * w.bursts), PULLS * (8 * w.n + 2 * w.arcs),
            0.0 if fits else PULLS * 0.5 * w.arcs,
        ),
        Phase("push (the other levels)", pushed + 0.2 * w.n, 4 * pushed, 2 * pushed + 0.6 * w.n),
    ]  # fmt: skip


def pagerank(w: Workload) -> list[Phase]:
    """One iteration: heads stream by, their values come from all over memory."""
    fits = w.n <= parameters.defaults()["LOCAL_RANKS"]
    return [Phase("an iteration", w.n + w.bursts, 20 * w.n + 4 * w.arcs, 0.0 if fits else w.arcs)]


WALKS = 1e6


def walks(_: Workload) -> list[Phase]:
    """A million walks from one source at damping 0.85."""
    steps = WALKS / 0.15
    return [Phase("a million walks", steps + 4 * WALKS, 0.0, 5 * steps + 2 * WALKS)]


RUNS: dict[str, Callable[[Workload], list[Phase]]] = {
    "drv to 50 %, exact": drv_exact,
    "dre to 50 %, exact": dre_exact,
    "drv to 50 %, batched": drv_batched,
    "drve to 50 %, batched": drve_batched,
    "breadth-first search": search,
    "PageRank": pagerank,
    "walks": walks,
}


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
    """The boards and the graph."""
    lines = [
        "| board | clock, MHz | bandwidth, GB/s | usable | random accesses, M/s | system, W |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for b in BOARDS:
        lines.append(
            f"| {b.name} | {b.clock / 1e6:.0f} | {b.bandwidth / 1e9:.1f} | {b.usable:.0%} "
            f"| {b.random / 1e6:.0f} | {b.watts:.0f} |"
        )
    lines += [
        "", "| of the graph | |", "|---|---|",
        f"| vertices, arcs | {w.n / 1e6:.0f} M, {w.arcs / 1e6:.0f} M |",
        f"| turns of a walk in bursts of {parameters.defaults()['UNROLL']} | {w.bursts / 1e6:.1f} M |",
        f"| halvings of a far row, average over arcs | {w.rounds:.2f} |",
        f"| CSR, COPRA | {4 * (w.n + w.arcs) / 1e9:.2f} GB, {4 * (4 * w.n + w.arcs) / 1e9:.2f} GB |",
        f"| probes, batches | {PROBES}, {BATCHES} |",
        f"| live share, arcs outside the giant | {SHRINKING:g}, {OUTSIDE:g} |",
    ]  # fmt: skip
    return "\n".join(lines)


# seconds for 30 million vertices that the model is held against, measured on other devices
LOOP_SERIAL = 25.4 * 10  # the batched loop, compiled, serial search, 2-core machine: 25.4 s at 3 million
CPU_WATTS, GPU_WATTS, FPGA_WATTS = 70.0, 245.0, 60.0  # the thesis's wall meter


def claim_table(w: Workload) -> str:
    """What the thesis says of its FPGA, and what the model says."""
    board = BOARDS[0]
    batched, exact = total("drv to 50 %, batched", w, board), total("drv to 50 %, exact", w, board)
    joules = batched * FPGA_WATTS
    rows = [
        ("2 times faster than a serial CPU",
         f"{LOOP_SERIAL / batched:.0f} times, against {LOOP_SERIAL:.0f} s of a compiled serial loop (25.4 s "
         "at 3 M vertices on 2 cores, times 10)"),
        ("3 times less energy than a serial CPU (60 W against 70 W)",
         f"{LOOP_SERIAL * CPU_WATTS / joules:.0f} times less than that loop at {CPU_WATTS:.0f} W"),
        ("10 times (abstract), more than 2 times (text) less energy than the GPU",
         f"{GPU_WATTS / FPGA_WATTS:.1f} times at equal time; no GPU of that time was at hand"),
        ("drv in about the GPU's time",
         f"{batched:.1f} s batched, {exact:.1f} s exact; an H200 takes 0.033 s (exact)"),
    ]  # fmt: skip
    lines = ["| the thesis, DE5-Net | the model, the same board |", "|---|---|"]
    return "\n".join(lines + [f"| {claim} | {found} |" for claim, found in rows])


TABLES: dict[str, Callable[[Workload], str]] = {
    "assumptions": assumption_table,
    "phases": phase_table,
    "totals": total_table,
    "claims": claim_table,
}


def fill_in(page: str) -> str:
    """A page with each ``<!-- model: NAME -->`` ... ``<!-- end -->`` holding the table of that name."""
    w = workload()
    for name, make in TABLES.items():
        marks = re.compile(rf"(<!-- model: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, found = marks.subn(lambda m, make=make: f"{m[1]}{make(w)}\n{m[2]}", page)  # type: ignore[misc]
        if found != 1:
            raise ValueError(f"the page has {found} places for the table {name!r}, not one")
    return page


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(fill_in(path.read_text()))
