"""A quick test of one device: every algorithm on small graphs, compared with its reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from clgraph.components import connected_components
from clgraph.csr.generate import powerlaw_graph
from clgraph.errors import ClgraphError
from clgraph.graph import Graph
from clgraph.ranking import Variant, pagerank
from clgraph.ranking.personalized import Method, personalized_pagerank
from clgraph.reference import reference_sample, verify_bfs, verify_components, verify_sample
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank
from clgraph.reference.ppr import verify_ppr
from clgraph.sampling import sample
from clgraph.sampling.options import EXACT, METHODS
from clgraph.traversal import bfs

if TYPE_CHECKING:
    from clgraph.device import Device


def selftest(device: Device) -> Iterator[tuple[str, str | None, float]]:
    """Run every check.

    Yields
    ------
    name : str
    fault : str or None
        What is wrong; None if nothing is.
    seconds : float
    """
    for name, check in _checks(device):
        started = perf_counter()
        try:
            check()
            wrong = None
        except (AssertionError, ClgraphError) as error:
            wrong = str(error) or type(error).__name__
        yield name, wrong, perf_counter() - started


def _checks(device: Device) -> Iterator[tuple[str, Callable[[], None]]]:
    powerlaw = powerlaw_graph(400, average_degree=4, seed=5)
    long_path = Graph.from_edges(np.arange(299), np.arange(1, 300))
    rng = np.random.default_rng(11)
    arcs = Graph.from_edges(rng.integers(0, 200, 500), rng.integers(0, 200, 500), directed=True)
    for method in METHODS:
        yield f"sample {method}, power-law graph", partial(_sample, powerlaw, method, device)
    yield "sample drve, directed graph", partial(_sample, arcs, "drve", device)
    for name, graph in (("power-law graph", powerlaw), ("path", long_path), ("directed graph", arcs)):
        yield f"bfs, {name}", partial(_bfs, graph, device)
        yield f"components, {name}", partial(_components, graph, "weak", device)
    yield "strong components, directed graph", partial(_components, arcs, "strong", device)
    for variant in get_args(Variant):
        yield f"pagerank {variant}, directed graph", partial(_pagerank, arcs, variant, device)
    yield "pagerank auto, power-law graph", partial(_pagerank, powerlaw, "auto", device)
    for method in get_args(Method):
        yield f"personalized pagerank {method}, directed graph", partial(_ppr, arcs, method, device)


def _bfs(graph: Graph, device: Device) -> None:
    verify_bfs(graph, bfs(graph, graph.ids[0], device=device))


def _components(graph: Graph, connection: Literal["weak", "strong"], device: Device) -> None:
    verify_components(graph, connected_components(graph, connection=connection, device=device))


def _pagerank(graph: Graph, variant: Variant, device: Device) -> None:
    found = pagerank(graph, variant=variant, tol=1e-5, device=device)
    verify_pagerank(graph, found)
    expected = reference_pagerank(graph, iterations=found.iterations)
    away = float(np.abs(found.ranks - expected).sum())
    if away > 1e-6:
        raise AssertionError(f"{away:.3g} (L1) away from the reference")


def _ppr(graph: Graph, method: Method, device: Device) -> None:
    sources = graph.ids[:9].tolist()
    walks: dict[str, Any] = {"walks": 5000, "seed": 4} if method == "monte-carlo" else {}
    for top in (None, 7):
        found = personalized_pagerank(graph, sources, method=method, top=top, device=device, **walks)
        verify_ppr(graph, found, sources)


def _sample(graph: Graph, method: str, device: Device) -> None:
    modes: tuple[Literal["exact", "batched"], ...] = ("exact", "batched") if method in EXACT else ("batched",)
    ways: tuple[Literal["afforest", "bfs"], ...] = ("afforest", "bfs")
    for mode, components in product(modes, ways):
        expected = reference_sample(graph, method, size="50%", seed=3, mode=mode)
        made = sample(graph, method, size="50%", seed=3, device=device, mode=mode, components=components)
        verify_sample(graph, made)
        if not (
            np.array_equal(made.vertices, expected.vertices) and np.array_equal(made.edges, expected.edges)
        ):
            raise AssertionError(f"differs from the reference ({mode}, {components})")
