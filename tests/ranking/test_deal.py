"""Slices made on a device without sorting the arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import arcs_of_graph, arcs_of_slices, assert_close, mixed_graph

from clgraph import Graph
from clgraph.ranking import deal, pagerank
from clgraph.ranking.deal import class_numbers, deal_slices, window_bounds
from clgraph.ranking.layout import make_slices
from clgraph.ranking.problem import make_problem
from clgraph.ranking.shares import graph_shares
from clgraph.reference.pagerank import reference_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device

SIZES: dict[str, Any] = {"width": 4, "hot": 8, "long_row": 6, "classes": (4, 16)}


def skewed(seed: int, weighted: bool) -> Graph:
    rng = np.random.default_rng(seed)
    tails, heads = (rng.random((2, 1200)) ** 3 * 150).astype(int)
    weights = rng.integers(1, 9, 1200) / 3 if weighted else None
    return Graph.from_edges(
        tails, heads, weights=weights, vertices=np.arange(170), directed=True, duplicates="keep"
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_slices_hold_the_graph(
    device: Device, weighted: bool, real: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every arc once, with its share, in the row of its head; long rows in pieces, several windows."""
    tiny = deal.Shape(least_window=16, most_window=16, chunk=4)
    monkeypatch.setattr(deal, "SHAPES", deal.Shapes(gpu=tiny, cpu=tiny, simulator=tiny))
    monkeypatch.setattr(deal, "SLICE_ARCS", 100)
    for seed in range(3):
        graph = skewed(seed, weighted)
        shares = graph_shares(graph, make_problem(graph))
        made, args = deal_slices(device, graph, shares, real, **SIZES)
        found = arcs_of_slices(device, made, args, real if weighted else None)
        assert found == arcs_of_graph(graph, shares, real)
        assert sorted(made.order.tolist()) == list(range(graph.num_vertices))
        assert made.pieces > 2


def test_same_as_on_the_host(device: Device) -> None:
    """Where no row is long and no class needs two windows, these are `make_slices`' own."""
    sizes: dict[str, Any] = {"width": 4, "hot": 5, "long_row": 1000, "classes": ()}
    wide = deal.Shape(least_window=1 << 13, most_window=1 << 13, chunk=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deal, "SHAPES", deal.Shapes(gpu=wide, cpu=wide, simulator=wide))
        for seed in range(4):
            graph = mixed_graph(seed)
            wanted = make_slices(graph.row_ptr, graph.col_idx, None, **sizes)
            made, args = deal_slices(device, graph, None, np.float32, **sizes)
            np.testing.assert_array_equal(made.order, wanted.order)
            for ours, theirs in zip(made.begins, wanted.begins, strict=True):
                np.testing.assert_array_equal(ours, theirs)
            assert (made.hot_arcs, made.sources, made.pieces) == (wanted.hot_arcs, wanted.sources, 0)
            assert arcs_of_slices(device, made, args, None) == arcs_of_graph(graph, None, None)


def test_more_sources_than_a_slice_has_bits_for(device: Device) -> None:
    """Dealt arcs count sources from their slice's first: 2**17 of them at most, however few their arcs."""
    n = 300_000
    ends = np.random.default_rng(6).integers(0, n, (2, 90_000))
    graph = Graph.from_edges(*ends, vertices=np.arange(n), directed=True)
    found = pagerank(graph, variant="runs", tol=0, max_iter=3, device=device)
    assert_close(found, reference_pagerank(graph, iterations=3), "float32")


def test_classes_and_windows() -> None:
    """Who counts as hot, without sorting by degree; and windows that keep to the classes."""
    rng = np.random.default_rng(8)
    for out in (rng.integers(0, 9, 200), rng.zipf(1.5, 500) % 1000, np.zeros(7, int), np.ones(3, int)):
        sources = int(np.count_nonzero(out))
        place = np.empty(len(out), int)
        place[np.argsort(-out, kind="stable")] = np.arange(len(out))
        for bounds in ([sources], sorted({min(5, sources), min(17, sources), sources})):
            reached = class_numbers(out, bounds)
            np.testing.assert_array_equal(reached, np.searchsorted(bounds, place, side="right"))
            begins = window_bounds(np.bincount(reached, minlength=len(bounds) + 1), 64)
            assert {0, *bounds, len(out)} <= set(begins.tolist())
            assert np.all((np.diff(begins) > 0) & (np.diff(begins) <= 64))
