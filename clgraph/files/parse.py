"""Text parsed on a device into columns of numbers: rows of edges, and lists of neighbours."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real_number
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError
from clgraph.files.read_ahead import Chunk, NotTaken
from clgraph.formats.common import counted
from clgraph.formats.text_table import Layout
from clgraph.graph.building import exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device

# bytes that one work-item takes: on a CPU a run that stays in the cache, on a GPU a few lines
LAUNCH = LaunchTable(gpu=256, cpu=1 << 14, simulator=64)
POWERS = -342, 308  # of ten, that a double reaches with 19 digits in front
SEEN = 6
ODD_ROWS, ODD_FIRST, HARD_ROWS, WIDE_ROWS, HIGHEST, LOOPS = range(SEEN)
NUMBER = re.compile(rb"[-+.eE0-9]+")
LONGEST = 4096  # bytes of a weight: no writer spells a longer one, and nothing is looked for beyond
SHORTEST_ROW = 4  # "1 2\\n"


class TooWide(Exception):
    """An id that does not fit into 32 bits."""


@dataclass
class Columns:
    """Parsed rows on a device."""

    source: Any
    target: Any
    weight: Any  # float64, or None
    count: int
    id_type: type  # of source and target: np.int32 or np.int64
    highest: int  # at least as high as any id
    loops: int  # rows from a vertex to itself
    n: int = 0  # vertices, once they are numbered
    ids: Any = None  # theirs, on a device or the host; None where they are 0 .. n - 1


@cache
def powers_of_five(first: int = POWERS[0], last: int = POWERS[1], up: bool = False) -> npt.NDArray[np.uint64]:
    """The leading 128 bits of 5^q for each of these powers, upper half first.

    They are rounded up where q < 0, and with `up` everywhere.
    """
    numbers = []
    for q in range(first, last + 1):
        power: int = 5 ** abs(q)
        bits = power.bit_length()
        if q >= 0:
            number = power << 128 - bits if bits <= 128 else power >> bits - 128
            number += up and bits > 128
        else:
            number = (1 << bits + 127) // power + 1
            number >>= max(number.bit_length() - 128, 0)
        numbers += [number >> 64, number & (2**64 - 1)]
    return np.array(numbers, np.uint64)


def to_sums(device: Device, counts: Any, count: int, dtype: Any = np.int32) -> int:
    """Replace counts on a device by the sums of those before them; returns the sum of all."""
    before, total = exclusive_sums(device.download(counts, dtype, count))
    device.write(counts, before.astype(dtype))
    return total


class ColumnParser:
    """Takes chunks of text; appends what kernels find in them to columns on a device, which grow.

    `total` gives about how many bytes the whole text has. The columns have room for `more` rows behind those
    of the text.
    """

    nothing = "no rows"  # what is said of a text in which nothing is found
    names = "source ids", "target ids", "weights"  # what errors call the columns
    step = 1  # numbers that are counted, of a row

    def __init__(
        self, device: Device, id_type: type, weighted: bool, total: Callable[[], int], block: int, more: int
    ) -> None:
        self._device, self._id_type, self._weighted, self._total = device, id_type, weighted, total
        self._types = dict(zip(self.names, (id_type, id_type, np.float64)[: 2 + weighted], strict=False))
        self._shortest = SHORTEST_ROW
        self.source: Any = None
        self.target: Any = None
        self.weight: Any = None
        self._block, self._more = block, more
        self._rows = self._parsed = 0  # of the columns; bytes of the text so far
        self._count = self._loops = self._highest = 0
        self.powers = device.upload(powers_of_five()) if weighted else None

    def all(self, chunks: Iterable[Chunk]) -> Columns:
        """Return the rows of all chunks; NotTaken if only the host's reader takes them, or there are none."""
        for chunk in chunks:
            self._take(chunk)
        if not self._count:
            raise NotTaken(self.nothing)
        return self._found()

    def _take(self, chunk: Chunk) -> None:
        raise NotImplementedError

    def _found(self) -> Columns:
        ends, count = (self.source, self.target, self.weight), self._count // self.step
        return Columns(*ends, count, self._id_type, self._highest, self._loops)

    def _grow(self, count: int, wanted: int, nbytes: int) -> None:
        """Make columns of at least `wanted` rows, with the first `count`, for `nbytes` more of the text."""
        self._parsed += nbytes
        if self._rows and wanted <= self._rows:
            return
        rest = max(self._total() - self._parsed, 0)
        share = wanted / self._parsed  # rows in a byte so far
        # a twentieth more than the text so far lets expect, so that columns seldom grow twice
        rows = min(int(wanted + 1.05 * share * rest) + 1024, wanted + rest // self._shortest + 1)
        # kernels count rows in 32 bits
        room = rows + self._more
        if room >= 2**32:
            raise CapacityError(f"{self._device}: over {2**32 - 1} rows; split the file")
        self._device.reserve({name: room * np.dtype(kind).itemsize for name, kind in self._types.items()})
        for name, kind in zip(("source", "target", "weight"), self._types.values(), strict=False):
            column = self._device.empty(room, kind)
            if count:
                self._device.copy(column, getattr(self, name), count * np.dtype(kind).itemsize)
            setattr(self, name, column)
        self._rows = rows


class Parser(ColumnParser):
    """Parses rows of two ids and perhaps a weight: host half of ``cl/files/parse.cl``."""

    def __init__(
        self,
        device: Device,
        layout: Layout,
        id_type: type,
        total: Callable[[], int],
        block: int | None = None,
        more: int = 0,
    ) -> None:
        weighted = len(layout.columns) == 3
        super().__init__(device, id_type, weighted, total, block or LAUNCH.of(device), more)
        self._program = device.program(
            "files/parse",
            BLOCK=self._block,
            ID="int" if id_type is np.int32 else "long",
            WEIGHTED=int(weighted),
            EXACT=int(layout.row != ""),
            WHOLE=int(layout.whole),
        )
        self.source_column, self.target_column, self.weight_column = (*layout.columns, 0)[:3]
        self.comma = layout.delimiter == ","

    def one(self, chunk: Chunk) -> Columns:
        """Return the rows of a chunk alone, in buffers that the next chunk uses again; errors as of `all`."""
        self._count = 0
        self._take(chunk)
        return self._found()

    def _take(self, chunk: Chunk) -> None:
        device, program = self._device, self._program
        blocks = -(-(chunk.end - chunk.begin) // self._block)
        rows = device.empty(blocks, np.int32)
        program.parse_count.launch(chunk, blocks, rows=rows)
        count = to_sums(device, rows, blocks)
        self._grow(self._count, self._count + count, chunk.end - chunk.begin)
        nothing = np.zeros(SEEN, np.uint32)
        nothing[ODD_FIRST] = 2**32 - 1
        seen = device.upload(nothing, writable=True)
        room = count if self._weighted else 0
        # weights that the kernel cannot round for certain are listed, and parsed by the host
        hard = [device.empty(max(room, 1), np.int32) for _ in range(2)]
        program.parse_rows.launch(
            self,
            blocks,
            **program.parse_rows.arguments_of(chunk),
            base=self._count,
            rows=rows,
            hard_room=room,
            hard_row=hard[0],
            hard_at=hard[1],
            seen=seen,
        )
        counts = device.download(seen, np.uint32, SEEN).tolist()
        if counts[ODD_ROWS]:
            rows = counted(counts[ODD_ROWS], "unusual row")
            raise NotTaken(f"{rows}, the first is row {self._count + counts[ODD_FIRST] + 1}")
        if counts[WIDE_ROWS]:
            raise TooWide
        wide = self._id_type is np.int64
        self._highest = max(self._highest, (counts[HIGHEST] << 32 | 0xFFFFFFFF) if wide else counts[HIGHEST])
        self._loops += counts[LOOPS]
        if counts[HARD_ROWS]:
            self._read_hard(chunk, *(device.download(each, np.int32, counts[HARD_ROWS]) for each in hard))
        self._count += count

    def _read_hard(self, chunk: Chunk, rows: npt.NDArray[np.int32], places: npt.NDArray[np.int32]) -> None:
        """Weights that the kernel was not sure about."""
        values = np.empty(len(rows))
        for k, place in enumerate(places.tolist()):
            found = NUMBER.match(chunk.array[place : min(place + LONGEST, chunk.end)].tobytes())
            value = real_number(found[0].decode()) if found else None
            if found is None or len(found[0]) == LONGEST or value is None or not math.isfinite(value):
                raise NotTaken(f"an unusual weight in row {self._count + int(rows[k]) + 1}")
            values[k] = value
        device = self._device
        self._program.parse_patch(
            len(rows),
            count=len(rows),
            base=self._count,
            patch_row=device.upload(rows),
            patch=device.upload(values.view(np.uint64)),
            weight=self.weight,
        )
        device.finish()  # before the arrays are gone


# --- lists of neighbours: host half of ``cl/files/adjacency_lines.cl`` ---


LIST_LAUNCH = LaunchTable(gpu=256, cpu=1 << 14, simulator=16)  # bytes that one work-item takes, as above
SHORTEST_NUMBER = 2  # bytes


class ListParser(ColumnParser):
    """Parses lines, each of which lists the neighbours of the next of `n` vertices, counted from 1.

    If `weighted`, each neighbour has its weight, a whole number, behind it.
    """

    nothing = "no neighbours"
    names = "tails", "heads", "weights"

    def __init__(
        self, device: Device, n: int, weighted: bool, total: Callable[[], int], block: int | None = None
    ) -> None:
        super().__init__(device, np.int32, weighted, total, block or LIST_LAUNCH.of(device), 0)
        self.step = 1 + weighted
        self._shortest, self._highest = self.step * SHORTEST_NUMBER, n - 1
        self.n, self._lines = n, 0
        self._program = device.program("files/adjacency_lines", BLOCK=self._block, STEP=self.step)

    def _found(self) -> Columns:
        if self._lines < self.n:
            raise NotTaken(f"{counted(self._lines, 'line')} for {self.n} vertices")
        return super()._found()

    def _take(self, chunk: Chunk) -> None:
        device, program, known = self._device, self._program, self._count
        blocks = -(-(chunk.end - chunk.begin) // self._block)
        lines, numbers = device.empty(blocks, np.int32), device.empty(blocks, np.int32)
        program.lists_count.launch(chunk, blocks, lines=lines, numbers=numbers)
        more_lines, more_numbers = to_sums(device, lines, blocks), to_sums(device, numbers, blocks)
        # a neighbour's weight may be in the next chunk
        arcs, wanted = -(-known // self.step), -(-(known + more_numbers) // self.step)
        self._grow(arcs, wanted, chunk.end - chunk.begin)
        seen = device.zeros(2, np.uint32)
        program.lists_numbers.launch(
            self,
            blocks,
            **program.lists_numbers.arguments_of(chunk),
            line_base=self._lines,
            number_base=known,
            lines=lines,
            numbers=numbers,
            tail=self.source,
            head=self.target,
            seen=seen,
        )
        odd, loops = device.download(seen, np.uint32, 2).tolist()
        if odd:
            raise NotTaken(f"{counted(odd, 'unusual place')} from line {self._lines + 1} of the lists on")
        self._lines += more_lines
        self._count += more_numbers
        self._loops += loops
