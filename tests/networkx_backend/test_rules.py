"""What the backend says that it can run; its device, and the count of its calls; converted graphs."""

import inspect

import pytest
from networkx_graphs import convert, nx, same

import _clgraph_networkx
import clgraph
from clgraph import networkx_backend as backend
from clgraph.networkx_backend.communities import LEIDEN_IN_NETWORKX

G, M, D = nx.path_graph(3), nx.MultiGraph([(0, 1)]), nx.DiGraph([(0, 1)])
COMPLEMENT = nx.algorithms.approximation.kcomponents._AntiGraph(G)
MODULARITY = {"metric": "modularity"}
COMMUNITIES = [
    ({"max_level": 1}, "max_level is 1"),
    ({"resolution": 0}, "resolution is 0"),
    ({"resolution": "x"}, "resolution is 'x'"),
]
# function, its graph and other arguments, options, and the word for why NetworkX is to take the call
LEFT = [
    ("pagerank", (G,), {"alpha": 1}, "alpha is 1"),
    ("pagerank", (G,), {"alpha": "a"}, "alpha is 'a'"),
    ("pagerank", (G,), {"tol": "x"}, "tol"),
    ("pagerank", (G,), {"personalization": [1, 2]}, "personalization is a list"),
    ("pagerank", (G,), {"beta": 1}, "beta"),
    ("pagerank", (G,), {"nstart": {0: -1, 1: 3}}, "node 0 is -1"),
    ("pagerank", (G,), {"nstart": {0: "a"}}, "not a number"),
    ("pagerank", (G,), {"dangling": {0: 0}}, "dangling is zero"),
    ("bfs_edges", (G, 0), {"sort_neighbors": sorted}, "sort_neighbors"),
    ("bfs_edges", ([[0, 1]], 0), {}, "list"),
    ("connected_components", (COMPLEMENT,), {}, "overrides"),
    ("shortest_path", (G, 0, 1), {"weight": len}, "no device can call"),
    ("dijkstra_path", (G, 0, 1), {"weight": len}, "no device can call"),
    ("single_source_dijkstra", (G, 0), {"cutoff": -1}, "cutoff is -1"),
    ("multi_source_dijkstra", (G, [0]), {"cutoff": "1"}, "cutoff is '1'"),
    ("shortest_path_length", (G, 0, 1), {"method": "x"}, "method 'x'"),
    ("average_shortest_path_length", (G,), {"weight": len}, "no device can call"),
    ("average_shortest_path_length", (G,), {"method": "floyd-warshall"}, "floyd-warshall"),
    ("average_clustering", (G,), {"weight": "w"}, "weight='w'"),
    ("transitivity", (D,), {}, "directed"),
    ("transitivity", (M,), {}, "multigraph"),
    ("core_number", (M,), {}, "multigraph"),
    ("k_core", (M,), {}, "multigraph"),
    ("degree_assortativity_coefficient", (G,), {"nodes": [0]}, "some nodes"),
    ("average_neighbor_degree", (G,), {"weight": "w"}, "weight='w'"),
    ("betweenness_centrality", (G,), {"weight": "w"}, "weight='w'"),
    ("closeness_centrality", (G,), {"distance": "w"}, "distance='w'"),
    ("closeness_centrality", (G,), {"sp": {0: {0: 0}}}, "sp is given"),
    ("harmonic_centrality", (G,), {"distance": "w"}, "distance='w'"),
    ("eigenvector_centrality", (M,), {}, "multigraph"),
    ("eigenvector_centrality", (G,), {"nstart": {0: 1}}, "not one number for each node"),
    ("eigenvector_centrality", (G,), {"nstart": {0: 1, 1: -1, 2: 0}}, "sums up to 0"),
    ("katz_centrality", (M,), {}, "multigraph"),
    ("katz_centrality", (G,), {"alpha": "x"}, "alpha is 'x'"),
    ("katz_centrality", (G,), {"beta": [1, 2]}, "beta is a list"),
    ("katz_centrality", (G,), {"nstart": {0: 1, 1: "a", 2: 3}}, "not a finite number"),
    ("hits", (nx.empty_graph(3),), {}, "without edges"),
    ("hits", (G,), {"max_iter": 1.5}, "not a whole number"),
    ("hits", (G,), {"method": "x"}, "method 'x'"),
    ("hits", (G,), {"method": "power_iteration", "nstart": {0: 1, 1: -1, 2: 0}}, "sums up to 0"),
    *(
        ("louvain_communities", (G,), *each)
        for each in [*COMMUNITIES, ({"threshold": 0.1}, "threshold is 0.1")]
    ),
    *(("leiden_communities", (G,), {**MODULARITY, **given}, why) for given, why in COMMUNITIES),
    ("leiden_communities", (G,), {"metric": "cpm"}, "metric is 'cpm'"),
    ("leiden_communities", (G,), {**MODULARITY, "theta": 1}, "theta is 1"),
]


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "args", "given", "reason"), LEFT)
def test_what_is_left_to_networkx_has_a_reason(name, args, given, reason):
    assert reason in backend.can_run(name, args, given)
    plain = MODULARITY if name == "leiden_communities" else {}
    assert backend.can_run(name, (nx.path_graph(3), *args[1:]), plain) is True


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("name", "args", "runs"),
    [
        ("pagerank", (0.5, {0: 1}), True),
        ("bfs_layers", ((v for v in [0]),), True),
        ("dijkstra_path", (0, 1), True),
        ("dijkstra_path", (0, 1, len), False),
        ("single_source_dijkstra", (0, None, 2.5), True),
        ("single_source_dijkstra", (0, None, -1), False),
        ("single_source_dijkstra", (0, None, float("nan")), False),
        ("multi_source_dijkstra", ({0, 1},), True),
        ("multi_source_dijkstra", (iter([0]),), False),
        ("average_shortest_path_length", ("weight", "dijkstra"), True),
        ("average_shortest_path_length", ("weight", "floyd-warshall"), False),
        ("shortest_path", (0, 1, "weight", "bellman-ford"), True),
    ],
)
def test_arguments_by_position(name, args, runs):
    told = backend.can_run(name, (G, *args), {})
    assert told is True if runs else isinstance(told, str)


