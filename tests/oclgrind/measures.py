"""Degrees, hop plots, triangles."""

from __future__ import annotations

from typing import Any

import numpy as np


def _tangle() -> Any:
    from clgraph.graph import Graph

    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(50)).simple


def case_degrees(device: Any) -> None:
    """Degrees in local memory, in global memory, and listed."""
    from clgraph.measures.tally import degree_histogram

    graph = _tangle()
    degrees, counts = degree_histogram(device, graph, bins=4)
    assert np.array_equal(np.repeat(degrees, counts), np.sort(graph.degrees))


def case_hop_plot(device: Any) -> None:
    """Pairs by distance from the planes of many searches."""
    from clgraph.measures.hops import hop_plot
    from clgraph.traversal import bfs_many

    graph = _tangle()
    distance = bfs_many(graph, np.arange(50), device=device).distance
    found = hop_plot(device, graph)
    assert np.array_equal(found.pairs, np.cumsum(np.bincount(distance[distance >= 0])))


def case_cores(device: Any) -> None:
    """Levels taken by a scan, and by what peels away."""
    from clgraph import core_numbers
    from clgraph.reference.cores import reference_core_numbers

    graph = _tangle()
    assert np.array_equal(core_numbers(graph, device), reference_core_numbers(graph))


def case_triangles(device: Any) -> None:
    """Edges turned, lists walked and searched, sums with a carry by hand."""
    from clgraph import triangles

    graph = _tangle()
    dense = graph.to_scipy().toarray().astype(np.int64)
    dense[dense > 0] = 1
    assert np.array_equal(triangles(graph, device), np.diag(dense @ dense @ dense) // 2)
