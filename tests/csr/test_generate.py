"""Generated graphs: the references' on every device, the promised laws, and one graph of one seed everywhere.

The statistical tests draw from fixed seeds; each would fail for one seed in 10 000 if the law is right.
"""

import hashlib
from collections import Counter
from itertools import product
from math import comb, inf, nan
from types import SimpleNamespace

import numpy as np
import pytest
from models import same
from scipy.stats import binom, chisquare

import clgraph
from clgraph import (
    CapacityError,
    InputError,
    barabasi_albert_graph,
    configuration_graph,
    connected_components,
    erdos_renyi_graph,
    lfr_graph,
    powerlaw_graph,
    rmat_graph,
    static_model_graph,
    watts_strogatz_graph,
)
from clgraph.csr.generate_stubs import _community_sizes, draw_degrees, shuffle
from clgraph.graph.models import PowerLaw, RMat, power_law
from clgraph.reference import models

LEVEL = 1e-4
SEEDS = (1, 2**64 - 1)


# --- the same everywhere ---------------------------------------------------------------------------------


@pytest.mark.smoke
def test_same_seed_same_graph_on_every_machine():
    drawn, rmat = powerlaw_graph(20_000, seed=7), rmat_graph(10, seed=7)
    for graph, digest in ((drawn, "659ee5062f12f617"), (rmat, "42de460c82694f4a")):
        found = hashlib.sha256(graph.row_ptr.tobytes() + graph.col_idx.tobytes())
        assert found.hexdigest()[:16] == digest
    assert not same(drawn, powerlaw_graph(20_000, seed=8))
    assert not same(rmat_graph(8, seed=7), rmat_graph(8, seed=8))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("make", "first", "options"),
    [
        (powerlaw_graph, 1, {"average_degree": 0.5}),
        (powerlaw_graph, 2, {"average_degree": 1}),
        (powerlaw_graph, 257, {"average_degree": 3.3, "exponent": 3}),
        (powerlaw_graph, 5000, {"average_degree": 60, "exponent": 2.1}),
        (powerlaw_graph, 30_000, {"average_degree": 2, "exponent": 10}),
        (powerlaw_graph, 200_000, {}),
        (rmat_graph, 1, {}),
        (rmat_graph, 3, {"directed": True, "scramble": False, "duplicates": "keep"}),
        (rmat_graph, 10, {"duplicates": "keep"}),
        (rmat_graph, 9, {"edge_factor": 0.3, "a": 0, "b": 0.5, "c": 0.5}),
        (rmat_graph, 6, {"a": 1, "b": 0, "c": 0}),
        (rmat_graph, 12, {"edge_factor": 40, "a": 0.25, "b": 0.25, "c": 0.25, "directed": True}),
        (rmat_graph, 14, {}),
    ],
)
@pytest.mark.cross
def test_a_device_makes_the_graph_of_the_host(device, make, first, options, seed):
    report = {}
    made = make(first, **options, seed=seed, device=device, report=report)
    assert same(made, make(first, **options, seed=seed))
    assert made.multiplicity is None
    assert made.num_self_loops == np.count_nonzero(made.tails == made.col_idx) == 0
    assert (report["seed"], report["device"]) == (seed, device.name)
    assert set(report["seconds"]) == {"compile", "draw", "rows", "total"}