@pytest.mark.smoke
def test_what_it_can_run_and_convert():
    assert "None" in backend.can_run("has_path", (G, None, 1), {})
    assert (backend.can_run("leiden_communities", (G,), {}) is True) != LEIDEN_IN_NETWORKX
    with pytest.raises(NotImplementedError, match="overrides"):
        backend.convert_from_nx(COMPLEMENT)
    for attributes in ({"node_attrs": {"x": None}}, {"edge_attrs": {"w": 0}}):
        with pytest.raises(NotImplementedError):
            backend.convert_from_nx(G, **attributes)


@pytest.mark.smoke
def test_what_it_would_rather_not_run():
    assert "between two nodes" in backend.should_run("shortest_path", (G, 0, 1), {})
    assert "faster below" in backend.should_run("shortest_path_length", (G,), {})
    for name in ("shortest_path", "single_source_dijkstra", "multi_source_dijkstra", "shortest_path_length"):
        sources = [0] if "multi" in name else 0
        assert "between two nodes" in backend.should_run(name, (G, sources, 1), {"weight": "w"})
    assert "single_source_dijkstra_path on" in backend.should_run("shortest_path", (G, 0), {"weight": "w"})
    ford = {"weight": "w", "method": "bellman-ford"}
    assert "their order" in backend.should_run("shortest_path_length", (G, 0), ford)
    assert "not those of NetworkX" in backend.should_run("louvain_communities", (nx.complete_graph(50),), {})
    leiden = backend.should_run("leiden_communities", (G,), {})
    assert "not those of NetworkX" in leiden if LEIDEN_IN_NETWORKX else leiden is True


@pytest.mark.smoke
def test_the_info_lists_what_the_backend_has():
    known = nx.utils.backends._registered_algorithms
    functions = {name for name in backend.__all__ if name in known}
    absent = set() if "leiden_communities" in known else {"leiden_communities"}  # before NetworkX 3.5
    assert functions | absent == set(_clgraph_networkx.FUNCTIONS)
    assert set(_clgraph_networkx.FUNCTIONS) == set(_clgraph_networkx.get_info()["functions"])
    assert _clgraph_networkx.get_info()["url"].startswith("https://")
    measured = {each.name for each in _clgraph_networkx.TABLE if each.cached < _clgraph_networkx.NEVER}
    early = {each.name for each in _clgraph_networkx.TABLE if each.early_end}
    named = {each.name for each in _clgraph_networkx.TABLE if each.named}
    assert measured | early | named | set(backend.rules.ENDS) == functions | absent
    assert not measured & early and not (measured | early) & named
    taken = set()
    for name in functions:  # the same names of arguments, with the same defaults
        ours = inspect.signature(getattr(backend, name)).parameters
        theirs = inspect.signature(known[name].orig_func).parameters
        shared = [(each.name, each.default) for each in theirs.values() if each.name in ours]
        assert shared == [(each.name, each.default) for each in ours.values() if each.name in theirs]
        taken |= {(name, argument) for argument in ours.keys() - theirs.keys()}
        for argument in theirs.keys() - ours.keys():  # newer than the backend: NetworkX takes the call
            assert f"'{argument}'" in backend.can_run(name, (G,), {argument: 1})
    leiden = {("leiden_communities", "metric"), ("leiden_communities", "theta")}
    assert taken <= {("hits", "method"), ("closeness_centrality", "sp")} | leiden  # of NetworkX 3.7


# --- calls and devices ------------------------------------------------------------------------------------


def test_only_calls_that_launch_kernels_count(on):
    def counted():
        return [backend.call_counts().get(name, 0) for name in ("condensation", "pagerank", "bfs_edges")]

    G, before = convert(nx.DiGraph([(0, 1), (1, 0), (1, 2)])), counted()
    backend.condensation(G, list(backend.strongly_connected_components(G)))
    with pytest.raises(nx.PowerIterationFailedConvergence):
        backend.pagerank(G, max_iter=0)
    assert before == counted()
    backend.condensation(G)
    backend.pagerank(G)
    list(backend.bfs_edges(G, 0))
    assert counted() == [count + 1 for count in before]


