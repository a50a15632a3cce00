"""
A network researcher's questions
================================

For network researchers: how small may the sample be, which method is best, and can a reader verify it?

    python examples/researcher.py [GRAPH] [--device DEVICE]

Without GRAPH, a power-law graph of 3000 vertices is generated. A study, a sample and its record are written
into the folder --out (default: a temporary one).
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import mkdtemp

import clgraph

parser = ArgumentParser()
parser.add_argument("graph", nargs="?")
parser.add_argument("--device")
parser.add_argument("--out", type=Path, default=Path(mkdtemp()))
options = parser.parse_args()

try:
    device = clgraph.get_device(options.device)
    graph = clgraph.read(options.graph) if options.graph else clgraph.powerlaw_graph(3000, seed=1)
    graph = clgraph.largest_component(graph, device=device)  # a walk cannot leave its component
except clgraph.ClgraphError as error:
    sys.exit(str(error))
file = options.out / "graph.txt"
clgraph.write(graph, file)

# 1. Which method, how small?
study = clgraph.study(
    graph, "drv,dre,rw,ff", "70%,50%,30%", seeds=5, device=device, folder=options.out / "study"
)
print(study.best("all=30%"))

# 2. The sample to publish, with weights that correct the walk's bias
walk = clgraph.sample(graph, "rw", size="30%", seed=7, device=device)
mean, error = walk.mean(graph.degrees)
print(
    f"mean degree {graph.degrees.mean():.3f}, estimated from 30 % of the vertices {mean:.3f} +- {error:.3f}"
)

# 3. The record from which a reader can reproduce a sample: same seed, same sample, on any device
chosen = ["--device", options.device] if options.device else []
run = [sys.executable, "-m", "clgraph"]
record = options.out / "sample.json"
wanted = ["--method", "drv", "--size", "50%", "--seed", "7", "-o", options.out / "half.txt"]
subprocess.run([*run, "sample", file, *wanted, "--record", record, "-q", *chosen], check=True)
print("recorded:", ", ".join(sorted(json.loads(record.read_text()))[:6]), "...")
again = subprocess.run([*run, "replay", record, "-q", *chosen], check=True, capture_output=True, text=True)
print(again.stdout, end="")
