"""NetworkX's functions, run by NetworkX itself and by the backend.

    python benchmarks/networkx_backend.py --device pocl --edges 1000000 --json networkx_backend.json
    python benchmarks/networkx_backend.py --device pocl --crossover

"first" includes the conversion of the graph, "cached" finds it converted; kernels are built beforehand.
Results are consumed: every set, pair and path is made. The graphs are random, with 10 edges per node and
one seed (`networkx.gnm_random_graph`); ``--shuffled`` makes every node object anew, as reading a file does,
which is slower for both sides. With ``--crossover`` graphs shrink until NetworkX is faster; those are the
sizes in `_clgraph_networkx`. clgraph must be installed (an editable install will do), since
NetworkX finds backends by their entry points.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from inspect import signature
from itertools import islice
from typing import Any

import networkx as nx
import script

from _clgraph_networkx import FUNCTIONS
from clgraph.bench.harness import Case, Context, Figures, quantity, timed

# of each the search from every node: only on request
EVERY_NODE = (
    *(name for name in FUNCTIONS if name.startswith("all_pairs")),
    "average_shortest_path_length",
    "betweenness_centrality",
    "closeness_centrality",
    "harmonic_centrality",
)
LEFT_OUT = ("leiden_communities",)  # NetworkX has none to compare with
DIRECTED = ("condensation", *(name for name in FUNCTIONS if "weakly" in name or "strongly" in name))
PAIRED_SOURCES = 64  # so many results are consumed of a search from every node
# what a function is called with beside the graph; those that are not here take 0 and 1 for nodes they need
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "katz_centrality": (0.01,),
    "descendants_at_distance": (0, 2),
    **dict.fromkeys(("shortest_path", "shortest_path_length"), (0,)),
    **{name: ([0, 1, 2],) for name in FUNCTIONS if name.startswith("multi_source")},
}
SIZES = [size for power in range(1, 7) for size in (10**power, 3 * 10**power)]  # for --crossover
LIMIT = 10.0  # seconds for each figure, after the first run


def function_of(name: str) -> Any:
    """NetworkX's function; those for communities are in a module of their own."""
    return getattr(nx, name, None) or getattr(nx.community, name)


def arguments(name: str) -> tuple[Any, ...]:
    """What a function is called with beside the graph."""
    needed = [
        each
        for each in signature(function_of(name)).parameters.values()
        if each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty
    ]
    return ARGUMENTS.get(name, (0, 1)[: len(needed) - 1])


def make_graph(edges: int, directed: bool, shuffled: bool) -> Any:
    """A random graph with 10 edges per node."""
    graph = nx.gnm_random_graph(max(edges // 10, 5), edges, seed=1, directed=directed)
    if not shuffled:
        return graph
    rows = json.loads(json.dumps(list(graph.edges)))  # every end a separate object
    made = type(graph)()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from(rows)
    return made


def consume(name: str, found: Any) -> None:
    """Make every part of a result."""
    if isinstance(found, Iterator):
        deque(islice(found, PAIRED_SOURCES) if name in EVERY_NODE else found, maxlen=0)


def measure(name: str, graph: Any, context: Context, limit: float = LIMIT) -> Figures:
    """Seconds of NetworkX, of the first call with a graph, and of later calls."""
    nx.config.backends.clgraph.device = context.device
    function = partial(function_of(name), graph, *arguments(name))

    def cached() -> None:
        consume(name, function(backend="clgraph"))

    def first() -> None:
        graph.__networkx_cache__.clear()
        cached()

    cached()  # builds the kernels
    values = {
        "networkx": timed(lambda: consume(name, function()), context.repeat, limit=limit).quantity,
        "first": timed(first, context.repeat, limit=limit).quantity,
        "cached": timed(cached, 2 * context.repeat + 1, limit=limit).quantity,
    }
    for which in ("first", "cached"):
        ratio = values["networkx"]["value"] / values[which]["value"]
        values[f"speedup_{which}"] = quantity(ratio, "")
    size = {"of_vertices": len(graph), "of_arcs": sum(map(len, graph._adj.values()))}
    energy = context.energy(cached, "a cached call, results consumed")
    return Figures(values, size, energy)


def one_size(name: str, edges: int, shuffled: bool) -> Case:
    """A function on a graph of one size."""
    directed = name in DIRECTED

    def run(context: Context) -> Figures:
        graph = context.once((edges, directed), lambda: make_graph(edges, directed, shuffled))
        return measure(name, graph, context)

    kind = "directed" if directed else "undirected"
    return Case(
        "networkx", f"gnm{edges} {kind}", name, "NetworkX, clgraph", run, True, {"shuffled": shuffled}
    )


def crossover(name: str, largest: int) -> Case:
    """The number of arcs from which on the backend is faster."""

    def run(context: Context) -> Figures:
        least = {"first": float("inf"), "cached": float("inf")}
        faster = set(least)
        for edges in sorted((size for size in SIZES if size <= largest), reverse=True):
            found = measure(name, make_graph(edges, name in DIRECTED, False), context, 1.0)
            faster = {which for which in faster if found.values[f"speedup_{which}"]["value"] > 1}
            if not faster:
                break
            least |= dict.fromkeys(faster, found.details["of_arcs"])
        line = f'Function("{name}", {least["first"]:_.0f}, {least["cached"]:_.0f}),'.replace("inf", "NEVER")
        return Figures({}, {"crossover": line})

    return Case("networkx", f"gnm, to {largest} edges", name, "crossover", run, True)


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__)
    parser.add_argument("--edges", type=int, default=1_000_000, help="with --crossover: at most this many")
    parser.add_argument(
        "--functions", type=script.words, help="names, with commas (default: all but those of all pairs)"
    )
    parser.add_argument("--shuffled", action="store_true", help="make every node object anew")
    parser.add_argument("--crossover", action="store_true")
    options = parser.parse_args()
    if "clgraph" not in nx.config.backends:
        sys.exit("NetworkX does not know the backend: install clgraph (python -m pip install -e .)")
    nx.config.warnings_to_ignore.add("cache")
    known = nx.utils.backends.backend_info["clgraph"]["functions"]
    names = options.functions or [name for name in FUNCTIONS if name not in (*EVERY_NODE, *LEFT_OUT)]
    if strange := [name for name in names if name not in known]:
        sys.exit(f"{strange[0]} is no function of the backend: {', '.join(sorted(known))}")
    print(f"NetworkX {nx.__version__}")
    if not options.crossover:
        script.run(lambda: [one_size(name, options.edges, options.shuffled) for name in names], options)
        return
    outcome = script.run(lambda: [crossover(name, options.edges) for name in names], options)
    for record in outcome.records:
        print(f"    {record['details']['crossover']}")


if __name__ == "__main__":
    main()
