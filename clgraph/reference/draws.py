"""The references and verifiers of the literature's samplers, found by the method's name."""

from __future__ import annotations

from typing import Any

from clgraph import keyed
from clgraph.arguments import whole, word
from clgraph.graph import Graph, check_graph_type
from clgraph.reference import chordal, growing, paths, races, spreading, stream, trees, walks
from clgraph.reference.races import ReferenceDraw

METHODS = tuple(
    name
    for each in (races, walks, spreading, chordal, growing, paths, trees, stream)
    for name in each.METHODS
)


def reference_draw(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceDraw:
    """Draw by a sampler of the literature, on the host: slow and obviously right.

    Parameters
    ----------
    graph : Graph
    method : str
        Its short name.
    seed : int
    **options
        As in `clgraph.sample`.
    """
    check_graph_type(graph)
    word(method, "method", METHODS)
    seed = keyed.check_seed(whole(seed, "seed", 0, 2**64 - 1))
    if method in walks.METHODS:
        return walks.reference_walk(graph, method, seed=seed, **options)
    if method in growing.METHODS:
        return growing.reference_growth(graph, method, seed=seed, **options)
    if method in paths.METHODS:
        return paths.reference_paths(graph, method, seed=seed, **options)
    if method in trees.METHODS:
        return trees.reference_tree(graph, method, seed=seed, **options)
    if method in stream.METHODS:
        return stream.reference_stream(graph, method, seed=seed, **options)
    if method in chordal.METHODS:
        return chordal.reference_chordal(graph, method, seed=seed, **options)
    if method in spreading.METHODS:
        return spreading.reference_spread(graph, method, seed=seed, **options)
    return races.reference_race(graph, method, seed=seed, **options)


def verify_draw(graph: Graph, sample: Any) -> None:
    """Check a sample of the literature's samplers against the definition of its method.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    check_graph_type(graph)
    if sample.method in growing.METHODS:
        growing.verify_growth(graph, sample)
        return
    if sample.method in paths.METHODS:
        paths.verify_paths(graph, sample)
        return
    if sample.method in trees.METHODS:
        trees.verify_tree(graph, sample)
        return
    if sample.method in walks.METHODS:
        walks.verify_walk(graph, sample)
        return
    if sample.method in stream.METHODS:
        stream.verify_stream(graph, sample)
        return
    if sample.method in chordal.METHODS:
        chordal.verify_chordal(graph, sample)
        return
    if sample.method in spreading.METHODS:
        spreading.verify_spread(graph, sample)
        return
    races.verify_race(graph, sample)
