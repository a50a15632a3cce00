"""Random walks and frontier sampling on every device: step for step, side by side, and their laws."""

from collections import Counter
from itertools import accumulate, pairwise

import numpy as np
import pytest
from devices import another
from graphs import random_graph
from samplers import SEVEN, equals_reference, fits, launch_otherwise

from clgraph import Graph, keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows, start_order
from clgraph.reference.traversal import first_start
from clgraph.sampling import sample
from clgraph.sampling.literature import walks
from clgraph.sampling.literature.view import View

METHODS = tuple(walks.NUMBER)
ADVICE = dict.fromkeys(("rw", "mhrw"), "; walkers=1000, say, walk side by side") | {"fs": ""}
KNOWN = tuple(name for name in METHODS if name != "node2vec")  # where they are in the long run


def starts_of(graph, seed, walkers):
    """The walkers' starts: one of the largest component, then by priority."""
    first = first_start(graph, seed)
    others = [v for v in start_order(graph.num_vertices, seed) if v != first]
    return [first, *others[: walkers - 1]]


@pytest.mark.parametrize("method", METHODS)
def test_a_number_of_steps(device, method):
    graph = random_graph(3, 30, 60)
    options = {"steps": 40, "walkers": 3, "burn_in": 4, "thin": 3, "walks": True}
    made = equals_reference(graph, method, device, seed=2, **options)
    assert made.visits.sum() == 3 * 12 and made.walks.shape == (3, 41)
    assert made.walks[:, 0].tolist() == starts_of(graph, seed=2, walkers=3)
    for keep in ("visited", "tree"):
        equals_reference(graph, method, device, seed=2, steps=9, walkers=2, keep=keep)


def test_a_number_of_moves(device):
    graph = random_graph(3, 30, 60)
    made = equals_reference(graph, "fs", device, seed=2, steps=20, walkers=3, burn_in=2, thin=4)
    assert made.visits.sum() == 18 * 3 // 4
    equals_reference(graph, "fs", device, seed=2, steps=9, walkers=2, keep="tree", start=[1, 2])


@pytest.mark.parametrize("method", METHODS)
def test_walkers_abreast(device, method):
    """As many that a work-item has several."""
    graph = random_graph(8, 90, 150)
    equals_reference(graph, method, device, seed=3, steps=5, walkers=75, walks=True)
    if method == "rw":
        equals_reference(graph, method, device, seed=3, size="95%", walkers=75)


@pytest.mark.first_device
def test_circulated_neighbours_of_hubs(device):
    """From the first to the last of more neighbours than are kept at once: a star, as the definition says."""
    d, steps = 70, 12_000
    hub = Graph.from_edges(np.zeros(d, int), np.arange(1, d + 1))
    made = sample(hub, "cnrw", seed=3, start=0, steps=steps, walks=True, device=device)
    entered, orders, walked = Counter(), {}, [0]
    arc = 2 * d  # the start's; then that by which the hub is entered: leaf l's is d + l - 1
    while len(walked) <= steps:
        turn, rank = divmod(entered[arc], d)
        if (arc, turn) not in orders:
            words = keyed.philox4x32(arc, turn, np.arange(d), keyed.TAG_STEP + 64, 3)
            orders[arc, turn] = np.argsort(words[0].astype(np.uint64) | words[1].astype(np.uint64) << 32)
        entered[arc] += 1
        place = int(orders[arc, turn][rank])
        walked += [place + 1, 0]
        arc = d + place
    assert made.walks[0].tolist() == walked
    assert max(entered.values()) > d


@pytest.mark.first_device
def test_parts_of_a_walk(device, monkeypatch):
    """Told by its trail, and by counters of their own."""
    graph = powerlaw_graph(300, seed=2)
    options = {"seed": 4, "steps": 50, "walkers": 5, "burn_in": 3, "thin": 2, "device": device}
    told = sample(graph, "rw", **options).mean("degree")
    monkeypatch.setattr(walks, "RECORDED", 0)
    assert sample(graph, "rw", **options).mean("degree") == told and told.standard_error > 0


