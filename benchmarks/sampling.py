"""Sampling a power-law graph (exponent 2.71, average degree 5, `clgraph.powerlaw_graph` of seed 1) to half
of its vertices: seconds by phase, medians.

    python benchmarks/sampling.py --device pocl --vertices 1000000,3000000 --json sampling.json

"scipy loop" is the batched loop of drv on scipy.sparse.csgraph (`clgraph.reference_sample`), run once and
only up to `--peer-vertices`. `--one-core`: the same cases on one core of PoCL, in a process of its own. The
first run of each case is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from clgraph import Graph, powerlaw_graph, reference_sample, sample
from clgraph.device import get_device

CASES = (
    ("drv", "exact"), ("drv", "batched"), ("dre", "exact"), ("dre", "batched"), ("drve", "batched"),
    ("dhyb", "batched"), ("cre", "batched"), ("crve", "batched"), ("ebfs", "batched"), ("edfs", "batched"),
)  # fmt: skip
PHASES = ("upload", "compile", "sample", "download", "result")


def run(graph: Graph, method: str, mode: Any, device: Any, repeat: int) -> dict[str, Any]:
    """Medians of the phases, and what came out."""
    first = sample(graph, method, size="50%", seed=7, device=device, mode=mode)
    runs = [sample(graph, method, size="50%", seed=7, device=device, mode=mode) for _ in range(repeat)]
    seconds = {phase: statistics.median(made.seconds[phase] for made in runs) for phase in PHASES}
    return {
        "method": method, "mode": mode, "way": first.way, "vertices": len(first.vertices),
        "edges": first.num_edges, "iterations": first.iterations,
        "first": {phase: first.seconds[phase] for phase in PHASES}, "seconds": seconds,
    }  # fmt: skip


def one_core(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The same on one core of PoCL: a process of its own, since threads are counted when the driver loads."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/one.json"
        command = [
            sys.executable,
            __file__,
            "--device",
            "pocl",
            "--vertices",
            options.vertices,
            "--json",
            out,
        ]
        command += ["--modes", options.modes, "--methods", options.methods, "--repeat", str(options.repeat)]
        print("one core of PoCL:", flush=True)
        subprocess.run(command, check=True, env={**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"})
        with open(out) as made:
            records = json.load(made)["records"]
    return [{**record, "cores": 1} for record in records]


def main() -> None:
    """Run the cases asked for."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--device")
    parser.add_argument("--vertices", default="1000000,3000000")
    parser.add_argument("--modes", default="exact,batched")
    parser.add_argument("--methods", default="drv,dre,drve")
    parser.add_argument("--one-core", action="store_true", help="also on one core of PoCL")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer-vertices", type=int, default=0, help="largest graph for the scipy loop")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    device = get_device(options.device)
    print(f"{device.name} ({device.platform_name}, driver {device.driver_version})")
    records = []
    methods = options.methods.split(",")
    for n in map(int, options.vertices.split(",")):
        start = time.perf_counter()
        graph = powerlaw_graph(n, seed=1, device=device)
        made = time.perf_counter() - start
        print(f"{n} vertices, {graph.num_edges} edges, made in {made:.1f} s", flush=True)
        for method, mode in (case for case in CASES if case[1] in options.modes and case[0] in methods):
            record = {"graph": n, **run(graph, method, mode, device, options.repeat)}
            records.append(record)
            phases = " ".join(f"{phase} {record['seconds'][phase] * 1e3:.1f}" for phase in PHASES)
            print(f"  {method:5} {mode:8} {record['vertices']:>9} {record['edges']:>9}  ms: {phases}")
        if n <= options.peer_vertices:
            start = time.perf_counter()
            reference_sample(graph, "drv", size="50%", seed=7, mode="batched")
            seconds = time.perf_counter() - start
            records.append({"graph": n, "method": "drv", "mode": "scipy loop", "seconds": seconds})
            print(f"  drv   scipy loop, whole: {seconds:.1f} s", flush=True)
    if options.one_core:
        records += one_core(options)
    if options.json:
        about = {"name": device.name, "platform": device.platform_name, "driver": device.driver_version}
        with open(options.json, "w") as out:
            json.dump({"device": about, "records": records}, out, indent=2)


if __name__ == "__main__":
    main()
