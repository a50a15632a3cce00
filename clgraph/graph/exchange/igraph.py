"""igraph graphs."""

from __future__ import annotations

from itertools import chain
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import Duplicates, check_count, checked_counts, sorted_rows
from clgraph.graph.checks import checked_ids
from clgraph.graph.exchange.common import library, listed
from clgraph.graph.exchange.tables import Rows

OWN = ("weight", "multiplicity")  # edge attributes that `to_igraph` sets itself


def from_igraph(graph: Any, *, weight: bool | str, duplicates: Duplicates) -> Arrays:
    """See `clgraph.Graph.from_igraph`."""
    _check_igraph(graph)
    word(duplicates, "duplicates", get_args(Duplicates))
    n = graph.vcount()
    check_count(n)
    ids = _names(graph)
    tail, head = _ends(graph)
    counts = None
    if duplicates == "merge" and "multiplicity" in graph.es.attributes():
        counts = checked_counts(_numbers(graph, "multiplicity", np.int64), len(tail))
    return sorted_rows(
        tail,
        head,
        n,
        weights=_weights(graph, weight),
        multiplicity=counts,
        ids=ids,
        directed=graph.is_directed(),
        duplicates=duplicates,
    )


def _check_igraph(graph: Any) -> None:
    igraph = library("igraph", "igraph")
    if not isinstance(graph, igraph.GraphBase):
        raise InputError(f"an igraph.Graph is needed, not {type(graph).__name__}")


def _ends(graph: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    m = graph.ecount()
    # a flat array in one go: igraph gives a list of tuples, of which NumPy would make an array row by row
    flat = np.fromiter(chain.from_iterable(graph.get_edgelist()), np.int32, 2 * m).reshape(m, 2)
    return np.ascontiguousarray(flat[:, 0]), np.ascontiguousarray(flat[:, 1])


def _names(graph: Any) -> npt.NDArray[Any] | None:
    """Ids in igraph's order, or None if they are its own numbers."""
    if "name" not in graph.vs.attributes():
        return None
    try:
        ids = checked_ids(graph.vs["name"], graph.vcount())
    except InputError as error:
        raise InputError(
            f"the names of the igraph graph: {error}; rename vertices, or delete the attribute "
            "(del graph.vs['name']) to use igraph's own numbers"
        ) from error
    return None if np.array_equal(ids, np.arange(len(ids))) else ids


def _weights(graph: Any, weight: bool | str) -> npt.NDArray[np.float64] | None:
    known = graph.es.attributes()
    name = "weight" if weight is True else weight
    if name is False or (weight is True and name not in known):
        return None
    if name not in known:
        raise InputError(f"the igraph graph has no edge attribute {shown(name)}: it has {listed(known)}")
    return _numbers(graph, name, np.float64)


def _numbers(graph: Any, name: str, dtype: Any) -> npt.NDArray[Any]:
    values = graph.es[name]
    try:
        numbers = np.array(values)
    except ValueError:  # lists of different lengths, say
        numbers = np.array([None])
    if numbers.dtype.kind not in ("iu" if dtype is np.int64 else "iuf") and len(values):
        plain = (int, np.integer) if dtype is np.int64 else (int, float, np.integer, np.floating)
        wrong = ((i, v) for i, v in enumerate(values) if isinstance(v, bool) or not isinstance(v, plain))
        edge, value = next(wrong, (0, values[0]))
        raise InputError(f"igraph edge {edge} has {name} {shown(value)}: a number is needed on every edge")
    numbers = numbers.astype(dtype)
    finite = np.isfinite(numbers)
    if not np.all(finite):
        edge = int(np.argmin(finite))
        raise InputError(f"igraph edge {edge} has {name} {numbers[edge]}: not finite")
    return numbers


def to_igraph(graph: Arrays, attributes: Any, known: Attributes | None) -> Any:
    """See `clgraph.Graph.to_igraph`."""
    igraph = library("igraph", "igraph")
    tail, head, weights, multiplicity = graph.edges()
    made = igraph.Graph(
        n=graph.num_vertices, edges=zip(tail.tolist(), head.tolist(), strict=True), directed=graph.directed
    )
    ids = graph.all_ids()
    ends = ids[tail], ids[head]
    if known is not None:
        for name, found in known.vertex_values(ids.tolist(), ("name",)).items():
            made.vs[name] = found
        for name, found in known.edge_values(*ends, graph.directed, OWN).items():
            made.es[name] = found
    if attributes is not None:
        _check_igraph(attributes)
        places = _places(graph, attributes)
        for name in attributes.vs.attributes():
            values = attributes.vs[name]
            made.vs[name] = [values[i] for i in places.tolist()]
        # the last of parallel edges counts: of the rows backwards the first is found
        old_tail, old_head = (end[::-1].astype(np.int64) for end in _ends(attributes))
        both_ways = not (graph.directed and attributes.is_directed())
        edge = Rows(lambda: (old_tail, old_head)).find(places[tail], places[head], not both_ways)
        for name in attributes.es.attributes():
            if name not in OWN and len(tail):
                # an edge that is not there (contracted, say) is number -1, and has no attribute
                values = [*attributes.es[name][::-1], None]
                made.es[name] = [values[i] for i in edge.tolist()]
    if graph.ids is not None:
        made.vs["name"] = graph.ids.tolist()
    for name, numbers in zip(OWN, (weights, multiplicity), strict=True):
        if numbers is not None:
            made.es[name] = numbers.tolist()
    return made


def _places(graph: Arrays, old: Any) -> npt.NDArray[np.int64]:
    """The number in the igraph graph of each of our vertices, found by id."""
    ids, names = graph.all_ids(), _names(old)
    if names is None:
        if ids.dtype == object or (len(ids) and int(ids.max()) >= old.vcount()):
            wrong = ids[0] if ids.dtype == object else ids.max()
            raise InputError(
                f"attributes: vertex {wrong} is not in that igraph graph ({old.vcount()} vertices)"
            )
        return ids
    place = {name: i for i, name in enumerate(names.tolist())}
    found = [place.get(name, -1) for name in ids.tolist()]
    if -1 in found:
        raise InputError(f"attributes: vertex {ids[found.index(-1)]} is not in that igraph graph")
    return np.array(found, dtype=np.int64)
