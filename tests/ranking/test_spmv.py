"""The variants that production chooses from, each by every check, and what each of them has of its own.

"bins" (a warp takes a slice, hot sources in local memory), "runs" (of slices), "contribution", "small" (all
iterations in one launch), and partitions that fit on chip (pipelines only: tests/fpga has more).
"""

import numpy as np
import pytest
from personalized import everywhere
from ranking_checks import as_reference, every_check, full_groups, mixed_graph, skewed_graph

from clgraph import Graph
from clgraph.device import Device, Setup
from clgraph.device.hardware import Without
from clgraph.errors import InputError
from clgraph.ranking import pagerank, spmv, spmv_small
from clgraph.ranking.plan import cut_for
from clgraph.ranking.problem import make_problem, make_stop
from clgraph.ranking.sell import Layout
from clgraph.ranking.solver import Numbers
from clgraph.ranking.spmv import MOST_RUNS, BinSolver, RunSolver
from clgraph.reference.pagerank import verify_pagerank

STOP = make_stop(1e-6, "l1", 100, 10**6)


@every_check
@pytest.mark.parametrize(
    "variant", [pytest.param("small", marks=pytest.mark.cross), "bins", "runs", "contribution"]
)
def test_variant(device, variant, check):
    if variant == "small" and check.__name__ == "long_rows" and device.kind == "gpu":
        pytest.skip("the graph does not fit local memory")
    check(device, variant)


def test_vertices_of_a_group(device):
    full_groups(device, "contribution")


# --- "bins" and "runs" ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_segments(device, monkeypatch):
    """Long rows with arcs from every segment of hot sources, and from cold ones; two hubs."""
    layout = Layout(width=4, long_row=6, hot=8, segments=3, classes=(4, 16), joined=20)
    shape = spmv.LaunchConfig(local=8, groups=2, piece_groups=2, layout=layout)
    monkeypatch.setattr(spmv, "BINS", everywhere(shape))
    n = 300
    rng = np.random.default_rng(1)
    tails = np.concatenate((np.tile(np.arange(n), 2), rng.integers(0, n, 900)))
    heads = np.concatenate((np.zeros(n, int), np.ones(n, int), rng.integers(0, n, 900)))
    for weights in (None, rng.random(len(tails))):
        graph = Graph.from_edges(tails, heads, weights=weights, directed=True)
        rows = BinSolver(device, graph, make_problem(graph), STOP, Numbers(device, "float32"), True)
        sell, (groups, there) = rows.sell, rows.balance["piece"]
        turns = device.download(there, np.int32, 3 * groups).reshape(-1, 3)
        assert set(turns[:, 2].tolist()) == {0, 8, 16, -1}
        slices = np.concatenate([np.arange(first, last) for first, last, _ in turns])
        assert len(set(slices.tolist())) == len(slices)  # no slice is summed twice
        assert len(slices) * layout.width >= sell.pieces  # and none is left out
        first = device.download(sell.first_piece, np.int32, n + 1)
        assert (first[0], first[-1]) == (0, sell.pieces)
        assert 20 < np.diff(first).max() == sell.longest_join and sell.hubs == 2
        for dtype in ("float32", "float64"):
            as_reference(device, graph, 6, dtype, variant="bins")


@pytest.mark.first_device
def test_little_local_memory(device):
    """Fewer sources of float64 are hot there than of float32."""
    if device.kind == "gpu":
        pytest.skip("as everywhere on GPUs, and a driver may keep some of so little for itself")
    setup = Setup(device.setup.kernels, force=True, without=Without.wanted("local_memory=4K"))
    little, graph = device.with_setup(setup), skewed_graph()
    for dtype in ("float32", "float64"):
        as_reference(little, graph, 6, dtype, variant="bins")


def test_runs_take_all_slices(device):
    """Each slice of rows and of pieces is in one run."""
    graph = skewed_graph(3)
    rows = RunSolver(device, graph, make_problem(graph), STOP, Numbers(device, "float32"), True)
    slices = -(-graph.num_vertices // rows.layout.width)
    bounds = {part: device.download(there, np.int32, n + 1) for part, (n, there) in rows.balance.items()}
    assert bounds["row"][[0, -1]].tolist() == [0, slices]
    assert rows.balance["row"][0] == min(MOST_RUNS, slices)
    assert bounds["piece"][0] == 0
    assert bounds["piece"][-1] * rows.layout.width >= rows.sell.pieces > 0
    assert all(np.all(np.diff(bound) >= 0) for bound in bounds.values())
    as_reference(device, graph, 4, variant="runs")


# --- "small" ----------------------------------------------------------------------------------------------


def dangling_graph(seed, weighted):
    """Most vertices are dangling, some of them by weight 0 alone."""
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, 40, 500), rng.integers(0, 400, 500)
    weights = rng.integers(0, 3, 500).astype(float) * (tails != 7) if weighted else None
    return Graph.from_edges(tails, heads, weights=weights, vertices=np.arange(400), directed=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"personalization": {3: 1, 390: 4}},
        {"personalization": {5: 1}, "dangling": {399: 1, 0: 2}},
        {"dangling": "drop"},
    ],
)
def test_dangling(device, weighted, options):
    """With tol=0 the rows of dangling vertices are summed in the last two iterations only."""
    for seed, count in enumerate((1, 2, 3, 10)):
        graph = dangling_graph(seed, weighted)
        for dtype in ("float32", "float64"):
            verify_pagerank(graph, as_reference(device, graph, count, dtype, variant="small", **options))


def test_several_launches(device, monkeypatch):
    """A launch does a limited number of iterations; the next one goes on from there."""

    def ranked():
        ends = [{"tol": 0, "max_iter": 11}, {"tol": 1e-6}]
        return [pagerank(mixed_graph(1), variant="small", device=device, **end) for end in ends]

    whole = ranked()
    monkeypatch.setattr(spmv_small, "TURNS", 4)
    parts = ranked()
    for one, other in zip(whole, parts, strict=True):
        assert one.iterations == other.iterations
        assert one.residual == other.residual
        assert np.array_equal(one.scores, other.scores)
    assert parts[1].iterations > 8


def ring(n):
    return Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n, directed=True)


def test_too_many_sources(device):
    n = spmv_small.SOURCES + 1
    with pytest.raises(InputError, match=f"at most {spmv_small.SOURCES} vertices with out-arcs, .* {n}"):
        pagerank(ring(n), variant="small", device=device)
    assert pagerank(ring(n), device=device, max_iter=1, tol=0).variant != "small"


# --- partitions -------------------------------------------------------------------------------------------


@pytest.fixture
def tiny_chip(device):
    """A device that runs the pipelines of a chip too small for the graphs here."""
    chip = Device(device.raw, device.spec, Setup(kernels="pipeline"))
    chip.pipeline_parameters = {"UNROLL": 2, "LOCAL_WORDS": 16, "LOCAL_RANKS": 64}
    return chip


@pytest.mark.parametrize(
    "options",
    [{}, {"personalization": {3: 1, 50: 2}, "dangling": "uniform"}, {"dangling": "drop", "norm": "l2"}],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_partitions(tiny_chip, weighted, options):
    graph = mixed_graph(1 + 2 * weighted, weighted, n=150, arcs=450)
    assert cut_for(tiny_chip, graph).partitions == 3
    for dtype in ("float32", "float64"):
        assert as_reference(tiny_chip, graph, 9, dtype, **options).variant == "partitions"


def test_no_partitions_where_all_fits(tiny_chip):
    assert cut_for(tiny_chip, ring(64)) is None
    assert pagerank(ring(64), device=tiny_chip).variant == "contribution"