@pytest.mark.parametrize("power", [0, 1, 40])
def test_weights_of_hubs(device, power):
    """Long rows whose weights are alike, differ, or are nearly all of a few arcs; some of 0."""
    rng = np.random.default_rng(power)
    leaves = np.arange(2, 302)
    weights = rng.random(600) ** power * (np.arange(600) % 5 > 0) + (np.arange(600) < 300) * 1e-9
    graph = Graph.from_edges(np.repeat([0, 1], 300), np.tile(leaves, 2), weights=weights)
    made = equals_reference(graph, "rw", device, seed=3, steps=40, walkers=60, weighted=True, walks=True)
    heavy = {(u, v) for u, v, w in zip(graph.tails, graph.col_idx, graph.weights, strict=True) if w > 0}
    assert all(pair in heavy for row in made.walks.tolist() for pair in pairwise(row))


@pytest.mark.first_device
def test_guides(device):
    """Each part's guide is the share that holds the part's first number."""
    weights = np.random.default_rng(2).random(400) ** 6
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, 20, (2, 400)), weights=weights)
    view = View.of(graph, "both", True)
    arcs = view.rows.num_arcs
    shares = device.download(walks.guided_shares(device, view), np.uint64, 2 * arcs).reshape(-1, 2)
    assert np.array_equal(shares[:, 0], view.limits)
    assert np.array_equal(shares[:, 1] >> 32, view.rows.col_idx)
    guide, limits, row_ptr = (shares[:, 1] % 2**32).tolist(), view.limits.tolist(), view.rows.row_ptr.tolist()
    for begin, end in pairwise(row_ptr):
        d, row = end - begin, limits[begin:end]
        for g in range(d):
            first = 2**62 * g // d
            assert guide[begin + g] == next(j for j in range(d) if row[j] > first)


