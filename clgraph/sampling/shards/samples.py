"""Exact samples of graphs in shards (drv, dre): a pass for the priority forest, and one for the edges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import file_name, is_word, shown, target_size
from clgraph.errors import InputError
from clgraph.methods import plain_method
from clgraph.progress import Tell
from clgraph.run import not_offered
from clgraph.sampling.options import OF_SHARDS, check_seeds, check_sizes
from clgraph.sampling.result import Sample, notes_of
from clgraph.sampling.selection import Mask, Selection
from clgraph.sampling.shards.choose import choose
from clgraph.sampling.shards.extract import Bits, Chosen, Extraction, unpacked
from clgraph.sampling.shards.passes import about_of, forest_pass, forget
from clgraph.sampling.shards.sampled import count_edges, write_sample
from clgraph.sampling.shards.saved import SavedForest, open_forest
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.loading import VALUES
from clgraph.scale.shards import Shards
from clgraph.scale.writing import check_dataset_name

if TYPE_CHECKING:
    from clgraph.device import Device

Size = float | int | str
EXACT = ("drv", "dre")


@dataclass(frozen=True)
class OfDataset(Selection):
    """What a run chose of a dataset, as bits.

    Attributes
    ----------
    bits : uint32 words
        A bit for each vertex.
    counts : (int, int)
        Vertices and edges (pairs, of a directed graph).
    dataset : Shards or None
        The sample, where it was written.
    """

    bits: Bits
    counts: tuple[int, int]
    dataset: Shards | None

    def counts_of(self, at: Any = 0) -> tuple[int, int]:
        return self.counts

    def members(self, graph: Any, at: Any = 0) -> Mask:
        return unpacked(self.bits, graph.num_vertices)


def sample_shards(
    shards: Shards,
    method: str = "drv",
    *,
    sizes: Sequence[Size],
    seed: int | None = None,
    device: Any = None,
    outputs: Sequence[str | os.PathLike[str] | None] | None = None,
    room: int | None = None,
    strict: bool = False,
    progress: Tell | None = None,
    forest: SavedForest | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> list[Sample]:
    """`clgraph.sample` of a graph in shards: samples of several sizes in two passes over its pairs.

    Their bytes are the same whatever the shards, the devices, the ranks, or the room.

    Parameters
    ----------
    shards : Shards
    method : {"drv", "dre"}
    sizes, seed, strict
        As `clgraph.sample` takes them.
    device : str or Device, or several of them, optional
        Several (``"0:0,0:1"``, or a list) share the work, each in a thread; MPI's ranks on one host take them
        in turn.
    outputs : sequence of str or path, optional
        A dataset's name for each size (or None); the sample is written there, a shard for each shard.
    room : int, optional
        Edges held on a device at a time; default: what fits half of its memory.
    progress : callable, optional
        Called with (shards done, shards to do), at rank 0.
    forest : SavedForest, optional
        Instead of the first pass; of this dataset, method and seed.
    checkpoint : path, optional
        A folder that keeps what the first pass has found; it is gone when the samples are there.

    Returns
    -------
    list of Sample
        In the order of `sizes`; equal at all ranks.
    """
    n = check_method(shards, method)
    targets = [_target(size, n, strict) for size in sizes]
    names = checked_outputs(outputs, len(targets))
    folder = None if checkpoint is None else file_name(checkpoint, "checkpoint")

    def work(ranks: Ranks, dev: Device) -> list[Sample]:
        drawn = np.array([keyed.check_seed(seed)], np.uint64)
        agreed = int(ranks.broadcast(drawn, np.uint64)[0])
        asked = {"sizes": str(list(sizes)), "seed": str(seed), "outputs": str([str(name) for name in names])}
        ranks.agree(dataset=shards.fingerprint, method=method, **asked)
        return _sample(
            ranks,
            dev,
            shards,
            method,
            agreed,
            list(zip(sizes, targets, names, strict=True)),
            room=room,
            progress=progress,
            forest=forest,
            checkpoint=folder,
        )

    return run_on_ranks(work, device, shards.comm)


def check_method(shards: Shards, method: str) -> int:
    """The number of vertices; InputError if there are none, or for a method that shards do not offer."""
    if not isinstance(method, str) or method not in EXACT:
        raise InputError(
            f"{shown(method)} is not offered for shards, where each batch would read everything: only "
            f"{' and '.join(EXACT)} are; join a graph that fits into memory (clgraph convert IN OUT.clg)"
        )
    if shards.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    return shards.num_vertices


def checked_outputs(outputs: Sequence[str | os.PathLike[str] | None] | None, count: int) -> list[Path | None]:
    """A name, or None, for each of `count` samples."""
    if outputs is None:
        return [None] * count
    if isinstance(outputs, (str, bytes)) or not isinstance(outputs, Iterable):
        raise InputError(f"outputs is {shown(outputs)}: a list of names is needed, one for each sample")
    names = [None if name is None else file_name(name, "outputs") for name in outputs]
    if len(names) != count:
        raise InputError(f"{len(names)} outputs for {count} sizes: one for each, or none")
    for name in names:
        if name is not None:
            check_dataset_name(name)
    given = [os.path.realpath(name) for name in names if name is not None]
    if len(set(given)) < len(given):
        raise InputError("two of the outputs have one name: give each its own")
    return names


def _sample(
    ranks: Ranks,
    device: Device,
    shards: Shards,
    method: str,
    seed: int,
    wanted: list[tuple[Size, int, Path | None]],
    *,
    checkpoint: Path | None,
    **given: Any,
) -> list[Sample]:
    started = perf_counter()
    n = shards.num_vertices
    written = any(name is not None for _, _, name in wanted)
    values = tuple(VALUES) if written else ()
    forest = forest_pass(ranks, device, shards, method, seed, values=values, checkpoint=checkpoint, **given)
    seconds = {"forest": perf_counter() - started}
    started = perf_counter()
    found = _chosen(
        ranks,
        device,
        forest.words,
        n,
        method,
        seed,
        [target for _, target, _ in wanted],
        everywhere=forest.everywhere,
    )
    loading, numbers, loops = forest.loading, forest.own, shards.section("pairs").loops
    del forest
    seconds["sample"] = perf_counter() - started
    made = []
    for size, target, name in wanted:
        chosen = found[target]
        started = perf_counter()
        with device.alone():
            extraction = Extraction(device, seed, n, chosen)
        opened = None
        if name is None:
            edges = count_edges(ranks, device, loading, extraction, numbers)
        else:
            opened, edges = write_sample(ranks, device, shards, loading, extraction, name)
        took = {**seconds, "edges": perf_counter() - started}
        made.append(
            Sample(
                method,
                "exact",
                size,
                target,
                seed,
                device.name,
                took,
                "untouched" if chosen.untouched else "forest",
                0,
                tuple(notes_of(n, target, chosen.untouched, extraction.size, loops)),
                shards,
                selection=OfDataset(chosen.bits, (extraction.size, edges), opened),
            )
        )
    forget(ranks, checkpoint, about_of(shards, method, seed))
    return made


def _target(size: Size, n: int, strict: bool) -> int:
    target = target_size(size, n)
    if strict and target > n:
        raise InputError(f"size {shown(size)}: the graph has only {n} vertices")
    return target


def _chosen(
    ranks: Ranks,
    device: Device,
    words: Any,
    n: int,
    method: str,
    seed: int,
    targets: Sequence[int],
    *,
    everywhere: bool,
) -> dict[int, Chosen]:
    """`choose` at rank 0, told to all, or where the forest is `everywhere` at each rank."""
    order = sorted(set(targets), reverse=True)
    found: dict[int, Chosen] = {}
    if words is not None:
        with device.alone():
            found = choose(device, words, n, method, seed, order)
    if everywhere:
        return found
    told: dict[int, Chosen] = {}
    for target in order:
        bits = cuts = None
        if words is not None:
            bits = found[target].bits
            cuts = np.array([*(found[target].cut or (0, 0)), found[target].untouched], np.uint64)
        bits, cuts = ranks.broadcast(bits, np.uint32), ranks.broadcast(cuts, np.uint64)
        cut = (int(cuts[0]), int(cuts[1])) if method == "dre" else None
        told[target] = Chosen(bits, cut, bool(cuts[2]))
    return told


def sample_of_shards(
    shards: Shards,
    method: Any,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> Sample | list[Sample]:
    """`clgraph.sample` of a graph in shards, with what it does not offer refused."""
    given = dict(options)
    mode, connection = given.pop("mode", "auto"), given.pop("connection", "weak")
    taken = {name: given.pop(name, None) for name in (*OF_SHARDS, "seed", "device", "progress", "strict")}
    method = exact_method(shards, method, mode, connection, given)
    strict = taken.pop("strict")
    wanted = [each for each, _ in check_sizes(shards, size, sizes, False if strict is None else strict)]
    seed = taken.pop("seed")
    taken["forest"] = forest = forest_given(shards, method, taken["forest"], seed)
    first = shared_seed(seed if forest is None else forest.about.seed, shards.comm)
    runs = check_seeds(first, seeds)
    if forest is not None and runs > 1:
        raise InputError(f"{forest.path}: a forest of one seed, and {runs} runs are asked for")
    several = sizes is not None or seeds is not None
    output, outputs = taken.pop("output"), taken.pop("outputs")
    if output is not None:
        if outputs is not None or several:
            raise InputError("output is of one sample: give outputs, a name for each of several, alone")
        outputs = [output]
    names = checked_outputs(outputs, runs * len(wanted))
    made: list[Sample] = []
    for run in range(runs):
        some = names[run * len(wanted) :][: len(wanted)]
        made += sample_shards(shards, method, sizes=wanted, seed=first + run, outputs=some, **taken)
    return made if several else made[0]


def exact_method(shards: Shards, method: Any, mode: Any, connection: Any, batched: Mapping[str, Any]) -> str:
    """The plain name of a method; InputError unless it and the options are of exact mode."""
    method = plain_method(method)
    check_method(shards, method)
    if not is_word(mode, "auto", "exact"):
        raise not_offered("mode", mode, "each of its batches would read everything")
    offered = ("weak",) if shards.directed else ("weak", "strong")
    if not is_word(connection, *offered):
        raise not_offered("connection", connection, "samples keep weak components")
    for name, value in batched.items():
        if value is not None:
            raise not_offered(name, value, f"it is no option of {method} in exact mode")
    return str(method)


def forest_given(shards: Shards, method: str, forest: Any, seed: int | None) -> SavedForest | None:
    """The forest to be used instead of a pass, checked to be of this dataset, method and seed."""
    if forest is None:
        return None
    found = forest if isinstance(forest, SavedForest) else open_forest(forest)
    about_of(shards, method, found.about.seed if seed is None else seed).check_same(found.about, found.path)
    found.check_complete()
    return found
