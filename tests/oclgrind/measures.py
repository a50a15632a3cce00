"""Degrees, hop plots, triangles, cores, several graphs at once, parts of graphs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np


def _tangle() -> Any:
    from clgraph.graph import Graph

    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(50)).without_self_loops


def case_degrees(device: Any) -> None:
    """Degrees in local memory, and in global memory."""
    from clgraph.measures.pack import Pack
    from clgraph.measures.tally import degree_histograms

    graph = _tangle()
    ((degrees, counts),) = degree_histograms(Pack.of(device, [graph]), bins=4)
    assert np.array_equal(np.repeat(degrees, counts), np.sort(graph.degrees))


def case_hop_plot(device: Any) -> None:
    """Pairs by distance from the planes of many searches, and as work-items find them that share a graph."""
    from clgraph.device.launch_config import LaunchTable
    from clgraph.measures import hops
    from clgraph.measures.pack import Pack
    from clgraph.traversal import bfs_many

    graph = _tangle()
    distance = bfs_many(graph, np.arange(50), device=device).distance
    for words in (0, 1):
        hops.LAUNCH = LaunchTable(gpu=words, cpu=words, simulator=words)
        (found,) = hops.hop_plots(Pack.of(device, [graph]))
        assert np.array_equal(found.pairs, np.cumsum(np.bincount(distance[distance >= 0])))


def case_cores(device: Any) -> None:
    """Levels taken by a scan, and by what peels away."""
    from clgraph import core_numbers
    from clgraph.reference.measures import reference_core_numbers

    graph = _tangle()
    assert np.array_equal(core_numbers(graph, device), reference_core_numbers(graph))


def case_triangles(device: Any) -> None:
    """Edges turned, lists walked and searched, sums with a carry by hand."""
    from clgraph import triangles

    graph = _tangle()
    dense = graph.to_scipy().toarray().astype(np.int64)
    dense[dense > 0] = 1
    assert np.array_equal(triangles(graph, device), np.diag(dense @ dense @ dense) // 2)


def case_directed_triangles(device: Any) -> None:
    """Arcs looked up in both directions, both ways to count."""
    from clgraph import Graph, clustering
    from clgraph.reference.measures import reference_clustering

    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    graph = Graph.from_edges(*ends, vertices=np.arange(50), directed=True)
    for definition in ("ldbc", "networkx"):
        assert clustering(graph, device, definition=definition).tolist() == reference_clustering(
            graph, definition
        )


def case_several_graphs(device: Any) -> None:
    """Graphs one behind the other: all counts, pairs sorted, searches that share bits."""
    from clgraph.graph import Graph
    from clgraph.measures.pack import Pack
    from clgraph.measures.scalars import MeasureRequest, measure_all

    path = Graph.from_edges(np.arange(5), np.arange(1, 6))
    graphs = [_tangle(), path, Graph.from_edges(*np.triu_indices(7, 1))]
    wish = MeasureRequest(eigenvalues=False, sources=10)
    together = measure_all(Pack.of(device, graphs), wish)
    assert [each.triangles for each in together[1:]] == [0, 35]
    assert [each.largest_core for each in together[1:]] == [1, 6]
    for graph, found in zip(graphs, together, strict=True):
        (alone,) = measure_all(Pack.of(device, [graph]), wish)
        assert found.to_dict() | {"seconds": 0} == alone.to_dict() | {"seconds": 0}


def case_spectrum(device: Any) -> None:
    """A basis that fills up, restarts and random vectors; a graph whose space is closed at once.

    By work-groups a step at a time, and a whole cycle by one work-item for each graph.
    """
    from clgraph.device.launch_config import LaunchTable
    from clgraph.graph import Graph
    from clgraph.measures import spectrum
    from clgraph.measures.pack import Pack
    from clgraph.reference.measures import reference_eigenvalues

    graphs = [_tangle(), Graph.from_edges(np.zeros(9, int), np.arange(1, 10))]
    own = spectrum.LAUNCH.simulator
    for config in (own, replace(own, local=1)):
        spectrum.LAUNCH = LaunchTable(gpu=config, cpu=config, simulator=config)
        found = spectrum.Lanczos(Pack.of(device, graphs), [0, 1]).run()
        for graph, (values, _) in zip(graphs, found, strict=True):
            assert np.allclose(values, reference_eigenvalues(graph, spectrum.COUNT), rtol=1e-9)


def case_eigh(device: Any) -> None:
    """Small matrices: of few pairs, of more than there are work-items."""
    from clgraph.measures.spectrum import device_eigh

    for n, local in ((2, 4), (10, 4)):
        matrix = np.random.default_rng(n).normal(size=(2, n, n))
        matrix += matrix.swapaxes(1, 2).copy()
        values, vectors = device_eigh(device, local, matrix)
        assert np.allclose(values, np.linalg.eigvalsh(matrix), rtol=0, atol=1e-13)
        assert np.allclose(matrix @ vectors, vectors * values[:, None], rtol=0, atol=1e-13)


def case_parts(device: Any) -> None:
    """A sample's vertices and edges looked up in the original."""
    from clgraph.errors import InputError
    from clgraph.measures.compare import check_part

    graph = _tangle()
    part = graph.subgraph(np.arange(5, 45))
    check_part(graph, part, device=device)
    try:
        check_part(part, graph, device=device)
    except InputError:
        return
    raise AssertionError("a graph was taken for a part of its own part")


def case_copies(device: Any) -> None:
    """Parallel edges, kept as copies, counted once."""
    from clgraph.csr.upload import device_graph, graph_of
    from clgraph.graph import Graph
    from clgraph.measures.pack import measured_view

    graph = Graph.from_edges([0, 0, 1, 1, 2], [1, 1, 2, 1, 3], duplicates="keep")
    found = measured_view(device, graph_of(device, device_graph(device, graph)))  # as if it were made there
    assert np.array_equal(found.col_idx, Graph.from_edges([0, 1, 2], [1, 2, 3]).col_idx)
