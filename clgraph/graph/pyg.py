"""Graphs of PyTorch Geometric (PyG), which shares the memory of their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.graph import Graph, as_graph
from clgraph.graph.attributes import Attributes, Column, free_names
from clgraph.graph.exchange.common import library

# names of `Data` that have a meaning of their own: attributes called so get an underscore
OWN = (
    "edge_index",
    "edge_weight",
    "multiplicity",
    "num_nodes",
    "ids",
    "x",
    "y",
    "pos",
    "time",
    "batch",
    "ptr",
)


def tensors(**arrays: Any) -> dict[str, Any]:
    """Arrays as tensors on the CPU, which share their memory; what is None is left out."""
    torch = library("torch", "pyg")
    return {name: torch.from_numpy(each) for name, each in arrays.items() if each is not None}


def data_of(**fields: Any) -> Any:
    """Return a ``torch_geometric.data.Data``."""
    return library("torch_geometric.data", "pyg").Data(**fields)


def to_pyg_data(graph: Any) -> Any:
    """Return a graph as a ``torch_geometric.data.Data`` on the CPU.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table

    Returns
    -------
    torch_geometric.data.Data
        With ``edge_index`` (both directions of an undirected edge, in the order of `Graph.to_edge_index`),
        ``num_nodes``, ``edge_weight`` (float64) and ``multiplicity`` where the graph has them, and ``ids`` (a
        tensor, or a list of strings) unless they are 0 .. n-1. Attributes of vertices and edges follow under
        their names: numbers as float64 (nan where there is none), others as lists. One that has a name of
        these, or that PyG uses itself, gets an underscore behind it.

    Raises
    ------
    InputError
        If it is no graph. If PyTorch or PyG is not installed (extra ``pyg``).

    Examples
    --------
    >>> import clgraph
    >>> import torch_geometric
    >>> clgraph.to_pyg_data(clgraph.Graph.from_edges([0, 1], [1, 2]))
    Data(edge_index=[2, 4], num_nodes=3)
    """
    given = as_graph(graph)
    edges, ids = given.to_edge_index(), given._ids
    fields = tensors(
        edge_index=edges.edge_index, edge_weight=edges.weights, multiplicity=edges.multiplicity
    ) | {"num_nodes": given.num_vertices}
    if ids is not None:
        fields["ids"] = ids.tolist() if ids.dtype == object else tensors(ids=np.array(ids))["ids"]
    known = given.attributes
    return data_of(**fields, **({} if known is None else _attributes(given, known)))


def _attributes(graph: Graph, known: Attributes) -> dict[str, Any]:
    """Attributes by name, each with a value for each vertex or arc; those of vertices keep their names."""
    ids = graph.ids
    tails, heads = ids[graph.tails].tolist(), ids[graph.col_idx].tolist()
    vertices = free_names(known.vertices, OWN)
    edges = free_names(known.edges, (*OWN, *vertices))
    columns: dict[str, tuple[Column, list[Any]]] = {
        **{name: (each, [each.value(v) for v in ids.tolist()]) for name, each in vertices.items()},
        **{name: (each, each.edge_values(tails, heads, graph.directed)) for name, each in edges.items()},
    }
    return {name: _column(column, values) for name, (column, values) in columns.items()}


def _column(column: Column, values: list[Any]) -> Any:
    if column.kind == "string" or any(isinstance(each, str) for each in values):
        return values
    numbers = np.array([np.nan if each is None else float(each) for each in values])
    return tensors(column=numbers)["column"]
