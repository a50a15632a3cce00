"""The functions of the NetworkX backend against NetworkX's own: the same values in the same order."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import clgraph
from clgraph.errors import ConvergenceWarning

nx = pytest.importorskip("networkx")

from clgraph import networkx_backend as backend  # noqa: E402
from clgraph.networkx_backend import order  # noqa: E402
from clgraph.networkx_backend.link_analysis import STRICT  # noqa: E402


@pytest.fixture
def on(device, monkeypatch):
    """The backend runs on this device."""
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    return device


def convert(G, weight=None):
    return backend.convert_from_nx(G, edge_attrs=None if weight is None else {weight: 1})


def whole(found):
    """A result with its order: dicts as lists of pairs; numbers with their types."""
    if isinstance(found, Iterator):
        found = list(found)
    if isinstance(found, nx.Graph):
        return list(found.nodes(data=True)), list(found.edges), found.graph
    return (type(found), list(found.items())) if isinstance(found, dict) else found


def types_in(found):
    if isinstance(found, dict):
        return {kind for pair in found.items() for part in pair for kind in types_in(part)}
    if isinstance(found, (list, tuple, set)):
        return {kind for part in found for kind in types_in(part)}
    return {type(found)}


def same(name, G, *args, **kwargs):
    """Ours and NetworkX's result (or error) are the same; ours."""

    def outcome(function, graph):
        try:
            found = function(graph, *args, **kwargs)
            return whole(found), None
        except Exception as error:  # whatever NetworkX raises, we raise
            return (type(error), str(error)), error

    expected, failed = outcome(getattr(nx, name), G)
    found, error = outcome(getattr(backend, name), convert(G))
    if (failed is None) != (error is None):
        raise AssertionError(f"{name}{args} {kwargs}: {found} instead of {expected}") from error
    assert found == expected, f"{name}{args} {kwargs}"
    assert not any(issubclass(kind, np.generic) for kind in types_in(found))
    return found


class Thing:
    """A node that can be hashed but not sorted."""


def names_of(kind, n, rng):
    if kind == "counted":
        return list(range(n))
    if kind == "integers":
        return [v * 3 - 7 for v in rng.sample(range(n), n)]
    if kind == "far":
        return [v * 10**15 for v in rng.sample(range(n), n)]
    mixed = ["a", 1, (2, "b"), frozenset({3}), 2.5, Thing(), Thing(), "1", -4]
    return (mixed + [("v", i) for i in range(n)])[:n] if kind == "mixed" else [f"v{i}" for i in range(n)]


def random_graph(make, names, edges, rng):
    G = make()
    G.add_nodes_from(names)
    for _ in range(edges):
        u, v = rng.choice(names), rng.choice(names)
        G.add_edge(u, v, weight=rng.choice([0, 1, 2.5]))
    for v in rng.sample(names, len(names) // 10):  # so that orders of nodes, of arcs and of arcs back differ
        neighbours = [w for w in names if rng.random() < 0.1]
        G.remove_node(v)
        G.add_node(v)
        G.add_edges_from((w, v) for w in neighbours)
    return G


KINDS = [
    (nx.Graph, "counted", 60, 90),
    (nx.Graph, "mixed", 40, 45),
    (nx.Graph, "strings", 30, 20),
    (nx.DiGraph, "counted", 60, 110),
    (nx.DiGraph, "integers", 50, 90),
    (nx.DiGraph, "mixed", 45, 70),
    (nx.MultiGraph, "far", 40, 80),
    (nx.MultiDiGraph, "strings", 40, 90),
]


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0].__name__}-{kind[1]}")
def graph(request):
    make, kind, n, edges = request.param
    rng = random.Random(n + edges)
    return random_graph(make, names_of(kind, n, rng), edges, rng)


TRAVERSALS = (
    "bfs_edges",
    "bfs_tree",
    "bfs_predecessors",
    "bfs_successors",
    "descendants",
    "ancestors",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "single_source_shortest_path",
)


def test_traversals(on, graph):
    nodes = list(graph)
    for source in nodes[:3]:
        for name in TRAVERSALS:
            same(name, graph, source)
    some = nodes[4]
    for limit in (0, 1, 2, 2.5, -1, float("inf")):
        for name in ("bfs_edges", "bfs_successors", "bfs_predecessors"):
            same(name, graph, some, depth_limit=limit)
        for name in ("single_source_shortest_path_length", "single_source_shortest_path"):
            same(name, graph, some, cutoff=limit)
        same("descendants_at_distance", graph, some, limit)
    same("bfs_edges", graph, some, reverse=True)
    same("bfs_tree", graph, some, reverse=True, depth_limit=2)
    same("bfs_layers", graph, some)
    same("bfs_layers", graph, [nodes[5], nodes[2], nodes[9], nodes[2]])
    same("bfs_layers", graph, [])
    for target in nodes[:6]:
        same("has_path", graph, some, target)
    same("all_pairs_shortest_path_length", graph)
    same("all_pairs_shortest_path_length", graph, cutoff=2)


