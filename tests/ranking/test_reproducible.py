"""The iteration with sums of one shape: against plain Python, the same bytes in every form.

Of shards the same bytes for any cut and ranks (test_error_bounds.py has what the scores are).
"""

import hashlib
import math

import numpy as np
import pytest
from devices import needs_float64
from personalized import everywhere

import clgraph
from clgraph.csr.device_csr import DeviceCSR
from clgraph.csr.upload import device_graph, graph_of
from clgraph.device.memory import Memory
from clgraph.ranking import reproducible, transition_weights
from clgraph.ranking.problem import Problem
from clgraph.ranking.reproducible import BLOCK, LaunchConfig, Leaving, ReproduciblePower, normalised
from clgraph.ranking.reproducible_solver import tree_sum
from clgraph.scale.writing import write_shards

SMALL = {"items": LaunchConfig(span=0, items=3, width=1), "windows": LaunchConfig(span=32, items=1, width=64)}


def plain_row(terms, part):
    total = 0.0
    for begin in range(0, len(terms), part):
        lanes = [0.0] * 32
        for place, term in enumerate(terms[begin : begin + part]):
            lanes[place % 32] += term
        for half in (16, 8, 4, 2, 1):
            for j in range(half):
                lanes[j] += lanes[j + half]
        total += lanes[0]
    return total


def plain_block(values):
    held = [*values, *[0.0] * (BLOCK - len(values))]
    while half := len(held) // 2:
        held = [held[i] + held[i + half] for i in range(half)]
    return held[0]


