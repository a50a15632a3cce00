"""What the tests of PageRank share: its variants, graphs, and the checks that every variant must pass."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from clgraph import Graph
from clgraph.errors import InputError
from clgraph.ranking import PageRankResult, pagerank, solver
from clgraph.ranking.problem import Weighing
from clgraph.ranking.sell import PARTS
from clgraph.ranking.solver import LAUNCH, Numbers
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank

WITHOUT_DOUBLES = SimpleNamespace(features=frozenset())
VARIANTS = ("auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins")


def mixed_graph(seed, weighted=False, n=60, arcs=180):
    """Small, with loops, parallel arcs, isolated and dangling vertices; directed if `seed` is odd."""
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, arcs)) ** 2 * n).astype(int)
    options = {"weights": rng.integers(0, 9, arcs) / 3} if weighted else {}
    options |= {"directed": bool(seed % 2), "duplicates": ("merge", "keep")[seed // 2 % 2]}
    return Graph.from_edges(*ends, vertices=np.arange(n), **options)


def skewed_graph(seed=0, n=20_000, arcs=150_000):
    """Some very long rows, and very popular sources."""
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, arcs)) ** 5 * n).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(n), directed=True)


def assert_close(one, other, dtype):
    """Two results of the same iteration agree as far as the type of the ranks allows."""
    ranks = other.scores if isinstance(other, PageRankResult) else other
    l1, relative = (1e-6, 1e-5) if dtype == "float32" else (1e-12, 1e-11)
    assert np.abs(one.scores.astype(np.float64) - ranks).sum() <= l1
    np.testing.assert_allclose(one.scores, ranks, rtol=relative, atol=0 if dtype == "float32" else 1e-15)


def as_reference(device, graph, count, dtype="float32", **options):
    """The result of so many iterations, whose scores are those of the reference."""
    found = pagerank(graph, tol=0, max_iter=count, dtype=dtype, device=device, **options)
    meant = {name: value for name, value in options.items() if name not in ("variant", "norm")}
    assert_close(found, reference_pagerank(graph, iterations=count, **meant), dtype)
    return found


def usable(device, graph, dtype="float32"):
    """The variants, without "small" where the graph does not fit a GPU's local memory."""
    try:
        pagerank(graph, variant="small", tol=0, max_iter=1, dtype=dtype, device=device)
    except InputError as error:
        if "float64" in str(error):
            raise
        assert device.kind == "gpu"
        assert "local memory" in str(error)
        return [variant for variant in VARIANTS if variant != "small"]
    return list(VARIANTS)


def dtypes(device):
    """The types of ranks that a device has."""
    return ("float32", "float64") if "HAVE_FP64" in device.features else ("float32",)


# --- known answers ------------------------------------------------------------------------------------

# a fixed point and the second iterate, published beside the graph; damping is 0.95
FIXED = [0.091558455, 0.168392527, 0.065684981, 0.191467441, 0.120675665, 0.362220931]
SECOND = [0.0776471, 0.167637, 0.0639699, 0.220202, 0.140046, 0.330498]


def published_graph():
    ends = [0, 1, 1, 2, 2, 2, 3, 4], [1, 3, 4, 0, 1, 3, 5, 5]
    return Graph.from_edges(*ends, weights=[0.1, 2.1, 1.1, 5.1, 3.1, 4.1, 7.2, 3.2], directed=True)


# with this personalization: the fixed point and the first iterate
PATH, P = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True), [0.1, 0.2, 0.3, 0.4]
FIXED_OF_P, FIRST_OF_P = [0.0559233, 0.159381, 0.303244, 0.481451], [0.03625, 0.285, 0.32125, 0.3575]


# --- faults of the code that verifiers check -----------------------------------------------------------


def squared_weights(problem, graph):
    assert problem.weights is not None
    weights = problem.weights**2
    out = np.bincount(graph.tails, weights=weights, minlength=graph.num_vertices)
    return replace(problem, weighing=Weighing(True, lambda: (weights, out)))


def dropped_mass(problem, graph):
    """No vertex counts as dangling: the mass on those that are is gone."""
    out = np.where(problem.out == 0, 1.0, problem.out)
    return replace(problem, weighing=Weighing(problem.weighing.weighted, lambda: (problem.weights, out)))


# --- checks of one variant ----------------------------------------------------------------------------


def random_graphs(device, variant):
    """Weighted or not, directed or not, merged or not."""
    for dtype in dtypes(device):
        for seed in range(4):
            graph = mixed_graph(seed, weighted=seed > 1)
            found = as_reference(device, graph, 15, dtype, variant=variant)
            assert found.scores.dtype == dtype
            assert (found.iterations, found.converged) == (15, None)
            assert variant in ("auto", found.variant)
            verify_pagerank(graph, found)


def long_rows(device, variant):
    """Rows of tens of thousands of arcs: plain float32 sums would be off by 5e-4."""
    graph = skewed_graph()
    for dtype in dtypes(device):
        if variant in usable(device, graph, dtype):
            as_reference(device, graph, 12, dtype, variant=variant)


