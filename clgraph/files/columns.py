"""Columns of numbers and names written as the rows of a text: host half of ``cl/files/columns.cl``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError
from clgraph.files.dispatch import device_or_host
from clgraph.files.parse import powers_of_five
from clgraph.files.write_edges import TENS, LaunchConfig, Spelt

if TYPE_CHECKING:
    from clgraph.device import Device

TYPES = {"i4": "INT", "i8": "LONG", "f4": "FLOAT", "f8": "DOUBLE"}
LONGEST = {"i4": 12, "i8": 21, "f4": 25, "f8": 25}  # bytes of a value and what ends it
SMALL_ROWS = 100_000  # that Python writes sooner than a device is opened
LARGE = 1000.0  # floats are written with an exponent from here on, or from more, as NumPy's release has it
COLUMNS = 3  # that kernels spell
ROWS = 1 << 16  # that Python takes at a time: their strings are a few MB

LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=16, chunk=1 << 25, rooms=3),
    cpu=LaunchConfig(run=2048, chunk=1 << 24, rooms=3),
    simulator=LaunchConfig(run=3, chunk=1 << 8, rooms=2),
)


def write_columns(file: IO[bytes], *columns: Any, device: Device | None = None) -> None:
    """Write tab-separated columns, one row per line: integers, names, shortest decimals.

    The text of many rows of two or three columns is made on a device, if it can be: the same as the host's.
    """
    arrays = [np.asarray(column) for column in columns]
    found = None
    # opening a device costs more than spelling a few rows
    if len(arrays[0]) >= SMALL_ROWS and len(arrays) <= COLUMNS and all(map(_is_plain, arrays)):
        found = device_or_host(device)
    if found is not None:
        try:
            spelling = Spelling(found, arrays)
        except CapacityError:
            pass  # the host writes what the device has no room for
        else:
            with found.alone():
                spelling.write(file)
            return
    for start in range(0, len(arrays[0]), ROWS):
        # str of a NumPy scalar is the shortest that reads back as the same number of its type
        parts = [array[start : start + ROWS] for array in arrays]
        texts = [map(str, part if part.dtype.kind == "f" else part.tolist()) for part in parts]
        file.write("".join("\t".join(row) + "\n" for row in zip(*texts, strict=True)).encode())


def _is_plain(column: npt.NDArray[Any]) -> bool:
    """True if kernels spell a column as Python does: whole numbers, and reals that are not large."""
    if column.dtype.kind == "f" and not np.all(np.abs(column) < LARGE):
        return False
    return column.dtype.str[1:] in TYPES


class Spelling(Spelt):
    """Rows of numbers, spelt chunk by chunk on a device; a CapacityError if they do not fit it."""

    def __init__(
        self, device: Device, columns: Sequence[npt.NDArray[Any]], config: LaunchConfig | None = None
    ) -> None:
        config = config or LAUNCH.of(device)
        self.device, self.run, self.count = device, config.run, len(columns[0])
        kinds = [column.dtype.str[1:] for column in columns]
        names = dict(zip(("FIRST", "SECOND", "THIRD"), (TYPES[kind] for kind in kinds), strict=False))
        longest = sum(LONGEST[kind] for kind in kinds)
        with device.alone():
            device.reserve({"columns": sum(column.nbytes for column in columns)})
            self._program = device.program("files/columns", RUN=self.run, **names)
            there = [*map(device.upload, map(np.ascontiguousarray, columns)), None]
            self.first, self.second, self.third = there[:3]
            self.powers = device.upload(powers_of_five(*TENS, up=True))
            self.cut(config, longest)

    def measure(self, runs: int, first: int, last: int) -> None:
        """Set `lengths` to the bytes of each run of some rows."""
        self._program.columns_lengths.launch(self, runs, begin=first, end=last)

    def place(self, runs: int, first: int, last: int, text: Any) -> None:
        """Spell the rows into a buffer."""
        self._program.columns_rows.launch(self, runs, begin=first, end=last, before=self.lengths, text=text)
