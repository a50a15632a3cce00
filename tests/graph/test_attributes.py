"""Attributes of vertices and edges: read, carried through samples, written."""

import copy
import pickle

import numpy as np
import pytest
from exchanges import put_table
from graph_files import put

import clgraph
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary
from clgraph.graph.attributes import Column

GRAPHML = """<graphml>
<key id="a" for="node" attr.name="age" attr.type="int"><default>7</default></key>
<key id="b" for="node" attr.name="hue" attr.type="string"/>
<key id="c" for="edge" attr.name="since &amp; to" attr.type="double"/>
<key id="d" for="all" attr.name="seen" attr.type="boolean"><default>false</default></key>
<key id="y" for="node" yfiles.type="nodegraphics"/>
<graph edgedefault="undirected">
<node id="1"><data key="a">30</data><data key="b">r&lt;d
 "q"</data></node><node id="2"><data key="b"/></node><node id="3"><data key="y"><y:Fill/>x</data></node>
<node id="4"/>
<edge source="2" target="1"><data key="c">1.50</data></edge>
<edge source="1" target="2"><data key="c">9</data></edge>
<edge source="2" target="3"><data key="d">true</data></edge><edge source="3" target="4"/>
</graph></graphml>"""
NODES = 'city,id,since,old\n"a, b",10,1.5,true\n,20,2,FALSE\nc ""d,30,,true\nelsewhere,99,-1e3,true\n'


def facts(graph):
    """All that is known of a graph's vertices and edges."""
    known, edges = graph.attributes, graph.to_edges()
    found = {}
    for name, column in known.vertices.items():
        found[name] = {v: column.value(v) for v in graph.ids.tolist()}
    pairs = list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    for name, column in known.edges.items():
        found[name, "edge"] = {e: column.value(e if e in column.texts else e[::-1]) for e in pairs}
    return found


WANTED = {
    "age": {1: 30, 2: 7, 3: 7, 4: 7},
    "hue": {1: 'r<d\n "q"', 2: "", 3: None, 4: None},
    "seen": {1: False, 2: False, 3: False, 4: False},
    ("since & to", "edge"): {(1, 2): 1.5, (2, 3): None, (3, 4): None},
    ("seen", "edge"): {(1, 2): False, (2, 3): True, (3, 4): False},
}


@pytest.mark.parametrize("name", ["b.graphml", "b.gexf", "b.graphml.gz"])
def test_round_trips(tmp_path, name):
    graph, said = read_with_summary(put(tmp_path / "a.graphml", GRAPHML))
    assert facts(graph) == WANTED
    assert "with node age, node seen, node hue, edge seen, edge since & to" in said
    assert "skipped: node nodegraphics" in said
    assert "left out" not in write_with_summary(graph, tmp_path / name)
    assert facts(read(tmp_path / name)) == WANTED
    for made in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert facts(made) == WANTED


