"""A graph in memory as shards: its arcs in several buffers, where they exceed a device's largest one."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.csr.upload import Place
from clgraph.device.pages import on_large_pages
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import row_ptr_of
from clgraph.graph.place import View
from clgraph.lazy import lazy
from clgraph.sampling.result import Sample
from clgraph.sampling.samples import notes_of
from clgraph.scale.choose import choose
from clgraph.scale.cut import cuts
from clgraph.scale.extract import Chosen, Extraction, Kept, unpacked
from clgraph.scale.loading import VALUES, Loading
from clgraph.scale.manifest import Manifest, Section, Shard
from clgraph.scale.passes import forest_pass
from clgraph.scale.ranks import Alone
from clgraph.scale.shards import ShardRows, Shards
from clgraph.scale.writing import row_sums, summed

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.progress import Tell
    from clgraph.sampling.options import Options, Size
    from clgraph.sampling.samples import Clock


class OneProcess:
    """Stands in for MPI's communicator: the graph is this process's own, whatever has started it."""

    def Get_size(self) -> int:
        """How many processes there are."""
        return 1


class HeldShards(Shards):
    """Shards that are parts of arrays on the host, checked when these were made.

    Attributes
    ----------
    pieces : int
        The most shards that a section has: so many buffers hold its arcs.
    """

    def __init__(self, graph: Graph, sections: dict[str, Arrays], values: bool, shard_edges: int) -> None:
        whole = graph.arrays
        self._graph = weakref.ref(graph)
        self.folder, self.comm = Path("the graph in memory"), OneProcess()
        self._arrays, self._ids = sections, whole.ids
        made = {name: _cut(name, arrays, shard_edges) for name, arrays in sections.items()}
        self.manifest = Manifest(
            whole.directed,
            whole.num_vertices,
            values and whole.weights is not None,
            values and whole.multiplicity is not None,
            made,
        )
        if "pairs" not in made:  # the rows have them, too, and need not be gone through on the host
            self.pairs, self.both_ways = ("out", False) if whole.directed else ("rows", True)
        self.pieces = max(len(section.shards) for section in made.values())
        self._whole = whole

    @staticmethod
    def of(graph: Graph, sections: Sequence[str], values: bool, shard_edges: int) -> HeldShards:
        """The sections of a graph; it holds its arrays, never the graph."""
        made = {name: _section(graph, name) for name in sections}
        return HeldShards(graph, made, values, shard_edges)

    def answer_call(self, name: str, *given: Any, device: Device, **options: Any) -> Any:
        """What a public call gives; its result says that the arcs were in several buffers."""
        how = device.watch()
        made = super().answer_call(name, *given, device=device, **options)
        return replace(made, pieces=self.pieces, **how())

    @property
    def owner(self) -> Graph | None:
        """The graph whose parts these are."""
        return self._graph()

    @property
    def _carried(self) -> list[str]:
        return [name for name in ("weights", "multiplicity") if getattr(self.manifest, name)]

    @property
    def num_edges(self) -> int:
        """Number of edges (undirected) or arcs (directed)."""
        loops = self._whole.count_loops()
        return self._whole.num_arcs if self.directed else (self._whole.num_arcs + loops) // 2

    def __repr__(self) -> str:
        return f"<HeldShards: {self.pieces} parts of {self.owner!r}>"

    @lazy
    def ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,)."""
        return np.arange(self.num_vertices, dtype=np.int64) if self._ids is None else self._ids

    def _own_ids(self) -> npt.NDArray[Any] | None:
        return self._ids

    @lazy
    def leaving(self) -> npt.NDArray[np.float64]:
        """The weight that leaves each vertex (without weights: how many arcs), shape (n,)."""
        whole = self._whole
        carried = whole.multiplicity if whole.weights is None else whole.weights
        return row_sums(whole.row_ptr, carried)  # type: ignore[arg-type]

    def held(self, name: str, number: int) -> ShardRows:
        """A shard's rows."""
        shard, arrays = self.section(name).shards[number], self._arrays[name]
        row_ptr = arrays.row_ptr[shard.first_row : shard.first_row + shard.rows + 1]
        part = slice(int(row_ptr[0]), int(row_ptr[-1]))
        offset = np.int32 if shard.edges < 2**31 else np.int64
        return ShardRows(
            shard,
            (row_ptr - row_ptr[0]).astype(offset),
            arrays.col_idx[part],
            None if arrays.weights is None else arrays.weights[part],
            None if arrays.multiplicity is None else arrays.multiplicity[part],
        )

    def samples(
        self,
        device: Device,
        graph: Graph,
        how: Options,
        seed: int,
        wanted: list[tuple[Size, int]],
        clock: Clock,
        progress: Tell | None,
    ) -> list[Sample]:
        """One run of exact mode: a sample for each (size, target), in the order given."""
        watched = device.watch()
        n, method = self.num_vertices, how.method
        carried = self._carried
        found = forest_pass(Alone(), device, self, method, seed, room=None, progress=progress, values=carried)
        with device.alone():
            chosen = choose(device, found.words, n, method, seed, [target for _, target in wanted])
        loading, numbers = found.loading, found.own
        del found
        clock.lap("sample")
        smaller = self._extracted(device, loading, numbers, seed, chosen)
        clock.lap("result")
        made = {}
        for size, target in wanted:
            each, part = chosen[target], smaller[target]
            told = notes_of(graph, target, each.untouched, part.num_vertices, graph.num_self_loops)
            made[target] = Sample(
                part,
                method,
                how.mode,
                size,
                target,
                seed,
                device.name,
                0,
                clock.seconds(),
                "untouched" if each.untouched else "forest",
                (*how.idle(), *told),
                graph,
                _Left(graph, each, seed),
                options=how.given,
                pieces=self.pieces,
                **watched(),
            )
        return [replace(made[target], size=size) for size, target in wanted]

    def _extracted(
        self, device: Device, loading: Loading, numbers: list[int], seed: int, chosen: dict[int, Chosen]
    ) -> dict[int, Graph]:
        """Samples as graphs on the host, each by its target: shards are counted first, then cut."""
        n, carried = self.num_vertices, self._carried
        with device.alone():
            cutting = {target: Extraction(device, seed, n, each) for target, each in chosen.items()}
        counts = dict.fromkeys(chosen, 0)
        for rows in loading.pairs(numbers):
            with device.alone():
                for target, extraction in cutting.items():
                    counts[target] += extraction.count(rows)
        made = {target: _Cut(cutting[target].size, counts[target], carried) for target in chosen}
        for rows in loading.pairs(numbers):
            with device.alone():
                for target, extraction in cutting.items():
                    made[target].add(extraction.of(rows, made[target].place))
        ids = {}
        for target, extraction in cutting.items():
            with device.alone():
                members = extraction.members()
            ids[target] = members.astype(np.int64) if self._ids is None else self._ids[members]
        return {target: Graph.of(cut.arrays(ids[target], self.directed)) for target, cut in made.items()}


