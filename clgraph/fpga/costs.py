"""What the model of FPGAs assumes and counts by: boards, the graph, and what a phase costs on a board."""

from __future__ import annotations

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
