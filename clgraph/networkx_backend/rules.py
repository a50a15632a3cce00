"""What the backend can run, and what it should: NetworkX asks before it converts a graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import networkx as nx

from _clgraph_networkx import BY_NAME, NEVER
from clgraph.networkx_backend import centrality, cluster, components, link_analysis, paths, traversal
from clgraph.networkx_backend.converted import ConvertedGraph, unreadable
from clgraph.networkx_backend.running import RELEASE

MATRIX = ("eigenvector_centrality", "hits", "katz_centrality")
# their crossovers are those of the functions that they come down to
ENDS = ("shortest_path", "shortest_path_length")


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The backend's function of that name."""
    modules = (traversal, paths, components, link_analysis, cluster, centrality)
    found: Callable[..., Any] = next(vars(module)[name] for module in modules if name in vars(module))
    return found


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(function_of(name))


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether the backend can run a function with these arguments; if not, why not.

    What depends on the graph's data (weights that are not numbers, say) is found when it is converted, and
    reported by a NotImplementedError.
    """
    try:
        given = _signature(name).bind(*args, **kwargs)
    except TypeError as error:
        return f"the arguments are not those of {name}: {error}"
    given.apply_defaults()
    values = given.arguments
    graph = values["G"]
    if reason := unreadable(graph):
        return f"clgraph cannot convert this graph: {reason}"
    if values.get("sort_neighbors") is not None:
        return "sort_neighbors is given: a Python function that no device can call"
    if name == "pagerank":
        names = ("alpha", "personalization", "tol", "nstart", "dangling")
        return link_analysis.unusable({name: values[name] for name in names}, graph) or True
    return _left_to_networkx(name, values, graph) or True


def _left_to_networkx(name: str, values: dict[str, Any], graph: Any) -> str | None:
    """Why these arguments are left to NetworkX; None if they are not."""
    about = BY_NAME[name]
    if not about.weights:
        for key in ("weight", "distance"):
            if values.get(key) is not None:
                return f"{name} with {key}={values[key]!r}: clgraph's is without weights"
    if values.get("sp") is not None:
        return "sp is given: there is nothing left to search for"
    if not about.directed and graph.is_directed():
        return f"{name} of a directed graph"
    some_triangles = name == "triangles" and values["nodes"] is not None
    if graph.is_multigraph() and (some_triangles or not about.multigraphs):
        return f"{name} of (nodes of) a multigraph, which NetworkX refuses"
    if name in MATRIX:
        return centrality.unusable(name, values, graph)
    if name == "has_path" and (values["source"] is None or values["target"] is None):
        return "source or target is None, which to NetworkX means all nodes"
    if name == "average_shortest_path_length" and values["method"] not in (None, "unweighted"):
        return f"method {values['method']!r}, which NetworkX has several of for weights"
    if name in ENDS:
        if values["method"] not in ("dijkstra", "bellman-ford"):
            return f"method {values['method']!r}, which NetworkX refuses"
        if values["source"] is values["target"] is None and RELEASE < (3, 5):
            return "source and target are None, which NetworkX 3.4 makes a dict of"
    if name == "degree_assortativity_coefficient" and (
        values["nodes"] is not None or not {values["x"], values["y"]} <= {"in", "out"}
    ):
        return "degree_assortativity_coefficient of some nodes, or of other degrees than in and out"
    return None


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether the backend is faster than NetworkX itself; if not, why not.

    NetworkX asks where it chooses by ``backend_priority``, not where a call names the backend.
    """
    if BY_NAME[name].early_end:
        return f"{name}: NetworkX's own search mostly ends after a few vertices"
    values = _signature(name).bind(*args, **kwargs).arguments
    graph = values["G"]
    if name in ENDS:
        ends = [end for end in ("source", "target") if values.get(end) is not None]
        if len(ends) == 2:
            return f"{name} between two nodes: NetworkX's own search mostly ends after a few vertices"
        if name == "shortest_path":
            name = "single_source_shortest_path"  # from all nodes it is called for one after the other
        else:
            name = f"single_{ends[0]}_shortest_path_length" if ends else "all_pairs_shortest_path_length"
    kept = _cached(graph)
    needed = BY_NAME[name].first if kept is None else BY_NAME[name].cached
    state = "to be converted" if kept is None else "converted already"
    if needed == NEVER:
        return f"{name} on a graph {state}: NetworkX itself is faster"
    arcs = sum(map(len, graph._adj.values())) if kept is None else kept.num_arcs
    if arcs >= needed:
        return True
    return f"{name} on a graph {state} of {arcs} arcs: NetworkX itself is faster below {needed:g}"


def _cached(graph: Any) -> ConvertedGraph | None:
    """A converted graph that NetworkX has in its cache."""
    if isinstance(graph, ConvertedGraph):
        return graph
    if not nx.config.cache_converted_graphs:
        return None
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("clgraph", {})
    return next((made for made in list(kept.values()) if isinstance(made, ConvertedGraph)), None)
