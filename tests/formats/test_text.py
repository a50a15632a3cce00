"""Formats of lines, but for edge lists and Pajek's: what is read from files as others write them.

Files that are refused are in test_refused.py, what each format keeps in test_round_trips.py.
"""

import gzip
import os
import subprocess
import sys

import pytest
from cli_runs import environment
from graph_files import BANNER, GRAPHS, HOW, JLG, PATTERN, put, refused, seen

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary

SIDES = "1 2 3 4 5: 1-3 1-5 2-3 3-1 3-2 5-1"
DIMACS = "c a road\nc\np sp 4 3\nc more\na 1 2 5\na 2 1 5\na 3 1 1.5e1\n"
TWICE = "p sp 3 5\na 1 2 5\na 2 1 5\na 3 1 2\na 1 3 2\na 2 2 9\n"  # both arcs of each edge
ONCE = "undirected 1 2 3: 1-2 1-3 2-1 2-2 3-1"
ODD_JLG = "# c\n\n 4 , 3 , d , a name , 2 , Int64 , simplegraph\r\n 1 , 2 \r\n\r\n2,3\n2,2"
RATINGS = "% asym weighted\n1\t2\t-3.5\t1082040961\n2\t1\t2\t1\n"
TRIANGLE = "1 2 3 4: 1-2 1-3 2-1 2-3 3-1 3-2"
# names of files and their text: (how it is read, the graph, the summary's notes)
READ = {
    ("x.gr x.gr.gz", DIMACS): [
        ("", "directed 1 2 3 4: 1-2 2-1 3-1", "3 arcs; skipped: arc weights"),
        ("weights", "directed 1 2 3 4: 1-2 2-1 3-1, weights 5 5 15", "3 arcs"),
    ],
    ("x.gr x.gr.gz", DIMACS.replace("c more\n", "")): [
        ("", "directed 1 2 3 4: 1-2 2-1 3-1", "3 arcs; skipped: arc weights"),
        ("weights", "directed 1 2 3 4: 1-2 2-1 3-1, weights 5 5 15", "3 arcs"),
    ],
    ("x.gr", TWICE): [("weights of edges", f"{ONCE}, weights 5 2 5 9 2", "5 arcs; 1 self-loop")],
    ("x.gr", TWICE.replace("a 1 3 2", "a 1 3 3")): [
        (
            "weights of edges",
            f"{ONCE}, weights 10 5 10 9 5, times [2, 2, 2, 1, 2]",
            "5 arcs; 2 merged as parallel; 1 self-loop",
        )
    ],
    ("g.jlg g.lg g.jlg.gz", JLG): [
        ("", "undirected 1 2 3 4: 1-2 2-1 2-2 2-3 3-2", "3 edges; 1 self-loop"),
        ("arcs", "directed 1 2 3 4: 1-2 2-1 2-2 2-3 3-2", "3 edges; 1 self-loop"),
    ],
    ("g.jlg g.lg g.jlg.gz", ODD_JLG): [("", "directed 1 2 3 4: 1-2 2-2 2-3", "3 edges; 1 self-loop")],
    ("g.jlg g.lg g.jlg.gz", "0,0,u,none\n"): [("", "undirected : ", "0 edges")],
    ("out.zebra", "% sym unweighted\n% 2 4 4\n1 2\n2 3\n"): [
        ("", "undirected 1 2 3 4: 1-2 2-1 2-3 3-2", "2 rows"),
        ("arcs", "directed 1 2 3 4: 1-2 2-3", "2 rows"),
    ],
    ("out.ratings-x.gz", RATINGS): [
        ("", "directed 1 2: 1-2 2-1", "2 rows; skipped: weights, times"),
        ("weights", "directed 1 2: 1-2 2-1, weights -3.5 2", "2 rows; skipped: times"),
    ],
    ("out.bip", "% bip unweighted\n% 3 2 3\n1 1\n2 1\n1 3\n"): [
        ("", f"undirected {SIDES}", "3 rows; 1 .. 2 on the left side, 3 .. 5 on the right")
    ],
    ("out.bip", "% bip unweighted\n1 1\n2 1\n1 3\n"): [
        ("", f"undirected {SIDES}", "3 rows; 1 .. 2 on the left side, 3 .. 5 on the right")
    ],
    ("out.x", "% sym unweighted\n% 9 2 2\n1 2\n"): [("", "undirected 1 2: 1-2 2-1", "1 row; line 2 says 9")],
    ("out.txt", "1 2\n"): [("", "undirected 1 2: 1-2 2-1", "1 row")],
    ("x.tgf x.tgf.gz", "1 First node\n2\n\n3 third\n9\n#\n1 2 5\n2 3 7.5\n"): [
        ("", "undirected 1 2 3 9: 1-2 2-1 2-3 3-2", "2 rows; with node label; skipped: edge labels"),
        ("weights of arcs", "directed 1 2 3 9: 1-2 2-3, weights 5 7.5", "2 rows; with node label"),
    ],
    ("x.tgf", "b end\na begin here\n#\na b some road\n"): [
        ("names", "undirected a b: a-b b-a", "1 row; with node label; skipped: edge labels")
    ],
    ("g.mtx", BANNER + "real general\n% c\n4 4 3\n1 2 .5\n2 1 2\n3 3 4\n"): [
        ("", "directed 1 2 3 4: 1-2 2-1 3-3", "3 entries; 1 self-loop; skipped: values of entries"),
        (
            "weights of edges",
            "undirected 1 2 3 4: 1-2 2-1 3-3, weights 2.5 2.5 4, times [2, 2, 1]",
            "3 entries; 1 merged as parallel; 1 self-loop",
        ),
    ],
    ("s.mtx.gz", BANNER + "integer symmetric\n3 3 3\n2 1 5\n3 1 6\n3 3 7\n"): [
        ("weights", "undirected 1 2 3: 1-2 1-3 2-1 3-1 3-3, weights 5 6 5 6 7", "3 entries; 1 self-loop"),
        ("arcs", "directed 1 2 3: 1-2 1-3 2-1 3-1 3-3", "3 entries; 1 self-loop; skipped: values of entries"),
    ],
    ("k.mtx", BANNER + "real skew-symmetric\n2 2 1\n2 1 5\n"): [
        ("weights", "directed 1 2: 1-2 2-1, weights -5 5", "1 entry")
    ],
    ("e.mtx", PATTERN + "3 3 0\n"): [("", "directed 1 2 3: ", "0 entries")],
    ("t.mtx", PATTERN + "3 3 2\n1 2\n1 2\n"): [
        ("", "directed 1 2 3: 1-2, times [2]", "2 entries; 1 merged as parallel")
    ],
    ("a.mtx a.mtx.gz", PATTERN + "% c\n3 3 2\n1 2\n2 3\n"): [("", "directed 1 2 3: 1-2 2-3", "2 entries")],
    # a loop may be listed once or twice
    ("x.graph", "2 2\n1 1 2\n1\n"): [
        ("", "undirected 1 2: 1-1 1-2 2-1, times [2, 1, 1]", "4 entries; 1 merged as parallel; 1 self-loop")
    ],
    ("x.graph-txt", "4\n1 2\n\n 0 2 \n0\n\n"): [
        ("", "directed 0 1 2 3: 0-1 0-2 2-0 2-2 3-0", "5 arcs; 1 self-loop")
    ],
    ("x.graph-txt.gz", "3\n1 2\n0\n0"): [("edges", "undirected 0 1 2: 0-1 0-2 1-0 2-0", "4 arcs")],
}
# METIS's ways to write a triangle and a fourth vertex: what is skipped
METIS = {
    "4 3\n2 3\n1 3\n2 1\n\n": "",
    "4 3 000\n 2  3 \n1 3\n% comment\n2 1\n\n\n": "",
    "4 3 1\n2 9 3 8\n1 9 3 7\n2 7 1 8\n\n": "; skipped: edge weights",
    "4 3 10\n50 2 3\n51 1 3\n52 2 1\n53\n": "; skipped: vertex weights",
    "4 3 011 2\n5 6 2 9 3 8\n5 6 1 9 3 7\n5 6 2 7 1 8\n5 6\n": "; skipped: vertex weights, edge weights",
    "4 3 110 1\n1 5 2 3\n1 5 1 3\n1 5 2 1\n1 5\n": "; skipped: vertex weights",
}
for metis, skipped in METIS.items():
    READ["x.graph", f"% head\n{metis}"] = [
        ("", f"undirected {TRIANGLE}", f"6 entries{skipped}"),
        ("arcs", f"directed {TRIANGLE}", f"6 entries{skipped}"),
    ]
    if "edge weights" in skipped:
        notes = f"6 entries{skipped.replace(', edge weights', '').replace('; skipped: edge weights', '')}"
        READ["x.graph", f"% head\n{metis}"].append(
            ("weights", f"undirected {TRIANGLE}, weights 9 8 9 7 8 7", notes)
        )
