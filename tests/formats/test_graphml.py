"""GraphML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary

KEYS = (
    '<key id="d0" for="edge" attr.name="weight" attr.type="double"/><key id="c" for="node" attr.name="hue"/>'
)


def text(body: str, direction: str = "undirected", head: str = KEYS) -> str:
    return (
        f'<?xml version="1.0"?>\n<graphml>{head}<graph edgedefault="{direction}">\n{body}\n</graph></graphml>'
    )


NODES = '<node id="1"/>\n<node id="2"><data key="c">red</data></node><node id="3"/>\n'
EDGES = """<edge source="1" target="2"><data key="d0">2.5</data></edge>
<edge source="2" target="2"><data key="d0">1</data></edge>"""


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["x.graphml", "x.graphml.gz"])
def test_graphml(tmp_path: Path, name: str) -> None:
    graph, said = read_with_summary(put(tmp_path / name, text(NODES + EDGES)))
    assert not graph.directed and graph.ids.tolist() == [1, 2, 3] and graph.weights is None
    assert arcs_of(graph) == [(1, 2), (2, 1), (2, 2)]
    assert "(2 edges; 1 self-loop; with node hue; skipped: edge weights)" in said
    graph = read(put(tmp_path / name, text(EDGES + NODES, "directed")), weights=True)
    assert graph.directed and graph.weights is not None and graph.weights.tolist() == [2.5, 1]
    assert read(tmp_path / name, ids="str").ids.tolist() == ["1", "2", "3"]


def test_a_weight_of_edges_that_have_none(tmp_path: Path) -> None:
    head = '<key id="d0" for="edge" attr.name="weight"><default> 7 </default></key><key id="c" for="node"/>'
    edge = '<edge source="1" target="2"/>'
    graph = read(put(tmp_path / "x.graphml", text(NODES + edge, head=head)), weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [7, 7]


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str, suffix: str) -> None:
    graph, path = GRAPHS[which], tmp_path / f"x.{suffix}"
    write(graph, path)
    how: dict[str, Any] = {"ids": "str" if graph.ids.dtype == object else "int"}
    same(graph, read(path, weights=graph.weights is not None, **how))


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
def test_names_that_xml_must_escape(tmp_path: Path, suffix: str) -> None:
    graph = Graph.from_edges(['a"&<>', " \t\n\r'", "\u65e5\u672c"], ["b", "b", "]]>"])
    write(graph, tmp_path / f"x.{suffix}")
    same(graph, read(tmp_path / f"x.{suffix}", ids="str"))
    for name in ("a\x01", "\ufffe", "\x0b"):
        with pytest.raises(InputError, match=r"holds .*, which XML cannot"):
            write(Graph.from_edges([name], ["b"]), tmp_path / f"x.{suffix}")


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
@pytest.mark.parametrize("which", ["plain", "directed", "strings", "weights", "isolated", "odd weights"])
def test_networkx_reads_and_writes_the_same(tmp_path: Path, which: str, suffix: str) -> None:
    nx = pytest.importorskip("networkx")
    graph, path = GRAPHS[which], tmp_path / f"x.{suffix}"
    write(graph, path)
    kind: Any = str if graph.ids.dtype == object else int
    weighted = graph.weights is not None
    theirs = getattr(nx, f"read_{suffix}")(path, node_type=kind)
    same(graph, Graph.from_networkx(theirs, weight="weight" if weighted else None))
    getattr(nx, f"write_{suffix}")(graph.to_networkx(), path)
    how: dict[str, Any] = {"ids": "str" if kind is str else "int"}
    same(graph, read(path, weights=weighted, **how))


def test_igraph_reads_and_writes_the_same(tmp_path: Path) -> None:
    ig = pytest.importorskip("igraph")
    for which in ("plain", "directed", "weights"):
        graph, path = GRAPHS[which], tmp_path / "x.graphml"
        write(graph, path)
        theirs = ig.Graph.Read_GraphML(str(path))
        assert theirs.is_directed() == graph.directed
        assert theirs.vcount() == graph.num_vertices and theirs.ecount() == graph.num_edges
        pairs = {(theirs.vs[e.source]["id"], theirs.vs[e.target]["id"]) for e in theirs.es}
        assert pairs <= {(str(u), str(v)) for u, v in arcs_of(graph)}
        theirs.write_graphml(str(path))
        again, said = read_with_summary(path, ids="str", weights=graph.weights is not None)
        assert "node id" in said or again.ids.tolist() == [str(v) for v in graph.ids.tolist()]
        assert again.directed == graph.directed and again.num_edges == graph.num_edges
        if graph.weights is not None and again.weights is not None:
            assert sorted(again.weights.tolist()) == sorted(graph.weights.tolist())


LAUGHS = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (text(NODES + EDGES)[:-30], r"not well-formed XML: .*line 6"),
        (text("&b;").replace("?>", "?>" + LAUGHS, 1), "line 1: a document type"),
        (
            text("&x;").replace("?>", '?><!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>', 1),
            "document",
        ),
        (text('<node id="&x;"/>'), "not well-formed XML: undefined entity"),
        ("<gexf/>", "line 1: <gexf> where <graphml> should be; read it with format='gexf'"),
        ("<graphml/>", "holds no <graph>"),
        (text(NODES, "both"), "edgedefault is 'both'"),
        (text('<node id="1"/><node id="1"/>'), "line 3: node '1' is also in line 3"),
        (text("<node/>"), "line 3: node without 'id'"),
        (text('<node id="1"/><edge source="1"/>'), "edge without 'target'"),
        (
            text(NODES + '<edge source="1" target="4"><data key="d0">1</data></edge>'),
            "line 5: the edge's end '4' is no node",
        ),
        (text(NODES + '<edge source="1" target="2" directed="true"/>'), "line 5: a directed edge in a graph"),
        (text(NODES + '<edge source="1" target="2" directed="yes"/>'), "directed is 'yes'"),
        (text("<hyperedge/>"), "a hyperedge"),
        (text('<node id="1"><graph edgedefault="directed"/></node>'), "a second or a nested graph"),
        (text(NODES + EDGES.replace("2.5", "nan")), "line 5: weight 'nan'"),
        (text(NODES + EDGES.replace('"d0"', '"d9"')), "line 5: data of the key 'd9'"),
        (text(NODES + EDGES + '<edge source="1" target="3"/>'), "line 6: an edge without a weight"),
        ('<?xml version="1.0" encoding="utf-7"?><graphml/>', "encoding"),
    ],
)
def test_damaged(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(put(tmp_path / "x.graphml", content), weights=True)
    assert ("encoding is not known" in str(caught.value)) == ("utf-7" in content)


def test_edges_of_both_kinds_can_be_read_as_undirected(tmp_path: Path) -> None:
    body = NODES + '<edge source="1" target="2" directed="true"/><edge source="2" target="3"/>'
    assert read(put(tmp_path / "x.graphml", text(body)), directed=False).num_edges == 2


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
def test_ids_are_text_where_not_all_are_numbers(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    for third in ("b", "-1", "01", str(2**63)):  # 01 would be 1 again
        graph = Graph.from_edges(["1", "2"], ["2", third])
        write(graph, path)
        again, said = read_with_summary(path)
        same(again, graph)
        assert "(2 edges; ids are text)" in said
    write(Graph.from_edges([1, 2], [2, 10]), path)
    assert read(path).ids.tolist() == [1, 2, 10]
    assert read(path, ids="str").ids.tolist() == ["1", "10", "2"]
    table = put(tmp_path / "ages.csv", "id,age\nb,3\n")
    write(Graph.from_edges(["a"], ["b"]), path)
    attributes = read(path, attributes=table).attributes
    assert attributes is not None and attributes.vertices["age"].value("b") == 3


NAMED = """<node id="n0"><data key="v">Ann</data></node>
<node id="n1"><data key="v">Bob</data><data key="c">red</data></node>
<node id="n2"><data key="v">{}</data></node>
<edge source="n0" target="n1"><data key="d0">2</data></edge><edge source="n1" target="n2"/>"""
NAME = KEYS + '<key id="v" for="node" attr.name="name" attr.type="string"/>'


def test_an_attribute_that_names_the_nodes_may_be_their_ids(tmp_path: Path) -> None:
    path = put(tmp_path / "x.graphml", text(NAMED.format("Cy"), head=NAME))
    graph, said = read_with_summary(path)
    assert graph.ids.tolist() == ["n0", "n1", "n2"]
    assert "ids are text; --ids name takes the attribute 'name' for ids" in said
    graph, said = read_with_summary(path, ids="name")
    assert graph.ids.tolist() == ["Ann", "Bob", "Cy"] and arcs_of(graph)[0] == ("Ann", "Bob")
    assert "; ids: the attribute 'name'; with node hue" in said
    assert graph.attributes is not None and list(graph.attributes.vertices) == ["hue"]
    assert graph.attributes.vertices["hue"].value("Bob") == "red"
    numbers = text(NAMED.format("7").replace("Ann", "5").replace("Bob", "6"), head=NAME)
    assert read(put(path, numbers), ids="name").ids.tolist() == [5, 6, 7]
    for wrong, said in (
        (text(NAMED.format("Ann"), head=NAME), "line 5: node 'n2' has the name 'Ann', and so has 'n0'"),
        (text(NAMED.format(""), head=NAME), "line 5: node 'n2' has no 'name'"),
        (text(NODES), "its nodes have no attribute 'name'"),
    ):
        with pytest.raises(InputError, match=rf"{said}; leave ids='name' out"):
            read(put(path, wrong), ids="name")
        assert "--ids name" not in read_with_summary(path)[1]


def test_labels_of_gexf_and_pajek_are_names(tmp_path: Path) -> None:
    nodes = '<node id="0" label="Ann"/><node id="1" label="1"/>'
    graph = f'<gexf><graph><nodes>{nodes}</nodes><edges><edge source="0" target="1"/></edges></graph></gexf>'
    path = put(tmp_path / "x.gexf", graph)
    assert read(path).ids.tolist() == [0, 1]
    assert read(path, ids="name").ids.tolist() == ["1", "Ann"]
    write(read(path, ids="name"), tmp_path / "x.net")
    assert read(tmp_path / "x.net", ids="name").ids.tolist() == ["1", "Ann"]
    for name in ("x.txt", "x.mtx", "x.clg"):
        write(read(path), tmp_path / name)
        with pytest.raises(InputError, match=r"have no names beside their ids; leave ids='name' out"):
            read(tmp_path / name, ids="name")
