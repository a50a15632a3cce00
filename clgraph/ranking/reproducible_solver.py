"""Solvers of reproducible PageRank: over a graph in memory, one block of rows, or over those of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.properties import longest_row
from clgraph.csr.upload import DeviceCSR, device_graph
from clgraph.errors import DeviceError, InputError
from clgraph.progress import Tell
from clgraph.ranking.exchange import Exchange
from clgraph.ranking.problem import noise
from clgraph.ranking.reproducible import BLOCK, LAUNCH, PART, Leaving, Prepared, Reals, ReproduciblePower
from clgraph.ranking.solver import DEGREE, launch_order
from clgraph.ranking.transition_weights import sums_of_rows
from clgraph.scale.comm import Ranks
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import Shard

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.results import Arrays
    from clgraph.scale.shards import Shards

PATIENCE = 20  # iterations without a new least residual, as in cl/ranking/pagerank.h


def check_leaving(out: Reals) -> None:
    """Raise an InputError unless W of all vertices are finite."""
    if not np.isfinite(out).all():
        vertex = int(np.argmin(np.isfinite(out)))
        raise InputError(
            f"the weights that leave vertex number {vertex} (counted from 0) add up to more than float64 can "
            "hold: scale the weights"
        )


def tree_sum(blocks: Reals) -> float:
    """Sum block sums: zeros up to a power of two, then halves added to each other."""
    size = 1 << max(len(blocks) - 1, 0).bit_length()
    values = np.zeros(size)
    values[: len(blocks)] = blocks
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[half:]
    return float(values[0])


class ReproducibleSolver:
    """Solver with the interface of `clgraph.ranking.solver.Solver`; a graph in memory is one row block."""

    variant = "fixed"
    round_off_chain = 0
    arrays: Arrays | None = "host"
    _prepared: dict[int, Prepared]  # blocks that stay on the device

    def __init__(
        self, device: Device, graph: Any, problem: Problem, stop: Stop, dtype: str, *, weight: bool
    ) -> None:
        if stop.norm != "l1":
            raise InputError(f"variant 'fixed' stops by the L1 norm: norm {stop.norm!r} is of the others")
        if "HAVE_FP64" not in device.features:
            raise DeviceError(
                f"{device.name}: variant 'fixed' computes in float64, which this device does not have; use "
                "another device or variant"
            )
        self._device, self._graph, self._problem, self._stop = device, graph, problem, stop
        self._dtype, self._kind = np.dtype(dtype), self._what_counts(weight)
        self._config = LAUNCH[dtype].of(device)
        self._longest = 0  # arcs of the longest row, and additions in what leaves a vertex: of float64 ranks
        self._out_chain = 0

    def _what_counts(self, weight: bool) -> str:
        if weight and self._graph.is_weighted:
            return "weights"
        return "counts" if self._graph._is_counted else "arcs"

    @property
    def bound_chain(self) -> int:
        """The longest chain of additions in the rows and in W; valid after `take`."""
        if self._dtype == np.float32:
            return 0
        # a row's lanes and parts, or the tree of the dangling mass
        row = min(self._longest, PART) // 32 + 6 + self._longest // PART
        tree = (BLOCK * max(self._problem.n // BLOCK, 1)).bit_length() + 1
        return max(row, tree) + self._out_chain

    def explain(self) -> tuple[str, ...]:
        """Explain what was chosen and why, one line each."""
        sums = "exact sums" if self._dtype == np.float32 else "sums in float64, of one shape"
        return (f"variant fixed on {self._device.name}: {sums} on every device",)

    def upload(self) -> None:
        """Upload the graph, and allocate and fill the vectors.

        What calls on the same graph share is cached with it.
        """
        device, graph = self._device, self._graph
        key, reverse = (self._kind, self._dtype.name), graph.reverse  # which the host may have to make
        leaving, self._out_chain = device.cached(graph, ("fixed-leaving", *key), self._leaving)
        self._begin(leaving, Ranks(), ())

        def prepare() -> tuple[Prepared, int]:
            back = device_graph(device, reverse).rows
            return self._power.prepare(back), longest_row(device, back)

        prepared, self._longest = device.cached(graph, ("fixed-rows", *key), prepare)
        self._prepared = {0: prepared}

    def _begin(self, leaving: Leaving, ranks: Ranks, shards: tuple[Shard, ...]) -> None:
        """Allocate the vectors and the exchange with other ranks."""
        device, dtype, kind = self._device, self._dtype.name, self._kind
        self._power = ReproduciblePower(device, leaving, self._problem, dtype=dtype, kind=kind)
        self._exchange = Exchange(ranks, device, self._power, shards)

    def _leaving(self) -> tuple[Leaving, int]:
        """Return the weight that leaves each vertex, and its longest chain of additions."""
        device, graph, kind = self._device, self._graph, self._kind
        if graph.directed and graph.is_on_host:  # its own heads are not needed on the device
            row_ptr = device.upload(graph.row_ptr)
            rows = DeviceCSR(graph.num_vertices, graph.num_arcs, row_ptr, None, graph._offset_type)
            values = {"arcs": None, "weights": graph.weights, "counts": graph.multiplicity}[kind]
            values = None if values is None else device.upload(values)
        else:
            rows = device_graph(device, graph).rows
            values = rows.values.get("weights" if kind == "weights" else "multiplicity")
        if kind == "arcs":
            out = device.empty(rows.n, np.float64)
            given = {"form": DEGREE, "order": None, "row_ptr": rows.row_ptr, "out": out}
            launch_order(device, np.float64, "leaving", rows.n, offset=rows.defines["OFFSET"], **given)
        else:
            out = sums_of_rows(device, rows, values, dtype=np.float64 if kind == "weights" else np.int32)
        chain = 0  # counts add up exactly
        # counts are whole numbers below 2**53: their sums are exact and finite
        if kind == "weights":
            check_leaving(device.download(out, np.float64, rows.n))
            chain = longest_row(device, rows)
        return Leaving(device, rows.n, out, kind, self._config), chain

    def _blocks(self) -> Iterator[Prepared]:
        """The rows to compute in an iteration."""
        yield from self._prepared.values()

    def compile(self) -> None:
        """Kernels are built where they are first launched."""

    def run(self, progress: Tell | None = None) -> None:
        """Iterate until the L1 residual is below the threshold, or roundings forbid it; tol 0: to the end."""
        power, exchange, stop = self._power, self._exchange, self._stop
        cycles_below = noise(stop, power.d, self._dtype.name)
        mass = tree_sum(exchange.sums()[:, 0])
        residual = least = np.inf
        stale = iteration = 0
        met = False
        while iteration < stop.max_iter:
            iteration += 1
            for prepared in self._blocks():
                power.rows(prepared, mass)
            added = exchange()
            power.advance()  # while the sums are on their way
            sums = added()
            mass, residual = tree_sum(sums[:, 0]), tree_sum(sums[:, 1])
            met = stop.tol > 0 and residual < stop.threshold
            least, stale = (residual, 0) if residual < least else (least, stale + 1)
            if met or (residual < cycles_below and stale >= PATIENCE):
                break
            if progress:
                progress(iteration, stop.max_iter)
        self._ended = iteration, met, residual, residual

    def take(self) -> tuple[Any, int, bool, float, float]:
        """Return ranks, iterations, whether the test was met, and the residual (L1, norm)."""
        power = self._power
        ranks = (
            power.device.array(power.x, power.dtype.type, power.n)
            if self.arrays == "device"
            else self._exchange.complete()
        )
        return ranks, *self._ended

    def give_back(self) -> None:
        """Nothing to do: the vectors belong to this call."""


class ShardsSolver(ReproducibleSolver):
    """Solver for a rank's part of a dataset, or for blocks in memory.

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
        """Describe the run in a line."""
        return (f"fixed: {len(self._shards)} shards, {self._ranks.size} ranks",)

    def upload(self) -> None:
        """Allocate and fill the vectors; rows come when they are needed."""
        device, n = self._device, self._problem.n
        out = self._graph.leaving
        check_leaving(out)
        with device.alone():
            leaving = Leaving(device, n, device.upload(out), self._kind, self._config)
            del out  # 8 bytes per vertex, which the vectors need
            device.finish()  # it is freed before the vectors are made
            self._begin(leaving, self._ranks, self._shards)
        needed = {"weights": ("weights",), "counts": ("multiplicity",), "arcs": ()}[self._kind]
        self._loading = Loading(device, self._graph, values=needed)
        # a device in the host's memory leaves half of it to the host, which reads the files; others leave an
        # eighth to the driver
        self._room = device.global_memory * (4 if device.shares_memory else 7) // 8 - sum(
            self._power.memory(n, self._dtype, leaving.place is not None).values()
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

    def take(self) -> tuple[Any, int, bool, float, float]:
        """As for a graph; raises an InputError if a weight is invalid."""
        found, device = super().take(), self._device
        with device.alone():
            bad = device.download(self._power.bad, np.int32, 1)[0]
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