ROWS = [(name, text, *row) for (names, text), rows in READ.items() for name in names.split() for row in rows]


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "text", "how", "wanted", "notes"), ROWS)
def test_what_is_read(tmp_path, name, text, how, wanted, notes):
    """With line feeds alone or carriage returns before them; the last line of some formats need not end."""
    texts = [text, text.replace("\n", "\r\n")]
    texts += [each.rstrip("\r\n") for each in texts if ".graph" not in name]  # where a line is a vertex
    for each in texts:
        graph, said = read_with_summary(put(tmp_path / name, each), **HOW[how])
        assert seen(graph) == wanted and said.endswith(f" ({notes})")


TGF = "1 First node\n2\n\n3 third\n9\n#\n1 2 5\n2 3 7.5\n"


@pytest.mark.parametrize("name", ["x.tgf", "x.tgf.gz"])
@pytest.mark.parametrize("text", [TGF, TGF.replace("\n", "\r\n")[:-2]], ids=["lf", "crlf"])
def test_labels_of_tgf(tmp_path, name, text):
    path = tmp_path / "x.tgf"
    graph = read(put(tmp_path / name, text))
    assert graph.attributes.vertices["label"].texts == {1: "First node", 3: "third"}
    write(graph, path)
    assert path.read_text() == "1 First node\n2\n3 third\n9\n#\n1 2\n2 3\n"
    with pytest.raises(InputError, match="holds ' '"):
        write(Graph.from_edges(["a b"], ["c"]), path)


