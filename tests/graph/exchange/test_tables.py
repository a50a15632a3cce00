"""pandas data frames and Arrow tables, there and back."""

import numpy as np
import pytest
from exchanges import needed, on_rich_graphs, rich
from graphs import same

from clgraph import Graph, InputError

pd, pa = needed("pandas"), needed("pyarrow")


@on_rich_graphs
def test_there_and_back(kind, directed, weighted, copies):
    graph = rich(kind, directed, weighted, copies)
    how = {"duplicates": "keep"} if copies else {"multiplicity": "multiplicity"}
    how |= {"weight": "weight"} if weighted else {}
    table, frame = graph.to_arrow(), graph.to_pandas("u", "v")
    assert table.num_rows == graph.num_edges
    same(Graph.from_arrow(table, **how), graph)
    same(Graph.from_pandas(frame, "u", "v", directed=directed, **how), graph)


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint64", "Int64", "int64[pyarrow]", "category", object, "str", "string", "string[pyarrow]"],
)
def test_pandas_columns_of_any_type(dtype):
    text = dtype in ("str", "string", "string[pyarrow]")
    ends = np.array([[5, 20, 5, 100], [20, 100, 5, 7]]).astype(str if text else int).tolist()
    frame = pd.DataFrame({"source": ends[0], "target": ends[1]}, index=[9, 9, 8, 7]).astype(dtype)
    graph = Graph.from_pandas(frame)
    same(graph, Graph.from_edges(*ends))
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
def test_arrow_columns_of_text(kind):
    chunks = [pa.array(part, pa.string()) for part in (["b", "a"], [], ["zoë"])]
    source = pa.chunked_array([chunk.cast(kind) for chunk in chunks])
    table = pa.table({"source": source, "target": pa.chunked_array([pa.array(["a", "a", "b"])])})
    same(Graph.from_arrow(table), Graph.from_edges(["b", "a", "zoë"], ["a", "a", "b"]))
    same(Graph.from_arrow(table.to_batches()[0]), Graph.from_edges(["b", "a"], ["a", "a"]))
    assert Graph.from_arrow(table, vertices=["x"]).ids.tolist() == ["a", "b", "x", "zoë"]


@pytest.mark.smoke
def test_arrow_speaks_through_its_stream_and_notes_the_direction():
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "w": [1, 2]})
    assert Graph.from_arrow(frame, weight="w").weights.tolist() == [1, 1, 2, 2]
    table = Graph.from_edges([1], [2], directed=True).to_arrow()
    assert Graph.from_arrow(table).directed and not Graph.from_arrow(table, directed=False).directed
    with pytest.raises(InputError, match="not as clgraph writes it"):
        Graph.from_arrow(table.replace_schema_metadata({b"clgraph": b"{}"}))


def test_empty_tables():
    for columns in ([], [[]]):
        for kind in (pa.int64(), pa.string(), pa.null()):
            column = pa.chunked_array(columns, kind)
            assert Graph.from_arrow(pa.table({"source": column, "target": column})).num_vertices == 0
    frame = pd.DataFrame({"source": [], "target": []}, dtype="str")
    assert Graph.from_pandas(frame, vertices=["a"]).ids.tolist() == ["a"]
    empty = Graph.from_edges([], [])
    assert empty.to_arrow().num_rows == 0 and empty.to_pandas().shape == (0, 2)


def objects(*values):
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ({}, {"source": "from"}, r"no column 'from'.*'source', 'target'.*source="),
        ({}, {"weight": "w"}, "no column 'w'.*weight="),
        ({"source": [1.0, np.nan]}, {}, "'source': row 1 .* is missing"),
        ({"source": ["a", None]}, {}, "'source': row 1 .* is missing"),
        ({"source": pd.array([None, 1])}, {}, "'source': row 0 .* is missing"),
        ({"source": pd.Categorical([None, "a"])}, {}, "'source': row 0 .* is missing"),
        ({"source": [1.0, 2.0]}, {}, r"'source' holds float64.*astype\('int64'\)"),
        ({"source": [True, False]}, {}, "'source' holds bool"),
        ({"source": [-4, 2]}, {}, "vertex id -4 is negative"),
        ({"source": ["a", "b"]}, {}, "vertex id 2 beside strings"),
        ({"source": objects("a", 1)}, {}, "'source' holds 1"),
        ({"source": objects(-1, 1)}, {}, "holds the id -1"),
        ({"source": objects(10**400, 1)}, {}, "'source'.* ids are "),
        ({"weight": ["1", "2"]}, {"weight": "weight"}, "'weight' holds (str|object) .*real"),
        ({"weight": [1, np.inf]}, {"weight": "weight"}, "'weight': row 1 .* is inf"),
        ({"weight": [np.nan, 1]}, {"weight": "weight"}, "'weight': row 0 .*missing"),
        ({"k": [1.5, 1]}, {"multiplicity": "k"}, "'k' holds float64.*whole"),
        ({"k": [0, 1]}, {"multiplicity": "k"}, "multiplicity 0 .row 0"),
    ],
)
def test_bad_frames(columns, options, said):
    with pytest.raises(InputError, match=said):
        Graph.from_pandas(pd.DataFrame({"source": [1, 2], "target": [2, 3], **columns}), **options)


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ({"a": [1]}, {}, "no column 'source'.*'a'"),
        ({"source": [1, None], "target": [1, 2]}, {}, "row 1 .*missing"),
        ({"source": [0.5], "target": [1]}, {}, "holds double values.*int64"),
        ({"source": [-1], "target": [1]}, {}, "-1 is negative"),
        ({"source": ["a"], "target": [1]}, {}, "vertex id 1 beside strings"),
        (
            {"source": [1], "target": [1], "w": ["x"]},
            {"weight": "w"},
            "'w' holds string values: weights are real",
        ),
    ],
)
def test_bad_tables(columns, options, said):
    with pytest.raises(InputError, match=said):
        Graph.from_arrow(pa.table(columns), **options)


def test_what_is_no_table():
    with pytest.raises(InputError, match="DataFrame is needed, not list"):
        Graph.from_pandas([1])
    with pytest.raises(InputError, match="several"):
        Graph.from_pandas(pd.DataFrame([[1, 2, 3]], columns=["source", "source", "target"]))
    with pytest.raises(InputError, match=r"Arrow table is needed.*not int"):
        Graph.from_arrow(3)
