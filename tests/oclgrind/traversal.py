"""Breadth-first search, from one source and from many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clgraph import Graph, average_shortest_path_length, shortest_paths
from clgraph.graph import Graph
from clgraph.reference.traversal import reference_bfs
from clgraph.reference.weighted import verify_shortest_paths
from clgraph.traversal import bfs, bfs_many, search, weighted
from clgraph.traversal import many as bfs_many


def _bfs(device: Any, many: bool = False, method: Any = "hybrid", **shape: Any) -> None:

    shapes = search.LAUNCH
    search.LAUNCH = replace(shapes, simulator=replace(shapes.simulator, **shape))
    rng = np.random.default_rng(5)
    tails = np.r_[rng.integers(0, 50, 60), np.zeros(20, np.int64), np.arange(20, 40)]
    heads = np.r_[rng.integers(0, 50, 60), np.arange(20), np.arange(21, 41)]
    kept = []  # Oclgrind takes a buffer in the place of a freed one as uninitialised even where it was filled
    for directed in (False, True):
        graph = Graph.from_edges(tails, heads, directed=directed, vertices=np.arange(53))
        kept.append(graph)
        if many:
            sources = np.r_[np.arange(39), 52]  # the last one has no arcs
            found = bfs_many(graph, sources, device=device)
            want = [reference_bfs(graph, source)[0] for source in sources]
            assert found.distance.tolist() == np.array(want).tolist()
            continue
        for sources, predecessors in (([7], True), ([7, 30], True), ([7], False)):
            found = bfs(graph, sources, method=method, predecessors=predecessors, device=device)
            distance, predecessor, source_of = reference_bfs(graph, sources)
            assert found.distance.tolist() == distance.tolist()
            assert found.predecessor is None or found.predecessor.tolist() == predecessor.tolist()
            assert found.source_of.tolist() == source_of.tolist()


# a GPU's way, small enough for 53 vertices to go through all of it
_TEAM = {"team": True, "local": 32, "fused_local": 16, "rows": 8, "items": 1, "long_row": 6, "long_piece": 4}


def case_bfs_frontier(device: Any) -> None:
    """Breadth-first search, Algorithm 5."""
    _bfs(device, method="frontier")


def case_bfs(device: Any) -> None:
    """Breadth-first search as CPUs do it: serial levels, push, pull."""
    _bfs(device)


def case_bfs_push(device: Any) -> None:
    """The same, by push alone."""
    _bfs(device, fuse_arcs=0, alpha=0)


def case_bfs_pull(device: Any) -> None:
    """The same, by pull as long as there is anything to find."""
    _bfs(device, fuse_arcs=0, alpha=10**9, beta=3)


def case_bfs_team_fused(device: Any) -> None:
    """Breadth-first search as GPUs do it: many levels in one launch of one work-group."""
    _bfs(device, **{**_TEAM, "long_row": 1000}, fuse_count=64, fuse_arcs=1000)


def case_bfs_team_push(device: Any) -> None:
    """The same, by push alone, long rows in pieces."""
    _bfs(device, **_TEAM, fuse_count=4, fuse_arcs=8, alpha=0)


def case_bfs_team_pull(device: Any) -> None:
    """The same, by pull, long rows by work-groups."""
    _bfs(device, **_TEAM, fuse_count=4, fuse_arcs=0, alpha=10**9, beta=3, pull_short=2)


def _many(device: Any, counts: tuple[int, int, int, int], **shape: Any) -> None:
    names = ("many_count", "many_arcs", "pull_share", "scatter_share")
    items = (search.LAUNCH.gpu if shape.get("team") else search.LAUNCH.simulator).many_items
    changes: dict[str, Any] = dict(zip(names, counts, strict=True))
    _bfs(device, many=True, many_items=items, **changes, **shape)


def case_bfs_many(device: Any) -> None:
    """Many searches at once: fused levels, push."""
    _many(device, (8, 30, 0, 0))


def case_bfs_many_scatter(device: Any) -> None:
    """Many searches at once: scatter, pull."""
    _many(device, (0, 0, 3, 10**9))


def _weighted(device: Any, listed: bool | None = None, **shape: Any) -> None:
    """Weights that are zero, that sums absorb, and that are not whole; a cutoff."""
    rng = np.random.default_rng(5)
    ends, weights = (rng.random((2, 150)) ** 2 * 40).astype(int), rng.choice([0, 1e-20, 0.3, 2], 150)
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(40), directed=True, duplicates="keep")
    ring = Graph.from_edges(np.arange(40), (np.arange(40) + 1) % 40, weights=np.full(40, 3))
    large = Graph.from_edges([0, 1, 2], [1, 2, 0], weights=[1e308, 1, 0.5])  # checked for overflow
    shapes, is_listed = weighted.LAUNCH, weighted.is_listed
    weighted.LAUNCH = replace(shapes, simulator=replace(shapes.simulator, **shape))
    if listed is not None:
        weighted.is_listed = lambda dev, numbers: listed and numbers.wide
    try:
        for dtype in ("float64", "float32"):
            verify_shortest_paths(graph, shortest_paths(graph, [0, 3], dtype=dtype, device=device))
            verify_shortest_paths(graph, shortest_paths(graph, 0, cutoff=1.5, dtype=dtype, device=device))
        assert round(average_shortest_path_length(ring, weights=True, device=device), 6) == 30.769231
        assert average_shortest_path_length(large, weights=True, device=device) == 1
    finally:
        weighted.LAUNCH, weighted.is_listed = shapes, is_listed


def case_weighted(device: Any) -> None:
    """Weighted paths: distances lowered in place, runs of arcs; sums of distances."""
    _weighted(device)


def case_weighted_team(device: Any) -> None:
    """The same, as GPUs do it: a group takes the arcs of its places together."""
    _weighted(device, team=True, local=8, groups=2, chunk=4, queue=4, rounds=3, entries=1, buffer=1)


def case_weighted_listed(device: Any) -> None:
    """The same, whole rows, without 64-bit atomics: heads listed, rows pulled."""
    _weighted(device, listed=True, run=0)


def case_bfs_many_ranked(device: Any) -> None:
    """Many searches at once with vertices numbered by degree, from the first pull on."""
    bfs_many.MANY_VERTICES, bfs_many.HOT_SHARE = 0, 1
    bfs_many.RENUMBER_SEARCHES = 1
    _many(device, (0, 0, 3, 10**9))


def case_bfs_many_team(device: Any) -> None:
    """Many searches at once as GPUs do it: fused levels, push."""
    _many(device, (8, 60, 0, 0), **_TEAM)


def case_bfs_many_team_pull(device: Any) -> None:
    """The same: scatter, pull, long rows by work-groups."""
    _many(device, (0, 0, 3, 10**9), **_TEAM)


def case_bfs_many_deep(device: Any) -> None:
    """Many searches at once, pull and then push again, and so deep that the distances need more planes."""

    _many(device, (0, 0, 4, 0))
    shapes = search.LAUNCH
    search.LAUNCH = replace(shapes, simulator=replace(shapes.simulator, stay_share=4))
    v = np.arange(29)
    hub = np.zeros(20, np.int64)
    graph = Graph.from_edges(np.r_[v, hub], np.r_[v + 1, np.arange(30, 50)])  # a path behind a star
    found = bfs_many(graph, np.arange(30, 50), device=device)
    want = [reference_bfs(graph, source)[0] for source in range(30, 50)]
    assert found.distance.tolist() == np.array(want).tolist()
    assert found.levels > 16
