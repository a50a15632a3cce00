"""Public calls on small graphs in shards: for threads, and for devices without memory."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graphs import random_graph

import clgraph
from clgraph.device import Device
from clgraph.graph.models import RMat
from clgraph.scale.generate import generate_shards

Call = Callable[[], Sequence[Any]]


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="clgraph-shards-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def small_shards(directed: bool) -> clgraph.Shards:
    """An opened dataset of five shards or so."""
    graph = random_graph(1 + directed, 90, 240, directed=directed)
    path = Path(_folder(), f"{'directed' if directed else 'plain'}.clgs")
    return clgraph.write_shards(graph, path, shard_edges=50)


def sharded_calls(device: Device) -> dict[str, Call]:
    """Name -> call, which gives the parts of its result; all share two opened datasets."""
    plain, directed = small_shards(False), small_shards(True)
    on: dict[str, Any] = {"device": device}

    def in_a_folder(make: Callable[[Path], Sequence[Any]]) -> Sequence[Any]:
        with tempfile.TemporaryDirectory(dir=_folder()) as folder:
            return make(Path(folder))

    def sampled(method: str) -> Sequence[Any]:
        def make(folder: Path) -> Sequence[Any]:
            names = [folder / "a.clgs", folder / "b.clgs"]
            made = clgraph.sample(plain, method, sizes=[0.5, 9], seed=6, outputs=names, **on)
            return [part for each in made for part in (each.vertices, each.shards.fingerprint)]

        return in_a_folder(make)

    def forest() -> Sequence[Any]:
        def make(folder: Path) -> Sequence[Any]:
            names = [folder / "a.forest", folder / "b.forest"]
            for name, which in zip(names, ([0, 1], [2, 3, 4]), strict=True):
                clgraph.save_forest(plain, name, "dre", seed=3, which=which, **on)
            clgraph.merge_forests(names, folder / "c.forest", **on)
            return [(folder / "c.forest").read_bytes()]

        return in_a_folder(make)

    def generated() -> Sequence[Any]:
        model = RMat(6, 2, (0.57, 0.19, 0.19), 5, True, True)
        return in_a_folder(
            lambda folder: [generate_shards(model, folder / "g.clgs", shard_edges=60, **on).fingerprint]
        )

    def curve(method: str) -> Sequence[Any]:
        found = clgraph.reduction_curve(directed, method, 3, **on)
        return found.deletions, found.vertices, found.edges

    def searched() -> Sequence[Any]:
        found = clgraph.bfs(directed, [0, 5], **on)
        return found.distance, found.predecessor, found.source_of, found.levels

    def walked() -> Sequence[Any]:
        walks: dict[str, Any] = {"method": "monte-carlo", "walks": 200, "seed": 4, "top": 3}
        found = clgraph.personalized_pagerank(directed, [0, 1], **walks, **on)
        return found.ids, found.scores

    return {
        "shards, sample drv": lambda: sampled("drv"),
        "shards, sample dre": lambda: sampled("dre"),
        "shards, curve drv": lambda: curve("drv"),
        "shards, curve dre": lambda: curve("dre"),
        "shards, components": lambda: [clgraph.connected_components(plain, **on).labels],
        "shards, bfs": searched,
        "shards, bfs_many": lambda: [clgraph.bfs_many(directed, range(40), **on).distance],
        "shards, pagerank": lambda: [clgraph.pagerank(directed, tol=0, max_iter=3, **on).scores],
        "shards, walks": walked,
        "shards, forest": forest,
        "shards, generate": generated,
    }