def test_components(on, graph):
    kinds = ("strongly_", "weakly_") if graph.is_directed() else ("",)
    for kind in kinds:
        same(f"{kind}connected_components", graph)
        same(f"number_{kind}connected_components", graph)
        same(f"is_{kind}connected", graph)
    if graph.is_directed():
        same("condensation", graph)
        parts = list(nx.strongly_connected_components(graph))[::-1]
        same("condensation", graph, parts)
    else:
        for node in list(graph)[:3]:
            same("node_connected_component", graph, node)


def test_triangles(on, graph):
    if graph.is_directed():
        assert "directed" in backend.can_run("clustering", (graph,), {})
        return
    graph.add_edges_from((u, v) for u in list(graph)[:6] for v in list(graph)[3:8])  # loops too
    same("triangles", graph)
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run("clustering", (graph,), {})
        assert "multigraph" in backend.can_run("triangles", (graph, [1]), {})
        return
    nodes = list(graph)
    for name in ("triangles", "clustering"):
        same(name, graph)
        same(name, graph, nodes[0])
        same(name, graph, [nodes[4], nodes[2], "nobody", nodes[4]])
        if not nx.__version__.startswith("3.4"):  # whose word for it is another one
            same(name, graph, 10**9)
    same("triangles", nx.Graph())
    assert "weight" in backend.can_run("clustering", (graph,), {"weight": "weight"})


def test_components_are_given_away(on):
    G = nx.path_graph(4)
    first, *_ = backend.connected_components(convert(G))
    first.clear()
    assert list(backend.connected_components(convert(G))) == [{0, 1, 2, 3}]


def test_pagerank(on, graph):
    nodes = list(graph)
    arguments = [
        {},
        {"alpha": 0.5},
        {"weight": None},
        {"tol": 1e-10, "max_iter": 500},
        {"weight": "absent"},
        {"personalization": {nodes[0]: 1, nodes[3]: 2.5, "no node": 5}},
        {"personalization": {nodes[1]: 1}, "dangling": {nodes[2]: 3}, "nstart": {nodes[0]: 2, nodes[1]: 1}},
    ]
    for given in arguments:
        expected = nx.pagerank(graph, **given)
        found = backend.pagerank(convert(graph, given.get("weight", "weight")), **given)
        assert list(found) == list(expected)
        assert types_in(list(found.values())) == {float}
        assert found == pytest.approx(expected, abs=1e-12)


def test_pagerank_ends_as_networkx_says(on):
    G = nx.barabasi_albert_graph(50, 2, seed=1)
    converted = convert(G)
    for given in ({"max_iter": 3}, {"max_iter": 0}, {"max_iter": -2}, {"tol": 0}, {"tol": float("nan")}):
        with pytest.raises(nx.PowerIterationFailedConvergence):
            backend.pagerank(converted, **given)
    with pytest.raises(ZeroDivisionError):
        backend.pagerank(converted, personalization={0: 0, "nobody": 3})
    with pytest.raises(TypeError):
        backend.pagerank(converted, max_iter=2.5)
    exact = nx.pagerank(G, tol=1e-14, max_iter=1000)
    with pytest.warns(ConvergenceWarning, match="cannot fail"):
        found = backend.pagerank(converted, tol=0.05)
    assert sum(abs(found[v] - exact[v]) for v in G) < STRICT / 0.15
    with warnings.catch_warnings():  # stricter than NetworkX, which need not be told
        warnings.simplefilter("error")
        found = backend.pagerank(converted, tol=0.01)
    assert sum(abs(found[v] - exact[v]) for v in G) < STRICT / 0.15
    # NetworkX's tolerance is met by then, ours is not: a result with a warning
    with pytest.warns(ConvergenceWarning, match="after 4 iterations"):
        backend.pagerank(converted, tol=0.01, max_iter=4)


