"""
Sample on Intel's FPGA emulator
===============================

Compile for an Intel FPGA or its emulator, load the binary, and sample a graph with it.

    python examples/fpga_intel.py [GRAPH] [--board B] [--binary FILE]

A board compiles no kernels at run time: `clgraph fpga compile` makes one binary of all of clgraph's pipelines
(cl/fpga). For a board it uses Intel's offline compiler aoc (this takes hours; pass the finished file with
--binary), for the emulator its own runtime (pip install 'pyclgraph[fpga-emulator]'; this takes seconds).
The emulator runs on the CPU: it shows that the kernels are right, but says nothing about a board's speed
(docs/fpga.md models that). Without GRAPH, a power-law graph of 5 000 vertices is generated.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import clgraph

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("graph", nargs="?", help="a graph file")
parser.add_argument("--board", help="the board, as `aoc -list-boards` names it (default: the emulator)")
parser.add_argument("--binary", help="an existing binary")
given = parser.parse_args()

if given.graph:
    try:
        graph = clgraph.read(given.graph)
    except clgraph.InputError as error:
        sys.exit(f"cannot read the graph: {error}")
else:
    graph = clgraph.powerlaw_graph(5_000, seed=1)

# 1. compile what sampling needs (without --only: everything)
if given.binary:
    binary = Path(given.binary)
else:
    binary = Path(tempfile.mkdtemp(prefix="clgraph-")) / "clgraph.aocx"
    target = ["--board", given.board] if given.board else ["--emulate"]
    command = ["clgraph", "fpga", "compile", *target, "--only", "sample", "-o", str(binary)]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"This example needs an Intel FPGA and aoc, or its emulator.\n{done.stderr}")

# 2. load
try:
    device = clgraph.get_device("fpga", fpga_binary=binary)
except clgraph.DeviceError as error:
    sys.exit(f"This example needs an Intel FPGA or its emulator.\n{error}")

# 3. sample; the COPRA thesis's breadth-first search, which suits a board, finds the components
sample = clgraph.sample(graph, "drve", size="50%", seed=7, device=device, components="bfs")

kind = "a board" if device.kind == "fpga" else "the emulator: its speed is not a board's"
print(f"device   {device.name} ({kind}), driver {device.driver_version}")
print(f"binary   {binary.name}, {binary.stat().st_size} bytes; kernels: {sample.provenance['kernels']}")
print(f"graph    {graph.num_vertices} vertices, {graph.num_edges} edges")
print(f"sample   {len(sample.vertices)} vertices, {len(sample.edges)} edges, {sample.iterations} batches")
