"""Graphs, names and comparisons for the tests of the NetworkX backend."""

from collections.abc import Iterator

import numpy as np
import pytest

nx = pytest.importorskip("networkx")

from clgraph import networkx_backend as backend  # noqa: E402


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


def close(name, G, *args, attribute=None, rel=None, abs=1e-8, **kwargs):
    """Ours and NetworkX's values are near, floats of the same nodes (or edges) in the same order."""
    expected = getattr(nx, name)(G, *args, **kwargs)
    found = getattr(backend, name)(convert(G, attribute), *args, **kwargs)
    for one, other in zip(found, expected, strict=True) if name == "hits" else [(found, expected)]:
        assert list(one) == list(other)
        assert one == pytest.approx(other, rel=rel, abs=abs, nan_ok=True)
        assert {type(value) for value in one.values()} == {float}


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
