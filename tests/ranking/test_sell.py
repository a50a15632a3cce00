"""Rows in sliced ELL form made on a device: what the host lays out, array by array; and every arc once."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from host_sell import make_slices
from personalized import everywhere
from ranking_checks import arcs_of_graph, arcs_of_slices, as_reference, assert_holds, layout_graphs

from clgraph import Graph
from clgraph.ranking import sell
from clgraph.ranking.problem import make_problem
from clgraph.ranking.sell import Layout, Sell, balanced
from clgraph.ranking.transition_weights import graph_shares, upload_shares

TINY = Layout(width=4, hot=8, long_row=6, classes=(4, 16), joined=2)


def on_host(graph, layout, shares=None):
    names = ("width", "hot", "long_row", "classes", "segments")
    options = {name: getattr(layout, name) for name in names}
    return make_slices(graph.row_ptr, graph.col_idx, shares, **options)


@pytest.fixture
def few_each(monkeypatch):
    """Many work-items even for small graphs: 8 arcs, or 3 rows each."""
    monkeypatch.setattr(sell, "RUN", everywhere(8))
    monkeypatch.setattr(sell, "ROWS", everywhere(3))


def skewed(seed, weighted):
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, 1200)) ** 3 * 150).astype(int)
    options = {"weights": rng.integers(1, 9, 1200) / 3} if weighted else {}
    return Graph.from_edges(*ends, vertices=np.arange(170), directed=True, duplicates="keep", **options)


@pytest.mark.parametrize("layout", [TINY, replace(TINY, segments=3), replace(TINY, windows=(16, 16))])
@pytest.mark.parametrize(("weighted", "real"), [(False, np.float32), (True, np.float32), (True, np.float64)])
@pytest.mark.usefixtures("few_each")
def test_arcs(device, weighted, real, layout):
    """Every arc once, with its share, in the row of its head; long rows in pieces by segment."""
    for seed in range(3):
        graph = skewed(seed, weighted)
        problem = make_problem(graph)
        share = upload_shares(device, graph, problem, real, True) if weighted else None
        made = Sell(device, graph, share, real, layout).build()
        found = arcs_of_slices(device, made, real if weighted else None)
        assert found == arcs_of_graph(graph, graph_shares(graph, problem), real)
        order = device.download(made.order, np.int32, graph.num_vertices)
        assert sorted(order.tolist()) == list(range(graph.num_vertices))
        assert len(made.kinds) == layout.segments + 2
        assert made.pieces > layout.segments


@pytest.mark.parametrize(
    ("hot", "classes", "segments"), [(8, (4, 16), 1), (8, (4, 16), 3), (1, (), 1), (5000, (8, 5000), 1)]
)
def test_numbers_and_long_rows(device, hot, classes, segments):
    """New numbers, sorted rows, and long rows cut into pieces."""
    layout = replace(TINY, hot=hot, classes=classes, segments=segments)
    for graph in layout_graphs():
        problem = make_problem(graph)
        want = on_host(graph, layout, graph_shares(graph, problem))
        weighted = problem.weights is not None
        share = upload_shares(device, graph, problem, np.float64, True) if weighted else None
        made = Sell(device, graph, share, np.float64, layout)
        made.number_rows()
        source, arc_share = made.sort_arcs()
        assert (made.sources, made.hot, made.arcs) == (want.sources, want.hot, graph.num_arcs)
        assert_holds(device, made.number, np.argsort(want.order).astype(np.int32))
        assert_holds(device, source, want.source)
        if want.share is not None:
            assert_holds(device, arc_share, want.share)
        made.cut_long_rows(source)
        assert (made.pieces, made.kinds) == (want.pieces, want.kinds)
        pieces = np.diff(want.first_piece)
        assert made.longest_join == pieces.max(initial=0)
        hubs = np.flatnonzero(pieces > layout.joined)
        assert sorted(device.download(made.hub, np.int32, made.hubs).tolist()) == hubs.tolist()
        arrays = "piece_place piece_at first_piece long_number cell_piece cell_begin order start hot_length"
        for name in arrays.split():
            assert_holds(device, getattr(made, name), getattr(want, name))
        rows = made.begins(graph.num_vertices, made.hot_length, made.cold_length)
        for begin, wanted in zip((*rows, *made.begins(*made.piece_lengths)), want.begins, strict=True):
            assert_holds(device, begin, wanted)


@pytest.mark.usefixtures("few_each")
def test_one_window(device):
    """Where no class needs two windows, rows in windows are numbered as others are."""
    layout = replace(TINY, hot=5, classes=(), windows=(1 << 13, 1 << 13))
    for graph in layout_graphs():
        want = on_host(graph, layout)
        made = Sell(device, graph, None, np.float32, layout).build()
        assert_holds(device, made.order, want.order)
        assert (made.hot_arcs, made.sources, made.pieces) == (want.hot_arcs, want.sources, want.pieces)
        for part, wanted in zip(sell.PARTS, want.begins, strict=True):
            np.testing.assert_array_equal(made.steps_before(device, part), wanted)
        assert made.padding == want.padding


@pytest.mark.usefixtures("few_each")
def test_windows(device):
    """Windows keep to the classes, which are by out-degree; inside, long rows come first, then by length."""
    layout = replace(TINY, windows=(16, 16))
    graph = skewed(3, weighted=False)
    made = Sell(device, graph, None, np.float32, layout).build()
    order = device.download(made.order, np.int32, graph.num_vertices)
    by_degree = np.argsort(-graph.degrees, kind="stable")
    length = np.bincount(graph.col_idx, minlength=graph.num_vertices)
    bounds = [0, 4, 8, 16, made.sources, graph.num_vertices]
    for number, (first, last) in enumerate(pairwise(bounds)):
        members, step = np.sort(by_degree[first:last]), 8 if number == 0 else 16
        for at in range(0, last - first, step):
            there = order[first + at : min(first + at + step, last)]
            np.testing.assert_array_equal(np.sort(there), members[at : at + step])
            is_long = length[there] > layout.long_row
            assert np.all(np.diff(is_long.astype(int)) <= 0)
            assert np.all(np.diff(length[there][is_long]) <= 0)


def test_many_sources_with_few_arcs(device):
    n = 300_000
    ends = np.random.default_rng(6).integers(0, n, (2, 90_000))
    graph = Graph.from_edges(*ends, vertices=np.arange(n), directed=True)
    as_reference(device, graph, 3, variant="runs")


def test_layout(device):
    """Popular sources first, within a class by length; rows of a slice padded to the longest."""
    ends = [3, 3, 3, 1, 1, 0], [0, 1, 2, 0, 2, 4]
    graph = Graph.from_edges(*ends, vertices=range(5), directed=True)
    made = Sell(device, graph, None, np.float32, Layout(width=2, hot=1, long_row=9)).build()
    # out-degrees 3; 1 and 2 (rows of 2 and 1 arcs); 0
    assert device.download(made.order, np.int32, 5).tolist() == [3, 0, 1, 2, 4]
    assert made.steps_before(device, "hot_row").tolist() == [0, 1, 2, 2]  # arcs from 3 in rows -, 0; 1, 2; 4
    assert made.steps_before(device, "cold_row").tolist() == [0, 1, 2, 3]
    assert (made.sources, made.arcs, made.hot_arcs, made.pieces) == (3, 6, 3, 0)
    assert made.padding == 2 * 5 / 6


def test_balanced():
    cost = np.array([0, 10, 10, 10, 20, 30, 40])
    assert balanced(cost, 4).tolist() == [0, 1, 4, 5, 6]
    assert balanced(cost, 99)[[0, -1]].tolist() == [0, 6]
    assert balanced(np.array([0]), 3).tolist() == [0, 0]
