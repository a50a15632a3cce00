"""Graphs of different edges: the references' on every device, and the laws (fixed seeds, level 1e-4)."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from models import same
from scipy.stats import binom, chisquare

from clgraph import CapacityError, InputError, erdos_renyi_graph, static_model_graph, watts_strogatz_graph
from clgraph.reference.models import reference_erdos_renyi, reference_static_model, reference_watts_strogatz

LEVEL = 1e-4
SEEDS = (1, 2**64 - 1)


@pytest.mark.smoke
def test_on_every_device_as_the_reference(device):
    for seed in SEEDS:
        for n, m in ((1, 0), (2, 1), (3, 2), (40, 60), (41, 700), (12, 66), (13, 40)):
            assert same(
                erdos_renyi_graph(n, m, seed=seed, device=device), reference_erdos_renyi(n, m, seed=seed)
            )
        for n, k, p in ((3, 0, 0.5), (3, 2, 1), (60, 6, 0), (60, 6, 0.3), (50, 4, 1), (11, 8, 0.7)):
            made = watts_strogatz_graph(n, k, p, seed=seed, device=device)
            assert same(made, reference_watts_strogatz(n, k, p, seed=seed))
        for n, degree, alpha, shift in ((1, 0, 1, 0), (50, 5, 0.8, 0), (256, 3, 1.2, 0.5), (30, 12, 0, 3)):
            how = {"average_degree": degree, "alpha": alpha, "shift": shift, "seed": seed}
            made = static_model_graph(n, **how, device=device)
            assert same(made, reference_static_model(n, **how))


def test_edges_are_counted_and_different(device):
    made = erdos_renyi_graph(30_000, 90_000, seed=3, device=device)
    assert (made.num_edges, made.num_self_loops, made.is_multigraph) == (90_000, 0, False)
    assert len(np.unique(made.tails.astype(np.int64) * 30_000 + made.col_idx)) == 180_000
    told = []
    made = static_model_graph(
        30_000, average_degree=8, alpha=0.9, seed=3, device=device, progress=lambda *a: told.append(a)
    )
    assert made.num_edges == 120_000
    assert told[-1] == (120_000, 120_000)
    assert len(np.unique(made.tails.astype(np.int64) * 30_000 + made.col_idx)) == 240_000
    # complete but for one edge: nearly all pairs are listed without one
    assert erdos_renyi_graph(500, comb(500, 2) - 1, seed=3, device=device).degrees.min() == 498


def test_erdos_renyi_law(device):
    """All graphs are equally likely, and degrees are hypergeometric, for which the binomial law stands in."""
    graphs = (reference_erdos_renyi(4, 2, seed=seed) for seed in range(600))
    seen = Counter((*each.row_ptr.tolist(), *each.col_idx.tolist()) for each in graphs)
    assert len(seen) == 15
    assert chisquare(list(seen.values())).pvalue > LEVEL
    n, m = 20_000, 60_000
    degrees = erdos_renyi_graph(n, m, seed=4, device=device).degrees
    counts = np.bincount(np.minimum(degrees, 13), minlength=14)
    law = binom.pmf(np.arange(13), n - 1, 2 * m / (n * (n - 1)))
    assert chisquare(counts, n * np.append(law, 1 - law.sum())).pvalue > LEVEL


def test_watts_strogatz_law(device):
    n, k, p = 20_000, 6, 0.2
    made = watts_strogatz_graph(n, k, p, seed=5, device=device)
    assert made.num_edges == n * k // 2
    far = (made.col_idx - made.tails) % n
    forward = made.tails < made.col_idx
    far = np.minimum(far, n - far)[forward]
    stays = np.count_nonzero(far <= k // 2)
    spread = np.sqrt(n * k / 2 * p * (1 - p))
    assert abs(stays - n * k / 2 * (1 - p)) < 4 * spread + 10
    tenths = np.bincount((far[far > k // 2] - k // 2 - 1) * 10 // (n // 2 - k // 2), minlength=10)
    assert chisquare(tenths).pvalue > LEVEL  # new ends are anywhere
    assert made.degrees.min() >= k // 2  # each vertex keeps its own half


def test_static_model_law(device):
    n, alpha, shift = 200_000, 0.7, 50.0
    made = static_model_graph(n, average_degree=4, alpha=alpha, shift=shift, seed=6, device=device)
    stride = next(s for s in range(int(n * 0.6180339887498949), n) if np.gcd(s, n) == 1)
    by_rank = made.degrees[np.arange(n, dtype=np.int64) * stride % n]
    weight = (np.arange(1, n + 1) + shift) ** -alpha
    groups = np.searchsorted([100, 1000, 10_000, 50_000, 100_000, 150_000], np.arange(n), side="right")
    want = np.bincount(groups, weight) / weight.sum() * made.num_arcs
    assert np.abs(np.bincount(groups, by_rank) / want - 1).max() < 0.02


BAD = [
    (lambda: erdos_renyi_graph(0, 0), "number of vertices is 0"),
    (lambda: erdos_renyi_graph(4, 7), "4 vertices have only 6 pairs; give at most 6"),
    (lambda: erdos_renyi_graph(10**6, 2**30 + 1), "at most 1073741824 can be drawn"),
    (lambda: erdos_renyi_graph(4, -1), "number of edges is -1"),
    (lambda: watts_strogatz_graph(10, 3, 0.1), "degree 3: .* give an even number"),
    (lambda: watts_strogatz_graph(10, 10, 0.1), "10 vertices allow at most 8"),
    (lambda: watts_strogatz_graph(10, 4, 1.5), "probability 1.5: give a number from 0 to 1"),
    (lambda: watts_strogatz_graph(10, 4, float("nan")), "probability is nan"),
    (lambda: static_model_graph(10, average_degree=10), "10 vertices allow 0 to 9"),
    (lambda: static_model_graph(10, alpha=-1), "alpha -1.0: give a number from 0 to 2"),
    (lambda: static_model_graph(10, shift=-1), "shift -1.0: give a number from 0"),
    (lambda: static_model_graph(10, seed=-1), "seed -1"),
]


def test_bad_arguments():
    for make, words in BAD:
        with pytest.raises(InputError, match=words):
            make()


def test_what_cannot_be_found_is_told(device, monkeypatch):
    monkeypatch.setattr("clgraph.csr.generate.ROUNDS", 20)
    with pytest.raises(InputError, match=r"in 20 rounds only \d+ of 190 edges .* a larger shift"):
        static_model_graph(20, average_degree=19, alpha=2, seed=1, device=device)
    monkeypatch.setitem(vars(device), "global_memory", 100_000)
    with pytest.raises(CapacityError, match="the device has 100000 bytes"):
        erdos_renyi_graph(100_000, 100_000, seed=1, device=device)
