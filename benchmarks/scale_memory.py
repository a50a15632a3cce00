"""What one rank of a call on shards holds: the peak of its memory, measured, beside what its plan says.

    python benchmarks/scale_memory.py --device pocl --vertices 2000000 --shards 2 --json memory.json

Each call is made on a power-law graph in a process of its own. Its peak is the host's resident memory, beyond
that of the same call on a small graph; of devices with memory of their own their buffers, too. Beside it
stand what the plan says, and 32 bytes a vertex and 16 an edge in hand. (Linux: it is read from /proc.)
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import clgraph
from clgraph.cli.shards_plan import plan

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
    device.peak = device.allocated
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    call_of(command, Path(large), out, device)
    own = 0 if device.shares_memory else device.peak
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
    """Measure, print a line for each call, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="")
    parser.add_argument("--vertices", type=int, default=2_000_000)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--folder", help="where the datasets go (default: a temporary folder)")
    parser.add_argument("--json", metavar="OUT")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    device = clgraph.get_device(options.device or None)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = memory(Path(folder), device, options.vertices, options.shards)
    for name, facts in found.items():
        print(name, json.dumps({key: round(value, 1) for key, value in facts.items()}))
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
