"""What is left out of the top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import random_graph

from clgraph import Graph, personalized_pagerank
from clgraph.errors import ClgraphError, InputError
from clgraph.reference.pagerank import reference_ppr, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


def best(graph: Graph, sources: Any, gone: list[set[int]], top: int) -> list[list[int]]:
    """The highest ranks of the reference, by index, without some."""
    ranks = reference_ppr(graph, sources)
    orders = [np.argsort(-row, kind="stable").tolist() for row in ranks]
    return [[v for v in order if v not in out][:top] for order, out in zip(orders, gone, strict=True)]


@pytest.mark.parametrize("method", ["power", "coo", "monte-carlo"])
def test_words_and_ids(device: Device, method: Any) -> None:
    graph = random_graph(1).with_ids(np.arange(60) * 10)
    sources = [30, 0, 30, 590]
    index = [3, 0, 3, 59]
    near = [{v, *graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist()} for v in index]
    options: dict[str, Any] = {"seed": 1, "walks": 30_000} if method == "monte-carlo" else {"tol": 1e-7}
    for exclude, gone in (
        ("self", [{v} for v in index]),
        ("neighbours", near),
        ("neighbors", near),
        ([30, 20], [{3, 2}] * 4),
        (np.array([20]), [{2}] * 4),
        (("self", [20]), [{v, 2} for v in index]),
        ([], [set()] * 4),
    ):
        found = personalized_pagerank(
            graph, sources, method=method, top=4, exclude=exclude, device=device, **options
        )
        assert found.ids is not None and found.ids.shape == (4, 4)
        if method == "monte-carlo":
            assert found.visits is not None and found.visits.shape == (4, 4)
            assert not any(set(row // 10) & out for row, out in zip(found.ids, gone, strict=True))
        else:
            assert (found.ids // 10).tolist() == best(graph, sources, gone, 4)
            verify_ppr(graph, found, sources)


def test_what_users_have_is_left_out(device: Device) -> None:
    names = np.array([f"v{v}" for v in range(60)], dtype=object)
    graph = random_graph(2).with_ids(names)
    users = {"Ann": ["v1", "v2"], "Bob": ["v7"]}
    found = personalized_pagerank(graph, users, top=5, exclude="self", tol=1e-7, device=device)
    assert found.ids is not None
    expected = best(graph, users, [{1, 2}, {7}], 5)
    assert found.ids.tolist() == [[f"v{v}" for v in row] for row in expected]
    assert found.excluded is not None and [each.tolist() for each in found.excluded] == [[1, 2], [7]]
    found.excluded[0][:] = graph.indices_of(found.ids[0, :2])
    with pytest.raises(ClgraphError, match="left out is in the top"):
        verify_ppr(graph, found, users)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"exclude": "others", "top": 3}, "'self', 'neighbours', a list of ids"),
        ({"exclude": 5, "top": 3}, "exclude is 5"),
        ({"exclude": [99], "top": 3}, "exclude: vertex 99"),
        ({"exclude": "self"}, "exclude requires top"),
        ({"exclude": "self", "top": 60}, "source 0: 59 of 60 vertices are not excluded, and top asks for 60"),
        ({"exclude": ["x"], "top": 3}, "exclude"),
    ],
)
def test_bad_words(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), [0], **options)
    assert word in str(caught.value)


def test_more_than_a_pair_is_refused_in_words():
    with pytest.raises(InputError, match="a pair of a word and such a list"):
        personalized_pagerank(
            Graph.from_edges([0, 1], [1, 2]), [1], top=1, exclude=("self", "neighbours", [2])
        )
