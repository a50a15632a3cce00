"""PageRank and personalized PageRank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np


def run_pagerank(device: Any, variant: str, *, weighted: bool = False, **options: Any) -> None:
    """PageRank of a small graph by a variant."""
    from clgraph import Graph
    from clgraph.ranking import pagerank
    from clgraph.reference.pagerank import reference_pagerank

    ends = (np.random.default_rng(3).random((2, 180)) ** 2 * 50).astype(int)
    weights = np.random.default_rng(5).integers(0, 4, 180) if weighted else None
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(50), directed=True)
    found = pagerank(graph, variant=variant, tol=0, max_iter=3, device=device, **options)  # type: ignore[arg-type]
    names = ("personalization", "dangling", "nstart")
    wanted = {name: value for name, value in options.items() if name in names}
    right = reference_pagerank(graph, iterations=3, **wanted)
    assert np.abs(found.scores - right).sum() < 1e-6
    # launches after the test was met do nothing
    options["norm"] = "linf"
    stopped = pagerank(graph, variant=variant, tol=1e-2, device=device, **options)  # type: ignore[arg-type]
    assert stopped.converged


def case_pagerank_contribution(device: Any) -> None:
    """A work-item a vertex."""
    run_pagerank(device, "contribution", weighted=True, dangling="drop")


def case_pagerank_small(device: Any) -> None:
    """All iterations in one launch."""
    run_pagerank(device, "small")
    run_pagerank(device, "small", weighted=True, dangling="uniform", dtype="float64")


def case_pagerank_runs(device: Any) -> None:
    """Runs of slices, pieces."""
    run_pagerank(device, "runs")
    run_pagerank(device, "runs", weighted=True)


def case_pagerank_bins(device: Any) -> None:
    """Slices by teams, hot sources in local memory, pieces and their blocks."""
    run_pagerank(device, "bins")
    run_pagerank(device, "bins", weighted=True)


def run_ppr(device: Any, method: str, sources: Any, teams: bool = False, **options: Any) -> None:
    """Personalized PageRank of a small graph by a method."""
    from clgraph import Graph
    from clgraph.ranking import top
    from clgraph.ranking.personalized import batched_power, personalized_pagerank, walks
    from clgraph.reference.pagerank import verify_ppr

    if teams:
        config = replace(batched_power.LAUNCH.simulator, widths=(8,), teams=True)
        batched_power.LAUNCH = replace(batched_power.LAUNCH, simulator=config)
        top.LAUNCH = replace(top.LAUNCH, simulator=top.LaunchConfig(16))
        walks.LAUNCH = replace(walks.LAUNCH, simulator=walks.LaunchConfig(each=5, local=8))
    ends = (np.random.default_rng(4).random((2, 150)) ** 2 * 50).astype(int)
    weights = np.random.default_rng(5).integers(0, 4, 150) if options.pop("weighted", False) else None
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(50), directed=True)
    found = personalized_pagerank(graph, sources, method=method, device=device, **options)  # type: ignore[arg-type]
    verify_ppr(graph, found, sources)


def case_ppr(device: Any) -> None:
    """Personalized PageRank by runs of rows: lanes that are taken and started again, a top k."""
    run_ppr(device, "power", [0, 3, 9, 14, 21, 30, 33, 38, 41, 47], tol=1e-3, top=4, check_every=2)


def case_ppr_vectors(device: Any) -> None:
    """Distributions, whole vectors, arc weights."""
    sources = [{0: 1, 4: 2}, {49: 1}]
    run_ppr(device, "power", sources, weighted=True, dangling={3: 1, 4: 1}, max_iter=4, tol=0)


def case_ppr_single(device: Any) -> None:
    """One source on PageRank's rows, as GPUs do it."""
    from clgraph.ranking.personalized import engines

    engines.LAUNCH = replace(engines.LAUNCH, simulator="bins")
    run_ppr(device, "power", [{3: 1, 17: 2}], tol=1e-2, top=4)


def case_ppr_teams(device: Any) -> None:
    """The same as GPUs do it: a team a row, long rows in pieces."""
    run_ppr(device, "power", [0, 3, 9, 14], teams=True, tol=1e-2, top=4, stable_top=3, weighted=True)


def case_ppr_walks(device: Any) -> None:
    """Random walks, with and without weights."""
    run_ppr(device, "monte-carlo", [0, 3], walks=60, seed=2, top=4, dangling="drop")
    run_ppr(
        device,
        "monte-carlo",
        [{0: 1, 4: 2}],
        walks=60,
        seed=2,
        weighted=True,
        dangling="personalization",
        teams=True,
    )


