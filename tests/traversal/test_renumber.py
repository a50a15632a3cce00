"""Vertices numbered by degree: the arcs are the graph's, and searches there find the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pytest
from graphs import tangle
from searches import put_shape

from clgraph import Graph, bfs_many
from clgraph.reference.traversal import reference_bfs
from clgraph.traversal import many, search

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device

pytestmark = pytest.mark.slow


def arcs_of(device: Device, csr: DeviceCSR, rows: int, vertex: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The arcs of the first `rows` rows by their vertices (tail, head), sorted; shape (2, k)."""
    row_ptr = device.download(csr.row_ptr, csr.offset, rows + 1)
    head = device.download(csr.col_idx, np.int32, int(row_ptr[-1]))
    tail = np.repeat(np.arange(rows), np.diff(row_ptr))
    arcs = vertex[np.stack((tail, head))]
    return arcs[:, np.lexsort(arcs[::-1])]


@pytest.mark.parametrize("directed", [False, True])
def test_the_rows_are_permuted(device: Device, monkeypatch: pytest.MonkeyPatch, directed: bool) -> None:
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    monkeypatch.setattr(many, "HOT_SHARE", 1)
    graph = tangle(3, directed=directed, duplicates="keep")
    made = many.renumber(device, graph, items=8)
    assert made is not None
    n = graph.num_vertices
    assert sorted(made.position.tolist()) == list(range(n))
    assert device.download(made.positions, np.int32, n).tolist() == made.position.tolist()
    vertex = np.argsort(made.position)
    key = graph.degrees[vertex]
    if directed:
        key += graph.reverse.degrees[vertex] > 0  # vertices that only receive arcs have rows too
    assert np.all(np.diff(key) <= 0)
    assert made.rows == np.count_nonzero(key)
    for csr, of in ((made.leaving, graph), (made.arriving, graph.reverse)):
        want = np.stack((of.tails, of.col_idx))
        found = arcs_of(device, csr, made.rows, vertex)
        np.testing.assert_array_equal(found, want[:, np.lexsort(want[::-1])])
    assert many.renumber(device, graph, items=8).rows == made.rows


def test_where_it_does_not_pay(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tangle(3)
    assert many.renumber(device, small, items=8) is None
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    ring = Graph.from_edges(np.arange(100), (np.arange(100) + 1) % 100)
    assert many.renumber(device, ring, items=8) is None  # no vertex has more arcs than another


@pytest.mark.parametrize("short", [True, False])
def test_searches_find_the_same(device: Device, short: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vertices numbered by degree, from the first pull on and in later calls: the rows are the same."""
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    monkeypatch.setattr(many, "HOT_SHARE", 1)
    pulls = replace(search.SERIAL, items=32, many_count=0, many_arcs=0, pull_share=10**9)
    put_shape(monkeypatch, search, device, pulls)
    rng = np.random.default_rng(8)
    for directed in (False, True):
        n, ends = 300, rng.integers(0, 250, (2, 900))  # 50 vertices and more have no arcs
        ends = np.hstack((ends, [np.arange(40), np.zeros(40, np.int64)], [np.full(40, 2), np.arange(40)]))
        graph = Graph.from_edges(*ends[:, :20] if short else ends, vertices=np.arange(n), directed=directed)
        for count, lanes, limit in ((40, 64, None), (70, 64, None), (70, 32, 2), (64, 64, 3)):
            sources = np.r_[rng.integers(0, n, count - 2), n - 1, n - 1]
            found = bfs_many(graph, sources, device=device, depth_limit=limit, lanes=lanes)  # type: ignore
            want = [reference_bfs(graph, source, depth_limit=limit)[0] for source in sources]
            np.testing.assert_array_equal(found.distance, want)
        made = device.cached(graph, "renumbered", lambda: None)
        assert made is not None and made.rows == np.count_nonzero(graph.undirected.degrees)
