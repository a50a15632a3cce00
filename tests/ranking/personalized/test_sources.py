"""Forms of sources, and those that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse as sp
from personalized import random_graph

from clgraph import Graph, personalized_pagerank
from clgraph.errors import InputError
from clgraph.reference.pagerank import verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.smoke
def test_forms_of_sources(device: Device) -> None:
    graph = random_graph(1).with_ids(np.arange(60) * 10)
    several = personalized_pagerank(graph, [30, 0, 30], device=device)
    assert several.sources == [30, 0, 30]
    assert several.scores[0].tobytes() == several.scores[2].tobytes()
    alone = personalized_pagerank(graph, 30, device=device)
    assert alone.scores.shape == (1, 60)
    rows = np.zeros((2, 60))
    rows[0, 3], rows[1, 0] = 5, 1
    for given in (rows, sp.csr_array(rows), [{30: 2}, {0: 1}]):
        found = personalized_pagerank(graph, given, device=device)
        np.testing.assert_allclose(found.scores, several.scores[:2], atol=2e-7)
        assert found.sources == ["distribution 0", "distribution 1"]
    words = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    found = personalized_pagerank(words, "a", top=3, device=device)
    assert found.ids is not None and found.sources == ["a"]
    assert found.ids[0].tolist() == ["c", "b", "a"]
    verify_ppr(words, found, "a")


@pytest.mark.parametrize(
    ("sources", "word"),
    [
        ([], "no source"),
        ([0, 99], "99 is not in the graph"),
        ("x", "integers"),
        ([0.5], "ids of vertices"),
        ({}, "empty dict"),
        ({0: -1.0}, "not negative"),
        ({0: float("nan")}, "not negative"),
        ({0: 0.0}, "zero everywhere"),
        (np.zeros((2, 60)), "source 0 is zero everywhere"),
        (np.ones((2, 9)), "60 vertices"),
        (sp.csr_array(np.ones((2, 9))), "(k, 60)"),
        (np.zeros((0, 60)), "no source"),
    ],
)
def test_bad_sources(sources: Any, word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), sources)
    assert word in str(caught.value)
