"""Rules for calls that the backend can and should run; NetworkX asks before it converts a graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from _clgraph_networkx import BY_NAME, NEVER
from clgraph.errors import InputError
from clgraph.networkx_backend import centrality, communities, components, paths, traversal
from clgraph.networkx_backend.converted import ConvertedGraph, unreadable
from clgraph.networkx_backend.running import RELEASE, takes_device

NUMBERS = ("eigenvector_centrality", "hits", "katz_centrality", "pagerank")
# their crossovers are those of the functions that they come down to
ENDS = ("shortest_path", "shortest_path_length")
PATHS = {name for name in BY_NAME if "dijkstra" in name or "bellman_ford" in name}
PATHS |= {*ENDS, "average_shortest_path_length"}
COMMUNITIES = ("leiden_communities", "louvain_communities")


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The backend's function of that name, which also takes ``device``."""
    known = (
        vars(traversal)
        | vars(paths)
        | vars(centrality)
        | vars(communities)
        | vars(components)
        | components.FUNCTIONS
    )
    return takes_device(known[name])


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(function_of(name))


def _bound(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """The arguments of NetworkX's function: without ``device``, which is the backend's own."""
    return _signature(name).bind(*args, **{key: kwargs[key] for key in kwargs if key != "device"})


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """True if the backend can run a function with these arguments; if not, why not.

    What depends on the graph's data (weights that are not numbers, say) is found when it is converted, and
    reported by a NotImplementedError.
    """
    try:
        given = _bound(name, args, kwargs)
    except TypeError as error:
        return f"the arguments are not those of {name}: {error}"
    given.apply_defaults()
    values = given.arguments
    graph = values["G"]
    if reason := unreadable(graph):
        return f"clgraph cannot convert this graph: {reason}"
    if values.get("sort_neighbors") is not None:
        return "sort_neighbors is given: a Python function that no device can call"
    return _left_to_networkx(name, values, graph) or True


def _left_to_networkx(name: str, values: dict[str, Any], graph: Any) -> str | None:
    """Reason for leaving these arguments to NetworkX, or None."""
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
    if name in NUMBERS:
        return _unusable(name, values, graph)
    if name == "has_path" and (values["source"] is None or values["target"] is None):
        return "source or target is None, which to NetworkX means all nodes"
    if name == "average_shortest_path_length" and values["method"] not in (None, "unweighted", "dijkstra"):
        return f"method {values['method']!r}, which adds lengths up in another order"
    if name in PATHS and (reason := _other_paths(values)):
        return reason
    if name in ENDS:
        if values["method"] not in ("dijkstra", "bellman-ford"):
            return f"method {values['method']!r}, which NetworkX refuses"
        if values["source"] is values["target"] is None and RELEASE < (3, 5):
            return "source and target are None, which NetworkX 3.4 makes a dict of"
    if name in COMMUNITIES:
        return _other_communities(values)
    if name == "degree_assortativity_coefficient" and (
        values["nodes"] is not None or not {values["x"], values["y"]} <= {"in", "out"}
    ):
        return "degree_assortativity_coefficient of some nodes, or of other degrees than in and out"
    return None


def _other_paths(values: dict[str, Any]) -> str | None:
    """Reason for leaving paths by weight to NetworkX: an argument of another kind; or None."""
    if callable(values.get("weight")):
        return "weight is a Python function that no device can call"
    cutoff = values.get("cutoff")
    if cutoff is not None and not (isinstance(cutoff, (int, float)) and cutoff >= 0):
        return f"cutoff is {cutoff!r}: clgraph takes numbers from 0 on"
    if "sources" in values and not isinstance(values["sources"], Collection):
        return f"sources are a {type(values['sources']).__name__}: clgraph takes collections of nodes"
    return None


def _other_communities(values: dict[str, Any]) -> str | None:
    """Reason for leaving communities to NetworkX: an end of the search that is its own; or None."""
    from clgraph.communities.multilevel import check_resolution

    if values["max_level"] is not None:
        return f"max_level is {values['max_level']!r}: clgraph goes on while it gains"
    if values.get("threshold", communities.THRESHOLD) != communities.THRESHOLD:
        return f"threshold is {values['threshold']!r}: clgraph ends by a rule of its own"
    if values.get("metric", "modularity") != "modularity":
        return f"metric is {values['metric']!r}: clgraph looks for a large modularity"
    if values.get("theta", communities.THETA) != communities.THETA:
        return f"theta is {values['theta']!r}: clgraph refines by a rule of its own"
    try:
        check_resolution(values["resolution"])
    except InputError as error:
        return str(error)
    return None


def _unusable(name: str, values: dict[str, Any], graph: Any) -> str | None:
    """Reason for leaving a call to NetworkX: a number, or a mapping of nodes to numbers; or None."""
    numbers, ranks = (int, float, np.integer, np.floating), name == "pagerank"
    for key in ("alpha", "tol"):
        if key in values and not (isinstance(values[key], numbers) and np.isfinite(values[key])):
            return f"{key} is {values[key]!r}: not a finite number"
    if ranks and not 0 <= values["alpha"] < 1:
        return f"alpha is {values['alpha']!r}: clgraph takes numbers of at least 0 and below 1"
    if name == "hits" and values["method"] not in ("power_iteration", "svd"):
        return f"method {values['method']!r}, which NetworkX refuses"
    if not ranks and not isinstance(values["max_iter"], (int, np.integer)):
        return f"max_iter is {values['max_iter']!r}: not a whole number"
    if name == "hits" and len(graph) and (len(graph) == 1 or not _has_arcs(graph)):
        return "hits of a graph without edges, or of one node, which NetworkX has no answer for"
    for key in ("personalization", "nstart", "dangling", "beta"):
        given = values.get(key)
        if given is None or (key == "beta" and isinstance(given, numbers)):
            continue
        if not isinstance(given, Mapping):
            return f"{key} is a {type(given).__name__}: clgraph takes mappings of nodes to numbers"
        kind = "a number that is finite and at least 0" if ranks else "a finite number"
        for node, value in given.items():
            if not _is_finite(value, ranks) or (ranks and value < 0):
                return f"{key} of node {node!r} is {value!r}, not {kind}"
        if ranks:
            # a personalization that is zero everywhere is a ZeroDivisionError in NetworkX, and here
            zero = not any(v > 0 and node in graph for node, v in given.items())
            if zero and key != "personalization":
                return f"{key} is zero on every node: NetworkX divides by the sum"
        elif key == "nstart":
            if len(given) != len(graph) or not all(node in graph for node in given):
                return f"{key} has not one number for each node"
            by_sum = values.get("method") == "power_iteration"
            # NetworkX itself refuses a start of zeros for eigenvectors
            by_sum |= name == "eigenvector_centrality" and any(given.values())
            if by_sum and not sum(given.values()):
                return "nstart sums up to 0, by which NetworkX divides"
    return None


def _is_finite(value: Any, convert: bool) -> bool:
    """True for finite numbers; `convert`: also for what becomes one, as in NetworkX's PageRank."""
    if not convert and not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return bool(np.isfinite(np.fromiter([value], np.float64)[0]))
    except (TypeError, ValueError, OverflowError):
        return False


def _has_arcs(graph: Any) -> bool:
    return bool(graph.num_arcs) if isinstance(graph, ConvertedGraph) else any(map(len, graph.adj.values()))


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """True if the backend is faster than NetworkX itself; if not, why not.

    NetworkX asks where it chooses by ``backend_priority``, not where a call names the backend.
    """
    if BY_NAME[name].early_end:
        return f"{name}: NetworkX's own search mostly ends after a few vertices"
    if BY_NAME[name].named or (name == "leiden_communities" and communities.LEIDEN_IN_NETWORKX):
        return f"{name}: clgraph's results, or their order, are not those of NetworkX"
    values = _bound(name, args, kwargs).arguments
    graph = values["G"]
    two_ends = values.get("target") is not None and {"source", "sources"} & values.keys()
    if name in (*ENDS, "single_source_dijkstra", "multi_source_dijkstra") and two_ends:
        return f"{name} between two nodes: NetworkX's own search mostly ends after a few vertices"
    if name in ENDS:
        by_weight = values.get("weight") is not None
        if by_weight and values.get("method") == "bellman-ford":
            return f"{name} by Bellman and Ford: clgraph's results, or their order, are not those of NetworkX"
        end = next((end for end in ("source", "target") if values.get(end) is not None), None)
        if by_weight:
            pairs = "all_pairs" if end is None else "single_source"
            name = f"{pairs}_dijkstra_path{'_length' if name == 'shortest_path_length' else ''}"
        elif name == "shortest_path":
            name = "single_source_shortest_path"  # from all nodes it is called for one after the other
        else:
            name = f"single_{end}_shortest_path_length" if end else "all_pairs_shortest_path_length"
    converted = _cached(graph)
    needed = BY_NAME[name].first if converted is None else BY_NAME[name].cached
    state = "to be converted" if converted is None else "converted already"
    if needed == NEVER:
        return f"{name} on a graph {state}: NetworkX itself is faster"
    arcs = sum(map(len, graph._adj.values())) if converted is None else converted.num_arcs
    if arcs >= needed:
        return True
    return f"{name} on a graph {state} of {arcs} arcs: NetworkX itself is faster below {needed:g}"


def _cached(graph: Any) -> ConvertedGraph | None:
    """A converted graph that NetworkX has in its cache."""
    if isinstance(graph, ConvertedGraph):
        return graph
    if not nx.config.cache_converted_graphs:
        return None
    cached = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("clgraph", {})
    return next((made for made in list(cached.values()) if isinstance(made, ConvertedGraph)), None)
