"""The laws of the samplers: what is drawn, how often, and how samples of neighbouring seeds differ.

Seeds are fixed, so that nothing here flakes: a test that fails has met a wrong law, or a change of the keyed
numbers by which its seeds have become the one case in 1 / ALPHA. Beside each stands a wrong law that the same
test tells apart: a test that cannot fail says nothing. Where samples are compared one device does: the others
give the same ones, which is what all the other tests of sampling say.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import random_graph
from samplers import built, largest, twins
from scipy import stats
from scipy.sparse.csgraph import connected_components

from clgraph import Graph, keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference import reference_sample
from clgraph.sampling import sample
from clgraph.sampling.draw import ByDraw, ByPriority
from clgraph.sampling.threshold_search import ExactRun

ALPHA = 1e-4  # a right law fails a test with this probability (over the choice of the seeds)
SURELY = 1e-8  # a wrong law must miss by more than this


def fits(counts, law):
    """p-value of Pearson's chi-squared test of counts against probabilities."""
    expected = np.asarray(law) / np.sum(law) * np.sum(counts)
    assert expected.min() > 5  # or the test's own distribution is off
    return stats.chisquare(counts, expected).pvalue


# --- what a draw hits -----------------------------------------------------------------------------


def irregular_graph():
    """Degrees 1 to 7 and a pair of parallel edges, 14 vertices."""
    edges = [(0, v) for v in range(1, 8)]
    edges += [(1, 2), (2, 3), (3, 8), (8, 9), (9, 10), (10, 11), (11, 12), (12, 13), (4, 5), (4, 5), (9, 11)]
    return Graph.from_edges(*np.array(edges).T, duplicates="keep")


class _Left:
    """COPRA of a graph that some edges have left: the degrees of now are not those at the start."""

    def __init__(self, device, graph, gone):
        self.copra = copra = built(device, graph)
        tail, head = graph.tails, graph.col_idx
        low = np.flatnonzero(tail < head)  # both arcs of edge e: low[e], and its twin in the row of the head
        slots = (low[gone] + 2 * (tail[low[gone]].astype(np.int64) + 1)).astype(copra.offset)
        edges = {"vertices": device.upload(tail[low[gone]]), "slots": device.upload(slots)}
        copra.change("remove_vertex_edges", len(gone), **edges)
        kept = np.delete(low, gone)
        self.edge_of = np.full(len(tail), -1)
        self.edge_of[kept] = self.edge_of[twins(graph)[kept]] = np.arange(len(kept))
        self.tail, self.head = tail[kept], head[kept]
        self.edges, self.vertices = len(kept), len(np.unique((self.tail, self.head)))
        degree = np.bincount(np.append(self.tail, self.head), minlength=copra.n)
        self.drve = (1 / degree[self.tail] + 1 / degree[self.head]) / self.vertices
        np.testing.assert_allclose(self.drve.sum(), 1)
        self.dre = np.full(self.edges, 1 / self.edges)


def left_after_some(device):
    # one of two copies, a leaf's only edge, two others
    left = _Left(device, irregular_graph(), [0, 9, 10, 17])
    assert left.vertices == left.copra.n - 1
    return left


