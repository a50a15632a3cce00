"""Degrees of neighbours, as NetworkX gives them."""

from __future__ import annotations

from typing import Any, cast

import networkx as nx

from clgraph.networkx_backend.cluster import of_nodes
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import on_device

WORDS = ("in", "out", "in+out")


def degree_assortativity_coefficient(
    G: ConvertedGraph, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> float:
    """As `networkx.degree_assortativity_coefficient` of all nodes, without weights."""
    from clgraph.centrality import degree_assortativity_coefficient as coefficient

    with on_device("degree_assortativity_coefficient") as device:
        return coefficient(G.rows, x=x, y=y, device=device)


def average_neighbor_degree(
    G: ConvertedGraph, source: Any = "out", target: Any = "out", nodes: Any = None, weight: Any = None
) -> dict[Any, float]:
    """As `networkx.average_neighbor_degree` without weights."""
    from clgraph.centrality.neighbours import Direction, degrees_of, sums_over_neighbours

    if not G.is_directed():
        if (source, target) != ("out", "out"):
            raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    else:
        for role, word in (("source", source), ("target", target)):
            if word not in WORDS:
                raise nx.NetworkXError(f"{role} argument {word} must be 'in', 'out' or 'in+out'")
    with on_device("average_neighbor_degree") as device:
        degrees = degrees_of(G.rows, cast(Direction, target))
        sums = sums_over_neighbours(device, G.rows, degrees, cast(Direction, source))
        own = degrees_of(G.rows, cast(Direction, source))
    values = [
        total / degree if degree else 0.0 for total, degree in zip(sums.tolist(), own.tolist(), strict=True)
    ]
    found: dict[Any, float] = of_nodes(G, nodes, values)
    return found
