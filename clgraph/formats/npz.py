"""scipy.sparse .npz files: entry (i, j) is the arc i -> j, vertices are numbered from 0.

Files that hold an ``edge_index``, shape (2, arcs), and perhaps ``edge_weight`` are PyTorch Geometric's:
``num_nodes`` says how many vertices there are, else the highest number in ``edge_index``. An undirected graph
has both arcs of each edge. Features, labels and masks are not kept.

What SciPy's format lacks (ids, direction) is stored beside its arrays; SciPy still reads such a file. Its own
reader is not used: it allocates what a header promises, and its conversions trust the indices.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import Loaded, Options, check_vertex_count, counted, few, graph_of_arcs
from clgraph.formats.packed import check_ratio
from clgraph.graph.checks import PARTS, check_parts, check_square, checked_ids
from clgraph.graph.graph import Graph

# --- arrays of PyTorch Geometric ---


NAMES = ("edge_index", "edge_weight", "num_nodes")


def _of_edge_index(
    path: Path, found: dict[str, npt.NDArray[Any]], skipped: list[str], options: Options
) -> Loaded:
    """The graph of the arrays of a file; `skipped` names others."""
    index, weight = found["edge_index"], found.get("edge_weight")
    if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
        raise InputError(
            f"{path}: edge_index has the shape {index.shape} and the type {index.dtype}; it should be (2, "
            "arcs) of whole numbers"
        )
    n = int(index.max()) + 1 if index.size else 0
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
        weight = weight.ravel().astype(np.float64)
    elif weight is not None:
        weight, skipped = None, ["edge_weight", *skipped]
    tail, head = (np.ascontiguousarray(row.astype(np.int32)) for row in index)
    graph = graph_of_arcs((tail, head, weight), n, options, _direction(path, found, options), twins=True)
    return Loaded(graph, counted(index.shape[1], "arc"), skipped)


def write_edge_index(graph: Graph, path: Path) -> None:
    """Write edge_index, edge_weight and num_nodes, and whether the graph is directed."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "edge_index": np.stack((graph.tails, graph.col_idx)).astype(np.int64),
        "num_nodes": np.array(graph.num_vertices),
        "clgraph_directed": np.array(graph.directed),
    }
    if graph.weights is not None:
        arrays["edge_weight"] = graph.weights
    _write(path, io.BytesIO(), arrays)


