"""A graph in memory cut into shards, and shards joined to a graph in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.arrays import Arrays, tails_of
from clgraph.graph.building import row_ptr_of, sorted_rows
from clgraph.progress import Tell, tells
from clgraph.scale.manifest import BLOCK, Manifest, Section, Shard
from clgraph.scale.shards import Shards, check_shards, open_shards
from clgraph.scale.writing import Writer, new_dataset, row_sums, summed

SHARD_EDGES = 1 << 28  # a GiB of heads, so that offsets within a shard are 32-bit integers


@tells("writing shards")
def write_shards(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    sections: Sequence[str] | None = None,
    shard_edges: int = SHARD_EDGES,
    progress: Tell | None = None,
) -> Shards:
    """Write a graph as a dataset of shards.

    Parameters
    ----------
    graph : Graph
        Without parallel copies.
    path : str or path
        The folder ``NAME.clgs``; a dataset of that name is replaced.
    sections : sequence of str, optional
        "pairs", which is always there, and "rows" (undirected), "in", "out" (directed); default: all.
        Samples, curves and components need the pairs, BFS and PageRank the others.
    shard_edges : int
        Entries of a shard, about; a row is never divided.
    progress : callable or bool, optional
        Called after each shard with the rows written and those of all sections; True shows a bar.

    Returns
    -------
    Shards
        The dataset, opened.

    Raises
    ------
    InputError
        If the graph has parallel copies, a section does not belong to such a graph, or nothing can be written
        there.

    Examples
    --------
    >>> import tempfile
    >>> import clgraph
    >>> graph = clgraph.powerlaw_graph(1000, seed=1)
    >>> write_shards(graph, tempfile.mkdtemp() + "/small.clgs", shard_edges=1000)
    <Shards: undirected, 1000 vertices, 2471 edges, 3 shards>
    """
    graph = as_graph(graph)
    if graph.is_multigraph:
        raise InputError("shards hold each edge once: read the graph with duplicates='merge'")
    wanted = check_sections(sections, graph.directed)
    check_shard_edges(shard_edges)
    target = file_name(path)
    with new_dataset(target) as folder:
        writer = Writer(folder, directed=graph.directed, vertices=graph.num_vertices)
        made: dict[str, Section] = {}
        n = graph.num_vertices
        for name in wanted:
            arrays, way = _with_values(graph, name)
            shards = []
            for shard in _written(writer, name, arrays, way, shard_edges):
                shards.append(shard)
                if progress:
                    progress(len(made) * n + shard.first_row + shard.rows, len(wanted) * n)
            made[name] = summed(shards)
        leaving = row_sums(graph.row_ptr, graph.multiplicity if graph.weights is None else graph.weights)
        writer.finish(
            Manifest(
                graph.directed,
                n,
                graph.weights is not None,
                graph.multiplicity is not None,
                made,
                None if graph._has_identity_ids else writer.ids(graph.ids),
                writer.numbers("leaving.f8", [leaving]),
            )
        )
    return open_shards(target)


def check_sections(sections: Sequence[str] | None, directed: bool) -> tuple[str, ...]:
    """The sections to write, in order."""
    known = ("pairs", "in", "out") if directed else ("pairs", "rows")
    if sections is None:
        return known
    listed = isinstance(sections, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(name, str) for name in sections):
        raise InputError(f"sections is {shown(sections)}: a list of {', '.join(known)} is needed")
    for name in sections:
        if name not in known:
            kind = "a directed" if directed else "an undirected"
            raise InputError(f"section {shown(name)}: {kind} graph has {', '.join(known)}")
    return tuple(name for name in known if name == "pairs" or name in sections)


def check_shard_edges(value: int) -> None:
    """Raise InputError unless a shard can have so many entries."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"shard_edges is {shown(value)}: a whole number of at least 1 is needed")


def section_of(graph: Graph, name: str) -> tuple[Arrays, npt.NDArray[np.bool_] | None]:
    """The rows of a section of the whole graph; of pairs bare, and their mask in the undirected view."""
    if name in ("rows", "out"):
        return graph._arrays, None
    if name == "in":
        return graph.reverse._arrays, None
    view = graph.undirected
    tails, heads = view.tails, view.col_idx
    once = tails <= heads
    row_ptr = row_ptr_of(np.bincount(tails[once], minlength=graph.num_vertices))
    return Arrays(row_ptr, heads[once]), once


