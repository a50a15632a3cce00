"""Label propagation on every device against the reference, and LDBC's example outputs."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from graphs import random_graph, tangle
from personalized import everywhere
from samplers import awkward_graphs

import clgraph
from clgraph import CapacityError, ConvergenceWarning, Graph, InputError, label_propagation
from clgraph.communities.propagation import LaunchConfig, Propagation
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.communities import reference_label_propagation, verify_label_propagation

# every class of rows, on whatever device: short, middle, large and long ones
SMALL = LaunchConfig(short=2, middle=4, large=8, few=2, many=4, each=2, run=3)


@pytest.fixture(params=[SMALL, replace(SMALL, few=1, many=1)], ids=["groups", "alone"])
def small_rows(monkeypatch, request):
    """Classes of rows so short that small graphs have all of them."""
    monkeypatch.setattr("clgraph.communities.propagation.LAUNCH", everywhere(request.param))
    return request.param


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_equals_reference(device, directed, duplicates):
    how = {"directed": directed, "duplicates": duplicates}
    for graph in (tangle(3, **how), random_graph(4, 300, 500, **how)):
        for iterations in (0, 1, 2, 3, 7, 50, 51):
            found = label_propagation(graph, iterations, device=device)
            assert found.labels.tolist() == reference_label_propagation(graph, iterations)
            assert (found.labels.dtype, found.iterations) == (np.int32, iterations)
            verify_label_propagation(graph, found)


@pytest.mark.parametrize("directed", [False, True])
def test_rows_of_all_classes(device, small_rows, directed, monkeypatch):
    graph = tangle(5, directed=directed)
    expected = reference_label_propagation(graph, 4)
    assert label_propagation(graph, 4, device=device).labels.tolist() == expected
    monkeypatch.setattr("clgraph.communities.propagation.SHARE", 2**50)  # tables one row at a time
    assert label_propagation(graph, 4, device=device).labels.tolist() == expected


def test_every_class_has_rows(device, small_rows):
    graph = tangle(6).undirected
    with device.alone():
        found = Propagation(device, graph, small_rows)
        assert len(found.batches) == 1 and min(found.sizes) > 0
        found.advance(3, ends=False)
        labels = device.download(found.label, np.int32, found.n)
    assert labels.tolist() == reference_label_propagation(graph, 3)


def test_tables_of_long_rows_are_empty_after_each_round(device, small_rows):
    """In round 2 the hub hears one label 12 times, in round 3 each label once."""
    near, hub = np.arange(1, 13), 13
    own = np.arange(14, 14 + 36).reshape(3, 12)  # each neighbour's, all of which take its label
    ends = [(np.zeros(12, int), near), (np.full(12, hub), near), *((near, each) for each in own)]
    ends += [(own[k], own[(k + 1) % 3]) for k in range(3)]
    tail, head = (np.concatenate(each) for each in zip(*ends, strict=True))
    graph = Graph.from_edges(tail, head)
    for iterations in (1, 2, 3, 4):
        found = label_propagation(graph, iterations, device=device)
        assert found.labels.tolist() == reference_label_propagation(graph, iterations)
    assert reference_label_propagation(graph, 2)[1:13] == near.tolist()


def test_a_table_that_is_full_at_its_end_goes_on_at_its_begin(device, small_rows):
    """Labels 1 and 2 of one hub have the last place of its table; the next hub's table is behind it."""
    slots = 2 * (small_rows.large * 3 // 2)
    place = (np.arange(4000, dtype=np.uint64) * 2654435769 % 2**32) * slots >> 32
    last = np.flatnonzero(place == slots - 1)[:3]
    others = np.flatnonzero((place < slots - 4) & (np.arange(4000) > last.max()))
    first_hub, second_hub = 3998, 3999
    one, two = np.concatenate((last, others[:6])), others[6:15]
    hubs = np.repeat([first_hub, second_hub], [len(one), len(two)])
    graph = Graph.from_edges(hubs, np.concatenate((one, two)), vertices=range(4000))
    found = label_propagation(graph, 1, device=device)
    assert found.labels.tolist() == reference_label_propagation(graph, 1)


@pytest.mark.parametrize("name", ["example-directed", "example-undirected"])
def test_the_example_of_ldbc(device, data_path, name):
    folder = data_path("ldbc")
    graph = clgraph.read(folder / f"{name}.e", directed=name == "example-directed")
    settings = (folder / f"{name}.properties").read_text()
    rounds = int(settings.split("cdlp.max-iterations =")[1].split()[0])
    want = np.loadtxt(folder / f"{name}-CDLP", dtype=np.int64)
    found = label_propagation(graph, rounds, device=device)
    assert dict(zip(graph.ids.tolist(), graph.ids[found.labels].tolist(), strict=True)) == dict(want.tolist())


def test_how_arcs_count(device):
    # 3 hears 0 once, and 1 by an arc each way
    both = Graph.from_edges([0, 1, 3], [3, 3, 1], directed=True, vertices=range(4))
    assert label_propagation(both, 1, device=device).labels[3] == 1
    # merged arcs count as often as they occurred, a loop once
    merged = Graph.from_edges([0, 2, 2, 2], [2, 1, 1, 2], directed=True)
    assert label_propagation(merged, 1, device=device).labels.tolist() == [2, 2, 1]
    loop = Graph.from_edges([1, 1, 0], [1, 1, 1], directed=True)
    assert label_propagation(loop, 1, device=device).labels.tolist() == [1, 1]


def test_stable_labels(device):
    cliques = Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])
    found = label_propagation(cliques, 99, "stable", device=device)
    assert found.converged and not found.oscillates and found.iterations < 9
    assert found.labels.tolist() == [0, 0, 0, 2, 2, 2] and found.sizes.tolist() == [3, 3] and found.count == 2
    assert "labels stable" in repr(found)
    loops = label_propagation(Graph.from_edges([0, 1], [0, 1]), 5, "stable", device=device)
    assert loops.converged and not loops.oscillates and loops.iterations == 1
    verify_label_propagation(cliques, found)
    more = label_propagation(cliques, 99, device=device)
    assert more.iterations == 99 and more.labels.tolist() == found.labels.tolist()


