"""Vertices counted, numbered and marked by their labels, against NumPy; samples that are cut out together.

Those have each the rows of its measured view.
"""

import numpy as np
import pytest
from graphs import random_graph
from sampling.test_replicates import GRAPHS

from clgraph import powerlaw_graph, sample
from clgraph.csr.upload import upload_csr
from clgraph.measures.pack import Pack, simple_view
from clgraph.sampling import selection
from clgraph.sampling.members import LAUNCH, ROOTS, Members
from clgraph.sampling.selection import component_marks, marked_bytes


def lengths(device):
    """One vertex, and numbers of vertices around the ends of blocks."""
    block = LAUNCH.of(device)
    return (1, 2, block - 1, block, block + 1, 3 * block, 3 * block + 5)


def numbered(device, labels, keep, names=None):
    """Members in ascending order, and the number of each vertex among them."""
    number, n = device.empty(len(labels), np.int32), len(labels)
    old = None if names is None else device.upload(names)
    name, count = Members(device).number(n, device.upload(labels), keep, old, number)
    return device.download(name, np.int32, count), device.download(number, np.int32, n)


@pytest.mark.parametrize("named", [False, True])
def test_members_are_numbered_in_ascending_order(device, named):
    rng = np.random.default_rng(1)
    for n in lengths(device):
        labels = rng.integers(-1, 3, n).astype(np.int32)
        names = rng.permutation(n).astype(np.int32)
        for keep in (0, 1, 2, 7):
            name, number = numbered(device, labels, keep, names if named else None)
            chosen = np.flatnonzero(labels == keep)
            expected = np.full(n, -1)
            expected[chosen] = np.arange(len(chosen))
            np.testing.assert_array_equal(number, expected)
            np.testing.assert_array_equal(name, names[chosen] if named else chosen)


def test_roots_are_the_vertices_labelled_with_themselves(device):
    rng = np.random.default_rng(2)
    for n in lengths(device):
        labels = np.minimum(rng.integers(0, n, n), np.arange(n)).astype(np.int32)
        name, number = numbered(device, labels, ROOTS)
        roots = np.flatnonzero(labels == np.arange(n))
        np.testing.assert_array_equal(name, roots)
        np.testing.assert_array_equal(np.flatnonzero(number >= 0), roots)
        np.testing.assert_array_equal(number[roots], np.arange(len(roots)))


def test_the_nth_member(device):
    rng = np.random.default_rng(3)
    for n in lengths(device):
        labels = rng.integers(0, 2, n).astype(np.int32)
        label = device.upload(labels)
        for keep in (0, 1):
            chosen = np.flatnonzero(labels == keep)
            for rank in {0, len(chosen) // 2, len(chosen) - 1} if len(chosen) else ():
                assert Members(device).nth(n, label, keep, rank) == chosen[rank]


def test_a_component_and_its_induced_arcs(device):
    rng = np.random.default_rng(1)
    for seed, (n, m) in enumerate([(1, 0), (5, 4), (60, 200), (700, 1500)]):
        graph = random_graph(seed, n, m, duplicates="keep").without_self_loops
        labels = rng.integers(-1, 3, n).astype(np.int32)
        csr = upload_csr(device, graph)
        for root in (0, 2, 9):  # no vertex is labelled 9
            left = marked_bytes(device, csr, component_marks(device, csr, device.upload(labels), root))
            inside = labels == root
            assert left.members(graph).dtype == left.arc_mask(graph).dtype == np.bool_
            np.testing.assert_array_equal(left.members(graph), inside)
            np.testing.assert_array_equal(left.arc_mask(graph), inside[graph.tails] & inside[graph.col_idx])
            assert left.groups() is None


def check(device, made, pieces):
    for which, piece in pieces:
        pack = Pack.join(device, [piece])
        assert pack.count == len(which)
        for at, k in enumerate(which):
            view, (row_ptr, col_idx) = simple_view(made[k].graph), pack.rows_of(at)
            np.testing.assert_array_equal(row_ptr, view.row_ptr)
            np.testing.assert_array_equal(col_idx, view.col_idx)


@pytest.mark.parametrize("method", ["drv", "dre", "ebfs", "cre"])
def test_each_is_the_samples_own_view(device, method):
    for graph in GRAPHS.values():
        n = graph.num_vertices
        made = sample(graph, method, sizes=[-(-4 * n // 5), 1, -(-n // 3)], seed=1, seeds=3, device=device)
        with device.alone():
            pieces = made._joined_on(device)
        assert sorted(k for which, _ in pieces for k in which) in (list(range(9)), [])
        check(device, made, pieces)


@pytest.mark.parametrize("method", ["dre", "crve"])
def test_some_of_them(device, method, monkeypatch):
    """Slices, samples that have been looked at, and sizes that are asked for twice."""
    monkeypatch.setattr(selection, "TOGETHER", 3000)
    graph = powerlaw_graph(700, seed=2)
    made = sample(graph, method, sizes=["50%", "20%", "50%"], seed=1, seeds=4, device=device)
    made[5].graph.row_ptr  # noqa: B018
    with device.alone():
        whole, some = made._joined_on(device), made[3:11:2]._joined_on(device)
    assert method != "dre" or len(whole) > 1 or device.kernels != "ndrange"
    check(device, made, whole)
    check(device, made[3:11:2], some)
    if device.kernels == "ndrange":
        assert sum(len(which) for which, _ in whole) == (12 if method == "dre" else 4)
        assert sum(len(which) for which, _ in some) == (4 if method == "dre" else 0)
