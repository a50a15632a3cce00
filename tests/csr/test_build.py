"""Rows built on a device: the same bytes as `clgraph.graph.build_csr` makes on the host."""

import itertools

import numpy as np
import pytest

from clgraph.csr.build import build_rows, place_lightest, place_weights, sort_rows
from clgraph.csr.upload import DeviceCSR
from clgraph.graph import build_csr


def built(device, n, tail, head, **options):
    """Rows on a device, and what is in them."""
    ends = (device.upload(end, writable=True) for end in (tail, head))
    rows = build_rows(device, n, *ends, len(tail), **options)
    row_ptr = device.download(rows.row_ptr, rows.offset, n + 1)
    return rows, row_ptr, device.download(rows.col_idx, np.int32, rows.arcs)


def check(device, n, tail, head, *, counted=False):
    """Both directions or one, merged or kept, both ways, as on the host; `counted`: with loops and counts."""
    tail, head = np.asarray(tail, np.int32), np.asarray(head, np.int32)
    there = np.full(len(tail), True) if counted else tail != head
    for mirror, duplicates in itertools.product((True, False), ("merge", "keep")):
        expected = build_csr(tail[there], head[there], n, directed=not mirror, duplicates=duplicates)
        for algorithm in ("scatter", "buckets"):
            options = {"mirror": mirror, "duplicates": duplicates, "algorithm": algorithm}
            rows, *found = built(device, n, tail, head, loops=counted, counts=counted, **options)
            assert rows.arcs == expected.num_arcs and found[0].dtype == expected.row_ptr.dtype
            np.testing.assert_array_equal(found[0], expected.row_ptr)
            np.testing.assert_array_equal(found[1], expected.col_idx)
            copies = rows.values.get("multiplicity")
            assert (copies is None) == (not counted or expected.multiplicity is None)
            if copies is not None:
                counts = device.download(copies, np.int32, rows.arcs)
                np.testing.assert_array_equal(counts, expected.multiplicity)


@pytest.mark.smoke
@pytest.mark.parametrize(("n", "count"), [(1, 5), (2, 1), (7, 40), (300, 50_000), (20_000, 30_000)])
def test_loops_and_multiplicities(device, n, count):
    rng = np.random.default_rng(n + count)
    check(device, n, *rng.integers(0, n, (2, count)), counted=True)
    tail = rng.permutation(n)
    check(device, n + 1, tail, tail + 1, counted=True)  # nothing is merged


@pytest.mark.parametrize("mirror", [False, True])
def test_weights_find_their_arcs(device, mirror):
    rng = np.random.default_rng(9)
    pairs = np.unique(np.sort(rng.integers(0, 400, (6000, 2)).astype(np.int32)), axis=0)
    tail, head = (np.ascontiguousarray(end) for end in rng.permutation(pairs).T)
    weight = rng.normal(size=len(tail))
    expected = build_csr(tail, head, 400, weights=weight, directed=not mirror)
    ends = [device.upload(end) for end in (tail, head, weight)]
    rows = build_rows(device, 400, *ends[:2], len(tail), mirror=mirror, loops=True, counts=True)
    assert not rows.values
    placed = place_weights(device, rows, *ends, len(tail), mirror=mirror)
    assert np.array_equal(device.take(placed, np.float64, rows.arcs), expected.weights)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize(("n", "count"), [(1, 3), (5, 400), (400, 6000)])
def test_of_parallel_arcs_the_lightest_weight_stays(device, n, count, mirror):
    rng = np.random.default_rng(9)
    tail, head = rng.integers(0, n, (2, count)).astype(np.int32)
    weight = rng.random(count, np.float32)
    weight[::50] = 0
    weight[1::50] = [1e-30, 3e38][n % 2]
    want = {}
    for u, v, w in zip(tail.tolist(), head.tolist(), weight.tolist(), strict=True):
        for arc in [(u, v), (v, u)][: 1 + mirror]:
            if u != v:
                want[arc] = min(w, want.get(arc, np.inf))
    ends = [device.upload(each) for each in (tail, head, weight)]
    rows = build_rows(device, n, *ends[:2], count, mirror=mirror)
    assert rows.arcs == len(want)
    placed = place_lightest(device, rows, *ends, count, mirror=mirror)
    found = device.take(placed, np.float64, rows.arcs)
    assert found.tolist() == [weight for _, weight in sorted(want.items())]


