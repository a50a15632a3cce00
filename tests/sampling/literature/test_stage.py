"""Searches that spread (snowball, ff, rds, spikyball) on every device: their options, and their laws."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, equals_reference, fits, launch_otherwise, rows, set_counts, successive

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.reference.spreading import count_below
from clgraph.sampling import sample
from clgraph.sampling.literature import spreading
from clgraph.sampling.literature.estimates import recruitment_shares


@pytest.mark.first_device
def test_large_and_small_stages_of_a_spikyball(device, monkeypatch):
    """Which stages are a chain's does not show."""
    graph = powerlaw_graph(150, seed=2)
    launch_otherwise(monkeypatch, spreading, device, room=12, arcs=30)
    for keep in ("induced", "tree"):
        options = {"size": "80%", "share": "0.2", "keep": keep, "powers": (1, 1, -1)}
        equals_reference(graph, "spikyball", device, seed=3, **options)


@pytest.mark.first_device
@pytest.mark.parametrize(
    ("method", "options"),
    [
        *rows(["snowball", "rds"], mode=["batched", "exact"]),
        *rows(["ff"], p="0.4", r="0.5", direction="out", mode=["batched", "exact"]),
        ("spikyball", {"share": "0.3"}),
    ],
)
def test_several_runs_of_large_stages(device, monkeypatch, method, options):
    """Each draws with its own seed, in stages that have launches of their own as in a chain's."""
    for directed in (False, True):
        graph, asked = random_graph(6, 70, 140, directed=directed), {"size": "70%", **options}
        if directed:
            asked |= {"direction": "out"} | ({"r": "0.5"} if method == "ff" else {})
        want = [equals_reference(graph, method, device, seed=4 + run, **asked) for run in range(3)]
        for small in (0, 3, 1000):
            launch_otherwise(monkeypatch, spreading, device, small=small, room=5, arcs=30)
            made = sample(graph, method, seed=4, seeds=3, device=device, **asked)
            assert [one.vertices.tolist() for one in made] == [one.vertices.tolist() for one in want]


def test_thresholds():
    made = spreading.thresholds(Fraction(7, 10))
    for x in (0, 1, 2**40, 2**63, 2**64 - 1):
        assert sum(x < limit for limit in made) == count_below(x, Fraction(7, 10))


# --- laws -----------------------------------------------------------------------------------------


def law_of(target, stage):
    """The law on SEVEN from vertex 2; stage(seen, active) gives new vertices with their probabilities."""
    law = defaultdict(float)

    def go_on(seen, active, p):
        new_law = defaultdict(float)
        for new, q in stage(seen, active):
            new_law[frozenset(new)] += p * q
        for new, q in new_law.items():
            others = set(range(7)) - seen
            for one in [new] if new else [{start} for start in others]:
                finish(seen, one, q if new else q / len(others))

    def finish(seen, new, p):
        room = target - len(seen)
        if len(new) < room:
            go_on(seen | new, new, p)
            return
        cuts = list(combinations(sorted(new), room))
        for cut in cuts:
            law[tuple(sorted(seen | set(cut)))] += p / len(cuts)

    go_on(frozenset([2]), {2}, 1.0)
    return law


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options"), [("snowball", {"k": 2}), ("ff", {"p": "0.6"}), ("rds", {"coupons": 1})]
)
def test_law_of_stages(device, method, options):
    near = Rows(SEVEN).near

    def takes(v, seen):
        """What v takes, with probabilities."""
        open_ = near[v] if method == "snowball" else [u for u in near[v] if u not in seen]
        if method == "ff":
            sizes = {j: 0.6**j * 0.4 for j in range(len(open_))} | {len(open_): 0.6 ** len(open_)}
        else:
            sizes = {min(*options.values(), len(open_)): 1.0}
        for j, q in sizes.items():
            sets = list(combinations(open_, j))
            for each in sets:
                yield frozenset(each), q / len(sets)

    def stage(seen, active):
        for each in product(*(list(takes(v, seen)) for v in active)):
            yield frozenset().union(*(names for names, _ in each)) - seen, np.prod([q for _, q in each])

    counts = set_counts(SEVEN, method, device, size=4, start=2, **options)
    assert fits(counts, law_of(4, stage)) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("powers", [(0, 0, 0), (1, 0, 1)])
def test_law_of_spikyballs(device, powers):
    """Half of each stage's arcs, up to 5 of 7: successive draws, stage by stage."""
    near = Rows(SEVEN).near

    def stage(seen, active):
        arcs = [(v, u) for v in sorted(active) for u in near[v] if u not in seen]
        if not arcs:
            yield (), 1.0
            return
        out = [sum(v == each for each, _ in arcs) for v, _ in arcs]
        enter = [sum(u == each for _, each in arcs) for _, u in arcs]
        weight = [a ** powers[0] * b ** powers[2] for a, b in zip(out, enter, strict=True)]
        for places, q in successive(weight, max(1, int(len(arcs) / 2 + 0.5))).items():
            yield {arcs[i][1] for i in places}, q

    counts = set_counts(SEVEN, "spikyball", device, size=5, start=2, share="0.5", powers=powers)
    assert fits(counts, law_of(5, stage)) > 0.001


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
    groups = np.array(["a", "a", "b", "b", "a", "b", "b"])
    degrees = np.where(groups == "a", 2.0, 4.0)
    recruiter = np.array([0, 0, 0, 3, 3, 3, 2])
    names, share = recruitment_shares(groups, degrees, recruiter)
    s_ab, s_ba = 1 / 2, 1 / 3
    assert names.tolist() == ["a", "b"]
    assert share[0] == pytest.approx(s_ba * 4 / (s_ab * 2 + s_ba * 4))
