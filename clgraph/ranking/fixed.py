"""PageRank whose sums have one shape, whoever computes them: host half of ``cl/ranking/fixed.cl``.

The same ranks, byte for byte, on every device with float64, for any cut of the rows into parts, and for any
number of ranks that share them (`clgraph.scale`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.errors import DeviceError

if TYPE_CHECKING:
    from clgraph.device import Device

BLOCK = 4096  # vertices whose values are added up as one tree
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    rows : int
        Rows of a work-group of 32 work-items each; 0: a work-item takes `items` rows.
    items : int
    width : int
        Work-items that add up a block.
    """

    rows: int
    items: int
    width: int


SHAPES = Shapes(
    gpu=Shape(rows=8, items=1, width=256),
    cpu=Shape(rows=0, items=64, width=1),
    simulator=Shape(rows=1, items=1, width=8),
)


@dataclass(frozen=True)
class Rows:
    """Some rows: for each vertex from `first_row` on its in-neighbours, and what their arcs count.

    Attributes
    ----------
    first_row : int
    row_ptr : int32 or int64 array, shape (rows + 1,)
    col_idx : int32 array
    values : float64 array (weights), int32 array (multiplicities), or None
    """

    first_row: int
    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    values: npt.NDArray[Any] | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.row_ptr) - 1


