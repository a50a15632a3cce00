"""Core numbers and cores, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from clgraph.networkx_backend.converted import ConvertedGraph, convert_to_nx
from clgraph.networkx_backend.running import on_device

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)


def core_number(G: ConvertedGraph) -> dict[Any, int]:
    """As `networkx.core_number`."""
    return _numbers("core_number", G)


def k_core(G: ConvertedGraph, k: Any = None, core_number: Mapping[Any, Any] | None = None) -> Any:
    """As `networkx.k_core`: a NetworkX graph, with the attributes of the nodes and edges that are left."""
    core = _numbers("k_core", G) if core_number is None else core_number
    if k is None:
        k = max(core.values())
    whole = convert_to_nx(G) if G.original is None else G.original
    return whole.subgraph(node for node in core if core[node] >= k).copy()


def _numbers(name: str, G: ConvertedGraph) -> dict[Any, int]:
    from clgraph.measures.cores import core_numbers

    rows = G.rows
    if np.any(rows.rows == rows.col_idx):
        raise nx.NetworkXNotImplemented(LOOPS)
    if len(G) == 0:
        return {}
    with on_device(name) as device:
        core = core_numbers(G.ascending, device)
    return dict(zip(G.nodes.objects, core.tolist(), strict=True))
