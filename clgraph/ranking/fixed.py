"""PageRank whose sums have one shape, whoever computes them.

Host half of ``cl/ranking/fixed.cl``, ``fixed_leaving.cl`` and, on CPUs, ``fixed_integers.cl``; see
`clgraph.ranking.fixed_windows`.

The same ranks, byte for byte, on every device with float64, for any cut of the rows into parts, and for any
number of ranks that share them (`clgraph.scale`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.sort import sort_by_key
from clgraph.device.launch_config import LaunchTable
from clgraph.device.memory import Staging
from clgraph.errors import DeviceError, InputError
from clgraph.progress import Tell
from clgraph.ranking import fixed_windows
from clgraph.ranking.fixed_windows import ALONE, LaunchConfig, Prepared, Windows
from clgraph.ranking.problem import noise

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device
    from clgraph.ranking.problem import Problem, Stop

# both belong to the definition of the sums: other numbers give other bytes
BLOCK = 4096  # vertices whose values are added up as one tree
PART = 1 << 20  # entries of a row that are added up as one (float64 ranks)
PATIENCE = 20  # iterations without a new least residual, as in cl/ranking/pagerank.h
Reals = npt.NDArray[np.float64]


LAUNCH = LaunchTable(
    gpu=LaunchConfig(span=1024, items=1, width=256),
    cpu=ALONE,
    simulator=LaunchConfig(span=32, items=1, width=32),
)


def shape_of(device: Device, dtype: str) -> LaunchConfig:
    """The launch shape for ranks of a type."""
    return (LAUNCH if dtype == "float32" else fixed_windows.LAUNCH).of(device)


@dataclass(frozen=True)
class Leaving:
    """What leaves the vertices: what all calls on a graph want of it beside its rows.

    Attributes
    ----------
    n : int
    out : float64 device buffer, shape (n,), or None
        W of each vertex; None where no `FixedPower.prepare` wants it.
    inverse : float64 device buffer, shape (n,)
        1 / W, 0 where nothing leaves.
    dangling : uint8 device buffer, shape (n,)
        1 where nothing leaves.
    place : int32 device buffer, shape (n,), or None
        The place of each vertex if they are sorted by W: hot values share the cache.
    """

    n: int
    out: Any
    inverse: Any
    dangling: Any
    place: Any

    @staticmethod
    def of(device: Device, n: int, out: Any, kind: str, shape: LaunchConfig) -> Leaving:
        """Made of W on the device, for rows of this kind and launches of this shape."""
        check_doubles(device)
        device.reserve({"1 / the weights that leave": 9 * n, "places": 12 * n if shape.span else 0})
        program, count, over = _leaving_program(device, shape), n, shape.over(n)
        inverse, dangling, place = device.empty(n, np.float64), device.empty(n, np.uint8), None
        program.fixed_inverse(over, n=count, out=out, inverse=inverse, dangling=dangling)
        if shape.span:
            key, place = device.empty(n, np.uint32), device.empty(n, np.int32)
            program.fixed_keys(over, n=count, out=out, key=key)
            _, order = sort_by_key(device, key, n, 15)
            program.fixed_places(over, n=count, order=order, place=place)
        return Leaving(n, None if kind == "arcs" else out, inverse, dangling, place)


def _leaving_program(device: Device, shape: LaunchConfig) -> Any:
    return device.program("ranking/fixed_leaving", ITEMS=shape.items)


def check_doubles(device: Device) -> None:
    """Raise DeviceError unless the device has float64."""
    if "HAVE_FP64" not in device.features:
        raise DeviceError(
            f"{device.name}: variant 'fixed' computes in float64, which this device has not; use another "
            "device or variant"
        )


class FixedPower:
    """The vectors of one call, and the steps of an iteration.

    Parameters
    ----------
    device : Device
        With float64.
    leaving : Leaving
    damping : float
    p, q : float64 arrays of sum 1, or None
        The personalization, and where the dangling mass goes; None is uniform.
    drop : bool
        The dangling mass is dropped.
    start : float array of sum 1, or None
    dtype : {"float32", "float64"}
        Of the stored ranks.
    kind : {"weights", "counts", "arcs"}
        Whether the weights or the multiplicities of rows count.
    shape : LaunchConfig, optional
    """

    def __init__(
        self,
        device: Device,
        leaving: Leaving,
        *,
        damping: float,
        p: Reals | None,
        q: Reals | None,
        drop: bool,
        start: npt.NDArray[np.floating[Any]] | None,
        dtype: str,
        kind: str,
        shape: LaunchConfig | None = None,
    ) -> None:
        check_doubles(device)
        self.n = n = leaving.n
        self._device, self.damping, self._drop = device, damping, drop
        self._dtype, self._leaving, self._kind = np.dtype(dtype), leaving, kind
        blocks = -(-n // BLOCK)
        device.reserve(self.memory(n, self._dtype, leaving.place is not None))
        self._integers = integers = dtype == "float32"
        self._shape = shape or shape_of(device, dtype)
        defines = {
            "REAL": "float" if dtype == "float32" else "double",
            "HAS_SHARES": int(kind != "arcs"),
            "HAS_P": int(p is not None),
            "HAS_Q": int(q is not None),
            "INTEGERS": int(integers),
            "READY": int(integers and kind == "arcs" and not self._shape.span),
            "PART": PART,
            "PIECE": fixed_windows.PIECE,
            "WIDTH": self._shape.width,
            "ITEMS": self._shape.items,
        }
        self._program = partial(fixed_windows.program_of, device, defines)
        self._windows = Windows(device, defines, self._shape, integers=integers)
        gathers = leaving.place is not None or kind == "arcs"
        exact = np.int64 if defines["READY"] else np.float32 if integers else np.float64
        self._terms = device.empty(n, exact if kind == "arcs" else self._dtype) if gathers else None
        self._p = None if p is None else device.upload(p)
        self._q = self._p if q is p else None if q is None else device.upload(q)
        self._uniform = 1.0 / n
        self._x, self._y = (device.empty(n, self._dtype) for _ in range(2))
        if start is None:
            device.fill(self._x, self._dtype.type(self._uniform), n)
        else:
            device.write(self._x, start.astype(self._dtype, copy=False))
        device.copy(self._y, self._x, n * self._dtype.itemsize)
        self._sums = Staging(device, 16 * blocks)
        self._bad = device.zeros(1, np.int32)
        self._make_terms()

    @staticmethod
    def memory(n: int, dtype: npt.DTypeLike, spans: bool) -> dict[str, int]:
        """Bytes by name of what `n` vertices take, without personalization; `spans`: rows in windows."""
        vectors = {"ranks": 2 * n * np.dtype(dtype).itemsize, "terms": 8 * n}
        return vectors | {"1 / the weights that leave": 9 * n, "places": 4 * n if spans else 0}

    def _make_terms(self) -> None:
        if self._terms is not None:
            self._program().fixed_terms(
                self._shape.over(self.n),
                n=self.n,
                place=self._leaving.place,
                x=self._x,
                inverse=self.inverse,
                terms=self._terms,
            )

    def prepare(self, rows: DeviceCSR) -> Prepared:
        """What each iteration wants to know of some rows; they may be kept for the next ones."""
        device, shape, leaving, shares = self._device, self._shape, self._leaving, None
        program, over = _leaving_program(device, shape), self._shape.over(rows.arcs)
        if leaving.out is not None:
            shares = device.empty(rows.arcs, np.float64)
            # beside weights, counts do not count
            weights = rows.values.get("weights") if self._kind == "weights" else None
            program.fixed_shares(
                over,
                entries=rows.arcs,
                col_idx=rows.col_idx,
                weights=weights,
                counts=rows.values.get("multiplicity"),
                out=leaving.out,
                shares=shares,
                bad=self._bad,
            )
        if not shape.span:
            return Prepared(rows, shares)
        placed = device.empty(rows.arcs, np.int32)
        program.fixed_heads(over, entries=rows.arcs, place=leaving.place, col_idx=rows.col_idx, placed=placed)
        return self._windows.prepare(replace(rows, col_idx=placed), shares)

    def rows(self, prepared: Prepared, mass: float) -> None:
        """Compute the next ranks of some rows' vertices.

        Parameters
        ----------
        prepared : Prepared
        mass : float
            The rank of dangling vertices.
        """
        rows, shape = prepared.rows, self._shape
        arguments = {
            "first_row": rows.first_row,
            "d": self.damping,
            "mass": 0 if self._drop else mass,
            "uniform": self._uniform,
            "row_ptr": rows.row_ptr,
            "col_idx": rows.col_idx,
            "shares": prepared.shares,
            "x": self._x if self._terms is None else self._terms,
            "p": self._p,
            "q": self._q,
            "y": self._y,
        }
        if shape.span:
            self._windows.add(prepared, arguments)
            return
        program = self._program("fixed_integers" if self._integers else "fixed", rows.offset)
        kernel = program.fixed_whole_rows if self._integers else program.fixed_rows
        kernel(self._shape.over(rows.n), rows=rows.n, **arguments)

    def blocks(self, first: int, count: int) -> Reals:
        """Sums over blocks of the next ranks: of dangling ones, of differences; shape (count, 2)."""
        return self.start_blocks(first, count)().copy()

    def start_blocks(self, first: int, count: int) -> Callable[[], Reals]:
        """The same, but the function returned waits; what it gives is overwritten by the next call."""
        self._sums.give(0, 0)
        self.add_blocks(first, count, self._sums.buffer, 0)
        fetched = self._sums.start_fetch(16 * count)
        return lambda: fetched().view(np.float64).reshape(-1, 2)

    def add_blocks(self, first: int, count: int, sums: Any, at: int) -> None:
        """The same, put into a buffer from a place on; does not wait."""
        self._program().fixed_blocks.exact(
            count * self._shape.width,
            n=self.n,
            first=first,
            at=at,
            x=self._x,
            y=self._y,
            dangling=self._leaving.dangling,
            sums=sums,
            local=self._shape.width,
        )

    def turn(self) -> None:
        """The next ranks become the present ones."""
        self._x, self._y = self._y, self._x
        self._make_terms()

    def found_bad_weight(self) -> bool:
        """Whether some row that was prepared has a weight that is negative or not finite; waits."""
        return bool(self._device.download(self._bad, np.int32, 1)[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the ranks."""
        return self._dtype

    @property
    def next(self) -> Any:
        """The next ranks: a device buffer of `n` values."""
        return self._y

    @property
    def inverse(self) -> Any:
        """1 / W(u), 0 where nothing leaves: a float64 device buffer of `n` values."""
        return self._leaving.inverse

    def on_device(self) -> Any:
        """The present ranks, as an array on the device."""
        return self._device.array(self._x, self._dtype.type, self.n)

    def ranks(self) -> npt.NDArray[Any]:
        """The present ranks, shape (n,)."""
        return self._device.take(self._x, self._dtype, self.n)