def test_what_cannot_be_ranked_is_left_to_networkx(on):
    G = nx.path_graph(3, create_using=nx.DiGraph)
    G[0][1]["weight"] = -1
    with pytest.raises(NotImplementedError, match=r"arc 0 -> 1 is -1"):
        backend.pagerank(convert(G, "weight"))
    G[0][1]["weight"] = "heavy"
    with pytest.raises(NotImplementedError, match=r"edge \(0, 1\) has weight 'heavy'"):
        convert(G, "weight")
    for value in (None, float("nan"), float("inf")):
        G[0][1]["weight"] = value
        with pytest.raises(NotImplementedError, match=r"arc 0 -> 1 is (nan|inf)"):
            backend.pagerank(convert(G, "weight"))


def test_can_run_says_why_not():
    G = nx.path_graph(3)
    for given, reason in [
        ({"alpha": 1}, "alpha is 1"),
        ({"alpha": "a"}, "alpha is 'a'"),
        ({"tol": "x"}, "tol"),
        ({"personalization": [1, 2]}, "personalization is a list"),
        ({"beta": 1}, "beta"),
        ({"nstart": {0: -1, 1: 3}}, "node 0 is -1"),
        ({"nstart": {0: "a"}}, "not a number"),
        ({"dangling": {0: 0}}, "dangling is zero"),
    ]:
        assert reason in backend.can_run("pagerank", (G,), given)
    assert backend.can_run("pagerank", (G, 0.5, {0: 1}), {}) is True
    assert "sort_neighbors" in backend.can_run("bfs_edges", (G, 0), {"sort_neighbors": sorted})
    assert "None" in backend.can_run("has_path", (G, None, 1), {})
    assert backend.can_run("bfs_layers", (G, (v for v in [0])), {}) is True
    assert "list" in backend.can_run("bfs_edges", ([[0, 1]], 0), {})
    complement = nx.algorithms.approximation.kcomponents._AntiGraph(G)
    assert "overrides" in backend.can_run("connected_components", (complement,), {})
    with pytest.raises(NotImplementedError, match="overrides"):
        backend.convert_from_nx(complement)
    for attributes in ({"preserve_edge_attrs": True}, {"node_attrs": {"x": None}}, {"edge_attrs": {"w": 0}}):
        with pytest.raises(NotImplementedError):
            backend.convert_from_nx(G, **attributes)


def test_errors_are_networkx_own(on):
    for make in (nx.Graph, nx.DiGraph):
        G = nx.path_graph(4, create_using=make)
        for name in (*TRAVERSALS, "bfs_layers"):
            same(name, G, "missing")
        same("bfs_layers", G, ["missing"])
        same("has_path", G, 0, "missing")
        same("has_path", G, "missing", 0)
        same("descendants_at_distance", G, "missing", 1)
        same("bfs_edges", G, [0])
        with pytest.raises(TypeError):
            list(backend.bfs_edges(convert(G), 0, depth_limit="deep"))
        for distance in (1.5, "far", float("nan"), 10**30):
            same("descendants_at_distance", G, 0, distance)
    same("node_connected_component", nx.path_graph(4), "missing")
    same("condensation", nx.path_graph(4, create_using=nx.DiGraph), [{0, 1}])
    with pytest.raises(NotImplementedError, match="sort_neighbors"):
        list(backend.bfs_edges(convert(G), 0, sort_neighbors=sorted))


def test_a_graph_without_nodes():
    """No device is asked for."""
    for make in (nx.Graph, nx.DiGraph):
        G = make()
        assert backend.pagerank(convert(G)) == {}
        for kind in ("strongly_", "weakly_") if G.is_directed() else ("",):
            for form in ("{}connected_components", "number_{}connected_components", "is_{}connected"):
                same(form.format(kind), G)
    same("condensation", nx.DiGraph())


def test_graphs_without_arcs(on):
    G = nx.empty_graph(3)
    same("connected_components", G)
    same("bfs_successors", G, 1)
    same("all_pairs_shortest_path_length", G)
    assert backend.pagerank(convert(G)) == pytest.approx(nx.pagerank(G))


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
    converted = convert(D)
    D.add_edge(4, 1)
    with pytest.raises(clgraph.InputError, match="changed after it was converted"):
        list(backend.bfs_edges(converted, 3, reverse=True))
    D.remove_node(4)
    D.add_edge(0, 3)
    with pytest.raises(clgraph.InputError, match="changed after it was converted"):
        list(backend.bfs_edges(convert_before(D), 3, reverse=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda G: G.add_edge(0, 30),
        lambda G: G.remove_edge(0, 10),
        lambda G: G.add_edge(30, "new"),
        lambda G: G.remove_edge(0, 10) or G.add_edge(0, "new"),
        lambda G: G.remove_edge(0, 10) or G.add_edge(0, 15),
        lambda G: G.remove_edge(0, 10) or G.add_edge(0, -1),
        lambda G: G.remove_edge(0, 10) or G.add_edge(0, 10**30),
    ],
)
@pytest.mark.parametrize("last", [90, 10**12, "ninety"])
def test_a_graph_that_changed_is_not_read_half_new(on, change, last):
    G = nx.path_graph(range(0, 90, 10), create_using=nx.DiGraph)
    G.add_edge(80, last)
    converted = convert(G)
    change(G)
    for call in (
        lambda: backend.number_strongly_connected_components(converted),
        lambda: list(backend.weakly_connected_components(converted)),
        lambda: list(backend.bfs_edges(converted, 20)),
    ):
        with pytest.raises(clgraph.InputError, match="changed after it was converted"):
            call()


