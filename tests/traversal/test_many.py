"""Many searches at once: every way to go on, depth and type against the reference."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from searches import TEAM, first_device_but, put_shape, random_graph

from clgraph import Graph, InputError, bfs_many
from clgraph.reference.traversal import reference_bfs
from clgraph.traversal import many as many_module
from clgraph.traversal import search
from clgraph.traversal.many import ManySearch

if TYPE_CHECKING:
    from clgraph.device import Device


NO_FUSED = {"many_count": 0, "many_arcs": 0}
WAYS: dict[str, dict[str, int]] = {  # which kernels small graphs are sent through
    "own": {},
    "push": {**NO_FUSED, "pull_share": 0, "scatter_share": 0},
    "scatter": {**NO_FUSED, "pull_share": 0, "scatter_share": 10**9},
    "pull": {**NO_FUSED, "pull_share": 10**9, "scatter_share": 0},
    "mixed": {"many_count": 6, "many_arcs": 30, "pull_share": 8, "scatter_share": 2},
}


@pytest.mark.parametrize("way", first_device_but("own", WAYS, slow=("push", "mixed")))
@pytest.mark.parametrize("team", first_device_but(False, [False, True]))
def test_many(device: Device, way: str, team: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(TEAM, long_row=3) if team else search.LAUNCH.of(device)
    put_shape(monkeypatch, search, device, replace(config, **WAYS[way]))
    for seed in range(6):
        graph = random_graph(seed)
        sources = np.random.default_rng(seed).integers(0, graph.num_vertices, (3, 70)[seed % 2])
        limit = (None, 2)[seed // 3]
        found = bfs_many(graph, sources, device=device, depth_limit=limit, lanes=(64, 32)[seed // 2 % 2])
        want = [reference_bfs(graph, source, depth_limit=limit)[0] for source in sources]
        np.testing.assert_array_equal(found.distance, want)
        assert found.distance.dtype == np.int8
        assert found.levels == np.max(want) + 1


@pytest.mark.parametrize("deep", [5, 10**6])
def test_many_deep(device: Device, deep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one after so many levels, or more planes and more planes: the rows are the same."""
    monkeypatch.setattr(many_module, "DEEP", deep)
    n = 400
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    found = bfs_many(graph, [0, n - 1, 7], device=device)
    assert found.distance.dtype == np.int16
    assert np.array_equal(found.distance, np.abs(np.subtract.outer([0, n - 1, 7], np.arange(n))))
    assert found.levels == n


def test_many_types(device: Device) -> None:
    n = 40_000
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    found = bfs_many(graph, [0, n - 1], device=device)
    assert found.distance.dtype == np.int32
    assert np.array_equal(found.distance, [np.arange(n), np.arange(n)[::-1]])
    assert bfs_many(graph, [n // 2], depth_limit=127, device=device).distance.dtype == np.int8
    assert bfs_many(graph, [n // 2], depth_limit=128, device=device).distance.dtype == np.int16
    assert bfs_many(graph, [0], depth_limit=3, dtype=np.int32, device=device).distance.dtype == np.int32
    with pytest.raises(InputError, match="distances reach 39999"):
        bfs_many(graph, [0], dtype=np.int16, device=device)


def test_two_threads_search_one_graph(device: Device) -> None:
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(*rng.integers(0, 500, (2, 1500)), vertices=range(500))
    batches = [range(begin, begin + 70) for begin in (0, 100, 200, 300)]
    want = bfs_many(graph, range(500), device=device).distance
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(partial(bfs_many, graph, device=device), batches))
    for batch, one in zip(batches, found, strict=True):
        np.testing.assert_array_equal(one.distance, want[batch.start : batch.stop])


def test_scratch_is_given_back(device: Device) -> None:
    """At the end of the block, unless by an exception; a second search beside the first gets another."""
    graph = random_graph(4)
    with ManySearch(device, graph, 64, 1) as one, ManySearch(device, graph, 64, 1) as other:
        areas = [one.scratch, other.scratch]
        assert areas[0] is not areas[1]
    with pytest.raises(ZeroDivisionError), ManySearch(device, graph, 64, 1) as one:
        assert one.scratch is areas[0]
        raise ZeroDivisionError
    with ManySearch(device, graph, 64, 1) as one, ManySearch(device, graph, 32, 1) as narrow:
        assert one.scratch is areas[1]
        assert narrow.scratch not in areas
