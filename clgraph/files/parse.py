"""Edge lists parsed on a device: host half of ``cl/files/parse.cl``."""

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
from clgraph.files.read_ahead import Piece
from clgraph.formats.common import counted
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


@dataclass(frozen=True)
class Wanted:
    """Which columns to take.

    Attributes
    ----------
    columns : tuple of int
        Of source, target and perhaps weight, counted from 0.
    comma : bool
        Whether commas separate fields; else blanks do.
    exact : bool
        Whether rows are Matrix Market's: no comments, no plus signs, nothing behind the last column.
    whole : bool
        Whether weights are whole numbers.
    """

    columns: tuple[int, ...]
    comma: bool
    exact: bool = False
    whole: bool = False


class NotTaken(Exception):
    """A file with rows that are left to the host's scanner; the message says how many and where."""


class TooWide(Exception):
    """An id that does not fit into 32 bits."""


@dataclass
class Columns:
    """Parsed rows on a device.

    Attributes
    ----------
    source, target : device buffers, `id_type`, shape (count,)
    weight : device buffer, float64, shape (count,), or None
    count : int
    id_type : type
        np.int32 or np.int64.
    highest : int
        At least as high as any id.
    loops : int
        Rows from a vertex to itself.
    """

    source: Any
    target: Any
    weight: Any
    count: int
    id_type: type
    highest: int
    loops: int


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


