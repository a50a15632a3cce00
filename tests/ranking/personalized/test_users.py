"""Lists of items as sources, and tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import random_graph

from clgraph import Graph, personalized_pagerank
from clgraph.errors import InputError
from clgraph.reference.pagerank import verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device

NAMES = [f"item {v}" for v in range(60)]
LISTS = {"Ann": ["item 3", "item 7", "item 7"], "Bob": ("item 0",), "Eve": {"item 7", "item 3"}}


def test_lists_are_even_distributions(device: Device) -> None:
    graph = random_graph(1).with_ids(np.array(NAMES, dtype=object))
    weights = [{"item 3": 1, "item 7": 2}, {"item 0": 1}, {"item 3": 1, "item 7": 1}]
    expected = personalized_pagerank(graph, weights, device=device)
    by_user = dict(zip(LISTS, weights, strict=True))
    for given, names in (
        (LISTS, ["Ann", "Bob", "Eve"]),
        (list(LISTS.values()), [0, 1, 2]),
        (by_user, ["Ann", "Bob", "Eve"]),
        ([np.array(list(one), dtype=object) for one in LISTS.values()], [0, 1, 2]),
    ):
        found = personalized_pagerank(graph, given, device=device)
        assert found.sources == names
        np.testing.assert_allclose(found.scores, expected.scores, atol=1e-7)
        if not isinstance(given, list) or not isinstance(given[0], np.ndarray):
            verify_ppr(graph, found, given)
    walks = personalized_pagerank(graph, LISTS, method="monte-carlo", seed=1, walks=4000, device=device)
    verify_ppr(graph, walks, LISTS)


def test_to_pandas(device: Device) -> None:
    pytest.importorskip("pandas")
    graph = random_graph(1).with_ids(np.array(NAMES, dtype=object))
    found = personalized_pagerank(graph, LISTS, top=3, device=device)
    assert found.ids is not None
    frame = found.to_pandas()
    assert list(frame.columns) == ["source", "vertex", "score"]
    assert frame["source"].tolist() == ["Ann"] * 3 + ["Bob"] * 3 + ["Eve"] * 3
    assert frame["vertex"].tolist() == found.ids.ravel().tolist()
    assert frame["score"].tolist() == found.scores.ravel().tolist()
    whole = personalized_pagerank(graph, "item 5", device=device)
    frame = whole.to_pandas()
    assert frame["vertex"].tolist() == NAMES and frame["score"].tolist() == whole.scores[0].tolist()
    plain = personalized_pagerank(random_graph(1), [4], method="monte-carlo", seed=1, device=device)
    frame = plain.to_pandas()
    assert frame["vertex"].tolist() == list(range(60)) and "standard_error" in frame


@pytest.mark.parametrize(
    ("sources", "word"),
    [
        ({"Ann": []}, "user 'Ann' has no items"),
        ({"Ann": [0], "Bob": [1, 99]}, "user 'Bob' has the item 99, which is not an id"),
        ([[0, 1], ["x"]], "user 1 has the item 'x'"),
        ([[0], 3], "one of them is 3"),
        ({"Ann": {0: -1}}, "user 'Ann'"),
    ],
)
def test_bad_lists(sources: Any, word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), sources)
    assert word in str(caught.value)


def test_rows_of_numbers_are_distributions(device: Device) -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    found = personalized_pagerank(graph, [[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]], device=device)
    assert found.sources == ["distribution 0", "distribution 1"]
