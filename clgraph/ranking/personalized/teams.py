"""The power method's rows on GPUs.

Host half of ``cl/ranking/personalized/teams.cl`` and ``cl/ranking/personalized/teams_order.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.ranking.personalized.product import Product

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.personalized.engine import Request

SPAN = 4  # lanes of a work-item
GROUPS = 4096  # work-groups at most: enough for them to be spread evenly, few enough parts to add up


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch shape.

    Attributes
    ----------
    piece : int
        Longer rows are cut into pieces of this many arcs.
    """

    piece: int
    EACH: ClassVar[int] = 8 * SPAN


# CPUs take `clgraph.ranking.personalized.product.Runs` instead
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, piece=128),
    cpu=LaunchConfig(local=64, piece=16),
    simulator=LaunchConfig(local=16, piece=6),
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


def make_places(device: Device, rows: DeviceCSR, piece: int) -> Places:
    """Sort the rows of the reversed graph, and cut the long ones."""
    n, items, row_ptr = rows.n, device.tuning.items, rows.row_ptr
    program = device.program("ranking/personalized/teams_order", **rows.defines, ITEMS=items)
    device.reserve({"order": 4 * n, "keys": 12 * n})
    key = device.empty(n, np.uint32)
    program.teams_keys(-(-n // items), n=n, row_ptr=row_ptr, key=key)
    key, order = sort_by_key(device, key, n, 16)
    bound, most = device.empty(2, np.int32), device.zeros(1, np.int32)
    program.teams_bounds(2, n=n, piece=piece, key=key, bound=bound)
    long_rows, filled = device.download(bound, np.int32, 2).tolist()
    count = device.empty(long_rows, np.int32)
    passes = -(-long_rows // items)
    cutting = {"long_rows": long_rows, "piece": piece, "order": order, "row_ptr": row_ptr}
    program.teams_counts(passes, **cutting, count=count, most=most)
    first = running_sums(device, count, long_rows, into=np.int32)
    pieces = int(device.download(first, np.int32, 1, offset=long_rows)[0])
    begin, end = (device.empty(pieces, rows.offset) for _ in range(2))
    program.teams_cut(passes, **cutting, first=first, piece_begin=begin, piece_end=end)
    longest_join = int(device.download(most, np.int32, 1)[0])
    return Places(order, long_rows, filled, first, begin, end, pieces, longest_join)


class Teams(Product):
    """Teams of work-items take a row each, four lanes to a work-item: method "power" on GPUs."""

    csr: DeviceCSR

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        shape, reverse = LAUNCH.of(request.device), self.graph.reverse
        self.piece = shape.piece
        self.team = self.width // SPAN
        self.local = max(shape.local, self.team)
        teams = self.local // self.team
        self.parts = min(GROUPS, -(-self.n // teams))
        self.places: Places = self.device.cached(
            reverse,
            ("ppr-places", shape.piece),
            lambda: make_places(self.device, upload_csr(self.device, reverse), shape.piece),
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
        self._share = self._shares()
        self._piece_sum = self.device.empty(self.places.pieces * self.width, np.float64)

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program(
            "ranking/personalized/teams", **defines, **self.csr.defines, LOCAL=self.local
        )

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        csr, places = self.csr, self.places
        arcs = {"col_idx": csr.col_idx, "share": self._share}
        if places.pieces:
            self._program.ppr_pieces(
                places.pieces * self.team,
                pieces=places.pieces,
                piece_begin=places.piece_begin,
                piece_end=places.piece_end,
                **arcs,
                value=vectors["value"],
                state=state,
                piece_sum=self._piece_sum,
                local=self.local,
            )
        self._program.ppr_teams.exact(
            self.parts * self.local,
            n=self.n,
            test=test,
            last=last,
            order=places.order,
            long_rows=places.long_rows,
            filled=places.filled,
            first_piece=places.first_piece,
            piece_sum=self._piece_sum,
            row_ptr=csr.row_ptr,
            **arcs,
            parts=parts,
            state=state,
            **vectors,
            local=self.local,
        )
