"""What every result says (`clgraph.results`): where its arrays are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exchanges import rich
from graphs import tangle

import clgraph
from clgraph import Graph, InputError, bfs, connected_components, pagerank


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")  # of pyopencl's own kernels
def test_results_stay_on_the_device(device: Any) -> None:
    from pyopencl.array import Array

    graph = rich("gaps", True, False, False)
    for source in (graph.ids[3], graph.ids[[3, 5]], graph.ids[[3]]):
        host = bfs(graph, source, device=device)
        there = bfs(graph, source, device=device, arrays="device")
        for name in ("distance", "predecessor", "source_of"):
            want, got = getattr(host, name), getattr(there, name)
            assert (want is None) == (got is None)
            if want is not None:
                assert isinstance(got, Array) and got.queue == device.queue
                np.testing.assert_array_equal(got.get(), want)
    found = connected_components(graph, connection="strong", device=device, arrays="device")
    doubled = (found.labels * 2).get()  # a kernel goes on with it
    again = connected_components(graph, connection="strong", device=device)
    np.testing.assert_array_equal(doubled, 2 * again.labels)
    np.testing.assert_array_equal(found.sizes, again.sizes)
    empty = connected_components(Graph.from_edges([], []), device=device, arrays="device")
    assert empty.labels.shape == (0,)
    for variant in ("auto", "runs", "bins", "pull"):  # some of them put vertices into an order of their own
        ranks = pagerank(graph, device=device, variant=variant)
        there = pagerank(graph, device=device, variant=variant, arrays="device")
        assert isinstance(there.scores, Array) and there.top(3) == ranks.top(3)
        np.testing.assert_array_equal(there.scores.get(), ranks.scores)
    with pytest.raises(InputError, match="'host' or 'device'"):
        bfs(graph, graph.ids[0], device=device, arrays="gpu")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")  # of pyopencl's own kernels
def test_what_stays_on_the_device(device: Any) -> None:
    """The same values as on the host, of every call that takes ``arrays``."""
    graph = tangle(5, n=400, edges=1500)
    for method in ("drv", "cre", "rn", "rw"):
        options: dict[str, Any] = {"size": "50%", "seed": 3, "device": device}
        there: Any = clgraph.sample(graph, method, arrays="device", **options)
        assert there.vertices.get().tolist() == clgraph.sample(graph, method, **options).vertices.tolist()
    assert (
        clgraph.triangles(graph, device, arrays="device").get().tolist() == clgraph.triangles(graph).tolist()
    )
    assert (
        clgraph.core_numbers(graph, device, arrays="device").get().tolist()
        == clgraph.core_numbers(graph).tolist()
    )
    path = Graph.from_edges(range(299), range(1, 300))  # too deep to be searched in batches
    for searched, kind in ((graph, "int8"), (path, "int16")):
        found: Any = clgraph.bfs_many(searched, range(70), arrays="device", device=device).distance
        assert found.dtype == kind and found.shape == (70, searched.num_vertices)
        assert (found.get() == clgraph.bfs_many(searched, range(70)).distance).all()
    for options in ({}, {"method": "coo"}, {"method": "monte-carlo", "walks": 500, "seed": 1}):
        for sources in ([1], [3, 5, 3], list(range(9))):
            there = clgraph.personalized_pagerank(graph, sources, arrays="device", device=device, **options)
            here = clgraph.personalized_pagerank(graph, sources, device=device, **options)
            assert there.scores.get().tobytes() == here.scores.tobytes()  # type: ignore[union-attr]
    with pytest.raises(InputError, match="arrays='device' is of all scores"):
        clgraph.personalized_pagerank(graph, [1], top=3, arrays="device")
    with pytest.raises(InputError, match="arrays='device' is of one sample"):
        clgraph.sample(graph, "drv", size="50%", seeds=2, arrays="device")
