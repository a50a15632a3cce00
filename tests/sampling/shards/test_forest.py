"""The priority forest against Kruskal's algorithm and its definition; ties are forced."""

import numpy as np
import pytest

from clgraph.reference.reduction import reference_forest, verify_forest
from clgraph.sampling.shards.forest import Forest, LaunchConfig

SMALL = {
    "cpu": LaunchConfig(chunk=7, lanes=1, keep_times=True),
    "gpu": LaunchConfig(chunk=16, lanes=8, keep_times=False),
}


def rows_of(n, edges):
    """Rows that hold each pair once, in the row of the smaller end, loops included."""
    pairs = sorted({(min(u, v), max(u, v)) for u, v in edges})
    tail = np.array([u for u, _ in pairs], np.int64)
    row_ptr = np.searchsorted(tail, np.arange(n + 1)).astype(np.int32)
    return row_ptr, np.array([v for _, v in pairs], np.int32)


def random_edges(rng, n, m):
    return [(int(u), int(v)) for u, v in rng.integers(0, n, (m, 2))]


GRAPHS = {
    "one vertex": (1, []),
    "one vertex and a loop": (1, [(0, 0)]),
    "no edge": (5, []),
    "pair": (2, [(0, 1)]),
    "path": (9, [(v, v + 1) for v in range(8)]),
    "star": (40, [(17, v) for v in range(40)]),
    "clique": (12, [(u, v) for u in range(12) for v in range(u)]),
    "two parts and a bridge": (
        10,
        [(u, v) for u in range(5) for v in range(u)]
        + [(u, v) for u in range(5, 10) for v in range(5, u)]
        + [(2, 7)],
    ),
}


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_small_graphs(device, name, method):
    n, edges = GRAPHS[name]
    forest = Forest(device, n, 3, edges=method == "dre", room=1000)
    forest.add_rows(*rows_of(n, edges))
    words = forest.words()
    assert words.tolist() == reference_forest(n, edges, 3, method).tolist()
    verify_forest(n, edges, 3, method, words)


@pytest.mark.parametrize("shape", [None, *SMALL])
@pytest.mark.parametrize("method", ["drv", "dre"])
def test_random_graphs(device, method, shape):
    rng = np.random.default_rng(5)
    for n, m in [(20, 15), (60, 200), (200, 1500), (300, 290)]:
        edges = random_edges(rng, n, m)
        seed = int(rng.integers(0, 2**63))
        expected = reference_forest(n, edges, seed, method)
        chosen = SMALL[shape] if shape else None
        for room in (1, 30, 10**4):  # edges come in batches: of 1 they would be as many as edges
            forest = Forest(
                device, n, seed, edges=method == "dre", room=room if m < 1000 else room + 200, shape=chosen
            )
            forest.add_rows(*rows_of(n, edges))
            assert forest.words().tolist() == expected.tolist()
        verify_forest(n, edges, seed, method, expected)
