"""How long the pipelines of ``cl/fpga`` should take on a board: cycles, bytes and random accesses by phase.

No board was available: this is arithmetic on the loops as they are written, under the assumptions of
`clgraph.fpga.costs` and `clgraph.fpga.phases`. They are printed in ``docs/fpga.md``, whose tables this module
writes::

    python -m clgraph.fpga.model docs/fpga.md

A phase takes as long as the slower of two: its cycles (the iterations of its loops, and a latency for each
loop that starts) at the clock, and its memory accesses (bytes streamed at the usable bandwidth plus random
accesses at the rate of row activations).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from clgraph.fpga import parameters
from clgraph.fpga.costs import BOARDS, LATENCY, Board, Workload, workload
from clgraph.fpga.phases import BATCHES, OUTSIDE, PROBES, RUNS, SHRINKING


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
    path = Path(sys.argv[1])
    path.write_text(fill_in(path.read_text()))
