"""Making graphs (`clgraph.powerlaw_graph`, `clgraph.rmat_graph` of seed 1): seconds by phase, medians.

    python benchmarks/generating.py --device pocl --graphs powerlaw3000000,rmat20 --json generating.json

``powerlawN``: N vertices, exponent 2.71, average degree 5; ``rmatS``: scale S, 16 edges a vertex, undirected.
``--device host`` is NumPy's way. The first run of each model is not counted on a device (it builds the
kernels), but reported. "made" is drawing and building rows, without the download. With ``--check`` each graph
is compared with the one that the host makes. "peak" is the process's largest resident memory so far.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import statistics
from typing import Any

from clgraph import Graph
from clgraph.device import get_device
from clgraph.generate import powerlaw_graph, rmat_graph


def make(name: str, device: Any) -> tuple[Graph, dict[str, float]]:
    """The graph of this name, and the seconds that its phases took."""
    parts = re.fullmatch(r"(powerlaw|rmat)(\d+)", name)
    if not parts:
        raise SystemExit(f"graph {name!r}: give powerlawN or rmatS, such as powerlaw3000000 or rmat20")
    report: dict[str, Any] = {}
    maker = powerlaw_graph if parts[1] == "powerlaw" else rmat_graph
    graph = maker(int(parts[2]), seed=1, device=device, report=report)
    seconds: dict[str, float] = report["seconds"]
    return graph, {**seconds, "made": seconds["draw"] + seconds["rows"]}


def digest(graph: Graph) -> str:
    """By which graphs from different runs and devices can be compared."""
    return hashlib.sha256(graph.row_ptr.tobytes() + graph.col_idx.tobytes()).hexdigest()[:16]


def run(name: str, device: Any, repeat: int, check: bool) -> dict[str, Any]:
    """Medians of the phases, and what came out."""
    graph, first = make(name, device)
    record = {
        "graph": name, "vertices": graph.num_vertices, "edges": graph.num_edges, "digest": digest(graph),
        "first": first,
    }  # fmt: skip
    del graph  # its arrays make room for the next run's
    runs = [make(name, device)[1] for _ in range(repeat)] or [first]
    record["seconds"] = {phase: statistics.median(seconds[phase] for seconds in runs) for phase in first}
    record["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if check:
        record["equals_host"] = digest(make(name, None)[0]) == record["digest"]
    return record


def main() -> None:
    """Run the cases asked for."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--device", help="as in clgraph.get_device, or host")
    parser.add_argument("--graphs", default="powerlaw1000000,powerlaw3000000,rmat18")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="compare with the host's graph")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    device, about = None, {"name": "host (NumPy)"}
    if options.device != "host":
        device = get_device(options.device)
        about = {"name": device.name, "platform": device.platform_name, "driver": device.driver_version}
    print(", ".join(about.values()))
    records = []
    for name in options.graphs.split(","):
        record = run(name, device, options.repeat, options.check)
        records.append(record)
        phases = " ".join(f"{phase} {seconds * 1e3:.1f}" for phase, seconds in record["seconds"].items())
        equal = f", equals host: {record['equals_host']}" if options.check else ""
        first = f"(first run: {record['first']['total'] * 1e3:.0f})"
        print(
            f"{name}: {record['vertices']} vertices, {record['edges']} edges, {record['digest']}, peak "
            f"{record['peak_mb']} MB{equal}\n  ms: {phases} {first}",
            flush=True,
        )
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"device": about, "records": records}, out, indent=2)


if __name__ == "__main__":
    main()
