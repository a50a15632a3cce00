"""Rows in sliced ELL form laid out on the host, in plain NumPy: what `clgraph.ranking.sell` has to make.

The form is that of `clgraph.ranking.sell`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking.sell import TURN_BITS

Ints = npt.NDArray[np.int64]
Begin = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Pieces:
    """Long rows in pieces.

    Attributes
    ----------
    pieces : int
        Pieces of long rows.
    hot_pieces, cold_pieces : begins
        Of the slices of pieces: those of each segment of hot sources, then those of cold ones; of each, the
        first pieces of all rows, then the second ones, and so on, the longest first.
    kinds : tuple of int
        Where the slices of each segment begin, then those of cold pieces, and where these end.
    piece_place : int32 array
        For each row of the slices of pieces, which piece it is; -1 in padding.
    piece_at : int32 array, shape (pieces,)
        The inverse of `piece_place`: the row of each piece.
    first_piece : int32 array, shape (n + 1,)
        Row v's pieces are ``first_piece[v]:first_piece[v + 1]``.
    long_number : int32 array, shape (n,)
        Which of the long rows each row is; -1 for short ones.
    cell_piece : int32 array, shape (long rows * (segments + 1),)
        Each long row's first piece from each segment, then from cold sources.
    """

    pieces: int
    hot_pieces: Begin
    cold_pieces: Begin
    kinds: tuple[int, ...]
    piece_place: npt.NDArray[np.int32]
    piece_at: npt.NDArray[np.int32]
    first_piece: npt.NDArray[np.int32]
    long_number: npt.NDArray[np.int32]
    cell_piece: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Slices(Pieces):
    """A graph's rows for one device.

    The begins are int32 arrays of shape (slices + 1,): slice s has the steps ``begin[s]:begin[s + 1]``.

    Attributes
    ----------
    width, hot, long_row : int
        As in the head of this module.
    order : int32 array, shape (n,)
        The vertex of each new number. Those without out-arcs come last.
    sources : int
        Vertices that have out-arcs.
    arcs : int
    hot_rows, cold_rows : begins
        Of the slices of all n rows; long ones are empty there.
    hot_arcs : int
        Arcs from the hottest sources.
    """

    width: int
    hot: int
    long_row: int
    segments: int
    order: npt.NDArray[np.int32]
    sources: int
    arcs: int
    hot_rows: Begin
    cold_rows: Begin
    hot_arcs: int

    @property
    def begins(self) -> tuple[Begin, Begin, Begin, Begin]:
        """All begins: rows, then pieces; hot, then cold."""
        return self.hot_rows, self.cold_rows, self.hot_pieces, self.cold_pieces

    @property
    def padding(self) -> float:
        """Stored entries for each arc."""
        entries = sum(int(begin[-1]) for begin in self.begins) * self.width
        return entries / self.arcs if self.arcs else 1.0


@dataclass(frozen=True)
class SortedSlices(Slices):
    """Slices with their arcs.

    Attributes
    ----------
    start, source : arrays
        The arcs sorted by row and source: row v's sources, each its new number + 1, are
        ``source[start[v]:start[v + 1]]``.
    share : float64 array like `source`, or None
        w(u, v) / W(u) of each arc.
    hot_length : int32 array, shape (n,)
        Arcs of each row from hot sources.
    cell_begin : array like `cell_piece`
        Each long row's first arc from each segment, then from cold sources.
    """

    start: npt.NDArray[Any]
    source: npt.NDArray[np.int32]
    share: npt.NDArray[np.float64] | None
    hot_length: npt.NDArray[np.int32]
    cell_begin: npt.NDArray[Any]


def starts(lengths: npt.NDArray[Any]) -> Ints:
    """Exclusive prefix sums with the total at the end, shape (len + 1,)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def class_bounds(classes: tuple[int, ...], hot: int, sources: int) -> list[int]:
    """Ranks by out-degree at which a class of vertices ends and the next one begins, ascending."""
    return sorted({b for b in (*classes, hot) if b < sources} | {sources})


