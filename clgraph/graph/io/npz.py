"""scipy.sparse .npz files: entry (i, j) is the arc i -> j, vertices are numbered from 0.

What SciPy's format lacks (ids, direction) is stored beside its arrays; SciPy still reads such a file.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.common import Loaded, Options, check_vertex_count, counted, only_int_ids, reading


def read_npz(path: Path, options: Options) -> Loaded:
    """Read a sparse matrix saved by `scipy.sparse.save_npz` (see `clgraph.read`)."""
    only_int_ids(path, options, ".npz")
    with reading(path):
        try:
            matrix: Any = sp.load_npz(path)
            with np.load(path) as file:
                own = {name: file[name] for name in ("clgraph_directed", "clgraph_ids") if name in file}
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError, NotImplementedError) as error:
            # not SciPy's message: for other files it advises allow_pickle, which is unsafe
            raise InputError(
                f"{path}: not a matrix saved by scipy.sparse.save_npz, or damaged ({type(error).__name__}); "
                "save it again"
            ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " x ".join(map(str, matrix.shape))
        raise InputError(f"{path}: the matrix is {shape}; the adjacency matrix of a graph is square")
    n = matrix.shape[0]
    check_vertex_count(path, n)
    if options.duplicates == "keep":
        raise InputError(f"{path}: a sparse matrix holds no parallel edges; leave --duplicates keep out")
    directed = options.direction(bool(own["clgraph_directed"]) if "clgraph_directed" in own else None)
    if options.weights and matrix.dtype.kind not in "biuf":
        raise InputError(f"{path}: entries of type {matrix.dtype} cannot be weights; leave --weights out")
    if options.weights and not np.all(np.isfinite(matrix.data)):
        raise InputError(
            f"{path}: the matrix holds a value that is not finite; correct it or leave --weights out"
        )
    entries = matrix.nnz
    graph = Graph.from_scipy(matrix, directed=directed, weighted=options.weights, asymmetric="sum")
    ids = own.get("clgraph_ids")
    if ids is not None and len(ids) == n:
        graph = graph.with_ids(ids.astype(object) if ids.dtype.kind == "U" else ids)
    return Loaded(graph, counted(entries, "entry", "entries"))


def write_npz(graph: Graph, path: Path) -> list[str]:
    """Write the matrix of `Graph.to_scipy` and, beside it, ids and direction."""
    if graph.multiplicity is None and graph.num_duplicates:
        raise InputError(
            f"cannot write {path}: parallel edges, which a sparse matrix cannot hold; use .clg or merge them"
        )
    own = {"clgraph_directed": np.array(graph.directed)}
    if not graph.has_identity_ids:
        own["clgraph_ids"] = graph.ids.astype("U") if graph.ids.dtype == object else graph.ids
    with atomic_write(path) as file:
        buffer = io.BytesIO()  # SciPy would add .npz to the temporary name
        sp.save_npz(buffer, graph.to_scipy(), compressed=False)
        with zipfile.ZipFile(buffer, "a") as archive:
            for name, array in own.items():
                text = io.BytesIO()
                np.save(text, array, allow_pickle=False)
                # a fixed date: the same graph gives the same bytes
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), text.getvalue())
        file.write(buffer.getbuffer())
    return []