def case_top_many(device: Any) -> None:
    """More of the highest than are taken one by one."""
    from clgraph.ranking import top

    top.MOST = 3
    for real in (np.float32, np.float64):
        values = np.random.default_rng(4).integers(0, 9, 50).astype(real)
        index, _ = top.highest(device, device.upload(values), 50, 20, real)
        assert index.tolist() == np.argsort(-values, kind="stable")[:20].tolist()


def _fixed(device: Any, span: int) -> None:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.ranking.problem import Problem
    from clgraph.ranking.reproducible import LaunchConfig, Leaving, ReproduciblePower

    row_ptr = np.array([0, 0, 40, 41, 45], np.int32)
    heads = (np.arange(45) % 3).astype(np.int32)
    out = np.bincount(heads, minlength=4).astype(np.float64)
    arrays = [device.upload(array) for array in (row_ptr, heads)]
    rows = DeviceCSR(4, 45, *arrays, np.int32, values={"weights": device.upload(np.ones(45))})
    to_first = np.array([1.0, 0, 0, 0])
    problem = Problem(0.85, None, to_first, None, False, "given", 4, weighing=None)  # type: ignore[arg-type]
    for dtype, kind in (("float64", "weights"), ("float32", "weights"), ("float32", "arcs")):
        shape = LaunchConfig(span=span, items=2, width=span or 1)
        power = ReproduciblePower(
            device,
            Leaving(device, 4, device.upload(out), kind, shape),
            problem,
            dtype=dtype,
            kind=kind,
            config=shape,
        )
        power.rows(power.prepare(rows), 0.25)
        sums = power.blocks(0, 1)
        found = device.download(power.y, power.dtype, 4)
        terms = 0.25 / out[heads]
        whole = [terms[row_ptr[v] : row_ptr[v + 1]].sum() for v in range(4)]
        expected = 0.15 / 4 + 0.85 * (np.array(whole) + np.array([0.25, 0, 0, 0]))
        assert np.allclose(found, expected) and np.allclose(sums, [[found[3], np.abs(found - 0.25).sum()]])


def case_fixed(device: Any) -> None:
    """An iteration with sums of one shape, by work-items."""
    _fixed(device, 0)


def case_fixed_groups(device: Any) -> None:
    """The same by windows, and a long row."""
    _fixed(device, 32)


def case_shares(device: Any) -> None:
    """Shares of arcs that count for several, made on the device."""
    from clgraph import Graph
    from clgraph.csr.upload import device_graph, graph_of
    from clgraph.ranking.problem import make_problem
    from clgraph.ranking.solver import leaving
    from clgraph.ranking.transition_weights import graph_shares, upload_shares

    rng = np.random.default_rng(3)
    host = Graph.from_edges(rng.integers(0, 25, 90), rng.integers(0, 3, 90))
    graph, wanted = graph_of(device, device_graph(device, host)), make_problem(host)
    problem = make_problem(graph)
    assert problem.weighing.largest
    share = upload_shares(device, graph, problem, np.float32, True, by_tail=True)
    shares = graph_shares(host, wanted)
    assert shares is not None
    assert np.array_equal(device.download(share, np.float32, host.num_arcs), shares.astype(np.float32))
    out = leaving(device, graph, problem, np.float32, True)
    assert np.array_equal(device.download(out, np.float32, host.num_vertices), wanted.out > 0)


def case_order(device: Any) -> None:
    """Out-degrees and their inverses made from a graph's rows; a vector made narrower."""
    from clgraph import Graph
    from clgraph.ranking.problem import make_problem
    from clgraph.ranking.solver import leaving, narrowed

    pairs = np.unique(np.random.default_rng(2).integers(0, 2500, 90))  # no parallel arcs: those count
    graph = Graph.from_edges(pairs // 50, pairs % 50, directed=True)
    n, degree = graph.num_vertices, graph.degrees
    order = np.random.default_rng(3).permutation(n).astype(np.int32)
    out = leaving(device, graph, make_problem(graph), np.float32, False)
    assert np.array_equal(device.download(out, np.float32, n), degree)
    at: Any = {"plan": "case", "order": device.upload(order), "inverse": True}
    inverse_out = leaving(device, graph, make_problem(graph), np.float32, False, **at)
    found = device.download(inverse_out, np.float32, n)
    inverse = np.divide(1, degree, out=np.zeros(n), where=degree > 0)[order]
    assert np.allclose(found, inverse)
    values = np.random.default_rng(4).random(n)
    narrow = narrowed(device, device.upload(values), n)
    assert np.array_equal(device.download(narrow, np.float32, n), values.astype(np.float32))