@pytest.mark.smoke
@pytest.mark.parametrize("seed", SEEDS)
def test_graphs_are_the_references(device, seed):
    for n, k in ((2, 1), (3, 1), (200, 1), (5, 4), (6, 4), (150, 4), (60, 25)):
        made = barabasi_albert_graph(n, k, seed=seed, device=device)
        assert same(made, models.reference_barabasi_albert(n, k, seed=seed))
        assert made.num_edges == k * (k + 1) // 2 + (n - k - 1) * k
    for given in ((1, 0), (2, 1), (3, 2), (40, 60), (41, 700), (12, 66), (13, 40)):
        made = erdos_renyi_graph(*given, seed=seed, device=device)
        assert same(made, models.reference_erdos_renyi(*given, seed=seed))
    for given in ((3, 0, 0.5), (3, 2, 1), (60, 6, 0), (60, 6, 0.3), (50, 4, 1), (11, 8, 0.7)):
        made = watts_strogatz_graph(*given, seed=seed, device=device)
        assert same(made, models.reference_watts_strogatz(*given, seed=seed))
    for n, degree, alpha, shift in ((1, 0, 1, 0), (50, 5, 0.8, 0), (256, 3, 1.2, 0.5), (30, 12, 0, 3)):
        how = {"average_degree": degree, "alpha": alpha, "shift": shift, "seed": seed}
        made = static_model_graph(n, **how, device=device)
        assert same(made, models.reference_static_model(n, **how))


@pytest.mark.smoke
def test_configurations_are_the_references(device):
    rows = ((2, 2, 1, 1), (5, 0, 1, 4), (90, 2.2, 1, 30), (61, 3, 3, 4), (8, 1, 7, 7))
    for seed, (n, exponent, least, most) in product((1, 7, 2**64 - 1), rows):
        how = {"exponent": exponent, "min_degree": least, "max_degree": most, "seed": seed}
        wanted, degrees = models.reference_configuration(n, **how)
        assert same(configuration_graph(n, **how, device=device), wanted)
        assert sum(degrees) % 2 == 0 and all(least <= k <= most for k in degrees)


SMALL = {"mixing": 0.3, "degree_exponent": 2.0, "min_degree": 3, "max_degree": 15}
SMALL |= {"community_exponent": 1.0, "min_community": 12, "max_community": 40}


@pytest.mark.smoke
def test_graphs_with_communities_are_the_references(device):
    dropped = 0
    for n, seed, more in (
        (200, 1, {}),
        (157, 2**64 - 1, {"mixing": 0.7}),
        (90, 3, {"mixing": 0.0, "max_degree": 8}),
        (60, 4, {"mixing": 1.0}),
        (40, 5, {"min_degree": 9, "max_degree": 12, "mixing": 0.1, "max_community": 14}),  # tight
        (30, 6, {"max_community": 100, "min_community": 30, "mixing": 0.0}),  # a single one
    ):
        how = {**SMALL, **more, "seed": seed}
        made = lfr_graph(n, **how, device=device)
        wanted, community, left = models.reference_lfr(n, **how)
        assert (made.community.tolist(), made.dropped) == (community, left)
        assert same(made.graph, wanted)
        models.verify_communities(made, mixing=how["mixing"])
        dropped += left
    assert dropped  # some are too tight for all edges


def test_progress(device):
    for where in (None, device):
        told = []
        rmat_graph(4, seed=1, device=where, progress=lambda done, of, told=told: told.append((done, of)))
        assert told[-1] == (256, 256)


def test_shuffle_is_that_of_the_loop(device):
    rng = np.random.default_rng(1)
    for count in (1, 2, 50, 5000):
        aim = rng.integers(np.arange(count), count)
        aim[rng.random(count) < 0.2] = count - 1  # many want the last one
        aim = np.maximum(aim, np.arange(count)).astype(np.int32)
        want = list(range(count))
        for i, j in enumerate(aim):
            want[i], want[j] = want[j], want[i]
        value = device.upload(np.arange(count, dtype=np.int32), writable=True)
        shuffle(device, value, device.upload(aim), count)
        assert device.download(value, np.int32, count).tolist() == want


def test_sizes_of_communities():
    bounds = (100, 10, 30), (1000, 20, 25), (41, 20, 40), (50, 50, 90), (7, 1, 1), (95, 10, 90)
    for seed, (n, least, most) in enumerate(bounds, 1):
        found = _community_sizes(n, least, most, 1.5, seed)
        assert found.tolist() == models.reference_sizes(n, least, most, 1.5, seed=seed)
        assert found.sum() == n and found.min() >= least


