"""New numbers and sorted rows made on a device: what the host lays out, array by array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_holds, layout_graphs

from clgraph.ranking.layout import make_slices
from clgraph.ranking.problem import make_problem
from clgraph.ranking.renumber import renumber
from clgraph.ranking.shares import graph_shares, upload_shares
from clgraph.ranking.slices import slice_begins

if TYPE_CHECKING:
    from clgraph.device import Device

SIZES: dict[str, Any] = {"width": 4, "long_row": 6}


@pytest.mark.parametrize(("hot", "classes"), [(8, (4, 16)), (1, ()), (5000, (8, 5000))])
def test_same_as_on_the_host(device: Device, hot: int, classes: tuple[int, ...]) -> None:
    for graph in layout_graphs():
        problem = make_problem(graph)
        want = make_slices(
            graph.row_ptr, graph.col_idx, graph_shares(graph, problem), hot=hot, classes=classes, **SIZES
        )
        share = None
        if problem.weights is not None:
            share = upload_shares(device, graph, problem, np.float64, True)
        found = renumber(device, graph, share, np.float64, hot=hot, long_row=6, classes=classes)
        assert (found.sources, found.hot, found.csr.arcs) == (want.sources, want.hot, graph.num_arcs)
        assert_holds(device, found.order, want.order)
        assert_holds(device, found.number, np.argsort(want.order).astype(np.int32))
        assert_holds(device, found.csr.row_ptr, want.start)
        assert_holds(device, found.csr.col_idx, want.source)
        assert_holds(device, found.hot_length, want.hot_length)
        if want.share is not None:
            assert_holds(device, found.share, want.share)
        begins = slice_begins(device, graph.num_vertices, found.hot_length, found.cold_length, **SIZES)
        for begin, wanted in zip(begins, want.begins[:2], strict=True):
            assert_holds(device, begin, wanted)
