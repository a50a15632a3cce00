"""The finder of batched mode: its labels against SciPy's, begun at anchors and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clgraph import Graph, powerlaw_graph
from clgraph.copra import Copra
from clgraph.sampling.afforest import LinkCompress


def check(device: Any, graph: Graph, gone: np.ndarray[Any, Any], anchored: bool | None) -> None:
    """Remove listed edges (arcs with tail < head), find, compare with SciPy."""
    copra = Copra(device, graph)
    copra.build()
    finder = LinkCompress(copra, graph, anchored=anchored)
    n, tail, head = graph.num_vertices, np.asarray(graph.rows), graph.col_idx
    once = np.flatnonzero(tail < head)
    arcs = once[gone]
    slots = (arcs + 2 * (tail[arcs] + 1)).astype(copra.offset)
    if len(slots):
        copra.remove_edges(device.upload(slots), len(slots))
    left = np.delete(once, gone)
    matrix = coo_array((np.ones(len(left), np.int8), (tail[left], head[left])), (n, n))
    labels = connected_components(matrix, directed=False)[1]
    sizes = np.bincount(labels)
    # of equals the one with the smallest vertex
    winner = labels[np.flatnonzero(sizes[labels] == sizes.max())[0]]
    label, root, size = finder.find(n)
    assert size == sizes.max()
    found = device.download(label, np.int32, n)
    assert np.array_equal(found == root, labels == winner)
    # as many roots as components, each in one component
    assert len(np.unique(found)) == len(sizes)
    assert np.array_equal(labels[found], labels)
    assert finder.keep(label, root) == len(left) - np.count_nonzero(labels[tail[left]] == winner)
    assert np.array_equal(copra.live_vertices(), labels == winner)


@pytest.mark.parametrize("anchored", [True, False, None])
def test_against_scipy(device: Any, anchored: bool | None) -> None:
    graph = powerlaw_graph(4000, seed=3)
    rng = np.random.default_rng(4)
    for share in (0, 0.1, 0.5, 0.8):
        gone = rng.permutation(graph.num_edges)[: int(share * graph.num_edges)]
        check(device, graph, np.sort(gone), anchored)


@pytest.mark.parametrize("anchored", [True, False])
def test_tie_goes_to_the_smallest_vertex(device: Any, anchored: bool) -> None:
    # two components of four, equal; the one without vertex 0 has the vertex of highest degree
    tail, head = [0, 1, 2, 4, 4, 4, 8], [1, 2, 3, 5, 6, 7, 9]
    graph = Graph.from_edges(tail, head)
    check(device, graph, np.zeros(0, np.int64), anchored)


@pytest.mark.parametrize("anchored", [True, False])
def test_long_row(device: Any, anchored: bool) -> None:
    """A star of more leaves than an anchor's 16 bits reach, its two best neighbours beyond them."""
    leaves = 70000
    tail = [*np.zeros(leaves, int), *range(leaves - 30, leaves - 1)]
    head = [*range(1, leaves + 1), *range(leaves - 29, leaves)]
    graph = Graph.from_edges(tail, head)
    gone = np.random.default_rng(5).permutation(graph.num_edges)[: graph.num_edges // 3]
    check(device, graph, np.sort(gone), anchored)


def test_anchors(device: Any) -> None:
    """Against the definition: the two best neighbours that are better than the vertex itself."""
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 900)), duplicates="keep").simple
    finder = LinkCompress(Copra(device, graph), graph, anchored=True)
    found = device.download(finder.find_anchors(), np.uint32, graph.num_vertices)
    degrees = np.diff(graph.row_ptr)
    for v in range(graph.num_vertices):
        row = graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist()
        ranks = sorted((-int(degrees[u]), u) for u in row if (-degrees[u], u) < (-degrees[v], v))
        places = [row.index(u) for _, u in ranks[:2]] + [0xFFFF, 0xFFFF]
        assert (int(found[v]) & 0xFFFF, int(found[v]) >> 16) == (places[0], places[1])
