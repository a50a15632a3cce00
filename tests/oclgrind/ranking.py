"""PageRank and personalized PageRank, with the variants of the theses and slides."""

from dataclasses import replace
from functools import partial

import numpy as np

from clgraph import Graph, pagerank, personalized_pagerank
from clgraph.csr.device_csr import DeviceCSR
from clgraph.csr.upload import device_graph, graph_of
from clgraph.ranking import reproducible, solver, spmv, top
from clgraph.ranking.personalized import batched_power, engines, walks
from clgraph.ranking.problem import Problem, make_problem
from clgraph.ranking.transition_weights import graph_shares, upload_shares
from clgraph.reference.pagerank import reference_pagerank, verify_ppr
from oclgrind.shared import reshape


def _graph(seed, edges, weighted):
    ends = (np.random.default_rng(seed).random((2, edges)) ** 2 * 50).astype(int)
    weights = np.random.default_rng(5).integers(0, 4, edges) if weighted else None
    return Graph.from_edges(*ends, weights=weights, vertices=np.arange(50), directed=True)


def _pagerank(device, variant, *, weighted=False, **options):
    """PageRank of a small graph by a variant."""
    graph = _graph(3, 180, weighted)
    found = pagerank(graph, variant=variant, tol=0, max_iter=3, device=device, **options)
    given = {"personalization", "dangling", "nstart"} & options.keys()
    right = reference_pagerank(graph, iterations=3, **{name: options[name] for name in given})
    assert np.abs(found.scores - right).sum() < 1e-6
    # launches after the test was met do nothing
    options["norm"] = "linf"
    assert pagerank(graph, variant=variant, tol=1e-2, device=device, **options).converged


def _both_weightings(device, variant):
    _pagerank(device, variant)
    _pagerank(device, variant, weighted=True)


# a work-item a vertex
case_pagerank_contribution = partial(_pagerank, variant="contribution", weighted=True, dangling="drop")
# runs of slices, pieces
case_pagerank_runs = partial(_both_weightings, variant="runs")
# one work-item; distributions given
GIVEN = {"personalization": {3: 1, 4: 2}, "dangling": {7: 1}, "nstart": {0: 1}}
case_pagerank_serial = partial(_pagerank, variant="serial", **GIVEN)
# a work-item a vertex, a division an arc
case_pagerank_pull = partial(_pagerank, variant="pull")
# a team a row, long rows in pieces
case_pagerank_subgroup = partial(_pagerank, variant="subgroup", norm="l2")


def case_pagerank_bins(device):
    """Slices by teams, hot sources in local memory, pieces; then rows of two pieces are hubs."""
    _both_weightings(device, "bins")
    shape = spmv.BINS.simulator
    hubs = replace(shape, layout=replace(shape.layout, joined=1))
    spmv.BINS = replace(spmv.BINS, simulator=hubs)
    _both_weightings(device, "bins")


def case_pagerank_small(device):
    """All iterations in one launch."""
    _pagerank(device, "small")
    _pagerank(device, "small", weighted=True, dangling="uniform", dtype="float64")


def _ppr(device, method, sources, weighted=False, **options):
    """Personalized PageRank of a small graph by a method."""
    graph = _graph(4, 150, weighted)
    found = personalized_pagerank(graph, sources, method=method, device=device, **options)
    verify_ppr(graph, found, sources)


# runs of rows: lanes that are taken and started again, a top k
TEN = [0, 3, 9, 14, 21, 30, 33, 38, 41, 47]
case_ppr = partial(_ppr, method="power", sources=TEN, tol=1e-3, top=4, check_every=2)
# distributions, whole vectors, arc weights
VECTORS = {"sources": [{0: 1, 4: 2}, {49: 1}], "dangling": {3: 1, 4: 1}}
case_ppr_vectors = partial(_ppr, method="power", weighted=True, max_iter=4, tol=0, **VECTORS)
# atomic adds an arc
case_ppr_coo = partial(_ppr, method="coo", sources=[0, 3], tol=1e-2, top=4)
# segmented sums, carries between groups
case_ppr_coo_flat = partial(_ppr, method="coo-flat", sources=[0, 3], tol=1e-2, dangling="personalization")


def case_ppr_single(device):
    """One source on PageRank's rows, as GPUs do it."""
    engines.LAUNCH = replace(engines.LAUNCH, simulator="bins")
    _ppr(device, "power", [{3: 1, 17: 2}], tol=1e-2, top=4)


def _team():
    """From now on as GPUs do it: a team a row, long rows in pieces."""
    reshape(batched_power, widths=(8,), teams=True)
    top.LAUNCH = replace(top.LAUNCH, simulator=top.LaunchConfig(16))
    walks.LAUNCH = replace(walks.LAUNCH, simulator=walks.LaunchConfig(each=5, local=8))


