"""Communities on every device against the reference, NetworkX's modularity and other implementations."""

from contextlib import suppress
from dataclasses import replace
from math import isnan
from unittest.mock import Mock

import networkx as nx
import numpy as np
import pytest
from graphs import as_multigraph, as_networkx, tangle
from personalized import everywhere
from samplers import awkward_graphs

import clgraph
from clgraph import CapacityError, Graph, InputError
from clgraph.communities import levels
from clgraph.communities.levels import Level, Search
from clgraph.communities.multilevel import whole_weights
from clgraph.csr.upload import upload_csr
from clgraph.reference.multilevel import reference_leiden, reference_louvain, verify_leiden, verify_louvain

METHODS = {
    "louvain": (clgraph.louvain, reference_louvain, verify_louvain),
    "leiden": (clgraph.leiden, reference_leiden, verify_leiden),
}
both = pytest.mark.parametrize("method", METHODS)


def same_as_reference(method, graph, device, *, seed=0, **options):
    call, reference, verify = METHODS[method]
    found = call(graph, seed=seed, device=device, **options)
    labels, modularity, levels = reference(graph, seed=seed, **options)
    assert found.labels.dtype == np.int32 and found.labels.tolist() == labels
    assert found.modularity == modularity or (isnan(found.modularity) and isnan(modularity))
    assert found.levels == levels
    verify(graph, found, weight=options.get("weight", True))
    return found


def weighted(kind, directed):
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 80, (400, 2))
    values = {
        "real": rng.random(400),
        "whole": rng.integers(0, 9, 400).astype(float),
        "large": rng.integers(1, 2**40, 400).astype(float),
        "extreme": 2.0 ** rng.integers(-400, 300, 400),
        "zero": np.zeros(400),
    }
    return Graph.from_edges(ends[:, 0], ends[:, 1], weights=values[kind], directed=directed)


@both
@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference_and_networkx(device, method, directed):
    for graph in (tangle(1, 60, 300, directed=directed), tangle(2, 90, 200, duplicates="keep")):
        for resolution in (1, 0.3, 2.5):
            found = same_as_reference(method, graph, device, seed=4, resolution=resolution)
            sets = [set(np.flatnonzero(found.labels == c).tolist()) for c in range(found.count)]
            other = as_multigraph(graph.undirected)
            theirs = nx.community.modularity(other, sets, resolution=found.resolution)
            assert found.modularity == pytest.approx(theirs, abs=1e-12)


@both
def test_awkward_and_larger_graphs(device, method):
    larger = clgraph.powerlaw_graph(1500, seed=2), clgraph.lfr_graph(1000, mixing=0.3, seed=3).graph
    star = Graph.from_edges(np.zeros(700, int), np.arange(1, 701))
    for graph in (*awkward_graphs(), *larger, star):
        same_as_reference(method, graph, device, seed=1)
    for n in (0, 1, 5):
        found = same_as_reference(method, Graph.from_edges([], [], vertices=np.arange(n)), device)
        assert found.labels.tolist() == list(range(n)) and isnan(found.modularity) and found.levels == 0


@both
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["real", "whole", "large", "extreme", "zero"])
def test_weights(device, method, kind, directed):
    graph = weighted(kind, directed)
    same_as_reference(method, graph, device, seed=3)
    same_as_reference(method, graph, device, seed=3, weight=False)


@pytest.mark.parametrize("method", [pytest.param("louvain", marks=pytest.mark.slow), "leiden"])
def test_rows_are_chosen_for_by_groups_and_by_items_alone(device, method, monkeypatch):
    """Sums of 32 and 64 bits; rows of all classes; levels made by sorting arcs and by joining lists."""
    own = levels.LAUNCH.simulator
    for config in (own, replace(own, local=1)):
        monkeypatch.setattr(levels, "LAUNCH", everywhere(config))
        for graph in (tangle(1, 60, 300), weighted("large", False)):
            same_as_reference(method, graph, device, seed=2)


def test_more_slices_where_moves_spoil_each_other(device, monkeypatch):
    """In one slice all vertices swap sides for ever."""
    u, v = np.divmod(np.arange(900), 30)
    graph = Graph.from_edges(u, v + 30)
    same_as_reference("louvain", graph, device)
    monkeypatch.setattr(levels, "SLICES", 1)
    found = clgraph.louvain(graph, device=device)
    verify_louvain(graph, found)
    assert found.modularity >= 0


