"""SciPy sparse arrays, there and back."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from exchanges import rich
from graphs import same

from clgraph import Graph, InputError


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["plain", "gaps", "names"])
def test_there_and_back(kind, directed, weighted):
    graph = rich(kind, directed, weighted, copies=False)
    plain = graph.with_ids(None)
    if weighted:
        plain.multiplicity = None
    matrix = plain.to_scipy()
    same(Graph.from_scipy(matrix, directed=directed, weighted=weighted, counts=not weighted), plain)
    counted = plain.to_scipy(counts=True)
    assert counted.dtype.kind == "i" and counted.sum() >= plain.num_arcs


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.dok_array])
def test_scipy_undirected_forms(kind):
    dense = np.array([[5, 2, 0], [2, 0, 3], [0, 3, 0]])
    whole = Graph.from_scipy(kind(dense), directed=False, weighted=True)
    assert whole.num_edges == 3 and np.array_equal(whole.to_scipy().toarray(), dense)
    for part in (np.triu(dense), np.tril(dense), np.array([[5, 2, 0], [0, 0, 0], [0, 3, 0]])):
        same(Graph.from_scipy(kind(part), directed=False, weighted=True), whole)
    ring = kind(np.roll(np.eye(3), 1, axis=1))  # in-degrees are out-degrees
    cycle = Graph.from_scipy(ring, directed=False)
    assert cycle.num_edges == 3 and cycle.degrees.tolist() == [2, 2, 2]
    # values do not matter where they are not taken
    assert Graph.from_scipy(kind(dense + np.triu(dense)), directed=False).num_edges == 3


def test_scipy_explicit_zeros_and_doubles():
    matrix = sp.coo_array(([0.0, 1.0, 2.0, 0.0], ([0, 1, 1, 1], [1, 2, 2, 0])), shape=(4, 4))
    graph = Graph.from_scipy(matrix, directed=True, weighted=True)
    assert graph.weights.tolist() == [0, 0, 3] and graph.num_vertices == 4
    before = matrix.tocsr()
    graph = Graph.from_scipy(before, directed=True, weighted=True)
    assert not np.shares_memory(graph.weights, before.data)
    assert not np.shares_memory(graph.col_idx, before.indices)


def test_scipy_asymmetric_is_refused_or_summed():
    pattern = sp.csr_array(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]))
    with pytest.raises(InputError, match=r"entry \(0, 2\) and none at \(2, 0\)"):
        Graph.from_scipy(pattern, directed=False)
    assert Graph.from_scipy(pattern, directed=False, asymmetric="sum").num_edges == 2
    values = sp.csr_array(np.array([[0, 1.5], [2.5, 0]]))
    with pytest.raises(InputError, match=r"entry \(0, 1\) is 1.5 and \(1, 0\) is 2.5"):
        Graph.from_scipy(values, directed=False, weighted=True)
    summed = Graph.from_scipy(values, directed=False, weighted=True, asymmetric="sum")
    assert summed.weights.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        ([[0, np.nan]] * 2, {"weighted": True}, r"not finite: entry \(0, 1\)"),
        ([[np.inf]], {"weighted": True}, "not finite"),
        ([[1j]], {"weighted": True}, "real numbers"),
        ([[1.5]], {"counts": True}, "whole numbers"),
        ([[-1]], {"counts": True}, r"-1 in entry \(0, 0\)"),
        ([[1]], {"counts": True, "weighted": True}, "not both"),
        ([[1]], {"asymmetric": "x"}, "'refuse' or 'sum'"),
    ],
)
def test_bad_input_is_told_once_and_clearly(values, options, said):
    with pytest.raises(InputError, match=said):
        Graph.from_scipy(sp.csr_array(values), directed=True, **options)


def spoilt(kind, **arrays):
    """A symmetric matrix whose arrays were replaced behind SciPy's back."""
    dense = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    matrix = sp.bsr_array(dense, blocksize=(2, 2)) if kind == "bsr" else getattr(sp, f"{kind}_array")(dense)
    for name, values in arrays.items():
        setattr(matrix, name, values)
    return matrix


