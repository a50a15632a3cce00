"""The solver of variant "fixed": over a graph's rows as one block, or over those of a dataset, by ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.facts import longest_row
from clgraph.csr.upload import DeviceCSR, parts_of
from clgraph.errors import InputError
from clgraph.progress import Tell
from clgraph.ranking.fixed import (
    FixedPower,
    Leaving,
    Prepared,
    additions,
    check_doubles,
    check_leaving,
    exact_vectors,
    iterate,
    shape_of,
)
from clgraph.ranking.order import order_program
from clgraph.ranking.shards_exchange import Exchange
from clgraph.ranking.transition_weights import sums_of_rows
from clgraph.scale.comm import Alone, Ranks
from clgraph.scale.loading import Loading

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.scale.manifest import Shard
    from clgraph.scale.shards import Shards


class FixedSolver:
    """Takes the same steps as `clgraph.ranking.solver.Solver`; a graph in memory is one block of rows."""

    variant = "fixed"
    round_off_chain = 0
    _prepared: dict[int, Prepared]  # blocks that stay on the device

    def __init__(
        self, device: Device, graph: Any, problem: Problem, stop: Stop, dtype: str, *, weight: bool
    ) -> None:
        if stop.norm != "l1":
            raise InputError(f"variant 'fixed' stops by the L1 norm: norm {stop.norm!r} is of the others")
        check_doubles(device)
        self._device, self._graph, self._problem, self._stop = device, graph, problem, stop
        self._dtype, self._kind = np.dtype(dtype), self._what_counts(weight)
        self._vectors = exact_vectors(problem)
        self._longest = 0  # arcs of the longest row, and additions in what leaves a vertex: of float64 ranks
        self._out_chain = 0

    def _what_counts(self, weight: bool) -> str:
        if weight and self._graph.is_weighted:
            return "weights"
        return "counts" if self._graph._is_counted else "arcs"

    @property
    def bound_chain(self) -> int:
        """The longest chain of additions, of the rows and of W; after `take`."""
        if self._dtype == np.float32:
            return 0
        return additions(self._problem.n, self._longest) + self._out_chain

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        sums = "exact sums" if self._dtype == np.float32 else "sums in float64, of one shape"
        return (f"variant fixed on {self._device.name}: {sums} on every device",)

    def upload(self) -> None:
        """Bring the graph to the device, and allocate and fill the vectors.

        What calls on the same graph have in common is kept with it.
        """
        device, graph = self._device, self._graph
        key, reverse = (self._kind, self._dtype.name), graph.reverse  # which the host may have to make
        leaving, self._out_chain = device.cached(graph, ("fixed-leaving", *key), self._leaving)
        self._begin(leaving, Alone(), ())

        def prepare() -> tuple[Prepared, int]:
            back = parts_of(device, reverse)
            values = {"weights": back.weights, "multiplicity": back.multiplicity}
            return self._power.prepare(replace(back.rows, values=values)), longest_row(device, back.rows)

        prepared, self._longest = device.cached(graph, ("fixed-rows", *key), prepare)
        self._prepared = {0: prepared}

    def _begin(self, leaving: Leaving, ranks: Ranks, shards: tuple[Shard, ...]) -> None:
        """Make the vectors, and what brings in those of other ranks."""
        self._power = FixedPower(
            self._device, leaving, **self._vectors, dtype=self._dtype.name, kind=self._kind
        )
        self._exchange = Exchange(ranks, self._device, self._power, shards)

    def _leaving(self) -> tuple[Leaving, int]:
        """The weight that leaves each vertex, and the longest chain of additions in it."""
        device, graph, kind = self._device, self._graph, self._kind
        if graph.directed and graph.is_on_host:  # its own heads are not wanted on the device
            row_ptr = device.upload(graph.row_ptr)
            rows = DeviceCSR(graph.num_vertices, graph.num_arcs, row_ptr, None, graph._offset_type)
            values = {"arcs": None, "weights": graph.weights, "counts": graph.multiplicity}[kind]
            there = None if values is None else device.upload(values)
        else:
            parts = parts_of(device, graph)
            rows, there = parts.rows, parts.weights if kind == "weights" else parts.multiplicity
        if kind == "arcs":
            out = device.empty(rows.n, np.float64)
            program, items = order_program(device, np.float64, rows)
            program.order_out(-(-rows.n // items), n=rows.n, row_ptr=rows.row_ptr, out=out)
        else:
            out = sums_of_rows(device, rows, there, dtype=np.float64 if kind == "weights" else np.int32)
        chain = 0  # counts add up exactly
        if kind == "weights":
            check_leaving(device.download(out, np.float64, rows.n))
            chain = longest_row(device, rows)
        return Leaving.of(device, rows.n, out, kind, shape_of(device, self._dtype.name)), chain

    def _blocks(self) -> Iterator[Prepared]:
        """The rows to compute in an iteration."""
        yield from self._prepared.values()

    def compile(self) -> None:
        """Kernels are built where they are first launched."""

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the test is met, roundings forbid it, or `max_iter` iterations are done."""
        exchange = self._exchange
        self._ended = iterate(
            self._power,
            self._blocks,
            exchange,
            start_sums=exchange.sums(),
            stop=self._stop,
            progress=progress,
        )

    def take(self, *, on_device: bool = False) -> tuple[Any, int, bool, float, float]:
        """Ranks, iterations, whether the test was met, and the residual (L1, norm)."""
        iterations, residual, met = self._ended
        ranks = self._power.on_device() if on_device else self._exchange.complete()
        return ranks, iterations, met, residual, residual

    def give_back(self) -> None:
        """The vectors are not lent."""