def additions(n: int, longest: int) -> int:
    """The longest chain of additions of float64 ranks: a row's lanes and parts, or the dangling mass."""
    row = min(longest, PART) // 32 + 6 + longest // PART
    return max(row, (BLOCK * max(n // BLOCK, 1)).bit_length() + 1)


def check_leaving(out: Reals) -> None:
    """Raise an InputError unless W of all vertices are finite."""
    if not np.isfinite(out).all():
        vertex = int(np.argmin(np.isfinite(out)))
        raise InputError(
            f"the weights that leave vertex number {vertex} (counted from 0) add up to more than float64 can "
            "hold: scale the weights"
        )


def tree_sum(blocks: Reals) -> float:
    """The sum of block sums: zeros up to a power of two, then halves added to each other."""
    size = 1 << max(len(blocks) - 1, 0).bit_length()
    values = np.zeros(size)
    values[: len(blocks)] = blocks
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[half:]
    return float(values[0])


def normalised(values: Reals | None) -> Reals | None:
    """A vector scaled to sum 1, the sum rounded once."""
    return None if values is None else values / fsum(values.data)


def exact_vectors(problem: Problem) -> dict[str, Any]:
    """What `FixedPower` takes of a problem, its distributions scaled exactly."""
    p, same = normalised(problem.personalization), problem.dangling is problem.personalization
    return {
        "damping": problem.damping,
        "p": p,
        "q": p if same else normalised(problem.dangling),
        "drop": problem.drop,
        "start": normalised(problem.start),
    }


def iterate(
    power: FixedPower,
    parts: Callable[[], Iterable[Prepared]],
    exchange: Callable[[], Callable[[], Reals]],
    *,
    start_sums: Reals,
    stop: Stop,
    progress: Tell | None = None,
) -> tuple[int, float, bool]:
    """Iterate until the L1 residual is below the threshold, or roundings forbid it; tol 0: `max_iter` times.

    Parameters
    ----------
    power : FixedPower
    parts : callable
        The rows to compute in each iteration.
    exchange : callable
        Called after they were computed; brings in the next ranks of all others, and returns a function that
        waits for the sums of all blocks, shape (blocks, 2).
    start_sums : array, shape (blocks, 2)
        Of the vector to start from.
    stop : Stop
        In the L1 norm.
    progress : callable, optional
        Called with (iterations, `max_iter`).

    Returns
    -------
    iterations : int
    residual : float
    met : bool
    """
    max_iter, cycles_below = stop.max_iter, noise(stop, power.damping, power.dtype.name)
    mass = tree_sum(start_sums[:, 0])
    residual = least = np.inf
    stale = 0
    for iteration in range(1, max_iter + 1):
        for prepared in parts():
            power.rows(prepared, mass)
        added = exchange()
        power.turn()
        sums = added()
        mass, residual = tree_sum(sums[:, 0]), tree_sum(sums[:, 1])
        if stop.tol > 0 and residual < stop.threshold:
            return iteration, residual, True
        least, stale = (residual, 0) if residual < least else (least, stale + 1)
        if residual < cycles_below and stale >= PATIENCE:
            return iteration, residual, False
        if progress:
            progress(iteration, max_iter)
    return max_iter, residual, False
