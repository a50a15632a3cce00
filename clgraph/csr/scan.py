"""Running sums on a device: host half of ``cl/csr/scan.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clgraph.device.launch_config import LaunchTable, WorkGroup

if TYPE_CHECKING:
    from clgraph.device import Device

NAMES: dict[Any, str] = {np.uint8: "uchar", np.int32: "int", np.uint32: "uint", np.int64: "long"}


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch shape.

    Attributes
    ----------
    block : int
        Values that a group takes, a multiple of `local`.
    """

    block: int
    EACH: ClassVar[int] = 8


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, block=2048),
    cpu=LaunchConfig(local=1, block=1 << 14),
    simulator=LaunchConfig(local=4, block=16),
)


def running_sums(device: Device, values: Any, count: int, *, of: Any = np.int32, into: Any = np.int64) -> Any:
    """The sums of what stands before each value, and the total: a new buffer of `count` + 1; does not wait.

    Parameters
    ----------
    device : Device
    values : device buffer of `count` values
    count : int
    of : {np.uint8, np.int32, np.uint32, np.int64}
        The type of the values.
    into : {np.int32, np.int64}
        The type of the sums, which must hold the total.
    """
    shape = LAUNCH.of(device)
    program = device.program("csr/scan", IN=NAMES[of], OUT=NAMES[into], LOCAL=shape.local, BLOCK=shape.block)
    blocks = max(1, -(-count // shape.block))
    before = None
    if blocks > 1:
        sums = device.empty(blocks, into)
        program.scan_sums.exact(blocks * shape.local, n=count, values=values, sums=sums, local=shape.local)
        before = running_sums(device, sums, blocks, of=into, into=into)
    out = device.output(count + 1, into)
    program.scan_place.exact(
        blocks * shape.local, n=count, values=values, before=before, out=out, local=shape.local
    )
    return out


def flag_positions(device: Device, flags: Any, count: int, *, into: Any = np.int32) -> tuple[Any, int]:
    """Return where each item that has a flag (uint8, 1) goes in a list of them, and how many they are."""
    place = running_sums(device, flags, count, of=np.uint8, into=into)
    return place, int(device.download(place, into, 1, offset=count)[0])