def case_ppr_teams(device):
    """Runs of rows as GPUs do it."""
    _team()
    _ppr(device, "power", [0, 3, 9, 14], tol=1e-2, top=4, stable_top=3, weighted=True)


def case_ppr_walks(device):
    """Random walks, with and without weights."""
    how = {"method": "monte-carlo", "walks": 60, "seed": 2}
    _ppr(device, sources=[0, 3], top=4, dangling="drop", **how)
    _team()
    _ppr(device, sources=[{0: 1, 4: 2}], weighted=True, dangling="personalization", **how)


def case_top_many(device):
    """More of the highest than are taken one by one."""
    top.MOST = 3
    for real in (np.float32, np.float64):
        values = np.random.default_rng(4).integers(0, 9, 50).astype(real)
        index, _ = top.highest(device, device.upload(values), 50, 20, real)
        assert index.tolist() == np.argsort(-values, kind="stable")[:20].tolist()


def _fixed(device, span):
    """An iteration with sums of one shape."""
    row_ptr = np.array([0, 0, 40, 41, 45], np.int32)
    heads = (np.arange(45) % 3).astype(np.int32)
    out = np.bincount(heads, minlength=4).astype(np.float64)
    arrays = [device.upload(array) for array in (row_ptr, heads)]
    rows = DeviceCSR(4, 45, *arrays, np.int32, values={"weights": device.upload(np.ones(45))})
    to_first = np.array([1.0, 0, 0, 0])
    problem = Problem(0.85, None, to_first, None, False, "given", 4, weighing=None)
    shape = reproducible.LaunchConfig(span=span, items=2, width=span or 1)
    for dtype, kind in (("float64", "weights"), ("float32", "weights"), ("float32", "arcs")):
        leaving = reproducible.Leaving(device, 4, device.upload(out), kind, shape)
        how = {"dtype": dtype, "kind": kind, "config": shape}
        power = reproducible.ReproduciblePower(device, leaving, problem, **how)
        power.rows(power.prepare(rows), 0.25)
        sums = power.blocks(0, 1)
        found = device.download(power.y, power.dtype, 4)
        terms = 0.25 / out[heads]
        whole = [terms[row_ptr[v] : row_ptr[v + 1]].sum() for v in range(4)]
        expected = 0.15 / 4 + 0.85 * (np.array(whole) + np.array([0.25, 0, 0, 0]))
        assert np.allclose(found, expected) and np.allclose(sums, [[found[3], np.abs(found - 0.25).sum()]])


case_fixed = partial(_fixed, span=0)  # by work-items
case_fixed_groups = partial(_fixed, span=32)  # by windows, and a long row


def case_shares(device):
    """Shares of arcs that count for several, made on the device."""
    rng = np.random.default_rng(3)
    host = Graph.from_edges(rng.integers(0, 25, 90), rng.integers(0, 3, 90))
    graph, wanted = graph_of(device, device_graph(device, host)), make_problem(host)
    problem = make_problem(graph)
    assert problem.weighing.largest
    share = upload_shares(device, graph, problem, np.float32, True, by_tail=True)
    shares = graph_shares(host, wanted)
    assert shares is not None
    assert np.array_equal(device.download(share, np.float32, host.num_arcs), shares.astype(np.float32))
    out = solver.leaving(device, graph, problem, np.float32, True)
    assert np.array_equal(device.download(out, np.float32, host.num_vertices), wanted.out > 0)


def case_order(device):
    """Out-degrees and their inverses made from a graph's rows; a vector made narrower."""
    pairs = np.unique(np.random.default_rng(2).integers(0, 2500, 90))  # no parallel arcs: those count
    graph = Graph.from_edges(pairs // 50, pairs % 50, directed=True)
    n, degree = graph.num_vertices, graph.degrees
    order = np.random.default_rng(3).permutation(n).astype(np.int32)
    out = solver.leaving(device, graph, make_problem(graph), np.float32, False)
    assert np.array_equal(device.download(out, np.float32, n), degree)
    at = {"plan": "case", "order": device.upload(order), "inverse": True}
    inverse_out = solver.leaving(device, graph, make_problem(graph), np.float32, False, **at)
    found = device.download(inverse_out, np.float32, n)
    inverse = np.divide(1, degree, out=np.zeros(n), where=degree > 0)[order]
    assert np.allclose(found, inverse)
    values = np.random.default_rng(4).random(n)
    narrow = solver.narrowed(device, device.upload(values), n)
    assert np.array_equal(device.download(narrow, np.float32, n), values.astype(np.float32))
