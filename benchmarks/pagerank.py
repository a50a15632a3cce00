"""PageRank beside SciPy, NetworKit, igraph, scikit-network, NetworkX, CuPy and CUDA (those installed).

    python benchmarks/pagerank.py --device pocl --graphs rmat20 --json pagerank.json
    python benchmarks/pagerank.py --device nvidia --graphs rmat22 --cases iteration
    python benchmarks/pagerank.py --device pocl,intel --cases table --data FOLDER

Cases. iteration: one iteration of every variant, as a share of SciPy's float32 ``csr @ x`` (on a GPU also of
cuSPARSE's), arcs a second, and the bytes that it must move at least as a share of a copy's bandwidth in the
same run. solve: float64, to an L1 error of --error, from a built Graph (first call: reversing, renumbering
and building included; next call), beside the peers (igraph's is PRPACK), whose own graphs are made
beforehand. table: Table 6.2 of the PageRank thesis, 1000 iterations of ego-Facebook and cit-DBLP
(facebook_combined.txt and cit-DBLP.edges in the folder --data), beside its printed figures and, on a GPU, its
CUDA kernels.

Graphs: ``rmatS`` (scale S, 16 arcs a vertex before merging, directed, labels shuffled; made on the GPU where
CuPy is), ``powerlawN`` (N vertices, average degree 5, undirected). Figures are medians over --repeat runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _pagerank_peers as other
import numpy as np

from clgraph import Graph, pagerank, powerlaw_graph, read
from clgraph.device import Device, get_device
from clgraph.pagerank_problem import round_off

Record = dict[str, Any]
VARIANTS = ("auto", "serial", "pull", "contribution", "subgroup")
# Table 6.2: RTX 2080 Ti, seconds for 1000 iterations, medians of 10
PRINTED = {
    "facebook_combined.txt": {"serial": 0.657086, "pull": 0.200191, "contribution": 0.161187},
    "cit-DBLP.edges": {"serial": 0.689932, "pull": 0.200105, "contribution": 0.160348},
}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of wall-clock time, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def rmat(scale: int, seed: int = 1) -> Graph:
    """RMAT (0.57, 0.19, 0.19, 0.05), 16 arcs a vertex, directed, no loops, no parallels, labels shuffled."""
    try:
        import cupy as xp

        xp.zeros(1)
    except Exception:  # no CuPy, or no GPU for it: NumPy does the same more slowly, from other numbers
        xp = np
    rng = xp.random.RandomState(seed)
    n, m = 1 << scale, 16 << scale
    tail, head = xp.zeros(m, xp.int64), xp.zeros(m, xp.int64)
    for _ in range(scale):
        draw = rng.random_sample(m)
        tail = tail << 1 | (draw >= 0.76)
        head = head << 1 | (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
        del draw
    shuffled = rng.permutation(n).astype(xp.int64)
    key = shuffled[tail] << 32
    key |= shuffled[head]
    key = key[tail != head]
    del tail, head
    key.sort()
    keep = xp.ones(len(key), bool)
    keep[1:] = key[1:] != key[:-1]
    key = key[keep]
    row_ptr = xp.searchsorted(key, xp.arange(n + 1, dtype=xp.int64) << 32)
    arrays = row_ptr.astype(xp.int32 if len(key) < 2**31 else xp.int64), key.astype(xp.int32)
    if xp is not np:
        arrays = tuple(array.get() for array in arrays)
        del key, keep, row_ptr, shuffled
        xp.get_default_memory_pool().free_all_blocks()
    return Graph(*arrays, directed=True)


def make_graph(name: str) -> Graph:
    """The graph that a name like rmat20 stands for."""
    if name.startswith("rmat"):
        return rmat(int(name[4:]))
    if name.startswith("powerlaw"):
        return powerlaw_graph(int(name[8:]), seed=1)
    raise SystemExit(f"--graphs: {name!r} is not rmatS or powerlawN")


def bytes_needed(graph: Graph) -> int:
    """What an iteration moves at least: each index, each value once, each rank read and written."""
    return 4 * graph.num_arcs + graph.row_ptr.itemsize * graph.num_vertices + 20 * graph.num_vertices


def run_iteration(graph: Graph, device: Device, options: argparse.Namespace) -> list[Record]:
    """One iteration of each variant."""
    records = []
    scipy = None
    if options.peers:
        work = other.product(graph)
        work()
        scipy = statistics.median(timed(work)[0] for _ in range(options.repeat))
        records.append({"what": "iteration", "who": "scipy csr @ x", "seconds": scipy})
    for variant in options.variants:
        if variant == "serial" and graph.num_arcs > 30_000_000:
            continue
        count = 5 if variant == "serial" else 50 if device.kind == "gpu" else 20

        def call(count: int = count, variant: str = variant) -> Any:
            return pagerank(graph, tol=0, max_iter=count, variant=variant, dtype=options.dtype, device=device)

        first = call(2)
        runs = [call().seconds["iterate"] / count for _ in range(options.repeat)]
        seconds = statistics.median(runs)
        record: Record = {
            "what": "iteration", "who": f"clgraph {variant}", "ran": first.variant, "seconds": seconds,
            "arcs_per_second": graph.num_arcs / seconds, "moved": bytes_needed(graph),
            "build": first.seconds["build"],
        }  # fmt: skip
        if scipy:
            record["of_scipy"] = seconds / scipy
        records.append(record)
    if options.peers and device.kind == "gpu":
        try:
            seconds = other.cusparse_product(graph)
        except ImportError:
            records.append({"what": "iteration", "who": "cuSPARSE (CuPy)", "absent": True})
        else:
            records.append({"what": "iteration", "who": "cuSPARSE (CuPy)", "seconds": seconds})
            for record in records:
                if "seconds" in record:
                    record["of_cusparse"] = record["seconds"] / seconds
    return records


def run_solve(graph: Graph, device: Device, options: argparse.Namespace) -> list[Record]:
    """Time to an L1 error, float64."""
    d = other.DAMPING
    tol = (options.error * (1 - d) - 2 * round_off("float64", 20_000)) / d

    def call(of: Graph) -> Any:
        return pagerank(of, tol=tol, max_iter=1000, dtype="float64", device=device)

    call(Graph(graph.row_ptr, graph.col_idx, directed=graph.directed))  # kernels are built
    fresh = Graph(graph.row_ptr, graph.col_idx, directed=graph.directed)
    first, found = timed(lambda: call(fresh))
    assert found.error_bound <= options.error
    again = statistics.median(timed(lambda: call(fresh))[0] for _ in range(options.repeat))
    records: list[Record] = [
        {"what": "solve", "who": "clgraph, first", "seconds": first, "iterations": found.iterations,
         **found.seconds},
        {"what": "solve", "who": "clgraph, again", "seconds": again, "iterations": found.iterations},
    ]  # fmt: skip
    for name, peer in other.peers(graph, options.error) if options.peers else ():
        if options.peers != "all" and name not in options.peers.split(","):
            continue
        if peer is None:
            records.append({"what": "solve", "who": name, "absent": True})
            continue
        seconds, ranks = timed(peer)
        ranks = np.asarray(ranks.get() if hasattr(ranks, "get") else ranks)
        away = float(np.abs(ranks / ranks.sum() - found.ranks).sum())
        records.append(
            {"what": "solve", "who": name, "seconds": seconds, "of_ours": seconds / first, "away": away}
        )
    return records


def run_table(device: Device, options: argparse.Namespace) -> list[Record]:
    """Table 6.2 of the PageRank thesis."""
    records = []
    for name, printed in PRINTED.items():
        graph = read(Path(options.data, name), directed=True)
        size = {"graph": name, "vertices": graph.num_vertices, "arcs": graph.num_arcs}

        for variant in options.variants:
            # on a GPU one work-item takes minutes: the table's serial column is a CPU's
            if variant == "serial" and device.kind == "gpu":
                continue

            def call(variant: str = variant, graph: Graph = graph) -> Any:
                return pagerank(graph, tol=0, max_iter=1000, variant=variant, dangling="drop", device=device)

            call()
            seconds = statistics.median(call().seconds["iterate"] for _ in range(options.repeat))
            records.append(
                {**size, "what": "1000 iterations", "who": f"clgraph {variant}", "seconds": seconds,
                 "printed": printed.get(variant)}
            )  # fmt: skip
        if device.kind != "gpu":
            continue
        try:
            for who, work in other.thesis_kernels(graph, 1000):
                work()
                seconds = statistics.median(work() for _ in range(options.repeat))
                records.append({**size, "what": "1000 iterations", "who": who, "seconds": seconds})
        except ImportError:
            records.append({**size, "what": "1000 iterations", "who": "CUDA (CuPy)", "absent": True})
    return records


def copy_bandwidth(device: Device) -> float:
    """Bytes a second of a buffer copied on the device, reads and writes both counted."""
    size = 1 << (30 if device.kind == "gpu" else 27)
    one, two = device.zeros(size, np.uint8), device.zeros(size, np.uint8)

    def copies() -> None:
        for _ in range(4):
            device.copy(two, one, size)
        device.finish()

    copies()
    return 8 * size / min(timed(copies)[0] for _ in range(3))


def show(record: Record) -> str:
    """A line of the table."""
    name = f"{record['graph']:22} {record['what']:16} {record['who']:22}"
    if record.get("absent"):
        return f"{name} not installed"
    notes = []
    for key, text in (
        ("of_scipy", "{:.3f} of scipy"), ("of_cusparse", "{:.3f} of cuSPARSE"), ("of_ours", "{:.1f} x ours"),
        ("iterations", "{} iterations"), ("away", "{:.1e} away"), ("share_of_copy", "{:.0%} of copy"),
    ):  # fmt: skip
        if record.get(key) is not None:
            notes.append(text.format(record[key]))
    if "arcs_per_second" in record:
        notes.append(f"{record['arcs_per_second'] / 1e9:.2f} G arcs/s")
    if record.get("printed"):
        notes.append(f"printed {record['printed'] * 1e3:.0f} ms")
    return f"{name} {record['seconds'] * 1e3:10.3f} ms  {', '.join(notes)}"


def main() -> None:
    """Run the cases asked for."""
    about = __doc__ or ""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default=None, help="one, or several with commas between")
    parser.add_argument("--graphs", default="rmat20")
    parser.add_argument("--cases", default="iteration,solve", help="of iteration, solve, table")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="of the cases iteration and table")
    parser.add_argument("--dtype", default="float32", help="of the case iteration")
    parser.add_argument("--peers", default="all", help="'all', names, or '' for none")
    parser.add_argument("--error", type=float, default=1e-8, help="L1 error of the case solve")
    parser.add_argument("--data", default=".", help="folder of the data sets of the case table")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    options.variants = options.variants.split(",")
    records: list[Record] = []
    cases = options.cases.split(",")
    graphs = options.graphs.split(",") if set(cases) != {"table"} else []
    made = {name: make_graph(name) for name in graphs}
    for spec in options.device.split(",") if options.device else [None]:
        device = get_device(spec)
        bandwidth = copy_bandwidth(device)
        about_device = f"{device.name} ({device.platform_name}, driver {device.driver_version})"
        print(f"{about_device}, copy {bandwidth / 1e9:.1f} GB/s")

        def take(
            found: list[Record], size: Record, about: str = about_device, copy: float = bandwidth
        ) -> None:
            for record in found:
                if "moved" in record:
                    record["share_of_copy"] = record["moved"] / record["seconds"] / copy
                records.append({**size, **record, "device": about, "copy_bytes_per_second": copy})
                print(show(records[-1]), flush=True)

        for name, graph in made.items():
            size = {"graph": name, "vertices": graph.num_vertices, "arcs": graph.num_arcs}
            print(f"{name}: {graph.num_vertices} vertices, {graph.num_arcs} arcs", file=sys.stderr)
            if "iteration" in cases:
                take(run_iteration(graph, device, options), size)
            if "solve" in cases:
                take(run_solve(graph, device, options), size)
        if "table" in cases:
            take(run_table(device, options), {})
    if options.json:
        with open(options.json, "w") as out:
            json.dump(records, out, indent=2)


if __name__ == "__main__":
    main()
