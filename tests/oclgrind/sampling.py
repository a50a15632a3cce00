"""Deletions in batches and by probes, contractions, explorations."""

from dataclasses import replace
from functools import partial, partialmethod

import numpy as np
from graphs import random_graph

from clgraph import Graph, powerlaw_graph, reduction_curve, sample, sample_neighbors, split_edges
from clgraph.reference import reference_sample, verify_sample
from clgraph.reference.fanout import reference_neighbors, verify_neighbors
from clgraph.reference.reduction import reference_contract, reference_explore
from clgraph.reference.split import reference_split_edges
from clgraph.sampling import contract, explore, replicates, runs, strong, threshold_search
from clgraph.sampling.deletion_times import rows_of_curve
from clgraph.sampling.repair import Repair
from clgraph.sampling.request import check_request
from oclgrind.shared import reshape


def _graph(edges, n=40, **options):
    return Graph.from_edges(*np.random.default_rng(6).integers(0, n, (2, edges)), **options)


def _sample(device, method, **options):
    """A sample of a graph with parallel edges, checked against the reference."""
    graph, asked = _graph(60, duplicates="keep"), {"size": "60%", "seed": 5}
    made = sample(graph, method, device=device, **asked, **options)
    tolerance = options.get("tolerance")
    expected = reference_sample(graph, method, mode=made.mode, tolerance=tolerance, **asked)
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)
    verify_sample(graph, made)


# batched removal: of vertices, with undo
case_sample_drv = partial(_sample, method="drv", mode="batched", tolerance=0)
# of edges by their owners
case_sample_dre = partial(_sample, method="dre", mode="batched", components="bfs", tolerance=0)
# of edges, walking back for the owner and scanning for the far side
case_sample_dre_scan = partial(_sample, method="dre", mode="batched", far_scan=True)
# of a vertex's edge
case_sample_drve = partial(_sample, method="drve", tolerance=0)
# of a vertex's edge or of any edge
case_sample_dhyb = partial(_sample, method="dhyb", tolerance=0)


def case_sample_followed(device):
    """Batched removal with the component followed from batch to batch."""
    runs.finder_for = Repair
    _sample(device, "drve", tolerance=0)
    _sample(device, "drv", mode="batched", tolerance=0)


def _exact(device, method, few=3):
    """Exact removal by probes, down to a few deletions that the host takes one by one."""
    threshold_search.FEW = few
    _sample(device, method, mode="exact")


case_exact_drv = partial(_exact, method="drv")
case_exact_dre = partial(_exact, method="dre")
case_exact_dre_within = partial(_exact, method="dre", few=30)  # the sample is found among those few


def case_fanout(device):
    """Layered neighbours: rows of the reverse, parallel arcs, replacement, weights, trees, batches."""
    rng = np.random.default_rng(4)
    ends, weights = rng.integers(0, 30, (2, 90)), rng.integers(0, 4, 90)
    graph = Graph.from_edges(*ends, vertices=np.arange(30), directed=True, duplicates="keep", weights=weights)
    weighted, replaced = {"weighted": True}, {"replace": True}
    for options in (replaced, {"disjoint": True}, {"direction": "out"}, weighted, weighted | replaced):
        seeds = [1, 2, 3, 4]
        found = sample_neighbors(graph, seeds, [3, 2], seed=2, batches=2, device=device, **options)
        for b in range(2):
            wanted = reference_neighbors(graph, seeds[2 * b : 2 * b + 2], [3, 2], seed=2 + b, **options)
            one = found.batch(b)
            assert one.vertices.tolist() == wanted.vertices
            for name in ("row", "col", "edge"):
                assert getattr(one, name).tolist() == [i for hop in getattr(wanted, name) for i in hop]


def case_fanout_numbers(device):
    """Layered neighbours by vertex number: the last hop is not numbered."""
    graph = random_graph(4, 30, 90)
    found = sample_neighbors(graph, [1, 2, 3, 4], [3, 2], seed=2, batches=2, relabel=False, device=device)
    verify_neighbors(graph, found, [3, 2])


def _pairs(ends):
    return list(zip(*ends.tolist(), strict=True))


def case_split(device):
    """Edges held out, and negatives by both laws."""
    for directed in (False, True):
        graph = random_graph(5, 30, 90, directed=directed)
        for options in ({}, {"keep_connected": False, "negative_law": "degree"}):
            found = split_edges(graph, 20, 5, seed=3, device=device, **options)
            wanted = reference_split_edges(graph, 20, 5, seed=3, **options)
            for number, part in enumerate((found.train, found.validation, found.test)):
                assert _pairs(part.edges) == wanted.edges[number]
                assert _pairs(part.negatives) == wanted.negatives[number]
    # few pairs without an edge: one round of draws does not find them all
    u, v = np.triu_indices(12, 1)
    kept = np.arange(len(u)) % 11 > 0
    graph = Graph.from_edges(u[kept], v[kept])
    options = {"seed": 3, "negatives": 0.1, "negative_law": "degree"}
    found = split_edges(graph, 20, 10, device=device, **options)
    wanted = reference_split_edges(graph, 20, 10, **options)
    assert _pairs(found.train.negatives) == wanted.negatives[0] != []