def test_shares_of_common_neighbours(device):
    """The limits of cnarw's steps, against sets."""
    v, u = np.triu_indices(5, 1)
    graphs = random_graph(1, 40, 160), random_graph(2, 30, 90, duplicates="keep"), Graph.from_edges(v, u)
    for graph in graphs:
        view = View.of(graph, "both", False)
        rows = [row.tolist() for row in np.split(view.rows.col_idx, view.rows.row_ptr[1:-1])]
        limit, total = walks.arc_shares(device, view)
        limit = device.download(limit, np.uint64, view.rows.num_arcs)
        total = device.download(total, np.uint64, view.n).tolist()
        for v, found in enumerate(np.split(limit, view.rows.row_ptr[1:-1])):
            least = [min(len(rows[v]), len(rows[u])) for u in rows[v]]
            common = [len(set(rows[v]) & set(rows[u])) for u in rows[v]]
            shares = [((a - b) << 32) // a for a, b in zip(least, common, strict=True)]
            assert found.tolist() == list(accumulate(shares)) and total[v] == sum(shares)


@pytest.mark.first_device
@pytest.mark.parametrize(
    ("method", "options", "changes"),
    [
        ("rw", {"size": "90%", "keep": "visited", "patience": 20}, {"trail": 17 * 3, "items": 4}),
        ("fs", {"size": "80%", "patience": 5}, {"moves": 37}),
    ],
)
def test_launches_do_not_show(device, monkeypatch, method, options, changes):
    """Short trails: many launches between two boundaries."""
    graph = random_graph(7, 80, 90)
    options |= {"walkers": 3, "device": device}
    whole = [sample(graph, method, seed=seed, **options) for seed in range(4)]
    launch_otherwise(monkeypatch, walks, device, **changes)
    for seed, one in enumerate(whole):
        again = sample(graph, method, seed=seed, **options)
        for name in ("vertices", "visits", "edges"):
            assert getattr(one, name).tolist() == getattr(again, name).tolist()
        assert one.notes == again.notes


def test_walks_as_ids_and_on_the_device(device):
    graph = random_graph(6, 70, 60, directed=True)
    graph = graph.with_ids(np.arange(70) * 3 + 5)
    options = {"steps": 30, "walkers": 9, "direction": "out", "seed": 2, "device": device}
    rows = sample(graph, "rw", walks=True, **options).walks
    assert rows.dtype == np.int32 and (rows < 0).any() and rows.flags.c_contiguous
    ids = sample(graph, "rw", walks="ids", **options).walks
    assert np.array_equal(ids, np.where(rows < 0, -1, graph.ids[rows]))
    names = sample(graph.with_ids([f"v{v}" for v in range(70)]), "rw", walks="ids", **options).walks
    assert names.tolist() == [["" if v < 0 else f"v{v}" for v in row] for row in rows.tolist()]
    for run, one in enumerate(sample(graph, "rw", walks="device", seeds=2, **options)):
        alone = sample(graph, "rw", walks=True, **(options | {"seed": 2 + run})).walks
        assert one.walks.shape == (9, 31) and np.array_equal(one.walks.get(), alone)


def test_legs_are_told_and_bounded(device):
    graph = Graph.from_edges(np.arange(0, 20, 2), np.arange(1, 20, 2))
    made = sample(graph, "rw", size="100%", seed=1, device=device)
    assert any("legs" in note for note in made.notes)
    assert made.visits.sum() <= (2 * 1000 + 64) * 20


def test_a_target_beyond_the_graph(device):
    graph = Graph.from_edges([0, 1], [1, 2], vertices=np.arange(5))
    made = equals_reference(graph, "rw", device, seed=1, size=9, walkers=2, patience=3)
    assert len(made.vertices) == 5 and any("can reach 5 of 5" in note for note in made.notes)
    assert sample(Graph.from_edges([0], [0]), "rw", size=2, seed=1, device=device).vertices.tolist() == [0]


# --- laws -----------------------------------------------------------------------------------------


def step_law(method, p=0.15):
    """The matrix of one step on SEVEN, by rows."""
    n, a = 7, np.zeros((7, 7))
    a[SEVEN.tails, SEVEN.col_idx] = 1
    d = a.sum(1)
    rw = a / d[:, None]
    if method == "rj":
        return (1 - p) * rw + p / n
    if method == "rwr":
        return (1 - p) * rw + p * np.eye(n)[2]
    if method == "rwj":
        jump = 3 / (d + 3)
        return (1 - jump)[:, None] * rw + jump[:, None] / n
    if method in ("mhrw", "rcmh"):
        to = a / d[:, None] * np.minimum(1, (d[:, None] / d[None, :]) ** (1 if method == "mhrw" else 0.3))
        return to + np.diag(1 - to.sum(1))
    if method == "cnarw":
        shares = a * (1 - (a @ a) / np.minimum(d[:, None], d[None, :]))
        return shares / shares.sum(1, keepdims=True)
    if method == "gmd":
        stay = 1 - d / np.maximum(d, 3)
        return (1 - stay)[:, None] * rw + np.diag(stay)
    return rw


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rw", "rwr", "rj", "rwj", "mhrw", "rcmh", "gmd", "nbrw", "mhda", "cnarw"])
def test_law_after_seven_steps(device, method):
    """From vertex 2, against a power of the matrix; nbrw and mhda on arcs."""
    name, options = ("mhrw", {"alpha": "0.3"}) if method == "rcmh" else (method, {})
    many = sample(SEVEN, name, steps=7, burn_in=6, start=2, seed=1, seeds=20_000, device=device, **options)
    counts = Counter(int(one.index[0]) for one in many)
    by_arcs = {"nbrw": turning(7, without_return), "mhda": turning(7, delayed)}
    law = by_arcs[method] if method in by_arcs else np.linalg.matrix_power(step_law(method), 7)[2]
    assert fits(counts, {v: p for v, p in enumerate(law) if p > 0}) > 0.001


def without_return(near, last, v):
    """nbrw's next vertex."""
    ways = [u for u in near[v] if u != last] or near[v]
    return [(u, 1 / len(ways)) for u in ways]


def delayed(near, last, v):
    """mhda's next vertex."""
    d = {each: len(near[each]) for each in range(7)}
    for u in near[v]:
        q = min(1, d[v] / d[u]) / d[v]
        yield v, 1 / d[v] - q
        others = [k for k in near[v] if k != u] if u == last else []
        left = q
        for k in others:
            taken = min(1, min(1, d[v] / d[k]) ** 2 * max(1, d[u] / d[v]) ** 2) * q / len(others)
            left -= taken
            yield k, taken
        yield u, left


def turning(steps, law_of_step):
    """The law of a walk from vertex 2 that knows its last different vertex."""
    near = Rows(SEVEN).near
    at = {(None, 2): 1.0}
    for _ in range(steps):
        new = Counter()
        for (last, v), p in at.items():
            for u, q in law_of_step(near, last, v):
                new[last if u == v else v, u] += p * q
        at = new
    law = np.zeros(7)
    for (_, v), p in at.items():
        law[v] += p
    return law


@pytest.mark.slow
@pytest.mark.parametrize("method", [*KNOWN, "fs"])
def test_estimates(device, method):
    """The mean degree by 300 steps (fs: 30 moves), and its error; the plain mean of rw is far off."""
    graph = powerlaw_graph(60, seed=3).largest_component()
    true = graph.num_arcs / graph.num_vertices
    options = {"steps": 30, "walkers": 20} if method == "fs" else {"steps": 300, "burn_in": 20}
    options |= {"start": int(graph.ids[0]), "device": device} if method == "rwr" else {"device": device}
    many = sample(graph, method, seed=1, seeds=300, **options)
    values = np.array([one.mean("degree").value for one in many])
    spread = values.std() / 300**0.5
    assert abs(values.mean() - true) < 4 * spread + 0.03 * true
    if method == "rw":
        plain = np.mean([(graph.degrees[one.index] * one.visits).sum() / one.visits.sum() for one in many])
        assert plain > 1.3 * true
        alone = [sample(graph, "rw", seed=seed, **options).mean("degree") for seed in range(40)]
        assert 0.5 < np.mean([error for _, error in alone]) / values.std() < 1.5


@pytest.mark.slow
def test_law_of_two_moves(device):
    """Two walkers from vertices 2 and 6: who moves is chosen by degree; the vertices entered, in order."""
    near = Rows(SEVEN).near
    law, ways = Counter(), len(near[2]) + len(near[6])
    for moves, stays in ((2, 6), (6, 2)):  # each of the walker's arcs is as likely as any of the other's
        for u in near[moves]:
            for v in (u, stays):
                for y in near[v]:
                    law[u, y] += 1 / ways / (len(near[u]) + len(near[stays]))
    options = {"steps": 1, "walkers": 2, "start": [2, 6], "seed": 1, "seeds": 20_000, "device": device}
    every = sample(SEVEN, "fs", **options)
    last = sample(SEVEN, "fs", thin=2, **options)
    counts = Counter()
    for both, one in zip(every, last, strict=True):
        second = int(one.index[0])
        entered = np.repeat(both.index, both.visits).tolist()
        entered.remove(second)
        counts[entered[0], second] += 1
    assert fits(counts, law) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("method", KNOWN)
def test_parallel_edges_do_not_bias(device, method):
    """Many walks of several graphs with parallel edges: every vertex comes to its share of 1 / n."""
    ends = np.random.default_rng(1).integers(0, 5, (2, 16))
    for graph in (
        Graph.from_edges([0, 0, 0, 1, 0], [1, 1, 1, 2, 2], duplicates="keep"),
        Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 3], duplicates="keep"),
        Graph.from_edges(*ends, duplicates="keep").largest_component(),
    ):
        n, options = graph.num_vertices, {"start": 0} if method == "rwr" else {}
        many = sample(
            graph, method, steps=2000, burn_in=50, seed=1, seeds=200, walkers=2, device=device, **options
        )
        found = many.distribution(np.arange(n))
        np.testing.assert_array_less(np.abs(found.share - 1 / n), 5 * found.standard_error + 1e-4)