def test_without_a_device(monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", "a device that is not there")
    G = convert(nx.path_graph(3))
    for name, *args in (
        ("bfs_edges", 0),
        ("connected_components",),
        ("pagerank",),
        ("has_path", 0, 1),
        ("all_pairs_shortest_path_length",),
    ):
        call = getattr(backend, name)
        with pytest.raises(clgraph.DeviceError, match="a device that is not there"):
            call(G, *args)
        refused = pytest.raises(NotImplementedError, match="clgraph has no device")
        with nx.config(fallback_to_nx=True), refused:
            call(G, *args)


def test_a_call_names_its_device(device, monkeypatch):
    """As NetworkX calls it, with the keyword of the backend."""
    monkeypatch.setenv("CLGRAPH_DEVICE", "a device that is not there")
    G, spec = convert(nx.path_graph(5)), device.spec
    assert backend.can_run("pagerank", (G,), {"device": spec}) is True
    assert backend.should_run("number_connected_components", (G,), {"device": spec}) is not None
    for _ in range(2):
        assert len(backend.pagerank(G, device=spec)) == 5
        edges = backend.bfs_edges(G, 0, device=spec)  # a generator: the device is that of all its steps
        assert next(edges) == (0, 1)
        with pytest.raises(clgraph.DeviceError, match="a device that is not there"):
            backend.has_path(G, 0, 1)  # and of no call between them
        assert list(edges) == [(1, 2), (2, 3), (3, 4)]
    with pytest.raises(clgraph.DeviceError, match="nowhere"):
        backend.pagerank(G, device="nowhere")


# --- converted graphs: views, changes after the conversion, the way back ---------------------------------


def test_a_graph_without_nodes():
    """No device is asked for."""
    for G, kinds in ((nx.Graph(), [""]), (nx.DiGraph(), ["strongly_", "weakly_"])):
        assert backend.pagerank(convert(G)) == {}
        for kind in kinds:
            for form in ("{}connected_components", "number_{}connected_components", "is_{}connected"):
                same(form.format(kind), G)
    same("condensation", nx.DiGraph())


def test_views_are_read_as_they_are(on):
    G = nx.gnm_random_graph(40, 90, seed=3)
    D = nx.gnm_random_graph(40, 120, seed=4, directed=True)
    same("connected_components", G.subgraph(range(20)))
    same("bfs_edges", nx.subgraph_view(G, filter_edge=lambda u, v: (u + v) % 3), 1)
    same("single_source_shortest_path_length", D.reverse(copy=False), 0)
    same("single_target_shortest_path_length", D.reverse(copy=False), 0)
    same("bfs_tree", D.to_undirected(as_view=True), 2)
    view = G.subgraph(range(20))
    convert(view)
    assert view.__networkx_cache__ is None  # nobody would clear it when G changes


def test_predecessors_are_read_when_they_are_needed(on):
    D = nx.DiGraph([(0, 1), (2, 1), (1, 3)])
    converted = convert(D)
    assert list(backend.bfs_edges(converted, 3, reverse=True)) == [(3, 1), (1, 0), (1, 2)]
    for change in (D.add_edge, D.remove_edge):  # the first adds a node, the second keeps it
        converted = convert(D)
        change(4, 1)
        with pytest.raises(clgraph.InputError, match="changed after it was converted"):
            list(backend.bfs_edges(converted, 3, reverse=True))


@pytest.mark.parametrize(
    ("remove", "add"),
    [
        ([], [(0, 30)]),
        ([(0, 10)], []),
        ([], [(30, "new")]),
        *(([(0, 10)], [(0, head)]) for head in ("new", 15, -1, 10**30)),
    ],
)
@pytest.mark.parametrize("last", [90, 10**12, "ninety"])
def test_a_graph_that_changed_is_not_read_half_new(on, remove, add, last):
    G = nx.path_graph(range(0, 90, 10), create_using=nx.DiGraph)
    G.add_edge(80, last)
    converted = convert(G)
    G.remove_edges_from(remove)
    G.add_edges_from(add)
    for call in (
        lambda: backend.number_strongly_connected_components(converted),
        lambda: list(backend.weakly_connected_components(converted)),
        lambda: list(backend.bfs_edges(converted, 20)),
    ):
        with pytest.raises(clgraph.InputError, match="changed after it was converted"):
            call()


def test_back_from_the_backend(on):
    for make in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        G = make([("a", "b"), ("b", "c"), ("c", "c")])
        G.add_edge("a", "b")
        G.add_node("alone")
        G.graph["name"] = "small"
        converted = backend.convert_from_nx(G, preserve_graph_attrs=True)
        assert len(converted) == 4 and list(converted) == list(G)
        assert "a" in converted and ["a"] not in converted
        back = backend.convert_to_nx(converted)
        assert type(back) is make and nx.utils.graphs_equal(back, G)
        assert backend.convert_to_nx(3) == 3
