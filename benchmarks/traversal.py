"""Breadth-first search and components beside SciPy, NetworKit, igraph, GraphBLAS and CuPy (those installed),
in one run.

    python benchmarks/traversal.py --device pocl --graphs rmat20,grid1000,powerlaw3000000 --json
    traversal.json
    python benchmarks/traversal.py --device nvidia --graphs rmat22,grid1000 --peers cupy --json h200.json

Graphs: ``rmatS`` (scale S, 16 edges a vertex before merging, symmetric, labels shuffled; made on the GPU
where CuPy
is), ``gridK`` (K x K), ``powerlawN`` (N vertices, average degree 5). Every figure is a median over
`--sources` searches
from vertices of the largest component, or over `--repeat` runs of components, after one that is not counted.
"call" is
the whole call on a graph used before, "kernel" first launch to last kernel finished. "moved" is the least
traffic that
the answer needs (see the functions); its share is of a copy's bandwidth measured in the same run.
`--tune alpha=30,beta=24` changes `clgraph.bfs_search.Shape` for the device.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import _bfs_cases
import _components_cases
import numpy as np

from clgraph import Graph, powerlaw_graph
from clgraph.bfs_search import SHAPES
from clgraph.device import Device, get_device

Record = dict[str, Any]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of wall-clock time, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# --- graphs -------------------------------------------------------------------------------------------


def rmat(scale: int, seed: int = 1) -> Graph:
    """RMAT (0.57, 0.19, 0.19, 0.05), 16 edges a vertex, symmetric, without self-loops, labels shuffled."""
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
    shuffled = rng.permutation(n).astype(xp.int64)
    tail, head = shuffled[tail], shuffled[head]
    proper = tail != head
    key = xp.concatenate(((tail << 32 | head)[proper], (head << 32 | tail)[proper]))
    key.sort()
    keep = xp.ones(len(key), bool)
    keep[1:] = key[1:] != key[:-1]
    key = key[keep]
    row_ptr = xp.searchsorted(key, xp.arange(n + 1, dtype=xp.int64) << 32)
    arrays = row_ptr.astype(xp.int32 if len(key) < 2**31 else xp.int64), key.astype(xp.int32)
    if xp is not np:
        arrays = tuple(array.get() for array in arrays)
        del tail, head, key, keep, proper, shuffled, draw
        xp.get_default_memory_pool().free_all_blocks()
    return Graph(*arrays)


def grid(side: int) -> Graph:
    """A square grid."""
    v = np.arange(side * side).reshape(side, side)
    return Graph.from_edges(np.r_[v[:, :-1].ravel(), v[:-1].ravel()], np.r_[v[:, 1:].ravel(), v[1:].ravel()])


def make_graph(name: str) -> Graph:
    """The graph that a name like rmat20 stands for."""
    match = re.fullmatch(r"(rmat|grid|powerlaw)(\d+)", name)
    if match is None:
        raise SystemExit(f"--graphs: {name!r} is not rmatS, gridK or powerlawN")
    makers: dict[str, Callable[[int], Graph]] = {
        "rmat": rmat, "grid": grid, "powerlaw": lambda n: powerlaw_graph(n, seed=1),
    }  # fmt: skip
    return makers[match[1]](int(match[2]))


# --- cases --------------------------------------------------------------------------------------------


def giant_sources(graph: Graph, device: Device, count: int) -> list[int]:
    """Vertices drawn from the component of the vertex with most arcs."""
    found = _bfs_cases.ours(graph, device)(int(np.argmax(graph.degrees)))
    giant = np.flatnonzero(found.distance >= 0)
    return [int(v) for v in np.random.default_rng(5).choice(giant, count, replace=False)]


def run_bfs(graph: Graph, device: Device, options: argparse.Namespace) -> list[Record]:
    """One search at a time from each source, ours and the peers'."""
    sources = giant_sources(graph, device, options.sources)
    records = []
    for method in options.methods:
        ours = _bfs_cases.ours(graph, device, method)
        ours(sources[0])
        runs = [timed(partial(ours, s)) for s in sources]
        kernel = statistics.median(result.seconds["bfs"] for _, result in runs)
        levels = statistics.median(result.levels for _, result in runs)
        records.append(
            {
                "what": "bfs", "who": f"clgraph {method}", "call": statistics.median(t for t, _ in runs),
                "kernel": kernel, "levels": levels, "microseconds_a_level": kernel / levels * 1e6,
                "moved": _bfs_cases.bytes_needed(graph),
            }
        )  # fmt: skip
    for name, peer in _bfs_cases.peers(graph) if options.peers else ():
        if options.peers != "all" and name not in options.peers.split(","):
            continue
        if peer is None:
            records.append({"what": "bfs", "who": name, "absent": True})
            continue
        peer(sources[0])
        times = [timed(partial(peer, s))[0] for s in sources[: options.peer_sources]]
        records.append({"what": "bfs", "who": name, "call": statistics.median(times)})
    return records


