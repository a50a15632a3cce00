"""What several writers share: edges in pieces, refusals and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import counted
from clgraph.graph.io.progress import reached

CHUNK = 1 << 18  # arcs worked on at a time: a few MB, which stay in the cache
WHOLE_MAX = 2.0**53  # whole numbers below it are exact in float64

Piece = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], "npt.NDArray[np.float64] | None"]


def edges_in_pieces(graph: Graph, both_arcs: bool = False) -> Iterator[Piece]:
    """Tails, heads and weights (or None) of all edges, u <= v if undirected; or of both arcs of each."""
    rows = graph.rows
    for start in range(0, graph.num_arcs, CHUNK):
        reached(start / graph.num_arcs)
        tail, head = rows[start : start + CHUNK], graph.col_idx[start : start + CHUNK]
        weight = None if graph.weights is None else graph.weights[start : start + CHUNK]
        if not graph.directed and not both_arcs:
            once = tail <= head
            tail, head = tail[once], head[once]
            weight = None if weight is None else weight[once]
        yield tail, head, weight


def no_weights_in(graph: Graph, path: Path, format_name: str) -> None:
    """Raise InputError for a weighted graph and a format without weights."""
    if graph.weights is not None:
        raise InputError(f"cannot write {path}: {format_name} files hold no weights; leave weights=True out")


def only_whole_weights(graph: Graph, path: Path, format_name: str, limit: float = WHOLE_MAX) -> None:
    """Raise InputError for a weight that is no whole number from -limit to limit - 1."""
    if graph.weights is None:
        return
    weights: npt.NDArray[Any] = graph.weights
    wrong = (weights != np.floor(weights)) | (weights < -limit) | (weights >= limit)
    if wrong.any():
        raise InputError(
            f"cannot write {path}: the weight {weights[np.argmax(wrong)]} is not a whole number below "
            f"{limit:.0f}, as {format_name} files need it; leave weights=True out, or use another format"
        )


def merged_note(graph: Graph) -> list[str]:
    """A note where parallel edges were merged, which the format does not tell."""
    if graph.multiplicity is None:
        return []
    return [f"{counted(graph.num_duplicates, 'merged parallel edge')} written once"]
