"""The plan of variant "auto" for small graphs: host half of ``cl/ranking/small.cl``."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.ranking.auto import fill_slices, slices_of
from clgraph.ranking.rows import Numbers, Rows
from clgraph.ranking.solver import NORMS, Solver

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem

SOURCES = 65535  # that 16 bits can name
TURNS = 4096  # iterations in a launch, even: a display that hangs on the device should not freeze for long
ENDING = 4  # what the end of a slice costs, in steps


@dataclass(frozen=True)
class SmallShape:
    """Launch shape.

    Attributes
    ----------
    local : int
        Work-items of the one work-group.
    width, per : int
        Rows of a slice, and those of them that a work-item takes.
    long_row : int
        Longer rows are cut into pieces.
    arcs : int
        Larger graphs are better off with several launches by the whole device.
    in_local : bool
        What travels is held in local memory (else in global memory, which a CPU caches).
    """

    local: int
    width: int
    per: int
    long_row: int
    arcs: int
    in_local: bool


_CPU = SmallShape(local=1, width=8, per=8, long_row=512, arcs=1 << 17, in_local=False)
SHAPES: dict[Kind, SmallShape] = {
    "gpu": SmallShape(local=1024, width=32, per=1, long_row=64, arcs=1 << 17, in_local=True),
    "cpu": _CPU,
    "emulator": _CPU,
    "fpga": _CPU,
    "simulator": SmallShape(local=8, width=4, per=1, long_row=6, arcs=1 << 17, in_local=True),
}


@dataclass
class SmallBuffers:
    """The graph on the device."""

    order: npt.NDArray[np.int32]
    sources: int
    pieces: int
    turn_begin: Any
    turn: Any
    piece_args: tuple[Any, ...]
    row_args: tuple[Any, ...]
    first_piece: Any
    to_rest: Any
    chain: int
    padding: float


def _turns(cost: npt.NDArray[Any], first: int, teams: int) -> list[list[int]]:
    """Give slices first, first + 1, ... to teams, the dearest first to whoever has least."""
    load = [(0, team) for team in range(teams)]
    taken: list[list[int]] = [[] for _ in range(teams)]
    for s in np.argsort(-cost, kind="stable").tolist():
        total, team = heapq.heappop(load)
        taken[team].append(first + s)
        heapq.heappush(load, (total + int(cost[s]) + ENDING, team))
    return taken


def local_bytes(sources: int, pieces: int, itemsize: int) -> tuple[int, int, int]:
    """Local memory wanted, and the room in it (rounded up, so that graphs of like size share a program)."""
    room, piece_room = -(-sources // 512) * 512, -(-max(1, pieces) // 128) * 128
    return 2 * (room + 1) * itemsize + 8 * piece_room + 1024, room, piece_room


class SmallRows(Rows):
    """The graph for `SmallSolver`; it enqueues nothing by itself."""

    variant = "small"
    shift = 1

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.how = SHAPES[device.kind]
        key: tuple[Any, ...] = ("pagerank-small", self.how)
        if problem.weights is not None:
            key += (weight, numbers.dtype)
        key += (numbers.dtype,)
        self.kept: SmallBuffers = device.cached(graph, key, lambda: self._make(graph))
        self.order, self.chain = self.kept.order, self.kept.chain
        size = np.dtype(numbers.real).itemsize
        self.local_bytes, self.room, self.piece_room = local_bytes(self.kept.sources, self.kept.pieces, size)
        if self.how.in_local and self.local_bytes > device.local_memory:
            raise InputError(
                f"variant 'small' needs {self.local_bytes} bytes of local memory for this graph "
                f"({self.kept.sources} vertices with out-arcs), {device.spec} ({device.name}) has "
                f"{device.local_memory}: use variant 'auto'"
            )

    def _make(self, graph: Graph) -> SmallBuffers:
        how, upload, real = self.how, self.device.upload, self.numbers.real
        made = slices_of(graph, self.problem, width=how.width, hot=SOURCES, long_row=how.long_row, classes=())
        if made.sources > SOURCES:
            raise InputError(
                f"variant 'small' takes at most {SOURCES} vertices with out-arcs, the graph has "
                f"{made.sources}: use variant 'auto'"
            )
        teams = how.local * how.per // how.width
        pieces, rows = np.diff(made.hot_pieces), np.diff(made.hot_rows)
        core = -(-made.sources // how.width)
        lists = _turns(pieces, 0, teams) + _turns(rows[:core], 0, teams) + _turns(rows[core:], core, teams)
        begin = np.zeros(len(lists) + 1, np.int32)
        np.cumsum([len(taken) for taken in lists], out=begin[1:])

        row_part, piece_part = fill_slices(self.device, made, real)
        rest = np.zeros(self.n, bool)
        rest[made.order[made.sources :]] = True
        into_rest = rest[graph.col_idx]
        if self.problem.weights is not None:
            out = np.repeat(self.problem.out, np.diff(graph.row_ptr))
            share = np.divide(self.problem.weights, out, out=np.zeros_like(out), where=out > 0)
            into_rest = np.where(into_rest, share, 0)
        to_rest = np.bincount(graph.rows, weights=into_rest, minlength=self.n)[made.order]
        return SmallBuffers(
            order=made.order,
            sources=made.sources,
            pieces=made.pieces,
            turn_begin=upload(begin),
            turn=upload(np.array(list(chain.from_iterable(lists)), np.int32)),
            piece_args=(*piece_part.args[:3], upload(made.piece_place)),
            row_args=row_part.args[:3],
            first_piece=upload(made.first_piece),
            to_rest=upload(to_rest.astype(real)),
            chain=how.long_row + int(np.diff(made.first_piece).max(initial=0)),
            padding=made.padding,
        )

    def upload(self) -> None:
        self.piece_sum = self.device.empty(self.kept.pieces, np.float64)

    def explain(self) -> list[str]:
        kept, how = self.kept, self.how
        where = "local memory" if how.in_local else "the caches of a core"
        each = "work-item" if how.local == 1 else f"{how.local} work-items"
        return [
            f"a small graph: all iterations in one launch of one work-group ({each}); what travels from "
            f"{kept.sources} vertices with out-arcs stays in {where}",
            f"slices of {how.width} rows, {kept.padding:.3f} entries an arc, {kept.pieces} pieces of rows of "
            f"more than {how.long_row} arcs",
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        how = self.how
        room = {"LOCAL_SOURCES": self.room, "LOCAL_PIECES": self.piece_room} if how.in_local else {}
        self.program = self.device.program(
            "ranking/small", **defines, LOCAL=how.local, WIDTH=how.width, PER=how.per, **room
        )


class SmallSolver(Solver):
    """Many iterations in a launch."""

    rows: SmallRows

    def run(self) -> None:
        """Iterate until the test is met or `max_iter` iterations are done."""
        wide, stop, rows, problem = self.numbers.wide, self.stop, self.rows, self.problem
        kept, how = rows.kept, rows.how
        even, d = 1 / self.n, problem.damping
        self.start()
        rest = kept.order[kept.sources :]

        def on_rest(values: npt.NDArray[np.float64] | None) -> float:
            return len(rest) * even if values is None else float(values[rest].sum())

        rest_p, rest_q = (1 - d) * on_rest(problem.personalization), on_rest(problem.dangling)
        for _ in range(0, stop.max_iter, TURNS):
            rows.program.pagerank_small.exact(
                how.local,
                np.int32(self.n),
                np.int32(kept.sources),
                np.int32(stop.tol == 0),
                np.int32(TURNS),
                np.int32(stop.max_iter),
                wide(stop.threshold),
                wide(rest_p),
                wide(rest_q),
                wide(d),
                wide(even),
                np.int32(NORMS[stop.norm]),
                np.int32(problem.drop),
                kept.turn_begin,
                kept.turn,
                *kept.piece_args,
                *kept.row_args,
                kept.first_piece,
                kept.to_rest,
                self._inverse,
                self._p,
                self._q,
                self._rank,
                self._travel,
                self._next,
                rows.piece_sum,
                self._sums,
                self._state,
                local=how.local,
            )
            if stop.max_iter > TURNS and self.stopped():
                break
        self.device.finish()
