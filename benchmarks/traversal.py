"""Breadth-first search and components, compared with SciPy, NetworKit, igraph, GraphBLAS, CuPy (those
installed) and GAPBS (built in the folder GAPBS_DIR) in one run.

    python benchmarks/traversal.py --device pocl --graphs rmat20,grid1000,powerlaw3000000 --json out.json
    python benchmarks/traversal.py --device nvidia --graphs rmat22,grid1000 --peers cupy --json h200.json

Graphs: ``rmatS`` (scale S, 16 edges a vertex before merging, undirected), ``gridK`` (K x K), ``powerlawN``
(N vertices, average degree 5). Every figure is a median over `--sources` searches from vertices of the
largest component, or over `--repeat` runs, after one that is not counted. "call" is the whole call on a
graph used before, "kernels" the time from the first launch to the end of the last kernel. "moved" is the
least traffic that the result requires, also as a share of a copy's bandwidth measured in the same run.
`--tune alpha=30,beta=24` changes `clgraph.traversal.search.LaunchConfig` for all devices. The cases:
clgraph/bench/cases/traversal.py.
"""

from dataclasses import fields, replace

from clgraph.bench import script
from clgraph.bench.cases import traversal
from clgraph.bench.graphs import check_name
from clgraph.device.launch_config import LaunchTable
from clgraph.traversal import search


def tune(text: str) -> None:
    """Change the launch configuration of the search."""
    known = [field.name for field in fields(search.LaunchConfig)]
    changes = {}
    for pair in script.words(text):
        key, _, value = pair.partition("=")
        if key not in known or not value.isdigit():
            raise SystemExit(f"error: --tune {pair}: use NAME=NUMBER with a name of {', '.join(known)}")
        changes[key] = int(value)
    old = search.LAUNCH
    search.LAUNCH = LaunchTable(
        gpu=replace(old.gpu, **changes),
        cpu=replace(old.cpu, **changes),
        simulator=replace(old.simulator, **changes),
    )


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__, repeat=5)
    parser.add_argument("--graphs", type=script.words, default=["rmat20", "powerlaw1000000", "grid1000"])
    parser.add_argument(
        "--cases", type=script.words, default=list(traversal.WHATS), help="bfs,many,components"
    )
    parser.add_argument("--methods", type=script.words, default=["hybrid"], help="hybrid,frontier")
    parser.add_argument("--peers", default="all", help="'all', names, or '' for none")
    parser.add_argument("--sources", type=int, default=traversal.SOURCES)
    parser.add_argument("--peer-sources", type=int, default=traversal.SOURCES)
    parser.add_argument(
        "--tune", default="", help="alpha=30,beta=24: fields of clgraph.traversal.search.LaunchConfig"
    )
    options = parser.parse_args()
    tune(options.tune)
    script.run(
        lambda: traversal.cases(
            [check_name(name) for name in options.graphs],
            whats=options.cases,
            methods=options.methods,
            peers=options.peers,
            sources=options.sources,
            peer_sources=options.peer_sources,
            tune=options.tune,
        ),
        options,
    )


if __name__ == "__main__":
    main()