def whole_row(terms):
    """float32 ranks: terms cut to multiples of 2**-62, an exact sum."""
    return float(sum(int(term * 2.0**62) for term in terms)) * 2.0**-62


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("kind", ["arcs", "weights", "counts"])
@pytest.mark.cross
def test_an_iteration(device, monkeypatch, kind, shape, dtype):
    needs_float64(device)
    monkeypatch.setattr(reproducible, "PART", 96)
    monkeypatch.setattr(reproducible, "PIECE", 40)
    rng = np.random.default_rng(3)
    n = BLOCK + 37
    source = np.concatenate((rng.integers(0, n, 9000), np.arange(100)))
    target = np.concatenate((rng.integers(0, n, 9000) // 7, np.full(100, 5)))
    target[:150] = n - 700  # a long row, and many empty ones
    graph = clgraph.Graph.from_edges(source, target, directed=True, vertices=np.arange(n))
    back = graph.reverse
    drawn = rng.random(back.num_arcs), rng.integers(1, 9, back.num_arcs).astype(np.int32)
    values = {"arcs": None, "weights": drawn[0], "counts": drawn[1]}[kind]
    counts = np.ones(back.num_arcs) if values is None else values
    out = np.bincount(back.col_idx, weights=counts, minlength=n)
    given, begin = rng.random(n), rng.random(n)
    p, start = normalised(given), normalised(begin)
    power = ReproduciblePower(
        device,
        Leaving(device, n, device.upload(out), kind, SMALL[shape]),
        Problem(0.85, given, None, begin, False, "uniform", n, weighing=None),
        dtype=dtype,
        kind=kind,
        config=SMALL[shape],
    )
    middle = n // 2
    for first, last in ((0, middle), (middle, n)):
        begin, end = int(back.row_ptr[first]), int(back.row_ptr[last])
        some = None if values is None else device.upload(values[begin:end])
        rows = DeviceCSR(
            last - first,
            end - begin,
            device.upload(back.row_ptr[first : last + 1] - back.row_ptr[first]),
            device.upload(back.col_idx[begin:end]),
            np.int32,
            first,
            values={"weights": some} if kind == "weights" else {"multiplicity": some},
        )
        power.rows(power.prepare(rows), 0.25)
    start = start.astype(dtype).astype(float)
    expected = np.empty(n)
    real, heads = np.dtype(dtype).type, back.col_idx
    for v in range(n):
        row = range(int(back.row_ptr[v]), int(back.row_ptr[v + 1]))
        if values is None:
            terms = [float(real(start[heads[e]] * (1.0 / out[heads[e]]))) for e in row]
        else:
            terms = [start[heads[e]] * (float(values[e]) / out[heads[e]]) for e in row]
        total = plain_row(terms, 96) if dtype == "float64" else whole_row(terms)
        expected[v] = (1.0 - 0.85) * p[v] + 0.85 * (total + 0.25 * (1.0 / n))
    expected = expected.astype(dtype).astype(float)
    assert np.array_equal(device.download(power.y, power.dtype, n), expected)
    for block, (dangling, change) in enumerate(power.blocks(0, 2)):
        some = slice(block * BLOCK, min((block + 1) * BLOCK, n))
        assert dangling == plain_block(np.where(out[some] == 0, expected[some], 0).tolist())
        assert change == plain_block(np.abs(expected[some] - start[some]).tolist())


@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_the_next_call_brings_nothing(device, monkeypatch, directed, place):
    """What leaves is added on the device, as np.bincount does it; a graph there does not come to the host."""
    needs_float64(device)
    rng = np.random.default_rng(3)
    source, target = rng.integers(0, 700, 8000), rng.integers(0, 60, 8000)
    source[:900] = 7  # a long row
    forms = {"weights": {"weights": rng.random(8000)}, "counts": {}, "arcs": {"duplicates": "keep"}}
    for number, (kind, form) in enumerate(forms.items()):
        host = clgraph.Graph.from_edges(source, target, directed=directed, vertices=np.arange(720), **form)
        values = {"weights": host.weights, "counts": host.multiplicity, "arcs": None}[kind]
        assert (values is None) == (kind == "arcs")
        # alone, or in groups as on GPUs
        shape = transition_weights.LaunchConfig(local=(1, 16)[number % 2], long=100)
        monkeypatch.setattr(transition_weights, "LAUNCH", everywhere(shape))
        graph = graph_of(device, device_graph(device, host)) if place == "device" else host
        call = {"variant": "fixed", "dtype": "float64", "tol": 0, "max_iter": 3, "device": device}
        first = clgraph.pagerank(graph, **call)
        out = np.bincount(host.tails, weights=values, minlength=720).astype(float)
        inverse = np.divide(1.0, out, out=np.zeros(720), where=out > 0)
        kept, _ = device.cached(graph, ("fixed-leaving", kind, "float64"), None)
        assert np.array_equal(device.download(kept.inverse, np.float64, 720), inverse)
        with monkeypatch.context() as patch:
            for name in ("upload", "write"):
                patch.delattr(Memory, name)
            second = clgraph.pagerank(graph, **call)
        assert first.scores.tobytes() == second.scores.tobytes()
        auto = clgraph.pagerank(host, **{**call, "variant": "auto"}).scores
        assert np.abs(first.scores - auto).sum() < 1e-12
        assert place == "host" or kind == "weights" or not graph.is_on_host


def test_sums():
    assert tree_sum(np.array([])) == 0 and tree_sum(np.array([3.5])) == 3.5
    values = [0.1, 0.2, 0.3]
    assert tree_sum(np.array(values)) == (0.1 + 0.3) + (0.2 + 0.0)
    assert normalised(np.array(values))[0] == 0.1 / math.fsum(values)


# --- shards ----------------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_hash(tmp_path, dtype):
    rng = np.random.default_rng(8)
    source, target = rng.integers(0, 9000, 30000), rng.integers(0, 9000, 30000) ** 2 // 9000
    form = {"weights": rng.random(30000) if dtype == "float64" else None, "vertices": np.arange(9100)}
    graph, hashes = clgraph.Graph.from_edges(source, target, directed=True, **form), set()
    for number, shard_edges in enumerate((10**6, 7000, 2000)):
        shards = write_shards(graph, tmp_path / f"{number}.clgs", shard_edges=shard_edges)
        for size in (1, 2, 4):
            found = clgraph.pagerank(shards, tol=0, max_iter=5, dtype=dtype, device=[None] * size)
            hashes.add((hashlib.sha256(found.scores.tobytes()).hexdigest(), found.residual))
    assert len(hashes) == 1


def test_cycle_of_roundings(tmp_path):
    star = clgraph.Graph.from_edges(np.zeros(38, int), np.arange(1, 39))
    shards = write_shards(star, tmp_path / "star.clgs", shard_edges=30)
    found = {}
    for size in (1, 2):
        with pytest.raises(clgraph.ConvergenceError, match="roundings of float32 scores") as caught:
            clgraph.pagerank(shards, damping=0.97, max_iter=100_000, device=[None] * size)
        found[size] = caught.value.result
    assert found[1].scores.tobytes() == found[2].scores.tobytes() and found[1].iterations < 2000
