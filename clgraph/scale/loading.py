"""Shards on a device: read there in chunks, checked where they are used, cached where they fit.

Host half of ``cl/scale/loading.cl``. A shard at which anything is wrong is read again by the host's reader
(`Shards.read`), which says what it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.device_csr import DeviceCSR
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import DeviceError
from clgraph.files.clg import Faulty, load_sections
from clgraph.files.read_ahead import NotTaken, Plain
from clgraph.formats.clg import PAGE
from clgraph.formats.common import reading
from clgraph.scale.shards import ShardRows, Shards

if TYPE_CHECKING:
    from clgraph.device import Device

VALUES = {"weights": np.float64, "multiplicity": np.int32, "way": np.uint8}


# the part of a device's memory up to which it keeps shards of graphs in memory: a call works in the rest
CACHE_SHARE = 3, 4
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=5)  # entries that one work-item takes


def upload_rows(device: Device, rows: ShardRows, values: Sequence[str] = (), number: int = 0) -> DeviceCSR:
    """Copy the rows of a shard to a device."""
    first, row_ptr, col_idx, columns = rows
    return DeviceCSR(
        len(row_ptr) - 1,
        len(col_idx),
        device.upload(row_ptr),
        device.upload(col_idx),
        row_ptr.dtype.type,
        first,
        number,
        {name: device.upload(columns[name]) for name in values if name in columns},
    )


class Loading:
    """The shards of a dataset, copied to a device.

    Parameters
    ----------
    device : Device
    shards : Shards
    values : sequence of {"weights", "multiplicity", "way"}
        What is wanted beside the rows.
    room : int
        Bytes of the device's memory in which shards from files may stay for the next pass.
    """

    def __init__(self, device: Device, shards: Shards, *, values: Sequence[str] = (), room: int = 0) -> None:
        self._device, self.shards, self._values = device, shards, tuple(values)
        self._room = room
        self._cached: dict[tuple[str, int], DeviceCSR] = {}

    def rows(self, name: str, numbers: Sequence[int]) -> Iterator[DeviceCSR]:
        """Yield shards of a section: first those that the device has, then the others in order; not `alone`.

        Those of a graph in memory come in order; the device keeps what it has room for.
        """
        for number in sorted(numbers, key=lambda number: (name, number) not in self._cached):
            if (name, number) in self._cached:
                yield self._cached[name, number]
                continue
            loaded = self._load(name, number)
            if self.shards.owner is None and loaded.nbytes <= self._room:
                self._room -= loaded.nbytes
                self._cached[name, number] = loaded
            yield loaded

    def _load(self, name: str, number: int) -> DeviceCSR:
        shards = self.shards
        shard = shards.section(name).shards[number]
        if shards.owner is not None:
            with self._device.alone():
                return self._of_graph(name, number)
        full = shards.verifies(shard)
        with self._device.alone():
            loaded = self._read(name, number, full) if sys.byteorder == "little" else None
        if loaded is None:
            # the host's reader names the fault, and the device only finds that there is one
            rows = shards.read(name, number)  # says what is wrong
            if sys.byteorder == "little":
                raise DeviceError(
                    f"{self._device.name}: finds a fault in {shards.path_of(shard)} that the host does not "
                    "see; please report this"
                )
            with self._device.alone():
                loaded = upload_rows(self._device, rows, self._values, number)
        shards.verified(shard)
        return loaded

    def _of_graph(self, name: str, number: int) -> DeviceCSR:
        """Return a block of a graph in memory; the device keeps its columns while there is room for more."""
        device, shards = self._device, self.shards
        shard, owner = shards.section(name).shards[number], shards.owner
        rows: list[ShardRows] = []

        def column(key: str, dtype: Any, count: int) -> Any:
            def make() -> Any:
                if not rows:
                    rows.append(shards.block(name, number))
                return device.upload(rows[0].values[key] if key in VALUES else getattr(rows[0], key))

            place = "shard", name, shard.first_row, shard.rows, key
            nbytes = count * np.dtype(dtype).itemsize
            # a cache that is cycled through by more than fits is never hit
            spare = device.global_memory * CACHE_SHARE[0] // CACHE_SHARE[1] - device.allocated
            if device.shares_memory or nbytes <= spare or device.graph_cache.has(owner, place):
                return device.cached(owner, place, make)
            return make()

        offset = np.int32 if shard.edges < 2**31 else np.int64
        row_ptr = column("row_ptr", offset, shard.rows + 1)
        col_idx = column("col_idx", np.int32, shard.edges)
        wanted = [key for key in self._values if getattr(shards.manifest, key, False)]
        values = {key: column(key, VALUES[key], shard.edges) for key in wanted}
        return DeviceCSR(shard.rows, shard.edges, row_ptr, col_idx, offset, shard.first_row, number, values)

    def _read(self, name: str, number: int, full: bool) -> DeviceCSR | None:
        """Return the shard on the device; None if anything is wrong with it."""
        device, shard = self._device, self.shards.section(name).shards[number]
        path = self.shards.path_of(shard)
        with reading(path), closing(Plain(path)) as source:
            head = bytearray(PAGE)
            source.fill(memoryview(head), 0)
            header = self.shards.header_of(name, shard, bytes(head), source.size)
            crc = header.sections["crc"]
            wanted = {key: part for key, part in header.sections.items() if key != "crc"}
            if not full:
                wanted = {key: wanted[key] for key in ("row_ptr", "col_idx", *self._values) if key in wanted}
            try:
                buffers, sums = load_sections(device, source, wanted, crc if full else None)
            except (Faulty, NotTaken):
                return None
            if sums is not None:
                self.shards.check_sums(shard, sums)
        offset = np.int64 if wanted["row_ptr"].kind == "<i8" else np.int32
        col_idx = buffers.get("col_idx") or device.empty(0, np.int32)
        values = {key: buffers[key] for key in VALUES if key in buffers}
        row_ptr, first = buffers["row_ptr"], shard.first_row
        block = DeviceCSR(shard.rows, shard.edges, row_ptr, col_idx, offset, first, number, values)
        if self._wrong(block, shard.loops, pairs=name == "pairs", full=full):
            return None
        return replace(block, values={key: values[key] for key in values if key in self._values})

    def _wrong(self, block: DeviceCSR, expected: int, *, pairs: bool, full: bool) -> bool:
        """True if the shard would lead kernels out of bounds or, if `full`, has another fault."""
        device, run = self._device, LAUNCH.of(self._device)
        if not block.n:
            return block.arcs > 0
        items = device.tuning.items
        arcs = -(-block.arcs // run)
        bounds = device.program("files/clg", ITEMS=items, RUN=run, **block.defines)
        found = device.zeros(2, np.uint32)
        bounds.binary_offsets(
            -(-block.n // items), n=block.n, arcs=block.arcs, row_ptr=block.row_ptr, found=found
        )
        bounds.binary_heads(
            arcs, n=self.shards.num_vertices, arcs=block.arcs, col_idx=block.col_idx, found=found
        )
        if device.download(found, np.uint32, 1)[0]:
            return True
        if not full:
            return False
        device.program("scale/loading", RUN=run, PAIRS=int(pairs), **block.defines).loading_entries(
            arcs, **block.arguments, **{name: block.values.get(name) for name in VALUES}, found=found
        )
        faults, loops = device.download(found, np.uint32, 2).tolist()
        return bool(faults) or loops != expected
