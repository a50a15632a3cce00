"""What calls on the same graph share, made and uploaded once: the order of rows, the shares of arcs.

Shares of arcs that count for several are made where the graph is: the host's bytes, nothing goes there.
"""

from functools import partial

import numpy as np
import pytest
from personalized import EXACT, everywhere
from ranking_checks import VARIANTS, mixed_graph
from transfers import transfers

from clgraph import Graph, pagerank, personalized_pagerank
from clgraph.csr.upload import device_graph, graph_of
from clgraph.ranking import transition_weights
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.problem import arc_weights, make_problem, make_stop
from clgraph.ranking.solver import Numbers, gather, leaving
from clgraph.ranking.transition_weights import LAUNCH, LaunchConfig, arc_shares, graph_shares, upload_shares


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_second_call_uploads_nothing(device, variant, weighted):
    graph = mixed_graph(1 + 2 * weighted, weighted)
    options = {"variant": variant, "device": device, "tol": 0, "max_iter": 5}
    first = pagerank(graph, **options)

    def uploaded(**more):
        with transfers() as moved:
            scores = pagerank(graph, **options, **more).scores
        return sum(size for size, method, _ in moved if method in ("upload", "write")), scores

    size, scores = uploaded()
    assert size == 0
    assert first.scores.tobytes() == scores.tobytes()
    given = 2 * graph.num_vertices * first.scores.itemsize  # what the caller gave
    assert uploaded(personalization={1: 1}, nstart={3: 1})[0] == given
    there = pagerank(graph, **options, arrays="device").scores
    np.testing.assert_array_equal(there.get(), first.scores)
    assert uploaded(arrays="device")[0] == 0


def test_no_recomputing(device, monkeypatch):
    """A second call does not look at the graph's arrays."""
    graph = mixed_graph(3, weighted=True)
    pagerank(graph, device=device)

    monkeypatch.setattr(Graph, "tails", None)
    for name in ("row_ptr", "col_idx", "weights"):
        monkeypatch.setattr(graph, name, None)
    monkeypatch.setattr(Graph, "num_vertices", 60)
    monkeypatch.setattr(Graph, "num_arcs", property(lambda self: 180))
    assert pagerank(graph, device=device).converged


def test_shares_of_arcs():
    """w / W beside each arc, by tail and in the reversed graph, 0 where W is; computed once a graph."""
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], weights=[1, 3, 0, 2], directed=True)
    problem, other = make_problem(graph), make_problem(graph, damping=0.5, personalization={1: 1})
    np.testing.assert_allclose(graph_shares(graph, problem), [0.25, 0.75, 0, 1])
    weights = arc_weights(graph.reverse, True)
    np.testing.assert_allclose(arc_shares(weights, problem.out, graph.reverse.col_idx), [1, 0.25, 0.75, 0])
    assert graph_shares(graph, make_problem(graph, weight=False)) is None
    assert problem.out is other.out and problem.weights is other.weights


@pytest.mark.parametrize("weight", [False, True])
def test_order(device, weight):
    """The permutation, its inverse, and 1 / W by position; the same object at each call."""
    graph = mixed_graph(3, weighted=True)
    problem = make_problem(graph, weight=weight)
    numbers, stop = Numbers(device, "float32"), make_stop(1e-6, "l1", 100, 60)
    for plan in ("serial", "runs", "bins", choose(device, graph, numbers)):
        solver = KINDS[plan](device, graph, problem, stop, numbers, weight)
        at = {"plan": solver.plan, "order": solver.order, "inverse": True}
        one, again = (leaving(device, graph, problem, np.float32, weight, **at) for _ in range(2))
        assert one is again
        n = graph.num_vertices
        order = np.arange(n) if solver.order is None else device.download(solver.order, np.int32, n)
        inverse = device.download(one, np.float32, n)
        scale = (problem.out > 0) if problem.weights is not None else problem.out
        with np.errstate(divide="ignore"):
            wanted = np.where(problem.out > 0, 1 / scale, 0)[order].astype(np.float32)
        np.testing.assert_array_equal(inverse, wanted)
        values = np.random.default_rng(1).random(n)
        there = solver.to_rows(values)
        np.testing.assert_array_equal(device.download(there, np.float32, n), values[order].astype(np.float32))
        if solver.order is not None:
            there = gather(device, np.float32, n, solver.number, there)
        np.testing.assert_array_equal(device.download(there, np.float32, n), values.astype(np.float32))
        few = np.array([3, 0, 17])
        entries = device.download(solver.entries(few, values[few]), np.float32, n)
        wanted = np.zeros(n, np.float32)
        wanted[few] = values[few]
        np.testing.assert_array_equal(entries, wanted[order])


# --- shares of arcs ---------------------------------------------------------------------------------------


def counted(directed):
    """With a hub whose row a work-group divides together, isolated vertices, and a loop."""
    rng = np.random.default_rng(5)
    hub = np.repeat(np.arange(1, 700), rng.integers(1, 5, 699))
    tail = np.concatenate((rng.integers(0, 60, 900), np.zeros(len(hub), int), hub, [7, 7]))
    head = np.concatenate((rng.integers(0, 60, 900), hub, np.zeros(len(hub), int), [7, 7]))
    made = Graph.from_edges(tail, head, directed=directed, vertices=np.arange(750))
    assert made.multiplicity is not None and made.multiplicity.max() > 5
    return made


def on_device(device, graph):
    made = graph_of(device, device_graph(device, graph))
    assert not made.is_on_host
    return made


@pytest.mark.parametrize("teams", [False, True], ids=["alone", "teams"])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_the_bytes_of_the_host(device, monkeypatch, directed, teams):
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


def test_ranks_are_those_of_a_graph_on_the_host(device):
    host = counted(True)
    variants = ["auto", "pull", "contribution"]
    if device.kernels == "ndrange":
        variants += ["bins", "runs", "small", "subgroup"]
    calls = [partial(pagerank, variant=variant, tol=1e-6) for variant in variants]
    calls += [partial(personalized_pagerank, sources=[0, 749, 3], method=method) for method in EXACT]
    for call in calls:
        wanted, found = (call(graph, device=device) for graph in (host, on_device(device, host)))
        assert found.scores.tobytes() == wanted.scores.tobytes(), call


def test_counts_that_are_all_the_same_are_no_weights(device):
    twice = Graph.from_edges([0, 0, 1, 1], [1, 1, 2, 2], directed=True)
    there = on_device(device, twice)
    problem = make_problem(there)
    assert not problem.weighing.weighted and problem.weighing.largest is None
    assert problem.out.tolist() == [1, 1, 0]
