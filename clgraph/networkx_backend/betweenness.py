"""Betweenness centrality, as NetworkX gives it."""

from __future__ import annotations

import inspect
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.centrality import betweenness as networkx_own

from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import on_device, with_doubles


def betweenness_centrality(
    G: ConvertedGraph,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """As `networkx.betweenness_centrality` without weights."""
    from clgraph.centrality.betweenness import dependencies

    n = len(G)
    drawn = None if k is None or k == n else nx.utils.create_py_random_state(seed).sample(list(G), k)
    if n == 0:
        return {}
    sources = np.arange(n) if drawn is None else np.unique([G.nodes.find(node) for node in drawn])
    with on_device("betweenness_centrality") as device:
        found = dependencies(
            with_doubles(device), G.rows, sources.astype(np.int32), endpoints=bool(endpoints)
        )
    # NetworkX's own scaling, which is another one in each release
    options: dict[str, Any] = {"normalized": normalized, "directed": G.is_directed(), "endpoints": endpoints}
    if "sampled_nodes" in inspect.signature(networkx_own._rescale).parameters:
        options["sampled_nodes"] = drawn
    else:
        options["k"] = None if drawn is None else k
    values = dict(zip(G.nodes.objects, found.tolist(), strict=True))
    scaled: dict[Any, float] = networkx_own._rescale(values, n, **options)
    return scaled
