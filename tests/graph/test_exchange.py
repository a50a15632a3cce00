"""Graphs from and to SciPy, pandas, Arrow, igraph: there and back, odd forms, and one clear error each.

(NetworkX: tests/test_networkx_exchange.py.) pandas, pyarrow and igraph come with the extra ``test``.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from clgraph import Graph, InputError, bfs, connected_components, pagerank, read, write

# in CI the extra `test` has brought them: one that is missing fails there
needed = importlib.import_module if os.environ.get("CI") == "true" else pytest.importorskip
igraph, pd, pa = needed("igraph"), needed("pandas"), needed("pyarrow")
needed("pyarrow.parquet")

NAMES = ["zoë", "b", "a", "10", "B", "\U0001f600", "￿", "ab"]


def rich(kind: str, directed: bool, weighted: bool, copies: bool) -> Graph:
    """A graph with a loop and parallel edges, weights, and ids of a kind."""
    rng = np.random.default_rng(len(kind) + 2 * directed + weighted)
    ids: Any = {
        "plain": np.arange(8),
        "gaps": np.array([3, 10, 7, 2**40, 2**62, 5, 0, 12]),
        "names": np.array(NAMES, dtype=object),
    }[kind]
    source, target = rng.integers(0, 8, (2, 25))
    source[0] = target[0]
    source[1:9] = np.arange(8)  # no vertex is without edges: tables do not hold it
    source[9], target[9] = source[8], target[8]  # parallel
    return Graph.from_edges(
        ids[source],
        ids[target],
        weights=rng.random(25) if weighted else None,
        directed=directed,
        duplicates="keep" if copies else "merge",
    )


def same(one: Graph, other: Graph) -> None:
    assert one.directed == other.directed
    assert one.ids.tolist() == other.ids.tolist() and one.ids.dtype == other.ids.dtype
    np.testing.assert_array_equal(one.row_ptr, other.row_ptr)
    np.testing.assert_array_equal(one.col_idx, other.col_idx)
    for name in ("weights", "multiplicity"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["plain", "gaps", "names"])
def test_there_and_back(kind: str, directed: bool, weighted: bool, copies: bool, tmp_path: Path) -> None:
    graph = rich(kind, directed, weighted, copies)
    how: Any = {"duplicates": "keep" if copies else "merge"}
    counts = None if copies else "multiplicity"
    weight = "weight" if weighted else None

    edges = graph.to_edges()
    assert len(edges.source) == graph.num_edges
    back = Graph.from_edges(
        edges.source,
        edges.target,
        weights=edges.weights,
        multiplicity=edges.multiplicity,
        directed=directed,
        **how,
    )
    same(back, graph)
    frame = graph.to_pandas("u", "v")
    same(Graph.from_pandas(frame, "u", "v", weight, multiplicity=counts, directed=directed, **how), graph)
    table = graph.to_arrow()
    same(Graph.from_arrow(table, weight=weight, multiplicity=counts, **how), graph)
    same(Graph.from_igraph(graph.to_igraph(), **how), graph)
    for suffix in ("parquet", "feather"):
        write(graph, tmp_path / f"graph.{suffix}")
        ids: Any = "str" if kind == "names" else "int"
        same(read(tmp_path / f"graph.{suffix}", ids=ids, weights=weighted, **how), graph)
    if not copies:
        plain = graph.with_ids(None)
        if weighted:
            plain.multiplicity = None
        same(
            Graph.from_scipy(plain.to_scipy(), directed=directed, weighted=weighted, counts=not weighted),
            plain,
        )
        counted = plain.to_scipy(counts=True)
        assert counted.dtype.kind == "i" and counted.sum() >= plain.num_arcs


def test_igraph_sees_the_same_graph() -> None:
    graph = rich("names", True, True, False)
    made = graph.to_igraph()
    assert made.is_directed() and made.vs["name"] == graph.ids.tolist()
    assert [made.neighbors(v, mode="out") for v in range(8)] == [
        sorted(graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist()) for v in range(8)
    ]
    np.testing.assert_allclose(
        np.array(made.get_adjacency(attribute="weight").data), graph.to_scipy().toarray()
    )


def test_igraph_keeps_its_order_and_names() -> None:
    made = igraph.Graph(n=4, edges=[(2, 0), (0, 1), (1, 0)])
    made.vs["name"] = ["d", "a", "c", "b"]
    graph = Graph.from_igraph(made)
    assert graph.ids.tolist() == ["d", "a", "c", "b"] and graph.neighbors("d").tolist() == ["a", "c"]
    assert graph.multiplicity is not None and graph.multiplicity.tolist() == [2, 1, 2, 1]
    assert graph.index(["b", "d"]).tolist() == [3, 0]
    made.vs["name"] = [7, 3, 9, 1]
    assert Graph.from_igraph(made).ids.tolist() == [7, 3, 9, 1]
    assert Graph.from_igraph(made, duplicates="keep").num_edges == 3
    assert Graph.from_igraph(igraph.Graph()).num_vertices == 0
    made.es["length"] = [1, 2, 3]
    assert Graph.from_igraph(made, weight="length").weights.tolist() == [5, 1, 5, 1]  # type: ignore[union-attr]
    assert Graph.from_igraph(made).weights is None


def test_igraph_attributes_come_back_with_a_part() -> None:
    ring = igraph.Graph.Ring(6, directed=True)
    ring.vs["name"] = [10, 20, 30, 40, 50, 60]
    ring.vs["colour"] = list("abcdef")
    ring.es["label"] = list("uvwxyz")
    part = Graph.from_igraph(ring).subgraph([5, 0, 3])
    made = part.to_igraph(attributes=ring)
    assert made.vs["name"] == [10, 40, 60] and made.vs["colour"] == ["a", "d", "f"]
    assert made.es["label"] == ["z"]
    view = Graph.from_edges([20, 10, 10], [10, 60, 40]).to_igraph(attributes=ring)  # 10-40 is no edge there
    assert view.es["label"] == ["u", None, "z"]
    with pytest.raises(InputError, match="vertex 11 is not in"):
        Graph.from_edges([10], [11]).to_igraph(attributes=ring)
    del ring.vs["name"]
    with pytest.raises(InputError, match="vertex 60 is not in that igraph graph"):
        part.to_igraph(attributes=ring)


# --- forms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint64", "Int64", "int64[pyarrow]", "category", object, "str", "string", "string[pyarrow]"],
)
def test_pandas_columns_of_any_type(dtype: Any) -> None:
    text = dtype in ("str", "string", "string[pyarrow]")
    values = (
        [["5", "20", "5", "100"], ["20", "100", "5", "7"]] if text else [[5, 20, 5, 100], [20, 100, 5, 7]]
    )
    frame = pd.DataFrame({"source": values[0], "target": values[1]}, index=[9, 9, 8, 7]).astype(dtype)
    graph = Graph.from_pandas(frame)
    same(graph, Graph.from_edges(values[0], values[1]))
    if text:
        mixed = frame.astype({"target": "category"})
        same(Graph.from_pandas(mixed), graph)
        same(Graph.from_pandas(mixed, vertices=pd.Series([], dtype=dtype)), graph)
        more = Graph.from_pandas(frame, vertices=["zz", "5"])
        assert more.ids.tolist() == ["100", "20", "5", "7", "zz"]
        same(Graph.from_pandas(pd.concat((frame[:1], frame[1:]))), graph)  # Arrow's columns in two chunks


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_arrow_columns_of_text(kind: Any) -> None:
    chunks = [pa.array(part, pa.string()) for part in (["b", "a"], [], ["zoë"])]
    source = pa.chunked_array([chunk.cast(kind) for chunk in chunks])
    table = pa.table({"source": source, "target": pa.chunked_array([pa.array(["a", "a", "b"])])})
    same(Graph.from_arrow(table), Graph.from_edges(["b", "a", "zoë"], ["a", "a", "b"]))
    same(Graph.from_arrow(table.to_batches()[0]), Graph.from_edges(["b", "a"], ["a", "a"]))
    assert Graph.from_arrow(table, vertices=["x"]).ids.tolist() == ["a", "b", "x", "zoë"]


def test_arrow_speaks_through_its_stream_and_notes_the_direction() -> None:
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "w": [1, 2]})
    assert Graph.from_arrow(frame, weight="w").weights.tolist() == [1, 1, 2, 2]  # type: ignore[union-attr]
    table = Graph.from_edges([1], [2], directed=True).to_arrow()
    assert Graph.from_arrow(table).directed and not Graph.from_arrow(table, directed=False).directed
    with pytest.raises(InputError, match="not as clgraph writes it"):
        Graph.from_arrow(table.replace_schema_metadata({b"clgraph": b"{}"}))


def test_empty_tables() -> None:
    for columns in ([], [[]]):
        for kind in (pa.int64(), pa.string(), pa.null()):
            column = pa.chunked_array(columns, kind)
            assert Graph.from_arrow(pa.table({"source": column, "target": column})).num_vertices == 0
    frame = pd.DataFrame({"source": [], "target": []}, dtype="str")
    assert Graph.from_pandas(frame, vertices=["a"]).ids.tolist() == ["a"]
    nothing = Graph.from_edges([], [])
    assert nothing.to_pandas().shape == (0, 2) and nothing.to_arrow().num_rows == 0
    assert nothing.to_igraph().vcount() == 0


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


# --- one clear error each ----------------------------------------------------------------------------------


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"source": [1, 2], "target": [2, 3], **columns})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Graph.from_pandas(frame(), "from"), r"no column 'from'.*'source', 'target'.*source="),
        (lambda: Graph.from_pandas(frame(), weight="w"), "no column 'w'.*weight="),
        (lambda: Graph.from_pandas([1]), "DataFrame is needed, not list"),
        (lambda: Graph.from_pandas(frame(source=[1.0, np.nan])), "'source': row 1 .* is missing"),
        (lambda: Graph.from_pandas(frame(source=["a", None])), "'source': row 1 .* is missing"),
        (lambda: Graph.from_pandas(frame(source=pd.array([None, 1]))), "'source': row 0 .* is missing"),
        (
            lambda: Graph.from_pandas(frame(source=pd.Categorical([None, "a"]))),
            "'source': row 0 .* is missing",
        ),
        (lambda: Graph.from_pandas(frame(source=[1.0, 2.0])), r"'source' holds float64.*astype\('int64'\)"),
        (lambda: Graph.from_pandas(frame(source=[True, False])), "'source' holds bool"),
        (lambda: Graph.from_pandas(frame(source=[-4, 2])), "vertex id -4 is negative"),
        (lambda: Graph.from_pandas(frame(source=["a", "b"])), "vertex id 2 beside strings"),
        (lambda: Graph.from_pandas(frame(source=pd.Series(["a", 1], dtype=object))), "'source' holds 1"),
        (lambda: Graph.from_pandas(frame(source=pd.Series([-1, 1], dtype=object))), "holds the id -1"),
        (
            lambda: Graph.from_pandas(frame(weight=["1", "2"]), weight="weight"),
            "'weight' holds (str|object) .*real",
        ),
        (lambda: Graph.from_pandas(frame(weight=[1, np.inf]), weight="weight"), "'weight': row 1 .* is inf"),
        (lambda: Graph.from_pandas(frame(weight=[np.nan, 1]), weight="weight"), "'weight': row 0 .*missing"),
        (lambda: Graph.from_pandas(frame(k=[1.5, 1]), multiplicity="k"), "'k' holds float64.*whole"),
        (lambda: Graph.from_pandas(frame(k=[0, 1]), multiplicity="k"), "multiplicity 0 .row 0"),
        (
            lambda: Graph.from_pandas(pd.DataFrame([[1, 2, 3]], columns=["source", "source", "target"])),
            "several",
        ),
        (lambda: Graph.from_arrow(pa.table({"a": [1]})), "no column 'source'.*'a'"),
        (lambda: Graph.from_arrow(3), "Arrow table is needed.*not int"),
        (lambda: Graph.from_arrow(pa.table({"source": [1, None], "target": [1, 2]})), "row 1 .*missing"),
        (lambda: Graph.from_arrow(pa.table({"source": [0.5], "target": [1]})), "holds double values.*int64"),
        (lambda: Graph.from_arrow(pa.table({"source": [-1], "target": [1]})), "-1 is negative"),
        (lambda: Graph.from_arrow(pa.table({"source": ["a"], "target": [1]})), "vertex id 1 beside strings"),
        (
            lambda: Graph.from_arrow(pa.table({"source": [1], "target": [1], "w": ["x"]}), weight="w"),
            "'w' holds string values: weights are real",
        ),
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
        (lambda: Graph.from_igraph(3), "igraph.Graph is needed, not int"),
        (lambda: Graph.from_igraph(ring(["a", "b", "a"])), "two igraph vertices have the name 'a'"),
        (lambda: Graph.from_igraph(ring(["a", None, "b"])), "vertex 1 has the name None"),
        (lambda: Graph.from_igraph(ring([1, -2, 3])), "vertex 1 has the name -2"),
        (lambda: Graph.from_igraph(ring(weight=[1, None, 2])), "edge 1 has weight None"),
        (lambda: Graph.from_igraph(ring(weight=[1, "x", 2])), "edge 1 has weight 'x'"),
        (lambda: Graph.from_igraph(ring(weight=[1, 2, float("inf")])), "edge 2 has weight inf"),
        (lambda: Graph.from_igraph(ring(), weight="cost"), "no edge attribute 'cost'"),
        (lambda: Graph.from_edges([1.0, np.nan], [1, 2]), r"vertex id nan \(row 1"),
        (lambda: Graph.from_edges([1], [2], weights=["x"]), "weights are real numbers"),
        (lambda: Graph.from_edges([1], [2], multiplicity=[2], duplicates="keep"), "leave duplicates='keep'"),
    ],
)
def test_bad_input_is_told_once_and_clearly(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def ring(names: list[Any] | None = None, **edges: Any) -> igraph.Graph:
    made = igraph.Graph.Ring(3)
    if names is not None:
        made.vs["name"] = names
    for name, values in edges.items():
        made.es[name] = values
    return made


@pytest.mark.parametrize(
    ("name", "extra", "call"),
    [
        ("pandas", "pandas", lambda: Graph.from_edges([0], [1]).to_pandas()),
        ("pyarrow", "arrow", lambda: Graph.from_edges([0], [1]).to_arrow()),
        ("igraph", "igraph", lambda: Graph.from_edges([0], [1]).to_igraph()),
        ("pyarrow", "arrow", lambda: write(Graph.from_edges([0], [1]), "x.parquet")),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    name: str, extra: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"needs {name}, which .*'clgraph\[{extra}\]'"):
        call()


def test_edge_tables_of_others(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(pa.table({"To": [2, 3], "since": [7, 8], "From": [1, 1], "w": [0.5, 1]}), path)
    graph = read(path, directed=True, weights=True)
    assert graph.to_edges().source.tolist() == [1, 1] and graph.weights.tolist() == [0.5, 1]  # type: ignore[union-attr]
    assert read(path, ids="str").ids.tolist() == ["1", "2", "3"]
    pa.parquet.write_table(pa.table({"a": ["x"], "b": ["y"]}), path)
    with pytest.raises(InputError, match="are text; read with --ids str"):
        read(path)
    with pytest.raises(InputError, match="no column of weights"):
        read(path, ids="str", weights=True)
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="two columns of ids"):
        read(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not a Parquet file"):
        read(path)
    (tmp_path / "x.arrow").write_bytes(b"no arrow at all, but long enough to be looked at")
    with pytest.raises(InputError, match="not an Arrow file"):
        read(tmp_path / "x.arrow")


# --- results that stay on the device -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")  # of pyopencl's own kernels
def test_results_stay_on_the_device(device: Any) -> None:
    from pyopencl.array import Array

    graph = rich("gaps", True, False, False)
    for source in (graph.ids[3], graph.ids[[3, 5]], graph.ids[[3]]):
        host = bfs(graph, source, device=device)
        there = bfs(graph, source, device=device, arrays="device")
        for name in ("distance", "predecessor", "source_of"):
            want, got = getattr(host, name), getattr(there, name)
            assert (want is None) == (got is None)
            if want is not None:
                assert isinstance(got, Array) and got.queue == device.queue
                np.testing.assert_array_equal(got.get(), want)
    found = connected_components(graph, connection="strong", device=device, arrays="device")
    doubled = (found.labels * 2).get()  # a kernel goes on with it
    again = connected_components(graph, connection="strong", device=device)
    np.testing.assert_array_equal(doubled, 2 * again.labels)
    np.testing.assert_array_equal(found.sizes, again.sizes)
    empty = connected_components(Graph.from_edges([], []), device=device, arrays="device")
    assert empty.labels.shape == (0,)
    for variant in ("auto", "runs", "bins", "pull"):  # some of them put vertices into an order of their own
        ranks = pagerank(graph, device=device, variant=variant)
        there = pagerank(graph, device=device, variant=variant, arrays="device")
        assert isinstance(there.ranks, Array) and there.top(3) == ranks.top(3)
        np.testing.assert_array_equal(there.ranks.get(), ranks.ranks)
    with pytest.raises(InputError, match="'host' or 'device'"):
        bfs(graph, graph.ids[0], device=device, arrays="gpu")  # type: ignore[arg-type]