def steps_before(lengths: npt.NDArray[Any], width: int) -> Begin:
    """Steps before each slice of rows of these lengths."""
    slices = -(-len(lengths) // width)
    padded = np.zeros(slices * width, lengths.dtype)
    padded[: len(lengths)] = lengths
    lanes = padded.reshape(slices, width)
    # lane by lane: NumPy's maximum along an axis of 8 takes five times as long
    return starts(reduce(np.maximum, (lanes[:, lane] for lane in range(width)))).astype(np.int32)


def cut_long_rows(
    long_rows: npt.NDArray[Any], cells: npt.NDArray[Any], n: int, *, width: int, long_row: int
) -> Pieces:
    """Pieces of at most `long_row` arcs of the long rows among n.

    Parameters
    ----------
    long_rows : int array, ascending
    cells : int array, shape (long rows, kinds)
        How many arcs a long row has from each segment of hot sources, and, last, from the cold ones.
    """
    kinds = cells.shape[1]
    count = cells.ravel()
    of_cell = -(-count // long_row)
    cell_piece = starts(of_cell)
    pieces = int(cell_piece[-1])
    its_cell = np.repeat(np.arange(len(count)), of_cell)
    turn = np.arange(pieces) - cell_piece[its_cell]
    piece_length = np.minimum(long_row, count[its_cell] - turn * long_row)
    kind = its_cell % kinds
    by_length = np.lexsort((-piece_length, np.minimum(turn, 2**TURN_BITS - 1), kind))
    of_kind = np.bincount(kind, minlength=kinds)
    kind_at = starts(-(-of_kind // width) * width)  # a slice has pieces of one kind
    piece_at = np.empty(pieces, np.int64)
    piece_at[by_length] = np.arange(pieces) + (kind_at[:-1] - starts(of_kind)[:-1])[kind[by_length]]
    piece_place = np.full(int(kind_at[-1]), -1, np.int32)
    piece_place[piece_at] = np.arange(pieces)
    lengths_there = np.zeros((2, int(kind_at[-1])), np.int64)
    lengths_there[(kind == kinds - 1).astype(int), piece_at] = piece_length
    first_piece = np.zeros(n + 1, np.int32)
    first_piece[1:][long_rows] = of_cell.reshape(-1, kinds).sum(axis=1)
    np.cumsum(first_piece, out=first_piece)
    long_number = np.full(n, -1, np.int32)
    long_number[long_rows] = np.arange(len(long_rows))
    return Pieces(
        pieces=pieces,
        hot_pieces=steps_before(lengths_there[0], width),
        cold_pieces=steps_before(lengths_there[1], width),
        kinds=tuple((kind_at // width).tolist()),
        piece_place=piece_place,
        piece_at=piece_at.astype(np.int32),
        first_piece=first_piece,
        long_number=long_number,
        cell_piece=cell_piece[:-1].astype(np.int32),
    )


def make_slices(
    row_ptr: npt.NDArray[Any],
    col_idx: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64] | None,
    *,
    width: int,
    hot: int,
    long_row: int,
    classes: tuple[int, ...],
    segments: int = 1,
) -> SortedSlices:
    """Lay out a graph's arcs in slices.

    Parameters
    ----------
    row_ptr, col_idx : arrays
        The graph's CSR, row = source.
    shares : float64 array, shape (arcs,), or None
        w(u, v) / W(u) in the same order; arcs of share 0 are kept.
    classes : tuple of int
        Bounds between classes of sources, by descending out-degree.
    segments : int
        How many segments of `hot` sources there are: in pieces, arcs from any of them have 16-bit indices,
        counted from the segment's first source.
    """
    n = len(row_ptr) - 1
    out = np.diff(row_ptr)
    sources = int(np.count_nonzero(out))
    place = np.empty(n, np.int64)
    place[np.argsort(-out, kind="stable")] = np.arange(n)
    hot = max(1, min(hot, sources))
    # both counts of each row, of arcs from hot and from cold sources, in one pass
    code: npt.NDArray[Any] = col_idx.astype(np.int32 if n < 2**30 else np.int64)
    code <<= 1
    code |= np.repeat((place < hot).astype(np.int8), out)
    cold_length, hot_length = np.bincount(code, minlength=2 * n).reshape(n, 2).T
    del code
    length = cold_length + hot_length
    is_long = length > long_row
    within = 1 + (long_row - hot_length) * (long_row + 1) + (long_row - cold_length)
    # long rows first, the longest in front: they take longest, so they should start first
    within[is_long] = -length[is_long]
    bounds = class_bounds(classes, hot, sources)
    order = np.lexsort((within, np.searchsorted(bounds, place, side="right")))
    number = np.empty(n, np.int64)
    number[order] = np.arange(n)
    length, hot_length, cold_length = length[order], hot_length[order], cold_length[order]
    is_long = is_long[order]
    start = starts(length)

    key = number[col_idx]
    key <<= 32
    key |= np.repeat(number + 1, out)
    if shares is None:
        key.sort()
    else:
        by_key = np.argsort(key, kind="stable")
        key, shares = key[by_key], shares[by_key]

    # the arcs of a long row from each segment of hot sources, and from the cold ones
    long_rows = np.flatnonzero(is_long)
    cuts = (long_rows << 32)[:, None] | (np.arange(1, segments + 1) * hot + 1)
    edges = np.column_stack((start[long_rows], np.searchsorted(key, cuts), start[long_rows + 1]))
    source = key.astype(np.int32)  # the low half
    del key
    cut = cut_long_rows(long_rows, np.diff(edges, axis=1), n, width=width, long_row=long_row)
    return SortedSlices(
        width=width,
        hot=hot,
        long_row=long_row,
        segments=segments,
        order=order.astype(np.int32),
        sources=sources,
        arcs=len(source),
        hot_rows=steps_before(np.where(is_long, 0, hot_length), width),
        cold_rows=steps_before(np.where(is_long, 0, cold_length), width),
        **vars(cut),
        hot_arcs=int(hot_length.sum()),
        start=start.astype(row_ptr.dtype),
        source=source,
        share=shares,
        hot_length=hot_length.astype(np.int32),
        cell_begin=edges[:, :-1].ravel().astype(row_ptr.dtype),
    )
