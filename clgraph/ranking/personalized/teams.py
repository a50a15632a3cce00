"""The power method's rows on GPUs: host half of ``cl/ranking/personalized/teams.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.shapes import OfKind, Shapes, fitting
from clgraph.ranking.personalized.product import Product

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.engine import Request

SPAN = 4  # lanes of a work-item
GROUPS = 4096  # work-groups at most: enough for them to be spread evenly, few enough parts to add up


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    local : int
        Work-items of a group, a power of two.
    piece : int
        Longer rows are cut into pieces of this many arcs.
    """

    local: int
    piece: int

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits."""
        return replace(self, local=fitting(self.local, device, each=8 * SPAN))


# CPUs take `clgraph.ranking.personalized.power` instead
SHAPES = Shapes(
    gpu=Shape(local=256, piece=128), cpu=Shape(local=64, piece=16), simulator=Shape(local=16, piece=6)
)


@dataclass(frozen=True)
class Places:
    """The rows by decreasing length, on a device.

    Attributes
    ----------
    order : buffer of int32, n
        The row at each place.
    long_rows, filled : int
        How many are in pieces; how many have arcs.
    first_piece, piece_begin, piece_end : buffers
        Of each long row, and (in offsets) of each piece.
    pieces, longest_join : int
        Pieces of all rows, and the most of one.
    """

    order: Any
    long_rows: int
    filled: int
    first_piece: Any
    piece_begin: Any
    piece_end: Any
    pieces: int
    longest_join: int


def make_places(device: Device, reverse: Graph, piece: int) -> Places:
    """Sort the rows of the reversed graph, and cut the long ones."""
    row_ptr = reverse.row_ptr
    lengths = np.diff(row_ptr)
    # 16 bits are sorted by radix; rows longer than they can hold are few, and long in any order
    order = np.argsort((65535 - np.minimum(lengths, 65535)).astype(np.uint16), kind="stable").astype(np.int32)
    by_place = lengths[order]
    long_rows = int(np.searchsorted(-by_place, -piece))  # by decreasing length but for the very longest
    count = -(-by_place[:long_rows] // piece)
    first = np.zeros(long_rows + 1, np.int32)
    np.cumsum(count, out=first[1:])
    row = np.repeat(order[:long_rows], count)
    turn = np.arange(len(row), dtype=row_ptr.dtype) - np.repeat(first[:-1], count)
    begin = row_ptr[row] + turn * piece
    end = np.minimum(begin + piece, row_ptr[row + 1])
    upload = device.upload
    return Places(
        upload(order),
        long_rows,
        int(np.count_nonzero(lengths)),
        upload(first),
        upload(begin),
        upload(end),
        len(row),
        int(count.max(initial=0)),
    )


class Teams(Product):
    """Teams of work-items take a row each, four lanes to a work-item: method "power" on GPUs."""

    csr: DeviceCSR

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        shape, reverse = SHAPES.of(request.device), self.graph.reverse
        self.piece = shape.piece
        self.team = self.width // SPAN
        self.local = max(shape.local, self.team)
        teams = self.local // self.team
        self.parts = min(GROUPS, -(-self.n // teams))
        self.places: Places = self.device.cached(
            reverse, ("ppr-places", shape.piece), lambda: make_places(self.device, reverse, shape.piece)
        )
        self.chain = (
            shape.piece + self.places.longest_join + self.n // (self.parts * teams) + int(log2(self.local))
        )

    def explain(self) -> list[str]:
        return [
            f"{self.width} lanes: {self.team} work-items take a row, four lanes each; rows by decreasing "
            f"length, those of more than {self.piece} arcs in pieces"
        ]

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.graph.reverse)
        self._share = self._shares(self.graph.reverse)
        self._piece_sum = self.device.empty(self.places.pieces * self.width, np.float64)

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program(
            "ranking/personalized/teams", **defines, **self.csr.defines, LOCAL=self.local
        )

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        csr, places = self.csr, self.places
        arcs = (csr.col_idx, self._share)
        if places.pieces:
            self._program.ppr_pieces(
                places.pieces * self.team,
                np.int32(places.pieces),
                places.piece_begin,
                places.piece_end,
                *arcs,
                vertex[0],
                state,
                self._piece_sum,
                local=self.local,
            )
        self._program.ppr_teams.exact(
            self.parts * self.local,
            np.int32(self.n),
            np.int32(test),
            np.int32(last),
            places.order,
            np.int32(places.long_rows),
            np.int32(places.filled),
            places.first_piece,
            self._piece_sum,
            csr.row_ptr,
            *arcs,
            parts,
            state,
            *vertex,
            local=self.local,
        )
