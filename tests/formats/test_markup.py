"""GraphML and GEXF files."""

import pytest
from graph_files import GRAPHS, arcs_of, put, refused, seen, unreadable
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary

KEYS = (
    '<key id="d0" for="edge" attr.name="weight" attr.type="double"/><key id="c" for="node" attr.name="hue"/>'
)


def text(body, direction="undirected", head=KEYS):
    return (
        f'<?xml version="1.0"?>\n<graphml>{head}<graph edgedefault="{direction}">\n{body}\n</graph></graphml>'
    )


NODES = '<node id="1"/>\n<node id="2"><data key="c">red</data></node><node id="3"/>\n'
EDGES = """<edge source="1" target="2"><data key="d0">2.5</data></edge>
<edge source="2" target="2"><data key="d0">1</data></edge>"""


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["x.graphml", "x.graphml.gz"])
def test_graphml(tmp_path, name):
    graph, said = read_with_summary(put(tmp_path / name, text(NODES + EDGES)))
    assert seen(graph) == "undirected 1 2 3: 1-2 2-1 2-2"
    assert "(2 edges; 1 self-loop; with node hue; skipped: edge weights)" in said
    graph = read(put(tmp_path / name, text(EDGES + NODES, "directed")), weights=True)
    assert graph.directed and graph.weights.tolist() == [2.5, 1]
    assert read(tmp_path / name, ids="str").ids.tolist() == ["1", "2", "3"]


def test_a_weight_of_edges_that_have_none(tmp_path):
    head = '<key id="d0" for="edge" attr.name="weight"><default> 7 </default></key><key id="c" for="node"/>'
    edge = '<edge source="1" target="2"/>'
    graph = read(put(tmp_path / "x.graphml", text(NODES + edge, head=head)), weights=True)
    assert graph.weights.tolist() == [7, 7]


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
def test_names_that_xml_must_escape(tmp_path, suffix):
    graph = Graph.from_edges(['a"&<>', " \t\n\r'", "\u65e5\u672c"], ["b", "b", "]]>"])
    write(graph, tmp_path / f"x.{suffix}")
    same(graph, read(tmp_path / f"x.{suffix}", ids="str"))
    for name in ("a\x01", "\ufffe", "\x0b"):
        with pytest.raises(InputError, match=r"holds .*, which XML cannot"):
            write(Graph.from_edges([name], ["b"]), tmp_path / f"x.{suffix}")


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
@pytest.mark.parametrize("which", ["plain", "directed", "strings", "weights", "isolated", "odd weights"])
def test_networkx_reads_and_writes_the_same(tmp_path, which, suffix):
    nx = pytest.importorskip("networkx")
    graph, path = GRAPHS[which], tmp_path / f"x.{suffix}"
    write(graph, path)
    kind = str if graph.ids.dtype == object else int
    theirs = getattr(nx, f"read_{suffix}")(path, node_type=kind)
    same(graph, Graph.from_networkx(theirs, weight="weight" if graph.is_weighted else None))
    getattr(nx, f"write_{suffix}")(graph.to_networkx(), path)
    same(graph, read(path, weights=graph.is_weighted, ids=kind.__name__))


def test_igraph_reads_and_writes_the_same(tmp_path):
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
        if graph.is_weighted:
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
        ('<?xml version="1.0" encoding="utf-7"?><graphml/>', "encoding is not known"),
    ],
)
def test_damaged(tmp_path, content, said):
    refused(tmp_path / "x.graphml", content, said, weights=True)


def test_edges_of_both_kinds_can_be_read_as_undirected(tmp_path):
    body = NODES + '<edge source="1" target="2" directed="true"/><edge source="2" target="3"/>'
    assert read(put(tmp_path / "x.graphml", text(body)), directed=False).num_edges == 2


@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
def test_ids_are_text_where_not_all_are_numbers(tmp_path, suffix):
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
    assert read(path, attributes=table).attributes.vertices["age"].value("b") == 3


NAMED = """<node id="n0"><data key="v">Ann</data></node>
<node id="n1"><data key="v">Bob</data><data key="c">red</data></node>
<node id="n2"><data key="v">{}</data></node>
<edge source="n0" target="n1"><data key="d0">2</data></edge><edge source="n1" target="n2"/>"""
NAME = KEYS + '<key id="v" for="node" attr.name="name" attr.type="string"/>'