class _Cut:
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


class _Shelf(Place):
    """Where a device keeps parts of a graph, which `Graph.free` gives back; it makes no views of them."""

    def view(self, graph: Any, view: View) -> None:
        """The host makes it."""


def shelve(device: Device, graph: Graph) -> None:
    """Let a graph know that a device may hold parts of it."""
    graph.settle(device.cached(graph, "shelf", lambda: _Shelf(device)))


class _Left:
    """What a sample leaves of ``graph.undirected.simple``, made by NumPy at the first look."""

    group = None

    def __init__(self, graph: Graph, chosen: Chosen, seed: int) -> None:
        self._graph, self._chosen, self._seed = graph, chosen, seed

    @lazy
    def vertices(self) -> npt.NDArray[np.bool_]:
        """Which vertices are left."""
        return unpacked(self._chosen.bits, self._graph.num_vertices)

    @lazy
    def arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs are left."""
        simple, cut = self._graph.undirected.simple, self._chosen.cut
        arcs = self.vertices[simple.rows] & self.vertices[simple.col_idx]
        if cut is not None:
            some = np.flatnonzero(arcs)
            tail, head = simple.rows[some], simple.col_idx[some]
            low, high = np.minimum(tail, head), np.maximum(tail, head)
            times = keyed.edge_priority(self._seed, low, high)
            words = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
            time, word = map(np.uint64, cut)
            arcs[some] = (times > time) | ((times == time) & (words > word))
        return arcs


def _section(graph: Graph, name: str) -> Arrays:
    """The rows of a section of the whole graph; of pairs without their ways."""
    if name in ("rows", "out"):
        return graph.arrays
    if name == "in":
        return graph.reverse.arrays
    view = graph.undirected
    tails, heads = view.rows, view.col_idx
    once = tails <= heads
    return Arrays(row_ptr_of(np.bincount(tails[once], minlength=graph.num_vertices)), heads[once])


def _cut(name: str, arrays: Arrays, shard_edges: int) -> Section:
    """A section's shards; where they are cut makes no difference to any result."""
    row_ptr, made = arrays.row_ptr, []
    for number, (first, last) in enumerate(cuts(row_ptr, shard_edges, 1)):
        edges = int(row_ptr[last] - row_ptr[first])
        made.append(Shard(f"{name}-{number}", first, last - first, edges, 0, 0, 0, 0))
    return summed(made)