def run_many(graph: Graph, device: Device, options: argparse.Namespace) -> list[Record]:
    """64 searches at once against 64 calls."""
    sources = giant_sources(graph, device, 64)
    one, many = _bfs_cases.ours(graph, device), _bfs_cases.many(graph, device)
    many(sources)
    singles, together = [], []
    for _ in range(options.repeat):
        singles.append(timed(lambda: [one(s) for s in sources])[0])
        together.append(timed(lambda: many(sources)))
    return [
        {"what": "bfs_many", "who": "64 calls", "call": statistics.median(singles)},
        {
            "what": "bfs_many", "who": "clgraph", "call": statistics.median(t for t, _ in together),
            "kernel": statistics.median(result.seconds["bfs"] for _, result in together),
        },
    ]  # fmt: skip


def run_components(graph: Graph, device: Device, options: argparse.Namespace) -> list[Record]:
    """Weak components, ours and the peers'."""
    ours = _components_cases.ours(graph, device)
    ours()
    runs = [timed(ours) for _ in range(options.repeat)]
    records: list[Record] = [
        {
            "what": "components", "who": "clgraph", "call": statistics.median(t for t, _ in runs),
            "kernel": statistics.median(r.seconds["components"] + r.seconds["ranking"] for _, r in runs),
            "moved": _components_cases.bytes_moved(graph, 32 if device.kind == "gpu" else 64),
        }
    ]  # fmt: skip
    present = {}
    for name, peer in _components_cases.peers(graph) if options.peers else ():
        if options.peers == "all" or name in options.peers.split(","):
            peer()
            present[name] = statistics.median(timed(peer)[0] for _ in range(options.repeat))
    records += [{"what": "components", "who": name, "call": seconds} for name, seconds in present.items()]
    return records


CASES = {"bfs": run_bfs, "many": run_many, "components": run_components}


def copy_bandwidth(device: Device) -> float:
    """Bytes a second of a buffer copied on the device, reads and writes both counted."""
    size = 1 << (30 if device.kind == "gpu" else 27)
    one, other = device.zeros(size, np.uint8), device.zeros(size, np.uint8)

    def copies() -> None:
        for _ in range(4):
            device.copy(other, one, size)
        device.finish()

    copies()
    return 8 * size / min(timed(copies)[0] for _ in range(3))


def show(record: Record) -> str:
    """A line of the table."""
    name = f"{record['graph']:16} {record['what']:10} {record['who']:18}"
    if record.get("absent"):
        return f"{name} not installed"
    call = f"{record['call'] * 1e3:10.2f}"
    kernel = f"{record['kernel'] * 1e3:10.2f}" if "kernel" in record else " " * 10
    ratio = f"{record['of_scipy']:8.3f}" if "of_scipy" in record else " " * 8
    share = f"{record['share_of_copy']:7.0%}" if "share_of_copy" in record else " " * 7
    level = f"{record['microseconds_a_level']:9.2f}" if "microseconds_a_level" in record else ""
    return f"{name} {call} {kernel} {ratio} {share} {level}"


def main() -> None:
    """Run the cases asked for."""
    about = __doc__ or ""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--graphs", default="rmat20,grid1000")
    parser.add_argument("--cases", default="bfs,many,components", help=f"of {', '.join(CASES)}")
    parser.add_argument(
        "--methods", default="hybrid", type=lambda text: text.split(","), help="hybrid,frontier"
    )
    parser.add_argument("--peers", default="all", help="'all', names, or '' for none")
    parser.add_argument("--sources", type=int, default=16)
    parser.add_argument("--peer-sources", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--tune", default="", help="alpha=30,beta=24: fields of clgraph.bfs_search.Shape")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    device = get_device(options.device)
    if options.tune:
        changes = {key: int(value) for key, value in (pair.split("=") for pair in options.tune.split(","))}
        SHAPES[device.kind] = replace(SHAPES[device.kind], **changes)
    bandwidth = copy_bandwidth(device)
    print(
        f"{device.name} ({device.platform_name}, driver {device.driver_version}), "
        f"copy {bandwidth / 1e9:.1f} GB/s"
    )
    print(
        f"{'graph':16} {'what':10} {'who':18} {'call ms':>10} {'kernel ms':>10} {'/scipy':>8} "
        f"{'of copy':>7} us/level"
    )
    records: list[Record] = []
    for name in options.graphs.split(","):
        graph = make_graph(name)
        size = {"graph": name, "vertices": graph.num_vertices, "arcs": graph.num_arcs}
        print(f"{name}: {graph.num_vertices} vertices, {graph.num_arcs} arcs", file=sys.stderr)
        for case in options.cases.split(","):
            found = CASES[case](graph, device, options)
            scipy = next((r["call"] for r in found if r["who"] == "scipy" and "call" in r), None)
            for record in found:
                if scipy and "call" in record:
                    record["of_scipy"] = record["call"] / scipy
                if "moved" in record:
                    record["share_of_copy"] = record["moved"] / record["kernel"] / bandwidth
                records.append({**size, **record})
                print(show(records[-1]), flush=True)
    if options.json:
        about_device = {
            "name": device.name, "platform": device.platform_name, "driver": device.driver_version,
            "copy_bytes_per_second": bandwidth,
        }  # fmt: skip
        with open(options.json, "w") as out:
            json.dump({"device": about_device, "tune": options.tune, "records": records}, out, indent=2)


if __name__ == "__main__":
    main()