def _with_values(graph: Graph, name: str) -> tuple[Arrays, npt.NDArray[np.uint8] | None]:
    """`section_of` with what the entries carry, and the ways of pairs."""
    arrays, once = section_of(graph, name)
    if once is None:
        return arrays, None
    if not graph.directed:
        values = {
            key: None if array is None else array[once]
            for key, array in (("weights", graph.weights), ("multiplicity", graph.multiplicity))
        }
        return replace(arrays, **values), None  # type: ignore[arg-type]
    pairs = arrays.tails().astype(np.int64) << 32 | arrays.col_idx
    away = graph.tails.astype(np.int64) << 32 | graph.col_idx
    back = graph.col_idx.astype(np.int64) << 32 | graph.tails
    way = np.isin(pairs, away).astype(np.uint8) | np.isin(pairs, back).astype(np.uint8) << 1
    return arrays, way.astype(np.uint8)


def _written(
    writer: Writer, name: str, arrays: Arrays, way: npt.NDArray[np.uint8] | None, shard_edges: int
) -> Iterator[Shard]:
    row_ptr = arrays.row_ptr
    for number, (first, last) in enumerate(cuts(row_ptr, shard_edges, 1 if name == "pairs" else BLOCK)):
        begin, end = int(row_ptr[first]), int(row_ptr[last])
        values = {
            key: None if array is None else array[begin:end]
            for key, array in (
                ("weights", arrays.weights),
                ("multiplicity", arrays.multiplicity),
                ("way", way),
            )
        }
        offsets = row_ptr[first : last + 1] - row_ptr[first]
        yield writer.shard(name, number, first, offsets, arrays.col_idx[begin:end], values)


def cuts(row_ptr: npt.NDArray[Any], shard_edges: int, block: int) -> Iterator[tuple[int, int]]:
    """First rows and ends of shards of about so many entries, cut at multiples of `block` rows."""
    n = len(row_ptr) - 1
    first = 0
    while first < n:
        end = min(int(row_ptr[first]) + shard_edges, int(row_ptr[-1]))
        last = int(np.searchsorted(row_ptr, row_ptr.dtype.type(end), side="right")) - 1
        last = min(n, max(first + block, last // block * block if last < n else n))
        yield first, last
        first = last


@tells("joining shards")
def join_shards(shards: Shards, *, progress: Tell | None = None) -> Graph:
    """The whole graph in memory.

    Parameters
    ----------
    shards : Shards
    progress : callable or bool, optional
        Called with the rows read and those of the graph; True shows a bar.
    """
    check_shards(shards)
    directed = shards.directed
    name = "pairs" if not directed else "out" if "out" in shards.manifest.sections else "in"
    columns: dict[str, Any] = {"tail": [], "head": [], "weights": [], "multiplicity": []}
    for each in shards.rows(name):
        first = each.shard.first_row
        columns["tail"].append(tails_of(each.row_ptr, first))
        columns["head"].append(each.col_idx)
        columns["weights"].append(each.weights)
        ones = np.ones(each.shard.edges, np.int32)
        columns["multiplicity"].append(ones if each.multiplicity is None else each.multiplicity)
        if progress:
            progress(first + each.shard.rows, shards.num_vertices)
    tail, head = (_joined(columns[key], np.int32) for key in ("tail", "head"))
    if name == "in":
        tail, head = head, tail
    multiplicity = _joined(columns["multiplicity"], np.int32) if shards.manifest.multiplicity else None
    arrays = sorted_rows(
        tail,
        head,
        shards.num_vertices,
        weights=_joined(columns["weights"], np.float64) if shards.manifest.weights else None,
        multiplicity=multiplicity,
        ids=None if shards.manifest.ids is None else shards.ids,
        directed=directed,
    )
    if multiplicity is not None and arrays.multiplicity is None:  # all 1: samples keep the array
        arrays = replace(arrays, multiplicity=np.ones(arrays.num_arcs, np.int32))
    return Graph._from_arrays(arrays)


def _joined(parts: list[Any], dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *parts])
