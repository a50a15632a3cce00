"""Graphs on a device: uploaded, built from arcs, generated, cut into partitions."""

from clgraph.csr.generate import powerlaw_graph, rmat_graph

__all__ = ["powerlaw_graph", "rmat_graph"]
