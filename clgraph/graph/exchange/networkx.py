"""NetworkX graphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import LOW_HALF, Duplicates, pack, row_ptr_of
from clgraph.graph.exchange.common import library
from clgraph.graph.exchange.networkx_adjacency import Adjacency, Nodes


def _check_networkx(graph: Any) -> Any:
    nx = library("networkx", "networkx")
    if not isinstance(graph, nx.Graph):
        raise InputError(f"a networkx.Graph is needed, not {type(graph).__name__}")
    return nx


def from_networkx(graph: Any, *, weight: Any, duplicates: Duplicates) -> Arrays:
    """See `clgraph.Graph.from_networkx`."""
    _check_networkx(graph)
    word(duplicates, "duplicates", ("merge", "keep"))
    nodes = Nodes(graph)
    adjacency = Adjacency(nodes, graph._adj, graph.is_multigraph())
    weights = _weights(adjacency, weight)
    counts = adjacency.counts() if adjacency.multigraph else None
    key = pack(np.repeat(np.arange(len(nodes), dtype=np.int32), np.diff(adjacency.row_ptr)), adjacency.heads)
    row_ptr = adjacency.row_ptr
    if counts is not None and duplicates == "keep" and counts.max(initial=1) > 1:
        key = np.repeat(key, counts)
        row_ptr = row_ptr_of(np.bincount(key >> 32, minlength=len(nodes)))
        counts = None
    elif weights is not None:
        weights = adjacency.summed(weights)
    if weights is None and counts is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key = key[order]
        weights = None if weights is None else _finite(weights, adjacency)[order]
        counts = None if counts is None or counts.max(initial=1) == 1 else counts[order]
    return Arrays(
        row_ptr,
        (key & LOW_HALF).astype(np.int32),
        weights=weights,
        multiplicity=counts,
        ids=nodes.ids,
        directed=graph.is_directed(),
    )


def _weights(adjacency: Adjacency, weight: Any) -> npt.NDArray[np.float64] | None:
    if weight is False or weight is None:
        return None
    try:
        hash(weight)
    except TypeError as error:
        raise InputError(f"weight is {shown(weight)}: an edge attribute's name, True or False") from error
    weights = adjacency.weights("weight" if weight is True else weight)
    if weights is None and weight is not True and adjacency.num_arcs:
        raise InputError(f"no edge of the NetworkX graph has the attribute {shown(weight)}")
    return weights


def _finite(weights: npt.NDArray[np.float64], adjacency: Adjacency) -> npt.NDArray[np.float64]:
    finite = np.isfinite(weights)
    if not np.all(finite) and len(weights) == adjacency.num_arcs:
        at = int(np.argmin(finite))
        tail = int(np.searchsorted(adjacency.row_ptr, at, side="right")) - 1
        ends = adjacency.nodes.objects[tail], adjacency.nodes.objects[adjacency.heads[at]]
        raise InputError(
            f"the edge ({shown(ends[0])}, {shown(ends[1])}) has weight {weights[at]}: a finite number is "
            "needed"
        )
    if not np.all(finite):
        raise InputError(f"an edge has weight {weights[np.argmin(finite)]}: a finite number is needed")
    return weights


def to_networkx(graph: Arrays, attributes: Any, known: Attributes | None) -> Any:
    """See `clgraph.Graph.to_networkx`."""
    nx = library("networkx", "networkx")
    if attributes is not None:
        _check_networkx(attributes)
    tail, head, weights, multiplicity = graph.edges()
    first = np.ones(len(tail), bool)  # the first of parallel copies, which are adjacent
    first[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
    keyed = attributes is not None and attributes.is_multigraph()
    made = {
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
    }[graph.directed, keyed or not first.all()]()
    if keyed:  # the first of several copies brings the attributes of all
        tail, head = tail[first], head[first]
    ids = graph.all_ids()
    names = ids.tolist() if attributes is None else _names(graph, attributes)
    nodes: dict[str, list[Any]] = {}
    edges: dict[str, list[Any]] = {}
    if attributes is None:
        numbers = ("weight", weights), ("multiplicity", multiplicity)
        edges = {name: values.tolist() for name, values in numbers if values is not None}
    if known is not None:
        nodes = known.vertex_values(ids.tolist())
        edges |= known.edge_values(ids[tail], ids[head], graph.directed, edges)
    made.add_nodes_from(zip(names, _rows(nodes), strict=True) if nodes else names)
    ends = [map(names.__getitem__, end.tolist()) for end in (tail, head)]
    if attributes is None:
        made.add_edges_from(zip(*ends, _rows(edges), strict=True) if edges else zip(*ends, strict=True))
        return made
    made.graph.update(attributes.graph)
    made.add_nodes_from((name, attributes.nodes[name]) for name in names)
    own = _rows(edges) if edges else repeat({}, len(tail))
    made.add_edges_from(
        (u, v, *((key, mine | data) if keyed else (mine | data,)))
        for u, v, mine in zip(*ends, own, strict=True)
        for key, data in (_data(attributes, u, v).items() if keyed else ((0, _data(attributes, u, v)),))
    )
    return made


def _rows(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """For each node or edge what it has of some columns."""
    for row in zip(*columns.values(), strict=True):
        yield {name: value for name, value in zip(columns, row, strict=True) if value is not None}


def _data(attributes: Any, u: Any, v: Any) -> Any:
    """Data of an edge in either direction; empty for an edge that is not there (contracted, say)."""
    found = attributes.get_edge_data(u, v)
    found = attributes.get_edge_data(v, u) if found is None else found
    if found is None:
        return {0: {}} if attributes.is_multigraph() else {}
    return found


def _names(graph: Arrays, attributes: Any) -> list[Any]:
    """Our vertices as nodes of the NetworkX graph whose attributes they take over."""
    nodes = Nodes(attributes)
    ids = graph.all_ids().tolist()
    if nodes.ids is None:  # our ids are the positions of its nodes
        wrong = next((i for i in ids if not isinstance(i, int) or i >= len(nodes)), None)
    else:
        wrong = next((i for i in ids if i not in nodes.index), None)
    if wrong is not None:
        raise InputError(
            f"attributes: vertex {shown(wrong)} is not in that NetworkX graph ({len(nodes)} nodes)"
        )
    return [nodes.objects[i] for i in ids] if nodes.ids is None else ids
