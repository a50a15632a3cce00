"""NetworkX's dispatcher with our backend, and NetworkX's own tests run by it.

NetworkX finds a backend by the entry points of what is installed: from a bare checkout there is nothing to
test (CI installs the package). The runs are processes of their own, outside the checkout, whose pytest
settings must not apply; tests are named by module, since by file name NetworkX's switch for backends is not
seen.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from importlib.metadata import entry_points

import pytest
from networkx_graphs import nx

from clgraph import networkx_backend
from clgraph.errors import DeviceError
from clgraph.networkx_backend import rules
from clgraph.networkx_backend.communities import LEIDEN_IN_NETWORKX
from clgraph.networkx_backend.running import RELEASE

INSTALLED = any(found.name == "clgraph" for found in entry_points(group="networkx.backends"))
pytestmark = pytest.mark.skipif(
    not INSTALLED and os.environ.get("CI") != "true",
    reason="clgraph is not installed, so NetworkX cannot find it: python -m pip install -e .",
)

# modules of NetworkX's tests by folder, and how many tests of each run at least, fewer than in any version of
# it from 3.4 on; where calls that are not ours go to NetworkX, all of them pass
SUITES = [
    ("link_analysis.", {"pagerank": 40, "hits": 4}),
    ("traversal.", {"bfs": 14, "beamsearch": 2, "dfs": 15, "edgebfs": 12, "edgedfs": 12}),
    ("components.", {"attracting": 3, "biconnected": 10, "connected": 7, "semiconnected": 6}),
    ("components.", {"strongly_connected": 10, "weakly_connected": 5}),
    ("shortest_paths.", {"astar": 12, "dense": 6, "dense_numpy": 5, "generic": 20}),
    ("shortest_paths.", {"unweighted": 12, "weighted": 40}),
    ("community.", {"louvain": 9, "leiden": 6} if RELEASE >= (3, 5) else {"louvain": 9}),
    ("", {"dag": 50, "cluster": 40, "core": 10}),
    ("assortativity.", {"correlation": 10, "neighbor_degree": 5}),
    ("centrality.", {"betweenness_centrality": 30, "closeness_centrality": 10, "harmonic_centrality": 10}),
    ("centrality.", {"katz_centrality": 20, "eigenvector_centrality": 10}),
]
# where nothing falls back to NetworkX: what is ours passes, the rest is expected to fail
STRICT = [
    ("link_analysis.", {"pagerank": 12}),
    ("traversal.", {"bfs": 12}),
    ("components.", {"weakly_connected": 4, "strongly_connected": 3}),
]
PLUGIN = """
import json
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    report.module = item.module.__name__
    return report

def pytest_terminal_summary(terminalreporter, config):
    import networkx as nx
    stats = terminalreporter.stats
    kinds = ("passed", "failed", "xfailed")
    told = {kind: [report.module for report in stats.get(kind, ())] for kind in kinds}
    told["error"] = [report.nodeid for report in stats.get("error", ())]
    told["reasons"] = [report.wasxfail for report in stats.get("xfailed", ())]
    loaded = nx.utils.backends._loaded_backends.get("clgraph")
    told["calls"] = loaded.call_counts() if loaded else {}
    with open("told.json", "w") as file:
        json.dump(told, file)
"""


def module_of(folder, name):
    return f"networkx.algorithms.{folder}tests.test_{name}"


def run_suite(folder, device, suites, **switches):
    """What the plugin has noted of a run of NetworkX's tests, of which none failed and enough passed."""
    least = {module_of(part, name): n for part, names in suites for name, n in names.items()}
    (folder / "noting.py").write_text(PLUGIN)
    (folder / "empty.ini").write_text("[pytest]\n")
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("NETWORKX_", "PYTEST_"))}
    env = {**kept, "CLGRAPH_DEVICE": device.spec, "NETWORKX_TEST_BACKEND": "clgraph", **switches}
    options = ["-m", "pytest", "-q", "-p", "noting", "-p", "no:cacheprovider", "-c", "empty.ini", "--pyargs"]
    command = [sys.executable, *options, *least]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    told = folder / "told.json"
    assert done.returncode == 0 and told.exists(), f"{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    told = json.loads(told.read_text())
    assert not told["failed"] + told["error"]
    passed = Counter(told["passed"])
    few = {name: passed[name] for name, wanted in least.items() if passed[name] < wanted}
    assert not few, few
    return told


