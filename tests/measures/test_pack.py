"""Graphs one behind the other: what is measured of all at once is what each alone gives."""

import dataclasses

import numpy as np
from graphs import same, tangle

from clgraph import Graph, powerlaw_graph
from clgraph.measures.pack import Pack, measured_view, simple_view
from clgraph.measures.scalars import MeasureRequest, measure, measure_all


def equal(one, other):
    for field in dataclasses.fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.compare and field.name != "notes":  # of what was left out before
            np.testing.assert_equal(a, b, err_msg=field.name)


def test_all_at_once_as_each_alone(device):
    path = Graph.from_edges(np.arange(70), np.arange(1, 71))  # deeper than searches go on together alone
    graphs = [
        tangle(1, n=90).without_self_loops,
        Graph.from_edges([], []),
        path,
        Graph.from_edges([], [], vertices=[1, 2]),
        Graph.from_edges(*np.triu_indices(9, 1)),
        powerlaw_graph(300, seed=2),
    ]
    pack = Pack.of(device, [simple_view(graph) for graph in graphs])
    for sources in (40, 1024):
        wish = MeasureRequest(seed=5, sources=sources)
        for i, (graph, found) in enumerate(zip(graphs, measure_all(pack, wish), strict=True)):
            same(Graph(*pack.rows_of(i)), Graph(graph.row_ptr, graph.col_idx))
            equal(measure(graph, device, wish), found)


def test_views_made_on_the_device(device):
    for options in ({"duplicates": "keep"}, {"duplicates": "keep", "directed": True}, {"directed": True}):
        graph = tangle(4, n=3000, edges=80_000, **options)
        found = measured_view(device, graph)
        assert not found.is_on_host or not device.has_compiler
        want = simple_view(graph)
        assert found.row_ptr.tolist() == want.row_ptr.tolist()
        assert found.col_idx.tolist() == want.col_idx.tolist()
