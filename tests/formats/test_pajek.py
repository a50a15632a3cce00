"""Pajek's networks."""

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put, seen
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary
from clgraph.graph.attributes import Column

HEAD = '*Network x\r\n% a comment\n*vertices 4\n1 "a b" 0.1 0.2 box\n3 c\n\n'


@pytest.mark.smoke
def test_sections(tmp_path):
    edges = '*Edges\n1 2 2.5 c Blue\n2 3\n*EdgesList\n4 1 2\n*edges :2 "other"\n4 4\n'
    path = put(tmp_path / "x.net", HEAD + edges)
    graph, said = read_with_summary(path)
    assert seen(graph) == "undirected 1 2 3 4: 1-2 1-4 2-1 2-3 2-4 3-2 4-1 4-2 4-4"
    assert "with node label, node x, node y, node shape, edge c; skipped: edge weights)" in said
    known = graph.attributes
    values = {name: (column.value(1), column.value(3)) for name, column in known.vertices.items()}
    assert values == {"label": ("a b", "c"), "x": (0.1, None), "y": (0.2, None), "shape": ("box", None)}
    assert known.edges["c"].texts == {(1, 2): "Blue"}
    graph = read(path, weights=True, ids="str")
    assert graph.ids.tolist() == ["a b", "2", "c", "4"]
    assert sorted(graph.weights.tolist()) == [1, 1, 1, 1, 1, 1, 1, 2.5, 2.5]


def test_arcs_make_it_directed(tmp_path):
    path = put(tmp_path / "x.net", HEAD + "*Arcslist\n1 2 3\n*Edges\n3 4 7\n4 4 2\n")
    assert seen(read(path, weights=True)) == "directed 1 2 3 4: 1-2 1-3 3-4 4-3 4-4, weights 1 1 7 7 2"
    assert read(path, directed=False).num_edges == 4


def test_fields_are_attributes(tmp_path):
    rows = '1 "a" 0.5 1e-3 2 ic Red url "h t"\n2 b box\n3 c 1 [5-8]\n'
    edges = '*Arcs\n2 1 1 l "x y" w 3\n*Edges\n3 1 1 l z\n1 3 1 l later\n1 2 4 [1-2]\n'
    path = put(tmp_path / "x.net", f"*Vertices 3\n{rows}{edges}")
    for ids, first, second, third in (("int", 1, 2, 3), ("str", "a", "b", "c")):
        graph, said = read_with_summary(path, ids=ids)
        assert said.endswith("skipped: fields of vertices, edge weights, fields of edges)")
        known = graph.attributes
        assert ("label" in known.vertices) == (ids == "int")
        found = {name: column.value(first) for name, column in known.vertices.items() if name != "label"}
        wanted = {"x": 0.5, "y": 1e-3, "z": 2, "ic": "Red", "url": "h t", "shape": None}
        assert found == wanted and known.vertices["shape"].value(second) == "box"
        assert known.vertices["x"].value(third) == 1 and known.vertices["shape"].value(third) is None
        labels = {(second, first): "x y", (third, first): "z", (first, third): "z"}
        assert known.edges["label"].texts == labels and known.edges["w"].value((second, first)) == 3
        texts = {(first, second): "x y", (first, third): "z"}
        assert read(path, ids=ids, directed=False).attributes.edges["label"].texts == texts


def named(graph):
    """The graph with its ids as text."""
    return graph.with_ids(np.array([*map(str, graph.ids.tolist()), None], object)[:-1])


@pytest.mark.parametrize("name", ["x.net", "x.net.gz"])
@pytest.mark.parametrize("which", GRAPHS)
def test_names_are_kept(tmp_path, which, name):
    graph, path = GRAPHS[which], tmp_path / name
    write(graph, path)
    same(named(graph), read(path, ids="str", weights=graph.is_weighted))


def test_other_libraries_read_and_write_the_same(tmp_path):
    nx, path = pytest.importorskip("networkx"), tmp_path / "x.net"
    for which in ("plain", "directed", "strings", "weights", "isolated"):
        graph = named(GRAPHS[which])
        write(graph, path)
        theirs = nx.read_pajek(path)
        assert theirs.is_directed() == graph.directed and sorted(theirs) == sorted(graph.ids.tolist())
        assert theirs.number_of_edges() == graph.num_edges
        nx.write_pajek(graph.to_networkx(), path)
        again = read(path, ids="str", weights=graph.weights is not None, directed=graph.directed)
        assert sorted(arcs_of(again)) == sorted(arcs_of(graph))
    ig = pytest.importorskip("igraph")
    write(GRAPHS["weights"], path)
    theirs = ig.Graph.Read_Pajek(str(path))
    assert sorted(theirs.es["weight"]) == [1, 3, 12] and not theirs.is_directed()
    theirs.write_pajek(str(path))
    assert sorted(read(path, weights=True).weights.tolist()) == [1, 1, 3, 3, 12, 12]


def test_labels_that_do_not_fit(tmp_path):
    for name in ('a"', "a\nb"):
        with pytest.raises(InputError, match="a label of Pajek's cannot"):
            write(Graph.from_edges([name], ["b"]), tmp_path / "y.net")


def test_fields_are_written(tmp_path):
    rows = '1 "aå" 0.5 1e-3 2 ic Red url "h t"\n2 à box\n3 "" 1 age 4\n4\n'
    edges = '*Arcs\n2 1 1 l "x y" w 3\n*Edges\n3 1 1 c ""\n'
    graph = read(put(tmp_path / "x.net", f"*Vertices 4\n{rows}{edges}"))
    assert write_with_summary(graph, tmp_path / "y.net").endswith("3 edges")
    first, second = graph.attributes, read(tmp_path / "y.net").attributes
    assert first.edges == second.edges
    assert second.vertices.pop("shape").texts == {1: "ellipse", 2: "box", 3: "ellipse"}
    del first.vertices["shape"]
    assert first == second and first.vertices["label"].texts == {1: "aå", 2: "à", 3: ""}
    more = {"y": Column("string", {4: "high"}), "a b": Column(), "x": Column("number", {}, "7")}
    first.vertices.update(more)
    first.vertices["url"].texts[2] = 'say "'
    first.edges["l"] = Column("string", {(1, 2): "?"})
    said = write_with_summary(graph, tmp_path / "z.net")
    assert "(left out: node a b, edge l, node url; Pajek's names are letters" in said
    known = read(tmp_path / "z.net").attributes
    assert known.edges == second.edges and "shape" not in known.vertices
    assert known.vertices["x"].texts == dict.fromkeys((1, 2, 3, 4), "7")
    assert known.vertices["url"].texts == {1: "h t"}
    assert known.vertices["y"].texts == {4: "high"}
    old = read(put(tmp_path / "old.net", '*Vertices 2\n1 "é" ellipse\n2 b\n'.encode("latin-1"))).attributes
    assert list(old.vertices) == ["label"] and old.vertices["label"].value(1) == "é"