class ShardsSolver(FixedSolver):
    """The same of a rank's part of a dataset, or of blocks in memory.

    Shards stay on the device where they fit, and are read in each iteration otherwise. The device is locked
    for one at a time.
    """

    def __init__(self, ranks: Ranks, device: Device, shards: Shards, *problem: Any, weight: bool) -> None:
        self._ranks, self._name = ranks, "in" if shards.directed else "rows"
        self._shards = shards.section(self._name).shards
        super().__init__(device, shards, *problem, weight=weight)

    def _what_counts(self, weight: bool) -> str:
        manifest = self._graph.manifest
        if weight or not manifest.weights:
            return "weights" if manifest.weights else "counts" if manifest.multiplicity else "arcs"
        merged = " with merged parallel arcs" if manifest.multiplicity else ""
        raise InputError(
            f"weight=False of a weighted dataset{merged} is not offered for shards; convert the graph "
            "without weights"
        )

    def explain(self) -> tuple[str, ...]:
        """What was chosen, in a line."""
        return (f"fixed: {len(self._shards)} shards, {self._ranks.size} ranks",)

    def upload(self) -> None:
        """Allocate and fill the vectors; rows come when they are needed."""
        device, n, dtype = self._device, self._problem.n, self._dtype.name
        out = self._graph.leaving
        check_leaving(out)
        with device.alone():
            leaving = Leaving.of(device, n, device.upload(out), self._kind, shape_of(device, dtype))
            del out
            device.finish()  # it is freed before the vectors are made
            self._begin(leaving, self._ranks, self._shards)
        wanted = {"weights": ("weights",), "counts": ("multiplicity",), "arcs": ()}[self._kind]
        self._loading = Loading(device, self._graph, values=wanted)
        # a device in the host's memory leaves half of it to the host, which reads the files; others leave an
        # eighth to the driver
        self._room = device.global_memory * (4 if device.shares_memory else 7) // 8 - sum(
            self._power.memory(n, dtype, leaving.place is not None).values()
        )
        self._prepared = {}
        self._lengths: dict[int, int] = {}  # the longest row of each shard

    def _blocks(self) -> Iterator[Prepared]:
        device, share = self._device, 1 if self._kind == "arcs" else 8
        yield from self._prepared.values()
        own = self._ranks.shares(len(self._shards))
        for block in self._loading.rows(self._name, [each for each in own if each not in self._prepared]):
            with device.alone():
                prepared = self._power.prepare(block)
                if self._dtype == np.float64 and block.number not in self._lengths:
                    self._lengths[block.number] = longest_row(device, block)
            size = block.nbytes + share * block.arcs
            if size <= self._room:
                self._room -= size
                self._prepared[block.number] = prepared
            yield prepared

    def take(self, *, on_device: bool = False) -> tuple[Any, int, bool, float, float]:
        """As of a graph; raises InputError if a weight is none."""
        found = super().take(on_device=on_device)
        with self._device.alone():
            bad = self._power.found_bad_weight()
        own = np.array([bad, max(self._lengths.values(), default=0)], np.int64)
        bad, self._longest = np.max(self._ranks.everywhere(own), axis=0).tolist()
        if bad:
            raise InputError(
                f"a weight of {self._graph.folder} is negative or not finite: PageRank needs finite weights "
                "that are not negative"
            )
        if self._kind == "weights":  # how many weights leave a vertex is in no section of a directed graph
            self._out_chain = self._problem.n if self._graph.directed else self._longest
        return found
