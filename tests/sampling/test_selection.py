"""Selections: marks against NumPy; samples that are cut out together, each with its measured view's rows."""

import numpy as np
import pytest
from graphs import random_graph
from sampling.test_replicates import GRAPHS

from clgraph import powerlaw_graph, sample
from clgraph.csr.upload import upload_csr
from clgraph.measures.pack import Pack, simple_view
from clgraph.sampling import selection
from clgraph.sampling.selection import component_marks, marked_bytes


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