@pytest.mark.first_device
@pytest.mark.parametrize("method", ["rw", "mhrw", "fs"])
def test_a_chain_on_another_device(device, monkeypatch, method):
    """As GPUs leave it to the host's CPU: the same sample, and it says so."""
    other = another(device)
    launch_otherwise(monkeypatch, walks, device, own=40)
    graph, found = powerlaw_graph(300, seed=4), [other]
    monkeypatch.setattr(walks, "host_cpu", lambda: found[0])
    for options in ({"size": 60}, {"steps": 50}):
        away = equals_reference(graph, method, device, seed=2, **options)
        assert away.device == other.name and away.notes[0].endswith(f"ran on {other.name}" + ADVICE[method])
    for short in ({"size": 40}, {"steps": 40}, {"steps": 50, "seeds": 2}, {"steps": 50, "walks": "device"}):
        if method == "fs" and "walks" in short:
            continue
        made = sample(graph, method, seed=2, device=device, **short)
        first = made[0] if "seeds" in short else made
        assert first.device == device.name and not any("serial" in note for note in first.notes)
    monkeypatch.setattr(other, "global_memory", 1000)
    for there, why in ((other, f"the memory of {other.name} does not hold it"), (None, "no CPU device")):
        found[0] = there
        made = sample(graph, method, seed=2, size=60, device=device)
        assert made.device == device.name and why in made.notes[0]
        assert made.notes[0].startswith(f"the walk, which is serial, ran on {device.name}: ")