def hits(left, weight, draws, seed=11):
    """How often each edge was hit in the first draws of a step (all of the draws that count)."""
    choice = ByDraw(left.copra, seed, weight=weight)
    choice.threshold = choice._threshold_for(left.vertices, left.edges)
    choice.step = 3
    device, copra = left.copra.device, left.copra
    choice._grow(draws)
    graph = {"row_ptr": copra.csr.row_ptr, "col_idx": copra.csr.col_idx, "edges": copra.edges}
    graph |= {"n": copra.n, "slots": copra.slots}
    drawn = {name: getattr(choice, name) for name in ("drawn_vertex", "drawn_slot", "drawn_far", "first")}
    about = {"seed": seed, "step": 3, "threshold": choice.threshold}
    choice.program.draw_edges(-(-draws // device.tuning.items), begin=0, end=draws, **about, **graph, **drawn)
    vertex = device.download(choice.drawn_vertex, np.int32, draws)
    slot = device.download(choice.drawn_slot, copra.offset, draws)
    counts = slot >= 0
    edge = left.edge_of[slot[counts] - 2 * (vertex[counts] + 1)]
    assert edge.min() >= 0  # a live one
    return np.bincount(edge, minlength=left.edges)


@pytest.mark.parametrize("weight", ["1", "0.8", "0.35", "0"])
def test_what_a_draw_hits(device, weight):
    """drve and dhyb: P(e) = w (1/n)(1/d(u) + 1/d(v)) + (1 - w)/m, degrees and edges of now; ALPHA.

    200 000 draws. The law is that of the draws that count: both kinds miss, and not equally often.
    """
    left = left_after_some(device)
    w = float(weight)
    law = w * left.drve + (1 - w) * left.dre
    counts = hits(left, Fraction(weight), 200_000)
    assert fits(counts, law) > ALPHA
    # told apart: the degrees at the start, and a mixture that is off by 0.1
    start = np.diff(irregular_graph().row_ptr)
    static = 1 / start[left.tail] + 1 / start[left.head]
    if w:
        assert fits(counts, w * static / static.sum() + (1 - w) * left.dre) < SURELY
    wrong = w - 0.1 if w > 0.5 else w + 0.1
    assert fits(counts, wrong * left.drve + (1 - wrong) * left.dre) < ALPHA


def first_edges(left, seeds, make):
    """The edge that goes first, for each seed, told by the live arcs."""
    counts = np.zeros(left.edges, int)
    for seed in seeds:
        choice = make(seed)
        choice.remove(0, 1, left.vertices, left.edges)
        (edge,) = set(left.edge_of[~left.copra.live_arcs()].tolist()) - {-1}
        counts[edge] += 1
        choice.undo()
    return counts


@pytest.mark.first_device
@pytest.mark.parametrize("method", ["drve", "dhyb", "dre"])
def test_the_first_edge_over_seeds(device, method):
    """The same law over 1500 seeds (a mixture: 3500), and that dre's first edge is uniform; ALPHA."""
    left = left_after_some(device)
    weight = {"drve": 1.0, "dhyb": 0.5, "dre": 0.0}[method]

    def make(seed):
        if method == "dre":
            return ByPriority(left.copra, seed, edges=True)
        return ByDraw(left.copra, seed, weight=Fraction(str(weight)))

    runs = 3500 if method == "dhyb" else 1500  # a mixture is closer to each of its parts than they are
    counts = first_edges(left, range(5000, 5000 + runs), make)
    assert fits(counts, weight * left.drve + (1 - weight) * left.dre) > ALPHA
    # told apart: each of the laws that are mixed, unless it is the right one
    for wrong, law in ((1.0, left.drve), (0.0, left.dre)):
        if wrong != weight:
            assert fits(counts, law) < (SURELY if abs(wrong - weight) == 1 else ALPHA)


def uniform_first(priority):
    """The p-value of: each thing is as often as any other the one of smallest priority."""
    counts = np.bincount(np.argmin(priority, axis=1), minlength=priority.shape[1])
    return fits(counts, np.ones(len(counts)))


def test_drv_and_dre_delete_uniformly_first():
    """The vertex, and the edge, of smallest priority over 40 000 seeds is uniform; ALPHA.

    That the devices delete it first is what every test against the reference says.
    """
    seeds = np.arange(7, 40_007, dtype=np.uint64)[:, None]
    assert uniform_first(keyed.vertex_priority(seeds, np.arange(25))) > ALPHA
    assert uniform_first(keyed.edge_priority(seeds, *np.triu_indices(9, 1))) > ALPHA
    # parallel copies are edges of their own
    assert uniform_first(keyed.edge_priority(seeds, 3, 4, np.arange(6))) > ALPHA
    # told apart: a tie among 4 bits going to the smaller index, 5 % too many of them
    assert uniform_first(keyed.vertex_priority(seeds, np.arange(25)) >> np.uint64(58)) < SURELY


def test_priorities_are_uniform():
    """Kolmogorov-Smirnov of 100 000 vertices and edges, low bits too; neighbours do not correlate; ALPHA."""
    v = np.arange(100_000)
    for bits in (
        keyed.vertex_priority(12, v),
        keyed.edge_priority(12, v // 300, 400 + v % 300),
        keyed.edge_priority(12, 5, 9, v),
        keyed.coin(12, 2, v),
    ):
        for each in (bits, bits << np.uint64(32)):  # all bits, and the low word alone
            uniform = each.astype(float) / 2.0**64
            assert stats.kstest(uniform, "uniform").pvalue > ALPHA
            assert stats.pearsonr(uniform[1:], uniform[:-1]).pvalue > ALPHA
    # told apart: one in 50 too small
    uniform[::50] **= 2
    assert stats.kstest(uniform, "uniform").pvalue < 0.05


# --- exact mode against a loop of its own -----------------------------------------------------------

SMALL, TARGET = 60, 30


@cache
def small_graph():
    return random_graph(3, SMALL, 100)


def plain_loop(graph, method, target, rng):
    """The definition with plain random numbers: delete in a random order, keep the largest component."""
    once = graph.tails < graph.col_idx
    pairs = list(zip(graph.tails[once].tolist(), graph.col_idx[once].tolist(), strict=True))
    kept, left = largest(range(graph.num_vertices), pairs)
    while len(kept) > target:
        vertex = sorted(kept)[rng.integers(len(kept))]
        near = [pair for pair in left if vertex in pair]
        if method == "drv":
            kept, left = kept - {vertex}, [pair for pair in left if pair not in near]
        else:
            of = left if method == "dre" else near
            left.remove(of[rng.integers(len(of))])
        kept, left = largest(kept, left)
    inside = np.zeros(graph.num_vertices, bool)
    inside[list(kept)] = True
    return inside, len(left)


@cache
def plain_samples(method, runs, seed=99):
    rng = np.random.default_rng(seed)
    found = [plain_loop(small_graph(), method, TARGET, rng) for _ in range(runs)]
    return np.array([vertices for vertices, _ in found]), np.array([edges for _, edges in found])


def differ(inside, edges, other_inside, other_edges):
    """The smallest p-value of: vertices left, edges left (Kolmogorov-Smirnov), how often each vertex stays.

    Already multiplied by the number of tests (Bonferroni): it may be above 1.
    """
    sizes = stats.ks_2samp(inside.sum(1), other_inside.sum(1)).pvalue
    edges_left = stats.ks_2samp(edges, other_edges).pvalue
    a, b = len(inside), len(other_inside)
    share = (inside.sum(0) + other_inside.sum(0)) / (a + b)
    deviation = np.sqrt(np.maximum(share * (1 - share), 1e-3) * (1 / a + 1 / b))
    stays = 2 * stats.norm.sf(np.abs((inside.mean(0) - other_inside.mean(0)) / deviation)).min()
    return min(3 * sizes, 3 * edges_left, 3 * inside.shape[1] * stays)


def left_in(samples):
    """Of samples of the small graph: which vertices are left in each, and how many edges."""
    inside = np.array([np.isin(np.arange(SMALL), one.vertices) for one in samples])
    return inside, np.array([len(one.edges) for one in samples])


@pytest.mark.first_device
@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("few", [4, 768])
def test_exact_samples_are_those_of_a_plain_loop(device, method, few, monkeypatch):
    """400 seeds against 1000 runs of the loop on NumPy's random numbers; ALPHA.

    By probes of a threshold on the device, and one by one on the host.
    """
    monkeypatch.setattr("clgraph.sampling.threshold_search.FEW", few)
    made = [sample(small_graph(), method, size=TARGET, seed=s, device=device) for s in range(400)]
    assert differ(*left_in(made), *plain_samples(method, 1000)) > ALPHA
    # told apart: the other method
    assert differ(*left_in(made), *plain_samples("dre" if method == "drv" else "drv", 1000)) < SURELY


def test_the_reference_draws_like_a_plain_loop():
    """drve one at a time, 80 seeds of the reference against 600 plain runs; ALPHA."""
    made = [reference_sample(small_graph(), "drve", size=TARGET, seed=s) for s in range(80)]
    assert differ(*left_in(made), *plain_samples("drve", 600)) > ALPHA
    assert differ(*left_in(made), *plain_samples("drv", 1000)) < SURELY


# --- batches ------------------------------------------------------------------------------------------


def average_degree_after(tail, head, order):
    """Of the largest component once it has half of the vertices, when edges go in this order."""
    n = max(tail.max(), head.max()) + 1

    def left(count):
        keep = order[count:]
        matrix = sp.csr_array((np.ones(len(keep), np.int8), (tail[keep], head[keep])), shape=(n, n))
        _, label = connected_components(matrix, directed=False)
        sizes = np.bincount(label)
        return sizes.max(), np.count_nonzero(label[tail[keep]] == sizes.argmax())

    few, many = 0, len(order)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if left(middle)[0] > n // 2 else (few, middle)
    size, edges = left(many)
    return 2 * edges / size


def drve_order(tail, head, rng):
    """Edges in the order in which drve takes them one at a time, on the whole graph.

    What is outside the largest component has no part in what happens inside, so that this is the loop's law.
    """
    n = max(tail.max(), head.max()) + 1
    at = [[] for _ in range(n)]
    for e, (u, v) in enumerate(zip(tail.tolist(), head.tolist(), strict=True)):
        at[u].append(e)
        at[v].append(e)
    order = []
    while len(order) < len(tail):
        edges = at[int(rng.random() * n)]
        if edges:
            e = edges[int(rng.random() * len(edges))]
            at[tail[e]].remove(e)
            at[head[e]].remove(e)
            order.append(e)
    return np.array(order)


def static_order(tail, head, rng):
    """The wrong law: edges weighted by the degrees at the start."""
    degree = np.bincount(np.append(tail, head))
    return np.argsort(rng.exponential(size=len(tail)) / (1 / degree[tail] + 1 / degree[head]))


@cache
def graph_and_degrees(kind):
    """A graph of 3000 vertices, average degree 5; average degrees at 50 % one at a time, and statically."""
    graph = powerlaw_graph(3000, seed=1) if kind == "powerlaw" else random_graph(0, 3000, 7500)
    tail, head = graph.without_self_loops.tails, graph.without_self_loops.col_idx
    tail, head = tail[tail < head], head[tail < head]
    rng = np.random.default_rng(8)
    one_at_a_time, static = (
        [average_degree_after(tail, head, order(tail, head, rng)) for _ in range(16)]
        for order in (drve_order, static_order)
    )
    return graph, np.array(one_at_a_time), np.array(static)


def mean_degree(graph, method, seeds, device, **options):
    """Of samples to 50 %."""
    made = [sample(graph, method, size="50%", seed=seed, device=device, **options) for seed in seeds]
    return np.mean([2 * one.num_edges / len(one.vertices) for one in made])


@pytest.mark.first_device
@pytest.mark.parametrize("kind", ["powerlaw", "uniform"])
def test_batched_drve_keeps_the_average_degree(device, kind):
    """drve to 50 %: the mean of eight runs is within the spread (two standard deviations) of the loop's runs.

    A batch draws by the degrees at its start, so that batched samples are a little sparser: 1.3 % here, where
    one run of the loop varies by 1.2 to 1.5 % (standard deviation). Degrees that are never measured anew give
    6.6 to 10 % less, which is told apart.
    """
    graph, one_at_a_time, static = graph_and_degrees(kind)
    batched = mean_degree(graph, "drve", range(8), device)
    right, spread = one_at_a_time.mean(), one_at_a_time.std(ddof=1)
    assert abs(batched - right) < 2 * spread
    assert abs(static.mean() - right) > 3 * spread


@pytest.mark.first_device
def test_dhyb_stands_between_its_parts(device):
    """Average degree at 50 % by weight: drve leaves more edges than dre on a graph with many leaves."""
    graph = powerlaw_graph(3000, seed=1)
    low, middle, high = (mean_degree(graph, "dhyb", range(5), device, mix=w) for w in (0, "0.5", 1))
    assert low < middle < high


# --- samples of one seed, and of several --------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("method", ["drv", "dre"])
def test_exact_sizes_are_nested(device, method):
    """Each smaller sample of a run lies within the larger ones, edges too, and is the one of its own run."""
    graph = powerlaw_graph(2000, seed=4).undirected.without_self_loops
    run = ExactRun(device, graph, 21, edges=method == "dre")
    size = run.start()
    inside, arcs = np.ones(graph.num_vertices, bool), np.ones(graph.num_arcs, bool)
    for target in (size, 1600, 1599, 1000, 400, 399, 60, 7, 1):
        run.shrink_to(target)
        left = run.download()
        vertices, kept = left.members(graph), left.arc_mask(graph)
        assert not np.any(vertices & ~inside)
        assert not np.any(kept & ~arcs)
        inside, arcs = vertices, kept
        alone = ExactRun(device, graph, 21, edges=method == "dre")
        alone.start()
        alone.shrink_to(target)
        expected = alone.download()
        np.testing.assert_array_equal(expected.members(graph), inside)
        np.testing.assert_array_equal(expected.arc_mask(graph), arcs)


def overlaps(device, graph, method, pairs):
    """Share of vertices (of the smaller sample) that two samples have in common, for pairs of seeds."""

    @cache
    def of(seed):
        return set(sample(graph, method, size="50%", seed=seed, device=device).vertices.tolist())

    return np.array([len(of(a) & of(b)) / min(len(of(a)), len(of(b))) for a, b in pairs])


@pytest.mark.first_device
@pytest.mark.parametrize(
    "method", ["drv", "dre", *(pytest.param(each, marks=pytest.mark.slow) for each in ("drve", "dhyb"))]
)
def test_neighbouring_seeds_have_nothing_in_common(device, method):
    """Overlap of samples of seeds s, s + 1, of s, s + 2**32, and of s, s with its highest bit: as of any two.

    Kolmogorov-Smirnov of 24 pairs each against 60 pairs of arbitrary seeds; ALPHA. That samples differ at all
    follows: two equal ones overlap by 1.
    """
    graph = powerlaw_graph(300, seed=5)
    rng = np.random.default_rng(1)
    chance = overlaps(device, graph, method, rng.integers(0, 2**63, (60, 2)).tolist())
    assert chance.max() < 1
    for step in (1, 2**32, 2**63):
        near = overlaps(device, graph, method, [(s, s + step) for s in range(100, 148, 2)])
        assert stats.ks_2samp(near, chance).pvalue > ALPHA
    # told apart: a seed of which only half of the priorities is new
    assert stats.ks_2samp((1 + near) / 2, chance).pvalue < ALPHA


def test_priorities_of_neighbouring_seeds_are_independent():
    """Correlation of the priorities of 100 000 vertices under seeds that differ by little; ALPHA each."""
    v = np.arange(100_000)
    for a, b in [(0, 1), (1, 2), (7, 7 + 2**32), (3, 3 + 2**63), (5, 5 ^ 0xFFFFFFFF)]:
        x, y = keyed.vertex_priority(a, v).astype(float), keyed.vertex_priority(b, v).astype(float)
        assert stats.pearsonr(x, y).pvalue > ALPHA
        # nor is one order the other shifted by a vertex
        assert stats.pearsonr(x[1:], y[:-1]).pvalue > ALPHA
