"""The walks of node2vec on every device against their reference, step for step, and against their law."""

from collections import Counter

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, equals_reference
from scipy import stats

from clgraph import Graph
from clgraph.csr.generate import powerlaw_graph
from clgraph.sampling import sample

PAIRS = [(1, 1), ("0.25", 4), (4, "0.25"), (2, "0.5")]


def loops_and_parallels(*, directed=False, weighted=False):
    """9 vertices, triangles, a square, a leaf, loops, parallel edges."""
    tails = np.array([0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 3, 3, 2, 8, 4])
    heads = np.array([1, 2, 2, 2, 3, 2, 4, 5, 3, 6, 7, 2, 3, 1, 0, 7, 5])
    if directed:  # no dead ends
        tails, heads = np.append(tails, [7, 6, 1]), np.append(heads, [8, 5, 0])
    weights = (np.arange(len(tails)) % 5 + 1.0) if weighted else None
    return Graph.from_edges(tails, heads, weights=weights, directed=directed, duplicates="keep")


OUT = {"direction": "out"}
GRAPHS = {
    "simple": (SEVEN, {}),
    "loops and parallels": (loops_and_parallels(), {}),
    "weighted": (loops_and_parallels(weighted=True), {"weighted": True}),
    "out": (loops_and_parallels(directed=True), OUT),
    "in": (loops_and_parallels(directed=True), {"direction": "in"}),
    "weighted out": (loops_and_parallels(directed=True, weighted=True), OUT | {"weighted": True}),
}


def transitions(graph, p, q, *, direction="both", weighted=False):
    """P(x | t, v) of each pair of steps, from the paper's definition."""
    n = graph.num_vertices
    weight = np.zeros((n, n))
    values = graph.weights if weighted else np.ones(graph.num_arcs)
    np.add.at(weight, (graph.tails, graph.col_idx), values)
    weight = {"both": np.maximum(weight, weight.T), "out": weight, "in": weight.T}[direction]
    np.fill_diagonal(weight, 0)
    law = {}
    for t, v in zip(*np.nonzero(weight), strict=True):
        alpha = np.where(weight[t] > 0, 1.0, 1 / float(q))
        alpha[t] = 1 / float(p)
        row = weight[v] * alpha
        law[int(t), int(v)] = row / row.sum()
    return weight / weight.sum(1, keepdims=True), law


def fits(graph, device, p, q, *, walks=4000, steps=5, **options):
    """The p-value of all transitions of many walks, pooled."""
    call = {"steps": steps, "walks_per_vertex": walks, "walks": True, "seed": 1, "device": device}
    made = sample(graph, "node2vec", p=p, q=q, **call, **options).walks
    first, law = transitions(graph, p, q, **options)
    statistic = freedom = 0
    counts = [((None, v), x) for v, x in made[:, :2].tolist()]
    for at in range(made.shape[1] - 2):
        counts += [((t, v), x) for t, v, x in made[:, at : at + 3].tolist()]
    found = Counter(counts)
    for t, v in {came for came, _ in found}:
        expected = first[v] if t is None else law[t, v]
        seen = np.array([found[(t, v), x] for x in range(graph.num_vertices)])
        some = expected > 0
        assert seen[~some].sum() == 0
        if seen.sum() * expected[some].min() >= 5:
            statistic += stats.chisquare(seen[some], seen.sum() * expected[some]).statistic
            freedom += some.sum() - 1
    return stats.chi2.sf(statistic, freedom)


# few candidates are accepted there, or none: the draw after the attempts decides
SQUARE = Graph.from_edges([0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 4, 5], weights=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
TAILED = [(SQUARE, {"weighted": weighted, "walks": 1500}) for weighted in (False, True)]
SELDOM = [(10_000, 10_000), (200, 1000), ("0.01", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "options", "p", "q"),
    [(*each, *pair) for each in GRAPHS.values() for pair in PAIRS]
    + [(*each, *pair) for each in TAILED for pair in SELDOM],
)
def test_law(device, graph, options, p, q):
    assert fits(graph, device, p, q, **options) > 0.001


@pytest.mark.smoke
@pytest.mark.parametrize("name", GRAPHS)
def test_equals_reference(device, name):
    graph, options = GRAPHS[name]
    call = {"steps": 20, "walkers": 5, "walks": True} | options
    for p, q in [*PAIRS, (10_000, 1000), ("0.0001", "0.3")]:
        equals_reference(graph, "node2vec", device, seed=3, p=p, q=q, **call)
    equals_reference(graph, "node2vec", device, seed=4, p=2, q="0.5", size="80%", **options)


def test_hubs_and_dead_ends_equal_the_reference(device):
    """Rows of many lengths, several walkers to a work-item, attempts that mostly fail."""
    call = {"method": "node2vec", "device": device, "seed": 2, "steps": 12, "walks": True}
    for p, q in ((2, "0.5"), (50, 100)):
        equals_reference(powerlaw_graph(150, seed=2), p=p, q=q, walks_per_vertex=1, **call)
    weights = np.random.default_rng(1).random(200) ** 8 * (np.arange(200) % 7 > 0)
    graph = random_graph(5, 40, 200, weights=weights)
    equals_reference(graph, p=50, q=100, walkers=39, weighted=True, **call)
    graph = Graph.from_edges([0, 1, 2, 0, 4], [1, 2, 3, 3, 3], directed=True)
    equals_reference(graph, p=2, q=3, walks_per_vertex=2, direction="out", **call)


def test_attempts_before_the_exact_draw(device):
    """64, or twice the row's length: from a leaf of a star all but one in 10 000 are refused."""
    for d in (5, 32, 33, 40):
        star = Graph.from_edges(np.zeros(d, int), np.arange(1, d + 1))
        equals_reference(star, "node2vec", device, seed=d, steps=6, walkers=3, p=10_000, q=10_000, walks=True)


@pytest.mark.parametrize("method", ["rw", "rj", "node2vec"])
def test_walks_of_every_vertex(device, method):
    """As many from each vertex that has edges, pass after pass."""
    graph = Graph.from_edges([0, 1, 2, 5, 7], [1, 2, 0, 6, 7], vertices=np.arange(9))
    options = {"seed": 1, "steps": 4, "walks_per_vertex": 3, "walks": True}
    made = equals_reference(graph, method, device, **options)
    assert made.walks[:, 0].tolist() == [0, 1, 2, 5, 6] * 3 and made.walks.shape == (15, 5)
    several = sample(graph, method, seeds=2, device=device, **options)
    assert several[0].walks.tolist() == made.walks.tolist()


def test_p_and_q_of_1_are_a_plain_walk(device):
    options = {"seed": 2, "steps": 30, "walkers": 7, "walks": True, "device": device}
    plain, biased = (sample(SEVEN, method, **options).walks for method in ("rw", "node2vec"))
    assert plain.tolist() == biased.tolist()
