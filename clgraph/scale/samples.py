"""Exact samples of graphs in shards (drv, dre): a pass for the priority forest, and one for the edges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.graph.building import sorted_rows
from clgraph.sampling.threshold_search import ExactRun
from clgraph.scale.extract import Chosen, Extraction, Kept
from clgraph.scale.forest import SHAPES, Forest, Words
from clgraph.scale.manifest import Manifest
from clgraph.scale.ranks import Ranks, run_on_ranks
from clgraph.scale.shards import ShardRows, Shards, check_shards, open_shards
from clgraph.scale.writing import Writer, check_dataset_name, gathered, row_sums, shared_dataset, summed
from clgraph.sizes import target_size

if TYPE_CHECKING:
    from clgraph.device import Device

Size = float | int | str
Progress = Callable[[int, int], None]
EXACT = ("drv", "dre")


@dataclass(frozen=True)
class ShardedSample:
    """A sample of a graph in shards.

    Attributes
    ----------
    shards : Shards, or None
        The sample as a dataset, where an output was named.
    member : bool array, shape (n,)
        Which vertices of the original are in it.
    num_edges : int
        Edges (of a directed graph: connected pairs).
    method : str
    size : float, int or str
    target, seed : int
    device : str
    seconds : dict of str to float
        forest, sample, edges.
    notes : tuple of str
    """

    shards: Shards | None
    member: npt.NDArray[np.bool_]
    num_edges: int
    method: str
    size: Size
    target: int
    seed: int
    device: str
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()

    @property
    def num_vertices(self) -> int:
        """Number of vertices in the sample."""
        return int(np.count_nonzero(self.member))

    def to_dict(self) -> dict[str, Any]:
        """The scalars (vertices and edges as counts), ready for JSON."""
        return {
            "method": self.method,
            "mode": "exact",
            "seed": self.seed,
            "size": self.size,
            "target": self.target,
            "vertices": self.num_vertices,
            "edges": self.num_edges,
            "device": self.device,
            "fingerprint": None if self.shards is None else self.shards.fingerprint,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return (
            f"<ShardedSample: {self.method}, {self.num_vertices} vertices, "
            f"{self.num_edges} edges, target {self.target}, seed {self.seed}>"
        )


def sample_shards(
    shards: Shards,
    method: str = "drv",
    *,
    sizes: Sequence[Size],
    seed: int | None = None,
    device: str | Device | Sequence[str | Device] | None = None,
    outputs: Sequence[str | os.PathLike[str] | None] | None = None,
    room: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    comm: Any = None,
) -> list[ShardedSample]:
    """Exact samples of a graph in shards, of several sizes in two passes over its pairs.

    The vertices and edges are those of ``clgraph.sample(graph, method, mode="exact")`` on the same graph in
    memory, whatever the shards, the devices, the ranks, or the room.

    Parameters
    ----------
    shards : Shards
    method : {"drv", "dre"}
    sizes : sequence of sizes
        As `clgraph.sample` takes them.
    seed : int, optional
        By default one is drawn from the operating system and recorded in the result.
    device : str or Device, or several of them, optional
        Several (``"0:0,0:1"``, or a list) share the work, each in a thread; MPI's ranks on one host take them
        in turn.
    outputs : sequence of str or path, optional
        A dataset's name for each size (or None); the sample is written there, a shard for each shard.
    room : int, optional
        Edges held on a device at a time; default: what fits half of its memory.
    strict : bool
        Raise an error for a count larger than the graph.
    progress : callable, optional
        Called with (shards done, shards to do), at rank 0.
    comm : mpi4py.MPI.Comm, optional
        Whose ranks work together; default: all processes that a launcher such as mpiexec has started.

    Returns
    -------
    list of ShardedSample
        In the order of `sizes`; equal at all ranks.

    Raises
    ------
    InputError
        A method that shards do not offer; a size that cannot be; a damaged shard; ranks that differ.
    CapacityError
        If the vertices do not fit the device.
    """
    check_shards(shards)
    if method not in EXACT:
        raise InputError(
            f"{shown(method)} is not offered for shards, where each batch would read everything: only "
            f"{' and '.join(EXACT)} are; join a graph that fits into memory (clgraph convert IN OUT.clg)"
        )
    if seed is not None:
        keyed.check_seed(seed)
    n = shards.num_vertices
    if n == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    targets = [_target(size, n, strict) for size in sizes]
    names = [None] * len(targets) if outputs is None else [None if o is None else Path(o) for o in outputs]
    if len(names) != len(targets):
        raise InputError(f"{len(names)} outputs for {len(targets)} sizes: one for each, or none")
    for name in names:
        if name is not None:
            check_dataset_name(name)

    def work(ranks: Ranks, dev: Device) -> list[ShardedSample]:
        drawn = np.array([keyed.check_seed(seed)], np.uint64)
        agreed = int(ranks.broadcast(drawn, np.uint64)[0])
        asked = {"sizes": str(list(sizes)), "seed": str(seed), "outputs": str([str(name) for name in names])}
        ranks.agree(dataset=shards.fingerprint, method=method, **asked)
        return _sample(
            ranks, dev, shards, method, agreed, list(zip(sizes, targets, names, strict=True)), room, progress
        )

    return run_on_ranks(work, device, comm)


def _sample(
    ranks: Ranks,
    device: Device,
    shards: Shards,
    method: str,
    seed: int,
    wanted: list[tuple[Size, int, Path | None]],
    room: int | None,
    progress: Progress | None,
) -> list[ShardedSample]:
    started = perf_counter()
    words = forest_of(ranks, device, shards, method, seed, room=room, progress=progress)
    seconds = {"forest": perf_counter() - started}
    started = perf_counter()
    targets = [target for _, target, _ in wanted]
    found = _chosen(ranks, device, words, shards.num_vertices, method, seed, targets)
    seconds["sample"] = perf_counter() - started
    made = []
    for size, target, name in wanted:
        chosen, untouched = found[target]
        started = perf_counter()
        opened, edges = _edges(ranks, device, shards, seed, chosen, name)
        took = {**seconds, "edges": perf_counter() - started}
        notes = tuple(_notes(shards, target, untouched, chosen))
        made.append(
            ShardedSample(opened, chosen.member, edges, method, size, target, seed, device.name, took, notes)
        )
    return made


def _target(size: Size, n: int, strict: bool) -> int:
    target = target_size(size, n)
    if strict and target > n:
        raise InputError(f"size {shown(size)}: the graph has only {n} vertices")
    return target


def forest_of(
    ranks: Ranks,
    device: Device,
    shards: Shards,
    method: str,
    seed: int,
    *,
    room: int | None = None,
    progress: Progress | None = None,
) -> Words | None:
    """The priority forest of a dataset, as ascending words, at rank 0; None elsewhere."""
    section = shards.section("pairs")
    n = shards.num_vertices
    numbers = list(ranks.shares(len(section.shards)))
    if room is None:
        mine = sum(section.shards[number].edges for number in numbers)
        room = default_room(device, n, mine)
    with device.alone():
        forest = Forest(device, n, seed, edges=method == "dre", room=max(room, 1))
    for done, rows in enumerate(shards.rows("pairs", numbers)):
        if progress and ranks.rank == 0:
            progress(done, len(numbers))
        with device.alone():
            forest.add_rows(rows.row_ptr, rows.col_idx, first_row=rows.shard.first_row)

    def pack(own: Forest) -> Words:
        with device.alone():
            return own.words()

    def join(own: Forest, other: npt.NDArray[np.uint8]) -> Forest:
        with device.alone():
            own.add_words(other.view(np.uint64))
        return own

    whole = ranks.merge(forest, pack, join)
    return None if whole is None else pack(whole)


def default_room(device: Device, n: int, edges: int) -> int:
    """Edges to hold at a time: all, or as many as fit half of the device's memory beside the vertices."""
    shape = SHAPES.of(device)
    fixed = sum(Forest.memory(n, 0, shape).values())
    free = max(device.global_memory // 2 - fixed, 0)
    most = max(2 * n, free // (16 if shape.keep_times else 8))
    return max(1, min(edges, most, device.max_buffer // 8 - n))


def _chosen(
    ranks: Ranks, device: Device, words: Words | None, n: int, method: str, seed: int, targets: Sequence[int]
) -> dict[int, tuple[Chosen, bool]]:
    """`choose` at rank 0, told to all."""
    order = sorted(set(targets), reverse=True)
    found: dict[int, tuple[Chosen, bool]] = {}
    if words is not None:
        with device.alone():
            found = choose(device, words, n, method, seed, order)
    for target in order:
        bits = cuts = None
        if words is not None:
            chosen, untouched = found[target]
            bits = np.packbits(chosen.member)
            cuts = np.array([*(chosen.cut or (0, 0)), untouched], np.uint64)
        bits, cuts = ranks.broadcast(bits, np.uint8), ranks.broadcast(cuts, np.uint64)
        if words is None:
            member = np.unpackbits(bits, count=n).astype(bool)
            cut = (int(cuts[0]), int(cuts[1])) if method == "dre" else None
            found[target] = Chosen(member, cut), bool(cuts[2])
    return found


def choose(
    device: Device, words: Words, n: int, method: str, seed: int, targets: Sequence[int]
) -> dict[int, tuple[Chosen, bool]]:
    """For each target what is in the sample, and whether nothing was deleted; from the forest alone."""
    a, b = (words >> np.uint64(32)).astype(np.int32), (words & np.uint64(0xFFFFFFFF)).astype(np.int32)
    forest = Graph.of(sorted_rows(a, b, n, directed=False))
    run = ExactRun(device, forest, seed, edges=method == "dre")
    whole = run.start()
    found: dict[int, tuple[Chosen, bool]] = {}
    for target in sorted(set(targets), reverse=True):
        run.shrink_to(target)
        member = run.download().vertices
        cut = None
        if method == "dre":
            across = member[a] != member[b]
            cut = (0, 0)
            if np.any(across):
                times = keyed.edge_priority(seed, a[across], b[across])
                last = int(np.lexsort((words[across], times))[-1])
                cut = int(times[last]), int(words[across][last])
        found[target] = Chosen(member, cut), whole <= target
    return found


def _edges(
    ranks: Ranks, device: Device, shards: Shards, seed: int, chosen: Chosen, output: Path | None
) -> tuple[Shards | None, int]:
    """Write the sample as a dataset, if it has a name; and count its pairs."""
    with device.alone():
        extraction = Extraction(device, seed, chosen)

    def parts(name: str) -> Iterator[tuple[int, ShardRows, Kept]]:
        numbers = list(ranks.shares(len(shards.section(name).shards)))
        for number, rows in zip(numbers, shards.rows(name, numbers), strict=True):
            with device.alone():
                kept = extraction.of(rows)
            yield number, rows, kept

    if output is None:
        count = sum(len(kept.col_idx) for _, _, kept in parts("pairs"))
        return None, int(ranks.total(np.array([count]))[0])
    size = int(np.count_nonzero(chosen.member))
    with shared_dataset(ranks, output) as folder:
        writer = Writer(folder, directed=shards.directed, vertices=size)
        sections = {}
        leaving: list[tuple[int, npt.NDArray[np.float64]]] = []
        for name in shards.manifest.sections:
            made = {}
            for number, rows, kept in parts(name):
                values: dict[str, Any] = {
                    key: None if array is None else array[kept.place]
                    for key, array in (
                        ("weights", rows.weights),
                        ("multiplicity", rows.multiplicity),
                        ("way", rows.way),
                    )
                }
                if name in ("rows", "out"):
                    leaving.append(
                        (
                            kept.first_row,
                            row_sums(
                                kept.row_ptr,
                                values["multiplicity"] if values["weights"] is None else values["weights"],
                            ),
                        )
                    )
                made[number] = writer.shard(
                    name, number, kept.first_row, kept.row_ptr, kept.col_idx, **values
                )
            sections[name] = summed(gathered(ranks, made))
        sums = _gathered_sums(ranks, leaving, size)
        if ranks.rank == 0:
            ids = shards.ids[chosen.member]
            identity = ids.dtype != object and np.array_equal(ids, np.arange(size))
            known = {"rows", "out"} & shards.manifest.sections.keys()
            writer.finish(
                Manifest(
                    shards.directed,
                    size,
                    shards.manifest.weights,
                    shards.manifest.multiplicity,
                    sections,
                    None if identity else writer.ids(ids),
                    writer.numbers("leaving.f8", sums) if known else None,
                )
            )
    return open_shards(output), sections["pairs"].edges


def _gathered_sums(
    ranks: Ranks, parts: list[tuple[int, npt.NDArray[np.float64]]], size: int
) -> npt.NDArray[np.float64]:
    """One array of the parts that all ranks have, from (first entry, values)."""
    sums = np.zeros(size)
    firsts = ranks.everywhere(np.array([[first, len(part)] for first, part in parts], np.int64).reshape(-1))
    values = ranks.everywhere(np.concatenate([np.empty(0), *(part for _, part in parts)]))
    for where, found in zip(firsts, values, strict=True):
        at = 0
        for first, count in where.reshape(-1, 2).tolist():
            sums[first : first + count] = found[at : at + count]
            at += count
    return sums


def _notes(shards: Shards, target: int, untouched: bool, chosen: Chosen) -> list[str]:
    notes = []
    loops = shards.section("pairs").loops
    if loops:
        notes.append(f"{loops} self-loops play no part and are not in the sample")
    if untouched:
        found, n = int(np.count_nonzero(chosen.member)), shards.num_vertices
        notes.append(
            f"the largest component has {found} of {n} vertices, not more than the target of {target}: it is "
            "returned untouched"
        )
    return notes