def test_graphs_of_julia_compressed_by_another_name(tmp_path):
    """As SNAPDatasets.jl has them."""
    path = tmp_path / "g.jlg"
    assert read(put(path, gzip.compress(JLG.encode()))).num_edges == 3
    refused(path, gzip.compress(JLG.encode() * 1000)[:-9], r"gzip data end too early|says 3 edges")


def test_konect_is_known_by_the_names_of_files_that_are_there(tmp_path):
    with pytest.raises(InputError, match="no known format"):
        write_with_summary(GRAPHS["plain"], tmp_path / "out.x")


def test_many_weights_of_a_vertex_in_metis(tmp_path):
    sizes = 500_000 * "7 "
    path = put(tmp_path / "x.graph", f"2 1 010 500000\n{sizes}2\n{sizes}1\n")
    assert read(path).to_edges().target.tolist() == [2]


# --- Matrix Market ----------------------------------------------------------------------------------------

ENDS = """
import sys, clgraph
for path in sys.argv[1:]:
    try:
        print(path, clgraph.read(path, weights="real" in path).num_edges, flush=True)
    except clgraph.InputError as error:
        print(error, flush=True)
"""


def test_a_last_line_that_just_ends(tmp_path):
    """SciPy 1.17.1 crashes the process: they are read in another one, which says how far it came."""
    tails = ("", " ", "\r", "\t", " %c", "% comment", "  \r", "\n", " \n\n", "\x1a", "\0")
    paths = []
    for field, value in (("pattern", ""), ("real", " 0.5")):
        for k, tail in enumerate(tails):
            text = f"{BANNER}{field} general\n3 3 2\n1 2{value}\n2 3{value}{tail}"
            paths.append(str(put(tmp_path / f"{field}{k}.mtx", text)))
    call = [sys.executable, "-c", ENDS, *paths]
    done = subprocess.run(call, capture_output=True, text=True, env=environment())
    said = done.stdout.splitlines()
    assert done.returncode == 0, (said, done.stderr)
    for k, path in enumerate(paths):
        nul = k % len(tails) == len(tails) - 1
        assert said[k].startswith(path) and ("holds a NUL byte" in said[k] if nul else said[k] == f"{path} 2")
    assert len(said) == len(paths)


def test_many_vertices_if_asked_for(tmp_path):
    path = put(tmp_path / "x.mtx", PATTERN + "5000000 5000000 1\n1 2\n")
    assert read(path, max_vertices=5_000_000).num_vertices == 5_000_000