def convert_before(D):
    """Converted, then changed in a way that keeps the nodes."""
    converted = convert(D)
    D.remove_edge(0, 3)
    return converted


@pytest.mark.parametrize("few", [0, 12, 10**9])
def test_order_of_levels_small_and_large(on, few, monkeypatch):
    monkeypatch.setattr(order, "FEW", few)
    rng = random.Random(5)
    G = nx.compose(nx.path_graph(300), nx.gnm_random_graph(400, 700, seed=2))
    nodes = rng.sample(list(G), len(G))
    H = nx.relabel_nodes(G, dict(zip(G, nodes, strict=True)))
    same("bfs_edges", H, 0)
    same("single_source_shortest_path", H, 7)
    same("all_pairs_shortest_path_length", nx.path_graph(70))
    D = random_graph(nx.DiGraph, list(range(200)), 260, rng)
    same("bfs_tree", D, 3)
    same("strongly_connected_components", D)
    same("condensation", D)


def test_back_from_the_backend(on):
    for make in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        G = make([("a", "b"), ("b", "c"), ("c", "c")])
        G.add_edge("a", "b")
        G.add_node("alone")
        G.graph["name"] = "small"
        converted = backend.convert_from_nx(G, preserve_graph_attrs=True)
        assert len(converted) == 4
        assert list(converted) == list(G)
        assert "a" in converted
        assert ["a"] not in converted
        back = backend.convert_to_nx(converted)
        assert type(back) is make
        assert nx.utils.graphs_equal(back, G)
        assert backend.convert_to_nx(3) == 3


def test_only_calls_that_launch_kernels_count(on):
    def counted(name):
        return backend.call_counts().get(name, 0)

    G = convert(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))
    before = counted("condensation"), counted("pagerank"), counted("bfs_edges")
    parts = list(backend.strongly_connected_components(G))
    backend.condensation(G, parts)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        backend.pagerank(G, max_iter=0)
    assert before == (counted("condensation"), counted("pagerank"), counted("bfs_edges"))
    backend.condensation(G)
    backend.pagerank(G)
    list(backend.bfs_edges(G, 0))
    assert (counted("condensation"), counted("pagerank"), counted("bfs_edges")) == tuple(
        b + 1 for b in before
    )


def test_without_a_device(monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", "a device that is not there")
    G = convert(nx.path_graph(3))
    calls = [
        lambda: backend.bfs_edges(G, 0),
        lambda: backend.connected_components(G),
        lambda: backend.pagerank(G),
        lambda: backend.has_path(G, 0, 1),
        lambda: backend.all_pairs_shortest_path_length(G),
    ]
    for call in calls:
        with pytest.raises(clgraph.DeviceError, match="a device that is not there"):
            call()
    with nx.config(fallback_to_nx=True):
        for call in calls:
            with pytest.raises(NotImplementedError, match="clgraph has no device"):
                call()


def test_the_info_lists_what_the_backend_has():
    import inspect

    import _clgraph_networkx

    functions = {name for name in backend.__all__ if hasattr(nx, name)}
    assert functions == set(_clgraph_networkx.FUNCTIONS) == set(_clgraph_networkx.get_info()["functions"])
    assert set(backend.rules.CROSSOVER) | set(backend.rules.EARLY_END) == functions
    for name in functions:  # the same names of arguments, with the same defaults
        ours = inspect.signature(getattr(backend, name))
        theirs = inspect.signature(nx.utils.backends._registered_algorithms[name].orig_func)
        for one, other in zip(ours.parameters.values(), theirs.parameters.values(), strict=True):
            assert (one.name, one.default) == (other.name, other.default)
