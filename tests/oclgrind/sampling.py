"""Deletions in batches and by probes, contractions, explorations."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

import clgraph.sampling.explore
import clgraph.sampling.threshold_search
from clgraph import Graph, powerlaw_graph, reduction_curve, sample_neighbors, split_edges
from clgraph.device.launch_config import LaunchTable
from clgraph.reference import reference_sample, verify_sample
from clgraph.reference.fanout import reference_neighbors, verify_neighbors
from clgraph.reference.reduction import reference_contract, reference_explore
from clgraph.reference.split import reference_split_edges
from clgraph.sampling import contract, explore, replicates, runs, sample, strong
from clgraph.sampling.contract import Contraction
from clgraph.sampling.deletion_times import rows_of_curve
from clgraph.sampling.explore import BreadthFirst, DepthFirst
from clgraph.sampling.repair import Repair
from clgraph.sampling.request import check_request
from clgraph.sampling.runs import side_by_side


def _sample(device: Any, method: str, **options: Any) -> None:
    """A sample of a graph with parallel edges, checked against the reference."""
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 60), rng.integers(0, 40, 60), duplicates="keep")
    made = sample(graph, method, size="60%", seed=5, device=device, **options)
    expected = reference_sample(
        graph, method, size="60%", seed=5, mode=made.mode, tolerance=options.get("tolerance")
    )
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)
    verify_sample(graph, made)


def case_fanout(device: Any) -> None:
    """Layered neighbours: rows of the reverse, parallel arcs, replacement, weights, trees, batches."""
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 30, (2, 90))
    weights = rng.integers(0, 4, 90)
    graph = Graph.from_edges(*ends, vertices=np.arange(30), directed=True, duplicates="keep", weights=weights)
    for options in (
        {"replace": True},
        {"disjoint": True},
        {"direction": "out"},
        {"weighted": True},
        {"weighted": True, "replace": True},
    ):
        seeds = [1, 2, 3, 4]
        found = sample_neighbors(graph, seeds, [3, 2], seed=2, batches=2, device=device, **options)
        for b in range(2):
            wanted = reference_neighbors(graph, seeds[2 * b : 2 * b + 2], [3, 2], seed=2 + b, **options)
            one = found.batch(b)
            assert one.vertices.tolist() == wanted.vertices
            for name in ("row", "col", "edge"):
                assert getattr(one, name).tolist() == [i for hop in getattr(wanted, name) for i in hop]


def case_fanout_numbers(device: Any) -> None:
    """Layered neighbours by vertex number: the last hop is not numbered."""
    graph = Graph.from_edges(*np.random.default_rng(4).integers(0, 30, (2, 90)), vertices=np.arange(30))
    found = sample_neighbors(graph, [1, 2, 3, 4], [3, 2], seed=2, batches=2, relabel=False, device=device)
    verify_neighbors(graph, found, [3, 2])


def case_split(device: Any) -> None:
    """Edges held out, and negatives by both laws."""
    ends = np.random.default_rng(5).integers(0, 30, (2, 90))
    for directed in (False, True):
        graph = Graph.from_edges(*ends, vertices=np.arange(30), directed=directed)
        for options in ({}, {"keep_connected": False, "negative_law": "degree"}):
            found = split_edges(graph, 20, 5, seed=3, device=device, **options)
            wanted = reference_split_edges(graph, 20, 5, seed=3, **options)
            for number, part in enumerate((found.train, found.validation, found.test)):
                assert list(zip(*part.edges.tolist(), strict=True)) == wanted.edges[number]
                assert list(zip(*part.negatives.tolist(), strict=True)) == wanted.negatives[number]
    # few pairs without an edge: one round of draws does not find them all
    u, v = np.triu_indices(12, 1)
    kept = np.arange(len(u)) % 11 > 0
    graph = Graph.from_edges(u[kept], v[kept])
    options = {"negatives": 0.1, "negative_law": "degree"}
    found, wanted = (
        split_edges(graph, 20, 10, seed=3, device=device, **options),
        reference_split_edges(graph, 20, 10, seed=3, **options),
    )
    assert list(zip(*found.train.negatives.tolist(), strict=True)) == wanted.negatives[0] != []


def case_sample_drv(device: Any) -> None:
    """Batched removal of vertices, with undo."""
    _sample(device, "drv", mode="batched", tolerance=0)


def case_sample_dre(device: Any) -> None:
    """Batched removal of edges by their owners."""
    _sample(device, "dre", mode="batched", components="bfs", tolerance=0)


def case_sample_dre_scan(device: Any) -> None:
    """Batched removal of edges, walking back for the owner and scanning for the far side."""
    _sample(device, "dre", mode="batched", far_scan=True)


def case_sample_drve(device: Any) -> None:
    """Batched removal of a vertex's edge."""
    _sample(device, "drve", tolerance=0)


