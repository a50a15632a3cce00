"""Checks of the measures, and of the curve that is found for all deletions together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from clgraph.graph import Graph
from clgraph.measures.cores import find_cores
from clgraph.measures.corners import find_corners
from clgraph.measures.hops import hop_plot
from clgraph.measures.pack import Pack
from clgraph.measures.spectrum import largest_eigenvalues
from clgraph.measures.tally import component_sizes, degree_histogram, degree_histograms, degree_products
from clgraph.measures.triangle_count import count_triangles, triangles
from clgraph.reference import reference_bfs
from clgraph.reference.measures import reference_core_numbers, reference_eigenvalues
from clgraph.sampling import deletion_order
from clgraph.sampling.deletion_times import rows_of_curve

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.selftest.graphs import Graphs


def _matrix(graph: Graph) -> sp.csr_array:
    n = graph.num_vertices
    return sp.csr_array((np.ones(graph.num_arcs, np.int64), graph.col_idx, graph.row_ptr), (n, n))


def check_measures(graphs: Graphs, device: Device) -> None:
    """Degrees, triangles, hop plot of one graph."""
    for graph in (graphs.medium, graphs.star):
        degrees, counts = degree_histogram(device, graph)
        expected = np.unique(graph.degrees, return_counts=True)
        if not (np.array_equal(degrees, expected[0]) and np.array_equal(counts, expected[1])):
            raise AssertionError("the degrees are wrong")
        lower = sp.tril(_matrix(graph), format="csr")
        total = int((lower @ lower).multiply(lower).sum())  # paths down, closed by an arc
        if int(triangles(graph, device).sum()) != 3 * total:
            raise AssertionError("the triangles are wrong")
    small = graphs.powerlaw
    distances = np.concatenate([reference_bfs(small, v)[0] for v in small.ids.tolist()])
    pairs = np.cumsum(np.bincount(distances[distances >= 0]))
    if not np.array_equal(hop_plot(device, small, 0, small.num_vertices).pairs, pairs):
        raise AssertionError("the hop plot is wrong")


def check_several(graphs: Graphs, device: Device) -> None:
    """What is measured of several graphs one behind the other."""
    several = [graphs.powerlaw, graphs.path, Graph.from_edges(*np.triu_indices(9, 1)), graphs.powerlaw]
    pack = Pack.of(device, several)
    cores = device.download(find_cores(device, pack.graph), np.int32, pack.csr.n)
    corners = find_corners(pack, count_triangles(device, pack.graph))
    each = (degree_histograms(pack), degree_products(pack), component_sizes(pack), corners)
    for i, (graph, degrees, products, sizes, corner) in enumerate(zip(several, *each, strict=True)):
        matrix, degree = _matrix(graph), graph.degrees.astype(np.int64)
        if not np.array_equal(np.repeat(*degrees), np.sort(degree)):
            raise AssertionError("the degrees are wrong")
        if products != int(degree @ (matrix @ degree)):
            raise AssertionError("the products of neighbours' degrees are wrong")
        if corner.total != int((matrix @ matrix).multiply(matrix).sum()) // 6:
            raise AssertionError("the triangles by degree are wrong")
        label = sp.csgraph.connected_components(matrix)[1]
        if not np.array_equal(np.repeat(*sizes), np.sort(np.bincount(label))):
            raise AssertionError("the components' sizes are wrong")
        if not np.array_equal(cores[pack.begin[i] : pack.begin[i + 1]], reference_core_numbers(graph)):
            raise AssertionError("the core numbers are wrong")


def check_spectrum(graphs: Graphs, device: Device) -> None:
    """Eigenvalues of several graphs side by side."""
    several = [graphs.powerlaw, graphs.path, graphs.powerlaw]
    for graph, (values, _) in zip(several, largest_eigenvalues(Pack.of(device, several)), strict=True):
        expected = reference_eigenvalues(graph, 20)
        if len(values) != len(expected) or not np.allclose(values, expected, rtol=1e-6):
            raise AssertionError("the eigenvalues are wrong")


def check_curve(graph: Graph, device: Device) -> None:
    """What drv leaves after each deletion, found for all together."""
    order = graph.index(deletion_order(graph, "drv", 3))
    matrix, left, gone, expected = _matrix(graph), np.arange(graph.num_vertices), 0, []
    for vertex in [-1, *order[: graph.num_vertices // 2].tolist()]:
        if vertex >= 0 and vertex not in left:
            continue  # it went with a component before
        gone += vertex >= 0
        left = left[left != vertex]
        label = sp.csgraph.connected_components(matrix[left][:, left])[1]
        left = left[label == np.argmax(np.bincount(label))]
        expected.append((gone, len(left)))
    found = rows_of_curve(device, graph, 3, expected[-1][1], edges=False)
    if [(int(a), int(b)) for a, b, _ in zip(*found, strict=True)] != expected:
        raise AssertionError("the sizes after each deletion are wrong")
