"""Long rows cut into pieces on a device: what the host cuts, array by array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_holds, layout_graphs

from clgraph.ranking.layout import make_slices
from clgraph.ranking.pieces import cut_rows
from clgraph.ranking.renumber import renumber
from clgraph.ranking.slices import slice_begins

if TYPE_CHECKING:
    from clgraph.device import Device

BLOCK = 2


@pytest.mark.parametrize("segments", [1, 3])
def test_same_as_on_the_host(device: Device, segments: int) -> None:
    sizes: dict[str, Any] = {"width": 4, "long_row": 6}
    for graph in layout_graphs():
        want = make_slices(
            graph.row_ptr, graph.col_idx, None, hot=8, classes=(4, 16), segments=segments, **sizes
        )
        rows = renumber(device, graph, None, np.float32, hot=8, long_row=6, classes=(4, 16))
        cut = cut_rows(device, rows, **sizes, segments=segments, block=BLOCK)
        assert (cut.count, cut.kinds) == (want.pieces, want.kinds)
        assert cut.longest_join == np.diff(want.first_piece).max(initial=0)
        for name in ("piece_place", "piece_at", "first_piece", "long_number", "cell_piece", "cell_begin"):
            assert_holds(device, getattr(cut, name), getattr(want, name))
        blocks = -(-np.diff(want.first_piece) // BLOCK)
        first = np.append(0, np.cumsum(blocks)).astype(np.int32)
        assert_holds(device, cut.first_block, first)
        block_piece = device.download(cut.block_piece, np.int32, cut.blocks + 1)
        np.testing.assert_array_equal(block_piece[first], want.first_piece)
        assert np.all(np.diff(block_piece) <= BLOCK)
        places = sizes["width"] * cut.kinds[-1]
        begins = slice_begins(device, places, cut.hot_length, cut.cold_length, **sizes)
        for begin, wanted in zip(begins, want.begins[2:], strict=True):
            assert_holds(device, begin, wanted)
