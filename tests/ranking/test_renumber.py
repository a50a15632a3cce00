"""New numbers and sorted rows made on a device: what the host lays out, array by array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import mixed_graph, skewed_graph

from clgraph import Graph
from clgraph.ranking.layout import make_slices
from clgraph.ranking.pieces import cut_rows
from clgraph.ranking.problem import make_problem
from clgraph.ranking.renumber import renumber
from clgraph.ranking.shares import graph_shares, upload_shares
from clgraph.ranking.slices import slice_begins

if TYPE_CHECKING:
    from clgraph.device import Device

SIZES: dict[str, Any] = {"width": 4, "long_row": 6, "segments": 3}
BLOCK = 2


def graphs() -> list[Graph]:
    return [
        *(mixed_graph(seed, weighted) for seed in range(4) for weighted in (False, True)),
        skewed_graph(1, n=700, arcs=6000),
        Graph.from_edges([], [], vertices=range(5), directed=True),
        Graph.from_edges([4], [4], vertices=range(6), directed=True),
    ]


@pytest.mark.parametrize(("hot", "classes"), [(8, (4, 16)), (1, ()), (5000, (8, 5000))])
def test_same_as_on_the_host(device: Device, hot: int, classes: tuple[int, ...]) -> None:
    for graph in graphs():
        problem = make_problem(graph)
        want = make_slices(
            graph.row_ptr, graph.col_idx, graph_shares(graph, problem), hot=hot, classes=classes, **SIZES
        )
        share = None
        if problem.weights is not None:
            share = upload_shares(device, graph.reverse, problem, np.float64, True)
        found = renumber(device, graph, share, np.float64, hot=hot, long_row=6, classes=classes)
        n, arcs = graph.num_vertices, graph.num_arcs

        def equal(buffer: Any, wanted: Any) -> None:
            got = device.download(buffer, wanted.dtype, len(wanted))
            np.testing.assert_array_equal(got, wanted)

        assert (found.sources, found.hot, found.csr.arcs) == (want.sources, want.hot, arcs)
        equal(found.order, want.order)
        equal(found.number, np.argsort(want.order).astype(np.int32))
        equal(found.csr.row_ptr, want.start)
        equal(found.csr.col_idx, want.source)
        equal(found.hot_length, want.hot_length)
        if want.share is not None:
            equal(found.share, want.share)

        cut = cut_rows(device, found, **SIZES, block=BLOCK)
        assert (cut.count, cut.kinds) == (want.pieces, want.kinds)
        assert cut.longest_join == np.diff(want.first_piece).max(initial=0)
        for name in ("piece_place", "piece_at", "first_piece", "long_number", "cell_piece", "cell_begin"):
            equal(getattr(cut, name), getattr(want, name))
        blocks = -(-np.diff(want.first_piece) // BLOCK)
        first = np.append(0, np.cumsum(blocks)).astype(np.int32)
        equal(cut.first_block, first)
        block_piece = device.download(cut.block_piece, np.int32, cut.blocks + 1)
        np.testing.assert_array_equal(block_piece[first], want.first_piece)
        assert np.all(np.diff(block_piece) <= BLOCK)

        shape = {"width": 4, "long_row": 6}
        begins = (
            *slice_begins(device, n, found.hot_length, found.cold_length, **shape),
            *slice_begins(device, 4 * cut.kinds[-1], cut.hot_length, cut.cold_length, **shape),
        )
        for begin, wanted in zip(begins, want.begins, strict=True):
            equal(begin, wanted)