def _strong_sample(device, method, duplicates, long_row):
    """A sample that keeps the largest strong component after batches, checked against the reference."""
    plain = strong.StrongCopraFinder.__init__
    strong.StrongCopraFinder.__init__ = partialmethod(plain, long_row=long_row)
    ends = np.random.default_rng(8).integers(0, 40, (2, 110))
    graph = Graph.from_edges(*ends, directed=True, duplicates=duplicates)
    asked = {"size": "50%", "seed": 5, "connection": "strong"}
    made = sample(graph, method, device=device, **asked)
    expected = reference_sample(graph, method, mode="batched", **asked)
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)


case_sample_strong = partial(_strong_sample, method="drv", duplicates="merge", long_row=None)
# of parallel edges, with long rows in pieces
case_sample_strong_pieces = partial(_strong_sample, method="dre", duplicates="keep", long_row=2)


def _side_by_side(device, engine, methods):
    """Runs side by side, against each alone."""
    graph = _graph(60)
    for method in methods:
        found = runs.side_by_side(device, graph, check_request(graph, method, {}), 3)
        assert found is not None and found.__name__ == engine
        made = sample(graph, method, sizes=[20, 5], seed=5, seeds=3, device=device)
        made._joined_on(device)
        for k, each in enumerate(made):
            alone = sample(graph, method, sizes=[20, 5], seed=each.seed, device=device)[k % 2]
            assert np.array_equal(each.vertices, alone.vertices)
            assert np.array_equal(each.edges, alone.edges)


# a run a work-group: contractions, batches of drawn edges
case_contract_runs = partial(_side_by_side, engine="ContractRuns", methods=("cre", "crve"))
case_draw_runs = partial(_side_by_side, engine="DrawRuns", methods=("drve", "dhyb"))
# exact runs, a run a work-item
case_replicates = partial(_side_by_side, engine="MergeTrees", methods=("drv", "dre"))
case_replicates_breadth = partial(_side_by_side, engine="BreadthRuns", methods=("ebfs",))
case_replicates_depth = partial(_side_by_side, engine="DepthRuns", methods=("edfs",))


def case_replicates_probes(device):
    """Exact runs, all in each launch, and with too little room for the last deletions."""
    runs.LAUNCH = replace(runs.LAUNCH, simulator=runs.SideBySide("probes", 1 << 20))
    replicates.FEW, replicates.ROOM = 6, 12
    _side_by_side(device, "Probes", ("drv", "dre"))


def _curve(device, method):
    """All sizes of an exact reduction at once, against samples of the reference."""
    graph = _graph(40, n=30)
    found = reduction_curve(graph, method, seed=5, mode="exact", device=device)
    assert len(found.vertices) > 5
    for size in range(1, graph.num_vertices, 3):
        expected = reference_sample(graph, method, size=size, seed=5, mode="exact")
        assert found.at(size)[1:] == (len(expected.vertices), len(expected.edges))


case_curve_drv = partial(_curve, method="drv")
case_curve_dre = partial(_curve, method="dre")


def case_deletion_times(device):
    """The same for all deletions together, from the forest."""
    graph = powerlaw_graph(60, seed=3)
    for method in ("drv", "dre"):
        found = reduction_curve(graph, method, 5, device=device)
        rows = rows_of_curve(device, graph, 5, 1, edges=method == "dre")
        for name, row in zip(("deletions", "vertices", "edges"), rows, strict=True):
            assert np.array_equal(getattr(found, name), row)


def _contract(device, method):
    """A contraction in chunks of a few draws, checked against the reference."""
    reshape(contract, chunk=16)
    graph = _graph(70, duplicates="keep")
    run = contract.Contraction(device, graph.without_self_loops, 5, method=method)
    run.start()
    for wanted in reference_contract(graph, method, sizes=["60%", 3, 1], seed=5):
        run.shrink_to(wanted.target_vertices)
        left = run.download()
        assert np.array_equal(left.groups(), wanted.contracted_to)
        assert np.count_nonzero(left.arc_mask(graph)) == 2 * len(wanted.edges)


case_contract_cre = partial(_contract, method="cre")  # uniform edges
case_contract_crve = partial(_contract, method="crve")  # a uniform vertex's edge


def _explore(device, method, **shape):
    """An exploration, checked against the reference."""
    explore.CAPACITY = 4
    reshape(explore, **shape)
    graph = _graph(70, duplicates="keep")
    way = explore.BreadthFirst if method == "ebfs" else explore.DepthFirst
    run = way(device, graph.without_self_loops, 5)
    run.start()
    for wanted in reference_explore(graph, method, sizes=["60%", "30%", 1], seed=5):
        run.shrink_to(wanted.target_vertices)
        left = run.download()
        assert np.array_equal(graph.ids[left.members(graph)], wanted.vertices)
        assert np.count_nonzero(left.arc_mask(graph)) == 2 * len(wanted.edges)


case_explore_ebfs = partial(_explore, method="ebfs")  # a level cut
case_explore_edfs = partial(_explore, method="edfs", lanes=1)  # one neighbour at a time
case_explore_edfs_lanes = partial(_explore, method="edfs")  # several, as GPUs do it
