"""Stated error bounds hold: against direct solutions, in extended precision, of the edges as given."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from devices import needs_float64
from personalized import EXACT
from ranking_checks import VARIANTS, dtypes, usable

from clgraph import Graph, pagerank, personalized_pagerank, write_shards
from clgraph.errors import InputError

Reals = npt.NDArray[np.longdouble]


@dataclass(frozen=True)
class Edges:
    """Edges as they were given: one that is there twice counts twice."""

    n: int
    ends: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None
    directed: bool

    @staticmethod
    def drawn(seed, n, count, *, weighted, directed):
        """Popular vertices, loops, parallel edges, vertices without edges, and weights of 0."""
        rng = np.random.default_rng(seed)
        ends = (rng.random((2, count)) ** 2 * n).astype(int)
        ends[:, : count // 4] = ends[:, -(count // 4) :]
        weights = 10.0 ** rng.uniform(-4, 4, count) * (rng.random(count) > 0.1) if weighted else None
        return Edges(n, ends, weights, directed)

    def graph(self, duplicates="merge"):
        """The graph of these edges."""
        options = {"weights": self.weights, "directed": self.directed, "duplicates": duplicates}
        return Graph.from_edges(*self.ends, vertices=np.arange(self.n), **options)

    def matrix(self, weight):
        """w(u, v) in row v and column u; an undirected loop counts once."""
        tails, heads = self.ends
        values = np.ones(len(tails)) if self.weights is None or not weight else self.weights
        dense = np.zeros((self.n, self.n), np.longdouble)
        np.add.at(dense, (heads, tails), values)
        if not self.directed:
            back = tails != heads
            np.add.at(dense, (tails[back], heads[back]), values[back])
        return dense


def solution(matrix, damping, p, q):
    """x = (1-d) p + d (S x + D q); `q` None drops D."""
    leaving = matrix.sum(axis=0)
    step = matrix / np.where(leaving > 0, leaving, 1)
    if q is not None:
        step[:, leaving == 0] = q[:, np.newaxis]
    system = np.eye(len(matrix)) - np.longdouble(damping) * step
    right, rough = (1 - np.longdouble(damping)) * p, system.astype(np.float64)
    x = np.zeros(len(matrix), np.longdouble)
    for _ in range(3):  # the residual is computed in extended precision
        x += np.linalg.solve(rough, (right - system @ x).astype(np.float64))
    return x


def assert_within(ranks, exact, bound):
    """The ranks are no farther than the bound from the exact ones, and the bound says something."""
    assert np.abs(ranks - exact).sum() <= bound < 1


N = 48
RNG = np.random.default_rng(5)
P, Q = (values / values.sum() for values in (RNG.random(N) * (RNG.random(N) < 0.3), RNG.random(N)))
EVEN = np.full(N, 1 / N)
#: options, p, q
DISTRIBUTIONS = {
    "none": ({}, EVEN, EVEN),
    "personal": ({"personalization": P}, P, P),
    "personal, uniform": ({"personalization": P, "dangling": "uniform"}, P, EVEN),
    "given": ({"dangling": Q}, EVEN, Q),
    "drop": ({"personalization": P, "dangling": "drop"}, P, None),
}
#: damping, tol by dtype, max_iter: at the end of a test, and long before
ENDS = [
    (0.85, {"float32": 1e-5, "float64": 1e-11}, 1000),
    (0.97, {"float32": 1e-4, "float64": 1e-9}, 5000),
    (0.85, {"float32": 0, "float64": 0}, 20),
    (0.85, {"float32": 0, "float64": 0}, 400),  # until nothing moves any more
]


def cases(seed):
    """Graphs, whether weights count, the matrix."""
    for weighted, directed in product((False, True), repeat=2):
        edges = Edges.drawn(seed, N, 3 * N, weighted=weighted, directed=directed)
        for weight in (True, False)[: 1 + weighted]:
            yield edges, weight, edges.matrix(weight)


@pytest.mark.parametrize("distributions", DISTRIBUTIONS)
@pytest.mark.parametrize(
    "variant",
    ["auto", "fixed", *(pytest.param(v, marks=pytest.mark.slow) for v in ("shards", *VARIANTS[1:]))],
)
def test_pagerank(device, tmp_path, variant, distributions):
    if variant in ("fixed", "shards"):
        needs_float64(device)
    options, p, q = DISTRIBUTIONS[distributions]
    for number, (edges, weight, matrix) in enumerate(cases(seed=3)):
        data = edges.graph(("merge", "keep")[number % 2] if variant != "shards" else "merge")
        if variant == "shards":
            if not weight:  # not offered
                continue
            data = write_shards(data, tmp_path / f"{number}.clgs", shard_edges=50)
        elif variant != "fixed" and variant not in usable(device, data):
            continue
        how = "fixed" if variant == "shards" else variant
        for dtype, (damping, tol, max_iter) in product(dtypes(device), ENDS):
            call = {"damping": damping, "tol": tol[dtype], "max_iter": max_iter, "dtype": dtype}
            found = pagerank(data, variant=how, weight=weight, device=device, **call, **options)
            assert_within(found.scores, solution(matrix, damping, p, q), found.error_bound)


@pytest.mark.parametrize("policy", ["uniform", "personalization", "drop", "given"])
@pytest.mark.parametrize("method", ["power", *(pytest.param(m, marks=pytest.mark.slow) for m in EXACT[1:])])
def test_personalized(device, method, policy):
    """From a distribution, and from a vertex of each kind: answers of dangling ones may be stored."""
    for edges, weight, matrix in cases(seed=4):
        vertices = [int(np.argmax(matrix.sum(axis=0))), int(np.argmin(matrix.sum(axis=0)))]
        starts = np.stack([P, *np.eye(N)[vertices]])
        options = {"method": method, "norm": "l1", "weight": weight, "device": device}
        options["dangling"] = Q if policy == "given" else policy
        for dtype, (number, (damping, tol, max_iter)) in product(dtypes(device), enumerate(ENDS)):
            call = {"damping": damping, "tol": tol[dtype], "max_iter": max_iter, "dtype": dtype}
            call |= {"stored": number == 1, "check_every": 1 + number}
            found = personalized_pagerank(edges.graph(), starts, **call, **options)
            for start, ranks, bound in zip(starts, found.scores, found.error_bounds, strict=True):
                q = {"uniform": EVEN, "personalization": start, "drop": None, "given": Q}[policy]
                assert_within(ranks, solution(matrix, damping, start, q), bound)


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow), 3])
def test_random_graphs(device, tmp_path, seed):
    """Some thousand vertices, solved by SciPy; in memory, in shards, from one vertex."""
    rng = np.random.default_rng(seed)
    n, count, directed = 3000, int(rng.integers(3000, 30_000)), bool(seed % 2)
    edges = Edges.drawn(seed, n, count, weighted=seed > 1, directed=directed)
    graph, (tails, heads) = edges.graph(), edges.ends
    for weight in (True, False)[: 1 + (seed > 1)]:
        values = np.ones(count) if edges.weights is None or not weight else edges.weights
        matrix = sp.coo_array((values, (heads, tails)), shape=(n, n)).tocsc()
        if not directed:
            loops = sp.dia_array((matrix.diagonal(), 0), shape=(n, n))
            matrix = (matrix + matrix.T - loops).tocsc()
        leaving = matrix.sum(axis=0)
        inverse = np.divide(1, leaving, out=np.zeros(n), where=leaving > 0)
        damping = float(rng.choice([0.5, 0.85, 0.95]))
        system = sp.linalg.splu((sp.eye_array(n) - damping * (matrix * inverse)).tocsc())

        # dangling mass goes where p says: the solution is that without it, scaled to sum 1
        even, one = (system.solve(p) for p in (np.full(n, 1 / n), np.eye(1, n, int(heads[-1]))[0]))
        for dtype in dtypes(device):
            tol = {"float32": 3e-6, "float64": 1e-10}[dtype]
            call = {"damping": damping, "tol": tol, "max_iter": 2000, "dtype": dtype}
            call |= {"weight": weight, "device": device}
            found = [pagerank(graph, **call)]
            if "HAVE_FP64" in device.features:
                found.append(pagerank(graph, variant="fixed", **call))
                if weight:
                    folder = tmp_path / f"{dtype}.clgs"
                    found.append(pagerank(write_shards(graph, folder, shard_edges=5000), **call))
                    assert found[-1].variant == "fixed"
            for each in found:
                assert each.converged and each.scores.dtype == dtype
                assert_within(each.scores, even / even.sum(), each.error_bound)
            own = personalized_pagerank(graph, [int(heads[-1])], dangling="personalization", **call)
            assert_within(own.scores[0], one / one.sum(), own.error_bounds[0])


@pytest.mark.parametrize("variant", ["auto", "pull", "fixed"])
def test_long_rows(device, variant):
    """W of 30 000 weights of 0.1, added one after the other, is off by more than a row's sum can be."""
    needs_float64(device)
    leaves = 30_000
    weights = np.full(leaves, 0.1)
    weights[0] = 0.3
    graph = Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1), weights=weights, directed=True)
    d = np.longdouble(0.85)
    hub = 1 / (1 + d)  # x(0) = 1 - d + d D, and all but x(0) is D
    share = weights / (np.longdouble(0.1) * (leaves - 1) + np.longdouble(0.3))
    call = {"personalization": {0: 1}, "dtype": "float64", "tol": 0, "max_iter": 250}
    found = pagerank(graph, variant=variant, device=device, **call)
    assert_within(found.scores, np.r_[hub, d * hub * share], found.error_bound)
    assert found.error_bound < 1e-10


def test_weights_beyond_the_numbers(device, tmp_path):
    """What leaves a vertex overflows; shards may have negative weights, which no host has looked at."""
    needs_float64(device)
    ends = [0, 0, 1, 2], [1, 2, 0, 0]
    huge = Graph.from_edges(*ends, weights=[1.7e308, 1.7e308, 1, 1], directed=True)
    negative = Graph.from_edges(*ends, weights=[-1, 3, 1, 1], directed=True)
    stored = write_shards(huge, tmp_path / "huge.clgs")
    for data, options in ((huge, {"variant": "fixed"}), (stored, {"variant": "fixed"}), (stored, {})):
        with pytest.raises(InputError, match=r"vertex number 0 .* scale the weights"):
            pagerank(data, device=device, **options)
    with pytest.raises(InputError, match=r"negative\.clgs is negative or not finite"):
        pagerank(write_shards(negative, tmp_path / "negative.clgs"), device=device)
