"""The contest's graph and sources: every method finds the top 20."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import CONTEST, EXACT

from clgraph import Graph, PersonalizedResult, personalized_pagerank, read
from clgraph.reference.pagerank import reference_ppr, top_accuracy

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.fixture(scope="module")
def california() -> tuple[Graph, Any, Any, Any]:
    folder = os.environ.get("CLGRAPH_TEST_DATA")
    if not folder:
        pytest.skip("CLGRAPH_TEST_DATA is not set")
    graph = read(Path(folder, "California.mtx"))
    sources = graph.ids[CONTEST]
    return graph, sources, reference_ppr(graph, sources), reference_ppr(graph, sources, rule="contest")


def mean_accuracy(found: PersonalizedResult, graph: Graph, want: Any, **rule: Any) -> float:
    assert found.ids is not None
    pairs = zip(found.ids, want, strict=True)
    return float(np.mean([top_accuracy(graph.indices_of(ids), ranks, **rule) for ids, ranks in pairs]))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "options", [{}, {"check_every": 3, "squared": True, "stored": True}], ids=["plain", "heuristics"]
)
def test_california(device: Device, california: Any, method: Any, options: dict[str, Any]) -> None:
    graph, sources, want, _ = california
    found = personalized_pagerank(graph, sources, method=method, top=20, device=device, **options)
    assert mean_accuracy(found, graph, want) == 1
    assert found.ended.count("store") == (14 if options else 0)
    assert found.ids is not None
    for ids, scores, ranks in zip(found.ids, found.scores, want, strict=True):
        assert np.abs(ranks[graph.indices_of(ids)] - scores).sum() <= found.error_bounds.max()


def test_california_by_walks(device: Device, california: Any) -> None:
    graph, sources, want, _ = california

    def accuracy(**options: Any) -> float:
        found = personalized_pagerank(
            graph, sources, method="monte-carlo", seed=1, top=20, device=device, **options
        )
        return mean_accuracy(found, graph, want)

    by_default = accuracy()
    assert by_default >= 0.95
    assert accuracy(walks=20_000) < by_default
    assert accuracy(walks=200) < accuracy(walks=20_000)
