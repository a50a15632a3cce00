"""The hash of a graph, which records compare: it depends on the graph alone, not on files or devices."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.graph import Graph

# values converted at a time: a copy of all of an array would double what a graph takes
CHUNK = 1 << 22


def digest(graph: Graph) -> str:
    """The SHA-256 of a graph's direction, rows, ids, weights and multiplicities, in hexadecimal digits.

    Examples
    --------
    >>> from clgraph import Graph
    >>> digest(Graph.from_edges([0, 1], [1, 2]))[:8]
    '623372ad'
    """
    found = hashlib.sha256(b"directed\n" if graph.directed else b"undirected\n")
    for name, kind in (("row_ptr", "<i8"), ("col_idx", "<i4"), ("weights", "<f8"), ("multiplicity", "<i4")):
        array = getattr(graph, name)
        if array is not None:
            found.update(f"{name} {len(array)}\n".encode())
            _add(found, array, kind)
    if not graph._has_identity_ids:
        ids = graph.ids
        found.update(f"ids {len(ids)}\n".encode())
        if ids.dtype == object:
            for name in ids.tolist():
                # lengths come first, so that no two lists of names give the same bytes
                text = name.encode("utf-8", "surrogatepass")
                found.update(len(text).to_bytes(8, "little") + text)
        else:
            _add(found, ids, "<i8")
    return found.hexdigest()


def _add(found: Any, array: npt.NDArray[Any], kind: str) -> None:
    for at in range(0, len(array), CHUNK):
        found.update(np.ascontiguousarray(array[at : at + CHUNK].astype(kind, copy=False)))
