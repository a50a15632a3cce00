"""Contractions side by side: each is, byte for byte, the run alone, which the reference tests."""

import dataclasses
import pickle

import numpy as np
import pytest
from sampling.test_replicates import GRAPHS, same

from clgraph import powerlaw_graph, sample
from clgraph.device.launch_config import LaunchTable
from clgraph.reference.reduction import reference_contract, verify_contraction
from clgraph.sampling import contract, runs
from clgraph.sampling.request import check_request


@pytest.mark.parametrize(("method", "local"), [("cre", 4), ("crve", 1)])
def test_each_run_is_the_run_alone(device, monkeypatch, method, local):
    """Groups of one work-item and of several, on every device."""
    shape = dataclasses.replace(contract.LAUNCH.of(device), local=local, runs=3)
    monkeypatch.setattr(contract, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    for name, graph in GRAPHS.items():
        n = graph.num_vertices
        sizes = [-(-4 * n // 5), 1, -(-n // 3), -(-4 * n // 5)]
        made = sample(graph, method, sizes=sizes, seed=2**32 - 2, seeds=4, device=device)
        if name == "power law" and device.kind in ("cpu", "gpu"):
            options = check_request(graph, method, {})
            assert runs.side_by_side(device, graph, options, 4) is contract.ContractRuns
        for run in (1, 3):
            alone = sample(graph, method, sizes=sizes, seed=2**32 - 2 + run, device=device)
            for k, other in enumerate(alone):
                each = made[4 * run + k]
                same(each, other)
                assert each.contracted_to.tobytes() == other.contracted_to.tobytes()
                assert (each.algorithm, each.iterations) == (other.algorithm, other.iterations)
                assert made.num_edges[4 * run + k] == other.num_edges
                assert made.vertices[made.offsets[4 * run + k]] == other.vertices[0]
        verify_contraction(graph, made[6])


def test_a_larger_graph(device):
    """Tiles of many draws, and rows of hubs; the samples survive being pickled."""
    graph = powerlaw_graph(3000, seed=4)
    made = sample(graph, "cre", sizes=["50%", 1], seed=8, seeds=2, device=device)
    wanted = reference_contract(graph, "cre", sizes=["50%", 1], seed=9)
    for each, expected in zip(pickle.loads(pickle.dumps(made))[2:], wanted, strict=True):
        np.testing.assert_array_equal(each.contracted_to, expected.contracted_to)
        np.testing.assert_array_equal(each.edges, expected.edges)