# --- LDBC -------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_ldbc(tmp_path):
    put(tmp_path / "a.v", "5\n2\n9\n")
    put(tmp_path / "a.e.gz", "5 2 0.5\n")
    for name in ("a", "a.v", "a.e.gz", "a.e"):
        graph = read(tmp_path / name, weights=True)
        assert graph.ids.tolist() == [2, 5, 9] and graph.num_edges == 1 and not graph.directed
        assert graph.weights.tolist() == [0.5, 0.5]
    put(tmp_path / "a.properties", "# c\ngraph.a.vertex-file = a.v\ngraph.a.directed = true\n")
    assert read(tmp_path / "a").directed and not read(tmp_path / "a", directed=False).directed
    assert read(tmp_path / "a", ids="str").ids.tolist() == ["2", "5", "9"]
    put(tmp_path / "b.v", "x\ny\n")
    put(tmp_path / "b.e", "")
    none = read(tmp_path / "b", ids="str")
    assert (none.ids.tolist(), none.num_edges) == (["x", "y"], 0)
    assert read_with_summary(tmp_path / "b.v", ids="str")[1].endswith("2 vertices, 0 edges (0 rows)")


@pytest.mark.parametrize(
    ("vertices", "edges", "said"),
    [
        ("5\n2\n", None, "NAME.v and NAME.e, but a.e is not in"),
        ("5\n2\n", "5 2\n2 7\n", "a.e, row 2: vertex 7 is not in a.v"),
        ("5\n2\n", "5 2\nx 5\n", "a.e, line 2: 'x'"),
        ("5\nx\n", "5 2\n", "a.v, line 2: 'x'"),
        ("5\n-1\n", "5 2\n", "a.v, line 2: id -1 is negative"),
        ("5\n5\n", "5 2\n", "a.v, line 2: vertex '5' a second time"),
        ("", "5 2\n", "vertex 5 is not in"),
        ("1\n" + "2" * 5000 + "\n", "1 2\n", "a.v, line 2: id 2+ does not fit in 64 bits"),
        (b"1\n\xff\n", "1 2\n", "a.v, line 2: bytes that are not UTF-8"),
    ],
)
def test_bad_ldbc(tmp_path, vertices, edges, said):
    put(tmp_path / "a.v", vertices)
    if edges is not None:
        put(tmp_path / "a.e", edges)
    for name in ("a", "a.v", "a.e") if edges else ("a",):
        with pytest.raises(InputError, match=said):
            read(tmp_path / name, ids="str" if isinstance(vertices, bytes) else "int")


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_an_interrupted_write_is_the_old_graph_or_refused(tmp_path, monkeypatch, bare, packed):
    """Interrupted between any two renames: never a mixture of the old files and the new ones."""
    path = tmp_path / f"a.v{packed}"
    old = Graph.from_edges([0, 1], [1, 2], directed=False)
    new = Graph.from_edges([0, 1, 5], [2, 0, 2], directed=True)
    replace, left = os.replace, 0

    def interrupted(source, target):
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        replace(source, target)

    refused, renames = 0, 0
    while True:
        monkeypatch.setattr(os, "replace", replace)
        for file in tmp_path.iterdir():
            file.unlink()
        write(old, path)
        if bare:
            (tmp_path / "a.properties").unlink()
        monkeypatch.setattr(os, "replace", interrupted)
        left = renames
        try:
            write(new, path)
        except KeyboardInterrupt:
            pass
        else:
            break
        assert not [file for file in tmp_path.iterdir() if file.suffix == ".tmp"]
        try:
            found = read(path)
        except InputError as error:
            assert "a.properties: writing this graph was interrupted" in str(error)
            refused += 1
        else:
            assert (found.directed, found.num_vertices, found.num_edges) == (False, 3, 2)
        renames += 1
    assert (renames, refused) == (4, 3)
    found = read(path)
    assert (found.directed, found.num_vertices, found.num_edges) == (True, 4, 3)
    assert (tmp_path / "a.properties").read_text() == "graph.a.directed = true\n"


def test_a_write_that_could_not_be_read_back(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2])
    write(graph, tmp_path / "a.v")
    with pytest.raises(InputError, match=r"a.v is beside it.*remove"):
        write(graph, tmp_path / "a.e.gz")


def test_no_header_and_no_mark(tmp_path):
    put(tmp_path / "x.v", "\ufeffsource\ntarget\n1\n2\n")
    put(tmp_path / "x.e", "source target\n1 2\n")
    assert read(tmp_path / "x.e", ids="str").num_edges == 2
