"""Shards on a device: read ahead by threads, checked where they are used, kept there where they fit.

Host half of ``cl/scale/loading.cl``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import system
from clgraph.device.shapes import Shapes
from clgraph.errors import DeviceError
from clgraph.scale.manifest import Shard
from clgraph.scale.shards import ShardRows, Shards

if TYPE_CHECKING:
    from clgraph.device import Device

VALUES = {"weights": np.float64, "multiplicity": np.int32, "way": np.uint8}


@dataclass(frozen=True)
class Shape:
    """Entries that a work-item of ``loading_heads`` takes."""

    span: int


SHAPES = Shapes(gpu=Shape(8), cpu=Shape(4096), simulator=Shape(5))


@dataclass(frozen=True)
class Loaded:
    """A shard on a device.

    Attributes
    ----------
    shard : Shard
    offset : type
        Of row_ptr: ``np.int32`` or ``np.int64``.
    row_ptr, col_idx : device buffers
        As in `clgraph.scale.shards.ShardRows`.
    values : dict of str to device buffer
        weights, multiplicity and way, as far as they were wanted and are there.
    """

    shard: Shard
    offset: type
    row_ptr: Any
    col_idx: Any
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def defines(self) -> dict[str, str]:
        """Build options that tell the kernels the type of an offset."""
        return {"OFFSET": "int" if self.offset is np.int32 else "long"}

    @staticmethod
    def of(device: Device, rows: ShardRows, values: Sequence[str] = ()) -> Loaded:
        """Upload the rows of a shard."""
        offset = np.int64 if rows.row_ptr.dtype == np.int64 else np.int32
        columns = {name: getattr(rows, name) for name in values}
        kept = {name: device.upload(column) for name, column in columns.items() if column is not None}
        return Loaded(rows.shard, offset, device.upload(rows.row_ptr), device.upload(rows.col_idx), kept)

    @property
    def nbytes(self) -> int:
        """Bytes on the device."""
        return sum(each.size for each in (self.row_ptr, self.col_idx, *self.values.values()))


class Loading:
    """The shards of a dataset, brought to a device.

    Parameters
    ----------
    device : Device
    shards : Shards
    values : sequence of {"weights", "multiplicity", "way"}
        What is wanted beside the rows.
    room : int
        Bytes of the device's memory in which shards may stay for the next pass. Where memory is shared none
        do: the system keeps the files.
    """

    def __init__(self, device: Device, shards: Shards, *, values: Sequence[str] = (), room: int = 0) -> None:
        self._device, self._shards, self._values = device, shards, tuple(values)
        self._room = 0 if device.shares_memory else room
        self._kept: dict[tuple[str, int], Loaded] = {}

    def rows(self, name: str, numbers: Sequence[int]) -> Iterator[Loaded]:
        """Shards of a section: first those that are there already, then the others in order; not `alone`."""
        missing = []
        for number in numbers:
            if (name, number) in self._kept:
                yield self._kept[name, number]
            else:
                missing.append(number)
        if not missing:
            return
        # one thread reads the next shard, with others for its blocks, while the device has this one
        with (
            ThreadPoolExecutor(max(1, system.cores()), "clgraph-blocks") as readers,
            ThreadPoolExecutor(1, "clgraph-shards") as reader,
        ):

            def ask(place: int) -> Future[tuple[ShardRows, bool]] | None:
                wanted = missing[place : place + 1]
                return reader.submit(self._shards.load, name, wanted[0], readers) if wanted else None

            ahead = ask(0)
            for place, number in enumerate(missing):
                assert ahead is not None
                found, full = ahead.result()
                ahead = ask(place + 1)
                loaded = self._load(name, found, full)
                del found
                if loaded.nbytes <= self._room:
                    self._room -= loaded.nbytes
                    self._kept[name, number] = loaded
                yield loaded

    def _load(self, name: str, rows: ShardRows, full: bool) -> Loaded:
        with self._device.alone():
            loaded = Loaded.of(self._device, rows, self._values)
            loops, wrong = self.look(loaded, pairs=name == "pairs", full=full)
        if wrong or (full and loops != rows.shard.loops):
            self._shards.check(name, rows, full)  # says what is wrong
            raise DeviceError(
                f"{self._device.name}: found a fault in {rows.shard.file} that the host does not see; please "
                "report this"
            )
        self._shards.checked(rows.shard)
        return loaded

    def look(self, loaded: Loaded, *, pairs: bool, full: bool) -> tuple[int, bool]:
        """Self-loops (if `full`), and whether something is wrong."""
        device, shard = self._device, loaded.shard
        if not shard.rows:
            return 0, shard.edges > 0
        span, items = SHAPES.of(device).span, device.tuning.items
        program = device.program(
            "scale/loading", SPAN=span, ITEMS=items, FULL=int(full), PAIRS=int(pairs), **loaded.defines
        )
        fault = device.zeros(2, np.int32)
        rows, entries = np.int32(shard.rows), np.int64(shard.edges)
        program.loading_offsets(-(-shard.rows // items), rows, entries, loaded.row_ptr, fault)
        if shard.edges:
            program.loading_heads(
                -(-shard.edges // span),
                rows,
                np.int32(shard.first_row),
                np.int32(self._shards.num_vertices),
                entries,
                loaded.row_ptr,
                loaded.col_idx,
                fault,
            )
        wrong, loops = device.download(fault, np.int32, 2).tolist()
        return loops, bool(wrong)