# --- the law ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exponent", "share"), [(2.1, 1.91), (2.2, 1.34), (2.4, 1.09), (2.71, 0.98), (3, 0.79)]
)
def test_largest_expected_degree(exponent, share):
    """As the docstring says, of the root of vertices times average degree."""
    model = PowerLaw(100_000, 5, exponent, 1)
    largest = 2 * model.count * int(model.thresholds[0]) / 2**32
    assert round(largest / 500_000**0.5, 2) == share


def test_power_law():
    graph = powerlaw_graph(300_000, seed=1)
    degrees = graph.degrees
    assert graph.num_self_loops == 0 and graph.multiplicity is None
    assert 4.95 < degrees.mean() <= 5
    # maximum likelihood (Clauset, Shalizi, Newman 2009) over the tail, where the expected degrees rule
    tail = degrees[(degrees >= 20) & (degrees <= 400)]
    assert 2.5 < 1 + len(tail) / np.log(tail / 19.5).sum() < 2.9
    assert degrees.max() < 1.2 * np.sqrt(300_000 * 5)


def test_power_law_of_many_values():
    """The products of powers of primes are the powers, up to what 64 bits can tell."""
    most = 20_000
    found = power_law(5, most, 2.3).astype(np.float64) / 2.0**64
    mass = np.arange(5, most + 1) ** -2.3
    np.testing.assert_allclose(found, np.cumsum(mass)[:-1] / mass.sum(), rtol=1e-10)


