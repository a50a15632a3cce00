"""Largest eigenvalues: of every device against NumPy's of all, one graph alone and many side by side."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from devices import needs_float64
from graphs import tangle
from personalized import everywhere
from scipy.sparse.linalg import eigsh

from clgraph import Graph, InputError, eigenvalues, powerlaw_graph, quality
from clgraph.measures import spectrum
from clgraph.measures.pack import Pack, simple_view
from clgraph.measures.spectrum import (
    COUNT,
    DENSE,
    STEPS,
    device_eigh,
    host_eigenvalues,
    largest_eigenvalues,
    on_host,
)
from clgraph.reference.measures import reference_eigenvalues, verify_eigenvalues


def several():
    """Graphs with eigenvalues that repeat, with few positive ones, with hubs; small ones and none."""
    whole = simple_view(tangle(3, n=150, edges=600))
    once = whole.tails < whole.col_idx
    ends, ring = np.stack((whole.tails[once], whole.col_idx[once])), np.arange(130)
    first = np.arange(0, 3 * 25, 3)  # of each triangle
    return {
        "tangle": whole,
        "twice": Graph.from_edges(*np.hstack((ends, ends + 150))),
        "no edges": Graph.from_edges([], [], vertices=np.arange(120)),
        "ring": Graph.from_edges(ring, (ring + 1) % 130),
        "star": Graph.from_edges(np.zeros(120, int), np.arange(1, 121)),
        "complete": Graph.from_edges(*np.triu_indices(DENSE + 5, 1)),
        "small": Graph.from_edges(*np.triu_indices(12, 1)),
        "triangles": Graph.from_edges(
            np.r_[first, first + 1, first], np.r_[first + 1, first + 2, first + 2], vertices=np.arange(140)
        ),
    }


@pytest.mark.smoke
def test_side_by_side_alone_and_by_numpy(device):
    graphs = several()
    together = largest_eigenvalues(Pack.of(device, list(graphs.values())))
    for (name, graph), (values, reason) in zip(graphs.items(), together, strict=True):
        assert (reason is None) == (graph.num_arcs > 0), name
        np.testing.assert_allclose(values, reference_eigenvalues(graph, COUNT), rtol=1e-9, err_msg=name)
        ((alone, why),) = largest_eigenvalues(Pack.of(device, [graph]))
        assert (alone.tobytes(), why) == (values.tobytes(), reason), name
    assert "all eigenvalues are 0" in together[2][1]


@pytest.mark.parametrize("matrix", ["laplacian", "normalized laplacian"])
def test_laplacians(device, matrix):
    for name, graph in several().items():
        found = eigenvalues(graph, matrix=matrix, device=device)
        wanted = reference_eigenvalues(graph, COUNT, matrix)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=name)
    hubs = powerlaw_graph(600, seed=4)
    found = eigenvalues(hubs, 7, matrix=matrix, device=device)
    like = nx.normalized_laplacian_matrix if "normalized" in matrix else nx.laplacian_matrix
    wanted = np.linalg.eigvalsh(like(hubs.to_networkx(), weight=None).toarray().astype(float))[::-1][:7]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@pytest.mark.smoke
@pytest.mark.parametrize("n", [2, 6, 20, STEPS])
def test_small_matrices_on_the_device(device, n):
    needs_float64(device)
    rng = np.random.default_rng(n)
    matrices = rng.normal(size=(7, n, n)) * 10.0 ** rng.integers(-6, 6, (7, 1, 1))
    matrices[1], matrices[2], matrices[3] = np.eye(n), 1, 0
    matrices[4] *= np.arange(n) < n / 2  # an eigenvalue of 0 for each of the other rows, too
    matrices += matrices.swapaxes(1, 2).copy()
    wanted = np.linalg.eigvalsh(matrices)
    size = np.abs(matrices).max((1, 2)) + 1e-300
    for local in (1, 4, 32):
        values, vectors = device_eigh(device, min(local, device.max_work_group), matrices)
        assert (np.diff(values) >= 0).all()
        assert (np.abs(values - wanted).max(1) <= 1e-14 * n * size).all()
        apart = matrices @ vectors - vectors * values[:, None]
        assert (np.abs(apart).max((1, 2)) <= 1e-14 * n * size).all()
        assert np.abs(vectors.swapaxes(1, 2) @ vectors - np.eye(n)).max() <= 1e-14 * n


def test_by_lapack_and_by_the_device(device, monkeypatch):
    needs_float64(device)
    pack = Pack.of(device, [several()[name] for name in ("tangle", "star", "triangles")])
    found = []
    for items in (0, 16):
        config = replace(spectrum.LAUNCH.of(device), matrix=min(items, device.max_work_group))
        monkeypatch.setattr(spectrum, "LAUNCH", everywhere(config))
        assert bool(spectrum.LAUNCH.of(device).matrix) == bool(items)  # local memory suffices
        found.append(largest_eigenvalues(pack))
    for (host, no), (own, none) in zip(*found, strict=True):
        assert no is none is None
        np.testing.assert_allclose(own, host, rtol=1e-9)


def test_what_eigenvalues_refuses():
    graph = Graph.from_edges([0], [1])
    for options, said in (({"count": 21}, "count is 21"), ({"matrix": "A"}, "matrix is 'A'")):
        with pytest.raises(InputError, match=said):
            eigenvalues(graph, **options)


def test_larger_graphs_as_scipy_and_verified(device):
    graphs = [simple_view(powerlaw_graph(n, seed=4)) for n in (3000, 200)]
    (large, _), (values, _) = largest_eigenvalues(Pack.of(device, graphs))
    wanted = eigsh(graphs[0].to_scipy().astype(float), k=COUNT, which="LA", return_eigenvectors=False)
    np.testing.assert_allclose(large, np.sort(wanted)[::-1], rtol=1e-9)
    graph = graphs[1]
    verify_eigenvalues(graph, values)
    with pytest.raises(AssertionError, match="above"):
        verify_eigenvalues(graph, np.delete(values, 3))


def test_without_float64_scipy_finds_them_and_what_does_not_converge_says_so(device, monkeypatch):
    graph = simple_view(powerlaw_graph(1100, seed=4))
    wanted = reference_eigenvalues(graph, COUNT)
    values, reason = host_eigenvalues(graph.row_ptr, graph.col_idx)
    assert reason is None
    np.testing.assert_allclose(values, wanted, rtol=1e-9)
    found = quality(graph, device=device).original
    told = any("the device has no float64" in note for note in found.notes)
    assert told != ("HAVE_FP64" in device.features)
    assert "on the host" in on_host(device, 2**40)
    if "HAVE_FP64" in device.features:
        monkeypatch.setattr(spectrum, "RESTARTS", 1)
        ((values, reason),) = largest_eigenvalues(Pack.of(device, [graph]))
        assert len(values) == 0
        assert "too close together" in reason
