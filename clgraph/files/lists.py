"""Lists of neighbours parsed on a device: host half of ``cl/files/lists.cl``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.shapes import Shapes
from clgraph.files.parse import NotTaken, Room, powers_of_five
from clgraph.files.pieces import Piece
from clgraph.graph.building import exclusive_sums
from clgraph.graph.io.common import counted

if TYPE_CHECKING:
    from clgraph.device import Device

# bytes that one work-item takes
SHAPES = Shapes(gpu=256, cpu=1 << 14, simulator=16)
SEEN = 2
SHORTEST = 2  # bytes of a number


@dataclass
class Arcs:
    """Parsed lists on a device.

    Attributes
    ----------
    tail, head : int32 device buffers, shape (count,)
        Counted from 0.
    weight : float64 device buffer, shape (count,), or None
    count : int
    loops : int
        Arcs from a vertex to itself.
    """

    tail: Any
    head: Any
    weight: Any
    count: int
    loops: int


class Lists:
    """Takes pieces of text, each line of which lists the neighbours of the next vertex.

    Parameters
    ----------
    device : Device
    n : int
        Vertices.
    weighted : bool
        Whether each neighbour has its weight, a whole number, behind it.
    total : callable
        Gives about how many bytes the whole text has.
    block : int, optional
        Bytes that one work-item takes.
    """

    def __init__(
        self, device: Device, n: int, weighted: bool, total: Callable[[], int], block: int | None = None
    ) -> None:
        self._device, self._n, self._step = device, n, 2 if weighted else 1
        self._block = block or SHAPES.of(device)
        self._program = device.program("files/lists", BLOCK=self._block, STEP=self._step)
        self._powers = device.upload(powers_of_five()) if weighted else None
        types: dict[str, type] = {"tails": np.int32, "heads": np.int32}
        if weighted:
            types["weights"] = np.float64
        self._room = Room(device, types, self._step * SHORTEST, total)
        self._lines = self._numbers = self._loops = 0

    def all(self, pieces: Iterable[Piece]) -> Arcs:
        """The arcs of all pieces.

        Raises
        ------
        NotTaken
            If anything is left to the host's reader.
        """
        for piece in pieces:
            self._take(piece)
        if not self._numbers:
            raise NotTaken("no neighbours")
        if self._lines < self._n:
            raise NotTaken(f"{counted(self._lines, 'line')} for {self._n} vertices")
        tail, head, weight = self._columns()
        return Arcs(tail, head, weight, self._numbers // self._step, self._loops)

    def _columns(self) -> list[Any]:
        return [*self._room.columns, None][:3]

    def _take(self, piece: Piece) -> None:
        device, nbytes = self._device, piece.end - piece.begin
        text = {"begin": piece.begin, "end": piece.end, "text": piece.buffer}
        blocks = -(-nbytes // self._block)
        lines, numbers = device.empty(blocks, np.int32), device.empty(blocks, np.int32)
        self._program.lists_count(blocks, **text, lines=lines, numbers=numbers)
        sums = []
        for counts in (lines, numbers):
            before, total = exclusive_sums(device.download(counts, np.int32, blocks))
            device.write(counts, before.astype(np.int32))
            sums.append(total)
        step, known = self._step, self._numbers
        self._room.make(-(-known // step), -(-(known + sums[1]) // step), nbytes)
        seen = device.zeros(SEEN, np.uint32)
        tail, head, weight = self._columns()
        self._program.lists_numbers(
            blocks,
            **text,
            line_base=self._lines,
            number_base=known,
            n=self._n,
            lines=lines,
            numbers=numbers,
            powers=self._powers,
            tail=tail,
            head=head,
            weight=weight,
            seen=seen,
        )
        odd, loops = device.download(seen, np.uint32, SEEN).tolist()
        if odd:
            raise NotTaken(f"{counted(odd, 'unusual place')} from line {self._lines + 1} of the lists on")
        self._lines += sums[0]
        self._numbers += sums[1]
        self._loops += loops
