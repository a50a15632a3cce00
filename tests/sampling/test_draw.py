"""Keyed draws of edges: draw by draw, and dhyb against the reference and the methods that it mixes."""

from fractions import Fraction

import numpy as np
import pytest
from graphs import random_graph
from samplers import built, equals_reference, twins

from clgraph import keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference import reference_sample
from clgraph.sampling import reduction_curve, sample
from clgraph.sampling.copra import Copra
from clgraph.sampling.draw import ByDraw


class Slots:
    """A graph's edges in COPRA's slots, and which draw hits which edge, one after the other."""

    def __init__(self, graph, weight):
        self.graph, self.n, self.weight = graph, graph.num_vertices, weight
        tail = graph.tails
        low, self.edge_of = np.flatnonzero(tail < graph.col_idx), np.empty(len(tail), int)
        self.edge_of[low] = self.edge_of[twins(graph)[low]] = np.arange(len(low))
        self.slots = np.full(2 * self.n + len(tail), -1)  # the edge in a slot; headers hold none
        self.slot_of = np.arange(len(tail)) + 2 * (tail + 1)
        self.slots[self.slot_of] = self.edge_of
        self.live = np.ones(self.edge_of.max() + 1, bool)

    def threshold(self):
        degrees = np.bincount(self.graph.tails[self.live[self.edge_of]], minlength=self.n)
        vertices = Fraction(int(np.count_nonzero(degrees)), self.n)
        slots = Fraction(2 * int(self.live.sum()), len(self.slots))
        return int(2**64 * self.weight * slots / (self.weight * slots + (1 - self.weight) * vertices))

    def hits(self, seed, step, count):
        """The first `count` distinct edges hit, in the order of the draws."""
        found, i, threshold = [], 0, self.threshold()
        while len(found) < count:
            first, second = (int(bits[0]) for bits in keyed.draw(seed, step, np.array([i])))
            if self.weight == 1 or int(keyed.coin(seed, step, np.array([i]))[0]) < threshold:
                row = self.slots[self.slot_of[self.graph.tails == first * self.n >> 64]]
                row = row[self.live[row]]
                edge = row[second * len(row) >> 64] if len(row) else -1
            else:
                edge = self.slots[first * len(self.slots) >> 64]
            if edge >= 0 and self.live[edge] and edge not in found:
                found.append(int(edge))
            i += 1
        return found


@pytest.mark.parametrize("weight", ["0", "0.4", "1"])
@pytest.mark.parametrize("far_scan", [False, True])
def test_draws_one_by_one(device, weight, far_scan):
    """Batch after batch the edges that the definition draws, half of the batch first and then undone."""
    for seed in range(3):
        graph = random_graph(seed, 40, 130, duplicates="keep").without_self_loops
        copra = built(device, graph, far_scan=far_scan)
        choice, drawn = ByDraw(copra, seed, weight=Fraction(weight)), Slots(graph, Fraction(weight))
        for step, count in enumerate((1, 12, 25, 10)):
            degrees = np.bincount(graph.tails[drawn.live[drawn.edge_of]], minlength=drawn.n)
            state = (int(np.count_nonzero(degrees)), int(drawn.live.sum()))
            hit = drawn.hits(seed, step, count)
            for part in sorted({count, max(1, count // 2)}, reverse=True):
                choice.remove(step, part, *state)
                expected = drawn.live.copy()
                expected[hit[:part]] = False
                np.testing.assert_array_equal(copra.live_arcs(), expected[drawn.edge_of])
                if part == count > 1:
                    choice.undo()
                    np.testing.assert_array_equal(copra.live_arcs(), drawn.live[drawn.edge_of])
            choice.accept()
            drawn.live = expected


@pytest.mark.slow
@pytest.mark.first_device  # programs of its own
@pytest.mark.parametrize(
    ("method", "duplicates", "options"),
    [
        ("dhyb", "keep", {"mix": "0.5"}),
        ("dre", "keep", {"connection": "strong"}),
        ("dre", "merge", {"connection": "strong"}),
    ],
)
def test_wide_offsets(device, monkeypatch, method, duplicates, options):
    """COPRA's slots pass 2**31 before a CSR's arcs do."""
    monkeypatch.setattr("clgraph.sampling.copra.INT32_MAX", 100)
    graph = random_graph(3, 60, 300, directed="connection" in options, duplicates=duplicates)
    assert Copra(device, graph.undirected.without_self_loops).offset is np.int64
    equals_reference(graph, method, device, size="40%", seed=5, **options)


@pytest.mark.parametrize("mix", [1, 1.0, "1", "1.00"])
def test_mix_one_is_drve(device, mix):
    graph = powerlaw_graph(600, seed=3)
    for seed in range(4):
        made = sample(graph, "dhyb", size="40%", seed=seed, device=device, mix=mix)
        drve = sample(graph, "drve", size="40%", seed=seed, device=device)
        np.testing.assert_array_equal(made.vertices, drve.vertices)
        np.testing.assert_array_equal(made.edges, drve.edges)


@pytest.mark.parametrize("mode", ["exact", "batched"])
def test_mix_one_is_drve_in_the_reference(mode):
    for seed in range(3):
        graph = random_graph(seed, 40, 90)
        one = reference_sample(graph, "dhyb", size="50%", seed=seed, mode=mode, mix=1)
        drve = reference_sample(graph, "drve", size="50%", seed=seed, mode=mode)
        np.testing.assert_array_equal(one.edges, drve.edges)
        other = reference_sample(graph, "dhyb", size="50%", seed=seed, mode=mode, mix="0.5")
        assert not np.array_equal(one.edges, other.edges)


def test_default_mix_and_exact_decimals(device):
    graph = powerlaw_graph(600, seed=3)
    expected = reference_sample(graph, "dhyb", size="50%", seed=1, mode="batched", mix=Fraction(4, 5))
    for options in ({}, {"mix": 0.8}, {"mix": "0.80"}, {"mix": "4/5"}):
        made = sample(graph, "dhyb", size="50%", seed=1, device=device, **options)
        np.testing.assert_array_equal(made.edges, expected.edges)


def test_numbers_below_large_bounds():
    """A slot of COPRA may be above 2**32."""
    bits = np.random.default_rng(3).integers(0, 2**64, 2000, dtype=np.uint64)
    for bound in (2**32, 2**32 + 1, 3 * 2**33 + 7, 2**40 - 1, 2**62):
        assert keyed.below(bits, bound).tolist() == [int(b) * bound >> 64 for b in bits.tolist()]


def test_coins_are_numbers_of_their_own():
    number = np.arange(20_000)
    coin = keyed.coin(4, 2, number)
    for other in (*keyed.draw(4, 2, number), keyed.coin(5, 2, number), keyed.coin(4, 3, number)):
        assert not np.any(coin == other)
        # independent: correlation of 20 000 pairs, standard deviation 0.007
        assert abs(np.corrcoef(coin.astype(float), other.astype(float))[0, 1]) < 0.035


def test_curves_take_mix(device):
    graph = random_graph(4, 60, 150)
    one, same, other = (
        reduction_curve(graph, "dhyb", 5, device=device, **options).edges.tolist()
        for options in ({"mix": "0.5"}, {"mix": 0.5}, {})
    )
    assert one == same != other
