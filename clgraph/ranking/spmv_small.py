"""The plan of variant "auto" for small graphs: one launch. Host half of ``cl/ranking/small.cl``."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.sell import Layout, SellSolver, group_sum_bytes
from clgraph.ranking.solver import upload_in_order
from clgraph.ranking.transition_weights import graph_shares

if TYPE_CHECKING:
    from clgraph.device import Device

SOURCES = 65535  # that 16 bits can name
ARCS = 1 << 17  # larger graphs are faster with several launches by the whole device
TURNS = 4096  # iterations in a launch, even: a display driven by the device should not freeze for long
ENDING = 4  # the cost of a slice's end, in steps


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    local : int
        Work-items of the one work-group.
    per : int
        How many rows of a slice a work-item takes.
    layout : Layout
        All sources are hot.
    in_local : bool
        Contributions are in local memory (else in global memory, which a CPU caches).
    """

    local: int
    per: int
    layout: Layout
    in_local: bool
    POWERS: ClassVar[tuple[str, ...]] = ("local", "per")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local = fit_group(self.local, device, each=16)
        layout = replace(self.layout, width=min(self.layout.width, local * self.per))
        return replace(self, local=local, layout=layout)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(1024, per=1, layout=Layout(width=32, hot=SOURCES, long_row=64), in_local=True),
    cpu=LaunchConfig(1, per=8, layout=Layout(width=8, hot=SOURCES, long_row=512), in_local=False),
    simulator=LaunchConfig(8, per=1, layout=Layout(width=4, hot=SOURCES, long_row=6), in_local=True),
)


def _assign(cost: npt.NDArray[Any], first: int, teams: int) -> list[list[int]]:
    """Give slices first, first + 1, ... to teams: the most expensive first, each to the least loaded team."""
    load = [(0, team) for team in range(teams)]
    taken: list[list[int]] = [[] for _ in range(teams)]
    for s in np.argsort(-cost, kind="stable").tolist():
        total, team = heapq.heappop(load)
        taken[team].append(first + s)
        heapq.heappush(load, (total + int(cost[s]) + ENDING, team))
    return taken