def test_an_attribute_that_names_the_nodes_may_be_their_ids(tmp_path):
    path = put(tmp_path / "x.graphml", text(NAMED.format("Cy"), head=NAME))
    graph, said = read_with_summary(path)
    assert graph.ids.tolist() == ["n0", "n1", "n2"]
    assert "ids are text; --ids name takes the attribute 'name' for ids" in said
    graph, said = read_with_summary(path, ids="name")
    assert graph.ids.tolist() == ["Ann", "Bob", "Cy"] and arcs_of(graph)[0] == ("Ann", "Bob")
    assert "; ids: the attribute 'name'; with node hue" in said
    assert list(graph.attributes.vertices) == ["hue"]
    assert graph.attributes.vertices["hue"].value("Bob") == "red"
    numbers = text(NAMED.format("7").replace("Ann", "5").replace("Bob", "6"), head=NAME)
    assert read(put(path, numbers), ids="name").ids.tolist() == [5, 6, 7]
    for wrong, said in (
        (text(NAMED.format("Ann"), head=NAME), "line 5: node 'n2' has the name 'Ann', and so has 'n0'"),
        (text(NAMED.format(""), head=NAME), "line 5: node 'n2' has no 'name'"),
        (text(NODES), "its nodes have no attribute 'name'"),
    ):
        refused(path, wrong, f"{said}; leave ids='name' out", ids="name")
        assert "--ids name" not in read_with_summary(path)[1]


def test_labels_of_gexf_and_pajek_are_names(tmp_path):
    nodes = '<node id="0" label="Ann"/><node id="1" label="1"/>'
    graph = f'<gexf><graph><nodes>{nodes}</nodes><edges><edge source="0" target="1"/></edges></graph></gexf>'
    path = put(tmp_path / "x.gexf", graph)
    assert read(path).ids.tolist() == [0, 1]
    assert read(path, ids="name").ids.tolist() == ["1", "Ann"]
    write(read(path, ids="name"), tmp_path / "x.net")
    assert read(tmp_path / "x.net", ids="name").ids.tolist() == ["1", "Ann"]
    for name in ("x.txt", "x.mtx", "x.clg"):
        write(read(path), tmp_path / name)
        unreadable(tmp_path / name, r"have no names beside their ids; leave ids='name' out", ids="name")


# --- GEXF -------------------------------------------------------------------------------------------------

BODY = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">
<graph mode="static"{direction}>
<attributes class="node"><attribute id="0" title="url" type="string"/></attributes>
<nodes><node id="0" label="Hello"><attvalues><attvalue for="0" value="x"/></attvalues>
<viz:size value="2"/></node>
<node id="1" label="1"/><node id="2"/></nodes>
<edges><edge id="0" source="0" target="1" weight="2.5"{one}/>
<edge id="1" source="2" target="1"{other}/></edges>
</graph></gexf>
"""


def gexf(direction="", one="", other=""):
    words = [
        f' {key}="{word}"' if word else ""
        for key, word in (("defaultedgetype", direction), ("type", one), ("type", other))
    ]
    return BODY.format(direction=words[0], one=words[1], other=words[2])


@pytest.mark.smoke
def test_gexf(tmp_path):
    path = put(tmp_path / "x.gexf", gexf())
    graph, said = read_with_summary(path)
    assert seen(graph) == "undirected 0 1 2: 0-1 1-0 1-2 2-1"
    assert "with node url, node label; skipped: looks, edge weights)" in said
    assert read(path, weights=True).weights.tolist() == [2.5, 2.5, 1, 1]


def test_the_direction_is_what_all_edges_say(tmp_path):
    path = tmp_path / "x.gexf"
    assert read(put(path, gexf("directed"))).directed
    assert read(put(path, gexf("", "directed", "directed"))).directed
    assert not read(put(path, gexf("directed", "undirected", "undirected"))).directed
    for words in (("", "directed", ""), ("directed", "", "undirected"), ("mutual", "", "")):
        refused(path, gexf(*words), "edge in a graph that is")
        assert read(path, directed=False).num_edges == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gexf("both"), "line 3: edges of the type 'both'"),
        (gexf("", "odd"), "line 8: edges of the type 'odd'"),
        (gexf().replace('id="2"', 'id="1"'), "line 7: node '1' is also in line 7"),
        (gexf().replace('id="2"', 'id="9"'), "line 9: the edge's end '2' is no node"),
        (gexf().replace(' weight="2.5"', ""), "no edge has a weight"),
        (gexf().replace("2.5", "1e999"), "line 8: weight '1e999'"),
        (gexf().replace("<gexf", "<!DOCTYPE x><gexf"), "line 2: a document type"),
        (gexf()[:300], "not well-formed XML"),
        ("<gexf/>", "holds no <graph>"),
        ("<graphml/>", "<graphml> where <gexf> should be"),
    ],
)
def test_damaged_gexf(tmp_path, content, said):
    refused(tmp_path / "x.gexf", content, said, weights=True)
