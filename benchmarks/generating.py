"""Generate graphs (`clgraph.powerlaw_graph`, `clgraph.rmat_graph`, seed 1): seconds by phase, medians.

    python benchmarks/generating.py --device pocl --graphs powerlaw3000000,rmat20 --json generating.json

``powerlawN``: N vertices, exponent 2.71, average degree 5; ``rmatS``: scale S, 16 edges per vertex,
undirected. ``--device host`` uses NumPy. On a device, the first run of each model builds the kernels; it is
reported but not counted. "made" is the time to draw edges and build rows, without the download. With
``--check`` each graph is compared with the one that the host makes. "peak" is the largest resident memory
of the process so far.
"""

import hashlib
import re
import resource
from typing import Any

import script

from clgraph import Graph
from clgraph.bench.harness import Case, Context, Figures, quantity, timed
from clgraph.csr.generate import powerlaw_graph, rmat_graph
from clgraph.errors import InputError


def make(name: str, device: Any) -> tuple[Graph, dict[str, float]]:
    """The graph of this name, and the seconds of each phase."""
    parts = re.fullmatch(r"(powerlaw|rmat)(\d+)", name)
    if not parts:
        raise InputError(f"graph {name!r}: give powerlawN or rmatS, such as powerlaw3000000 or rmat20")
    report: dict[str, Any] = {}
    maker = powerlaw_graph if parts[1] == "powerlaw" else rmat_graph
    graph = maker(int(parts[2]), seed=1, device=device, report=report)
    seconds: dict[str, float] = report["seconds"]
    return graph, {**seconds, "made": seconds["draw"] + seconds["rows"]}


def digest(graph: Graph) -> str:
    """A digest by which graphs from different runs and devices can be compared."""
    return hashlib.sha256(graph.row_ptr.tobytes() + graph.col_idx.tobytes()).hexdigest()[:16]


def case(name: str, host: bool, check: bool) -> Case:
    """A graph that is generated repeatedly."""

    def run(context: Context) -> Figures:
        graph, first = make(name, context.device)
        details = {"vertices": graph.num_vertices, "edges": graph.num_edges, "digest": digest(graph)}
        del graph  # frees memory for the next run
        timing = timed(
            lambda: make(name, context.device), context.repeat, keep=lambda made: made[1], limit=60
        )
        if check:
            details["equals_host"] = digest(make(name, None)[0]) == details["digest"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        energy = context.energy(lambda: make(name, context.device), "a graph made and downloaded")
        values = {"first": quantity(first["total"], "s"), "peak": quantity(peak, "B"), **timing.phases()}
        return Figures(values, {**details, "of_vertices": details["vertices"]}, energy)

    return Case("generating", name, "made", "NumPy" if host else "clgraph", run, not host, {"check": check})


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__)
    parser.add_argument(
        "--graphs", type=script.words, default=["powerlaw1000000", "powerlaw3000000", "rmat18"]
    )
    parser.add_argument("--check", action="store_true", help="compare with the host's graph")
    options = parser.parse_args()
    host = options.device == "host"
    script.run(lambda: [case(name, host, options.check) for name in options.graphs], options)


if __name__ == "__main__":
    main()