def test_networkx_reads_them(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = read(put(tmp_path / "a.graphml", GRAPHML))
    for suffix in ("graphml", "gexf"):
        write(graph, tmp_path / f"b.{suffix}")
        theirs = getattr(nx, f"read_{suffix}")(tmp_path / f"b.{suffix}", node_type=int)
        assert theirs.nodes[1]["age"] == 30 and theirs.nodes[1]["hue"].startswith("r<d")
        assert theirs.edges[1, 2]["since & to"] == 1.5 and theirs.edges[2, 3]["seen"] is True
        getattr(nx, f"write_{suffix}")(theirs, tmp_path / f"c.{suffix}")
        again = facts(read(tmp_path / f"c.{suffix}"))
        assert again["age"][1] == 30 and again["since & to", "edge"][1, 2] == 1.5


def test_labels_of_gephi(tmp_path):
    nodes = '<nodes><node id="1" label="One"/><node id="2" label="2"/></nodes>'
    edges = '<edges><edge source="1" target="2" label="l"/></edges>'
    graph = read(put(tmp_path / "a.gexf", f"<gexf><graph>{nodes}{edges}</graph></gexf>"))
    write(graph, tmp_path / "b.gexf")
    assert facts(read(tmp_path / "b.gexf")) == facts(graph)
    assert facts(graph) == {"label": {1: "One", 2: None}, ("label", "edge"): {(1, 2): "l"}}
    assert '<node id="2" label="2"/>' in (tmp_path / "b.gexf").read_text()


def test_samples_carry_them(device, tmp_path):
    graph = clgraph.powerlaw_graph(300, seed=1, device=device)
    rows = "".join(f"{v},{v * v}\n" for v in range(300))
    write(graph, tmp_path / "a.txt", device="host")
    whole = read(tmp_path / "a.txt", attributes=put(tmp_path / "n.csv", "id,square\n" + rows))
    for how in ({"method": "drv"}, {"method": "cre"}, {"method": "rw"}, {"method": "rn"}):
        sample = clgraph.sample(whole, size="30%", seed=1, device=device, **how)
        write(sample.graph, tmp_path / "b.graphml")
        found = facts(read(tmp_path / "b.graphml"))["square"]
        assert found == {v: v * v for v in sample.vertices.tolist()} and len(found) > 10
    several = clgraph.sample(whole, "drv", size="30%", seed=1, seeds=3, device=device)
    assert all(each.graph.attributes is whole.attributes for each in several)


def test_a_table_of_vertices(tmp_path):
    graph = put(tmp_path / "a.txt", "10 20\n20 30\n30 40\n")
    known = read(graph, attributes=put(tmp_path / "n.csv", NODES))
    assert facts(known) == {
        "city": {10: "a, b", 20: None, 30: 'c ""d', 40: None},
        "since": {10: 1.5, 20: 2.0, 30: None, 40: None},
        "old": {10: True, 20: False, 30: True, 40: None},
    }
    put(tmp_path / "n.tsv.gz", "v\tx\r\n\r\na\t 1\r\nb\t2\r\n")
    words = read(put(tmp_path / "b.txt", "a b\n"), ids="str", attributes=tmp_path / "n.tsv.gz")
    assert facts(words) == {"x": {"a": 1, "b": 2}}
    told = "(left out: node city, node since, node old; GraphML, GEXF and Pajek's .net hold them)"
    assert write_with_summary(known, tmp_path / "b.txt").endswith(told)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id\n10\n", "line 1: 'id' should name two columns"),
        ("id,a,a\n10,1,2\n", "line 1: a column 'a' that is there twice"),
        ("id,a,\n10,1,2\n", "line 1: a column '' that is there twice, or has no name"),
        ("id,a\n10,1\n10,2\n", "line 3: a second row of the vertex 10"),
        ("id,a\n10,1\nx,2\n", "line 3: 'x' is not a vertex id.*ids='str'"),
        ("id,a\n10,1,5\n", "line 2: 3 fields where line 1 names 2"),
        ('id,a\n10,"1\n', "line 2: .*correct the quotes"),
        ("id,a\n77,1\n", "none of its ids is a vertex"),
        (b"id,a\n10,\xff\n", "line 2: bytes that are not UTF-8"),
        ("", "the file is empty"),
    ],
)
def test_bad_tables(tmp_path, text, said):
    graph = put(tmp_path / "a.txt", "10 20\n")
    with pytest.raises(InputError, match=rf"n\.csv.*{said}"):
        read(graph, attributes=put(tmp_path / "n.csv", text))
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        read(graph, attributes=tmp_path / "none.csv")


def test_what_xml_cannot_hold(tmp_path):
    graph = read(put(tmp_path / "a.txt", "1 2\n"), attributes=put(tmp_path / "n.csv", "id,a\n1,x\x01\n"))
    for suffix in ("graphml", "gexf"):
        with pytest.raises(InputError, match=r"attribute 'a' .* holds '\\x01', which XML cannot"):
            write(graph, tmp_path / f"b.{suffix}")