def compensated_sums(device, variant):
    """As on a device without float64."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "Numbers", lambda device, dtype: Numbers(WITHOUT_DOUBLES, "float32"))
        graph = skewed_graph(1, n=3000, arcs=60_000)
        if variant not in usable(device, graph):
            return
        as_reference(device, graph, 12, variant=variant)
        stopped = pagerank(graph, variant=variant, device=device, norm="l2", tol=1e-7)
        assert 0 < stopped.residual < 1e-7
        verify_pagerank(graph, stopped)


def same_bytes_twice(device, variant):
    """Two graphs that are equal have the same ranks, to the bit."""
    for make in (lambda: skewed_graph(2), lambda: mixed_graph(3, weighted=True)):
        if variant not in usable(device, make()):
            continue
        one, other = (pagerank(make(), variant=variant, device=device, tol=1e-5) for _ in range(2))
        assert one.scores.tobytes() == other.scores.tobytes()
        assert (one.iterations, one.residual) == (other.iterations, other.residual)


def large_offsets(device, variant):
    """Offsets of 64 bits."""
    graph = mixed_graph(0)  # undirected: its own reverse
    wide = Graph(graph.row_ptr.astype(np.int64), graph.col_idx, multiplicity=graph.multiplicity)
    as_reference(device, wide, 5, variant=variant)


def no_arcs(device, variant):
    """All vertices are dangling."""
    graph = Graph.from_edges([], [], vertices=range(5), directed=True)
    np.testing.assert_allclose(pagerank(graph, variant=variant, device=device).scores, 0.2)
    options = {"personalization": {2: 1}, "dangling": "uniform"}
    found = pagerank(graph, variant=variant, max_iter=300, device=device, **options)
    assert_close(found, reference_pagerank(graph, **options), "float32")
    dropped = pagerank(graph, variant=variant, dangling="drop", device=device)
    np.testing.assert_allclose(dropped.scores, 0.03, rtol=1e-6)


def one_vertex(device, variant):
    """With and without a loop."""
    for ends in ([], [9]):
        graph = Graph.from_edges(ends, ends, vertices=[9], directed=True)
        found = pagerank(graph, variant=variant, device=device)
        assert found.scores.tolist() == [1]
        assert found.top(3) == [(9, 1.0)]


def full_groups(device, variant):
    """One vertex more, or fewer, than full groups of "pull" and "contribution" take."""
    shape = LAUNCH.of(device)
    for n in (2 * shape.local * shape.items + more for more in (-1, 0, 1)):
        tails = np.arange(n)
        graph = Graph.from_edges(np.append(tails, 0), np.append((tails + 1) % n, n - 1), directed=True)
        as_reference(device, graph, 3, variant=variant)


#: a test module of some variants calls each with (device, variant)
CHECKS = (random_graphs, long_rows, compensated_sums, same_bytes_twice, large_offsets, no_arcs, one_vertex)
every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


# --- slices -------------------------------------------------------------------------------------------


def arcs_of_slices(device, sell, real):
    """The arcs (head, tail, share) that stand in slices on a device, sorted; `real` None: no shares."""
    found = []
    layout, order = sell.layout, device.download(sell.order, np.int32, sell.n)
    first_piece = device.download(sell.first_piece, np.int32, sell.n + 1)
    piece_place = device.download(sell.piece_place, np.int32, sell.kinds[-1] * layout.width)
    row_of_piece = np.repeat(np.arange(sell.n), np.diff(first_piece))
    for part in PARTS:
        begin = sell.steps_before(device, part)
        assert begin[-1] == sell.steps[part]
        entries = int(begin[-1]) * layout.width
        is_hot, is_piece = part.startswith("hot"), part.endswith("piece")
        index = device.download(sell.parts[f"{part}_index"], np.uint16 if is_hot else np.int32, entries)
        kept = f"{part}_share"
        share = np.ones(entries) if real is None else device.download(sell.parts[kept], real, entries)
        at = np.flatnonzero(index)
        slices = np.searchsorted(begin, at // layout.width, side="right") - 1
        row, tail = slices * layout.width + at % layout.width, index[at].astype(np.int64) - 1
        if is_piece and is_hot:
            tail += (np.searchsorted(sell.kinds, slices, side="right") - 1) * layout.hot
        row = row_of_piece[piece_place[row]] if is_piece else row
        found += zip(order[row].tolist(), order[tail].tolist(), share[at].tolist(), strict=True)
    return sorted(found)


def arcs_of_graph(graph, shares, real):
    """The same of the graph itself."""
    values = np.ones(graph.num_arcs) if shares is None else shares.astype(real)
    return sorted(zip(*(each.tolist() for each in (graph.col_idx, graph.tails, values)), strict=True))


def layout_graphs():
    """Graphs whose layouts are compared array by array: with long rows, without arcs, with one loop."""
    return [
        *(mixed_graph(seed, weighted) for seed in range(4) for weighted in (False, True)),
        skewed_graph(1, n=700, arcs=6000),
        Graph.from_edges([], [], vertices=range(5), directed=True),
        Graph.from_edges([4], [4], vertices=range(6), directed=True),
    ]


def assert_holds(device, buffer, wanted):
    """A buffer holds an array's values, in the array's type."""
    np.testing.assert_array_equal(device.download(buffer, wanted.dtype, len(wanted)), wanted)
