"""Searches that spread, on every device against their reference, and against their laws."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference, set_counts
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.reference.spreading import count_below
from clgraph.sampling import sample
from clgraph.sampling.literature.spreading import thresholds

METHODS = ("snowball", "ff", "rds")  # spikyball: test_spikyball.py
MODES = ("batched", "exact")


@pytest.mark.smoke("batched-ff", "exact-snowball")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_equals_reference(device, method, mode):
    for seed in range(3):
        n = 15 + 10 * seed
        graph = random_graph(seed, n, 2 * n, duplicates="keep" if seed == 1 else "merge")
        for keep in ("induced", "visited", "tree"):
            equals_reference(graph, method, device, seed=seed, size="60%", mode=mode, keep=keep)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_awkward_graphs(device, method, mode):
    for graph in awkward_graphs():
        options = {"starts": 2} if method == "rds" else {}
        for size in ("100%", 3):
            equals_reference(graph, method, device, seed=5, size=size, mode=mode, **options)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("snowball", {"k": 2}),
        ("snowball", {"start": [3, 9]}),
        ("ff", {"p": "0.35"}),
        ("ff", {"p": 0}),
        ("ff", {"p": "0.95", "start": 7}),
        ("rds", {"coupons": 1}),
        ("rds", {"starts": 40, "coupons": 2}),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_options(device, method, options, mode):
    graph = powerlaw_graph(90, seed=2).largest_component().with_ids(None)
    equals_reference(graph, method, device, seed=1, size="50%", mode=mode, **options)


def test_stages_of_a_snowball(device):
    graph = random_graph(3, 80, 160)
    for stages in (1, 2, 4):
        made = equals_reference(graph, "snowball", device, seed=2, k=3, stages=stages)
        assert made.target_vertices == 0 or len(made.vertices) < 80


@pytest.mark.parametrize("mode", MODES)
def test_directions(device, mode):
    graph = random_graph(4, 40, 120, directed=True)
    for method in METHODS:
        equals_reference(graph, method, device, seed=3, size="50%", direction="out", mode=mode)
    equals_reference(graph, "ff", device, seed=3, size="50%", direction="out", p="0.5", r="0.8", mode=mode)
    equals_reference(graph, "ff", device, seed=3, size="50%", direction="in", p="0.5", r="0.8", mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_runs_side_by_side(device, mode):
    graph = random_graph(6, 70, 100)
    for method in METHODS:
        several = sample(graph, method, size="70%", seed=11, seeds=4, device=device, mode=mode)
        for run, one in enumerate(several):
            alone = sample(graph, method, size="70%", seed=11 + run, device=device, mode=mode)
            assert one.vertices.tobytes() == alone.vertices.tobytes()
            assert one.order.tobytes() == alone.order.tobytes()
            assert one.notes == alone.notes


def test_thresholds():
    made = thresholds(Fraction(7, 10))
    for x in (0, 1, 2**40, 2**63, 2**64 - 1):
        assert sum(x < limit for limit in made) == count_below(x, Fraction(7, 10))


# --- laws -----------------------------------------------------------------------------------------


def law_of(method, target, mode, k, p):
    """The law of the sample on SEVEN from vertex 2, by enumeration."""
    near = Rows(SEVEN).near
    law: dict[tuple[int, ...], float] = defaultdict(float)

    def takes(v, seen):
        """What v takes, with probabilities."""
        open_ = near[v] if method == "snowball" else [u for u in near[v] if u not in seen]
        if method == "ff":
            sizes = {j: p**j * (1 - p) for j in range(len(open_))} | {len(open_): p ** len(open_)}
        else:
            sizes = {min(k, len(open_)): 1.0}
        for j, q in sizes.items():
            sets = list(combinations(open_, j))
            for each in sets:
                yield frozenset(each), q / len(sets)

    def stage(seen, active, q):
        new_law = defaultdict(float)
        for each in product(*(list(takes(v, seen)) for v in active)):
            new = frozenset().union(*(names for names, _ in each)) - seen
            weight = q
            for _, w in each:
                weight *= w
            new_law[new] += weight
        for new, w in new_law.items():
            if not new:
                for start in set(range(7)) - seen:
                    finish(seen, frozenset([start]), w / (7 - len(seen)))
            else:
                finish(seen, new, w)

    def finish(seen, new, q):
        room = target - len(seen)
        if len(new) >= room:
            cuts = list(combinations(sorted(new), room))
            for cut in cuts:
                law[tuple(sorted(seen | set(cut)))] += q / len(cuts)
        else:
            stage(seen | new, sorted(new), q)

    stage(frozenset([2]), [2], 1.0)
    return law


@pytest.mark.slow
@pytest.mark.parametrize(("method", "k"), [("snowball", 2), ("ff", 0), ("rds", 1)])
def test_law_of_stages(device, method, k):
    options = {"snowball": {"k": k}, "ff": {"p": "0.6"}, "rds": {"coupons": k}}[method]
    counts = set_counts(SEVEN, method, device, size=4, start=2, **options)
    law = law_of(method, 4, "batched", k, 0.6)
    keys = sorted(law)
    assert abs(sum(law.values()) - 1) < 1e-9 and set(counts) <= set(keys)
    expected = np.array([20_000 * law[key] for key in keys])
    found = np.array([counts.get(key, 0) for key in keys])
    rare = expected < 5
    found = np.append(found[~rare], found[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    some = expected > 0
    assert stats.chisquare(found[some], expected[some]).pvalue > 0.001


@pytest.mark.slow
def test_rds_weights(device):
    """Successive sampling's weights repair the share of vertices of low degree."""
    graph = powerlaw_graph(600, seed=3).largest_component()
    trait = (graph.degrees >= 6).astype(float)
    many = sample(graph, "rds", size="20%", seed=1, seeds=60, device=device)
    plain = np.mean([trait[one.index].mean() for one in many])
    told = np.mean([one.mean(trait).value for one in many])
    assert plain > 1.3 * trait.mean()
    assert abs(told - trait.mean()) < 0.3 * abs(plain - trait.mean())


