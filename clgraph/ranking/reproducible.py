"""Reproducible PageRank: the summation order is fixed, so results are bitwise equal on all devices.

Host half of ``cl/ranking/fixed.cl``, ``fixed_leaving.cl``, ``fixed_integers.cl`` (float32 ranks), on GPUs
``fixed_windows.cl``, and, where several processes share the rows, ``shards_exchange.cl``. The same ranks,
byte for byte, on every device with float64, for any cut of the rows into blocks, and for any number of those
processes (`clgraph.scale`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import fsum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.properties import longest_row
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, device_graph
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local
from clgraph.device.memory import Staging
from clgraph.errors import DeviceError, InputError
from clgraph.progress import Tell
from clgraph.ranking.problem import noise
from clgraph.ranking.solver import DEGREE, launch_order
from clgraph.ranking.transition_weights import sums_of_rows
from clgraph.scale.comm import Ranks
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import Shard
from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.results import Arrays
    from clgraph.scale.shards import Shards

# both belong to the definition of the sums: other numbers give other bytes
BLOCK = 4096  # vertices whose values are added up as one tree
PART = 1 << 20  # entries of a row that are added up as one (float64 ranks)
PIECE = 1 << 13  # entries of a long row that a work-group adds up (float32 ranks: any number gives the same)
PATIENCE = 20  # iterations without a new least residual, as in cl/ranking/pagerank.h
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    span : int
        Rows and entries of a window, a multiple of 32; 0: a work-item takes `items` rows, whatever their
        lengths.
    items : int
    width : int
        Work-items that add up a block, or a window (a multiple of 32).
    """

    span: int
    items: int
    width: int

    def over(self, count: int) -> int:
        """Work-items that take `items` each."""
        return -(-count // self.items)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: where groups of 32 are too large, there are none."""
        if not self.span:
            return self
        width = fit_group(self.width, device)
        span = fit_local(self.span, 40 * self.span, device)
        if width < 32 or span < 32:
            return ALONE
        return replace(self, width=width, span=span // 32 * 32)


ALONE = LaunchConfig(span=0, items=64, width=1)
_SMALL = LaunchConfig(span=32, items=1, width=32)
# a window of float32 ranks takes half the local memory
LAUNCH = {
    "float32": LaunchTable(gpu=LaunchConfig(span=1024, items=1, width=256), cpu=ALONE, simulator=_SMALL),
    "float64": LaunchTable(gpu=LaunchConfig(span=512, items=1, width=256), cpu=ALONE, simulator=_SMALL),
}


class Leaving:
    """The weight that leaves each vertex, in the forms that all calls on a graph share.

    Parameters
    ----------
    device : Device
    n : int
    out : float64 device buffer, shape (n,)
        W of each vertex.
    kind : {"weights", "counts", "arcs"}
        Of the rows, as of `ReproduciblePower`.
    config : LaunchConfig

    Attributes
    ----------
    out : float64 device buffer, shape (n,), or None
        None where no `ReproduciblePower.prepare` needs it.
    inverse : float64 device buffer, shape (n,)
        1 / W, 0 where nothing leaves.
    dangling : uint8 device buffer, shape (n,)
        1 where nothing leaves.
    place : int32 device buffer, shape (n,), or None
        The place of each vertex if they are sorted by W: hot values share the cache.
    """

    def __init__(self, device: Device, n: int, out: Any, kind: str, config: LaunchConfig) -> None:
        self.n, self.out = n, None if kind == "arcs" else out
        device.reserve({"1 / the weights that leave": 9 * n, "places": 12 * n if config.span else 0})
        program, over = device.program("ranking/fixed_leaving", ITEMS=config.items), config.over(n)
        self.inverse, self.dangling = device.empty(n, np.float64), device.empty(n, np.uint8)
        program.fixed_inverse.launch(self, over, out=out)
        self.place = None
        if config.span:
            key, self.place = device.empty(n, np.uint32), device.empty(n, np.int32)
            program.fixed_keys(over, n=n, out=out, key=key)
            _, order = sort_by_key(device, key, n, 15)
            program.fixed_places.launch(self, over, order=order)


class Prepared(SimpleNamespace):
    """Rows prepared for the iterations; buffers are named as in the kernels.

    Attributes
    ----------
    rows : DeviceCSR
        With the weights or multiplicities that count.
    shares : float64 device buffer, or None
        What each arc has of the weight that leaves its tail.
    windows, longs, pieces : int
        How many windows there are, long rows, and pieces of these; like what follows only where rows are cut
        into windows.
    window, begins, listed : device buffers
        See ``cl/ranking/fixed_windows.cl``.
    before, piece_begins, piece_counts, sums : device buffers
        See ``cl/ranking/fixed_integers.cl``.
    """


class ReproduciblePower:
    """The vectors of one call, and the steps of an iteration.

    Parameters
    ----------
    device : Device
        With float64.
    leaving : Leaving
    problem : Problem
        Its distributions are scaled exactly (`normalised`).
    dtype : {"float32", "float64"}
        Of the stored ranks.
    kind : {"weights", "counts", "arcs"}
        Whether the weights or the multiplicities of rows count.
    config : LaunchConfig, optional

    Attributes
    ----------
    dtype : np.dtype
        Of the ranks.
    x, y : device buffers, shape (n,)
        The present and the next ranks.
    inverse : float64 device buffer, shape (n,)
        1 / W(u), 0 where nothing leaves.
    """

    block = BLOCK

    def __init__(
        self,
        device: Device,
        leaving: Leaving,
        problem: Problem,
        *,
        dtype: str,
        kind: str,
        config: LaunchConfig | None = None,
    ) -> None:
        p, same = normalised(problem.personalization), problem.dangling is problem.personalization
        q, start = p if same else normalised(problem.dangling), normalised(problem.start)
        self.device, self.n, self.d, self.uniform = device, leaving.n, problem.damping, 1.0 / leaving.n
        self.out, self.inverse, self.dangling = leaving.out, leaving.inverse, leaving.dangling
        self.place, self.dtype, self._kind, self._drop = leaving.place, np.dtype(dtype), kind, problem.drop
        n = self.n
        device.reserve(self.memory(n, self.dtype, leaving.place is not None))
        self._integers = integers = dtype == "float32"
        self._config = config or LAUNCH[dtype].of(device)
        ready = integers and kind == "arcs" and not self._config.span
        self._defines = {
            "REAL": "float" if dtype == "float32" else "double",
            "HAS_SHARES": int(kind != "arcs"),
            "HAS_P": int(p is not None),
            "HAS_Q": int(q is not None),
            "INTEGERS": int(integers),
            "READY": int(ready),
            "PART": PART,
            "PIECE": PIECE,
            "WIDTH": self._config.width,
            "ITEMS": self._config.items,
        }
        exact = np.int64 if ready else np.float32 if integers else np.float64
        # else rows gather the ranks themselves, which saves a pass
        gathers = leaving.place is not None or kind == "arcs"
        self.terms = device.empty(n, exact if kind == "arcs" else self.dtype) if gathers else None
        self.p = None if p is None else device.upload(p)
        self.q = self.p if q is p else None if q is None else device.upload(q)
        self.x, self.y = (device.empty(n, self.dtype) for _ in range(2))
        if start is None:
            device.fill(self.x, self.dtype.type(self.uniform), n)
        else:
            device.write(self.x, start.astype(self.dtype, copy=False))
        # the first sums compare the two
        device.copy(self.y, self.x, n * self.dtype.itemsize)
        self._sums = Staging(device, 16 * -(-n // BLOCK))
        self.bad = device.zeros(1, np.int32)
        self._make_terms()

    @staticmethod
    def memory(n: int, dtype: npt.DTypeLike, spans: bool) -> dict[str, int]:
        """Return the bytes that `n` vertices take, by name, without personalization; `spans`: windows."""
        vectors = {"ranks": 2 * n * np.dtype(dtype).itemsize, "terms": 8 * n}
        return vectors | {"1 / the weights that leave": 9 * n, "places": 4 * n if spans else 0}

    def _program(self, name: str, rows: DeviceCSR | None = None) -> Any:
        """Build a program of ``cl/ranking``; `rows`: those that its kernels read, perhaps in windows."""
        given: dict[str, Any] = {"OFFSET": "int"} if rows is None else dict(rows.defines)
        if rows is not None and self._config.span:
            given["SPAN"] = self._config.span
        return self.device.program(f"ranking/{name}", **self._defines, **given)

    def _make_terms(self) -> None:
        if self.terms is not None:
            self._program("fixed").fixed_terms.launch(self, self._config.over(self.n))

    # --- rows, once -------------------------------------------------------------------------------------

    def prepare(self, rows: DeviceCSR) -> Prepared:
        """Prepare rows for the iterations; the result can be cached."""
        device, config, made = self.device, self._config, Prepared(rows=rows, shares=None)
        leaving = device.program("ranking/fixed_leaving", ITEMS=config.items)
        entries = {"entries": rows.arcs, "col_idx": rows.col_idx}
        if self.out is not None:
            made.shares = device.empty(rows.arcs, np.float64)
            # beside weights, counts do not count
            weights = rows.values.get("weights") if self._kind == "weights" else None
            values = {"weights": weights, "counts": rows.values.get("multiplicity"), "shares": made.shares}
            leaving.fixed_shares.launch(self, config.over(rows.arcs), **entries, **values)
        if config.span:
            placed = device.empty(rows.arcs, np.int32)
            leaving.fixed_heads.launch(self, config.over(rows.arcs), **entries, placed=placed)
            made.rows = replace(rows, col_idx=placed)
            self._cut_windows(made)
        return made

    def _cut_windows(self, made: Prepared) -> None:
        """Cut rows into windows, and list the long rows."""
        device, config, rows = self.device, self._config, made.rows
        windows = -(-(rows.arcs + rows.n) // config.span)
        starts, filled = device.empty(windows + 1, np.int32), device.empty(windows, np.uint8)
        program = self._program("fixed_windows", rows)
        common = {"windows": windows, "starts": starts, "row_ptr": rows.row_ptr}
        program.fixed_starts(config.over(windows + 1), rows=rows.n, **common)
        program.fixed_filled(config.over(windows), **common, filled=filled)
        # windows of long rows alone are left out: an empty work-group costs as much as a short one
        before = running_sums(device, filled, windows, of=np.uint8, into=np.int32)
        made.windows = filled_windows = int(device.download(before, np.int32, 1, offset=windows)[0])
        made.window, made.begins = (
            device.empty(3 * filled_windows, np.int32),
            device.empty(filled_windows, rows.offset),
        )
        program.fixed_listed.launch(made, config.over(windows), **common, before=before)
        made.listed, count = device.empty(rows.arcs // config.span + 1, np.int32), device.zeros(1, np.int32)
        program.fixed_longs.launch(made, config.over(rows.n), rows=rows.n, row_ptr=rows.row_ptr, count=count)
        made.longs = long = int(device.download(count, np.int32, 1)[0])
        if not self._integers:
            return
        # whole numbers may be added in any order: long rows in pieces, a work-group each
        program = self._program("fixed_integers", rows)
        made.piece_counts = device.empty(long, np.int32)
        program.fixed_whole_counts.launch(made, config.over(long), row_ptr=rows.row_ptr)
        made.before = running_sums(device, made.piece_counts, long, of=np.int32, into=np.int32)
        made.pieces = pieces = int(device.download(made.before, np.int32, 1, offset=long)[0])
        made.piece_begins = device.empty(pieces, rows.offset)
        made.piece_counts, made.sums = device.empty(pieces, np.int32), device.empty(pieces, np.int64)
        program.fixed_whole_cuts.launch(made, config.over(long), row_ptr=rows.row_ptr)

    # --- an iteration -----------------------------------------------------------------------------------

    def rows(self, prepared: Prepared, mass: float) -> None:
        """Compute the next ranks of some rows' vertices; `mass` is the rank of dangling ones."""
        rows, config, width = prepared.rows, self._config, self._config.width
        self.mass = 0 if self._drop else mass

        def launch(kernel: Any, size: int, local: int | None = None, **more: Any) -> None:
            named = kernel.arguments_of(prepared) | kernel.arguments_of(rows) | kernel.arguments_of(self)
            if "x" in named and self.terms is not None:
                more["x"] = self.terms
            kernel(size, local=local, **(named | more))

        if not config.span:
            program = self._program("fixed_integers" if self._integers else "fixed", rows)
            kernel = program.fixed_whole_rows if self._integers else program.fixed_rows
            launch(kernel, config.over(rows.n), rows=rows.n)
        elif not self._integers:
            program = self._program("fixed_windows", rows)
            launch(program.fixed_long_rows, prepared.longs * width, width)
            launch(program.fixed_window_rows, prepared.windows * width, width)
        else:
            program = self._program("fixed_integers", rows)
            launch(program.fixed_whole_pieces, prepared.pieces * width, width)
            launch(program.fixed_whole_windows, prepared.windows * width, width)
            launch(program.fixed_whole_longs, config.over(prepared.longs))

    def blocks(self, first: int, count: int) -> Reals:
        """Return sums over blocks of the next ranks: of dangling ones, of differences; shape (count, 2)."""
        return self.start_blocks(first, count)().copy()

    def start_blocks(self, first: int, count: int) -> Callable[[], Reals]:
        """Start `blocks`; the function returned waits, and its array is overwritten by the next call."""
        self._sums.give(0, 0)
        self.add_blocks(first, count, self._sums.buffer, 0)
        fetched = self._sums.start_fetch(16 * count)
        return lambda: fetched().view(np.float64).reshape(-1, 2)

    def add_blocks(self, first: int, count: int, sums: Any, at: int) -> None:
        """Enqueue the same sums into a buffer from a place on; does not wait."""
        width = self._config.width
        kernel = self._program("fixed").fixed_blocks
        kernel.launch(self, count * width, local=width, first=first, at=at, sums=sums)

    def advance(self) -> None:
        """Make the next ranks the current ones."""
        self.x, self.y = self.y, self.x
        self._make_terms()

    def scores(self) -> npt.NDArray[Any]:
        """Return the current scores, shape (n,)."""
        return self.device.take(self.x, self.dtype, self.n)


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


def normalised(values: Reals | None) -> Reals | None:
    """Scale a vector to sum 1, the sum rounded once."""
    return None if values is None else values / fsum(values.data)


# --- what ranks of a job exchange in an iteration --------------------------------------------------

Bytes = npt.NDArray[np.uint8]
COPIED = 1 << 20  # bytes that a thread copies at a time: so large that scheduling it does not matter
COPIERS = 4


@dataclass(frozen=True)
class Part:
    """The message of a rank.

    Attributes
    ----------
    shards : list of Shard
        Its own.
    first, count : int
        Its vertices in the list of those that are needed.
    sums : int
        Bytes of the sums of its blocks, in front of the values.
    nbytes : int
        Of the message.
    """

    shards: list[Shard]
    first: int
    count: int
    sums: int
    nbytes: int


class Exchange:
    """Exchange the next scores between the ranks of a job, and add up blocks.

    Where shards begin with blocks, each rank adds up its own blocks, and only the ranks of vertices with
    out-arcs travel: nobody else is gathered. Otherwise all do. Messages lie in memory that the driver has
    pinned.

    Parameters
    ----------
    ranks : Ranks
    device : Device
    power : ReproduciblePower
    shards : sequence of Shard
        Of the section, in order of rows.
    """

    def __init__(
        self, ranks: Ranks, device: Device, power: ReproduciblePower, shards: tuple[Shard, ...]
    ) -> None:
        self._ranks, self._device, self._power, self._block = ranks, device, power, power.block
        self._dtype, self._blocks = power.dtype, -(-power.n // power.block)
        if ranks.size == 1:
            return
        self._packs = all(shard.first_row % self._block == 0 for shard in shards)
        self._needed, self._parts = self._list([shards[r :: ranks.size] for r in range(ranks.size)])
        self._own = self._parts[ranks.rank]
        self._leaving = [Staging(device, max(16, self._own.nbytes)) for _ in range(2)]
        self._coming = Staging(device, 16 + sum(part.nbytes + 8 for part in self._parts))
        self._rooms = [np.empty(0 if ranks.shares_memory else part.nbytes, np.uint8) for part in self._parts]
        self._copiers = thread_pool(COPIERS, "clgraph-copy")
        # a GPU reads the memory that another one has pinned
        self._direct, self._read = ranks.shares_memory and device.kind == "gpu", [np.empty(0, np.uint8)]

    def _list(self, owned: list[tuple[Shard, ...]]) -> tuple[Any, list[Part]]:
        """List the vertices that others need, grouped by rank, and what each rank sends."""
        device, n, program = self._device, self._power.n, self._program()
        present = device.empty(n, np.uint8)
        if self._packs:
            program.exchange_present(self._over(n), n=n, inverse=self._power.inverse, present=present)
        else:
            device.fill(present, np.uint8(1), n)
        before = running_sums(device, present, n, of=np.uint8, into=np.int32)

        def place(vertex: int) -> int:
            return int(device.download(before, np.int32, 1, offset=vertex)[0])

        needed, parts, at = device.empty(place(n), np.int32), [], 0
        for shards in owned:
            first, blocks = at, 0
            for shard in shards:
                listed = {"at": at, "before": before, "needed": needed}
                program.exchange_list.launch(shard, self._over(shard.rows), **listed)
                at += place(shard.first_row + shard.rows) - place(shard.first_row)
                blocks += -(-shard.rows // self._block) if self._packs else 0
            size = 16 * blocks + (at - first) * self._dtype.itemsize
            parts.append(Part(list(shards), first, at - first, 16 * blocks, size))
        return needed, parts

    def _program(self) -> Any:
        real = "float" if self._dtype == np.float32 else "double"
        return self._device.program("ranking/shards_exchange", REAL=real, ITEMS=self._device.tuning.items)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def sums(self) -> Reals:
        """Return the sums of all blocks, computed by this rank alone: for the start vector."""
        with self._device.alone():
            return self._power.blocks(0, self._blocks)

    def __call__(self) -> Callable[[], Reals]:
        """Distribute the next scores of all vertices that are gathered; waits for the sums of all blocks."""
        if self._ranks.size == 1:
            with self._device.alone():
                return self._power.start_blocks(0, self._blocks)
        # two in turn: others may still read what was sent last, but not what was sent before that
        self._leaving.reverse()
        with self._device.alone():
            message = self._gather(self._leaving[0])
        if not self._ranks.shares_memory:  # what pins memory for a network must not meet a driver's
            message = self._copy(self._rooms[self._ranks.rank], message)
        found = self._ranks.everywhere(message, into=self._rooms)
        with self._device.alone():
            every = self._spread(found)
        return lambda: every

    def _gather(self, staging: Staging) -> Bytes:
        own, at = self._own, 0
        staging.give(0, 0)
        for shard in own.shards if self._packs else ():
            blocks = -(-shard.rows // self._block)
            self._power.add_blocks(shard.first_row // self._block, blocks, staging.buffer, at)
            at += blocks
        self._program().exchange_pack(
            self._over(own.count), **self._values_of(own, 0), values=self._power.y, message=staging.buffer
        )
        return staging.fetch(own.nbytes)

    def _values_of(self, part: Part, begin: int) -> dict[str, Any]:
        """Arguments for packing and unpacking a message that begins at a byte."""
        at = (begin + part.sums) // self._dtype.itemsize
        return {"count": part.count, "first": part.first, "at": at, "needed": self._needed}

    def _copy(self, into: Bytes, data: Bytes) -> Bytes:
        def copy(begin: int) -> None:
            into[begin : begin + COPIED] = data[begin : begin + COPIED]

        list(self._copiers.map(copy, range(0, len(data), COPIED)))
        return into

    def _spread(self, found: list[Bytes]) -> Reals:
        every, coming, end = np.zeros((self._blocks, 2)), self._coming, 0
        if not self._direct:
            coming.take_back()
        self._read = found  # what was read in the last iteration is free: `_gather` has waited since
        begins = {}
        for rank, (part, message) in enumerate(zip(self._parts, found, strict=True)):
            sums = message[: part.sums].view(np.float64).reshape(-1, 2)
            for shard in part.shards if self._packs else ():
                first, count = shard.first_row // self._block, -(-shard.rows // self._block)
                every[first : first + count], sums = sums[:count], sums[count:]
            if rank != self._ranks.rank:
                begins[rank] = end
                if self._direct:
                    coming.give_array(message, end)
                else:
                    self._copy(coming.array[end : end + part.nbytes], message)
                end += -(-part.nbytes // 8) * 8
        if not self._direct:
            coming.give(0, end)
        for rank, begin in begins.items():
            part = self._parts[rank]
            self._program().exchange_unpack(
                self._over(part.count),
                **self._values_of(part, begin),
                message=coming.buffer,
                values=self._power.y,
            )
        return every if self._packs else self._power.blocks(0, self._blocks)

    def complete(self) -> npt.NDArray[Any]:
        """Return the current scores of all vertices; no messages are read after this."""
        with self._device.alone():
            found = self._power.scores()
        if self._ranks.size == 1:
            return found
        own = [found[shard.first_row :][: shard.rows] for shard in self._own.shards]
        every = self._ranks.everywhere(np.concatenate([np.empty(0, self._dtype), *own]))
        for part, values in zip(self._parts, every, strict=True):
            at = 0
            for shard in part.shards:
                found[shard.first_row :][: shard.rows] = values[at : at + shard.rows]
                at += shard.rows
        self._copiers.shutdown()
        return found


# --- the solver: over a graph's rows as one block, or over those of a dataset ----------------------------


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
