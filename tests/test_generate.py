"""Generated graphs: the promised law, and the same graph from the same seed everywhere."""

import hashlib

import numpy as np
import pytest

from clgraph import InputError
from clgraph.generate import powerlaw_graph


def test_same_seed_same_graph_on_every_machine():
    graph = powerlaw_graph(20_000, seed=7)
    digest = hashlib.sha256(graph.row_ptr.tobytes() + graph.col_idx.tobytes()).hexdigest()
    assert digest[:16] == "659ee5062f12f617"
    other = powerlaw_graph(20_000, seed=8)
    assert not np.array_equal(graph.col_idx, other.col_idx)


def test_power_law():
    graph = powerlaw_graph(300_000, seed=1)
    degrees = graph.degrees
    assert graph.num_self_loops == 0
    assert graph.multiplicity is None
    assert 4.95 < degrees.mean() <= 5
    # maximum likelihood (Clauset, Shalizi, Newman 2009) over the tail, where the expected degrees rule
    tail = degrees[(degrees >= 20) & (degrees <= 400)]
    assert 2.5 < 1 + len(tail) / np.log(tail / 19.5).sum() < 2.9
    assert degrees.max() < 1.2 * np.sqrt(300_000 * 5)


@pytest.mark.parametrize("n", [1 + 1, 3, 10, 255, 256, 257, 1000])
def test_small_ones(n):
    graph = powerlaw_graph(n, average_degree=1, seed=3)
    assert graph.num_vertices == n
    assert graph.num_edges <= n


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [
        ({"num_vertices": 0}, "vertices"),
        ({"num_vertices": 2**31}, "vertices"),
        ({"num_vertices": 100, "average_degree": 0}, "average degree"),
        ({"num_vertices": 100, "average_degree": 100}, "average degree"),
        ({"num_vertices": 100, "average_degree": float("nan")}, "average degree"),
        ({"num_vertices": 100, "exponent": 2}, "exponent"),
        ({"num_vertices": 100, "exponent": float("inf")}, "exponent"),
        ({"num_vertices": 100, "seed": -4}, "seed"),
    ],
)
def test_bad_arguments(kwargs, word):
    with pytest.raises(InputError, match=word):
        powerlaw_graph(**kwargs)
