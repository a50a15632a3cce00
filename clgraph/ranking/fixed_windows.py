"""Rows of PageRank with sums of one shape on GPUs: the work cut into windows, and pieces of long rows.

Host half of ``cl/ranking/fixed_windows.cl`` and ``fixed_integers.cl``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device

PIECE = 1 << 13  # entries of a long row that a work-group adds up (float32 ranks: any number gives the same)


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

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
LAUNCH = LaunchTable(  # of float64 ranks; `clgraph.ranking.fixed` has those of float32
    gpu=LaunchConfig(span=512, items=1, width=256),
    cpu=ALONE,
    simulator=LaunchConfig(span=32, items=1, width=32),
)


@dataclass(frozen=True)
class Prepared:
    """Rows, and what each iteration wants to know of them.

    Attributes
    ----------
    rows : DeviceCSR
        With the weights or multiplicities that count.
    shares : float64 device buffer, or None
        What each arc has of the weight that leaves its tail.
    windows : int
    window, begin, longs : device buffers, or None
        See ``cl/ranking/fixed_windows.cl``.
    long : int
        How many rows are long.
    before, begins, counts, sums : device buffers, or None
        See ``cl/ranking/fixed_integers.cl``.
    pieces : int
    """

    rows: DeviceCSR
    shares: Any = None
    windows: int = 0
    window: Any = None
    begin: Any = None
    longs: Any = None
    long: int = 0
    before: Any = None
    begins: Any = None
    counts: Any = None
    sums: Any = None
    pieces: int = 0


def program_of(
    device: Device, defines: Mapping[str, Any], name: str = "fixed", offset: type = np.int32, **more: int
) -> Any:
    """A program of ``cl/ranking`` by name and type of offsets."""
    kind = "long" if offset is np.int64 else "int"
    return device.program(f"ranking/{name}", OFFSET=kind, **defines, **more)


class Windows:
    """The steps of an iteration over rows in windows.

    Parameters
    ----------
    device : Device
    defines : mapping
        Of the programs of ``cl/ranking``.
    shape : LaunchConfig
    integers : bool
        Ranks are float32.
    """

    def __init__(
        self, device: Device, defines: Mapping[str, Any], shape: LaunchConfig, *, integers: bool
    ) -> None:
        self._device, self._shape, self._integers = device, shape, integers
        self._program = partial(program_of, device, defines, SPAN=shape.span)

    def prepare(self, rows: DeviceCSR, shares: Any) -> Prepared:
        """The windows and long rows of some rows."""
        device, shape = self._device, self._shape
        windows = -(-(rows.arcs + rows.n) // shape.span)
        starts, filled = device.empty(windows + 1, np.int32), device.empty(windows, np.uint8)
        count, longs = device.zeros(1, np.int32), device.empty(rows.arcs // shape.span + 1, np.int32)
        program, size = self._program("fixed_windows", rows.offset), windows
        program.fixed_starts(
            self._shape.over(windows + 1), rows=rows.n, windows=size, row_ptr=rows.row_ptr, starts=starts
        )
        program.fixed_filled(
            self._shape.over(windows), windows=size, starts=starts, row_ptr=rows.row_ptr, filled=filled
        )
        before = running_sums(device, filled, windows, of=np.uint8, into=np.int32)
        kept = int(device.download(before, np.int32, 1, offset=windows)[0])
        window, begin = device.empty(3 * kept, np.int32), device.empty(kept, rows.offset)
        program.fixed_listed(
            self._shape.over(windows),
            windows=size,
            starts=starts,
            row_ptr=rows.row_ptr,
            before=before,
            window=window,
            begin=begin,
        )
        program.fixed_longs(
            self._shape.over(rows.n), rows=rows.n, row_ptr=rows.row_ptr, count=count, longs=longs
        )
        long = int(device.download(count, np.int32, 1)[0])
        found = Prepared(rows, shares, kept, window, begin, longs, long)
        return self._cut(found) if self._integers else found

    def _cut(self, prepared: Prepared) -> Prepared:
        """The long rows in pieces."""
        device, rows, long = self._device, prepared.rows, prepared.long
        program = self._program("fixed_integers", rows.offset)
        each = device.empty(long, np.int32)
        program.fixed_whole_counts(
            self._shape.over(long), longs=long, listed=prepared.longs, row_ptr=rows.row_ptr, counts=each
        )
        before = running_sums(device, each, long, of=np.int32, into=np.int32)
        pieces = int(device.download(before, np.int32, 1, offset=long)[0])
        begins, counts = device.empty(pieces, rows.offset), device.empty(pieces, np.int32)
        program.fixed_whole_cuts(
            self._shape.over(long),
            longs=long,
            listed=prepared.longs,
            row_ptr=rows.row_ptr,
            before=before,
            begins=begins,
            counts=counts,
        )
        sums = device.empty(pieces, np.int64)
        return replace(prepared, before=before, begins=begins, counts=counts, sums=sums, pieces=pieces)

    def add(self, prepared: Prepared, arguments: dict[str, Any]) -> None:
        """Compute the next ranks of some rows' vertices; the arguments are those of ``fixed_rows``."""
        rows, shape, long = prepared.rows, self._shape, prepared.long
        width, window = shape.width, {"window": prepared.window, "begins": prepared.begin}
        if not self._integers:
            program = self._program("fixed_windows", rows.offset)
            program.fixed_long_rows.exact(long * width, local=width, longs=prepared.longs, **arguments)
            program.fixed_window_rows.exact(prepared.windows * width, local=width, **window, **arguments)
            return
        program = self._program("fixed_integers", rows.offset)
        program.fixed_whole_pieces.exact(
            prepared.pieces * width,
            begins=prepared.begins,
            counts=prepared.counts,
            **{name: arguments[name] for name in ("col_idx", "shares", "x")},
            sums=prepared.sums,
            local=width,
        )
        program.fixed_whole_windows.exact(prepared.windows * width, local=width, **window, **arguments)
        names = ("first_row", "d", "mass", "uniform", "p", "q", "y")
        program.fixed_whole_longs(
            self._shape.over(long),
            longs=long,
            listed=prepared.longs,
            before=prepared.before,
            sums=prepared.sums,
            **{name: arguments[name] for name in names},
        )
