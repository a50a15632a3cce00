"""Samplers of the literature beside littleballoffur, on the same graph in the same run: one JSON object.

``python benchmarks/samplers.py [--vertices N] [--device SPEC] [--only rn,rw]``. Each figure is the
median of some runs after a first one, with seconds of the phases "walk" (steps) and "sample" (all other
kernels and downloads), of the whole call, and of CPU time that it took on all cores. With --peers all draw
from the graph's largest component, and littleballoffur takes part: by NetworKit, its faster backend; its
steps also by NetworkX, the backend of its README, if there is memory for such a graph.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import clgraph
from clgraph.device import get_device

TASKS: dict[str, dict[str, Any]] = {
    "rn": {"size": "10%"},
    "rdn": {"size": "10%"},
    "rpn": {"size": "10%"},
    "re": {"size": "10%"},
    "ties": {"size": "10%"},
    "rnn": {"size": "10%"},
    "rw": {"steps": 1000, "walkers": 1000},
    "rw many": {"steps": 100, "walkers": 1_000_000},
    "rw size": {"size": "10%", "walkers": 100},
    "mhrw": {"steps": 1000, "walkers": 1000},
    "mhrw size": {"size": "10%"},
    "snowball": {"size": "10%"},
    "ff": {"size": "10%"},
    "rds": {"size": "10%"},
}
WALKED = 200_000  # steps of littleballoffur
NODE, EDGE = 400, 300  # bytes that NetworkX takes for each, and littleballoffur's checks of its graph
PEERS = {
    "rn": ("RandomNodeSampler", {}),
    "rdn": ("DegreeBasedSampler", {}),
    "rw size": ("RandomWalkSampler", {}),
    "mhrw size": ("MetropolisHastingsRandomWalkSampler", {}),
    "ff": ("ForestFireSampler", {"p": 0.3}),
}


def measured(run: Callable[[int], Any], repeats: int) -> tuple[list[float], list[float], list[Any]]:
    """Seconds, CPU seconds and results of some runs after a first one."""
    run(0)
    seconds, used, results = [], [], []
    for seed in range(1, repeats + 1):
        started, before = perf_counter(), process_time()
        results.append(run(seed))
        seconds.append(perf_counter() - started)
        used.append(process_time() - before)
    return seconds, used, results


def ours(graph: Any, name: str, options: dict[str, Any], device: Any, repeats: int) -> dict[str, Any]:
    method = name.split()[0]
    calls, used, made = measured(
        lambda seed: clgraph.sample(graph, method, seed=seed, device=device, **options), repeats
    )
    phases = [one.seconds["sample"] for one in made]
    row: dict[str, Any] = {
        "options": options,
        "call": {"value": statistics.median(calls), "unit": "s"},
        "cpu": {"value": statistics.median(used), "unit": "s"},
        "sample": {"value": statistics.median(phases), "unit": "s"},
        "vertices": len(made[0].vertices),
    }
    if "steps" in options:
        steps = options["steps"] * options["walkers"]
        walks = [one.seconds["walk"] for one in made]
        row["walk"] = {"value": statistics.median(walks), "unit": "s"}
        row["rate"] = {"value": steps / statistics.median(walks), "unit": "steps/s"}
        row["rate of the call"] = {"value": steps / statistics.median(calls), "unit": "steps/s"}
    return row


@cache
def networkit_graph(graph: Any) -> Any:
    """The graph for littleballoffur's NetworKit backend."""
    import networkit

    edges = graph.edge_indices()
    ends = np.asarray(edges.source), np.asarray(edges.target)
    weights = np.ones(len(ends[0]))
    return networkit.GraphFromCoo((weights, ends), n=graph.num_vertices, weighted=False, directed=False)


def memory_available() -> int:
    """Bytes that the system can give (Linux)."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def walked(other: Any) -> dict[str, Any]:
    """littleballoffur's random walk: its steps alone."""
    import littleballoffur

    walk = littleballoffur.RandomWalkSampler(seed=1)
    walk._deploy_backend(other)
    walk._create_initial_node_set(other, None)
    started, before = perf_counter(), process_time()
    for _ in range(WALKED):
        walk._do_a_step(other)
    rate, used = WALKED / (perf_counter() - started), process_time() - before
    return {"value": rate, "unit": "steps/s", "cpu of a million": {"value": 1e6 * used / WALKED, "unit": "s"}}


def walks(graph: Any) -> dict[str, Any]:
    """littleballoffur's random walk by both of its backends."""
    row: dict[str, Any] = {"rate by NetworKit": walked(networkit_graph(graph))}
    needed = graph.num_vertices * NODE + graph.num_edges * EDGE
    if needed > memory_available() // 2:
        row["rate by NetworkX"] = {
            "error": f"its graph takes {needed / 1e9:.1f} GB, more than half of what is free"
        }
    else:
        row["rate by NetworkX"] = walked(graph.to_networkx())
    return row


def peer(graph: Any, name: str, repeats: int) -> dict[str, Any] | None:
    """littleballoffur; of "rw" its steps alone."""
    try:
        import littleballoffur

        other = networkit_graph(graph)
    except ImportError:
        return None
    if name == "rw":
        return walks(graph)
    sampler, options = PEERS[name]
    many = other.numberOfNodes() // 10

    def run(seed: int) -> Any:
        return getattr(littleballoffur, sampler)(number_of_nodes=many, seed=seed, **options).sample(other)

    try:
        seconds, *_ = measured(run, repeats)
    except TypeError as error:  # 2.3.1's forest fire on Python 3.11 and newer
        return {"error": str(error)}
    return {"call": {"value": statistics.median(seconds), "unit": "s"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("--vertices", type=int, default=100_000)
    parser.add_argument("--file", help="sample this graph instead of a generated one")
    parser.add_argument("--device")
    parser.add_argument("--only", help="names, with commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--seeds", type=int, help="also so many fires to 15%% side by side")
    args = parser.parse_args()
    device = get_device(args.device)
    if args.file:
        graph = clgraph.read(args.file)
    else:
        graph = clgraph.powerlaw_graph(args.vertices, seed=1, device=device)
    if args.peers:  # littleballoffur wants it connected, its vertices numbered from 0
        graph = clgraph.largest_component(graph, device=device).with_ids(None)
    told: dict[str, Any] = {
        "device": device.name,
        "machine": platform.platform(),
        "load": os.getloadavg()[0],
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "tasks": {},
    }
    fitting = [name for name in TASKS if TASKS[name].get("walkers", 1) <= graph.num_vertices]
    for name in args.only.split(",") if args.only else fitting:
        row = ours(graph, name, TASKS[name], device, args.repeats)
        if args.peers and (name in PEERS or name == "rw"):
            row["littleballoffur"] = peer(graph, name, 1)
        told["tasks"][name] = row
        print(name, json.dumps(row), file=sys.stderr)
    if args.seeds:
        calls, *_ = measured(
            lambda seed: clgraph.sample(graph, "ff", size="15%", seed=seed, seeds=args.seeds, device=device),
            args.repeats,
        )
        told["fires"] = {"runs": args.seeds, "call": {"value": statistics.median(calls), "unit": "s"}}
    json.dump(told, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
