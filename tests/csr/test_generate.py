"""Generated graphs: the promised law, and the same graph from the same seed on every machine and device.

The statistical tests draw from fixed seeds; each would fail for one seed in 10 000 if the law is right.
"""

import hashlib

import numpy as np
import pytest
from scipy.stats import chisquare

import clgraph
from clgraph import CapacityError, InputError
from clgraph.csr.generate import powerlaw_graph, rmat_graph
from clgraph.csr.upload import upload_csr
from clgraph.graph.models import PowerLaw, RMat

LEVEL = 1e-4


def digest(graph):
    return hashlib.sha256(graph.row_ptr.tobytes() + graph.col_idx.tobytes()).hexdigest()[:16]


def same(graph, other):
    return (
        graph.directed == other.directed
        and graph.row_ptr.dtype == other.row_ptr.dtype
        and np.array_equal(graph.row_ptr, other.row_ptr)
        and np.array_equal(graph.col_idx, other.col_idx)
    )


# --- the same everywhere ---------------------------------------------------------------------------------


@pytest.mark.smoke
def test_same_seed_same_graph_on_every_machine():
    graph = powerlaw_graph(20_000, seed=7)
    assert digest(graph) == "659ee5062f12f617"
    assert digest(rmat_graph(10, seed=7)) == "42de460c82694f4a"
    assert not same(graph, powerlaw_graph(20_000, seed=8))
    assert not same(rmat_graph(8, seed=7), rmat_graph(8, seed=8))


@pytest.mark.parametrize(
    ("exponent", "share"), [(2.1, 1.91), (2.2, 1.34), (2.4, 1.09), (2.71, 0.98), (3, 0.79)]
)
def test_largest_expected_degree(exponent, share):
    """As the docstring says, of the root of vertices times average degree."""
    model = PowerLaw(100_000, 5, exponent, 1)
    largest = 2 * model.count * int(model.thresholds[0]) / 2**32
    assert round(largest / 500_000**0.5, 2) == share


@pytest.mark.parametrize(
    "options",
    [
        {"num_vertices": 1, "average_degree": 0.5},
        {"num_vertices": 2, "average_degree": 1},
        {"num_vertices": 257, "average_degree": 3.3, "exponent": 3},
        {"num_vertices": 5000, "average_degree": 60, "exponent": 2.1},
        {"num_vertices": 30_000, "average_degree": 2, "exponent": 10},
        {"num_vertices": 200_000},
    ],
)
@pytest.mark.parametrize("seed", [1, 2**64 - 1])
@pytest.mark.cross
def test_powerlaw_on_a_device_is_that_of_the_host(device, options, seed):
    report = {}
    made = powerlaw_graph(**options, seed=seed, device=device, report=report)
    assert same(made, powerlaw_graph(**options, seed=seed))
    assert made.multiplicity is None
    assert made.num_self_loops == np.count_nonzero(made.tails == made.col_idx) == 0
    assert (report["seed"], report["device"]) == (seed, device.name)
    assert set(report["seconds"]) == {"compile", "draw", "rows", "total"}


@pytest.mark.parametrize(
    "options",
    [
        {"scale": 1},
        {"scale": 3, "directed": True, "scramble": False, "duplicates": "keep"},
        {"scale": 10, "duplicates": "keep"},
        {"scale": 9, "edge_factor": 0.3, "a": 0, "b": 0.5, "c": 0.5},
        {"scale": 6, "a": 1, "b": 0, "c": 0},
        {"scale": 12, "edge_factor": 40, "a": 0.25, "b": 0.25, "c": 0.25, "directed": True},
        {"scale": 14},
    ],
)
@pytest.mark.cross
def test_rmat_on_a_device_is_that_of_the_host(device, options):
    for seed in (3, 2**40 + 1):
        made = rmat_graph(**options, seed=seed, device=device)
        assert same(made, rmat_graph(**options, seed=seed))
        assert made.num_self_loops == 0


def test_what_was_made_on_a_device_stays_there(device, monkeypatch):
    graph = powerlaw_graph(1000, seed=1, device=device)
    monkeypatch.setitem(vars(device), "upload", None)  # whatever is uploaded now fails
    rows = upload_csr(device, graph)
    assert (rows.n, rows.arcs, rows.offset) == (1000, graph.num_arcs, np.int32)
    assert np.array_equal(device.download(rows.row_ptr, np.int32, 1001), graph.row_ptr)
    assert np.array_equal(device.download(rows.col_idx, np.int32, rows.arcs), graph.col_idx)


def test_progress(device):
    for where in (None, device):
        told = []
        rmat_graph(4, seed=1, device=where, progress=lambda done, of, told=told: told.append((done, of)))
        assert told[-1] == (256, 256)


# --- the law ---------------------------------------------------------------------------------------------


