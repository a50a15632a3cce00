"""The second pass over shards: the part of each that is in a sample, counted, written, or put together.

Host half of ``cl/sampling/shards/extract.cl``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import flag_positions
from clgraph.device.memory import on_large_pages
from clgraph.graph.arrays import Arrays
from clgraph.sampling.shards.forest import Choice
from clgraph.scale.comm import Ranks
from clgraph.scale.loading import VALUES, Loading
from clgraph.scale.manifest import Part
from clgraph.scale.shards import ShardRows, Shards, open_shards
from clgraph.scale.writing import LEAVING, Writer, shared_dataset

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

Into = Callable[[str, int], npt.NDArray[Any]]


class Extraction:
    """Takes a sample of `size` vertices out of shards, as chosen of a graph of `n` vertices."""

    def __init__(self, device: Device, seed: int, n: int, chosen: Choice) -> None:
        self.device, self.seed, self.n, self._chosen = device, seed, n, chosen
        words = len(chosen.bits)
        device.reserve({"members": 9 * words})
        self.cut_time, self.cut_word = chosen.cut or (0, 0)
        self.member = device.upload(chosen.bits)
        # ranks of vertices come from sums over words of 32 bits: an eighth of sums over vertices
        ones = device.empty(words, np.uint8)
        self._program().extract_ones.launch(self, self._over(words), words=words, ones=ones)
        self.before, self.size = flag_positions(device, ones, words)

    def _program(self, block: DeviceCSR | None = None) -> Any:
        values = block.values if block else {}
        return self.device.program(
            "sampling/shards/extract",
            ITEMS=self.device.tuning.items,
            BY_EDGE=int(self._chosen.cut is not None),
            HAS_WEIGHTS=int("weights" in values),
            HAS_COUNTS=int("multiplicity" in values),
            HAS_WAY=int("way" in values),
            **(block.defines if block else {}),
        )

    def _over(self, count: int) -> int:
        return -(-count // self.device.tuning.items)

    def _rank(self, vertex: int) -> int:
        """Return how many members come before a vertex."""
        if vertex == self.n:
            return self.size
        word = vertex >> 5
        before = int(self.device.download(self.before, np.int32, 1, offset=word)[0])
        return before + (int(self._chosen.bits[word]) & ((1 << (vertex & 31)) - 1)).bit_count()

    def members(self) -> npt.NDArray[np.int32]:
        """Return the vertices in the sample, ascending."""
        listed = self.device.output(self.size, np.int32)
        self._program().extract_list.launch(self, self._over(self.n), listed=listed)
        return self.device.take(listed, np.int32, self.size)

    def _mark(self, block: DeviceCSR) -> tuple[dict[str, Any], int]:
        """Mark entries that stay by bits; return these with how many stay before each word, and in all."""
        device, words = self.device, -(-block.arcs // 32)
        bits, ones = device.empty(words, np.uint32), device.empty(words, np.uint8)
        named = {"words": words, **block.arguments, "kept": bits, "ones": ones}
        self._program(block).extract_mark.launch(self, self._over(words), **named)
        start, total = flag_positions(device, ones, words, into=block.offset)
        return {"entries": block.arcs, "kept": bits, "start": start}, total

    def count(self, block: DeviceCSR) -> int:
        """Count the entries of a shard that stay."""
        return self._mark(block)[1] if block.arcs else 0

    def of(self, block: DeviceCSR, into: Into | None = None) -> ShardRows:
        """Take out the part of a shard; `into` gives the arrays of entries that stay, by name and length."""
        device = self.device
        first = self._rank(block.first_row)
        rows = self._rank(block.first_row + block.n) - first
        if not block.arcs:
            none = {name: np.empty(0, VALUES[name]) for name in block.values}
            return ShardRows(first, np.zeros(rows + 1, np.int32), np.empty(0, np.int32), none)
        (marked, total), program = self._mark(block), self._program(block)

        def taken(name: str, buffer: Any, dtype: Any) -> npt.NDArray[Any]:
            if into is None:
                return device.take(buffer, dtype, total)
            array = into(name, total)
            device.fetch(buffer, array)
            return array

        head = device.output(total, np.int32)
        made = {name: device.output(total, VALUES[name]) for name in block.values}
        program.extract_place.launch(
            self,
            self._over(block.arcs),
            **marked,
            col_idx=block.col_idx,
            head=head,
            **{name: block.values.get(name) for name in VALUES},
            **{f"new_{name}": made.get(name) for name in VALUES},
        )
        offsets = device.output(rows + 1, block.offset)
        own = {"rows": block.n, "first_row": block.first_row, "base": first, "row_ptr": block.row_ptr}
        program.extract_rows.launch(self, self._over(block.n), **own, **marked, new_ptr=offsets)
        row_ptr = device.take(offsets, block.offset, rows + 1)
        row_ptr[rows] = total
        values = {name: taken(name, buffer, VALUES[name]) for name, buffer in made.items()}
        return ShardRows(first, row_ptr, taken("col_idx", head, np.int32), values)


def write_sample(
    ranks: Ranks, device: Device, shards: Shards, loading: Loading, extraction: Extraction, output: Path
) -> Shards:
    """Write the sample as a dataset; threads write what is taken out while the device goes on."""
    names = list(shards.manifest.sections)
    with shared_dataset(ranks, output, directed=shards.directed, vertices=extraction.size) as writer:
        ids = None
        if ranks.rank == 0:
            with device.alone():
                members = extraction.members()
            ids = writer.pool.submit(_write_ids, writer, shards, members)
        for name in names:
            for rows in loading.rows(name, ranks.shares(len(shards.section(name).shards))):
                with device.alone():
                    taken = extraction.of(rows)
                writer.put(name, rows.number, taken)
        flags = {name: getattr(shards.manifest, name) for name in ("weights", "multiplicity")}
        writer.finish_together(names, leaving=not {*LEAVING}.isdisjoint(names), ids=ids, **flags)
    return open_shards(output)


def _write_ids(writer: Writer, shards: Shards, members: npt.NDArray[np.int32]) -> Part | None:
    """Write the file of ids; None where they are 0, 1, 2, ..."""
    known = members if shards.manifest.ids is None else shards.ids[members]
    size = len(known)
    ends = known.dtype != object and (not size or (known[0] == 0 and known[-1] == size - 1))
    return None if ends and np.array_equal(known, np.arange(size)) else writer.ids(known)


class Growing:
    """A sample that grows shard by shard, in order."""

    def __init__(self, vertices: int, arcs: int, carried: Sequence[str]) -> None:
        kinds = {"col_idx": np.int32, **{name: VALUES[name] for name in carried}}
        self._row_ptr: npt.NDArray[Any] = np.zeros(vertices + 1, np.int32 if arcs < 2**31 else np.int64)
        self._columns = {name: on_large_pages(arcs, np.dtype(kind)) for name, kind in kinds.items()}
        self._at = 0

    def next_entries(self, name: str, count: int) -> npt.NDArray[Any]:
        """Return the room for the next entries of a column."""
        return self._columns[name][self._at : self._at + count]

    def add(self, part: ShardRows) -> None:
        """Add rows whose entries are in that room already."""
        ends = self._row_ptr[part.first_row : part.first_row + len(part.row_ptr)]
        np.add(part.row_ptr, self._at, out=ends, dtype=ends.dtype)
        self._at += len(part.col_idx)

    def arrays(self, ids: npt.NDArray[Any], directed: bool) -> Arrays:
        """Return the whole."""
        return Arrays(self._row_ptr, **self._columns, ids=ids, directed=directed, num_self_loops=0)