def case_sample_followed(device: Any) -> None:
    """The same, and removal of vertices, with the component followed from batch to batch."""
    runs.finder_for = Repair  # type: ignore[assignment]
    _sample(device, "drve", tolerance=0)
    _sample(device, "drv", mode="batched", tolerance=0)


def case_sample_dhyb(device: Any) -> None:
    """Batched removal of a vertex's edge or of any edge."""
    _sample(device, "dhyb", tolerance=0)


def _strong_sample(device: Any, method: str, duplicates: Any, long_row: int | None) -> None:
    """A sample that keeps the largest strong component, checked against the reference."""
    rng = np.random.default_rng(8)
    strong.StrongCopraFinder.__init__ = functools.partialmethod(
        strong.StrongCopraFinder.__init__, long_row=long_row
    )  # type: ignore[assignment]
    graph = Graph.from_edges(*rng.integers(0, 40, (2, 110)), directed=True, duplicates=duplicates)
    made = sample(graph, method, size="50%", seed=5, device=device, connection="strong")
    expected = reference_sample(graph, method, size="50%", seed=5, mode="batched", connection="strong")
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)


def case_sample_strong(device: Any) -> None:
    """The largest strong component after batches of vertices."""
    _strong_sample(device, "drv", "merge", None)


def case_sample_strong_pieces(device: Any) -> None:
    """The same after batches of parallel edges, with long rows in pieces."""
    _strong_sample(device, "dre", "keep", 2)


def case_exact_drv(device: Any) -> None:
    """Exact removal of vertices by probes."""
    clgraph.sampling.threshold_search.FEW = 3
    _sample(device, "drv", mode="exact")


def case_exact_dre(device: Any) -> None:
    """Exact removal of edges by probes."""
    clgraph.sampling.threshold_search.FEW = 3
    _sample(device, "dre", mode="exact")


def case_exact_dre_within(device: Any) -> None:
    """The same, where the sample is found among deletions that the host takes one by one."""
    clgraph.sampling.threshold_search.FEW = 30
    _sample(device, "dre", mode="exact")


def _side_by_side(device: Any, engine: str, *methods: str) -> None:
    """Runs side by side, against each alone."""
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 60), rng.integers(0, 40, 60))
    for method in methods:
        found = side_by_side(device, graph, check_request(graph, method, {}), 3)
        assert found is not None and found.__name__ == engine
        made = sample(graph, method, sizes=[20, 5], seed=5, seeds=3, device=device)
        made._joined_on(device)
        for k, each in enumerate(made):
            alone = sample(graph, method, sizes=[20, 5], seed=each.seed, device=device)[k % 2]
            assert np.array_equal(each.vertices, alone.vertices)
            assert np.array_equal(each.edges, alone.edges)


def case_contract_runs(device: Any) -> None:
    """Contractions side by side, a run a work-group."""
    _side_by_side(device, "ContractRuns", "cre", "crve")


def case_draw_runs(device: Any) -> None:
    """Batches of drawn edges side by side, a run a work-group."""
    _side_by_side(device, "DrawRuns", "drve", "dhyb")


def case_replicates(device: Any) -> None:
    """Exact runs side by side, a run a work-item."""
    _side_by_side(device, "MergeTrees", "drv", "dre")


