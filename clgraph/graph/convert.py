"""Convert graphs of other libraries where a Graph is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clgraph.errors import InputError
from clgraph.graph.graph import Graph

# by the first part of the name of the class's module: the library itself need not be imported
_CONVERTERS: dict[str, Callable[[Any], Graph]] = {
    "networkx": lambda graph: Graph.from_networkx(graph),
    "igraph": lambda graph: Graph.from_igraph(graph),
    "pandas": lambda table: Graph.from_pandas(table),
    "pyarrow": lambda table: Graph.from_arrow(table),
}


def as_graph(graph: Any) -> Graph:
    """Return a Graph as it is; convert a graph of another library.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow table
        A SciPy array has a symmetric pattern and is an undirected graph without weights. A table has a row
        for each edge, in columns ``source`` and ``target``, and is undirected. `Graph.from_scipy`,
        `from_networkx`, `from_igraph`, `from_pandas`, `from_arrow` take over the same in other ways.

    Raises
    ------
    InputError
        If it is none of these, or cannot be taken over, as a SciPy array that is not symmetric: whether it
        is directed can be said to `Graph.from_scipy` only.
    """
    if isinstance(graph, Graph):
        return graph
    if why := getattr(type(graph), "no_graph", None):  # a dataset: of a class that this floor does not know
        raise InputError(why)
    if hasattr(graph, "tocsr"):
        from clgraph.graph.exchange.scipy import from_symmetric

        return Graph._from_arrays(from_symmetric(graph))
    for kind in type(graph).__mro__:
        convert = _CONVERTERS.get(kind.__module__.partition(".")[0])
        if convert is not None:
            return convert(graph)
    name = _type_of(graph)
    # a sample, or a graph with its communities: of classes that this floor does not know
    has_one = name.startswith("clgraph.") and "graph" in dir(graph)
    raise InputError(
        "a Graph is needed, or a SciPy sparse array, a NetworkX or igraph graph, or an edge table of pandas "
        f"or Arrow, not {name}" + (": pass its graph, as sample.graph" if has_one else "")
    )


def _type_of(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