class Room:
    """Columns on a device that grow while a text is parsed.

    Parameters
    ----------
    device : Device
    types : dict of type
        By the names of the columns.
    shortest : int
        Fewest bytes of a row.
    total : callable
        Gives about how many bytes the whole text has: columns are made for as many rows as that promises.
    more : int
        Rows that there is room for behind those of the text.
    """

    def __init__(
        self, device: Device, types: dict[str, type], shortest: int, total: Callable[[], int], more: int = 0
    ) -> None:
        self._device, self._types, self._shortest, self._total = device, types, shortest, total
        self._more, self._rows, self._parsed = more, 0, 0
        self.columns: list[Any] = [None] * len(types)

    @property
    def three(self) -> tuple[Any, Any, Any]:
        """The columns, the third of them None where there are two."""
        one, other, *third = self.columns
        return one, other, third[0] if third else None

    def make(self, count: int, wanted: int, nbytes: int) -> None:
        """Columns of at least `wanted` rows, with the first `count`; the text so far is `nbytes` longer."""
        self._parsed += nbytes
        if self._rows and wanted <= self._rows:
            return
        rest = max(self._total() - self._parsed, 0)
        share = wanted / self._parsed  # rows in a byte so far
        # a twentieth more than the text so far lets expect, so that columns are seldom made again
        rows = min(int(wanted + 1.05 * share * rest) + 1024, wanted + rest // self._shortest + 1)
        room = rows + self._more
        if room >= 2**32:
            raise CapacityError(f"{self._device}: over {2**32 - 1} rows; split the file")
        self._device.reserve({name: room * np.dtype(kind).itemsize for name, kind in self._types.items()})
        for k, kind in enumerate(self._types.values()):
            column = self._device.empty(room, kind)
            if count:
                self._device.copy(column, self.columns[k], count * np.dtype(kind).itemsize)
            self.columns[k] = column
        self._rows = rows


class Parser:
    """Takes pieces of text, and appends their rows to columns.

    Parameters
    ----------
    device : Device
    wanted : Wanted
    id_type : type
        np.int32 or np.int64.
    total : callable
        Gives about how many bytes the whole text has: columns are made for as many rows as that promises.
    block : int, optional
        Bytes that one work-item takes.
    more : int
        Rows that the columns have room for behind those of the text.
    """

    def __init__(
        self,
        device: Device,
        wanted: Wanted,
        id_type: type,
        total: Callable[[], int],
        block: int | None = None,
        more: int = 0,
    ) -> None:
        self._device, self._wanted, self._id_type = device, wanted, id_type
        self._block = block or LAUNCH.of(device)
        self._weighted = len(wanted.columns) == 3
        self._program = device.program(
            "files/parse",
            BLOCK=self._block,
            ID="int" if id_type is np.int32 else "long",
            WEIGHTED=int(self._weighted),
            EXACT=int(wanted.exact),
            WHOLE=int(wanted.whole),
        )
        self._powers = device.upload(powers_of_five()) if self._weighted else None
        types = {"source ids": id_type, "target ids": id_type}
        if self._weighted:
            types["weights"] = np.float64
        self._room = Room(device, types, SHORTEST_ROW, total, more)
        self._count = self._highest = self._loops = 0

    def all(self, pieces: Iterable[Piece]) -> Columns:
        """The rows of all pieces.

        Raises
        ------
        NotTaken
            If there are rows that only the host's scanner reads, or none at all.
        TooWide
            If an id needs 64 bits and the columns have 32.
        """
        for piece in pieces:
            self._take(piece)
        if not self._count:
            raise NotTaken("no rows")
        return self._found()

    def one(self, piece: Piece) -> Columns:
        """The rows of a piece alone, in buffers that the next piece uses again; errors as of `all`."""
        self._count = 0
        self._take(piece)
        return self._found()

    def _found(self) -> Columns:
        return Columns(*self._room.three, self._count, self._id_type, self._highest, self._loops)

    def _take(self, piece: Piece) -> None:
        device, program = self._device, self._program
        text = {"begin": piece.begin, "end": piece.end, "text": piece.buffer}
        blocks = -(-(piece.end - piece.begin) // self._block)
        rows = device.empty(blocks, np.int32)
        program.parse_count(blocks, **text, rows=rows)
        before, count = exclusive_sums(device.download(rows, np.int32, blocks))
        device.write(rows, before.astype(np.int32))
        self._room.make(self._count, self._count + count, piece.end - piece.begin)
        seen = device.upload(_nothing_seen(), writable=True)
        room = count if self._weighted else 0
        hard = [device.empty(max(room, 1), np.int32) for _ in range(2)]
        source_column, target_column, weight_column = (*self._wanted.columns, 0)[:3]
        source, target, weight = self._room.three
        program.parse_rows(
            blocks,
            **text,
            base=self._count,
            source_column=source_column,
            target_column=target_column,
            weight_column=weight_column,
            comma=self._wanted.comma,
            rows=rows,
            powers=self._powers,
            source=source,
            target=target,
            weight=weight,
            hard_room=room,
            hard_row=hard[0],
            hard_at=hard[1],
            seen=seen,
        )
        told = device.download(seen, np.uint32, SEEN).tolist()
        self._judge(told)
        if told[HARD_ROWS]:
            self._read_hard(piece, *(device.download(each, np.int32, told[HARD_ROWS]) for each in hard))
        self._count += count

    def _judge(self, told: list[int]) -> None:
        if told[ODD_ROWS]:
            rows = counted(told[ODD_ROWS], "unusual row")
            raise NotTaken(f"{rows}, the first is row {self._count + told[ODD_FIRST] + 1}")
        if told[WIDE_ROWS]:
            raise TooWide
        wide = self._id_type is np.int64
        self._highest = max(self._highest, (told[HIGHEST] << 32 | 0xFFFFFFFF) if wide else told[HIGHEST])
        self._loops += told[LOOPS]

    def _read_hard(self, piece: Piece, rows: npt.NDArray[np.int32], places: npt.NDArray[np.int32]) -> None:
        """Weights that the kernel was not sure about."""
        values = np.empty(len(rows))
        for k, place in enumerate(places.tolist()):
            found = NUMBER.match(piece.array[place : min(place + LONGEST, piece.end)].tobytes())
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
            weight=self._room.three[2],
        )
        device.finish()  # before the arrays are gone


def _nothing_seen() -> npt.NDArray[np.uint32]:
    seen = np.zeros(SEEN, np.uint32)
    seen[ODD_FIRST] = 2**32 - 1
    return seen
