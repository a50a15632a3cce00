"""Distances of distributions, and whether a graph is a part of another."""

import numpy as np
import pytest
import scipy.stats
from graphs import tangle

from clgraph import Graph, InputError, powerlaw_graph, sample
from clgraph.measures.compare import check_part, ks_distance, ks_of_hops


def test_ks_distance_by_scipy():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 9, 200), rng.integers(2, 12, 77)
    counted = [np.unique(each, return_counts=True) for each in (one, other)]
    assert ks_distance(*counted) == pytest.approx(scipy.stats.ks_2samp(one, other).statistic)
    assert ks_distance(counted[0], (np.zeros(0), np.zeros(0, np.int64))) is None


def test_ks_distance_of_hop_plots():
    assert ks_of_hops(np.array([1, 2, 4.0]), np.array([1, 4.0])) == 0.5
    assert ks_of_hops(np.array([2, 4.0]), np.array([3, 6.0])) == 0
    assert ks_of_hops(np.zeros(0), np.array([1.0])) is None


def test_parts_by_ids_in_another_order(device):
    whole = Graph.from_edges([30, 10, 20], [10, 20, 40], vertices=[40, 30, 20, 10])
    check_part(whole, Graph.from_edges([10], [30]), device=device)
    check_part(whole, Graph.from_edges([20], [30]), "contraction", device=device)
    with pytest.raises(InputError, match=r"edge 20 - 30 of half\.txt is not in whole\.txt"):
        check_part(whole, Graph.from_edges([20], [30]), names=("whole.txt", "half.txt"), device=device)
    with pytest.raises(InputError, match="vertex a of the sample"):
        check_part(whole, Graph.from_edges(["a"], ["b"]), device=device)


def test_samples_that_stay_on_the_device(device):
    whole, other = powerlaw_graph(3000, seed=1), powerlaw_graph(3000, seed=2)
    smaller = Graph.from_edges([0, 1], [1, 2])
    for made in (
        sample(whole, "drve", size="50%", seed=4, device=device).graph,
        whole.subgraph(np.arange(99)),
    ):
        check_part(whole, made, device=device)
        for wrong, what in ((other, "edge"), (smaller, "vertex")):
            with pytest.raises(InputError, match=f"{what} .* of the sample is not in the original"):
                check_part(wrong, made, device=device)
        again = sample(made, "drv", size="50%", seed=1, device=device).graph  # ids chosen twice
        check_part(made, again, device=device)
        check_part(whole, again, device=device)


def test_every_edge_is_looked_up(device):
    whole = tangle(1, n=400, edges=3000, duplicates="keep")
    tail, head = whole.without_self_loops.edge_indices()[:2]
    check_part(whole, Graph.from_edges(tail, head), device=device)
    known = set(zip(tail.tolist(), head.tolist(), strict=True))
    for u, v in ((0, 399), (398, 399), (200, 390)):
        assert (u, v) not in known
        with pytest.raises(InputError, match=f"edge {u} - {v} of"):
            check_part(whole, Graph.from_edges(np.append(tail, u), np.append(head, v)), device=device)
