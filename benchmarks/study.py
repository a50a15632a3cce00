"""A study of the reduction methods, all samples measured: seconds by method; `quality` of one more pair.

    python benchmarks/study.py [GRAPH] [--seeds 20] [--device SPEC] [--no-eigenvalues] [--json FILE]

Without GRAPH a power-law graph of 23 000 vertices. The first run, which builds kernels, is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import time
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
        began, spent = time.perf_counter(), time.process_time()
        clgraph.study(graph, method, SIZES, seeds=given.seeds, eigenvalues=eigenvalues, device=dev)
        told[method] = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - spent}
        print(
            f"{method:5} {told[method]['seconds']:8.3f} s   {told[method]['cpu']:8.3f} s of CPU", flush=True
        )
    told["all"] = sum(told[method]["seconds"] for method in METHODS)
    took = []
    for seed in range(1, 6):
        made = clgraph.sample(graph, "drv", size="50%", seed=seed, device=dev)
        began = time.perf_counter()
        clgraph.quality(graph, made, eigenvalues=eigenvalues, device=dev)
        took.append(time.perf_counter() - began)
    told["quality"] = sorted(took)[2]
    samples = len(METHODS) * len(SIZES) * given.seeds
    print(f"{samples} samples {told['all']:.2f} s; quality of one more pair {told['quality']:.3f} s")
    if given.json:
        with open(given.json, "w") as out:
            json.dump(told, out, indent=1)


if __name__ == "__main__":
    main()
