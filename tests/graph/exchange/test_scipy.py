"""SciPy sparse arrays, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from exchanges import rich
from graphs import same

from clgraph import Graph, InputError


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["plain", "gaps", "names"])
def test_there_and_back(kind: str, directed: bool, weighted: bool) -> None:
    graph = rich(kind, directed, weighted, copies=False)
    plain = graph.with_ids(None)
    if weighted:
        plain.multiplicity = None
    matrix = plain.to_scipy()
    same(Graph.from_scipy(matrix, directed=directed, weighted=weighted, counts=not weighted), plain)
    counted = plain.to_scipy(counts=True)
    assert counted.dtype.kind == "i" and counted.sum() >= plain.num_arcs


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.dok_array])
def test_scipy_undirected_forms(kind: Any) -> None:
    dense = np.array([[5, 2, 0], [2, 0, 3], [0, 3, 0]])
    whole = Graph.from_scipy(kind(dense), directed=False, weighted=True)
    assert whole.num_edges == 3 and np.array_equal(whole.to_scipy().toarray(), dense)
    for part in (np.triu(dense), np.tril(dense), np.array([[5, 2, 0], [0, 0, 0], [0, 3, 0]])):
        same(Graph.from_scipy(kind(part), directed=False, weighted=True), whole)
    cycle = Graph.from_scipy(
        kind(np.roll(np.eye(3), 1, axis=1)), directed=False
    )  # in-degrees are out-degrees
    assert cycle.num_edges == 3 and cycle.degrees.tolist() == [2, 2, 2]
    # values do not matter where they are not taken
    assert Graph.from_scipy(kind(dense + np.triu(dense)), directed=False).num_edges == 3


def test_scipy_explicit_zeros_and_doubles() -> None:
    matrix = sp.coo_array(([0.0, 1.0, 2.0, 0.0], ([0, 1, 1, 1], [1, 2, 2, 0])), shape=(4, 4))
    graph = Graph.from_scipy(matrix, directed=True, weighted=True)
    assert graph.weights is not None and graph.weights.tolist() == [0, 0, 3] and graph.num_vertices == 4
    before = matrix.tocsr()
    graph = Graph.from_scipy(before, directed=True, weighted=True)
    graph.weights[:] = 9  # type: ignore[index]
    graph.col_idx[:] = 0
    assert before.data.max() == 3 and before.indices.max() == 2  # nothing is shared


def test_scipy_asymmetric_is_refused_or_summed() -> None:
    pattern = sp.csr_array(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]))
    with pytest.raises(InputError, match=r"entry \(0, 2\) and none at \(2, 0\)"):
        Graph.from_scipy(pattern, directed=False)
    assert Graph.from_scipy(pattern, directed=False, asymmetric="sum").num_edges == 2
    values = sp.csr_array(np.array([[0, 1.5], [2.5, 0]]))
    with pytest.raises(InputError, match=r"entry \(0, 1\) is 1.5 and \(1, 0\) is 2.5"):
        Graph.from_scipy(values, directed=False, weighted=True)
    summed = Graph.from_scipy(values, directed=False, weighted=True, asymmetric="sum")
    assert summed.weights is not None and summed.weights.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Graph.from_scipy(np.eye(3), directed=True), "sparse array or matrix is needed, not ndarray"),
        (lambda: Graph.from_scipy(sp.csr_array((2, 3)), directed=True), "2 x 3"),
        (
            lambda: Graph.from_scipy(sp.csr_array([[0, np.nan]] * 2), directed=True, weighted=True),
            r"not finite: entry \(0, 1\)",
        ),
        (lambda: Graph.from_scipy(sp.csr_array([[1.5]]), directed=True, counts=True), "whole numbers"),
        (lambda: Graph.from_scipy(sp.csr_array([[-1]]), directed=True, counts=True), r"-1 in entry \(0, 0\)"),
        (
            lambda: Graph.from_scipy(sp.csr_array([[1]]), directed=True, counts=True, weighted=True),
            "not both",
        ),
        (lambda: Graph.from_scipy(sp.csr_array([[1]]), directed=True, asymmetric="x"), "'refuse' or 'sum'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_told_once_and_clearly(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()
