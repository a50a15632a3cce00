"""Preferential attachment: the reference's graph on every device, and the law of its degrees."""

from __future__ import annotations

import numpy as np
import pytest
from models import same
from scipy.stats import chisquare

from clgraph import InputError, barabasi_albert_graph, connected_components
from clgraph.reference.models import reference_barabasi_albert


@pytest.mark.smoke
def test_on_every_device_as_the_reference(device):
    for seed in (1, 2**64 - 1):
        for n, k in ((2, 1), (3, 1), (200, 1), (5, 4), (6, 4), (150, 4), (60, 25)):
            made = barabasi_albert_graph(n, k, seed=seed, device=device)
            assert same(made, reference_barabasi_albert(n, k, seed=seed))
            assert made.num_edges == k * (k + 1) // 2 + (n - k - 1) * k


def test_law(device):
    """P(d) = 2 k (k + 1) / (d (d + 1) (d + 2)) (Bollobas, Riordan, Spencer, Tusnady 2001)."""
    n, k = 100_000, 2
    made = barabasi_albert_graph(n, k, seed=2, device=device)
    assert connected_components(made, device=device).count == 1
    degrees = made.degrees
    assert degrees.min() == k
    d = np.arange(k, 40)
    law = 2.0 * k * (k + 1) / (d * (d + 1) * (d + 2))
    seen = np.bincount(np.minimum(degrees, 40), minlength=41)[k:]
    assert chisquare(seen, n * np.append(law, 1 - law.sum())).pvalue > 1e-4
    assert 200 < degrees.max() < 5000  # grows as the square root of n


def test_bad_arguments():
    for n, k, words in (
        (5, 0, "each new vertex is 0"),
        (5, 5, "a vertex with 5 edges needs 5 others; give at least 6 vertices"),
        (2**31, 1, "number of vertices"),
        (10**6, 2000, "at most 1073741824"),
        (True, 1, "number of vertices is True"),
    ):
        with pytest.raises(InputError, match=words):
            barabasi_albert_graph(n, k)
