"""pandas data frames, there and back."""

import numpy as np
import pytest
from exchanges import needed, on_rich_graphs, rich
from graphs import same

from clgraph import Graph, InputError

pd = needed("pandas")
needed("pyarrow")


@on_rich_graphs
def test_there_and_back(kind, directed, weighted, copies):
    graph = rich(kind, directed, weighted, copies)
    how = {"duplicates": "keep" if copies else "merge"}
    counts = None if copies else "multiplicity"
    weight = "weight" if weighted else None
    frame = graph.to_pandas("u", "v")
    same(Graph.from_pandas(frame, "u", "v", weight, multiplicity=counts, directed=directed, **how), graph)


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint64", "Int64", "int64[pyarrow]", "category", object, "str", "string", "string[pyarrow]"],
)
def test_pandas_columns_of_any_type(dtype):
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


def test_empty_tables():
    frame = pd.DataFrame({"source": [], "target": []}, dtype="str")
    assert Graph.from_pandas(frame, vertices=["a"]).ids.tolist() == ["a"]
    assert Graph.from_edges([], []).to_pandas().shape == (0, 2)


def frame(**columns):
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
            lambda: Graph.from_pandas(frame(source=pd.Series([10**400, 1], dtype=object))),
            "'source'.* ids are ",
        ),
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
    ],
)
def test_bad_input_is_told_once_and_clearly(call, said):
    with pytest.raises(InputError, match=said):
        call()
