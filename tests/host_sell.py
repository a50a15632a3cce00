"""Rows in sliced ELL form laid out on the host, in plain NumPy: what `clgraph.ranking.sell` has to make."""

from functools import reduce
from types import SimpleNamespace

import numpy as np

from clgraph.ranking.sell import TURN_BITS


def starts(lengths):
    """Exclusive prefix sums with the total at the end, shape (len + 1,)."""
    return np.append(0, np.cumsum(lengths, dtype=np.int64))


def steps_before(lengths, width):
    """Steps before each slice of rows of these lengths: slice s has the steps ``begin[s]:begin[s + 1]``."""
    slices = -(-len(lengths) // width)
    padded = np.zeros(slices * width, lengths.dtype)
    padded[: len(lengths)] = lengths
    lanes = padded.reshape(slices, width)
    # lane by lane: NumPy's maximum along an axis of 8 takes five times as long
    return starts(reduce(np.maximum, (lanes[:, lane] for lane in range(width)))).astype(np.int32)


def cut_long_rows(long_rows, cells, n, *, width, long_row):
    """Pieces of at most `long_row` arcs of the long rows among n.

    Parameters
    ----------
    long_rows : int array, ascending
    cells : int array, shape (long rows, kinds)
        How many arcs a long row has from each segment of hot sources, and, last, from the cold ones.

    Returns
    -------
    dict
        As in `make_slices`, with the steps before each slice of pieces: each segment's, the first pieces of
        all rows, then the second ones, and so on, the longest first; then those of cold ones.
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
    of_row = np.zeros(n, np.int64)
    of_row[long_rows] = of_cell.reshape(-1, kinds).sum(axis=1)
    long_number = np.full(n, -1, np.int32)
    long_number[long_rows] = np.arange(len(long_rows))
    return {
        "pieces": pieces,
        "begins": [steps_before(lengths, width) for lengths in lengths_there],
        "kinds": tuple((kind_at // width).tolist()),
        "piece_place": piece_place,
        "piece_at": piece_at.astype(np.int32),
        "first_piece": starts(of_row).astype(np.int32),
        "long_number": long_number,
        "cell_piece": cell_piece[:-1].astype(np.int32),
    }


def make_slices(row_ptr, col_idx, shares, *, width, hot, long_row, classes, segments=1):
    """Lay out a graph's arcs in slices.

    Parameters
    ----------
    row_ptr, col_idx : arrays
        The graph's CSR, row = source.
    shares : float64 array, shape (arcs,), or None
        w(u, v) / W(u) in the same order; arcs of share 0 are kept.
    width, hot, long_row, classes, segments
        Those of `clgraph.ranking.sell.Layout`.

    Returns
    -------
    namespace
        What `clgraph.ranking.sell.Sell` has by these names (order, sources, hot_arcs, pieces, kinds,
        piece_place, first_piece, padding; hot: cut to the number of sources), and

        * begins: of all n rows (long ones are empty there) the steps before each slice from hot and from
          cold sources, then those of pieces.
        * piece_at: the inverse of piece_place, the row of each piece.
        * long_number: which of the long rows each row is; -1 for short ones.
        * cell_piece, cell_begin: each long row's first piece, and arc, from each segment, then from cold
          sources; shape (long rows * (segments + 1),).
        * start, source: the arcs sorted by row and source: row v's sources, each its new number + 1, are
          ``source[start[v]:start[v + 1]]``; share is w(u, v) / W(u) of each, or None.
        * hot_length: arcs of each row from hot sources.
    """
    n = len(row_ptr) - 1
    out = np.diff(row_ptr)
    sources = int(np.count_nonzero(out))
    place = np.empty(n, np.int64)
    place[np.argsort(-out, kind="stable")] = np.arange(n)
    hot = max(1, min(hot, sources))
    # both counts of each row, of arcs from hot and from cold sources, in one pass
    code = 2 * col_idx.astype(np.int64) + np.repeat(place < hot, out)
    cold_length, hot_length = np.bincount(code, minlength=2 * n).reshape(n, 2).T
    length = cold_length + hot_length
    is_long = length > long_row
    within = 1 + (long_row - hot_length) * (long_row + 1) + (long_row - cold_length)
    # long rows first, the longest in front: they take longest, so they should start first
    within[is_long] = -length[is_long]
    # ranks by out-degree at which a class of vertices ends and the next one begins
    bounds = sorted({bound for bound in (*classes, hot) if bound < sources} | {sources})
    order = np.lexsort((within, np.searchsorted(bounds, place, side="right")))
    number = np.empty(n, np.int64)
    number[order] = np.arange(n)
    length, hot_length, cold_length = length[order], hot_length[order], cold_length[order]
    is_long = is_long[order]
    start = starts(length)
    key = number[col_idx] << 32 | np.repeat(number + 1, out)
    by_key = np.argsort(key, kind="stable")
    key = key[by_key]
    # the arcs of a long row from each segment of hot sources, and from the cold ones
    long_rows = np.flatnonzero(is_long)
    cuts = (long_rows << 32)[:, None] | (np.arange(1, segments + 1) * hot + 1)
    edges = np.column_stack((start[long_rows], np.searchsorted(key, cuts), start[long_rows + 1]))
    cut = cut_long_rows(long_rows, np.diff(edges, axis=1), n, width=width, long_row=long_row)
    of_rows = [steps_before(np.where(is_long, 0, each), width) for each in (hot_length, cold_length)]
    begins = of_rows + cut.pop("begins")
    stored = sum(int(begin[-1]) for begin in begins) * width
    return SimpleNamespace(
        order=order.astype(np.int32),
        sources=sources,
        hot=hot,
        hot_arcs=int(hot_length.sum()),
        begins=begins,
        padding=stored / len(key) if len(key) else 1.0,
        **cut,
        start=start.astype(row_ptr.dtype),
        source=key.astype(np.int32),  # the low half
        share=None if shares is None else shares[by_key],
        hot_length=hot_length.astype(np.int32),
        cell_begin=edges[:, :-1].ravel().astype(row_ptr.dtype),
    )
