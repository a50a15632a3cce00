"""Breadth-first search, from one source and from many; weighted paths."""

from functools import partial

import numpy as np

from clgraph import Graph, average_shortest_path_length, bfs, bfs_many, shortest_paths
from clgraph.reference.traversal import reference_bfs
from clgraph.reference.weighted import verify_shortest_paths
from clgraph.traversal import many, search, weighted
from oclgrind.shared import reshape


def _distances(device, graph, sources):
    """Many searches, each as the reference has it."""
    found = bfs_many(graph, sources, device=device)
    assert found.distance.tolist() == [reference_bfs(graph, source)[0].tolist() for source in sources]
    return found


def _graphs():
    """Undirected and directed: drawn pairs, a hub, a path."""
    rng = np.random.default_rng(5)
    tails = np.r_[rng.integers(0, 50, 60), np.zeros(20, np.int64), np.arange(20, 40)]
    heads = np.r_[rng.integers(0, 50, 60), np.arange(20), np.arange(21, 41)]
    return [Graph.from_edges(tails, heads, directed=way, vertices=np.arange(53)) for way in (False, True)]


def _bfs(device, method="hybrid", **shape):
    reshape(search, **shape)
    # both are kept: Oclgrind takes a buffer in a freed one's place as uninitialised even where it was filled
    for graph in _graphs():
        for sources, predecessors in (([7], True), ([7, 30], True), ([7], False)):
            found = bfs(graph, sources, method=method, predecessors=predecessors, device=device)
            distance, predecessor, source_of = reference_bfs(graph, sources)
            assert found.distance.tolist() == distance.tolist()
            assert found.predecessor is None or found.predecessor.tolist() == predecessor.tolist()
            assert found.source_of.tolist() == source_of.tolist()


# a GPU's way, small enough for 53 vertices to go through all of it
TEAM = {"team": True, "local": 32, "fused_local": 16, "rows": 8, "items": 1, "long_row": 6, "long_piece": 4}

case_bfs = _bfs  # as CPUs do it: serial levels, push, pull
case_bfs_push = partial(_bfs, fuse_arcs=0, alpha=0)
case_bfs_pull = partial(_bfs, fuse_arcs=0, alpha=10**9, beta=3)  # as long as there is anything to find
case_bfs_frontier = partial(_bfs, method="frontier")  # Algorithm 5
# as GPUs do it: many levels in one launch of one work-group
case_bfs_team_fused = partial(_bfs, **{**TEAM, "long_row": 1000}, fuse_count=64, fuse_arcs=1000)
# by push alone, long rows in pieces; by pull, long rows by work-groups
case_bfs_team_push = partial(_bfs, **TEAM, fuse_count=4, fuse_arcs=8, alpha=0)
PULL = {"fuse_count": 4, "fuse_arcs": 0, "alpha": 10**9, "beta": 3, "pull_short": 2}
case_bfs_team_pull = partial(_bfs, **TEAM, **PULL)


def _many(device, counts, **shape):
    """Many searches at once."""
    names = ("many_count", "many_arcs", "pull_share", "scatter_share")
    items = (search.LAUNCH.gpu if shape.get("team") else search.LAUNCH.simulator).many_items
    reshape(search, many_items=items, **dict(zip(names, counts, strict=True)), **shape)
    for graph in _graphs():
        _distances(device, graph, np.r_[np.arange(39), 52])  # the last one has no arcs


case_bfs_many = partial(_many, counts=(8, 30, 0, 0))  # fused levels, push
case_bfs_many_scatter = partial(_many, counts=(0, 0, 3, 10**9))  # scatter, pull
case_bfs_many_team = partial(_many, counts=(8, 60, 0, 0), **TEAM)  # as GPUs do it: fused levels, push
# the same: scatter, pull, long rows by work-groups
case_bfs_many_team_pull = partial(_many, counts=(0, 0, 3, 10**9), **TEAM)


def case_bfs_many_ranked(device):
    """Vertices numbered by degree, from the first pull on."""
    many.MANY_VERTICES, many.HOT_SHARE, many.RENUMBER_SEARCHES = 0, 1, 1
    _many(device, (0, 0, 3, 10**9))


def case_bfs_many_deep(device):
    """Pull and then push again, and so deep that the distances need more planes."""
    _many(device, (0, 0, 4, 0))
    reshape(search, stay_share=4)
    v = np.arange(29)
    hub = np.zeros(20, np.int64)
    graph = Graph.from_edges(np.r_[v, hub], np.r_[v + 1, np.arange(30, 50)])  # a path behind a star
    assert _distances(device, graph, np.arange(30, 50)).levels > 16


def _weighted(device, listed=None, **shape):
    """Weights that are zero, that sums absorb, and that are not whole; a cutoff; sums of distances."""
    rng = np.random.default_rng(5)
    ends, weights = (rng.random((2, 150)) ** 2 * 40).astype(int), rng.choice([0, 1e-20, 0.3, 2], 150)
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(40), directed=True, duplicates="keep")
    ring = Graph.from_edges(np.arange(40), (np.arange(40) + 1) % 40, weights=np.full(40, 3))
    large = Graph.from_edges([0, 1, 2], [1, 2, 0], weights=[1e308, 1, 0.5])  # checked for overflow
    reshape(weighted, **shape)
    if listed is not None:
        weighted.is_listed = lambda dev, numbers: listed and numbers.wide
    for dtype in ("float64", "float32"):
        verify_shortest_paths(graph, shortest_paths(graph, [0, 3], dtype=dtype, device=device))
        verify_shortest_paths(graph, shortest_paths(graph, 0, cutoff=1.5, dtype=dtype, device=device))
    assert round(average_shortest_path_length(ring, weights=True, device=device), 6) == 30.769231
    assert average_shortest_path_length(large, weights=True, device=device) == 1


case_weighted = _weighted  # distances lowered in place, runs of arcs
# as GPUs do it: a group takes the arcs of its places together
GROUPS = {"team": True, "local": 8, "groups": 2}
GROUPS |= {"chunk": 4, "queue": 4, "rounds": 3, "entries": 1, "buffer": 1}
case_weighted_team = partial(_weighted, **GROUPS)
# whole rows, without 64-bit atomics: heads listed, rows pulled
case_weighted_listed = partial(_weighted, listed=True, run=0)