@pytest.mark.parametrize("wrong", [-5, 4, 2**30, 2**40, 2**62])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok"])
@pytest.mark.parametrize("directed", [False, True])
def test_indices_out_of_range_are_named(kind, wrong, directed):
    matrix = spoilt(kind)
    if kind in ("csr", "csc", "bsr"):
        matrix.indices = matrix.indices.astype(np.int64)
        matrix.indices[1] = wrong
        said = rf"indices\[1\] is {wrong}"
    elif kind == "coo":
        matrix.coords = (matrix.row, np.array([1, wrong, 2, 1]))
        said = rf"col\[1\] is {wrong}"
    elif kind == "lil":
        matrix.rows[1] = [0, wrong]
        said = rf"rows\[2\] is {wrong}"
    else:
        matrix._dict[0, wrong] = 1
        said = rf"an entry at \(0, {wrong}\)"
    with pytest.raises(InputError, match=said):
        Graph.from_scipy(matrix, directed=directed)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (spoilt("csr", indptr=np.array([0, 1, 3, 2**40, 4])), r"indptr\[4\] is 4 after 1099511627776"),
        (spoilt("csr", indptr=np.array([0, 3, 1, 4, 4])), r"indptr\[2\] is 1 after 3"),
        (spoilt("csr", indptr=np.array([-1, 1, 3, 4, 4])), r"indptr\[0\] is -1"),
        (spoilt("csr", indptr=np.array([0, 1, 3, 4, 9])), r"indptr\[4\] is 9, but there are 4"),
        (spoilt("csc", indptr=np.array([0, 4])), "indptr has 2 entries: 5 are needed"),
        (spoilt("csc", indices=np.array([1.0, 0, 2, 1])), "indices is of type float64"),
        (spoilt("csr", indices=np.array([1, 0])), "4 entries in data, but 2 in indices"),
        (spoilt("csr", data=np.array([1, 0])), "2 entries in data, but 4 in indices"),
        (spoilt("csr", data=np.array([None] * 4)), "data of the matrix is of type object"),
        (spoilt("bsr", data=np.ones((3, 3, 2))), "blocks of 3 x 2 do not make up a matrix of 4 x 4"),
        (spoilt("bsr", data=np.ones((3, 2, 0))), "blocks of 2 x 0"),
        (spoilt("dia", offsets=np.array([2**40, 1])), r"offsets\[0\] is 1099511627776"),
        (spoilt("dia", offsets=np.array([1, 1])), "a diagonal twice"),
        (spoilt("dia", offsets=np.array([1])), "2 diagonals in data, but 1 offsets"),
        (spoilt("coo", coords=(np.array([0]), np.array([1]))), "4 entries in data, but 1 in row"),
        (spoilt("lil", rows=np.array([[1], [0, 2], [1], 7], object)), "row 3 of the matrix has not a list"),
        (
            spoilt("lil", rows=np.array([[1], [0, 2, 3], [1], []], object)),
            "row 1 of the matrix has not a list",
        ),
        (sp.coo_array(np.ones(3)), "the matrix is 3: an adjacency matrix is square"),
        (sp.csr_array((2, 3)), "2 x 3: an adjacency matrix is square"),
        (sp.csr_array((3, 2)), "3 x 2: an adjacency matrix is square"),
        (np.eye(3), "sparse array or matrix is needed, not ndarray"),
    ],
)
def test_arrays_that_disagree_are_refused(matrix, said):
    for directed in (False, True):
        with pytest.raises(InputError, match=said):
            Graph.from_scipy(matrix, directed=directed)


def test_what_a_matrix_says_of_itself_is_not_believed():
    for canonical in (False, True):
        matrix = sp.csr_array((np.ones(3), np.array([2, 1, 2]), np.array([0, 3, 3, 3])), shape=(3, 3))
        matrix.has_canonical_format = canonical
        graph = Graph.from_scipy(matrix, directed=True, weighted=True)
        assert graph.col_idx.tolist() == [1, 2] and graph.weights.tolist() == [1, 2]
        assert matrix.indices.tolist() == [2, 1, 2] and matrix.nnz == 3  # it is left as it was
    unused = spoilt("csr", data=np.arange(9), indices=np.array([1, 0, 2, 1, -7, 99, 3, 3, 3]))
    unused.indptr = np.array([0, 1, 3, 4, 4])
    assert Graph.from_scipy(unused, directed=False).num_edges == 2


def test_entries_that_repeat_do_not_overflow():
    ends = np.zeros(3, int), np.ones(3, int)
    for kind in (np.int8, np.uint8, np.int64):
        matrix = sp.coo_array((np.array([100, 100, 100], kind), ends), shape=(2, 2))
        for form in ("coo", "csr", "csc"):
            if form != "coo":  # with its entries still apart
                indices, indptr = (ends[1], [0, 3, 3]) if form == "csr" else (ends[0], [0, 0, 3])
                matrix = getattr(sp, f"{form}_array")((matrix.data, indices, np.array(indptr)), shape=(2, 2))
            counted = Graph.from_scipy(matrix, directed=True, counts=True)
            weighted = Graph.from_scipy(matrix, directed=True, weighted=True)
            assert counted.multiplicity.tolist() == weighted.weights.tolist() == [300]
    many = sp.coo_array((np.array([2**31 - 1, 1, 1]), ends), shape=(2, 2))
    with pytest.raises(InputError, match=r"a count of 2147483649 in entry \(0, 1\)"):
        Graph.from_scipy(many, directed=True, counts=True)
    huge, beyond = (sp.coo_array((np.array([value] * 3), ends), shape=(2, 2)) for value in (2**62, 1e308))
    assert Graph.from_scipy(huge, directed=True, weighted=True).weights.tolist() == [3 * 2.0**62]
    with pytest.raises(InputError, match=r"not finite: entry \(0, 1\)"):
        Graph.from_scipy(beyond, directed=True, weighted=True)


HUGE = """
import resource
import scipy.sparse as sp
import clgraph

resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
matrix = sp.coo_array(([1], ([0], [1])), shape=(2**31 - 1, 2**31 - 1))
for call in (lambda: clgraph.Graph.from_scipy(matrix, directed=True), lambda: clgraph.k_core(matrix)):
    try:
        call()
    except clgraph.CapacityError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_matrix_with_too_many_rows_for_the_memory_says_so():
    done = subprocess.run([sys.executable, "-c", HUGE], capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert len(said) == 2 and all(line.startswith("the matrix does not fit into memory") for line in said)
