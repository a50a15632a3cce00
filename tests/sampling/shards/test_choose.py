"""What is chosen from the priority forest alone, against exact mode on the whole graph."""

import numpy as np
import pytest

import clgraph
from clgraph import keyed
from clgraph.reference.reduction import reference_forest
from clgraph.sampling.selection import unpacked
from clgraph.sampling.shards.forest import choose


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_choices(device, method):
    rng = np.random.default_rng(3)
    for n, m in [(1, 0), (7, 3), (60, 50), (90, 300)]:
        graph = clgraph.Graph.from_edges(
            *rng.integers(0, n, (2, m)), vertices=np.arange(n)
        ).without_self_loops
        once = graph.tails < graph.col_idx
        low, high = graph.tails[once], graph.col_idx[once]
        words = np.zeros(n, np.uint64)
        forest = reference_forest(n, list(zip(low.tolist(), high.tolist(), strict=True)), 5, method)
        words[n - len(forest) :] = rng.permutation(forest)
        targets = sorted({n, n // 2 + 1, 1})
        with device.alone():
            found = choose(device, device.upload(words), n, method, 5, targets)
        for target, chosen in found.items():
            expected = clgraph.sample(graph, method, size=target, seed=5, mode="exact", device=device)
            member = unpacked(chosen.bits, n)
            assert np.flatnonzero(member).tolist() == expected.vertices.tolist()
            inside = member[low] & member[high]
            if method == "dre":
                times = keyed.edge_priority(5, low, high)
                pairs = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
                time, word = (np.uint64(each) for each in chosen.cut)
                inside &= (times > time) | ((times == time) & (pairs > word))
            assert np.count_nonzero(inside) == expected.num_edges