def case_replicates_probes(device: Any) -> None:
    """The same with all runs in each launch, and with too little room for the last deletions."""
    probes = runs.SideBySide("probes", 1 << 20)
    runs.LAUNCH = LaunchTable(gpu=probes, cpu=probes, simulator=probes)
    replicates.FEW, replicates.ROOM = 6, 12
    _side_by_side(device, "Probes", "drv", "dre")


def case_replicates_breadth(device: Any) -> None:
    """Breadth-first runs side by side."""
    _side_by_side(device, "BreadthRuns", "ebfs")


def case_replicates_depth(device: Any) -> None:
    """Depth-first runs side by side."""
    _side_by_side(device, "DepthRuns", "edfs")


def _curve(device: Any, method: Any) -> None:
    """All sizes of an exact reduction, against samples of the reference."""
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 30, 40), rng.integers(0, 30, 40))
    found = reduction_curve(graph, method, seed=5, mode="exact", device=device)
    assert len(found.vertices) > 5
    for size in range(1, graph.num_vertices, 3):
        expected = reference_sample(graph, method, size=size, seed=5, mode="exact")
        assert found.at(size)[1:] == (len(expected.vertices), len(expected.edges))


def case_curve_drv(device: Any) -> None:
    """All sizes of an exact removal of vertices at once."""
    _curve(device, "drv")


def case_deletion_times(device: Any) -> None:
    """The same for all deletions together, from the forest."""
    graph = powerlaw_graph(60, seed=3)
    for method in ("drv", "dre"):
        found = reduction_curve(graph, method, 5, device=device)
        rows = rows_of_curve(device, graph, 5, 1, edges=method == "dre")
        for name, row in zip(("deletions", "vertices", "edges"), rows, strict=True):
            assert np.array_equal(getattr(found, name), row)


def case_curve_dre(device: Any) -> None:
    """All sizes of an exact removal of edges at once."""
    _curve(device, "dre")


def _contract(device: Any, method: str) -> None:
    """A contraction in chunks of a few draws, checked against the reference."""
    few = replace(contract.LAUNCH.of(device), chunk=16)
    contract.LAUNCH = replace(contract.LAUNCH, simulator=few)
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 70), rng.integers(0, 40, 70), duplicates="keep")
    run = Contraction(device, graph.without_self_loops, 5, method=method)
    run.start()
    for wanted in reference_contract(graph, method, sizes=["60%", 3, 1], seed=5):
        run.shrink_to(wanted.target_vertices)
        left = run.download()
        assert np.array_equal(left.groups(), wanted.contracted_to)
        assert np.count_nonzero(left.arc_mask(graph)) == 2 * len(wanted.edges)


def case_contract_cre(device: Any) -> None:
    """Contraction of uniform edges."""
    _contract(device, "cre")


def case_contract_crve(device: Any) -> None:
    """Contraction of a uniform vertex's edge."""
    _contract(device, "crve")


def _explore(device: Any, method: str) -> None:
    """An exploration, checked against the reference."""
    clgraph.sampling.explore.CAPACITY = 4
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 70), rng.integers(0, 40, 70), duplicates="keep")
    explore = BreadthFirst if method == "ebfs" else DepthFirst
    run = explore(device, graph.without_self_loops, 5)
    run.start()
    for wanted in reference_explore(graph, method, sizes=["60%", "30%", 1], seed=5):
        run.shrink_to(wanted.target_vertices)
        left = run.download()
        assert np.array_equal(graph.ids[left.members(graph)], wanted.vertices)
        assert np.count_nonzero(left.arc_mask(graph)) == 2 * len(wanted.edges)


def case_explore_ebfs(device: Any) -> None:
    """Exploration breadth-first, a level cut."""
    _explore(device, "ebfs")


def case_explore_edfs(device: Any) -> None:
    """Exploration depth-first, one neighbour at a time."""
    one = replace(explore.LAUNCH.of(device), lanes=1)
    explore.LAUNCH = replace(explore.LAUNCH, simulator=one)
    _explore(device, "edfs")


def case_explore_edfs_lanes(device: Any) -> None:
    """Exploration depth-first as GPUs do it: several neighbours at a time."""
    _explore(device, "edfs")
