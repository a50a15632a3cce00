"""Graphs on the host: the Graph, how it is built, file formats, other libraries. Knows nothing of OpenCL."""

from clgraph.graph.arrays import Edges
from clgraph.graph.building import Duplicates
from clgraph.graph.graph import Graph, as_graph, build_csr

__all__ = ["Duplicates", "Edges", "Graph", "as_graph", "build_csr"]
