"""PageRank in partitions that fit on chip: pipelines only (tests/fpga has more)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ranking_checks import assert_close, mixed_graph

from clgraph import Graph, pagerank
from clgraph.device import Device, Setup
from clgraph.ranking.plan import cut_for
from clgraph.reference.pagerank import reference_pagerank


@pytest.fixture
def tiny_chip(device: Device) -> Device:
    """A device that runs the pipelines of a chip too small for the graphs here."""
    chip = Device(device.raw, device.spec, Setup(kernels="pipeline"))
    chip.pipeline_parameters = {"UNROLL": 2, "LOCAL_WORDS": 16, "LOCAL_RANKS": 64}
    return chip


@pytest.mark.parametrize(
    "options",
    [{}, {"personalization": {3: 1, 50: 2}, "dangling": "uniform"}, {"dangling": "drop", "norm": "l2"}],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_partitions(tiny_chip: Device, weighted: bool, options: dict[str, Any]) -> None:
    graph = mixed_graph(1 + 2 * weighted, weighted, n=150)
    cut = cut_for(tiny_chip, graph)
    assert cut is not None
    assert cut.partitions == 3
    for dtype in ("float32", "float64"):
        found = pagerank(graph, tol=0, max_iter=9, dtype=dtype, device=tiny_chip, **options)
        assert found.variant == "partitions"
        wanted = {name: value for name, value in options.items() if name != "norm"}
        assert_close(found, reference_pagerank(graph, iterations=9, **wanted), dtype)


def test_none_where_all_fits(tiny_chip: Device) -> None:
    ring = Graph.from_edges(np.arange(64), (np.arange(64) + 1) % 64, directed=True)
    assert cut_for(tiny_chip, ring) is None
    assert pagerank(ring, device=tiny_chip).variant == "contribution"
