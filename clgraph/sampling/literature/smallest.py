"""The items of smallest keys, of many runs at once: host half of ``cl/sampling/literature/smallest.cl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device

# a key's 64 bits, 11 at a time from the top (a histogram of 2048 counters fits local memory everywhere)
BINS = 2048
SHIFTS = (55, 44, 33, 22, 11, 0)


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    local, span : int
        Work-items of a counting group, and the items it counts.
    block : int
        Items of a work-item that lists.
    met : int
        Vertices, or arcs, of a work-item that lists those with visits.
    lanes : int
        Work-items that sum up blocks.
    """

    local: int
    span: int
    block: int
    met: int
    lanes: int
    POWERS: ClassVar[tuple[str, ...]] = ("local", "lanes")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local, lanes = fit_group(self.local, device), fit_group(self.lanes, device, each=8)
        return replace(self, local=local, lanes=lanes)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, span=16384, block=256, met=4, lanes=256),
    cpu=LaunchConfig(local=1, span=65536, block=4096, met=4096, lanes=1),
    simulator=LaunchConfig(local=4, span=32, block=8, met=8, lanes=2),
)


class Column:
    """Values of several runs, one after the other; those of run r are ``values[offset[r]:offset[r + 1]]``.

    Parameters
    ----------
    offset : int64 array, shape (runs + 1,)
    values : array, or a function that gives it
        It is called when the values are first looked at: until then they stay on a device.
    device_column : Column, optional
        The values on the device, perhaps in another order; of edges perhaps both arcs of each.
    """

    device: Device
    buffer: Any
    dtype: npt.DTypeLike

    def __init__(
        self,
        offset: npt.NDArray[np.int64],
        values: npt.NDArray[Any] | Callable[[], npt.NDArray[Any]],
        device_column: Column | None = None,
    ) -> None:
        self.offset, self._source, self._device_column = offset, values, device_column

    @property
    def device_column(self) -> Column | None:
        """The values on the device, perhaps in another order: this column itself, if that is where it is."""
        return self if hasattr(self, "buffer") else self._device_column

    @lazy
    def values(self) -> npt.NDArray[Any]:
        """The values of all runs."""
        source = self._source
        if callable(source):
            # drops the function, and with it the buffers on the device that it refers to
            source = self._source = source()
        return source

    def of(self, run: int) -> npt.NDArray[Any]:
        """Return the values of one run, not copied."""
        found: npt.NDArray[Any] = self.values[self.offset[run] : self.offset[run + 1]]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Column, (self.offset, self.values)

    @staticmethod
    def on(device: Device, offset: npt.NDArray[np.int64], buffer: Any, dtype: npt.DTypeLike) -> Column:
        """Return values in a buffer: they stay on the device until they are looked at."""

        def fetch() -> npt.NDArray[Any]:
            with device.alone():
                return device.download(buffer, dtype, int(offset[-1]))

        made = Column(offset, fetch)
        made.device, made.buffer, made.dtype = device, buffer, dtype
        return made

    @staticmethod
    def of_parts(parts: list[npt.NDArray[Any]], device_column: Column | None = None) -> Column:
        """Return a column with one part per run."""
        offset = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
        return Column(offset, np.concatenate(parts) if parts else np.zeros(0, np.int32), device_column)


@dataclass(frozen=True)
class Cut:
    """Where each run's selection ends.

    Attributes
    ----------
    key : uint64 device buffer, shape (runs,)
        The key of the first item left out; NONE where none is.
    left : int32 device buffer, shape (runs,)
        One more than the number of items of that key that are taken.
    """

    key: Any
    left: Any


class Smallest:
    """Selections among `runs` times `items` keys."""

    def __init__(self, device: Device, runs: int, items: int) -> None:
        self.device, self.runs, self.items = device, runs, items
        self.shape = shape = LAUNCH.of(device)
        self.item = np.int32 if items < 2**31 else np.int64
        self.program = device.program(
            "sampling/literature/smallest",
            SPAN=shape.span,
            BLOCK=shape.block,
            LANES=shape.lanes,
            ITEM="int" if self.item is np.int32 else "long",
        )
        self.blocks = max(1, -(-items // shape.block))
        device.reserve({"blocks": 8 * runs * self.blocks, "histograms": 4 * BINS * runs})
        self.histogram = device.zeros(runs * BINS, np.int32)
        self.below, self.equal = (device.empty(runs * self.blocks, np.int32) for _ in range(2))
        self.total = device.empty(runs, np.int32)

    def cut(self, key: Any, wanted: npt.ArrayLike) -> Cut:
        """Find where the selection of the `wanted` smallest keys ends, of each run or of all; -1: nowhere.

        Where a run has no more keys than are wanted, the cut is `NONE`.
        """
        device, program, shape, runs = self.device, self.program, self.shape, self.runs
        prefix = device.zeros(runs, np.uint64)
        one_more = np.minimum(np.asarray(wanted, np.int64) + 1, 2**31 - 1)
        left = device.upload(np.broadcast_to(one_more, runs).astype(np.int32), writable=True)
        # six passes settle 64 bits on the device; a sort would move all keys
        groups = max(1, -(-self.items // shape.span))
        for shift in SHIFTS:
            step = {"shift": shift, "prefix": prefix, "left": left}
            program.smallest_count.launch(
                self, (groups * shape.local, runs), local=(shape.local, 1), key=key, **step
            )
            program.smallest_narrow.launch(self, (shape.lanes, runs), local=(shape.lanes, 1), **step)
        return Cut(prefix, left)

    def take(self, key: Any, cut: Cut, *, equal: bool, keys: bool = False) -> tuple[Column, Column]:
        """List the items before a cut, ascending in each run; with `equal` also those of its key that belong.

        Parameters
        ----------
        key : uint64 device buffer, shape (runs * items,)
        cut : Cut
            Of these keys, or (without `equal`) of others.
        equal : bool
        keys : bool
            Whether their keys are listed too; else the second column must not be looked at.
        """
        device, program, runs = self.device, self.program, self.runs
        size, local = (self.blocks, runs), (min(device.tuning.local_size, 64), 1)
        until = {"key": key, "cut": cut.key, "left": cut.left}
        program.smallest_count_blocks.launch(self, size, local=local, **until)
        lanes = self.shape.lanes
        program.smallest_sum.launch(self, (lanes, runs), local=(lanes, 1), left=cut.left, spare=equal)
        total = device.download(self.total, np.int32, runs).astype(np.int64)
        offset = np.concatenate(([0], np.cumsum(total)))
        many = max(int(offset[-1]), 1)
        listed, listed_keys = device.empty(many, self.item), device.empty(many, np.uint64) if keys else None
        begins = device.upload(offset[:-1], writable=True)
        listing = {"offset": begins, "list": listed, "keys": listed_keys}
        program.smallest_list.launch(self, size, local=local, **until, **listing, spare=equal)
        items = Column.on(device, offset, listed, self.item)
        return items, Column.on(device, offset, listed_keys, np.uint64)


def smallest(
    device: Device, runs: int, n: int, key: Any, wanted: npt.ArrayLike, *, keys: bool = True
) -> tuple[Column, Column]:
    """List the `wanted` vertices of smallest keys of each run; and their keys."""
    found = Smallest(device, runs, n)
    return found.take(key, found.cut(key, wanted), equal=True, keys=keys)
