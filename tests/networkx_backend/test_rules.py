"""What the backend says that it can run."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")


from clgraph import networkx_backend as backend  # noqa: E402


@pytest.mark.smoke
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
    for attributes in ({"node_attrs": {"x": None}}, {"edge_attrs": {"w": 0}}):
        with pytest.raises(NotImplementedError):
            backend.convert_from_nx(G, **attributes)


@pytest.mark.smoke
def test_what_is_left_to_networkx_has_a_reason():
    G, M, D = nx.path_graph(3), nx.MultiGraph([(0, 1)]), nx.DiGraph([(0, 1)])
    for name, args, given, reason in [
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
    ]:
        assert reason in backend.can_run(name, args, given), name
        assert backend.can_run(name, (nx.path_graph(3), *args[1:]), {}) is True
    assert "between two nodes" in backend.should_run("shortest_path", (G, 0, 1), {})
    assert "faster below" in backend.should_run("shortest_path_length", (G,), {})
    for name in ("shortest_path", "single_source_dijkstra", "multi_source_dijkstra", "shortest_path_length"):
        sources = [0] if "multi" in name else 0
        assert "between two nodes" in backend.should_run(name, (G, sources, 1), {"weight": "w"})
    assert "single_source_dijkstra_path on" in backend.should_run("shortest_path", (G, 0), {"weight": "w"})
    ford = {"weight": "w", "method": "bellman-ford"}
    assert "their order" in backend.should_run("shortest_path_length", (G, 0), ford)


@pytest.mark.smoke
def test_the_info_lists_what_the_backend_has():
    import inspect

    import _clgraph_networkx

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
    G, taken = nx.path_graph(3), set()
    for name in functions:  # the same names of arguments, with the same defaults
        ours = inspect.signature(getattr(backend, name)).parameters
        theirs = inspect.signature(known[name].orig_func).parameters
        same = [(each.name, each.default) for each in theirs.values() if each.name in ours]
        assert same == [(each.name, each.default) for each in ours.values() if each.name in theirs]
        taken |= {(name, argument) for argument in ours.keys() - theirs.keys()}
        for argument in theirs.keys() - ours.keys():  # newer than the backend: NetworkX takes the call
            assert f"'{argument}'" in backend.can_run(name, (G,), {argument: 1})
    leiden = {("leiden_communities", "metric"), ("leiden_communities", "theta")}
    assert taken <= {("hits", "method"), ("closeness_centrality", "sp")} | leiden  # of NetworkX 3.7
