"""The result of PageRank: the highest ranks, and what it says of its run."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import mixed_graph

from clgraph import Graph
from clgraph.csr.device_csr import DeviceGraph, SelectedIds
from clgraph.csr.upload import graph_of, upload_csr
from clgraph.errors import InputError
from clgraph.ranking import pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.smoke
def test_top(device: Device) -> None:
    graph = Graph.from_edges(["a", "b", "c", "d", "e"], ["c", "c", "a", "e", "d"], directed=True)
    found = pagerank(graph, max_iter=500, device=device)
    names = [name for name, _ in found.top(10)]
    assert sorted(names) == list("abcde")
    assert names[0] == "c"
    assert names.index("d") < names.index("e")  # equal ranks: the smaller index first
    values = [rank for _, rank in found.top(4)]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    assert found.top(0) == []
    for bad in (-1, 1.5, True):
        with pytest.raises(InputError, match="k is"):
            found.top(bad)  # type: ignore[arg-type]


def test_top_on_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that stayed there are selected there, and only ids of the chosen are looked up."""
    graph = mixed_graph(2).with_ids(np.arange(60)[::-1] * 3)
    chosen = SelectedIds(graph.ids, device.upload(np.arange(60, dtype=np.int32)), 60)
    there = graph_of(device, DeviceGraph(upload_csr(device, graph), directed=False, ids=chosen))
    options: dict[str, Any] = {"variant": "bins", "weight": False, "device": device}
    kept = pagerank(there, **options)
    found = pagerank(there, arrays="device", **options)
    assert "_ids" not in vars(there)
    moved: list[int] = []
    download = device.download

    def watched(buffer: Any, dtype: Any, count: int, offset: int = 0) -> Any:
        moved.append(count)
        return download(buffer, dtype, count, offset)

    monkeypatch.setitem(vars(device), "download", watched)
    best = found.top(9)
    assert moved and max(moved) <= 9
    assert best == kept.top(9) and found.top(99) == kept.top(99)
    assert pickle.loads(pickle.dumps(kept)).top(9) == best


def test_top_ties() -> None:
    graph = Graph.from_edges(np.arange(50), (np.arange(50) + 1) % 50, directed=True)
    assert [v for v, _ in pagerank(graph).top(7)] == list(range(7))


@pytest.mark.smoke
def test_result_tells_all(device: Device) -> None:
    found = pagerank(mixed_graph(1), device=device, dangling="uniform")
    assert {"build", "upload", "compile", "iterate", "download", "total"} <= set(found.seconds)
    assert found.plan
    assert all(isinstance(line, str) for line in found.plan)
    assert (found.device, found.dangling, found.norm, found.dtype) == (
        device.name,
        "uniform",
        "l1",
        "float32",
    )
    assert 0 < found.residual < 1e-6 <= found.error_bound
