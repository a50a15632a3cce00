"""Graphs on the host: the Graph, building it, exchange with other libraries, files. Knows nothing of OpenCL."""

from clgraph.graph.building import Duplicates
from clgraph.graph.graph import Edges, Graph, as_graph, build_csr

__all__ = ["Duplicates", "Edges", "Graph", "as_graph", "build_csr"]