class FixedPower:
    """The vectors of one call, and the steps of an iteration.

    Parameters
    ----------
    device : Device
        With float64.
    out : float64 array, shape (n,)
        W, what leaves each vertex.
    damping : float
    p, q : float64 arrays of sum 1, or None
        The personalization, and where the dangling mass goes; None is uniform.
    drop : bool
        The dangling mass is dropped.
    start : float64 array of sum 1, or None
    dtype : {"float32", "float64"}
        Of the stored ranks.
    kind : {"weights", "counts", "arcs"}
        What `Rows.values` holds.
    shape : Shape, optional
    """

    def __init__(
        self,
        device: Device,
        out: Reals,
        *,
        damping: float,
        p: Reals | None,
        q: Reals | None,
        drop: bool,
        start: Reals | None,
        dtype: str,
        kind: str,
        shape: Shape | None = None,
    ) -> None:
        if "HAVE_FP64" not in device.features:
            raise DeviceError(
                f"{device.name}: variant 'fixed' computes in float64, which this device has not; use another "
                "device or variant"
            )
        self.n = n = len(out)
        self._device, self._damping, self._drop = device, np.float64(damping), drop
        self._dtype = np.dtype(dtype)
        self._shape = shape or SHAPES.of(device)
        blocks = -(-n // BLOCK)
        device.reserve({"ranks": 2 * n * self._dtype.itemsize, "weights that leave": 16 * n})
        self._defines = {
            "REAL": "float" if dtype == "float32" else "double",
            "LANES": 32 if self._shape.rows else 1,
            "ROWS": max(self._shape.rows, 1),
            "ITEMS": self._shape.items,
            "WIDTH": self._shape.width,
            "HAS_WEIGHTS": int(kind == "weights"),
            "HAS_COUNTS": int(kind == "counts"),
            "HAS_P": int(p is not None),
            "HAS_Q": int(q is not None),
        }
        inverse = np.divide(1.0, out, out=np.zeros(n), where=out > 0)
        self._inverse = device.upload(inverse)
        self._out = device.upload(out) if kind != "arcs" else None
        self._p = None if p is None else device.upload(p)
        self._q = None if q is None else device.upload(q)
        self._uniform = np.float64(1.0 / n)
        first = np.full(n, self._uniform) if start is None else start
        self._x = device.upload(first.astype(self._dtype), writable=True)
        self._y = device.upload(first.astype(self._dtype), writable=True)
        self._sums = device.empty(2 * blocks, np.float64)
        self._kept: dict[int, tuple[Any, Any, Any]] = {}

    def _program(self, wide: bool) -> Any:
        return self._device.program("ranking/fixed", OFFSET="long" if wide else "int", **self._defines)

    def rows(self, rows: Rows, mass: float, *, keep: int | None = None) -> None:
        """Compute the next ranks of some rows' vertices.

        Parameters
        ----------
        rows : Rows
        mass : float
            The rank of dangling vertices.
        keep : int, optional
            A number under which the rows stay on the device, for the next iterations.
        """
        device, shape = self._device, self._shape
        held = self._kept.get(keep) if keep is not None else None
        if held is None:
            heads = rows.col_idx if len(rows.col_idx) else np.zeros(1, np.int32)
            values = None if rows.values is None or not len(rows.values) else device.upload(rows.values)
            held = device.upload(rows.row_ptr), device.upload(heads), values
            if keep is not None:
                self._kept[keep] = held
        arguments = (
            np.int32(rows.count),
            np.int32(rows.first_row),
            self._damping,
            np.float64(0 if self._drop else mass),
            self._uniform,
            *held,
            self._inverse,
            self._out,
            self._x,
            self._p,
            self._q,
            self._y,
        )
        kernel = self._program(rows.row_ptr.dtype == np.int64).fixed_rows
        if shape.rows:
            width = 32 * shape.rows
            kernel.exact(-(-rows.count // shape.rows) * width, *arguments, local=width)
        else:
            kernel(-(-rows.count // shape.items), *arguments)

    def blocks(self, first: int, count: int) -> Reals:
        """Sums over blocks of the next ranks: of dangling ones, of differences; shape (count, 2)."""
        if not count:
            return np.empty((0, 2))
        self._program(False).fixed_blocks.exact(
            count * self._shape.width,
            np.int32(self.n),
            np.int32(first),
            np.int32(count),
            self._x,
            self._y,
            self._inverse,
            self._sums,
            local=self._shape.width,
        )
        return self._device.download(self._sums, np.float64, 2 * count).reshape(-1, 2)

    def turn(self) -> None:
        """The next ranks become the present ones."""
        self._x, self._y = self._y, self._x

    def next_of(self, first: int, count: int) -> npt.NDArray[Any]:
        """The next ranks of some vertices."""
        return self._device.download(self._y, self._dtype, count, offset=first)

    def set_next(self, first: int, values: npt.NDArray[Any]) -> None:
        """Take the next ranks of some vertices from elsewhere."""
        self._device.write(self._y, values, offset=first)

    def ranks(self) -> npt.NDArray[Any]:
        """The present ranks, shape (n,)."""
        return self._device.download(self._x, self._dtype, self.n)


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
    return None if values is None else values / fsum(values.tolist())


def iterate(
    power: FixedPower,
    parts: Callable[[], Iterable[tuple[int | None, Rows]]],
    exchange: Callable[[FixedPower], Reals],
    *,
    start_sums: Reals,
    threshold: float,
    max_iter: int,
) -> tuple[int, float, bool]:
    """Iterate until the L1 residual is below `threshold` (0: `max_iter` times).

    Parameters
    ----------
    power : FixedPower
    parts : callable
        The rows to compute in each iteration, and numbers under which they may stay on the device.
    exchange : callable
        Called after they were computed; brings in the next ranks of all others, and returns the sums of all
        blocks, shape (blocks, 2).
    start_sums : array, shape (blocks, 2)
        Of the vector to start from.

    Returns
    -------
    iterations : int
    residual : float
    met : bool
    """
    mass = tree_sum(start_sums[:, 0])
    residual = np.inf
    for iteration in range(1, max_iter + 1):
        for keep, rows in parts():
            power.rows(rows, mass, keep=keep)
        sums = exchange(power)
        power.turn()
        mass, residual = tree_sum(sums[:, 0]), tree_sum(sums[:, 1])
        if threshold > 0 and residual < threshold:
            return iteration, residual, True
    return max_iter, residual, False
