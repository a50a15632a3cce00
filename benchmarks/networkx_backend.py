"""NetworkX's functions by themselves and through the backend: seconds, medians.

    python benchmarks/networkx_backend.py --device pocl --edges 1000000 --json networkx_backend.json
    python benchmarks/networkx_backend.py --device pocl --crossover

"first" converts the graph, "cached" finds it converted; kernels are built before. Results are used up: every
set, pair and path is made. Random graphs of 10 edges a node and one seed (`networkx.gnm_random_graph`);
``--shuffled`` makes the edges' node objects one by one, as reading a file does: slower for both sides. With
``--crossover`` graphs shrink until NetworkX is faster: what `clgraph.networkx_backend.rules` holds. clgraph
must be installed (an editable install will do), since NetworkX finds backends by their entry points.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import networkx as nx

from clgraph.energy import Meter

UNDIRECTED = (
    "pagerank", "connected_components", "number_connected_components", "is_connected",
    "node_connected_component", "triangles", "clustering",
)  # fmt: skip
DIRECTED = (
    "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected",
    "strongly_connected_components", "number_strongly_connected_components", "is_strongly_connected",
    "condensation",
)  # fmt: skip
SEARCHES = (
    "bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "bfs_layers", "descendants", "ancestors",
    "descendants_at_distance", "single_source_shortest_path_length", "single_target_shortest_path_length",
    "single_source_shortest_path", "has_path", "all_pairs_shortest_path_length",
)  # fmt: skip
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys((*SEARCHES, "node_connected_component"), (0,)),
    "has_path": (0, 1),
    "descendants_at_distance": (0, 2),
    "all_pairs_shortest_path_length": (),
}
PAIRED_SOURCES = 64  # of all_pairs_shortest_path_length: so many first sources


def make_graph(edges: int, directed: bool, shuffled: bool) -> Any:
    """A random graph of 10 edges a node."""
    graph = nx.gnm_random_graph(max(edges // 10, 5), edges, seed=1, directed=directed)
    if not shuffled:
        return graph
    rows = json.loads(json.dumps(list(graph.edges)))  # every end an object of its own
    made = type(graph)()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from(rows)
    return made


def used_up(name: str, found: Any) -> Any:
    """The result, every piece of it made."""
    if isinstance(found, Iterator):
        deque(islice(found, PAIRED_SOURCES) if name.startswith("all_pairs") else found, maxlen=0)
    return found


def seconds(call: Callable[[], Any], repeat: int, limit: float) -> float:
    """The median of some runs: at least one, no more once they have taken so many seconds."""
    times: list[float] = []
    while len(times) < repeat and sum(times) < limit:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(
    name: str, graph: Any, repeat: int, limit: float = 10.0, meter: Meter | None = None
) -> dict[str, Any]:
    """Seconds of NetworkX, of the first call with a graph, and of the next; with a meter their energy."""
    function, args = getattr(nx, name), ARGUMENTS.get(name, ())

    def cached() -> None:
        used_up(name, function(graph, *args, backend="clgraph"))

    def first() -> None:
        graph.__networkx_cache__.clear()
        cached()

    cached()  # builds the kernels
    found: dict[str, Any] = {
        "networkx": seconds(lambda: used_up(name, function(graph, *args)), repeat, limit),
        "first": seconds(first, repeat, limit),
        "cached": seconds(cached, 2 * repeat + 1, limit),
    }
    if meter is not None:
        found["energy"] = meter.repeat(cached).to_dict()
    return found


def table(
    names: list[str], edges: int, repeat: int, shuffled: bool, meter: Meter | None
) -> list[dict[str, Any]]:
    """One size, all functions."""
    graphs = {directed: make_graph(edges, directed, shuffled) for directed in {n in DIRECTED for n in names}}
    print(f"{'seconds; times as fast':38}{'NetworkX':>10}" + f"{'first':>10}{'cached':>10}" * 2)
    rows = []
    for name in names:
        found = measure(name, graphs[name in DIRECTED], repeat, meter=meter)
        ratios = [found["networkx"] / found[which] for which in ("first", "cached")]
        shown = "".join(f"{found[which]:10.4f}" for which in ("networkx", "first", "cached"))
        joules = found.get("energy", {}).get("joules")
        energy = "" if joules is None else f"{joules:12.4g} J"
        print(f"{name:38}{shown}{ratios[0]:9.1f}x{ratios[1]:9.1f}x{energy}", flush=True)
        rows.append({"function": name, "edges": edges, "shuffled": shuffled, **found})
    return rows


def crossover(names: list[str], largest: int, repeat: int) -> list[dict[str, Any]]:
    """Arcs from which the backend is faster, and stays so, for each function."""
    rows = []
    sizes = [size for power in range(1, 7) for size in (10**power, 3 * 10**power) if size <= largest]
    for name in names:
        least = {"first": float("inf"), "cached": float("inf")}
        faster = set(least)
        for edges in reversed(sizes):  # from the largest down, until the backend is slower
            graph = make_graph(edges, name in DIRECTED, False)
            found = measure(name, graph, repeat, 1.0)
            faster = {which for which in faster if found[which] < found["networkx"]}
            if not faster:
                break
            least |= dict.fromkeys(faster, sum(map(len, graph._adj.values())))
        print(f"    {name!r}: Crossover({least['first']:g}, {least['cached']:g}),", flush=True)
        rows.append({"function": name, **least})
    return rows


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", help="as in clgraph.get_device")
    parser.add_argument("--edges", type=int, default=1_000_000, help="with --crossover: at most so many")
    parser.add_argument("--functions", help="names, with commas (all but all_pairs_... if not given)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--shuffled", action="store_true", help="node objects one by one")
    parser.add_argument("--crossover", action="store_true")
    parser.add_argument("--energy", action="store_true", help="of a cached call (NVML, RAPL)")
    parser.add_argument("--watts", type=float, help="the power, off a wall meter, instead of a counter")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if "clgraph" not in nx.config.backends:
        sys.exit("NetworkX does not know the backend: install clgraph (python -m pip install -e .)")
    nx.config.backends.clgraph.device = options.device
    nx.config.warnings_to_ignore.add("cache")
    known = nx.utils.backends.backend_info["clgraph"]["functions"]
    some = [n for n in (*UNDIRECTED, *DIRECTED, *SEARCHES) if n in known and not n.startswith("all_pairs")]
    names = options.functions.split(",") if options.functions else some
    if strange := [name for name in names if name not in known]:
        sys.exit(f"{strange[0]} is no function of the backend: {', '.join(sorted(known))}")
    from clgraph.networkx_backend.running import chosen_device

    device = chosen_device()
    print(f"NetworkX {nx.__version__}, {device.name} ({device.platform_name})")
    meter = Meter(device, options.watts) if options.energy or options.watts else None
    if meter is not None:
        print(f"energy: {meter.source if meter.available else f'not available: {meter.reason}'}")
    if options.crossover:
        rows = crossover(names, options.edges, options.repeat)
    else:
        rows = table(names, options.edges, options.repeat, options.shuffled, meter)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"networkx": nx.__version__, "device": device.name, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
