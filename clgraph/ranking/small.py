"""The plan of variant "auto" for small graphs: one launch. Host half of ``cl/ranking/small.cl``."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import OfKind, Shapes, fitting
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.layout import make_slices
from clgraph.ranking.rows import Rows
from clgraph.ranking.shares import graph_shares
from clgraph.ranking.slices import box_bytes, place_sorted
from clgraph.ranking.solver import NORMS, Solver

if TYPE_CHECKING:
    from clgraph.device import Device

SOURCES = 65535  # that 16 bits can name
TURNS = 4096  # iterations in a launch, even: a display driven by the device should not freeze for long
ENDING = 4  # the cost of a slice's end, in steps


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    local : int
        Work-items of the one work-group.
    width, per : int
        Rows of a slice, and how many of them a work-item takes.
    long_row : int
        Longer rows are cut into pieces.
    arcs : int
        Larger graphs are faster with several launches by the whole device.
    in_local : bool
        Contributions are in local memory (else in global memory, which a CPU caches).
    """

    local: int
    width: int
    per: int
    long_row: int
    arcs: int
    in_local: bool

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits."""
        local = fitting(self.local, device, each=16)
        return replace(self, local=local, width=min(self.width, local * self.per))


SHAPES = Shapes(
    gpu=Shape(local=1024, width=32, per=1, long_row=64, arcs=1 << 17, in_local=True),
    cpu=Shape(local=1, width=8, per=8, long_row=512, arcs=1 << 17, in_local=False),
    simulator=Shape(local=8, width=4, per=1, long_row=6, arcs=1 << 17, in_local=True),
)


@dataclass(frozen=True)
class SmallBuffers:
    """The graph on the device.

    Attributes
    ----------
    order : int32 array, shape (n,)
        On the host; `order_buffer` is the same on the device.
    sources, pieces : int
        Vertices that have out-arcs; pieces of long rows.
    turn_begin, turn : buffers
        The slices that each team takes (``cl/ranking/small.cl``).
    slices : dict of buffers
        begin, index and share of the slices of pieces (and each row's piece), and of the slices of rows.
    first_piece : buffer
    to_rest : buffer
        By position: the arcs (or their shares) from the vertex to dangling ones.
    chain : int
        The longest chain of additions of a row.
    padding : float
        Stored entries for each arc.
    """

    order: npt.NDArray[np.int32]
    order_buffer: Any
    sources: int
    pieces: int
    turn_begin: Any
    turn: Any
    slices: dict[str, Any]
    first_piece: Any
    to_rest: Any
    chain: int
    padding: float


def _turns(cost: npt.NDArray[Any], first: int, teams: int) -> list[list[int]]:
    """Give slices first, first + 1, ... to teams: the most expensive first, each to the least loaded team."""
    load = [(0, team) for team in range(teams)]
    taken: list[list[int]] = [[] for _ in range(teams)]
    for s in np.argsort(-cost, kind="stable").tolist():
        total, team = heapq.heappop(load)
        taken[team].append(first + s)
        heapq.heappush(load, (total + int(cost[s]) + ENDING, team))
    return taken


def local_bytes(
    device: Device, shape: Shape, sources: int, pieces: int, itemsize: int
) -> tuple[int, int, int]:
    """Bytes of local memory, and the room in it for sources and for pieces.

    The room is rounded up, so that graphs of similar size share a program.
    """
    room, piece_room = -(-sources // 512) * 512, -(-max(1, pieces) // 128) * 128
    box = max(box_bytes(device, shape.local), 1024)
    return 2 * (room + 1) * itemsize + 8 * piece_room + box, room, piece_room


class SmallRows(Rows):
    """The graph for `SmallSolver`, which launches the kernel."""

    variant = "small"
    shift = 1

    def prepare(self) -> None:
        device, dtype = self.device, self.numbers.dtype
        self.shape = SHAPES.of(device)
        self.plan = (self.variant, self.shape)
        by = (self.weight,) if self.weighted else ()
        self.kept: SmallBuffers = device.cached(self.graph, ("small", self.shape, dtype, *by), self._make)
        self.order, self.chain = self.kept.order_buffer, self.kept.chain
        size = np.dtype(self.numbers.real).itemsize
        self.local_bytes, self.room, self.piece_room = local_bytes(
            device, self.shape, self.kept.sources, self.kept.pieces, size
        )
        if self.shape.in_local and self.local_bytes > device.local_memory:
            raise InputError(
                f"variant 'small' needs {self.local_bytes} bytes of local memory for this graph "
                f"({self.kept.sources} vertices with out-arcs), {device.spec} ({device.name}) has "
                f"{device.local_memory}: use variant 'auto'"
            )

    def _make(self) -> SmallBuffers:
        graph, shape, upload, real = self.graph, self.shape, self.device.upload, self.numbers.real
        shares = graph_shares(graph, self.problem)
        made = make_slices(
            graph.row_ptr,
            graph.col_idx,
            shares,
            width=shape.width,
            hot=SOURCES,
            long_row=shape.long_row,
            classes=(),
        )
        if made.sources > SOURCES:
            raise InputError(
                f"variant 'small' takes at most {SOURCES} vertices with out-arcs, the graph has "
                f"{made.sources}: use variant 'auto'"
            )
        teams = shape.local * shape.per // shape.width
        pieces, rows = np.diff(made.hot_pieces), np.diff(made.hot_rows)
        core = -(-made.sources // shape.width)
        lists = _turns(pieces, 0, teams) + _turns(rows[:core], 0, teams) + _turns(rows[core:], core, teams)
        begin = np.zeros(len(lists) + 1, np.int32)
        np.cumsum([len(taken) for taken in lists], out=begin[1:])

        names, pieces_of = ("begin", "index", "share"), place_sorted(self.device, made, real)
        rest = np.zeros(self.n, bool)
        rest[made.order[made.sources :]] = True
        into_rest = rest[graph.col_idx]
        if shares is not None:
            into_rest = np.where(into_rest, shares, 0)
        to_rest = np.bincount(graph.rows, weights=into_rest, minlength=self.n)[made.order]
        return SmallBuffers(
            order=made.order,
            order_buffer=upload(made.order),
            sources=made.sources,
            pieces=made.pieces,
            turn_begin=upload(begin),
            turn=upload(np.array(list(chain.from_iterable(lists)), np.int32)),
            slices={
                **{f"piece_{name}": pieces_of[f"hot_piece_{name}"] for name in names},
                "piece_place": upload(made.piece_place),
                **{f"hot_{name}_": pieces_of[f"hot_row_{name}"] for name in names},
            },
            first_piece=upload(made.first_piece),
            to_rest=upload(to_rest.astype(real)),
            chain=shape.long_row + int(np.diff(made.first_piece).max(initial=0)),
            padding=made.padding,
        )

    def upload(self) -> None:
        self.piece_sum = self.device.empty(self.kept.pieces, np.float64)

    def explain(self) -> list[str]:
        kept, shape = self.kept, self.shape
        where = "local memory" if shape.in_local else "the caches of a core"
        each = "work-item" if shape.local == 1 else f"{shape.local} work-items"
        return [
            f"a small graph: all iterations in one launch of one work-group ({each}); the contributions of "
            f"{kept.sources} vertices with out-arcs stay in {where}",
            f"slices of {shape.width} rows, {kept.padding:.3f} entries per arc, {kept.pieces} pieces of rows "
            f"of more than {shape.long_row} arcs",
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        shape = self.shape
        room = {"LOCAL_SOURCES": self.room, "LOCAL_PIECES": self.piece_room} if shape.in_local else {}
        self.program = self.device.program(
            "ranking/small", **defines, LOCAL=shape.local, WIDTH=shape.width, PER=shape.per, **room
        )


class SmallSolver(Solver):
    """Many iterations in a launch."""

    rows: SmallRows

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        stop, rows, problem = self.stop, self.rows, self.problem
        kept, local, area = rows.kept, rows.shape.local, self.area
        even, d = 1 / self.n, problem.damping
        self.start()
        rest = kept.order[kept.sources :]

        def on_rest(values: npt.NDArray[np.float64] | None) -> float:
            """The sum of a distribution over the dangling vertices."""
            return len(rest) * even if values is None else float(values[rest].sum())

        rest_p, rest_q = (1 - d) * on_rest(problem.personalization), on_rest(problem.dangling)
        for done in range(0, stop.max_iter, TURNS):
            rows.program.pagerank_small.exact(
                local,
                local=local,
                n=self.n,
                sources=kept.sources,
                silent=stop.tol == 0,
                turns=TURNS,
                last=stop.max_iter,
                threshold=stop.threshold,
                noise=self.noise,
                rest_p=rest_p,
                rest_q=rest_q,
                damping=d,
                even=even,
                norm=NORMS[stop.norm],
                drop=problem.drop,
                turn_begin=kept.turn_begin,
                turn=kept.turn,
                **kept.slices,
                first_piece=kept.first_piece,
                to_rest=kept.to_rest,
                inverse=self.vectors.inverse,
                p=self.vectors.p,
                q=self.vectors.q,
                rank=area.rank,
                contribution=area.contribution,
                contribution_too=area.next,
                piece_sum_=rows.piece_sum,
                sums=area.sums,
                state=area.state,
            )
            if stop.max_iter > TURNS and self.stopped():
                break
            if progress:
                progress(min(done + TURNS, stop.max_iter), stop.max_iter)
        self.device.finish()
