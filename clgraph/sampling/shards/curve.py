"""Reduction curves of graphs in shards, from the priority forest and one pass over the pairs.

Host half of ``cl/sampling/shards/curve.cl``. The rows are those of `clgraph.reduction_curve` in exact mode.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.device.shapes import Shapes
from clgraph.sampling.shards.choose import forest_graph
from clgraph.sampling.shards.passes import about_of, forest_pass, forget
from clgraph.sampling.shards.samples import check_method
from clgraph.sampling.shards.saved import SavedForest
from clgraph.sampling.threshold_search import ExactRun
from clgraph.scale.loading import Loaded
from clgraph.scale.ranks import Ranks, run_on_ranks, shared_seed
from clgraph.scale.shards import Shards
from clgraph.sizes import target_size
from clgraph.traversal.search import Search

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.progress import Tell
    from clgraph.sampling.shards.samples import Size

SHAPES = Shapes(gpu=16, cpu=4096, simulator=5)  # entries of a shard that one work-item takes


@dataclass(frozen=True)
class Path:
    """What the loop follows, row by row.

    Attributes
    ----------
    last : int32 array, shape (n,)
        The last row that has each vertex; -1: none.
    cuts : uint64 array, shape (rows - 1,) or empty
        dre: the edge whose deletion ends each row.
    vertices : int64 array, shape (rows,)
        How many each row has.
    """

    last: npt.NDArray[np.int32]
    cuts: npt.NDArray[np.uint64]
    vertices: npt.NDArray[np.int64]


def curve_of_shards(
    shards: Shards,
    method: str,
    seed: int | None,
    *,
    size: Size,
    device: Any = None,
    progress: Tell | None = None,
    room: int | None = None,
    forest: SavedForest | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> tuple[Any, ...]:
    """What `clgraph.ReductionCurve` says of a graph in shards, in its order, by two passes over its pairs.

    The options are those of `clgraph.sampling.shards.samples.sample_shards`.
    """
    n = check_method(shards, method)
    target = target_size(size, n)
    agreed = shared_seed(seed, shards.comm)
    folder = None if checkpoint is None else file_name(checkpoint, "checkpoint")

    def work(ranks: Ranks, dev: Device) -> tuple[Any, ...]:
        ranks.agree(dataset=shards.fingerprint, method=f"curve, {method}", size=str(target), seed=str(seed))
        started = perf_counter()
        found = forest_pass(
            ranks, dev, shards, method, agreed, room=room, progress=progress, forest=forest, checkpoint=folder
        )
        path = None
        if found.words is not None:
            with dev.alone():
                path = followed(dev, found.words, n, method, agreed, target)
        if path is None or not found.everywhere:
            path = _told(ranks, path)
        ends, gone = _counted(dev, path, method, agreed, found.loaded(), both_ways=found.loading.both_ways)
        ends, gone = ranks.total(ends), ranks.total(gone)
        forget(ranks, folder, about_of(shards, method, agreed))
        edges = np.cumsum(ends[::-1])[::-1].astype(np.int64)
        rows = np.arange(len(ends)) if method == "drv" else np.cumsum(gone) - gone
        return (
            rows.astype(np.int64),
            path.vertices,
            edges,
            method,
            "exact",
            agreed,
            dev.name,
            perf_counter() - started,
        )

    return run_on_ranks(work, device, shards.comm)


def followed(device: Device, words: Any, n: int, method: str, seed: int, target: int) -> Path:
    """The rows of a curve and the last one of each vertex, from the forest (as `choose` takes it) alone."""
    edges = method == "dre"
    graph = forest_graph(device, words, n)
    run = ExactRun(device, graph, seed, edges=edges)
    whole = run.start()
    run.shrink_to(target)
    sample = np.flatnonzero(device.download(run.download().live, np.uint8, n)).astype(np.int32)
    search = Search(device, graph, "hybrid", predecessors=True, owners=False)
    levels, _ = search.run(sample, None)
    distance, up = search.task.distance, search.task.predecessor
    program = device.program("sampling/shards/curve", ITEMS=device.tuning.items, BY_EDGE=int(edges))
    over = -(-n // device.tuning.items)
    device.reserve({f"turns {number}": 4 * n for number in range(12)})
    order = None
    for part in range(0 if edges else 2, 4):
        key = device.empty(n, np.uint32)
        program.curve_keys(over, n=n, seed=seed, part=part, order=order, up=up, key=key)
        _, order = sort_by_key(device, key, n, 32, order)
    turn, above, least, new_above, new_least, last = (device.empty(n, np.int32) for _ in range(6))
    program.curve_turns(over, n=n, order=order, turn=turn)
    program.curve_begin(over, n=n, turn=turn, up=up, above=above, least=least)
    for _ in range(max(levels - 1, 1).bit_length()):
        program.curve_double(over, n=n, above=above, least=least, new_above=new_above, new_least=new_least)
        above, least, new_above, new_least = new_above, new_least, above, least
    took, some = device.zeros(n, np.uint32), device.empty(n, np.uint8)
    program.curve_leave(over, n=n, distance=distance, least=least, took=took)
    program.curve_flags(over, n=n, took=took, some=some)
    place = running_sums(device, some, n, of=np.uint8, into=np.int32)
    rows = int(device.download(place, np.int32, 1, offset=n)[0])
    left = device.empty(rows, np.uint32)
    cuts = device.output(rows if edges else 0, np.uint64)
    program.curve_rows(over, n=n, took=took, place=place, order=order, up=up, left=left, cuts=cuts)
    program.curve_last(over, n=n, distance=distance, least=least, place=place, last=last)
    before = device.take(running_sums(device, left, rows, of=np.uint32), np.int64, rows + 1)
    return Path(
        device.download(last, np.int32, n), device.take(cuts, np.uint64, rows if edges else 0), whole - before
    )


def _told(ranks: Ranks, path: Path | None) -> Path:
    """Rank 0's path, at all ranks."""
    last = ranks.broadcast(None if path is None else path.last, np.int32)
    cuts = ranks.broadcast(None if path is None else path.cuts, np.uint64)
    vertices = ranks.broadcast(None if path is None else path.vertices, np.int64)
    return Path(last, cuts, vertices)


