"""Samples of a graph in memory in several buffers: the passes of shards, cut out on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.device.memory import on_large_pages
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays
from clgraph.sampling.result import Sample, notes_of
from clgraph.sampling.selection import Selection
from clgraph.sampling.shards.choose import choose
from clgraph.sampling.shards.extract import Chosen, Extraction, Kept, unpacked
from clgraph.sampling.shards.passes import forest_pass
from clgraph.scale.comm import Alone
from clgraph.scale.loading import VALUES, Loading

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.progress import Tell
    from clgraph.run import run_on
    from clgraph.sampling.options import Size
    from clgraph.sampling.request import Request
    from clgraph.scale.held import HeldShards


def samples_of_blocks(
    call: run_on,
    held: HeldShards,
    graph: Graph,
    how: Request,
    seed: int,
    wanted: list[tuple[Size, int]],
    progress: Tell | None,
) -> list[Sample]:
    """One run of exact mode: a sample for each (size, target), in the order given."""
    device = call.device
    call.forget("sample", "result")
    watched = device.watch()
    n, method = held.num_vertices, how.method
    carried = held.carried
    found = forest_pass(Alone(), device, held, method, seed, room=None, progress=progress, values=carried)
    with device.alone():
        chosen = choose(device, found.words, n, method, seed, [target for _, target in wanted])
    loading, numbers = found.loading, found.own
    del found
    call.lap("sample")
    smaller = _extracted(held, device, loading, numbers, seed, chosen)
    call.lap("result")
    made = {}
    for size, target in wanted:
        each, part = chosen[target], smaller[target]
        told = notes_of(n, target, each.untouched, part.num_vertices, graph.num_self_loops)
        made[target] = Sample(
            method,
            how.mode,
            size,
            target,
            seed,
            device.name,
            dict(call.seconds),
            "untouched" if each.untouched else "forest",
            0,
            (*how.idle(), *told),
            graph,
            how.given,
            _Cut(each, seed),
            provenance=watched() | {"pieces": held.pieces},
        )._with_graph(part)
    return [made[target]._changed(size=size) for size, target in wanted]


def _extracted(
    held: HeldShards,
    device: Device,
    loading: Loading,
    numbers: list[int],
    seed: int,
    chosen: dict[int, Chosen],
) -> dict[int, Graph]:
    """Samples as graphs on the host, each by its target: shards are counted first, then cut."""
    n, carried, own_ids = held.num_vertices, held.carried, held.own_ids()
    with device.alone():
        cutting = {target: Extraction(device, seed, n, each) for target, each in chosen.items()}
    counts = dict.fromkeys(chosen, 0)
    for rows in loading.pairs(numbers):
        with device.alone():
            for target, extraction in cutting.items():
                counts[target] += extraction.count(rows)
    made = {target: _Growing(cutting[target].size, counts[target], carried) for target in chosen}
    for rows in loading.pairs(numbers):
        with device.alone():
            for target, extraction in cutting.items():
                made[target].add(extraction.of(rows, made[target].place))
    ids = {}
    for target, extraction in cutting.items():
        with device.alone():
            members = extraction.members()
        ids[target] = members.astype(np.int64) if own_ids is None else own_ids[members]
    return {
        target: Graph._from_arrays(cut.arrays(ids[target], held.directed)) for target, cut in made.items()
    }


class _Growing:
    """A sample that grows shard by shard, in order."""

    def __init__(self, vertices: int, arcs: int, carried: Sequence[str]) -> None:
        kinds = {"col_idx": np.int32, **{name: VALUES[name] for name in carried}}
        self._row_ptr: npt.NDArray[Any] = np.zeros(vertices + 1, np.int32 if arcs < 2**31 else np.int64)
        self._columns = {name: on_large_pages(arcs, np.dtype(kind)) for name, kind in kinds.items()}
        self._at = 0

    def place(self, name: str, count: int) -> npt.NDArray[Any]:
        """Where the next entries of a column belong."""
        return self._columns[name][self._at : self._at + count]

    def add(self, part: Kept) -> None:
        """Take over rows whose entries are in their places."""
        ends = self._row_ptr[part.first_row : part.first_row + len(part.row_ptr)]
        np.add(part.row_ptr, self._at, out=ends, dtype=ends.dtype)
        self._at += len(part.col_idx)

    def arrays(self, ids: npt.NDArray[Any], directed: bool) -> Arrays:
        """The whole."""
        return Arrays(self._row_ptr, **self._columns, ids=ids, directed=directed, num_self_loops=0)


class _Cut(Selection):
    """What a cut in the order of deletions chooses, by NumPy."""

    def __init__(self, chosen: Chosen, seed: int) -> None:
        self._chosen, self._seed = chosen, seed

    def members(self, graph: Graph, at: Any = 0) -> npt.NDArray[np.bool_]:
        return unpacked(self._chosen.bits, graph.num_vertices)

    def kept(self, graph: Graph, at: Any = 0) -> npt.NDArray[np.bool_]:
        members, simple, cut = self.members(graph), graph.undirected.without_self_loops, self._chosen.cut
        arcs = members[simple.tails] & members[simple.col_idx]
        if cut is not None:
            some = np.flatnonzero(arcs)
            tail, head = simple.tails[some], simple.col_idx[some]
            low, high = np.minimum(tail, head), np.maximum(tail, head)
            times = keyed.edge_priority(self._seed, low, high)
            words = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
            time, word = map(np.uint64, cut)
            arcs[some] = (times > time) | ((times == time) & (words > word))
        return arcs
