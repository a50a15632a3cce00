"""Reduction curves and deletion orders against the loop, one deletion at a time."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import rows_of_deletions

from clgraph import (
    Graph,
    InputError,
    ReductionCurves,
    deletion_order,
    powerlaw_graph,
    reduction_curve,
    sample,
)
from clgraph.methods import EXACT
from clgraph.reference.common import EdgeList


def replay(graph, method, seed):
    """Rows of the loop that follows `deletion_order`."""
    edges, order = EdgeList.of(graph), deletion_order(graph, method, seed)
    pairs = list(zip(edges.low.tolist(), edges.high.tolist(), strict=True))
    if method == "drv":
        sequence = graph.indices_of(order).tolist()
    else:
        of_rank = dict(zip(edges.rank.tolist(), pairs, strict=True))
        sequence = [of_rank[rank] for rank in order.tolist()]
    return rows_of_deletions(graph.num_vertices, pairs, sequence)


def equal(one, other):
    for name in ("deletions", "vertices", "edges"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.smoke
@pytest.mark.parametrize("method", EXACT)
def test_curve_equals_the_replayed_loop(device, method):
    for seed in range(12):
        duplicates = "keep" if seed % 3 == 0 else "merge"
        graph = random_graph(seed, 10 + 3 * seed, 12 + 5 * seed, duplicates=duplicates)
        curve = reduction_curve(graph, method, seed, device=device)
        rows = zip(curve.deletions, curve.vertices, curve.edges, strict=True)
        assert list(rows) == replay(graph, method, seed)
        assert (curve.mode, curve.method, curve.seed) == ("exact", method, seed)


@pytest.mark.parametrize("method", EXACT)
def test_curve_and_sample_agree(device, method):
    graph = powerlaw_graph(3000, seed=2)
    curve = reduction_curve(graph, method, 5, size="10%", device=device)
    for size in (2000, 1500, 700, 300):
        made = sample(graph, method, size=size, seed=5, device=device)
        deletions, vertices, edges = curve.at(size)
        # the sample is that of the first deletion that comes down to its size
        assert (vertices, edges) == (len(made.vertices), made.num_edges)
        row = int(np.flatnonzero(curve.deletions == deletions)[0])
        assert curve.vertices[row] <= size < curve.vertices[row - 1]
        induced = graph.subgraph(np.isin(graph.ids, made.vertices)).num_edges
        # a vertex takes its edges along, and no others; or edges have gone from among the vertices left
        assert edges == induced if method == "drv" else edges < induced
    assert curve.vertices[-1] <= 300 < curve.vertices[-2]
    assert np.allclose(curve.average_degree, 2 * curve.edges / curve.vertices)


@pytest.mark.parametrize("method", EXACT)
def test_curve_in_several_launches(device, monkeypatch, method):
    graph = powerlaw_graph(500, seed=2)
    whole = reduction_curve(graph, method, 1, device=device)
    monkeypatch.setattr("clgraph.sampling.merge_tree.STEPS", 64)
    equal(reduction_curve(graph, method, 1, device=device), whole)


@pytest.mark.parametrize("method", ["drv", "dre", "drve", "dhyb", "cre", "crve"])
def test_batched_curve_ends_where_the_sample_does(device, method):
    graph = powerlaw_graph(400, seed=2)
    curve = reduction_curve(graph, method, 1, size="40%", mode="batched", device=device)
    made = sample(graph, method, size="40%", seed=1, mode="batched", device=device)
    assert (curve.vertices[-1], curve.edges[-1]) == (len(made.vertices), made.num_edges)
    assert curve.mode == "batched"
    assert np.all(np.diff(curve.deletions) > 0) and np.all(np.diff(curve.vertices) <= 0)
    whole = graph.largest_component()
    assert (curve.deletions[0], curve.vertices[0], curve.edges[0]) == (0, whole.num_vertices, whole.num_edges)


def test_order_of_a_directed_graph_with_loops():
    graph = Graph.from_edges([5, 5, 7, 9, 7], [5, 7, 5, 7, 9], directed=True)
    assert sorted(deletion_order(graph, "dre", 1).tolist()) == [1, 2]  # rank 0 is the loop
    assert sorted(deletion_order(graph, "drv", 1).tolist()) == [5, 7, 9]


@pytest.mark.parametrize(
    ("call", "method", "options", "words"),
    [
        (reduction_curve, "ebfs", {}, "ebfs deletes nothing"),
        (deletion_order, "drve", {}, "drve"),
        (reduction_curve, "dfs", {}, "unknown method"),
        (reduction_curve, "drv", {"seeds": 0}, "seeds"),
        (reduction_curve, "drv", {"seeds": 2, "seed": 2**64 - 1}, "seed"),
    ],
)
def test_what_has_no_curve(call, method, options, words):
    with pytest.raises(InputError, match=words):
        call(Graph.from_edges([0, 1], [1, 2]), method, **{"seed": 1, **options})


def test_curves_of_several_seeds(device):
    graph = powerlaw_graph(400, seed=2)
    curves = reduction_curve(graph, "drv", 5, seeds=3, device=device)
    assert curves.seeds == (5, 6, 7) and len(curves) == 3
    for seed, curve in zip(curves.seeds, curves, strict=True):
        equal(curve, reduction_curve(graph, "drv", seed, device=device))
    found = curves.summary(4)
    wanted = round(found["share"][2] * int(curves[0].vertices[0]))
    degrees = np.array([2 * each.at(wanted)[2] / each.at(wanted)[1] for each in curves])
    half = 4.302652729 * degrees.std(ddof=1) / 3**0.5  # Student's t of two degrees of freedom
    low, mean, high = (found[f"average_degree{bound}"][2] for bound in ("_low", "", "_high"))
    assert mean == pytest.approx(degrees.mean())
    assert [high - mean, mean - low] == pytest.approx([half, half])
    lines = curves.table(4, format="csv").splitlines()
    assert lines[0].split(",") == list(found) and len(lines) == 6
    assert "\\pm" in curves.table(4, format="latex") and "seed 5 to 7" in curves.table(4)
    assert curves.notes == [] and "seeds 5 to 7" in repr(curves)
    assert "seeds 5, " in repr(ReductionCurves(curves[:1]))
    batched = reduction_curve(graph, "drve", 5, seeds=1, device=device)
    assert "a row for every batch" in batched.notes[0] and batched.notes[0] in batched.table()
    with pytest.raises(InputError, match="points"):
        curves.summary(0)
    with pytest.raises(InputError, match="format is 'html'"):
        curves.table(format="html")


def test_a_bar_of_several_curves(device):
    told = []
    graph = powerlaw_graph(400, seed=2)
    reduction_curve(graph, "drve", 5, seeds=3, device=device, progress=lambda *at: told.append(at))
    assert told == sorted(told) and told[-1][0] <= told[-1][1] and {of for _, of in told} == {told[0][1]}


def test_bands_are_drawn(device):
    Figure = pytest.importorskip("matplotlib.figure").Figure
    curves = reduction_curve(powerlaw_graph(400, seed=2), "drv", 5, seeds=3, device=device)
    axes = list(Figure().subplots(1, 2))
    assert curves.plot(axes) == axes
    assert [len(each.collections) for each in axes] == [2, 1]  # bands of vertices, edges; average degree
    assert curves[0].plot(list(Figure().subplots(1, 2)))[0].collections[:] == []
