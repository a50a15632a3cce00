"""Graphs in shards: the forest pass, whole samples, components and PageRank on one device and on several.

    python benchmarks/scale.py --devices 0:0,0:1 --vertices 30000000 --folder /dev/shm --json scale.json

A power-law graph is written as a dataset into `--folder` (put it on a memory file system to leave the disk
out), and removed at the end. Each call is made on the first device, then on all; results are compared byte
for byte.

`--memory` measures instead the peak of one rank's memory, each call in a process of its own on the first
device, beside what the plan says and beside 32 bytes a vertex and 16 an edge in hand. It is the host's
resident memory, beyond that of the same call on a small graph; of devices with memory of their own their
buffers, too.
"""

import argparse
import hashlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import clgraph
from clgraph.scale.forest import Forest
from clgraph.scale.plan import plan


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


# the section that is read, and the bytes of an edge in hand: heads, or words with their times
COMMANDS = {"components": ("pairs", 4), "bfs": ("rows", 4), "pagerank": ("rows", 4), "sample": ("pairs", 16)}


def call_of(command: str, path: Path, out: Path, device: Any) -> None:
    """Make the call that stands for a command."""
    shards = clgraph.open_shards(path)
    if command == "components":
        clgraph.connected_components(shards, device=device)
    elif command == "bfs":
        clgraph.bfs(shards, 1, predecessors=False, device=device)
    elif command == "pagerank":
        clgraph.pagerank(shards, tol=0, max_iter=3, device=device)
    else:
        clgraph.sample(shards, "drv", sizes=["50%"], seed=3, device=device, outputs=[out])


def resident(name: str) -> int:
    """Bytes of this process: VmRSS, or VmHWM, the peak."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) << 10


def measure(command: str, small: str, large: str, spec: str) -> None:
    """Print the peak of one call in this process, beyond what the same call on a small graph leaves."""
    device = clgraph.get_device(spec or None)
    out = Path(large).with_name("measured.clgs")
    call_of(command, Path(small), out, device)
    device.memory.peak = device.memory.allocated
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    call_of(command, Path(large), out, device)
    own = 0 if device.shares_memory else device.memory.peak
    print(json.dumps({"host": resident("VmHWM") - before, "device": own}))


def memory(folder: Path, device: Any, vertices: int, shards: int) -> dict[str, Any]:
    """The peak of each command, measured and planned."""
    sets = []
    for name, count in (("small", 20_000), ("large", vertices)):
        graph = clgraph.powerlaw_graph(count, seed=1, device=device)
        path = folder / f"{name}.clgs"
        sets.append(clgraph.write_shards(graph, path, shard_edges=graph.num_edges // shards + 1))
        del graph
    small, large = sets
    told: dict[str, Any] = {}
    for command, (section, each) in COMMANDS.items():
        options = {"sizes": 1, "written": True, "method": "drv"} if command == "sample" else {}
        options = {"iterations": 3, "dtype": "float32"} if command == "pagerank" else options
        part = large.section(section)
        # components hold a shard at a time; elsewhere all edges fit, and are held
        edges = max(shard.edges for shard in part.shards) if command == "components" else part.edges
        call = [sys.executable, __file__, "--measure", command, str(small.folder), str(large.folder)]
        run = subprocess.run([*call, device.spec], capture_output=True, text=True, check=True)
        found = json.loads(run.stdout)
        peak = found["host"] + found["device"]
        planned = sum(plan(large, command, device=device, **options).memory.values())
        told[f"memory, {command}"] = {
            "peak, MB": peak / 1e6,
            "of which device, MB": found["device"] / 1e6,
            "plan, MB": planned / 1e6,
            "32 a vertex + 16 an edge in hand, MB": (32 * vertices + 16 * edges) / 1e6,
            "edges in hand": edges,
            f"bytes a vertex beside {each} an edge": (peak - each * edges) / vertices,
            f"plan, bytes a vertex beside {each} an edge": (planned - each * edges) / vertices,
        }
    return told


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
    parser.add_argument("--memory", action="store_true", help="measure memory instead of time")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    devices = [clgraph.get_device(spec or None) for spec in options.devices.split(",")]
    if options.memory:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            found = memory(Path(folder), devices[0], options.vertices, options.shards)
        for name, facts in found.items():
            print(name, json.dumps({key: round(value, 1) for key, value in facts.items()}))
        if options.json:
            Path(options.json).write_text(json.dumps(found, indent=1) + "\n")
        return
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
