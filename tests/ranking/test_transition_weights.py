"""Shares of arcs that count for several, made where the graph is: the host's bytes, nothing goes there."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from personalized import EXACT, everywhere

from clgraph import Graph, pagerank, personalized_pagerank
from clgraph.csr.upload import device_graph, graph_of
from clgraph.ranking import transition_weights
from clgraph.ranking.problem import arc_weights, make_problem
from clgraph.ranking.solver import leaving
from clgraph.ranking.transition_weights import LAUNCH, LaunchConfig, arc_shares, upload_shares


def counted(directed: bool) -> Graph:
    """With a hub whose row a work-group divides together, isolated vertices, and a loop."""
    rng = np.random.default_rng(5)
    hub = np.repeat(np.arange(1, 700), rng.integers(1, 5, 699))
    tail = np.concatenate((rng.integers(0, 60, 900), np.zeros(len(hub), int), hub, [7, 7]))
    head = np.concatenate((rng.integers(0, 60, 900), hub, np.zeros(len(hub), int), [7, 7]))
    made = Graph.from_edges(tail, head, directed=directed, vertices=np.arange(750))
    assert made.multiplicity is not None and made.multiplicity.max() > 5
    return made


def on_device(device: Any, graph: Graph) -> Graph:
    made = graph_of(device, device_graph(device, graph))
    assert not made.is_on_host
    return made


@pytest.mark.parametrize("teams", [False, True], ids=["alone", "teams"])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_the_bytes_of_the_host(device: Any, monkeypatch: Any, directed: bool, teams: bool) -> None:
    if "HAVE_FP64" not in device.features:
        pytest.skip("the host makes them for devices without float64")
    if teams:  # rows are shared as GPUs do it
        monkeypatch.setattr(transition_weights, "LAUNCH", everywhere(LaunchConfig(local=16, long=100)))
    host = counted(directed)
    asked = make_problem(host)
    for real in (np.float32, np.float64):
        there = on_device(device, host)
        problem = make_problem(there)
        assert problem.weighing.weighted and problem.weighing.largest == host.multiplicity.max()
        assert asked.weighing.largest is None
        for by_tail, rows in ((True, host), (False, host.reverse)):
            got = upload_shares(device, there, problem, real, True, by_tail=by_tail)
            weights, tails = arc_weights(rows, True), rows.tails if by_tail else rows.col_idx
            wanted = arc_shares(weights, asked.out, tails).astype(real)
            assert device.download(got, real, host.num_arcs).tobytes() == wanted.tobytes()
        vertices = device.upload(np.arange(749, -1, -1, dtype=np.int32))
        wanted = (asked.out > 0).astype(real)
        made = leaving(device, there, problem, real, True, plan="this", order=vertices, inverse=True)
        assert device.download(made, real, 750).tobytes() == wanted[::-1].tobytes()
        made = leaving(device, there, problem, real, True)
        assert device.download(made, real, 750).tobytes() == wanted.tobytes()
        assert problem.dangles(there, np.array([0, 749])).tolist() == [False, True]
        if device.kernels == "ndrange":
            assert not {"multiplicity", "col_idx"} & set(vars(there))  # nobody has looked
        # at the first look the host makes its own
        assert problem.weights.tobytes() == asked.weights.tobytes()
        assert problem.out.tobytes() == asked.out.tobytes()
    assert max(np.diff(host.row_ptr)) > LAUNCH["gpu"].long


def test_ranks_are_those_of_a_graph_on_the_host(device: Any) -> None:
    host = counted(True)
    variants = ["auto", "pull", "contribution"]
    if device.kernels == "ndrange":
        variants += ["bins", "runs", "small", "subgroup"]
    calls = [partial(pagerank, variant=variant, tol=1e-6) for variant in variants]
    calls += [partial(personalized_pagerank, sources=[0, 749, 3], method=method) for method in EXACT]
    for call in calls:
        wanted, found = (call(graph, device=device) for graph in (host, on_device(device, host)))
        assert found.scores.tobytes() == wanted.scores.tobytes(), call


def test_counts_that_are_all_the_same_are_no_weights(device: Any) -> None:
    twice = Graph.from_edges([0, 0, 1, 1], [1, 1, 2, 2], directed=True)
    there = on_device(device, twice)
    problem = make_problem(there)
    assert not problem.weighing.weighted and problem.weighing.largest is None
    assert problem.out.tolist() == [1, 1, 0]
