"""Exact samples and curves of graphs in shards (drv, dre): a pass for the priority forest, one for the edges.

So are those of a graph in memory whose arcs exceed a device's largest buffer: its rows are cut into blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, is_word, shown, target_size
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.methods import plain_method
from clgraph.progress import Tell
from clgraph.run import not_offered
from clgraph.sampling.deletion_times import Path as CurvePath
from clgraph.sampling.deletion_times import count_pairs, follow
from clgraph.sampling.request import OF_SHARDS, Request, Size, check_seeds, check_sizes
from clgraph.sampling.result import Sample
from clgraph.sampling.samples import Origin
from clgraph.sampling.selection import DeviceArray, Selection
from clgraph.sampling.shards.extract import Extraction, Growing, write_sample
from clgraph.sampling.shards.forest import Choice, choose
from clgraph.sampling.shards.passes import ForestPass, about_of, check_method
from clgraph.sampling.shards.saved import Checkpoint, SavedForest, open_forest, spelled
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.loading import VALUES
from clgraph.scale.shards import Shards
from clgraph.scale.writing import check_dataset_name

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.run import run_on
    from clgraph.scale.blocks import GraphBlocks


def of_forest(
    chosen: Choice, seed: int, counts: tuple[int, int] | None = None, dataset: Shards | None = None
) -> Selection:
    """Return the selection by a cut in the order of deletions; `counts` of a dataset: vertices and edges."""
    return Selection(
        DeviceArray.of(chosen.bits.reshape(1, -1)),
        cut_off=None if chosen.cut is None else (seed, *chosen.cut),
        counts=None if counts is None else np.array([[*counts, 0]], np.int64),
        dataset=dataset,
    )


def checked_outputs(outputs: Sequence[str | os.PathLike[str] | None] | None, count: int) -> list[Path | None]:
    """Return a name, or None, for each of `count` samples."""
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


def _choose(found: ForestPass, targets: Sequence[int]) -> dict[int, Choice]:
    """Choose at rank 0, which says it to all, or where the forest is `everywhere` at each rank."""
    about, order, chosen = found.about, sorted(set(targets), reverse=True), dict[int, Choice]()
    if found.words is not None:
        with found.device.alone():
            chosen = choose(found.device, found.words, about.vertices, about.method, about.seed, order)
    if found.everywhere:
        return chosen
    shared: dict[int, Choice] = {}
    for target in order:
        bits = cuts = None
        if target in chosen:
            bits = chosen[target].bits
            cuts = np.array([*(chosen[target].cut or (0, 0)), chosen[target].untouched], np.uint64)
        bits, cuts = found.ranks.broadcast(bits, np.uint32), found.ranks.broadcast(cuts, np.uint64)
        cut = (int(cuts[0]), int(cuts[1])) if about.method == "dre" else None
        shared[target] = Choice(bits, cut, bool(cuts[2]))
    return shared


def sample_of_shards(
    shards: Shards,
    method: Any,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: Mapping[str, Any],
    *,
    room: int | None = None,
) -> list[Sample]:
    """Sample a graph in shards as `clgraph.sample` does, all sizes of a run in two passes over its pairs.

    What shards do not offer is refused. The bytes are the same whatever the shards, the devices, the ranks,
    or the `room`: edges blocks on a device at a time, by default what fits half of its memory.
    """
    given = dict(options)
    mode, connection = given.pop("mode", None), given.pop("connection", "weak")
    mode = "auto" if mode is None else mode  # None is the default of `clgraph.sample`
    taken = {name: given.pop(name, None) for name in (*OF_SHARDS, "seed", "device", "progress", "strict")}
    method = exact_method(shards, method, mode, connection, given)
    strict, seed, output, outputs = (taken[name] for name in ("strict", "seed", "output", "outputs"))
    wanted = check_sizes(shards, size, sizes, False if strict is None else strict)
    forest = forest_given(shards, method, taken["forest"], seed)
    first = shared_seed(seed if forest is None else forest.about.seed, shards.comm)
    runs = 1 if seeds is None else check_seeds(first, seeds)
    if forest is not None and runs > 1:
        raise InputError(
            f"{forest.path}: a forest of one seed, and {runs} runs are requested; leave seeds or forest out"
        )
    if output is not None:
        if outputs is not None or sizes is not None or seeds is not None:
            raise InputError("output is of one sample: give outputs, a name for each of several, alone")
        outputs = [output]
    names = checked_outputs(outputs, runs * len(wanted))
    folder = None if taken["checkpoint"] is None else file_name(taken["checkpoint"], "checkpoint")
    pass_options = {"room": room, "forest": forest, "progress": taken["progress"]}
    made: list[Sample] = []
    for run in range(runs):
        asked = [(*pair, names[run * len(wanted) + k]) for k, pair in enumerate(wanted)]
        work = partial(_one_run, shards, method, first + run, asked, folder, pass_options)
        made += run_on_ranks(work, taken["device"], shards.comm)
    return made


def _one_run(
    shards: Shards,
    method: str,
    seed: int,
    asked: list[tuple[Size, int, Path | None]],
    folder: Path | None,
    pass_options: dict[str, Any],
    ranks: Ranks,
    dev: Device,
) -> list[Sample]:
    """Make a sample for each (size, target, name of the output), equal at all ranks."""
    about = {"seed": str(seed), "outputs": str([str(name) for *_, name in asked])}
    ranks.agree(dataset=shards.fingerprint, method=method, sizes=str([size for size, *_ in asked]), **about)
    n, loops, seconds = shards.num_vertices, shards.section("pairs").loops, {}
    values = tuple(VALUES) if any(name for *_, name in asked) else ()
    started = perf_counter()
    kept = None if folder is None else Checkpoint(folder, about_of(shards, method, seed))
    found = ForestPass(ranks, dev, shards, method, seed, values=values, checkpoint=kept, **pass_options)
    seconds["forest"] = perf_counter() - started
    started = perf_counter()
    cuts = _choose(found, [target for _, target, _ in asked])
    # the second pass has its memory
    found.words = None
    seconds["sample"] = perf_counter() - started
    made = []
    for size, target, name in asked:
        chosen, opened = cuts[target], None
        started = perf_counter()
        with dev.alone():
            extraction = Extraction(dev, seed, n, chosen)
        if name is None:
            count = 0
            for rows in found.loaded():
                with dev.alone():
                    count += extraction.count(rows)
            edges = int(ranks.total(np.array([count]))[0])
        else:
            opened = write_sample(ranks, dev, shards, found.loading, extraction, name)
            edges = opened.section("pairs").edges
        seconds["edges"] = perf_counter() - started
        origin = Origin(shards, loops, Request(method, mode="exact"), dev.name, seconds, "forest", {})
        selection = of_forest(chosen, seed, (extraction.size, edges), opened)
        made.append(origin.sample(size, target, seed, chosen.untouched, extraction.size, 0, selection))
    found.forget()
    return made


def exact_method(shards: Shards, method: Any, mode: Any, connection: Any, batched: Mapping[str, Any]) -> str:
    """Return the plain name of a method; an InputError unless it and the options are of exact mode."""
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
    """Return the forest to be used instead of a pass, checked to be of this dataset, method and seed."""
    if forest is None:
        return None
    found = forest if isinstance(forest, SavedForest) else open_forest(forest)
    about_of(shards, method, found.about.seed if seed is None else seed).check_same(found.about, found.path)
    if found.missing:
        raise InputError(
            f"{found.path}: has {len(found.shards)} of {found.about.of} shards ({spelled(found.missing)} are "
            "missing): merge the others in (clgraph forest merge)"
        )
    return found


# --- Graphs in memory whose rows are cut into blocks ---


def samples_of_blocks(
    call: run_on,
    blocks: GraphBlocks,
    graph: Graph,
    request: Request,
    seed: int,
    wanted: list[tuple[Size, int]],
    progress: Tell | None,
) -> list[Sample]:
    """Make one run of exact mode: a sample for each (size, target), in the order given."""
    device = call.device
    call.forget("sample", "result")
    before = list(device.launched)
    found = ForestPass(
        Ranks(), device, blocks, request.method, seed, progress=progress, values=blocks.carried
    )
    chosen = _choose(found, [target for _, target in wanted])
    # the second pass has its memory
    found.words = None
    call.lap("sample")
    smaller = _extracted(blocks, found, chosen)
    call.lap("result")
    provenance = device.provenance(before) | {"pieces": blocks.num_blocks}
    loops = graph.num_self_loops
    origin = Origin(graph, loops, request, device.name, call.seconds, "forest", provenance)
    made = []
    for size, target in wanted:
        each, part = chosen[target], smaller[target]
        counts = each.untouched, part.num_vertices, 0
        one = origin.sample(size, target, seed, *counts, of_forest(each, seed))
        made.append(one._with_graph(part))
    return made


def _extracted(blocks: GraphBlocks, found: ForestPass, chosen: dict[int, Choice]) -> dict[int, Graph]:
    """Cut out samples as graphs on the host, each by its target: shards are counted first, then cut."""
    device, seed = found.device, found.about.seed
    n, carried, own_ids = blocks.num_vertices, blocks.carried, blocks.own_ids()
    with device.alone():
        cutting = {target: Extraction(device, seed, n, each) for target, each in chosen.items()}
    counts = dict.fromkeys(chosen, 0)
    for rows in found.loaded():
        with device.alone():
            for target, extraction in cutting.items():
                counts[target] += extraction.count(rows)
    made = {target: Growing(cutting[target].size, counts[target], carried) for target in chosen}
    for rows in found.loaded():
        with device.alone():
            for target, extraction in cutting.items():
                made[target].add(extraction.of(rows, made[target].next_entries))
    ids = {}
    for target, extraction in cutting.items():
        with device.alone():
            members = extraction.members()
        ids[target] = members.astype(np.int64) if own_ids is None else own_ids[members]
    return {
        target: Graph._from_arrays(cut.arrays(ids[target], blocks.directed)) for target, cut in made.items()
    }


# --- Curves ---


def curve_of_shards(
    shards: Shards,
    method: str,
    seed: int | None,
    *,
    size: Size,
    device: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **given: Any,
) -> tuple[Any, ...]:
    """Return what `clgraph.ReductionCurve` says of a graph in shards, by two passes over its pairs.

    The rows are those of `clgraph.reduction_curve` in exact mode, the options those of `ForestPass`.
    """
    n = shards.num_vertices
    target = target_size(size, n)
    agreed = shared_seed(seed, shards.comm)
    folder = None if checkpoint is None else file_name(checkpoint, "checkpoint")

    def work(ranks: Ranks, dev: Device) -> tuple[Any, ...]:
        ranks.agree(dataset=shards.fingerprint, method=f"curve, {method}", size=str(target), seed=str(seed))
        started = perf_counter()
        kept = None if folder is None else Checkpoint(folder, about_of(shards, method, agreed))
        found = ForestPass(ranks, dev, shards, method, agreed, checkpoint=kept, **given)
        path, edges = None, method == "dre"
        if found.words is not None:
            with dev.alone():
                path = follow(dev, found.words, n, agreed, target, edges=edges)
        if path is None or not found.everywhere:
            path = _at_all_ranks(ranks, dev, path, n, edges=edges)
        ends, gone = (
            ranks.total(_taken(dev, each, np.uint64, path.rows))
            for each in count_pairs(
                dev, path, agreed, found.loaded(), edges=edges, both_ways=shards.both_ways
            )
        )
        found.forget()
        pairs = np.cumsum(ends[::-1])[::-1].astype(np.int64)
        rows = np.cumsum(gone) - gone if edges else np.arange(len(ends))
        return (
            rows.astype(np.int64),
            _taken(dev, path.vertices, np.int64, path.rows),
            pairs,
            method,
            "exact",
            agreed,
            dev.name,
            perf_counter() - started,
        )

    return run_on_ranks(work, device, shards.comm)


def _taken(device: Device, buffer: Any, dtype: Any, count: int) -> npt.NDArray[Any]:
    with device.alone():
        return device.download(buffer, dtype, count)


def _at_all_ranks(ranks: Ranks, device: Device, path: CurvePath | None, n: int, *, edges: bool) -> CurvePath:
    """Rank 0's path, on the devices of all ranks."""
    rows = int(ranks.broadcast(None if path is None else np.array([path.rows]), np.int64)[0])

    def shared(name: str, dtype: Any, count: int) -> Any:
        if path is None:
            found = ranks.broadcast(None, dtype)
            with device.alone():
                return device.upload(found)
        ranks.broadcast(_taken(device, getattr(path, name), dtype, count), dtype)
        return getattr(path, name)

    last, vertices = shared("last", np.int32, n), shared("vertices", np.int64, rows)
    return CurvePath(rows, last, vertices, shared("cuts", np.uint64, rows - 1) if edges else None)
