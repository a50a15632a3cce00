"""Many samples by dre from the priority forest: those of the usual way."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import random_graph

import clgraph
from clgraph.sampling import calls
from clgraph.scale import several


@pytest.mark.smoke
@pytest.mark.parametrize(("seed", "edges"), [(1, 300), (2, 900), (3, 90), (4, 2000)])
def test_the_samples_of_the_usual_way(device, monkeypatch, seed, edges):
    if device.kind != "cpu":
        pytest.skip("the usual way is as fast")
    graph = random_graph(seed, 300, edges, directed=seed == 2)
    sizes = ["90%", 0.7, 150, 100, 100, 60, 30, 9, 1]
    expected = clgraph.sample(graph, "dre", sizes=sizes, seed=seed, device=device)
    assert "forest" not in {each.way for each in expected}
    monkeypatch.setattr(several, "EDGES", 1)
    monkeypatch.setattr(calls, "side_by_side", lambda *_: False)  # as large graphs
    found = clgraph.sample(graph, "dre", sizes=sizes, seed=seed, device=device)
    assert "forest" in {each.way for each in found}
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.edges, other.edges)
        assert np.array_equal(one.graph.col_idx, other.graph.col_idx) and one.notes == other.notes
        assert (one.size, one.target, one.num_edges) == (other.size, other.target, other.num_edges)
    all_of_it = clgraph.sample(graph, "dre", sizes=range(300, 308), seed=seed, device=device)
    assert len({each.num_edges for each in all_of_it}) == 1 and all_of_it[0].way == "untouched"
    few = clgraph.sample(graph, "dre", sizes=sizes[:3], seed=seed, device=device)
    assert "forest" not in {each.way for each in few}
