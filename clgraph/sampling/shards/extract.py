"""The part of each shard that is in a sample: host half of ``cl/sampling/shards/extract.cl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.scale.loading import VALUES

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device

Bits = npt.NDArray[np.uint32]
Place = Callable[[str, int], npt.NDArray[Any]]


@dataclass(frozen=True)
class Chosen:
    """What decides which edges are in a sample.

    Attributes
    ----------
    bits : uint32 array
        A bit for each vertex of the graph, the lowest first.
    cut : (int, int), or None
        dre: (time, word) of the last deletion; only later edges are in the sample. None: drv.
    untouched : bool
        Whether nothing was deleted.
    """

    bits: Bits
    cut: tuple[int, int] | None
    untouched: bool = False

    @staticmethod
    def of(member: npt.NDArray[np.bool_], cut: tuple[int, int] | None) -> Chosen:
        """The choice of a bool for each vertex."""
        packed = np.zeros(-(-len(member) // 32) * 4, np.uint8)
        some = np.packbits(member, bitorder="little")
        packed[: len(some)] = some
        return Chosen(packed.view("<u4").astype(np.uint32), cut)


def unpacked(bits: Bits, n: int) -> npt.NDArray[np.bool_]:
    """A bool for each vertex."""
    return np.unpackbits(bits.astype("<u4").view(np.uint8), count=n, bitorder="little").view(np.bool_)


@dataclass(frozen=True)
class Kept:
    """What stays of a shard.

    Attributes
    ----------
    first_row : int
        The new number of its first vertex that stays.
    row_ptr : array, shape (rows that stay + 1,)
    col_idx : int32 array
        New numbers.
    values : dict of str to array
        weights, multiplicity, way: as far as the shard was loaded with them.
    """

    first_row: int
    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    values: dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class _Marked:
    """Entries that stay: a bit for each, how many before each word of bits, and in all."""

    bits: Any
    before: Any
    total: int


class Extraction:
    """Takes samples out of shards.

    Parameters
    ----------
    device : Device
    seed : int
    n : int
        Vertices of the graph.
    chosen : Chosen

    Attributes
    ----------
    size : int
        Vertices in the sample.
    """

    def __init__(self, device: Device, seed: int, n: int, chosen: Chosen) -> None:
        self._device, self._seed, self._n, self._chosen = device, seed, n, chosen
        words = len(chosen.bits)
        device.reserve({"members": 9 * words})
        self._member = device.upload(chosen.bits)
        ones = device.empty(words, np.uint8)
        self._program().extract_ones(self._over(words), words=words, member=self._member, ones=ones)
        self._before = running_sums(device, ones, words, of=np.uint8, into=np.int32)
        self.size = int(device.download(self._before, np.int32, 1, offset=words)[0])
        self._cut = chosen.cut or (0, 0)

    def _program(self, block: DeviceCSR | None = None) -> Any:
        device = self._device
        values = block.values if block else {}
        return device.program(
            "sampling/shards/extract",
            ITEMS=device.tuning.items,
            BY_EDGE=int(self._chosen.cut is not None),
            HAS_WEIGHTS=int("weights" in values),
            HAS_COUNTS=int("multiplicity" in values),
            HAS_WAY=int("way" in values),
            **(block.defines if block else {}),
        )

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def _rank(self, vertex: int) -> int:
        """How many members come before a vertex."""
        if vertex == self._n:
            return self.size
        word = vertex >> 5
        before = int(self._device.download(self._before, np.int32, 1, offset=word)[0])
        return before + (int(self._chosen.bits[word]) & ((1 << (vertex & 31)) - 1)).bit_count()

    def members(self) -> npt.NDArray[np.int32]:
        """The vertices in the sample, ascending."""
        device, n = self._device, self._n
        listed = device.output(self.size, np.int32)
        self._program().extract_list(
            self._over(self._n), n=n, member=self._member, before=self._before, listed=listed
        )
        return device.take(listed, np.int32, self.size)

    def _mark(self, block: DeviceCSR) -> _Marked:
        device, words = self._device, -(-block.arcs // 32)
        bits, ones = device.empty(words, np.uint32), device.empty(words, np.uint8)
        self._program(block).extract_mark(
            self._over(words),
            words=words,
            **block.arguments,
            seed=self._seed,
            cut_time=self._cut[0],
            cut_word=self._cut[1],
            member=self._member,
            kept=bits,
            ones=ones,
        )
        before = running_sums(device, ones, words, of=np.uint8, into=block.offset)
        return _Marked(bits, before, int(device.download(before, block.offset, 1, offset=words)[0]))

    def count(self, block: DeviceCSR) -> int:
        """How many entries of a shard stay."""
        return self._mark(block).total if block.arcs else 0

    def of(self, block: DeviceCSR, place: Place | None = None) -> Kept:
        """The part of a shard; `place` gives the arrays of entries that stay, by name and length."""
        device = self._device

        def taken(name: str, buffer: Any, dtype: Any) -> npt.NDArray[Any]:
            if place is None:
                return device.take(buffer, dtype, marked.total)
            array = place(name, marked.total)
            device.fetch(buffer, array)
            return array

        first = self._rank(block.first_row)
        rows = self._rank(block.first_row + block.n) - first
        if not block.arcs:
            none = {name: np.empty(0, VALUES[name]) for name in block.values}
            return Kept(first, np.zeros(rows + 1, np.int32), np.empty(0, np.int32), none)
        marked, program = self._mark(block), self._program(block)
        head = device.output(marked.total, np.int32)
        made = {name: device.output(marked.total, VALUES[name]) for name in block.values}
        ranks = {
            "entries": block.arcs,
            "kept": marked.bits,
            "start": marked.before,
            "member": self._member,
            "before": self._before,
        }
        program.extract_place(
            self._over(block.arcs),
            **ranks,
            col_idx=block.col_idx,
            head=head,
            **{name: block.values.get(name) for name in VALUES},
            **{f"new_{name}": made.get(name) for name in VALUES},
        )
        offsets = device.output(rows + 1, block.offset)
        program.extract_rows(
            self._over(block.n),
            rows=block.n,
            first_row=block.first_row,
            base=first,
            **ranks,
            row_ptr=block.row_ptr,
            new_ptr=offsets,
        )
        row_ptr = device.take(offsets, block.offset, rows + 1)
        row_ptr[rows] = marked.total
        return Kept(
            first,
            row_ptr,
            taken("col_idx", head, np.int32),
            {name: taken(name, buffer, VALUES[name]) for name, buffer in made.items()},
        )
