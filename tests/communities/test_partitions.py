"""Modularity on every device against the reference, in fractions, and NetworkX."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from graphs import as_multigraph, tangle

from clgraph import Graph, InputError, datasets, label_propagation, louvain, modularity
from clgraph.reference.communities import reference_modularity, verify_modularity


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_reference_and_networkx(device, directed, duplicates, weighted):
    rng = np.random.default_rng(8)
    weights = {"weights": rng.random(300) + 0.1} if weighted else {}
    graph = tangle(8, 60, 300, directed=directed, duplicates=duplicates, **weights)
    if weighted and "HAVE_FP64" not in device.features:
        pytest.skip("no float64")
    other = as_multigraph(graph)
    for labels in (rng.integers(-3, 3, 60), np.zeros(60, np.int8), np.arange(60)):
        groups = [set(np.flatnonzero(labels == each).tolist()) for each in np.unique(labels)]
        for resolution in (1.0, 0.3):
            found = modularity(graph, labels, resolution=resolution, device=device)
            expected = reference_modularity(graph, labels, resolution=resolution)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-14) if weighted else found == expected
            verify_modularity(graph, found, labels, resolution=resolution)
            theirs = nx.community.modularity(other, groups, resolution=resolution)
            assert found == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    if weighted and duplicates == "merge":
        plain = modularity(graph, labels, weight=False, device=device)
        assert plain == reference_modularity(graph, labels, weight=False)


@pytest.mark.parametrize("find", [partial(label_propagation, iterations=3), louvain], ids=["cdlp", "louvain"])
def test_labels_of_a_result(device, find):
    graph = datasets.karate()
    here, there = (find(graph, arrays=arrays, device=device) for arrays in ("host", "device"))
    assert there.labels.get().tolist() == here.labels.tolist() == find(graph).labels.tolist()
    assert there.sizes.tolist() == here.sizes.tolist()
    values = [modularity(graph, labels, device=device) for labels in (here, there, here.labels)]
    assert values[0] == values[1] == values[2]


def test_a_hub_of_many_arcs(device):
    n = 30_000
    star = Graph.from_edges(np.zeros(n, int), np.arange(1, n + 1))
    labels = np.arange(n + 1) % 2
    verify_modularity(star, modularity(star, labels, device=device), labels)


def test_what_is_refused(device):
    graph = Graph.from_edges([0, 1], [1, 2], weights=[1.0, -1.0])
    huge = Graph.from_edges([0, 1], [1, 2], weights=[1.7e308, 1.7e308])
    sums = (graph, [0, 0, 1], {}, "have the sum 0"), (huge, [0, 0, 1], {}, "beyond float64")
    for given, labels, options, message in (
        (graph, [0, 1], {}, "labels has 2 entries, but the graph has 3"),
        (graph, [0.5, 1, 2], {}, "labels is of type float64"),
        (graph, "abc", {}, "labels"),
        (graph, [0, 0, 1], {"resolution": np.nan}, "resolution is nan"),
        (graph, [0, 0, 1], {"weight": 1}, "weight is 1"),
        (Graph.from_edges([], [], vertices=[1]), [0], {}, "no edges"),
        *(sums if "HAVE_FP64" in device.features else ()),
    ):
        with pytest.raises(InputError, match=message):
            modularity(given, labels, **options, device=device)
    assert modularity(graph, [0, 0, 1], weight=False, device=device) == -0.125


def test_the_verifier_sees_what_is_wrong():
    graph, labels = tangle(1), np.arange(150) % 3
    right = modularity(graph, labels)
    verify_modularity(graph, right, labels)
    with pytest.raises(AssertionError, match="the modularity is"):
        verify_modularity(graph, right + 1e-6, labels)