def _counted(
    device: Device, path: Path, method: str, seed: int, shards: Iterable[Loaded], *, both_ways: bool
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Pairs of some shards by the last row that has them; deletions by the row before each."""
    edges, rows = int(method == "dre"), len(path.vertices)
    defines: dict[str, Any] = {"ITEMS": device.tuning.items, "RUN": SHAPES.of(device), "BY_EDGE": edges}
    defines["BOTH_WAYS"] = both_ways
    with device.alone():
        sizes = {"last rows": 4 * len(path.last), "ends": 8 * rows, "deletions": 8 * rows}
        device.reserve({**sizes, "cuts": 8 * len(path.cuts), "times": 8 * len(path.cuts)})
        last, ends, gone = device.upload(path.last), *(device.zeros(rows, np.uint64) for _ in range(2))
        cuts = times = None
        if edges:
            cuts, times = device.upload(path.cuts), device.empty(len(path.cuts), np.uint64)
            device.program("sampling/shards/curve", **defines).curve_times(
                -(-len(path.cuts) // device.tuning.items),
                rows=len(path.cuts),
                seed=seed,
                cuts=cuts,
                times=times,
            )
    for loaded in shards:
        shard = loaded.shard
        with device.alone():
            _program(device, defines, loaded).curve_count(
                -(-shard.edges // SHAPES.of(device)),
                **loaded.arguments,
                seed=seed,
                cut_count=rows - 1,
                last=last,
                cuts=cuts,
                times=times,
                ends=ends,
                gone=gone,
            )
            device.finish()  # the shard's buffers are free
    with device.alone():
        return device.download(ends, np.uint64, rows), device.download(gone, np.uint64, rows)


def _program(device: Device, defines: dict[str, Any], loaded: Loaded) -> Any:
    return device.program("sampling/shards/curve", **defines, **loaded.defines)