def _write(path: Path, buffer: io.BytesIO, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write an .npz file: arrays behind what a buffer holds, dated alike, so that bytes stay the same."""
    # a zip file is not written in one go
    with atomic_write(path) as file:
        with zipfile.ZipFile(buffer, "a") as archive:
            for name, array in arrays.items():
                data = io.BytesIO()
                np.save(data, array, allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue())
        file.write(buffer.getbuffer())


OWN = ("clgraph_directed", "clgraph_ids")
RATIO = 1032  # deflate packs no better: a member that promises more is no such file


def read_npz(path: Path, options: Options) -> Loaded:
    """Read a sparse matrix saved by `scipy.sparse.save_npz` (see `clgraph.read`)."""
    if options.ids == "str":
        raise InputError(f"{path}: vertices of .npz files are numbers; leave ids='str' out")
    try:
        found, skipped = _arrays(path, options)
        if NAMES[0] in found:
            return _of_edge_index(path, found, skipped, options)
        if "format" not in found:
            raise InputError(
                f"{path}: holds neither a matrix saved by scipy.sparse.save_npz nor edge_index, as "
                "PyTorch Geometric has it; save one of them"
            )
        form, shape = _form_and_shape(found)
    except InputError:
        raise
    except Exception as error:  # zipfile, zlib, struct and NumPy raise whatever there is for damaged files
        # not NumPy's message: for other files it advises allow_pickle, which is unsafe
        raise InputError(
            f"{path}: not a matrix saved by scipy.sparse.save_npz, or damaged ({type(error).__name__}); "
            "save it again"
        ) from error
    check_square(shape)
    n = shape[0]
    check_vertex_count(path, n, options)
    parts = {name: found[name] for name in PARTS[form]}
    check_parts(form, n, parts)
    matrix = _matrix(form, shape, parts)
    if options.duplicates == "keep":
        raise InputError(f"{path}: a sparse matrix holds no parallel edges; leave duplicates='keep' out")
    directed = _direction(path, found, options)
    entries = matrix.nnz
    if not options.weights and np.any(matrix.data != 1):
        skipped = ["values of entries", *skipped]
    ids = None if "clgraph_ids" not in found else checked_ids(found["clgraph_ids"], n)
    graph = Graph.from_scipy(matrix, directed=directed, weighted=options.weights, asymmetric="sum")
    return Loaded(
        graph if ids is None else graph.with_ids(ids), counted(entries, "entry", "entries"), skipped
    )


read_edge_index = read_npz  # by what a file holds


def _arrays(path: Path, options: Options) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Return the arrays, each as long as its header and its place in the file say, and names of others."""
    wanted = {"format", "shape", "coords", *OWN, *NAMES, *chain(*PARTS.values())}
    found: dict[str, npt.NDArray[Any]] = {}
    skipped: list[str] = []
    size = os.path.getsize(path)
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        names = [info.filename.removesuffix(".npy") for info in members]
        unpacked = sum(info.file_size for name, info in zip(names, members, strict=True) if name in wanted)
        check_ratio(path, unpacked, size, options.max_ratio)
        for name, info in zip(names, members, strict=True):
            if name not in wanted:
                skipped += [name] * (name != "_is_array")  # SciPy's own
                continue
            stored = info.compress_type == zipfile.ZIP_STORED
            if not stored and info.compress_type != zipfile.ZIP_DEFLATED:
                raise NotImplementedError("a member is neither stored nor deflated")
            most = info.compress_size * (1 if stored else RATIO) + 64 * (not stored)
            # lengths in a zip file are believed only as far as the file can hold them
            if name in found or info.compress_size > size or info.file_size > most:
                raise ValueError("a member is there twice, or longer than the file allows")
            found[name] = _array(archive, info)
    return found, few(skipped)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """One array; nothing is allocated before its length is known to be that of the member."""
    with archive.open(info) as member:
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, by_columns, dtype = read_header[npy.read_magic(member)](member)
        if dtype.hasobject:
            raise ValueError("Python objects, which would be code to run")
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != info.file_size - member.tell():
            raise ValueError("the array is not as long as its header says")
        data = member.read()
    array = np.frombuffer(data, dtype) if data else np.empty(0, dtype)
    return array.reshape(shape, order="F" if by_columns else "C")


def _form_and_shape(found: dict[str, npt.NDArray[Any]]) -> tuple[str, tuple[int, ...]]:
    form = found["format"].item()
    form = form if isinstance(form, str) else form.decode("ascii")
    if "coords" in found and form == "coo":
        found["row"], found["col"] = found["coords"]
    if form not in PARTS or not set(PARTS[form]) <= found.keys():
        raise ValueError("no form of matrix that save_npz writes")
    shape = found["shape"]
    if shape.ndim != 1 or shape.dtype.kind not in "iu" or np.any(shape < 0):
        raise ValueError("no shape")
    return form, tuple(shape.tolist())


def _matrix(form: str, shape: tuple[int, ...], parts: dict[str, npt.NDArray[Any]]) -> Any:
    from scipy import sparse as sp

    make = getattr(sp, f"{form}_array")
    data, *index = parts.values()
    try:
        if form == "dia":
            return make((data, index[0]), shape=shape)
        return make((data, tuple(index)) if form == "coo" else (data, *index), shape=shape)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"SciPy cannot make a matrix of its arrays: {error}; save it again") from error


def _direction(path: Path, found: dict[str, npt.NDArray[Any]], options: Options) -> bool:
    noted = found.get("clgraph_directed", np.array(False))
    if noted.shape or noted.dtype != bool:
        raise InputError(f"{path}: its clgraph_directed is not one bool; write the file again")
    return options.direction(bool(noted))


def write_npz(graph: Graph, path: Path) -> None:
    """Write the matrix of `Graph.to_scipy` and, beside it, ids and direction."""
    from scipy import sparse as sp

    own = {"clgraph_directed": np.array(graph.directed)}
    if not graph._has_identity_ids:
        own["clgraph_ids"] = graph.ids.astype("U") if graph.ids.dtype == object else graph.ids
        if graph.ids.dtype == object and own["clgraph_ids"].tolist() != graph.ids.tolist():
            lost = next(name for name in graph.ids.tolist() if name.endswith("\0"))
            raise InputError(f"cannot write {path}: vertex id {lost!r} ends with a NUL; use .clg")
    buffer = io.BytesIO()  # SciPy would add .npz to the temporary name
    sp.save_npz(buffer, graph.to_scipy(), compressed=False)
    _write(path, buffer, own)