def local_bytes(
    device: Device, config: LaunchConfig, sources: int, pieces: int, itemsize: int
) -> tuple[int, int, int]:
    """Bytes of local memory, and the room in it for sources and for pieces.

    The room is rounded up, so that graphs of similar size share a program.
    """
    room, piece_room = -(-sources // 512) * 512, -(-max(1, pieces) // 128) * 128
    box = max(group_sum_bytes(device, config.local), 1024)
    return 2 * (room + 1) * itemsize + 8 * piece_room + box, room, piece_room


class SmallSolver(SellSolver):
    """Many iterations in a launch.

    Attributes
    ----------
    turn_begin, turn : buffers
        The slices that each team takes (``cl/ranking/small.cl``).
    rest : int32 array
        The vertices without out-arcs.
    to_rest : buffer
        By position: the arcs (or their transition weights) from the vertex to those.
    """

    variant = plan = "small"
    config: LaunchConfig
    rooms: dict[str, int]
    hot_parts: dict[str, Any]
    rest: npt.NDArray[np.int32]

    def prepare(self) -> None:
        key = "small", self.numbers.dtype, self.weight if self.weighted else None
        vars(self).update(self.device.cached(self.graph, key, self._make))
        self.order, self.number, self.sources = self.sell.order, self.sell.number, self.sell.sources

    def _make(self) -> dict[str, Any]:
        """Lay out the graph, and assign its slices to teams; all calls on it share this."""
        device, config = self.device, LAUNCH.of(self.device)
        sell = self.sell = self.lay_out(config.layout)
        sources = sell.sources
        if sources > SOURCES:
            raise InputError(
                f"variant 'small' takes at most {SOURCES} vertices with out-arcs, the graph has "
                f"{sources}: use variant 'auto'"
            )
        size = np.dtype(self.real).itemsize
        needed, room, piece_room = local_bytes(device, config, sources, sell.pieces, size)
        if config.in_local and needed > device.local_memory:
            raise InputError(
                f"variant 'small' needs {needed} bytes of local memory for this graph "
                f"({sources} vertices with out-arcs), {device.spec} ({device.name}) has "
                f"{device.local_memory}: use variant 'auto'"
            )
        teams = config.local * config.per // config.layout.width
        pieces, rows = (np.diff(sell.steps_before(device, part)) for part in ("hot_piece", "hot_row"))
        # sources are numbered first; with tol 0 other rows are summed in the last iterations only
        core = -(-sources // config.layout.width)
        lists = _assign(pieces, 0, teams) + _assign(rows[:core], 0, teams) + _assign(rows[core:], core, teams)
        begin = np.zeros(len(lists) + 1, np.int32)
        np.cumsum([len(taken) for taken in lists], out=begin[1:])
        rest = device.download(sell.order, np.int32, sell.n)[sources:]
        return {
            "sell": sell,
            "hot_parts": {name: each for name, each in sell.parts.items() if name.startswith("hot")},
            "chain": config.layout.long_row + sell.longest_join,
            "config": config,
            "rooms": {"LOCAL_SOURCES": room, "LOCAL_PIECES": piece_room} if config.in_local else {},
            "turn_begin": device.upload(begin),
            "turn": device.upload(np.array(list(chain.from_iterable(lists)), np.int32)),
            "rest": rest,
            "to_rest": self._arcs_to_rest(rest),
        }

    def _arcs_to_rest(self, rest: npt.NDArray[np.int32]) -> Any:
        graph, is_rest = self.graph, np.zeros(self.n, bool)
        is_rest[rest] = True
        into_rest = is_rest[graph.col_idx]
        shares = graph_shares(graph, self.problem)
        if shares is not None:
            into_rest = np.where(into_rest, shares, 0)
        by_vertex = np.bincount(graph.tails, weights=into_rest, minlength=self.n)
        return upload_in_order(self.device, self.real, self.sell.order, by_vertex.astype(np.float64))

    def make_work(self) -> dict[str, Any]:
        return {"piece_sum_": self.device.empty(self.sell.pieces, np.float64)}

    def about(self) -> list[str]:
        sell, config = self.sell, self.config
        where = "local memory" if config.in_local else "the caches of a core"
        each = "work-item" if config.local == 1 else f"{config.local} work-items"
        return [
            f"a small graph: all iterations in one launch of one work-group ({each}); the contributions of "
            f"{sell.sources} vertices with out-arcs stay in {where}",
            f"slices of {config.layout.width} rows, {sell.padding:.3f} entries per arc, {sell.pieces} pieces "
            f"of rows of more than {config.layout.long_row} arcs",
        ]

    def build(self, defines: dict[str, Any]) -> None:
        config = self.config
        self._small = self.device.program(
            "ranking/small",
            **defines,
            LOCAL=config.local,
            WIDTH=config.layout.width,
            PER=config.per,
            **self.rooms,
        ).pagerank_small

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        problem, rest, local = self.problem, self.rest, self.config.local
        self.begin()
        # the parts of (1-d) p and q on dangling vertices
        p, q = (
            len(rest) * self.even if values is None else float(values[rest].sum())
            for values in (problem.personalization, problem.dangling)
        )
        named = {
            **self._small.arguments_of(self.sell),
            **self.hot_parts,
            **self._small.arguments_of(self),
            "silent": self.stop.tol == 0,
            "turns": TURNS,
            "rest_p": (1 - self.damping) * p,
            "rest_q": q,
        }
        for done in range(0, self.last, TURNS):
            self._small(local, local=local, **named)
            # the usual call fits one launch, and needs no look
            if self.last > TURNS and self.look()[0]:
                break
            if progress:
                progress(min(done + TURNS, self.last), self.last)
        self.device.finish()
