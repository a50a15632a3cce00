"""Graphs on a device: uploaded, built from arcs, generated, cut into partitions."""

from clgraph.csr.generate import (
    barabasi_albert_graph,
    erdos_renyi_graph,
    powerlaw_graph,
    rmat_graph,
    static_model_graph,
    watts_strogatz_graph,
)
from clgraph.csr.generate_stubs import Communities, configuration_graph, lfr_graph

__all__ = [
    "Communities",
    "barabasi_albert_graph",
    "configuration_graph",
    "erdos_renyi_graph",
    "lfr_graph",
    "powerlaw_graph",
    "rmat_graph",
    "static_model_graph",
    "watts_strogatz_graph",
]