def test_oscillation_is_said(device):
    star = Graph.from_edges(np.zeros(5, int), np.arange(1, 6))
    with pytest.warns(ConvergenceWarning, match="oscillates") as caught:
        found = label_propagation(star, 99, "stable", device=device)
    assert caught[0].filename == __file__
    assert found.oscillates and not found.converged and "oscillating" in repr(found)
    for rounds in range(1, 9):
        each = label_propagation(star, rounds, device=device)
        assert each.labels.tolist() == reference_label_propagation(star, rounds)
        verify_label_propagation(star, each)
    path = Graph.from_edges(np.arange(200), np.arange(1, 201))
    with pytest.warns(ConvergenceWarning, match="still change after 2 rounds"):
        label_propagation(path, 2, "stable", device=device)


def test_awkward_graphs(device):
    for graph in [*awkward_graphs(), Graph.from_edges([], []), Graph.from_edges([], [], vertices=[3, 5])]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = label_propagation(graph, 6, "stable", device=device)
        verify_label_propagation(graph, found)


def test_a_power_law_and_a_hub(device):
    leaves = 40_000  # several chunks of one row, on every device
    tails, heads = np.r_[np.zeros(leaves, int), 1:leaves:2], np.r_[1 : leaves + 1, 2 : leaves + 1 : 2]
    star = Graph.from_edges(tails, heads)
    for graph in (star, powerlaw_graph(20_000, average_degree=14, seed=7)):
        verify_label_propagation(graph, label_propagation(graph, 3, device=device))


def test_a_table_of_labels(device):
    pytest.importorskip("pandas")
    graph = Graph.from_edges(["a", "b"], ["b", "c"])
    table = label_propagation(graph, 1, device=device).to_pandas(graph)
    assert table["vertex"].tolist() == ["a", "b", "c"] and table["label"].tolist() == [1, 0, 1]


def test_what_is_refused(device):
    graph = Graph.from_edges([0], [1])
    for arguments, message in (
        ((graph, -1), "iterations is -1"),
        ((graph, 1.5), "iterations is 1.5"),
        ((graph, 3, "async"), "mode is 'async'"),
    ):
        with pytest.raises(InputError, match=message):
            label_propagation(*arguments, device=device)
    most = 2**31 - 1
    for last, total in ((most, 6442450941), (2, 4294967296)):
        heavy = Graph.from_edges([0, 0, 0], [1, 2, 3], multiplicity=[most, most, last])
        with pytest.raises(CapacityError, match=f"vertex 0 has {total} parallel edges"):
            label_propagation(heavy, device=device)
    fits = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 4], multiplicity=[most, most, 1, 1])
    assert label_propagation(fits, 1, device=device).labels.tolist() == reference_label_propagation(fits, 1)


def test_the_verifier_sees_what_is_wrong():
    graph = powerlaw_graph(100, seed=2)
    right = label_propagation(graph, 3)
    verify_label_propagation(graph, right)
    for wrong in ({"iterations": 1}, {"converged": True}):
        with pytest.raises(AssertionError):
            verify_label_propagation(graph, replace(right, **wrong))
