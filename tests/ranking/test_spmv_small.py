"""The plan of small graphs: all iterations in one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_close, every_check, mixed_graph

from clgraph import Graph
from clgraph.errors import InputError
from clgraph.ranking import pagerank, spmv_small
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
@pytest.mark.cross
def test_variant(device: Device, check: Any) -> None:
    if check.__name__ == "long_rows" and device.kind == "gpu":
        pytest.skip("the graph does not fit local memory")
    check(device, "small")


def dangling_graph(seed: int, weighted: bool) -> Graph:
    """Most vertices are dangling, some of them by weight 0 alone."""
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, 40, 500), rng.integers(0, 400, 500)
    weights = rng.integers(0, 3, 500).astype(float) * (tails != 7) if weighted else None
    return Graph.from_edges(tails, heads, weights=weights, vertices=np.arange(400), directed=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"personalization": {3: 1, 390: 4}},
        {"personalization": {5: 1}, "dangling": {399: 1, 0: 2}},
        {"dangling": "drop"},
    ],
)
def test_dangling(device: Device, weighted: bool, options: dict[str, Any]) -> None:
    """With tol=0 the rows of dangling vertices are summed in the last two iterations only."""
    for seed, count in enumerate((1, 2, 3, 10)):
        graph = dangling_graph(seed, weighted)
        want = reference_pagerank(graph, iterations=count, **options)
        for dtype in ("float32", "float64"):
            found = pagerank(
                graph, variant="small", tol=0, max_iter=count, dtype=dtype, device=device, **options
            )
            assert_close(found, want, dtype)
            verify_pagerank(graph, found)


def test_several_launches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch does a limited number of iterations; the next one goes on from there."""
    graph = mixed_graph(1)
    whole = [
        pagerank(graph, variant="small", tol=0, max_iter=11, device=device),
        pagerank(graph, variant="small", tol=1e-6, device=device),
    ]
    monkeypatch.setattr(spmv_small, "TURNS", 4)
    parts = [
        pagerank(graph, variant="small", tol=0, max_iter=11, device=device),
        pagerank(graph, variant="small", tol=1e-6, device=device),
    ]
    for one, other in zip(whole, parts, strict=True):
        assert one.iterations == other.iterations
        assert one.residual == other.residual
        assert np.array_equal(one.scores, other.scores)
    assert parts[1].iterations > 8


def test_too_many_sources(device: Device) -> None:
    n = spmv_small.SOURCES + 1
    ring = Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n, directed=True)
    with pytest.raises(InputError, match=f"at most {spmv_small.SOURCES} vertices with out-arcs, .* {n}"):
        pagerank(ring, variant="small", device=device)
    assert pagerank(ring, device=device, max_iter=1, tol=0).variant != "small"