def test_power_law():
    graph = powerlaw_graph(300_000, seed=1)
    degrees = graph.degrees
    assert graph.num_self_loops == 0
    assert graph.multiplicity is None
    assert 4.95 < degrees.mean() <= 5
    # maximum likelihood (Clauset, Shalizi, Newman 2009) over the tail, where the expected degrees rule
    tail = degrees[(degrees >= 20) & (degrees <= 400)]
    assert 2.5 < 1 + len(tail) / np.log(tail / 19.5).sum() < 2.9
    assert degrees.max() < 1.2 * np.sqrt(300_000 * 5)


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
    assert merged.multiplicity is None
    assert merged.degrees.argmax() == 0


# --- small and wrong ones --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1 + 1, 3, 10, 255, 256, 257, 1000])
def test_small_ones(n):
    graph = powerlaw_graph(n, average_degree=1, seed=3)
    assert graph.num_vertices == n
    assert graph.num_edges <= n


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [
        ({"num_vertices": 0}, "vertices"),
        ({"num_vertices": 2**31}, "vertices"),
        ({"num_vertices": 100, "average_degree": 0}, "average degree"),
        ({"num_vertices": 100, "average_degree": 100}, "average degree"),
        ({"num_vertices": 100, "average_degree": float("nan")}, "average degree"),
        ({"num_vertices": 100, "exponent": 2}, "exponent"),
        ({"num_vertices": 100, "exponent": float("inf")}, "exponent"),
        ({"num_vertices": 100, "seed": -4}, "seed"),
    ],
)
def test_bad_arguments(kwargs, word):
    with pytest.raises(InputError, match=word):
        powerlaw_graph(**kwargs)


BAD_RMAT = [
    ({"scale": 0}, "scale 0: give 1 to 30"),
    ({"scale": 31}, "signed 32-bit"),
    ({"scale": 2.5}, "whole number"),
    ({"scale": 5, "edge_factor": 0}, "edge factor 0"),
    ({"scale": 5, "edge_factor": -3}, "edge factor -3"),
    ({"scale": 5, "edge_factor": float("nan")}, "edge factor is nan"),
    ({"scale": 5, "edge_factor": 0.001}, "no edges on 32 vertices"),
    ({"scale": 5, "a": 0.6, "b": 0.3, "c": 0.2}, r"= 1\.1: .* give smaller"),
    ({"scale": 5, "b": -0.1}, "probability b = -0.1"),
    ({"scale": 5, "c": float("nan")}, "c is nan"),
    ({"scale": 5, "seed": 2**64}, "seed"),
    ({"scale": 5, "duplicates": "sum"}, "'sum'"),
]


@pytest.mark.parametrize(("kwargs", "word"), BAD_RMAT)
def test_bad_rmat_arguments(kwargs, word):
    with pytest.raises(InputError, match=word):
        rmat_graph(**kwargs)


def test_too_large_for_a_device_is_told_before_anything_is_drawn(device, monkeypatch):
    with pytest.raises(CapacityError, match="at most 4294967295"):
        rmat_graph(30, seed=1, device=device)
    monkeypatch.setitem(vars(device), "global_memory", 100_000)
    monkeypatch.setitem(vars(device), "output", None)
    with pytest.raises(CapacityError, match="the device has 100000 bytes"):
        powerlaw_graph(10_000, seed=1, device=device)


# --- the command -----------------------------------------------------------------------------------------


def test_rmat_command(run, tmp_path, device):
    by_hand = rmat_graph(8, edge_factor=4, seed=5, directed=True, a=0.5, b=0.2, c=0.1, scramble=False)
    args = ["generate", "rmat", "--scale", 8, "--edge-factor", 4, "--seed", 5, "--directed", "--plain"]
    args += ["--quadrants", 0.5, 0.2, 0.1]
    for name, where in (("a.clg", []), ("b.clg", ["--device", device.spec])):
        done = run(*args, *where, "-o", tmp_path / name)
        assert (done.status, done.out) == (0, "")
        assert "rmat, seed 5: " in done.err
        assert same(clgraph.read(tmp_path / name), by_hand)
    assert device.name in done.err
    assert (tmp_path / "a.clg").read_bytes() == (tmp_path / "b.clg").read_bytes()


def test_powerlaw_command_on_a_device(run, tmp_path, device):
    args = ["generate", "powerlaw", "--vertices", 3000, "--seed", 5, "--device", device.spec]
    assert run(*args, "-q", "-o", tmp_path / "a.clg").err == ""
    assert same(clgraph.read(tmp_path / "a.clg"), powerlaw_graph(3000, seed=5))


def test_rmat_command_refuses(run, tmp_path):
    for options, word in (
        (["--scale", 31], "scale 31"),
        (["--scale", 4, "--edge-factor", 0], "edge factor 0"),
        (["--scale", 4, "--quadrants", 0.9, 0.1, 0.1], "give smaller ones"),
    ):
        done = run("generate", "rmat", *options, "-o", tmp_path / "x.txt")
        assert done.status == 1
        assert done.err.startswith("clgraph: error: ")
        assert word in done.err
    assert run("generate", "rmat", "-o", tmp_path / "x.txt").status == 2
    assert not list(tmp_path.iterdir())
