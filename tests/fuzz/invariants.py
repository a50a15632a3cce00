"""What holds for every Graph, checked by itself: nothing here calls clgraph."""

import numpy as np

from fuzz.case import Failure


def check_invariants(graph, *, merged=False):
    """Raise a `Failure` unless the arrays of a Graph are as its docstring says.

    Parameters
    ----------
    merged : bool
        Whether parallel edges must have been merged.
    """

    def must(right, what):
        if not right:
            raise Failure("broken", what)

    row_ptr, col_idx = graph.row_ptr, graph.col_idx
    must(isinstance(row_ptr, np.ndarray) and row_ptr.ndim == 1 and len(row_ptr) >= 1, "shape of row_ptr")
    must(row_ptr.dtype in (np.int32, np.int64) and row_ptr.dtype.isnative, f"row_ptr is {row_ptr.dtype}")
    must(isinstance(col_idx, np.ndarray) and col_idx.ndim == 1, "shape of col_idx")
    must(col_idx.dtype == np.int32 and col_idx.dtype.isnative, f"col_idx is {col_idx.dtype}")
    n, arcs = len(row_ptr) - 1, len(col_idx)
    must(n < 2**31, f"{n} vertices")
    must(row_ptr[0] == 0 and row_ptr[-1] == arcs, "row_ptr does not span the arcs")
    must(not np.any(row_ptr[1:] < row_ptr[:-1]), "row_ptr descends")
    must(arcs == 0 or (col_idx.min() >= 0 and col_idx.max() < n), "a head out of range")
    tail = np.repeat(np.arange(n), np.diff(row_ptr))
    key = tail * max(n, 1) + col_idx
    must(not np.any(key[1:] < key[:-1]), "a row does not ascend")
    strictly = merged or graph.multiplicity is not None
    must(not strictly or not np.any(key[1:] == key[:-1]), "parallel arcs that were to be merged")

    must(type(graph.directed) is bool, f"directed is {graph.directed!r}")
    columns = [key, col_idx * np.int64(max(n, 1)) + tail]
    for name, kind in (("weights", np.float64), ("multiplicity", np.int32)):
        values = getattr(graph, name)
        if values is None:
            continue
        must(isinstance(values, np.ndarray) and values.shape == (arcs,), f"shape of {name}")
        must(values.dtype == kind and values.dtype.isnative, f"{name} are {values.dtype}")
        if name == "weights":
            must(np.all(np.isfinite(values)), "a weight that is not finite")
        else:
            must(arcs == 0 or values.min() >= 1, "a multiplicity below 1")
        columns.append(values)
    if not graph.directed:
        there = np.lexsort((*columns[2:], columns[0]))
        back = np.lexsort((*columns[2:], columns[1]))
        must(np.array_equal(columns[0][there], columns[1][back]), "undirected and not symmetric")
        for values in columns[2:]:
            must(np.array_equal(values[there], values[back]), "undirected, and values are not symmetric")
    _check_ids(graph, n, must)
    loops = int(np.count_nonzero(tail == col_idx))
    must(graph.num_self_loops == loops, f"num_self_loops is {graph.num_self_loops}, counted {loops}")
    edges = arcs if graph.directed else (arcs + loops) // 2
    must(graph.num_edges == edges, f"num_edges is {graph.num_edges}, counted {edges}")
    must(graph.num_duplicates >= 0, f"num_duplicates is {graph.num_duplicates}")


def _check_ids(graph, n, must):
    ids = graph.ids
    must(isinstance(ids, np.ndarray) and ids.shape == (n,), f"shape of ids: {np.shape(ids)}, {n} vertices")
    if ids.dtype == object:
        must(all(type(name) is str for name in ids.tolist()), "an id that is no string")
    else:
        must(ids.dtype == np.int64 and ids.dtype.isnative, f"ids are {ids.dtype}")
        must(n == 0 or ids.min() >= 0, "a negative id")
    # of numbers without objects in between: 2^22 vertices are none too many for a small file
    distinct = len(set(ids.tolist())) if ids.dtype == object else len(np.unique(ids))
    must(distinct == n, "an id twice")


def edges_of(graph, *, by_index=False):
    """The edges of a Graph by the ids (or indices) of their ends, with their weights ascending."""
    n = len(graph.row_ptr) - 1
    ids = list(range(n)) if by_index else graph.ids.tolist()
    tail = np.repeat(np.arange(n), np.diff(graph.row_ptr)).tolist()
    weights = [None] * len(tail) if graph.weights is None else graph.weights.tolist()
    found = {}
    for u, v, weight in zip(tail, graph.col_idx.tolist(), weights, strict=True):
        if graph.directed or u <= v:
            found.setdefault(_ends(ids[u], ids[v], graph.directed), []).append(weight)
    return {ends: sorted(weights) if weights[0] is not None else weights for ends, weights in found.items()}


def edges_of_rows(rows, directed, weighted, keep):
    """The same for rows (source, target, weight): what a reader must make of them."""
    found = {}
    for u, v, weight in rows:
        found.setdefault(_ends(u, v, directed), []).append(weight if weighted else None)
    if not keep:
        found = {ends: [sum(weights) if weighted else None] for ends, weights in found.items()}
    return {ends: sorted(weights) if weighted else weights for ends, weights in found.items()}


def _ends(u, v, directed):
    return (u, v) if directed or u <= v else (v, u)


def compare_edges(expected, found, tolerance=0):
    """Raise a `Failure` that names the first edge that is lost, new or of another weight."""
    for ends in (*(expected.keys() - found.keys()), *(found.keys() - expected.keys())):
        raise Failure("lost", f"edge {ends!r} is {'lost' if ends in expected else 'new'}")
    for ends, weights in expected.items():
        other = found[ends]
        if len(weights) != len(other):
            raise Failure("lost", f"edge {ends!r}: {len(weights)} copies became {len(other)}")
        if weights[0] is not None and not np.allclose(weights, other, rtol=0, atol=tolerance):
            raise Failure("lost", f"edge {ends!r}: weights {weights} became {other}")
        if (weights[0] is None) != (other[0] is None):
            raise Failure("lost", f"edge {ends!r}: weights {weights} became {other}")
