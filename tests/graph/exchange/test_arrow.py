"""Arrow tables, there and back."""

import pytest
from exchanges import needed, on_rich_graphs, rich
from graphs import same

from clgraph import Graph, InputError

pd, pa = needed("pandas"), needed("pyarrow")


@on_rich_graphs
def test_there_and_back(kind, directed, weighted, copies):
    graph = rich(kind, directed, weighted, copies)
    how = {"duplicates": "keep" if copies else "merge"}
    counts = None if copies else "multiplicity"
    weight = "weight" if weighted else None
    table = graph.to_arrow()
    assert table.num_rows == graph.num_edges
    same(Graph.from_arrow(table, weight=weight, multiplicity=counts, **how), graph)


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
    assert Graph.from_edges([], []).to_arrow().num_rows == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
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
    ],
)
def test_bad_input_is_told_once_and_clearly(call, said):
    with pytest.raises(InputError, match=said):
        call()
