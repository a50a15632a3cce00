"""Largest eigenvalues against NumPy and known spectra; no device."""

import numpy as np
import pytest
from graphs import tangle, to_networkx

from clgraph import Graph
from clgraph.measures.spectrum import DENSE, largest_eigenvalues


def test_known_spectra():
    complete = Graph.from_edges(*np.triu_indices(12, 1))
    values, reason = largest_eigenvalues(complete)
    assert (values.tolist(), reason) == (pytest.approx([11]), None)  # the others are -1
    leaves = 2 * DENSE  # a sparse one: SciPy's way
    star = Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1))
    assert largest_eigenvalues(star)[0].tolist() == pytest.approx([np.sqrt(leaves)])
    ring = Graph.from_edges(np.arange(DENSE), (np.arange(DENSE) + 1) % DENSE)
    wanted = np.sort(2 * np.cos(2 * np.pi * np.arange(DENSE) / DENSE))[::-1][:20]
    assert largest_eigenvalues(ring)[0] == pytest.approx(wanted)


@pytest.mark.parametrize("n", [DENSE - 50, DENSE + 50])
def test_by_numpy_on_both_sides_of_the_dense_limit(n):
    import networkx as nx

    graph = tangle(3, n=n, edges=4 * n).simple
    wanted = np.sort(np.linalg.eigvalsh(nx.to_numpy_array(to_networkx(graph))))[::-1][:7]
    values, reason = largest_eigenvalues(graph, 7)
    assert reason is None
    assert values == pytest.approx(wanted, rel=1e-6)
    assert largest_eigenvalues(graph, 7)[0].tolist() == values.tolist()  # the same start every time


def test_no_edges_say_why():
    values, reason = largest_eigenvalues(Graph.from_edges([], [], vertices=[1, 2]))
    assert len(values) == 0
    assert "all eigenvalues are 0" in reason
