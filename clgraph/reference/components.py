"""Connected components on the host: the reference, and the verifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from clgraph.arguments import word
from clgraph.graph import as_graph
from clgraph.reference.checks import arc_slices, check_result

if TYPE_CHECKING:
    from clgraph.components import Components
    from clgraph.components.finder import Connection
    from clgraph.graph import Graph


def reference_components(
    graph: Graph, *, connection: Connection = "weak"
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Components by SciPy, numbered as clgraph numbers them.

    Returns
    -------
    labels : int32 array, shape (n,)
        0 is the largest component; of equal ones the one with the smallest vertex comes first.
    sizes : int64 array, shape (k,)
    """
    graph = as_graph(graph)
    word(connection, "connection", ("weak", "strong"))
    count, found = _scipy_components(graph, connection)
    sizes = np.bincount(found, minlength=count)
    smallest = np.full(count, graph.num_vertices)
    np.minimum.at(smallest, found, np.arange(graph.num_vertices))
    order = np.lexsort((smallest, -sizes))
    number = np.empty(count, np.int32)
    number[order] = np.arange(count)
    return number[found], sizes[order].astype(np.int64)


def in_largest_component(graph: Graph) -> npt.NDArray[np.bool_]:
    """Which vertices form the largest weak component (of equal ones that with the smallest vertex)."""
    labels, _ = reference_components(graph)
    return labels == 0


def verify_components(graph: Graph, result: Components) -> None:
    """Check components from their definition.

    Weak: both ends of every arc have one label (a class is a union of components), and there are as many
    classes as SciPy finds components (so a class is one of them). Strong: the classes are SciPy's. Both:
    sizes and numbering are right. Takes no more memory than SciPy does; a graph of 100 M arcs takes seconds.

    Parameters
    ----------
    graph : Graph
    result : Components

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        At the first error; the message says which vertex, arc or component.
    """
    graph = check_result(graph, result, "connected_components", labels=("i", 1), sizes=("i", 1))
    n, labels, sizes = graph.num_vertices, result.labels, result.sizes
    if labels.shape != (n,):
        raise AssertionError(f"labels have shape {labels.shape}, the graph has {n} vertices")
    count = len(sizes)
    if n and (labels.min() < 0 or labels.max() >= count):
        raise AssertionError(f"labels reach from {labels.min()} to {labels.max()}, not 0 to {count - 1}")
    _check_numbering(labels, sizes)
    strong = result.connection == "strong" and graph.directed
    if not strong:
        _check_arcs(graph, labels)
    expected, found = _scipy_components(graph, result.connection)
    if expected != count:
        raise AssertionError(f"{count} components, SciPy finds {expected}")
    if strong:
        of_class = np.zeros(expected, labels.dtype)
        of_class[found] = labels
        wrong = np.flatnonzero(of_class[found] != labels)
        if len(wrong):
            v = int(wrong[0])
            raise AssertionError(
                f"vertex {v} is in component {labels[v]}, but not all of its strong component is"
            )


def _check_numbering(labels: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]) -> None:
    count = len(sizes)
    counted = np.bincount(labels, minlength=count)
    wrong = np.flatnonzero(counted != sizes)
    if len(wrong):
        c = int(wrong[0])
        raise AssertionError(f"component {c} has {counted[c]} vertices, its size says {sizes[c]}")
    if count and counted.min() == 0:
        raise AssertionError(f"component {int(np.argmin(counted))} has no vertex")
    rising = np.flatnonzero(np.diff(sizes) > 0)
    if len(rising):
        raise AssertionError(f"component {int(rising[0]) + 1} is larger than the one before it")
    smallest = np.empty(count, np.int64)
    smallest[labels[::-1]] = np.arange(len(labels))[::-1]  # the last to write is the smallest vertex
    tie = np.flatnonzero((np.diff(sizes) == 0) & (np.diff(smallest) < 0))
    if len(tie):
        c = int(tie[0])
        raise AssertionError(f"components {c} and {c + 1} are equal and not in order of their first vertex")


def _check_arcs(graph: Graph, labels: npt.NDArray[np.int32]) -> None:
    for tails, heads in arc_slices(graph):
        wrong = np.flatnonzero(labels[tails] != labels[heads])
        if len(wrong):
            u, v = int(tails[wrong[0]]), int(heads[wrong[0]])
            raise AssertionError(f"arc {u} -> {v} joins components {labels[u]} and {labels[v]}")


def _scipy_components(graph: Graph, connection: Connection) -> tuple[int, npt.NDArray[Any]]:
    n = graph.num_vertices
    if n == 0:
        return 0, np.empty(0, np.int32)
    ones = np.ones(graph.num_arcs, np.int8)
    pattern = sp.csr_array((ones, graph.col_idx, graph.row_ptr), shape=(n, n))
    count, found = connected_components(pattern, directed=graph.directed, connection=connection)
    return int(count), found
