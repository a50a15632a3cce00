"""Exact samples of graphs in shards (drv, dre): a pass for the priority forest, and one for the edges."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
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
from clgraph.scale.extract import Chosen, Extraction
from clgraph.scale.forest import SHAPES, Forest, Words
from clgraph.scale.manifest import Manifest, Shard
from clgraph.scale.shards import Shards
from clgraph.scale.writing import Writer, check_dataset_name, new_dataset, row_sums, summed
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

    def __repr__(self) -> str:
        return (
            f"<ShardedSample: {self.method}, {int(np.count_nonzero(self.member))} vertices, "
            f"{self.num_edges} edges, target {self.target}, seed {self.seed}>"
        )


def sample_shards(
    shards: Shards,
    method: str = "drv",
    *,
    sizes: Sequence[Size],
    seed: int | None = None,
    device: str | Device | None = None,
    outputs: Sequence[str | os.PathLike[str] | None] | None = None,
    room: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> list[ShardedSample]:
    """Exact samples of a graph in shards, of several sizes in two passes over its pairs.

    The vertices and edges are those of ``clgraph.sample(graph, method, mode="exact")`` on the same graph in
    memory, whatever the shards, the device, or the room.

    Parameters
    ----------
    shards : Shards
    method : {"drv", "dre"}
    sizes : sequence of sizes
        As `clgraph.sample` takes them.
    seed : int, optional
        By default one is drawn from the operating system and recorded in the result.
    device : str or Device, optional
    outputs : sequence of str or path, optional
        A dataset's name for each size (or None); the sample is written there, a shard for each shard.
    room : int, optional
        Edges held on the device at a time; default: what fits half of its memory.
    strict : bool
        Raise an error for a count larger than the graph.
    progress : callable, optional
        Called with (shards done, shards to do).

    Returns
    -------
    list of ShardedSample
        In the order of `sizes`.

    Raises
    ------
    InputError
        A method that shards do not offer; a size that cannot be; a damaged shard.
    CapacityError
        If the vertices do not fit the device.
    """
    if not isinstance(shards, Shards):
        raise InputError(f"shards is {shown(shards)}: a dataset opened by clgraph.open_shards is needed")
    if method not in EXACT:
        raise InputError(
            f"{shown(method)} is not offered for shards, where each batch would read everything: only "
            f"{' and '.join(EXACT)} are; join a graph that fits into memory (clgraph convert IN OUT.clg)"
        )
    seed = keyed.check_seed(seed)
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
    from clgraph.device import get_device

    dev = get_device(device)
    with dev.alone():
        started = perf_counter()
        words = forest_words(shards, dev, method, seed, room=room, progress=progress)
        seconds = {"forest": perf_counter() - started}
        started = perf_counter()
        found = choose(dev, words, n, method, seed, targets)
        seconds["sample"] = perf_counter() - started
        made = []
        for size, target, name in zip(sizes, targets, names, strict=True):
            chosen, untouched = found[target]
            started = perf_counter()
            opened, edges = _edges(shards, dev, seed, chosen, name)
            notes = _notes(shards, target, untouched, chosen)
            took = {**seconds, "edges": perf_counter() - started}
            made.append(
                ShardedSample(
                    opened, chosen.member, edges, method, size, target, seed, dev.name, took, tuple(notes)
                )
            )
    return made


def _target(size: Size, n: int, strict: bool) -> int:
    target = target_size(size, n)
    if strict and target > n:
        raise InputError(f"size {shown(size)}: the graph has only {n} vertices")
    return target


def forest_words(
    shards: Shards,
    device: Device,
    method: str,
    seed: int,
    *,
    which: Sequence[int] | None = None,
    room: int | None = None,
    progress: Progress | None = None,
) -> Words:
    """The priority forest of a dataset, or of some of its shards, as ascending words."""
    section = shards.section("pairs")
    n = shards.num_vertices
    if room is None:
        shape = SHAPES.of(device)
        fixed = sum(Forest.memory(n, 0, shape).values())
        free = max(device.global_memory // 2 - fixed, 0)
        per_edge = 16 if shape.keep_times else 8
        room = min(section.edges, max(2 * n, free // per_edge), device.max_buffer // 8 - n)
    forest = Forest(device, n, seed, edges=method == "dre", room=max(room, 1))
    numbers = range(len(section.shards)) if which is None else which
    for done, rows in enumerate(shards.rows("pairs", list(numbers))):
        if progress:
            progress(done, len(numbers))
        forest.add_rows(rows.row_ptr, rows.col_idx, first_row=rows.shard.first_row)
    return forest.words()


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
    shards: Shards, device: Device, seed: int, chosen: Chosen, output: Path | None
) -> tuple[Shards | None, int]:
    """Write the sample as a dataset, if it has a name; and count its pairs."""
    extraction = Extraction(device, seed, chosen)
    if output is None:
        return None, sum(len(extraction.of(rows).col_idx) for rows in shards.rows("pairs"))
    size = int(np.count_nonzero(chosen.member))
    leaving = np.zeros(size)
    weighted = False
    with new_dataset(output) as folder:
        writer = Writer(folder, directed=shards.directed, vertices=size)
        sections = {}
        for name in shards.manifest.sections:
            made: list[Shard] = []
            for rows in shards.rows(name):
                kept = extraction.of(rows)
                values: dict[str, Any] = {
                    key: None if array is None else array[kept.place]
                    for key, array in (
                        ("weights", rows.weights),
                        ("multiplicity", rows.multiplicity),
                        ("way", rows.way),
                    )
                }
                if name in ("rows", "out"):
                    weighted = True
                    leaving[kept.first_row : kept.first_row + len(kept.row_ptr) - 1] = row_sums(
                        kept.row_ptr, values["weights"]
                    )
                made.append(
                    writer.shard(name, len(made), kept.first_row, kept.row_ptr, kept.col_idx, **values)
                )
            sections[name] = summed(made)
        ids = shards.ids[chosen.member]
        identity = ids.dtype != object and np.array_equal(ids, np.arange(size))
        writer.finish(
            Manifest(
                shards.directed,
                size,
                shards.manifest.weights,
                shards.manifest.multiplicity,
                sections,
                None if identity else writer.ids(ids),
                writer.numbers("leaving.f8", leaving) if weighted else None,
            )
        )
    from clgraph.scale.shards import open_shards

    return open_shards(output), sections["pairs"].edges


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
