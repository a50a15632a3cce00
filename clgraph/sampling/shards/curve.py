"""Reduction curves of graphs in shards, from the priority forest and one pass over the pairs.

The rows are those of `clgraph.reduction_curve` in exact mode.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, target_size
from clgraph.sampling.deletion_times import Path, count_pairs, follow
from clgraph.sampling.shards.passes import about_of, forest_pass, forget
from clgraph.sampling.shards.samples import check_method
from clgraph.sampling.shards.saved import SavedForest
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.shards import Shards

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.progress import Tell
    from clgraph.sampling.shards.samples import Size


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
        path, edges = None, method == "dre"
        if found.words is not None:
            with dev.alone():
                path = follow(dev, found.words, n, agreed, target, edges=edges)
        if path is None or not found.everywhere:
            path = _at_all_ranks(ranks, dev, path, n, edges=edges)
        ends, gone = (
            ranks.total(_taken(dev, each, np.uint64, path.rows))
            for each in count_pairs(
                dev, path, agreed, found.loaded(), edges=edges, both_ways=found.loading.both_ways
            )
        )
        forget(ranks, folder, about_of(shards, method, agreed))
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


def _at_all_ranks(ranks: Ranks, device: Device, path: Path | None, n: int, *, edges: bool) -> Path:
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
    return Path(rows, last, vertices, shared("cuts", np.uint64, rows - 1) if edges else None)