@pytest.mark.parametrize("exponent", [2.2, 2.71, 4])
def test_powerlaw_draws_ranks_in_proportion(exponent):
    model = PowerLaw(100_000, 5, exponent, 11)
    of_rank = np.arange(100_000) * model.stride % 100_000
    rank_of = np.empty(100_000, np.int64)
    rank_of[of_rank] = np.arange(100_000)
    shares = np.diff(np.concatenate(([0], model.thresholds.astype(np.float64), [2**32]))) / 2**32
    for end in model.draw(0, model.count):
        which = np.searchsorted(model.bounds, rank_of[end], side="right") - 1
        seen = np.bincount(which, minlength=len(shares))
        assert chisquare(seen, shares * model.count).pvalue > LEVEL
        # uniform inside a class: the last one is the largest
        begin, stop = model.bounds[-2:]
        inside = rank_of[end][which == len(shares) - 1] - begin
        tenths = np.bincount(inside * 10 // (stop - begin), minlength=10)
        widths = np.diff(np.ceil(np.arange(11) * (stop - begin) / 10))
        assert chisquare(tenths, widths / (stop - begin) * len(inside)).pvalue > LEVEL


@pytest.mark.parametrize("quadrants", [(0.57, 0.19, 0.19), (0.25, 0.25, 0.25), (0.1, 0.2, 0.3)])
def test_rmat_picks_quadrants_in_proportion(quadrants):
    model = RMat(9, 400, quadrants, 5, True, False)
    tail, head = model.draw(0, model.count)
    shares = np.array([*quadrants, 1 - sum(quadrants)])
    before = np.zeros(model.count, np.int64)
    for level in reversed(range(9)):
        quadrant = 2 * (tail >> level & 1) + (head >> level & 1)
        assert chisquare(np.bincount(quadrant), shares * model.count).pvalue > LEVEL
        # and the levels do not depend on each other
        table = np.bincount(4 * before + quadrant, minlength=16)
        if level < 8:
            assert chisquare(table, np.outer(shares, shares).ravel() * model.count).pvalue > LEVEL
        before = quadrant


@pytest.mark.parametrize("scale", [1, 2, 3, 7, 16])
def test_scrambling_is_a_bijection_that_hides_the_degree(scale):
    model = RMat(scale, 1, (0.57, 0.19, 0.19), 2, False, True)
    label = model._label(np.arange(1 << scale, dtype=np.uint32))
    assert np.array_equal(np.sort(label), np.arange(1 << scale))
    if scale == 16:  # R-MAT's 256 largest rows (few ones in the number) lie anywhere
        few_ones = np.argsort([bin(x).count("1") for x in range(1 << scale)], kind="stable")[:256]
        assert chisquare(np.bincount(label[few_ones] >> 12, minlength=16)).pvalue > LEVEL
        assert abs(np.corrcoef(np.arange(1 << scale), label)[0, 1]) < 4 / np.sqrt(1 << scale)


def test_rmat_graph_keeps_what_it_is_asked_to():
    kept = rmat_graph(8, seed=1, duplicates="keep", directed=True, scramble=False)
    merged = rmat_graph(8, seed=1, directed=True, scramble=False)
    model = RMat(8, 16, (0.57, 0.19, 0.19), 1, True, False)
    tail, head = model.draw(0, model.count)
    proper = tail != head
    assert kept.num_arcs == np.count_nonzero(proper)
    assert merged.num_arcs == len(np.unique(tail[proper].astype(np.int64) << 8 | head[proper]))
    assert merged.multiplicity is None and merged.degrees.argmax() == 0


def test_barabasi_albert_law(device):
    """P(d) = 2 k (k + 1) / (d (d + 1) (d + 2)) (Bollobas, Riordan, Spencer, Tusnady 2001)."""
    n, k = 100_000, 2
    made = barabasi_albert_graph(n, k, seed=2, device=device)
    assert connected_components(made, device=device).count == 1
    degrees = made.degrees
    assert degrees.min() == k
    d = np.arange(k, 40)
    law = 2.0 * k * (k + 1) / (d * (d + 1) * (d + 2))
    seen = np.bincount(np.minimum(degrees, 40), minlength=41)[k:]
    assert chisquare(seen, n * np.append(law, 1 - law.sum())).pvalue > LEVEL
    assert 200 < degrees.max() < 5000  # grows as the square root of n


def test_edges_are_counted_and_different(device):
    made = erdos_renyi_graph(30_000, 90_000, seed=3, device=device)
    assert (made.num_edges, made.num_self_loops, made.is_multigraph) == (90_000, 0, False)
    assert len(np.unique(made.tails.astype(np.int64) * 30_000 + made.col_idx)) == 180_000
    told = []
    how = {"average_degree": 8, "alpha": 0.9, "seed": 3, "progress": lambda *a: told.append(a)}
    made = static_model_graph(30_000, **how, device=device)
    assert made.num_edges == 120_000 and told[-1] == (120_000, 120_000)
    assert len(np.unique(made.tails.astype(np.int64) * 30_000 + made.col_idx)) == 240_000
    # complete but for one edge: nearly all pairs are listed without one
    assert erdos_renyi_graph(500, comb(500, 2) - 1, seed=3, device=device).degrees.min() == 498


def test_erdos_renyi_law(device):
    """All graphs are equally likely, and degrees are hypergeometric, for which the binomial law stands in."""
    graphs = (models.reference_erdos_renyi(4, 2, seed=seed) for seed in range(600))
    seen = Counter((*each.row_ptr.tolist(), *each.col_idx.tolist()) for each in graphs)
    assert len(seen) == 15
    assert chisquare(list(seen.values())).pvalue > LEVEL
    n, m = 20_000, 60_000
    degrees = erdos_renyi_graph(n, m, seed=4, device=device).degrees
    counts = np.bincount(np.minimum(degrees, 13), minlength=14)
    law = binom.pmf(np.arange(13), n - 1, 2 * m / (n * (n - 1)))
    assert chisquare(counts, n * np.append(law, 1 - law.sum())).pvalue > LEVEL


def test_watts_strogatz_law(device):
    n, k, p = 20_000, 6, 0.2
    made = watts_strogatz_graph(n, k, p, seed=5, device=device)
    assert made.num_edges == n * k // 2
    far = (made.col_idx - made.tails) % n
    forward = made.tails < made.col_idx
    far = np.minimum(far, n - far)[forward]
    stays = np.count_nonzero(far <= k // 2)
    spread = np.sqrt(n * k / 2 * p * (1 - p))
    assert abs(stays - n * k / 2 * (1 - p)) < 4 * spread + 10
    tenths = np.bincount((far[far > k // 2] - k // 2 - 1) * 10 // (n // 2 - k // 2), minlength=10)
    assert chisquare(tenths).pvalue > LEVEL  # new ends are anywhere
    assert made.degrees.min() >= k // 2  # each vertex keeps its own half


def test_static_model_law(device):
    n, alpha, shift = 200_000, 0.7, 50.0
    made = static_model_graph(n, average_degree=4, alpha=alpha, shift=shift, seed=6, device=device)
    stride = next(s for s in range(int(n * 0.6180339887498949), n) if np.gcd(s, n) == 1)
    by_rank = made.degrees[np.arange(n, dtype=np.int64) * stride % n]
    weight = (np.arange(1, n + 1) + shift) ** -alpha
    groups = np.searchsorted([100, 1000, 10_000, 50_000, 100_000, 150_000], np.arange(n), side="right")
    want = np.bincount(groups, weight) / weight.sum() * made.num_arcs
    assert np.abs(np.bincount(groups, by_rank) / want - 1).max() < 0.02


def test_law_of_degrees(device):
    n, least, most = 100_000, 2, 60
    buffer = draw_degrees(device, n, least, most, power_law(least, most, 1.8), 3)
    degrees = device.download(buffer, np.int32, n)
    law = np.arange(least, most + 1) ** -1.8
    assert chisquare(np.bincount(degrees, minlength=most + 1)[least:], n * law / law.sum()).pvalue > LEVEL
    made = configuration_graph(n, exponent=1.8, min_degree=least, max_degree=most, seed=3, device=device)
    assert 0 < degrees.sum() - made.num_arcs < 0.01 * degrees.sum()  # loops and parallel edges
    assert (made.degrees[1:] <= degrees[1:]).all()


def test_laws_of_communities(device):
    told = []
    made = lfr_graph(20_000, mixing=0.35, seed=2, device=device, progress=lambda *a: told.append(a))
    models.verify_communities(made, mixing=0.35)
    sizes = np.bincount(made.community)
    assert len(sizes) == made.num_communities
    assert sizes.min() >= 20 and sizes.max() <= 100
    degrees = made.graph.degrees
    assert degrees.max() <= 50
    assert np.count_nonzero(degrees < 5) < 0.02 * len(degrees)  # what an odd stub or a dropped edge takes
    assert made.dropped < 0.001 * made.graph.num_edges
    assert told[-1][1] - told[-1][0] == made.dropped
    with pytest.raises(AssertionError, match=r"mixing is 0\.5"):
        models.verify_communities(made, mixing=0.5)
    outside = np.where(made.community == 0, -1, made.community)
    for wrong in (made.community[:-1], outside, made.community * 0):
        other = SimpleNamespace(**{**vars(made), "community": wrong})
        with pytest.raises(AssertionError):
            models.verify_communities(other, mixing=0.35)


# --- small and wrong ones --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1 + 1, 3, 10, 255, 256, 257, 1000])
def test_small_ones(n):
    graph = powerlaw_graph(n, average_degree=1, seed=3)
    assert graph.num_vertices == n and graph.num_edges <= n


@pytest.mark.parametrize(
    ("make", "given", "options", "words"),
    [
        (powerlaw_graph, (0,), {}, "vertices"),
        (powerlaw_graph, (2**31,), {}, "vertices"),
        (powerlaw_graph, (100,), {"average_degree": 0}, "average degree"),
        (powerlaw_graph, (100,), {"average_degree": 100}, "average degree"),
        (powerlaw_graph, (100,), {"average_degree": nan}, "average degree"),
        (powerlaw_graph, (100,), {"exponent": 2}, "exponent"),
        (powerlaw_graph, (100,), {"exponent": inf}, "exponent"),
        (powerlaw_graph, (100,), {"seed": -4}, "seed"),
        (rmat_graph, (0,), {}, "scale 0: give 1 to 30"),
        (rmat_graph, (31,), {}, "signed 32-bit"),
        (rmat_graph, (2.5,), {}, "whole number"),
        (rmat_graph, (5,), {"edge_factor": 0}, "edge factor 0"),
        (rmat_graph, (5,), {"edge_factor": -3}, "edge factor -3"),
        (rmat_graph, (5,), {"edge_factor": nan}, "edge factor is nan"),
        (rmat_graph, (5,), {"edge_factor": 0.001}, "no edges on 32 vertices"),
        (rmat_graph, (5,), {"a": 0.6, "b": 0.3, "c": 0.2}, r"= 1\.1: .* give smaller"),
        (rmat_graph, (5,), {"b": -0.1}, "probability b = -0.1"),
        (rmat_graph, (5,), {"c": nan}, "c is nan"),
        (rmat_graph, (5,), {"seed": 2**64}, "seed"),
        (rmat_graph, (5,), {"duplicates": "sum"}, "'sum'"),
        (barabasi_albert_graph, (5, 0), {}, "each new vertex is 0"),
        (barabasi_albert_graph, (5, 5), {}, "a vertex with 5 edges needs 5 others; give at least 6 vertices"),
        (barabasi_albert_graph, (2**31, 1), {}, "number of vertices"),
        (barabasi_albert_graph, (10**6, 2000), {}, "at most 1073741824"),
        (barabasi_albert_graph, (True, 1), {}, "number of vertices is True"),
        (erdos_renyi_graph, (0, 0), {}, "number of vertices is 0"),
        (erdos_renyi_graph, (4, 7), {}, "4 vertices have only 6 pairs; give at most 6"),
        (erdos_renyi_graph, (10**6, 2**30 + 1), {}, "at most 1073741824 can be drawn"),
        (erdos_renyi_graph, (4, -1), {}, "number of edges is -1"),
        (watts_strogatz_graph, (10, 3, 0.1), {}, "degree 3: .* give an even number"),
        (watts_strogatz_graph, (10, 10, 0.1), {}, "10 vertices allow at most 8"),
        (watts_strogatz_graph, (10, 4, 1.5), {}, "probability 1.5: give a number from 0 to 1"),
        (watts_strogatz_graph, (10, 4, nan), {}, "probability is nan"),
        (static_model_graph, (10,), {"average_degree": 10}, "10 vertices allow 0 to 9"),
        (static_model_graph, (10,), {"alpha": -1}, "alpha -1.0: give a number from 0 to 2"),
        (static_model_graph, (10,), {"shift": -1}, "shift -1.0: give a number from 0"),
        (static_model_graph, (10,), {"seed": -1}, "seed -1"),
    ],
)
def test_bad_arguments(make, given, options, words):
    with pytest.raises(InputError, match=words):
        make(*given, **options)


@pytest.mark.parametrize(
    ("n", "how", "words"),
    [
        (5, {"min_degree": 3, "max_degree": 3}, "5 vertices of degree 3: the sum of the degrees is odd"),
        (5, {"min_degree": 4, "max_degree": 3}, "minimum degree 4 is above the maximum, 3"),
        (5, {"min_degree": 1, "max_degree": 5}, "maximum degree 5: 5 vertices allow at most 4"),
        (1, {}, "maximum degree 1: 1 vertices allow at most 0"),
        (9, {"min_degree": 0}, "minimum degree is 0"),
        (9, {"min_degree": "3"}, "minimum degree is '3'"),
        (9, {"exponent": -1}, "exponent -1.0: give a number from 0 to 20"),
        (2**31 - 1, {"max_degree": 2**30}, "at most 1048576 different values"),
        (60_000, {"min_degree": 59_998, "max_degree": 59_999, "seed": 1}, "the degrees add up to 3"),
    ],
)
def test_bad_configurations(device, n, how, words):
    with pytest.raises(InputError, match=words):
        configuration_graph(n, **how, device=device)


@pytest.mark.parametrize(
    ("n", "more", "words"),
    [
        (200, {"mixing": 1.2}, "mixing 1.2: give a number from 0 to 1"),
        (200, {"mixing": "0.1"}, "mixing is '0.1'"),
        (8, {"max_degree": 7}, "8 vertices are fewer than one community's 12"),
        (200, {"max_community": 11}, "minimum community 12 is above the maximum, 11"),
        (
            201,
            {"min_community": 20, "max_community": 20},
            "201 vertices are no sum of communities of 20 to 20",
        ),
        (20, {"min_community": 20}, "only one community of all 20 vertices"),
        (200, {"max_degree": 200}, "200 vertices allow at most 199"),
        (200, {"max_degree": 60, "degree_exponent": 0}, r"\d+ vertices have \d+ neighbours or more inside"),
    ],
)
def test_bad_communities(device, n, more, words):
    with pytest.raises(InputError, match=words):
        lfr_graph(n, **{**SMALL, **more}, seed=1, device=device)


def test_what_a_device_cannot_draw_is_told(device, monkeypatch):
    with pytest.raises(CapacityError, match="at most 4294967295"):
        rmat_graph(30, seed=1, device=device)
    monkeypatch.setattr("clgraph.csr.generate.ROUNDS", 20)
    with pytest.raises(InputError, match=r"in 20 rounds only \d+ of 190 edges .* a larger shift"):
        static_model_graph(20, average_degree=19, alpha=2, seed=1, device=device)
    monkeypatch.setitem(vars(device), "global_memory", 100_000)
    with pytest.raises(CapacityError, match="the device has 100000 bytes"):
        erdos_renyi_graph(100_000, 100_000, seed=1, device=device)
    monkeypatch.setitem(vars(device), "output", None)  # refused before anything is drawn
    with pytest.raises(CapacityError, match="the device has 100000 bytes"):
        powerlaw_graph(10_000, seed=1, device=device)


# --- the command -----------------------------------------------------------------------------------------


def test_commands(run, tmp_path, device):
    by_hand = rmat_graph(8, edge_factor=4, seed=5, directed=True, a=0.5, b=0.2, c=0.1, scramble=False)
    line = "generate rmat --scale 8 --edge-factor 4 --seed 5 --directed --plain --quadrants 0.5 0.2 0.1"
    for name, where in (("a.clg", ""), ("b.clg", f"--device {device.spec}")):
        done = run(f"{line} {where} -o {tmp_path / name}").fine()
        assert done.out == "" and "rmat, seed 5: " in done.err
        assert same(clgraph.read(tmp_path / name), by_hand)
    assert device.name in done.err
    assert (tmp_path / "a.clg").read_bytes() == (tmp_path / "b.clg").read_bytes()
    line = f"generate powerlaw --vertices 3000 --seed 5 --device {device.spec} -q"
    assert run(f"{line} -o {tmp_path}/a.clg").err == ""
    assert same(clgraph.read(tmp_path / "a.clg"), powerlaw_graph(3000, seed=5))


def test_rmat_command_refuses(run, tmp_path):
    for options, word in (
        ("--scale 31", "scale 31"),
        ("--scale 4 --edge-factor 0", "edge factor 0"),
        ("--scale 4 --quadrants 0.9 0.1 0.1", "give smaller ones"),
    ):
        run(f"generate rmat {options} -o {tmp_path}/x.txt").refused(word)
    assert run(f"generate rmat -o {tmp_path}/x.txt").status == 2
    assert not list(tmp_path.iterdir())