def test_recruitment_estimators(device):
    """On a graph of two groups in which everybody has the same degree all three estimators see the shares."""
    graph = Graph.from_edges(np.arange(60), (np.arange(60) + 1) % 60)
    trait = np.arange(60) % 2
    many = sample(graph, "rds", size=40, starts=6, seed=1, seeds=30, device=device)
    two = [one.distribution(trait, "II").share[1] for one in many]
    plain = [trait[one.index].mean() for one in many]
    assert np.allclose(two, plain)
    for one in many[:3]:
        assert one.distribution(trait, "SS").share.tolist() == one.distribution(trait).share.tolist()
        first = one.distribution(trait, "I")
        assert first.values.tolist() == [0, 1] and abs(first.share.sum() - 1) < 1e-12
    with pytest.raises(InputError, match="estimator is of rds"):
        sample(graph, "ff", size=40, seed=1, device=device).distribution(trait, "II")
    with pytest.raises(InputError, match="compares two groups"):
        many[0].distribution(np.arange(60), "I")


def test_shares_by_recruitment():
    """By hand: A recruits one A and one B, B recruits one A and two B; degrees 2 and 4."""
    from clgraph.sampling.literature.estimates import recruitment_shares

    groups = np.array(["a", "a", "b", "b", "a", "b", "b"])
    degrees = np.where(groups == "a", 2.0, 4.0)
    recruiter = np.array([0, 0, 0, 3, 3, 3, 2])
    names, share = recruitment_shares(groups, degrees, recruiter)
    s_ab, s_ba = 1 / 2, 1 / 3
    assert names.tolist() == ["a", "b"]
    assert share[0] == pytest.approx(s_ba * 4 / (s_ab * 2 + s_ba * 4))


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("snowball", {}, "takes one of size or stages"),
        ("snowball", {"size": 3, "k": 0}, "k is 0"),
        ("snowball", {"stages": 2, "mode": "exact"}, "has none"),
        ("ff", {"size": 3, "p": "0.995"}, "probability, 0 to 0.99"),
        ("ff", {"size": 3, "p": 2}, "probability"),
        ("ff", {"size": 3, "r": "0.5"}, "r is of directed fires"),
        ("rds", {"size": 3, "starts": 9}, "the graph has 8 vertices"),
        ("rds", {"size": 3, "start": 7}, "has no edges"),
        ("ff", {"size": 3, "mode": "fast"}, "mode is 'fast'"),
        ("rds", {"size": 9, "strict": True}, "can reach 8 of 8"),
    ],
)
def test_bad_input(method, options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, method, seed=1, **options)
