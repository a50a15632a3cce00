"""The reference and the verifier of every sampling method, found by the method's name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from clgraph import keyed
from clgraph.arguments import whole, word
from clgraph.graph import Graph, as_graph
from clgraph.reference import chordal, growing, races, reduction, spreading, stream, walks
from clgraph.reference.common import ReferenceSample, check_result


@keyed.takes_rng
def reference_sample(
    graph: Graph,
    method: str = "drv",
    *,
    size: float | int | str,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    mode: str = "exact",
    tolerance: float | None = None,
    connection: str = "weak",
    mix: float | str | Fraction = Fraction(4, 5),
    start: Any = None,
) -> ReferenceSample:
    """Sample by the definition, on the host: slow but obviously right.

    Parameters
    ----------
    graph : Graph
    method : str
        Any of `clgraph.sample`'s.
    size, seed, rng, tolerance, connection, mix, start
        As in `clgraph.sample`.
    mode : {"exact", "batched"}
        "exact" takes one step at a time, and the largest component after each; "batched" follows the schedule
        of batches. Explorations know no modes.

    Returns
    -------
    ReferenceSample
    """
    graph = as_graph(graph)
    word(method, "method", (*reduction.DELETIONS, *reduction.CONTRACTIONS, *reduction.EXPLORATIONS))
    word(mode, "mode", ("exact", "batched"))
    word(connection, "connection", ("weak", "strong"))
    seed = keyed.check_seed(whole(seed, "seed", 0, 2**64 - 1))
    if method in reduction.CONTRACTIONS:
        one_by_one = mode == "exact"
        return reduction.reference_contract(graph, method, sizes=[size], seed=seed, single=one_by_one)[0]
    if method in reduction.EXPLORATIONS:
        return reduction.reference_explore(graph, method, sizes=[size], seed=seed, start=start)[0]
    more: dict[str, Any] = {"tolerance": tolerance, "connection": connection}
    return reduction.reference_deletion(graph, method, size, seed, mode, mix=mix, **more)


def verify_sample(graph: Graph, sample: Any, *, connection: str = "weak") -> None:
    """Check a sample against the definition of its method.

    Deletions and explorations: connected, at most (explorations: exactly) `target` vertices or the untouched
    largest component, the original's vertices and edges, all of the induced edges for drv and explorations.
    Contractions: connected groups that partition the largest component, joined iff an original edge joins
    them. And `sample.graph` is made of exactly that. The samplers of the literature: see `verify_draw`.

    Parameters
    ----------
    graph : Graph
        The original.
    sample : Sample
    connection : {"weak", "strong"}
        What it was sampled with.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1))
    if sample.method in METHODS:
        reduction.verify_parts(graph, sample)
        verify_draw(graph, sample)
        return
    if sample.method in reduction.CONTRACTIONS:
        reduction.verify_contraction(graph, sample)
        return
    reduction.verify_deletion(graph, sample, connection=connection)
    if sample.method in reduction.EXPLORATIONS:
        reduction.verify_exploration(graph, sample)


# --- The references and verifiers of the literature's samplers, found by the method's name ---


# the methods of each module, what draws by them and what checks a draw
KINDS: tuple[tuple[Collection[str], Callable[..., ReferenceSample], Callable[[Graph, Any], None]], ...] = (
    (races.METHODS, races.reference_race, races.verify_race),
    (walks.METHODS, walks.reference_walk, walks.verify_walk),
    (spreading.METHODS, spreading.reference_spread, spreading.verify_spread),
    (chordal.METHODS, chordal.reference_chordal, chordal.verify_chordal),
    (("diffusion", "xsn"), growing.reference_growth, growing.verify_growth),
    (("sp",), growing.reference_paths, growing.verify_paths),
    (("ust",), growing.reference_tree, growing.verify_tree),
    (stream.METHODS, stream.reference_stream, stream.verify_stream),
)
METHODS = {name: (draw, verify) for names, draw, verify in KINDS for name in names}


def reference_draw(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
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
    word(method, "method", tuple(METHODS))
    seed = keyed.check_seed(whole(seed, "seed", 0, 2**64 - 1))
    return METHODS[method][0](graph, method, seed=seed, **options)


def verify_draw(graph: Graph, sample: Any) -> None:
    """Check a sample of the literature's samplers against the definition of its method.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    METHODS[sample.method][1](as_graph(graph), sample)
