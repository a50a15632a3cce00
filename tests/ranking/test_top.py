"""The highest ranks, selected on the device."""

import numpy as np
import pytest
from personalized import everywhere, random_graph, skewed_graph

from clgraph import personalized_pagerank
from clgraph.ranking import top


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_top_is_that_of_the_ranks(device, dtype):
    for graph in (random_graph(1), skewed_graph(), random_graph(3, n=1000, arcs=300)):
        n = graph.num_vertices
        for method in ("power", "coo-flat", "monte-carlo"):
            options = {"method": method, "dtype": dtype, "device": device}
            if method == "monte-carlo":
                options |= {"seed": 3, "walks": 500}
            ranks = personalized_pagerank(graph, [0, 17], **options).scores
            for k in (1, 20, min(n, 60)):
                found = personalized_pagerank(graph, [0, 17], top=k, **options)
                assert found.scores.shape == found.ids.shape
                for i in range(2):
                    order = np.argsort(-ranks[i], kind="stable")[:k]  # ties to the smaller index
                    assert found.ids[i].tolist() == order.tolist()
                    assert found.scores[i].tolist() == ranks[i][order].tolist()


# LOCAL 1, a multiple of LANES, and neither: then a group takes one lane
@pytest.mark.parametrize(
    ("lanes", "local"),
    [(1, 1), (1, 8), (1, 32), (4, 1), (4, 2), (4, 8), (4, 32), (16, 1), (16, 4), (16, 8), (16, 32)],
)
def test_selection(device, lanes, local, monkeypatch):
    """Ties to the smaller number, scales of 0, entries with numbers of their own, lanes in any order."""
    monkeypatch.setattr(top, "LAUNCH", everywhere(top.LaunchConfig(local)))
    rng = np.random.default_rng(3)
    n, k = 300, 25
    score = rng.integers(0, 40, (n, lanes)).astype(np.float32)
    scale = rng.integers(0, 3, n).astype(np.float32)
    number = rng.permutation(n).astype(np.int32)
    wanted = np.array([lanes - 1, 0] if lanes > 1 else [0], np.int32)
    lane, scores, *more = [device.upload(array) for array in (wanted, score, scale, number)]
    for scaled, numbered in ((False, False), (True, False), (False, lanes == 1)):
        select = top.Top(device, n, k, lanes, np.float32, scaled=scaled, numbered=numbered)
        given = (buffer if use else None for buffer, use in zip(more, (scaled, numbered), strict=True))
        select.enqueue(lane, len(wanted), scores, *given)
        names, best_scores = select.take(len(wanted))
        called = number if numbered else np.arange(n)
        for row, column in enumerate(wanted.tolist()):
            x = score[:, column] * np.where(scaled & (scale > 0), scale, 1)
            best = np.lexsort((called, -x))[:k]
            assert names[row].tolist() == called[best].tolist()
            assert best_scores[row].tolist() == x[best].tolist()


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_highest(device, real):
    """Few by selection, many by sorting; equal ones by index; values that differ in their low halves only."""
    rng = np.random.default_rng(6)
    values = rng.choice(np.array([0, 1e-30, 0.5, np.nextafter(real(0.5), real(1)), 0.7, 3e8], real), 900)
    order = np.argsort(-values, kind="stable")
    for k in (1, 256, 257, 900):
        index, found = top.highest(device, device.upload(values), 900, k, real)
        assert index.tolist() == order[:k].tolist()
        assert found.tolist() == values[order[:k]].tolist()
