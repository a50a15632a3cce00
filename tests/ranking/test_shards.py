"""PageRank of shards: within its bound of the reference, the same bytes for any cut and ranks."""

import hashlib

import numpy as np
import pytest

import clgraph
from clgraph.scale.writing import write_shards


def graph_of(kind):
    rng = np.random.default_rng(8)
    source, target = rng.integers(0, 9000, 30000), rng.integers(0, 9000, 30000) ** 2 // 9000
    weights = rng.random(30000) if "weighted" in kind else None
    if "counted" in kind:
        source, target = np.concatenate((source, source[:5000])), np.concatenate((target, target[:5000]))
    return clgraph.Graph.from_edges(
        source, target, weights=weights, directed="directed" in kind, vertices=np.arange(9100)
    )


@pytest.mark.parametrize("kind", ["plain", "directed", "directed and weighted", "directed and counted"])
def test_against_the_reference(device, tmp_path, kind):
    if "HAVE_FP64" not in device.features:
        pytest.skip("needs float64")
    graph = graph_of(kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=5000)
    expected = clgraph.reference_pagerank(graph)
    for dtype in ("float32", "float64"):
        found = clgraph.pagerank(shards, tol=1e-5, dtype=dtype, device=device)
        assert np.abs(found.scores - expected).sum() <= found.error_bound
        assert found.converged and found.variant == "fixed" and found.scores.dtype == dtype


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_hash(tmp_path, dtype):
    graph = graph_of("directed" if dtype == "float32" else "directed and weighted")
    hashes = set()
    for number, shard_edges in enumerate((10**6, 7000, 2000)):
        shards = write_shards(graph, tmp_path / f"{number}.clgs", shard_edges=shard_edges)
        for size in (1, 2, 4):
            found = clgraph.pagerank(shards, tol=0, max_iter=5, dtype=dtype, device=[None] * size)
            hashes.add((hashlib.sha256(found.scores.tobytes()).hexdigest(), found.residual))
    assert len(hashes) == 1


def test_cycle_of_roundings(tmp_path):
    star = clgraph.Graph.from_edges(np.zeros(38, int), np.arange(1, 39))
    shards = write_shards(star, tmp_path / "star.clgs", shard_edges=30)
    found = {}
    for size in (1, 2):
        with pytest.raises(clgraph.ConvergenceError, match="roundings of float32 scores") as caught:
            clgraph.pagerank(shards, damping=0.97, max_iter=100_000, device=[None] * size)
        found[size] = caught.value.result
    assert found[1].scores.tobytes() == found[2].scores.tobytes() and found[1].iterations < 2000
