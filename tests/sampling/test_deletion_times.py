"""What every deletion leaves, found for all from the forest, against one serial pass through them."""

import numpy as np
import pytest
from graphs import random_graph, tangle

from clgraph import Graph, powerlaw_graph
from clgraph.sampling import deletion_times
from clgraph.sampling.curve import _edge_order, _vertex_order
from clgraph.sampling.deletion_times import rows_of_curve
from clgraph.sampling.merge_tree import whole_tree

GRAPHS = {
    "power law": powerlaw_graph(3000, seed=1),
    "parts": random_graph(2, 400, 300).without_self_loops,
    "copies": tangle(3, duplicates="keep").without_self_loops,
    "path": Graph.from_edges(np.arange(700), np.arange(1, 701)),
    "star": Graph.from_edges(np.zeros(300, int), np.arange(1, 301)),
    "pair": Graph.from_edges([0], [1]),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("edges", [False, True], ids=["drv", "dre"])
def test_rows_of_the_serial_pass(device, name, edges):
    graph = GRAPHS[name]
    if edges and graph.is_multigraph:
        pytest.skip("the forest does not tell copies of an edge apart: reduction_curve goes another way")
    for seed in (1, 2**63 + 5):
        if edges:
            low, high, sequence = _edge_order(graph, seed)
            wanted = whole_tree(device, graph, edges=(low[sequence], high[sequence]))
        else:
            order = _vertex_order(graph.num_vertices, seed).astype(np.int32)
            wanted = whole_tree(device, graph, vertices=order)
        for target in (1, max(1, graph.num_vertices // 3), graph.num_vertices):
            last = min(int(np.searchsorted(-wanted[1], -target)), len(wanted[1]) - 1)
            for found, want in zip(
                rows_of_curve(device, graph, seed, target, edges=edges), wanted, strict=True
            ):
                assert found.dtype == want.dtype
                assert found.tolist() == want[: last + 1].tolist()


def test_edges_of_one_time(device, monkeypatch):
    """Edges' words decide then, in two sorts more: the same rows, and told by times that are equal."""
    graph = GRAPHS["power law"]
    wanted = rows_of_curve(device, graph, 5, 1, edges=True)
    monkeypatch.setattr(deletion_times, "_tied", lambda *_: True)
    for found, want in zip(rows_of_curve(device, graph, 5, 1, edges=True), wanted, strict=True):
        assert np.array_equal(found, want)
    monkeypatch.undo()
    program = device.program("sampling/deletion_times", ITEMS=device.tuning.items, BY_EDGE=1)
    up = device.upload(np.array([-1, 0, 1, -1, 1], np.int32))
    for order, tied in (([1, 2, 4, 0, 3], False), ([1, 2, 2, 0, 3], True), ([0, 3, 0, 4], False)):
        listed = device.upload(np.array(order, np.int32))
        assert deletion_times._tied(device, program, len(order), 7, listed, up) == tied
