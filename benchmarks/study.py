"""A study of the reduction methods, all samples measured: seconds by method; `quality` of one more pair.

    python benchmarks/study.py [GRAPH] [--seeds 20] [--device SPEC] [--no-eigenvalues] [--profile] [--json F]

Without GRAPH a power-law graph of 23 000 vertices. The first run, which builds kernels, is left out. With
--profile also the seconds of CPU of the calling thread, and how many kernels and copies it enqueued.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import nullcontext
from typing import Any

import clgraph

METHODS = ("drv", "dre", "drve", "dhyb", "cre", "crve", "ebfs", "edfs")
SIZES = ("70%", "50%", "30%", "10%")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graph", nargs="?")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--device")
    parser.add_argument("--no-eigenvalues", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--json")
    given = parser.parse_args()
    dev = clgraph.get_device(given.device)
    graph: Any = (
        clgraph.read(given.graph, device=dev)
        if given.graph
        else clgraph.powerlaw_graph(23_000, average_degree=4.2, seed=1, device=dev)
    )
    eigenvalues = False if given.no_eigenvalues else None
    clgraph.study(graph, METHODS, SIZES, seeds=1, eigenvalues=eigenvalues, device=dev)
    told: dict[str, Any] = {"graph": repr(graph), "device": dev.name, "load": os.getloadavg()[0]}
    for method in METHODS:
        with clgraph.profile(dev) if given.profile else nullcontext() as measured:
            began, spent, own = time.perf_counter(), time.process_time(), time.thread_time()
            clgraph.study(graph, method, SIZES, seeds=given.seeds, eigenvalues=eigenvalues, device=dev)
            own = time.thread_time() - own
            took = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - spent}
        line = f"{method:5} {took['seconds']:8.3f} s   {took['cpu']:8.3f} s of CPU"
        if measured is not None:
            kernels = sum(each.where != "" for each in measured.activities)
            took |= {"host": own, "kernels": kernels, "copies": len(measured.activities) - kernels}
            line += f"   {own:6.3f} s on the host   {kernels:6d} kernels   {took['copies']:6d} copies"
        told[method] = took
        print(line, flush=True)
    if given.profile:
        sums = {key: sum(told[method][key] for method in METHODS) for key in ("host", "kernels", "copies")}
        print(f"host {sums['host']:.2f} s, {sums['kernels']} kernels, {sums['copies']} copies")
    told["all"] = sum(told[method]["seconds"] for method in METHODS)
    pairs = []
    for seed in range(1, 6):
        made = clgraph.sample(graph, "drv", size="50%", seed=seed, device=dev)
        began = time.perf_counter()
        clgraph.quality(graph, made, eigenvalues=eigenvalues, device=dev)
        pairs.append(time.perf_counter() - began)
    told["quality"] = sorted(pairs)[2]
    samples = len(METHODS) * len(SIZES) * given.seeds
    print(f"{samples} samples {told['all']:.2f} s; quality of one more pair {told['quality']:.3f} s")
    if given.json:
        with open(given.json, "w") as out:
            json.dump(told, out, indent=1)


if __name__ == "__main__":
    main()
