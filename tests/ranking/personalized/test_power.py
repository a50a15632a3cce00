"""The power method by runs of rows, on any device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import close, everywhere, random_graph, skewed_graph

from clgraph import personalized_pagerank
from clgraph.ranking.personalized import batched_power, engines
from clgraph.reference.pagerank import reference_ppr, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.fixture(params=[(1, 8), (8, 16)])
def runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes of these widths, and five runs."""
    monkeypatch.setattr(engines, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    config = batched_power.LaunchConfig(request.param, teams=False, local=16, runs=5)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))


@pytest.mark.usefixtures("runs")
def test_runs(device: Device) -> None:
    """Lanes that are given new sources; empty lanes."""
    graph = skewed_graph(400, 4000)
    sources = list(range(0, 400, 23))
    found = personalized_pagerank(graph, sources, tol=0, max_iter=8, device=device)
    close(found, reference_ppr(graph, sources, iterations=8))
    top = personalized_pagerank(graph, sources, tol=0, max_iter=8, top=30, device=device)
    assert top.ids is not None
    assert np.array_equal(top.ids, np.argsort(-found.scores, axis=1, kind="stable")[:, :30])


@pytest.mark.usefixtures("runs")
def test_distributions(device: Device) -> None:
    """A vector for each lane, arc weights, every policy."""
    graph = random_graph(3, weighted=True)
    sources: list[Any] = [{0: 1.0, 4: 3.0}, {59: 1.0}, {7: 1.0, 8: 1.0}]
    for dangling in ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0}):
        options: dict[str, Any] = {"dangling": dangling, "dtype": "float64", "norm": "linf", "tol": 1e-9}
        found = personalized_pagerank(graph, sources, **options, device=device)
        verify_ppr(graph, found, sources)


@pytest.mark.usefixtures("runs")
def test_more_runs_than_rows(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(batched_power.LAUNCH["cpu"], runs=1000)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))
    graph = random_graph(1)
    found = personalized_pagerank(graph, [0, 5], tol=0, max_iter=9, device=device)
    close(found, reference_ppr(graph, [0, 5], iterations=9))
