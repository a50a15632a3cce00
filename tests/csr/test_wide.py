"""Offsets of 64 bits, as graphs of 2**31 arcs have them: every call gives what it gives of 32-bit offsets."""

from types import SimpleNamespace

import numpy as np
import pytest
from graphs import same

import clgraph
from clgraph.csr import build
from clgraph.ranking import plan
from clgraph.sampling import runs


def ranked(variant):
    return lambda g, d: clgraph.pagerank(g, tol=0, max_iter=4, variant=variant, device=d).scores


def sampled(method, **options):
    return lambda g, d: clgraph.sample(g, method, size="30%", seed=1, device=d, **options).vertices


CALLS = {
    "components": lambda g, d: clgraph.connected_components(g, device=d).labels,
    "bfs": lambda g, d: clgraph.bfs(g, 5, device=d).predecessor,
    "bfs_many": lambda g, d: clgraph.bfs_many(g, list(range(40)), device=d).distance,
    "ppr": lambda g, d: clgraph.personalized_pagerank(g, [1, 2], device=d).scores,
    **{f"pagerank {name}": ranked(name) for name in ("auto", "runs", "bins", "pull", "fixed")},
    **{method: sampled(method, mode="exact") for method in ("drv", "dre")},
    "drv batched": sampled("drv", mode="batched"),
    **{method: sampled(method) for method in ("cre", "ebfs", "rw")},
    "curve": lambda g, d: clgraph.reduction_curve(g, "drv", seed=1, device=d).edges,
}
VARIANTS = ("pagerank runs", "pagerank pull", "pagerank bins", "drv batched", "dre", "ebfs", "curve")


@pytest.fixture(scope="module")
def graph():
    return clgraph.rmat_graph(10, edge_factor=8, seed=1)


def wide(graph):
    return clgraph.Graph(graph.row_ptr.astype(np.int64), graph.col_idx)


@pytest.mark.first_device
@pytest.mark.parametrize(
    "what", [pytest.param(each, marks=[pytest.mark.slow] * (each in VARIANTS)) for each in CALLS]
)
def test_calls(device, graph, what):
    if "fixed" in what and "HAVE_FP64" not in device.features:
        pytest.skip("needs float64")
    assert np.array_equal(CALLS[what](wide(graph), device), CALLS[what](graph, device))


@pytest.mark.parametrize("form", ["merge tree", "probes"])
def test_several_seeds(device, graph, monkeypatch, form):
    methods, how = ("drv", "dre", "ebfs", "edfs"), {"size": "30%", "seed": 1, "seeds": 3, "device": device}
    usual = [clgraph.sample(graph, method, **how) for method in methods]
    many = runs.SideBySide(form, 1 << 19, breadth=1 << 19, depth=1 << 19)
    monkeypatch.setattr(runs, "LAUNCH", SimpleNamespace(of=lambda _: many))
    for method, wanted in zip(methods, usual, strict=True):
        for one, other in zip(clgraph.sample(wide(graph), method, **how), wanted, strict=True):
            np.testing.assert_array_equal(one.vertices, other.vertices, err_msg=method)


def test_graphs_made_on_a_device(device, graph, monkeypatch):
    """Rows, views and what is taken out of them, where each is made with 64-bit offsets."""
    monkeypatch.setattr(build, "offset_type", lambda arcs: np.int64)
    made = clgraph.rmat_graph(10, edge_factor=8, seed=1, device=device)
    taken = clgraph.sample(made, "drv", size="30%", seed=1, device=device).graph
    expected = clgraph.sample(graph, "drv", size="30%", seed=1, device=device).graph
    same(made, graph)
    same(taken, expected)
    assert made.row_ptr.dtype == np.int64
    again = clgraph.rmat_graph(10, edge_factor=8, seed=1, device=device, directed=True)
    narrow = clgraph.rmat_graph(10, edge_factor=8, seed=1, directed=True)
    same(again.reverse, narrow.reverse)
    same(again.undirected, narrow.undirected)


def test_more_arcs_than_slices_take(device, graph, monkeypatch):
    monkeypatch.setattr(plan, "LARGEST", 100)
    exact = "fixed" if "HAVE_FP64" in device.features and device.kernels == "ndrange" else "contribution"
    for norm, variant in (("l1", exact), ("linf", "contribution")):
        found = clgraph.pagerank(graph, norm=norm, device=device)
        assert found.variant == variant
        assert np.abs(found.scores - clgraph.reference_pagerank(graph)).sum() <= found.error_bound
    with pytest.raises(clgraph.CapacityError, match="lays out at most 100 arcs"):
        clgraph.pagerank(graph, variant="bins", device=device)
