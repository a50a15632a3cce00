"""The references and verifiers of the literature's samplers, found by the method's name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from clgraph import keyed
from clgraph.arguments import whole, word
from clgraph.graph import Graph, as_graph
from clgraph.reference import chordal, growing, paths, races, spreading, stream, trees, walks
from clgraph.reference.races import ReferenceDraw

# the methods of each module, what draws by them and what checks a draw
KINDS: tuple[tuple[Collection[str], Callable[..., ReferenceDraw], Callable[[Graph, Any], None]], ...] = (
    (races.METHODS, races.reference_race, races.verify_race),
    (walks.METHODS, walks.reference_walk, walks.verify_walk),
    (spreading.METHODS, spreading.reference_spread, spreading.verify_spread),
    (chordal.METHODS, chordal.reference_chordal, chordal.verify_chordal),
    (growing.METHODS, growing.reference_growth, growing.verify_growth),
    (paths.METHODS, paths.reference_paths, paths.verify_paths),
    (trees.METHODS, trees.reference_tree, trees.verify_tree),
    (stream.METHODS, stream.reference_stream, stream.verify_stream),
)
METHODS = tuple(name for names, _, _ in KINDS for name in names)


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
    graph = as_graph(graph)
    word(method, "method", METHODS)
    seed = keyed.check_seed(whole(seed, "seed", 0, 2**64 - 1))
    draw = next(draw for names, draw, _ in KINDS if method in names)
    return draw(graph, method, seed=seed, **options)


def verify_draw(graph: Graph, sample: Any) -> None:
    """Check a sample of the literature's samplers against the definition of its method.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    verify = next(verify for names, _, verify in KINDS if sample.method in names)
    verify(graph, sample)