def test_values_that_are_not_what_they_should_be():
    column = Column("integer", {1: "x", 2: " 5 "}, "many")
    assert [column.value(v) for v in (1, 2, 3)] == ["x", 5, "many"]


def test_the_command_carries_them(tmp_path, run):
    one, other = put(tmp_path / "a.txt", "10 20\n20 30\n30 10\n"), tmp_path / "b.graphml"
    done = run("convert", one, other, "--attributes", put(tmp_path / "n.csv", NODES))
    assert "with node city, node since, node old" in done.err
    done = run("convert", other, tmp_path / "c.txt")
    assert "left out: node city, node since, node old" in done.err


def test_columns_that_are_not_read_are_told(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("1 2 0.5\n", "1,2,7\n", "u,v,w\n1,2,7\n"):
        put(path, text)
        assert "(1 row; weights not read (use --weights)" in read_with_summary(path)[1]
        assert "not read" not in read_with_summary(path, weights=True)[1]
    assert "not read" not in read_with_summary(put(path, "1 2 x\n"))[1]
    for text, said in (
        ("1 2 x y\n", "skipped: 2 further columns)"),
        ("1 2 0.5 y\n", "skipped: 1 further column)"),
        ("u,v,w,since\n1,2,7,8\n", "skipped: header 'u,v,w,since', 1 further column"),
    ):
        assert said in read_with_summary(put(path, text), device="host")[1]
        assert said in read_with_summary(put(path, text * (250_000 if text[0] == "1" else 1)))[1]


def test_further_columns_of_tables(device, tmp_path):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    made = clgraph.powerlaw_graph(300, seed=1, device=device).to_edges()
    u, v = (end.tolist() for end in made[:2])
    u[0], v[0] = v[0], u[0]
    rows = len(u)
    columns = {
        "source": [*u, v[1]],
        "w": [0.5] * (rows + 1),
        "target": [*v, u[1]],
        "since": [i % 90 for i in range(rows)] + [-1],
        "what": [f"{min(pair)}-{max(pair)}" for pair in zip(u, v, strict=True)] + ["a copy"],
        "new": [None if i % 2 else i % 3 == 0 for i in range(rows)] + [None],
    }
    frame, table = pandas.DataFrame(columns), pyarrow.table(columns)
    for name in ("a.parquet", "a.arrow"):
        put_table(tmp_path / name, table, compression="lz4")
    graph, said = read_with_summary(tmp_path / "a.parquet", device=device)
    told = "weights not read (use --weights); 1 merged as parallel; with edge since, edge what, edge new"
    assert told in said
    there = read(tmp_path / "a.arrow", device=device, weights=True)
    texts = read(tmp_path / "a.arrow", ids="int", device="host")
    words = {name: list(map(str, columns[name])) for name in ("source", "target")}
    named = Graph.from_pandas(frame.assign(**words))
    since = {frozenset(pair): i % 90 for i, pair in enumerate(zip(u, v, strict=True))}
    for each in (graph, there, texts, named, Graph.from_pandas(frame), Graph.from_arrow(table, weight="w")):
        part = clgraph.sample(each, "drv", size="30%", seed=1, device=device).graph
        for again in (part, pickle.loads(pickle.dumps(part)), each.subgraph(np.arange(40))):
            edges = again.to_pandas()
            assert len(edges) > 5 and set(edges.columns) >= {"source", "target", "since", "what", "new"}
            for row in edges.itertuples():
                a, b = int(row.source), int(row.target)
                assert row.since == since[frozenset((a, b))] and row.what == f"{min(a, b)}-{max(a, b)}"
            assert edges.what.tolist() == again.to_arrow()["what"].to_pylist()
    assert "left out" not in write_with_summary(part, tmp_path / "b.parquet")
    kept = ["source", "target", "weight", "since", "what", "new"]
    again = read(tmp_path / "b.parquet", weights=True)
    assert again.to_arrow().select(kept).equals(part.to_arrow().select(kept))
    write(part, tmp_path / "b.graphml")
    found = facts(read(tmp_path / "b.graphml"))
    assert found["since", "edge"] == {pair: since[frozenset(pair)] for pair in found["since", "edge"]}
    assert set(found["new", "edge"].values()) == {True, False, None}
    column = Graph.from_pandas(frame, directed=True).attributes.edges["since"]
    assert [column.value(arc) for arc in ((u[0], v[0]), (v[0], u[0]), (10**9, 0))] == [0, None, None]


def test_views_carry_them(device, tmp_path):
    directed = GRAPHML.replace('"undirected"', '"directed"').replace('<edge source="3" target="4"/>', "")
    graph = read(put(tmp_path / "a.graphml", directed))
    frame = pytest.importorskip("pandas").DataFrame({"source": [1, 3], "target": [2, 3], "n": [5, 6]})
    table = Graph.from_pandas(frame, directed=True)
    mask = np.array([True, True, True, False])
    for made in (
        graph.subgraph(mask),
        graph.without_self_loops,
        graph.undirected,
        graph.edge_subgraph(graph.col_idx < 3),
        graph.subgraph(mask, graph.col_idx < 3),
        graph.largest_component(),
        clgraph.largest_component(graph, device=device),
    ):
        assert made.attributes is graph.attributes
    back, again = graph.reverse, graph.with_ids(np.array(["a", "b", "c", "d"], object))
    assert facts(back)["since & to", "edge"] == {(1, 2): 1.5, (2, 1): 9.0, (3, 2): None}
    assert facts(again)["age"] == {"a": 30, "b": 7, "c": 7, "d": 7}
    assert facts(again)["since & to", "edge"] == {("b", "a"): 1.5, ("a", "b"): 9.0, ("b", "c"): None}
    assert table.reverse.to_pandas()["n"].tolist() == [5, 6]
    named = table.reverse.with_ids(np.array([10, 20, 30])).to_pandas()
    assert named.to_numpy().tolist() == [[20, 10, 5], [30, 30, 6]]


def everything(graph):
    """The values of all vertices and edges, by name; those that have none are not there."""
    known, edges = graph.attributes, graph.to_edges()
    ids, pairs = graph.ids.tolist(), list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    keys = pairs if graph.directed else map(frozenset, pairs)
    of_edges = known.edge_values(*edges[:2], graph.directed)
    return [
        {(key, name): value for name in columns for key, value in zip(keys, columns[name], strict=True)}
        for keys, columns in ((ids, known.vertex_values(ids)), (list(keys), of_edges))
    ]


def told(values):
    return [{key: value for key, value in each.items() if value is not None} for each in values]


def sources(tmp_path):
    """The same ring, its attributes from everywhere."""
    pandas, n = pytest.importorskip("pandas"), 40
    u = np.arange(1, n + 1)
    columns = {"source": u, "target": u % n + 1, "since": u / 4, "what": [f"a {i}" for i in u]}
    table = "".join(f'{v},"{v}, é",{v * v},{v % 2 == 0}\n' for v in u[1:].tolist())
    path = put(tmp_path / "v.csv", "id,name,square,even\n" + table)
    made = put_table(tmp_path / "a.parquet", Graph.from_pandas(pandas.DataFrame(columns)).to_arrow())
    whole = read(made, attributes=path)
    write(whole, tmp_path / "a.arrow")
    found = {"parquet": whole, "arrow": read(tmp_path / "a.arrow", attributes=path)}
    for suffix in ("graphml", "gexf", "net"):
        assert "left out" not in write_with_summary(whole, tmp_path / f"a.{suffix}")
        found[suffix] = read(tmp_path / f"a.{suffix}")
    return found


@pytest.mark.smoke
def test_all_formats_and_libraries_carry_them(device, tmp_path):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    for name, whole in sources(tmp_path).items():
        wanted = everything(whole)
        assert wanted[0][1, "square"] is None and wanted[0][2, "name"] == "2, é", name
        assert wanted[1][frozenset((40, 1)), "since"] == 10 and len(wanted[1]) == 80, name
        sample = clgraph.sample(whole, "dre", size="50%", seed=1, device=device).graph
        for graph in (whole, sample, whole.subgraph(np.arange(7)), sample.undirected.without_self_loops):
            mine = told(everything(graph))
            assert mine[0].items() <= wanted[0].items() and mine[1].items() <= wanted[1].items()
            theirs, other = graph.to_networkx(), graph.to_igraph()
            nodes = {(v, key): value for v, data in theirs.nodes.items() for key, value in data.items()}
            arcs = theirs.edges.items()
            edges = {(frozenset(pair), key): data[key] for pair, data in arcs for key in data}
            assert [nodes, edges] == mine and list(map(len, mine)) > [9, 4]
            squares, names = ([nodes.get((v, key)) for v in theirs] for key in ("square", "name"))
            assert (other.vs["name"], other.vs["square"]) == (list(theirs), squares)
            assert sorted(other.vs["name_"], key=str) == sorted(names, key=str)
            assert sorted(other.es["what"]) == sorted(nx.get_edge_attributes(theirs, "what").values())
            for suffix in ("graphml", "gexf", "net.gz"):
                assert "left out" not in write_with_summary(graph, tmp_path / f"b.{suffix}")
                again = read(tmp_path / f"b.{suffix}", ids="str")
                again = again.with_ids(again.ids.astype(np.int64))
                assert told(everything(again)) == mine, (name, suffix)
            said = write_with_summary(graph, tmp_path / "b.parquet")
            assert "left out: node name, node square, node even" in said
            assert "edge" not in said.split("left")[1]
    if igraph.__version_info__ >= (0, 11, 3):  # older ones do not read such values
        assert igraph.Graph.Read_Pajek(str(tmp_path / "a.net")).vs["square"][1] == "4"


def test_names_that_are_taken_get_an_underscore():
    nx, pandas = pytest.importorskip("networkx"), pytest.importorskip("pandas")
    columns = {"a": [0, 1], "b": [1, 2], "w": [2.0, 3.0], "weight": ["x", None], "weight_": [5, 6]}
    graph = Graph.from_pandas(pandas.DataFrame(columns), "a", "b", "w")
    theirs = graph.to_networkx()
    assert theirs.edges[0, 1] == {"weight": 2.0, "weight_": 5, "weight__": "x"}
    assert theirs.edges[1, 2] == {"weight": 3.0, "weight_": 6}
    for table in (graph.to_pandas(), graph.to_arrow().to_pandas()):
        assert table["weight__"][0] == "x" and table["weight_"].tolist() == [5, 6]
    assert " ".join(graph.to_pandas("weight_", "b").columns) == "weight_ b weight weight__ weight___"
    if igraph := pytest.importorskip("igraph"):
        assert graph.to_igraph().es["weight__"] == ["x", None]
        old = igraph.Graph.Ring(3)
        old.es["weight_"] = [7, 8, 9]
        assert graph.to_igraph(attributes=old).es["weight_"] == [7, 8]
    old = nx.Graph([(0, 1, {"weight_": 9, "colour": "red"}), (1, 2)])
    assert graph.to_networkx(attributes=old).edges[0, 1] == {"weight": "x", "weight_": 9, "colour": "red"}
    many = graph.to_networkx(attributes=nx.MultiGraph([(0, 1, 7, {"n": 1}), (0, 1, 8, {"n": 2}), (1, 2, 7)]))
    first = {"weight": "x", "weight_": 5}
    wanted = [{**first, "n": 1}, {**first, "n": 2}, {"weight_": 6}]
    assert [data for *_, data in many.edges(data=True)] == wanted
