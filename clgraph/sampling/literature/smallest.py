"""The items of smallest keys, of many runs at once: host half of ``cl/sampling/literature/smallest.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group

if TYPE_CHECKING:
    from clgraph.device import Device

# a key's 64 bits, 11 at a time from the top (a histogram of 2048 counters fits local memory everywhere)
BINS = 2048
SHIFTS = (55, 44, 33, 22, 11, 0)


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    local, span : int
        Work-items of a counting group, and the items it counts.
    block : int
        Items of a work-item that lists.
    lanes : int
        Work-items that sum up blocks.
    """

    local: int
    span: int
    block: int
    lanes: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local, lanes = fit_group(self.local, device), fit_group(self.lanes, device, each=8)
        return replace(self, local=local, lanes=lanes)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, span=16384, block=256, lanes=256),
    cpu=LaunchConfig(local=1, span=65536, block=4096, lanes=1),
    simulator=LaunchConfig(local=4, span=32, block=8, lanes=2),
)


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


@dataclass(frozen=True)
class Taken:
    """The items taken, run after run, ascending within each.

    Attributes
    ----------
    total : int64 array, shape (runs,)
    offset : int64 array, shape (runs + 1,)
    items : device buffer of the item type
    keys : uint64 device buffer, or None
    """

    total: npt.NDArray[np.int64]
    offset: npt.NDArray[np.int64]
    items: Any
    keys: Any


class Smallest:
    """Selections among `runs` times `items` keys.

    Parameters
    ----------
    device : Device
    runs, items : int
    """

    def __init__(self, device: Device, runs: int, items: int) -> None:
        self._device, self._runs, self._items = device, runs, items
        self._shape = shape = LAUNCH.of(device)
        self.item = np.int32 if items < 2**31 else np.int64
        self._program = device.program(
            "sampling/literature/smallest",
            SPAN=shape.span,
            BLOCK=shape.block,
            LANES=shape.lanes,
            ITEM="int" if self.item is np.int32 else "long",
        )
        self._blocks = max(1, -(-items // shape.block))
        device.reserve({"blocks": 8 * runs * self._blocks, "histograms": 4 * BINS * runs})
        self._histogram = device.zeros(runs * BINS, np.int32)
        self._below = device.empty(runs * self._blocks, np.int32)
        self._equal = device.empty(runs * self._blocks, np.int32)
        self._total = device.empty(runs, np.int32)

    def cut(self, key: Any, wanted: npt.NDArray[np.int64]) -> Cut:
        """Where the selection of the `wanted` smallest keys of each run ends; -1: look for nothing.

        Where a run has no more keys than are wanted, the cut is `NONE`.
        """
        device, program, shape = self._device, self._program, self._shape
        prefix = device.zeros(self._runs, np.uint64)
        left = device.upload(np.minimum(wanted + 1, 2**31 - 1).astype(np.int32), writable=True)
        groups = max(1, -(-self._items // shape.span))
        for shift in SHIFTS:
            program.smallest_count.exact(
                (groups * shape.local, self._runs),
                items=self._items,
                runs=self._runs,
                shift=shift,
                key=key,
                prefix=prefix,
                left=left,
                histogram=self._histogram,
                local=(shape.local, 1),
            )
            program.smallest_narrow.exact(
                (shape.lanes, self._runs),
                runs=self._runs,
                shift=shift,
                prefix=prefix,
                left=left,
                histogram=self._histogram,
                local=(shape.lanes, 1),
            )
        return Cut(prefix, left)

    def take(self, key: Any, cut: Cut, *, equal: bool, keys: bool = False) -> Taken:
        """List the items before a cut; with `equal` also those of its own key that belong to it.

        Parameters
        ----------
        key : uint64 device buffer, shape (runs * items,)
        cut : Cut
            Of these keys, or (without `equal`) of others.
        equal : bool
        keys : bool
            Whether the items' keys are listed too.
        """
        device, program, shape = self._device, self._program, self._shape
        size, local = (self._blocks, self._runs), (min(device.tuning.local_size, 64), 1)
        blocks = {
            "runs": self._runs,
            "blocks": self._blocks,
            "below": self._below,
            "equal": self._equal,
            "left": cut.left,
        }
        keyed = {"items": self._items, "key": key, "cut": cut.key}
        program.smallest_count_blocks(size, local=local, **keyed, **blocks)
        program.smallest_sum.exact(
            (shape.lanes, self._runs), local=(shape.lanes, 1), **blocks, spare=equal, total=self._total
        )
        total = device.download(self._total, np.int32, self._runs).astype(np.int64)
        offset = np.concatenate(([0], np.cumsum(total)))
        many = max(int(offset[-1]), 1)
        listed = device.empty(many, self.item)
        listed_keys = device.empty(many, np.uint64) if keys else None
        program.smallest_list(
            size,
            local=local,
            **keyed,
            **blocks,
            spare=equal,
            offset=device.upload(offset[:-1], writable=True),
            list=listed,
            keys=listed_keys,
        )
        return Taken(total, offset, listed, listed_keys)
