"""PageRank, as NetworkX gives it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.errors import ConvergenceWarning, InputError
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import on_device

STRICT = 1e-3  # the L1 difference of two iterates must fall below this, whatever the size of the graph
FARTHEST = 2.0  # the largest L1 difference of two distributions: a tolerance above it tests nothing


def pagerank(
    G: ConvertedGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, Any] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, Any] | None = None,
    weight: Any = "weight",
    dangling: Mapping[Any, Any] | None = None,
) -> dict[Any, float]:
    """Like `networkx.pagerank`, to a tolerance of min(N * tol, 1e-3)."""
    n = len(G)
    if n == 0:
        return {}
    vectors = {
        name: None if given is None else _vector(G, given)
        for name, given in (("personalization", personalization), ("nstart", nstart), ("dangling", dangling))
    }
    if vectors["personalization"] is not None and not vectors["personalization"].any():
        raise ZeroDivisionError("personalization is zero everywhere")
    range(max_iter)  # a TypeError unless it is a whole number, as in NetworkX
    own = n * tol  # NetworkX's own test
    if max_iter < 1 or not own > 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if own >= FARTHEST:
        warnings.warn(
            f"NetworkX's tolerance N * tol = {own:.3g} cannot fail: two distributions never differ by more "
            f"than {FARTHEST:g}. clgraph stops below {STRICT:g}; a tol below {STRICT / n:.1g} overrides that",
            ConvergenceWarning,
            stacklevel=2,
        )
    from clgraph.ranking import pagerank as rank

    with on_device("pagerank") as device:
        try:
            found = rank(
                G.weighted(weight),
                damping=alpha,
                # N * tol grows with the graph: at the default tol, any vector of two million nodes meets it
                tol=min(own, STRICT),
                norm="l1",
                max_iter=max_iter,
                personalization=vectors["personalization"],
                nstart=vectors["nstart"],
                dangling="personalization" if vectors["dangling"] is None else vectors["dangling"],
                weight=weight is not None,
                on_nonconvergence="return",
                device=device,
                dtype="float64" if "HAVE_FP64" in device.features else "float32",
            )
        except InputError as error:  # a negative weight, say: NetworkX may know what to do
            raise NotImplementedError(f"clgraph cannot rank this graph: {error}") from error
    if not found.converged:
        if not found.residual < own:
            raise nx.PowerIterationFailedConvergence(max_iter)
        warnings.warn(
            f"after {max_iter} iterations the ranks differ by {found.residual:.3g} from the ones before: "
            f"below NetworkX's N * tol = {own:.3g}, not yet below {STRICT:g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return G.by_node(found.ranks)


def _vector(G: ConvertedGraph, given: Mapping[Any, Any]) -> npt.NDArray[np.float64]:
    """Values of nodes in their order: 0 for nodes that are missing; other keys are ignored."""
    values = np.zeros(len(G))
    for node, value in given.items():
        place = G.nodes.find(node)
        if place is not None:
            values[place] = value
    return values
