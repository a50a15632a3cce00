"""Public calls that shards serve, too: against one device, for threads, for devices without memory."""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from graphs import random_graph

import clgraph
from clgraph.graph.models import RMat
from clgraph.scale.generate import generate_shards

Call = Callable[[], Sequence[Any]]
# what must be equal of results
FIELDS = {
    "Sample": ("vertices", "num_edges", "notes"),
    "ReductionCurve": ("deletions", "vertices", "edges"),
    "Components": ("labels", "sizes"),
    "BFSResult": ("distance", "predecessor", "source_of", "levels", "reached"),
    "ManyBFSResult": ("distance",),
    "PageRankResult": ("scores",),
    "PersonalizedResult": ("ids", "scores", "visits", "lost", "sources"),
}


def values(found):
    """What must be equal of a result, or of several."""
    results = found if isinstance(found, clgraph.Samples) else [found]
    return [getattr(each, name) for each in results for name in FIELDS[type(each).__name__]]


def engine_calls(graph, device, seed, **pagerank):
    """Name -> call of each engine for a graph or for opened shards, which gives its result."""
    sources, many = graph.ids[:: max(1, len(graph.ids) // 3)][:3].tolist(), graph.ids[:40].tolist()
    walks = {"method": "monte-carlo", "walks": 300, "top": min(2, graph.num_vertices)}
    calls = {}
    for method in ("drv", "dre"):  # first: they look at graphs that are on the host alone in another way
        calls[f"sample {method}"] = partial(clgraph.sample, graph, method, sizes=["50%", 3], seed=seed)
        calls[f"curve {method}"] = partial(clgraph.reduction_curve, graph, method, seed)
    calls |= {
        "components": partial(clgraph.connected_components, graph),
        "bfs": partial(clgraph.bfs, graph, sources[0]),
        "bfs, several": partial(clgraph.bfs, graph, sources),
        "bfs_many": partial(clgraph.bfs_many, graph, many),
        "pagerank": partial(clgraph.pagerank, graph, variant="fixed", tol=0, max_iter=5, **pagerank),
        "walks": partial(clgraph.personalized_pagerank, graph, sources, seed=seed, **walks),
    }
    return {name: partial(call, device=device) for name, call in calls.items()}


@cache
def _folder():
    folder = Path(tempfile.mkdtemp(prefix="clgraph-shards-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def small_shards(directed):
    """An opened dataset of five shards or so."""
    graph = random_graph(1 + directed, 90, 240, directed=directed)
    path = Path(_folder(), f"{'directed' if directed else 'plain'}.clgs")
    return clgraph.write_shards(graph, path, shard_edges=50)


def sharded_calls(device):
    """Name -> call, which gives the parts of its result; all share two opened datasets."""
    plain, directed = small_shards(False), small_shards(True)
    on = {"device": device}

    def sampled(method, folder):
        names = [folder / "a.clgs", folder / "b.clgs"]
        made = clgraph.sample(plain, method, sizes=[0.5, 9], seed=6, outputs=names, **on)
        return [part for each in made for part in (each.vertices, each.shards.fingerprint)]

    def forest(folder):
        names = [folder / "a.forest", folder / "b.forest"]
        for name, which in zip(names, ([0, 1], [2, 3, 4]), strict=True):
            clgraph.save_forest(plain, name, "dre", seed=3, which=which, **on)
        clgraph.merge_forests(names, folder / "c.forest", **on)
        return [(folder / "c.forest").read_bytes()]

    def generated(folder):
        model = RMat(6, 2, (0.57, 0.19, 0.19), 5, True, True)
        return [generate_shards(model, folder / "g.clgs", shard_edges=60, **on).fingerprint]

    def in_a_folder(make):
        with tempfile.TemporaryDirectory(dir=_folder()) as folder:
            return make(Path(folder))

    engines = engine_calls(directed, device, 3) | {"components": engine_calls(plain, device, 3)["components"]}
    names = ("curve drv", "curve dre", "components", "bfs, several", "bfs_many", "pagerank", "walks")
    makers = {"forest": forest, "generate": generated}
    makers |= {f"sample {method}": partial(sampled, method) for method in ("drv", "dre")}
    return {f"shards, {name}": lambda call=engines[name]: values(call()) for name in names} | {
        f"shards, {name}": partial(in_a_folder, make) for name, make in makers.items()
    }
