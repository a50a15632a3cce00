"""Distances of distributions; no device."""

import numpy as np
import pytest
import scipy.stats

from clgraph import Graph, InputError
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


def test_parts_by_ids_in_another_order():
    whole = Graph.from_edges([30, 10, 20], [10, 20, 40], vertices=[40, 30, 20, 10])
    check_part(whole, Graph.from_edges([10], [30]))
    check_part(whole, Graph.from_edges([20], [30]), "contraction")
    with pytest.raises(InputError, match=r"edge 20 - 30 of half\.txt is not in whole\.txt"):
        check_part(whole, Graph.from_edges([20], [30]), names=("whole.txt", "half.txt"))
    with pytest.raises(InputError, match="vertex a of the sample"):
        check_part(whole, Graph.from_edges(["a"], ["b"]))
