"""Hop plots against NetworkX, from all vertices and from some."""

import networkx as nx
import numpy as np
import pytest
from graphs import tangle, to_networkx
from personalized import everywhere

from clgraph import Graph
from clgraph.measures import hops
from clgraph.measures.hops import draw_sources, hop_plots
from clgraph.measures.pack import Pack


def hop_plot(device, graph, **options):
    return hop_plots(Pack.of(device, [graph]), **options)[0]


def path_of(n):
    return Graph.from_edges(np.arange(n - 1), np.arange(1, n))


def pairs_by_networkx(graph, sources):
    """Pairs within 0, 1, ... hops from these sources."""
    whole = to_networkx(graph)
    lengths = [d for v in sources for d in nx.single_source_shortest_path_length(whole, v).values()]
    return np.cumsum(np.bincount(lengths))


@pytest.mark.smoke
@pytest.mark.parametrize("n", [1, 63, 64, 65, 150])
def test_from_all_vertices(device, n):
    """Whole batches of 64 searches, and batches that are not full."""
    graph = tangle(n, n=n, edges=3 * n).without_self_loops
    found = hop_plot(device, graph)
    assert found.pairs.tolist() == pairs_by_networkx(graph, range(n)).tolist()
    assert (found.sources, found.exact) == (n, True)


def test_from_some_vertices(device):
    graph = tangle(5, n=400, edges=900).without_self_loops
    found = hop_plot(device, graph, seed=7, sources=100)
    assert (found.sources, found.exact) == (100, False)
    want = pairs_by_networkx(graph, draw_sources(400, 100, 7).tolist()) * 400 / 100
    assert len(found.pairs) == len(want)
    assert found.pairs[:2].tolist() == [400, 400 + graph.num_arcs]  # known without searching
    assert found.pairs[2:] == pytest.approx(np.maximum.accumulate(want)[2:])


def test_deep_graphs_are_searched_one_by_one(device):
    for n in (40, 400):  # 40: a depth between that of one launch and that at which searches part
        path, h = path_of(n), np.arange(n)
        found = hop_plot(device, path)
        assert found.pairs.tolist() == (n + 2 * h * n - h * (h + 1)).tolist()
    some = hop_plot(device, path, sources=300)
    assert (some.sources, some.exact) == (128, False)


@pytest.mark.parametrize("words", [1, 2, 8])
def test_a_work_item_for_each_graph_counts_what_all_together_do(device, monkeypatch, words):
    monkeypatch.setattr(hops, "LAUNCH", everywhere(words))
    graphs = [tangle(n, n=n, edges=2 * n).without_self_loops for n in (150, 64, 300)]
    graphs += [Graph.from_edges([], [], vertices=range(5)), path_of(200), path_of(2)]
    sources = [draw_sources(150, 100, 7)]
    sources += [np.arange(each.num_vertices, dtype=np.int32) for each in graphs[1:]]
    found = hops._graph_by_graph(Pack.of(device, graphs), sources)
    for graph, chosen, counts in zip(graphs, sources, found, strict=True):
        wanted = pairs_by_networkx(graph, chosen.tolist())
        assert np.cumsum(counts.sum(0))[: len(wanted)].tolist() == wanted.tolist()
        assert counts.sum() == wanted[-1]
        assert counts[:, 0].tolist() == [len(chosen[at : at + 64]) for at in range(0, 320, 64)]
    monkeypatch.setattr(hops, "DEEPEST", 199)
    assert hops._graph_by_graph(Pack.of(device, graphs), sources) is None  # the path is one longer


@pytest.mark.parametrize("words", [0, 1, 2, 8])
def test_of_one_graph_each_core_takes_some_sources(device, monkeypatch, words):
    monkeypatch.setattr(hops, "LAUNCH", everywhere(words))
    made, real = [], hops._graph_by_graph
    monkeypatch.setattr(hops, "_graph_by_graph", lambda *of: made.append(real(*of)) or made[-1])
    for n, sources in ((700, 641), (700, 700), (1500, 65)):
        graph = tangle(n, n=n, edges=2 * n).without_self_loops
        found = hop_plot(device, graph, seed=3, sources=sources)
        chosen = np.arange(n) if n == sources else draw_sources(n, sources, 3)
        wanted = pairs_by_networkx(graph, chosen.tolist()) * (n / sources)
        assert len(found.pairs) == len(wanted) and found.sources == sources
        assert found.pairs[2:] == pytest.approx(np.maximum.accumulate(wanted)[2:])
        assert len(found.without) == (0 if n == sources else -(-sources // 64))
        # as many batches as cores, or the whole device searches together
        assert (made[-1] is not None) == (words > 0 and -(-sources // 64) >= device.compute_units)
    few = Pack.of(device, [tangle(1, n=300, edges=600).without_self_loops])
    each, cores = 8 * few.csr.n, device.compute_units
    for most in (each * cores, each * cores - 1):  # memory for one word a vertex, and for none
        with monkeypatch.context() as patched:
            patched.setitem(vars(device), "max_buffer", most)
            found = real(few, [np.arange(300, dtype=np.int32)])
        assert (found is not None) == (words > 0 and cores <= 5 and most == each * cores)
    # 48 distances and one more
    for n in (48, 49):
        monkeypatch.setitem(vars(device), "compute_units", 1)
        assert hop_plot(device, path_of(n)).pairs[-1] == n * n
        assert (made[-1] is not None) == (words > 0 and n == 48)


def test_sources_are_different_and_the_seeds():
    for n in (70, 1000, 10**9):
        drawn = draw_sources(n, 64, 3)
        assert len(set(drawn.tolist())) == 64
        assert 0 <= drawn.min() <= drawn.max() < n
        assert drawn.tolist() == draw_sources(n, 64, 3).tolist() != draw_sources(n, 64, 4).tolist()


def test_no_vertices_and_no_edges(device):
    assert hop_plot(device, Graph.from_edges([], [])).pairs.tolist() == []
    assert hop_plot(device, Graph.from_edges([], [], vertices=[1, 2, 3])).pairs.tolist() == [3]
