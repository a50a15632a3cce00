"""The plan of variant "auto" for small graphs: one launch. Host half of ``cl/ranking/small.cl``."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.sell import Layout, Sell, SellRows, group_sum_bytes
from clgraph.ranking.solver import NORMS, Solver
from clgraph.ranking.transition_weights import graph_shares

if TYPE_CHECKING:
    from clgraph.device import Device

SOURCES = 65535  # that 16 bits can name
TURNS = 4096  # iterations in a launch, even: a display driven by the device should not freeze for long
ENDING = 4  # the cost of a slice's end, in steps


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    local : int
        Work-items of the one work-group.
    per : int
        How many rows of a slice a work-item takes.
    layout : Layout
        All sources are hot.
    arcs : int
        Larger graphs are faster with several launches by the whole device.
    in_local : bool
        Contributions are in local memory (else in global memory, which a CPU caches).
    """

    local: int
    per: int
    layout: Layout
    arcs: int
    in_local: bool

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local = fit_group(self.local, device, each=16)
        layout = replace(self.layout, width=min(self.layout.width, local * self.per))
        return replace(self, local=local, layout=layout)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(
        local=1024, per=1, layout=Layout(width=32, hot=SOURCES, long_row=64), arcs=1 << 17, in_local=True
    ),
    cpu=LaunchConfig(
        local=1, per=8, layout=Layout(width=8, hot=SOURCES, long_row=512), arcs=1 << 17, in_local=False
    ),
    simulator=LaunchConfig(
        local=8, per=1, layout=Layout(width=4, hot=SOURCES, long_row=6), arcs=1 << 17, in_local=True
    ),
)


@dataclass(frozen=True)
class Teams:
    """The slices that each team takes (``cl/ranking/small.cl``), and the dangling vertices.

    Attributes
    ----------
    turn_begin, turn : buffers
    rest : int32 array
        The vertices without out-arcs.
    """

    turn_begin: Any
    turn: Any
    rest: npt.NDArray[np.int32]


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
    device: Device, shape: LaunchConfig, sources: int, pieces: int, itemsize: int
) -> tuple[int, int, int]:
    """Bytes of local memory, and the room in it for sources and for pieces.

    The room is rounded up, so that graphs of similar size share a program.
    """
    room, piece_room = -(-sources // 512) * 512, -(-max(1, pieces) // 128) * 128
    box = max(group_sum_bytes(device, shape.local), 1024)
    return 2 * (room + 1) * itemsize + 8 * piece_room + box, room, piece_room


class SmallRows(SellRows):
    """The graph for `SmallSolver`, which launches the kernel."""

    variant = "small"
    balance: Teams

    def prepare(self) -> None:
        device, numbers = self.device, self.numbers
        self.shape = LAUNCH.of(device)
        self.layout = self.shape.layout
        super().prepare()
        sell = self.sell
        if sell.sources > SOURCES:
            raise InputError(
                f"variant 'small' takes at most {SOURCES} vertices with out-arcs, the graph has "
                f"{sell.sources}: use variant 'auto'"
            )
        self.chain = self.layout.long_row + sell.longest_join
        size = np.dtype(numbers.real).itemsize
        self.local_bytes, self.room, self.piece_room = local_bytes(
            device, self.shape, sell.sources, sell.pieces, size
        )
        if self.shape.in_local and self.local_bytes > device.local_memory:
            raise InputError(
                f"variant 'small' needs {self.local_bytes} bytes of local memory for this graph "
                f"({sell.sources} vertices with out-arcs), {device.spec} ({device.name}) has "
                f"{device.local_memory}: use variant 'auto'"
            )
        by = (self.weight,) if self.weighted else ()
        self.to_rest = device.cached(self.graph, ("small-to-rest", numbers.dtype, *by), self._arcs_to_rest)

    def make_balance(self, sell: Sell) -> Teams:
        device, shape = self.device, self.shape
        teams = shape.local * shape.per // shape.layout.width
        pieces, rows = (np.diff(sell.steps_before(device, part)) for part in ("hot_piece", "hot_row"))
        core = -(-sell.sources // shape.layout.width)
        lists = _turns(pieces, 0, teams) + _turns(rows[:core], 0, teams) + _turns(rows[core:], core, teams)
        begin = np.zeros(len(lists) + 1, np.int32)
        np.cumsum([len(taken) for taken in lists], out=begin[1:])
        order = device.download(sell.order, np.int32, sell.n)
        taken = np.array(list(chain.from_iterable(lists)), np.int32)
        return Teams(device.upload(begin), device.upload(taken), order[sell.sources :])

    def _arcs_to_rest(self) -> Any:
        """By position: the arcs (or their shares) from the vertex to dangling ones."""
        graph, rest = self.graph, np.zeros(self.n, bool)
        rest[self.balance.rest] = True
        into_rest = rest[graph.col_idx]
        shares = graph_shares(graph, self.problem)
        if shares is not None:
            into_rest = np.where(into_rest, shares, 0)
        by_vertex = np.bincount(graph.tails, weights=into_rest, minlength=self.n)
        return self.row_order().upload(by_vertex.astype(np.float64))

    def upload(self) -> None:
        self.piece_sum = self.device.empty(self.sell.pieces, np.float64)

    def explain(self) -> list[str]:
        sell, shape = self.sell, self.shape
        where = "local memory" if shape.in_local else "the caches of a core"
        each = "work-item" if shape.local == 1 else f"{shape.local} work-items"
        return [
            f"a small graph: all iterations in one launch of one work-group ({each}); the contributions of "
            f"{sell.sources} vertices with out-arcs stay in {where}",
            f"slices of {shape.layout.width} rows, {sell.padding:.3f} entries per arc, {sell.pieces} pieces "
            f"of rows of more than {shape.layout.long_row} arcs",
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        shape = self.shape
        room = {"LOCAL_SOURCES": self.room, "LOCAL_PIECES": self.piece_room} if shape.in_local else {}
        self.program = self.device.program(
            "ranking/small", **defines, LOCAL=shape.local, WIDTH=shape.layout.width, PER=shape.per, **room
        )


class SmallSolver(Solver):
    """Many iterations in a launch."""

    rows: SmallRows

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        stop, rows, problem = self.stop, self.rows, self.problem
        sell, local, area = rows.sell, rows.shape.local, self.area
        even, d = 1 / self.n, problem.damping
        self.start()
        rest = rows.balance.rest
        pieces, of_rows = sell.arguments("piece"), sell.arguments("row")

        def on_rest(values: npt.NDArray[np.float64] | None) -> float:
            """The sum of a distribution over the dangling vertices."""
            return len(rest) * even if values is None else float(values[rest].sum())

        rest_p, rest_q = (1 - d) * on_rest(problem.personalization), on_rest(problem.dangling)
        for done in range(0, stop.max_iter, TURNS):
            rows.program.pagerank_small.exact(
                local,
                local=local,
                n=self.n,
                sources=sell.sources,
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
                turn_begin=rows.balance.turn_begin,
                turn=rows.balance.turn,
                piece_begin=pieces["hot_begin"],
                piece_index=pieces["hot_index"],
                piece_share=pieces["hot_share"],
                piece_place=sell.piece_place,
                hot_begin_=of_rows["hot_begin"],
                hot_index_=of_rows["hot_index"],
                hot_share_=of_rows["hot_share"],
                first_piece=sell.first_piece,
                to_rest=rows.to_rest,
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
