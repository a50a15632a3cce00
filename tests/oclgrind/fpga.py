"""The FPGA's single-work-item kernels: not that they race, but where they read and write."""

import numpy as np

import clgraph
from clgraph import Graph
from clgraph.device import Setup
from clgraph.device.launch import record_launches
from clgraph.traversal import search
from oclgrind.shared import reshape


def case_pipelines(device):
    """The FPGA's single-work-item kernels: not that they race, but where they read and write."""
    random = np.random.default_rng(5)
    tail = np.concatenate((random.integers(0, 40, 60), np.zeros(9, np.int64)))
    head = np.concatenate((random.integers(0, 40, 60) // 2, random.integers(1, 40, 9)))
    graph = Graph.from_edges(tail, head, duplicates="keep")
    pipelines = device.with_setup(Setup(kernels="pipeline"))
    answers = []
    for form in (pipelines, device):
        drv = clgraph.sample(graph, "drv", size="60%", seed=3, device=form)
        drve = clgraph.sample(graph, "drve", size="60%", seed=3, components="bfs", device=form)
        found = [drv.vertices.tolist(), drve.vertices.tolist(), drve.edges.tolist()]
        for alpha in (1, 15):
            reshape(search, fuse_arcs=2, alpha=alpha)
            bfs = clgraph.bfs(graph, [0, 3], device=form)
            found += [bfs.distance.tolist(), bfs.predecessor.tolist(), bfs.source_of.tolist()]
        found.append(clgraph.connected_components(graph, device=form).labels.tolist())
        found.append(clgraph.bfs(graph, 0, method="frontier", device=form).distance.tolist())
        walks = {"method": "monte-carlo", "walks": 60, "seed": 1, "dangling": "drop"}
        top = clgraph.personalized_pagerank(graph, 0, top=3, device=form, **walks)
        found.append(top.visits.tolist())
        answers.append(found)
    assert answers[0] == answers[1]
    clgraph.pagerank(graph, variant="pull", tol=0, max_iter=2, device=pipelines)


def case_partitions(device):
    """The same where the chip is smaller than the graph."""
    random = np.random.default_rng(5)
    tail = np.concatenate((random.integers(0, 140, 150), np.zeros(30, np.int64)))
    graph = Graph.from_edges(tail, np.concatenate((random.integers(0, 140, 150), np.arange(110, 140))))
    pipelines = device.with_setup(Setup(kernels="pipeline"))
    pipelines.pipeline_parameters = {"UNROLL": 1, "LOCAL_WORDS": 4, "LOCAL_RANKS": 64, "ROW_BLOCK": 32}
    reshape(search, fuse_arcs=2, alpha=1000)
    with record_launches() as launches:
        found = clgraph.bfs(graph, 0, device=pipelines)
        ranks = clgraph.pagerank(graph, tol=0, max_iter=2, device=pipelines)
    assert {"bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum"} <= {x.kernel for x in launches}
    assert found.distance.tolist() == clgraph.bfs(graph, 0, device=device).distance.tolist()
    assert abs(ranks.scores.sum() - 1) < 1e-6


def case_pipelines_of_samplers(device):
    """Races, selections and walks."""
    random = np.random.default_rng(5)
    tail, head = random.integers(0, 40, 60), random.integers(0, 40, 60)
    graph = Graph.from_edges(tail, head, duplicates="keep")
    weighted = Graph.from_edges(tail, head, weights=1.0 + np.arange(60))
    pipelines = device.with_setup(Setup(kernels="pipeline"))
    pipelines.pipeline_parameters = {"HISTOGRAMS": 2}  # local memory is 32 KB there
    answers = []
    for form in (pipelines, device):
        found = []
        for method, options in {
            "rdn": {"size": 30, "strata": np.arange(graph.num_vertices) % 2},
            "rnn": {"size": 3},
            "hyb": {"edges": 9},
            "ties": {"size": 9},
            "mhrw": {"steps": 9, "walkers": 20, "alpha": "0.5"},
            "nbrw": {"steps": 9, "walkers": 3},
            "rwr": {"steps": 9, "walkers": 3, "weighted": True},
        }.items():
            drawn_from = weighted if "weighted" in options else graph
            drawn = clgraph.sample(drawn_from, method, seed=3, seeds=2, device=form, **options)
            found += [(one.vertices.tolist(), one.edges.tolist()) for one in drawn]
        answers.append(found)
    assert answers[0] == answers[1]
