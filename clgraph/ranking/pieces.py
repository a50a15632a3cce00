"""Long rows cut into pieces on a device: host half of ``cl/ranking/pieces.cl``.

The same as `clgraph.ranking.layout.cut_long_rows` makes on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.ranking.layout import TURN_BITS, starts

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.ranking.renumber import Renumbered


@dataclass(frozen=True)
class DevicePieces:
    """Pieces of long rows; the attributes are as in `clgraph.ranking.layout.Slices`, here buffers.

    Attributes
    ----------
    count : int
        Of pieces.
    kinds : tuple of int
    piece_place, piece_at, first_piece, long_number : buffers
    cell_begin, cell_piece : buffers
        Of each cell (``cl/ranking/pieces.cl``).
    hot_length, cold_length : buffers
        By place: the arcs of each row of the slices of pieces.
    first_block, block_piece : buffers
        Row v has the blocks ``first_block[v]:first_block[v + 1]``, block b the pieces
        ``block_piece[b]:block_piece[b + 1]``.
    blocks, longest_join : int
        Blocks, and the most pieces that a row has.
    """

    count: int
    kinds: tuple[int, ...]
    piece_place: Any
    piece_at: Any
    first_piece: Any
    long_number: Any
    cell_begin: Any
    cell_piece: Any
    hot_length: Any
    cold_length: Any
    first_block: Any
    block_piece: Any
    blocks: int
    longest_join: int


def cut_rows(
    device: Device, rows: Renumbered, *, width: int, long_row: int, segments: int, block: int
) -> DevicePieces:
    """Pieces of at most `long_row` arcs of the long rows, in blocks of at most `block` pieces.

    Parameters
    ----------
    device : Device
    rows : Renumbered
    width, long_row, segments
        As for `clgraph.ranking.layout.make_slices`.
    """
    csr, kinds = rows.csr, segments + 1
    n, items, offset = csr.n, device.tuning.items, csr.offset
    program = device.program("ranking/pieces", **csr.defines, ITEMS=items, TURN_BITS=TURN_BITS)

    def passes(count: int) -> int:
        return -(-count // items)

    long_before = running_sums(device, rows.is_long, n, into=np.int32)
    long_count = int(device.download(long_before, np.int32, 1, offset=n)[0])
    long_number, long_rows = device.empty(n, np.int32), device.empty(long_count, np.int32)
    program.pieces_rows(passes(n), n=n, long_before=long_before, long_number=long_number, long_rows=long_rows)

    cells = long_count * kinds
    cell_begin = device.empty(cells, offset)
    cell_length, in_cell = (device.empty(cells, np.int32) for _ in range(2))
    shape = {"cells": cells, "kinds": kinds, "long_row": long_row, "cell_length": cell_length}
    program.pieces_cells(
        passes(cells),
        **shape,
        hot=rows.hot,
        long_rows=long_rows,
        start=csr.row_ptr,
        source=csr.col_idx,
        cell_begin=cell_begin,
        pieces=in_cell,
    )
    cell_piece = running_sums(device, in_cell, cells, into=np.int32)
    in_row, most = device.empty(long_count, np.int32), device.zeros(1, np.int32)
    row_shape = {"long_count": long_count, "kinds": kinds, "block": block, "cell_piece": cell_piece}
    program.pieces_blocks(passes(long_count), **row_shape, blocks=in_row, most=most)
    blocks_before = running_sums(device, in_row, long_count, into=np.int32)
    count = int(device.download(cell_piece, np.int32, 1, offset=cells)[0])
    blocks = int(device.download(blocks_before, np.int32, 1, offset=long_count)[0])

    first_piece, first_block = (device.empty(n + 1, np.int32) for _ in range(2))
    program.pieces_firsts(
        passes(n + 1),
        n=n,
        kinds=kinds,
        long_before=long_before,
        cell_piece=cell_piece,
        blocks_before=blocks_before,
        first_piece=first_piece,
        first_block=first_block,
    )
    block_piece = device.zeros(blocks + 1, np.int32)
    program.pieces_of_blocks(
        passes(long_count), **row_shape, blocks_before=blocks_before, block_piece=block_piece
    )

    bits = (long_row - 1).bit_length()
    key = device.empty(count, np.uint32)
    program.pieces_keys(passes(cells), **shape, bits=bits, cell_piece=cell_piece, key=key)
    key, piece = sort_by_key(device, key, count, bits + TURN_BITS + segments.bit_length())
    first = device.empty(kinds + 1, np.int32)
    program.pieces_bounds(passes(kinds + 1), kinds=kinds, count=count, bits=bits, key=key, first=first)
    of_kind = np.diff(device.download(first, np.int32, kinds + 1))
    at = starts(-(-of_kind // width) * width)  # a slice has pieces of one kind
    places = int(at[-1])
    piece_at, piece_place = device.empty(count, np.int32), device.empty(places, np.int32)
    device.fill(piece_place, np.int32(-1), places)
    hot_length, cold_length = (device.zeros(places, np.int32) for _ in range(2))
    program.pieces_order(
        passes(count),
        count=count,
        kinds=kinds,
        long_row=long_row,
        bits=bits,
        key=key,
        piece=piece,
        first=first,
        at=device.upload(at.astype(np.int32)),
        piece_at=piece_at,
        piece_place=piece_place,
        hot_length=hot_length,
        cold_length=cold_length,
    )
    return DevicePieces(
        count=count,
        kinds=tuple((at // width).tolist()),
        piece_place=piece_place,
        piece_at=piece_at,
        first_piece=first_piece,
        long_number=long_number,
        cell_begin=cell_begin,
        cell_piece=cell_piece,
        hot_length=hot_length,
        cold_length=cold_length,
        first_block=first_block,
        block_piece=block_piece,
        blocks=blocks,
        longest_join=int(device.download(most, np.int32, 1)[0]) if long_count else 0,
    )
