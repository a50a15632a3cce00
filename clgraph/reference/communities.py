"""Communities, slow and obviously right: a dictionary for each vertex, all pairs of vertices."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.graph import Graph, as_graph
from clgraph.reference.common import check_result, expect

# --- label propagation ---


def _neighbours(graph: Graph) -> list[Counter[int]]:
    """How often each vertex has each neighbour, by arcs either way; a loop counts once."""
    near: list[Counter[int]] = [Counter() for _ in range(graph.num_vertices)]
    times = [1] * graph.num_arcs if graph.multiplicity is None else graph.multiplicity.tolist()
    for tail, head, many in zip(graph.tails.tolist(), graph.col_idx.tolist(), times, strict=True):
        near[tail][head] += many
        if graph.directed and tail != head:
            near[head][tail] += many
    return near


def reference_label_propagation(graph: Graph, iterations: int = 10) -> list[int]:
    """The label of every vertex after so many rounds: the number of the vertex that it came from."""
    graph = as_graph(graph)
    near = _neighbours(graph)
    labels = list(range(graph.num_vertices))
    for _ in range(iterations):
        before, labels = labels, []
        for v, neighbours in enumerate(near):
            count: Counter[int] = Counter()
            for u, many in neighbours.items():
                count[before[u]] += many
            labels.append(min(count, key=lambda label: (-count[label], label)) if count else before[v])
    return labels


def reference_modularity(graph: Graph, labels: Any, weight: bool = True, resolution: float = 1.0) -> float:
    """Modularity from all pairs of vertices: A - resolution k k / 2 m within communities, over 2 m."""
    graph = as_graph(graph)
    n, community = graph.num_vertices, [int(each) for each in np.asarray(labels)]
    each: Any = graph.weights if weight and graph.weights is not None else graph.multiplicity
    values = [1] * graph.num_arcs if each is None else each.tolist()
    entry = [[Fraction(0)] * n for _ in range(n)]
    for tail, head, value in zip(graph.tails.tolist(), graph.col_idx.tolist(), values, strict=True):
        # an undirected loop has both of its ends at the vertex
        entry[tail][head] += Fraction(value) * (1 if graph.directed or tail != head else 2)
    out = [sum(row, Fraction(0)) for row in entry]
    into = [sum(column, Fraction(0)) for column in zip(*entry, strict=True)]
    whole, found = sum(out, Fraction(0)), Fraction(0)
    for u in range(n):
        for v in range(n):
            if community[u] == community[v]:
                found += entry[u][v] - Fraction(resolution) * out[u] * into[v] / whole
    return float(found / whole)


def verify_modularity(
    graph: Graph, found: float, labels: Any, weight: bool = True, resolution: float = 1.0
) -> None:
    """Check a modularity by products of the matrix of edges with the matrix of memberships.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    n = graph.num_vertices
    names, place = np.unique(np.asarray(labels), return_inverse=True)
    each: Any = graph.weights if weight and graph.weights is not None else graph.multiplicity
    values = np.ones(graph.num_arcs) if each is None else np.asarray(each, np.float64)
    matrix = sp.csr_array((values, (graph.tails, graph.col_idx)), shape=(n, n))
    if not graph.directed:
        matrix = matrix + sp.diags_array(matrix.diagonal(), format="csr")
    member = sp.csr_array((np.ones(n), (np.arange(n), place)), shape=(n, len(names)))
    between = (member.T @ matrix @ member).toarray() / matrix.sum()
    want = np.trace(between) - resolution * (between.sum(axis=0) @ between.sum(axis=1))
    expect(abs(found - want) <= 1e-9 * max(1, abs(want)), f"the modularity is {found!r}, not {want!r}")


def _round(graph: Graph, labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The labels after one more round, by sorting pairs of a vertex and a label that a neighbour has."""
    n = graph.num_vertices
    tail, head = graph.tails.astype(np.int64), graph.col_idx.astype(np.int64)
    times = (
        np.ones(len(tail), np.int64) if graph.multiplicity is None else graph.multiplicity.astype(np.int64)
    )
    if graph.directed:
        other = tail != head
        tail, head = np.concatenate((tail, head[other])), np.concatenate((head, tail[other]))
        times = np.concatenate((times, times[other]))
    pairs, place = np.unique(tail * n + labels[head], return_inverse=True)
    many = np.zeros(len(pairs), np.int64)
    np.add.at(many, place, times)
    vertex, label = np.divmod(pairs, max(n, 1))
    # of a vertex's labels the one that comes last: larger counts, then smaller labels
    order = np.lexsort((-label, many, vertex))
    made = labels.copy()
    made[vertex[order]] = label[order]
    return made


def verify_label_propagation(graph: Graph, found: Any) -> None:
    """Check labels by going through the rounds once more, with sorted pairs of vertex and label.

    Also what is said of them: that they are stable, or that two labelings take turns.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, found, "label_propagation", labels=("i", 1))
    n = graph.num_vertices
    expect(len(found.labels) == n, f"{len(found.labels)} labels for {n} vertices")
    before, labels = np.full(n, -1, np.int64), np.arange(n, dtype=np.int64)
    last = before
    for done in range(found.iterations):
        last, before, labels = before, labels, _round(graph, labels)
        if np.array_equal(labels, before):
            break
        if np.array_equal(labels, last):
            if (found.iterations - done - 1) % 2:
                before, labels = labels, before
            break
    wrong = np.flatnonzero(labels != found.labels)
    expect(
        not len(wrong),
        f"vertex {graph.ids[wrong[:1]]} has label {found.labels[wrong[:1]]}, not {labels[wrong[:1]]}",
    )
    if found.iterations:
        after = _round(graph, labels)
        stable = np.array_equal(labels, before)
        expect(
            bool(found.converged) == stable,
            f"converged is {found.converged}, and labels are stable: {stable}",
        )
        turns = not stable and np.array_equal(labels, last)
        turns |= not stable and found.oscillates and np.array_equal(_round(graph, after), labels)
        expect(
            bool(found.oscillates) == turns,
            f"oscillates is {found.oscillates}, and two labelings turn: {turns}",
        )
    sizes = np.sort(np.unique(labels, return_counts=True)[1])[::-1]
    expect(np.array_equal(found.sizes, sizes), "the sizes are not those of the labels, descending")
