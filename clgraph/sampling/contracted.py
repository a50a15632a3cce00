"""What a contraction leaves, and the contracted graph with the weights and ids of the original."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, build_csr
from clgraph.graph.building import INT32_MAX
from clgraph.sampling.result import Left


@dataclass(frozen=True)
class Contracted(Left):
    """What a contraction leaves; `arcs` has both arcs of the smallest edge between each pair of groups.

    Attributes
    ----------
    graph : Graph
        The contracted graph, without weights and ids; its multiplicities are those of the contracted view.
    """

    graph: Graph = field(kw_only=True)


def extract_contracted(graph: Graph, left: Left) -> tuple[Graph, npt.NDArray[np.bool_]]:
    """The sample of a contraction as a graph, and the arcs of the original that represent its edges.

    Parameters
    ----------
    graph : Graph
        The original.
    left : Contracted
        What `ContractRun.download` returned.

    Returns
    -------
    contracted : Graph
        A vertex for every group, with the id of the group's smallest vertex. Parallel edges are merged:
        weights and counts are summed. Edges inside a group are gone. Of a directed graph, the arcs between
        groups.
    kept_arcs : bool array
        Arcs of ``graph.undirected``: both arcs of the smallest edge that joins two groups, for each pair.
    """
    view, group = graph.undirected, left.group
    assert isinstance(left, Contracted)
    assert group is not None
    kept = left.arcs
    if view.num_self_loops:
        kept = view.rows != view.col_idx
        kept[kept] = left.arcs
    chosen = np.flatnonzero(left.vertices)
    ids = chosen if graph.has_identity_ids else graph.ids[chosen]
    counts = graph.multiplicity
    fits = counts is None or int(counts.sum(dtype=np.int64)) <= INT32_MAX  # what the device adds up in int32
    if graph is view and graph.weights is None and fits:
        return Graph.of(replace(left.graph.arrays, ids=ids)), kept
    number = np.cumsum(left.vertices, dtype=np.int32) - np.int32(1)
    tail, head = graph.rows, graph.col_idx
    there = (group[tail] != group[head]) & (group[tail] >= 0)  # no arc leaves the component
    if not graph.directed:
        there &= tail < head
    small = build_csr(
        number[group[tail[there]]],
        number[group[head[there]]],
        len(chosen),
        weights=None if graph.weights is None else graph.weights[there],
        multiplicity=None if graph.multiplicity is None else graph.multiplicity[there],
        ids=ids,
        directed=graph.directed,
    )
    return small, kept
