"""Graphs in shards: the forest pass, whole samples, components and PageRank on one device and on several.

    python benchmarks/scale.py --devices 0:0,0:1 --vertices 30000000 --folder /dev/shm --json scale.json

A power-law graph is written as a dataset into `--folder` (put it on a memory file system to leave the disk
out), and removed at the end. Each call is made on the first device, then on all; results are compared byte
for byte.
"""

import argparse
import hashlib
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import clgraph
from clgraph.scale.forest import Forest


def forest_pass(device: Any, graph: clgraph.Graph, method: str, repeat: int) -> dict[str, float]:
    """Seconds to make words of the rows, and to reduce them; edges in memory."""
    rows, heads = graph.rows, graph.col_idx
    once = rows < heads
    pairs = np.ascontiguousarray(heads[once])
    counts = np.bincount(rows[once], minlength=graph.num_vertices)
    row_ptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    words, reduces = [], []
    for _ in range(repeat + 1):
        forest = Forest(device, graph.num_vertices, 3, edges=method == "dre", room=len(pairs))
        device.finish()
        started = time.perf_counter()
        forest.add_rows(row_ptr, pairs)
        device.finish()
        between = time.perf_counter()
        forest.reduce()
        device.finish()
        words.append(between - started)
        reduces.append(time.perf_counter() - between)
    taken = statistics.median(reduces[1:])
    return {"words": statistics.median(words[1:]), "reduce": taken, "edges_per_second": len(pairs) / taken}


def timed(call: Any, repeat: int) -> tuple[float, Any]:
    """Median seconds of a call after a first one, and its last result."""
    took = []
    for _ in range(repeat + 1):
        started = time.perf_counter()
        result = call()
        took.append(time.perf_counter() - started)
    return statistics.median(took[1:]), result


def main() -> None:
    """Measure, print a line for each case, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", default="", help="one, or several separated by commas")
    parser.add_argument("--vertices", type=int, default=3_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", help="where the dataset goes (default: a temporary folder)")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    devices = [clgraph.get_device(spec or None) for spec in options.devices.split(",")]
    groups = [devices[:1]] + ([devices] if len(devices) > 1 else [])
    graph = clgraph.powerlaw_graph(options.vertices, seed=1, device=devices[0])
    told: dict[str, Any] = {
        "devices": [device.name for device in devices],
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "forest": {
            method: forest_pass(devices[0], graph, method, options.repeat) for method in ("drv", "dre")
        },
    }
    print(json.dumps(told["forest"]))
    marks: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, out = Path(folder) / "g.clgs", Path(folder) / "s.clgs"
        shards = clgraph.write_shards(graph, path, shard_edges=graph.num_edges // options.shards + 1)
        for group in groups:
            name = f"{len(group)} device{'s' * (len(group) > 1)}"
            for method in ("drv", "dre"):
                seconds, made = timed(
                    lambda method=method, group=group: clgraph.sample(
                        shards, method, sizes=["50%"], seed=3, device=group, outputs=[out]
                    )[0],
                    options.repeat,
                )
                told[f"{method} half, {name}"] = {"call": seconds, **made.seconds}
                marks.setdefault(method, set()).add(made.shards.fingerprint)
            for what, call in (
                ("components", lambda group=group: clgraph.connected_components(shards, device=group)),
                (
                    "pagerank, 20 iterations",
                    lambda group=group: clgraph.pagerank(shards, tol=0, max_iter=20, device=group),
                ),
            ):
                seconds, found = timed(call, options.repeat)
                told[f"{what}, {name}"] = {"call": seconds, **found.seconds}
                array = found.labels if what == "components" else found.ranks
                marks.setdefault(what, set()).add(hashlib.sha256(array.tobytes()).hexdigest())
            for key in list(told)[-4:]:
                print(key, json.dumps(told[key]))
    told["equal"] = all(len(each) == 1 for each in marks.values())
    print("the same bytes on all:", told["equal"])
    if options.json:
        Path(options.json).write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
