"""Keys with values sorted on a device: host half of ``cl/csr/sort.cl``.

(The heads of many rows, each separately: `clgraph.csr.build.sort_rows`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch shape.

    Attributes
    ----------
    each : int
        Consecutive keys of a work-item.
    bits : int
        Of a digit.
    """

    each: int
    bits: int
    LARGEST: ClassVar[dict[str, int]] = {"bits": 12}  # a counter of each digit, in local memory

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits; alone, a work-item takes as many keys as on a CPU."""
        if self.local == 1:
            return self
        nbytes = (2 << self.bits) + 8 * self.each + 8
        local = fit_group(self.local, device, each=nbytes)
        return replace(self, local=local) if local > 1 else ALONE


# a CPU core deals to 256 places in its cache; a group on a GPU has counters of all its lanes in local memory
ALONE = LaunchConfig(local=1, each=1 << 15, bits=8)
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, each=8, bits=4), cpu=ALONE, simulator=LaunchConfig(local=4, each=4, bits=2)
)


def sort_by_key(
    device: Device, key: Any, count: int, bits: int, value: Any = None, *, low: int = 0
) -> tuple[Any, Any]:
    """Keys in ascending order and their values; of equal keys the first stays first. Does not wait.

    Parameters
    ----------
    device : Device
    key : uint32 device buffer, shape (count,)
        It is worked in, if there is more than one digit: what it holds afterwards means nothing.
    count : int
        Below 2**31.
    bits : int
        How many bits of a key may be set, the lowest ones.
    value : int32 device buffer, shape (count,), or None
        As `key`. None: the value of a key is its position.
    low : int
        The lowest bit that counts: keys that differ below it keep their order.

    Returns
    -------
    key, value : device buffers
    """
    shape = LAUNCH.of(device)
    program = device.program("csr/sort", LOCAL=shape.local, EACH=shape.each, BITS=shape.bits)
    tiles = -(-count // (shape.local * shape.each))
    counts = device.empty(tiles << shape.bits, np.int32)
    spare = device.empty(count, np.uint32), device.empty(count, np.int32)
    for shift in range(low, max(low + 1, bits), shape.bits):
        common = {"n": count, "shift": shift, "tiles": tiles, "key": key}
        program.sort_count.exact(tiles * shape.local, local=shape.local, **common, counts=counts)
        base = running_sums(device, counts, tiles << shape.bits, into=np.int32)
        program.sort_move.exact(
            tiles * shape.local,
            local=shape.local,
            **common,
            value=value,
            base=base,
            new_key=spare[0],
            new_value=spare[1],
        )
        before, (key, value) = (key, value), spare
        spare = before[0], device.empty(count, np.int32) if before[1] is None else before[1]
    return key, value


def sort_by_words(
    device: Device,
    kernel: Any,
    count: int,
    widths: Iterable[tuple[int, int]],
    named: Mapping[str, Any],
    place: Any = None,
) -> Any:
    """Sort positions by several words, the last one before all others; return them in order: int32 buffer.

    Parameters
    ----------
    device : Device
    kernel : Kernel
        Writes word `which` of each entry, in the order `place` (NULL: as they are), to `word`.
    count : int
        Below 2**31.
    widths : iterable of (int, int)
        `which`, and the bits that may be set in such a word. Words of no bits are all equal, and left out.
    named : mapping
        The kernel's other arguments. (To bind them would make a kernel, which takes half a millisecond.)
    place : int32 device buffer, shape (count,), or None
        The order so far.
    """
    for which, bits in widths:
        if bits and count:
            word = device.empty(count, np.uint32)
            each = {**named, "which": which, "place": place, "word": word}
            kernel(-(-count // device.tuning.items), **each)
            _, place = sort_by_key(device, word, count, bits, place)
    return place
