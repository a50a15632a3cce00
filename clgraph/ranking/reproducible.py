"""Reproducible PageRank: the summation order is fixed, so results are bitwise equal on all devices.

Host half of ``cl/ranking/fixed.cl``, ``fixed_leaving.cl``, ``fixed_integers.cl`` (float32 ranks), and on GPUs
``fixed_windows.cl``; where several processes share the rows, see `clgraph.ranking.exchange`. The same ranks,
byte for byte, on every device with float64, for any cut of the rows into blocks, and for any number of those
processes (`clgraph.scale`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import fsum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local
from clgraph.device.memory import Staging

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.problem import Problem

# both belong to the definition of the sums: other numbers give other bytes
BLOCK = 4096  # vertices whose values are added up as one tree
PART = 1 << 20  # entries of a row that are added up as one (float64 ranks)
PIECE = 1 << 13  # entries of a long row that a work-group adds up (float32 ranks: any number gives the same)
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


def normalised(values: Reals | None) -> Reals | None:
    """Scale a vector to sum 1, the sum rounded once."""
    return None if values is None else values / fsum(values.data)