@pytest.mark.parametrize(
    ("n", "count"),
    [(1, 0), (1, 5), (2, 1), (5, 0), (7, 40), (50, 100), (3000, 2000), (300, 50_000), (20_000, 90_000)],
)
def test_random_multigraphs(device, n, count):
    rng = np.random.default_rng(n + count)
    check(device, n, *rng.integers(0, n, (2, count)))
    check(device, n, *[rng.integers(0, n, 100)] * 2)  # only loops


def test_star(device):
    leaves = np.random.default_rng(1).permutation(np.arange(1, 100_001))
    check(device, 100_001, np.zeros(100_000), leaves)
    check(device, 100_001, leaves, np.zeros(100_000))


def test_one_arc_many_times(device):
    check(device, 10, np.full(50_000, 7), np.full(50_000, 3))


def test_skewed_rows(device):
    """Rows of every class beside each other: short ones, one chunk, several chunks."""
    rng = np.random.default_rng(3)
    long = [1023, 1024, 1025, 2048, 2049, 5000, 9000]
    lengths = np.r_[rng.integers(0, 40, 200), rng.integers(30, 1100, 40), long]
    tail = np.repeat(rng.permutation(len(lengths)), lengths)
    head = rng.integers(0, 12_000, len(tail))
    order = rng.permutation(len(tail))
    check(device, 12_000, tail[order], head[order])


@pytest.mark.parametrize("algorithm", ["scatter", "buckets"])
@pytest.mark.parametrize("most", [0, 65_000])
def test_wide_offsets(device, monkeypatch, algorithm, most):
    """64-bit offsets, throughout or until duplicates are squeezed out, on graphs that would not need them."""
    rng = np.random.default_rng(5)
    tail = np.minimum(rng.geometric(0.01, 40_000) - 1, 499).astype(np.int32)
    head = rng.integers(0, 500, 40_000, dtype=np.int32)
    proper = tail != head
    expected = build_csr(tail[proper], head[proper], 500, directed=False)
    assert expected.num_arcs < 65_000 < 2 * np.count_nonzero(proper)
    monkeypatch.setattr("clgraph.csr.build.offset_type", lambda arcs: np.int32 if arcs <= most else np.int64)
    rows, row_ptr, col_idx = built(device, 500, tail, head, mirror=True, algorithm=algorithm)
    assert rows.offset == (np.int32 if most else np.int64)
    assert np.array_equal(row_ptr, expected.row_ptr)
    assert np.array_equal(col_idx, expected.col_idx)


def test_heads_of_64_bits(device):
    """Rows of every class; heads that differ in their upper halves, in their lower ones, or not at all."""
    rng = np.random.default_rng(2)
    lengths = np.r_[rng.integers(0, 40, 50), [0, 1000, 1024, 1025, 5000, 9000, 0]]
    row_ptr = np.append(0, np.cumsum(lengths)).astype(np.int32)
    heads = rng.integers(0, 50, row_ptr[-1]) << 32 | rng.integers(0, 2**32, row_ptr[-1])
    heads[rng.random(len(heads)) < 0.1] = 2**63 - 1
    there = device.upload(row_ptr), device.upload(heads, writable=True)
    rows = DeviceCSR(len(lengths), len(heads), *there, np.int32)
    sort_rows(device, rows, int(lengths.max()), merge=False, head=np.int64)
    wanted = np.concatenate([np.sort(row) for row in np.split(heads, row_ptr[1:-1])])
    np.testing.assert_array_equal(device.download(rows.col_idx, np.int64, len(heads)), wanted)