@pytest.mark.first_device
def test_strict(thorough, device, tmp_path):
    told = run_suite(tmp_path, device, STRICT)
    ours = nx.utils.backends.backend_info["clgraph"]["functions"]
    for reason in told["reasons"]:  # always a function that is not ours, in preparing or checking
        name = reason.split("'")[1]
        sorting = reason.endswith("'bfs_edges' not implemented by clgraph with the given arguments")
        assert name not in ours or sorting, reason
    assert told["calls"]["pagerank"] > 0


@pytest.mark.first_device
def test_with_fallback(thorough, device, tmp_path):
    told = run_suite(tmp_path, device, SUITES, NETWORKX_FALLBACK_TO_NX="true")
    # tests that compare with what NetworkX's own order of moves leads to: see `on_start_tests`
    assert set(told["xfailed"]) <= {module_of("community.", "louvain")} and len(told["xfailed"]) <= 4
    functions = nx.utils.backends.backend_info["clgraph"]["functions"]
    known = nx.utils.backends._registered_algorithms  # NetworkX 3.4 has no Leiden
    assert not [name for name in functions if name in known and not told["calls"].get(name)]


# --- the dispatcher ----------------------------------------------------------------------------------------


@pytest.fixture
def calls(on):
    """How often the backend was at work on this device, by function, since the test began."""
    before = networkx_backend.call_counts()
    with nx.config(warnings_to_ignore={"cache"}):
        yield lambda name: networkx_backend.call_counts().get(name, 0) - before.get(name, 0)


@pytest.fixture
def small_graphs_too(monkeypatch):
    """The backend runs whatever it can, however small."""
    at_once = {name: each._replace(first=0, cached=0) for name, each in rules.BY_NAME.items()}
    monkeypatch.setattr(rules, "BY_NAME", at_once)


@pytest.mark.smoke
def test_a_call_that_names_the_backend(calls):
    G = nx.karate_club_graph()
    assert nx.pagerank(G, backend="clgraph") == pytest.approx(nx.pagerank(G))
    assert calls("pagerank") == 1
    assert nx.closeness_centrality(G, backend="clgraph") == nx.closeness_centrality(G)
    assert list(nx.bfs_edges(G, 5, backend="clgraph")) == list(nx.bfs_edges(G, 5))
    with pytest.raises(NotImplementedError, match="bfs_edges"):
        nx.bfs_edges(G, 5, sort_neighbors=sorted, backend="clgraph")


def test_converted_graphs_are_kept_until_the_graph_changes(calls, small_graphs_too):
    G = nx.path_graph(5)
    with nx.config(backend_priority=["clgraph"]):
        assert nx.number_connected_components(G) == 1
        (kept,) = G.__networkx_cache__["backends"]["clgraph"].values()
        assert nx.number_connected_components(G) == 1
        assert list(G.__networkx_cache__["backends"]["clgraph"].values()) == [kept]
        G.add_edge(7, 8)
        assert nx.number_connected_components(G) == 2
        G.remove_node(2)
        assert nx.number_connected_components(G) == 3
        # a view has a cache of its own, which nobody clears: it is converted each time
        view = G.subgraph([0, 1, 7])
        assert nx.number_connected_components(view) == 2
        G.add_edge(0, 7)
        assert nx.number_connected_components(view) == 1
        # weights in the cache, and changed by the graph's methods
        D = nx.DiGraph([(0, 1), (0, 2)])
        light = nx.pagerank(D)
        D.add_edge(0, 1, weight=9)
        assert nx.pagerank(D)[1] > light[1]
    assert calls("number_connected_components") == 6
    assert calls("pagerank") == 2


