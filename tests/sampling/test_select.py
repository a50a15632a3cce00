"""The k things of smallest (priority, identity), against a sort by NumPy; ties are forced."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import built

from clgraph import keyed
from clgraph.reference.common import EdgeList
from clgraph.sampling.draw import ByPriority

COARSE = 61  # bits that a coarse priority leaves out: with the other 3 there are ties everywhere


def coarsen(choice):
    """Let the kernels see only the leading bits of each priority."""
    from clgraph.device.program import build_source, read_source

    made, device = choice.program, choice.copra.device
    source, mark = read_source("sampling/select"), "#define FOR_VERTEX_THINGS"
    assert source.count(mark) == 1
    cut = "".join(
        f"#define {name}(...) ({name}(__VA_ARGS__) >> {COARSE} << {COARSE})\n"
        for name in ("vertex_priority", "edge_priority")
    )
    source = source.replace(mark, cut + mark)
    choice.program = build_source(device, made.name, source, made.options, keep=False)


def things(graph, seed, edges, shift):
    """(priorities, vertices or tails, arcs or None) of all things, by identity."""
    if not edges:
        v = np.arange(graph.num_vertices, dtype=np.int32)
        return keyed.vertex_priority(seed, v) >> np.uint64(shift), v, None
    listed, arc = EdgeList.of(graph), np.flatnonzero(graph.tails < graph.col_idx)
    priority = keyed.edge_priority(seed, listed.low, listed.high, listed.copy)
    return priority >> np.uint64(shift), listed.low, arc


def chosen(choice):
    """The things removed last: vertices, or slots."""
    vertices, slots, count = choice.removed()
    found = (vertices, np.int32) if slots is None else (slots, choice.copra.offset)
    return np.sort(choice.copra.device.download(*found, count))


def check(device, graph, seed, edges, counts, *, coarse=False):
    """Batch after batch; each is undone and chosen again before it is accepted."""
    copra = built(device, graph)
    choice = ByPriority(copra, seed, edges=edges)
    if coarse:
        coarsen(choice)
    priority, tail, arc = things(graph, seed, edges, COARSE if coarse else 0)
    if coarse and len(priority) > 20:
        assert len(np.unique(priority)) < len(priority) / 2
    identity = tail if arc is None else arc + 2 * (tail.astype(np.int64) + 1)
    order = np.lexsort((identity, priority))
    done, live = 0, len(order)
    for step, count in enumerate(counts):
        for again in (True, False):
            choice.remove(step, count, live - done, live - done)
            np.testing.assert_array_equal(chosen(choice), np.sort(identity[order[done : done + count]]))
            if again:
                choice.undo()
        choice.accept()
        done += count
        left = np.ones(live, bool)
        left[order[:done]] = False
        if edges:
            assert np.count_nonzero(copra.live_arcs()) == 2 * np.count_nonzero(left)
            np.testing.assert_array_equal(copra.live_arcs()[arc], left)
        else:
            np.testing.assert_array_equal(copra.live_vertices(), left)


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_the_smallest_are_chosen(device, edges, duplicates):
    for seed, (n, m) in enumerate([(9, 30), (40, 90), (900, 2500)]):
        graph = random_graph(seed, n, m, duplicates=duplicates).without_self_loops
        live = graph.num_arcs // 2 if edges else n
        counts = [count for count in (1, live // 3, live // 4, 2) if count]
        check(device, graph, seed, edges, counts)
        check(device, graph, seed, edges, [live // 2, live - live // 2])  # all that is left


@pytest.mark.first_device  # a program of its own
@pytest.mark.parametrize("edges", [pytest.param(False, marks=pytest.mark.slow), True])
def test_ties_go_by_identity(device, edges):
    if device.has_pipeline("sampling/select"):
        pytest.skip("the kernel's text is changed, which is that of ranges of work-items")
    for seed in range(4):
        graph = random_graph(seed, 150, 300, duplicates="keep").without_self_loops
        check(device, graph, seed, edges, [1, 7, 40, 1, 30], coarse=True)


@pytest.mark.first_device
@pytest.mark.parametrize("edges", [False, True])
def test_bins_are_looked_into_until_they_hold_few(device, edges, monkeypatch):
    """Few bins and a short list: the bin of the k-th is divided, again and again."""
    if device.has_pipeline("sampling/select"):
        pytest.skip("the number of bins is fixed in pipelines")
    monkeypatch.setattr("clgraph.sampling.draw.BINS", 4)
    monkeypatch.setattr("clgraph.sampling.draw.COLLECT", 2)
    graph = random_graph(5, 300, 700).without_self_loops
    check(device, graph, 9, edges, [1, 100, 57, 3])
