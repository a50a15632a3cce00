"""Arguments of `bfs` and `bfs_many`: what is refused before a device is touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clgraph import Graph, InputError, bfs, bfs_many
from clgraph.traversal.results import distance_type


@pytest.mark.smoke
@pytest.mark.parametrize("search", [bfs, bfs_many])
def test_source_not_there(search: Any) -> None:
    graph = Graph.from_edges([10, 20], [20, 30])
    for bad, name in ((25, "25"), (-1, "-1"), ("x", "x")):
        with pytest.raises(InputError, match=f"{name}.* not in the graph"):
            search(graph, [10, bad])
    with pytest.raises(InputError, match="no source"):
        search(graph, [])


def test_bad_options() -> None:
    graph = Graph.from_edges([0], [1])
    with pytest.raises(InputError, match="method is 'dijkstra'"):
        bfs(graph, 0, method="dijkstra")  # type: ignore[arg-type]
    for bad in (-1, 1.5, True):
        with pytest.raises(InputError, match="depth_limit"):
            bfs(graph, 0, depth_limit=bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="lanes"):
        bfs_many(graph, [0], lanes=16)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="dtype"):
        bfs_many(graph, [0], dtype=np.float32)


def test_sources_as_indices(device: Any) -> None:
    graph = Graph.from_edges([10, 20], [20, 30])
    for given, wanted, several in (
        (20, [1], False),
        (np.int64(20), [1], False),
        ([30, 10, 30], [0, 2], True),
        (np.array([30]), [2], True),
        ((20,), [1], True),
    ):
        found = bfs(graph, given, device=device)
        assert (found.sources.tolist(), found.sources.dtype) == (wanted, np.int32)
        assert (found.source_of is not None) == several
    named = Graph.from_edges(["ab", "c"], ["c", "d"])
    assert bfs(named, "ab", device=device).sources.tolist() == named.indices_of(["ab"]).tolist()
    assert bfs_many(graph, [30, 10, 30], device=device).sources.tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("levels", "kind"), [(1, "int8"), (128, "int8"), (129, "int16"), (32768, "int16"), (32769, "int32")]
)
def test_the_smallest_type_that_holds_all_distances(levels: int, kind: str) -> None:
    assert distance_type(levels, None) == kind
    assert distance_type(levels, np.int32) == np.int32
    if kind != "int8":
        with pytest.raises(InputError, match=f"distances reach {levels - 1}"):
            distance_type(levels, np.int8)