@pytest.mark.smoke
def test_networkx_takes_what_the_backend_does_not(calls, small_graphs_too):
    G = nx.path_graph(3)
    G[0][1]["weight"] = -1
    with nx.config(backend_priority=["clgraph"]):
        nx.pagerank(G)  # a negative weight
        G.add_edge(0, 1, weight="heavy")
        with pytest.raises(ValueError, match="heavy"):  # NetworkX's own word
            nx.pagerank(G)
        assert nx.pagerank(nx.complete_graph(3), alpha=1)
        assert list(nx.bfs_edges(G, 1, sort_neighbors=sorted)) == [(1, 0), (1, 2)]
        if RELEASE >= (3, 7):
            lengths = {0: {0: 0, 2: 4}}
            assert nx.closeness_centrality(G, 0, sp=lengths) == 0.125
            with pytest.raises(ValueError, match="method not supported: x"):
                nx.hits(nx.path_graph(3), method="x")
    assert not calls("pagerank") + calls("bfs_edges") + calls("closeness_centrality") + calls("hits")
    G.__networkx_cache__.clear()  # it holds that the conversion failed, not why
    with pytest.raises(NotImplementedError) as raised:
        nx.pagerank(G, backend="clgraph")
    assert "heavy" in str(raised.value.__cause__)


def test_no_device(monkeypatch, small_graphs_too):
    monkeypatch.setenv("CLGRAPH_DEVICE", "no such device")
    G = nx.path_graph(3)
    with nx.config(backend_priority=["clgraph"], warnings_to_ignore={"cache"}):
        for call in (nx.pagerank, nx.connected_components, lambda G: nx.bfs_edges(G, 0)):
            with pytest.raises(DeviceError, match="no such device"):
                call(G)
            with nx.config(fallback_to_nx=True):
                assert list(call(G))


def test_small_graphs_are_left_to_networkx(calls):
    small, large = nx.DiGraph([(0, 1)]), nx.gnm_random_graph(3_000, 30_000, seed=1, directed=True)
    with nx.config(backend_priority=["clgraph"]):
        assert nx.number_strongly_connected_components(small) == 2
        assert not calls("number_strongly_connected_components")
        count = nx.number_strongly_connected_components(large)
        assert calls("number_strongly_connected_components") == 1
        assert nx.has_path(large, 0, 1)
        assert not calls("has_path")
    assert count == nx.number_strongly_connected_components(large)
    assert "faster below" in networkx_backend.should_run("pagerank", (small,), {})
    assert "a few vertices" in networkx_backend.should_run("has_path", (large, 0, 1), {})


def test_communities_of_networkx_are_its_own_unless_the_call_names_the_backend(calls):
    G = nx.karate_club_graph()
    own = nx.community.louvain_communities(G, seed=2)
    with nx.config(backend_priority=["clgraph"]):
        assert nx.community.louvain_communities(G, seed=2) == own and not calls("louvain_communities")
        asked = {"metric": "modularity", "backend": "clgraph"} if LEIDEN_IN_NETWORKX else {}
        if hasattr(nx.community, "leiden_communities"):  # since NetworkX 3.5
            assert len(nx.community.leiden_communities(G, seed=2, **asked)) == 4
        found = nx.community.louvain_communities(G, seed=2, backend="clgraph")
    assert calls("louvain_communities") == 1 and nx.community.modularity(G, found) > 0.44


def test_the_device_of_a_call_and_of_the_configuration(device):
    G = nx.path_graph(5)
    assert nx.number_connected_components(G, backend="clgraph", device=device.spec) == 1
    assert next(nx.bfs_edges(nx.path_graph(5), 0, backend="clgraph", device=device.spec)) == (0, 1)
    assert "device : str, optional" in nx.pagerank.__doc__
    G.__networkx_cache__ = None
    with nx.config.backends.clgraph(device=device.spec):
        assert nx.is_connected(G, backend="clgraph")
    with nx.config.backends.clgraph(device="nowhere"), pytest.raises(DeviceError, match="nowhere"):
        nx.is_connected(G, backend="clgraph")


@pytest.mark.smoke
def test_importing_networkx_imports_nothing_of_ours(tmp_path):
    code = (
        "import sys, networkx\n"
        "assert 'clgraph' in networkx.config.backends\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('clgraph', 'pyopencl', 'numpy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
