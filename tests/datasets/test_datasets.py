"""Data sets that come with clgraph, and those that are fetched."""

import gzip
import io
import shutil
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import clgraph
from clgraph import datasets
from clgraph.datasets import KNOWN, SOURCES, Known, fetch
from clgraph.graph.digest import digest


@pytest.mark.smoke
def test_what_is_here():
    nx = pytest.importorskip("networkx")
    assert dir(datasets) == sorted(datasets.__all__)
    karate = clgraph.datasets.karate()
    theirs = nx.relabel_nodes(nx.karate_club_graph(), lambda v: v + 1)
    assert {frozenset(e) for e in karate.to_networkx().edges} == {frozenset(e) for e in theirs.edges}
    novel = datasets.les_miserables()
    assert (novel.num_vertices, novel.num_edges) == (77, 254)
    weights = {frozenset((u, v)): w for u, v, w in nx.les_miserables_graph().edges.data("weight")}
    assert {frozenset((u, v)): w for u, v, w in novel.to_networkx().edges.data("weight")} == weights


@pytest.fixture
def server(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    root = tmp_path / "root"
    root.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name, end in {"snap": ".txt.gz", "konect": ".tar.bz2", "nr": ".zip"}.items():
        source, url = SOURCES[name], f"http://127.0.0.1:{httpd.server_port}/{name}-{{name}}{end}"
        assert source[0].endswith(end)
        monkeypatch.setitem(SOURCES, name, (url, *source[1:]))
    yield root
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def test_a_file_is_fetched_once_and_checked(server, tmp_path, monkeypatch):
    (server / "snap-ring.txt.gz").write_bytes(gzip.compress(b"# a ring\n0 1\n1 2\n2 0\n"))
    ring = fetch("snap:ring", folder=tmp_path / "kept")
    assert ring.num_edges == 3 and not ring.directed
    (server / "snap-ring.txt.gz").unlink()
    assert fetch("snap:ring", folder=tmp_path / "kept", directed=True).directed  # of the kept file
    assert fetch("snap:ring", folder=tmp_path / "kept", digest=digest(ring)).num_edges == 3
    with pytest.raises(clgraph.InputError, match=r"is not the graph that it should be: .* Delete .*ring"):
        fetch("snap:ring", folder=tmp_path / "kept", digest="0")
    monkeypatch.setitem(KNOWN, "snap:ring", Known("snap:ring", False, 3, 3, "1"))
    with pytest.raises(clgraph.InputError, match="not 1"):
        fetch("snap:ring", folder=tmp_path / "kept")


def test_packages_of_other_collections(server, tmp_path):
    data = b"% sym unweighted\n% 2 3 3\n1 2\n2 3\n"
    with tarfile.open(server / "konect-path.tar.bz2", "w:bz2") as tar:
        for name in ("path/README.path", "path/out.path"):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    assert fetch("konect:path", folder=tmp_path / "kept").num_edges == 2
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "web.edges").write_text("1 2\n2 3\n3 4\n")
    (tmp_path / "pack" / "readme.html").write_text("x")
    shutil.make_archive(str(server / "nr-web"), "zip", tmp_path / "pack")
    assert fetch("nr:web/web", folder=tmp_path / "kept").num_edges == 3


def test_without_a_network(server, tmp_path):
    with pytest.raises(clgraph.ClgraphError, match=r"cannot download http://127.* the file to clgraph\.read"):
        fetch("snap:none", folder=tmp_path)


@pytest.mark.parametrize("name", ["ring", "snap:", "snap:../x", "nr:web", "konect:a/b", 3, "f:x", "snap:a b"])
def test_other_names(name):
    with pytest.raises(clgraph.InputError, match="no data set is called"):
        fetch(name)


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known(name, data_path):
    known = KNOWN[name]
    file = {"email-Enron": "Email-Enron", "wiki-Vote": "Wiki-Vote"}.get(name[5:], name[5:])
    graph = clgraph.read(data_path(f"{file}.txt"), directed=known.directed, device="host")
    assert (graph.num_vertices, graph.num_edges) == (known.vertices, known.edges)
    assert digest(graph) == known.digest
