"""Batches of drawn edges side by side: each run is, bit for bit, the run alone, which the reference tests."""

import pytest
from sampling.test_replicates import GRAPHS, same

from clgraph import powerlaw_graph, sample
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling import draw, runs
from clgraph.sampling.request import check_request

CASES = [("drve", 4, {}), ("dhyb", 1, {"mix": 0.3}), ("dhyb", 1, {"tolerance": 0})]


@pytest.mark.parametrize(("method", "local", "options"), CASES)
def test_each_run_is_the_run_alone(device, monkeypatch, method, local, options):
    """Groups of one work-item and of several, on every device."""
    shape = draw.LaunchConfig(local=local, runs=3)
    monkeypatch.setattr(draw, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    for name, graph in GRAPHS.items():
        n = graph.num_vertices
        sizes = [-(-4 * n // 5), 1, -(-n // 3), -(-4 * n // 5)]
        made = sample(graph, method, sizes=sizes, seed=2**32 - 2, seeds=4, device=device, **options)
        if name == "power law" and device.kind in ("cpu", "gpu"):
            given = check_request(graph, method, options)
            assert runs.side_by_side(device, graph, given, 4) is draw.DrawRuns
        for run in (1, 3):
            alone = sample(graph, method, sizes=sizes, seed=2**32 - 2 + run, device=device, **options)
            for k, other in enumerate(alone):
                each = made[4 * run + k]
                same(each, other)
                assert (each.algorithm, each.iterations) == (other.algorithm, other.iterations)


@pytest.mark.parametrize("mix", [0, 1, "0.8", 1 / 3])
def test_a_larger_graph(device, mix):
    """Tiles of many draws, batches that are undone, and a probability that the kernel cannot have."""
    graph = powerlaw_graph(3000, average_degree=3, seed=4)
    made = sample(graph, "dhyb", sizes=["50%", "5%"], seed=8, seeds=2, mix=mix, device=device)
    assert device.kind not in ("cpu", "gpu") or (mix == 1 / 3) == isinstance(made._places[0][0], list)
    for k, alone in enumerate(sample(graph, "dhyb", sizes=["50%", "5%"], seed=9, mix=mix, device=device)):
        same(made[2 + k], alone)
