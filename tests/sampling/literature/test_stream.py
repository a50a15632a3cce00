"""Streams on every device: in chunks, by names and by blocks, edge by edge; and their laws."""

import io
from fractions import Fraction
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from samplers import SEVEN, launch_otherwise
from scipy import stats

from clgraph import Graph, InputError
from clgraph.formats import arrivals
from clgraph.reference.stream import reference_arrivals, reference_gps, reference_pies, verify_reservoir
from clgraph.sampling import sample
from clgraph.sampling.literature import streams
from clgraph.sampling.literature.reservoir import Reservoir

# 12 vertices, 28 edges, 24 triangles, 127 wedges
DENSE = Graph.from_networkx(nx.gnm_random_graph(12, 28, seed=406))


def arrivals_of(count, n, seed):
    """Edges without loops, as a stream."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, count)) + 10**12
    return u[u != v], v[u != v]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("pies", {"size": 30}),
        ("gsh", {"p": "0.05", "q": "0.2"}),
        ("gsh", {"p": "0.1", "q": "0.1", "closing": True}),
        ("gps", {"edges": 60}),
    ],
)
def test_chunks(device, method, options):
    """However a stream is cut, the same is held; a run is the call with its seed; areas grow."""
    u, v = arrivals_of(700, 90, 3)
    edges = list(zip(u.tolist(), v.tolist(), strict=True))
    known = {name: Fraction(x) if isinstance(x, str) else x for name, x in options.items()}
    cut = [(u[i : i + 300], v[i : i + 300]) for i in range(0, len(u), 300)]
    several = sample(iter(cut), method, seed=7, seeds=3, device=device, **options)
    for run, one in enumerate(several):
        alone = sample(np.stack((u, v), axis=1), method, seed=7 + run, device=device, **options)
        assert one.seed == 7 + run and one.stream.arrivals == len(u)
        assert one.stream.arrival.tolist() == alone.stream.arrival.tolist()
        verify_reservoir(edges, one.stream, method, one.seed, known)
        wanted = reference_arrivals(edges, method, seed=one.seed, **known) if run == 0 else None
        assert wanted is None or wanted.times == one.stream.arrival.tolist()
        assert one.graph.ids.tolist() == one.vertices.tolist()
        assert one.num_edges <= len(one.stream.arrival)


@pytest.mark.parametrize("together", [False, True])
def test_blocks(device, monkeypatch, together):
    """Blocks that are weighed in order or side by side, across chunks, of any size."""
    launch_otherwise(monkeypatch, streams, device, block=2 if together else 1 << 30)
    u, v = arrivals_of(300, 25, 4)
    edges = list(zip(u.tolist(), v.tolist(), strict=True))
    cut = [(u[i : i + 70], v[i : i + 70]) for i in range(0, len(u), 70)]
    told = set()
    for block in (1, 2, 7, 64, 1000):
        for one in sample(iter(cut), "gps", edges=60, block=block, seed=3, seeds=2, device=device):
            wanted = reference_gps(edges, 60, one.seed, block=block)
            assert one.stream.arrival.tolist() == wanted.times
            assert one.stream.probability.tolist() == pytest.approx(wanted.probability, rel=1e-14)
            assert one.stream.in_stream == pytest.approx(wanted.triangles, rel=1e-6)
            told.add((one.seed, tuple(wanted.times)))
            if block == 7:
                verify_reservoir(edges, one.stream, "gps", one.seed, {"edges": 60, "block": 7})
                with pytest.raises(AssertionError, match=r"largest priority|in the stream"):
                    verify_reservoir(edges, one.stream, "gps", one.seed, {"edges": 60, "block": 64})
    assert len(told) > 6


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("pies", {"size": 12}),
        ("gsh", {}),
        ("gsh", {"closing": True, "q": 1}),
        ("gps", {"edges": 20}),
        ("gps", {"edges": 20, "triangles": 0}),
        ("gps", {"edges": 20, "block": 7}),
    ],
)
def test_names(device, monkeypatch, method, options):
    """Names for numbers, which are forgotten when nobody holds them: the same edges."""
    monkeypatch.setattr(arrivals, "KEPT", 3)
    options = {"seed": 2, "device": device, **options}
    u, v = arrivals_of(300, 60, 5)
    ends = np.stack((u, v), axis=1) - 10**12
    names = np.array([f"n{i:03}" for i in range(60)], object)
    cut = [names[ends[i : i + 40]] for i in range(0, len(ends), 40)]
    text = io.StringIO("".join(f"{a}\t{b}\n" for a, b in names[ends]))
    monkeypatch.setattr(arrivals, "BLOCK", 100)
    numbered = sample(ends, method, seeds=2, **options)
    for made in (
        sample(cut, method, seeds=2, **options),
        sample(text, method, seeds=2, ids="str", **options),
    ):
        for one, plain in zip(made, numbered, strict=True):
            assert one.stream.arrival.tolist() == plain.stream.arrival.tolist()
            assert one.vertices.tolist() == names[plain.vertices].tolist()
            assert one.stream.source.tolist() == names[plain.stream.source].tolist()
            assert one.graph.ids.tolist() == one.vertices.tolist()
            assert method == "pies" or one.stream.estimate("triangles") == plain.stream.estimate("triangles")
    with pytest.raises(InputError, match="ids is 'x'"):
        sample(cut, method, ids="x", **options)
    with pytest.raises(InputError, match="ids is of streams"):
        sample(SEVEN, method, ids="str", **options)


def test_several_sizes_in_one_pass(device):
    u, v = arrivals_of(300, 50, 1)
    made = sample(iter([(u, v)]), "pies", sizes=[6, 20], seed=1, seeds=2, device=device)
    assert [len(one.vertices) for one in made] == [6, 20, 6, 20]
    assert made.num_vertices.tolist() == [6, 20, 6, 20]
    with pytest.raises(InputError, match="samples of a stream have no original"):
        made.mean("degree")


# --- estimates ------------------------------------------------------------------------------------


def naive_triangles(held):
    pairs = [frozenset(ends) for ends in zip(held.source.tolist(), held.target.tolist(), strict=True)]
    return {
        (i, j, k)
        for i, j, k in combinations(range(len(pairs)), 3)
        if len({pairs[i], pairs[j], pairs[k]}) == len(pairs[i] | pairs[j] | pairs[k]) == 3
    }


def test_triangles_and_errors():
    """Triangles, wedges and their variances by definition, with parallel edges."""
    rng = np.random.default_rng(2)
    u, v = rng.integers(0, 9, (2, 30)).astype(np.uint64)
    u, v = u[u != v], v[u != v]
    p = rng.uniform(0.2, 1, len(u))
    held = Reservoir(99, np.unique(np.concatenate((u, v))), u, v, np.arange(1, len(u) + 1), p)
    found = {tuple(sorted(row)) for row in held.triangles().tolist()}
    assert found == naive_triangles(held) and len(found) == len(held.triangles()) > 5
    pairs = [(int(a), int(b)) for a, b in zip(u, v, strict=True)]
    wedges = [(i, j) for i in range(len(pairs)) for j in range(i) for x in set(pairs[i]) & set(pairs[j])]
    for what, sets in (("triangles", sorted(found)), ("wedges", wedges)):
        t = [float(np.prod([1 / p[e] for e in each])) for each in sets]
        variance = sum(x * (x - 1) for x in t)
        for i, j in permutations(range(len(sets)), 2):
            shared = set(sets[i]) & set(sets[j])
            if len(shared) == 1:
                variance += t[i] * t[j] * (1 - p[shared.pop()])
        value, error = held.estimate(what)
        assert value == pytest.approx(sum(t))
        if what == "triangles":  # those that share two edges, by parallel ones, aside
            assert error**2 == pytest.approx(variance, rel=0.35)
    assert held.estimate("edges").value == pytest.approx(np.sum(1 / p))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("gsh", {}),
        ("gsh", {"closing": True}),
        ("gps", {"edges": 14}),
        ("gps", {"edges": 14, "triangles": 0}),
        ("gps", {"edges": 14, "block": 4}),
    ],
)
def test_estimates_are_unbiased(device, method, options):
    """Edges, wedges and triangles of a graph, and the variances that single runs tell."""
    many = sample(DENSE, method, seed=1, seeds=3000, device=device, **options)
    for what, true in (("edges", 28), ("wedges", 127), ("triangles", 24)):
        told = np.array([one.stream.estimate(what) for one in many])
        assert abs(told[:, 0].mean() - true) < 4 * told[:, 0].std() / 3000**0.5
        assert (told[:, 1] ** 2).mean() == pytest.approx(told[:, 0].var(), rel=0.25)
    if method == "gps":
        here = np.array([one.stream.estimate("triangles", in_stream=True).value for one in many])
        assert abs(here.mean() - 24) < 4 * here.std() / 3000**0.5
        assert here.var() < told[:, 0].var() / 3


@pytest.mark.slow
def test_law_of_pies(device):
    """Vertices held of a stream of single edges of a path: the law of the literal loop at other seeds."""
    edges = [(i, i + 1) for i in range(7)]
    ends = np.array(edges)
    many = sample(iter([ends]), "pies", size=3, seed=1, seeds=4000, device=device)
    law = [tuple(reference_pies(edges, 3, seed).vertices) for seed in range(10**6, 10**6 + 500)]
    found = [tuple(one.vertices.tolist()) for one in many]
    keys = sorted({each for each in law if law.count(each) > 5})
    table = [[law.count(key) for key in keys], [found.count(key) for key in keys]]
    assert stats.chi2_contingency(table).pvalue > 0.001 and len(keys) > 3


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ([], {"size": 3}, "holds no edges"),
        ([([1], [1])], {"size": 3}, "no edges but loops"),
        ([([1, 2], [3])], {"size": 3}, "chunk 1: its columns have 2, 1 rows"),
        ([([1], [2]), "12"], {"size": 3}, "chunk 2 is '12'"),
        ([([1], [-2])], {"size": 3}, "target holds -2"),
        ([(["a"], [2])], {"size": 3}, "ids before it were text"),
        ([([1.5], [2])], {"size": 3}, "source holds 1.5"),
        ([([1], [2])], {"size": "50%"}, "give a count"),
        ([([1], [2])], {"size": 0.5}, "give a count"),
        ([([1], [2])], {"size": 5, "strict": True}, "ended after 1 edges, with 2 of 5"),
        ([([1], [2])], {"size": 5, "weighted": True}, "not an option of pies"),
    ],
)
def test_bad_streams(source, options, words):
    with pytest.raises(InputError, match=words):
        sample(iter(source), "pies", seed=1, **options)


def test_a_stream_that_ends_early(device):
    made = sample(iter([([1, 3], [2, 4])]), "pies", size=9, seed=1, device=device)
    assert made.vertices.tolist() == [1, 2, 3, 4] and "ended after 2 edges" in made.notes[0]
    with pytest.raises(InputError, match="probabilities of pies are not known"):
        made.stream.estimate("edges")

    def broken():
        yield [1, 2], [3, 4]
        raise ConnectionError("the line is dead")

    with pytest.raises(ConnectionError, match="the line is dead"):
        sample(broken(), "pies", size=9, seed=1, device=device)
    few = sample(SEVEN, "gps", edges="100%", seed=1, device=device)
    assert few.stream.probability.tolist() == [1] * 9
    assert few.stream.estimate("triangles", in_stream=True).value == 3
    assert sample(SEVEN, "rn", size=3, seed=1, device=device).stream is None