@pytest.mark.parametrize(
    ("method", "seed"), [("louvain", 330), ("louvain", 555), ("louvain", 635), ("leiden", 99)]
)
def test_turns_that_few_graphs_take(device, method, seed):
    """More slices after a pass that was undone, moves into one community in the end, slice by slice (leiden).

    Of a thousand random graphs hardly any others tell other numbers of slices apart.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 220))
    ends = rng.integers(0, n, (int(rng.integers(n, 6 * n)), 2))
    same_as_reference(method, Graph.from_edges(ends[:, 0], ends[:, 1]), device)


def best_of_others(graph):
    """The best modularity of NetworkX's and igraph's Louvain, as far as they are installed."""
    other = as_networkx(graph)
    found = [nx.community.modularity(other, nx.community.louvain_communities(other, seed=1))]
    with suppress(ImportError):
        import igraph

        theirs = igraph.Graph(graph.num_vertices, list(other.edges))
        found.append(theirs.community_multilevel().modularity)
    return max(found)


@pytest.mark.parametrize("name", ["karate", "lfr", "facebook_combined.txt"])
def test_modularity_is_within_a_hundredth_of_the_best(device, data_path, name):
    if name == "karate":
        graph = clgraph.datasets.karate()
    elif name == "lfr":
        graph = clgraph.lfr_graph(3000, mixing=0.4, seed=1).graph
    else:
        graph = clgraph.read(data_path(name))
    graph = graph if graph.weights is None else Graph.from_edges(*graph.to_edges()[:2])
    best = best_of_others(graph)
    assert clgraph.louvain(graph, device=device).modularity >= 0.99 * best
    assert clgraph.leiden(graph, device=device).modularity >= 0.995 * best


def test_parts_that_are_not_connected_are_split(device):
    """Two triangles far apart begin in one community: a resolution this low joins nothing across."""
    u = np.array([0, 1, 2, 3, 4, 5, 7, 8])
    graph = Graph.from_edges(u, np.array([1, 2, 0, 4, 5, 3, 8, 9]), vertices=np.arange(10))
    with device.alone():
        search = Search(device, 1024, 0, Level.of(device, upload_csr(device, graph), None), True)
        label = device.upload(np.array([4, 4, 4, 4, 4, 4, 4, 2, 2, 2], np.int32), writable=True)
        assert search._split(search.bottom, label)
        assert device.download(label, np.int32, 10).tolist() == [0, 0, 0, 3, 3, 3, 6, 7, 7, 7]
        assert not search._split(search.bottom, label)


def test_leiden_verifier_sees_communities_that_are_not_connected():
    graph = Graph.from_edges([0, 2], [1, 3], weights=[0.0, 0.0])
    found = clgraph.leiden(graph)
    assert found.count == 4
    joined = replace(found, labels=np.array([0, 0, 0, 0], np.int32), sizes=np.array([4]))
    verify_louvain(graph, joined)
    with pytest.raises(AssertionError, match="connected"):
        verify_leiden(graph, joined)


def test_arguments():
    graph = clgraph.datasets.karate()
    for value in (0, -1, 1025, float("nan"), "1", None):
        with pytest.raises(InputError, match="resolution"):
            clgraph.louvain(graph, resolution=value)
    negative = Graph.from_edges([0, 1], [1, 2], weights=[1, -1.0])  # no graph has inf or nan
    with pytest.raises(InputError, match="weight of the edge 1 -- 2"):
        clgraph.louvain(negative)


def test_whole_weights_stay_and_others_have_a_bounded_sum():
    whole = weighted("whole", False)
    assert (whole_weights(whole, True) == whole.weights).all()
    for kind in ("real", "large", "extreme"):
        values = whole_weights(weighted(kind, False), True)
        assert 2**36 < values.sum() < 2**39 and values.min() >= 0


def test_weights_are_looked_through_once(device, monkeypatch):
    graph, counted = weighted("real", False), Mock(side_effect=whole_weights)
    found = clgraph.louvain(graph, seed=1, device=device)
    monkeypatch.setattr("clgraph.communities.multilevel.whole_weights", counted)
    again = clgraph.louvain(graph, seed=1, device=device)
    assert not counted.called and again.labels.tolist() == found.labels.tolist()
    clgraph.leiden(graph, weight=False, device=device)
    assert counted.call_count == 1


def test_parallel_edges_beyond_what_gains_hold():
    """Of 2070 arcs between 46 vertices, each 2^27 times (fits) or 2^29 times."""
    tail, head = np.triu_indices(46, 1)
    graph = Graph.from_edges(tail, head)
    counts = (np.full(graph.num_arcs, times, np.int32) for times in (2**27, 2**29))
    fits, beyond = (Graph(graph.row_ptr, graph.col_idx, multiplicity=each) for each in counts)
    assert whole_weights(fits, True).sum() == 2070 * 2**27
    for call in (clgraph.louvain, clgraph.leiden):
        with pytest.raises(CapacityError, match=r"555661393920 edges .* give the edges weights"):
            call(beyond)


def test_verifier_sees_what_is_wrong():
    graph = clgraph.datasets.karate()
    found = clgraph.louvain(graph)
    for wrong in (
        replace(found, modularity=found.modularity + 1e-9),
        replace(found, sizes=found.sizes[::-1].copy()),
        replace(found, labels=found.labels + 1),
        replace(found, resolution=3.0),
    ):
        with pytest.raises(AssertionError):
            verify_louvain(graph, wrong)
    with pytest.raises(InputError):
        verify_louvain(graph, 3)


def test_result():
    graph = Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])
    found = clgraph.louvain(graph)
    assert found.count == 2 and found.sizes.tolist() == [3, 3] and "communities 2" in repr(found)
    assert set(found.seconds) == {"upload", "communities", "total"}
    pytest.importorskip("pandas")
    assert found.to_pandas(graph)["community"].tolist() == found.labels.tolist()
