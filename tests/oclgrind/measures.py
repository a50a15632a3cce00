"""Degrees, hop plots, triangles, cores, several graphs at once, parts of graphs."""

from dataclasses import replace

import numpy as np
import pytest

from clgraph import Graph, InputError, bfs_many, clustering, core_numbers, triangles
from clgraph.csr.upload import device_graph, graph_of
from clgraph.measures import hops, spectrum
from clgraph.measures.compare import check_part
from clgraph.measures.pack import Pack, measured_view
from clgraph.measures.scalars import MeasureRequest, measure_all
from clgraph.measures.tally import degree_histograms
from clgraph.reference.measures import reference_clustering, reference_core_numbers, reference_eigenvalues
from oclgrind.shared import reshape, tangle

GRAPH = tangle().without_self_loops


def case_degrees(device):
    """Degrees in local memory, and in global memory."""
    ((degrees, counts),) = degree_histograms(Pack.of(device, [GRAPH]), bins=4)
    assert np.array_equal(np.repeat(degrees, counts), np.sort(GRAPH.degrees))


def case_hop_plot(device):
    """Pairs by distance from the planes of many searches, and as work-items find them that share a graph."""
    distance = bfs_many(GRAPH, np.arange(50), device=device).distance
    for words in (0, 1):
        hops.LAUNCH = replace(hops.LAUNCH, simulator=words)
        (found,) = hops.hop_plots(Pack.of(device, [GRAPH]))
        assert np.array_equal(found.pairs, np.cumsum(np.bincount(distance[distance >= 0])))


def case_cores(device):
    """Levels taken by a scan, and by what peels away."""
    assert np.array_equal(core_numbers(GRAPH, device), reference_core_numbers(GRAPH))


def case_triangles(device):
    """Edges turned, lists walked and searched, sums with a carry by hand."""
    dense = (GRAPH.to_scipy().toarray() > 0).astype(np.int64)
    assert np.array_equal(triangles(GRAPH, device), np.diag(dense @ dense @ dense) // 2)


def case_directed_triangles(device):
    """Arcs looked up in both directions, both ways to count."""
    graph = tangle(directed=True)
    for definition in ("ldbc", "networkx"):
        found = clustering(graph, device, definition=definition).tolist()
        assert found == reference_clustering(graph, definition)


def case_several_graphs(device):
    """Graphs one behind the other: all counts, pairs sorted, searches that share bits."""
    path = Graph.from_edges(np.arange(5), np.arange(1, 6))
    graphs = [GRAPH, path, Graph.from_edges(*np.triu_indices(7, 1))]
    wish = MeasureRequest(eigenvalues=False, sources=10)
    together = measure_all(Pack.of(device, graphs), wish)
    assert [each.triangles for each in together[1:]] == [0, 35]
    assert [each.largest_core for each in together[1:]] == [1, 6]
    for graph, found in zip(graphs, together, strict=True):
        (alone,) = measure_all(Pack.of(device, [graph]), wish)
        assert found.to_dict() | {"seconds": 0} == alone.to_dict() | {"seconds": 0}


def case_spectrum(device):
    """A basis that fills up, restarts and random vectors; a graph whose space is closed at once.

    By work-groups a step at a time, and a whole cycle by one work-item for each graph.
    """
    graphs = [GRAPH, Graph.from_edges(np.zeros(9, int), np.arange(1, 10))]
    for shape in ({}, {"local": 1}):
        reshape(spectrum, **shape)
        found = spectrum.Lanczos(Pack.of(device, graphs), [0, 1]).run()
        for graph, (values, _) in zip(graphs, found, strict=True):
            assert np.allclose(values, reference_eigenvalues(graph, spectrum.COUNT), rtol=1e-9)


def case_eigh(device):
    """Small matrices: of few pairs, of more than there are work-items."""
    for n in (2, 10):
        matrix = np.random.default_rng(n).normal(size=(2, n, n))
        matrix += matrix.swapaxes(1, 2).copy()
        values, vectors = spectrum.device_eigh(device, 4, matrix)
        assert np.allclose(values, np.linalg.eigvalsh(matrix), rtol=0, atol=1e-13)
        assert np.allclose(matrix @ vectors, vectors * values[:, None], rtol=0, atol=1e-13)


def case_parts(device):
    """A sample's vertices and edges looked up in the original; a graph is no part of its own part."""
    part = GRAPH.subgraph(np.arange(5, 45))
    check_part(GRAPH, part, device=device)
    with pytest.raises(InputError):
        check_part(part, GRAPH, device=device)


def case_copies(device):
    """Parallel edges, kept as copies, counted once."""
    graph = Graph.from_edges([0, 0, 1, 1, 2], [1, 1, 2, 1, 3], duplicates="keep")
    found = measured_view(device, graph_of(device, device_graph(device, graph)))  # as if it were made there
    assert np.array_equal(found.col_idx, Graph.from_edges([0, 1, 2], [1, 2, 3]).col_idx)
