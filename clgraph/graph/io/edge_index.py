"""Arrays of PyTorch Geometric in .npz files: ``edge_index``, shape (2, arcs), and perhaps ``edge_weight``.

``num_nodes`` says how many vertices there are, else the highest number in ``edge_index``. An undirected graph
has both arcs of each edge. Features, labels and masks are not kept.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.common import Loaded, Options, check_vertex_count, counted, renumbered
from clgraph.graph.io.twins import each_once
from clgraph.graph.io.written import merged_note

NAMES = ("edge_index", "edge_weight", "num_nodes")


def loaded(
    path: Path, found: dict[str, npt.NDArray[Any]], left: list[str], directed: bool, options: Options
) -> Loaded:
    """The graph of the arrays of a file; `left` names others."""
    index, weight = found["edge_index"], found.get("edge_weight")
    if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
        raise InputError(
            f"{path}: edge_index has the shape {index.shape} and the type {index.dtype}; it should be (2, "
            "arcs) of whole numbers"
        )
    n = int(index.max(initial=-1)) + 1
    lowest = int(index.min(initial=0))
    if lowest < 0:
        raise InputError(f"{path}: edge_index holds {lowest}; vertices are numbered from 0")
    if "num_nodes" in found:
        said = found["num_nodes"]
        if said.size != 1 or said.dtype.kind not in "iu" or said.item() < n:
            raise InputError(f"{path}: num_nodes should be one whole number, {n} or more")
        n = int(said.item())
    check_vertex_count(path, n, options)
    if options.weights:
        if weight is None:
            raise InputError(f"{path}: has no edge_weight; leave weights=True out")
        if weight.size != index.shape[1] or weight.dtype.kind not in "biuf" or not np.isfinite(weight).all():
            raise InputError(
                f"{path}: edge_weight, of the shape {weight.shape} and the type {weight.dtype}, should be "
                f"{index.shape[1]} finite numbers; correct it or leave weights=True out"
            )
    kept = weight.ravel().astype(np.float64) if weight is not None and options.weights else None
    tail, head = (np.ascontiguousarray(row.astype(np.int32)) for row in index)
    arcs = tail, head, kept
    tail, head, kept = arcs if directed else each_once(arcs)
    graph = build_csr(tail, head, n, weights=kept, directed=directed, duplicates=options.duplicates)
    notes = ["edge_weight"] if weight is not None and not options.weights else []
    return Loaded(graph, counted(index.shape[1], "arc"), notes + left)


def write_edge_index(graph: Graph, path: Path) -> list[str]:
    """Write edge_index, edge_weight and num_nodes, and whether the graph is directed."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "edge_index": np.stack((graph.rows, graph.col_idx)).astype(np.int64),
        "num_nodes": np.array(graph.num_vertices),
        "clgraph_directed": np.array(graph.directed),
    }
    if graph.weights is not None:
        arrays["edge_weight"] = graph.weights
    with atomic_write(path) as file:
        buffer = io.BytesIO()  # a zip file is not written in one go
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, array in arrays.items():
                store(archive, name, array)
        file.write(buffer.getbuffer())
    return [*renumbered(graph, first=0), *merged_note(graph)]


def store(archive: zipfile.ZipFile, name: str, array: npt.NDArray[Any]) -> None:
    """Put an array into an .npz file, with a fixed date: the same graph gives the same bytes."""
    data = io.BytesIO()
    np.save(data, array, allow_pickle=False)
    archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue())
