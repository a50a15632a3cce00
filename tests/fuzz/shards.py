"""Datasets in shards with a damaged file, and what may be asked of them."""

import json
import tempfile
from functools import cache
from pathlib import Path

import clgraph
from clgraph import write_shards
from clgraph.formats.common import Options
from clgraph.scale.convert import convert_to_shards
from fuzz.case import Case, Failure
from fuzz.mutations import mutate


@cache
def dataset(directed):
    """The files of a small dataset."""
    with tempfile.TemporaryDirectory() as folder:
        graph = clgraph.Graph.from_edges([0, 1, 2, 3, 3, 5], [1, 2, 0, 4, 3, 6], directed=directed)
        path = Path(folder, "g.clgs")
        write_shards(graph, path, shard_edges=3)
        return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def shards_case(kind, rng):
    """A dataset with a value of its manifest changed, or bytes of a file."""
    files = dict(dataset(rng.random() < 0.5))
    name = rng.choice(tuple(files))
    if rng.random() < 0.4:
        manifest = json.loads(files["manifest.json"])
        place = manifest
        while isinstance(place, (dict, list)) and place:
            key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
            inner = place[key]
            if not isinstance(inner, (dict, list)) or rng.random() < 0.1:
                place[key] = rng.choice((-1, 0, 1, 2**31, 2**63, 10**30, 0.5, None, "", "a/b", "..", [], {}))
                break
            place = inner
        files["manifest.json"] = json.dumps(manifest).encode()
    elif rng.random() < 0.1:
        del files[name]
    elif rng.random() < 0.8:
        files[name] = mutate(files[name], rng, name.endswith(".json"))
    calls = ("sample", "curve", "components", "bfs", "bfs_many", "pagerank", "ppr", "join")
    return Case(kind, files, {"call": rng.choice(calls)})


def run_shards(case, folder):
    """Whether the dataset was taken; anything raised that is no ClgraphError comes through."""
    place = folder / "g.clgs"
    place.mkdir(exist_ok=True)
    case.write(place)
    try:
        shards = clgraph.open_shards(place, verify=len(case.files) % 2 == 0)
        {
            "sample": lambda: clgraph.sample(shards, "dre", size=2, seed=1, output=folder / "o.clgs"),
            "curve": lambda: clgraph.reduction_curve(shards, "drv", 1),
            "components": lambda: clgraph.connected_components(shards),
            "bfs": lambda: clgraph.bfs(shards, [0, 3]),
            "bfs_many": lambda: clgraph.bfs_many(shards, [0, 3]),
            "pagerank": lambda: clgraph.pagerank(shards, max_iter=500),
            "ppr": lambda: clgraph.personalized_pagerank(shards, [0], method="monte-carlo", walks=9, seed=1),
            "join": lambda: clgraph.join_shards(shards),
        }[case.what["call"]]()
    except clgraph.ClgraphError:
        return False
    return True


def run_convert(case, folder):
    """Convert a .clg file: what is read in full gives the dataset of the graph, all else is refused."""
    case.write(folder)
    path, how = folder / case.what["path"], case.what["options"]
    try:
        graph = clgraph.read(path, verify=True, **how)
    except clgraph.ClgraphError as error:
        graph, why = None, str(error)
    try:
        found = convert_to_shards([path], folder / "g.clgs", options=Options(**how))
    except clgraph.ClgraphError as error:
        if graph is not None and not graph.is_multigraph:
            raise Failure("lost", f"a valid file is not converted: {str(error)[-200:]}") from error
        return False
    if graph is None:
        if "weight" in why and not how.get("weights"):  # nobody looks at them
            return True
        raise Failure("broken", f"a file that cannot be read is converted: {why[-200:]}")
    if graph.is_multigraph or found.fingerprint == write_shards(graph, folder / "h.clgs").fingerprint:
        return True
    raise Failure("broken", "the dataset is not that of the graph in memory")
